"""Claims about locally linear embedding."""

import numpy as np
import pytest

from dimred_lessons import LocallyLinearEmbedding
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.reconstruction import reconstruction_cost

ROLL, CHART = swiss_roll(1000)


@pytest.mark.parametrize("n", [300, 1000])
def test_embedding_is_centered_has_unit_covariance_and_solves_its_eigenproblem(n):
    lle = LocallyLinearEmbedding(n_components=3, n_neighbors=10).fit(ROLL[:n])
    Y, M = lle.embedding_, reconstruction_cost(lle.reconstruction_weights_)
    np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(Y.T @ Y / n, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(M @ Y, Y * lle.eigenvalues_, atol=1e-12)


def test_the_cost_is_n_times_the_sum_of_the_eigenvalues_and_no_feasible_embedding_costs_less():
    lle = LocallyLinearEmbedding(n_neighbors=10).fit(ROLL[:300])

    def cost(Y):
        return np.sum((Y - lle.reconstruction_weights_ @ Y) ** 2)

    assert np.isclose(cost(lle.embedding_), 300 * lle.eigenvalues_.sum())
    for seed in range(20):
        Z = np.random.default_rng(seed).standard_normal((300, 2))
        Z = np.linalg.qr(Z - Z.mean(axis=0))[0] * np.sqrt(300)
        assert cost(Z) > cost(lle.embedding_)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((2, 2)))[0]
    assert np.isclose(cost(lle.embedding_ @ Q), cost(lle.embedding_))


def test_the_swiss_roll_is_unrolled():
    Y = LocallyLinearEmbedding(n_neighbors=12).fit(ROLL).embedding_
    prediction = np.c_[Y, np.ones(1000)] @ np.linalg.lstsq(np.c_[Y, np.ones(1000)], CHART[:, 0])[0]
    order = np.corrcoef(np.argsort(np.argsort(prediction)), np.argsort(np.argsort(CHART[:, 0])))[0, 1]
    assert order > 0.95


def test_weights_are_sparse_and_rows_sum_to_one():
    lle = LocallyLinearEmbedding(n_neighbors=10).fit(ROLL)
    assert lle.reconstruction_weights_.nnz == 10 * 1000
    np.testing.assert_allclose(lle.reconstruction_weights_.sum(axis=1), 1)


def test_none_asks_for_one_axis_less_than_neighbors():
    lle = LocallyLinearEmbedding(n_components=None, n_neighbors=6).fit(ROLL[:200])
    assert lle.embedding_.shape == (200, 5)


@pytest.mark.parametrize("k", [5, 6])
def test_as_many_axes_as_neighbors_are_refused(k):
    message = rf"n_components=6 must be below the number of neighbors, but point 0 has {k} \(n_samples=1000"
    with pytest.raises(ValueError, match=message):
        LocallyLinearEmbedding(n_components=6, n_neighbors=k).fit(ROLL)


def test_a_point_with_too_few_neighbors_within_the_radius_is_named():
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    with pytest.raises(ValueError, match="n_components=2 must be below .* but point 64 has 1 "):
        LocallyLinearEmbedding(radius=1.5).fit(np.vstack([grid, [[-1.2, 0]]]))


def test_exactly_rebuilt_points_are_reported_as_a_null_space():
    flat = np.random.default_rng(0).random((400, 2))
    with pytest.warns(UserWarning, match=r"Besides the constant vector, 2 eigenvector\(s\)"):
        LocallyLinearEmbedding(n_neighbors=8, reg=1e-12).fit(flat)


def test_a_negative_regularization_is_named():
    with pytest.raises(ValueError, match="reg=-0.1 must be a number, zero or above"):
        LocallyLinearEmbedding(reg=-0.1).fit(ROLL)
