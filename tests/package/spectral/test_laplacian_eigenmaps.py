"""Claims about Laplacian eigenmaps."""

import numpy as np
import pytest
from scipy.linalg import eigh

from dimred_lessons import LaplacianEigenmaps
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.laplacians import graph_laplacian, heat_weights
from support.comparisons import assert_equal_up_to_signs

ROLL, CHART = swiss_roll(800)


def circle(n):
    angles = 2 * np.pi * np.arange(n) / n
    return np.c_[np.cos(angles), np.sin(angles)]


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("n", [300, 800])
def test_embedding_solves_its_eigenproblem_under_its_constraint(normalized, n):
    lem = LaplacianEigenmaps(n_components=3, normalized=normalized).fit(ROLL[:n])
    Y, (L, degrees) = lem.embedding_, graph_laplacian(lem.adjacency_)
    B = degrees if normalized else np.ones(n)
    np.testing.assert_allclose(L @ Y, B[:, None] * Y * lem.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(Y.T @ (B[:, None] * Y), np.eye(3), atol=1e-10)
    np.testing.assert_allclose(B @ Y, 0, atol=1e-10)
    expected = eigh(L.toarray(), np.diag(B), eigvals_only=True)[1:4]
    np.testing.assert_allclose(lem.eigenvalues_, expected, rtol=1e-6)


def test_a_closed_chain_becomes_a_circle_with_the_eigenvalues_of_the_cycle_graph():
    lem = LaplacianEigenmaps(n_components=6, n_neighbors=2, weights="binary", normalized=False)
    lem.fit(circle(60))
    j = np.array([1, 1, 2, 2, 3, 3])
    np.testing.assert_allclose(lem.eigenvalues_, 2 - 2 * np.cos(2 * np.pi * j / 60), rtol=1e-9)
    np.testing.assert_allclose(np.sum(lem.embedding_[:, :2] ** 2, axis=1), 2 / 60)
    with pytest.warns(UserWarning, match="Eigenvalues 1 and 2 are equal up to rounding"):
        LaplacianEigenmaps(n_components=1, n_neighbors=2, weights="binary").fit(circle(60))


def test_a_large_sigma_gives_binary_weights():
    heat, binary = (
        LaplacianEigenmaps(weights=weights, sigma=1e5).fit(ROLL).embedding_ for weights in ("heat", "binary")
    )
    assert_equal_up_to_signs(heat, binary)


def test_sigma_is_the_median_length_of_the_edges_and_is_kept():
    lem = LaplacianEigenmaps().fit(ROLL)
    assert lem.sigma_ == np.median(lem.graph_.data) and lem.sigma is None
    assert LaplacianEigenmaps(sigma=3.0).fit(ROLL).sigma_ == 3.0
    copies = np.repeat(ROLL[:100], 5, axis=0)
    assert LaplacianEigenmaps(n_neighbors=30).fit(copies).sigma_ > 0


def test_normalized_coordinates_are_those_of_spectral_clustering():
    lem = LaplacianEigenmaps(n_components=2).fit(ROLL[:400])
    A, root = lem.adjacency_.toarray(), np.sqrt(lem.degrees_)
    _, V = eigh(A / np.outer(root, root), subset_by_index=[397, 398])
    assert_equal_up_to_signs(lem.embedding_ * root[:, None], V[:, ::-1])


def test_the_sign_of_the_first_axis_separates_two_clusters():
    X = np.random.default_rng(0).standard_normal((80, 2)) + np.repeat([[-2.5, 0], [2.5, 0]], 40, axis=0)
    y = LaplacianEigenmaps(n_components=1, n_neighbors=12).fit(X).embedding_[:, 0]
    assert abs(np.mean((y > 0) == (X[:, 0] > 0)) - 0.5) > 0.47  # all agree, or (the other sign) none


def test_the_swiss_roll_is_ordered_along_its_spiral():
    y = LaplacianEigenmaps(n_components=1, n_neighbors=8).fit(ROLL).embedding_[:, 0]
    ranks = np.argsort(np.argsort(y)), np.argsort(np.argsort(CHART[:, 0]))
    assert abs(np.corrcoef(*ranks)[0, 1]) > 0.98


def test_a_new_point_lies_at_the_weighted_mean_of_its_neighbors_stretched_by_the_eigenvalue():
    lem = LaplacianEigenmaps().fit(ROLL)
    x = ROLL[10] + [0.2, 0.1, -0.1]
    distances = np.linalg.norm(ROLL - x, axis=1)
    reach = np.sort(np.linalg.norm(ROLL[:, None] - ROLL, axis=2), axis=1)[:, 8]
    joined = (distances <= np.sort(distances)[7]) | (distances <= reach)
    A = np.where(joined, np.exp(-(distances**2) / (2 * lem.sigma_**2)), 0)
    expected = A @ lem.embedding_ / A.sum() / (1 - lem.eigenvalues_)
    np.testing.assert_allclose(lem.transform([x])[0], expected, rtol=1e-9)


def uneven_circle(n):
    """Points at the quantiles of the density (1 + 0.8 cos θ) / 2π, and their angles."""
    share = np.linspace(0, 2 * np.pi, 10_001)
    angles = np.interp(2 * np.pi * np.arange(n) / n, share + 0.8 * np.sin(share), share)
    return np.c_[np.cos(angles), np.sin(angles)], angles


def test_without_an_exponent_the_weights_are_heat_weights_to_the_last_bit():
    lem = LaplacianEigenmaps().fit(ROLL)
    heat = heat_weights(lem.graph_, lem.sigma_)
    np.testing.assert_array_equal(lem.adjacency_.data, heat.data)
    np.testing.assert_array_equal(lem.density_, lem.degrees_)


@pytest.mark.parametrize("exponent", [0.5, 1, 2.0])
def test_weights_are_divided_by_powers_of_both_densities(exponent):
    lem = LaplacianEigenmaps(density_exponent=exponent).fit(ROLL[:300])
    heat = heat_weights(lem.graph_, lem.sigma_).toarray()
    q = heat.sum(axis=1)
    np.testing.assert_allclose(lem.adjacency_.toarray(), heat / np.outer(q, q) ** exponent)
    assert (lem.adjacency_ != lem.adjacency_.T).nnz == 0
    np.testing.assert_allclose(lem.density_, q)


@pytest.mark.parametrize("exponent, power", [(0, 2), (0.5, 1), (1, 0)])
def test_axes_of_uneven_points_have_the_eigenvalues_of_their_own_operator(exponent, power):
    """Those of −(w f')' = λ w f on the circle with w = p^(2 − 2α), here by finite differences."""
    X, _ = uneven_circle(2000)
    lem = LaplacianEigenmaps(4, radius=0.35, sigma=0.08, density_exponent=exponent).fit(X)
    m = 1000
    h = 2 * np.pi / m
    w, between = ((1 + 0.8 * np.cos(theta)) ** power for theta in (h * np.arange(m), h * (np.arange(m) + 0.5)))
    stiffness = np.diag(between + np.roll(between, 1))
    stiffness -= np.diag(between[:-1], 1) + np.diag(between[:-1], -1)
    stiffness[0, -1] = stiffness[-1, 0] = -between[-1]
    right = eigh(stiffness / h**2, np.diag(w), eigvals_only=True, subset_by_index=[1, 4])
    np.testing.assert_allclose(lem.eigenvalues_ / (0.08**2 / 2), right, rtol=0.05)


@pytest.mark.parametrize("normalized", [True, False])
def test_a_training_point_keeps_its_place_whatever_the_exponent(normalized):
    lem = LaplacianEigenmaps(density_exponent=1, normalized=normalized).fit(ROLL)
    np.testing.assert_allclose(lem.transform(ROLL[:30]), lem.embedding_[:30], atol=1e-10)


def test_a_new_point_has_the_row_that_it_would_have_as_a_training_point():
    lem = LaplacianEigenmaps(density_exponent=1).fit(ROLL)
    x = ROLL[10] + [0.2, 0.1, -0.1]
    distances = np.linalg.norm(ROLL - x, axis=1)
    reach = np.sort(np.linalg.norm(ROLL[:, None] - ROLL, axis=2), axis=1)[:, 8]
    joined = (distances <= np.sort(distances)[7]) | (distances <= reach)
    heat = np.where(joined, np.exp(-(distances**2) / (2 * lem.sigma_**2)), 0)
    A = heat / (heat.sum() * lem.density_)
    expected = A @ lem.embedding_ / A.sum() / (1 - lem.eigenvalues_)
    np.testing.assert_allclose(lem.transform([x])[0], expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:.*joined by 1 more edge")
def test_a_bridge_is_no_reason_to_join_a_new_point():
    """Otherwise the end of a bridge would join every new point that is nearer to it than the other component."""
    X = np.vstack([ROLL[:300], ROLL[:200] + [100, 0, 0]])
    lem = LaplacianEigenmaps(disconnected="bridge", weights="binary").fit(X)
    end = np.flatnonzero(np.max(lem.graph_[:300, 300:].toarray(), axis=1))[0]
    distances = np.linalg.norm(X - X[end], axis=1)
    reach = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 8]
    x = X[end] + [0.9 * distances[300:].min(), 0, 0]
    distances = np.linalg.norm(X - x, axis=1)
    joined = (distances <= np.sort(distances)[7]) | (distances <= reach)
    assert not joined[end]
    expected = joined @ lem.embedding_ / joined.sum() / (1 - lem.eigenvalues_)
    np.testing.assert_allclose(lem.transform([x])[0], expected, rtol=1e-9)


@pytest.mark.parametrize("exponent", [0, 1])
def test_what_cannot_be_placed_is_named(exponent):
    lem = LaplacianEigenmaps(density_exponent=exponent).fit(ROLL)
    with pytest.raises(ValueError, match="Row 1 of X cannot be placed: its degree is not above what axis 1"):
        lem.transform(ROLL[:2] + [[0], [1e4]])


def test_bad_weights_are_named():
    with pytest.raises(ValueError, match='weights=\'cold\' must be "heat" or "binary"'):
        LaplacianEigenmaps(weights="cold").fit(ROLL)
    with pytest.raises(
        ValueError, match="sigma=-1 must be a positive number, or None for the median length of the edges"
    ):
        LaplacianEigenmaps(sigma=-1).fit(ROLL)
    for exponent in (0, 1):
        with pytest.raises(ValueError, match="All weights of point .* are 0: raise sigma"):
            LaplacianEigenmaps(sigma=1e-3, density_exponent=exponent).fit(ROLL)
    with pytest.raises(ValueError, match="density_exponent=-1 must be a number, zero or above"):
        LaplacianEigenmaps(density_exponent=-1).fit(ROLL)
    with pytest.raises(ValueError, match="n_components=800 is above the 799 that these data can give"):
        LaplacianEigenmaps(n_components=800).fit(ROLL)
