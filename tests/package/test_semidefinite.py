"""Claims about the semidefinite program: its solutions, those in a span, and what has none."""

import sys
from contextlib import suppress

import numpy as np
import pytest
from scipy import linalg

from dimred_lessons import memory, reference
from dimred_lessons.certificates import certificate
from dimred_lessons.classroom.datasets import s_curve, swiss_roll
from dimred_lessons.graphs import knn_graph
from dimred_lessons.landmarks import geodesic_basis
from dimred_lessons.local_distances import constrained_pairs
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.semidefinite import maximize_variance, maximize_variance_in_span


def problem(X, k=4, angles=False):
    return *constrained_pairs(X, neighbor_lists(X, k), angles), len(X)


SOLVERS = "interior-point", "cvxpy"
T = np.linspace(0, 5.5, 60)
PAIRS, D2, N = problem(s_curve(60)[0])
SOLUTION = maximize_variance(PAIRS, D2, N)


@pytest.mark.parametrize(
    "X, k, angles",
    [
        (s_curve(80)[0], 6, True),
        (swiss_roll(100, noise=1.0)[0], 6, True),
        (np.c_[np.cos(T), np.sin(T), np.random.default_rng(0).uniform(0, 0.5, 60)], 4, True),
        (np.random.default_rng(0).random((80, 1)), 8, False),
    ],
)
def test_a_solution_reaches_the_optimum_and_proves_it(X, k, angles):
    pairs, d, n = problem(X, k, angles)
    found = maximize_variance(pairs, d, n)
    proof = found.certificate
    assert found.converged and found.n_iter <= 40
    assert -1e-9 <= proof.gap <= 1e-6 and proof.violation == 0 and proof.smallest_slack_eigenvalue > -1e-6
    assert np.isclose(proof.primal_value, np.trace(found.K), rtol=1e-12)
    assert found.w.min() > 0
    np.testing.assert_allclose(found.K.sum(axis=0), 0, atol=1e-10 * np.trace(found.K))
    assert linalg.eigvalsh(found.K)[0] > -1e-12 * np.trace(found.K)


def test_two_points_go_as_far_apart_as_allowed_and_three_on_a_chain_become_a_line():
    two = maximize_variance(np.array([[0, 1]]), [4.0], 2)
    np.testing.assert_allclose(two.K, [[1, -1], [-1, 1]], rtol=1e-6)
    chain = maximize_variance(np.array([[0, 1], [1, 2]]), [1.0, 1.0], 3)
    np.testing.assert_allclose(chain.K, np.outer([-1, 0, 1], [-1, 0, 1]), atol=2e-6)
    np.testing.assert_allclose(chain.w, 1, atol=1e-4)  # L(w) = [[1, -1, 0], ...] has the eigenvalue 1


def test_equal_distances_are_kept_and_bounded_by_those_that_may_shrink():
    X = np.random.default_rng(0).standard_normal((40, 8))
    pairs, d, n = problem(X, 4)
    equal, shrink = (maximize_variance(pairs, d, n, constraints=name) for name in ("equal", "shrink"))
    assert equal.converged and equal.certificate.violation < 1e-6 and abs(equal.certificate.gap) < 1e-6
    centered = X - X.mean(axis=0)
    assert np.sum(centered**2) < equal.certificate.primal_value < shrink.certificate.primal_value
    assert equal.w.min() < 0 < shrink.w.min()


def test_fragile_equalities_end_with_a_warning_and_not_with_a_claim():
    pairs, d, n = problem(s_curve(50)[0], 5)
    with pytest.warns(UserWarning, match='tol=1e-06 is not reached.*the violation.*constraints="shrink"'):
        found = maximize_variance(pairs, d, n, constraints="equal")
    assert not found.converged and found.certificate.violation < 1e-3


def test_too_few_iterations_are_reported_with_the_gap_that_was_reached():
    with pytest.warns(UserWarning, match="tol=1e-06 is not reached after 5 iterations: the gap is"):
        found = maximize_variance(PAIRS, D2, N, max_iter=5)
    assert found.n_iter == 5 and not found.converged and 1e-3 < found.certificate.gap < 1


def test_a_coarse_tolerance_takes_fewer_iterations_and_is_kept():
    coarse = maximize_variance(PAIRS, D2, N, tol=1e-2)
    assert coarse.n_iter < SOLUTION.n_iter and 1e-4 < coarse.certificate.gap <= 1e-2


def test_the_unit_of_the_data_does_not_matter():
    for factor in (1e-12, 1e12):
        scaled = maximize_variance(PAIRS, factor * D2, N)
        np.testing.assert_allclose(scaled.K, factor * SOLUTION.K, atol=1e-6 * factor * np.trace(SOLUTION.K))


def test_points_ten_thousand_times_nearer_than_others_do_no_harm():
    X = s_curve(60)[0]
    pairs, d, n = problem(np.vstack([X, X[:3] + [1e-4, 5e-5, 2e-5]]), 6)
    assert maximize_variance(pairs, d, n).converged


def test_pairs_that_do_not_connect_the_points_leave_the_trace_unbounded():
    with pytest.raises(ValueError, match="do not connect all points, so that the trace has no bound"):
        maximize_variance(np.array([[0, 1], [2, 3]]), [1.0, 1.0], 4)


def test_coincident_points_are_named():
    with pytest.raises(ValueError, match="Points 1 and 2 coincide: merge them"):
        maximize_variance(np.array([[0, 1], [1, 2]]), [1.0, 0.0], 3)


def test_matrices_that_do_not_fit_into_memory_are_refused(monkeypatch):
    monkeypatch.setattr(memory.os, "sysconf", {"SC_PHYS_PAGES": 2**5, "SC_PAGE_SIZE": 2**12}.get)
    m = len(PAIRS)
    with pytest.raises(ValueError, match=f"2 matrices of {m} × {m} numbers need .*, or set n_landmarks.$"):
        maximize_variance(PAIRS, D2, N)
    with pytest.raises(ValueError, match="or angles=False.$"):  # landmarks are for distances that may shrink
        maximize_variance(PAIRS, D2, N, constraints="equal")


def test_a_span_gives_less_than_all_kernels_and_more_the_larger_it_is():
    X = swiss_roll(80)[0]
    pairs, d, n = problem(X, 6, True)
    optimum = maximize_variance(pairs, d, n).certificate.primal_value
    values = []
    for n_landmarks in (10, 30, 79):
        Q = geodesic_basis(knn_graph(X, 6), n_landmarks)
        found = maximize_variance_in_span(pairs, d, Q)
        K = Q @ found.K @ Q.T
        assert found.converged and abs(found.certificate.gap) <= 1e-6
        whole = certificate(K, found.w, pairs, d)
        assert np.isclose(whole.primal_value, found.certificate.primal_value) and whole.dual_bound >= optimum
        values.append(whole.primal_value)
    assert values[0] < values[1] < values[2] <= optimum * (1 + 1e-6)
    assert values[2] > 0.999 * optimum  # the whole space


@pytest.mark.parametrize("constraints", ["shrink", "equal"])
def test_the_program_as_it_reads_has_the_same_solution(constraints):
    pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    pairs, d, n = problem(np.random.default_rng(0).standard_normal((20, 8)), 3)
    ours, asked = (maximize_variance(pairs, d, n, constraints=constraints, solver=s) for s in SOLVERS)
    with reference():
        read = maximize_variance(pairs, d, n, constraints=constraints)
    for theirs in (asked, read):
        assert theirs.converged and theirs.n_iter > 0
        np.testing.assert_allclose(ours.K, theirs.K, atol=5e-3 * np.trace(ours.K))
        np.testing.assert_allclose(ours.certificate[:2], theirs.certificate[:2], rtol=3e-6)


def test_in_a_span_the_program_as_it_reads_has_the_same_solution():
    pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    pairs, d, _ = problem(s_curve(30)[0], 5, True)
    Q = geodesic_basis(knn_graph(s_curve(30)[0], 5), 8)
    with reference():
        theirs = maximize_variance_in_span(pairs, d, Q)
    ours = maximize_variance_in_span(pairs, d, Q)
    np.testing.assert_allclose(ours.certificate[:2], theirs.certificate[:2], rtol=3e-6)


@pytest.mark.parametrize("context, solver", [(reference, "interior-point"), (suppress, "cvxpy")])
def test_without_cvxpy_the_program_as_it_reads_says_what_to_install(monkeypatch, context, solver):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with context(), pytest.raises(ModuleNotFoundError, match="CVXPY, which is not installed: pip install cvxpy"):
        maximize_variance(PAIRS, D2, N, solver=solver)


def test_impossible_distances_are_no_solution_whatever_solves():
    """The third of three points cannot be at distance 10 from the first, and at distance 1 from the second."""
    triangle, d = np.array([[0, 1], [1, 2], [0, 2]]), [1.0, 1.0, 100.0]
    with pytest.warns(UserWarning, match='is not reached.*constraints="shrink"'):
        assert not maximize_variance(triangle, d, 3, constraints="equal").converged
    pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    with pytest.raises(RuntimeError, match='Clarabel ends with status .*infeasible.*constraints="shrink"'):
        maximize_variance(triangle, d, 3, constraints="equal", solver="cvxpy")


@pytest.mark.parametrize("options, name", [({"constraints": "less"}, "constraints"), ({"solver": "sedumi"}, "solver")])
def test_options_are_checked(options, name):
    with pytest.raises(ValueError, match=f"{name}='{options[name]}' must be"):
        maximize_variance(PAIRS, D2, N, **options)
