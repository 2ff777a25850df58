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
    expect_close,
    expect_number,
    expect_share,
    refuse_blank,
)
from dimred_lessons.classroom.exercises.values import choice, differs, near, number, numbers, wholes


@exercise("choosing-1")
@numbers(2)
def measures_by_hand(answer):
    trust, continuity = answer
    exchanged = near(trust, 17 / 24, BY_HAND, 1) & near(continuity, 7 / 12, BY_HAND, 1)
    yield exchanged, "the two are exchanged: trustworthiness looks at the neighbors in the map"
    yield differs(trust, 7 / 12), "this is not the trustworthiness: charge each intruder its rank in the data, less 1"
    otherwise = "this is not the continuity: charge each lost neighbor its rank in the map, less 1"
    yield differs(continuity, 17 / 24), otherwise


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
@numbers(2)
def memory_by_hand(answer, gigabytes=16):
    full, sparse = answer
    yield (
        differs(full, np.sqrt(gigabytes * 1e9 / 24)),
        "for A: three matrices of n² numbers of 8 bytes make 24 n² bytes",
    )
    yield differs(sparse, gigabytes * 1e9 / 120), "for B: 10 neighbors of 12 bytes make 120 bytes per point"


@exercise("choosing-6")
@choice("b")
def two_perfect_scores():
    return {
        "a": "the bent map has the same two scores, and its distances are wrong",
        "c": "other ranks change which points are neighbors, but lengths would still not be considered",
        "d": "the true map of any number of points has these scores",
    }


@exercise("choosing-7")
@wholes(2, 0, 30)
def steps_for_cells(answer):
    column, count = answer
    X = load_breast_cancer().data
    right = np.argmax(np.abs(PCA(1).fit(X).components_[0]))
    otherwise = "another column has the largest loading: is the table raw, and the index counted from 0?"
    yield differs(column, right, 0), otherwise
    shares = PCA(None).fit((X - X.mean(axis=0)) / X.std(axis=0)).explained_variance_ratio_.cumsum()
    otherwise = "the column is right; the number of components of the standardized table is a different one"
    yield differs(count, 1 + np.sum(shares < 0.9), 0), otherwise


@exercise("choosing-8")
@number()
def kept_beyond_chance(kept, n=201, k=40, share=0.24):
    chance = k / (n - 1)
    plain = "this is the share that is kept: take away what chance keeps, and divide by what chance leaves"
    yield near(kept, share, BY_HAND / 10, 1), plain
    yield near(kept, share - chance, BY_HAND / 10, 1), "a perfect map has to get 1: divide by what chance leaves"
    otherwise = f"chance keeps k/(n − 1) of the neighbors: how far is {share} on the way from there to 1?"
    yield differs(kept, (share - chance) / (1 - chance), BY_HAND / 10), otherwise


@exercise("choosing-9")
@number()
def price_of_a_lost_direction(error, long=90, short=21):
    both = long**2 + short**2
    yield (
        near(error, short**2 / long**2, 1e-3, 1),
        "divide by the variance of both columns, not of the one that is kept",
    )
    singly = 1 - np.sqrt(long**2 / both)
    yield near(error, singly, 1e-3, 1), "the sum of the singular values is squared before it is subtracted from 1"
    otherwise = "compare the variance of the deleted column, a²/12 for an interval of length a, with that of both"
    yield differs(error, short**2 / both), otherwise


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
