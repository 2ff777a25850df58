"""The frames of the latent methods: x = f(y) + noise, and the embedding is what x tells about y."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.base import Embedding
from dimred_lessons.gaussians import log_density, posterior, precision_matrix, responsibilities
from dimred_lessons.parameters import check_integer, check_seed, given_places


class LatentModel(Embedding):
    """Base class: hidden coordinates y of which each point is a function, up to noise.

    A subclass writes ``_embed(X)``, ``_place(X)``, the posterior means of y, and ``_rebuild(Y)``, the points that
    the model expects for given y. Where it sets ``_missing``, NaN stands for a missing entry, and
    ``inverse_transform(transform(X))`` completes the points.

    Attributes
    ----------
    embedding_ : array of shape (n_samples, n_components)
        Posterior means of the hidden coordinates; rows are points.
    n_iter_ : int
        Steps of the iteration that fitted the model.
    """

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """The points that the model expects for given hidden coordinates, without noise.

        Parameters
        ----------
        X : array of shape (n_new, n_components)
            Hidden coordinates, as ``transform`` returns them.

        Returns
        -------
        array of shape (n_new, n_features)

        Raises
        ------
        ValueError
            If X has a different number of columns.
        """
        return self._rebuild(self._check_scores(X))

    def _validated(self, X, reset=True, **options):
        X = super()._validated(X, reset=reset, **options)
        if self._missing:
            self._require_entries(X, 1, 2 if reset else 0)
        return X

    def _require_entries(self, X, n_row, n_column):
        """Refuse rows and columns with fewer entries than needed."""
        seen = ~np.isnan(X)
        for name, counts, least in ("Row", seen.sum(axis=1), n_row), ("Column", seen.sum(axis=0), n_column):
            if (counts < least).any():
                i = np.argmin(counts)
                raise ValueError(
                    f"{name} {i} of X has {counts[i]} of its {seen.size // len(counts)} entries, but needs at least "
                    f"{least}: leave it out."
                )

    def _given_init(self, X, d):
        """The coordinates given by ``init``: a row for each point and, if d is not None, d columns."""
        return given_places(self.init, len(X), d)


class DensityModel(LatentModel):
    """Base class: a latent model whose points have a density. A subclass writes ``_log_densities(X)`` and ``_draw``.

    Attributes
    ----------
    objective_path_ : array of shape (n_iter_,)
        Log-likelihood of the training points along the iteration, or what it maximizes in its place; it never falls,
        and the last one is that of the fitted model.
    """

    def score_samples(self, X: ArrayLike) -> np.ndarray:
        """Log density of the seen entries of each point: low for outliers.

        Of fewer entries it is higher, so compare points that miss the same ones.

        Parameters
        ----------
        X : array of shape (n_new, n_features)

        Returns
        -------
        array of shape (n_new,), in nats; a change of unit adds a constant

        Raises
        ------
        ValueError
            If X does not have the columns that ``fit`` saw.
        """
        check_is_fitted(self)
        return self._log_densities(self._validated(X, reset=False))

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Mean log density of points: the higher, the better the model fits.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
        y : ignored

        Returns
        -------
        float, in nats per point
        """
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: int | np.random.RandomState | None = None) -> np.ndarray:
        """Draw points from the density: hidden coordinates first, then the points with their noise.

        Parameters
        ----------
        n_samples : int
        random_state : int, RandomState or None

        Returns
        -------
        X : array of shape (n_samples, n_features)

        Raises
        ------
        ValueError
            If ``n_samples`` is not a positive integer, or ``random_state`` is not a seed.
        """
        check_is_fitted(self)
        check_integer("n_samples", n_samples)
        check_seed("random_state", random_state)
        return self._draw(n_samples, check_random_state(random_state))


class MixtureModel(DensityModel):
    """Base class: a latent model in which each point comes from one of several components.

    A subclass writes ``_log_joint(X)``, the log densities log p(s, x) of each point and component, (n, S).
    """

    def _noise_floor(self, X):
        """Smallest noise of each column: a share of its variance; of their mean where a column does not vary."""
        variances = np.var(X, axis=0)
        return self.min_noise * np.where(variances > 0, variances, variances.mean())

    def _log_densities(self, X):
        return responsibilities(self._log_joint(X))[1]

    def responsibilities(self, X: ArrayLike) -> np.ndarray:
        """Probability of each component, given a point.

        Parameters
        ----------
        X : array of shape (n_new, n_features)

        Returns
        -------
        R : array of shape (n_new, S), rows sum to 1

        Raises
        ------
        ValueError
            If X does not have the columns that ``fit`` saw.
        """
        check_is_fitted(self)
        return responsibilities(self._log_joint(self._validated(X, reset=False)))[0]


class LinearGaussianModel(DensityModel):
    """Base class: x = mean + By + noise, y ~ N(0, I), with independent Gaussian noise; an entry that is NaN is missing.

    Attributes
    ----------
    mean_ : array of shape (n_features,)
    loadings_ : array of shape (n_features, n_components)
        B, in the units of the columns.
    components_ : array of shape (n_components, n_features)
        Bᵀ.
    noise_variance_ : float, or array of shape (n_features,)
        The diagonal of Ψ, in squared units of the columns.
    """

    _missing = "entries"

    @property
    def components_(self) -> np.ndarray:
        """The loadings as rows, Bᵀ."""
        return self.loadings_.T

    def get_covariance(self) -> np.ndarray:
        """Covariance of the density, BBᵀ + Ψ.

        Returns
        -------
        array of shape (n_features, n_features), in squared units of the columns
        """
        check_is_fitted(self)
        _, B, noise = self._model()
        return B @ B.T + np.diag(noise)

    def get_precision(self) -> np.ndarray:
        """Inverse of the covariance of the density.

        Returns
        -------
        array of shape (n_features, n_features), in reciprocal squared units of the columns
        """
        check_is_fitted(self)
        _, B, noise = self._model()
        return precision_matrix(B, noise)

    def _model(self):
        """Mean, B and the noise of each column."""
        return self.mean_, self.loadings_, np.broadcast_to(self.noise_variance_, self.mean_.shape)

    def _place(self, X):
        return posterior(X, *self._model())[0]

    def _rebuild(self, Y):
        return self.mean_ + Y @ self.loadings_.T

    def _log_densities(self, X):
        return log_density(X, *self._model())

    def _draw(self, n, generator):
        Y = generator.standard_normal((n, self.loadings_.shape[1]))
        noise = generator.standard_normal((n, len(self.mean_))) * np.sqrt(self.noise_variance_)
        return self._rebuild(Y) + noise
