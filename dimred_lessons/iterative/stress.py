"""Stress majorization: places whose distances, not dot products, match the given ones."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, optimize
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_random_state

from dimred_lessons.base import Embedding
from dimred_lessons.distances import (
    SCALING_METRICS,
    check_dissimilarities,
    check_not_negative,
    directions,
    distances_between,
    require_distinct,
    squared_distances_between,
    symmetrized,
)
from dimred_lessons.eigenpairs import column_signs
from dimred_lessons.iterative.majorization import inverse_of_weights, map_size, places_among, pull
from dimred_lessons.kernels import points_from_distances
from dimred_lessons.landmarks import choose_landmarks
from dimred_lessons.memory import blocks, require_memory
from dimred_lessons.messages import warn
from dimred_lessons.parameters import (
    check_integer,
    check_number,
    check_option,
    check_points,
    check_seed,
    given_places,
)

# Stress below which all distances match: by one part in a million.
_PERFECT = 1e-12
# Points of a first map that are nearer than this share of its size get noise of that share.
_TOGETHER, _NOISE = 1e-6, 1e-3
# Matrices (m, m) that a fit holds at a time.
_N_MATRICES = 8


class StressMDS(Embedding):
    """Place points in d dimensions so that their distances match given dissimilarities, or their order.

    Minimizes the stress Σ_i<j w_ij (d̂_ij − ‖y_i − y_j‖)² / Σ w_ij d̂_ij² by majorization (SMACOF): each step, the
    Guttman transform, minimizes a quadratic function that is nowhere below the stress and touches it where the points
    are, so that the stress never rises. With level "ratio", d̂ are the dissimilarities δ; with "ordinal" (nonmetric
    scaling), numbers in the order of δ that come nearest to the distances, by isotonic regression, before each step.
    Their sum of squares is fixed: otherwise all points would collapse into one, and the numerator would fall to
    zero. Weights 1/δ make it Sammon's mapping.

    ``transform`` places each new point where the stress of its pairs with those of the map is least, as far as the
    same steps find it, or in the place of the first one at dissimilarity 0; no other point moves for it, as it would
    in a fit. With landmarks the fit does so, too, with all points but m: m × m numbers are held instead of n × n. What
    is lost is what only the other pairs know: no two points that are not landmarks are ever compared.

    Parameters
    ----------
    n_components : int or None, default 2
        d, below the number of points; None for as many as have a positive eigenvalue in classical scaling.
    level : "ratio" or "ordinal", default "ratio"
        What is used of the dissimilarities: their ratios, or only their order. Equal ones may get different d̂;
        those of new points are read off those of the fit, on straight lines between them.
    n_landmarks : int or None, default None
        m random landmarks, more than d; None for all points.
    weights : "equal", "sammon" or array of shape (n_samples, n_samples), default "equal"
        w: 1, 1/δ or given ones, symmetric, nonnegative. A pair of weight 0 does not count. New points have no given
        weights: theirs count alike.
    init : "classical", "random" or array of shape (n_samples, d), default "classical"
        Initial places: by classical scaling (with the mean for missing dissimilarities), normal random numbers, or
        those of another method.
    n_init : int, default 1
        Number of starts, of which the best result is kept; those after the first one are random.
    metric : "euclidean", "cosine", "cityblock" or "manhattan", "chebyshev", "precomputed", default "euclidean"
        Distances of the points, those of their directions for "cosine"; if precomputed, X holds dissimilarities of
        anything, (n, n), NaN where they are missing. A dissimilarity given in one direction only counts for both.
        ``transform`` takes those between new and training objects (n_new, n).
    tol : float, default 1e-8
        The iteration ends when a step lowers the stress by less than this fraction of it, or nothing is left of it.
    max_iter : int, default 3000
        Largest number of steps from each start.
    random_state : int, RandomState or None, default 0
        Draws the landmarks, and random starts.

    Attributes
    ----------
    landmarks_ : array of shape (m,)
        Rows of X; all of them without landmarks.
    stress_ : float
        The stress above, of the landmarks, between 0 and 1.
    stress_1_ : float
        Kruskal's stress-1 of them, √(Σ w (d̂ − d)² / Σ w d²) with d̂ of the best size: it has no unit.
    disparities_ : array of shape (m, m), d̂; NaN where no dissimilarity counts
    objective_path_ : array of shape (n_iter_ + 1,)
        The stress along the run that is kept, from its start on; it never rises.
    n_iter_ : int, steps along it; 0 if none was needed
    n_components_ : int, d
    embedding_ : array of shape (n_samples, d); the landmarks are centered, along their principal axes
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if a dissimilarity or a weight is negative or not symmetric, all dissimilarities are 0, a Sammon
        weight belongs to a dissimilarity of 0, or the pairs that count do not connect all points. In ``transform``,
        if a dissimilarity is negative, or none of a point's counts.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few.

    References
    ----------
    Algorithm alg-smacof; Shepard (1962), Kruskal (1964), Guttman (1968), Sammon (1969), de Leeuw (1977).

    Examples
    --------
    >>> import numpy as np
    >>> from dimred_lessons import StressMDS
    >>> roads = np.array([[0, 3, 5, 4], [3, 0, 4, 5], [5, 4, 0, np.nan], [4, 5, np.nan, 0]])
    >>> Y = StressMDS(2, metric="precomputed").fit_transform(roads)
    >>> round(float(np.linalg.norm(Y[2] - Y[3])), 2)  # the distance that was missing
    3.0
    """

    _missing = "dissimilarities"
    _remedy = Embedding._remedy + ", or set n_landmarks"
    _parameters = {
        "level": partial(check_option, options=("ratio", "ordinal")),
        "n_landmarks": partial(check_integer, none="for all points"),
        "weights": partial(check_points, options=("equal", "sammon")),
        "init": partial(check_points, options=("classical", "random")),
        "n_init": check_integer,
        "metric": partial(check_option, options=SCALING_METRICS),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        level: str = "ratio",
        n_landmarks: int | None = None,
        weights: str = "equal",
        init: str | ArrayLike = "classical",
        n_init: int = 1,
        metric: str = "euclidean",
        tol: float = 1e-8,
        max_iter: int = 3000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.level = level
        self.n_landmarks = n_landmarks
        self.weights = weights
        self.init = init
        self.n_init = n_init
        self.metric = metric
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _embed(self, X):
        rng = check_random_state(self.random_state)
        self.landmarks_ = L = choose_landmarks(len(X), self.n_landmarks, self.n_components, rng)
        require_memory(_N_MATRICES, len(L), len(L), "choose fewer landmarks")
        self._require_components(len(L) - 1, X)
        X = _checked(X) if self.metric == "precomputed" else self._as_points(X)
        among = X[np.ix_(L, L)] if self.metric == "precomputed" else X[L]
        self._points = None if self.metric == "precomputed" else among
        delta, known = self._dissimilarities(among)
        given = None if isinstance(self.weights, str) else _given_weights(self.weights, len(X))
        w = self._weights(delta, known, given)
        # From each first map: 1. disparities, 2. pull, 3. move, until it no longer helps
        runs = [self._majorize(Z, delta, w) for Z in self._first_maps(among, delta, w, len(X), rng)]
        # 4. Choose the end with the least stress
        best = min(runs, key=lambda run: run.path[-1])
        self.objective_path_, self.n_iter_, self.stress_ = best.path, len(best.path) - 1, best.path[-1]
        self.disparities_ = np.where(w > 0, best.disparities, np.nan)
        self.stress_1_ = _stress_1(best.places, best.disparities, w)
        self._map = _along_principal_axes(best.places)
        self._order = _in_order(delta[w > 0], best.disparities[w > 0]) if self.level == "ordinal" else None
        # 5. The other points, each for itself among the landmarks
        if self.n_landmarks is None:
            return self._map
        Y = self._place_among(X, given)
        Y[L] = self._map
        return Y

    def _majorize(self, Z, delta, w):
        """SMACOF from a first map Z."""
        size, path, solve = np.vdot(w, delta**2), [], inverse_of_weights(w)
        while True:
            # 1. Only nonmetric: disparities in place of the dissimilarities
            disparities = delta if self.level == "ratio" else _disparities(delta, Z, w, size)
            # 2. Pull: B Z
            pulled, error = pull(Z, disparities, w)
            path.append(error / size)
            if self._is_at_rest(path):
                return _Run(Z, disparities, np.array(path))
            # 3. Move: Y = V⁺ B Z is the next Z
            Z = solve(pulled)  # (mds-guttman)

    def _is_at_rest(self, path):
        """Whether a run ends: nothing is left of the stress, the last step hardly lowered it, or it was the last."""
        steps = len(path) - 1
        if path[-1] <= _PERFECT or (steps and path[-2] - path[-1] <= self.tol * path[-1]):
            return True
        if steps == self.max_iter:
            warn(f"The stress has not converged in {steps} steps: raise max_iter, or tol (now {self.tol:g}).")
        return steps == self.max_iter

    def _dissimilarities(self, among):
        """Dissimilarities of all pairs (m, m), 0 where one is missing, and which pairs have one."""
        if self.metric == "precomputed":
            known = ~np.isnan(among)
            delta = np.where(known, among, 0)
        else:
            delta = distances_between(among, among, self.metric)
            known = np.ones(delta.shape, dtype=bool)
        require_distinct(len(delta), delta)
        np.fill_diagonal(known, False)
        return delta, known

    def _weights(self, delta, known, given):
        """Weights w (m, m), 0 for pairs without a dissimilarity; those that count connect all landmarks."""
        if given is not None:
            w = given[np.ix_(self.landmarks_, self.landmarks_)]
        elif self.weights == "equal":
            w = np.ones_like(delta)
        else:
            w = _sammon_weights(delta, known)
        w = w * known
        n_groups, _ = connected_components(w > 0)
        if n_groups > 1:
            raise ValueError(f"The pairs that count leave {n_groups} groups of points apart: give more of them.")
        return w

    def _first_maps(self, among, delta, w, n, rng):
        """First maps (m, d): one as ``init`` says, and random ones after it."""
        first = self._first_map(among, delta, w, n, rng)
        yield first
        for _ in range(self.n_init - 1):
            yield _random_map(first.shape, delta, rng)

    def _first_map(self, among, delta, w, n, rng):
        m, d = len(delta), self.n_components
        if not isinstance(self.init, str):
            return given_places(self.init, n, d)[self.landmarks_]
        if self.init == "random":
            return _random_map((m, d or m - 1), delta, rng)
        filled = np.where((w > 0) | np.eye(m, dtype=bool), delta, delta[w > 0].mean())
        Z = points_from_distances(filled, d, among if self.metric == "precomputed" else delta)
        if Z.shape[1] < (d or 1):
            raise ValueError(
                f'n_components={d} is above the {Z.shape[1]} that classical scaling can give: take init="random".'
            )
        return _parted(Z, delta, rng)

    def _place(self, X):
        if self.metric == "precomputed":
            check_not_negative(np.where(np.isnan(X), 0, X))
        else:
            X = self._as_points(X)
        return self._place_among(X)

    def _place_among(self, X, given=None):
        """Each point where its stress with the landmarks is least, with given weights (n, n), or those of its level."""
        Y, L = np.empty((len(X), self._map.shape[1])), self.landmarks_
        for rows in blocks(len(X), len(L)):
            delta = self._from_landmarks(X[rows])
            weights = np.ones(delta.shape) if given is None else given[rows, L]
            counts = ~np.isnan(delta) & (weights > 0)
            if not counts.any(axis=1).all():
                i = rows.start + np.argmin(counts.any(axis=1))
                raise ValueError(f"No dissimilarity between point {i} and the {len(L)} of the map counts: give some.")
            # A point at one of the map takes its place
            same = counts & (delta == 0)
            placed, apart = self._map[same.argmax(axis=1)], ~same.any(axis=1)
            delta, w = np.where(counts, delta, 1)[apart], (weights * counts)[apart]
            if isinstance(self.weights, str) and self.weights == "sammon":
                w = w / delta
            disparities = delta if self.level == "ratio" else np.interp(delta, *self._order)
            placed[apart] = places_among(self._map, disparities, w, self.max_iter)
            Y[rows] = placed
        return Y

    def _from_landmarks(self, X):
        """Dissimilarities (n, m) of points from the landmarks; X holds them if they are given."""
        if self.metric == "precomputed":
            return X[:, self.landmarks_]
        return distances_between(X, self._points, self.metric)

    def _as_points(self, X):
        """The points whose distances count."""
        return directions(X) if self.metric == "cosine" else X

    @property
    def _n_square_matrices(self):
        return _N_MATRICES if self.n_landmarks is None else 0


class _Run(NamedTuple):
    """Where a run of SMACOF ends."""

    places: np.ndarray
    disparities: np.ndarray
    path: np.ndarray  # the stress at the start and after each step


def _checked(X):
    """Given dissimilarities (n, n), NaN where one is missing; one direction will do."""
    square = X.shape[0] == X.shape[1]
    given = np.where(np.isnan(X), X.T, X) if square else X
    missing = np.isnan(given)
    delta = check_dissimilarities(np.where(missing, 0, given))  # which refuses what is not square
    delta[missing] = np.nan
    return delta


def _disparities(delta, Z, w, size):
    """Numbers nearest to the distances in the order of δ, of a fixed size; pairs of equal δ in that of distances."""
    d = np.sqrt(squared_distances_between(Z))
    i, j = np.nonzero(np.triu(w))
    i, j = np.stack([i, j])[:, np.lexsort((d[i, j], delta[i, j]))]
    disparities = np.zeros_like(d)
    nearest = optimize.isotonic_regression(d[i, j], weights=w[i, j]).x  # (mds-monotone)
    disparities[i, j] = disparities[j, i] = nearest
    return disparities * np.sqrt(size / np.vdot(w, disparities**2))  # (mds-normalization)


def _in_order(delta, disparities):
    """Dissimilarities, each once and in order, and the mean disparity of each."""
    levels, level = np.unique(delta, return_inverse=True)
    return levels, np.bincount(level, disparities) / np.bincount(level)


def _stress_1(Y, disparities, w):
    """Kruskal's stress-1 of the disparities times the best factor: the sine of their angle with the distances."""
    d = np.sqrt(squared_distances_between(Y))
    cosine = np.vdot(w * d, disparities) / linalg.norm(np.sqrt(w) * d) / linalg.norm(np.sqrt(w) * disparities)
    return np.sqrt(max(0, 1 - cosine**2))  # (mds-stress-1)


def _given_weights(weights, n):
    w = check_not_negative(symmetrized(weights, "The matrix of weights"))
    if w.shape != (n, n):
        raise ValueError(f"weights has the shape {w.shape}, but {n} points need {(n, n)}.")
    return w


def _sammon_weights(delta, known):
    if (delta[known] == 0).any():
        i, j = np.argwhere(known & (delta == 0))[0]
        raise ValueError(f"The dissimilarity of {i} and {j} is 0, but Sammon's weight divides by it: drop {j}.")
    return 1 / np.where(known, delta, 1)


def _parted(Z, delta, rng):
    """The map, with noise if it puts points together that are not: they would never part."""
    size = map_size(Z)
    together = squared_distances_between(Z) <= (_TOGETHER * size) ** 2
    return Z + _NOISE * size * rng.standard_normal(Z.shape) if (delta[together] > 0).any() else Z


def _random_map(shape, delta, rng):
    """Random places, about as far apart as the dissimilarities say."""
    return delta.mean() / np.sqrt(2 * shape[1]) * rng.standard_normal(shape)


def _along_principal_axes(Y):
    Y = Y - Y.mean(axis=0)
    Y = Y @ linalg.svd(Y, full_matrices=False)[2].T
    return Y * column_signs(Y)
