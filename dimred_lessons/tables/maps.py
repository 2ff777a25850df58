"""Maps and what can be said of each: which neighbors it keeps, and how far points move on subsets of the rows.

What a map is made of are points, (n, D), or given distances, (n, n), with the metric "precomputed".
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator, clone

from dimred_lessons.classroom.metrics import neighbors_kept
from dimred_lessons.iterative.neighbor_embedding import NeighborEmbedding
from dimred_lessons.spectral.isomap import Isomap
from dimred_lessons.spectral.mds import ClassicalMDS
from dimred_lessons.spectral.pca import PCA
from dimred_lessons.tables.samples import random_rows
from dimred_lessons.tables.shape import FEWEST, Curvature

MAP_ROWS = 1000  # rows of a map, and of the measures that compare all pairs
STABLE = 0.1  # Procrustes error below which maps of subsets agree
_SUBSETS = 6
_NEAR = 10  # neighbors that one looks at on a map


@dataclass
class Map:
    """A map of the table, and beside it the same method's map of a permuted table.

    Parameters
    ----------
    name : str
        What it is called, such as "PCA".
    code : str
        The expression that makes the method.
    rows : array of shape (m,)
        Which of the rows that were examined it shows.
    Y : array of shape (m, 2)
        The map.
    null : array of shape (m, 2), or None
        Its null map; None for given distances, which have no columns to permute.
    kept : array of shape (s,)
        Neighbors kept R(k), at the sizes k of ``sizes``.
    null_kept : array of shape (s,), or None
        The same of the null map.
    band : array of shape (2, s)
        The least and the largest R(k) of the map and of those of four of five rows.
    sizes : array of shape (s,)
    moved : float
        Largest Procrustes error between the map and maps of four of five rows.
    moves : array of shape (m,)
        How far each point was at most from its place on maps of subsets, turned, shifted and scaled to fit.
    method : estimator
        The method, fitted to these rows.
    """

    name: str
    code: str
    rows: np.ndarray
    Y: np.ndarray
    null: np.ndarray | None
    kept: np.ndarray
    null_kept: np.ndarray | None
    band: np.ndarray
    sizes: np.ndarray
    moved: float
    moves: np.ndarray
    method: BaseEstimator

    @property
    def stable(self) -> bool:
        """Whether the maps of subsets agree with it."""
        return self.moved < STABLE

    @property
    def moved_at_most(self) -> float:
        """``moved``, rounded up to two digits."""
        return float(np.ceil(100 * self.moved) / 100)

    @property
    def near(self) -> int:
        """The size of neighborhoods that stands for all: ten, or the largest there is."""
        return int(min(_NEAR, self.sizes[-1]))

    @property
    def slug(self) -> str:
        """Its name as a part of an address."""
        return self.name.replace(" ", "-")

    @property
    def kept_near(self) -> float:
        """Neighbors kept among as many as ``near``."""
        return float(self.kept[self.sizes == self.near][0])

    @property
    def null_kept_near(self) -> float | None:
        """The same of the null map; None if there is none."""
        return None if self.null_kept is None else float(self.null_kept[self.sizes == self.near][0])


def methods_of_maps(
    n: int,
    curvature: Curvature | None,
    *,
    metric: str = "euclidean",
    neighbors_first: bool = False,
    random_state: int = 0,
) -> dict[str, BaseEstimator]:
    """The methods whose maps are compared, by their names: straight axes, before them Isomap, behind them t-SNE.

    Parameters
    ----------
    n : int
        How many rows the maps show; of few, straight axes only.
    curvature : Curvature or None
        Isomap is for what is curved.
    metric : "euclidean" or "precomputed"
        Straight axes are those of PCA, or of classical scaling.
    neighbors_first : bool, default False
        Whether t-SNE comes before all others.
    random_state : int, default 0

    Returns
    -------
    dict of str to estimator
    """
    straight: dict[str, BaseEstimator] = {"PCA": PCA(2)}
    if metric == "precomputed":
        straight = {"classical scaling": ClassicalMDS(metric=metric)}
    if n < FEWEST:
        return straight
    if curvature and curvature.curved:
        isomap = Isomap(n_neighbors=curvature.n_neighbors, metric=metric, disconnected="bridge")
        straight = {"Isomap": isomap} | straight
    perplexity = float(min(30, (n - 1) // 4))
    tsne = {"t-SNE": NeighborEmbedding(perplexity=perplexity, metric=metric, random_state=random_state)}
    return tsne | straight if neighbors_first else straight | tsne


@dataclass
class Subset:
    """Four of five of the rows that maps show.

    Parameters
    ----------
    part : array of shape (p,)
        Places of these rows among the rows of the map.
    X : array of shape (p, D), or distances of shape (p, p) if precomputed
        What a map of them alone is made of.
    """

    part: np.ndarray
    X: np.ndarray


def draw_subsets(
    rows: np.ndarray, of_subset: Callable[[np.ndarray], np.ndarray], rng: np.random.Generator
) -> list[Subset]:
    """Subsets of the rows, the same for all maps.

    Parameters
    ----------
    rows : array of shape (m,)
        Which rows the maps show.
    of_subset : function of an array of rows
        Gives what a map of these rows is made of; where entries are missing, it fills them in from these rows only.
    rng : numpy Generator

    Returns
    -------
    list of six Subset
    """
    count = max(3, 4 * len(rows) // 5)
    parts = [random_rows(len(rows), count, rng) for _ in range(_SUBSETS)]
    return [Subset(part, of_subset(rows[part])) for part in parts]


def make_map(
    name: str,
    method: BaseEstimator,
    X: np.ndarray,
    rows: np.ndarray,
    subsets: list[Subset],
    permuted: np.ndarray | None = None,
    metric: str = "euclidean",
) -> Map:
    """One map with its null map, its measures and its stability.

    Parameters
    ----------
    name : str
    method : estimator
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    rows : array of shape (m,)
        Which rows it shows.
    subsets : list of Subset
        What it is compared with, from `draw_subsets`.
    permuted : array of shape (n, D), optional
        The permuted table, of which the null map is made.
    metric : "euclidean" or "precomputed"

    Returns
    -------
    Map
    """
    A, fitted = of_rows(X, rows, metric), clone(method)
    Y = _placed(fitted, A)
    most = min(max(2, len(A) // 2), len(A) - 2)
    sizes = np.unique([*np.geomspace(1, most, 16).astype(int), min(_NEAR, most)])
    kept = _kept(A, Y, sizes, metric)
    null = null_kept = None
    if permuted is not None:
        null = _placed(clone(method), permuted[rows])
        null_kept = _kept(permuted[rows], null, sizes, metric)
    moved, moves, curves = 0.0, np.zeros(len(A)), [kept]
    for subset in subsets:
        part, some = subset.part, subset.X
        if not (_differ(some, metric) and np.ptp(Y[part], axis=0).any()):
            moved = 1.0
            continue
        again = _placed(clone(method), some)
        error, apart = _fitted_to(Y[part], again)
        moved, moves[part] = max(moved, error), np.maximum(moves[part], apart)
        fits, curve = sizes <= len(part) - 2, kept.copy()
        curve[fits] = _kept(some, again, sizes[fits], metric)
        curves.append(curve)
    band = np.array([np.min(curves, axis=0), np.max(curves, axis=0)])
    code = " ".join(repr(method).split())
    return Map(name, code, rows, Y, null, kept, null_kept, band, sizes, float(moved), moves, fitted)


def of_rows(X: np.ndarray, rows: np.ndarray, metric: str) -> np.ndarray:
    """Points, or given distances, of some rows.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    rows : array of shape (m,)
    metric : "euclidean" or "precomputed"

    Returns
    -------
    array of shape (m, D), or (m, m)
    """
    return X[np.ix_(rows, rows)] if metric == "precomputed" else X[rows]


def _placed(method, X):
    """Fit a map; that pieces of a graph were joined is no surprise on permuted columns and on subsets."""
    if isinstance(method, PCA | ClassicalMDS):  # points on a line have one axis
        Y = method.set_params(n_components=None).fit_transform(X)[:, :2]
        return np.hstack([Y, np.zeros((len(Y), 2 - Y.shape[1]))])
    with warnings.catch_warnings(category=UserWarning, action="ignore"):
        return method.fit_transform(X)


def _differ(X, metric):
    """Whether some pairs are farther apart than others, so that there are neighbors to keep."""
    D = distances_between(X, metric)[np.triu_indices(len(X), 1)]
    return np.ptp(D) > 1e-9 * D.max()


def _fitted_to(Y, Z):
    """Turn, shift and scale a map Z to fit Y: the Procrustes error, and how far each point is from its place."""
    T, Z = Y - Y.mean(axis=0), Z - Z.mean(axis=0)
    Q, overlap = orthogonal_procrustes(Z, T)
    left = T - (overlap / (np.sum(Z**2) or 1.0)) * Z @ Q
    return np.sum(left**2) / np.sum(T**2), np.linalg.norm(left, axis=1)


# ---------------------------------------------------------------------------------------------------------
# Neighbors


def distances_between(X: np.ndarray, metric: str) -> np.ndarray:
    """All distances of points, or the given ones.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    metric : "euclidean" or "precomputed"

    Returns
    -------
    array of shape (n, n)
    """
    return X if metric == "precomputed" else squareform(pdist(X))


def _kept(X, Y, sizes, metric):
    """R(k), its mean over the points; 0 where all are equally far from each other, and none has nearest neighbors."""
    if not _differ(X, metric):
        return np.zeros(len(sizes))
    return neighbors_kept(X, Y, sizes, metric).mean(axis=0)


def nearest(D: np.ndarray, k: int) -> np.ndarray:
    """The k nearest of each object, by their distances.

    Parameters
    ----------
    D : array of shape (n, n)
    k : int

    Returns
    -------
    boolean array of shape (n, n)
        Whether an object of a column is among the k nearest of that of the row; of those at the same distance, the
        first.
    """
    apart = D + 0.0
    np.fill_diagonal(apart, np.inf)
    near = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(near, np.argsort(apart, axis=1, kind="stable")[:, :k], True, axis=1)
    return near
