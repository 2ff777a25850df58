"""EM for PCA."""

import numpy as np
import pytest
from scipy import linalg

from dimred_lessons import EMPCA, PCA, ProbabilisticPCA
from support.comparisons import assert_equal_up_to_signs
from support.latent import BAD_HOLES, causes, digits, error_in_holes, with_holes

X, _, _ = causes()
EXACT = {"tol": 1e-16, "max_iter": 2000}


def flat(n=60, D=20, d=3, seed=0):
    """Points on a plane, without noise."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, D)) + rng.standard_normal(D)


def angle(A, B):
    return linalg.subspace_angles(A, B).max()


# --- Oracle and laws


def test_it_finds_the_components_of_pca():
    ours, pca = EMPCA(3, **EXACT).fit(X), PCA(3).fit(X)
    assert_equal_up_to_signs(ours.embedding_, pca.embedding_, 1e-6)
    np.testing.assert_allclose(ours.components_ @ ours.components_.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(ours.mean_, pca.mean_, atol=1e-10)
    assert ours.objective_path_[-1] == pytest.approx(
        np.sum((X - pca.inverse_transform(pca.embedding_)) ** 2), rel=1e-12
    )


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_a_column_in_another_unit_does_not_end_the_iteration_early(unit):
    table = X * np.append(unit, np.ones(X.shape[1] - 1))
    assert_equal_up_to_signs(EMPCA().fit(table).components_, PCA().fit(table).components_, 1e-3)
    holey = table.copy()
    holey[7, 3] = np.nan
    assert_equal_up_to_signs(EMPCA().fit(holey).components_, PCA().fit(table).components_, 0.1)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("power", [4, 8, 12])
def test_complete_points_of_a_plane_are_found_again_whatever_the_units_of_the_columns(power, order):
    rng = np.random.default_rng(0)
    plane, units = rng.standard_normal((200, 2)) @ rng.standard_normal((2, 6)), np.logspace(-power, power, 6)[::order]
    method = EMPCA(2).fit(plane * units)
    np.testing.assert_allclose(method.inverse_transform(method.embedding_) / units, plane, atol=1e-9)
    np.testing.assert_allclose(method.components_ @ method.components_.T, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_with_holes_a_column_in_a_large_unit_does_not_end_the_iteration_far_above_the_least_error(seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((150, 3)) @ rng.standard_normal((3, 8)) + rng.standard_normal((150, 8))
    holey = with_holes(table * np.where(np.arange(8) == seed, 1e3, 1), seed=seed)
    found, longer = (EMPCA(3, missing="complete", tol=tol, max_iter=10_000).fit(holey) for tol in (1e-10, 1e-14))
    assert found.objective_path_[-1] == pytest.approx(longer.objective_path_[-1], rel=1e-2)


def test_components_that_rounding_hides_beside_large_columns_are_refused_with_a_sentence():
    large = with_holes(X, 0.05) * np.where(np.arange(X.shape[1]) < 2, 1e6, 1)
    with pytest.raises(ValueError, match="n_components=3, or only their rounding does: bring the columns of X"):
        EMPCA(3).fit(large)


def test_a_step_multiplies_the_subspace_by_the_covariance():
    C0 = np.random.RandomState(0).standard_normal((8, 3))
    centered = X - X.mean(axis=0)
    for n_steps, power in (2, 1), (3, 2):  # the error of what is returned is known: that is the last step but one
        with pytest.warns(UserWarning, match="not converged"):
            method = EMPCA(3, max_iter=n_steps, tol=0, random_state=np.random.RandomState(0)).fit(X)
        expected = np.linalg.matrix_power(centered.T @ centered, power) @ C0
        assert angle(method.basis_, expected) < 1e-10


def test_it_converges_by_the_ratio_of_two_eigenvalues_per_step():
    errors = EMPCA(2, **EXACT).fit(X).objective_path_
    eigenvalues = PCA(None).fit(X).eigenvalues_
    excess = errors[:-1] - eigenvalues[2:].sum()
    rate = np.sqrt(excess[6] / excess[5])  # an error is quadratic in the angle
    assert rate == pytest.approx(eigenvalues[2] / eigenvalues[1], rel=0.05)


def test_its_basis_spans_the_components_but_is_not_made_of_them():
    method = EMPCA(3).fit(X)
    assert angle(method.basis_, method.components_.T) < 1e-8
    unit = method.basis_ / linalg.norm(method.basis_, axis=0)
    assert np.abs(unit.T @ unit - np.eye(3)).max() > 0.1


@pytest.mark.parametrize("missing", ["least-squares", "complete"])
def test_the_error_of_the_seen_entries_never_rises(missing):
    errors = EMPCA(3, missing=missing, tol=1e-7).fit(with_holes(X)).objective_path_
    assert np.all(np.diff(errors) <= 1e-9 * errors[0])


@pytest.mark.parametrize("missing", ["least-squares", "complete"])
@pytest.mark.parametrize("seed", range(4))
def test_points_on_a_plane_are_completed_exactly(missing, seed):
    whole = flat(seed=seed)
    holey = with_holes(whole, seed=seed)
    method = EMPCA(3, missing=missing, **EXACT).fit(holey)
    assert error_in_holes(method, whole, holey) < 1e-6 * np.std(whole)


def test_both_ways_to_fill_holes_lower_the_same_error_to_the_same_value():
    holey = with_holes(X)
    fits = [EMPCA(missing=missing, **EXACT).fit(holey) for missing in ("least-squares", "complete")]
    assert fits[0].objective_path_[-1] == pytest.approx(fits[1].objective_path_[-1], rel=1e-6)
    assert_equal_up_to_signs(fits[0].embedding_, fits[1].embedding_, 1e-3)


def test_without_a_prior_it_overfits_where_probabilistic_pca_does_not():
    whole = digits(300)
    holey = with_holes(whole)
    ours, shrunk = EMPCA(10, tol=1e-6).fit(holey), ProbabilisticPCA(10, tol=1e-6).fit(holey)
    assert error_in_holes(ours, whole, holey) > 1.05 * error_in_holes(shrunk, whole, holey)


def test_all_components_are_as_many_as_the_rank():
    assert EMPCA(None).fit(flat()).embedding_.shape == (60, 3)


# --- Bad input


@BAD_HOLES
def test_rows_and_columns_with_too_few_entries_are_named(place, message):
    holey = X.copy()
    holey[place] = np.nan
    with pytest.raises(ValueError, match=message):
        EMPCA(1).fit(holey)


def test_a_point_needs_as_many_entries_as_there_are_components():
    holey = X.copy()
    holey[4, 2:] = np.nan
    message = r"Row 4 of X has 2 of its 8 entries, but needs at least 3: leave it out\."
    with pytest.raises(ValueError, match=message):
        EMPCA(3).fit(holey)
    with pytest.raises(ValueError, match=message):
        EMPCA(3).fit(X).transform(holey)
    holey = X.copy()
    holey[3:, 6] = np.nan
    with pytest.raises(ValueError, match="Column 6 of X has 3 of its 300 entries, but needs at least 4"):
        EMPCA(3).fit(holey)


def test_more_components_than_the_rank_are_refused():
    with pytest.raises(ValueError, match=r"n_components=4 is above the 3 that these data can give"):
        EMPCA(4).fit(flat())


def test_entries_that_determine_no_basis_are_refused():
    holey = np.array(
        [[1.0, np.nan, 2], [2, np.nan, 4], [np.nan, 1, 0], [np.nan, 3, 0], [np.nan, -1, 0], [3, np.nan, 6]]
    )
    with pytest.raises(ValueError, match="The seen entries do not determine n_components=2, or only"):
        EMPCA(2).fit(holey)
