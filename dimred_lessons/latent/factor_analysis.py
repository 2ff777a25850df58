"""Factor analysis: a few common causes, and separate noise for each column."""

from functools import partial

import numpy as np
from scipy import linalg
from scipy.optimize import minimize
from sklearn.utils import check_random_state

from dimred_lessons.eigenpairs import column_signs, largest_gram_eigenpairs, thin_svd
from dimred_lessons.gaussians import (
    canonical_loadings,
    center_seen,
    covariance_root,
    em,
    factor_step,
    factor_step_with_holes,
    find_holes,
    principal_factors,
)
from dimred_lessons.latent.base import LinearGaussianModel
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed


class FactorAnalysis(LinearGaussianModel):
    """Fit the density of x = mean + By + noise, with y ~ N(0, I) in d dimensions and noise ~ N(0, Ψ), Ψ diagonal.

    Maximizes the likelihood Σ_i log N(x_i; mean, BBᵀ + Ψ). The factors explain what columns have in common, the
    noise what is specific to one column; the unit of a column changes nothing. B is determined up to a rotation of
    the factors; the one chosen makes BᵀΨ⁻¹B diagonal and decreasing. The likelihood may have several local maxima.

    Parameters
    ----------
    n_components : int or None, default 2
        d, at most the rank of the centered data; None for the rank. More factors than
        D + ½ − (2D + ¼)^½ have more parameters than the covariance has numbers (Ledermann).
    solver : "newton" or "em", default "newton"
        A quasi-Newton search over log Ψ, with the best B for each Ψ (Jöreskog); or EM, which takes more steps.
        Where entries are missing (NaN), EM maximizes the likelihood of those that are seen.
    rotation : None or "varimax", default None
        Rotate the factors so that each column loads on few of them, in the correlations of columns and factors.
    min_noise : float below 1, default 5e-3
        Smallest noise variance of a column, as a share of its variance. The likelihood may drive a noise variance
        to zero (a Heywood case), which says nothing about the column.
    tol : float, default 1e-9
        The search stops when a step raises the log-likelihood by less than this per entry (in nats).
    max_iter : int, default 2000
    init : "data" or "random", default "data"
        Start from the closed form for equal noise, or from random noise (with "em", random loadings, too), to look for
        other local maxima.
    random_state : int, RandomState or None, default 0
        Draws the random start.

    Attributes
    ----------
    mean_, noise_variance_ : arrays of shape (n_features,)
        The mean, and the diagonal of Ψ in squared units of the columns.
    loadings_ : array of shape (n_features, n_components)
        B, in the units of the columns.
    components_ : array of shape (n_components, n_features)
        Bᵀ, the loadings as rows.
    heywood_ : bool array of shape (n_features,)
        Which columns have the smallest noise allowed.
    objective_path_ : array of shape (n_iter_,)
        Log-likelihood of the training points at each step; it never falls.
    embedding_ : array of shape (n_samples, n_components)
        Posterior means of the factors, without unit.
    n_iter_ : int
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above the rank, a column is constant or has fewer than two entries,
        or a row has none.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few, or the rotation has not converged.

    References
    ----------
    Algorithm alg-fa; sources R-08 to R-11, R-15 to R-18, R-20, R-31; Jöreskog (1967), Rubin and Thayer (1982).

    Examples
    --------
    One cause of five columns, each with noise of its own, from 0.1 to 1.6:

    >>> import numpy as np
    >>> from dimred_lessons import FactorAnalysis
    >>> rng, noise = np.random.default_rng(0), np.array([0.1, 0.2, 0.4, 0.8, 1.6])
    >>> X = rng.standard_normal((2000, 1)) + np.sqrt(noise) * rng.standard_normal((2000, 5))
    >>> bool(np.allclose(FactorAnalysis(n_components=1).fit(X).noise_variance_, noise, rtol=0.1))
    True
    """

    _parameters = {
        "solver": partial(check_option, options=("newton", "em")),
        "rotation": partial(check_option, options=("varimax",), none="for none"),
        "min_noise": partial(check_number, below=1),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
        "init": partial(check_option, options=("data", "random")),
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        solver: str = "newton",
        rotation: str | None = None,
        min_noise: float = 5e-3,
        tol: float = 1e-9,
        max_iter: int = 2000,
        init: str = "data",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.rotation = rotation
        self.min_noise = min_noise
        self.tol = tol
        self.max_iter = max_iter
        self.init = init
        self.random_state = random_state

    def _embed(self, X):
        # 1. Center the columns and divide them by their standard deviations, which only changes their units
        Z, mean, scales = _standardize(X)
        # 2. Start: the closed form for equal noise, of the covariance; or random numbers
        R = covariance_root(np.nan_to_num(Z))
        B, noise = self._start(R, X)
        # 3. Maximize the likelihood over B and Ψ, and over the mean where entries are missing
        shift, B, noise = self._maximize(Z, R, B, np.maximum(noise, self.min_noise))
        self.objective_path_ -= np.sum(np.isfinite(Z) @ np.log(scales))
        self.n_iter_ = len(self.objective_path_)
        # 4. Rotate the factors
        B = canonical_loadings(B, noise)
        if self.rotation == "varimax":
            B = varimax(B)
        self.heywood_ = noise <= 1.001 * self.min_noise
        # 5. Back to units, and encode: posterior means J⁻¹BᵀΨ⁻¹(x − mean)
        self.mean_ = mean + scales * shift
        self.loadings_, self.noise_variance_ = scales[:, np.newaxis] * B, scales**2 * noise
        return self._place(X)  # (fa-posterior)

    def _start(self, R, X):
        _, singular_values, V = thin_svd(R)
        self._require_components(len(singular_values), X)
        d, D = self.n_components or len(singular_values), R.shape[1]
        if self.init == "random":
            generator = check_random_state(self.random_state)
            return generator.standard_normal((D, d)) / np.sqrt(2 * d), generator.uniform(0.1, 0.9, D)
        B, _ = principal_factors(singular_values**2, V, d)
        return B, np.clip(1 - np.sum(B**2, axis=1), 0.05, 1)

    def _maximize(self, Z, R, B, noise):
        """The likeliest mean, B and noise of standardized points Z with the covariance RᵀR, uphill from a start."""
        holes = find_holes(Z)
        if holes is not None:
            return self._by_em_with_holes(Z, holes, B, noise)
        if self.solver == "newton":
            B, noise = self._by_newton(R, B, noise, len(Z))
        else:
            B, noise = self._by_em(R, B, noise, len(Z))
        return np.zeros(len(noise)), B, noise

    def _by_newton(self, R, B, noise, n):
        """Jöreskog: for given Ψ the best B is the closed form of the points scaled by Ψ^−½, so only Ψ is sought."""
        d, D, values = B.shape[1], len(noise), []
        result = minimize(
            lambda log_noise: concentrated_likelihood(R, log_noise, d), np.log(noise), jac=True, method="L-BFGS-B",
            bounds=[(np.log(self.min_noise), None)] * D,
            callback=lambda intermediate_result: values.append(intermediate_result.fun),
            options={"maxiter": self.max_iter, "ftol": 2 * self.tol, "gtol": 1e-9, "maxcor": 20},
        )  # fmt: skip
        if result.status == 1:  # a limit was reached
            warn(f"The likelihood has not converged in {result.nit} steps: raise max_iter, or tol (now {self.tol:g}).")
        self.objective_path_ = -0.5 * n * (D * np.log(2 * np.pi) + np.array(values or [result.fun]))
        return loadings_given_noise(R, result.x, d), np.exp(result.x)

    def _by_em(self, R, B, noise, n):
        def step(parameters):
            B, noise, value = factor_step(R, *parameters)
            return (B, np.maximum(noise, self.min_noise)), n * value

        start = B, noise
        parameters, self.objective_path_ = em(step, start, self.tol, self.max_iter, n * len(noise))  # (fa-m-step)
        return parameters

    def _by_em_with_holes(self, Z, holes, B, noise):
        def step(parameters):
            (mean, B, noise), value = factor_step_with_holes(Z, holes, *parameters)
            return (mean, B, np.maximum(noise, self.min_noise)), value

        start = np.zeros(len(noise)), B, noise
        parameters, self.objective_path_ = em(step, start, self.tol, self.max_iter, holes.seen.sum())  # (em-holes)
        return parameters


def _standardize(X):
    """Points with mean 0 and variance 1 in each column, the means and the standard deviations."""
    Z, mean = center_seen(X)
    scales = np.sqrt(np.nanmean(Z**2, axis=0))
    constant = np.flatnonzero(scales == 0)
    if 0 < len(constant) < len(scales):
        j = constant[0]
        raise ValueError(f"Column {j} of X is constant: its noise has no variance to estimate; leave it out.")
    Z /= np.where(scales > 0, scales, 1)
    return Z, mean, scales


def concentrated_likelihood(R: np.ndarray, log_noise: np.ndarray, d: int) -> tuple[float, np.ndarray]:
    """Height of the likelihood for given noise with the likeliest loadings: what is left to be sought.

    Parameters
    ----------
    R : array of shape (m, D), RᵀR = S_n, the covariance of the points
    log_noise : array of shape (D,), log ψ
    d : int
        Number of factors.

    Returns
    -------
    value : float
        −2ℓ/n − D log 2π, for the log-likelihood ℓ of n points: the lower, the likelier.
    gradient : array of shape (D,), with respect to log ψ

    References
    ----------
    Equations (fa-concentrated) and (fa-gradient); source R-18; Jöreskog (1967).
    """
    eigenvalues, V, diagonal = _scaled_eigenpairs(R, log_noise, d)
    gamma = np.maximum(eigenvalues, 1)
    value = np.sum(log_noise) + np.sum(np.log(gamma)) + np.sum(diagonal) - np.sum(gamma - 1)  # (fa-concentrated)
    return value, 1 - diagonal + V**2 @ (gamma - 1)  # (fa-gradient)


def loadings_given_noise(R: np.ndarray, log_noise: np.ndarray, d: int) -> np.ndarray:
    """The likeliest loadings for given noise: those of probabilistic PCA of the points scaled by Ψ^−½, scaled back.

    Parameters
    ----------
    R, log_noise, d : see `concentrated_likelihood`

    Returns
    -------
    array of shape (D, d)

    References
    ----------
    Equation (fa-given-noise); sources R-18, R-19.
    """
    eigenvalues, V, _ = _scaled_eigenpairs(R, log_noise, d)
    return np.sqrt(np.exp(log_noise))[:, np.newaxis] * V * np.sqrt(np.maximum(eigenvalues - 1, 0))  # (fa-given-noise)


def _scaled_eigenpairs(R, log_noise, d):
    """Largest eigenpairs of Ψ^−½S_nΨ^−½ = AᵀA for A = RΨ^−½, and its diagonal."""
    A = R * np.exp(-log_noise / 2)
    eigenvalues, V = largest_gram_eigenpairs(A.T, d)
    return eigenvalues, V, np.sum(A**2, axis=0)


def varimax(B: np.ndarray, *, tol: float = 1e-12, max_iter: int = 10_000) -> np.ndarray:
    """Rotate loadings so that in every column some are large and the others small.

    Maximizes the sum over columns of the variance of the squared loadings, over all rotations BQ.

    Parameters
    ----------
    B : array of shape (D, d)
    tol : float
        Relative gain that is worth another step.
    max_iter : int

    Returns
    -------
    array of shape (D, d), the columns in order of their sums of squares

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were not enough.

    References
    ----------
    Equation (fa-varimax); Kaiser (1958).
    """
    Q, value = np.eye(B.shape[1]), 0.0
    for _ in range(max_iter):
        L = B @ Q
        U, singular_values, Vt = linalg.svd(B.T @ (L**3 - L * np.mean(L**2, axis=0)))
        Q, previous, value = U @ Vt, value, singular_values.sum()
        if value <= previous * (1 + tol):
            break
    else:
        warn(f"Varimax has not converged in {max_iter} steps: raise max_iter, or tol (now {tol:g}).")
    L = B @ Q
    L = L[:, np.argsort(-np.sum(L**2, axis=0), kind="stable")]
    return L * column_signs(L)
