"""Largest eigenvalues by products: the engine against all eigenpairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError

from dimred_lessons.eigenpairs import largest_eigenpairs
from dimred_lessons.engine.krylov import block_krylov
from support.matrices import DEGENERATE, SPECTRA, with_spectrum


def agrees(K, found, n_pairs):
    """Equal values, and vectors that solve the equation: with equal values, their span is all that is determined."""
    expected, _ = largest_eigenpairs.equation(K, n_pairs)
    eigenvalues, U = found
    size = max(np.linalg.norm(K, 2), np.finfo(float).tiny)
    np.testing.assert_allclose(eigenvalues, expected, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(K @ U, U * eigenvalues, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(U.T @ U, np.eye(n_pairs), atol=1e-12)


@pytest.mark.parametrize("n_pairs", [1, 3, 28])
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE)
def test_the_engine_equals_the_equation_where_eigenvalues_are_equal(matrix, n_pairs):
    K = matrix(560)
    agrees(K, largest_eigenpairs.engine(K, n_pairs), n_pairs)


@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_the_engine_equals_the_equation_on_spectra_that_are_hard_for_products(spectrum):
    K = with_spectrum(spectrum, 700)
    agrees(K, largest_eigenpairs.engine(K, 4), 4)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(n=st.integers(80, 200), n_pairs=st.integers(1, 4), copies=st.integers(1, 5), seed=st.integers(0, 100))
def test_products_find_every_copy_of_a_repeated_value(n, n_pairs, copies, seed):
    values = np.repeat(np.random.default_rng(seed).exponential(size=6), copies)
    K = with_spectrum(values, n)
    agrees(K, block_krylov(lambda rows: rows @ K, n, n_pairs, 10, rounds=100), n_pairs)


def test_few_pairs_of_points_converge_within_the_rounds_that_lapack_takes():
    X = np.random.default_rng(0).standard_normal((1000, 30)) * np.linspace(3, 1, 30)
    agrees(X @ X.T, block_krylov(lambda rows: rows @ X @ X.T, 1000, 3, 10, rounds=40), 3)


def test_what_does_not_converge_is_refused():
    K = np.diag(np.arange(300.0))
    with pytest.raises(LinAlgError, match=r"The 2 largest eigenvalues \(n=300\) do not converge by products alone"):
        block_krylov(lambda rows: rows @ K, 300, 2, 10, rounds=2)
