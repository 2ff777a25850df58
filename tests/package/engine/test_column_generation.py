"""Column generation finds with few rows what all of them give."""

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons import memory
from dimred_lessons.certificates import relative_error
from dimred_lessons.classroom.datasets import s_curve, swiss_roll
from dimred_lessons.engine import column_generation, interior_point
from dimred_lessons.graphs import knn_graph
from dimred_lessons.landmarks import geodesic_basis
from dimred_lessons.local_distances import constrained_pairs, incidence_matrix, squared_lengths
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.semidefinite import largest_trace_in_span


def in_span(X, k, n_landmarks):
    pairs, d = constrained_pairs(X, neighbor_lists(X, k))
    return incidence_matrix(pairs, len(X)) @ geodesic_basis(knn_graph(X, k), n_landmarks), d


def blob_with_a_tail():
    """All pairs of 60 points near each other, and a chain of 40 points: nearly every row is of the blob."""
    rng = np.random.default_rng(0)
    tail = np.c_[np.linspace(1, 20, 40), 0.01 * rng.standard_normal((40, 2))]
    X = np.vstack([0.1 * rng.standard_normal((60, 3)), tail])
    near, _ = constrained_pairs(X, neighbor_lists(X, 2), angles=False)
    pairs = np.unique(np.vstack([near, np.transpose(np.triu_indices(60, 1))]), axis=0)
    lengths = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    graph = sparse.csr_array((lengths, pairs.T), shape=(100, 100))
    return incidence_matrix(pairs, 100) @ geodesic_basis(graph, 60), lengths**2


CASES = {
    "S": in_span(s_curve(60)[0], 6, 12),
    "roll": in_span(swiss_roll(60)[0], 5, 8),
    "far from the origin": in_span(1e6 + s_curve(60)[0], 6, 12),
    "on a grid": in_span(np.argwhere(np.ones((6, 6))).astype(float), 5, 3),
    "copies": in_span(np.vstack([s_curve(40)[0], s_curve(40)[0][:5] + 1e-3]), 6, 6),
    "three points": in_span(np.array([[0.0], [1.0], [3.0]]), 2, 2),
    "as many landmarks as points": in_span(s_curve(20)[0], 4, 20),
    "nearly every row of one blob": blob_with_a_tail(),
}


@pytest.mark.parametrize("name", CASES)
def test_few_rows_give_what_all_rows_give(name):
    E, d = CASES[name]
    few, every = column_generation.largest_trace(E, d), interior_point.largest_trace(E, d, centered=False)
    assert few.error <= 1e-6 and relative_error(E, d, few.K, few.w) <= 2e-6
    assert np.isclose(np.trace(few.K), np.trace(every.K), rtol=3e-6)
    assert np.isclose(few.w @ d, every.w @ d, rtol=3e-6) and few.w.min() >= 0
    assert np.all(squared_lengths(E, few.K) <= d * (1 + 1e-6))


@pytest.mark.parametrize("name", ["S", "on a grid", "three points", "as many landmarks as points"])
def test_it_finds_what_the_program_as_it_reads_has(name):
    pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    E, d = CASES[name]
    ours, theirs = largest_trace_in_span.engine(E, d), largest_trace_in_span.equation(E, d)
    assert np.isclose(np.trace(ours.K), np.trace(theirs.K), rtol=5e-6)


def test_most_rows_never_enter():
    E, d = in_span(s_curve(300)[0], 6, 12)
    found = column_generation.largest_trace(E, d)
    assert np.count_nonzero(found.w) < len(d) / 4


def test_too_few_rounds_are_an_error_that_is_told():
    assert column_generation.largest_trace(*CASES["S"], max_iter=3).error > 1e-3


def test_rows_that_are_too_many_for_memory_are_refused(monkeypatch):
    monkeypatch.setattr(memory, "physical_memory", lambda: 10_000)
    with pytest.raises(ValueError, match="2 matrices of 48 × 48 numbers need .*: seek K in a smaller span"):
        column_generation.largest_trace(*CASES["S"])
