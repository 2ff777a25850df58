"""Alignment: common coordinates for the charts of a mixture."""

from functools import partial

from sklearn.base import BaseEstimator, clone

from dimred_lessons.base import Embedding
from dimred_lessons.charts import align_charts, chart_coordinates, check_charts, disagreement_form, reconstruction_form
from dimred_lessons.parameters import check_integer, check_option


class AlignedMixture(Embedding):
    """Give the charts of a mixture common coordinates: an affine map of each chart, averaged by responsibilities.

    With rows u_n of U that hold r_ns (1, z_ns) for every chart s, the coordinates are Y = UL. L minimizes
    tr(YᵀMY), the cost of locally linear embedding, or the disagreement of the charts Σ_ns r_ns ‖y_ns − y_n‖² about
    each point, both subject to YᵀY = n I and 1ᵀY = 0: an eigenproblem of size S(d + 1) instead of n.

    Parameters
    ----------
    mixture : estimator with charts, such as `MixtureOfFactorAnalyzers`; a copy of it is fitted
    n_components : int or None, default 2
        Dimension of the common coordinates; None for all that the charts can give.
    n_neighbors : int, default 12
        k, how many nearest points rebuild each point, for the cost of locally linear embedding.
    cost : "reconstruction" or "disagreement", default "reconstruction"

    Attributes
    ----------
    mixture_ : the fitted mixture
    maps_ : array of shape (n_mixtures · (1 + dimension of a chart), n_components)
        L: for each chart the place of its mean, and of steps along its coordinates.
    center_ : array of shape (n_mixtures · (1 + dimension of a chart),)
        Mean coordinates of the points in all charts, which is subtracted so that Y has mean 0.
    eigenvalues_ : array of shape (n_components,)
        The cost of each axis, an eigenvalue.
    embedding_ : array of shape (n_samples, n_components)
        Y, with mean 0 and unit covariance.
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above what the charts can give, or the mixture refuses the points.

    Warns
    -----
    UserWarning
        If an axis costs nothing, as the constant does, so that it is determined only up to a mixture; or as the
        mixture warns.

    References
    ----------
    Algorithm alg-alignment; sources R-46, R-53; Teh and Roweis (2003), Brand (2003).

    Examples
    --------
    Ten charts of an S, glued together: the first coordinate is the length along it.

    >>> import numpy as np
    >>> from sklearn.datasets import make_s_curve
    >>> from dimred_lessons import AlignedMixture, MixtureOfFactorAnalyzers
    >>> X, length = make_s_curve(400, random_state=0)
    >>> Y = AlignedMixture(MixtureOfFactorAnalyzers(10)).fit_transform(X)
    >>> print(f"correlation with the length: {abs(np.corrcoef(Y[:, 0], length)[0, 1]):.1f}")
    correlation with the length: 1.0
    """

    _parameters = {
        "mixture": check_charts,
        "n_neighbors": check_integer,
        "cost": partial(check_option, options=("reconstruction", "disagreement")),
    }

    def __init__(
        self,
        mixture: BaseEstimator,
        n_components: int | None = 2,
        *,
        n_neighbors: int = 12,
        cost: str = "reconstruction",
    ) -> None:
        self.mixture = mixture
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.cost = cost

    def _embed(self, X):
        # 1. Charts, and the coordinates of every point on them
        self.mixture_ = clone(self.mixture).fit(X)
        U = self._chart_coordinates(X)
        # 2. The cost that the axes minimize, a quadratic form of L
        if self.cost == "reconstruction":
            A = reconstruction_form(U, X, self.n_neighbors)  # (align-reconstruction)
        else:
            A = disagreement_form(U, self.mixture_.responsibilities(X))  # (align-disagreement)
        # 3. Bottom eigenvectors subject to unit covariance
        self.eigenvalues_, self.maps_ = align_charts(U, A, self.n_components)  # (align-eigenproblem)
        self._require_components(len(self.eigenvalues_), X)
        # 4. Common coordinates
        self.center_ = U.mean(axis=0)
        return self._place(X)

    def _chart_coordinates(self, X):
        return chart_coordinates(self.mixture_.responsibilities(X), self.mixture_.local_coordinates(X))

    def _place(self, X):
        return (self._chart_coordinates(X) - self.center_) @ self.maps_  # (align-place)
