"""Smallest eigenvalues of sparse matrices: each way of the engine against all eigenpairs."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from dimred_lessons.eigenpairs import bottom_eigenpairs, largest_row_sum, smallest_eigenvectors
from dimred_lessons.engine import reference, shift_invert
from support.matrices import (
    cycle_laplacian,
    lle_matrix,
    path_laplacian,
    random_regular_laplacian,
    roll_laplacian,
    torus_laplacian,
)

MATRICES = {
    "a path, of tiny eigenvalues": path_laplacian(700),
    "tinier ones": sparse.csr_array(path_laplacian(520) @ path_laplacian(520)),
    "a circle, of pairs of eigenvalues": cycle_laplacian(601),
    "a torus, of six equal ones": torus_laplacian(9, 3),
    "two components": sparse.csr_array(sparse.block_diag([path_laplacian(300), path_laplacian(301)])),
    "a roll": roll_laplacian(600)[0],
    "a graph that nothing separates": random_regular_laplacian(600),
    "LLE in ten dimensions": lle_matrix(600),
    "in small units": 1e-12 * roll_laplacian(600)[0],
    "three points": path_laplacian(3),
}
WAYS = ("matrix", "sparse factor", "dense factor")


@pytest.mark.parametrize("S", MATRICES.values(), ids=MATRICES)
@pytest.mark.filterwarnings("ignore:Besides the constant vector", "ignore:Eigenvalues .* are equal")
def test_the_engine_equals_the_equation_on_hostile_matrices(S):
    d, norm = min(4, S.shape[0] - 1), largest_row_sum(S)
    eigenvalues, U = bottom_eigenpairs(S, d)
    with reference():
        expected, _ = bottom_eigenpairs(S, d)
    np.testing.assert_allclose(eigenvalues, expected, rtol=1e-7, atol=1e-15 * norm)
    np.testing.assert_allclose(S @ U, U * eigenvalues, atol=1e-13 * norm)
    np.testing.assert_allclose(U.T @ U, np.eye(d), atol=1e-9)
    np.testing.assert_allclose(U.sum(axis=0), 0, atol=1e-10)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_equals_the_equation_where_all_converge(way, monkeypatch):
    L = random_regular_laplacian(800)
    null_vector, norm = np.full(800, 800**-0.5), largest_row_sum(L)
    expected = smallest_eigenvectors.equation(L, 3, null_vector, norm)
    monkeypatch.setattr(shift_invert, "bottom_products", lambda *sizes: (way, "sparse factor"))
    found = smallest_eigenvectors.engine(L, 3, null_vector, norm)
    np.testing.assert_allclose(np.abs(np.sum(found * expected, axis=0)), 1, atol=1e-9)
    by_operator = smallest_eigenvectors.engine(aslinearoperator(L), 3, null_vector, norm)
    np.testing.assert_allclose(np.abs(np.sum(by_operator * expected, axis=0)), 1, atol=1e-9)


@pytest.mark.parametrize("factor", [shift_invert.sparse_factor, shift_invert.dense_factor])
def test_a_factor_solves_the_shifted_system_even_next_to_the_null_vector(factor):
    M = lle_matrix(600)
    shift, y = 1e-12, np.random.default_rng(0).standard_normal(600)
    x = factor(M, shift)(y)
    rounding = 10 * np.finfo(float).eps * largest_row_sum(M) * np.linalg.norm(x)
    assert np.linalg.norm(M @ x + shift * x - y) < rounding


def test_where_products_do_not_converge_the_next_way_is_taken(monkeypatch):
    monkeypatch.setattr(shift_invert, "bottom_products", lambda *sizes: ("matrix", "sparse factor"))
    eigenvalues, _ = bottom_eigenpairs(path_laplacian(3000), 2)
    np.testing.assert_allclose(eigenvalues, 2 - 2 * np.cos(np.pi * np.array([1, 2]) / 3000), rtol=1e-6)


def test_a_laplacian_has_no_positive_weight_off_the_diagonal():
    assert shift_invert.is_laplacian(path_laplacian(9)) and not shift_invert.is_laplacian(lle_matrix(60))


def test_row_sums_of_an_operator_are_estimated_from_above():
    L = roll_laplacian(600)[0]
    top = np.linalg.eigvalsh(L.toarray())[-1]
    assert top <= largest_row_sum(aslinearoperator(L)) <= 1.2 * top
    assert top <= largest_row_sum(L) == pytest.approx(largest_row_sum.equation(L))
