"""What the points are like: groups with a valley between them, how many dimensions, and whether they are curved."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.spectral.isomap import Isomap
from dimred_lessons.spectral.mds import ClassicalMDS
from dimred_lessons.spectral.pca import PCA
from dimred_lessons.tables.samples import random_rows

_NULL_CLOUDS = 99
_APART = 1e6  # ratio of densities from which there is nothing between groups
_MOST = 1000  # points among which hills are looked for
_SMALLEST = 0.03  # share of the rows that a group has at least
_VALLEY = np.log(3.0)  # the density between groups is at most a third of that of the sparser one
_KEPT = {1: 0.03, 2: 0.1}  # residual variance below which so many axes keep distances
_CLEAR = 0.5  # gain of bent axes that need not be compared
_NOT_KEPT = 0.2  # residual variance above which they do not
_LINE = 1.5  # dimension below which points lie along a line
FLAT_TABLES = 19
_LANDMARKS = 200  # points from which distances along a graph are measured
_SCALES = (10, 20, 40)  # sizes of neighborhoods in which the dimension is estimated
MOST_AXES = 5  # in which groups are looked for
FEWEST = 30  # rows that it takes to speak of groups or of a dimension, and to draw a map of neighbors


@dataclass
class Groups:
    """Hills of the density, between which there is a valley deeper than chance makes.

    Parameters
    ----------
    labels : array of shape (n,)
        The group of each row, 0 for the largest.
    sizes : list of int
        How many rows each has, the largest first; one number if there are no groups.
    depth : float
        How many times as dense as the valley before it the least separated of the other hills is; at most a million,
        which stands for a valley without points.
    chance : float
        The largest such number among clouds that fill a cube of as many dimensions evenly.
    """

    labels: np.ndarray
    sizes: list[int]
    depth: float
    chance: float

    @property
    def separated(self) -> bool:
        """Whether there is nothing between any two of them."""
        return self.depth >= _APART


def find_groups(Y: np.ndarray, random_state: int = 0) -> Groups | None:
    """Groups among points of few dimensions, compared with clouds that have none.

    The density at a point is estimated from the distance of its k-th neighbor, k = √n. Going down from the top, a
    point joins the highest hill among its neighbors; where hills meet is the valley between them. A hill counts if
    its top is higher above the valley than that of any second hill of 99 clouds that fill a cube evenly, at least
    three times as dense, and if it has at least 3% of the points. Which hill a point in a valley belongs to is then
    decided by a vote of its neighbors, from the top down again. Of more than 1,000 points a random 1,000 are looked
    at, and the others join the nearest.

    Parameters
    ----------
    Y : array of shape (n, d)
    random_state : int, default 0

    Returns
    -------
    Groups, or None if there are too few different points to say

    References
    ----------
    Chazal, Guibas, Oudot and Skraba (2013), Persistence-based clustering in Riemannian manifolds.
    """
    if len(Y) < FEWEST or len(np.unique(Y.round(9), axis=0)) < 0.9 * len(Y):
        return None
    everyone = Y
    Y = Y[random_rows(len(Y), _MOST, np.random.default_rng(random_state))]
    n, d = Y.shape
    m = min(float(d), max(1.0, dimension(Y, min(20, n // 3))))
    least, surroundings = _VALLEY, _surroundings(Y, m)
    labels, depths = _hills(Y, least, surroundings)
    if len(set(labels)) > 1:  # else chance need not be asked
        least = max(_depth_by_chance(n, int(m + 0.25), random_state), _VALLEY)
        labels, depths = _hills(Y, least, surroundings)
        labels = _by_vote(labels, surroundings)
    labels = labels[KDTree(Y).query(everyone)[1]]
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    depth = sorted(depths, reverse=True)[max(0, len(sizes) - 2)] if depths else 0.0
    return Groups(
        np.argsort(order)[labels],
        sizes[order].tolist(),
        float(min(np.exp(min(depth, 50.0)), _APART)),
        float(np.exp(least)),
    )


@cache
def _depth_by_chance(n, d, random_state):
    """The highest second hill, in logarithms of densities, of points that fill a cube evenly."""
    rng = np.random.default_rng([random_state, n, d])
    clouds = (rng.uniform(size=(n, d)) for _ in range(_NULL_CLOUDS))
    return max(max(_hills(Y, np.inf, _surroundings(Y, d))[1], default=0.0) for Y in clouds)


def _hills(Y, least, surroundings):
    """The hill of each point, those lower than ``least`` joined to others; how high all but the first one are."""
    n = len(Y)
    neighbors, near, height = surroundings
    both = [set(row) for row in near.tolist()]
    for i, row in enumerate(near.tolist()):
        for j in row:
            both[j].add(i)
    top, parent, size, heights = np.full(n, -1), np.arange(n), np.ones(n, dtype=int), []

    def root(i):
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    for i in np.argsort(-height, kind="stable"):
        higher = [j for j in both[i] if top[j] >= 0]
        top[i] = i
        if not higher:
            continue
        hills = sorted({root(j) for j in higher}, key=lambda j: -height[j])
        main = hills[0]
        parent[i], size[main] = main, size[main] + 1
        for hill in hills[1:]:
            if size[hill] >= _SMALLEST * n:
                heights.append(height[hill] - height[i])
            if height[hill] - height[i] < least or size[hill] < _SMALLEST * n:
                parent[hill], size[main] = main, size[main] + size[hill]
    pieces = np.bincount(connected_components(neighbors, directed=False)[1])
    heights += [np.inf] * (np.count_nonzero(pieces >= _SMALLEST * n) - 1)
    return _without_strays(np.array([root(i) for i in range(n)]), Y), heights


def _surroundings(Y, m):
    """The graph of neighbors, k = √n, their numbers, and logarithms of densities from the distance of the k-th one."""
    n = len(Y)
    k = int(np.clip(round(np.sqrt(n)), 8, 40))
    neighbors = neighbor_lists(Y, k)
    radii = neighbors.data.reshape(n, k).max(axis=1)
    return neighbors, neighbors.indices.reshape(n, k), -m * np.log(np.maximum(radii, 1e-300))


def _by_vote(labels, surroundings):
    """Each point below a top goes where most of its denser neighbors are: the highest hill alone would get valleys."""
    _, near, height = surroundings
    voted = np.full(len(labels), -1)
    for i in np.argsort(-height, kind="stable"):
        voters = voted[near[i]]
        voters = voters[voters >= 0]
        voted[i] = np.bincount(voters).argmax() if len(voters) else labels[i]
    return voted


def _without_strays(labels, Y):
    """Hills that are too small to be groups, and that no edge joins to others, go to the nearest one."""
    names, sizes = np.unique(labels, return_counts=True)
    large = names[sizes >= _SMALLEST * len(Y)]
    if len(large) < len(names):
        centers = np.stack([Y[labels == name].mean(axis=0) for name in large])
        for name in set(names) - set(large):
            inside = labels == name
            labels[inside] = large[np.argmin(np.linalg.norm(centers - Y[inside].mean(axis=0), axis=1))]
    return labels


def dimension(X: np.ndarray, n_neighbors: int, metric: str = "euclidean") -> float:
    """Intrinsic dimension, from how fast the distances to neighbors grow.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    n_neighbors : int
        k
    metric : "euclidean" or "precomputed", default "euclidean"

    Returns
    -------
    float
        NaN if more than half of the points have copies, whose distances say nothing; points with copies are left out.

    References
    ----------
    Equation (graphs-mle).
    """
    T = np.sort(neighbor_lists(X, n_neighbors, metric=metric).data.reshape(-1, n_neighbors), axis=1)
    T = T[T[:, 0] > 0]
    growth = np.mean(np.log(T[:, -1:] / T[:, :-1])) if 2 * len(T) > len(X) else 0.0
    return float(1 / growth) if growth else float("nan")


def dimensions(X: np.ndarray, metric: str = "euclidean") -> dict[int, float]:
    """Intrinsic dimension by the size of the neighborhoods: 10, 20 and 40 of enough points.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    metric : "euclidean" or "precomputed", default "euclidean"

    Returns
    -------
    dict of int to float
    """
    return {k: dimension(X, k, metric) for k in _SCALES if k < len(X) // 3}


@dataclass
class Curvature:
    """How well straight and bent axes keep the distances along the points.

    Parameters
    ----------
    n_components : int
        How many axes both have.
    n_neighbors : int
        Size of the neighborhoods of the graph along whose edges distances are measured.
    bent : float
        Residual variance of Isomap: 1 − r² between distances along the graph and on the map.
    straight : float
        The same of PCA, or of classical scaling.
    gain_by_chance : float or None
        The largest ``gain`` of 19 flat tables; None where it was not asked for, because the other two decide.
    """

    n_components: int
    n_neighbors: int
    bent: float
    straight: float
    gain_by_chance: float | None = None

    @property
    def gain(self) -> float:
        """How much better than straight axes bent ones keep distances."""
        return self.straight - self.bent

    @property
    def keeps(self) -> bool:
        """Whether bent axes keep distances; one axis has to do it better, as two or three groups in a row do nearly."""
        return self.bent < _KEPT[self.n_components]

    @property
    def may_be_curved(self) -> bool:
        """Whether bent axes keep distances, and straight ones clearly less."""
        return self.keeps and self.straight > _NOT_KEPT

    @property
    def curved(self) -> bool:
        """Whether, besides, they gain more than half of the variance, or more than in any flat table."""
        by_chance = self.gain_by_chance
        return self.may_be_curved and (self.gain > _CLEAR or (by_chance is not None and self.gain > by_chance))


def curvature(
    X: np.ndarray,
    n_components: int,
    sizes: Sequence[int] = (8, 5, 4, 3),
    metric: str = "euclidean",
    random_state: int = 0,
) -> Curvature:
    """Compare Isomap and PCA, or classical scaling of distances, by the distances along the points.

    On a flat cloud a path along edges is longer than the straight line as well, and the more so, the fewer neighbors
    there are, or where there are gaps between groups. So a small gain must be larger than in flat tables of the same
    kind: the first components of the table, and the others with their rows permuted, so that they are noise around
    the plane that the first ones span. (A large one need not: what is rolled up within that plane stays so.)

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    n_components : 1 or 2
    sizes : sequence of int, default (8, 5, 4, 3)
        Sizes of neighborhoods to try: large ones leap from sheet to sheet where points are sparse. The first one in
        which Isomap keeps distances decides, or else that in which it keeps them best.
    metric : "euclidean" or "precomputed"
    random_state : int, default 0
        Draws the flat tables, and of more than 200 points the landmarks, from which distances are measured.

    Returns
    -------
    Curvature
    """
    scores = (PCA(None) if metric == "euclidean" else ClassicalMDS(None, metric=metric)).fit_transform(X)
    plane, rest = scores[:, :n_components], scores[:, n_components:]
    found: list[Curvature] = []
    for k in sizes:
        found.append(_bent_and_straight(X, plane, k, metric, random_state))
        if found[-1].keeps:
            break
    best = min(found, key=lambda one: one.bent)
    if not best.may_be_curved or best.gain > _CLEAR:
        return best
    rng = np.random.default_rng(random_state)
    flat = (np.hstack([plane, rng.permutation(rest)]) for _ in range(FLAT_TABLES))
    gains = [_bent_and_straight(T, plane, best.n_neighbors, "euclidean", random_state).gain for T in flat]
    return replace(best, gain_by_chance=max(gains))


def find_curvature(X: np.ndarray, dimension: float, metric: str = "euclidean", random_state: int = 0) -> Curvature:
    """Curvature with one axis, or with two if one does not do and the points are no line.

    What looks like a sheet may be a line with noise, if there are many points: one axis is tried first.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    dimension : float
        The smallest estimate of the dimension, at several sizes of neighborhoods.
    metric : "euclidean" or "precomputed"
    random_state : int, default 0

    Returns
    -------
    Curvature
    """
    along_a_line = curvature(X, 1, metric=metric, random_state=random_state)
    if along_a_line.curved or dimension < _LINE:
        return along_a_line
    return curvature(X, 2, metric=metric, random_state=random_state)


def _bent_and_straight(X, plane, k, metric, random_state):
    """Residual variances of Isomap, and of given coordinates, between distances along a graph and on the map."""
    n_landmarks = _LANDMARKS if len(X) > _LANDMARKS else None
    isomap = Isomap(
        plane.shape[1],
        n_neighbors=k,
        n_landmarks=n_landmarks,
        metric=metric,
        disconnected="bridge",
        random_state=random_state,
    )
    with warnings.catch_warnings(category=UserWarning, action="ignore"):  # of pieces that were joined
        isomap.fit(X)
    along, starts = isomap.geodesic_distances_.ravel(), isomap.landmarks_
    on_maps = (cdist(Y[starts], Y).ravel() for Y in (isomap.embedding_, plane))
    bent, straight = (float(1 - np.corrcoef(along, on_map)[0, 1] ** 2) for on_map in on_maps)
    return Curvature(plane.shape[1], k, bent, straight)
