"""Exercises of chapter 10, semidefinite embedding."""

import numpy as np

from dimred_lessons import SemidefiniteEmbedding
from dimred_lessons.classroom import datasets, metrics
from dimred_lessons.classroom.checks.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_number,
)
from dimred_lessons.graphs import constrained_pairs, neighbor_lists
from dimred_lessons.spectral.interior_point import incidence_matrix, maximize_variance


@exercise("sde-1")
def four_beads(answer):
    *w, variance = expect_array(answer, (4,))
    y = np.arange(4) - 1.5
    right = [y[i + 1 :].sum() for i in range(3)]
    expect_close(np.array(w), np.array(right), "with these weights the forces at some bead do not cancel")
    expect_close(variance, y @ y, "the weights are right; the variance is the sum of squared places")


@exercise("sde-2")
def an_elbow(answer):
    straight, bent = expect_array(answer, (2,))
    expect_close(straight, (9 + 16 + 49) / 3, "without the third pair the two ends may be 7 apart: what is tr K then?")
    expect_close(bent, (9 + 16 + 25) / 3, "the first is right; with the third pair the ends are at most 5 apart")


@exercise("sde-3")
def pairs_in_code(answer):
    rng = np.random.default_rng(3)
    for n, k in [(12, 2), (25, 3)]:
        X = rng.standard_normal((n, 2))
        lists = neighbor_lists(X, k)
        eta = (lists.toarray() > 0).astype(int)
        found = call(answer, eta.copy())
        if np.ndim(found) != 2 or np.shape(found)[1:] != (2,):
            raise NotYet("an array with two columns is wanted")
        found = expect_array(found, np.shape(found)).tolist()
        right = constrained_pairs(X, lists)[0].tolist()
        if any(i >= j for i, j in found):
            raise NotYet("in each pair the smaller index should come first, and no point is paired with itself")
        if len(found) != len({tuple(pair) for pair in found}):
            raise NotYet("some pair occurs twice")
        if missing := [pair for pair in right if pair not in found]:
            raise NotYet(f"{len(missing)} of {len(right)} pairs are missing: neighbors in either direction, or common")
        if len(found) > len(right):
            raise NotYet("too many pairs: only points that occur together in the list of some point count")


@exercise("sde-4")
def schur_matrix(answer):
    rng = np.random.default_rng(4)
    for n, m in [(6, 8), (9, 5)]:
        pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(m)])
        K, Z_inv = (A @ A.T for A in rng.standard_normal((2, n, n)))
        e = incidence_matrix(pairs, n).toarray()
        right = [[np.trace(np.outer(a, a) @ K @ np.outer(b, b) @ Z_inv) for b in e] for a in e]
        S = expect_array(call(answer, pairs.copy(), K.copy(), Z_inv.copy()), (m, m))
        expect_close(S, np.array(right), "entry ab should be ⟨e_a e_aᵀ, K e_b e_bᵀ Z⁺⟩")


@exercise("sde-5")
def bound_from_weights(answer):
    rng = np.random.default_rng(5)
    for n in (8, 15):
        X = rng.standard_normal((n, 3))
        pairs, d2 = constrained_pairs(X, neighbor_lists(X, 5))
        w = rng.uniform(0.1, 5, len(pairs))
        bound = expect_number(call(answer, pairs.copy(), d2.copy(), n, w.copy()))
        E = incidence_matrix(pairs, n).toarray()
        right = w @ d2 / np.linalg.eigvalsh(E.T @ (w[:, None] * E))[1]
        if bound < right * (1 - 1e-6):
            raise NotYet("this is no proof: the multiple of w that it uses is not feasible for the dual")
        expect_close(bound, right, "a bound, but a smaller multiple of these weights is feasible, too")


@exercise("sde-6")
def one_thread_too_many(answer):
    i, j = sorted(expect_array(answer, (2,)))
    if i != int(i) or j != int(j) or not 0 <= i < j <= 19:
        raise NotYet("two different whole numbers from 0 to 19 are wanted")
    t = np.radians(np.linspace(0, 330, 20))
    arc = np.column_stack([np.cos(t), np.sin(t)])
    links = np.column_stack([np.arange(19), np.arange(1, 20)])
    if j == i + 1:
        raise NotYet("these two are tied already")
    left = _variance(arc, np.vstack([links, [[int(i), int(j)]]])) / _variance(arc, links)
    if left >= 0.4:
        raise NotYet(f"with this thread {left:.0%} of the variance is left")


def _variance(X, pairs):
    """The largest variance if the distances of these pairs are kept."""
    return np.trace(maximize_variance(pairs, np.sum((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2, axis=1), len(X)).K)


@exercise("sde-7")
def another_unit(answer):
    expect_choice(
        answer,
        "b",
        {
            "a": "points twice as far apart have other dot products",
            "c": "the constraints of the dual do not hold any lengths: why should smaller weights do?",
            "d": "dot products of points twice as large are four times as large",
        },
    )


@exercise("sde-8")
def unroll_another_roll(answer):
    if not isinstance(answer, dict) or set(answer) != {"n_neighbors", "n_landmarks"}:
        raise NotYet("a dictionary with the keys n_neighbors and n_landmarks is wanted")
    k, r = expect_number(answer["n_neighbors"]), expect_number(answer["n_landmarks"])
    if k != int(k) or not 3 <= k <= 30:
        raise NotYet("n_neighbors should be a whole number from 3 to 30")
    if r != int(r) or not 2 <= r <= 30:
        raise NotYet("n_landmarks should be a whole number from 2 to 30")
    X, chart = datasets.swiss_roll(500, random_state=1)
    try:
        Y = SemidefiniteEmbedding(2, n_neighbors=int(k), n_landmarks=int(r)).fit_transform(X)
    except ValueError as refused:
        raise NotYet(f"SDE refuses: {str(refused).splitlines()[0]}") from None
    error = metrics.procrustes_error(Y, chart)
    if error >= 0.02:
        raise NotYet(f"the Procrustes error is {error:.3f}")
