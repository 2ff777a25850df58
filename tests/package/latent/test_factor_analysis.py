"""Factor analysis."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import multivariate_normal
from sklearn import decomposition
from sklearn.base import clone

from dimred_lessons import FactorAnalysis, ProbabilisticPCA
from dimred_lessons.gaussians import covariance_root
from dimred_lessons.latent.factor_analysis import concentrated_likelihood, loadings_given_noise, varimax
from support.comparisons import assert_equal_up_to_signs
from support.latent import BAD_HOLES, assert_never_falls, causes, digits, error_in_holes, with_holes

X, Y, _ = causes()
VARIANTS = [
    FactorAnalysis(),
    FactorAnalysis(solver="em", tol=1e-12),
    FactorAnalysis(rotation="varimax"),
    FactorAnalysis(init="random", random_state=3),
]
every_variant = pytest.mark.parametrize("method", VARIANTS, ids=str)


def covariance(method):
    return method.loadings_ @ method.loadings_.T + np.diag(method.noise_variance_)


# --- Oracle


@every_variant
def test_density_is_that_of_scipy(method):
    method = clone(method).fit(X)
    expected = multivariate_normal(method.mean_, covariance(method)).logpdf(X)
    np.testing.assert_allclose(method.score_samples(X), expected, rtol=1e-11)
    assert method.objective_path_[-1] == pytest.approx(np.sum(expected))


@pytest.mark.parametrize("D, d", [(8, 2), (12, 3), (20, 4)])
def test_it_is_as_likely_as_scikit_learn_and_has_its_covariance(D, d):
    points = causes(500, D, d, noise=(1, 2))[0]
    ours = FactorAnalysis(d).fit(points)
    peer = decomposition.FactorAnalysis(d, tol=1e-6, max_iter=5000, svd_method="lapack").fit(points)
    assert ours.score(points) >= peer.score(points) - 1e-9
    assert ours.score(points) == pytest.approx(peer.score(points), rel=1e-8)
    np.testing.assert_allclose(covariance(ours), peer.get_covariance(), atol=1e-3 * peer.get_covariance().max())


@every_variant
def test_every_way_there_finds_the_same_density(method):
    method, other = clone(method).fit(X), FactorAnalysis().fit(X)
    np.testing.assert_allclose(covariance(method), covariance(other), atol=1e-3 * X.var())
    assert_never_falls(method.objective_path_)
    assert method.n_iter_ == len(method.objective_path_)


def test_varimax_agrees_with_scikit_learn():
    standardized = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = decomposition.FactorAnalysis(2, rotation="varimax", tol=1e-9, max_iter=5000, svd_method="lapack")
    expected = peer.fit(standardized).components_.T
    expected = expected[:, np.argsort(-np.sum(expected**2, axis=0))]
    assert_equal_up_to_signs(FactorAnalysis(rotation="varimax").fit(standardized).loadings_, expected, 1e-3)


# --- Laws


def test_the_unit_of_each_column_changes_nothing_but_units():
    units = np.array([1e-3, 1, 10, 1, 0.1, 1, 1e4, 1])
    before, after = FactorAnalysis().fit(X), FactorAnalysis().fit(X * units)
    assert_equal_up_to_signs(after.embedding_, before.embedding_, 1e-6)
    np.testing.assert_allclose(after.noise_variance_, before.noise_variance_ * units**2, rtol=1e-6)
    assert after.objective_path_[-1] == pytest.approx(before.objective_path_[-1] - 300 * np.log(units).sum())


@pytest.mark.parametrize("solver", ["newton", "em"])
def test_at_the_maximum_the_model_has_the_variances_of_the_data(solver):
    fitted = FactorAnalysis(solver=solver, tol=1e-13).fit(X)
    np.testing.assert_allclose(np.diag(covariance(fitted)), X.var(axis=0), rtol=1e-4)


def test_the_canonical_factors_are_independent_given_a_point():
    method = FactorAnalysis(3).fit(X)
    information = method.loadings_.T @ (method.loadings_ / method.noise_variance_[:, np.newaxis])
    np.testing.assert_allclose(information, np.diag(np.sort(np.diag(information))[::-1]), atol=1e-8 * information.max())


def test_a_rotation_of_the_factors_does_not_change_the_density():
    plain, rotated = FactorAnalysis(3).fit(X), FactorAnalysis(3, rotation="varimax").fit(X)
    np.testing.assert_allclose(rotated.score_samples(X), plain.score_samples(X), rtol=1e-10)
    assert np.abs(rotated.loadings_ - plain.loadings_).max() > 0.1


def test_no_rotation_by_an_angle_has_a_larger_varimax():
    B = np.random.default_rng(0).standard_normal((9, 2))

    def spread(L):
        return np.sum(np.var(L**2, axis=0))

    best = spread(varimax(B))
    for angle in np.linspace(0, np.pi, 200):
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        assert spread(B @ Q) <= best + 1e-9


def test_it_is_not_fooled_by_one_noisy_column_as_pca_is():
    rng = np.random.default_rng(0)
    cause = rng.standard_normal((2000, 1))
    points = np.column_stack([cause * rng.standard_normal(8) + 0.5 * rng.standard_normal((2000, 8)), np.zeros(2000)])
    points[:, -1] = 10 * rng.standard_normal(2000)
    for method, fooled in (FactorAnalysis(1), False), (ProbabilisticPCA(1), True):
        correlation = abs(np.corrcoef(method.fit_transform(points)[:, 0], cause[:, 0])[0, 1])
        assert (correlation < 0.1) if fooled else (correlation > 0.9)


def test_the_causes_are_found_up_to_a_rotation():
    found = FactorAnalysis().fit(X).embedding_
    explained = found @ np.linalg.lstsq(found, Y)[0]
    assert np.mean((Y - explained) ** 2) < 0.1


def test_too_many_factors_drive_noise_to_its_floor_and_the_fit_says_where():
    few = digits(200)
    few = few[:, few.std(axis=0) > 0.5]
    none, some = FactorAnalysis(2).fit(few), FactorAnalysis(20).fit(few)
    assert not none.heywood_.any()
    assert some.heywood_.any()
    floor = 5e-3 * few.var(axis=0)
    np.testing.assert_allclose(some.noise_variance_[some.heywood_], floor[some.heywood_], rtol=2e-3)
    assert np.all(some.noise_variance_ > 0.999 * floor)


@pytest.mark.parametrize("n", [12, 100])
def test_the_concentrated_likelihood_is_that_of_the_density_and_its_gradient_that_of_differences(n):
    """Fewer points than columns, and more."""
    D, d = 20, 3
    points = causes(n, D, d)[0]
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    R, at = covariance_root(points), np.log(np.random.default_rng(0).uniform(0.2, 0.8, D))
    B = loadings_given_noise(R, at, d)
    density = multivariate_normal(np.zeros(D), B @ B.T + np.diag(np.exp(at)))
    value, _ = concentrated_likelihood(R, at, d)
    assert -0.5 * (value + D * np.log(2 * np.pi)) == pytest.approx(density.logpdf(points).mean(), rel=1e-10)
    gradients = check_grad(
        lambda x: concentrated_likelihood(R, x, d)[0], lambda x: concentrated_likelihood(R, x, d)[1], at
    )
    assert gradients < 1e-5


@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_no_loadings_are_likelier_for_given_noise(noise):
    """Where the noise is above the variance along an axis, its best loadings are zero."""
    points = X - X.mean(axis=0)
    R, log_noise = covariance_root(points), np.full(8, np.log(noise))
    B, rng = loadings_given_noise(R, log_noise, 3), np.random.default_rng(0)

    def height(B):
        return multivariate_normal(np.zeros(8), B @ B.T + noise * np.eye(8)).logpdf(points).sum()

    for _ in range(20):
        assert height(B + 0.05 * rng.standard_normal(B.shape)) < height(B)


def test_a_random_start_is_drawn_anew_by_another_seed_and_only_if_it_is_asked_for():
    paths = [FactorAnalysis(init="random", random_state=seed).fit(X).objective_path_[0] for seed in (0, 0, 1)]
    assert paths[0] == paths[1] != paths[2]
    assert FactorAnalysis(random_state=1).fit(X).objective_path_[0] == FactorAnalysis().fit(X).objective_path_[0]
    with pytest.raises(ValueError, match='init=None must be "data" or "random"'):
        FactorAnalysis(init=None).fit(X)


def test_varimax_that_is_cut_short_warns():
    B = np.random.default_rng(0).standard_normal((9, 3))
    with pytest.warns(UserWarning, match="Varimax has not converged in 2 steps: raise max_iter, or tol"):
        varimax(B, max_iter=2)


def test_fewer_points_than_columns_are_enough():
    few = causes(15, D=40)[0]
    ours = FactorAnalysis().fit(few)
    expected = multivariate_normal(ours.mean_, covariance(ours)).logpdf(few).sum()
    assert ours.objective_path_[-1] == pytest.approx(expected)
    em = FactorAnalysis(solver="em", tol=1e-11, max_iter=20_000).fit(few)
    assert ours.objective_path_[-1] >= em.objective_path_[-1] - 1e-6


@pytest.mark.parametrize("D", [1, 2])
def test_as_many_factors_as_columns_are_possible(D):
    method = FactorAnalysis(D).fit(X[:, :D])
    np.testing.assert_allclose(covariance(method), np.cov(X[:, :D].T, bias=True).reshape(D, D), rtol=1e-4)


# --- Holes


def test_the_likelihood_of_the_seen_entries_never_falls_and_is_at_its_maximum():
    holey = with_holes(X)
    method = FactorAnalysis(tol=1e-13).fit(holey)
    assert_never_falls(method.objective_path_)
    best, rng = method.score(holey), np.random.default_rng(0)
    assert method.objective_path_[-1] == pytest.approx(300 * best)
    mean, B, noise = method.mean_, method.loadings_, method.noise_variance_
    for _ in range(20):
        method.mean_ = mean + 1e-3 * rng.standard_normal(8)
        method.loadings_ = B + 1e-3 * rng.standard_normal(B.shape)
        method.noise_variance_ = noise * np.exp(1e-3 * rng.standard_normal(8))
        assert method.score(holey) < best


def test_almost_complete_points_have_almost_the_same_fit():
    holey = X.copy()
    holey[7, 3] = np.nan
    np.testing.assert_allclose(covariance(FactorAnalysis().fit(holey)), covariance(FactorAnalysis().fit(X)), atol=0.1)


def test_entries_are_completed_better_than_by_their_means_and_units_do_not_matter():
    units = np.array([1e-3, 1, 10, 1, 0.1, 1, 1e4, 1])
    holey = with_holes(X)
    method, scaled = FactorAnalysis().fit(holey), FactorAnalysis().fit(holey * units)
    by_means = np.sqrt(np.mean((np.nanmean(holey, axis=0) - X)[np.isnan(holey)] ** 2))
    assert error_in_holes(method, X, holey) < 0.5 * by_means
    completed = scaled.inverse_transform(scaled.embedding_) / units
    np.testing.assert_allclose(completed, method.inverse_transform(method.embedding_), atol=1e-6)


# --- Bad input


@BAD_HOLES
def test_rows_and_columns_with_too_few_entries_are_named(place, message):
    holey = X.copy()
    holey[place] = np.nan
    with pytest.raises(ValueError, match=message):
        FactorAnalysis().fit(holey)


def test_a_constant_column_is_named():
    constant = np.column_stack([X, np.full(len(X), 0.1)])
    message = r"Column 8 of X is constant: its noise has no variance to estimate; leave it out\."
    with pytest.raises(ValueError, match=message):
        FactorAnalysis().fit(constant)
    with pytest.raises(ValueError, match=message):
        FactorAnalysis().fit(with_holes(constant))


def test_more_factors_than_the_rank_are_refused():
    with pytest.raises(ValueError, match="n_components=5 is above the 4 that these data can give"):
        FactorAnalysis(5).fit(X[:5])


@pytest.mark.parametrize("solver", ["newton", "em"])
def test_a_fit_cut_short_warns(solver):
    with pytest.warns(UserWarning, match="not converged in 3 steps: raise max_iter, or tol"):
        FactorAnalysis(solver=solver, max_iter=3).fit(X)


def test_the_covariance_and_its_inverse_are_those_of_scikit_learn():
    X = np.random.default_rng(0).standard_normal((200, 2)) @ np.random.default_rng(1).standard_normal((2, 6))
    X += np.random.default_rng(2).standard_normal((200, 6))
    ours, theirs = FactorAnalysis(2).fit(X), decomposition.FactorAnalysis(2, tol=1e-10, max_iter=10_000).fit(X)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-3)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-3)
