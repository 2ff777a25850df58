import numpy as np
import pytest

from dimred_lessons.eigenpairs import column_signs, thin_svd, top_eigenpairs
from support.comparisons import assert_equal_up_to_signs


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
def test_a_zero_matrix_has_no_eigenpair_to_offer(n):
    eigenvalues, U = top_eigenpairs(np.zeros((n, n)), 2)
    assert eigenvalues.shape == (0,) and U.shape == (n, 0)


SPECTRA = {
    "low rank": [3.0, 2.0, 1e-3],
    "clustered": 1 + 1e-7 * np.arange(20),
    "equal": [2.0] * 5 + [1.0] * 100,
    "negative values are larger": np.append(np.linspace(-100, -50, 300), [3.0, 2.0, 1.0]),
    "one negative value is huge": np.append(-1e8, np.linspace(0, 1, 200)),
    "slow decay": 1 / np.arange(1.0, 701),
    "all equal": np.ones(700),
    "none positive": -np.arange(700.0),
}


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
