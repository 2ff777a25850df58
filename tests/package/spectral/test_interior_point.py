"""Claims about the interior-point method, and about the certificate, which trusts no input."""

import numpy as np
import pytest
from scipy import linalg

from dimred_lessons import memory
from dimred_lessons.classroom.datasets import digits, s_curve, swiss_roll
from dimred_lessons.geodesics import geodesic_basis
from dimred_lessons.graphs import constrained_pairs, knn_graph
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.spectral import interior_point
from dimred_lessons.spectral.interior_point import (
    certificate,
    incidence_matrix,
    maximize_variance,
    maximize_variance_in_span,
)


def problem(X, k=4, angles=False):
    return *constrained_pairs(X, neighbor_lists(X, k), angles), len(X)


PAIRS, D2, N = problem(s_curve(60)[0])
SOLUTION = maximize_variance(PAIRS, D2, N)


def curled_strip(n=60):
    t = np.linspace(0, 5.5, n)
    return np.c_[np.cos(t), np.sin(t), np.random.default_rng(0).uniform(0, 0.5, n)]


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
        (curled_strip(), 4, False),
        (curled_strip(), 4, True),
        (np.random.default_rng(0).random((80, 2)), 6, True),
        (np.random.default_rng(0).random((80, 1)), 8, False),
        (np.random.default_rng(0).random((40, 2)), 39, False),
    ],
)
def test_it_reaches_the_optimum_on_every_kind_of_data_and_proves_it(X, k, angles):
    pairs, d, n = problem(X, k, angles)
    found = maximize_variance(pairs, d, n)
    proof = found.certificate
    assert found.converged and found.n_iter <= 40
    assert -1e-9 <= proof.gap <= 1e-6 and proof.violation == 0 and proof.smallest_slack_eigenvalue > -1e-6
    assert np.isclose(proof.primal_value, np.trace(found.K), rtol=1e-12)
    assert found.w.min() > 0
    np.testing.assert_allclose(found.K.sum(axis=0), 0, atol=1e-10 * np.trace(found.K))
    assert linalg.eigvalsh(found.K)[0] > -1e-12 * np.trace(found.K)


@pytest.mark.parametrize("seed", range(1, 12))
def test_distances_that_differ_by_a_factor_of_hundreds_do_not_stop_it_short_of_its_tolerance(seed):
    """Short distances have large weights and small slacks, which rounding must leave alone."""
    pairs, d, n = problem(np.random.default_rng(seed).random((80, 1)), 8)
    found = maximize_variance(pairs, d, n)
    assert d.max() > 100**2 * d.min()
    assert found.converged and found.n_iter <= 25 and found.certificate.gap <= 1e-6 and found.certificate.violation == 0


def test_two_points_go_as_far_apart_as_allowed_and_three_on_a_chain_become_a_line():
    two = maximize_variance(np.array([[0, 1]]), [4.0], 2)
    np.testing.assert_allclose(two.K, [[1, -1], [-1, 1]], rtol=1e-6)
    chain = maximize_variance(np.array([[0, 1], [1, 2]]), [1.0, 1.0], 3)
    np.testing.assert_allclose(chain.K, np.outer([-1, 0, 1], [-1, 0, 1]), atol=2e-6)
    np.testing.assert_allclose(chain.w, 1, atol=1e-4)  # L(w) = [[1, -1, 0], ...] has the eigenvalue 1


def test_the_certificate_agrees_with_the_solution_that_it_is_given():
    again = certificate(SOLUTION.K, SOLUTION.w, PAIRS, D2)
    np.testing.assert_allclose(again, SOLUTION.certificate, atol=1e-12)


@pytest.mark.parametrize("factor", [1.0001, 1.01, 2.0])
def test_a_slightly_infeasible_solution_that_would_beat_the_optimum_gains_nothing(factor):
    optimum, bound = SOLUTION.certificate.primal_value, SOLUTION.certificate.dual_bound
    assert np.trace(factor * SOLUTION.K) > bound
    proof = certificate(factor * SOLUTION.K, SOLUTION.w, PAIRS, D2)
    assert proof.violation > 0.9 * (factor - 1)
    assert proof.primal_value <= bound and np.isclose(proof.primal_value, optimum, rtol=1e-6)


def test_one_pair_that_is_too_long_costs_the_whole_solution():
    i, j = PAIRS[np.argmin(D2)]
    push = np.zeros(N)
    push[i], push[j] = 0.1, -0.1
    proof = certificate(SOLUTION.K + np.outer(push, push), SOLUTION.w, PAIRS, D2)
    assert proof.violation > 1 and proof.gap > 0.5


@pytest.mark.parametrize("indefinite", [False, True])
def test_wrong_solutions_are_not_believed(indefinite):
    wrong = SOLUTION.K.copy()
    if indefinite:  # more trace on the diagonal of an indefinite matrix
        u = linalg.eigh(SOLUTION.K)[1][:, 1]
        wrong -= 0.3 * np.trace(wrong) * np.outer(u, u)
    else:  # far from the origin: trace without any variance
        wrong += 100.0
    proof = certificate(wrong, SOLUTION.w, PAIRS, D2)
    assert np.isclose(proof.primal_value, SOLUTION.certificate.primal_value, rtol=1e-3)
    assert proof.primal_value <= proof.dual_bound


def test_weights_that_claim_too_low_a_bound_are_raised_to_a_true_one():
    optimum = SOLUTION.certificate.primal_value
    w = SOLUTION.w
    for wrong in (0.9 * w, np.where(w == w.max(), 0, w), w - 0.1 * w.max()):
        proof = certificate(SOLUTION.K, wrong, PAIRS, D2)
        assert proof.dual_bound >= optimum and proof.smallest_slack_eigenvalue < 0
    assert certificate(SOLUTION.K, -SOLUTION.w, PAIRS, D2).dual_bound == np.inf


@pytest.mark.parametrize("seed", range(20))
def test_the_certificate_is_rigorous_for_whatever_it_is_given(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((N, N)) * 10 ** rng.uniform(-3, 3)
    K = A @ A.T if seed % 2 else A + A.T
    proof = certificate(K, rng.standard_normal(len(D2)) + 2 * rng.random(), PAIRS, D2)
    assert proof.primal_value <= SOLUTION.certificate.dual_bound
    assert proof.dual_bound >= SOLUTION.certificate.primal_value


def test_all_zero_claims_prove_nothing():
    proof = certificate(np.zeros((N, N)), np.zeros(len(D2)), PAIRS, D2)
    assert proof.primal_value == 0 and proof.dual_bound == np.inf and proof.violation == 0


def test_equal_distances_are_kept_and_bounded_by_those_that_may_shrink():
    X = np.random.default_rng(0).standard_normal((40, 8))
    pairs, d, n = problem(X, 4)
    equal, shrink = (maximize_variance(pairs, d, n, None, name) for name in ("equal", "shrink"))
    assert equal.converged and equal.certificate.violation < 1e-6 and abs(equal.certificate.gap) < 1e-6
    centered = X - X.mean(axis=0)
    assert np.sum(centered**2) < equal.certificate.primal_value < shrink.certificate.primal_value
    assert equal.w.min() < 0 < shrink.w.min()


def test_a_claim_that_beats_the_bound_by_stretching_equal_distances_shows_its_violation():
    X = np.random.default_rng(0).standard_normal((30, 8))
    pairs, d, n = problem(X, 4)
    found = maximize_variance(pairs, d, n, None, "equal")
    proof = certificate(1.01 * found.K, found.w, pairs, d, "equal")
    assert proof.gap < -0.009 and proof.dual_bound == found.certificate.dual_bound
    assert np.isclose(proof.violation, 0.01, rtol=1e-3)


def test_fragile_equalities_end_with_a_warning_and_not_with_a_claim():
    pairs, d, n = problem(s_curve(50)[0], 5)
    with pytest.warns(UserWarning, match='tol=1e-06 is not reached.*the violation.*constraints="shrink"'):
        found = maximize_variance(pairs, d, n, None, "equal")
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


def test_a_singular_newton_matrix_gets_a_larger_diagonal():
    E = incidence_matrix(np.array([[0, 1], [1, 2], [0, 2]]), 3)
    line = np.outer([-1, 0, 1], [-1, 0, 1.0])  # rank one: so is S
    factor = interior_point._schur_factor(E, E @ line, E @ line, np.zeros(3))
    assert factor is not None and np.isfinite(np.triu(factor[0])).all()
    assert interior_point._schur_factor(E, E @ line, -(E @ line), np.zeros(3)) is None


def test_failures_of_factor_or_step_end_with_the_best_so_far_and_a_warning(monkeypatch):
    step, L = interior_point._definite(np.eye(2), -np.eye(2), 1.0, None)
    assert step == 0.5 and np.allclose(L @ L.T, np.eye(2) / 2)
    assert interior_point._definite(-np.eye(2), np.eye(2), 0.9, "old")[1] == "old"
    monkeypatch.setattr(interior_point, "_schur_factor", lambda *arguments: None)
    with pytest.warns(UserWarning, match="not reached after 0 iterations"):
        assert not maximize_variance(PAIRS, D2, N).converged
    monkeypatch.undo()
    monkeypatch.setattr(interior_point, "_step", lambda *arguments: 0.0)  # no progress at all
    with pytest.warns(UserWarning, match="not reached after 25 iterations"):
        assert not maximize_variance(PAIRS, D2, N).converged


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


def test_few_pairs_give_the_same_as_all_pairs_in_a_span():
    X = s_curve(150)[0]
    pairs, d, n = problem(X, 6, True)
    Q = geodesic_basis(knn_graph(X, 6), 12)
    few, every = maximize_variance_in_span(pairs, d, Q), maximize_variance(pairs, d, n, Q)
    assert np.isclose(few.certificate.primal_value, every.certificate.primal_value, rtol=2e-6)
    assert np.count_nonzero(few.w) < 0.6 * len(d)


def test_progress_is_shown_when_asked_for_and_only_then(capsys):
    maximize_variance(PAIRS, D2, N)
    assert capsys.readouterr().err == ""
    found = maximize_variance(PAIRS, D2, N, verbose=True)
    shown = capsys.readouterr().err
    assert "gap 1.0e+00" in shown and f"Interior point:  {found.n_iter}%" in shown.split("\r")[-1]
