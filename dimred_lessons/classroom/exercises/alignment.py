"""Checks of the exercises on alignment and coordination."""

import warnings
from functools import cache

import numpy as np
from scipy import linalg

from dimred_lessons import PCA, AlignedMixture, MixtureOfFactorAnalyzers
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_integer,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choice, count, differs, keyed, near, number, numbers, share
from dimred_lessons.classroom.metrics import recovery


@exercise("alignment-1")
@numbers(2)
def two_charts_share_a_point(answer, places=(2, 6), parts=(1, 3)):
    place, disagreement = answer
    (first, second), whole = places, sum(parts)
    common = np.dot(parts, places) / whole
    shares = f"{parts[0]}/{whole} and {parts[1]}/{whole}"
    yield differs(place, common), f"place: the mean of {first} and {second}, weighted by the shares {shares}"
    otherwise = "disagreement: squares are about the common place, not about the middle of the two"
    yield near(disagreement, (second - first) ** 2 / 4), otherwise
    otherwise = f"disagreement: the mean of the squared distances from {common:.4g}, by the shares"
    yield differs(disagreement, np.dot(parts, (np.array(places) - common) ** 2) / whole), otherwise


@exercise("alignment-2")
@numbers(2)
def a_vote_by_hand(answer, votes=(0, 4), precisions=(1, 3)):
    place, variance = answer
    yield differs(variance, 2 / sum(precisions)), "variance: one over the mean of the two precisions"
    yield (
        differs(place, np.dot(votes, precisions) / sum(precisions)),
        "place: weight each vote by its probability times its precision",
    )


@exercise("alignment-3")
def coordinates_on_all_charts(answer):
    rng = np.random.default_rng(3)
    for n, S, d in [(7, 3, 2), (5, 2, 1), (6, 4, 3)]:
        R, Z = rng.dirichlet(np.ones(S), n), rng.standard_normal((n, S, d))
        U = expect_array(call(answer, R, Z), (n, S * (d + 1)))
        right = np.concatenate([R[:, [s]] * np.column_stack([np.ones(n), Z[:, s]]) for s in range(S)], axis=1)
        otherwise = "row i should hold r_i1 (1, z_i1), then r_i2 (1, z_i2), and so on: the share of a chart first"
        expect_close(U, right, otherwise)


@exercise("alignment-4")
def restricted_eigenvectors(answer):
    rng = np.random.default_rng(4)
    for n, m, d in [(30, 6, 2), (25, 4, 1), (40, 10, 3)]:
        U = np.column_stack([np.ones(n), rng.standard_normal((n, m))])
        G = rng.standard_normal((n, n))
        G -= G.mean(axis=1, keepdims=True)
        M = G.T @ G
        Y = expect_array(call(answer, U, M, d), (n, d))
        expect_close(Y.mean(axis=0), 0, "each coordinate should have mean zero", scale=1)
        otherwise = "the coordinates should have unit covariance: YᵀY = n I"
        expect_close(Y.T @ Y, n * np.eye(d), otherwise)
        P = linalg.orth(U - U.mean(axis=0))
        residual = Y - P @ (P.T @ Y)
        expect_close(residual, 0, "the coordinates should be linear functions of the columns of U", scale=1)
        least = n * np.linalg.eigvalsh(P.T @ M @ P)[:d]
        otherwise = "these satisfy the constraints, but others cost less, axis by axis"
        expect_close(np.sum(Y * (M @ Y), axis=0), least, otherwise)


@exercise("alignment-5")
@count(14, "count the columns of U, then subtract those that have no variance")
def how_many_directions():
    return {
        15: "the map of all charts to one and the same point is among these, and it has no variance",
        10: "each chart has a place, too, not only steps along its two coordinates",
        30: "this is the number of entries of L for two axes, not the size of the eigenproblem",
        28: "this counts the entries of L for two axes, not the size of the eigenproblem",
    }


@exercise("alignment-6")
def charts_that_are_too_few(answer):
    S = expect_integer(answer, 2, 60, "S")
    roll, chart = datasets.swiss_roll(700)
    with refusals_as_not_yet("AlignedMixture"):
        mixture = MixtureOfFactorAnalyzers(S, n_components=2, noise="isotropic", tol=1e-4)
        Y = AlignedMixture(mixture).fit_transform(roll)
    lost = 1 - recovery(Y, chart).min()
    if lost <= 0.5:
        raise NotYet(f"with {S} charts the map misses at most {lost:.2f} of length or height, not more than half")


@exercise("alignment-7")
@choice("c")
def higher_and_wrong():
    return {
        "a": "both runs have the same number of parameters",
        "b": "Φ is a bound in both runs, within a few hundredths of a nat per point of the log-likelihood",
        "d": "the second run is at rest, and more steps can only raise the first: look at where the first one started",
    }


@exercise("alignment-8")
@share()
def what_the_faces_show(answer):
    known = _recovered_causes_of_the_faces()
    angles = near(answer, known[0], 0.01, 1) | near(answer, known[1], 0.01, 1)
    yield angles, "this is one of the two angles of the head: the light is the third column of the parameters"
    yield differs(answer, known[2], 0.02), "this is not the R² of the light, for the map of ten charts"


@exercise("alignment-9")
@number()
def the_price_of_a_restriction(price):
    yield near(price, 1), "1 is the price without the restriction: only the third point may move by itself"
    yield near(price, 3), "3 is the largest eigenvalue of M: only the third point may move by itself"
    yield differs(price, 3 / 2), "subtract the mean of (0, 0, 1), then divide its cost by its squared length"


@exercise("alignment-10")
@keyed({"jump": number(), "agreement": share()})
def an_s_by_ten_charts(jump, agreement):
    right_jump, right_agreement = _jump_and_agreement_of_an_s()
    yield differs(jump, right_jump, 0.02), "jump: divide the third cost of `AlignedMixture` by the second"
    otherwise = "agreement: this is not the mean R² with which the first map explains the second one"
    yield differs(agreement, right_agreement, 0.02), otherwise


@cache
def _recovered_causes_of_the_faces():
    images, parameters = datasets.faces()
    mixture = MixtureOfFactorAnalyzers(10, n_components=2, noise="isotropic", min_noise=1e-2, tol=1e-4)
    return recovery(AlignedMixture(mixture).fit_transform(PCA(20).fit_transform(images)), parameters)


@cache
def _jump_and_agreement_of_an_s():
    X, _ = datasets.s_curve(400, noise=0.02)
    mixture = MixtureOfFactorAnalyzers(10, n_components=2, noise="isotropic")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rebuilt = AlignedMixture(mixture, 3).fit(X)
        agreed = AlignedMixture(mixture, 2, cost="disagreement").fit(X)
    mu = rebuilt.eigenvalues_
    return mu[2] / mu[1], recovery(rebuilt.embedding_[:, :2], agreed.embedding_).mean()
