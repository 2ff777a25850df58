"""Exercises of chapter 3."""

import tracemalloc

import numpy as np

from dimred_lessons import KernelPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.checks.mechanism import NotYet, call, exercise, expect_array, expect_close, expect_number
from dimred_lessons.kernels import center_kernel, gaussian_kernel


@exercise("kpca-1")
def kernel_matrix_by_hand(answer):
    K = expect_array(answer, (3, 3))
    points = np.array([[1, 0], [1, 1], [0, 2]])
    expect_close(K, K.T, "a kernel matrix is symmetric: k(x, z) = k(z, x)")
    right = (points @ points.T) ** 2.0
    if np.allclose(K, points @ points.T):
        raise NotYet("these are the dot products of the points; the kernel squares them")
    for i, j in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]:
        expect_close(K[i, j] + 1, right[i, j] + 1, f"look again at points {i + 1} and {j + 1}: what is (x·z)² there?")


@exercise("kpca-2")
def feature_map(answer):
    X = np.random.default_rng(2).standard_normal((15, 2)) * [1, 2] + 0.5
    features = call(answer, X.copy())
    columns = np.shape(features)[1] if np.ndim(features) == 2 else 6
    if columns > 10:
        raise NotYet("ten columns at most are wanted, and six are enough")
    features = expect_array(features, (15, columns))
    right = (X @ X.T + 3) ** 2
    gap = features @ features.T - right
    if abs(gap[0, 0]) > 1e-6 and np.allclose(gap, gap[0, 0]):
        raise NotYet("the dot products are right up to a constant: which term has neither x nor z?")
    expect_close(features @ features.T, right, "the dot products of your rows are not (x·z + 3)²: check each factor")


@exercise("kpca-3")
def gaussian_without_loops(answer):
    rng = np.random.default_rng(3)
    for n, m, D, sigma in [(7, 4, 3, 0.7), (150, 200, 60, 9.0)]:
        X, Z = rng.standard_normal((n, D)), rng.standard_normal((m, D)) + 0.3
        tracemalloc.start()
        try:
            K = call(answer, X.copy(), Z.copy(), sigma)
            memory = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        K = expect_array(K, (n, m))
        right = gaussian_kernel(X, Z, sigma)
        if np.allclose(K, right**2) or np.allclose(K, right ** (2 * sigma**2)) or np.allclose(K, right ** (2 * sigma)):
            raise NotYet("the exponent should be divided by 2σ²")
        expect_close(K, right, "this is not exp(−‖x − z‖² / 2σ²) for all pairs of rows")
        if D > 50 and memory > 8 * n * m * D / 2:
            raise NotYet("your function held an array of n × m × D numbers, or something nearly as large")


@exercise("kpca-4")
def similarity_that_is_no_kernel(answer):
    K = expect_array(answer, (3, 3))
    if not np.allclose(K, K.T):
        raise NotYet("the matrix should be symmetric")
    if not np.allclose(np.diag(K), 1):
        raise NotYet("there should be ones on the diagonal")
    others = K[~np.eye(3, dtype=bool)]
    if others.min() < 0 or others.max() > 0.9:
        raise NotYet("the entries off the diagonal should be between 0 and 0.9")
    smallest = np.linalg.eigvalsh(K)[0]
    if smallest >= -0.1:
        raise NotYet(f"the smallest eigenvalue is {smallest:.2f}: not yet below -0.1")


@exercise("kpca-5")
def unit_axes(answer):
    rng = np.random.default_rng(5)
    for n, d in [(20, 2), (35, 4)]:
        K = gaussian_kernel(rng.standard_normal((n, 3)), sigma=1.5)
        centered = center_kernel(K)
        A = expect_array(call(answer, K.copy(), d), (n, d))
        lengths = np.sqrt(np.maximum(np.sum(A * (centered @ A), axis=0), 0))
        if np.max(np.abs(A.sum(axis=0))) > 1e-6 * np.max(np.abs(A)):
            raise NotYet("the weights of an axis should sum to zero: center the kernel matrix first")
        expect_close(lengths, np.ones(d), "an axis has the squared length aᵀK̃a in feature space: it should be one")
        eigenvalues = np.linalg.eigvalsh(centered)[::-1][:d]
        expect_close(
            centered @ A, A * eigenvalues, "the columns are not eigenvectors of the d largest eigenvalues, in order"
        )


@exercise("kpca-6")
def width_for_two_rings(answer):
    sigma = expect_number(answer)
    if sigma <= 0:
        raise NotYet("the width should be positive")
    rng = np.random.default_rng(6)
    ring = np.repeat([0, 1], 100)
    radius, angle = np.array([10, 30])[ring] + rng.standard_normal(200), rng.uniform(0, 2 * np.pi, 200)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    scores = KernelPCA(2, sigma=sigma).fit_transform(X)[:, 0]
    inner, outer = scores[ring == 0], scores[ring == 1]
    if not (inner.max() < outer.min() or outer.max() < inner.min()):
        raise NotYet(f"with sigma = {sigma:g}, points of both rings have the same scores on the first axis")


@exercise("kpca-7")
def step_toward_the_preimage(answer):
    rng = np.random.default_rng(7)
    for n, D, sigma in [(12, 2, 0.8), (30, 5, 2.5)]:
        X, beta, z = rng.standard_normal((n, D)) + 2, rng.uniform(0.02, 0.1, n), rng.standard_normal(D) + 2
        weights = beta * gaussian_kernel(z[np.newaxis], X, sigma)[0]
        given = expect_array(call(answer, z.copy(), beta.copy(), X.copy(), sigma), (D,))
        if np.allclose(given, weights @ X):
            raise NotYet("divide by the sum of the weights, so that the new point is a mean")
        expect_close(
            given, weights @ X / weights.sum(), "this is not the mean of the rows of X with weights β_i k(z, x_i)"
        )


@exercise("kpca-8")
def components_in_feature_space(answer):
    X, _ = datasets.digits(n=300)
    model = KernelPCA(None).fit(X)
    shares = np.cumsum(model.eigenvalues_) / np.trace(model.kernel_)
    right = 1 + int(np.sum(shares < 0.8))
    given = expect_number(answer)
    if given != right:
        raise NotYet("a smaller number is enough" if given > right else "so few hold less than 80 percent")
