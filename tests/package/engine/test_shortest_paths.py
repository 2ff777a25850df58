"""Shortest paths, whichever engine finds them: those of the equation."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from dimred_lessons.engine import choice
from dimred_lessons.engine.shortest_paths import shortest_paths
from dimred_lessons.graphs import knn_graph

RNG = np.random.default_rng(0)


def chain(n, length=1.0):
    return sparse.csr_array(sparse.diags_array([np.full(n - 1, length)] * 2, offsets=[-1, 1], shape=(n, n)))


GRAPHS = {
    "three vertices": chain(3),
    "a chain": chain(80),
    "tiny lengths": chain(80, 1e-150),
    "huge lengths": chain(80, 1e150),
    "not connected": sparse.csr_array(sparse.block_diag([chain(30), chain(20)])),
    "a vertex without an edge": sparse.csr_array(sparse.block_diag([chain(30), np.zeros((1, 1))])),
    "points of a ball": knn_graph(RNG.standard_normal((120, 4)), 6),
    "nearly complete": knn_graph(RNG.standard_normal((40, 2)), 35),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("limit", [-1, np.inf, choice.SEPARATOR_CUBED], ids=["Dijkstra", "elimination", "as chosen"])
def test_the_lengths_are_those_of_the_definition(graph, limit, monkeypatch):
    monkeypatch.setattr(choice, "SEPARATOR_CUBED", limit)
    expected = shortest_path(graph, method="D")
    np.testing.assert_allclose(shortest_paths(graph), expected, rtol=1e-13)
    some = np.array([0, graph.shape[0] - 1])
    np.testing.assert_allclose(shortest_paths(graph, some), expected[some], rtol=1e-13)
