"""Checks of the exercises on the unified framework."""

import numpy as np
from scipy import linalg
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from dimred_lessons import Isomap
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_unchanged,
    exercise,
    expect_array,
    expect_close,
    expect_keys,
)
from dimred_lessons.classroom.exercises.values import choice, differs, near, numbers, share
from dimred_lessons.classroom.metrics import aligned_signs
from dimred_lessons.kernels import center_kernel, gaussian_kernel, negative_mass


@exercise("unified-1")
@numbers(4)
def two_kernels_by_hand(answer):
    shifted, inverse = np.array([2, 0]), np.array([1, 1 / 3])
    otherwise = "the shifted kernel subtracts each eigenvalue from the largest one"
    yield differs(answer[:2].sorted(), shifted[::-1]), otherwise
    yield differs(answer[2:].sorted(), inverse[::-1]), "the pseudoinverse inverts each positive eigenvalue"
    otherwise = "these are the eigenvalues, but give the larger of each pair first"
    yield differs(answer, np.r_[shifted, inverse]), otherwise


@exercise("unified-2")
@numbers(3)
def there_and_back_by_hand(answer):
    ends, middle, corner = answer
    yield differs(ends, 8), "end to end: count both ways; from the middle the walker may turn back"
    yield differs(middle, 4), "end to middle: one way takes a single step, the other way takes more"
    otherwise = "triangle: each step hits the goal with probability one half, and count both ways"
    yield differs(corner, 4), otherwise


@exercise("unified-3")
def the_one_function(answer):
    X = np.random.default_rng(3).standard_normal((40, 4)) * [5, 3, 1, 0.5] + 7
    wave = 7 * (-1.0) ** np.arange(40)
    for name, K, d in [
        ("raw dot products", X @ X.T, 3),
        ("raw squared distances times -1/2", -cdist(X, X, "sqeuclidean") / 2, 2),
        ("a matrix with large negative eigenvalues", X @ X.T - np.outer(wave, wave), 2),
    ]:
        Y = expect_array(call_unchanged(answer, K, d), (40, d))
        eigenvalues, U = _top(K, d)
        right = U * np.sqrt(eigenvalues)
        sizes, wanted = np.linalg.norm(Y, axis=0), np.linalg.norm(right, axis=0)
        if np.all(np.abs(np.sum(Y * right, axis=0)) > 0.999999 * sizes * wanted):
            expect_close(sizes, wanted, f"for {name} the axes are right, but not their lengths")
        otherwise = f"for {name} the axes do not have mean zero: center first, and take the top eigenvectors"
        expect_close(Y.sum(axis=0), 0, otherwise, scale=np.abs(Y).max())
        expect_close(aligned_signs(Y, right), right, f"for {name} your embedding is a different one")


@exercise("unified-4")
def placed_by_nystrom(answer):
    rng = np.random.default_rng(4)
    X, new = (rng.standard_normal((m, 3)) * [4, 2, 1] + 5 for m in (30, 7))
    for similarity, d in [
        (lambda A, B: gaussian_kernel(A, B, 4.0), 2),
        (lambda A, B: A @ B.T, 3),
        (lambda A, B: -cdist(A, B, "sqeuclidean") / 2, 2),
    ]:
        K, rows = similarity(X, X), similarity(new, X)
        eigenvalues, U = _top(K, d)
        right = U * np.sqrt(eigenvalues)
        known = expect_array(call(answer, K, K, d), (30, d))
        otherwise = "the training points, given as new ones, do not come back to their places"
        expect_close(aligned_signs(known, right), right, otherwise)
        together = expect_array(call(answer, K, rows, d), (7, d))
        alone = np.vstack([expect_array(call(answer, K, row[None], d), (1, d)) for row in rows])
        expect_close(alone, together, "the place of a point depends on which others come along")
        centered = rows - rows.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
        right = np.vstack([right, centered @ U / np.sqrt(eigenvalues)])
        together = aligned_signs(np.vstack([known, together]), right)
        expect_close(together, right, "right for training points, but not for new ones")


@exercise("unified-5")
def heat_kernel_embedding(answer):
    for seed, n, t, d in [(5, 12, 0.5, 2), (6, 15, 0.1, 3)]:
        A = np.triu(np.random.default_rng(seed).uniform(0.1, 1, (n, n)), 1)
        A += A.T
        Y = expect_array(call_unchanged(answer, A, t, d), (n, d))
        otherwise = "the embedding is not centered: is the constant vector still in it?"
        expect_close(Y.sum(axis=0), 0, otherwise, scale=np.abs(Y).max())
        eigenvalues, U = _top(linalg.expm(-t * (np.diag(A.sum(axis=1)) - A)), d)
        sizes = np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
        if np.abs(np.sum(Y * U, axis=0) / sizes).min() < 0.999:
            raise NotYet("these are not the axes of Laplacian eigenmaps")
        right = U * np.sqrt(eigenvalues)
        expect_close(aligned_signs(Y, right), right, "the axes should have the length e^(−tμ/2)")


@exercise("unified-6")
def a_second_null_vector(answer):
    W = expect_array(answer, (4, 4))
    rounded = 2e-3  # thirds may be written as 0.333
    if np.abs(np.diag(W)).max() > rounded:
        raise NotYet("the diagonal of W should be zero: no point is its own neighbor")
    if np.abs(W.sum(axis=1) - 1).max() > rounded:
        raise NotYet("every row of W should sum to one")
    if connected_components(np.abs(W) > rounded, connection="weak")[0] > 1:
        raise NotYet("the graph of these weights is not connected")
    if linalg.svdvals(np.eye(4) - W)[-2] > rounded:
        raise NotYet("with these weights only the constant vector costs nothing")


@exercise("unified-7")
@choice("b")
def a_row_for_sde():
    return {
        "a": "the proposition needs a function that has the values of K at the training points",
        "c": "centering is right; look at where the row and the eigenvectors come from",
        "d": "distances do not matter here; test the recipe on a training point",
    }


@exercise("unified-8")
@share()
def negative_share_of_the_digits(given):
    K = Isomap(2, n_neighbors=6).fit(datasets.digits(n=300)[0]).kernel_
    right, counted = negative_mass(K), np.mean(linalg.eigvalsh(K) < 0)
    only_counted = differs(given, right, 0.02) & near(given, counted, 0.02, 1)
    yield only_counted, "this counts the negative eigenvalues; weigh each by its absolute value"
    otherwise = "divide the sum of |λ| over the negative eigenvalues by the sum of |λ| over all"
    yield differs(given, right, 0.02), otherwise


@exercise("unified-9")
@numbers(2)
def axes_of_its_own_dot_products(given, diagonal=5, beside=3):
    right = np.array([diagonal + beside, diagonal - beside])
    otherwise = "the squared lengths are the eigenvalues of YᵀY, not its diagonal and not their roots"
    yield differs(given.sorted(), np.sort(right)), otherwise
    yield differs(given, right), "these are the numbers, but give the larger one first"


@exercise("unified-10")
@numbers(3)
def four_points_made_euclidean(answer):
    yield differs(answer[0], 1), "c is minus the smallest eigenvalue of -HΔ²H/2, with squared distances"
    yield differs(answer[1:], [3, 6]), "every squared distance between different points grows by 2c"


@exercise("unified-11")
def a_row_of_your_own(answer):
    expect_keys(answer, ["form", "map", "end"])
    Q, Y = expect_array(answer["form"], (None, None)), expect_array(answer["map"], (None, 2))
    n = len(Q)
    if Q.shape != (n, n) or not 50 <= n <= 2000 or len(Y) != n:
        raise NotYet(f"a square form and a map of the same 50 to 2000 points are expected, not {Q.shape} and {Y.shape}")
    expect_close(Q, Q.T, "the form should be symmetric")
    if answer["end"] not in ("top", "bottom"):
        raise NotYet('the end should be "top" or "bottom"')
    lengths = np.linalg.norm(Y, axis=0)
    if lengths.min() < 1e-9 * max(lengths.max(), 1e-300):
        raise NotYet("an axis of the map is zero")
    Y = Y / lengths
    expect_close(Y.sum(axis=0), 0, "the axes of the map should be centered", scale=1)
    # Without the constant vector: its eigenvalue goes to the other end
    eigenvalues = linalg.eigvalsh(center_kernel(Q))
    size, sign = np.abs(eigenvalues).max(), 1 if answer["end"] == "top" else -1
    centered = sign * center_kernel(Q) - 2 * size / n
    values = np.einsum("ij,ij->j", Y, centered @ Y)
    expect_close(centered @ Y, Y * values, "the axes are not eigenvectors of HQH", scale=size * n**-0.5)
    best = linalg.eigvalsh(centered)[::-1][:2]
    otherwise = f"these are eigenvectors, but not those at the {answer['end']}, in order"
    expect_close(values, best, otherwise, scale=size)


def _top(K, d):
    """The d largest eigenvalues of HKH and their eigenvectors."""
    eigenvalues, U = linalg.eigh(center_kernel(K))
    return eigenvalues[::-1][:d], U[:, ::-1][:, :d]
