"""Gaussians of low rank plus diagonal, against SciPy's dense ones, and the loop of EM."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from dimred_lessons import gaussians
from dimred_lessons.eigenpairs import thin_svd


def model(D=7, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(D), rng.standard_normal((D, d)), rng.uniform(0.2, 2, D)


def points(n=30, D=7, holes=0.0, seed=1):
    """Points with a share of holes; no row and no column is empty."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D))
    X[rng.random((n, D)) < holes] = np.nan
    X[np.arange(n), np.arange(n) % D] = 1.0
    return X


def conditional(x, mean, B, noise):
    """Mean and covariance of the factors given the seen entries of a point, by the dense formula."""
    o = ~np.isnan(x)
    C = B[o] @ B[o].T + np.diag(noise[o])
    gain = B[o].T @ linalg.inv(C)
    return gain @ (x - mean)[o], np.eye(B.shape[1]) - gain @ B[o]


def log_likelihood(X, mean, B, noise):
    return gaussians.log_density(X, mean, B, noise).sum()


@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_log_density_is_that_of_scipy_of_the_seen_entries(holes):
    mean, B, noise = model()
    C, X = B @ B.T + np.diag(noise), points(holes=holes)
    expected = [multivariate_normal(mean[o], C[np.ix_(o, o)]).logpdf(x[o]) for x in X for o in [~np.isnan(x)]]
    np.testing.assert_allclose(gaussians.log_density(X, mean, B, noise), expected, rtol=1e-12)


def test_density_integrates_to_one():
    mean, B, noise = model(D=2, d=1)
    axes = [np.linspace(m - 12, m + 12, 401) for m in mean]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    mass = np.exp(gaussians.log_density(grid, mean, B, noise)).sum() * 0.06**2
    assert mass == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_posterior_is_the_conditional_gaussian_of_the_factors(holes):
    X, parameters = points(holes=holes), model()
    Y, V = gaussians.posterior(X, *parameters)
    for x, y, covariance in zip(X, Y, np.broadcast_to(V, (len(X), 3, 3))):
        expected = conditional(x, *parameters)
        np.testing.assert_allclose(y, expected[0], atol=1e-12)
        np.testing.assert_allclose(covariance, expected[1], atol=1e-12)


def test_without_a_prior_the_posterior_is_the_regression_on_the_loadings():
    mean, B, noise = model()
    x = points(n=1, holes=0.3)
    o = ~np.isnan(x[0])
    w = 1 / np.sqrt(noise[o])
    expected = np.linalg.lstsq(B[o] * w[:, np.newaxis], (x[0] - mean)[o] * w)[0]
    np.testing.assert_allclose(gaussians.posterior(x, mean, B, noise, prior=0.0)[0][0], expected, rtol=1e-10)


@pytest.mark.parametrize("variance", [1e-4, 1e-8, 1e-12])
def test_the_least_squares_form_keeps_its_digits_where_the_inversion_lemma_loses_them(variance):
    mean, B, _ = model(D=12)
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 3)) @ B.T + mean + np.sqrt(variance) * rng.standard_normal((40, 12))
    noise = np.full(12, variance)
    U, lengths, _ = linalg.svd(B)  # along the axes of C the density is a product
    variances = np.concatenate([lengths**2, np.zeros(9)]) + variance
    expected = -0.5 * np.sum(np.log(2 * np.pi * variances) + ((X - mean) @ U) ** 2 / variances, axis=1)
    errors = np.abs(gaussians.log_density(X, mean, B, noise) / expected - 1)
    assert errors.max() < 1e-9
    scaled = (X - mean) @ B / variance
    J = np.eye(3) + B.T @ B / variance
    lemma = np.sum((X - mean) ** 2, axis=1) / variance - np.sum(scaled * np.linalg.solve(J, scaled.T).T, axis=1)
    constant = 12 * np.log(2 * np.pi * variance) + np.linalg.slogdet(J)[1]
    by_the_lemma = np.abs(-0.5 * (constant + lemma) / expected - 1)
    assert by_the_lemma.max() > 10 * errors.max()


def test_rows_with_the_same_holes_share_a_pattern():
    X = np.array([[1, np.nan], [2, 3], [4, np.nan], [np.nan, 5]])
    holes = gaussians.find_holes(X)
    assert holes.patterns.shape == (3, 2)
    np.testing.assert_array_equal(holes.patterns[holes.which], ~np.isnan(X))
    np.testing.assert_array_equal(holes.sizes, np.bincount(holes.which))
    assert gaussians.find_holes(np.ones((2, 2))) is None


@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_centering_leaves_exact_zeros_in_a_constant_column(holes):
    X = points(holes=holes)
    X[:, 2] = np.where(np.isnan(X[:, 2]), np.nan, 0.1)
    deviations, mean = gaussians.center_seen(X)
    np.testing.assert_allclose(mean, np.nanmean(X, axis=0), atol=1e-15)
    np.testing.assert_allclose(deviations, X - mean, atol=1e-15)
    assert np.nanmax(np.abs(deviations[:, 2])) == 0


@pytest.mark.parametrize("n", [4, 30])
def test_a_root_of_the_covariance_has_no_more_rows_than_needed(n):
    X = points(n)
    R = gaussians.covariance_root(X)
    assert len(R) == min(n, 7)
    np.testing.assert_allclose(R.T @ R, X.T @ X / n, atol=1e-14)


@pytest.mark.parametrize("n, d", [(30, 1), (30, 3), (30, 6), (5, 2)])
def test_no_change_of_the_principal_factors_is_likelier(n, d):
    X = gaussians.center_seen(points(n))[0]
    _, singular_values, V = thin_svd(gaussians.covariance_root(X))
    B, noise = gaussians.principal_factors(singular_values**2, V, d)
    best = log_likelihood(X, np.zeros(7), B, np.full(7, noise))
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1):
        for _ in range(10):
            other = B + size * rng.standard_normal(B.shape)
            value = log_likelihood(X, np.zeros(7), other, np.full(7, noise * np.exp(size * rng.standard_normal())))
            assert value < best


def test_canonical_loadings_change_neither_the_covariance_nor_with_the_rotation():
    _, B, noise = model()
    Q = linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0]
    L = gaussians.canonical_loadings(B, noise)
    np.testing.assert_allclose(L @ L.T, B @ B.T, atol=1e-13)
    np.testing.assert_allclose(gaussians.canonical_loadings(B @ Q, noise), L, atol=1e-13)
    information = L.T @ (L / noise[:, np.newaxis])
    np.testing.assert_allclose(information, np.diag(np.sort(np.diag(information))[::-1]), atol=1e-12)


def test_an_em_step_reports_the_likelihood_before_it_and_raises_it():
    X = gaussians.center_seen(points(40))[0]
    _, B, noise = model()
    R, old = gaussians.covariance_root(X), -np.inf
    for _ in range(20):
        better, lower, value = gaussians.factor_step(R, B, noise)
        assert 40 * value == pytest.approx(log_likelihood(X, np.zeros(7), B, noise), rel=1e-12)
        assert value > old
        B, noise, old = better, lower, value


def expected_complete_log_likelihood(X, moments, mean, B, noise):
    """What an M step maximizes, entry by entry: E log p(x, y) of the seen entries, without constants."""
    total = 0.0
    for x, (y, V) in zip(X, moments):
        for j in np.flatnonzero(~np.isnan(x)):
            total -= np.log(noise[j]) + ((x[j] - mean[j] - B[j] @ y) ** 2 + B[j] @ V @ B[j]) / noise[j]
    return total / 2


def test_with_holes_the_regression_maximizes_the_expected_likelihood():
    X, parameters = points(60, holes=0.3), model()
    holes = gaussians.find_holes(X)
    Y, V = gaussians.posterior(X, *parameters)
    _, first = np.unique(holes.which, return_index=True)
    R = np.where(holes.seen > 0, X, 0)
    found = gaussians.regress_on_factors(R, holes, Y, V[first])
    best = expected_complete_log_likelihood(X, list(zip(Y, V)), *found)
    rng = np.random.default_rng(0)
    for _ in range(20):
        m, B, noise = (A * np.exp(0.01 * rng.standard_normal(A.shape)) for A in found)
        assert expected_complete_log_likelihood(X, list(zip(Y, V)), m, B, noise) < best


def test_a_step_with_holes_reports_the_likelihood_before_it_and_raises_it():
    X, parameters, old = points(60, holes=0.3), model(), -np.inf
    holes = gaussians.find_holes(X)
    for _ in range(20):
        better, value = gaussians.factor_step_with_holes(X, holes, *parameters)
        assert value == pytest.approx(log_likelihood(X, *parameters), rel=1e-12)
        assert value > old
        parameters, old = better, value


@given(shift=st.floats(-1e4, 1e4), seed=st.integers(0, 100))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_responsibilities_neither_overflow_nor_lose_digits(shift, seed):
    A = 50 * np.random.default_rng(seed).standard_normal((5, 4)) + shift
    R, log_densities = gaussians.responsibilities(A)
    np.testing.assert_allclose(log_densities, logsumexp(A, axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(R, np.exp(A - logsumexp(A, axis=1, keepdims=True)), rtol=1e-9, atol=1e-300)


def test_em_stops_where_the_gain_is_small_and_returns_parameters_of_known_likelihood():
    def step(x):
        return x / 2, -x

    x, values = gaussians.em(step, 1.0, 0.01, 100, size=2)
    np.testing.assert_array_equal(values, -(0.5 ** np.arange(len(values))))
    assert x == -values[-1]
    assert values[-1] - values[-2] <= 0.02 < values[-2] - values[-3]


def test_em_raises_if_the_objective_falls_or_is_not_a_number():
    with pytest.raises(RuntimeError, match="EM lowered its objective by 1, to -2: the step is wrong"):
        gaussians.em(lambda x: (x + 1, -x), 1.0, 0.0, 100, size=1)
    values = iter([1.0, np.nan])
    with pytest.raises(RuntimeError, match="to nan: the step is wrong"):
        gaussians.em(lambda x: (x, next(values)), 1.0, 0.0, 100, size=1)


def test_em_says_whose_parameters_it_warns_of():
    with pytest.warns(UserWarning, match="raise max_iter, or tol of Mixture"):
        gaussians.em(lambda x: (x / 2, -x), 1.0, 1e-6, 3, size=1, owner="Mixture")


def test_em_warns_if_it_is_cut_short():
    with pytest.warns(UserWarning, match="EM has not converged in 3 steps: raise max_iter, or tol"):
        x, values = gaussians.em(lambda x: (x / 2, -x), 1.0, 1e-6, 3, size=1)
    assert x == -values[-1] == 0.25


@pytest.mark.parametrize("unit", [1e-100, 1, 1e100])
def test_the_precision_is_the_inverse_of_the_covariance_for_columns_of_any_unit(unit):
    rng = np.random.default_rng(0)
    scales = unit * np.logspace(-3, 3, 7)
    B, noise = scales[:, np.newaxis] * rng.standard_normal((7, 3)), scales**2 * rng.uniform(1e-3, 1, 7)
    P, C = gaussians.precision_matrix(B, noise), B @ B.T + np.diag(noise)
    np.testing.assert_array_equal(P, P.T)
    in_units = np.outer(scales, scales)
    np.testing.assert_allclose((P * in_units) @ (C / in_units), np.eye(7), atol=1e-10)
