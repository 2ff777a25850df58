"""Claims about dimred_lessons.engine.tree_search and table_search: they find what sorting all distances does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from dimred_lessons import reference
from dimred_lessons.distances import pair_distances
from dimred_lessons.engine import choice
from dimred_lessons.engine.tree_search import TreeSearch
from dimred_lessons.neighbors import SortedSearch, neighbor_lists

RNG = np.random.default_rng(0)
GRID = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
POINTS = {
    "a grid, many points at the same distance": GRID,
    "a grid in single precision, far from the origin": (GRID + 1e6).astype(np.float32).astype(float),
    "copies": np.repeat(GRID[:6], 5, axis=0),
    "one point, many times": np.ones((12, 3)),
    "three points": np.array([[0.0, 0], [1, 0], [0, 1]]),
    "a cloud": RNG.standard_normal((120, 3)),
    "two clusters, far apart": 1e-4 * RNG.standard_normal((80, 2)) + 1e4 * (np.arange(80) % 2)[:, np.newaxis],
    "tiny numbers": 1e-150 * GRID,
}


def assert_same(found, expected):
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.data, expected.data, rtol=1e-14)


def assert_engine_equals_reference(X, *arguments, **options):
    found = neighbor_lists(X, *arguments, **options)
    with reference():
        assert_same(found, neighbor_lists(X, *arguments, **options))


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
@pytest.mark.parametrize("X", POINTS.values(), ids=POINTS)
def test_engine_equals_reference(X, metric):
    points, new = (X, X[:3]) if metric == "euclidean" else (cdist(X, X), cdist(X[:3], X))
    for k in {1, 2, min(7, len(X) - 1)}:
        assert_engine_equals_reference(points, k, metric=metric)
        assert_engine_equals_reference(points, k, metric=metric, queries=new)
    lengths = cdist(X, X)
    for radius in {1e-300, float(lengths.max()) or 1.0, float(np.median(lengths)) or 1.0}:
        assert_engine_equals_reference(points, radius=radius, metric=metric)
    assert_engine_equals_reference(points, radius=np.sort(lengths, axis=1)[:, 1], metric=metric, queries=new)


@pytest.mark.parametrize("n_features", [2, 20])
def test_a_single_point_is_the_neighbor_of_all_others(n_features):
    only, others = np.zeros((1, n_features)), np.eye(3, n_features)
    assert_engine_equals_reference(only, 1, queries=others)
    np.testing.assert_allclose(
        neighbor_lists(only, 1, queries=others).toarray().ravel(), np.linalg.norm(others, axis=1)
    )


@settings(max_examples=60, deadline=None)
@given(
    arrays(float, st.tuples(st.integers(3, 25), st.integers(1, 3)), elements=st.integers(-2, 2).map(float)),
    st.integers(1, 24),
)
def test_ties_and_copies_are_decided_alike(X, k):
    """Whole numbers: all distances are exact to the last digit of their squares, and most are equal to others."""
    k = min(k, len(X) - 1)
    assert_engine_equals_reference(X, k)
    assert_engine_equals_reference(cdist(X, X), k, metric="precomputed")
    assert_engine_equals_reference(X, radius=1.0)


@pytest.mark.parametrize("X", POINTS.values(), ids=POINTS)
def test_a_tree_searches_within_a_radius_of_each_point(X):
    radius = np.sort(cdist(X, X), axis=1)[:, 1]
    found, expected = (
        search.within(X, radius) for search in (TreeSearch(X, pair_distances), SortedSearch(X, "euclidean"))
    )
    assert set(zip(*found, strict=True)) == set(zip(*expected, strict=True))


def test_the_search_is_chosen_by_what_is_given():
    assert choice.neighbor_search(3, "euclidean") == choice.neighbor_search(15, "cosine") == "tree"
    assert choice.neighbor_search(16, "euclidean") == "products"
    assert choice.neighbor_search(3, "euclidean", same_radius=False) == "products"
    assert choice.neighbor_search(3, "precomputed") == choice.neighbor_search(300, "precomputed", False) == "table"
