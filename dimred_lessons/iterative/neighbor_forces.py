"""Attraction and repulsion of all pairs of points: the objectives of SNE, t-SNE and UMAP, and their gradients."""

import numpy as np
from scipy import linalg
from scipy.special import logsumexp, xlogy

from dimred_lessons.distances import squared_distances
from dimred_lessons.memory import CACHED, blocks

# UMAP's curve q = 1/(1 + a δ^2b) for the usual min_dist of 0.1; points nearer than √ε repel as if at that distance
_A, _B, _EPSILON = 1.577, 0.895, 1e-3


def neighbor_objective(P, Y, kernel="student"):
    """Mismatch between the weights of pairs and those that places Y show: KL(P‖Q), or UMAP's cross-entropy.

    Parameters
    ----------
    P : array of shape (n, n), see `neighbor_weights`
    Y : array of shape (n, d)
    kernel : "student", "gaussian", "sne" or "umap"

    Returns
    -------
    float

    References
    ----------
    Equations (sne-objective), (sne-umap).
    """
    squared = squared_distances(Y)
    if kernel == "umap":
        power = _A * (squared + _EPSILON) ** _B
        costs = P * np.log1p(power) + (1 - P) * np.log1p(1 / power)  # (sne-umap)
        return costs.sum() - np.trace(costs)
    if kernel == "student":
        K = 1 / (1 + squared)
        return xlogy(P, P / K * (K.sum() - len(P))).sum()  # (sne-objective)
    log_Q = -squared
    np.fill_diagonal(log_Q, -np.inf)
    log_Q -= logsumexp(log_Q, axis=1 if kernel == "sne" else None, keepdims=True)
    np.fill_diagonal(log_Q, 0)
    return xlogy(P, P).sum() - np.vdot(P, log_Q)  # (sne-objective)


def neighbor_gradient(P, Y, kernel="student"):
    """Gradient of the objective, 4 L(A) Y: L(A) = Deg − A is the Laplacian of attractions less repulsions.

    Neighbors attract (P), all points repel (Q): A = (P − Q)∘K for Student's kernel K_ij = 1/(1 + ‖y_i − y_j‖²),
    and Q in proportion to it; A = P − Q for the Gaussian. ``P`` times a factor exaggerates the attraction.

    Parameters
    ----------
    P : array of shape (n, n), see `neighbor_weights`
    Y : array of shape (n, d)
    kernel : "student", "gaussian", "sne" or "umap"

    Returns
    -------
    array of shape (n, d)

    References
    ----------
    Equation (sne-gradient).
    """
    if kernel == "student":
        return _student_gradient(P, Y)
    squared = squared_distances(Y)
    if kernel == "umap":
        power = _A * (squared + _EPSILON) ** _B
        A = _B * (P * (power + 1) - 1) / (power + 1) / (squared + _EPSILON)
    else:
        away = squared + np.diag(np.full(len(Y), np.inf))
        Q = np.exp(away.min(axis=1, keepdims=True) - away) if kernel == "sne" else np.exp(away.min() - away)
        A = P - Q / Q.sum(axis=1 if kernel == "sne" else None, keepdims=True)
        A = (A + A.T) / 2
    return 4 * (A.sum(axis=1)[:, np.newaxis] * Y - A @ Y)  # (sne-gradient)


def _student_gradient(P, Y):
    """The gradient for Student's kernel, in blocks of rows that stay in the cache: L(A) = L(P∘K) − L(K∘K) / ΣK."""
    n, Y = len(Y), Y - Y.mean(axis=0)
    squares, ones = np.sum(Y**2, axis=1), np.ones(n)
    left, right = np.column_stack([-2 * Y, squares + 1, ones]), np.column_stack([Y, ones, squares]).T
    Y_1, total = np.column_stack([Y, ones]), -n  # without the diagonal, which is 1
    attraction, repulsion = np.empty_like(Y_1), np.empty_like(Y_1)
    for rows in blocks(n, n, CACHED):
        K = np.reciprocal(left[rows] @ right)
        total += K.sum()
        attraction[rows] = (P[rows] * K) @ Y_1
        repulsion[rows] = np.square(K, out=K) @ Y_1
    A_Y = attraction - repulsion / total
    return 4 * (A_Y[:, -1:] * Y - A_Y[:, :-1])  # (sne-gradient)


def critical_exaggeration(P):
    """Exaggeration of attraction beyond which small maps shrink to a point: 1/((n − 1)μ), μ = λ₂ of L(P).

    Near the origin, the gradient with αP is 4 (α L(P) − H/(n − 1)) Y: a step against it multiplies the axis along
    each eigenvector of L(P) by a factor, which is below 1 where α μ is above 1/(n − 1); μ is the smallest
    eigenvalue except for that of the constant vector.

    Parameters
    ----------
    P : array of shape (n, n), symmetric, of sum 1: `neighbor_weights` of "student" or "gaussian"

    Returns
    -------
    float

    References
    ----------
    Equation (sne-critical).
    """
    L = np.diag(P.sum(axis=1)) - P
    return 1 / ((len(P) - 1) * linalg.eigvalsh(L, subset_by_index=[1, 1])[0])  # (sne-critical)
