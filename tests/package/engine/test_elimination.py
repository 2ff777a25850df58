"""Claims about dimred_lessons.engine.elimination: its paths are Dijkstra's, and when it is chosen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from dimred_lessons import geodesics
from dimred_lessons.engine import choice
from dimred_lessons.engine.elimination import all_paths_by_elimination, elimination_order
from dimred_lessons.engine.separators import separator_size
from dimred_lessons.graphs import knn_graph
from support.graphs import GRAPHS, ROLL

RNG = np.random.default_rng(0)
ENDS = st.integers(0, 8)


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_engine_equals_reference(graph):
    G, expected = all_paths_by_elimination(graph), geodesics.shortest_paths.equation(graph)
    np.testing.assert_array_equal(np.isinf(G), np.isinf(expected))
    finite = np.isfinite(G)
    assert np.abs(G[finite] - expected[finite]).max() <= 4e-15 * expected[finite].max()
    np.testing.assert_array_equal(G == 0, expected == 0)
    np.testing.assert_array_equal(G, G.T)
    assert sorted(elimination_order(graph)) == list(range(len(G)))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(ENDS, ENDS, st.integers(0, 3))))
def test_any_graph_of_whole_lengths_has_the_same_paths_to_the_last_digit(edges):
    """Loose vertices, trees, cycles, cliques; edges of length zero, too."""
    lengths = {}
    for i, j, length in edges:
        if i != j:
            lengths[i, j] = lengths[j, i] = float(length)
    i, j = np.array(list(lengths), int).reshape(-1, 2).T
    graph = sparse.csr_array((np.array(list(lengths.values())), (i, j)), shape=(9, 9))
    np.testing.assert_array_equal(all_paths_by_elimination(graph), dijkstra(graph))


@pytest.mark.parametrize(
    "X, way",
    [
        (ROLL, "elimination"),
        (RNG.random((1000, 2)), "elimination"),
        (RNG.random((1000, 3)), "elimination"),
        (RNG.random((1000, 6)), "Dijkstra"),
    ],
    ids=["a roll", "a square", "a solid", "six dimensions"],
)
def test_elimination_is_chosen_where_few_vertices_cut_the_graph(X, way):
    graph = knn_graph(X, 12)
    assert choice.all_shortest_paths(len(X), graph.nnz, separator_size(graph)) == way


def test_hardly_more_vertices_than_neighbors_cut_a_chain_in_half():
    assert separator_size(knn_graph(np.arange(100.0)[:, np.newaxis], 2)) <= 3
