"""Smallest eigenvalues of a sparse matrix: Lanczos' method on its inverse, without the null vector.

The eigenvalues wanted at the bottom are tiny fractions λ of the norm, next to each other: products of S do not tell
them apart. Those of (S + shift I)⁻¹ are 1 / (λ + shift): large, far apart, and found in a few products, each of which
solves with one factor of S + shift I. Its eigenvectors are those of S. The shift, 10 ε‖S‖, keeps the factor from
breaking down at the null vector.

Error. Rounding of the factor is ε‖S‖ to some multiple, so that even eigenvalues of 1e-12 ‖S‖ keep their vectors apart;
`dimred_lessons.eigenpairs.bottom_eigenpairs` takes the values from S itself.

The null vector, known beforehand, is projected out of every product (deflation). So is each vector that was found, when
the search goes on for further copies of a repeated eigenvalue.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from dimred_lessons.engine.choice import bottom_products, bottom_solver, small
from dimred_lessons.engine.separators import separator_size
from dimred_lessons.engine.threads import one_blas_thread
from dimred_lessons.memory import require_memory

Matrix: TypeAlias = sparse.csr_array | LinearOperator

# Rounding of a factor, as a share of the norm: a shift just above it is far below even small eigenvalues.
_SHIFT = 10 * np.finfo(float).eps
_REMEDY = "use fewer points, or fewer neighbors of each"


def largest_row_sum(S: Matrix) -> float:
    """A bound of the eigenvalues of a symmetric matrix; of an operator, its largest one by products, and a tenth more.

    Parameters
    ----------
    S : sparse CSR array or LinearOperator of shape (n, n)

    Returns
    -------
    float
    """
    if isinstance(S, LinearOperator):
        return 1.1 * eigsh(S, k=1, v0=_start(S.shape[0]), tol=0.01, return_eigenvectors=False)[0]
    return abs(S).sum(axis=1).max()


def smallest_eigenvectors(S: Matrix, n_pairs: int, null_vector: np.ndarray, norm: float) -> np.ndarray:
    """Eigenvectors of the smallest eigenvalues, without the null vector.

    Parameters
    ----------
    S : sparse CSR array or LinearOperator of shape (n, n), symmetric and positive semidefinite
    n_pairs : int
    null_vector : array of shape (n,), of unit length
    norm : float
        Nowhere below the eigenvalues.

    Returns
    -------
    array of shape (n, n_pairs), orthonormal columns, in the order of their eigenvalues

    Raises
    ------
    ValueError
        If the products of an operator do not converge, or an array that is needed does not fit into memory.
    """
    n = len(null_vector)
    if bottom_solver(n, n_pairs) == "lapack":
        require_memory(2, n, n, "ask for fewer components, or use fewer points")
        with one_blas_thread(small(n)):
            deflated = S @ np.eye(n) + 2 * norm * np.outer(null_vector, null_vector)
            return linalg.eigh(deflated, driver="evd")[1][:, :n_pairs]
    if isinstance(S, LinearOperator):
        return by_products(S, n_pairs, null_vector, norm)
    separator = separator_size(S)
    ways = bottom_products(n, separator, is_laplacian(S))
    if "matrix" in ways:
        try:
            return by_products(S, n_pairs, null_vector, norm)
        except ValueError:
            pass
    if "dense factor" in ways:
        require_memory(1, n, n, _REMEDY)
        solve = dense_factor(S, _SHIFT * norm)
    else:
        require_memory(3, separator, separator, _REMEDY)  # 2s² numbers, half of them with an index
        solve = sparse_factor(S, _SHIFT * norm)
    return by_inverse(solve, n_pairs, null_vector)


def is_laplacian(S: sparse.csr_array) -> bool:
    """Whether no entry off the diagonal is positive: a Laplacian has negative weights there, LLE's M has both signs.

    Parameters
    ----------
    S : sparse CSR array of shape (n, n)

    Returns
    -------
    bool
    """
    return (S - sparse.diags_array(S.diagonal())).max() <= 0


# -------------------------------------------------------------------------------------------------------
# Factors


def sparse_factor(S: sparse.csr_array, shift: float) -> Callable:
    """Function that solves (S + shift I) x = y; an order of minimum degree keeps the factor sparse.

    The matrix is positive definite, so that the factor needs no pivoting.

    Parameters
    ----------
    S : sparse CSR array of shape (n, n), symmetric and positive semidefinite
    shift : float, positive

    Returns
    -------
    function
    """
    return splu(
        (S + shift * sparse.eye_array(S.shape[0])).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0,
        panel_size=4,
        options={"SymmetricMode": True},
    ).solve


def dense_factor(S: sparse.csr_array, shift: float) -> Callable:
    """The same by Cholesky's factorization, in place of the one dense array.

    Parameters
    ----------
    S, shift : see `sparse_factor`

    Returns
    -------
    function
    """
    dense = S.toarray(order="F")
    dense[np.diag_indices_from(dense)] += shift
    factor = linalg.cho_factor(dense, lower=True, overwrite_a=True, check_finite=False)
    return partial(linalg.cho_solve, factor, check_finite=False)


# -------------------------------------------------------------------------------------------------------
# Lanczos' method


def by_inverse(solve: Callable, n_pairs: int, null_vector: np.ndarray) -> np.ndarray:
    """Eigenvectors at the bottom, from solutions of (S + shift I) x = y.

    Parameters
    ----------
    solve : function
    n_pairs, null_vector : see `smallest_eigenvectors`

    Returns
    -------
    array of shape (n, n_pairs)
    """
    n = len(null_vector)
    basis = min(n, max(16, 2 * n_pairs + 4))  # wide enough for few rounds, narrow enough to waste few products
    with one_blas_thread():  # threads do not pay for a few long vectors
        return _lanczos(solve, n_pairs, null_vector, ncv=basis, tol=1e-10)


def by_products(S: Matrix, n_pairs: int, null_vector: np.ndarray, norm: float) -> np.ndarray:
    """Eigenvectors at the bottom, from products alone: those at the top of norm I − S.

    Parameters
    ----------
    S, n_pairs, null_vector, norm : see `smallest_eigenvectors`

    Returns
    -------
    array of shape (n, n_pairs)

    Raises
    ------
    ValueError
        If they do not converge, because the eigenvalues are tiny fractions of the norm.
    """
    n = len(null_vector)
    try:
        # A wide basis and few rounds: what has not converged then will not in reasonable time
        basis = min(n, 4 * n_pairs + 40)
        return _lanczos(lambda x: norm * x - S @ x, n_pairs, null_vector, ncv=basis, maxiter=50)
    except ArpackNoConvergence as error:
        raise ValueError(
            f"The smallest eigenvalues (n={n}) do not converge by products alone: give the matrix itself, which can "
            "be factored, or use fewer points."
        ) from error


def _lanczos(product, n_pairs, null_vector, **options):
    """Eigenvectors (n, n_pairs) of the largest eigenvalues of an operator, orthogonal to its null vector.

    The Krylov space of one vector holds one copy of a repeated eigenvalue. So the search goes on among the
    vectors orthogonal to all that were found, one at a time, until it finds nothing larger.
    """
    n = len(null_vector)
    found = null_vector[:, np.newaxis]

    def project(x):
        return x - found @ (found.T @ x)

    operator = LinearOperator((n, n), matvec=lambda x: project(product(project(x.ravel()))), dtype=float)
    values, V = eigsh(operator, n_pairs, which="LA", v0=operator @ _start(n), **options)
    found = np.column_stack([found, V])
    while True:
        # A new start each time: the part of the first one in an eigenspace is among the vectors found already
        start, last = operator @ _start(n, seed=found.shape[1]), np.sort(values)[-n_pairs]
        # The other eigenvalues are usually much smaller, which a rough estimate shows in a few products
        rough = {"ncv": min(n, 4), "tol": 0.05, "return_eigenvectors": False}
        clear = eigsh(operator, 1, which="LA", v0=start, **rough)[0] <= 0.9 * last
        value, v = (0, None) if clear else eigsh(operator, 1, which="LA", v0=start, **options)
        if clear or value[0] <= last * (1 + 1e-8):
            return found[:, 1 + np.argsort(values)[: -n_pairs - 1 : -1]]
        found, values = np.column_stack([found, v]), np.append(values, value)


def _start(n, seed=0):
    """Start vector of an iteration: always the same, so that two runs give the same digits."""
    return np.random.default_rng(seed).standard_normal(n)
