"""Eigenpairs: the one computation that every method of this book ends in.

Each function returns the most important pair first, orthonormal columns, and signs fixed so that two runs
agree. Pairs that are zero up to rounding are left out: there is no direction in them.
"""

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import eigsh

# Up to this size, all eigenpairs of a dense matrix cost no more than an iteration for a few of them.
_DENSE_LIMIT = 500
# Rounding leaves up to about n · eps of the largest value where zero should be; ten times that counts as zero.
_ROUNDING = 10 * np.finfo(float).eps


def top_eigenpairs(K, n_components=None):
    """Largest eigenvalues of a symmetric matrix, with their eigenvectors.

    Maximizes tr(UᵀKU) subject to UᵀU = I; the solution satisfies K U = U Λ with the largest eigenvalues.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    n_components : int or None
        How many at most; None for every positive eigenvalue.

    Returns
    -------
    eigenvalues : array of shape (d,), positive and decreasing
        Fewer than ``n_components`` if K has fewer that are positive beyond rounding.
    U : array of shape (n, d), orthonormal columns

    References
    ----------
    Chapter 1, equation (pca-ky-fan); sources G-08, G-11, G-16, G-23, L-07.
    """
    n = len(K)
    if n_components is None or n <= _DENSE_LIMIT or n_components > n // 10 or not K.any():
        eigenvalues, U = linalg.eigh(K)
    else:  # Lanczos, from a fixed start: two runs give the same digits
        start = np.random.default_rng(0).standard_normal(n)
        eigenvalues, U = eigsh(K, k=n_components, which="LA", v0=start)
    eigenvalues, U = eigenvalues[::-1], U[:, ::-1]
    kept = np.flatnonzero(eigenvalues > n * _ROUNDING * eigenvalues[0])[:n_components]
    return eigenvalues[kept], U[:, kept] * column_signs(U[:, kept])


def thin_svd(X, n_components=None):
    """Largest singular values of a matrix, with their singular vectors: X ≈ U Σ Vᵀ.

    Minimizes ‖X − U Σ Vᵀ‖ over all matrices of rank ``n_components`` (Eckart and Young).

    Parameters
    ----------
    X : array of shape (n, D)
    n_components : int or None
        How many at most; None for every positive singular value, that is, the rank of X.

    Returns
    -------
    U : array of shape (n, d), orthonormal columns
    singular_values : array of shape (d,), positive and decreasing
        Fewer than ``n_components`` if the rank of X is smaller.
    V : array of shape (D, d), orthonormal columns

    References
    ----------
    Chapter 1, equation (pca-svd); sources G-15, W-04, R-26.
    """
    U, singular_values, Vt = linalg.svd(X, full_matrices=False)
    kept = np.flatnonzero(singular_values > max(X.shape) * _ROUNDING * singular_values[0])[:n_components]
    signs = column_signs(U[:, kept])
    return U[:, kept] * signs, singular_values[kept], Vt[kept].T * signs


def column_signs(U):
    """Sign of each column's largest entry: the factor that makes this entry positive.

    An eigenvector is determined up to its sign only. Of entries that are equal up to rounding the first one
    decides, so that a symmetric vector gets the same sign on every machine.

    Parameters
    ----------
    U : array of shape (n, d)

    Returns
    -------
    signs : array of shape (d,), each 1.0 or -1.0
    """
    magnitudes = np.abs(U)
    largest = np.argmax(magnitudes >= (1 - 1e-6) * magnitudes.max(axis=0), axis=0)
    return np.where(U[largest, np.arange(U.shape[1])] < 0, -1.0, 1.0)
