"""Claims about dimred_lessons.laplacians: weights of edges, and the Laplacian."""

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.graphs import knn_graph
from dimred_lessons.laplacians import graph_laplacian, heat_weights


def test_heat_weights_tend_to_binary_weights_as_sigma_grows():
    graph = knn_graph(swiss_roll(80)[0], 5)
    heat, binary = heat_weights(graph, 1e6), heat_weights(graph, np.inf)
    assert np.all(binary.data == 1) and abs(heat - binary).max() < 1e-9
    d = graph.data[0]
    assert np.isclose(heat_weights(graph, 2.0).data[0], np.exp(-(d**2) / 8))


def test_the_laplacian_is_half_the_weighted_sum_of_squared_differences():
    A = heat_weights(knn_graph(swiss_roll(60)[0], 5), 2.0)
    L, degrees = graph_laplacian(A)
    y = np.random.default_rng(2).standard_normal(60)
    assert np.isclose(y @ L @ y, 0.5 * np.sum(A.toarray() * (y[:, None] - y) ** 2))
    np.testing.assert_allclose(L @ np.ones(60), 0, atol=1e-12)
    np.testing.assert_allclose(degrees, A.toarray().sum(axis=0))
    assert np.linalg.eigvalsh(L.toarray())[0] > -1e-12


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: heat_weights(sparse.eye_array(3), 0), "sigma=0 must be a positive number"),
        (lambda: graph_laplacian(sparse.csr_array((3, 3))), "All weights of point 0 are 0"),
        (lambda: graph_laplacian(sparse.csr_array(np.triu(np.ones((3, 3))))), r"weights is not sym.* \(0, 1\) is"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
