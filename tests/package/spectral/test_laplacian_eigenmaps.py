"""Claims about Laplacian eigenmaps."""

import numpy as np
import pytest
from scipy.linalg import eigh

from dimred_lessons import LaplacianEigenmaps
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.graphs import graph_laplacian
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


def test_what_cannot_be_placed_is_named():
    lem = LaplacianEigenmaps().fit(ROLL)
    with pytest.raises(ValueError, match="Row 1 of X cannot be placed: its degree is not above what axis 1"):
        lem.transform(ROLL[:2] + [[0], [1e4]])


def test_bad_weights_are_named():
    with pytest.raises(ValueError, match='weights=\'cold\' must be "heat" or "binary"'):
        LaplacianEigenmaps(weights="cold").fit(ROLL)
    with pytest.raises(
        ValueError, match="sigma=-1 must be a positive number, or None for the median length of the edges"
    ):
        LaplacianEigenmaps(sigma=-1).fit(ROLL)
    with pytest.raises(ValueError, match="All weights of point .* are 0: raise sigma"):
        LaplacianEigenmaps(sigma=1e-3).fit(ROLL)
    with pytest.raises(ValueError, match="n_components=800 is above the 799 that these data can give"):
        LaplacianEigenmaps(n_components=800).fit(ROLL)
