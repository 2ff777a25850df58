"""Claims about dimred_lessons.geodesics: shortest paths by elimination and by Dijkstra, and edge lengths."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import dijkstra, floyd_warshall
from scipy.spatial.distance import cdist

from dimred_lessons import geodesics, graphs
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.engine.separators import separator_size

GRID = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
ROLL = swiss_roll(150)[0]
BLOBS = np.concatenate([ROLL[:40], ROLL[40:90] + 1000, ROLL[90:100] + 2000])
COPIES = np.repeat(ROLL[:40], 3, axis=0)
CUBE = np.random.default_rng(0).random((200, 6))
GRAPHS = {
    "a roll": graphs.knn_graph(ROLL, 8),
    "a grid, many paths of the same length": graphs.radius_graph(GRID, 1.0),
    "three components": graphs.knn_graph(BLOBS, 6),
    "edges of length zero": graphs.knn_graph(COPIES, 6),
    "a cube that no small set cuts": graphs.knn_graph(CUBE, 12),
    "a chain": graphs.knn_graph(np.arange(30.0)[:, np.newaxis] ** 2, 2),
    "vertices without edges": graphs.radius_graph(ROLL, 4.0),
    "no edges": sparse.csr_array((7, 7)),
}


@pytest.fixture(params=["elimination", "Dijkstra"])
def way(request, monkeypatch):
    """Both ways to all pairs."""
    monkeypatch.setattr(geodesics, "_SEPARATOR_CUBED", np.inf if request.param == "elimination" else -1)
    return request.param


@pytest.fixture(params=GRAPHS)
def graph(request):
    return GRAPHS[request.param]


def test_geodesics_are_those_of_floyd_and_exactly_symmetric(graph, way):
    G = geodesics.geodesic_distances(graph)
    np.testing.assert_allclose(G, floyd_warshall(graph), rtol=1e-13)
    np.testing.assert_array_equal(G, G.T)
    assert not G.diagonal().any()


def test_elimination_and_dijkstra_differ_by_the_rounding_of_their_sums_only(graph):
    G, expected = geodesics._by_elimination(graph, verbose=False), dijkstra(graph)
    np.testing.assert_array_equal(np.isinf(G), np.isinf(expected))
    finite = np.isfinite(G)
    assert np.abs(G[finite] - expected[finite]).max() <= 4e-15 * expected[finite].max()
    np.testing.assert_array_equal(G == 0, expected == 0)


def test_whole_lengths_are_added_without_rounding(way):
    graph = GRAPHS["a grid, many paths of the same length"]
    steps = np.abs(GRID[:, np.newaxis] - GRID).sum(axis=2)
    np.testing.assert_array_equal(geodesics.geodesic_distances(graph), steps)


def test_paths_from_landmarks_are_rows_of_all_paths(graph, way):
    G = geodesics.geodesic_distances(graph)
    np.testing.assert_allclose(geodesics.geodesic_distances(graph, [5, 3]), G[[5, 3]], rtol=1e-13)


def test_copies_of_a_point_have_the_same_distances_from_everything(way):
    G = geodesics.geodesic_distances(GRAPHS["edges of length zero"])
    np.testing.assert_allclose(G[::3], G[1::3], rtol=1e-14)
    assert not G[0, :3].any()


def test_elimination_is_chosen_where_few_vertices_cut_the_graph(monkeypatch):
    chosen = []
    monkeypatch.setattr(geodesics, "_by_elimination", lambda *_: chosen.append("elimination"))
    monkeypatch.setattr(geodesics, "_by_dijkstra", lambda *_: chosen.append("Dijkstra"))
    rng = np.random.default_rng(0)
    for X in (ROLL, rng.random((1000, 2)), rng.random((1000, 3)), rng.random((1000, 6))):
        geodesics.geodesic_distances(graphs.knn_graph(X, 12))
    geodesics.geodesic_distances(graphs.knn_graph(ROLL, 8), [0])
    assert chosen == ["elimination", "elimination", "elimination", "Dijkstra", "Dijkstra"]
    assert separator_size(graphs.knn_graph(np.arange(100.0)[:, np.newaxis], 2)) <= 3


def test_geodesics_obey_the_triangle_inequality(way):
    G = geodesics.geodesic_distances(GRAPHS["a roll"])
    assert np.all(cdist(ROLL, ROLL) - 1e-12 <= G)
    assert np.all(G[:, None, :] + G[None, :, :] >= G[:, :, None] - 1e-9)


def test_geodesics_do_not_depend_on_the_number_of_processes(way):
    graph = GRAPHS["a roll"]
    G = geodesics.geodesic_distances(graph)
    np.testing.assert_array_equal(G, geodesics.geodesic_distances(graph, n_jobs=2))


def test_shortest_paths_show_their_progress_if_asked(capsys, way):
    graph = GRAPHS["a roll"]
    G = geodesics.geodesic_distances(graph, verbose=True)
    assert "Shortest paths: 100%" in capsys.readouterr().err
    np.testing.assert_array_equal(G, geodesics.geodesic_distances(graph))
    assert capsys.readouterr().err == ""


def test_one_way_edges_are_refused_between_all_pairs():
    one_way = sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
    np.testing.assert_array_equal(geodesics.geodesic_distances(one_way, [0]), [[0, 1, 3]])
    with pytest.raises(ValueError, match="not symmetric: symmetrize it, or give the starting points in indices"):
        geodesics.geodesic_distances(one_way)


def test_geodesics_of_new_points_run_through_their_neighbors():
    X, Z = ROLL[:120], ROLL[120:]
    G = geodesics.geodesic_distances(graphs.knn_graph(X, 8))[::4]
    lists = graphs.neighbor_lists(X, radius=9.0, queries=Z)
    assert len(np.unique(np.diff(lists.indptr))) > 3
    expected = [np.min(lists[[i]].data + G[:, lists[[i]].indices], axis=1) for i in range(len(Z))]
    np.testing.assert_array_equal(geodesics.geodesics_of_new_points(lists, G.T), expected)


def test_conformal_lengths_divide_by_the_spacing_of_both_ends():
    X = swiss_roll(80)[0]
    lists = graphs.neighbor_lists(X, 4)
    M = np.sort(cdist(X, X), axis=1)[:, 1:5].mean(axis=1)
    np.testing.assert_allclose(geodesics.mean_neighbor_distances(lists), M)
    expected = lists.toarray() / np.sqrt(np.outer(M, M))
    np.testing.assert_allclose(geodesics.conformal_lengths(lists, M, M).toarray(), expected)
    with pytest.raises(ValueError, match="Point 0 coincides with all its neighbors"):
        geodesics.conformal_lengths(lists, np.zeros(80), M)
