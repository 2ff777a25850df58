"""Checks of the exercises on locally linear embedding."""

import numpy as np
from scipy import sparse

from dimred_lessons import LTSA, LocallyLinearEmbedding
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_measured,
    exercise,
    expect_array,
    expect_close,
)
from dimred_lessons.classroom.exercises.values import (
    choice,
    count,
    differs,
    keyed,
    look,
    near,
    number,
    numbers,
    share,
    whole,
)
from dimred_lessons.classroom.metrics import recovery
from dimred_lessons.reconstruction import reconstruction_weights


@exercise("lle-1")
@numbers(3)
def weights_by_hand(answer, distances=(1, 2)):
    w, error = answer[:2], answer[2]
    precisions = 1 / np.square(distances)
    yield differs(w.sum(), 1), "the two weights should sum to one"
    yield (
        differs(w, precisions / precisions.sum()),
        "other weights rebuild the point better: the nearer neighbor counts more",
    )
    yield differs(error, 1 / precisions.sum()), "the error is the squared distance to the rebuilt point"


@exercise("lle-2")
@numbers(3)
def outside_its_neighbors(answer, neighbors=(1, 3), embedded=(5, 9)):
    w_near, w_far, place = answer
    yield differs(w_near + w_far, 1), "the two weights should sum to one"
    rebuilt = neighbors[0] * w_near + neighbors[1] * w_far
    yield differs(rebuilt, 0, scale=1), f"these weights rebuild {rebuilt:g}, not 0; weights may be negative"
    share = neighbors[1] / (neighbors[1] - neighbors[0])
    right = share * embedded[0] + (1 - share) * embedded[1]
    yield differs(place, right), "the weights are right, but they put the point elsewhere"


@exercise("lle-3")
def weights_in_code(answer):
    rng = np.random.default_rng(3)
    for k, D, reg in [(3, 6, 0.0), (7, 3, 1e-3), (5, 5, 0.1)]:
        x, P = rng.standard_normal(D) + 4, 3 * rng.standard_normal((k, D)) + 4
        right = reconstruction_weights(x[None], np.arange(k)[None], reg, points=P)[0]
        _compare_weights(call(answer, x, P, reg), right, reg)


@exercise("lle-4")
def weights_from_distances(answer):
    rng = np.random.default_rng(4)
    for k, D, reg in [(4, 8, 0.0), (8, 3, 1e-3), (5, 2, 0.1)]:
        x, P = rng.standard_normal(D), 3 * rng.standard_normal((k, D))
        to, between = np.linalg.norm(x - P, axis=1), np.linalg.norm(P[:, None] - P[None], axis=2)
        right = reconstruction_weights(x[None], np.arange(k)[None], reg, points=P)[0]
        _compare_weights(call(answer, to, between, reg), right, reg)


def _compare_weights(w, right, reg):
    w = expect_array(w, right.shape)
    expect_close(w.sum(), 1, "the weights should sum to one")
    if reg == 0:
        expect_close(w, right, "without a regularizer, other weights rebuild the point better")
    otherwise = f"right for reg=0, but not for reg={reg:g}: add reg times the trace of G to its diagonal"
    expect_close(w, right, otherwise, tolerance=1e-3)


@exercise("lle-5")
def singular_local_gram_matrix(answer):
    x, *neighbors = expect_array(answer, (3, 2))
    differences = x - np.array(neighbors)
    size = np.linalg.norm(differences)
    gaps = [*differences, neighbors[0] - neighbors[1]]
    if min(np.linalg.norm(gap) for gap in gaps) <= 1e-9 * size:
        raise NotYet("the three points should be different")
    if np.linalg.svd(differences)[1][-1] > 1e-9 * size:
        raise NotYet("for these points the local Gram matrix is invertible")


@exercise("lle-6")
def product_without_the_matrix(answer):
    W, x = _some_weights(30, 4), np.random.default_rng(5).standard_normal(30)
    I_W = np.eye(30) - W.toarray()
    expect_close(expect_array(call(answer, W, x), (30,)), I_W.T @ (I_W @ x), "this is not (I − W)ᵀ(I − W)x")
    for n in (1000, 10_000):  # a function that forms a full matrix is refused before it has 10,000 rows
        W = _some_weights(n, 8)
        product, memory = call_measured(answer, W, np.ones(n))
        if memory > 12 * W.nnz:  # bytes: another copy of W takes as much
            raise NotYet("right, but your function forms a matrix on the way: use products with vectors only")
        expect_close(expect_array(product, (n,)), 0, "M times the vector of ones should be zero", scale=1)


def _some_weights(n, k):
    """A random sparse W with k entries per row that sum to one."""
    rng = np.random.default_rng(6)
    values = rng.uniform(0.5, 1.5, (n, k))
    columns = (np.arange(n)[:, None] + rng.integers(1, n, (n, 1)) + np.arange(k)) % n
    values /= values.sum(axis=1, keepdims=True)
    return sparse.csr_array((values.ravel(), (np.repeat(np.arange(n), k), columns.ravel())), shape=(n, n))


@exercise("lle-7")
@choice("a")
def larger_null_space():
    return {
        "b": "a graph of several pieces is refused before any eigenvector is computed",
        "c": "every row is divided by its sum, so it sums to one",
        "d": "the eigenvalues are right: look for vectors that really cost nothing",
    }


@exercise("lle-8")
@whole(1, 11)
def where_the_height_is(d):
    X, chart = datasets.swiss_roll(1000, random_state=6)
    Y = LocallyLinearEmbedding(11, n_neighbors=12).fit_transform(X)
    explained = np.array([recovery(Y[:, :axes], chart)[1] for axes in range(1, 12)])
    enough = 1 + int(np.sum(explained < 0.9))
    yield d < enough, f"the first {d} axes together explain {look(explained, d - 1):.2f} of the height"
    yield d > enough, "fewer axes already explain nine tenths of the height"


@exercise("lle-9")
@count(4, "count the vectors Xb + c1 that are linearly independent")
def what_costs_nothing():
    return {
        1: "the constant vector is one of them, but each coordinate of the points costs nothing either",
        3: "the three coordinates cost nothing, and so does the constant vector",
    }


@exercise("lle-10")
@number()
def even_weights_on_a_ring(mu, n=12):
    theta = 2 * np.pi / n
    yield near(mu, 1 - np.cos(theta)), "this is the eigenvalue of I − W; M is its square"
    yield near(mu, (2 - 2 * np.cos(theta)) ** 2), "both weights are one half: W y is cos θ times y"
    yield differs(mu, (1 - np.cos(theta)) ** 2), "which p gives the smallest eigenvalue that is not zero?"


@exercise("lle-11")
@keyed({"LLE": share(), "LTSA": share()})
def stability_of_the_threes(*shares):
    digits, labels = datasets.digits()
    threes = digits[labels == 3]
    for name, method, mine in zip(["LLE", "LTSA"], [LocallyLinearEmbedding, LTSA], shares, strict=True):
        eight, ten = (method(2, n_neighbors=k).fit_transform(threes) for k in (8, 10))
        right = recovery(eight, ten).mean()  # the same in both directions: both maps are uncorrelated
        otherwise = f"{name}: this is not the mean R² between the maps of the threes for 8 and 10 neighbors"
        yield differs(mine, right, 0.01, 1), otherwise
