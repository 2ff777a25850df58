"""Claims about dimred_lessons.reconstruction: weights, and the cost of places that they rebuild."""

import numpy as np
import pytest
from scipy.linalg import lstsq
from scipy.spatial.distance import cdist

from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.graphs import radius_graph
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.reconstruction import (
    reconstruction_cost,
    reconstruction_cost_operator,
    reconstruction_matrix,
    reconstruction_weights,
)


def weights_problem(seed=0, n=40, D=5, k=4):
    X = np.random.default_rng(seed).standard_normal((n, D))
    return X, neighbor_lists(X, k).indices.reshape(n, k)


def test_weights_sum_to_one_and_satisfy_the_optimality_conditions():
    X, neighbors = weights_problem()
    weights = reconstruction_weights(X, neighbors, reg=0)
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
    expected = reconstruction_weights(X, neighbors)
    weights = reconstruction_weights(D, neighbors, metric="precomputed")
    np.testing.assert_allclose(weights, expected, atol=1e-9)
    Z = X[:7] + 0.1
    np.testing.assert_allclose(
        reconstruction_weights(cdist(Z, X), neighbors[:7], metric="precomputed", points=D),
        reconstruction_weights(Z, neighbors[:7], points=X),
        atol=1e-9,
    )


def test_weights_survive_rotation_shift_and_scaling_but_not_shear():
    X, neighbors = weights_problem(k=9)
    expected = reconstruction_weights(X, neighbors)
    Q = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))[0]
    for moved in (X @ Q, X + 7, 1e-3 * X, 1e5 * X @ Q - 2):
        np.testing.assert_allclose(reconstruction_weights(moved, neighbors), expected, atol=1e-8)
    shear = np.eye(5) + np.triu(np.ones((5, 5)), 1)
    assert abs(reconstruction_weights(X @ shear, neighbors) - expected).max() > 0.01


def test_little_regularization_gives_the_weights_of_minimum_norm():
    X, neighbors = weights_problem(D=2, k=6)
    weights = reconstruction_weights(X, neighbors, reg=1e-10)
    for x, P, w in zip(X, X[neighbors], weights):
        conditions = np.vstack([P.T, np.ones(6)])
        np.testing.assert_allclose(w, lstsq(conditions, np.append(x, 1))[0], atol=1e-5)


def test_neighbors_that_all_coincide_share_the_weight_evenly():
    weights = reconstruction_weights(np.zeros((4, 2)), np.array([[1, 2, 3]] * 4))
    np.testing.assert_array_equal(weights, 1 / 3)


def test_neighbor_lists_of_different_lengths_give_rows_that_sum_to_one():
    X = swiss_roll(100)[0]
    lists = radius_graph(X, 9.0)
    assert len(np.unique(np.diff(lists.indptr))) > 3
    W = reconstruction_matrix(X, lists)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    i = 17
    neighbors = lists.indices[lists.indptr[i] : lists.indptr[i + 1]]
    expected = reconstruction_weights(X[[i]], neighbors[None], points=X)
    np.testing.assert_allclose(W[[i]][:, neighbors].toarray(), expected)
    with pytest.raises(ValueError, match="Point 0 has no neighbors to rebuild it from"):
        reconstruction_matrix(X, radius_graph(X, 1e-3))


def test_the_cost_matrix_the_loop_and_the_operator_agree():
    X = swiss_roll(90)[0]
    W = reconstruction_matrix(X, neighbor_lists(X, 6))
    M, dense = reconstruction_cost(W), W.toarray()
    Y = np.random.default_rng(4).standard_normal((90, 2))
    loop = sum(np.sum((Y[i] - sum(dense[i, j] * Y[j] for j in range(90))) ** 2) for i in range(90))
    assert np.isclose(np.trace(Y.T @ M @ Y), loop)
    np.testing.assert_allclose(M.toarray(), np.eye(90) - dense - dense.T + dense.T @ dense, atol=1e-12)
    np.testing.assert_allclose(reconstruction_cost_operator(W) @ Y, M @ Y, atol=1e-12)
    assert W.nnz == 90 * 6 and M.nnz <= 90 * 7**2


@pytest.mark.parametrize(
    "reg, message", [(-1, "reg=-1 must be a number"), (0, "reg=0 needs k <= n_features, but k=3 and n_features=2")]
)
def test_a_share_of_the_trace_that_gives_no_weights_is_named(reg, message):
    with pytest.raises(ValueError, match=message):
        reconstruction_weights(np.random.default_rng(0).random((9, 2)), np.zeros((9, 3), int), reg=reg)


def test_a_neighborhood_without_weights_of_its_own_is_named():
    X = np.zeros((3, 2))
    X[0] = 1, 0  # two neighbors in the same place: many weights rebuild it as well
    with pytest.raises(ValueError, match="A neighborhood of 2 points is degenerate: set reg above 0"):
        reconstruction_weights(X, np.array([[1, 2], [0, 2], [0, 1]]), reg=0)
