"""Probabilistic PCA: a Gaussian density that is wide along a few axes and equally thin across them."""

from functools import partial

import numpy as np
from sklearn.utils import check_random_state

from dimred_lessons.eigenpairs import thin_svd
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
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed

# A noise variance below this share of the mean variance is none: densities have no limit, and rounding decides.
_LEAST_NOISE = 1e-8


class ProbabilisticPCA(LinearGaussianModel):
    """Fit the density of x = mean + By + noise, with y ~ N(0, I) in d dimensions and noise ~ N(0, σ²I).

    Maximizes the likelihood Σ_i log N(x_i; mean, BBᵀ + σ²I). The closed form takes B from the principal axes and
    σ² from the mean of the variances that are left out; with σ² → 0 the embedding becomes that of PCA, each axis
    scaled to unit variance. Where entries are missing (NaN), EM maximizes the likelihood of those that are seen,
    which is right if they are missing at random.

    Parameters
    ----------
    n_components : int or None, default 2
        d, below the rank of the centered data; None for the rank less 1.
    method : "closed" or "em", default "closed"
        How complete points are fitted; both give the same density. Missing entries are always handled by EM.
    tol : float, default 1e-9
        EM stops when a step raises the log-likelihood by less than this per entry (in nats).
    max_iter : int, default 2000
        Largest number of EM steps.
    random_state : int, RandomState or None, default 0
        Draws the loadings from which EM starts on complete points.

    Attributes
    ----------
    mean_ : array of shape (n_features,)
    loadings_ : array of shape (n_features, n_components)
        B, in the unit of the data; orthogonal columns, longest first.
    noise_variance_ : float
        σ², in squared units of the data.
    log_likelihoods_ : array of shape (n_iter_,)
        Log-likelihood of the training points at each step; one number for the closed form.
    embedding_ : array of shape (n_samples, n_components)
        Posterior means of y, without unit: PCA's scores, shrunk and divided by the length of each axis.
    n_iter_ : int
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is not below the rank, a row has no entry, or a column has fewer than two;
        or if so many entries are missing that no noise is left beside the components.

    References
    ----------
    Algorithm alg-ppca; sources R-12 to R-16, R-19 to R-23, R-29; Tipping and Bishop (1999).
    """

    _parameters = {
        "method": partial(check_option, options=("closed", "em")),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(self, n_components=2, method="closed", tol=1e-9, max_iter=2000, random_state=0):
        self.n_components = n_components
        self.method = method
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _embed(self, X):
        # 1. Center the points; eigenpairs of S_n = VΛVᵀ, for which missing entries count as the mean
        deviations, self.mean_ = center_seen(X)
        R = covariance_root(np.nan_to_num(deviations, copy=False))
        _, singular_values, V = thin_svd(R)  # (ppca-eigenpairs)
        attainable = max(len(singular_values) - 1, 0)
        self._require_components(attainable, X)
        d = self.n_components or attainable
        # 2. Loadings and noise: B = V_d(Λ_d − σ²I)^½, σ² the mean of the other D − d eigenvalues
        variances = singular_values**2
        self.loadings_, self.noise_variance_ = principal_factors(variances, V, d)  # (ppca-closed-form)
        # 3. Or by EM: from random loadings if the points are complete, from those of step 2 if not
        holes = find_holes(X)
        if holes is not None:
            self._fit_holes(X, holes)
        elif self.method == "em":
            self._fit_complete(R, len(X))
        else:
            log_det = np.sum(np.log(variances[:d])) + (len(V) - d) * np.log(self.noise_variance_)
            value = -0.5 * len(X) * (len(V) * (np.log(2 * np.pi) + 1) + log_det)  # (ppca-likelihood)
            self.log_likelihoods_ = np.array([value])
        self.n_iter_ = len(self.log_likelihoods_)
        # 4. Encode: posterior means J⁻¹Bᵀ(x − mean)/σ², J = I + BᵀB/σ²
        return self._place(X)  # (ppca-posterior)

    def _fit_complete(self, R, n):
        D = len(self.mean_)
        variance = np.vdot(R, R) / D

        def step(parameters):
            B, noise, value = factor_step(R, *parameters)
            return (B, np.full(D, max(noise.mean(), _LEAST_NOISE * variance))), n * value

        B = check_random_state(self.random_state).standard_normal(self.loadings_.shape) * np.sqrt(variance)
        start = B, np.full(D, variance)
        (B, noise), self.log_likelihoods_ = em(step, start, self.tol, self.max_iter, n * D)  # (em-ppca)
        self.loadings_, self.noise_variance_ = canonical_loadings(B, noise), noise[0]

    def _fit_holes(self, X, holes):
        counts = holes.seen.sum(axis=0)
        least = _LEAST_NOISE * np.nanvar(X)

        def step(parameters):
            mean, B, noise, value = factor_step_with_holes(X, holes, *parameters)
            noise = np.average(noise, weights=counts)
            if noise < least:
                raise ValueError(
                    f"With {B.shape[1]} components the noise variance falls to zero, where the likelihood of the "
                    "entries that are not missing has no maximum: ask for fewer components."
                )
            return (mean, B, np.full(len(mean), noise)), value

        parameters, self.log_likelihoods_ = em(step, self._model(), self.tol, self.max_iter, counts.sum())
        self.mean_, B, noise = parameters  # (em-holes)
        self.loadings_, self.noise_variance_ = canonical_loadings(B, noise), noise[0]
