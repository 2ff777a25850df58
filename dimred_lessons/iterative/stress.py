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
    METRICS,
    as_points,
    check_dissimilarities,
    check_not_negative,
    require_distinct,
    squared_distances,
    symmetrized,
)
from dimred_lessons.eigenpairs import column_signs
from dimred_lessons.kernels import points_from_distances
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


class StressMDS(Embedding):
    """Place points in d dimensions so that their distances match given dissimilarities, or their order.

    Minimizes the stress Σ_i<j w_ij (d̂_ij − ‖y_i − y_j‖)² / Σ w_ij d̂_ij² by majorization (SMACOF): each step, the
    Guttman transform, minimizes a quadratic function that is nowhere below the stress and touches it where the points
    are, so that the stress never rises. With level "ratio", d̂ are the dissimilarities δ; with "ordinal" (nonmetric
    scaling), numbers in the order of δ that come nearest to the distances, by isotonic regression, before each step.
    Their sum of squares is fixed: otherwise all points would collapse into one, and the numerator would fall to
    zero. Weights 1/δ make it Sammon's mapping. There is no ``transform``: a new point would move all others.

    Parameters
    ----------
    n_components : int or None, default 2
        d, below the number of points; None for as many as have a positive eigenvalue in classical scaling.
    level : "ratio" or "ordinal", default "ratio"
        What is used of the dissimilarities: their ratios, or only their order. Equal ones may get different d̂.
    weights : "equal", "sammon" or array of shape (n_samples, n_samples), default "equal"
        w: 1, 1/δ or given ones, symmetric, nonnegative. A pair of weight 0 does not count.
    init : "classical", "random" or array of shape (n_samples, d), default "classical"
        Initial places: by classical scaling (with the mean for missing dissimilarities), normal random numbers, or
        those of another method.
    n_init : int, default 1
        Number of starts, of which the best result is kept; those after the first one are random.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        Distances of points; if precomputed, X holds dissimilarities of anything, (n, n), NaN where they are missing.
        A dissimilarity given in one direction only counts for both.
    tol : float, default 1e-8
        The iteration ends when a step lowers the stress by less than this fraction of it, or nothing is left of it.
    max_iter : int, default 3000
        Largest number of steps from each start.
    random_state : int, RandomState or None, default 0

    Attributes
    ----------
    stress_ : float
        The stress above, between 0 and 1.
    stress_1_ : float
        Kruskal's stress-1, √(Σ w (d̂ − d)² / Σ w d²) with d̂ of the best size: it has no unit.
    disparities_ : array of shape (n_samples, n_samples), d̂; NaN where no dissimilarity counts
    objective_path_ : array of shape (n_iter_ + 1,)
        The stress along the run that is kept, from its start on; it never rises.
    n_iter_ : int, steps along it; 0 if none was needed
    n_components_ : int, d
    embedding_ : array of shape (n_samples, d), centered, along its principal axes
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if a dissimilarity or a weight is negative or not symmetric, all dissimilarities are 0, a Sammon
        weight belongs to a dissimilarity of 0, or the pairs that count do not connect all points.

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
    _n_square_matrices = 8
    _parameters = {
        "level": partial(check_option, options=("ratio", "ordinal")),
        "weights": partial(check_points, options=("equal", "sammon")),
        "init": partial(check_points, options=("classical", "random")),
        "n_init": check_integer,
        "metric": partial(check_option, options=METRICS),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        level: str = "ratio",
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
        self.weights = weights
        self.init = init
        self.n_init = n_init
        self.metric = metric
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _embed(self, X):
        self._require_components(len(X) - 1, X)
        delta, known = self._dissimilarities(X)
        w = self._weights(delta, known)
        # From each first map: 1. disparities, 2. pull, 3. move, until it no longer helps
        runs = [self._majorize(Z, delta, w) for Z in self._first_maps(X, delta, w)]
        # 4. Choose the end with the least stress
        best = min(runs, key=lambda run: run.path[-1])
        self.objective_path_, self.n_iter_, self.stress_ = best.path, len(best.path) - 1, best.path[-1]
        self.disparities_ = np.where(w > 0, best.disparities, np.nan)
        self.stress_1_ = _stress_1(best.places, best.disparities, w)
        return _along_principal_axes(best.places)

    def _majorize(self, Z, delta, w):
        """SMACOF from a first map Z."""
        size, path = np.vdot(w, delta**2), []
        V = np.diag(w.sum(axis=1)) - w
        factor = linalg.cho_factor(V + np.trace(V) / len(V) ** 2)  # its inverse is V⁺ on everything that is centered
        while True:
            d = np.sqrt(squared_distances(Z))
            # 1. Only nonmetric: disparities in place of the dissimilarities
            disparities = delta if self.level == "ratio" else _disparities(delta, d, w, size)
            path.append(np.vdot(w, (disparities - d) ** 2) / size)  # (mds-stress)
            if self._is_at_rest(path):
                return _Run(Z, disparities, np.array(path))
            # 2. Pull: B Z
            pull = w * np.divide(disparities, d, out=np.zeros_like(d), where=d > 0)
            pulled = pull.sum(axis=1)[:, np.newaxis] * Z - pull @ Z
            # 3. Move: Y = V⁺ B Z is the next Z
            Z = linalg.cho_solve(factor, pulled)  # (mds-guttman)

    def _is_at_rest(self, path):
        """Whether a run ends: nothing is left of the stress, the last step hardly lowered it, or it was the last."""
        steps = len(path) - 1
        if path[-1] <= _PERFECT or (steps and path[-2] - path[-1] <= self.tol * path[-1]):
            return True
        if steps == self.max_iter:
            warn(f"The stress has not converged in {steps} steps: raise max_iter, or tol (now {self.tol:g}).")
        return steps == self.max_iter

    def _dissimilarities(self, X):
        """Dissimilarities of all pairs, 0 where one is missing, and which pairs have one: matrices (n, n)."""
        if self.metric != "precomputed":
            delta = np.sqrt(squared_distances(as_points(X, self.metric)))
            known = np.ones(delta.shape, dtype=bool)
        else:
            square = X.shape[0] == X.shape[1]
            given = np.where(np.isnan(X), X.T, X) if square else X  # one direction will do
            known = ~np.isnan(given)
            delta = check_dissimilarities(np.where(known, given, 0))  # which refuses what is not square
        require_distinct(len(delta), delta)
        np.fill_diagonal(known, False)
        return delta, known

    def _weights(self, delta, known):
        """Weights w (n, n), 0 for pairs without a dissimilarity; those that count connect all points."""
        if not isinstance(self.weights, str):
            w = _given_weights(self.weights, len(delta))
        elif self.weights == "equal":
            w = np.ones_like(delta)
        else:
            w = _sammon_weights(delta, known)
        w = w * known
        n_groups, _ = connected_components(w > 0)
        if n_groups > 1:
            raise ValueError(f"The pairs that count leave {n_groups} groups of points apart: give more of them.")
        return w

    def _first_maps(self, X, delta, w):
        """First maps (n, d): one as ``init`` says, and random ones after it."""
        rng = check_random_state(self.random_state)
        first = self._first_map(X, delta, w, rng)
        yield first
        for _ in range(self.n_init - 1):
            yield _random_map(first.shape, delta, rng)

    def _first_map(self, X, delta, w, rng):
        n, d = len(delta), self.n_components
        if not isinstance(self.init, str):
            return given_places(self.init, n, d)
        if self.init == "random":
            return _random_map((n, d or n - 1), delta, rng)
        filled = np.where((w > 0) | np.eye(n, dtype=bool), delta, delta[w > 0].mean())
        Z = points_from_distances(filled, d, X if self.metric == "precomputed" else delta)
        if Z.shape[1] < (d or 1):
            raise ValueError(
                f'n_components={d} is above the {Z.shape[1]} that classical scaling can give: take init="random".'
            )
        return Z


class _Run(NamedTuple):
    """Where a run of SMACOF ends."""

    places: np.ndarray
    disparities: np.ndarray
    path: np.ndarray  # the stress at the start and after each step


def _disparities(delta, d, w, size):
    """Numbers nearest to the distances in the order of δ, of a fixed size; pairs of equal δ in that of distances."""
    i, j = np.nonzero(np.triu(w))
    i, j = np.stack([i, j])[:, np.lexsort((d[i, j], delta[i, j]))]
    disparities = np.zeros_like(d)
    nearest = optimize.isotonic_regression(d[i, j], weights=w[i, j]).x  # (mds-monotone)
    disparities[i, j] = disparities[j, i] = nearest
    return disparities * np.sqrt(size / np.vdot(w, disparities**2))  # (mds-normalization)


def _stress_1(Y, disparities, w):
    """Kruskal's stress-1 of the disparities times the best factor: the sine of their angle with the distances."""
    d = np.sqrt(squared_distances(Y))
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


def _random_map(shape, delta, rng):
    """Random places, about as far apart as the dissimilarities say."""
    return delta.mean() / np.sqrt(2 * shape[1]) * rng.standard_normal(shape)


def _along_principal_axes(Y):
    Y = Y - Y.mean(axis=0)
    Y = Y @ linalg.svd(Y, full_matrices=False)[2].T
    return Y * column_signs(Y)
