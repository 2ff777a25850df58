"""Charts that agree: alignment after the fit, and coordination together with it."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.decomposition import PCA

from dimred_lessons import AlignedMixture, CoordinatedFactorAnalysis, MixtureOfFactorAnalyzers
from dimred_lessons.charts import disagreement_form
from dimred_lessons.classroom import datasets
from support.latent import assert_never_falls

CHARTS = MixtureOfFactorAnalyzers(10, noise="isotropic", tol=1e-4)
X, CHART = datasets.s_curve(400, noise=0.02)
ALIGNED = AlignedMixture(CHARTS).fit(X)
COORDINATED = CoordinatedFactorAnalysis(CHARTS, tol=1e-4).fit(X)


def lost(Y):
    """Share of the variance of each true coordinate that no affine map of Y gives back."""
    design = np.column_stack([Y, np.ones(len(Y))])
    residuals = CHART - design @ np.linalg.lstsq(design, CHART)[0]
    return residuals.var(axis=0) / CHART.var(axis=0)


# --- Alignment


def test_aligned_charts_unroll_the_curve_where_pca_cannot():
    assert lost(ALIGNED.embedding_).max() < 0.1 < 0.5 < lost(PCA(2).fit_transform(X)).max()


def test_charts_that_agree_best_need_not_unroll_the_curve():
    agreeing = AlignedMixture(CHARTS, cost="disagreement").fit(X)
    A = disagreement_form(agreeing.mixture_.transform(X), agreeing.mixture_.responsibilities(X))
    costs = [np.trace(method.maps_.T @ A @ method.maps_) for method in (agreeing, ALIGNED)]
    assert costs[0] < costs[1]
    assert lost(agreeing.embedding_).max() > 2 * lost(ALIGNED.embedding_).max()


@pytest.mark.parametrize("cost", ["reconstruction", "disagreement"])
def test_the_coordinates_have_mean_zero_and_unit_covariance(cost):
    Y = AlignedMixture(CHARTS, cost=cost).fit_transform(X)
    np.testing.assert_allclose(np.cov(Y.T, bias=True), np.eye(2), atol=1e-8)
    np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-8)


def test_each_chart_is_mapped_by_an_affine_map():
    R, Z = ALIGNED.mixture_.responsibilities(X), ALIGNED.mixture_.local_coordinates(X)
    maps = ALIGNED.maps_.reshape(10, 3, 2)
    places = maps[:, 0] + np.einsum("nsi,siq->nsq", Z, maps[:, 1:])
    Y = np.einsum("ns,nsq->nq", R, places)
    np.testing.assert_allclose(ALIGNED.embedding_, Y - Y.mean(axis=0), atol=1e-9)


def test_the_mixture_that_is_given_stays_unfitted():
    assert not hasattr(CHARTS, "weights_")
    assert ALIGNED.mixture_ is not CHARTS


def test_few_charts_give_few_axes():
    with pytest.raises(ValueError, match="n_components=3 is above the 2 that these data can give"):
        AlignedMixture(MixtureOfFactorAnalyzers(1, tol=1e-3), 3).fit(X)
    every_axis = AlignedMixture(MixtureOfFactorAnalyzers(3, tol=1e-3), None).fit(X)
    assert every_axis.embedding_.shape == (400, 8)  # S(d + 1), less the constant


@pytest.mark.parametrize("method", [AlignedMixture, CoordinatedFactorAnalysis])
def test_a_mixture_without_charts_is_refused(method):
    with pytest.raises(
        ValueError, match=r"mixture=PCA\(\) must be an estimator that fits charts, with the methods resp"
    ):
        method(PCA()).fit(X)


# --- Coordination


def test_the_bound_never_falls_and_stays_below_the_likelihood():
    assert_never_falls(COORDINATED.objective_path_)
    assert np.all(COORDINATED.objective_path_ <= COORDINATED.log_likelihood_path_ + 1e-9)
    assert COORDINATED.n_iter_ == len(COORDINATED.objective_path_)


def test_density_is_that_of_scipy():
    B, spreads = COORDINATED.loadings_, COORDINATED.spreads_
    C = B @ spreads @ B.transpose(0, 2, 1) + np.stack([np.diag(noise) for noise in COORDINATED.noise_variances_])
    parts = zip(COORDINATED.weights_, COORDINATED.means_, C)
    expected = np.log(sum(weight * multivariate_normal(mean, S).pdf(X) for weight, mean, S in parts))
    np.testing.assert_allclose(COORDINATED.score_samples(X), expected, rtol=1e-8)
    assert COORDINATED.log_likelihood_path_[-1] == pytest.approx(expected.sum())


def test_from_aligned_charts_it_unrolls_the_curve_and_from_anywhere_it_does_not_though_the_bound_is_no_lower():
    start = np.random.default_rng(0).standard_normal((400, 2))
    lost_there = CoordinatedFactorAnalysis(CHARTS, init=start, tol=1e-4).fit(X)
    assert lost(COORDINATED.embedding_).max() < 0.1 < 0.5 < lost(lost_there.embedding_).max()
    assert lost_there.objective_path_[-1] > COORDINATED.objective_path_[-1] - 0.1 * len(X)


def test_embedding_and_rebuilt_points_are_the_conditional_means_of_the_model():
    """By sampling the joint density of g and x, near one point of each."""
    Y = COORDINATED.embedding_
    rebuilt = COORDINATED.inverse_transform(Y)
    assert np.sqrt(np.mean((rebuilt - X) ** 2)) < 0.4 * X.std()
    method = COORDINATED
    rng = np.random.default_rng(0)
    s = rng.choice(10, 400_000, p=method.weights_)
    steps = np.einsum("nij,nj->ni", np.linalg.cholesky(method.spreads_)[s], rng.standard_normal((len(s), 2)))
    g, x = method.centers_[s] + steps, method.means_[s] + np.einsum("nij,nj->ni", method.loadings_[s], steps)
    near = np.linalg.norm(g - Y[0], axis=1) < 0.03
    np.testing.assert_allclose(x[near].mean(axis=0), rebuilt[0], atol=0.05)


def test_a_column_of_a_small_unit_keeps_a_noise_of_its_own():
    table = X * [1, 1, 1e-4]
    found = CoordinatedFactorAnalysis(CHARTS, tol=1e-4).fit(table).noise_variances_
    assert np.all(found >= 1e-4 * table.var(axis=0) * (1 - 1e-9))
    assert found[:, 2].max() < 1e-4 * table.var(axis=0).mean()


def test_samples_are_as_dense_as_the_points():
    drawn = COORDINATED.sample(4000, random_state=0)
    assert COORDINATED.score(drawn) == pytest.approx(COORDINATED.score(X), abs=0.15)


@pytest.mark.parametrize(
    "init, message",
    [
        (np.ones((3, 2)), r"init has the shape \(3, 2\), but n_samples=400 and n_components=2: give a row for each"),
        (np.ones((400, 3)), r"init has the shape \(400, 3\)"),
        (np.column_stack([X[:, 0], np.ones(400)]), r"Column 1 of init is constant"),
        ("pca", "init='pca' must be a matrix of finite numbers with a row for each point, or None"),
        (np.full((400, 2), np.nan), "Input init contains NaN"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(init, message):
    with pytest.raises(ValueError, match=message):
        CoordinatedFactorAnalysis(MixtureOfFactorAnalyzers(2, tol=1e-2), init=init).fit(X)


def test_without_a_number_the_start_determines_how_many_components():
    method = CoordinatedFactorAnalysis(MixtureOfFactorAnalyzers(4, tol=1e-2), None, init=X[:, :1], tol=1e-3)
    assert clone(method).fit(X).embedding_.shape == (400, 1)
