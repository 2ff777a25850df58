"""Exercises of chapter 11, the unified framework."""

import numpy as np
from scipy import linalg
from scipy.sparse.csgraph import connected_components

from dimred_lessons import Isomap
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
from dimred_lessons.distances import squared_distances
from dimred_lessons.kernels import gaussian_kernel, kernel_from_squared_distances, negative_mass
from dimred_lessons.spectral.unified import commute_times, embed_kernel

_PATH = np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])


@exercise("unified-1")
def two_kernels_by_hand(answer):
    given = expect_array(answer, (4,))
    mu = linalg.eigvalsh(np.diag(_PATH.sum(axis=1)) - _PATH)
    shifted, inverse = mu[-1] - mu[1:], 1 / mu[1:]
    expect_close(np.sort(given[:2]), np.sort(shifted), "the shifted kernel takes each eigenvalue from the largest one")
    expect_close(np.sort(given[2:]), np.sort(inverse), "the pseudoinverse inverts each positive eigenvalue")
    expect_close(given, np.r_[shifted, inverse], "these are the eigenvalues, but give the larger of each pair first")


@exercise("unified-2")
def there_and_back_by_hand(answer):
    ends, middle, corner = expect_array(answer, (3,))
    path, triangle = commute_times(_PATH), commute_times(np.ones((3, 3)) - np.eye(3))
    expect_close(ends, path[0, 2], "end to end: count both ways; from the middle the walker may turn back")
    expect_close(middle, path[0, 1], "end to middle: one way takes a single step, the other one more")
    expect_close(
        corner, triangle[0, 1], "triangle: each step hits the goal with probability one half, and count both ways"
    )


@exercise("unified-3")
def the_one_function(answer):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 4)) * [5, 3, 1, 0.5] + 7
    wave = 7 * (-1.0) ** np.arange(40)
    for name, K, d in [
        ("raw dot products", X @ X.T, 3),
        ("raw squared distances times -1/2", -squared_distances(X) / 2, 2),
        ("a matrix with large negative eigenvalues", X @ X.T - np.outer(wave, wave), 2),
    ]:
        given = K.copy()
        Y = expect_array(call(answer, given, d), (40, d))
        if not np.array_equal(given, K):
            raise NotYet("your function changes its argument: work on a copy")
        right = embed_kernel(K, d)[1]
        sizes = np.linalg.norm(Y, axis=0)
        if np.abs(np.sum(Y * right, axis=0)).min() > (1 - 1e-9) * np.min(sizes * np.linalg.norm(right, axis=0)):
            expect_close(sizes, np.linalg.norm(right, axis=0), f"for {name} the axes are right, but not their lengths")
        expect_close(_signed(Y, right), right, f"for {name} the embedding is another one")


@exercise("unified-4")
def placed_by_nystrom(answer):
    rng = np.random.default_rng(4)
    X, new = (rng.standard_normal((m, 3)) * [4, 2, 1] + 5 for m in (30, 7))
    for similarity, d in [
        (lambda A, B: gaussian_kernel(A, B, 4.0), 2),
        (lambda A, B: A @ B.T, 3),
        (lambda A, B: -squared_distances(A, B) / 2, 2),
    ]:
        K, rows = similarity(X, X), similarity(new, X)
        known = expect_array(call(answer, K.copy(), K.copy(), d), (30, d))
        right = embed_kernel(K, d)[1]
        expect_close(
            _signed(known, right), right, "the training points, given as new ones, do not come back to their places"
        )
        together = expect_array(call(answer, K.copy(), rows.copy(), d), (7, d))
        alone = np.vstack([expect_array(call(answer, K.copy(), row[None].copy(), d), (1, d)) for row in rows])
        expect_close(alone, together, "the place of a point depends on which others come along")
        eigenvalues, U = linalg.eigh(_centered(K))
        mean = rows.mean(axis=1, keepdims=True)
        values = (rows - mean - K.mean(axis=0) + K.mean()) @ U[:, ::-1][:, :d] / np.sqrt(eigenvalues[::-1][:d])
        expect_close(_signed(together, values), values, "right for training points, but not for new ones")


@exercise("unified-5")
def heat_kernel_embedding(answer):
    for seed, n, t, d in [(5, 12, 0.5, 2), (6, 15, 0.1, 3)]:
        A = np.triu(np.random.default_rng(seed).uniform(0.1, 1, (n, n)), 1)
        A += A.T
        given = A.copy()
        Y = expect_array(call(answer, given, t, d), (n, d))
        if not np.array_equal(given, A):
            raise NotYet("your function changes its argument: work on a copy")
        right = embed_kernel(linalg.expm(-t * (np.diag(A.sum(axis=1)) - A)), d)[1]
        if np.abs(Y.sum(axis=0)).max() > 1e-6 * np.abs(Y).max():
            raise NotYet("the embedding is not centered: is the constant vector still in it?")
        sizes = np.linalg.norm(Y, axis=0)
        if np.abs(np.sum(Y * right, axis=0) / np.maximum(sizes, 1e-300)).max() < 0.99 * np.linalg.norm(right[:, -1]):
            raise NotYet("these are not the axes of Laplacian eigenmaps")
        expect_close(_signed(Y, right), right, "the axes should have the length e^(−tμ/2)")


@exercise("unified-6")
def a_second_null_vector(answer):
    W = expect_array(answer, (4, 4))
    if np.abs(np.diag(W)).max() > 1e-9:
        raise NotYet("the diagonal of W should be zero: no point is its own neighbor")
    if np.abs(W.sum(axis=1) - 1).max() > 1e-9:
        raise NotYet("every row of W should sum to one")
    if connected_components(np.abs(W) > 1e-9, connection="weak")[0] > 1:
        raise NotYet("the graph of these weights is not connected")
    if linalg.svdvals(np.eye(4) - W)[-2] > 1e-9:
        raise NotYet("only the constant vector costs nothing with these weights")


@exercise("unified-7")
def a_row_for_sde(answer):
    expect_choice(
        answer,
        "b",
        {
            "a": "the proposition needs a function that has the values of K at the training points",
            "c": "centering is right; look at where the row and the eigenvectors come from",
            "d": "distances are not the matter; test the recipe on a training point",
        },
    )


@exercise("unified-8")
def negative_share_of_the_digits(answer):
    share = expect_number(answer)
    K = Isomap(2, n_neighbors=6).fit(datasets.digits(n=300)[0]).kernel_
    values = linalg.eigvalsh(K)
    if abs(share - np.mean(values < 0)) < 0.02 and abs(share - negative_mass(K)) >= 0.005:
        raise NotYet("this counts the negative eigenvalues; weigh each by its absolute value")
    if not abs(share - negative_mass(K)) < 0.005:
        raise NotYet("divide the sum of |λ| over the negative eigenvalues by the sum of |λ| over all")


def _centered(K):
    """HKH."""
    return kernel_from_squared_distances(-2 * K)


def _signed(Y, right):
    """Y with the signs of its axes chosen to agree with those of the right answer."""
    return Y * np.where(np.sum(Y * right, axis=0) < 0, -1, 1)
