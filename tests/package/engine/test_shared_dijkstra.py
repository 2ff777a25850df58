"""Claims about dimred_lessons.engine.shared_dijkstra: neither order nor processes change a digit of a path."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from dimred_lessons import geodesics
from dimred_lessons.engine.shared_dijkstra import paths_by_dijkstra
from support.graphs import GRAPHS


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_engine_equals_reference(graph):
    G = paths_by_dijkstra(graph)
    np.testing.assert_allclose(G, geodesics.shortest_paths.equation(graph), rtol=1e-14)
    np.testing.assert_array_equal(G, G.T)
    starts = np.array([2, 0])
    np.testing.assert_array_equal(paths_by_dijkstra(graph, starts), dijkstra(graph, indices=starts))


def test_processes_change_nothing():
    graph = GRAPHS["a cube that no small set cuts"]
    np.testing.assert_array_equal(paths_by_dijkstra(graph, n_jobs=2), paths_by_dijkstra(graph))
