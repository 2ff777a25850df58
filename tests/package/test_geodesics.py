"""Claims about dimred_lessons.geodesics: shortest paths, whichever way they are found."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import cdist

from dimred_lessons import geodesics, graphs, reference
from dimred_lessons.engine import choice
from dimred_lessons.neighbors import neighbor_lists
from support.graphs import GRAPHS, GRID, ROLL


@pytest.fixture(params=["elimination", "Dijkstra", "reference"])
def way(request, monkeypatch):
    """All ways to all pairs."""
    monkeypatch.setattr(choice, "SEPARATOR_CUBED", np.inf if request.param == "elimination" else -1)
    with reference() if request.param == "reference" else nullcontext():
        yield request.param


@pytest.fixture(params=GRAPHS)
def graph(request):
    return GRAPHS[request.param]


def test_geodesics_are_those_of_floyd_and_exactly_symmetric(graph, way):
    G = geodesics.geodesic_distances(graph)
    np.testing.assert_allclose(G, floyd_warshall(graph), rtol=1e-13)
    np.testing.assert_array_equal(G, G.T)
    assert not G.diagonal().any()


def test_whole_lengths_are_added_without_rounding(way):
    graph = GRAPHS["a grid, many paths of the same length"]
    steps = np.abs(GRID[:, np.newaxis] - GRID).sum(axis=2)
    np.testing.assert_array_equal(geodesics.geodesic_distances(graph), steps)


def test_paths_from_landmarks_are_rows_of_all_paths(graph, way):
    G = geodesics.geodesic_distances(graph)
    np.testing.assert_allclose(geodesics.geodesic_distances(graph, [2, 0]), G[[2, 0]], rtol=1e-13)


def test_copies_of_a_point_have_the_same_distances_from_everything(way):
    G = geodesics.geodesic_distances(GRAPHS["edges of length zero"])
    np.testing.assert_allclose(G[::3], G[1::3], rtol=1e-14)
    assert not G[0, :3].any()


def test_geodesics_obey_the_triangle_inequality(way):
    G = geodesics.geodesic_distances(GRAPHS["a roll"])
    assert np.all(cdist(ROLL, ROLL) - 1e-12 <= G)
    assert np.all(G[:, None, :] + G[None, :, :] >= G[:, :, None] - 1e-9)


def test_geodesics_do_not_depend_on_the_number_of_processes(way):
    graph = GRAPHS["a roll"]
    G = geodesics.geodesic_distances(graph)
    np.testing.assert_array_equal(G, geodesics.geodesic_distances(graph, n_jobs=2))


def test_one_way_edges_are_refused_between_all_pairs():
    one_way = sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
    np.testing.assert_array_equal(geodesics.geodesic_distances(one_way, [0]), [[0, 1, 3]])
    with pytest.raises(ValueError, match="not symmetric: symmetrize it, or give the starting points in indices"):
        geodesics.geodesic_distances(one_way)


def test_geodesics_of_new_points_run_through_their_neighbors(way):
    X, Z = ROLL[:120], ROLL[120:]
    G = geodesics.geodesic_distances(graphs.knn_graph(X, 8))[::4]
    lists = neighbor_lists(X, radius=9.0, queries=Z)
    assert len(np.unique(np.diff(lists.indptr))) > 3
    expected = [np.min(lists[[i]].data + G[:, lists[[i]].indices], axis=1) for i in range(len(Z))]
    np.testing.assert_array_equal(geodesics.geodesics_of_new_points(lists, G.T), expected)


@pytest.mark.parametrize("way", ["elimination", "Dijkstra"], indirect=True)
def test_shortest_paths_show_their_progress_if_asked(capsys, way):
    graph = GRAPHS["a roll"]
    G = geodesics.geodesic_distances(graph, verbose=True)
    assert "Shortest paths: 100%" in capsys.readouterr().err
    np.testing.assert_array_equal(G, geodesics.geodesic_distances(graph))
    assert capsys.readouterr().err == ""
