"""Gaussians of low rank plus diagonal, C = BBᵀ + Ψ, without the D × D matrix: O(nDd) operations for n points.

With J = I + BᵀΨ⁻¹B, of size d × d, the determinant lemma gives log det C = Σ_j log ψ_j + log det J, and the posterior
mean of the factors is y = J⁻¹BᵀΨ⁻¹(x − mean). The squared distance is

    (x − mean)ᵀC⁻¹(x − mean) = ‖Ψ^−½(x − mean − By)‖² + ‖y‖²,

a sum of squares.

Error. The matrix inversion lemma gives the difference of ‖Ψ^−½(x − mean)‖² and a term that is nearly as large, which
loses all digits where the noise is small: with noise of relative size ε its error is about u/ε, u the rounding unit.
Here the error is about u times the condition of J, and enters y, at which the sum is stationary: it changes the sum by
its square only. Missing entries count as deviations of zero that have no loadings.
"""

import numpy as np
from scipy import linalg

from dimred_lessons.engine.holes import Holes, row_products, symmetric_matrices

_LOG_2_PI = np.log(2 * np.pi)


def factor_moments(
    X: np.ndarray, holes: Holes | None, mean: np.ndarray, B: np.ndarray, noise: np.ndarray, prior: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Posterior means and covariances of the factors.

    Parameters
    ----------
    X, holes, mean, B, noise, prior : see `dimred_lessons.gaussians.factor_moments`

    Returns
    -------
    Y : array of shape (n, d)
    V : array of shape (p, d, d)
    """
    Y, V, _ = _condition(_deviations(X, mean, holes), B, noise, holes, prior)
    return Y, V


def log_densities(X: np.ndarray, holes: Holes | None, mean: np.ndarray, B: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Log densities of the seen entries of points.

    Parameters
    ----------
    X, holes, mean, B, noise : see `dimred_lessons.gaussians.log_densities`

    Returns
    -------
    array of shape (n,)
    """
    R = _deviations(X, mean, holes)
    Y, _, log_dets = _condition(R, B, noise, holes)
    return _log_densities(R, Y, log_dets, B, noise, holes)


def factor_step(
    R: np.ndarray, B: np.ndarray, noise: np.ndarray, expand: bool = False
) -> tuple[np.ndarray, np.ndarray, float]:
    """One step of EM for complete points, from m ≤ D rows R that have their covariance in place of the points.

    The rows are taken for points: EM needs nothing of these but RᵀR. The squared distances are sums of squares again.

    Parameters
    ----------
    R, B, noise, expand : see `dimred_lessons.gaussians.factor_step`

    Returns
    -------
    B : array of shape (D, d)
    noise : array of shape (D,)
    value : float
    """
    Y, (V,), (log_det,) = _condition(R, B, noise)
    distance = np.sum((R - Y @ B.T) ** 2 / noise) + np.vdot(Y, Y)  # tr C⁻¹S_n, as a sum of squares
    value = -0.5 * (len(B) * _LOG_2_PI + np.sum(np.log(noise)) + log_det + distance)
    covariance = Y.T @ Y + V
    B = linalg.solve(covariance, Y.T @ R, assume_a="pos").T
    noise = np.sum((R - Y @ B.T) ** 2, axis=0) + np.sum(B @ V * B, axis=1)
    return B @ linalg.cholesky(covariance, lower=True) if expand else B, noise, value


def factor_step_with_holes(
    X: np.ndarray, holes: Holes, mean: np.ndarray, B: np.ndarray, noise: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], float]:
    """One step of EM where entries are missing: likelihood and moments come from the same deviations.

    Parameters
    ----------
    X, holes, mean, B, noise : see `dimred_lessons.gaussians.factor_step_with_holes`

    Returns
    -------
    parameters : mean, B and noise, arrays of shapes (D,), (D, d) and (D,)
    value : float
    """
    R = _deviations(X, mean, holes)
    Y, V, log_dets = _condition(R, B, noise, holes)
    value = _log_densities(R, Y, log_dets, B, noise, holes).sum()
    shift, B, noise = regress_on_factors(R, holes, Y, V)
    # The factors turn out to have this mean and covariance, which are 0 and I in the model
    center = Y.mean(axis=0)
    covariance = (Y.T @ Y + np.tensordot(holes.sizes, V, axes=1)) / len(Y) - np.outer(center, center)
    return (mean + shift + B @ center, B @ linalg.cholesky(covariance, lower=True), noise), value


def regress_on_factors(
    X: np.ndarray, holes: Holes, Y: np.ndarray, V: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Regressions of all columns at once: their moments are products of the indicators of the seen entries.

    Parameters
    ----------
    X, holes, Y, V : see `dimred_lessons.gaussians.regress_on_factors`

    Returns
    -------
    m, B, noise : arrays of shapes (D,), (D, d) and (D,)
    """
    d, seen = Y.shape[1], holes.seen
    Y1 = np.column_stack([Y, np.ones(len(Y))])
    moments = symmetric_matrices(seen.T @ row_products(Y1, Y1), d + 1)
    if V is not None:
        spread = (holes.patterns * holes.sizes[:, np.newaxis]).T @ V.reshape(len(V), -1)
        moments[:, :d, :d] += spread.reshape(-1, d, d)
    coefficients = np.linalg.solve(moments, ((X * seen).T @ Y1)[:, :, np.newaxis])[:, :, 0]
    B, m = coefficients[:, :d], coefficients[:, d]
    squares = np.sum((X - Y @ B.T - m) ** 2 * seen, axis=0)
    if V is not None:
        squares += np.sum(spread * (B[:, :, np.newaxis] * B[:, np.newaxis]).reshape(len(B), -1), axis=1)
    return m, B, squares / seen.sum(axis=0)


def _deviations(X, mean, holes):
    """Deviations from the mean, 0 where there is no entry."""
    return X - mean if holes is None else np.where(holes.seen > 0, X - mean, 0.0)


def _condition(R, B, noise, holes=None, prior=1.0):
    """Posterior means (n, d); covariances (p, d, d) and log |J| (p,) of each pattern of holes."""
    scaled = B / noise[:, np.newaxis]
    patterns = np.ones((1, len(B))) if holes is None else holes.patterns
    J = symmetric_matrices(patterns @ row_products(scaled, B), B.shape[1]) + prior * np.eye(B.shape[1])
    V, H = np.linalg.inv(J), R @ scaled
    Y = H @ V[0] if holes is None else np.einsum("nij,nj->ni", V[holes.which], H)
    diagonals = np.diagonal(np.linalg.cholesky(J), axis1=1, axis2=2)
    return Y, V, 2 * np.sum(np.log(diagonals), axis=1)


def _log_densities(R, Y, log_dets, B, noise, holes):
    """Log densities (n,) from what `_condition` found."""
    residuals = (R - Y @ B.T) ** 2
    if holes is None:
        constants = R.shape[1] * _LOG_2_PI + np.sum(np.log(noise)) + log_dets[0]
    else:
        residuals *= holes.seen
        constants = (holes.patterns @ (_LOG_2_PI + np.log(noise)) + log_dets)[holes.which]
    return -0.5 * (constants + residuals @ (1 / noise) + np.einsum("ij,ij->i", Y, Y))
