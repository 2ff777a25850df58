"""The rough start of many points: it spans what the equation spans, as far as its bound says."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles

from dimred_lessons.engine import rough_eigenvectors
from dimred_lessons.iterative.affinities import sparse_joint_probabilities
from dimred_lessons.iterative.eigenmap_start import axes_of_affinities, eigenmap_of_affinities
from dimred_lessons.neighbors import neighbor_lists

RNG = np.random.default_rng(0)
POINTS = {
    "groups": RNG.standard_normal((150, 3)) + np.repeat([[0, 0, 0], [6, 0, 0], [0, 9, 0]], 50, axis=0),
    "a line": np.outer(np.linspace(0, 1, 150), [1, 2, 3]) + 1e-3 * RNG.standard_normal((150, 3)),
    "copies": np.repeat(RNG.standard_normal((30, 3)), 5, axis=0) + 1e-9 * RNG.standard_normal((150, 3)),
    "tiny": 1e-100 * RNG.standard_normal((150, 3)),
    "huge": 1e100 * RNG.standard_normal((150, 3)),
    "an outlier": np.vstack([RNG.standard_normal((149, 3)), np.full((1, 3), 1e6)]),
    "not connected": RNG.standard_normal((150, 3)) + np.repeat([[0, 0, 0], [1e6, 0, 0]], 75, axis=0),
}


def affinities(X):
    return sparse_joint_probabilities(neighbor_lists(X, 30), 10)


@pytest.mark.parametrize("X", POINTS.values(), ids=POINTS)
def test_residuals_are_as_small_as_said_and_the_axes_are_among_the_first(X):
    P, d = affinities(X), 2
    roots = np.sqrt(P.sum(axis=1))
    U = axes_of_affinities.engine(P, roots, d)
    outer = np.outer(roots, roots)
    K = np.eye(150) + P.toarray() / outer - 2 * outer / P.sum()
    theta = np.einsum("ij,ij->j", U, K @ U)
    np.testing.assert_allclose(U.T @ U, np.eye(d), atol=1e-10)
    assert np.linalg.norm(K @ U - U * theta, axis=0).max() <= 3 * rough_eigenvectors.ACCURACY * 2
    np.testing.assert_allclose(theta, np.linalg.eigvalsh(K)[::-1][:d], atol=2 * rough_eigenvectors.ACCURACY)


def test_where_the_gap_is_wide_the_engine_spans_what_the_equation_spans():
    P = affinities(POINTS["groups"])
    roots = np.sqrt(P.sum(axis=1))
    found, expected = (way(P, roots, 2) for way in (axes_of_affinities.engine, axes_of_affinities.equation))
    assert np.degrees(subspace_angles(found, expected).max()) < 1


def test_what_is_dense_or_too_small_for_the_engine_is_left_to_the_equation():
    P = sparse.csr_array(np.ones((5, 5)) - np.eye(5))
    assert axes_of_affinities.engine(P, np.full(5, 2.0), 2) is NotImplemented
    assert axes_of_affinities.engine(P.toarray(), np.full(5, 2.0), 1) is NotImplemented
    np.testing.assert_allclose(eigenmap_of_affinities(P, 2).std(axis=0), 1)
