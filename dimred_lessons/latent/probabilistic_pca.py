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
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed

# A noise variance below this share of the columns' variances (their geometric mean) is none: densities have no limit.
_LEAST_NOISE = 1e-8
# Rounding of centered points, as a share of their size: there is no smaller noise, either.
_ROUNDING = 1e-14


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
    solver : "closed-form" or "em", default "closed-form"
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
    components_ : array of shape (n_components, n_features)
        Bᵀ, the loadings as rows.
    objective_path_ : array of shape (n_iter_,)
        Log-likelihood of the training points at each step, which never falls; one number for the closed form.
    embedding_ : array of shape (n_samples, n_components)
        Posterior means of y, without unit: PCA's scores, shrunk and divided by the length of each axis.
    n_iter_ : int
        How often the likelihood was computed: once for the closed form.
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is not below the rank, a row has no entry, or a column has fewer than two;
        or if so many entries are missing that no noise is left beside the components, or columns differ so much in
        size that rounding hides it.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few, or EM of complete points stops below the closed form.

    References
    ----------
    Algorithm alg-ppca; sources R-12 to R-16, R-19 to R-23, R-29; Tipping and Bishop (1999).

    Examples
    --------
    The standard deviation of the noise, although a fifth of the entries is missing:

    >>> import numpy as np
    >>> from dimred_lessons import ProbabilisticPCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 2)) @ rng.standard_normal((2, 6)) + 0.1 * rng.standard_normal((300, 6))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> print(f"{np.sqrt(ProbabilisticPCA(n_components=2).fit(X).noise_variance_):.1f}")
    0.1
    """

    _parameters = {
        "solver": partial(check_option, options=("closed-form", "em")),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        solver: str = "closed-form",
        tol: float = 1e-9,
        max_iter: int = 2000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
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
        log_det = np.sum(np.log(variances[:d])) + (len(V) - d) * np.log(self.noise_variance_)
        highest = -0.5 * len(X) * (len(V) * (np.log(2 * np.pi) + 1) + log_det)  # (ppca-likelihood)
        if holes is not None:
            self._fit_holes(X, holes, np.sum(R**2, axis=0))
        elif self.solver == "em":
            self._fit_complete(R, len(X), highest)
        else:
            self.objective_path_ = np.array([highest])
        self.n_iter_ = len(self.objective_path_)
        # 4. Encode: posterior means J⁻¹Bᵀ(x − mean)/σ², J = I + BᵀB/σ²
        return self._place(X)  # (ppca-posterior)

    def _fit_complete(self, R, n, highest):
        D, variances = len(self.mean_), np.sum(R**2, axis=0)
        least = _ROUNDING**2 * variances.max()

        def step(parameters):
            B, noise, value = factor_step(R, *parameters, expand=True)
            noise = np.full(D, max(noise.mean(), least))
            return (canonical_loadings(B, noise), noise), n * value

        # In the unit of each column; more noise than a column varies would hide it from the first steps
        B = check_random_state(self.random_state).standard_normal(self.loadings_.shape)
        start = B * np.sqrt(variances)[:, np.newaxis], np.full(D, variances[variances > least].min())
        (self.loadings_, noise), path = self._em(step, start, n * D)  # (em-ppca)
        self.noise_variance_, self.objective_path_ = noise[0], path
        missing = (highest - path[-1]) / (n * D)
        if len(path) < self.max_iter and missing > max(1e-3, 1e3 * self.tol):
            warn(f"EM has stopped {missing:.2g} nats per entry below the closed form: lower tol (now {self.tol:g}).")

    def _fit_holes(self, X, holes, variances):
        d = self.loadings_.shape[1]
        counts, varying = holes.seen.sum(axis=0), variances[variances > _ROUNDING**2 * variances.max()]
        least = _LEAST_NOISE * np.exp(np.mean(np.log(varying)))

        def step(parameters):
            (mean, B, noise), value = factor_step_with_holes(X, holes, *parameters)
            noise = np.average(noise, weights=counts)
            if noise < least:
                raise ValueError(
                    f"With {d} components the noise variance falls to zero, where the likelihood of the "
                    "entries that are not missing has no maximum: ask for fewer components."
                )
            return (mean, B, np.full(len(mean), noise)), value

        (self.mean_, B, noise), self.objective_path_ = self._em(step, self._model(), counts.sum())  # (em-holes)
        self.loadings_, self.noise_variance_ = canonical_loadings(B, noise), noise[0]

    def _em(self, step, start, size):
        try:
            return em(step, start, self.tol, self.max_iter, size)
        except RuntimeError as error:
            raise ValueError(
                f"The noise beside n_components={self.loadings_.shape[1]} is lost in rounding: bring the columns of X "
                "to similar units, or ask for fewer."
            ) from error
