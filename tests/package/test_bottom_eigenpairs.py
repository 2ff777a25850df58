"""Smallest eigenpairs of sparse matrices: claims about dimred_lessons.eigenpairs.bottom_eigenpairs."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from dimred_lessons import memory
from dimred_lessons.eigenpairs import bottom_eigenpairs, top_eigenpairs
from support.comparisons import assert_equal_up_to_signs
from support.matrices import cycle_laplacian, lle_matrix, path_laplacian, roll_laplacian, torus_laplacian


@pytest.mark.parametrize("n", [2, 3, 40, 3000])
def test_a_path_has_cosines_as_eigenvectors(n):
    d = min(3, n - 1)
    eigenvalues, U = bottom_eigenpairs(path_laplacian(n), d)
    j = np.arange(1, d + 1)
    np.testing.assert_allclose(eigenvalues, 2 - 2 * np.cos(np.pi * j / n), rtol=1e-6, atol=1e-14)
    cosines = np.cos(np.pi * np.outer(np.arange(n) + 0.5, j) / n)
    assert_equal_up_to_signs(U, cosines / np.linalg.norm(cosines, axis=0))


@pytest.mark.parametrize("n", [41, 2000])
def test_a_cycle_has_a_circle_as_its_first_two_eigenvectors(n):
    eigenvalues, U = bottom_eigenpairs(cycle_laplacian(n), 4)
    np.testing.assert_allclose(eigenvalues, 2 - 2 * np.cos(2 * np.pi * np.array([1, 1, 2, 2]) / n), rtol=1e-6)
    np.testing.assert_allclose(np.sum(U[:, :2] ** 2, axis=1), 2 / n, rtol=1e-6)


@pytest.mark.parametrize("n", [41, 2000])
def test_cutting_between_equal_eigenvalues_warns(n):
    with pytest.warns(UserWarning, match="Eigenvalues 1 and 2 are equal .* axis 1; ask for n_components=2"):
        bottom_eigenpairs(cycle_laplacian(n), 1)
    with pytest.warns(UserWarning, match="Eigenvalues 2 and 3 are equal .* axis 2; ask for n_components=3"):
        top_eigenpairs(np.diag(np.append([3.0, 2, 2], np.zeros(n - 3))), 2)


@pytest.mark.parametrize("n", [200, 1500])
@pytest.mark.parametrize("with_degrees", [False, True])
def test_eigenpairs_solve_their_equation_under_their_constraint(n, with_degrees):
    L, degrees = roll_laplacian(n)
    B = degrees if with_degrees else np.ones(n)
    eigenvalues, U = bottom_eigenpairs(L, 3, degrees if with_degrees else None)
    np.testing.assert_allclose(L @ U, B[:, None] * U * eigenvalues, atol=1e-12)
    np.testing.assert_allclose(U.T @ (B[:, None] * U), np.eye(3), atol=1e-10)
    np.testing.assert_allclose(B @ U, 0, atol=1e-10)
    assert np.all(np.diff(eigenvalues) > 0) and eigenvalues[-1] < 2


@pytest.mark.parametrize("as_operator", [False, True])
@pytest.mark.parametrize(
    "L", [torus_laplacian(30, 2), torus_laplacian(9, 3), torus_laplacian(5, 4)], ids=["2", "3", "4"]
)
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal")
def test_no_copy_of_a_repeated_eigenvalue_is_missed(L, as_operator):
    whole = np.linalg.eigvalsh(L.toarray())[1:]
    for d in (1, 2, 3, 4, 6, 9, 15, 30):
        eigenvalues, U = bottom_eigenpairs(aslinearoperator(L) if as_operator else L, d)
        np.testing.assert_allclose(eigenvalues, whole[:d], rtol=1e-8)
        np.testing.assert_allclose(L @ U, U * eigenvalues, atol=1e-7)
        np.testing.assert_allclose(U.T @ U, np.eye(d), atol=1e-10)


def test_an_operator_whose_products_do_not_converge_is_refused():
    with pytest.raises(ValueError, match=r"\(n=3000\) do not converge by products alone: give the matrix itself"):
        bottom_eigenpairs(aslinearoperator(path_laplacian(3000)), 2)


def test_a_factor_that_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "physical_memory", lambda: 2**20)
    with pytest.raises(ValueError, match="1 matrix of 1000 × 1000 numbers needs 7.629 MiB, but the machine has 1 MiB"):
        bottom_eigenpairs(lle_matrix(1000), 2)


def test_the_constant_stays_out_even_next_to_an_eigenvalue_of_1e_11():
    L = path_laplacian(2000)
    eigenvalues, U = bottom_eigenpairs(sparse.csr_array(L @ L), 2)
    np.testing.assert_allclose(eigenvalues, (2 - 2 * np.cos(np.pi * np.array([1, 2]) / 2000)) ** 2, rtol=1e-3)
    assert eigenvalues[0] < 1e-11 and np.abs(U.sum(axis=0)).max() < 1e-12


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_eigenvalues_scale_with_the_matrix_and_eigenvectors_do_not_change(scale):
    L = roll_laplacian(1200)[0]
    eigenvalues, U = bottom_eigenpairs(L, 2)
    scaled_eigenvalues, scaled_U = bottom_eigenpairs(scale * L, 2)
    np.testing.assert_allclose(scaled_eigenvalues, scale * eigenvalues, rtol=1e-9)
    assert_equal_up_to_signs(scaled_U, U)


def test_two_runs_give_the_same_digits():
    L = roll_laplacian(1200)[0]
    for first, second in zip(bottom_eigenpairs(L, 2), bottom_eigenpairs(L, 2)):
        np.testing.assert_array_equal(first, second)


def test_more_axes_leave_the_first_ones_as_they_are():
    L = roll_laplacian(1200)[0]
    assert_equal_up_to_signs(bottom_eigenpairs(L, 4)[1][:, :2], bottom_eigenpairs(L, 2)[1])


@pytest.mark.parametrize("n", [30, 1500])
def test_more_null_vectors_than_the_constant_are_counted(n):
    L = sparse.csr_array(sparse.block_diag([path_laplacian(n), path_laplacian(n + 1), path_laplacian(n + 2)]))
    with pytest.warns(UserWarning, match=r"Besides the constant vector, 2 eigenvector\(s\)"):
        eigenvalues, _ = bottom_eigenpairs(L, 4)
    np.testing.assert_allclose(eigenvalues[:2], 0, atol=1e-14)


def test_none_gives_all_but_the_constant():
    eigenvalues, U = bottom_eigenpairs(path_laplacian(20))
    assert U.shape == (20, 19) and eigenvalues[0] > 0
    assert bottom_eigenpairs(path_laplacian(20), 50)[1].shape == (20, 19)


def test_bad_matrices_are_named(monkeypatch):
    with pytest.raises(ValueError, match="M times the vector of ones is not 0"):
        bottom_eigenpairs(path_laplacian(20) + sparse.eye_array(20), 2)
    with pytest.raises(ValueError, match="M has the eigenvalue -.*must be positive semidefinite"):
        bottom_eigenpairs(-path_laplacian(20), 2)
    monkeypatch.setattr(memory, "physical_memory", lambda: 2**20)
    with pytest.raises(ValueError, match="600 × 600 numbers need 5.493 MiB, .*: ask for fewer components"):
        bottom_eigenpairs(path_laplacian(600))
