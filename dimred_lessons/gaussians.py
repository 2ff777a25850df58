"""Gaussians with a low-rank plus diagonal covariance: densities, what they tell about hidden factors, and EM.

A point is x = mean + B y + noise, with factors y ~ N(0, I) in d dimensions, loadings B (D, d) and independent noise
of variances ψ (D,), so that x ~ N(mean, C), C = BBᵀ + Ψ. Missing entries are NaN: every formula then holds for the
seen entries o of a row, because the marginals of a Gaussian are Gaussian.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import linalg

from dimred_lessons.eigenpairs import center_points, column_signs
from dimred_lessons.engine import accelerated, low_rank
from dimred_lessons.engine.choice import one_thread_suits
from dimred_lessons.engine.holes import Holes, group_rows
from dimred_lessons.engine.threads import one_blas_thread
from dimred_lessons.inputs import as_table
from dimred_lessons.messages import warn

# Rounding may lower a log-likelihood by this much per entry. A larger fall is a mistake in an E or M step.
_ROUNDING = 1e-9

# -------------------------------------------------------------------------------------------------------
# One Gaussian


def find_holes(X: np.ndarray) -> Holes | None:
    """Find the entries that are missing.

    Parameters
    ----------
    X : array of shape (n, D); NaN where an entry is missing

    Returns
    -------
    `Holes`, or None if every entry is there
        ``seen`` (n, D) is 1 where there is an entry, 0 where it is missing; ``patterns`` (p, D) are its different rows,
        ``which`` (n,) says which of these a row has, and ``sizes`` (p,) how many rows have each.
    """
    seen = ~np.isnan(as_table(X, missing=True))
    return None if seen.all() else group_rows(seen)


def posterior(
    X: np.ndarray, mean: np.ndarray, B: np.ndarray, noise: np.ndarray, prior: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
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
    with one_blas_thread(small=one_thread_suits(X.size)):
        Y, V = factor_moments(X, holes, mean, B, noise, prior)
    return Y, V[0] if holes is None else V[holes.which]


def log_density(X: np.ndarray, mean: np.ndarray, B: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Logarithm of the density of each point's seen entries.

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
    return log_densities(X, find_holes(X), mean, B, noise)


def precision_matrix(B: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Inverse of the covariance C = BBᵀ + Ψ, by that of a matrix d × d: C⁻¹ = Ψ⁻¹ − Ψ⁻¹BJ⁻¹BᵀΨ⁻¹ (Woodbury).

    Parameters
    ----------
    B : array of shape (D, d)
    noise : array of shape (D,), positive

    Returns
    -------
    array of shape (D, D), symmetric
    """
    scaled = B / noise[:, np.newaxis]
    root = linalg.cholesky(np.eye(B.shape[1]) + B.T @ scaled, lower=True)
    A = linalg.solve_triangular(root, scaled.T, lower=True)
    return np.diag(1 / noise) - A.T @ A


@accelerated(low_rank.factor_moments)
def factor_moments(
    X: np.ndarray, holes: Holes | None, mean: np.ndarray, B: np.ndarray, noise: np.ndarray, prior: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Posterior means of the factors given each point, and covariances, which depend only on the holes of a point.

    Parameters
    ----------
    X : array of shape (n, D)
    holes : `Holes` of X, or None if every entry is there
    mean, B, noise, prior : see `posterior`

    Returns
    -------
    Y : array of shape (n, d)
    V : array of shape (p, d, d), a covariance for each pattern of holes; (1, d, d) if every entry is there

    References
    ----------
    Equation (em-holes-e).
    """
    d = B.shape[1]
    Y, V = np.empty((len(X), d)), []
    for rows, o in _patterns(X, holes):
        V.append(linalg.inv(prior * np.eye(d) + B[o].T @ (B[o] / noise[o, np.newaxis])))
        Y[rows] = (X[np.ix_(rows, o)] - mean[o]) / noise[o] @ B[o] @ V[-1]  # (em-holes-e)
    return Y, np.array(V)


@accelerated(low_rank.log_densities)
def log_densities(X: np.ndarray, holes: Holes | None, mean: np.ndarray, B: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Log densities of the seen entries of points, log N(x_o; mean_o, C_oo).

    Parameters
    ----------
    X, holes, mean, B, noise : see `factor_moments`

    Returns
    -------
    array of shape (n,)
    """
    C, values = B @ B.T + np.diag(noise), np.empty(len(X))
    for rows, o in _patterns(X, holes):
        A, C_oo = (X[rows] - mean)[:, o], C[np.ix_(o, o)]
        squared_distances = np.sum(A * linalg.solve(C_oo, A.T, assume_a="pos").T, axis=1)
        values[rows] = -0.5 * (np.linalg.slogdet(2 * np.pi * C_oo)[1] + squared_distances)
    return values


def _patterns(X, holes) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each pattern of holes the rows that have it, and the columns that are seen there."""
    if holes is None:
        yield np.arange(len(X)), np.arange(X.shape[1])
    else:
        for k, seen in enumerate(holes.patterns):
            yield np.flatnonzero(holes.which == k), np.flatnonzero(seen)


# -------------------------------------------------------------------------------------------------------
# Fits: from the covariance S_n = XᵀX/n alone, for complete points, or from the points, where entries are missing


def center_seen(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def covariance_root(X: np.ndarray) -> np.ndarray:
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
    with one_blas_thread(small=one_thread_suits(X.size)):
        return (X if n <= D else np.linalg.qr(X, mode="r")) / np.sqrt(n)


def principal_factors(
    variances: np.ndarray, V: np.ndarray, n_components: int, least: float = 0.0
) -> tuple[np.ndarray, float]:
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
    noise = max(float(variances[d:].sum()) / max(len(V) - d, 1), least)
    B = np.zeros((len(V), d))
    B[:, : len(variances)] = V[:, :d] * np.sqrt(np.maximum(variances[:d] - noise, 0))
    return B * column_signs(B), noise


def canonical_loadings(B: np.ndarray, noise: np.ndarray) -> np.ndarray:
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


@accelerated(low_rank.factor_step)
def factor_step(
    R: np.ndarray, B: np.ndarray, noise: np.ndarray, expand: bool = False
) -> tuple[np.ndarray, np.ndarray, float]:
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
    S, C = R.T @ R, B @ B.T + np.diag(noise)
    value = -0.5 * (np.linalg.slogdet(2 * np.pi * C)[1] + np.trace(linalg.solve(C, S, assume_a="pos")))
    V = linalg.inv(np.eye(B.shape[1]) + B.T @ (B / noise[:, np.newaxis]))
    beta = V @ B.T / noise  # (fa-e-step)
    covariance = V + beta @ S @ beta.T
    B = S @ beta.T @ linalg.inv(covariance)  # (fa-m-step)
    noise = np.diag(S - B @ beta @ S)
    return B @ linalg.cholesky(covariance, lower=True) if expand else B, noise, value


@accelerated(low_rank.factor_step_with_holes)
def factor_step_with_holes(
    X: np.ndarray, holes: Holes, mean: np.ndarray, B: np.ndarray, noise: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], float]:
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
    parameters : mean, B and noise, arrays of the same shapes
    value : float, the log-likelihood of all seen entries at the parameters that were given

    References
    ----------
    Equations (em-holes-e), (em-holes) and (em-expand); Liu, Rubin and Wu (1998).
    """
    value = float(log_densities(X, holes, mean, B, noise).sum())
    Y, V = factor_moments(X, holes, mean, B, noise)
    shift, B, noise = regress_on_factors(X - mean, holes, Y, V)
    center = Y.mean(axis=0)
    covariance = np.cov(Y.T, bias=True) + np.mean(V[holes.which], axis=0)
    return (mean + shift + B @ center, B @ linalg.cholesky(covariance, lower=True), noise), value  # (em-expand)


@accelerated(low_rank.regress_on_factors)
def regress_on_factors(
    X: np.ndarray, holes: Holes, Y: np.ndarray, V: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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

    References
    ----------
    Equation (em-holes); source R-30.
    """
    (n, D), d = X.shape, Y.shape[1]
    m, B, noise = np.empty(D), np.empty((D, d)), np.empty(D)
    Y1 = np.column_stack([Y, np.ones(n)])
    for j, rows in enumerate(holes.seen.T > 0):
        spread = np.zeros((d, d)) if V is None else V[holes.which[rows]].sum(axis=0)
        moments = Y1[rows].T @ Y1[rows] + linalg.block_diag(spread, 0)
        coefficients = np.linalg.solve(moments, Y1[rows].T @ X[rows, j])  # (em-holes)
        B[j], m[j] = coefficients[:d], coefficients[d]
        noise[j] = (np.sum((X[rows, j] - m[j] - Y[rows] @ B[j]) ** 2) + B[j] @ spread @ B[j]) / np.sum(rows)
    return m, B, noise


# -------------------------------------------------------------------------------------------------------
# EM


def responsibilities(log_joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def em(
    step: Callable,
    parameters: Any,
    tol: float,
    max_iter: int,
    size: int,
    owner: str | None = None,
    magnitude: float = 0.0,
) -> tuple[Any, np.ndarray]:
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
    magnitude : float
        Size of the numbers whose difference the log-likelihood is, if it is small beside them: their rounding may
        lower it.

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
    values: list[float] = []
    with one_blas_thread(small=one_thread_suits(size)):
        for _ in range(max_iter):
            visited = parameters
            parameters, value = step(visited)
            gain = value - values[-1] if values else np.inf
            values.append(value)
            if not gain >= -_ROUNDING * max(size, abs(value), magnitude):
                raise RuntimeError(f"EM lowered its objective by {-gain:.3g}, to {value:.6g}: the step is wrong.")
            if gain <= tol * size:
                return visited, np.array(values)
    of = f" of {owner}" if owner else ""
    warn(f"EM has not converged in {max_iter} steps: raise max_iter, or tol{of} (now {tol:g}).")
    return visited, np.array(values)
