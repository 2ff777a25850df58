"""Smallest eigenpairs of sparse matrices: claims about dimred_lessons.eigenpairs.bottom_eigenpairs."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from dimred_lessons import eigenpairs, memory
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.eigenpairs import bottom_eigenpairs, top_eigenpairs
from dimred_lessons.graphs import knn_graph
from dimred_lessons.laplacians import graph_laplacian, heat_weights
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.reconstruction import reconstruction_cost, reconstruction_matrix
from support.comparisons import assert_equal_up_to_signs


def path_laplacian(n):
    """Laplacian of the path graph, with eigenvalues 2 − 2 cos(π j / n) and cosines as eigenvectors."""
    edges = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1])
    return graph_laplacian(sparse.csr_array(edges))[0]


def cycle_laplacian(n):
    """Laplacian of the cycle graph, with eigenvalues 2 − 2 cos(2π j / n), each twice."""
    shift = sparse.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    return graph_laplacian(sparse.csr_array(shift + shift.T))[0]


def roll_laplacian(n):
    return graph_laplacian(heat_weights(knn_graph(swiss_roll(n)[0], 8), 2.0))


def random_regular_laplacian(n):
    """Laplacian of a union of random permutations: no small set of vertices separates it."""
    rng = np.random.default_rng(0)
    edges = [(np.ones(n), (np.arange(n), rng.permutation(n))) for _ in range(4)]
    A = sum(sparse.csr_array(permutation, shape=(n, n)) for permutation in edges)
    return graph_laplacian(sparse.csr_array(A + A.T))[0]


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


def torus_laplacian(n, dimension):
    """A grid of n^dimension points, closed in every direction: eigenvalues repeat 2·dimension times and more."""
    L = cycle_laplacian(n)
    for _ in range(dimension - 1):
        L = sparse.kron(L, sparse.eye_array(n)) + sparse.kron(sparse.eye_array(L.shape[0]), cycle_laplacian(n))
    return sparse.csr_array(L)


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


def test_all_ways_to_the_eigenvectors_agree(monkeypatch):
    L = random_regular_laplacian(800)
    expected_values, expected = bottom_eigenpairs(L, 3)
    monkeypatch.setattr(eigenpairs, "_DENSE_LIMIT", 1000)
    dense = bottom_eigenpairs(L, 3)
    monkeypatch.setattr(eigenpairs, "_DENSE_LIMIT", 0)
    monkeypatch.setattr(eigenpairs, "_LARGE_SEPARATOR", 0)
    products = bottom_eigenpairs(L, 3)
    for values, U in (dense, products, bottom_eigenpairs(aslinearoperator(L), 3)):
        np.testing.assert_allclose(values, expected_values, rtol=1e-9)
        assert_equal_up_to_signs(U, expected)


def test_a_factor_that_would_fill_up_is_foreseen():
    separators = [eigenpairs.separator_size(L) for L in (path_laplacian(2000), random_regular_laplacian(2000))]
    assert separators[0] == 1 and separators[1] > 500
    rows = eigenpairs.separator_size(roll_laplacian(2000)[0])
    assert 10 < rows < 100


def lle_matrix(n):
    """M of LLE for points whose graph no small set separates, with tiny eigenvalues and entries of both signs."""
    X = np.random.default_rng(0).random((n, 10))
    return reconstruction_cost(reconstruction_matrix(X, neighbor_lists(X, 12)))


def test_where_a_sparse_factor_would_fill_up_a_dense_one_takes_its_place(monkeypatch):
    M = lle_matrix(1000)
    monkeypatch.setattr(eigenpairs, "_DENSE_LIMIT", 1000)
    expected_values, expected = bottom_eigenpairs(M, 3)
    monkeypatch.setattr(eigenpairs, "_DENSE_LIMIT", 0)
    for share in (0, 1):  # the dense factor, the sparse one
        monkeypatch.setattr(eigenpairs, "_DENSE_SEPARATOR", share)
        eigenvalues, U = bottom_eigenpairs(M, 3)
        np.testing.assert_allclose(eigenvalues, expected_values, rtol=1e-9, atol=1e-15)
        assert_equal_up_to_signs(U, expected)


@pytest.mark.parametrize(
    "matrix, separator, tried",
    [
        (path_laplacian(3000), 0, ["products", "sparse"]),  # products fail, but the factor is small after all
        (path_laplacian(3000), 1000, ["sparse"]),
        (random_regular_laplacian(2000), 0, ["products"]),
        (lle_matrix(1000), 0, ["dense"]),
    ],
)
def test_products_are_tried_for_laplacians_only_and_before_a_factor_that_fills_up(
    matrix, separator, tried, monkeypatch
):
    found = []
    for name, function in {"products": "_iterate", "sparse": "_sparse_factor", "dense": "_dense_factor"}.items():
        original = getattr(eigenpairs, function)

        def noted(*arguments, name=name, original=original):
            found.append(name)
            return original(*arguments)

        monkeypatch.setattr(eigenpairs, function, noted)
    monkeypatch.setattr(eigenpairs, "_LARGE_SEPARATOR", separator)
    bottom_eigenpairs(matrix, 2)
    assert found == tried


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
