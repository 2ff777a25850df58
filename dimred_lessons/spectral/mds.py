"""Classical multidimensional scaling: points from their distances."""

from functools import partial

import numpy as np

from dimred_lessons.distances import (
    SCALING_METRICS,
    check_dissimilarities,
    check_not_negative,
    directions,
    distances_between,
    rounding_norm,
    squared_distances_between,
)
from dimred_lessons.eigenpairs import center_points, gram_eigenpairs, top_eigenpairs
from dimred_lessons.kernels import center_kernel, kernel_from_squared_distances, linear_kernel, negative_mass
from dimred_lessons.landmarks import choose_landmarks
from dimred_lessons.memory import blocks, require_memory
from dimred_lessons.parameters import check_integer, check_option, check_seed
from dimred_lessons.spectral.base import SpectralMethod


class ClassicalMDS(SpectralMethod):
    """Place points in d dimensions so that their dot products match those that the dissimilarities imply.

    Minimizes the strain ‖K − YYᵀ‖², where K = −½HΔ²H holds the dot products of centered points at distances
    Δ. (It does not minimize the stress, the mismatch of the distances themselves.) If Δ are Euclidean
    distances, Y has them exactly at full rank; if not, K has negative eigenvalues, which no points have: they
    are left out and their share is reported.

    With landmarks K is that of m of the points, and the others are placed by their dissimilarities to them:
    m × m numbers are held instead of n × n. What is lost is what only the other pairs know: no two points that are
    not landmarks are ever compared.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for every positive eigenvalue of K.
    n_landmarks : int or None, default None
        m random landmarks, more than d; None for all points, which is exact.
    metric : "euclidean", "cosine", "cityblock" or "manhattan", "chebyshev", "precomputed", default "euclidean"
        Distances of the points, those of their directions for "cosine". If "precomputed", ``fit`` takes the
        dissimilarities (n, n), NOT squared, of points or of anything else, and ``transform`` those between new and
        training objects (n_new, n). (Where n × n numbers do not fit, fit those among landmarks, and give ``transform``
        those from all others to them.)
    random_state : int, RandomState or None, default 0
        Draws the landmarks; None for other ones each time.

    Attributes
    ----------
    landmarks_ : array of shape (m,)
        Rows of X; all of them without landmarks.
    kernel_ : array of shape (m, m), or None
        K, of the landmarks; None for the metrics "euclidean" and "cosine", for which the eigenpairs come from the
        points and K is never formed.
    eigenvalues_ : array of shape (n_components,)
        Λ, the largest eigenvalues of K, in squared units of the dissimilarities.
    embedding_ : array of shape (n_samples, n_components)
        Y = UΛ^½; the mean of the landmarks is 0.
    dual_coef_ : array of shape (m, n_components)
        UΛ^−½, which places other points.
    mean_squared_distances_ : array of shape (m,)
        Mean squared dissimilarity of each landmark to all landmarks.
    training_points_ : array of shape (m, n_features), or None
        The landmarks (their directions for "cosine"), whose distances from other points place these; None if the
        dissimilarities are given.
    negative_mass_ : float
        Σ |λ| over the negative eigenvalues of K, divided by Σ |λ| over all; 0 for distances between points.
        Needs the full spectrum (O(n³)), so it is computed when asked for.
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if a dissimilarity is negative, not symmetric, or not zero on the diagonal (the first such
        pair is named), or if ``n_components`` is above the number of positive eigenvalues.

    Warns
    -----
    UserWarning
        In ``fit``, if the last axis and the next one have the same eigenvalue up to rounding: the data do not
        determine it.

    References
    ----------
    Algorithm alg-mds; sources G-54 to G-60, L-09 to L-17, W-09 to W-13, F-33 to F-36; de Silva and Tenenbaum (2003)
    for landmarks.

    Examples
    --------
    The corners of a rectangle of 3 by 4, from the distances between them:

    >>> import numpy as np
    >>> from dimred_lessons import ClassicalMDS
    >>> distances = np.array([[0, 3, 5, 4], [3, 0, 4, 5], [5, 4, 0, 3], [4, 5, 3, 0]])
    >>> Y = ClassicalMDS(metric="precomputed").fit_transform(distances)
    >>> bool(np.allclose(np.linalg.norm(Y[:, np.newaxis] - Y, axis=2), distances))
    True
    """

    _parameters = {
        "n_landmarks": partial(check_integer, none="for all points"),
        "metric": partial(check_option, options=SCALING_METRICS),
        "random_state": check_seed,
    }

    _remedy = SpectralMethod._remedy + ", or set n_landmarks"

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_landmarks: int | None = None,
        metric: str = "euclidean",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.metric = metric
        self.random_state = random_state

    def _fit_eigenpairs(self, X):
        self.landmarks_ = choose_landmarks(len(X), self.n_landmarks, self.n_components, self.random_state)
        given, m = self.metric == "precomputed", len(self.landmarks_)
        require_memory(0 if self._from_points else 2, m, m, "choose fewer landmarks")
        X = self._points(X)
        L = self._among_landmarks(X) if given else X[self.landmarks_]
        self.training_points_ = None if given else L
        if self._from_points:
            eigenvalues, U = self._eigenpairs_of_points(L)
        else:
            # 1. Square the dissimilarities
            squared = check_dissimilarities(L) ** 2 if given else self._squared(L)
            self.mean_squared_distances_ = squared.mean(axis=0)
            self._rounding = rounding_norm(L, squared) if given else 0.0
            # 2. The dot products that they imply: K = −½HΔ²H
            self.kernel_ = kernel_from_squared_distances(squared, overwrite=True)  # (mds-gram)
            # 3. Positive eigenvalues of K = UΛUᵀ
            eigenvalues, U = top_eigenpairs(self.kernel_, self.n_components, self._rounding)  # (mds-eigenproblem)
        # 4. Points with these dot products: Y = UΛ^½
        self.dual_coef_ = U / np.sqrt(eigenvalues)
        # 5. The other points, by their dissimilarities to the landmarks
        if self.n_landmarks is not None:
            U = self._place_by_landmarks(X) / np.sqrt(eigenvalues)
        return eigenvalues, U, np.sqrt(eigenvalues)  # (mds-scores)

    def _eigenpairs_of_points(self, X):
        """Steps 1 to 3 in one for Euclidean distances, whose K is XXᵀ of the centered points: classical MDS is PCA."""
        X, _ = center_points(X)
        squared_lengths = np.einsum("ij,ij->i", X, X)
        self.mean_squared_distances_ = squared_lengths + squared_lengths.mean()
        self.kernel_ = None
        return gram_eigenpairs(X, self.n_components)

    def _among_landmarks(self, X):
        """Dissimilarities (m, m) of the landmarks; with landmarks all others are checked, too."""
        if self.n_landmarks is None:
            return X
        check_dissimilarities(X)
        return X[np.ix_(self.landmarks_, self.landmarks_)]

    def _place(self, X):
        if self.metric == "precomputed":
            check_not_negative(X)
        return self._place_by_landmarks(self._points(X))

    def _place_by_landmarks(self, X):
        """Places by squared dissimilarities from the landmarks: y = ½Λ^−½Uᵀ(mean of Δ² − δ²)."""
        Y = np.empty((len(X), self.dual_coef_.shape[1]))
        for rows in blocks(len(X), len(self.dual_coef_)):
            Y[rows] = 0.5 * (self.mean_squared_distances_ - self._squared(X[rows])) @ self.dual_coef_  # (mds-gower)
        return Y

    def _squared(self, X):
        """Squared dissimilarities between the rows of X, or those whose dissimilarities they are, and the landmarks."""
        if self.metric == "precomputed":
            return X[:, self.landmarks_] ** 2
        if self._from_points:
            return squared_distances_between(X, self.training_points_)
        return distances_between(X, self.training_points_, self.metric) ** 2

    def _points(self, X):
        """The points whose distances count."""
        return directions(X) if self.metric == "cosine" else X

    @property
    def _from_points(self):
        """Whether the dissimilarities are Euclidean distances of points, whose dot products say all."""
        return self.metric in ("euclidean", "cosine")

    def _kernel(self, X):
        return center_kernel(linear_kernel(self.training_points_)) if self.kernel_ is None else self.kernel_

    @property
    def negative_mass_(self) -> float:
        """Share of the negative eigenvalues of K."""
        return 0.0 if self.kernel_ is None else negative_mass(self.kernel_, self._rounding)

    @property
    def _n_square_matrices(self):
        return 0 if self._from_points or self.n_landmarks is not None else 2
