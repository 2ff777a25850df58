"""Checks of the exercises on random projections."""

import numpy as np
from scipy import stats
from scipy.linalg import hadamard
from scipy.spatial.distance import pdist, squareform

from dimred_lessons import RandomProjection
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_measured,
    call_unchanged,
    exercise,
    expect_array,
    expect_close,
    expect_integer,
    expect_keys,
    expect_number,
    expect_share,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choice, choices, differs, numbers
from dimred_lessons.directions.random_projection import johnson_lindenstrauss_dimension


@exercise("rp-1")
@numbers(3)
def eight_sign_vectors(answer, x=(1, 2, 2)):
    mean, signs, normal = answer
    square = np.dot(x, x)
    squares = np.dot([[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]], x) ** 2
    yield differs(mean, square), "the mean is the squared length of x"
    listed = "{}, {}, {} and {}".format(*squares)
    yield differs(signs, squares.var()), f"the squares are {listed}: take the mean of their squared deviations"
    yield differs(normal, 2 * square**2), f"for normal entries the square is {square} times a chi-squared variable"


@exercise("rp-2")
@choice("a")
def half_of_the_directions():
    return {
        "b": "the number of columns does not enter the dimension",
        "c": "twice the error divides it by about four",
        "d": "signs have the same bound",
    }


def _failing(n, eps, d):
    """Expected number of pairs that fail, by the exact law."""
    return n * (n - 1) / 2 * (stats.chi2.sf((1 + eps) * d, d) + stats.chi2.cdf((1 - eps) * d, d))


@exercise("rp-3")
def exact_union_bound(answer):
    for n, eps, delta in [(200, 0.3, 0.05), (1000, 0.5, 0.01), (50, 0.2, 0.5)]:
        d = expect_integer(call(answer, n, eps, delta), 1, 10**6, "the dimension")
        if _failing(n, eps, d) > delta:
            raise NotYet(
                f"for n = {n}, eps = {eps}, delta = {delta}, {d} directions are too few: both tails, all pairs"
            )
        if d == johnson_lindenstrauss_dimension(n, eps, delta):
            raise NotYet("this is the dimension of the lemma: use the exact tails instead of their bound")
        if d > 1 and _failing(n, eps, d - 1) <= delta:
            raise NotYet(f"for n = {n}, eps = {eps}, delta = {delta}, fewer than {d} directions are enough")


@exercise("rp-4")
def spread_by_additions(answer):
    rng = np.random.default_rng(4)
    for n, D in (3, 8), (2, 1), (5, 64):
        X, signs = rng.standard_normal((n, D)), 2.0 * rng.integers(0, 2, D) - 1
        Z = expect_array(call_unchanged(answer, X, signs), (n, D))
        right = (X * signs) @ hadamard(D) / np.sqrt(D)
        otherwise = f"for D = {D} this is not the Hadamard transform of the rows with their signs"
        if np.allclose(np.linalg.norm(Z, axis=1), np.sqrt(D) * np.linalg.norm(X, axis=1)):
            otherwise = "divide by the root of D: the matrix should be orthogonal"
        expect_close(Z, right, otherwise)
    X, signs = rng.standard_normal((2, 2048)), np.ones(2048)
    _, peak = call_measured(answer, X, signs)
    if peak > 8e6:
        raise NotYet(f"it takes {peak / 1e6:.0f} MB for two rows of 2048 numbers: do not form the matrix")


def _worst(X, kind):
    Y = RandomProjection(400, kind=kind).fit_transform(X)
    return np.abs(pdist(Y, "sqeuclidean") / pdist(X, "sqeuclidean") - 1).max()


@exercise("rp-5")
def spoiled_by_the_sparse_law(answer):
    X = expect_array(answer, (None, None))
    if not (2 <= len(X) <= 200 and 500 <= X.shape[1] <= 2000):
        raise NotYet("a table of 2 to 200 points with 500 to 2000 columns is expected")
    if not pdist(X).min() > 1e-6 * np.abs(X).max():
        raise NotYet("some of your points are equal, so that the ratio of their distances is not defined")
    with refusals_as_not_yet("RandomProjection"):
        sparse, *others = (_worst(X, kind) for kind in ("sparse", "gaussian", "signs"))
    if max(others) > 0.4:
        raise NotYet(f"normal entries or signs change a squared distance by {max(others):.0%}: take fewer points")
    if sparse <= 0.6:
        raise NotYet(f"the sparse law changes squared distances by at most {sparse:.0%}")


@exercise("rp-6")
@numbers(3)
def dot_products(answer, error=0.1, lengths=(3, 4), d=100):
    bound, orthogonal, equal = answer
    yield differs(bound, error * lengths[0] * lengths[1]), "the bound is the error times both lengths"
    yield differs(orthogonal, np.sqrt(1 / d)), "the variance for orthogonal unit vectors is 1/d"
    yield differs(equal, np.sqrt(2 / d)), "for u = v this is the error of a squared length"


@exercise("rp-7")
def two_points_in_one_place(answer):
    rng = np.random.default_rng(7)
    shapes = [(5, 4), (40, 10), (3, 1)]
    matrices = [rng.standard_normal(shape) / np.sqrt(shape[1]) for shape in shapes]
    for R in [*matrices, np.eye(6, 3), np.ones((4, 2))]:
        x, other = expect_array(call_unchanged(answer, R), (2, len(R)))
        length = np.linalg.norm(x - other)
        if length <= 1e-3 * max(np.linalg.norm(x), np.linalg.norm(other)) or length == 0:
            raise NotYet("the two points should be different")
        if np.linalg.norm((x - other) @ R) > 1e-4 * length * np.linalg.norm(R):
            raise NotYet(f"for a matrix of {R.shape[0]} × {R.shape[1]} the images of your points are different")


@exercise("rp-8")
def cost_from_distances(answer):
    rng = np.random.default_rng(8)
    for n, labels in (12, [3, -1, 7]), (30, [0, 1]), (5, [2]):
        X = rng.standard_normal((n, 4)) + 10
        clusters = np.concatenate([labels, rng.choice(labels, n - len(labels), p=_uneven(len(labels)))])
        D2 = squareform(pdist(X, "sqeuclidean"))
        members = [X[clusters == label] for label in labels]
        right = sum(np.sum((part - part.mean(axis=0)) ** 2) for part in members)
        value = expect_number(call_unchanged(answer, D2, clusters))
        if abs(value - 2 * right) < 1e-4 * right:
            raise NotYet("twice the cost: the double sum counts each pair twice")
        expect_close(value, right, f"for {n} points in {len(labels)} clusters the cost is a different number")


def _uneven(count):
    shares = np.arange(1.0, count + 1)
    return shares / shares.sum()


@exercise("rp-9")
def search_with_candidates(answer):
    rng = np.random.default_rng(9)
    X = rng.standard_normal((60, 30))
    R = rng.standard_normal((30, 4)) / 2
    for x in rng.standard_normal((6, 30)):
        for m in (1, 8, 60):
            near = np.argsort(np.sum((X @ R - x @ R) ** 2, axis=1))[:m]
            right = near[np.argmin(np.sum((X[near] - x) ** 2, axis=1))]
            found = expect_integer(call_unchanged(answer, X, X @ R, x, x @ R, m), 0, 59, "the index")
            if found != right:
                raise NotYet(f"with {m} candidates of 60 points, a different point is nearest: return an index into X")


@exercise("rp-10")
@choices
def which_tool():
    return {
        "stream": ("random projection", "the other documents have not been seen yet"),
        "sensors": ("pca", "the goal is combinations that explain variance"),
        "plane": ("pca", "the points are near a plane: find it"),
        "guarantee": ("random projection", "each distance counts, those of unusual spectra, too"),
        "three": ("neither", "three columns cannot be reduced without loss"),
        "roll": ("neither", "both are linear"),
    }


@exercise("rp-11")
def own_wide_table(answer):
    expect_keys(answer, ["table", "directions", "seed", "inside"])
    X = expect_array(answer["table"], (None, None))
    if not (20 <= len(X) <= 1000 and 100 <= X.shape[1] <= 20_000):
        raise NotYet("a table of 20 to 1000 rows and 100 to 20,000 columns is expected")
    d = expect_integer(answer["directions"], 1, X.shape[1] - 1, "the number of directions")
    seed = expect_integer(answer["seed"], 0, 2**31 - 1, "the seed")
    with refusals_as_not_yet("RandomProjection"):
        Y = RandomProjection(d, random_state=seed).fit_transform(X)
    before, after = pdist(X, "sqeuclidean"), pdist(Y, "sqeuclidean")
    different = before > 1e-12 * before.max()
    share = np.mean(np.abs(after[different] / before[different] - 1) < 0.3)
    otherwise = "we find a different share: squared distances, of pairs of different points, with this seed"
    expect_close(expect_share(answer["inside"]), share, otherwise, tolerance=0.003)
    if share < 0.99:
        raise NotYet(f"{share:.1%} of the pairs are kept: take more directions")
