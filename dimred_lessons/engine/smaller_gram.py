"""Dot products of rows or of columns: AAᵀ (n, n) and AᵀA (D, D) have the same positive eigenvalues.

If AᵀA v = λ v, then AAᵀ (Av) = λ (Av), and ‖Av‖² = vᵀAᵀA v = λ: the eigenvector of AAᵀ is u = Av / √λ. So the smaller
one of both matrices will do.

Error. Forming it rounds its entries by ε‖A‖², which moves an eigenvalue by no more, and a vector u by some ε‖A‖² / λ:
as in the larger matrix. Where λ is of the size of that rounding, u has no digits left.
"""

import numpy as np

from dimred_lessons.engine.krylov import largest_eigenpairs


def largest_gram_eigenpairs(A: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of AAᵀ, largest first.

    Parameters
    ----------
    A : array of shape (n, D)
    n_pairs : int

    Returns
    -------
    eigenvalues : array of shape (m,), decreasing
        Fewer than ``n_pairs`` if AᵀA is smaller: all others are zero.
    U : array of shape (n, m)
        Orthonormal columns, where the eigenvalue is above rounding; zero where it is not positive.
    """
    n, D = A.shape
    if n <= D:
        return largest_eigenpairs(A @ A.T, n_pairs)
    eigenvalues, V = largest_eigenpairs(A.T @ A, min(n_pairs, D))
    return eigenvalues, A @ V / np.sqrt(np.where(eigenvalues > 0, eigenvalues, np.inf))
