"""Checks of the exercises on probabilistic PCA."""

import numpy as np
from scipy.stats import multivariate_normal
from sklearn import decomposition

from dimred_lessons import ProbabilisticPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_measured,
    exercise,
    expect_array,
    expect_close,
    expect_integer,
    expect_keys,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choice, differs, keyed, look, near, number, numbers, whole, wholes


@exercise("ppca-1")
@keyed({"loadings": numbers(2), "noise": number()})
def fit_by_hand(loading, noise):
    yield differs(noise, 2), "the noise variance is the mean of the discarded eigenvalues"
    along = differs(loading[0], loading[1], scale=abs(loading[1]))
    yield along, "the loading lies along the first eigenvector"
    otherwise = "with your loading, BBᵀ + σ²I does not have the largest eigenvalue of the covariance"
    yield differs((loading * loading).sum() + noise, 8), otherwise


@exercise("ppca-2")
@wholes(3, 1, 1000)
def free_numbers(answer, D=20, d=5):
    parameters, full, least = answer
    yield differs(full, D * (D + 1) // 2, 0), "a symmetric matrix has D(D + 1)/2 free entries"
    yield (
        differs(parameters, D * d - d * (d - 1) // 2 + 1, 0),
        "count the entries of B, subtract the angles of a rotation, add the noise",
    )
    yield differs(least, D - 1, 0), "compare the two counts for d just below D"


@exercise("ppca-3")
def density_without_cancellation(answer):
    rng = np.random.default_rng(3)
    mean, B = rng.standard_normal(6), rng.standard_normal((6, 2)) * [3, 1]
    X = mean + rng.standard_normal((5, 6)) * 3
    for noise in (1.0, 0.3):
        right = multivariate_normal(mean, B @ B.T + noise * np.eye(6)).logpdf(X)
        found = expect_array(call(answer, X, mean, B, noise), (5,))
        expect_close(found, right, "these are not the logarithms of the density of N(mean, BBᵀ + noise I)")
    B = 30 * rng.standard_normal((1500, 2))
    U, sizes, _ = np.linalg.svd(B, full_matrices=False)
    for noise in (1.0, 1e-12):
        X = rng.standard_normal((4, 2)) @ B.T + np.sqrt(noise) * rng.standard_normal((4, 1500))
        inside = X @ U
        squares = np.sum(inside**2 / (sizes**2 + noise), axis=1)
        squares += np.sum((X - inside @ U.T) ** 2, axis=1) / noise
        log_det = np.sum(np.log(sizes**2 + noise)) + 1498 * np.log(noise)
        right = -0.5 * (1500 * np.log(2 * np.pi) + log_det + squares)
        found, memory = call_measured(answer, X.copy(), np.zeros(1500), B.copy(), noise)
        if memory > 4 * 1500**2:  # bytes: half a D × D array
            raise NotYet("your function formed a D × D array, or something nearly as large")
        otherwise = f"with 1500 coordinates and noise {noise:g}, too few digits are right: is something subtracted?"
        expect_close(expect_array(found, (4,)), right, otherwise, scale=np.max(squares))


@exercise("ppca-4")
def canonical_loadings(answer):
    rng = np.random.default_rng(4)
    for D, d in [(5, 2), (9, 4)]:
        B = rng.standard_normal((D, d)) @ rng.standard_normal((d, d))
        found = expect_array(call(answer, B), (D, d))
        expect_close(found @ found.T, B @ B.T, "BBᵀ has changed: these loadings give a different density")
        products = found.T @ found
        otherwise = "the columns should be orthogonal"
        expect_close(products - np.diag(np.diag(products)), 0, otherwise, scale=np.max(products))
        if np.any(np.diff(np.diag(products)) > 1e-6 * np.max(products)):
            raise NotYet("the longest column comes first")


@exercise("ppca-5")
def library_noise_too_large(answer):
    X = expect_array(answer, (None, None))
    if max(X.shape) > 60:
        raise NotYet("a matrix of at most 60 rows and 60 columns is expected")
    with refusals_as_not_yet("probabilistic PCA"):
        ours = ProbabilisticPCA(1).fit(X).noise_variance_
    library = decomposition.PCA(1, svd_solver="full").fit(X).noise_variance_
    if not library > 10 * ours:
        raise NotYet(f"the library's noise variance is {library / ours:.3g} times the likeliest one")


@exercise("ppca-6")
@choice("c")
def why_shrunk():
    return {
        "a": "noise spreads the points in all directions; it does not pull them to the mean",
        "b": "larger causes could make up for short loadings: what speaks against them?",
        "d": "the fitted subspace is exactly the principal subspace, whatever the noise",
    }


@exercise("ppca-7")
@whole(1, 40)
def best_dimension(d):
    images, _ = datasets.digits()
    varied = images[:, images.std(axis=0) > 0.3]
    scores = [ProbabilisticPCA(m).fit(varied[:100]).score(varied[100:600]) for m in range(1, 41)]
    short = look(max(scores) - np.array(scores), d - 1)
    otherwise = f"another d gives the 500 images a mean log density that is higher by {short:.2f}"
    yield short > 1e-6, otherwise


@exercise("ppca-8")
def draw_points(answer):
    setting = np.random.default_rng(8)
    mean, B, noise, n = setting.standard_normal(4) * 5, setting.standard_normal((4, 2)) * 2, 0.25, 40_000
    X = expect_array(call(answer, mean, B, noise, n, np.random.default_rng(1)), (n, 4))
    C = B @ B.T + noise * np.eye(4)
    expect_close(X.mean(axis=0), mean, "the mean of your points is not the mean of the model", 0.02)
    found = np.cov(X.T)
    expect_close(np.linalg.eigvalsh(found)[:2], noise, "across the loadings the variance should be the noise", 0.05)
    expect_close(found, C, "the covariance of your points is not BBᵀ + noise I", 0.05)
    neighbors = np.mean((X[1:] - mean) * (X[:-1] - mean), axis=0)
    expect_close(neighbors, 0, "your points are not independent of each other", 0.05, scale=np.max(C))
    one, other = (expect_array(call(answer, mean, B, noise, 3, np.random.default_rng(seed)), (3, 4)) for seed in (1, 2))
    if np.allclose(one, other):
        raise NotYet("two generators give the same points: use the one that is passed in")


@exercise("ppca-9")
@number()
def worth_of_a_component(gain):
    right = 5 * (4 * np.log(2) - np.log(4) - 3 * np.log(4 / 3))
    yield near(gain, -right, 0.05, 1), "the likelihood cannot fall: mind the sign"
    yield differs(gain, right), "insert the two noise variances, 2 and 4/3, in the maximal log-likelihood"


@exercise("ppca-10")
def best_cleaner(answer):
    rng = np.random.default_rng(10)
    for D, d, noise in [(4, 2, 0.5), (7, 3, 2.0)]:
        B = rng.standard_normal((D, d)) * 1.5
        A = expect_array(call(answer, B, noise), (D, D))
        G = B @ B.T
        right = G @ np.linalg.inv(G + noise * np.eye(D))
        if np.allclose(A, B @ np.linalg.pinv(B), atol=1e-4):
            raise NotYet("this is the orthogonal projection, which keeps the noise within the subspace")
        expect_close(A, right, "another matrix has a smaller expected error: A C should be BBᵀ")


@exercise("ppca-11")
def odd_one_out(answer):
    expect_keys(answer, ["points", "components", "row"])
    X = expect_array(answer["points"], (None, None))
    if len(X) < 30 or X.shape[1] < 3:
        raise NotYet(f"at least 30 rows and 3 columns are expected, but yours are {X.shape}")
    d = expect_integer(answer["components"], 1, X.shape[1], "the number of components")
    row = expect_integer(answer["row"], 0, len(X) - 1, "the row")
    with refusals_as_not_yet("probabilistic PCA"):
        densities = ProbabilisticPCA(d).fit(X).score_samples(X)
    if densities[row] > densities.min() + 1e-9 * np.ptp(densities):
        raise NotYet(f"{np.sum(densities < densities[row])} rows are less likely than row {row}")
