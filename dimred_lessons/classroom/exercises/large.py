"""Checks of the exercises on tables larger than memory."""

from functools import cache

import numpy as np

from dimred_lessons import PCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_number,
)
from dimred_lessons.classroom.exercises.values import choice, differs, near, number, numbers, share, smallest_count


@exercise("large-1")
@numbers(2)
def stays_and_travels(answer):
    table, sums = answer
    yield differs(table, 8), "the table has a billion numbers of 8 bytes"
    yield differs(sums, 0.8), "a hundred blocks leave a matrix of 1,000 × 1,000 numbers of 8 bytes each"


@exercise("large-2")
def merged_summaries(answer):
    rng = np.random.default_rng(0)
    for n_one, n_other, D in [(5, 9, 3), (40, 2, 2), (1, 7, 4)]:
        one, other = rng.standard_normal((n_one, D)), rng.standard_normal((n_other, D)) + 3
        result = call(answer, _summary(one), _summary(other))
        if not isinstance(result, tuple | list) or len(result) != 3:
            raise NotYet("your function should return three things: number, mean and scatter")
        n, mean, scatter = _summary(np.vstack([one, other]))
        expect_close(expect_number(result[0]), n, f"{n_one} and {n_other} points are {n} points")
        expect_close(
            expect_array(result[1], (D,)),
            mean,
            "this is not the mean of all points: weight by the numbers",
        )
        found = expect_array(result[2], (D, D))
        if np.allclose(found, _summary(one)[2] + _summary(other)[2]):
            raise NotYet("the two means differ, and this adds to the scatter around the common mean")
        expect_close(found, scatter, "the scatter is not that of all points around their mean")


@exercise("large-3")
def read_once(answer):
    rng = np.random.default_rng(1)
    for D, d, n_blocks in [(4, 2, 5), (6, 6, 3)]:
        blocks = [rng.standard_normal((60 + 7 * i, D)) * np.arange(1, D + 1) + 1e8 for i in range(n_blocks)]
        points = np.vstack(blocks) - 1e8
        right = np.linalg.eigvalsh((points - points.mean(axis=0)).T @ (points - points.mean(axis=0)))[::-1][:d]
        found = expect_array(call(answer, _Once(blocks), d), (d,))
        if np.allclose(found * (len(points) - 1), right, rtol=1e-4):
            raise NotYet("these are the eigenvalues of the covariance: the scatter is not divided")
        if np.allclose(found[::-1], right, rtol=1e-4):
            raise NotYet("the largest eigenvalue comes first")
        expect_close(found / right, np.ones(d), "the eigenvalues are off: from which origin are the products measured?")


@exercise("large-4")
@choice("d")
def not_a_sum():
    return {
        "a": "the correlations follow from the scatter, which is a sum",
        "b": "sums and counts in ten compartments give the ten means",
        "c": "factor analysis needs only the mean and the scatter of the points",
    }


@exercise("large-5")
@number()
def scatter_of_a_union(scatter, counts=(3, 6), means=(2, 5), scatters=(8, 10)):
    within = sum(scatters)
    between = counts[0] * counts[1] / sum(counts) * (means[0] - means[1]) ** 2
    yield near(scatter, within, scale=1), "this leaves out that the means differ"
    yield differs(scatter, within + between), "the means contribute n₁n₂/(n₁ + n₂) times the square of their difference"


@exercise("large-6")
@number()
def workers_at_home(workers, n=5e8, multiplications=5e9, bytes_sent=1e9):
    square = n * bytes_sent / (8 * multiplications)
    yield near(workers, square), "this is the square of the number: both terms are equal where p² has this value"
    otherwise = "set the derivative of the time to zero, and mind the 8 bytes per number"
    yield differs(workers, np.sqrt(square)), otherwise


@exercise("large-7")
def sign_from_blocks(answer):
    rng = np.random.default_rng(2)
    for sizes, d in [((4, 9, 2), 3), ((1, 1), 2), ((30, 5, 12, 8), 5), ((6,), 4)]:
        blocks = [rng.standard_normal((size, d)) for size in sizes]
        scores = np.vstack(blocks)
        right = np.sign(scores[np.abs(scores).argmax(axis=0), np.arange(d)])
        found = expect_array(call(answer, blocks), (d,))
        if np.any(np.abs(found) != 1):
            raise NotYet("every factor should be 1 or −1")
        expect_close(found, right, "with these factors the score of largest magnitude is not positive on every axis")


@exercise("large-8")
@smallest_count(0.9)
def digits_in_blocks():
    return PCA(200).fit(datasets.handwriting(2000)[0]).explained_variance_ratio_.cumsum()


@exercise("large-9")
@choice("b")
def last_digits():
    return {
        "a": "the blocks are the same, and so are the sums that are added to each other",
        "c": "the tree of additions belongs to the list of tasks, not to the workers",
        "d": "a sum waits for its terms: which numbers are added to which does not depend on the time",
    }


@exercise("large-10")
@share()
def means_by_sums(answer):
    right = _explained_by_means()
    yield near(answer, 1 - right, 1e-3, 1), "this is the share that the centers miss"
    yield differs(answer, right), "this is not the share after six steps from the first ten images"


def _summary(points):
    mean = points.mean(axis=0)
    return len(points), mean, (points - mean).T @ (points - mean)


@cache
def _explained_by_means():
    """Share of the scatter of the small digits that ten means explain, six steps from the first ten images."""
    X = datasets.digits()[0]
    centers = X[:10]
    for _ in range(6):
        nearest = _nearest(X, centers)
        centers = np.array([X[nearest == j].mean(axis=0) for j in range(10)])
    missed = np.sum((X - centers[_nearest(X, centers)]) ** 2)
    return 1 - missed / np.sum((X - X.mean(axis=0)) ** 2)


def _nearest(X, centers):
    return np.argmin(np.sum(centers**2, axis=1) - 2 * X @ centers.T, axis=1)


class _Once:
    """Blocks that can be looped over only once."""

    def __init__(self, blocks):
        self.blocks = blocks

    def __iter__(self):
        if self.blocks is None:
            raise RuntimeError("the blocks can be read only once")
        blocks, self.blocks = self.blocks, None
        return iter(blocks)
