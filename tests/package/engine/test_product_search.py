"""Claims about dimred_lessons.engine.product_search: it finds what sorting all distances finds."""

import numpy as np
import pytest

from dimred_lessons import memory, reference
from dimred_lessons.distances import pair_distances
from dimred_lessons.edges import stored_edges
from dimred_lessons.engine.product_search import ProductSearch, rounding_share
from dimred_lessons.neighbors import neighbor_lists

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
    lists = neighbor_lists(X, k)
    np.testing.assert_array_equal(lists.indices.reshape(-1, k), nearest(lengths, k))
    np.testing.assert_array_equal(lists.data, np.take_along_axis(lengths, nearest(lengths, k), axis=1).ravel())


def test_products_miss_no_neighbor_of_new_points(X, block):
    Q = np.vstack([X[:9], X[:9] + 1e-3, 1e3 * X[:3], 1e9 * X[:3]])
    lists = neighbor_lists(X, 6, queries=Q)
    np.testing.assert_array_equal(lists.indices.reshape(-1, 6), nearest(all_lengths(X, Q), 6))


def test_products_miss_no_point_within_a_radius(X, block):
    lengths = all_lengths(X, X)
    radius = float(np.median(lengths)) or 1.0  # the length of a pair: on the boundary
    expected = lengths <= radius
    np.testing.assert_array_equal(stored(neighbor_lists(X, radius=radius)), expected & ~np.eye(len(X), dtype=bool))
    radii = np.sort(lengths, axis=1)[:, 5]
    np.testing.assert_array_equal(stored(neighbor_lists(X, radius=radii, queries=X[:20])), lengths[:20] <= radii)


def stored(graph):
    """Dense array of booleans: which entries are stored, zeros included."""
    found = np.zeros(graph.shape, bool)
    found[stored_edges(graph)] = True
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no numbers longer than double precision here")
def test_the_products_are_as_exact_as_is_proved(X, dtype):
    search = ProductSearch(X, pair_distances, dtype)
    Q = np.vstack([X[:20], 1e3 * X[:3]])
    found = search.products(Q)
    queries, points = ((A.astype(np.longdouble) - search.center) / search.unit for A in (Q, X))
    exact = (np.sum(points**2, axis=1) - 2 * queries @ points.T) / found.scale
    assert np.abs(found.t - exact).max() <= 4 * rounding_share(X.shape[1] + 8, dtype)


def test_single_precision_is_used_where_it_is_enough_and_double_where_it_is_not():
    used = {}
    for name in ("a cloud", "far from the origin", "two clusters, far apart"):
        search = ProductSearch(POINTS[name], pair_distances)
        search.nearest(POINTS[name][:50], 3)
        used[name] = search.points.dtype
    assert used == {
        "a cloud": np.float32,
        "far from the origin": np.float32,
        "two clusters, far apart": np.float64,
    }


def test_little_more_than_the_neighbors_is_compared_by_differences():
    X = RNG.standard_normal((2000, 20))
    search = ProductSearch(X, pair_distances)
    _, lengths = search.nearest(X[:100], 10)
    assert np.isfinite(lengths).sum() < 20 * 100


@pytest.mark.parametrize("k", [1, 6])
def test_engine_equals_reference(X, k):
    found = neighbor_lists(X, k), neighbor_lists(X, k, queries=X[:20] + 1e-3), neighbor_lists(X, radius=1.0)
    with reference():
        expected = neighbor_lists(X, k), neighbor_lists(X, k, queries=X[:20] + 1e-3), neighbor_lists(X, radius=1.0)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.indptr, theirs.indptr)
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.data, theirs.data)
