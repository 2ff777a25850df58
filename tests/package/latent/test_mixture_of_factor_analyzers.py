"""Mixtures of factor analyzers."""

import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.mixture import GaussianMixture

from dimred_lessons import FactorAnalysis, MixtureOfFactorAnalyzers, ProbabilisticPCA
from dimred_lessons.classroom import datasets
from support.latent import assert_never_falls, causes

X = datasets.swiss_roll(400)[0]
VARIANTS = [MixtureOfFactorAnalyzers(6, noise=noise, tol=1e-4) for noise in ("diagonal", "isotropic")]
every_variant = pytest.mark.parametrize("method", VARIANTS, ids=str)


def covariances(method):
    B = method.loadings_
    return B @ B.transpose(0, 2, 1) + np.stack([np.diag(noise) for noise in method.noise_variances_])


# --- Oracle


@every_variant
def test_density_and_responsibilities_are_those_of_scipy(method):
    method = clone(method).fit(X)
    joint = np.column_stack(
        [
            np.log(weight) + multivariate_normal(mean, C).logpdf(X)
            for weight, mean, C in zip(method.weights_, method.means_, covariances(method))
        ]
    )
    expected = logsumexp(joint, axis=1)
    np.testing.assert_allclose(method.score_samples(X), expected, rtol=1e-9)
    np.testing.assert_allclose(method.responsibilities(X), np.exp(joint - expected[:, np.newaxis]), atol=1e-9)
    assert method.objective_path_[-1] == pytest.approx(expected.sum())


def test_loadings_that_are_long_beside_their_noise_are_found_in_the_steps_that_there_are():
    """Points of a plane: the floor of the noise alone keeps the likelihood finite."""
    rng = np.random.default_rng(0)
    plane = rng.standard_normal((200, 2)) @ rng.standard_normal((2, 6))
    with warnings.catch_warnings(action="error"):
        method = MixtureOfFactorAnalyzers(3).fit(plane)
    assert_never_falls(method.objective_path_)


@pytest.mark.parametrize("noise, single", [("isotropic", ProbabilisticPCA(2)), ("diagonal", FactorAnalysis(2))])
def test_one_chart_is_probabilistic_pca_or_factor_analysis(noise, single):
    points = causes()[0]
    mixture = MixtureOfFactorAnalyzers(1, noise=noise, tol=1e-12, max_iter=5000).fit(points)
    assert mixture.objective_path_[-1] == pytest.approx(single.fit(points).objective_path_[-1], abs=1e-5)


def test_with_charts_of_all_directions_but_one_it_is_a_mixture_of_gaussians_as_in_scikit_learn():
    ours = MixtureOfFactorAnalyzers(3, n_components=2, noise="isotropic", tol=1e-11, max_iter=3000, min_noise=1e-9).fit(
        X
    )
    peer = GaussianMixture(
        3, weights_init=ours.weights_, means_init=ours.means_, precisions_init=np.linalg.inv(covariances(ours)),
        reg_covar=0, tol=1e-10, max_iter=1000,
    ).fit(X)  # fmt: skip
    assert peer.score(X) == pytest.approx(ours.score(X), abs=1e-6)
    np.testing.assert_allclose(covariances(ours), peer.covariances_, atol=0.01)


# --- Laws


@every_variant
def test_the_likelihood_never_falls(method):
    assert_never_falls(clone(method).fit(X).objective_path_)


@every_variant
def test_the_embedding_holds_the_shares_of_the_charts_and_the_coordinates_on_them(method):
    method = clone(method).fit(X)
    blocks = method.embedding_.reshape(len(X), 6, 3)
    R, Z = method.responsibilities(X), method.local_coordinates(X)
    np.testing.assert_allclose(blocks[:, :, 0], R)
    np.testing.assert_allclose(blocks[:, :, 1:], R[:, :, np.newaxis] * Z)
    expected = np.einsum("ns,nsj->nj", R, method.means_ + np.einsum("nsi,sji->nsj", Z, method.loadings_))
    np.testing.assert_allclose(method.inverse_transform(method.embedding_), expected, atol=1e-10)


def test_more_charts_rebuild_a_roll_that_one_plane_cannot():
    errors = []
    for n_mixtures in (1, 5, 30):
        method = MixtureOfFactorAnalyzers(n_mixtures, noise="isotropic", tol=1e-4).fit(X)
        errors.append(np.sqrt(np.mean(np.sum((method.inverse_transform(method.embedding_) - X) ** 2, axis=1))))
    assert errors[0] > 2 * errors[1] > 10 * errors[2]


def test_turned_charts_have_the_same_density():
    method = clone(VARIANTS[0]).fit(X)
    expected = method.score_samples(X)
    method.loadings_ = method.loadings_ @ np.linalg.qr(np.random.default_rng(0).standard_normal((2, 2)))[0]
    np.testing.assert_allclose(method.score_samples(X), expected, rtol=1e-10)


def test_without_a_floor_a_chart_on_few_points_is_arbitrarily_likely():
    few = X[:40]
    floors = 1e-2, 1e-6, 1e-10
    values = [MixtureOfFactorAnalyzers(12, min_noise=floor, tol=1e-5).fit(few).score(few) for floor in floors]
    assert values[0] + 2 < values[1] < values[2] - 2


@pytest.mark.parametrize("unit", [1e-4, 1e3])
def test_a_column_in_another_unit_has_the_same_noise_in_its_unit(unit):
    points, units = causes()[0], np.append(np.ones(7), unit)
    one, other = (
        MixtureOfFactorAnalyzers(1, tol=1e-12, max_iter=5000).fit(table) for table in (points, units * points)
    )
    np.testing.assert_allclose(other.noise_variances_, one.noise_variances_ * units**2, rtol=1e-2)
    several = MixtureOfFactorAnalyzers(4, tol=1e-4).fit(units * points).noise_variances_
    assert np.all(several >= 1e-3 * (units * points).var(axis=0) * (1 - 1e-9))


@pytest.mark.parametrize("noise", ["diagonal", "isotropic"])
def test_a_constant_column_is_harmless(noise):
    points = causes()[0]
    wider = np.column_stack([points, np.full(len(points), 0.1)])
    method = MixtureOfFactorAnalyzers(2, noise=noise, tol=1e-4).fit(wider)
    assert np.isfinite(method.score_samples(wider)).all() and np.all(method.noise_variances_ > 0)
    np.testing.assert_allclose(method.means_[:, -1], 0.1)


def test_samples_are_as_dense_as_the_points():
    method = clone(VARIANTS[1]).fit(X)
    drawn = method.sample(4000, random_state=0)
    assert method.score(drawn) == pytest.approx(method.score(X), abs=0.1)
    shares = method.responsibilities(drawn).mean(axis=0)
    np.testing.assert_allclose(shares, method.weights_, atol=0.03)


def test_other_seeds_may_find_other_maxima():
    values = [clone(VARIANTS[0]).set_params(random_state=seed).fit(X).objective_path_[-1] for seed in range(3)]
    assert max(values) - min(values) > 1


def test_all_components_are_as_many_as_noise_leaves():
    shapes = [clone(method).set_params(n_components=None).fit(X).loadings_.shape for method in VARIANTS]
    assert shapes == [(6, 3, 3), (6, 3, 2)]


# --- Bad input


def test_more_charts_than_different_points_are_refused():
    points = np.repeat(X[:5], 10, axis=0)
    with pytest.raises(ValueError, match="n_mixtures=6 is above the number of different points: ask for fewer"):
        MixtureOfFactorAnalyzers(6).fit(points)
    assert np.isfinite(MixtureOfFactorAnalyzers(5).fit(points).score(points))


@pytest.mark.parametrize("noise, attainable", [("diagonal", 3), ("isotropic", 2)])
def test_more_components_than_the_points_give_are_refused(noise, attainable):
    with pytest.raises(ValueError, match=f"n_components={attainable + 1} is above the {attainable} that these data"):
        MixtureOfFactorAnalyzers(3, n_components=attainable + 1, noise=noise).fit(X)


def test_a_fit_cut_short_warns():
    with pytest.warns(UserWarning, match="EM has not converged in 3 steps"):
        MixtureOfFactorAnalyzers(6, max_iter=3).fit(X)
