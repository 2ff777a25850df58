"""Top eigenvectors of a large sparse matrix of affinities, as far as the start of an iteration needs them.

The map that begins there is shrunk to almost nothing, and its axes grow again by what attracts and repels: an error of
the start in directions of nearly the same eigenvalue is what a few steps change anyway. So Lanczos' method may end at
residuals ‖r‖ ≤ 10⁻³ θ, after some tens of products with the sparse matrix, none of which is ever dense. The constant
axis is taken off by a product of two vectors.

Error. A symmetric matrix has an eigenvalue within ‖r‖ of θ ≤ 2, and the vectors of a cluster of eigenvalues are off by
‖r‖ / gap, gap the distance to those left out: for gaps of 0.1, by some 2%. Their span, not single vectors, is what can
be relied on.
"""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

# Residuals, as a share of the eigenvalues, which are between 0 and 2.
ACCURACY = 1e-3


def axes_of_affinities(P: np.ndarray | sparse.csr_array, roots: np.ndarray, d: int) -> np.ndarray:
    """Top eigenvectors of I + S, without the constant axis, of a sparse matrix.

    Parameters
    ----------
    P, roots, d : see `dimred_lessons.iterative.eigenmap_start.axes_of_affinities`

    Returns
    -------
    array of shape (n, d); or NotImplemented, where P is dense, or as small as the space that Lanczos' method needs
    """
    n = len(roots)
    if not sparse.issparse(P) or n <= 2 * d + 1:
        return NotImplemented
    constant = roots / linalg.norm(roots)
    S = sparse.diags_array(1 / roots) @ P @ sparse.diags_array(1 / roots)
    deflated = LinearOperator(S.shape, lambda v: v.ravel() + S @ v.ravel() - 2 * (constant @ v.ravel()) * constant)
    first = np.random.default_rng(0).standard_normal(n)
    return eigsh(deflated, d, v0=first, tol=ACCURACY)[1][:, ::-1]
