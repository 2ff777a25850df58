"""Projection pursuit."""

import numpy as np
import pytest
from scipy.stats import kurtosis

from dimred_lessons import ICA, PCA, ProjectionPursuit


def two_clusters(n=1500, D=12, seed=0):
    """Noise of unequal size, and two clusters along a direction of little variance."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D)) * np.linspace(4, 2, D)
    side = rng.choice([-1.0, 1.0], n)
    X[:, -1] = 1.2 * side + 0.3 * rng.standard_normal(n)
    return X @ np.linalg.qr(rng.standard_normal((D, D)))[0], side


X, SIDE = two_clusters()


def test_a_direction_that_separates_clusters_is_found_where_pca_finds_noise():
    found = ProjectionPursuit(1, n_whitened=12).fit(X)
    assert abs(np.corrcoef(found.embedding_[:, 0], SIDE)[0, 1]) > 0.95
    assert abs(np.corrcoef(PCA(1).fit_transform(X)[:, 0], SIDE)[0, 1]) < 0.1
    assert found.kurtosis_[0] < -1


def test_kurtosis_is_that_of_scipy_and_coordinates_are_white():
    found = ProjectionPursuit(3).fit(X)
    np.testing.assert_allclose(found.kurtosis_, kurtosis(found.embedding_), atol=1e-10)
    np.testing.assert_allclose(np.cov(found.embedding_.T, bias=True), np.eye(3), atol=1e-10)


def test_no_direction_nearby_is_more_extreme():
    found = ProjectionPursuit(1, n_whitened=12).fit(X)
    Z = PCA(12).fit_transform(X)
    Z /= Z.std(axis=0)
    w = np.linalg.lstsq(Z, found.embedding_[:, 0])[0]
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert abs(kurtosis(Z @ (w + 0.05 * rng.standard_normal(12)))) < abs(found.kurtosis_[0])


def test_a_sign_can_be_asked_for():
    rng = np.random.default_rng(0)
    both = np.column_stack([rng.laplace(size=2000), rng.uniform(size=2000), rng.standard_normal((2000, 3))])
    heavy, light = (ProjectionPursuit(1, sign=sign).fit(both) for sign in ("positive", "negative"))
    assert abs(np.corrcoef(heavy.embedding_[:, 0], both[:, 0])[0, 1]) > 0.95
    assert abs(np.corrcoef(light.embedding_[:, 0], both[:, 1])[0, 1]) > 0.95
    with pytest.warns(UserWarning, match="Direction 1 has no negative kurtosis: raise n_init, or ask for fewer"):
        ProjectionPursuit(1, sign="negative").fit(np.random.default_rng(1).laplace(size=(500, 2)))


@pytest.mark.filterwarnings("error:Direction 1 has not converged")
@pytest.mark.parametrize("seed", range(3))
def test_among_gaussians_whose_kurtosis_steps_overshoot_a_direction_is_extreme_all_the_same(seed):
    noise = np.random.default_rng(seed).standard_normal((200, 5))
    found = ProjectionPursuit(1, sign="negative").fit(noise)
    Z, y = PCA(5).fit_transform(noise), found.embedding_[:, 0]
    Z /= Z.std(axis=0)
    w = Z.T @ y / len(Z)
    slope = Z.T @ y**3 / len(Z)  # of the kurtosis: along w where it is extreme
    np.testing.assert_allclose(slope - (slope @ w) * w, 0, atol=1e-5)


def test_a_search_that_is_cut_short_warns():
    with pytest.warns(UserWarning, match="has not converged in 2 steps: raise max_iter or n_init, or lower"):
        assert ProjectionPursuit(1, max_iter=2).fit(X).n_iter_ == 2
    assert 2 < ProjectionPursuit(1).fit(X).n_iter_ < 1000


def test_independent_sources_are_directions_of_extreme_kurtosis():
    rng = np.random.default_rng(0)
    mixed = rng.laplace(size=(4000, 3)) @ rng.standard_normal((3, 3))
    pursued, unmixed = ProjectionPursuit(3).fit_transform(mixed), ICA().fit_transform(mixed)
    assert np.abs(pursued.T @ unmixed / 4000).max(axis=0).min() > 0.97


def test_among_as_many_axes_as_points_noise_looks_like_anything():
    noise = np.random.default_rng(0).standard_normal((200, 100))
    wide, narrow = (ProjectionPursuit(1, n_whitened=k).fit(noise).kurtosis_[0] for k in (100, 5))
    assert abs(wide) > 10 > 2 > abs(narrow)


def test_coordinates_come_back_as_points_on_the_plane_of_the_directions():
    found = ProjectionPursuit(2).fit(X)
    rebuilt = found.inverse_transform(found.embedding_)
    np.testing.assert_allclose(found.transform(rebuilt), found.embedding_, atol=1e-10)
    assert np.linalg.matrix_rank(rebuilt - rebuilt.mean(axis=0)) == 2
    with pytest.raises(ValueError, match="X has 3 columns, but this fit has 2 components"):
        found.inverse_transform(np.ones((2, 3)))


def test_more_directions_than_axes_are_refused():
    with pytest.raises(ValueError, match=r"n_components=11 is above n_whitened=10.*raise n_whitened\."):
        ProjectionPursuit(11).fit(X)
    with pytest.raises(ValueError, match="n_components=13 is above the 12 that these data can give"):
        ProjectionPursuit(13).fit(X)
