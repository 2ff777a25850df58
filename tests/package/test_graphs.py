"""Claims about dimred_lessons.graphs and local_fits: neighbors, graphs, Laplacians, reconstruction weights."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import lstsq
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from dimred_lessons import graphs, local_fits, memory, neighbor_search
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.neighbor_search import NeighborSearch

GRID = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
BLOBS = np.random.default_rng(0).random((30, 2)) + np.repeat([[0, 0], [5, 0]], [10, 20], axis=0)


@pytest.fixture(params=["tree", "matrix"])
def search(request, monkeypatch):
    """Both ways to search for neighbors, in several blocks."""
    if request.param == "matrix":
        monkeypatch.setattr(neighbor_search, "TREE_DIMENSIONS", 0)
        monkeypatch.setattr(memory, "BLOCK", 200)


def nearest_by_sorting(D, k):
    """Neighbor lists as a dense array of sets, ties by index."""
    D = D.copy()
    np.fill_diagonal(D, -1)
    return np.sort(np.argsort(D, axis=1, kind="stable")[:, 1 : k + 1], axis=1)


@pytest.mark.parametrize("X", [GRID, np.zeros((12, 2)), np.repeat(GRID[:6], 5, axis=0), swiss_roll(150)[0]])
@pytest.mark.parametrize("k", [1, 4, 7])
def test_neighbors_are_the_nearest_points_and_ties_go_to_the_smaller_index(X, k, search):
    lists = graphs.neighbor_lists(X, k)
    assert np.all(np.diff(lists.indptr) == k)
    np.testing.assert_array_equal(lists.indices.reshape(-1, k), nearest_by_sorting(cdist(X, X), k))
    rows = np.repeat(np.arange(len(X)), k)
    np.testing.assert_allclose(lists.data, np.linalg.norm(X[rows] - X[lists.indices], axis=1), rtol=1e-14)


def test_neighbors_from_distances_are_those_of_the_points():
    by_points, by_distances = (
        graphs.neighbor_lists(GRID, 5),
        graphs.neighbor_lists(cdist(GRID, GRID), 5, metric="precomputed"),
    )
    np.testing.assert_array_equal(by_points.indices, by_distances.indices)


def test_neighbors_of_new_points_may_be_all_points(search):
    lists = graphs.neighbor_lists(GRID, len(GRID), queries=GRID[:3] + 0.1)
    np.testing.assert_allclose(lists.toarray(), cdist(GRID[:3] + 0.1, GRID), rtol=1e-14)


def test_far_from_the_origin_neighbors_are_the_same(search):
    X = swiss_roll(200)[0]
    np.testing.assert_array_equal(
        graphs.neighbor_lists(X + 1e6, 6).indices, graphs.neighbor_lists((X + 1e6) - 1e6, 6).indices
    )


def test_radius_graph_joins_exactly_the_points_within_the_radius(search):
    D = cdist(GRID, GRID)
    expected = (D <= 2) & ~np.eye(len(D), dtype=bool)
    graph = graphs.radius_graph(GRID, 2.0)
    np.testing.assert_array_equal(graph.toarray() > 0, expected)
    assert (graph - graph.T).nnz == 0


def test_union_holds_an_edge_where_either_lists_the_other_and_mutual_where_both_do():
    X = swiss_roll(120)[0]
    lists = graphs.neighbor_lists(X, 5).toarray() > 0
    union, mutual = graphs.knn_graph(X, 5).toarray(), graphs.knn_graph(X, 5, mutual=True).toarray()
    assert (lists != lists.T).any()
    np.testing.assert_array_equal(union > 0, lists | lists.T)
    np.testing.assert_array_equal(mutual > 0, lists & lists.T)
    np.testing.assert_array_equal(union, union.T)


def test_cosine_neighbors_have_the_largest_normalized_dot_products():
    X = np.random.default_rng(1).standard_normal((60, 4))
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    dots = unit @ unit.T
    np.fill_diagonal(dots, -np.inf)
    lists = graphs.neighbor_lists(X, 6, metric="cosine")
    np.testing.assert_array_equal(lists.indices.reshape(-1, 6), np.sort(np.argsort(-dots)[:, :6], axis=1))
    rows = np.repeat(np.arange(60), 6)
    np.testing.assert_allclose(lists.data, np.sqrt(2 - 2 * dots[rows, lists.indices]), atol=1e-12)


def test_edges_between_duplicates_have_length_zero_and_stay():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]])
    graph = graphs.knn_graph(X, 2)
    assert graph.nnz > np.count_nonzero(graph.toarray())
    _, sizes = graphs.graph_components(graph)
    np.testing.assert_array_equal(sizes, [5])
    assert graphs.heat_weights(graph, 1.0)[0, 1] == 1


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
    graph, longest = graphs._bridge(lists, NeighborSearch(D if metric == "precomputed" else X, metric))
    new = graph - lists
    i, j = (tree > 1e-5).nonzero()
    assert set(zip(*new.nonzero())) == set(zip(i, j)) | set(zip(j, i)) and new.nnz == 2 * (len(sizes) - 1)
    np.testing.assert_allclose(graph[i, j], D[i, j], rtol=1e-12)
    np.testing.assert_allclose(longest, D[i, j].max(), rtol=1e-12)


def test_bridges_between_many_components_need_hardly_more_than_one_tree(monkeypatch):
    built = []
    monkeypatch.setattr(neighbor_search, "cKDTree", lambda X: built.append(len(X)) or cKDTree(X))
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


def test_heat_weights_tend_to_binary_weights_as_sigma_grows():
    graph = graphs.knn_graph(swiss_roll(80)[0], 5)
    heat, binary = graphs.heat_weights(graph, 1e6), graphs.heat_weights(graph, np.inf)
    assert np.all(binary.data == 1) and abs(heat - binary).max() < 1e-9
    d = graph.data[0]
    assert np.isclose(graphs.heat_weights(graph, 2.0).data[0], np.exp(-(d**2) / 8))


def test_the_laplacian_is_half_the_weighted_sum_of_squared_differences():
    A = graphs.heat_weights(graphs.knn_graph(swiss_roll(60)[0], 5), 2.0)
    L, degrees = graphs.graph_laplacian(A)
    y = np.random.default_rng(2).standard_normal(60)
    assert np.isclose(y @ L @ y, 0.5 * np.sum(A.toarray() * (y[:, None] - y) ** 2))
    np.testing.assert_allclose(L @ np.ones(60), 0, atol=1e-12)
    np.testing.assert_allclose(degrees, A.toarray().sum(axis=0))
    assert np.linalg.eigvalsh(L.toarray())[0] > -1e-12


def weights_problem(seed=0, n=40, D=5, k=4):
    X = np.random.default_rng(seed).standard_normal((n, D))
    return X, graphs.neighbor_lists(X, k).indices.reshape(n, k)


def test_weights_sum_to_one_and_satisfy_the_optimality_conditions():
    X, neighbors = weights_problem()
    weights = local_fits.reconstruction_weights(X, neighbors, reg=0)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert (weights < 0).any()  # affine, not convex combinations
    for x, P, w in zip(X, X[neighbors], weights):
        gradient = (P - x) @ (P - x).T @ w  # all entries are the multiplier of the constraint
        np.testing.assert_allclose(gradient, gradient.mean(), atol=1e-9)
        differences = P[1:] - P[0]
        best = lstsq(differences.T, x - P[0])[0]  # the constraint eliminated
        np.testing.assert_allclose(w[1:], best, atol=1e-9)


@pytest.mark.parametrize("k", [4, 9])
def test_weights_from_distances_alone_are_those_from_points(k):
    X, neighbors = weights_problem(k=k)
    D = cdist(X, X)
    expected = local_fits.reconstruction_weights(X, neighbors)
    weights = local_fits.reconstruction_weights(D, neighbors, metric="precomputed")
    np.testing.assert_allclose(weights, expected, atol=1e-9)
    Z = X[:7] + 0.1
    np.testing.assert_allclose(
        local_fits.reconstruction_weights(cdist(Z, X), neighbors[:7], metric="precomputed", points=D),
        local_fits.reconstruction_weights(Z, neighbors[:7], points=X),
        atol=1e-9,
    )


def test_weights_survive_rotation_shift_and_scaling_but_not_shear():
    X, neighbors = weights_problem(k=9)
    expected = local_fits.reconstruction_weights(X, neighbors)
    Q = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))[0]
    for moved in (X @ Q, X + 7, 1e-3 * X, 1e5 * X @ Q - 2):
        np.testing.assert_allclose(local_fits.reconstruction_weights(moved, neighbors), expected, atol=1e-8)
    shear = np.eye(5) + np.triu(np.ones((5, 5)), 1)
    assert abs(local_fits.reconstruction_weights(X @ shear, neighbors) - expected).max() > 0.01


def test_little_regularization_gives_the_weights_of_minimum_norm():
    X, neighbors = weights_problem(D=2, k=6)
    weights = local_fits.reconstruction_weights(X, neighbors, reg=1e-10)
    for x, P, w in zip(X, X[neighbors], weights):
        conditions = np.vstack([P.T, np.ones(6)])
        np.testing.assert_allclose(w, lstsq(conditions, np.append(x, 1))[0], atol=1e-5)


def test_neighbors_that_all_coincide_share_the_weight_evenly():
    weights = local_fits.reconstruction_weights(np.zeros((4, 2)), np.array([[1, 2, 3]] * 4))
    np.testing.assert_array_equal(weights, 1 / 3)


def test_neighbor_lists_of_different_lengths_give_rows_that_sum_to_one():
    X = swiss_roll(100)[0]
    lists = graphs.radius_graph(X, 9.0)
    assert len(np.unique(np.diff(lists.indptr))) > 3
    W = local_fits.reconstruction_matrix(X, lists)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    i = 17
    neighbors = lists.indices[lists.indptr[i] : lists.indptr[i + 1]]
    expected = local_fits.reconstruction_weights(X[[i]], neighbors[None], points=X)
    np.testing.assert_allclose(W[[i]][:, neighbors].toarray(), expected)
    with pytest.raises(ValueError, match="Point 0 has no neighbors to rebuild it from"):
        local_fits.reconstruction_matrix(X, graphs.radius_graph(X, 1e-3))


def test_the_cost_matrix_the_loop_and_the_operator_agree():
    X = swiss_roll(90)[0]
    W = local_fits.reconstruction_matrix(X, graphs.neighbor_lists(X, 6))
    M, dense = local_fits.reconstruction_cost(W), W.toarray()
    Y = np.random.default_rng(4).standard_normal((90, 2))
    loop = sum(np.sum((Y[i] - sum(dense[i, j] * Y[j] for j in range(90))) ** 2) for i in range(90))
    assert np.isclose(np.trace(Y.T @ M @ Y), loop)
    np.testing.assert_allclose(M.toarray(), np.eye(90) - dense - dense.T + dense.T @ dense, atol=1e-12)
    np.testing.assert_allclose(local_fits.reconstruction_cost_operator(W) @ Y, M @ Y, atol=1e-12)
    assert W.nnz == 90 * 6 and M.nnz <= 90 * 7**2


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
        (lambda: graphs.neighbor_lists(GRID, radius=1.0, queries=GRID[:2] + [[0], [99]]), "Row 1 of X"),
        (lambda: graphs.heat_weights(graphs.knn_graph(GRID, 3), 0), "sigma=0 must be a positive number"),
        (lambda: graphs.graph_laplacian(sparse.csr_array((3, 3))), "All weights of point 0 are 0"),
        (
            lambda: graphs.graph_laplacian(sparse.csr_array(np.triu(np.ones((3, 3))))),
            r"weights is not sym.* \(0, 1\) is",
        ),
        (lambda: local_fits.reconstruction_weights(GRID, np.zeros((63, 3), int), reg=-1), "reg=-1 must be a number"),
        (lambda: local_fits.reconstruction_weights(GRID, np.zeros((63, 3), int), reg=0), "reg=0 needs k <= n"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
