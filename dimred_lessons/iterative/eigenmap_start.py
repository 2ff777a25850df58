"""Where a neighbor embedding starts: a Laplacian eigenmap of its affinities."""

import numpy as np
from scipy import sparse

from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.engine import accelerated, rough_eigenvectors


def eigenmap_of_affinities(P: np.ndarray | sparse.csr_array, d: int) -> np.ndarray:
    """Normalized Laplacian eigenmap of a matrix of weights, each axis of unit variance.

    Parameters
    ----------
    P : array, or symmetric sparse CSR array, of shape (n, n)
        Nonnegative weights; of an array, those of both directions are added.
    d : int

    Returns
    -------
    array of shape (n, d); with fewer axes if a dense P has no more
    """
    P = P if sparse.issparse(P) else P + P.T
    roots = np.sqrt(P.sum(axis=1))
    Y = axes_of_affinities(P, roots, d) / roots[:, np.newaxis]
    return Y / Y.std(axis=0)


@accelerated(rough_eigenvectors.axes_of_affinities)
def axes_of_affinities(P: np.ndarray | sparse.csr_array, roots: np.ndarray, d: int) -> np.ndarray:
    """Top eigenvectors of I + S for S_ij = P_ij / √(Deg_i Deg_j), without the constant axis, which is Deg^½ there.

    Parameters
    ----------
    P : array, or sparse CSR array, of shape (n, n), symmetric
    roots : array of shape (n,), Deg^½, whose squares are the sums of the rows
    d : int

    Returns
    -------
    array of shape (n, d), orthonormal columns
    """
    P = P if isinstance(P, np.ndarray) else P.toarray()
    outer = np.outer(roots, roots)
    S = P / outer - 2 * outer / P.sum()
    return top_eigenpairs(np.eye(len(P)) + S, d, unique=False)[1]  # (lem-eigenproblem)
