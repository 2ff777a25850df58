"""Stress majorization: places whose distances, not dot products, match the given ones."""

from functools import partial

import numpy as np
from scipy import linalg, optimize
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_random_state

from dimred_lessons.base import Embedding
from dimred_lessons.distances import (
    METRICS,
    as_points,
    check_dissimilarities,
    check_not_negative,
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
    start : "classical", "random" or array of shape (n_samples, d), default "classical"
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
    objective_path_ : array of shape (n_iter_ + 1,), the stress along the run that is kept, from its start on
    n_iter_ : int
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
    """

    _missing = "dissimilarities"
    _n_square_matrices = 8
    _parameters = {
        "level": partial(check_option, options=("ratio", "ordinal")),
        "weights": partial(check_points, options=("equal", "sammon")),
        "start": partial(check_points, options=("classical", "random")),
        "n_init": check_integer,
        "metric": partial(check_option, options=METRICS),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self, n_components=2, level="ratio", weights="equal", start="classical", n_init=1, metric="euclidean",
        tol=1e-8, max_iter=3000, random_state=0,
    ):  # fmt: skip
        self.n_components = n_components
        self.level = level
        self.weights = weights
        self.start = start
        self.n_init = n_init
        self.metric = metric
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _embed(self, X):
        self._require_components(len(X) - 1, X)
        # 1. Dissimilarities of all pairs, and their weights: 0 where one is missing
        delta, w = self._pairs(X)
        # 2. Majorization from each start
        rng = check_random_state(self.random_state)
        first = self._start(X, delta, w, rng)
        others = (_random(first.shape, delta, rng) for _ in range(self.n_init - 1))
        ends = [self._majorize(start, delta, w) for start in (first, *others)]
        # 3. The best end, along its principal axes
        Y, disparities, path = min(ends, key=lambda end: end[2][-1])
        self.objective_path_, self.n_iter_, self.stress_ = np.array(path), max(1, len(path) - 1), path[-1]
        self.disparities_ = np.where(w > 0, disparities, np.nan)
        d = np.sqrt(squared_distances(Y))
        cosine = np.vdot(w * d, disparities) / linalg.norm(np.sqrt(w) * d) / linalg.norm(np.sqrt(w) * disparities)
        self.stress_1_ = np.sqrt(max(0, 1 - cosine**2))  # (mds-stress-1)
        Y -= Y.mean(axis=0)
        Y = Y @ linalg.svd(Y, full_matrices=False)[2].T
        return Y * column_signs(Y)

    def _pairs(self, X):
        """Dissimilarities and weights, matrices (n, n)."""
        known = np.ones((len(X), len(X)), dtype=bool)
        if self.metric != "precomputed":
            delta = np.sqrt(squared_distances(as_points(X, self.metric)))
        elif X.shape == known.shape:
            X = np.where(np.isnan(X), X.T, X)
            known = ~np.isnan(X)
            delta = as_points(np.where(known, X, 0), "precomputed")
        else:
            delta = check_dissimilarities(X)  # which also requires a square matrix
        if not delta.any():
            raise ValueError(f"All {len(X)} points coincide: there is nothing to embed; give points that vary.")
        np.fill_diagonal(known, False)
        if not isinstance(self.weights, str):
            w = check_not_negative(symmetrized(self.weights, "The matrix of weights"))
            if w.shape != delta.shape:
                raise ValueError(f"weights has the shape {w.shape}, but {len(X)} points need {delta.shape}.")
        elif self.weights == "equal":
            w = np.ones_like(delta)
        elif (delta[known] == 0).any():
            i, j = np.argwhere(known & (delta == 0))[0]
            raise ValueError(f"The dissimilarity of {i} and {j} is 0, but Sammon's weight divides by it: drop {j}.")
        else:
            w = 1 / np.where(known, delta, 1)
        w = w * known
        n_groups, _ = connected_components(w > 0)
        if n_groups > 1:
            raise ValueError(f"The pairs that count leave {n_groups} groups of points apart: give more of them.")
        return delta, w

    def _start(self, X, delta, w, rng):
        """Initial places (n, d)."""
        n, d = len(delta), self.n_components
        if not isinstance(self.start, str):
            return given_places(self.start, n, d)
        if self.start == "random":
            return _random((n, d or n - 1), delta, rng)
        filled = np.where((w > 0) | np.eye(n, dtype=bool), delta, delta[w > 0].mean())
        Y = points_from_distances(filled, d, X if self.metric == "precomputed" else delta)
        if Y.shape[1] < (d or 1):
            raise ValueError(
                f"n_components={d} is above the {Y.shape[1]} that classical scaling can give: start at random."
            )
        return Y

    def _majorize(self, Y, delta, w):
        """Places, disparities and the stress on the way there."""
        n, total, path = len(Y), np.vdot(w, delta**2), []
        V = np.diag(w.sum(axis=1)) - w
        factor = linalg.cho_factor(V + np.trace(V) / n**2)  # acts as V⁺ on everything that is centered
        for t in range(self.max_iter + 1):
            d = np.sqrt(squared_distances(Y))
            disparities = delta if self.level == "ratio" else _in_order(delta, d, w, total)
            path.append(np.vdot(w, (disparities - d) ** 2) / total)  # (mds-stress)
            if t and (path[-1] <= _PERFECT or path[-2] - path[-1] <= self.tol * path[-1]):
                break
            if t == self.max_iter:
                warn(f"The stress has not converged in {t} steps: raise max_iter, or tol (now {self.tol:g}).")
                break
            ratios = w * np.divide(disparities, d, out=np.zeros_like(d), where=d > 0)
            Y = linalg.cho_solve(factor, ratios.sum(axis=1)[:, np.newaxis] * Y - ratios @ Y)  # (mds-guttman)
        return Y, disparities, path


def _random(shape, delta, rng):
    """Random places, about as far apart as the dissimilarities say."""
    return delta.mean() / np.sqrt(2 * shape[1]) * rng.standard_normal(shape)


def _in_order(delta, d, w, total):
    """Disparities nearest to the distances, in the order of δ; pairs of equal δ in that of their distances."""
    i, j = np.nonzero(np.triu(w))
    i, j = np.stack([i, j])[:, np.lexsort((d[i, j], delta[i, j]))]
    nearest = optimize.isotonic_regression(d[i, j], weights=w[i, j]).x  # (mds-monotone)
    disparities = np.zeros_like(d)
    disparities[i, j] = disparities[j, i] = nearest
    return disparities * np.sqrt(total / np.vdot(w, disparities**2))  # (mds-normalization)
