"""Charts: coordinates on each component of a mixture, and the common ones that they are aligned to.

The row of U (n, S(d + 1)) that belongs to a point holds r_s (1, z_s) for every chart s: the share r_s of the chart in
the point, and its coordinates z_s there. Common coordinates are Y = UL: an affine map of each chart, averaged by the
shares.
"""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator

from dimred_lessons.eigenpairs import column_signs
from dimred_lessons.messages import warn
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.reconstruction import reconstruction_cost, reconstruction_matrix

# Directions with less than this share of the largest variance, in coordinates without unit, are rounding.
_NO_DIRECTION = 1e-8


def check_charts(name: str, value: object) -> None:
    """Refuse a value that is not an estimator that fits charts.

    Parameters
    ----------
    name, value : see `dimred_lessons.parameters.check_integer`

    Raises
    ------
    ValueError
        If the value is not an estimator with the methods ``responsibilities`` and ``local_coordinates``.
    """
    charts = all(hasattr(value, method) for method in ("responsibilities", "local_coordinates"))
    if not (isinstance(value, BaseEstimator) and charts):
        raise ValueError(
            f"{name}={value!r} must be an estimator that fits charts, with the methods responsibilities and "
            "local_coordinates."
        )


def chart_coordinates(R: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Coordinates on all charts, weighted by the shares of the charts in each point.

    Parameters
    ----------
    R : array of shape (n, S), responsibilities
    Z : array of shape (n, S, d), coordinates on each chart

    Returns
    -------
    U : array of shape (n, S(d + 1))

    References
    ----------
    Equation (align-charts); source R-46.
    """
    with_ones = np.pad(Z, [(0, 0), (0, 0), (1, 0)], constant_values=1)
    return (R[:, :, np.newaxis] * with_ones).reshape(len(R), -1)  # (align-charts)


def reconstruction_form(U: np.ndarray, X: np.ndarray, n_neighbors: int, n_jobs: int | None = None) -> np.ndarray:
    """The cost of locally linear embedding, tr(YᵀMY), as a quadratic form of L.

    Parameters
    ----------
    U : array of shape (n, S(d + 1))
    X : array of shape (n, D), the points
    n_neighbors : int
    n_jobs : int or None
        Threads that search for neighbors; see `dimred_lessons.neighbors.NeighborSearch`.

    Returns
    -------
    A : array of shape (S(d + 1), S(d + 1)), UᵀMU: the cost is tr(LᵀAL)

    References
    ----------
    Equation (align-reconstruction); source R-53; Teh and Roweis (2003).
    """
    M = reconstruction_cost(reconstruction_matrix(X, neighbor_lists(X, n_neighbors, n_jobs=n_jobs)))
    return U.T @ (M @ U)  # (align-reconstruction)


def disagreement_form(U: np.ndarray, R: np.ndarray) -> np.ndarray:
    """How far the charts disagree on the place of each point, Σ_ns r_ns ‖y_ns − y_n‖², as a quadratic form of L.

    Parameters
    ----------
    U : array of shape (n, S(d + 1))
    R : array of shape (n, S)

    Returns
    -------
    A : array of shape (S(d + 1), S(d + 1)), Σ_ns r_ns (1, z_ns)(1, z_ns)ᵀ in a block for each chart, less UᵀU

    References
    ----------
    Equation (align-disagreement); sources R-46, R-53; Brand (2003).
    """
    charts = U.reshape(*R.shape, -1) / np.sqrt(np.maximum(R, np.finfo(float).tiny))[:, :, np.newaxis]
    return linalg.block_diag(*np.einsum("nsi,nsj->sij", charts, charts)) - U.T @ U  # (align-disagreement)


def align_charts(U: np.ndarray, A: np.ndarray, n_components: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Affine maps of the charts to common coordinates that cost least.

    Minimizes tr(LᵀAL) subject to unit covariance, YᵀHY = n I, of Y = UL: an eigenproblem among the directions in
    which U varies.

    Parameters
    ----------
    U : array of shape (n, S(d + 1))
    A : array of shape (S(d + 1), S(d + 1)), positive semidefinite, zero for the maps of all charts to one point
    n_components : int or None
        How many axes at most; None for all.

    Returns
    -------
    eigenvalues : array of shape (q,), increasing
        Fewer than ``n_components`` if U varies in fewer directions.
    L : array of shape (S(d + 1), q)

    Warns
    -----
    UserWarning
        If an axis costs nothing.

    References
    ----------
    Equation (align-eigenproblem); source R-53.
    """
    n, U = len(U), U - U.mean(axis=0)
    variances, V = linalg.eigh(U.T @ U / n)
    kept = variances > _NO_DIRECTION * variances[-1]
    T = V[:, kept] / np.sqrt(variances[kept])
    eigenvalues, W = linalg.eigh(T.T @ A @ T / n)  # (align-eigenproblem)
    d = len(eigenvalues) if n_components is None else min(n_components, len(eigenvalues))
    if eigenvalues[d - 1] <= np.finfo(float).eps * eigenvalues[-1]:
        warn("Besides the constant, an axis costs nothing and is determined only up to a mixture; raise n_neighbors.")
    L = T @ W[:, :d]
    return np.maximum(eigenvalues[:d], 0), L * column_signs(U @ L)
