"""Kernels, their centering and the distances that they stand for."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from dimred_lessons import distances, kernels

PROPERTY = settings(max_examples=25, deadline=None, derandomize=True)


def points(n=40, D=5, seed=0):
    return np.random.default_rng(seed).standard_normal((n, D))


def centering_matrix(n):
    return np.eye(n) - 1 / n


def test_squared_distances_equal_those_of_scipy():
    X, Z = points(), points(30, seed=1)
    np.testing.assert_allclose(distances.squared_distances(X, Z), cdist(X, Z) ** 2, atol=1e-12)
    np.testing.assert_allclose(distances.squared_distances(X), cdist(X, X) ** 2, atol=1e-12)


def test_squared_distances_are_never_negative_and_zero_on_the_diagonal():
    X = np.repeat(points(), 2, axis=0) * 1e3
    D2 = distances.squared_distances(X)
    assert D2.min() == 0
    assert not np.diag(D2).any()
    assert distances.squared_distances(X, X[::-1]).min() >= 0


def test_squared_distances_survive_an_origin_far_away():
    X = points()
    shift = 1e6
    np.testing.assert_allclose(distances.squared_distances(X + shift), cdist(X, X) ** 2, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(distances.squared_distances(X + shift, X + shift), cdist(X, X) ** 2, atol=1e-6)


def exact_squared_distances(X, Z):
    """By differences in rational numbers."""
    X, Z = ([[Fraction(float(x)) for x in point] for point in points] for points in (X, Z))
    return np.array([[float(sum((a - b) ** 2 for a, b in zip(x, z, strict=True))) for z in Z] for x in X])


CLOUD = points(20, 3)
HOSTILE = {
    "groups far apart": np.vstack([CLOUD, CLOUD[::-1] + 1e8]),
    "a fill value": np.vstack([CLOUD, np.full((1, 3), 1e12)]),
    "an offset": CLOUD + 1.7e9,
    "copies": np.repeat(CLOUD, 2, axis=0),
    "points close together": np.vstack([CLOUD, 1e-9 * CLOUD]),
    "a column in a large unit": CLOUD * [1, 1e9, 1],
    "tiny numbers": 1e-150 * CLOUD,
    "huge numbers": 1e150 * CLOUD,
    "small integers": (40 * np.abs(CLOUD)).astype(np.uint8),
    "all points in one place": np.full((5, 3), 0.1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_every_squared_distance_is_right_to_six_digits(name):
    X = HOSTILE[name]
    for Z in (X, X[3:]):
        expected = exact_squared_distances(X, Z)
        found = distances.squared_distances(X, Z)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=0)
    np.testing.assert_allclose(distances.squared_distances(X), exact_squared_distances(X, X), rtol=1e-6, atol=0)


def test_a_kernel_of_groups_far_apart_is_that_of_the_differences():
    X = HOSTILE["groups far apart"]
    expected = np.exp(-exact_squared_distances(X, X) / 2)
    np.testing.assert_allclose(kernels.gaussian_kernel(X), expected, rtol=1e-6)
    np.testing.assert_allclose(kernels.gaussian_kernel(X[:3], X), expected[:3], rtol=1e-6)


def test_single_precision_is_recognized_by_the_digits_of_numbers_and_integers_are_exact():
    D = cdist(points(30, 20), points(30, 20))
    single = D.astype(np.float32).astype(float)
    expected = np.finfo(np.float32).eps * np.linalg.norm(D**2)
    for numbers in (
        single,
        sparse.csr_array(single),
        np.where(np.eye(30) > 0, np.nan, single),
        single.astype(np.float32),
    ):
        assert distances.rounding_norm(numbers, D**2) == pytest.approx(expected)
    for exact in (D, np.round(100 * D), np.eye(30), np.zeros((3, 3)), 1e50 * D, 1e200 * D):
        assert distances.rounding_norm(exact, exact) == 0


def test_median_distance_ignores_pairs_that_coincide():
    X = np.array([[0.0], [0.0], [0.0], [3.0]])
    assert distances.median_distance(X) == 3


@pytest.mark.parametrize("function", [distances.squared_distances, kernels.gaussian_kernel, kernels.polynomial_kernel])
def test_kernels_leave_their_input_alone_and_take_any_memory_order(function):
    X = points()
    expected = function(X)
    X.setflags(write=False)
    np.testing.assert_array_equal(function(X), expected)
    np.testing.assert_allclose(function(np.asfortranarray(X)), expected, rtol=1e-13, atol=1e-13)


def test_polynomial_kernel_is_the_dot_product_of_monomials():
    def monomials(X):  # all of degree 2 and below, of two variables
        x, y = X.T
        root = np.sqrt(2)
        return np.column_stack([x**2, y**2, root * x * y, root * x, root * y, np.ones(len(X))])

    X, Z = points(D=2), points(7, 2, seed=1)
    K = kernels.polynomial_kernel(X, Z, degree=2)
    np.testing.assert_allclose(K, monomials(X) @ monomials(Z).T, rtol=1e-12, atol=1e-12)
    homogeneous = kernels.polynomial_kernel(X, Z, degree=2, coef0=0)
    np.testing.assert_allclose(homogeneous, monomials(X)[:, :3] @ monomials(Z)[:, :3].T, atol=1e-12)


def test_gaussian_kernel_falls_to_exp_minus_a_half_at_distance_sigma():
    K = kernels.gaussian_kernel(np.array([[0.0], [3.0]]), sigma=3.0)
    np.testing.assert_allclose(K, [[1, np.exp(-0.5)], [np.exp(-0.5), 1]])


@PROPERTY
@given(n=st.integers(2, 25), D=st.integers(1, 6), scale=st.floats(1e-3, 1e3), seed=st.integers(0, 1000))
def test_centered_kernels_are_positive_semidefinite_with_rows_that_sum_to_zero(n, D, scale, seed):
    X = scale * points(n, D, seed)
    for name in ("linear", "polynomial", "gaussian"):
        K = kernels.kernel_matrix(X, kernel=name, sigma=scale, degree=2)
        size = np.abs(K).max()
        K = kernels.center_kernel(K)
        np.testing.assert_allclose(K.sum(axis=1), 0, atol=1e-11 * size)
        assert np.linalg.eigvalsh(K).min() >= -1e-12 * n * size


def test_center_kernel_is_hkh_and_keeps_its_argument_unless_told_otherwise():
    K = kernels.gaussian_kernel(points())
    H = centering_matrix(len(K))
    before = K.copy()
    np.testing.assert_allclose(kernels.center_kernel(K), H @ K @ H, atol=1e-14)
    np.testing.assert_array_equal(K, before)
    assert kernels.center_kernel(K, overwrite=True) is K
    np.testing.assert_allclose(K, H @ before @ H, atol=1e-14)


def test_centering_the_linear_kernel_is_centering_the_points():
    X = points() + 5
    centered = X - X.mean(axis=0)
    np.testing.assert_allclose(kernels.center_kernel(X @ X.T), centered @ centered.T, atol=1e-12)


def test_center_kernel_of_equal_points_is_exactly_zero():
    X = np.full((7, 3), 0.1)
    assert not kernels.center_kernel(kernels.linear_kernel(X)).any()


def test_new_points_are_centered_with_the_means_of_the_training_points():
    X, Z = points() + 3, points(6, seed=1)
    K_new = kernels.center_new_kernel(Z @ X.T, (X @ X.T).mean(axis=0))
    mean = X.mean(axis=0)
    np.testing.assert_allclose(K_new, (Z - mean) @ (X - mean).T, atol=1e-12)
    alone = kernels.center_new_kernel(Z[:1] @ X.T, (X @ X.T).mean(axis=0))
    np.testing.assert_allclose(alone, K_new[:1], atol=1e-12)


def test_kernel_and_squared_distances_determine_each_other():
    X = points() + 2
    D2 = distances.squared_distances(X)
    K = kernels.kernel_from_squared_distances(D2)
    centered = X - X.mean(axis=0)
    np.testing.assert_allclose(K, centered @ centered.T, atol=1e-12)
    np.testing.assert_allclose(kernels.squared_distances_from_kernel(K), D2, atol=1e-12)
    np.testing.assert_allclose(kernels.squared_distances_from_kernel(X @ X.T), D2, atol=1e-12)
    np.testing.assert_allclose(D2, cdist(X, X) ** 2, atol=1e-12)  # the arguments are unchanged


def test_negative_mass_is_the_share_of_the_negative_eigenvalues():
    Q = np.linalg.qr(points(5, 5))[0]
    K = (Q * [5.0, 2.0, 0.0, -1.0, -2.0]) @ Q.T
    assert kernels.negative_mass(K) == pytest.approx(0.3)
    assert kernels.negative_mass(np.diag([3.0, 1.0, -1e-17])) == 0
    assert kernels.negative_mass(np.zeros((3, 3))) == 0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda X: kernels.gaussian_kernel(X, sigma=0), r"sigma=0 must be a positive number"),
        (lambda X: kernels.gaussian_kernel(X, sigma=np.inf), r"sigma=inf must be a positive number"),
        (lambda X: kernels.gaussian_kernel(X, sigma="wide"), r"sigma='wide' must be a positive number"),
        (lambda X: kernels.polynomial_kernel(X, degree=0), r"degree=0 must be a positive integer"),
        (lambda X: kernels.polynomial_kernel(X, degree=1.5), r"degree=1.5 must be a positive integer"),
        (lambda X: kernels.polynomial_kernel(X, coef0=-1), r"coef0=-1 must be a number, zero or above"),
        (lambda X: kernels.kernel_matrix(X, kernel="rbf"), r"kernel='rbf' must be \"gaussian\""),
        (lambda X: distances.median_distance(X[[0, 0, 0]]), r"All 3 points coincide"),
        (lambda X: kernels.kernel_matrix(X, kernel=lambda a, b: a @ b.T * 1j), r"finite real numbers"),
        (lambda X: kernels.kernel_matrix(X, kernel=lambda a, b: a @ b.T * np.nan), r"finite real numbers"),
        (
            lambda X: kernels.kernel_matrix(X, X[:7], kernel=lambda a, b: a[0] @ b[0]),
            r"must return \(40, 7\) finite",
        ),
        (lambda X: kernels.center_kernel(np.full((3, 3), np.inf)), r"overflow: rescale the points"),
    ],
)
def test_bad_kernels_are_refused_with_a_sentence(call, message):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=message):
        call(points())


def test_preimages_that_are_cut_short_cause_a_warning():
    X = np.random.default_rng(0).standard_normal((30, 3))
    beta = np.abs(np.random.default_rng(1).standard_normal((4, 30)))
    with pytest.warns(UserWarning, match="preimages have not converged in 2 steps: raise max_iter, or tol"):
        kernels.gaussian_preimages(beta, X, X[:4], 1.0, max_iter=2)
