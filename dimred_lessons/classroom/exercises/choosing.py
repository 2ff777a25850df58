"""Checks of the exercises on choosing a method."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.manifold import trustworthiness

from dimred_lessons import PCA
from dimred_lessons.classroom import datasets, metrics
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    IN_CODE,
    NotYet,
    call,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_integers,
    expect_number,
    expect_share,
    refuse_blank,
)


@exercise("choosing-1")
def measures_by_hand(answer):
    trust, continuity = expect_array(answer, (2,))
    if abs(trust - 17 / 24) < BY_HAND and abs(continuity - 7 / 12) < BY_HAND:
        raise NotYet("the two are exchanged: trustworthiness looks at the neighbors in the map")
    otherwise = "this is not the trustworthiness: charge each intruder its rank in the data, less 1"
    expect_close(trust, 7 / 12, otherwise, BY_HAND)
    otherwise = "this is not the continuity: charge each lost neighbor its rank in the map, less 1"
    expect_close(continuity, 17 / 24, otherwise, BY_HAND)


@exercise("choosing-2")
def continuity_in_code(answer):
    rng = np.random.default_rng(0)
    for n, k in [(30, 3), (41, 7), (25, 1)]:
        X = rng.standard_normal((n, 4))
        Y = X[:, :2] + 0.3 * rng.standard_normal((n, 2))
        value = expect_number(call(answer, X, Y, k))
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
        fitted = expect_array(call(answer, Y, truth), (40, d))
        expect_close(fitted.mean(axis=0), truth.mean(axis=0), "the result should have the mean of the truth")
        before, after = cdist(Y, Y), cdist(fitted, fitted)
        otherwise = "the shape of the embedding has changed: only shift, turn, mirror and scale it"
        expect_close(after / max(after.max(), 1e-12), before / before.max(), otherwise)
        missed = np.sum((fitted - truth) ** 2) / np.sum((truth - truth.mean(axis=0)) ** 2)
        if missed > metrics.procrustes_error(Y, truth) + IN_CODE:
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
        raise NotYet(f"the Procrustes error is only {wrong:.2f}: this is too close to the truth")


@exercise("choosing-5")
def memory_by_hand(answer):
    full, sparse = expect_array(answer, (2,))
    otherwise = "for A: three matrices of n² numbers of 8 bytes make 24 n² bytes"
    expect_close(full, np.sqrt(16e9 / 24), otherwise, BY_HAND)
    expect_close(sparse, 16e9 / 120, "for B: 10 neighbors of 12 bytes make 120 bytes per point", BY_HAND)


@exercise("choosing-6")
def two_perfect_scores(answer):
    reasons = {
        "a": "the bent map has the same two scores, and its distances are wrong",
        "c": "other ranks change which points are neighbors, but lengths would still not be considered",
        "d": "the true map of any number of points has these scores",
    }
    expect_choice(answer, "b", reasons)


@exercise("choosing-7")
def steps_for_cells(answer):
    column, count = expect_integers(answer, 2, 0, 30)
    X = load_breast_cancer().data
    if column != np.argmax(np.abs(PCA(1).fit(X).components_[0])):
        raise NotYet("another column has the largest loading: is the table raw, and the index counted from 0?")
    shares = PCA(None).fit((X - X.mean(axis=0)) / X.std(axis=0)).explained_variance_ratio_.cumsum()
    if count != 1 + np.sum(shares < 0.9):
        raise NotYet("the column is right; the number of components of the standardized table is a different one")


@exercise("choosing-8")
def kept_beyond_chance(answer):
    kept = expect_number(answer)
    if abs(kept - 0.24) < BY_HAND / 10:
        raise NotYet("this is the share that is kept: take away what chance keeps, and divide by what chance leaves")
    if abs(kept - 0.04) < BY_HAND / 10:
        raise NotYet("a perfect map has to get 1: divide by what chance leaves")
    otherwise = "chance keeps k/(n − 1) of the neighbors: how far is 0.24 on the way from there to 1?"
    expect_close(kept, 0.05, otherwise, BY_HAND / 10)


@exercise("choosing-9")
def price_of_a_lost_direction(answer):
    error = expect_number(answer)
    if abs(error - 21**2 / 90**2) < 1e-3:
        raise NotYet("divide by the variance of both columns, not of the one that is kept")
    if abs(error - (1 - np.sqrt(90**2 / (90**2 + 21**2)))) < 1e-3:
        raise NotYet("the sum of the singular values is squared before it is subtracted from 1")
    otherwise = "compare the variance of the deleted column, a²/12 for an interval of length a, with that of both"
    expect_close(error, 21**2 / (90**2 + 21**2), otherwise, BY_HAND)


@exercise("choosing-10")
def numbers_of_a_report(answer):
    if not isinstance(answer, dict) or set(answer) != {"share", "dimension"}:
        raise NotYet('a dictionary with "share" and "dimension" is expected')
    refuse_blank(answer)
    X = load_breast_cancer().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    otherwise = "this is not the share of two axes of PCA: is the table standardized?"
    expect_close(expect_share(answer["share"]), PCA(2).fit(X).explained_variance_ratio_.sum(), otherwise, BY_HAND)
    T = np.sort(cdist(X, X), axis=1)[:, 1:11]
    expect_close(
        expect_number(answer["dimension"]),
        1 / np.mean(np.log(T[:, -1:] / T[:, :-1])),
        "the share is right; the dimension at k = 10 of the standardized table is a different one",
        0.06,
        scale=1,
    )
