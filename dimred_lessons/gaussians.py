"""Gaussians with a low-rank plus diagonal covariance: densities, what they tell about hidden factors, and EM.

A point is x = mean + B y + noise, with factors y ~ N(0, I) in d dimensions, loadings B (D, d) and independent noise
of variances ψ (D,), so that x ~ N(mean, C), C = BBᵀ + Ψ. No D × D array is formed. Missing entries are NaN: every
formula then holds for the seen entries of a row, because the marginals of a Gaussian are Gaussian.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import linalg

from dimred_lessons.eigenpairs import center_points, column_signs
from dimred_lessons.engine.threads import one_blas_thread
from dimred_lessons.inputs import as_table
from dimred_lessons.messages import warn

_LOG_2_PI = np.log(2 * np.pi)
# Rounding may lower a log-likelihood by this much per entry. A larger fall is a mistake in an E or M step.
_ROUNDING = 1e-9
# Up to this number of entries, the systems to be solved are too small for threads.
_FEW = 2**20

# -------------------------------------------------------------------------------------------------------
# One Gaussian


class Holes(NamedTuple):
    """Which entries of a matrix are seen (not missing). Rows with the same holes share a posterior covariance."""

    seen: np.ndarray  # (n, D), 1 where there is an entry, 0 where it is missing
    patterns: np.ndarray  # (p, D), the different rows of ``seen``
    which: np.ndarray  # (n,), the pattern of each row
    sizes: np.ndarray  # (p,), how many rows have each pattern


def find_holes(X):
    """Find the entries that are missing.

    Parameters
    ----------
    X : array of shape (n, D); NaN where an entry is missing

    Returns
    -------
    `Holes`, or None if every entry is there
    """
    seen = ~np.isnan(as_table(X, missing=True))
    if seen.all():
        return None
    _, first, which, sizes = np.unique(
        np.packbits(seen, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    seen = seen.astype(float)
    return Holes(seen, seen[first], which.ravel(), sizes)


def posterior(X, mean, B, noise, prior=1.0):
    """What the seen entries of each point tell about its factors: y | x ~ N(J⁻¹BᵀΨ⁻¹(x − mean), J⁻¹), J = I + BᵀΨ⁻¹B.

    The mean minimizes ‖Ψ^−½(x − mean − By)‖² + ‖y‖²: a regression on the loadings, shrunk toward 0.

    Parameters
    ----------
    X : array of shape (n, D); NaN where an entry is missing
    mean : array of shape (D,)
    B : array of shape (D, d)
    noise : array of shape (D,), the variances ψ, positive
    prior : float
        Precision of the factors before a point is seen. With 0, nothing is shrunk: the limit without noise.

    Returns
    -------
    Y : array of shape (n, d), the means
    V : array of shape (d, d), the covariance J⁻¹, or (n, d, d) if entries are missing

    References
    ----------
    Equation (ppca-posterior); sources R-12 to R-15.
    """
    X = as_table(X, missing=True)
    holes = find_holes(X)
    with one_blas_thread(small=X.size <= _FEW):
        Y, V, _ = _condition(_deviations(X, mean, holes), B, noise, holes, prior)
    return Y, V[0] if holes is None else V[holes.which]


def log_density(X, mean, B, noise):
    """Logarithm of the density of each point's seen entries, in O(nDd) operations for complete points.

    The squared distance is (x − mean)ᵀC⁻¹(x − mean) = ‖Ψ^−½(x − mean − By)‖² + ‖y‖² at the posterior mean y: a sum
    of squares. The matrix inversion lemma gives a difference instead, which loses all digits where the noise is small.

    Parameters
    ----------
    X, mean, B, noise : see `posterior`

    Returns
    -------
    array of shape (n,)

    References
    ----------
    Equation (ppca-least-squares); sources R-15, R-16.
    """
    X = as_table(X, missing=True)
    holes = find_holes(X)
    R = _deviations(X, mean, holes)
    Y, _, log_dets = _condition(R, B, noise, holes)
    return _log_densities(R, Y, log_dets, B, noise, holes)


def _deviations(X, mean, holes):
    """Deviations from the mean, 0 where there is no entry."""
    return X - mean if holes is None else np.where(holes.seen > 0, X - mean, 0.0)


def _condition(R, B, noise, holes=None, prior=1.0):
    """Posterior means (n, d); covariances (p, d, d) and log |J| (p,) of each pattern of holes."""
    scaled = B / noise[:, np.newaxis]
    patterns = np.ones((1, len(B))) if holes is None else holes.patterns
    J = _symmetric(patterns @ _products(scaled, B), B.shape[1]) + prior * np.eye(B.shape[1])
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


def _products(A, B):
    """Products a_i b_j, i ≤ j, of the entries of each pair of rows: half of the outer products of rows."""
    i, j = _upper(A.shape[1])
    return A[:, i] * B[:, j]


def _symmetric(halves, d):
    """Symmetric matrices (m, d, d) from the entries i ≤ j, (m, d(d + 1)/2), of each."""
    places = np.empty((d, d), dtype=int)
    i, j = _upper(d)
    places[i, j] = places[j, i] = np.arange(len(i))
    return halves[:, places]


@cache
def _upper(d):
    return np.triu_indices(d)


# -------------------------------------------------------------------------------------------------------
# Fits: from the covariance S_n = XᵀX/n alone, for complete points, or from the points, where entries are missing


def center_seen(X):
    """Points less the mean of their seen entries; equal entries of a column become exact zeros.

    Parameters
    ----------
    X : array of shape (n, D); NaN where an entry is missing, at least one entry in each column

    Returns
    -------
    A : array of shape (n, D)
        X − 1x̄ᵀ, a new array; NaN stays.
    mean : array of shape (D,)
        x̄.
    """
    X = as_table(X, missing=True)
    holes = find_holes(X)
    if holes is None:
        return center_points(X)
    first = np.take_along_axis(X, np.argmax(holes.seen, axis=0)[np.newaxis], axis=0)[0]
    A = X - first
    offset = np.nanmean(A, axis=0)
    return A - offset, first + offset


def covariance_root(X):
    """Square root of a covariance, with no more rows than needed.

    Parameters
    ----------
    X : array of shape (n, D), centered

    Returns
    -------
    R : array of shape (m, D), m = min(n, D)
        RᵀR = S_n = XᵀX/n.
    """
    X = as_table(X)
    n, D = X.shape
    return (X if n <= D else np.linalg.qr(X, mode="r")) / np.sqrt(n)


def principal_factors(variances, V, n_components, least=0.0):
    """The likeliest loadings for isotropic noise: B = V_d (Λ_d − σ²I)^½, from S_n = VΛVᵀ.

    Maximizes the likelihood over all C = BBᵀ + σ²I; at the maximum, σ² is the mean of the D − d smaller
    eigenvalues, zeros included.

    Parameters
    ----------
    variances : array of shape (r,), the positive eigenvalues of S_n, decreasing
    V : array of shape (D, r), their eigenvectors
    n_components : int
        d; if it is above r, the other columns of B are zero.
    least : float
        The smallest noise variance allowed.

    Returns
    -------
    B : array of shape (D, d), orthogonal columns
    noise : float, σ²

    References
    ----------
    Equation (ppca-closed-form); sources R-19 to R-22; Tipping and Bishop (1999).
    """
    d = n_components
    noise = max(variances[d:].sum() / max(len(V) - d, 1), least)
    B = np.zeros((len(V), d))
    B[:, : len(variances)] = V[:, :d] * np.sqrt(np.maximum(variances[:d] - noise, 0))
    return B * column_signs(B), noise


def canonical_loadings(B, noise):
    """Rotate the factors so that BᵀΨ⁻¹B is diagonal and decreasing: the likelihood leaves the rotation open.

    Parameters
    ----------
    B : array of shape (D, d)
    noise : array of shape (D,)

    Returns
    -------
    array of shape (D, d), with the same BBᵀ

    References
    ----------
    Equation (fa-canonical); source R-31.
    """
    _, _, Qt = linalg.svd(B / np.sqrt(noise)[:, np.newaxis], full_matrices=False)
    B = B @ Qt.T
    return B * column_signs(B)


def factor_step(R, B, noise, expand=False):
    """One step of EM for complete points: E, the moments of the factors; M, regress the points on them.

    Parameters
    ----------
    R : array of shape (m, D), RᵀR = S_n: all that EM needs to know about the centered points
    B : array of shape (D, d)
    noise : array of shape (D,)
    expand : bool
        Also fit the covariance of the factors, and absorb it into B (parameter-expanded EM). Without, loadings that
        are much longer than the noise hardly change in a step.

    Returns
    -------
    B : array of shape (D, d)
    noise : array of shape (D,), whose mean is the better σ² if the noise is isotropic
    value : float, the mean log-likelihood of a point at the B and noise that were given

    References
    ----------
    Equations (fa-e-step) and (fa-m-step); sources R-17, R-18; Rubin and Thayer (1982), Liu, Rubin and Wu (1998).
    """
    Y, (V,), (log_det,) = _condition(R, B, noise)
    distance = np.sum((R - Y @ B.T) ** 2 / noise) + np.vdot(Y, Y)  # tr C⁻¹S_n, as a sum of squares
    value = -0.5 * (len(B) * _LOG_2_PI + np.sum(np.log(noise)) + log_det + distance)
    covariance = Y.T @ Y + V
    B = linalg.solve(covariance, Y.T @ R, assume_a="pos").T
    noise = np.sum((R - Y @ B.T) ** 2, axis=0) + np.sum(B @ V * B, axis=1)
    return B @ linalg.cholesky(covariance, lower=True) if expand else B, noise, value


def factor_step_with_holes(X, holes, mean, B, noise):
    """One step of EM where entries are missing: each column is regressed on the factors of the rows that have it.

    The mean and covariance of the factors are fitted, too, and absorbed into mean and B (parameter-expanded EM):
    the likelihood rises just as surely, in a few steps instead of dozens.

    Parameters
    ----------
    X : array of shape (n, D), NaN where an entry is missing
    holes : `Holes`, of X
    mean, B, noise : arrays of shapes (D,), (D, d) and (D,)

    Returns
    -------
    mean, B, noise : arrays of the same shapes
    value : float, the log-likelihood of all seen entries at the parameters that were given

    References
    ----------
    Equation (em-holes); Liu, Rubin and Wu (1998).
    """
    R = _deviations(X, mean, holes)
    Y, V, log_dets = _condition(R, B, noise, holes)
    value = _log_densities(R, Y, log_dets, B, noise, holes).sum()
    shift, B, noise = regress_on_factors(R, holes, Y, V)
    # The factors turn out to have this mean and covariance, which are 0 and I in the model
    center = Y.mean(axis=0)
    covariance = (Y.T @ Y + np.tensordot(holes.sizes, V, axes=1)) / len(Y) - np.outer(center, center)
    return mean + shift + B @ center, B @ linalg.cholesky(covariance, lower=True), noise, value


def regress_on_factors(X, holes, Y, V=None):
    """Regress each column on the factors of the rows that have it: x_j ≈ m_j + b_jᵀy.

    Minimizes Σ_i E(x_ij − m_j − b_jᵀy_i)² over the seen entries of each column.

    Parameters
    ----------
    X : array of shape (n, D); the values in the holes do not count, but must be finite
    holes : `Holes`
    Y : array of shape (n, d), the factors, or their means
    V : array of shape (p, d, d), their covariance for each pattern of holes; None if they are certain

    Returns
    -------
    m : array of shape (D,)
    B : array of shape (D, d)
    noise : array of shape (D,), the mean squares of the residuals

    Raises
    ------
    numpy.linalg.LinAlgError
        If the rows that have a column do not determine the regression.
    """
    d, seen = Y.shape[1], holes.seen
    Y1 = np.column_stack([Y, np.ones(len(Y))])
    moments = _symmetric(seen.T @ _products(Y1, Y1), d + 1)
    if V is not None:
        spread = (holes.patterns * holes.sizes[:, np.newaxis]).T @ V.reshape(len(V), -1)
        moments[:, :d, :d] += spread.reshape(-1, d, d)
    coefficients = np.linalg.solve(moments, ((X * seen).T @ Y1)[:, :, np.newaxis])[:, :, 0]
    B, m = coefficients[:, :d], coefficients[:, d]
    squares = np.sum((X - Y @ B.T - m) ** 2 * seen, axis=0)
    if V is not None:
        squares += np.sum(spread * (B[:, :, np.newaxis] * B[:, np.newaxis]).reshape(len(B), -1), axis=1)
    return m, B, squares / seen.sum(axis=0)


# -------------------------------------------------------------------------------------------------------
# EM


def responsibilities(log_joint):
    """How likely each point is to come from each component of a mixture: P(s | x) = p(s, x) / Σ_s p(s, x).

    Parameters
    ----------
    log_joint : array of shape (n, S), log p(s, x) of each point and component

    Returns
    -------
    R : array of shape (n, S), rows sum to 1
    log_densities : array of shape (n,), log Σ_s p(s, x); the sum itself would round to 0 far from all components

    References
    ----------
    Equation (mfa-responsibilities); source R-42.
    """
    top = log_joint.max(axis=1, keepdims=True)
    R = np.exp(log_joint - top)
    sums = R.sum(axis=1, keepdims=True)
    R /= sums
    return R, (top + np.log(sums))[:, 0]


def em(step, parameters, tol, max_iter, size, owner=None):
    """Repeat a step of EM until the log-likelihood rises by less than ``tol`` per entry.

    Parameters
    ----------
    step : function
        Takes parameters to better ones, and the log-likelihood of those it was given: ``(parameters, value)``.
    parameters : of any kind
    tol : float
        Gain of log-likelihood per entry, in nats, that is worth another step. It does not depend on the unit of
        the data.
    max_iter : int
    size : int
        Number of entries over which the log-likelihood is a sum.
    owner : str or None
        Whose ``tol`` and ``max_iter`` these are, for the warning, where another method fits this one.

    Returns
    -------
    parameters : the last ones whose log-likelihood is known
    values : array of shape (number of steps,), the log-likelihood at the parameters before each step

    Raises
    ------
    RuntimeError
        If the log-likelihood falls: the step has a mistake, because EM cannot lower it.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were not enough.

    References
    ----------
    Equation (em-bound); sources R-27 to R-30.
    """
    values = []
    with one_blas_thread(small=size <= _FEW):
        for _ in range(max_iter):
            visited = parameters
            parameters, value = step(visited)
            gain = value - values[-1] if values else np.inf
            values.append(value)
            if not gain >= -_ROUNDING * max(size, abs(value)):
                raise RuntimeError(f"EM lowered its objective by {-gain:.3g}, to {value:.6g}: the step is wrong.")
            if gain <= tol * size:
                return visited, np.array(values)
    of = f" of {owner}" if owner else ""
    warn(f"EM has not converged in {max_iter} steps: raise max_iter, or tol{of} (now {tol:g}).")
    return visited, np.array(values)
