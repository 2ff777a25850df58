"""Checks of the exercises on mixtures of factor analyzers."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

from dimred_lessons import MixtureOfFactorAnalyzers
from dimred_lessons.classroom import datasets
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


@exercise("mixtures-1")
@numbers(3)
def responsibility_by_hand(answer):
    share, first, second = answer
    yield near(share, 1 / (1 + np.exp(-1.6)), 0.01, 1), "this is the responsibility for equal weights"
    yield differs(share, 1 / (1 + 3 * np.exp(-1.6))), "r₁/(1 − r₁) is a third of exp(1.6)"
    yield differs(first, 0.8), "the first coordinate is Bᵀx divided by J = 1 + ‖B‖²"
    yield differs(second, 0, scale=1), "the second chart is at right angles to the point"


@exercise("mixtures-2")
@wholes(2, 0, 100_000)
def two_counts(answer):
    charts, full = answer
    for wrong in (4489, 4388, 4380, 4390, 4480):
        reason = "for the mixture of factor analyzers: a rotation of the loadings is free, and weights add to one"
        yield near(charts, wrong, 0), reason
    otherwise = "each chart has a mean, loadings up to a rotation, noises, and there are 9 weights"
    yield differs(charts, 4389, 0), otherwise
    yield differs(full, 21449, 0), "a symmetric matrix of 64 rows has 64 · 65 / 2 entries; add means and weights"


def _charts(seed, D, S, d):
    """Weights, means, loadings and noises of a mixture."""
    rng = np.random.default_rng(seed)
    means, loadings = 3 * rng.standard_normal((S, D)), rng.standard_normal((S, D, d))
    return rng.dirichlet(np.full(S, 3.0)), means, loadings, rng.uniform(0.2, 2, (S, D))


def _log_joint(X, weights, means, loadings, noises):
    """log p(s, x), (n, S)."""
    charts = [multivariate_normal(m, B @ B.T + np.diag(v)) for m, B, v in zip(means, loadings, noises, strict=True)]
    return np.log(weights) + np.column_stack([chart.logpdf(X) for chart in charts])


@exercise("mixtures-3")
def stable_responsibilities(answer):
    for seed, (D, S, d, far) in enumerate([(3, 2, 1, 1), (5, 4, 2, 1), (40, 3, 2, 1), (4, 3, 1, 300)]):
        charts = _charts(seed, D, S, d)
        X = far * np.random.default_rng(seed + 9).standard_normal((30, D))
        logs = _log_joint(X, *charts)
        right = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        found = expect_array(call_unchanged(answer, X, *charts), (30, S), finite=False)
        if not np.isfinite(found).all():
            raise NotYet("far from all charts yours is not a number: take out the largest logarithm first")
        if abs(found.sum(axis=1) - 1).max() > 1e-3:
            raise NotYet("responsibilities of a point should add up to one")
        unweighted = logs - np.log(charts[0])
        unweighted = np.exp(unweighted - logsumexp(unweighted, axis=1, keepdims=True))
        forgotten = np.allclose(found, unweighted, atol=1e-4)
        otherwise = f"with {S} charts and {D} columns the responsibilities are different"
        expect_close(found, right, "the weights of the charts are missing" if forgotten else otherwise, scale=1)


@exercise("mixtures-4")
def one_noise_for_all(answer):
    for seed, (D, S, d) in enumerate([(4, 2, 1), (6, 3, 2), (5, 4, 3)]):
        rng = np.random.default_rng(seed)
        weights, means, loadings, _ = _charts(seed, D, S, d)
        s = rng.choice(S, 400, p=weights)
        X = means[s] + 4 * np.einsum("nij,nj->ni", loadings[s], rng.standard_normal((400, d)))
        X += rng.uniform(0.3, 0.9, S)[s][:, np.newaxis] * rng.standard_normal((400, D))
        R = 0.9 * np.eye(S)[s] + 0.1 * rng.dirichlet(np.ones(S), 400)
        left, shares = [], R.mean(axis=0)
        for r in (R / R.sum(axis=0)).T:
            A = X - r @ X
            left.append(np.linalg.eigvalsh(A.T * r @ A)[:-d].sum() / (D - d))
        right = shares @ left
        found = expect_number(call_unchanged(answer, X, R, d))
        if np.isclose(found, np.mean(left), rtol=1e-3) and not np.isclose(found, right, rtol=1e-3):
            raise NotYet("charts with more points should count more")
        if np.isclose(found, right * (D - d), rtol=1e-3) and D - d > 1:
            raise NotYet("this is the sum over the directions that are left: take their mean")
        expect_close(found, right, f"for {S} charts in {D} columns the shared noise is {right:.4f}, not {found:.4f}")


@exercise("mixtures-5")
def as_likely_as_you_like(answer):
    v = expect_number(answer)
    if not v >= 1e-300:
        raise NotYet("a variance is expected: positive, and at least 1e-300 so that the computer can represent it")
    x = np.arange(4)
    value = np.logaddexp(norm(0, np.sqrt(v)).logpdf(x), norm(1.5, np.sqrt(1.25)).logpdf(x)).sum() - 4 * np.log(2)
    if not value > 100:
        raise NotYet(f"with this variance the log-likelihood is {value:.1f}")


@exercise("mixtures-6")
@choices
def what_changes():
    same = "the sum of the weighted densities is the same at every point"
    other = "the density is a different one"
    return {
        "turn": ("same", "BBᵀ does not change"),
        "mirror": ("same", "BBᵀ does not change"),
        "swap": ("same", same),
        "weights": ("changes", other),
        "stretch": ("changes", "BBᵀ becomes four times as large"),
        "unused": ("same", same),
        "split": ("same", same),
        "unit": ("changes", "densities are divided by the factor of the unit"),
    }


@exercise("mixtures-7")
def likeliest_completion(answer):
    for seed, (D, S, d, holes) in enumerate([(3, 2, 1, [1]), (5, 4, 2, [0, 3]), (6, 3, 2, [2, 4, 5]), (4, 5, 1, [3])]):
        weights, means, loadings, noises = charts = _charts(seed + 20, D, S, d)
        for x in 3 * np.random.default_rng(seed).standard_normal((8, D)):
            x[holes] = np.nan
            seen = ~np.isnan(x)
            logs = _log_joint(x[seen], weights, means[:, seen], loadings[:, seen], noises[:, seen])[0]
            guesses = []
            for m, B, v in zip(means, loadings, noises, strict=True):
                C = B @ B.T + np.diag(v)
                shift = C[:, seen] @ np.linalg.solve(C[np.ix_(seen, seen)], x[seen] - m[seen])
                guesses.append(np.where(seen, x, m + shift))
            found = expect_array(call_unchanged(answer, x, *charts), (D,), finite=False)
            if not np.isfinite(found).all():
                raise NotYet("there are still holes")
            expect_close(found[seen], x[seen], "entries that are seen should stay as they are")
            best = guesses[np.argmax(logs)]
            blend = np.exp(logs - logsumexp(logs)) @ np.array(guesses)
            if np.allclose(found, blend, atol=1e-3) and not np.allclose(found, best, atol=1e-3):
                raise NotYet("this is the mean over all charts: give the guess of the most responsible one")
            expect_close(found, best, "the most responsible chart, given the seen entries, expects something else")


@exercise("mixtures-8")
@numbers(2)
def gap_of_hard_charts(answer):
    least, most = answer
    yield near(most, np.log(3), 0.01, 1), "the largest gap is that of a single point: there are ten"
    yield differs(least, 0, scale=1), "if every point is wholly on one chart, nothing is lost"
    yield differs(most, 10 * np.log(3)), "a point loses most if three charts are equally likely"


@exercise("mixtures-9")
@numbers(2)
def variance_of_a_mixture(answer):
    equal, unequal = answer
    yield differs(equal, 5), "with equal weights: the variance within the charts, plus that of their means"
    yield near(unequal, 5, 0.01, 1), "with unequal weights the mean of the mixture is not 0"
    yield differs(unequal, 4), "with weights ¼ and ¾ the means lie at distances 3 and 1 from their mean"


@exercise("mixtures-10")
def classify_digits(answer):
    images, labels = datasets.digits(n=1200, random_state=5)
    found = expect_array(call(answer, images[:800], labels[:800], images[800:]), (400,))
    share = np.mean(found == labels[800:])
    if share < 0.93:
        raise NotYet(f"{share:.1%} of 400 new digits are right, but 93% are needed")


@exercise("mixtures-11")
def own_table(answer):
    expect_keys(answer, ["table", "charts", "components", "test", "score"])
    X = expect_array(answer["table"], (None, None))
    n, D = X.shape
    if n < 200 or D < 3:
        raise NotYet("a complete table of at least 200 rows and 3 columns is expected")
    test = expect_held_out(answer["test"], n)
    S = expect_integer(answer["charts"], 2, n // 5, "the number of charts")
    d = expect_integer(answer["components"], 1, D, "the dimension of the charts")
    with refusals_as_not_yet("MixtureOfFactorAnalyzers"):
        right, alone = (
            MixtureOfFactorAnalyzers(k, n_components=d, tol=1e-4).fit(X[~test]).score(X[test]) for k in (S, 1)
        )
    otherwise = f"with {S} charts of {d} dimensions we find a different score of the held-out rows: use tol=1e-4"
    expect_close(expect_number(answer["score"]), right, otherwise, 0.01)
    if right <= alone:
        raise NotYet(f"one chart has the score {alone:.3g}, which is larger: the charts are not needed")
