"""Charts and their common coordinates."""

import numpy as np
import pytest
from scipy import linalg

from dimred_lessons import LocallyLinearEmbedding
from dimred_lessons.charts import align_charts, chart_coordinates, disagreement_form, reconstruction_form
from dimred_lessons.classroom import datasets
from support.comparisons import assert_equal_up_to_signs

RNG = np.random.default_rng(0)
N, S, D = 200, 6, 2
R = RNG.dirichlet(np.full(S, 0.3), N)
Z = RNG.standard_normal((N, S, D))
U = chart_coordinates(R, Z)
X = RNG.standard_normal((N, 5))


def votes(L):
    """The place of each point by each chart, (n, S, q)."""
    return np.einsum("nsi,siq->nsq", np.pad(Z, [(0, 0), (0, 0), (1, 0)], constant_values=1), L.reshape(S, D + 1, -1))


def test_common_coordinates_are_the_mean_of_the_places_by_all_charts():
    L = RNG.standard_normal((S * (D + 1), 2))
    np.testing.assert_allclose(U @ L, np.einsum("ns,nsq->nq", R, votes(L)))


def test_disagreement_is_the_mean_square_of_the_places_about_their_mean():
    L = RNG.standard_normal((S * (D + 1), 2))
    away = votes(L) - (U @ L)[:, np.newaxis]
    expected = np.sum(R[:, :, np.newaxis] * away**2)
    assert np.trace(L.T @ disagreement_form(U, R) @ L) == pytest.approx(expected)


@pytest.mark.parametrize("form", [lambda: reconstruction_form(U, X, 8), lambda: disagreement_form(U, R)])
def test_axes_have_unit_covariance_and_no_others_cost_less(form):
    A = form()
    eigenvalues, L = align_charts(U, A, 2)
    Y = U @ L
    np.testing.assert_allclose(np.cov(Y.T, bias=True), np.eye(2), atol=1e-9)
    assert np.trace(L.T @ A @ L) / N == pytest.approx(eigenvalues.sum())
    for _ in range(20):
        other = L + 0.05 * RNG.standard_normal(L.shape)
        spread = linalg.cholesky(np.cov((U @ other).T, bias=True))
        other = other @ linalg.inv(spread)
        assert np.trace(other.T @ A @ other) / N > eigenvalues.sum()


def test_with_a_chart_for_each_point_it_is_locally_linear_embedding():
    points = datasets.swiss_roll(300)[0]
    singles = chart_coordinates(np.eye(300), np.empty((300, 300, 0)))
    eigenvalues, L = align_charts(singles, reconstruction_form(singles, points, 12), 2)
    expected = LocallyLinearEmbedding(n_neighbors=12).fit(points)
    Y = singles @ L
    assert_equal_up_to_signs(Y - Y.mean(axis=0), expected.embedding_, 1e-5)
    np.testing.assert_allclose(eigenvalues, expected.eigenvalues_, atol=1e-10)


def test_turned_charts_give_the_same_coordinates():
    turns = np.array([linalg.qr(RNG.standard_normal((D, D)))[0] for _ in range(S)])
    turned = chart_coordinates(R, np.einsum("nsi,sij->nsj", Z, turns))
    expected, found = (V @ align_charts(V, disagreement_form(V, R), 2)[1] for V in (U, turned))
    assert_equal_up_to_signs(found, expected, 1e-7)


def test_there_are_no_more_axes_than_directions_in_which_the_charts_vary():
    one = chart_coordinates(np.ones((N, 1)), Z[:, :1])
    assert len(align_charts(one, reconstruction_form(one, X, 8), 5)[0]) == 2


def test_an_axis_that_costs_nothing_causes_a_warning():
    with pytest.warns(UserWarning, match="an axis costs nothing"):
        align_charts(U, np.diag(np.arange(S * (D + 1)) > 3).astype(float), 2)
