"""Claims about the certificate of a solution of the semidefinite program, which trusts nothing that it is given."""

import numpy as np
import pytest
from scipy import linalg

from dimred_lessons.certificates import certificate
from dimred_lessons.classroom.datasets import s_curve
from dimred_lessons.local_distances import constrained_pairs
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.semidefinite import maximize_variance

S = s_curve(60)[0]
PAIRS, D2 = constrained_pairs(S, neighbor_lists(S, 4), angles=False)
N = len(S)
SOLUTION = maximize_variance(PAIRS, D2, N)


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


def test_a_claim_that_beats_the_bound_by_stretching_equal_distances_shows_its_violation():
    X = np.random.default_rng(0).standard_normal((30, 8))
    pairs, d = constrained_pairs(X, neighbor_lists(X, 4), angles=False)
    found = maximize_variance(pairs, d, len(X), constraints="equal")
    proof = certificate(1.01 * found.K, found.w, pairs, d, "equal")
    assert proof.gap < -0.009 and proof.dual_bound == found.certificate.dual_bound
    assert np.isclose(proof.violation, 0.01, rtol=1e-3)
