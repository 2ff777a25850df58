"""Largest eigenvalues by products: a block Krylov space, and Rayleigh and Ritz's answer within it.

The space that vectors, their images, the images of these and so on span holds good approximations of the eigenvectors
at the ends of a spectrum. With an orthonormal basis V of it, the eigenpairs (θ, s) of the small matrix T = VᵀKV give
the best ones there: values θ and vectors Vs (Rayleigh and Ritz).

Error. How wrong they are is seen: a symmetric matrix has an eigenvalue within ‖r‖ of θ, where r = K(Vs) − θ(Vs) is the
residual of a unit vector, and the vector is off by ‖r‖ / gap. The iteration ends at residuals of 100 ε‖K‖, which is
what rounding leaves of them.

The space of one vector holds one copy of a repeated eigenvalue; that of a block of vectors as many as the block is
wide. So the block has some vectors more than there are pairs to find, and none is missed.
"""

from collections.abc import Callable

import numpy as np
from scipy import linalg
from scipy.linalg import LinAlgError

from dimred_lessons.engine.choice import small, top_solver
from dimred_lessons.engine.threads import one_blas_thread

# Residuals that rounding leaves, as a share of the norm of the matrix.
_CONVERGED = 100 * np.finfo(float).eps
# Vectors of a block: at least ten, since products with ten at once take as long as with two, the matrix being read
# once; and some more than pairs are wanted, as the last ones converge by the gap behind the block.
_LEAST_WIDTH, _SPARE = 10, 5
# Blocks of the space before it restarts, whose small eigenproblem is solved in each round, and those it restarts with.
_MOST_BLOCKS, _BLOCKS_KEPT = 15, 2


def largest_eigenpairs(K: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of a symmetric matrix, largest first, whatever their sign.

    Where few pairs of a large matrix are wanted, by products, which end within the time that LAPACK takes, or are
    given up: for example, for eigenvalues near zero next to large negative ones. Otherwise LAPACK finds all pairs:
    asked for a range, it returns fewer if eigenvalues are equal, or fails.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    n_pairs : int

    Returns
    -------
    eigenvalues : array of shape (n_pairs,), decreasing
    U : array of shape (n, n_pairs), orthonormal columns
    """
    n, width = len(K), max(_LEAST_WIDTH, n_pairs + _SPARE)
    if top_solver(n, n_pairs) == "krylov":
        try:  # 2n/5 products with K take 4n³/5 operations, and about as long as LAPACK for all pairs
            return block_krylov(lambda rows: rows @ K, n, n_pairs, width, rounds=2 * n // (5 * width))
        except LinAlgError:
            pass
    with one_blas_thread(small(n)):
        eigenvalues, U = linalg.eigh(K, driver="evd")
    return eigenvalues[::-1][:n_pairs], U[:, ::-1][:, :n_pairs]


def block_krylov(
    product: Callable[[np.ndarray], np.ndarray], n: int, n_pairs: int, width: int, rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues, decreasing, and eigenvectors of a symmetric operator, from products.

    When the space is full, it restarts from its best vectors (thick restart).

    Parameters
    ----------
    product : function
        Takes vectors as rows (width, n) to their images (width, n).
    n, n_pairs : int
    width : int
        Vectors in a block: more than ``n_pairs``; at most n / 8.
    rounds : int
        After how many products of a block to give up.

    Returns
    -------
    eigenvalues : array of shape (n_pairs,)
    U : array of shape (n, n_pairs)

    Raises
    ------
    numpy.linalg.LinAlgError
        If the residuals are still above rounding after the last round.
    """
    capacity, size = min(_MOST_BLOCKS * width, n // 2), 0
    V, images, T = np.empty((capacity, n)), np.empty((capacity, n)), np.empty((capacity, capacity))
    block = np.random.default_rng(0).standard_normal((width, n))  # the same in every run: the same digits
    for _ in range(rounds):
        for _ in range(2):  # a second time, to remove the rounding of the first
            block = np.linalg.qr((block - (block @ V[:size].T) @ V[:size]).T)[0].T
        new, size = slice(size, size + width), size + width
        V[new], images[new] = block, product(block)
        T[new, :size] = images[new] @ V[:size].T
        theta, S = np.linalg.eigh(T[:size, :size])  # reads the lower triangle only
        theta, S = theta[::-1], S.T[::-1]
        ritz = S[:width] @ V[:size]
        block = S[:width] @ images[:size] - theta[:width, np.newaxis] * ritz  # residuals, which widen the space
        if np.all(linalg.norm(block[:n_pairs], axis=1) <= _CONVERGED * np.abs(theta).max()):
            return theta[:n_pairs], ritz[:n_pairs].T
        if size + width > capacity:
            best = S[: _BLOCKS_KEPT * width]
            V[: len(best)], images[: len(best)] = best @ V[:size], best @ images[:size]
            size = len(best)
            T[:size, :size] = np.diag(theta[:size])
    raise LinAlgError(f"The {n_pairs} largest eigenvalues (n={n}) do not converge by products alone.")
