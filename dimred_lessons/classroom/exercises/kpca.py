"""Checks of the exercises on kernel PCA."""

import numpy as np

from dimred_lessons import KernelPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    IN_CODE,
    NotYet,
    call,
    call_measured,
    exercise,
    expect_array,
    expect_close,
    expect_keys,
    expect_number,
)
from dimred_lessons.classroom.exercises.values import differs, near, number, smallest_count, table
from dimred_lessons.kernels import center_kernel, gaussian_kernel


@exercise("kpca-1")
@table(3, 3)
def kernel_matrix_by_hand(K):
    points = np.array([[1, 0], [1, 1], [0, 2]])
    dots = points @ points.T
    yield differs(K, K.T, IN_CODE), "a kernel matrix is symmetric: k(x, z) = k(z, x)"
    yield near(K, dots, 1e-5), "these are the dot products of the points; the kernel squares them"
    for i, j in zip(*np.triu_indices(3), strict=True):
        otherwise = f"look again at points {i + 1} and {j + 1}: what is (x·z)² there?"
        yield differs(K[3 * i + j], dots[i, j] ** 2, IN_CODE, scale=1), otherwise


@exercise("kpca-2")
def feature_map(answer):
    X = np.random.default_rng(2).standard_normal((15, 2)) * [1, 2] + 0.5
    features = expect_array(call(answer, X), (15, None))
    if features.shape[1] > 10:
        raise NotYet("at most ten columns are allowed, and six are enough")
    gap = features @ features.T - (X @ X.T + 3) ** 2
    if abs(gap[0, 0]) > 1e-3 and np.allclose(gap, gap[0, 0], atol=1e-3):
        raise NotYet("the dot products are right up to a constant: which term has neither x nor z?")
    otherwise = "the dot products of your rows are not (x·z + 3)²: check each factor"
    expect_close(gap, 0, otherwise, scale=np.max((X @ X.T + 3) ** 2))
    few = expect_array(call(answer, X[:5]), (5, None))
    if few.shape[1] != features.shape[1] or np.max(np.abs(few - features[:5])) > 1e-3:
        raise NotYet("the features of a point should depend on this point alone, not on the others that come with it")


@exercise("kpca-3")
def gaussian_of_all_pairs(answer):
    rng = np.random.default_rng(3)
    for n, m, D, sigma in [(7, 4, 3, 0.7), (150, 200, 60, 9.0)]:
        X, Z = rng.standard_normal((n, D)), rng.standard_normal((m, D)) + 0.3
        K, memory = call_measured(answer, X.copy(), Z.copy(), sigma)
        K, right = expect_array(K, (n, m)), gaussian_kernel(X, Z, sigma)
        if any(np.allclose(K, right**power) for power in (2, 2 * sigma, 2 * sigma**2)):
            raise NotYet("the exponent should be divided by 2σ²")
        expect_close(K, right, "this is not exp(−‖x − z‖² / 2σ²) for all pairs of rows")
        if D > 50 and memory > 8 * n * m * D / 2:
            raise NotYet("your function held an array of n × m × D numbers, or something nearly as large")


@exercise("kpca-4")
def similarity_that_is_not_a_kernel(answer):
    K = expect_array(answer, (3, 3))
    if not np.allclose(K, K.T):
        raise NotYet("the matrix should be symmetric")
    if not np.allclose(np.diag(K), 1):
        raise NotYet("there should be ones on the diagonal")
    others = K[~np.eye(3, dtype=bool)]
    if others.min() < 0 or others.max() > 0.9 + 1e-6:
        raise NotYet("the entries off the diagonal should be between 0 and 0.9")
    smallest = np.linalg.eigvalsh(K)[0]
    if smallest >= -0.1:
        raise NotYet(f"the smallest eigenvalue is {smallest:.2f}, which is not below -0.1")


@exercise("kpca-5")
def unit_axes(answer):
    rng = np.random.default_rng(5)
    for n, d in [(20, 2), (35, 4)]:
        K = gaussian_kernel(rng.standard_normal((n, 3)), sigma=1.5)
        centered = center_kernel(K)
        A = expect_array(call(answer, K, d), (n, d))
        otherwise = "the weights of an axis should sum to zero: center the kernel matrix first"
        expect_close(A.sum(axis=0), 0, otherwise, tolerance=1e-3, scale=np.max(np.abs(A)))
        lengths = np.sqrt(np.maximum(np.sum(A * (centered @ A), axis=0), 0))
        otherwise = "an axis has the squared length aᵀK̃a in feature space: it should be one"
        expect_close(lengths, np.ones(d), otherwise)
        eigenvalues = np.linalg.eigvalsh(centered)[::-1][:d]
        otherwise = "the columns are not eigenvectors of the d largest eigenvalues, in order"
        expect_close(centered @ A, A * eigenvalues, otherwise)


@exercise("kpca-6")
def width_for_two_rings(answer):
    sigma = expect_number(answer)
    if not 1e-3 <= sigma <= 1e6:
        raise NotYet("the width should be positive, and comparable to the distances between the points")
    rng = np.random.default_rng(6)
    ring = np.repeat([0, 1], 100)
    radius, angle = np.array([10, 30])[ring] + rng.standard_normal(200), rng.uniform(0, 2 * np.pi, 200)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    scores = np.linalg.eigh(center_kernel(gaussian_kernel(X, sigma=sigma)))[1][:, -1]
    inner, outer = scores[ring == 0], scores[ring == 1]
    if not (inner.max() < outer.min() or outer.max() < inner.min()):
        raise NotYet(f"with sigma = {sigma:g}, no threshold on the first axis separates the two rings")


@exercise("kpca-7")
def step_toward_the_preimage(answer):
    rng = np.random.default_rng(7)
    for n, D, sigma in [(12, 2, 0.8), (30, 5, 2.5)]:
        X, beta, z = rng.standard_normal((n, D)) + 2, rng.uniform(-0.05, 0.1, n), rng.standard_normal(D) + 2
        weights = beta * gaussian_kernel(z[np.newaxis], X, sigma)[0]
        given = expect_array(call(answer, z, beta, X, sigma), (D,))
        if np.allclose(given, weights @ X):
            raise NotYet("divide by the sum of the weights, so that the new point is a mean")
        otherwise = "this is not the mean of the rows of X with weights β_i k(z, x_i), of which some are negative"
        expect_close(given, weights @ X / weights.sum(), otherwise)


@exercise("kpca-8")
@smallest_count(0.8)
def components_in_feature_space():
    model = KernelPCA(None).fit(datasets.digits(n=300)[0])
    return np.cumsum(model.eigenvalues_) / np.trace(model.kernel_)


@exercise("kpca-9")
def random_fourier_features(answer):
    X = np.random.default_rng(9).standard_normal((12, 3)) * [1, 2, 0.5] + 0.2
    for sigma in (0.8, 2.0):
        right, products = gaussian_kernel(X, sigma=sigma), []
        for m in (16, 6000):
            features = expect_array(call(answer, X, sigma, m, 1), (len(X), m))
            few = expect_array(call(answer, X[:5], sigma, m, 1), (5, m))
            otherwise = "with the same seed, a point should get the same features whichever points come along"
            expect_close(few, features[:5], otherwise, scale=1)
            products.append(features @ features.T)
        rough, fine = products
        if np.abs(rough - right).max() < 1e-6:
            raise NotYet("with 16 features the dot products should be near the kernel, not equal to it")
        size = np.mean(np.diag(fine))
        if size > 1e-3 and abs(size - 1) > 0.1 and np.abs(fine / size - right).max() <= 0.1:
            raise NotYet(f"the dot products are {size:.2g} times the Gaussian kernel: check the factor of the features")
        if np.abs(fine - right).max() > 0.1:
            raise NotYet("with 6000 features the dot products should be the Gaussian kernel, up to a tenth")


@exercise("kpca-10")
@number()
def least_similarity(value, s=0.8):
    square = "this is s²: the parts of the two vectors across Φ(y) may point in opposite directions"
    yield near(value, s**2, scale=1), square
    yield differs(value, 2 * s**2 - 1), f"put s = {s} into the bound"


@exercise("kpca-11")
@number()
def bound_of_a_difference(value, length=2, sigma=1, distance=1):
    second = "this is the second bound, ‖f‖ ‖x − z‖ / σ; the first one is smaller"
    yield near(value, length * distance / sigma, scale=1), second
    otherwise = "‖Φ(x) − Φ(z)‖ is the root of 2 − 2k(x, z), to be multiplied by the length of f"
    similarity = np.exp(-(distance**2) / (2 * sigma**2))
    yield differs(value, length * np.sqrt(2 - 2 * similarity)), otherwise


@exercise("kpca-12")
def own_choice_of_a_kernel(answer):
    expect_keys(answer, ["values", "errors", "linear"])
    values, errors = expect_array(answer["values"], (None,)), expect_array(answer["errors"], (None,))
    if len(values) < 5 or len(values) != len(errors):
        raise NotYet("at least five values of the parameter are expected, with one error for each")
    if np.any(np.diff(values) <= 0):
        raise NotYet("the values of the parameter should increase")
    if min(errors.min(), expect_number(answer["linear"])) < 0:
        raise NotYet("errors should not be negative")
    if np.argmin(errors) in (0, len(errors) - 1):
        raise NotYet("the smallest error is at the first or the last value: try values beyond it")
