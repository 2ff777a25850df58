"""Checks of the exercises on EM and on missing entries."""

import warnings

import numpy as np
from sklearn.datasets import load_sample_image

from dimred_lessons import EMPCA, ProbabilisticPCA
from dimred_lessons.classroom.exercises.mechanism import (
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
from dimred_lessons.classroom.exercises.values import choice, choices, differs, numbers


@exercise("em-1")
@numbers(2)
def one_step_by_hand(C):
    otherwise = "the direction is not that of the covariance times (1, 1)"
    yield differs(C[0] * 0.4 - C[1] * 1.6, 0, scale=abs(C).max()), otherwise
    otherwise = "the direction is right, the length is not: the M step divides by ZᵀZ, with Z from the E step"
    yield differs(C, [1.6, 0.4]), otherwise


@exercise("em-2")
@numbers(4)
def one_hole_by_hand(answer, basis=(1, 2, 2), values=(2, 1)):
    seen, last = np.array(basis[:2]), basis[2]
    z, y = seen @ values / (seen @ seen), seen @ values / (1 + seen @ seen)
    yield differs(answer[0], z), "z is a regression on the two seen rows of C only"
    yield differs(answer[1], z * last), "the completed entry is z times the third row of C"
    yield differs(answer[2], y), f"y has the precision 1 + {seen @ seen} with this noise, so it is shrunk"
    yield differs(answer[3], y * last), "the completed entry is y times the third row of B"


def _table(seed, n, D, d):
    """Points of a model, with holes and some complete rows; mean, loadings and noise."""
    rng = np.random.default_rng(seed)
    mean, B, noise = 3 * rng.standard_normal(D), rng.standard_normal((D, d)), 0.5
    X = mean + rng.standard_normal((n, d)) @ B.T + np.sqrt(noise) * rng.standard_normal((n, D))
    hidden = rng.random(X.shape) < 0.3
    hidden[:, 0] &= np.arange(n) % 2 == 0
    hidden[hidden.all(axis=1), 1] = False
    hidden[0] = False
    return np.where(hidden, np.nan, X), mean, B, noise


@exercise("em-3")
def complete_a_table(answer):
    for seed, (n, D, d) in enumerate([(12, 6, 2), (9, 15, 3)]):
        X, mean, B, noise = _table(seed, n, D, d)
        seen = ~np.isnan(X)
        filled = expect_array(call_unchanged(answer, X, mean, B, noise), (n, D), finite=False)
        if not np.isfinite(filled).all():
            raise NotYet("some holes are still there")
        expect_close(filled[seen], X[seen], "entries that are seen should stay as they are")
        C = B @ B.T + noise * np.eye(D)
        for row, o, given in zip(filled, seen, X, strict=True):
            right = mean[~o] + C[np.ix_(~o, o)] @ np.linalg.solve(C[np.ix_(o, o)], given[o] - mean[o])
            otherwise = "a hole should get its mean, given the seen entries of its row"
            expect_close(row[~o], right, otherwise, scale=np.abs(mean).max())


@exercise("em-4")
def steps_needed(answer):
    for seed, d, factor in [(0, 1, 1e-3), (1, 3, 1e-6), (2, 2, 0.1)]:
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((40, 5)) @ np.diag([3, 2.4, 1.9, 1.2, 0.6]) + 10
        eigenvalues = np.linalg.eigvalsh(np.cov(X.T))[::-1]
        exact = np.log(factor) / np.log(eigenvalues[d] / eigenvalues[d - 1])
        steps = expect_integer(call(answer, X, d, factor), 0, 10**6)
        if steps != np.ceil(exact) and abs(steps - 2 * exact) <= 1:
            raise NotYet("this is twice the right number: the rate is a ratio of eigenvalues, not of singular values")
        if steps != np.ceil(exact):
            raise NotYet(
                f"for d = {d} and the factor {factor:g} the number is different: center, look at the gap, and round up"
            )


@exercise("em-5")
def basis_from_coordinates(answer):
    for seed, (n, D, d) in enumerate([(40, 5, 2), (60, 8, 3)]):
        X, *_ = _table(seed, n, D, d)
        Z = np.random.default_rng(seed + 5).standard_normal((n, d)) + 1
        found = expect_array(call_unchanged(answer, X, Z), (D, d + 1))
        Z1 = np.column_stack([Z, np.ones(n)])
        for row, x in zip(found, X.T, strict=True):
            r = ~np.isnan(x)
            right = np.linalg.lstsq(Z1[r], x[r], rcond=None)[0]
            expect_close(row, right, "each row should be the regression of one column on the rows that show it")


@exercise("em-6")
def wild_completion(answer):
    X = expect_array(answer, (None, None), finite=False)
    if np.isinf(X).any() or not np.isnan(X).any():
        raise NotYet("a table of finite numbers with some NaN is expected")
    if len(X) > 100 or X.shape[1] > 20:
        raise NotYet("a table of at most 100 rows and 20 columns is expected")
    with refusals_as_not_yet("EMPCA"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = EMPCA(n_components=1).fit(X)
        filled = np.abs(fit.inverse_transform(fit.transform(X)))[np.isnan(X)].max()
    largest = np.nanmax(np.abs(X))
    if filled <= 10 * largest:
        raise NotYet(f"the largest completed entry, {filled:.3g}, is not ten times the largest seen one, {largest:.3g}")


@exercise("em-7")
@choices
def why_it_is_missing():
    return {
        "dust": ("completely at random", "does dust know the pixel it falls on?"),
        "follow-up": ("at random", "the first test is the reason, and it is recorded"),
        "income": ("not at random", "the missing number itself is the reason"),
        "scale": ("not at random", "the missing number itself is the reason"),
        "sample": ("completely at random", "chance decided"),
        "age": ("at random", "age is the reason, and it is recorded"),
    }


@exercise("em-8")
@choice("d")
def falling_likelihood():
    return {
        "a": "rounding errors are far smaller, and nothing else lowers the likelihood",
        "b": "overfitting raises the likelihood of the entries that were fitted",
        "c": "an M step has no length: it goes to the top of the bound",
    }


@exercise("em-9")
@numbers(3)
def factors_of_column_means(factors, missing=0.36):
    seen = 1 - missing
    yield differs(factors[0], seen), "a filled entry has no deviation: what share of the squares is left?"
    yield differs(factors[1], seen**2), "both entries of a product have to be seen"
    yield differs(factors[2], seen), "a correlation is a covariance over the root of two variances"


@exercise("em-10")
@numbers(3)
def rate_of_plain_em(answer):
    root, plain, expanded = answer
    yield differs(abs(root), np.sqrt(3)), "at the fixed point b² + 1 is the mean of the squares"
    yield differs(plain, 0.625), "the factor of plain EM is (1 + a²)/(1 + a)² with a = s − 1"
    yield differs(expanded, 0.0625), "the factor of expanded EM is the derivative of g at the fixed point"


@exercise("em-11")
def restore_a_photograph(answer):
    photo = load_sample_image("china.jpg").mean(axis=2)[:240, :320]
    lost = np.random.default_rng(11).random(photo.shape) < 0.3
    restored = expect_array(call(answer, np.where(lost, np.nan, photo)), photo.shape)
    expect_close(restored[~lost], photo[~lost], "seen pixels should stay as they are")
    patches = np.where(lost, np.nan, photo).reshape(30, 8, 40, 8)
    flat = np.broadcast_to(np.nanmean(patches, axis=(1, 3), keepdims=True), patches.shape).reshape(photo.shape)
    error, of_means = (np.sqrt(np.mean((image - photo)[lost] ** 2)) for image in (restored, flat))
    if error > 0.85 * of_means:
        raise NotYet(f"the error in the lost pixels is {error:.1f}; means of patches have {of_means:.1f}")


@exercise("em-12")
def own_table(answer):
    expect_keys(answer, ["table", "hidden", "components", "error"])
    X = expect_array(answer["table"], (None, None), finite=False)
    hidden = expect_array(answer["hidden"], X.shape) != 0
    if not 10 <= len(X) <= 5000 or X.shape[1] < 4 or not np.isnan(X).any():
        raise NotYet("a table of 10 to 5000 rows and at least 4 columns, with some NaN, is expected")
    if hidden.sum() < 20 or np.isnan(X[hidden]).any():
        raise NotYet("hide at least 20 entries, none of which is missing already")
    hiding = np.where(hidden, np.nan, X)
    d = expect_integer(answer["components"], 1, X.shape[1] - 1, "the number of components")
    with refusals_as_not_yet("ProbabilisticPCA"):
        fit = ProbabilisticPCA(n_components=d).fit(hiding)
        guessed = fit.inverse_transform(fit.transform(hiding))
    means = np.broadcast_to(np.nanmean(hiding, axis=0), X.shape)
    error, of_means = (np.sqrt(np.mean((filled - X)[hidden] ** 2)) for filled in (guessed, means))
    otherwise = f"with {d} components we find a different error: hide these entries, and no others, and fit"
    expect_close(expect_number(answer["error"]), error, otherwise, tolerance=0.02)
    if error >= of_means:
        raise NotYet(f"column means have the error {of_means:.3g}, which is smaller: take another number of components")
