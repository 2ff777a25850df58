"""What makes SNE, symmetric SNE, t-SNE and UMAP different: for each, a row of the table `KERNELS`.

Affinities say how strongly two points are neighbors among the data; the objective compares them with the places, and
its gradient moves the places; the size is that of the map at the start. All pairs of points take part, n × n numbers;
for many points, t-SNE and UMAP have forces that do with less.
Each gradient has the form 4 L(A) Y, with the Laplacian L(A) = Deg − A of attractions less repulsions.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import logsumexp, xlogy

from dimred_lessons.distances import squared_distances
from dimred_lessons.engine import accelerated, student_forces
from dimred_lessons.engine.sampled_pairs import EPSILON
from dimred_lessons.iterative.affinities import conditional_probabilities, fuzzy_memberships, joint_probabilities
from dimred_lessons.iterative.neighbor_forces import UMAP_A, UMAP_B, GridForces, SampledForces
from dimred_lessons.iterative.neighbor_places import NewPoints


def laplacian_gradient(A: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """4 L(A) Y: row i is 4 Σ_j a_ij (y_i − y_j), where a_ij is the derivative of the objective by ‖y_i − y_j‖².

    Parameters
    ----------
    A : array of shape (n, n), symmetric
        Attraction of each pair, less its repulsion.
    Y : array of shape (n, d)

    Returns
    -------
    array of shape (n, d)

    References
    ----------
    Equation (sne-gradient).
    """
    return 4 * (A.sum(axis=1)[:, np.newaxis] * Y - A @ Y)  # (sne-gradient)


# -------------------------------------------------------------------------------------------------------
# t-SNE: Student's kernel, for all pairs together


def student_objective(P: np.ndarray, Y: np.ndarray) -> float:
    """KL(P‖Q) for q_ij in proportion to Student's kernel, K_ij = 1/(1 + ‖y_i − y_j‖²).

    Parameters
    ----------
    P : array of shape (n, n), zero on the diagonal, of sum 1
    Y : array of shape (n, d)

    Returns
    -------
    float

    References
    ----------
    Equations (sne-objective), (sne-kernel).
    """
    K = 1 / (1 + squared_distances(Y))
    return xlogy(P, P / K * (K.sum() - len(P))).sum()  # (sne-objective)


@accelerated(student_forces.student_gradient)
def student_gradient(P: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Gradient of `student_objective`: A = (P − Q)∘K. ``P`` times a factor exaggerates the attraction.

    Parameters
    ----------
    P : array of shape (n, n), symmetric, zero on the diagonal
    Y : array of shape (n, d)

    Returns
    -------
    array of shape (n, d)

    References
    ----------
    Equations (sne-gradient), (sne-kernel).
    """
    K = 1 / (1 + squared_distances(Y))  # (sne-kernel)
    np.fill_diagonal(K, 0)
    return laplacian_gradient((P - K / K.sum()) * K, Y)  # (sne-gradient)


def critical_exaggeration(P: np.ndarray) -> float:
    """Exaggeration of attraction beyond which small maps shrink to a point: 1/((n − 1)μ), μ = λ₂ of L(P).

    Near the origin, the gradient with αP is 4 (α L(P) − H/(n − 1)) Y: a step against it multiplies the axis along
    each eigenvector of L(P) by a factor, which is below 1 where α μ is above 1/(n − 1); μ is the smallest
    eigenvalue except for that of the constant vector.

    Parameters
    ----------
    P : array of shape (n, n), symmetric, of sum 1: see `joint_probabilities`

    Returns
    -------
    float

    References
    ----------
    Equation (sne-critical).
    """
    L = np.diag(P.sum(axis=1)) - P
    return 1 / ((len(P) - 1) * linalg.eigvalsh(L, subset_by_index=[1, 1])[0])  # (sne-critical)


# -------------------------------------------------------------------------------------------------------
# SNE: the Gaussian kernel, for the pairs of each point separately, or (symmetric) for all pairs together


def gaussian_objective(P: np.ndarray, Y: np.ndarray) -> float:
    """KL(P‖Q) for q_ij in proportion to the Gaussian kernel, exp(−‖y_i − y_j‖²): symmetric SNE.

    Parameters
    ----------
    P : array of shape (n, n), zero on the diagonal, of sum 1
    Y : array of shape (n, d)

    Returns
    -------
    float

    References
    ----------
    Equation (sne-objective).
    """
    return _gaussian_mismatch(P, Y, axis=None)


def gaussian_gradient(P: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Gradient of `gaussian_objective`: A = P − Q. ``P`` times a factor exaggerates the attraction.

    Parameters
    ----------
    P : array of shape (n, n), symmetric, zero on the diagonal
    Y : array of shape (n, d)

    Returns
    -------
    array of shape (n, d)

    References
    ----------
    Equation (sne-gradient).
    """
    return laplacian_gradient(P - _gaussian_shares(Y, axis=None), Y)


def sne_objective(P: np.ndarray, Y: np.ndarray) -> float:
    """Σ_i KL(p_·|i‖q_·|i) for q_j|i in proportion to the Gaussian kernel, in each row: SNE.

    Parameters
    ----------
    P : array of shape (n, n), zero on the diagonal, rows of sum 1
    Y : array of shape (n, d)

    Returns
    -------
    float

    References
    ----------
    Equation (sne-objective).
    """
    return _gaussian_mismatch(P, Y, axis=1)


def sne_gradient(P: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Gradient of `sne_objective`: A is the symmetric part of P − Q. ``P`` times a factor exaggerates the attraction.

    Parameters
    ----------
    P : array of shape (n, n), zero on the diagonal
    Y : array of shape (n, d)

    Returns
    -------
    array of shape (n, d)

    References
    ----------
    Equation (sne-gradient).
    """
    A = P - _gaussian_shares(Y, axis=1)
    return laplacian_gradient((A + A.T) / 2, Y)


def _gaussian_mismatch(P, Y, axis):
    """KL(P‖Q), from the logarithms of Q: no place is so far away that its share is lost."""
    log_Q = -squared_distances(Y)
    np.fill_diagonal(log_Q, -np.inf)
    log_Q -= logsumexp(log_Q, axis=axis, keepdims=True)
    np.fill_diagonal(log_Q, 0)
    return xlogy(P, P).sum() - np.vdot(P, log_Q)  # (sne-objective)


def _gaussian_shares(Y, axis):
    """Q: the share of each pair in the sum of the Gaussian kernel, over all pairs or (axis 1) over its row."""
    squared = squared_distances(Y)
    np.fill_diagonal(squared, np.inf)
    K = np.exp(squared.min(axis=axis, keepdims=True) - squared)  # the largest exponent is 0
    return K / K.sum(axis=axis, keepdims=True)


# -------------------------------------------------------------------------------------------------------
# UMAP: nearly Student's kernel, each pair by itself


def umap_objective(V: np.ndarray, Y: np.ndarray) -> float:
    """Cross-entropy of memberships V and similarities q_ij = 1/(1 + a s_ij^b), s_ij = ‖y_i − y_j‖² + ε.

    Parameters
    ----------
    V : array of shape (n, n), symmetric, entries in [0, 1]
    Y : array of shape (n, d)

    Returns
    -------
    float

    References
    ----------
    Equation (sne-umap).
    """
    power = UMAP_A * (squared_distances(Y) + EPSILON) ** UMAP_B
    costs = V * np.log1p(power) + (1 - V) * np.log1p(1 / power)  # (sne-umap)
    return costs.sum() - np.trace(costs)


def umap_gradient(V: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Gradient of `umap_objective`: a_ij = b (v_ij − q_ij) / s_ij. ``V`` times a factor exaggerates the attraction.

    Parameters
    ----------
    V : array of shape (n, n), symmetric, zero on the diagonal
    Y : array of shape (n, d)

    Returns
    -------
    array of shape (n, d)

    References
    ----------
    Equations (sne-umap-forces), (sne-gradient).
    """
    s = squared_distances(Y) + EPSILON
    Q = 1 / (1 + UMAP_A * s**UMAP_B)
    np.fill_diagonal(Q, 0)
    return laplacian_gradient(UMAP_B * (V - Q) / s, Y)  # (sne-umap-forces)


# -------------------------------------------------------------------------------------------------------
# Forces on new points, functions of their squared distances; and the table


def _student(squared):
    return 1 / (1 + squared)


def _student_push(squared):
    return _student(squared) ** 2


def _gaussian(squared):
    return np.exp(-squared)


def _row_shares(squared):
    K = np.exp(squared.min(axis=1, keepdims=True) - squared)
    return K / K.sum(axis=1, keepdims=True)


def _umap_pull(squared):
    return UMAP_B / (squared + EPSILON)


def _umap_push(squared):
    s = squared + EPSILON
    return UMAP_B / (s * (1 + UMAP_A * s**UMAP_B))


class NeighborKernel(NamedTuple):
    """What a neighbor embedding compares, and how.

    Parameters
    ----------
    affinities : function of squared distances and the number of neighbors
    neighbors : "perplexity" or "n_neighbors"
        In which sense the number of neighbors is meant.
    objective, gradient : functions of the affinities and the places
    size : float
        Standard deviation of the map at the start, along its first axis.
    new_points : NewPoints
        How new points are placed.
    many_points : type of the forces for many points, or None
        See `dimred_lessons.iterative.neighbor_forces`.
    """

    affinities: Callable[..., np.ndarray]
    neighbors: str
    objective: Callable[[np.ndarray, np.ndarray], float]
    gradient: Callable[[np.ndarray, np.ndarray], np.ndarray]
    size: float
    new_points: NewPoints
    many_points: type[GridForces] | type[SampledForces] | None = None


KERNELS = {
    "student": NeighborKernel(
        joint_probabilities,
        "perplexity",
        student_objective,
        student_gradient,
        1e-4,
        NewPoints(_student, _student_push, _student),
        GridForces,
    ),
    "gaussian": NeighborKernel(
        joint_probabilities,
        "perplexity",
        gaussian_objective,
        gaussian_gradient,
        1e-4,
        NewPoints(np.ones_like, _gaussian, _gaussian),
    ),
    "sne": NeighborKernel(
        conditional_probabilities,
        "perplexity",
        sne_objective,
        sne_gradient,
        1e-4,
        NewPoints(np.ones_like, _row_shares),
    ),
    "umap": NeighborKernel(
        fuzzy_memberships,
        "n_neighbors",
        umap_objective,
        umap_gradient,
        1.0,
        NewPoints(_umap_pull, _umap_push),
        SampledForces,
    ),
}
