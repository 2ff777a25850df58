"""A mixture of factor analyzers: many flat charts that cover a curved cloud, each with a density."""

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.vq import kmeans2
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.charts import chart_coordinates
from dimred_lessons.eigenpairs import center_points, thin_svd
from dimred_lessons.gaussians import em, factor_step, log_density, posterior, principal_factors, responsibilities
from dimred_lessons.inputs import require_squares
from dimred_lessons.latent.base import MixtureModel
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed


class Chart(NamedTuple):
    """A factor analyzer: x = mean + loadings · y + noise, y ~ N(0, I)."""

    mean: np.ndarray  # (D,)
    loadings: np.ndarray  # B (D, d)
    noise: np.ndarray  # ψ (D,), variances


class MixtureOfFactorAnalyzers(MixtureModel):
    """Fit the density Σ_s p_s N(x; mean_s, B_sB_sᵀ + Ψ_s): S charts of d dimensions, with noise around each.

    Maximizes the likelihood, and finds a local maximum of it. The global one is infinite, with a chart on a single
    point: ``min_noise`` excludes it. Each chart has its own coordinates, which do not agree with those of the next.

    Parameters
    ----------
    n_mixtures : int, default 10
        S, the number of charts.
    n_components : int or None, default 2
        d, the dimension of each chart, at most the rank of the centered data, below D if the noise is isotropic;
        None for as many as possible.
    noise : "diagonal" or "isotropic", default "diagonal"
        Separate noise for each column (factor analyzers), or equal noise in all directions (probabilistic PCA).
    min_noise : float below 1, default 1e-3
        Smallest noise variance: of a column, as a share of its variance (of the mean variance, if it has none); or of
        all, if the noise is isotropic, as a share of the mean variance of the columns.
    tol : float, default 1e-6
        EM stops when a step raises the log-likelihood by less than this per entry (in nats).
    max_iter : int, default 500
    random_state : int, RandomState or None, default 0
        Draws the start of k-means, whose clusters EM starts from.

    Attributes
    ----------
    weights_ : array of shape (n_mixtures,)
        p_s; they sum to 1.
    means_, noise_variances_ : arrays of shape (n_mixtures, n_features)
        Means, and diagonals of Ψ_s.
    loadings_ : array of shape (n_mixtures, n_features, n_components)
        B_s.
    objective_path_ : array of shape (n_iter_,)
        Log-likelihood of the training points at each step; it never falls.
    embedding_ : array of shape (n_samples, n_mixtures · (1 + n_components))
        For each chart s, its share r_s in the point, and r_s times the coordinates on it: posterior means of
        the hidden variables. Points on one chart have zeros for the others.
    n_iter_ : int
    n_components_ : int
        S(1 + d), the number of columns of the embedding.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above the rank, or ``n_mixtures`` above the number of different points.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few.

    References
    ----------
    Algorithm alg-mfa; sources R-40 to R-45; Ghahramani and Hinton (1996), Tipping and Bishop (1999).

    Examples
    --------
    Eight charts of a curved sheet tell its points better than one plane does:

    >>> from sklearn.datasets import make_s_curve
    >>> from dimred_lessons import MixtureOfFactorAnalyzers
    >>> X, _ = make_s_curve(400, random_state=0)
    >>> charts, plane = (MixtureOfFactorAnalyzers(number).fit(X) for number in (8, 1))
    >>> charts.local_coordinates(X).shape, charts.score(X) > plane.score(X) + 1
    ((400, 8, 2), True)
    """

    _parameters = {
        "n_mixtures": check_integer,
        "noise": partial(check_option, options=("diagonal", "isotropic")),
        "min_noise": partial(check_number, below=1),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_mixtures: int = 10,
        *,
        n_components: int | None = 2,
        noise: str = "diagonal",
        min_noise: float = 1e-3,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_mixtures = n_mixtures
        self.n_components = n_components
        self.noise = noise
        self.min_noise = min_noise
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _embed(self, X):
        require_squares(X)  # SciPy's k-means crashes on infinite ones
        # 1. Start: clusters of k-means, each point in one
        X_0, mean = center_points(X)
        d, least = self._dimension(X_0), self._noise_floor(X_0)
        R = np.eye(self.n_mixtures)[self._clusters(X_0)]
        charts = [_principal_chart(group, d, least) for group in _groups(X_0, R)]

        def step(model):
            weights, charts = model
            # 2. E: which chart each point comes from
            R, log_densities = responsibilities(_log_joint(X_0, weights, charts))  # (mfa-responsibilities)
            # 3. M: every chart is fitted to its points, weighted by their responsibilities
            groups = _groups(X_0, R)
            if self.noise == "isotropic":
                charts = [_principal_chart(group, d, least) for group in groups]  # (mfa-ppca)
            else:
                charts = [_factor_chart(group, chart, least) for group, chart in zip(groups, charts)]  # (mfa-m-step)
            return (_weights(R), charts), log_densities.sum()

        # 4. Repeat until the likelihood no longer rises
        (self.weights_, charts), self.objective_path_ = em(
            step, (_weights(R), charts), self.tol, self.max_iter, X.size, type(self).__name__
        )
        self.n_iter_ = len(self.objective_path_)
        together = Chart(*map(np.array, zip(*charts, strict=True)))
        self.means_, self.loadings_, self.noise_variances_ = together.mean + mean, together.loadings, together.noise
        return self._place(X)

    def _noise_floor(self, X):
        floor = super()._noise_floor(X)
        return floor if self.noise == "diagonal" else np.full(len(floor), self.min_noise * np.mean(X**2))

    def _dimension(self, X):
        rank = len(thin_svd(X)[1]) if X.any() else 0
        attainable = max(min(rank, X.shape[1] - (self.noise == "isotropic")), 0)
        self._require_components(attainable, X)
        return self.n_components or attainable

    def _clusters(self, X):
        """Cluster of each point by k-means, none of them empty."""
        S = self.n_mixtures
        if len(np.unique(X, axis=0)) < S:
            raise ValueError(f"n_mixtures={S} is above the number of different points: ask for fewer.")
        generator = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="One of the clusters is empty")
            centers, labels = kmeans2(X, S, iter=30, minit="++", rng=generator)
        distances = np.sum((X - centers[labels]) ** 2, axis=1)
        for empty in np.setdiff1d(np.arange(S), labels):
            i = np.argmax(distances)
            labels[i], distances[i] = empty, -1
        return labels

    def _charts(self):
        return [Chart(*parts) for parts in zip(self.means_, self.loadings_, self.noise_variances_, strict=True)]

    def _log_joint(self, X):
        return _log_joint(X, self.weights_, self._charts())

    def local_coordinates(self, X: ArrayLike) -> np.ndarray:
        """Coordinates of points on every chart: the posterior means of its factors.

        Parameters
        ----------
        X : array of shape (n_new, n_features)

        Returns
        -------
        Z : array of shape (n_new, n_mixtures, n_components)

        Raises
        ------
        ValueError
            If X does not have the columns that ``fit`` saw.
        """
        check_is_fitted(self)
        return self._coordinates(self._validated(X, reset=False))

    def _coordinates(self, X):
        return np.stack([posterior(X, *chart)[0] for chart in self._charts()], axis=1)

    def _place(self, X):
        return chart_coordinates(responsibilities(self._log_joint(X))[0], self._coordinates(X))

    def _rebuild(self, Y):
        planes = np.concatenate([self.means_[:, np.newaxis], self.loadings_.transpose(0, 2, 1)], axis=1)
        return Y @ planes.reshape(-1, planes.shape[2])  # Σ_s r_s (mean_s + B_s z_s)

    def _draw(self, n, generator):
        s = generator.choice(len(self.weights_), n, p=self.weights_)
        Y = generator.standard_normal((n, self.loadings_.shape[2]))
        noise = generator.standard_normal((n, self.means_.shape[1])) * np.sqrt(self.noise_variances_[s])
        return self.means_[s] + np.einsum("nij,nj->ni", self.loadings_[s], Y) + noise


def _log_joint(X, weights, charts):
    """log p_s + log N(x; chart s), (n, S)."""
    return np.column_stack([log_density(X, *chart) for chart in charts]) + np.log(weights)  # (mfa-density)


def _weights(R):
    """Shares of the charts; none is exactly zero."""
    sizes = R.sum(axis=0) + 10 * np.finfo(float).eps
    return sizes / sizes.sum()


class Group(NamedTuple):
    """The points of one chart, weighted by their responsibilities: all that an M step needs of them."""

    mean: np.ndarray  # (D,)
    root: np.ndarray  # A (n, D): AᵀA is the covariance


def _groups(X, R):
    """The points of each chart."""
    for shares in (R / (R.sum(axis=0) + 10 * np.finfo(float).eps)).T:
        mean = shares @ X
        yield Group(mean, (X - mean) * np.sqrt(shares)[:, np.newaxis])


def _principal_chart(group, d, least):
    """The likeliest chart with isotropic noise: the closed form of probabilistic PCA."""
    A = group.root
    n, D = A.shape
    if n > D:
        variances, V = np.linalg.eigh(A.T @ A)
        variances, V = np.maximum(variances[::-1], 0), V[:, ::-1]
    else:
        _, singular_values, V = thin_svd(A)
        variances = singular_values**2
    B, noise = principal_factors(variances, V, d, least.min())
    return Chart(group.mean, B, np.maximum(np.full(D, noise), least))


def _factor_chart(group, chart, least):
    """A likelier chart with separate noise for each column: one step of factor analysis, by parameter-expanded EM."""
    B, noise, _ = factor_step(group.root, chart.loadings, chart.noise, expand=True)
    return Chart(group.mean, B, np.maximum(noise, least))
