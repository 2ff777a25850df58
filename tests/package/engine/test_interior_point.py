"""The interior-point method finds what the program as it reads has, and claims nothing that it has not found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg

from dimred_lessons.certificates import relative_error
from dimred_lessons.classroom.datasets import digits, s_curve, swiss_roll
from dimred_lessons.engine import interior_point
from dimred_lessons.graphs import knn_graph
from dimred_lessons.landmarks import geodesic_basis
from dimred_lessons.local_distances import constrained_pairs, incidence_matrix, squared_lengths
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.semidefinite import largest_trace

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((14, 3))
TRIANGLE = np.array([[0, 1], [1, 2], [0, 2]])


def rows(X, k=4, angles=False):
    pairs, d = constrained_pairs(X, neighbor_lists(X, k), angles)
    return incidence_matrix(pairs, len(X)), d


def two_clusters(n):
    """Two clusters of n points, all pairs of each, joined by one pair."""
    a, b = np.triu_indices(n, 1)
    pairs = np.vstack([np.c_[a, b], np.c_[a, b] + n, [[n - 1, n]]])
    X = np.vstack([RNG.standard_normal((n, 4)), RNG.standard_normal((n, 4)) + 20])
    return incidence_matrix(pairs, 2 * n), np.sum((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2, axis=1)


HOSTILE = {
    "two points": (incidence_matrix(np.array([[0, 1]]), 2), np.array([4.0])),
    "three points": (incidence_matrix(TRIANGLE, 3), np.array([9.0, 16.0, 25.0])),
    "three on a chain": (incidence_matrix(TRIANGLE[:2], 3), np.array([1.0, 100.0])),
    "near copies": rows(np.vstack([CLOUD, CLOUD[:3] + [0.05, 0.03, 0.02]])),
    "far from the origin": rows(1e6 + CLOUD),
    "tiny": rows(1e-9 * CLOUD),
    "on a line": rows(CLOUD[:, :1]),
    "on a grid": rows(np.argwhere(np.ones((4, 4))).astype(float)),
    "two clusters": two_clusters(6),
    "roll": rows(swiss_roll(20)[0], angles=True),
}
SPANS = {"S": s_curve(30)[0], "cloud": CLOUD, "roll": swiss_roll(40)[0], "grid": np.argwhere(np.ones((4, 4)))}
RODS = {
    "three points": HOSTILE["three points"],
    "three on a chain": HOSTILE["three on a chain"],
    "cloud": rows(RNG.standard_normal((16, 8)), 3),
    "far from the origin": rows(1e6 + RNG.standard_normal((16, 8)), 3),
    "two clusters": two_clusters(4),
}


def assert_equal_to_reference(E, d, **options):
    """Same value of both problems, and both are feasible; the kernels themselves need not be unique."""
    ours, theirs = largest_trace.engine(E, d, **options), largest_trace.equation(E, d, **options)
    equal = options.get("equal", False)
    assert ours.error <= 1e-6 and relative_error(E, d, ours.K, ours.w, equal=equal) <= 1e-5
    assert np.isclose(np.trace(ours.K), np.trace(theirs.K), rtol=5e-6)
    assert np.isclose(ours.w @ d, theirs.w @ d, rtol=5e-6)
    assert linalg.eigvalsh(ours.K)[0] > -1e-9 * np.trace(ours.K)
    excess = squared_lengths(E, ours.K) / d - 1
    assert np.abs(excess if equal else np.maximum(excess, 0)).max() < 1e-5
    return ours.K, theirs.K


@pytest.fixture
def cvxpy():
    pytest.importorskip("cvxpy", reason="CVXPY is not installed")


@pytest.mark.parametrize("name", HOSTILE)
def test_it_finds_what_the_program_as_it_reads_has(cvxpy, name):
    K, expected = assert_equal_to_reference(*HOSTILE[name])
    np.testing.assert_allclose(K, expected, atol=5e-3 * np.trace(K))  # of these each has only one


@pytest.mark.parametrize("name", RODS)
def test_it_finds_the_same_where_distances_may_not_shrink(cvxpy, name):
    assert_equal_to_reference(*RODS[name], equal=True)


@pytest.mark.parametrize("n_landmarks", [3, 8])
@pytest.mark.parametrize("name", SPANS)
def test_it_finds_the_same_in_a_span(cvxpy, name, n_landmarks):
    """On a grid some points are as far from each landmark as others: no kernel in the span moves them apart."""
    E, d = rows(SPANS[name], 5, angles=True)
    assert_equal_to_reference(E @ geodesic_basis(knn_graph(SPANS[name], 5), n_landmarks), d, centered=False)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(3, 7), st.integers(0, 10), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 3.0]))
def test_it_finds_the_same_on_any_connected_graph(n, n_more, seed, decades):
    """A random tree and some more pairs, with distances that no points need have."""
    pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    rng = np.random.default_rng(seed)
    tree = np.array([[rng.integers(i), i] for i in range(1, n)])
    more = np.sort(rng.integers(n, size=(n_more, 2)), axis=1)
    pairs = np.unique(np.vstack([tree, more[more[:, 0] < more[:, 1]]]), axis=0)
    assert_equal_to_reference(incidence_matrix(pairs, n), 10 ** rng.uniform(0, decades, len(pairs)))


@pytest.mark.parametrize(
    "X, k, angles",
    [
        (s_curve(100)[0], 6, False),
        (s_curve(100)[0], 6, True),
        (s_curve(100, noise=0.1)[0], 6, False),
        (swiss_roll(150)[0], 6, True),
        (swiss_roll(100, noise=1.0)[0], 6, True),
        (digits(80)[0], 5, False),
        (digits(80)[0], 5, True),
        (np.random.default_rng(0).random((80, 2)), 6, True),
        (np.random.default_rng(0).random((80, 1)), 8, False),
        (np.random.default_rng(0).random((40, 2)), 39, False),
    ],
)
def test_it_needs_few_rounds_on_every_kind_of_data(X, k, angles):
    E, d = rows(X, k, angles)
    found = interior_point.largest_trace(E, d)
    assert found.n_iter <= 40 and found.error <= 1e-6 and found.w.min() > 0
    assert np.all(squared_lengths(E, found.K) <= d) and linalg.eigvalsh(found.K)[0] > 0


@pytest.mark.parametrize("seed", range(1, 12))
def test_distances_that_differ_by_a_factor_of_hundreds_do_not_stop_it_short_of_its_tolerance(seed):
    """Short distances have large weights and small slacks, which rounding must leave alone."""
    E, d = rows(np.random.default_rng(seed).random((80, 1)), 8)
    found = interior_point.largest_trace(E, d)
    assert d.max() > 100**2 * d.min()
    assert found.n_iter <= 25 and found.error <= 1e-6 and np.all(squared_lengths(E, found.K) <= d)


def test_two_points_go_as_far_apart_as_allowed_and_three_on_a_chain_become_a_line():
    two = interior_point.largest_trace(*HOSTILE["two points"])
    H = np.eye(2) - 0.5
    np.testing.assert_allclose(H @ two.K @ H, [[1, -1], [-1, 1]], rtol=1e-6)
    chain = interior_point.largest_trace(incidence_matrix(TRIANGLE[:2], 3), np.ones(2))
    np.testing.assert_allclose(chain.w, 1, atol=1e-4)  # L(w) = [[1, -1, 0], ...] has the eigenvalue 1
    np.testing.assert_allclose(np.trace(chain.K), 2, rtol=2e-6)


def test_every_step_leads_downhill_and_stays_inside():
    E, d = HOSTILE["roll"]
    point, errors = interior_point.start(E, d / d.mean(), centered=True, equal=False), []
    while not errors or errors[-1] > 1e-6:
        errors.append(interior_point.relative_error(point))
        assert min(point.w.min(), point.s.min(), linalg.eigvalsh(point.K)[0], linalg.eigvalsh(point.Z)[0]) > 0
        np.testing.assert_allclose(point.lengths + point.s, d / d.mean(), atol=1e-9)
        point = interior_point.next_point(point)
    assert np.all(np.diff(errors) < 0)


@pytest.mark.parametrize("name", ["roll", "two clusters", "near copies"])
def test_newtons_step_solves_newtons_equations(name):
    """K + dK and s + ds fill the limits, dZ = L(dw), and K Z is μI up to the second order of the step."""
    E, d = HOSTILE[name]
    point, mu = interior_point.start(E, d / d.mean(), centered=True, equal=False), 0.3
    step = interior_point.direction(interior_point.newton_matrix(point), point, mu=mu)
    np.testing.assert_allclose(squared_lengths(E, point.K + step.K) + point.s + step.s, d / d.mean(), rtol=1e-8)
    np.testing.assert_allclose(step.Z, E.T @ np.diag(step.w) @ E, atol=1e-9 * np.abs(step.Z).max())
    np.testing.assert_allclose(point.w * point.s + step.w * point.s + point.w * step.s, mu, rtol=1e-8)
    Z_inverse = linalg.inv(point.Z)
    KZ = point.K @ step.Z @ Z_inverse
    np.testing.assert_allclose(step.K, mu * Z_inverse - point.K - (KZ + KZ.T) / 2, atol=1e-9 * np.abs(step.K).max())


@pytest.mark.parametrize("d", [[4.0, 4.0, 1.0], [4.0, 4.0, 1e-4]])
def test_the_same_row_twice_does_no_harm_even_where_distances_may_not_shrink(d):
    """Then Newton's matrix is singular, and its diagonal has to grow."""
    twice = incidence_matrix(np.array([[0, 1], [0, 1], [1, 2]]), 3)
    once = interior_point.largest_trace(incidence_matrix(TRIANGLE[:2], 3), np.array(d[1:]), equal=True)
    found = interior_point.largest_trace(twice, np.array(d), equal=True)
    assert found.error <= 1e-6 and np.isclose(np.trace(found.K), np.trace(once.K), rtol=1e-5)


@pytest.mark.parametrize("d", [[1, 1, 100], [1, 1, 1e12], [1, 1e8, 1e-20], [1, 1e-16, 1e-20]])
def test_distances_that_contradict_each_other_end_finite_and_are_not_claimed_to_be_kept(d):
    found = interior_point.largest_trace(incidence_matrix(TRIANGLE, 3), np.array(d, dtype=float), equal=True)
    assert found.error > 0.1 and np.isfinite(found.K).all() and np.isfinite(found.w).all()


def test_a_step_that_rounding_makes_impossible_ends_the_iteration_after_25_more_rounds():
    """The shortest of these distances is nothing beside the longest."""
    E = incidence_matrix(np.array([[0, 1], [1, 2], [2, 3], [0, 3]]), 4)
    found = interior_point.largest_trace(E, np.array([1e-30, 1, 1e30, 1]))
    assert found.n_iter == 25 and found.error > 0.1 and np.isfinite(found.K).all()


def test_more_exactness_than_there_are_digits_ends_with_what_there_is():
    E, d = HOSTILE["three points"]
    found = interior_point.largest_trace(E, d, tol=1e-17)
    assert 25 < found.n_iter < 100 and found.error < 1e-9


def test_too_few_rounds_leave_a_larger_error():
    errors = [interior_point.largest_trace(*HOSTILE["roll"], max_iter=stop).error for stop in (0, 3, 6, 9)]
    assert np.all(np.diff(errors) < 0) and errors[0] > 0.9


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_the_unit_does_not_matter(factor):
    E, d = HOSTILE["roll"]
    one, other = interior_point.largest_trace(E, d), interior_point.largest_trace(E, factor * d)
    np.testing.assert_allclose(other.K, factor * one.K, atol=1e-6 * factor * np.trace(one.K))


def test_rows_that_leave_a_direction_free_have_no_largest_trace():
    with pytest.raises(ValueError, match="Some direction is in no row of E, so that the trace has no bound: add rows"):
        interior_point.largest_trace(incidence_matrix(np.array([[0, 1], [2, 3]]), 4), np.ones(2))


def test_progress_is_shown_when_asked_for_and_only_then(capsys):
    interior_point.largest_trace(*HOSTILE["roll"])
    assert capsys.readouterr().err == ""
    found = interior_point.largest_trace(*HOSTILE["roll"], verbose=True)
    shown = capsys.readouterr().err
    assert "gap 1.0e+00" in shown and f"Interior point:  {found.n_iter}%" in shown.split("\r")[-1]
