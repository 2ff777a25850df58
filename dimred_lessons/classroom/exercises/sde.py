"""Checks of the exercises on semidefinite embedding."""

import numpy as np

from dimred_lessons import SemidefiniteEmbedding
from dimred_lessons.classroom import datasets, metrics
from dimred_lessons.classroom.exercises.mechanism import (
    IN_CODE,
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_integer,
    expect_integers,
    expect_keys,
    expect_number,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choice, differs, keyed, near, number, numbers, wholes
from dimred_lessons.local_distances import constrained_pairs
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.semidefinite import maximize_variance


@exercise("sde-1")
@numbers(4)
def four_beads(answer):
    yield differs(answer[:3], [1.5, 2, 1.5]), "with these weights the forces at some bead do not cancel"
    yield differs(answer[3], 5), "the weights are right; tr K is the sum of squared places"


@exercise("sde-2")
@numbers(2)
def an_elbow(answer, a=3, b=4):
    straight, bent = answer
    otherwise = f"without the third pair the two ends may be {a + b} apart: what is tr K then?"
    yield differs(straight, (a**2 + b**2 + (a + b) ** 2) / 3), otherwise
    otherwise = f"the first is right; with the third pair the ends are at most {np.hypot(a, b):.3g} apart"
    yield differs(bent, 2 * (a**2 + b**2) / 3), otherwise


@exercise("sde-3")
def pairs_in_code(answer):
    rng = np.random.default_rng(3)
    for n, k in [(12, 2), (25, 3)]:
        X = rng.standard_normal((n, 2))
        lists = neighbor_lists(X, k)
        found = call(answer, (lists.toarray() > 0).astype(int))
        found = expect_array(list(found) if isinstance(found, set) else found, (None, 2)).tolist()
        right = constrained_pairs(X, lists)[0].tolist()
        if any(i >= j for i, j in found):
            raise NotYet("in each pair the smaller index should come first, and no point is paired with itself")
        if len(found) != len({tuple(pair) for pair in found}):
            raise NotYet("some pair occurs twice")
        if missing := [pair for pair in right if pair not in found]:
            raise NotYet(f"{len(missing)} of {len(right)} pairs are missing: neighbors either way, or common neighbors")
        if len(found) > len(right):
            raise NotYet("too many pairs: only points that occur together in the list of some point count")


@exercise("sde-4")
def schur_matrix(answer):
    rng = np.random.default_rng(4)
    for n, m in [(6, 8), (9, 5)]:
        pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(m)])
        K, Z_inv = (A @ A.T for A in rng.standard_normal((2, n, n)))
        e = np.eye(n)[pairs[:, 0]] - np.eye(n)[pairs[:, 1]]
        right = [[np.trace(np.outer(a, a) @ K @ np.outer(b, b) @ Z_inv) for b in e] for a in e]
        S = expect_array(call(answer, pairs, K, Z_inv), (m, m))
        expect_close(S, np.array(right), "entry ab should be ⟨e_a e_aᵀ, K e_b e_bᵀ Z⁺⟩")


@exercise("sde-5")
def bound_from_weights(answer):
    rng = np.random.default_rng(5)
    for n in (8, 15):
        X = rng.standard_normal((n, 3))
        pairs, d2 = constrained_pairs(X, neighbor_lists(X, 5))
        w = rng.uniform(0.1, 5, len(pairs))
        bound = expect_number(call(answer, pairs, d2, n, w))
        E = np.eye(n)[pairs[:, 0]] - np.eye(n)[pairs[:, 1]]
        right = w @ d2 / np.linalg.eigvalsh(E.T @ (w[:, None] * E))[1]
        if bound < right * (1 - IN_CODE):
            raise NotYet("this proves nothing: the multiple of w that it uses is not feasible for the dual")
        expect_close(bound, right, "this is a bound, but a smaller multiple of these weights is feasible, too")


@exercise("sde-6")
def one_thread_too_many(answer):
    i, j = sorted(expect_integers(answer, 2, 0, 19))
    if j - i < 2:
        raise NotYet("choose two beads that are not yet tied to each other")
    t = np.radians(np.linspace(0, 330, 20))
    arc = np.column_stack([np.cos(t), np.sin(t)])
    links = np.column_stack([np.arange(19), np.arange(1, 20)])
    left = _spread(arc, np.vstack([links, [[i, j]]])) / _spread(arc, links)
    if left >= 0.4:
        raise NotYet(f"with this thread {left:.0%} of the spread is left")


def _spread(X, pairs):
    """The largest spread if the distances of these pairs are kept."""
    return np.trace(maximize_variance(pairs, np.sum((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2, axis=1), len(X)).K)


@exercise("sde-7")
@choice("d")
def another_unit():
    return {
        "a": "points twice as far apart have different dot products",
        "b": "dot products of points twice as large are four times as large",
        "c": "no lengths occur in the constraints of the dual: why should smaller weights do?",
    }


@exercise("sde-8")
def unroll_another_roll(answer):
    expect_keys(answer, ["n_neighbors", "n_landmarks"])
    k = expect_integer(answer["n_neighbors"], 3, 30, "n_neighbors")
    r = expect_integer(answer["n_landmarks"], 2, 30, "n_landmarks")
    X, chart = datasets.swiss_roll(500, random_state=1)
    with refusals_as_not_yet("SDE"):
        Y = SemidefiniteEmbedding(2, n_neighbors=k, n_landmarks=r).fit_transform(X)
    known = metrics.recovery(Y, chart)
    if known[0] <= 0.9:
        raise NotYet(f"the roll stays rolled up: R² of the length is {known[0]:.2f}")
    if known[1] <= 0.9:
        raise NotYet(f"R² of the height is {known[1]:.3f}, which is not above 0.9")


@exercise("sde-9")
@number()
def a_ring_of_beads(spread, n=12):
    square = 1 / (4 * np.sin(np.pi / n) ** 2)
    single = "this is the squared radius of the polygon, the share of one bead; the spread sums over all"
    yield near(spread, square, scale=1), single
    yield differs(spread, n * square), f"it should be n times the squared radius of the {n}-gon"


@exercise("sde-10")
@wholes(3, 0, 100)
def a_star_of_threads(answer):
    spread, smallest, largest = answer
    yield differs(spread, 7, 0), "weights 1 are feasible for the dual: which bound do they give, and is it reached?"
    otherwise = "the spread is right; in how few dimensions can seven vectors of length 1 add up to zero?"
    yield differs(smallest, 2, 0), otherwise
    otherwise = "the largest rank is that of seven vectors whose only linear relation is their sum"
    yield differs(largest, 6, 0), otherwise


@exercise("sde-11")
@keyed({"factor": number(), "share": number()})
def a_report(factor, share):
    images, labels = datasets.digits()
    zeros = images[labels == 0]
    fit = SemidefiniteEmbedding(2, n_neighbors=5, n_landmarks=20).fit(zeros)
    spread = np.trace(fit.kernel_)
    otherwise = "the factor should be tr K over the sum of squared distances of the zeros from their mean"
    yield differs(factor, spread / np.sum((zeros - zeros.mean(axis=0)) ** 2)), otherwise
    otherwise = "the factor is right; the share should be the two largest eigenvalues over tr K"
    yield differs(share, fit.eigenvalues_.sum() / spread), otherwise
