"""Checks of the exercises on independent components and projection pursuit."""

import warnings

import numpy as np
from scipy.stats import kurtosis

from dimred_lessons import ICA, ProjectionPursuit
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call,
    call_unchanged,
    exercise,
    expect_array,
    expect_close,
    expect_integer,
    expect_keys,
    expect_number,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choices, differs, numbers
from dimred_lessons.classroom.metrics import axis_correlations


def _worst_source(Y, S):
    """Largest |correlation| of each source with an axis; of the worst source."""
    if np.any(np.std(Y, axis=0) < 1e-12):
        raise NotYet("a column of the answer is constant")
    return axis_correlations(Y, S).max(axis=0).min()


@exercise("ica-1")
@numbers(3)
def one_point_by_hand(answer):
    yield differs(answer[:2], [1, 0]), "the sources solve Ay = x"
    log_density = -np.log(2) - np.log(np.pi * np.cosh(1)) - np.log(np.pi)
    otherwise = "the log-density is log |det W| and, for each source, −log(π cosh y); W is the inverse of A"
    yield differs(answer[2], log_density), otherwise


@exercise("ica-2")
@numbers(2)
def hidden_kurtosis_by_hand(answer):
    yield differs(answer[0], 0.45), "each kurtosis is multiplied by the fourth power of its weight, 1/4"
    ratio = np.sqrt(1.2 / 3)
    otherwise = "the kurtosis is not zero with this v₁²: solve 3 v₁⁴ = 1.2 (1 − v₁²)²"
    yield differs(answer[1], ratio / (1 + ratio)), otherwise


@exercise("ica-3")
def whiten(answer):
    for seed, (n, D, k) in enumerate([(40, 5, 5), (60, 8, 3)]):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, D)) @ rng.standard_normal((D, D)) + 4
        Z = expect_array(call_unchanged(answer, X, k), (n, k))
        expect_close(Z.mean(axis=0), 0, "the mean should be zero", scale=1)
        expect_close(Z.T @ Z / n, np.eye(k), "the covariance, with divisor n, should be the identity")
        U = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0][:, :k]
        expect_close(U @ (U.T @ Z), Z, "the coordinates should be those of the first k principal axes, or a rotation")


@exercise("ica-4")
def natural_gradient_step(answer):
    for seed, (n, D, rate) in enumerate([(30, 2, 0.5), (50, 4, 0.1)]):
        rng = np.random.default_rng(seed)
        W, Z = np.eye(D) + 0.4 * rng.standard_normal((D, D)), rng.laplace(size=(n, D))
        found = expect_array(call_unchanged(answer, W, Z, rate), (D, D))
        Y = Z @ W.T
        G = np.eye(D) - np.tanh(Y).T @ Y / n
        transposed = W + rate * G.T @ W
        if np.allclose(found, transposed, atol=1e-6):
            raise NotYet("the sum is transposed: tanh belongs to the row index")
        if np.allclose(found, W + rate * G, atol=1e-6):
            raise NotYet("the relative gradient is a multiple of W: multiply it by W from the right")
        expect_close(found, W + rate * G @ W, "this is not (I + ηG) W with the relative gradient G")


@exercise("ica-5")
def sources_of_any_kind(answer):
    for seed in range(2):
        rng = np.random.default_rng(seed)
        n = 4000
        S = np.column_stack([rng.laplace(size=n), rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.laplace(size=n)])
        Q, R = np.linalg.qr(rng.standard_normal((4, 4)))
        mixing = Q @ np.diag([1, 2, 0.7, 1.5]) @ np.linalg.qr(R.T)[0]
        Y = expect_array(call(answer, S @ mixing.T + 1), (n, 4))
        worst = _worst_source(Y, S)
        if worst < 0.95:
            raise NotYet(f"the worst of the four sources has a correlation of only {worst:.2f}")


@exercise("ica-6")
def independent_and_not_found(answer):
    S = expect_array(answer, (None, 2))
    if not 1000 <= len(S) <= 200_000:
        raise NotYet("1,000 to 200,000 rows are expected")
    if np.any(np.abs(S.var(axis=0) - 1) > 0.1):
        raise NotYet("both columns should have unit variance")
    if np.any(np.abs(kurtosis(S)) < 0.5):
        raise NotYet("a column has an excess kurtosis of less than 0.5, like a Gaussian")
    Z = (S - S.mean(axis=0)) / S.std(axis=0)
    for f in (Z, Z**2 - 1, np.abs(Z) - np.abs(Z).mean(axis=0)):
        covariance = np.mean(f[:, 0] * f[:, 1])
        if abs(covariance) > 5 * np.sqrt(np.prod(np.mean(f**2, axis=0)) / len(S)) + 1e-12:
            raise NotYet("the columns are not independent: they are correlated, or their squares or sizes are")
    with refusals_as_not_yet("ICA"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ICA(max_iter=1000).fit_transform(S @ np.array([[1.0, 0.8], [0.3, 1.0]]).T)
    worst = _worst_source(found, S)
    if worst >= 0.9:
        raise NotYet(f"ICA finds both sources, with a correlation of at least {worst:.2f}")


@exercise("ica-7")
@choices
def the_same_sources():
    return {
        "units": ("same", "a change of units is one more mixing matrix"),
        "rotation": ("same", "a rotation is one more mixing matrix"),
        "order": ("same", "does the likelihood depend on the order of the rows?"),
        "squares": ("other", "squares of sums are not linear mixtures of the sources"),
        "shift": ("same", "the points are centered first"),
        "fewer": ("other", "two numbers cannot determine five sources: each axis still mixes them"),
    }


@exercise("ica-8")
def any_projection_of_noise(answer):
    for seed, (n, D) in enumerate([(20, 20), (20, 30)]):
        rng = np.random.default_rng(seed)
        # Few whole numbers with whole means, for np.linalg.pinv: rounding makes less of the centered rank than it cuts
        X, wish = rng.integers(-9, 10, (n, D)) + 2.0, rng.uniform(-1, 1, n) + 3
        X[0] -= (X - 2).sum(axis=0)
        w = expect_array(call_unchanged(answer, X, wish), (D,))
        projected = (X - X.mean(axis=0)) @ w
        otherwise = "the centered points do not project to the centered numbers"
        expect_close(projected, wish - wish.mean(), otherwise)


@exercise("ica-9")
@numbers(2)
def no_false_tips(answer, kurtoses=(2, 6)):
    first, second = kurtoses
    otherwise = f"the derivative of {first}p² + {second}(1 − p)² is not zero at this p = v₁²"
    yield differs(answer[0], second / (first + second)), otherwise
    yield differs(answer[1], first * second / (first + second)), "the kurtosis is κ₁p² + κ₂(1 − p)² at this p"


@exercise("ica-10")
@numbers(3)
def long_and_short_points(answer):
    yield differs(answer[0], 1.08), "for 1 and 4, s² has the mean 2.5 and the variance 2.25"
    yield differs(answer[1], 1.5), "for t, the variance of s² is 8/3 − 16/9"
    yield differs(answer[2], 0, scale=1), "how small can a variance be?"


@exercise("ica-11")
def two_groups(answer):
    images, labels = datasets.digits()
    for pair in [(3, 5), (5, 9)]:
        chosen = np.isin(labels, pair)
        groups = expect_array(call_unchanged(answer, images[chosen]), (int(chosen.sum()),))
        if not np.isin(groups, (0, 1)).all():
            raise NotYet("a 0 or a 1 for each image is expected")
        right = np.mean(groups == (labels[chosen] == pair[0]))
        right = max(right, 1 - right)
        if right < 0.9:
            raise NotYet(f"for {pair[0]} and {pair[1]}, {right:.0%} of the images are in the right group")


@exercise("ica-12")
def what_is_there_to_see(answer):
    expect_keys(answer, ("table", "whitened", "kurtosis", "noise"))
    X = expect_array(answer["table"], (None, None))
    n, D = X.shape
    if not 100 <= n <= 20_000 or not 2 <= D <= 100:
        raise NotYet("a table of 100 to 20,000 rows and 2 to 100 columns is expected")
    k = expect_integer(answer["whitened"], 2, D, "the number of whitened axes")
    if k**2 >= n:
        raise NotYet(f"{k} axes are too many for {n} rows: k² should be below n")
    noise = np.abs(expect_array(answer["noise"], (None,)))
    if len(noise) < 10:
        raise NotYet("at least ten pursuits in noise are expected")
    with refusals_as_not_yet("ProjectionPursuit"):
        right = ProjectionPursuit(1, n_whitened=k).fit(X).kurtosis_[0]
    rng = np.random.default_rng(0)
    ours = [abs(ProjectionPursuit(1, n_whitened=k).fit(rng.standard_normal((n, k))).kurtosis_[0]) for _ in range(5)]
    otherwise = f"for this table and {k} axes the first direction has a kurtosis of {right:.3g}"
    expect_close(expect_number(answer["kurtosis"]), right, otherwise, BY_HAND)
    if not 0.5 < np.median(noise) / np.median(ours) < 2:
        raise NotYet(f"noise of this size has a kurtosis of about {np.median(ours):.2g}, unlike yours")
