"""Exercises of chapter 8, locally linear embedding."""

import tracemalloc
import warnings

import numpy as np
from scipy import sparse

from dimred_lessons import LocallyLinearEmbedding
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.checks.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_number,
)
from dimred_lessons.local_fits import reconstruction_weights


@exercise("lle-1")
def weights_by_hand(answer):
    *w, error = expect_array(answer, (3,))
    expect_close(sum(w), 1, "the two weights should sum to one")
    neighbors = np.array([[1, 0], [0, 2]])
    right = reconstruction_weights(np.zeros((1, 2)), np.array([[0, 1]]), 0, points=neighbors)[0]
    expect_close(np.array(w), right, "other weights rebuild the point better: the nearer neighbor counts more")
    expect_close(error, np.sum((right @ neighbors) ** 2), "the error is the squared distance to the rebuilt point")


@exercise("lle-2")
def outside_of_its_neighbors(answer):
    near, far, place = expect_array(answer, (3,))
    expect_close(near + far, 1, "the two weights should sum to one")
    if abs(near + 3 * far) > 1e-6:
        raise NotYet(f"these weights rebuild {near + 3 * far:g}, not 0; weights may be negative")
    expect_close(place, 5 * near + 9 * far, "the weights are right, but they put the point elsewhere")


@exercise("lle-3")
def weights_in_code(answer):
    rng = np.random.default_rng(3)
    for k, D, reg in [(3, 6, 0.0), (7, 3, 1e-3), (5, 5, 0.1)]:
        x, P = rng.standard_normal(D) + 4, 3 * rng.standard_normal((k, D)) + 4
        right = reconstruction_weights(x[None], np.arange(k)[None], reg, points=P)[0]
        _compare_weights(call(answer, x.copy(), P.copy(), reg), right, reg)


@exercise("lle-4")
def weights_from_distances(answer):
    rng = np.random.default_rng(4)
    for k, D, reg in [(4, 8, 0.0), (8, 3, 1e-3), (5, 2, 0.1)]:
        x, P = rng.standard_normal(D), 3 * rng.standard_normal((k, D))
        to, between = np.linalg.norm(x - P, axis=1), np.linalg.norm(P[:, None] - P[None], axis=2)
        right = reconstruction_weights(x[None], np.arange(k)[None], reg, points=P)[0]
        _compare_weights(call(answer, to.copy(), between.copy(), reg), right, reg)


def _compare_weights(w, right, reg):
    w = expect_array(w, right.shape)
    expect_close(w.sum(), 1, "the weights should sum to one")
    if reg == 0:
        expect_close(w, right, "without a regularizer, other weights rebuild the point better")
    expect_close(w, right, f"right for reg=0, but not for reg={reg:g}: is it a share of the trace?", 1e-5)


@exercise("lle-5")
def singular_local_gram_matrix(answer):
    x, *neighbors = expect_array(answer, (3, 2))
    differences = x - np.array(neighbors)
    gaps = [*differences, neighbors[0] - neighbors[1]]
    size = np.linalg.norm(differences)
    if min(np.linalg.norm(gap) for gap in gaps) <= 1e-9 * size:
        raise NotYet("the three points should be different")
    if np.linalg.svd(differences)[1][-1] > 1e-9 * size:
        raise NotYet("for these points the local Gram matrix is invertible")


@exercise("lle-6")
def product_without_the_matrix(answer):
    small = _some_weights(30, 4)
    x = np.random.default_rng(5).standard_normal(30)
    I_W = np.eye(30) - small.toarray()
    product = expect_array(call(answer, small, x.copy()), (30,))
    expect_close(product, I_W.T @ (I_W @ x), "this is not (I − W)ᵀ(I − W)x")
    n = 30_000
    large, x = _some_weights(n, 8), np.ones(n)
    tracemalloc.start()
    try:
        product = call(answer, large, x)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    product = expect_array(product, (n,))
    if memory > 12 * large.nnz:  # bytes: another copy of W already takes as much
        raise NotYet("right, but your function forms a matrix on the way: use products with vectors only")
    if np.abs(product).max() > 1e-9:
        raise NotYet("M times the vector of ones should be zero")


def _some_weights(n, k):
    """A random sparse W, k entries a row that sum to one."""
    rng = np.random.default_rng(6)
    values = rng.uniform(0.5, 1.5, (n, k))
    columns = (np.arange(n)[:, None] + rng.integers(1, n, (n, 1)) + np.arange(k)) % n
    values /= values.sum(axis=1, keepdims=True)
    return sparse.csr_array((values.ravel(), (np.repeat(np.arange(n), k), columns.ravel())), shape=(n, n))


@exercise("lle-7")
def larger_null_space(answer):
    expect_choice(
        answer,
        "b",
        {
            "a": "a graph of several pieces is refused before any eigenvector is computed",
            "c": "every row is divided by its sum, so it sums to one",
            "d": "the eigenvalues are right: look for vectors that really cost nothing",
        },
    )


@exercise("lle-8")
def unroll_another_roll(answer):
    if not isinstance(answer, dict) or set(answer) != {"n_neighbors", "reg"}:
        raise NotYet("a dictionary with the keys n_neighbors and reg is wanted")
    k, reg = expect_number(answer["n_neighbors"]), expect_number(answer["reg"])
    if k != int(k) or not 3 <= k <= 100:
        raise NotYet("n_neighbors should be a whole number from 3 to 100")
    if not 1e-9 <= reg <= 10:
        raise NotYet("reg should be a positive number, between 1e-9 and 10")
    X, chart = datasets.swiss_roll(1000, random_state=1)
    length, height = _missed(X, chart, int(k), reg)
    if max(length, height) >= 0.1:
        raise NotYet(f"this misses {length:.2f} of the length and {height:.2f} of the height")


def _missed(X, chart, k, reg):
    """Share of either coordinate of the chart that no affine map of the embedding explains."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a null space shows in the shares below
        try:
            Y = LocallyLinearEmbedding(2, n_neighbors=k, reg=reg).fit_transform(X)
        except ValueError as refused:
            raise NotYet(f"LLE refuses: {str(refused).splitlines()[0]}") from None
    A = np.column_stack([Y, np.ones(len(Y))])
    missed = chart - A @ np.linalg.lstsq(A, chart, rcond=None)[0]
    return missed.var(axis=0) / chart.var(axis=0)
