import numpy as np
import pytest

from dimred_lessons.eigenpairs import (
    center_points,
    centered_svd,
    column_signs,
    gram_eigenpairs,
    thin_svd,
    top_eigenpairs,
)
from support.comparisons import assert_equal_up_to_signs
from support.matrices import DEGENERATE, SPECTRA


@pytest.fixture(params=[40, 700], ids=["dense", "iterative"])
def gram(request):
    factor = np.random.default_rng(0).normal(size=(request.param, 30)) * np.linspace(3, 1, 30)
    return factor @ factor.T


def test_top_eigenpairs_solve_the_eigenproblem_in_decreasing_order(gram):
    eigenvalues, U = top_eigenpairs(gram, 4)
    np.testing.assert_allclose(gram @ U, U * eigenvalues, atol=1e-9 * eigenvalues[0])
    np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-12)
    assert np.all(np.diff(eigenvalues) < 0)


def test_top_eigenpairs_are_the_largest_of_all(gram):
    np.testing.assert_allclose(top_eigenpairs(gram, 4)[0], np.linalg.eigvalsh(gram)[:-5:-1], rtol=1e-10)


def test_none_gives_every_positive_eigenvalue_and_no_other(gram):
    eigenvalues, U = top_eigenpairs(gram)
    assert len(eigenvalues) == U.shape[1] == 30
    np.testing.assert_allclose((U * eigenvalues) @ U.T, gram, atol=1e-9 * eigenvalues[0])


def test_negative_eigenvalues_never_count():
    eigenvalues, U = top_eigenpairs(np.diag([-5.0, 3, 0, 1, -0.1]), 4)
    np.testing.assert_allclose(eigenvalues, [3, 1])
    assert U.shape == (5, 2)


@pytest.mark.parametrize("n", [3, 700])
def test_a_zero_matrix_has_no_eigenpairs(n):
    eigenvalues, U = top_eigenpairs(np.zeros((n, n)), 2)
    assert eigenvalues.shape == (0,) and U.shape == (n, 0)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
@pytest.mark.filterwarnings("ignore:Eigenvalues . and . are equal")
def test_iteration_survives_spectra_that_are_hard_for_it(spectrum, order):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((700, 700)))[0][:, : len(spectrum)]
    K = (Q * spectrum) @ Q.T
    K = np.asarray((K + K.T) / 2, order=order)
    eigenvalues, U = top_eigenpairs(K, 4)
    positive = np.sort(spectrum)[::-1][:4]
    positive = positive[positive > 0]
    size = np.abs(spectrum).max()
    np.testing.assert_allclose(eigenvalues, positive, rtol=1e-9, atol=1e-12 * size)
    np.testing.assert_allclose(K @ U, U * eigenvalues, atol=1e-9 * size)
    np.testing.assert_allclose(U.T @ U, np.eye(len(positive)), atol=1e-10)


NUMBERS = {  # up to 500 points, or for more than a twentieth of the pairs less one, LAPACK finds all of them
    12: range(1, 13),
    500: (1, 4, 24, 25, 500),
    501: (1, 2, 3, 4, 7, 24, 25, 250),
    640: (2, 5, 31, 32, 640),
}


@pytest.mark.parametrize("n", NUMBERS)
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE)
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal")
def test_no_copy_of_a_repeated_eigenvalue_is_missed(matrix, n):
    K = matrix(n)
    whole = np.linalg.eigvalsh(K)[::-1]
    size = np.abs(whole).max()
    positive = whole[whole > 1e-11 * size]
    for d in NUMBERS[n]:
        eigenvalues, U = top_eigenpairs(K, d)
        assert eigenvalues.shape == (min(d, len(positive)),)
        assert U.shape == (n, len(eigenvalues))
        np.testing.assert_allclose(eigenvalues, positive[:d], rtol=0, atol=1e-13 * size)
        np.testing.assert_allclose(K @ U, U * eigenvalues, rtol=0, atol=1e-13 * size)
        np.testing.assert_allclose(U.T @ U, np.eye(len(eigenvalues)), atol=1e-13)


def test_two_calls_give_the_same_digits(gram):
    for first, second in zip(top_eigenpairs(gram, 3), top_eigenpairs(gram, 3)):
        np.testing.assert_array_equal(first, second)


def test_thin_svd_reconstructs_a_matrix_of_low_rank():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 4)) @ rng.normal(size=(4, 9))
    U, singular_values, V = thin_svd(X)
    assert (U.shape, singular_values.shape, V.shape) == ((20, 4), (4,), (9, 4))
    np.testing.assert_allclose((U * singular_values) @ V.T, X, atol=1e-12)


def test_thin_svd_truncated_is_the_prefix_of_the_whole():
    X = np.random.default_rng(2).normal(size=(8, 12))
    whole, two = thin_svd(X), thin_svd(X, 2)
    for complete, part in zip(whole, two):
        np.testing.assert_array_equal(complete[..., :2], part)


def test_thin_svd_and_eigenpairs_of_the_gram_matrix_agree():
    X = np.random.default_rng(3).normal(size=(15, 50))
    U, singular_values, _ = thin_svd(X, 5)
    eigenvalues, U_of_gram = top_eigenpairs(X @ X.T, 5)
    np.testing.assert_allclose(singular_values**2, eigenvalues, rtol=1e-10)
    assert_equal_up_to_signs(U_of_gram, U)


def test_centered_svd_centers_then_decomposes():
    X = np.random.default_rng(5).normal(size=(30, 6)) + 10
    A, mean = center_points(X)
    decomposition = centered_svd(X, 3)
    np.testing.assert_allclose(decomposition.mean, mean, rtol=1e-15)
    assert decomposition.squares == pytest.approx(np.sum(A**2), rel=1e-12)
    for found, expected in zip(decomposition[1:4], thin_svd(A, 3)):
        np.testing.assert_allclose(found, expected, atol=1e-13)


def test_centered_svd_of_all_components_has_as_many_as_the_rank():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20, 4)) @ rng.normal(size=(4, 9)) + 100
    decomposition = centered_svd(X)
    assert decomposition.U.shape == (20, 4) and decomposition.V.shape == (9, 4)
    assert centered_svd(X, 7).singular_values.shape == (4,)
    assert centered_svd(np.full((5, 3), 0.1), 2).singular_values.shape == (0,)


@pytest.mark.parametrize("shape", [(60, 7), (7, 60), (700, 40)], ids=str)
def test_gram_eigenpairs_are_those_of_the_dot_products(shape):
    A = np.random.default_rng(7).normal(size=shape) * np.linspace(3, 1, shape[1])
    eigenvalues, U = gram_eigenpairs(A, 3)
    expected_values, expected = top_eigenpairs(A @ A.T, 3)
    np.testing.assert_allclose(eigenvalues, expected_values, rtol=1e-12)
    np.testing.assert_allclose(U, expected, atol=1e-12)
    assert gram_eigenpairs(A)[1].shape == (shape[0], min(shape))


def test_gram_eigenpairs_of_zeros_are_none():
    eigenvalues, U = gram_eigenpairs(np.zeros((9, 4)), 2)
    assert eigenvalues.shape == (0,) and U.shape == (9, 0)


def test_column_signs_make_the_largest_entry_positive():
    U = np.array([[1.0, -2.0], [-3.0, 1.0], [2.0, 0.5]])
    np.testing.assert_array_equal(column_signs(U), [-1, -1])


def test_of_entries_that_are_equal_up_to_rounding_the_first_decides():
    nearly = np.array([[0.5], [-0.5 - 1e-15], [0.5 - 1e-15], [-0.5]])
    assert column_signs(nearly) == 1 and column_signs(-nearly) == -1


def test_fixed_signs_do_not_depend_on_the_solver_s_choice():
    U = np.random.default_rng(4).normal(size=(10, 3))
    flips = np.array([1, -1, 1])
    np.testing.assert_array_equal(U * column_signs(U), U * flips * column_signs(U * flips))
