"""That a matrix has no negative eigenvalue, without its eigenvalues.

A symmetric matrix A has a Cholesky factor, A = LLᵀ, if and only if it is positive definite. So where the factorization
of K + τI runs to its end, no eigenvalue of K is below −τ, up to its rounding, n ε‖K‖. It takes n³ / 3 operations and
one copy of K: a fifth of the time of the eigenvalues (n = 500). Where it breaks down, τ may still be missed by
rounding only: that is left to the eigenvalues.

Error. No eigenvalue below −τ − n ε‖K‖ passes; one above it may, which is what a tolerance is for.
"""

import numpy as np
from scipy import linalg


def negative_eigenvalue(K: np.ndarray, tolerance: float) -> float:
    """The most negative eigenvalue, if one is below −tolerance.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    tolerance : float, positive

    Returns
    -------
    float
        0.0 if there is none; NotImplemented if the factorization does not prove it.
    """
    shifted = K.copy()
    shifted.flat[:: len(K) + 1] += tolerance
    try:
        linalg.cholesky(shifted, overwrite_a=True)
    except linalg.LinAlgError:
        return NotImplemented
    return 0.0
