"""Generative topographic mapping."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from dimred_lessons import GTM, PCA, Isomap
from dimred_lessons.classroom import datasets
from support.latent import assert_never_falls

X, CHART = datasets.s_curve(300, noise=0.05)
QUICK = {"grid": 10, "n_centers": 5, "tol": 1e-5}
START = Isomap(n_neighbors=10).fit_transform(X)
FITTED = GTM(**QUICK).fit(X)


def lost(Y):
    """Share of the variance of each true coordinate that no affine map of Y gives back."""
    design = np.column_stack([Y, np.ones(len(Y))])
    residuals = CHART - design @ np.linalg.lstsq(design, CHART)[0]
    return residuals.var(axis=0) / CHART.var(axis=0)


# --- Oracle


def test_density_is_that_of_equal_gaussians_at_the_images_of_the_nodes():
    variance = FITTED.noise_variance_
    joint = -cdist(X, FITTED.inverse_transform(FITTED.nodes_), "sqeuclidean") / (2 * variance)
    expected = logsumexp(joint, axis=1) - 1.5 * np.log(2 * np.pi * variance) - np.log(100)
    np.testing.assert_allclose(FITTED.score_samples(X), expected, rtol=1e-9)
    assert FITTED.log_likelihood_path_[-1] == pytest.approx(expected.sum())
    np.testing.assert_allclose(FITTED.embedding_, np.exp(joint - logsumexp(joint, axis=1)[:, None]) @ FITTED.nodes_)


def test_density_integrates_to_one():
    flat = PCA(2).fit_transform(X)
    method = GTM(**QUICK).fit(flat)
    axis = np.linspace(-6, 6, 301)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    assert np.exp(method.score_samples(grid)).sum() * 0.04**2 == pytest.approx(1, abs=1e-3)


# --- Laws


def test_the_objective_never_falls_and_is_the_likelihood_less_the_penalty():
    assert_never_falls(FITTED.objective_path_)
    W = FITTED.coef_ / FITTED.scale_
    penalty = FITTED.log_likelihood_path_[-1] - FITTED.objective_path_[-1]
    assert penalty == pytest.approx(0.5e-3 * np.sum(W**2))
    assert FITTED.n_iter_ == len(FITTED.objective_path_) == len(FITTED.log_likelihood_path_)


def test_no_small_change_of_the_sheet_raises_the_objective():
    method = GTM(**QUICK | {"tol": 1e-10, "max_iter": 3000, "grid": 6}).fit(X)
    W, rng = method.coef_.copy(), np.random.default_rng(0)

    def objective():
        return method.score_samples(X).sum() - 0.5e-3 * np.sum((method.coef_ / method.scale_) ** 2)

    best = objective()
    for _ in range(10):
        method.coef_ = W + 1e-3 * rng.standard_normal(W.shape)
        assert objective() < best


def test_started_along_the_manifold_it_does_not_fold_and_is_likelier():
    unrolled = GTM(**QUICK, init=START).fit(X)
    assert lost(unrolled.embedding_).max() < 0.2 < 0.5 < lost(FITTED.embedding_).max()
    assert unrolled.objective_path_[-1] > FITTED.objective_path_[-1] + 10


def test_the_unit_of_the_points_changes_nothing_but_the_unit():
    moved = GTM(**QUICK).fit(1000 * X + 5)
    np.testing.assert_allclose(moved.embedding_, FITTED.embedding_, atol=1e-5)
    np.testing.assert_allclose(moved.score_samples(1000 * X + 5), FITTED.score_samples(X) - 3 * np.log(1000), atol=1e-4)


def test_samples_are_as_dense_as_the_points():
    drawn = FITTED.sample(4000, random_state=0)
    assert FITTED.score(drawn) == pytest.approx(FITTED.score(X), abs=0.15)


def test_one_dimension_is_a_curve_through_the_points():
    angles = np.random.default_rng(0).uniform(0, 4, 200)
    arc = np.column_stack([np.cos(angles), np.sin(angles)])
    method = GTM(1, grid=40, n_centers=8, tol=1e-5).fit(arc)
    assert abs(np.corrcoef(method.embedding_[:, 0], angles)[0, 1]) > 0.98
    assert np.sqrt(np.mean((method.inverse_transform(method.embedding_) - arc) ** 2)) < 0.1


# --- Bad input


@pytest.mark.parametrize(
    "init, message",
    [
        (START[:10], r"init has the shape \(10, 2\), but n_samples=300 and n_components=2"),
        (START[:, :1], r"init has the shape \(300, 1\)"),
        (np.column_stack([START[:, 0], np.ones(300)]), "Column 1 of init is constant"),
        ("isomap", "init='isomap' must be \"pca\", or a matrix of finite numbers with a row for each point"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(init, message):
    with pytest.raises(ValueError, match=message):
        GTM(init=init).fit(X)


@pytest.mark.parametrize("d, width", [(12, "1.29746338e"), (400, "2.73214423e")])  # 15^400 is above the largest float
def test_a_grid_that_does_not_fit_into_memory_is_refused(d, width):
    points = np.random.default_rng(0).standard_normal((d + 300, d))
    with pytest.raises(ValueError, match=rf"matrices of {d + 300} × {width}\+.* numbers need .*: lower grid or n_comp"):
        GTM(d).fit(points)


def test_more_components_than_the_rank_are_refused():
    with pytest.raises(ValueError, match="n_components=4 is above the 3 that these data can give"):
        GTM(4).fit(X)


@pytest.mark.filterwarnings("ignore:EM has not converged")
def test_a_row_of_fill_values_and_columns_of_any_unit_leave_a_map():
    X = np.random.default_rng(0).standard_normal((40, 5))
    for points in (np.vstack([X, np.full((1, 5), 1e12)]), X * [1e-8, 1, 1e8, 1, 1]):
        fitted = GTM(grid=4, max_iter=10).fit(points)
        assert np.isfinite(fitted.embedding_).all() and fitted.noise_variance_ > 0
