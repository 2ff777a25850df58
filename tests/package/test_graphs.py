"""Claims about dimred_lessons.graphs: symmetric graphs, their components, and bridges between them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from dimred_lessons import graphs, memory
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.engine import choice, tree_search
from dimred_lessons.laplacians import heat_weights
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists

GRID = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
BLOBS = np.random.default_rng(0).random((30, 2)) + np.repeat([[0, 0], [5, 0]], [10, 20], axis=0)


@pytest.fixture(params=["tree", "matrix"])
def search(request, monkeypatch):
    """Both ways to search for neighbors, in several blocks."""
    if request.param == "matrix":
        monkeypatch.setattr(choice, "TREE_DIMENSIONS", 0)
        monkeypatch.setattr(memory, "BLOCK", 200)


def test_radius_graph_joins_exactly_the_points_within_the_radius(search):
    D = cdist(GRID, GRID)
    expected = (D <= 2) & ~np.eye(len(D), dtype=bool)
    graph = graphs.radius_graph(GRID, 2.0)
    np.testing.assert_array_equal(graph.toarray() > 0, expected)
    assert (graph - graph.T).nnz == 0


def test_a_distance_that_is_stored_in_one_direction_joins_in_both():
    one_way = sparse.csr_array(([1.0, 1.0, 3.0], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
    for graph in (
        graphs.radius_graph(one_way, 2.0, metric="precomputed"),
        graphs.radius_graph(one_way.T, 2.0, "precomputed"),
    ):
        np.testing.assert_array_equal(graph.toarray(), [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])


def test_union_holds_an_edge_where_either_lists_the_other_and_mutual_where_both_do():
    X = swiss_roll(120)[0]
    lists = neighbor_lists(X, 5).toarray() > 0
    union, mutual = graphs.knn_graph(X, 5).toarray(), graphs.knn_graph(X, 5, mutual=True).toarray()
    assert (lists != lists.T).any()
    np.testing.assert_array_equal(union > 0, lists | lists.T)
    np.testing.assert_array_equal(mutual > 0, lists & lists.T)
    np.testing.assert_array_equal(union, union.T)


def test_edges_between_duplicates_have_length_zero_and_stay():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]])
    graph = graphs.knn_graph(X, 2)
    assert graph.nnz > np.count_nonzero(graph.toarray())
    _, sizes = graphs.graph_components(graph)
    np.testing.assert_array_equal(sizes, [5])
    assert heat_weights(graph, 1.0)[0, 1] == 1


def test_components_are_named_with_the_largest_first():
    labels, sizes = graphs.graph_components(graphs.knn_graph(BLOBS, 3))
    np.testing.assert_array_equal(sizes, [20, 10])
    np.testing.assert_array_equal(labels, np.repeat([1, 0], [10, 20]))


def test_a_disconnected_graph_is_refused_with_the_sizes_of_its_components():
    with pytest.raises(ValueError, match=r"n_neighbors=3 splits into 2 components of 20, 10 points: raise n_"):
        graphs.neighborhood_graph(BLOBS, 3)
    with pytest.raises(ValueError, match=r"radius=1.5 splits into 2 components of 20, 10 points: raise rad"):
        graphs.neighborhood_graph(BLOBS, 3, radius=1.5)
    with pytest.raises(ValueError, match=r"splits into 10 components of 2, 2, 2, 2, 2, 2, 2, 2, ... points"):
        graphs.neighborhood_graph(2.0 ** np.repeat(np.arange(10.0), 2)[:, None], 1)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_bridge_joins_the_nearest_points_of_two_components(metric):
    D = cdist(BLOBS, BLOBS)
    with pytest.warns(UserWarning, match="now joined by 1 more edge.s., the longest of length 4.17"):
        graph = graphs.neighborhood_graph(D if metric == "precomputed" else BLOBS, 3, None, metric, "bridge")
    i, j = np.unravel_index(np.argmin(D[:10, 10:]), (10, 20))
    between = graph[:10, 10:]
    assert between.nnz == 1 and np.isclose(between[i, j], D[i, 10 + j]) and graph[10 + j, i] == between[i, j]


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "precomputed"])
@pytest.mark.parametrize("sizes", [(1, 1, 2, 3, 30, 31), (3, 3, 3, 40), (45, 50, 1, 1, 44)])
def test_bridges_are_the_edges_between_components_of_a_shortest_spanning_tree(metric, sizes, search):
    """Each is the shortest edge that leaves a component, so that all of them belong to that tree."""
    rng = np.random.default_rng(3)
    X = np.concatenate([20 * rng.standard_normal(3) + 0.1 * rng.standard_normal((size, 3)) for size in sizes])
    order = rng.permutation(len(X))
    X, groups = X[order], np.repeat(np.arange(len(sizes)), sizes)[order]
    points = X / np.linalg.norm(X, axis=1, keepdims=True) if metric == "cosine" else X
    D = cdist(points, points)
    tree = sparse.csr_array(minimum_spanning_tree(np.where(groups[:, None] == groups, 1e-6, D)))
    lists = sparse.csr_array(np.where((groups[:, None] == groups) & ~np.eye(len(X), dtype=bool), D, 0))
    graph, longest = graphs.bridge(lists, NeighborSearch(D if metric == "precomputed" else X, metric))
    new = graph - lists
    i, j = (tree > 1e-5).nonzero()
    assert set(zip(*new.nonzero())) == set(zip(i, j)) | set(zip(j, i)) and new.nnz == 2 * (len(sizes) - 1)
    np.testing.assert_allclose(graph[i, j], D[i, j], rtol=1e-12)
    np.testing.assert_allclose(longest, D[i, j].max(), rtol=1e-12)


def test_bridges_between_many_components_need_hardly_more_than_one_tree(monkeypatch):
    built = []
    monkeypatch.setattr(tree_search, "cKDTree", lambda X: built.append(len(X)) or cKDTree(X))
    X = np.repeat(100 * np.random.default_rng(0).random((400, 1, 3)), 5, axis=1).reshape(-1, 3)
    X += 0.01 * np.random.default_rng(1).random(X.shape)
    with pytest.warns(UserWarning, match="joined by 399 more edge"):
        graphs.neighborhood_graph(X, 4, disconnected="bridge")
    assert len(built) < 40


def test_many_components_are_bridged_into_one():
    X = 2.0 ** np.repeat(np.arange(10.0), 2)[:, None]
    with pytest.warns(UserWarning, match="joined by 9 more edge.s., the longest of length 256"):
        graph = graphs.neighborhood_graph(X, 1, disconnected="bridge")
    assert len(graphs.graph_components(graph)[1]) == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: graphs.knn_graph(GRID, 63), "63 must be at most 62 .*n_samples=63, n_features=2"),
        (lambda: graphs.knn_graph(GRID, 0), "n_neighbors=0 must be a positive integer"),
        (lambda: graphs.knn_graph(GRID, 2.5), "n_neighbors=2.5 must be a positive integer"),
        (lambda: graphs.radius_graph(GRID, -1.0), "radius=-1.0 must be a positive number"),
        (lambda: graphs.knn_graph(GRID, 3, metric="chess"), "metric='chess' must be "),
        (lambda: graphs.knn_graph(GRID, 3, metric="cosine"), "Row 0 of X is zero, which has no direction"),
        (lambda: graphs.knn_graph(GRID, 3, metric="precomputed"), "The dissimilarity matrix must be square"),
        (lambda: graphs.knn_graph(-np.ones((5, 5)), 3, metric="precomputed"), "the dissimilarity of 0 and 0 is -1"),
        (lambda: graphs.knn_graph(np.ones((5, 5)), 3, metric="precomputed"), "object 0 with itself is 1: the diag"),
        (lambda: graphs.neighborhood_graph(GRID, 3, disconnected="drop"), 'must be "error" or "bridge"'),
        (lambda: graphs.neighborhood_graph(np.ones((20, 3)), 19), "All 20 points coincide"),
        (lambda: neighbor_lists(GRID, radius=1.0, queries=GRID[:2] + [[0], [99]]), "Row 1 of X"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
