"""Checks of the exercises on Laplacian eigenmaps."""

from functools import cache

import numpy as np
from scipy import linalg

from dimred_lessons import LaplacianEigenmaps
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_drawn,
    expect_fitted,
    expect_integer,
    expect_integers,
    expect_keys,
    expect_number,
)
from dimred_lessons.classroom.exercises.values import choice, differs, keyed, look, numbers, share, whole
from dimred_lessons.classroom.metrics import recovery


@exercise("lem-1")
@numbers(6)
def three_points_in_a_row(answer):
    plain, normalized = np.array([0, 1, 3]), np.array([0, 1, 2])
    otherwise = "the first three are not the eigenvalues of L; they sum to its trace, 4"
    yield differs(answer[:3].sorted(), plain), otherwise
    yield differs(answer[3:].sorted(), normalized), "the last three do not solve Lu = μ Deg u; they sum to 3"
    yield differs(answer, np.r_[plain, normalized]), "right, but give them in increasing order"


@exercise("lem-2")
@numbers(3)
def one_width(answer, s=18):
    sigma, t, factor = answer
    yield sigma < 0, "a width is positive"
    yield differs(sigma, np.sqrt(s / 2)), "this σ is a different width: 2σ² should be s"
    yield differs(t, s / 4), "σ is right, t is not: 4t should be s"
    yield differs(factor, 100**2), "σ and t are right; what happens to r² if r is given in centimeters?"


@exercise("lem-3")
def embedding_in_code(answer):
    rng = np.random.default_rng(3)
    for n, d in [(12, 1), (25, 3), (40, 2)]:
        A = _some_weights(rng, n)
        degrees = A.sum(axis=1)
        Y = expect_array(call(answer, A, d), (n, d))
        if np.any(np.ptp(Y, axis=0) < 1e-4 * np.abs(Y).max()):
            raise NotYet("one of your axes is constant: leave the first eigenvector out")
        otherwise = "1ᵀDeg Y should be zero: these are not eigenvectors of Lu = μ Deg u"
        expect_close(degrees @ Y, 0, otherwise, scale=degrees.sum() * np.abs(Y).max())
        expect_close(Y.T @ (degrees[:, None] * Y), np.eye(d), "YᵀDeg Y should be the identity")
        right = linalg.eigh(np.diag(degrees) - A, np.diag(degrees))[1][:, 1 : d + 1]
        cosines = right.T @ (degrees[:, None] * Y)
        otherwise = "the constraint holds, but other axes cost less"
        expect_close(cosines @ cosines.T, np.eye(d), otherwise)
        otherwise = "these axes span the right space, but they should be the eigenvectors themselves, in order"
        expect_close(np.abs(cosines), np.eye(d), otherwise)


@exercise("lem-4")
def count_the_pieces(answer):
    rng = np.random.default_rng(4)
    path = np.eye(300, k=1) + np.eye(300, k=-1)
    short = path[:120, :120]
    dense = [_some_weights(rng, n) for n in (20, 30, 1, 25)]
    cases = [
        (path, 1, "a path of 300 points"),
        (1e-4 * linalg.block_diag(short, short), 2, "two paths with weights of 0.0001"),
        (1e-12 * short, 1, "a path with weights of 1e-12"),
        (linalg.block_diag(*dense), 4, "four pieces, one of them a single point"),
        (1e9 * linalg.block_diag(*dense[:2]), 2, "two pieces with weights of 1e9"),
    ]
    for A, right, name in cases:
        count = expect_number(call(answer, A))
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
        y = expect_array(call(answer, A[3], Y, mu), (d,))
        expect_close(y, Y[3], "with the weights of a training point, its own place should come out")
        a = rng.uniform(0, 2, n)
        y = expect_array(call(answer, a, Y, mu), (d,))
        expect_close(a.sum() * (1 - mu) * y, a @ Y, "for a new point, row x of Lu = μ Deg u does not hold")


@exercise("lem-6")
def two_repetitions(answer):
    length, width = expect_integers(answer, 2, 4, 10_000)
    if width >= length:
        raise NotYet("n₁ should be larger than n₂: give the long side first")
    along, across = 2 - 2 * np.cos(np.pi * np.arange(1, 5) / length), 2 - 2 * np.cos(np.pi / width)
    if np.any(np.isclose(along, across, rtol=1e-9)):
        raise NotYet("here a wave along and one across cost the same, so the order of the axes is not determined")
    cheaper = np.sum(along < across)
    if cheaper != 3:
        count = cheaper if cheaper < 4 else "at least 4"
        raise NotYet(f"of the waves along the grid, {count} cost less than half a wave across: it should be 3")


@exercise("lem-7")
@choice("c")
def a_strange_axis():
    return {
        "a": "a graph of two components is refused, and its eigenvalue would be zero up to rounding",
        "b": "more edges hold the point more tightly, and make this vector more expensive",
        "d": "then the points would lie on a curve, not all in one place",
    }


@exercise("lem-8")
@whole(1, 10)
def find_the_height(axis):
    X, chart = datasets.swiss_roll(2000, random_state=1)
    kept = chart[:, 0] < 52
    Y = LaplacianEigenmaps(10, n_neighbors=8).fit_transform(X[kept])
    height = np.abs(np.corrcoef(Y.T, chart[kept, 1])[-1, :10])
    known = look(height, axis - 1)
    otherwise = f"the correlation of this axis with the height is {known:.2f}, another axis has more"
    yield differs(axis, 1 + np.argmax(height), 0), otherwise


@exercise("lem-9")
def density_divided_out(answer):
    rng = np.random.default_rng(9)
    for n, alpha in [(12, 1), (20, 0.5), (20, 0), (15, 2.0)]:
        A = _some_weights(rng, n)
        q = A.sum(axis=1)
        divided = A / np.outer(q, q) ** alpha
        P = expect_array(call(answer, A, alpha), (n, n))
        if np.allclose(P, divided, rtol=1e-3) and not np.allclose(divided.sum(axis=1), 1):
            raise NotYet("right so far: now divide each row by its sum")
        expect_close(P.sum(axis=1), 1, "the rows of a random walk should sum to one")
        right = divided / divided.sum(axis=1, keepdims=True)
        expect_close(P, right, f"for α = {alpha}, the weights are not divided by (q_i q_j)^α before the last step")


@exercise("lem-10")
@numbers(2)
def commute_times_of_a_path(answer):
    near_by, far = answer
    otherwise = "the graph has vol = 4 and C_12 = vol · Σ (u_l(1) − u_l(2))² / μ_l; did you count both directions?"
    yield differs(near_by, 4), otherwise
    yield differs(far, 8), "C_12 is right, C_13 is not; which of the two axes tells 1 and 3 apart?"


@exercise("lem-11")
@numbers(2)
def stiffness_and_mass(answer):
    alpha, times = answer
    yield differs(alpha, 0.5), "this α does not make 2 − 2α equal to 1"
    yield differs(times, 9), "α is right; without correction the stiffness is the density to which power?"


@exercise("lem-12")
@keyed({"alpha = 0": share(), "alpha = 1": share()})
def shape_or_crowd(*shares):
    for alpha, given in enumerate(shares):
        otherwise = f"for α = {alpha}, R² of the length on the first axis is not {given:.2f}"
        yield differs(given, _recovered_length(alpha), 0.01, 1), otherwise


@cache
def _recovered_length(alpha):
    X, chart = datasets.swiss_roll(3000, random_state=2)
    stays = (chart[:, 0] < 45) | (np.arange(3000) % 4 == 0)
    Y = LaplacianEigenmaps(1, radius=6, sigma=2, density_exponent=alpha).fit_transform(X[stays])
    return recovery(Y, chart[stays])[0]


def _some_weights(rng, n):
    """Symmetric positive weights of a connected graph, no two degrees equal; a single point has weight 1."""
    A = rng.uniform(0.1, 1, (n, n)) * np.linspace(0.2, 2, n)
    A = np.sqrt(A * A.T)
    return A if n == 1 else A - np.diag(np.diag(A))


@exercise("lem-13")
def two_groups_that_hardly_pull(answer):
    expect_keys(answer, ["points", "k", "energy"])
    points = expect_drawn(answer["points"], 12)
    k = expect_integer(answer["k"], 1, len(points) - 1, "k")
    energy = expect_number(answer["energy"])
    model = expect_fitted(LaplacianEigenmaps(1, n_neighbors=k), points)
    expect_close(energy, model.eigenvalues_[0], "this is not the energy of the first axis of your points", BY_HAND)
    if energy > 0.02:
        raise NotYet(f"the energy is {energy:.3f}, and at most 0.02 is asked for: cut the bridge to fewer edges")
    share = np.mean(model.embedding_[:, 0] > 0)
    if min(share, 1 - share) < 1 / 3:
        raise NotYet("the sign of the axis should part your points into groups of a third at least")
