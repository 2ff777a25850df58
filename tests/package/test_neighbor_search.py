"""Claims about dimred_lessons.neighbor_search: however the candidates are found, the decision is exact."""

import pickle
from multiprocessing.pool import ThreadPool

import joblib
import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.base import clone

from dimred_lessons import (
    LTSA,
    HessianLLE,
    Isomap,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    SemidefiniteEmbedding,
    distances,
    graphs,
    memory,
    neighbor_search,
)
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.distances import pair_distances
from dimred_lessons.neighbor_search import NeighborSearch
from support.cases import DEFAULTS

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((150, 30))
INTEGERS = RNG.integers(0, 3, (150, 20)).astype(float)  # many points at the same distance
PAIRS = np.repeat(CLOUD[:75], 2, axis=0)
CLUSTERS = 1e-4 * CLOUD + 1e4 * (np.arange(150) % 2)[:, np.newaxis]
SHEET = RNG.random((150, 2)) @ RNG.random((2, 40)) * 1e-3
SHELL = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
POINTS = {
    "a cloud": CLOUD,
    "in single precision": CLOUD.astype(np.float32).astype(float),
    "far from the origin": CLOUD + 1e7,
    "so far that digits are lost": CLOUD + 1e13,
    "two clusters, far apart": CLUSTERS,
    "one point far out": np.vstack([CLOUD, np.full(30, 1e9)]),
    "integers": INTEGERS,
    "integers far from the origin": INTEGERS + 1e6,
    "pairs of copies": PAIRS,
    "one point, many times": np.ones((40, 20)),
    "a thin sheet": SHEET,
    "a shell": SHELL,
    "tiny numbers": 1e-150 * CLOUD,
    "huge numbers": 1e140 * CLOUD,
    "one huge column": CLOUD * np.where(np.arange(30) == 3, 1e8, 1),
    "positive numbers, whose roundings add up": np.abs(CLOUD) + 3,
}


@pytest.fixture(params=POINTS)
def X(request):
    return POINTS[request.param]


@pytest.fixture(params=[2**22, 500])
def block(request, monkeypatch):
    """All queries at once, or a few at a time."""
    monkeypatch.setattr(memory, "BLOCK", request.param)


def all_lengths(X, Q):
    rows, columns = np.divmod(np.arange(len(Q) * len(X)), len(X))
    return pair_distances(X, Q, rows, columns).reshape(len(Q), len(X))


def nearest(lengths, k):
    """The k first columns of each row by length, and by index where lengths are equal, in order of their index."""
    return np.sort(np.argsort(lengths, axis=1, kind="stable")[:, :k], axis=1)


@pytest.mark.parametrize("k", [1, 6, 39])
def test_products_miss_no_neighbor(X, k, block):
    lengths = all_lengths(X, X)
    np.fill_diagonal(lengths, np.inf)
    lists = graphs.neighbor_lists(X, k)
    np.testing.assert_array_equal(lists.indices.reshape(-1, k), nearest(lengths, k))
    np.testing.assert_array_equal(lists.data, np.take_along_axis(lengths, nearest(lengths, k), axis=1).ravel())


def test_products_miss_no_neighbor_of_new_points(X, block):
    Q = np.vstack([X[:9], X[:9] + 1e-3, 1e3 * X[:3], 1e9 * X[:3]])
    lists = graphs.neighbor_lists(X, 6, queries=Q)
    np.testing.assert_array_equal(lists.indices.reshape(-1, 6), nearest(all_lengths(X, Q), 6))


def test_products_miss_no_point_within_a_radius(X, block):
    lengths = all_lengths(X, X)
    radius = float(np.median(lengths)) or 1.0  # the length of a pair: on the boundary
    expected = lengths <= radius
    np.testing.assert_array_equal(
        stored(graphs.neighbor_lists(X, radius=radius)), expected & ~np.eye(len(X), dtype=bool)
    )
    radii = np.sort(lengths, axis=1)[:, 5]
    np.testing.assert_array_equal(stored(graphs.neighbor_lists(X, radius=radii, queries=X[:20])), lengths[:20] <= radii)


def stored(graph):
    """Dense array of booleans: which entries are stored, zeros included."""
    found = np.zeros(graph.shape, bool)
    found[graphs.stored_edges(graph)] = True
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no numbers longer than double precision here")
def test_the_products_are_as_exact_as_is_proved(X, dtype):
    search = neighbor_search.ProductSearch(X)
    search._prepare(dtype)
    Q = np.vstack([X[:20], 1e3 * X[:3]])
    t, scale, _, _ = search._products(Q)
    queries, points = ((A.astype(np.longdouble) - search.center) / search.unit for A in (Q, X))
    exact = (np.sum(points**2, axis=1) - 2 * queries @ points.T) / scale
    assert np.abs(t - exact).max() <= 4 * neighbor_search._gamma(X.shape[1] + 8, dtype)


def test_single_precision_is_used_where_it_is_enough_and_double_where_it_is_not():
    used = {}
    for name in ("a cloud", "far from the origin", "two clusters, far apart"):
        search = neighbor_search.ProductSearch(POINTS[name])
        search.nearest(POINTS[name][:50], 3)
        used[name] = search.points.dtype
    assert used == {
        "a cloud": np.float32,
        "far from the origin": np.float32,
        "two clusters, far apart": np.float64,
    }


def test_little_more_than_the_neighbors_is_compared_by_differences():
    X = RNG.standard_normal((2000, 20))
    search = neighbor_search.ProductSearch(X)
    t, _, _, slack = search._products(X[:100])
    rows, _ = neighbor_search._smallest(t, 10, slack)
    assert len(rows) < 20 * 100


def test_each_kind_of_points_has_its_search():
    kinds = [
        NeighborSearch(CLOUD[:, :3]).suited(),
        NeighborSearch(CLOUD).suited(),
        NeighborSearch(CLOUD[:, :3]).suited(by_tree=False),
        NeighborSearch(1 - np.eye(4), "precomputed").suited(),
    ]
    assert [type(kind).__name__ for kind in kinds] == ["TreeSearch", "ProductSearch", "ProductSearch", "TableSearch"]


def test_blocks_cut_rows_without_gaps():
    for n_rows, row_size in ((10, 1), (10, memory.BLOCK), (memory.BLOCK + 1, 1), (0, 5), (7, 0)):
        covered = [i for part in memory.blocks(n_rows, row_size) for i in range(part.start, part.stop)]
        assert covered == list(range(n_rows))


# --- One search for all questions

ROLL, NEW = swiss_roll(200)[0], swiss_roll(20, random_state=1)[0]
SEARCHING = [
    LTSA(),
    HessianLLE(),
    Isomap(),
    Isomap(n_landmarks=50, random_state=0),
    LaplacianEigenmaps(),
    LaplacianEigenmaps(radius=7.0),
    LocallyLinearEmbedding(),
    SemidefiniteEmbedding(n_components=1, n_neighbors=6, angles=False, n_landmarks=10, tol=1e-2),
]
every_searching_method = pytest.mark.parametrize("method", SEARCHING, ids=str)


@pytest.fixture
def trees(monkeypatch):
    """The size of every tree of these points that is built, and of every question to one, with its threads."""
    noted = {"built": [], "asked": [], "threads": set()}

    class Noted(cKDTree):
        def __init__(self, X):
            noted["built"].append(len(X))
            super().__init__(X)

        def query(self, Q, *arguments, workers):
            noted["asked"].append(len(Q))
            noted["threads"].add(workers)
            return super().query(Q, *arguments, workers=workers)

        def query_ball_point(self, Q, *arguments, workers):
            noted["asked"].append(len(Q))
            noted["threads"].add(workers)
            return super().query_ball_point(Q, *arguments, workers=workers)

    monkeypatch.setattr(neighbor_search, "cKDTree", Noted)
    return noted


def test_every_method_that_takes_jobs_is_tried_here():
    taking = {type(case.method) for case in DEFAULTS if "n_jobs" in case.method.get_params()}
    assert taking == {type(method) for method in SEARCHING}


@every_searching_method
def test_new_points_ask_the_tree_that_the_fit_has_built(method, trees):
    fitted = clone(method).fit(ROLL)
    assert trees["built"].count(len(ROLL)) <= 1 + isinstance(method, SemidefiniteEmbedding)  # which looks for copies
    trees["built"].clear(), trees["asked"].clear()
    for part in np.split(NEW, 5):
        fitted.transform(part)
    assert trees["built"] == [] and set(trees["asked"]) == {4}


@every_searching_method
def test_a_copy_of_a_fitted_method_places_points_as_the_method_does_and_carries_no_tree(method):
    fitted = clone(method).fit(ROLL)
    before, placed = len(pickle.dumps(fitted)), fitted.transform(NEW)
    stored = pickle.dumps(fitted)
    assert len(stored) == before
    np.testing.assert_array_equal(pickle.loads(stored).transform(NEW), placed)
    np.testing.assert_array_equal(clone(fitted).fit(ROLL).transform(NEW), placed)


@every_searching_method
def test_one_thread_searches_unless_more_are_asked_for(method, trees):
    for asked, threads in ((None, 1), (1, 1), (2, 2), (-1, joblib.cpu_count())):
        trees["threads"].clear()
        clone(method).set_params(n_jobs=asked).fit(ROLL).transform(NEW)
        assert trees["threads"] == {threads}
    trees["threads"].clear()
    with joblib.parallel_config(backend="threading", n_jobs=3):
        clone(method).fit(ROLL).transform(NEW)
    assert trees["threads"] == {3}


def test_threads_may_share_a_search(block):
    X = np.vstack([CLOUD, CLUSTERS])  # for which single precision turns out to be too coarse
    expected = [graphs.neighbor_lists(X, 5, queries=part) for part in np.split(X, 10)]
    search = NeighborSearch(X)
    with ThreadPool(4) as pool:
        found = pool.map(lambda part: graphs.neighbor_lists(search, 5, queries=part), np.split(X, 10))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.data, theirs.data)


@pytest.mark.parametrize(
    "method", [LocallyLinearEmbedding(), LTSA(), HessianLLE(), LaplacianEigenmaps(), Isomap()], ids=str
)
def test_a_matrix_of_distances_is_checked_once_in_a_fit_and_not_again(method, monkeypatch):
    D, checked = cdist(ROLL, ROLL), []
    original = distances.check_dissimilarities
    monkeypatch.setattr(distances, "check_dissimilarities", lambda D: checked.append(D) or original(D))
    fitted = clone(method).set_params(metric="precomputed", radius=9.0).fit(D)
    assert len(set(np.diff(fitted.graph_.indptr))) > 20 and len(checked) == 1
    placed = fitted.transform(D[:7])
    assert len(checked) == 1
    np.testing.assert_allclose(placed, fitted.embedding_[:7], atol=1e-6)
