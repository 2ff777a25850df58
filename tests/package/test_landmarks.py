"""Claims about landmarks: the span of the geodesics to them."""

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.classroom.datasets import s_curve
from dimred_lessons.graphs import knn_graph
from dimred_lessons.landmarks import geodesic_basis


def test_a_basis_is_orthonormal_and_the_same_for_edges_stored_once_or_twice():
    graph = knn_graph(s_curve(40)[0], 5)
    Q = geodesic_basis(graph, 7)
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-12)
    np.testing.assert_allclose(Q.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(geodesic_basis(sparse.csr_array(sparse.triu(graph)), 7), Q)


def test_a_basis_needs_paths_to_all_points_and_landmarks_among_them():
    graph = knn_graph(s_curve(40)[0], 5)
    with pytest.raises(ValueError, match="n_landmarks=41 must be at most the number of points, 40"):
        geodesic_basis(graph, 41)
    apart = sparse.block_diag([graph, graph], format="csr")
    with pytest.raises(ValueError, match="The graph is disconnected, so that no path leads from a landmark to some"):
        geodesic_basis(apart, 5)
