"""Checks of the exercises on factor analysis."""

import numpy as np
from sklearn.datasets import load_wine

from dimred_lessons import FactorAnalysis
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_unchanged,
    exercise,
    expect_array,
    expect_close,
    expect_held_out,
    expect_integer,
    expect_keys,
    expect_number,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choices, differs, near, numbers, wholes


@exercise("fa-1")
@numbers(4)
def three_tests(answer):
    loadings = answer[:3] * answer[0].sign()
    yield differs(loadings, [0.9, 0.8, 0.7]), "products of two loadings should be the correlations"
    yield differs(answer[3], 0.51), "the private share is 1 minus the square of the loading"


@exercise("fa-2")
@numbers(4)
def one_step_by_hand(answer):
    otherwise = "the loadings are (2, 4/3) divided by the mean of E y², with its posterior variance"
    yield differs(answer[:2], np.array([18, 12]) / 13), otherwise
    otherwise = "each noise is what remains of its variance: s − b times the entry of (2, 4/3), with the new b"
    yield differs(answer[2:], np.array([16, 10]) / 13), otherwise


@exercise("fa-3")
def height_for_given_noise(answer):
    for seed, (n, D, d, level) in enumerate([(50, 6, 2, 0.5), (40, 9, 3, 1.0), (60, 5, 3, 4.0)]):
        rng = np.random.default_rng(seed)
        A = rng.standard_normal((n, 2)) @ rng.standard_normal((2, D)) + rng.standard_normal((n, D))
        S, noise = A.T @ A / n, level * rng.uniform(0.5, 2, D)
        eigenvalues = np.linalg.eigvalsh(S / np.sqrt(np.outer(noise, noise)))[::-1]
        best = np.append(np.maximum(eigenvalues[:d], 1), np.ones(D - d))
        right = -0.5 * (D * np.log(2 * np.pi) + np.sum(np.log(noise) + np.log(best) + eigenvalues / best))
        found = expect_number(call_unchanged(answer, S, noise, d))
        if np.isclose(found, -2 * right, rtol=1e-4):
            raise NotYet("this is minus twice the height")
        if np.isclose(found, right + 0.5 * D * np.log(2 * np.pi), rtol=1e-4):
            raise NotYet("the constant D log 2π is missing")
        unlimited = np.append(eigenvalues[:d], np.ones(D - d))
        too_high = -0.5 * (D * np.log(2 * np.pi) + np.sum(np.log(noise) + np.log(unlimited) + eigenvalues / unlimited))
        if abs(too_high - right) > 1e-3 and np.isclose(found, too_high, rtol=1e-6):
            raise NotYet("an eigenvalue below one would need a loading whose square is negative")
        expect_close(found, right, f"for {D} columns and d = {d} the height is {right:.4f}, not {found:.4f}")


def _spread(B):
    return np.sum(np.var(B**2, axis=0))


@exercise("fa-4")
def varimax_in_the_plane(answer):
    for seed, D in enumerate([6, 9, 12]):
        rng = np.random.default_rng(seed)
        B = np.zeros((D, 2))
        B[: D // 2, 0], B[D // 2 :, 1] = rng.uniform(0.5, 1, D // 2), rng.uniform(0.5, 1, D - D // 2)
        angle = 0.4 + 0.5 * seed
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        B = (B + 0.15 * rng.standard_normal(B.shape)) @ Q
        turned = expect_array(call_unchanged(answer, B), (D, 2))
        expect_close(turned @ turned.T, B @ B.T, "a rotation of the factors leaves BBᵀ as it is", 1e-3)
        u, v = B[:, 0] ** 2 - B[:, 1] ** 2, 2 * B[:, 0] * B[:, 1]
        best = 0.5 * (np.var(u + 1j * v) / 2 + np.hypot(np.var(u) - np.var(v), 2 * np.cov(u, v, bias=True)[0, 1]) / 2)
        best += 0.5 * np.var(np.sum(B**2, axis=1))
        expect_close(_spread(turned), best, f"the criterion is {_spread(turned):.4f} and could be {best:.4f}")


@exercise("fa-5")
def impossible_noise(answer):
    a, b, c = r = expect_array(answer, (3,))
    if r.min() <= 0 or r.max() >= 1:
        raise NotYet("three correlations between 0 and 1 are expected")
    R = np.array([[1, a, b], [a, 1, c], [b, c, 1]])
    if np.linalg.eigvalsh(R)[0] <= 1e-12:
        raise NotYet("no three columns have these correlations: the matrix has an eigenvalue that is not positive")
    communality = max(a * b / c, a * c / b, b * c / a)
    if communality <= 1:
        raise NotYet(f"the largest communality is {communality:.2f}: no noise variance is negative")


@exercise("fa-6")
@choices
def who_is_fooled():
    shared = "the disturbance is shared, and stronger than the cause"
    return {
        "unit": ("pca", "a unit changes variances, and multiplies loadings of factor analysis"),
        "equal": ("neither", "both models are the same here"),
        "hum": ("both", shared),
        "mixed": ("both", "after the rotation all columns share the loud noise"),
        "loud": ("pca", "the noise is private to one column"),
    }


@exercise("fa-7")
@wholes(3, 0, 12)
def most_private_measurements(answer):
    found = answer.sorted()
    wines = load_wine(return_X_y=True)[0]
    noise = FactorAnalysis(n_components=3).fit(wines).noise_variance_
    shares = noise / wines.var(axis=0)
    units = "these have the largest noise variances, in their units: divide by the variances of the columns"
    yield near(found, np.sort(np.argsort(-noise)[:3]), 0), units
    yield near(found, np.sort(np.argsort(shares)[:3]), 0), "these have the smallest shares"
    otherwise = "other columns have more noise of their own: three factors, noise variance over variance"
    yield differs(found, np.sort(np.argsort(-shares)[:3]), 0), otherwise


@exercise("fa-8")
@numbers(2)
def two_columns(answer, variances=(2, 3), covariance=1):
    least, most = answer
    yield differs(least, covariance / np.sqrt(variances[1])), "the smallest b₁ belongs to the largest b₂, where ψ₂ = 0"
    yield differs(most, np.sqrt(variances[0])), "at the largest b₁ the first noise is zero"


@exercise("fa-9")
@numbers(3)
def how_good_the_factors_are(answer):
    variance, error, correlation = answer
    yield differs(variance, 5 / 6), "the variance of the posterior mean is g/(1 + g), with g the sum of b²/ψ"
    yield differs(error, 1 / 6), "the mean squared error is the posterior variance 1/(1 + g)"
    yield differs(correlation, np.sqrt(5 / 6)), "the correlation is the root of g/(1 + g)"


@exercise("fa-10")
def choose_the_number(answer):
    for seed, d in enumerate([2, 1, 4, 3]):
        rng = np.random.default_rng(seed)
        B, psi = rng.uniform(0.5, 1.2, (12, d)) * rng.choice([-1, 1], (12, d)), rng.uniform(0.3, 2, 12)
        X = rng.standard_normal((500, d)) @ B.T + rng.standard_normal((500, 12)) * np.sqrt(psi)
        found = expect_integer(call(answer, X * 10 ** rng.uniform(-2, 2, 12)), 1, 12, "the number of factors")
        if found != d:
            raise NotYet(f"one of the tables has {d} factors, not {found}")


@exercise("fa-11")
def own_table(answer):
    expect_keys(answer, ["table", "factors", "test", "score"])
    X = expect_array(answer["table"], (None, None))
    n, D = X.shape
    if n < 60 or D < 6:
        raise NotYet("a complete table of at least 60 rows and 6 columns is expected")
    test = expect_held_out(answer["test"], n)
    d = expect_integer(answer["factors"], 1, D, "the number of factors")
    if (D - d) ** 2 < D + d:
        raise NotYet(f"{d} factors are more than {D} columns can determine")
    with refusals_as_not_yet("FactorAnalysis"):
        right = FactorAnalysis(n_components=d).fit(X[~test]).score(X[test])
    otherwise = f"with FactorAnalysis({d}) we find a different score of the held-out rows: fit it to the others only"
    expect_close(expect_number(answer["score"]), right, otherwise, 0.01)
    variances, deviations = X[~test].var(axis=0), X[test] - X[~test].mean(axis=0)
    apart = -0.5 * np.mean(np.sum(np.log(2 * np.pi * variances) + deviations**2 / variances, axis=1))
    if right <= apart:
        raise NotYet(f"independent columns have the score {apart:.3g}, which is larger: they share nothing")
