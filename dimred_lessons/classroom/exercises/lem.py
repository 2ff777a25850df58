"""Exercises of chapter 9, Laplacian eigenmaps."""

import numpy as np
from scipy import linalg

from dimred_lessons import LaplacianEigenmaps
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_number,
)


@exercise("lem-1")
def three_points_in_a_row(answer):
    answer = expect_array(answer, (6,))
    A = np.eye(3, k=1) + np.eye(3, k=-1)
    degrees = np.diag(A.sum(axis=1))
    plain, normalized = np.linalg.eigvalsh(degrees - A), linalg.eigvalsh(degrees - A, degrees)
    expect_close(np.sort(answer[:3]), plain, "the first three are not the eigenvalues of L; they sum to its trace, 4")
    expect_close(np.sort(answer[3:]), normalized, "the last three do not solve Lu = μ Deg u; they sum to 3")
    expect_close(answer, np.concatenate([plain, normalized]), "right, but in increasing order, please")


@exercise("lem-2")
def one_width(answer):
    sigma, t, factor = expect_array(answer, (3,))
    expect_close(2 * sigma**2, 18, "this σ is another width: 2σ² should be s")
    if sigma < 0:
        raise NotYet("a width is positive")
    expect_close(4 * t, 18, "σ is right, t is not: 4t should be s")
    expect_close(factor, 100**2, "σ and t are right; what happens to r² if r is given in centimeters?")


@exercise("lem-3")
def embedding_in_code(answer):
    rng = np.random.default_rng(3)
    for n, d in [(12, 1), (25, 3), (40, 2)]:
        A = _some_weights(rng, n)
        degrees = A.sum(axis=1)
        Y = expect_array(call(answer, A.copy(), d), (n, d))
        right = linalg.eigh(np.diag(degrees) - A, np.diag(degrees))[1][:, 1 : d + 1]
        if np.any(np.ptp(Y, axis=0) < 1e-8 * np.abs(Y).max()):
            raise NotYet("one of your axes is constant: leave the first eigenvector out")
        if np.abs(degrees @ Y).max() > 1e-6:
            raise NotYet("1ᵀDeg Y should be zero: these are not eigenvectors of Lu = μ Deg u")
        expect_close(Y.T @ (degrees[:, None] * Y), np.eye(d), "YᵀDeg Y should be the identity")
        if np.abs(np.abs(np.sum(right * (degrees[:, None] * Y), axis=0)) - 1).max() > 1e-6:
            raise NotYet("the constraint holds, but other axes cost less, or come first")


@exercise("lem-4")
def count_the_pieces(answer):
    rng = np.random.default_rng(4)
    path = np.eye(300, k=1) + np.eye(300, k=-1)
    short = 1e-4 * path[:120, :120]
    halves = linalg.block_diag(short, short)
    dense = [_some_weights(rng, n) for n in (20, 30, 1, 25)]
    cases = [
        (path, 1, "a path of 300 points"),
        (halves, 2, "two paths with weights of 0.0001"),
        (linalg.block_diag(*dense), 4, "four pieces, one of them a single point"),
        (1e6 * linalg.block_diag(*dense[:2]), 2, "two pieces with large weights"),
    ]
    for A, right, name in cases:
        count = expect_number(call(answer, A.copy()))
        if count != right:
            raise NotYet(f"{name}: your function counts {count:g}")


@exercise("lem-5")
def place_a_point(answer):
    rng = np.random.default_rng(5)
    for n, d in [(15, 1), (30, 3)]:
        A = _some_weights(rng, n)
        degrees = A.sum(axis=1)
        mu, U = linalg.eigh(np.diag(degrees) - A, np.diag(degrees))
        Y, mu = U[:, 1 : d + 1], mu[1 : d + 1]
        y = expect_array(call(answer, A[3].copy(), Y.copy(), mu.copy()), (d,))
        expect_close(y, Y[3], "with the weights of a training point, its own place should come out")
        a = rng.uniform(0, 2, n)
        y = expect_array(call(answer, a.copy(), Y.copy(), mu.copy()), (d,))
        expect_close(a.sum() * (1 - mu) * y, a @ Y, "for a new point, row x of Lu = μ Deg u does not hold")


@exercise("lem-6")
def two_repetitions(answer):
    p, q = expect_array(answer, (2,))
    if p != int(p) or q != int(q) or not 4 <= q < p <= 10_000:
        raise NotYet("whole numbers p > q with q at least 4 are wanted, p not above 10,000")
    along, across = 2 - 2 * np.cos(np.pi * np.arange(5) / p), 2 - 2 * np.cos(np.pi / q)
    before = np.sum(along[1:] < across * (1 - 1e-9))
    if np.any(np.isclose(along, across, rtol=1e-9)):
        raise NotYet("here a wave along and one across cost the same: the order of the axes is not determined")
    if before != 3:
        raise NotYet(
            f"here {before if before < 4 else 'four or more'} wave(s) along the grid cost less than half a wave across"
        )


@exercise("lem-7")
def a_strange_axis(answer):
    expect_choice(
        answer,
        "b",
        {
            "a": "a graph of two components is refused, and its eigenvalue would be zero up to rounding",
            "c": "more edges hold the point tighter, and make this vector more expensive",
            "d": "then the points would lie on a curve, not on one spot",
        },
    )


@exercise("lem-8")
def find_the_height(answer):
    axis = expect_number(answer)
    if axis != int(axis) or not 1 <= axis <= 10:
        raise NotYet("a whole number from 1 to 10 is wanted")
    X, chart = datasets.swiss_roll(2000, random_state=1)
    kept = chart[:, 0] < 52
    Y = LaplacianEigenmaps(10, n_neighbors=8).fit_transform(X[kept])
    height = np.abs(np.corrcoef(Y.T, chart[kept, 1])[-1, :10])
    if axis != 1 + np.argmax(height):
        raise NotYet(f"the correlation of this axis with the height is {height[int(axis) - 1]:.2f}, another has more")


def _some_weights(rng, n):
    """Symmetric positive weights of a connected graph, no two degrees alike; a single point has weight 1."""
    A = rng.uniform(0.1, 1, (n, n)) * np.linspace(0.2, 2, n)
    A = np.sqrt(A * A.T)
    return A if n == 1 else A - np.diag(np.diag(A))
