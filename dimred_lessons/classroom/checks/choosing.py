"""Exercises of chapter 12, choosing a method."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.manifold import trustworthiness

from dimred_lessons import PCA
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


@exercise("choosing-1")
def measures_by_hand(answer):
    trust, continuity = expect_array(answer, (2,))
    X = np.array([[0.0], [1], [3], [7], [12], [20]])
    Y = np.array([[8.0], [1], [3], [7], [12], [20]])
    right = trustworthiness(X, Y, n_neighbors=1), metrics.continuity(X, Y, n_neighbors=1)
    if np.allclose((continuity, trust), right, atol=1e-3):
        raise NotYet("the two are exchanged: trustworthiness looks at the neighbors in the map")
    expect_close(trust, right[0], "the trustworthiness is another one: charge each intruder its old rank less 1", 2e-3)
    expect_close(
        continuity, right[1], "the continuity is another one: charge each lost neighbor its new rank less 1", 2e-3
    )


@exercise("choosing-2")
def continuity_in_code(answer):
    rng = np.random.default_rng(0)
    for n, k in [(30, 3), (41, 7), (25, 1)]:
        X = rng.standard_normal((n, 4))
        Y = X[:, :2] + 0.3 * rng.standard_normal((n, 2))
        value = expect_number(call(answer, X.copy(), Y.copy(), k))
        right = metrics.continuity(X, Y, n_neighbors=k)
        if abs(value - trustworthiness(X, Y, n_neighbors=k)) < 1e-9:
            raise NotYet("this is the trustworthiness: take the neighbors in the data, their ranks in the embedding")
        expect_close(value, right, f"for {n} points and k = {k} the continuity is {right:.3f}, not {value:.3f}")


@exercise("choosing-3")
def superposition_in_code(answer):
    rng = np.random.default_rng(1)
    for d, mirror, noise in [(2, 1, 0.0), (2, -1, 0.1), (3, -1, 0.5)]:
        truth = rng.standard_normal((40, d)) * np.arange(1, d + 1) + 5
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        turn[:, 0] *= np.sign(np.linalg.det(turn)) * mirror
        Y = 0.2 * truth @ turn + noise * rng.standard_normal((40, d)) - 3
        fitted = expect_array(call(answer, Y.copy(), truth.copy()), (40, d))
        expect_close(fitted.mean(axis=0), truth.mean(axis=0), "the result should have the mean of the truth")
        if not np.allclose(cdist(fitted, fitted) * cdist(Y, Y)[0, 1], cdist(Y, Y) * cdist(fitted, fitted)[0, 1]):
            raise NotYet("the shape of the embedding has changed: only shift, turn, mirror and scale it")
        missed = np.sum((fitted - truth) ** 2) / np.sum((truth - truth.mean(axis=0)) ** 2)
        if missed > metrics.procrustes_error(Y, truth) + 1e-9:
            raise NotYet("another rotation, reflection or scale fits better")


@exercise("choosing-4")
def trusted_and_wrong(answer):
    Y = expect_array(answer, (200, 2))
    truth = datasets.swiss_roll(200)[1]
    if len(np.unique(Y, axis=0)) < 200:
        raise NotYet("some points of the embedding coincide")
    trust, wrong = trustworthiness(truth, Y, n_neighbors=5), metrics.procrustes_error(Y, truth)
    if trust <= 0.99:
        raise NotYet(f"the trustworthiness is {trust:.3f}, not above 0.99: fewer points should get new neighbors")
    if wrong <= 0.3:
        raise NotYet(f"the Procrustes error is {wrong:.2f} only: this is too close to the truth")


@exercise("choosing-5")
def memory_by_hand(answer):
    full, sparse = expect_array(answer, (2,))
    expect_close(full, np.sqrt(16e9 / 24), "for A: three matrices of n² numbers of 8 bytes make 24 n² bytes", 0.01)
    expect_close(sparse, 16e9 / 120, "for B: 10 neighbors of 12 bytes make 120 bytes a point", 0.01)


@exercise("choosing-6")
def two_perfect_scores(answer):
    expect_choice(
        answer,
        "b",
        {
            "a": "the bent map has the same two scores, and its distances are wrong",
            "c": "other ranks change who is a neighbor; lengths would still not be looked at",
            "d": "the true map of any number of points has these scores",
        },
    )


@exercise("choosing-7")
def steps_for_cells(answer):
    column, count = expect_array(answer, (2,))
    X = load_breast_cancer().data
    loadings = np.abs(PCA(1).fit(X).components_[0])
    if column != np.argmax(loadings):
        raise NotYet("another column has the largest loading: is the table raw, and the index counted from 0?")
    shares = PCA(None).fit((X - X.mean(axis=0)) / X.std(axis=0)).explained_variance_ratio_.cumsum()
    if count != 1 + np.sum(shares < 0.9):
        raise NotYet("the column is right; the number of components of the standardized table is another one")
