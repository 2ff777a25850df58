"""Probabilistic PCA."""

import numpy as np
import pytest
from scipy.stats import kstest, multivariate_normal
from sklearn import decomposition

from dimred_lessons import PCA, ProbabilisticPCA
from support.comparisons import assert_equal_up_to_signs
from support.latent import BAD_HOLES, assert_never_falls, causes, digits, error_in_holes, with_holes

X, _, _ = causes()


def covariance(method):
    B = method.loadings_
    return B @ B.T + np.diag(np.broadcast_to(method.noise_variance_, len(B)))


# --- Oracle


def test_density_is_that_of_scipy():
    method = ProbabilisticPCA().fit(X)
    expected = multivariate_normal(method.mean_, covariance(method)).logpdf(X)
    np.testing.assert_allclose(method.score_samples(X), expected, rtol=1e-11)
    assert method.score(X) == pytest.approx(np.mean(expected))
    assert method.objective_path_[-1] == pytest.approx(np.sum(expected))


def test_it_agrees_with_scikit_learn_except_for_the_divisor():
    ours, peer = ProbabilisticPCA(3).fit(X), decomposition.PCA(3, svd_solver="full").fit(X)
    n = len(X)
    np.testing.assert_allclose(covariance(ours), peer.get_covariance() * (n - 1) / n, atol=1e-12)
    assert ours.noise_variance_ == pytest.approx(peer.noise_variance_ * (n - 1) / n)


def test_for_few_points_the_noise_is_averaged_over_the_empty_directions_too_which_scikit_learn_forgets():
    few = digits(40)
    ours, peer = ProbabilisticPCA(5).fit(few), decomposition.PCA(5, svd_solver="full").fit(few)
    D = few.shape[1]
    assert ours.noise_variance_ / peer.noise_variance_ == pytest.approx((40 - 5) / (D - 5) * 39 / 40)
    theirs = multivariate_normal(peer.mean_, peer.get_covariance() * 39 / 40).logpdf(few).sum()
    assert ours.objective_path_[-1] > theirs + 10


def test_em_reaches_the_closed_form():
    closed, em = ProbabilisticPCA(3).fit(X), ProbabilisticPCA(3, solver="em", tol=1e-14).fit(X)
    assert em.objective_path_[-1] == pytest.approx(closed.objective_path_[-1], abs=1e-8)
    assert em.objective_path_[-1] <= closed.objective_path_[-1] + 1e-9
    assert_equal_up_to_signs(em.embedding_, closed.embedding_, 1e-5)
    assert_never_falls(em.objective_path_)
    assert em.n_iter_ == len(em.objective_path_) > 5 > closed.n_iter_


UNITS = [np.ones(8), 1e-6 * np.ones(8), 1e6 * np.ones(8)]
UNITS += [np.where(np.arange(8) == 2, unit, 1) for unit in (1e-6, 1e-3, 1e3, 1e6)]


@pytest.mark.parametrize("units", UNITS, ids=str)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_em_reaches_the_closed_form_in_any_unit_of_a_column(units, d):
    closed, em = (ProbabilisticPCA(d, solver=method).fit(units * X) for method in ("closed-form", "em"))
    assert em.noise_variance_ == pytest.approx(closed.noise_variance_, rel=1e-2)
    assert em.score(units * X) == pytest.approx(closed.score(units * X), abs=1e-3)
    lengths = np.linalg.norm(closed.loadings_, axis=0)
    np.testing.assert_allclose(np.linalg.norm(em.loadings_, axis=0), lengths, rtol=1e-2, atol=1e-2 * lengths[-1])


@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9])
def test_em_reaches_the_closed_form_where_there_is_hardly_any_noise(size):
    rng = np.random.default_rng(0)
    flat = rng.standard_normal((100, 2)) @ rng.standard_normal((2, 6)) + size * rng.standard_normal((100, 6))
    closed, em = (ProbabilisticPCA(solver=method).fit(flat) for method in ("closed-form", "em"))
    assert em.noise_variance_ == pytest.approx(closed.noise_variance_, rel=1e-2)
    assert em.score(flat) == pytest.approx(closed.score(flat), abs=1e-3)


def test_em_that_stops_below_the_closed_form_says_so():
    units = np.where(np.arange(8) == 2, 1e8, 1)  # squares of this column leave no digits to the others
    with pytest.warns(UserWarning, match=r"EM has stopped 0\.\d+ nats per entry below the closed form: lower tol"):
        ProbabilisticPCA(solver="em").fit(units * X)


# --- Laws


@pytest.mark.parametrize("points", [X, with_holes(X)], ids=["complete", "with holes"])
def test_components_are_the_loadings_as_rows(points):
    method = ProbabilisticPCA(3).fit(points)
    np.testing.assert_array_equal(method.components_, method.loadings_.T)
    assert method.components_.shape == (3, 8) and not hasattr(ProbabilisticPCA(3), "components_")


def test_its_axes_are_those_of_pca_shrunk_and_of_unit_variance():
    method, pca = ProbabilisticPCA(3).fit(X), PCA(3).fit(X)
    variances = pca.eigenvalues_ / len(X)
    shrunk = np.sqrt(variances - method.noise_variance_) / variances
    assert_equal_up_to_signs(method.embedding_, pca.embedding_ * shrunk, 1e-10)


def test_without_noise_the_reconstruction_becomes_the_projection_of_pca():
    rng = np.random.default_rng(0)
    flat = rng.standard_normal((100, 2)) @ rng.standard_normal((2, 6))
    errors = []
    for size in (1e-1, 1e-2, 1e-3):
        noisy = flat + size * rng.standard_normal(flat.shape)
        ours, pca = ProbabilisticPCA().fit(noisy), PCA().fit(noisy)
        errors.append(np.abs(ours.inverse_transform(ours.embedding_) - pca.inverse_transform(pca.embedding_)).max())
    assert errors[0] > 50 * errors[1] > 2500 * errors[2]


def test_more_components_are_never_less_likely():
    values = [ProbabilisticPCA(d).fit(X).objective_path_[-1] for d in range(1, 8)]
    assert np.all(np.diff(values) > 0)
    assert ProbabilisticPCA(None).fit(X).embedding_.shape == (len(X), 7)


def test_samples_have_the_mean_the_covariance_and_the_densities_of_the_model():
    method = ProbabilisticPCA().fit(X)
    drawn = method.sample(20_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), method.mean_, atol=0.1)
    C = covariance(method)
    np.testing.assert_allclose(np.cov(drawn.T), C, atol=0.03 * np.abs(C).max())
    squared_distances = -2 * method.score_samples(drawn[:2000]) - np.linalg.slogdet(2 * np.pi * C)[1]
    assert kstest(squared_distances, "chi2", (8,)).pvalue > 0.01
    np.testing.assert_array_equal(method.sample(3, random_state=1), method.sample(3, random_state=1))


def test_a_change_of_unit_shifts_every_log_density_by_the_same_amount():
    before, after = ProbabilisticPCA().fit(X).score_samples(X), ProbabilisticPCA().fit(10 * X).score_samples(10 * X)
    np.testing.assert_allclose(after, before - 8 * np.log(10), rtol=1e-10)


def test_a_constant_column_is_harmless():
    wider = np.column_stack([X, np.full(len(X), 0.1)])
    method = ProbabilisticPCA().fit(wider)
    assert np.isfinite(method.score_samples(wider)).all()
    np.testing.assert_allclose(method.loadings_[-1], 0, atol=1e-12)


# --- Holes


def test_the_likelihood_of_the_seen_entries_is_that_of_scipy_and_never_falls():
    holey = with_holes(X)
    method = ProbabilisticPCA().fit(holey)
    C = covariance(method)
    expected = [
        multivariate_normal(method.mean_[o], C[np.ix_(o, o)]).logpdf(x[o]) for x in holey for o in [~np.isnan(x)]
    ]
    np.testing.assert_allclose(method.score_samples(holey), expected, rtol=1e-10)
    assert method.objective_path_[-1] == pytest.approx(np.sum(expected))
    assert_never_falls(method.objective_path_)


def test_a_completed_entry_is_its_mean_given_the_seen_ones():
    holey = with_holes(X)
    method = ProbabilisticPCA().fit(holey)
    C, completed = covariance(method), method.inverse_transform(method.embedding_)
    for x, filled in zip(holey[:50], completed[:50]):
        o, u = ~np.isnan(x), np.isnan(x)
        expected = method.mean_[u] + C[np.ix_(u, o)] @ np.linalg.solve(C[np.ix_(o, o)], (x - method.mean_)[o])
        np.testing.assert_allclose(filled[u], expected, atol=1e-9)


def test_no_small_change_of_the_fit_makes_the_seen_entries_likelier():
    holey = with_holes(X)
    method = ProbabilisticPCA(tol=1e-13).fit(holey)
    best, rng = method.score(holey), np.random.default_rng(0)
    mean, B, noise = method.mean_, method.loadings_, method.noise_variance_
    for _ in range(20):
        method.mean_ = mean + 1e-3 * rng.standard_normal(8)
        method.loadings_ = B + 1e-3 * rng.standard_normal(B.shape)
        method.noise_variance_ = noise * np.exp(1e-3 * rng.standard_normal())
        assert method.score(holey) < best


def test_one_hole_changes_the_fit_only_a_little():
    holey = X.copy()
    holey[7, 3] = np.nan
    complete, method = ProbabilisticPCA().fit(X), ProbabilisticPCA().fit(holey)
    np.testing.assert_allclose(covariance(method), covariance(complete), atol=0.1)
    assert_equal_up_to_signs(method.embedding_, complete.embedding_, 0.05)


@pytest.mark.parametrize("shift", [1e4, 1e6, 1.7e9])
@pytest.mark.parametrize("share", [0.001, 0.2])
def test_with_holes_a_shift_of_a_column_moves_the_mean_only(shift, share):
    holey = with_holes(X, share)
    expected, moved = (ProbabilisticPCA().fit(table) for table in (holey, holey + np.append(np.zeros(7), shift)))
    assert moved.noise_variance_ == pytest.approx(expected.noise_variance_, rel=1e-4)
    np.testing.assert_allclose(moved.loadings_, expected.loadings_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(moved.mean_ - expected.mean_, np.append(np.zeros(7), shift), atol=1e-4)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6, 1e8])
def test_with_a_hole_in_any_unit_of_a_column_the_fit_is_nearly_that_of_all_entries(unit):
    holey, units = X.copy(), np.append(np.ones(7), unit)
    holey[7, 3] = np.nan
    complete, method = ProbabilisticPCA().fit(units * X), ProbabilisticPCA().fit(units * holey)
    assert method.noise_variance_ == pytest.approx(complete.noise_variance_, rel=0.02)


def test_noise_that_rounding_hides_beside_large_columns_is_refused_with_a_sentence():
    large = with_holes(X) * np.where(np.arange(8) < 2, 1e8, 1)
    with pytest.raises(ValueError, match="The noise beside n_components=2 is lost in rounding: bring the columns of X"):
        ProbabilisticPCA().fit(large)


def test_digits_are_completed_better_than_by_their_means():
    whole = digits()
    holey = with_holes(whole)
    by_means = np.sqrt(np.mean((np.nanmean(holey, axis=0) - whole)[np.isnan(holey)] ** 2))
    errors = [error_in_holes(ProbabilisticPCA(d, tol=1e-6).fit(holey), whole, holey) for d in (5, 10)]
    assert by_means > 4.5 > 3.8 > errors[0] > errors[1]


def test_the_holes_of_new_points_are_completed_too():
    method, new = ProbabilisticPCA().fit(X), causes(seed=0)[0][:50] + 0.1
    holey = with_holes(new, seed=5)
    assert error_in_holes(method, new, holey) < 0.5 * np.std((new - method.mean_)[np.isnan(holey)])
    np.testing.assert_allclose(method.transform(new[:1]), method.transform(np.vstack([new[:1], holey]))[:1])


# --- Bad input


@BAD_HOLES
def test_rows_and_columns_with_too_few_entries_are_named(place, message):
    holey = X.copy()
    holey[place] = np.nan
    with pytest.raises(ValueError, match=message):
        ProbabilisticPCA().fit(holey)


def test_a_new_point_without_any_entry_is_refused():
    with pytest.raises(ValueError, match="Row 0 of X has 0 of its 8 entries"):
        ProbabilisticPCA().fit(X).transform(np.full((1, 8), np.nan))


@pytest.mark.parametrize("points, attainable", [(X, 7), (X[:5], 3), (np.column_stack([X, X]), 7)])
def test_more_components_than_leave_any_noise_are_refused(points, attainable):
    message = rf"n_components={attainable + 1} is above the {attainable} that these data can give"
    ProbabilisticPCA(attainable).fit(points)
    with pytest.raises(ValueError, match=message):
        ProbabilisticPCA(attainable + 1).fit(points)


def test_holes_that_leave_no_noise_beside_the_components_are_refused():
    few = np.random.default_rng(0).standard_normal((60, 12))
    with pytest.raises(ValueError, match="With 9 components the noise variance falls to zero"):
        ProbabilisticPCA(9).fit(with_holes(few, share=0.5))


def test_bad_requests_for_samples_and_scores_are_refused():
    method = ProbabilisticPCA().fit(X)
    with pytest.raises(ValueError, match="n_samples=0 must be a positive integer"):
        method.sample(0)
    with pytest.raises(ValueError, match="random_state='a' must be"):
        method.sample(2, random_state="a")
    with pytest.raises(ValueError, match="X has 3 columns, but this fit has 2 components"):
        method.inverse_transform(np.ones((4, 3)))
    with pytest.raises(ValueError, match="X has 3 features"):
        method.score_samples(np.ones((4, 3)))


def test_a_fit_cut_short_warns():
    with pytest.warns(UserWarning, match="EM has not converged in 3 steps"):
        ProbabilisticPCA(max_iter=3).fit(with_holes(X))
