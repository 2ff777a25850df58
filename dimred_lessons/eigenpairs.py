"""Eigenpairs: the one computation that every method of this book ends in.

Each function returns the most important pair first, orthonormal columns, and signs fixed so that two runs
agree. At the top of a spectrum, pairs that are zero up to rounding are left out: they have no direction.
Where the last axis asked for and the first one left out have the same eigenvalue up to rounding, the data do
not determine the answer, and a warning says so.
"""

from contextlib import suppress
from functools import partial

import numpy as np
from scipy import linalg, sparse
from scipy.linalg.blas import dsymv
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from dimred_lessons.machine import one_blas_thread, require_memory, warn

# Up to this size, a dense eigensolver costs no more than an iteration for a few pairs.
_DENSE_LIMIT = 500
_EPS = np.finfo(float).eps
# Rounding leaves up to n · eps of the largest value where zero should be; ten times that counts as zero.
_ROUNDING = 10 * _EPS
# Eigenvalues closer than this fraction of the matrix norm: rounding alone can turn their eigenvectors.
_SAME = 100 * _EPS
# Where more vertices than these separate the graph of a Laplacian into halves, products converge before it is factored.
_LARGE_SEPARATOR = 1000
# Where more than this share of the vertices separate a graph into halves, a dense factor is faster than a sparse one.
_DENSE_SEPARATOR = 1 / 3


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
    Equation (pca-ky-fan); sources G-08, G-11, G-16, G-23, L-07.
    """
    n = len(K)
    wanted = n if n_components is None else min(n, n_components + 1)  # one more, to see the gap behind the last
    with one_blas_thread(small=n <= _DENSE_LIMIT):
        if wanted > n // 10 or not K.any():
            eigenvalues, U = linalg.eigh(K)
        elif n <= _DENSE_LIMIT:
            eigenvalues, U = linalg.eigh(K, subset_by_index=[n - wanted, n - 1])
        else:
            eigenvalues, U = _lanczos(K, wanted)
    eigenvalues, U = eigenvalues[::-1], U[:, ::-1]
    size = max(eigenvalues[0], np.abs(np.diag(K)).max())  # at most the norm of K, even if no value is positive
    positive = np.flatnonzero(eigenvalues > n * _ROUNDING * size)
    kept = positive[:n_components]
    _warn_of_degenerate_cut(eigenvalues[positive], len(kept), norm=eigenvalues[0])
    return eigenvalues[kept], U[:, kept] * column_signs(U[:, kept])


def _lanczos(K, n_pairs):
    """Largest eigenvalues of a dense symmetric matrix, increasing, from products with it if this converges."""
    n, columns = len(K), np.asfortranarray(K.T, dtype=float)  # no copy of an array in C order
    # A symmetric product reads one triangle only: half the memory traffic
    product = LinearOperator(K.shape, matvec=lambda x: dsymv(1.0, columns, x), dtype=float)
    try:
        return eigsh(product, n_pairs, which="LA", v0=_start(n), tol=1e-10, maxiter=100)
    except ArpackNoConvergence:  # at zero, say, next to large negative values
        return linalg.eigh(K, subset_by_index=[n - n_pairs, n - 1])


def bottom_eigenpairs(M, n_components=None, degrees=None):
    """Smallest eigenvalues of a symmetric matrix M with M 1 = 0, with their eigenvectors, but without 1.

    Minimizes tr(UᵀMU) subject to UᵀU = I and 1ᵀU = 0; the solution satisfies M U = U Λ. With degrees, whose
    diagonal matrix is Deg: subject to UᵀDeg U = I and 1ᵀDeg U = 0, and M U = Deg U Λ. The constant vector is
    deflated explicitly: next to an eigenvalue of 1e-11, rounding would mix it in.

    Parameters
    ----------
    M : sparse or dense array of shape (n, n), symmetric and positive semidefinite, or LinearOperator
        Of an operator only products are taken: right where the matrix would not fit, slow where the
        eigenvalues wanted are tiny fractions of the largest one.
    n_components : int or None
        How many at most; None for all n − 1.
    degrees : array of shape (n,), positive, or None
        Diagonal of Deg; None for the identity. Not with an operator.

    Returns
    -------
    eigenvalues : array of shape (d,), increasing, not negative
    U : array of shape (n, d)

    Raises
    ------
    ValueError
        If M 1 is not 0, an eigenvalue is negative, an operator's products do not converge, or the graph of a
        matrix needs a factor that does not fit into memory.

    Warns
    -----
    UserWarning
        If 1 is not the only null vector, or if the last axis is not determined.

    References
    ----------
    Equation (lle-eigenproblem); sources G-45, G-51 to G-53, W-38, R-66, R-75 to R-78.
    """
    n = M.shape[0]
    root = np.ones(n) if degrees is None else np.sqrt(degrees)
    null_vector = root / linalg.norm(root)
    if isinstance(M, LinearOperator):  # its largest eigenvalue, with a margin
        S, norm = M, 1.1 * eigsh(M, k=1, v0=_start(n), tol=0.01, return_eigenvectors=False)[0]
    else:  # v = Deg^½ u makes M u = λ Deg u an ordinary problem; row sums bound its largest eigenvalue
        S = sparse.diags_array(1 / root) @ sparse.csr_array(M) @ sparse.diags_array(1 / root)
        norm = abs(S).sum(axis=1).max()
    if linalg.norm(S @ null_vector) > 1e-8 * norm:
        raise ValueError("M times the vector of ones is not 0: rows of W must sum to one, of L to zero.")
    wanted = n - 1 if n_components is None else min(n_components, n - 1)
    more = min(wanted + 1, n - 1)
    if isinstance(M, LinearOperator):
        V = _iterate(S, more, null_vector, norm)
    elif n <= _DENSE_LIMIT or wanted > n // 10:
        require_memory(2, n, n)
        # Deflation: the null vector moves to the far end of the spectrum
        with one_blas_thread(small=n <= _DENSE_LIMIT):
            V = linalg.eigh(S.toarray() + 2 * norm * np.outer(null_vector, null_vector))[1][:, :more]
    else:
        V = _factor_or_iterate(S, more, null_vector, norm)
    eigenvalues = np.einsum("ij,ij->j", V, S @ V)  # vᵀSv: errors cancel, far below the rounding of one entry
    if eigenvalues[0] < -_SAME * norm:
        raise ValueError(f"M has the eigenvalue {eigenvalues[0]:.2g}: it must be positive semidefinite.")
    eigenvalues = np.maximum(eigenvalues, 0)
    n_null = np.sum(eigenvalues[:wanted] <= _EPS * norm)
    if n_null:
        warn(
            f"Besides the constant vector, {n_null} eigenvector(s) have eigenvalue 0 up to rounding: these "
            "axes cost nothing and are determined only up to a mixture; raise n_neighbors, sigma or reg."
        )
    else:
        _warn_of_degenerate_cut(eigenvalues, wanted, norm)
    U = V[:, :wanted] / root[:, np.newaxis]
    return eigenvalues[:wanted], U * column_signs(U)


def _factor_or_iterate(S, n_pairs, null_vector, norm):
    """Bottom eigenvectors of a sparse matrix by what is cheapest: products, a sparse factor or a dense one.

    Where s vertices separate the graph into halves, the sparse factor takes some 2s² numbers and s³ operations, the
    dense one n² numbers and n³ / 3 operations that are some ten times as fast each. A graph that no small set of
    vertices separates has a large second Laplacian eigenvalue (Cheeger), so that Laplacian eigenmaps converge by
    products where the factor would fill up. LLE's eigenvalues are too small for that, and products are not tried.
    """
    n, separator = len(null_vector), separator_size(S)
    if separator > _LARGE_SEPARATOR and _is_laplacian(S):
        with suppress(ValueError):
            return _iterate(S, n_pairs, null_vector, norm)
    if separator > _DENSE_SEPARATOR * n:
        require_memory(1, n, n)
        factor = _dense_factor
    else:
        require_memory(3, separator, separator)  # an entry has an index, too
        factor = _sparse_factor
    # The shift is just above the rounding of the factor: far below the eigenvalues wanted, however small
    return _shift_invert(factor(S, _SAME * norm / 10), n_pairs, null_vector)


def _is_laplacian(S):
    """Whether no entry off the diagonal is positive: a Laplacian has negative weights there, LLE's M both signs."""
    return (S - sparse.diags_array(S.diagonal())).max() <= 0


def _sparse_factor(S, shift):
    """Function that solves (S + shift I) x = y; minimum degree keeps its factor sparse.

    The matrix is positive definite, so that the factor needs no pivoting.
    """
    return splu(
        (S + shift * sparse.eye_array(S.shape[0])).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0,
        panel_size=4,
        options={"SymmetricMode": True},
    ).solve


def _dense_factor(S, shift):
    """The same by Cholesky's factorization, in the place of the one dense array."""
    dense = S.toarray(order="F")
    dense[np.diag_indices_from(dense)] += shift
    factor = linalg.cho_factor(dense, lower=True, overwrite_a=True, check_finite=False)
    return partial(linalg.cho_solve, factor, check_finite=False)


def _shift_invert(solve, n_pairs, null_vector):
    """Lanczos on (S + shift I)⁻¹: its largest eigenvalues 1 / (λ + shift) are far apart and converge fast."""
    n = len(null_vector)
    inverse = _deflated(solve, null_vector)
    start, basis = inverse @ _start(n), min(n, max(16, 2 * n_pairs + 4))  # few rounds, and few in vain
    with one_blas_thread():  # a few long vectors at a time
        return eigsh(inverse, n_pairs, which="LA", v0=start, ncv=basis, tol=1e-10)[1][:, ::-1]


def _iterate(S, n_pairs, null_vector, norm):
    """Lanczos on norm I − S, by products alone: converges if the eigenvalues are not tiny shares of norm."""
    n = len(null_vector)
    flipped = _deflated(lambda x: norm * x - S @ x, null_vector)
    try:
        # A wide basis and few rounds: what has not converged then will not in reasonable time
        start, basis = flipped @ _start(n), min(n, 4 * n_pairs + 40)
        _, V = eigsh(flipped, n_pairs, which="LA", v0=start, ncv=basis, maxiter=50)
    except ArpackNoConvergence as error:
        raise ValueError(
            f"The smallest eigenvalues (n={n}) do not converge by products alone: give the matrix itself, which can "
            "be factored, or use fewer points."
        ) from error
    return V[:, ::-1]


def _deflated(product, null_vector):
    """Operator x ↦ P product(P x), where P projects the null vector out."""

    def project(x):
        return x - null_vector * (null_vector @ x)

    n = len(null_vector)
    return LinearOperator((n, n), matvec=lambda x: project(product(project(x.ravel()))), dtype=float)


def separator_size(S):
    """About how many vertices cut the graph of a matrix in half: the middle level of a breadth-first search.

    Parameters
    ----------
    S : sparse CSR array of shape (n, n), symmetric

    Returns
    -------
    int
    """
    pattern = sparse.csr_array((np.ones(S.nnz), S.indices, S.indptr), shape=S.shape)
    hops = dijkstra(pattern, unweighted=True, indices=0)
    farthest = np.argmax(np.where(np.isinf(hops), -1, hops))
    hops = dijkstra(pattern, unweighted=True, indices=farthest)
    levels = np.bincount(hops[np.isfinite(hops)].astype(int))
    return levels[np.searchsorted(np.cumsum(levels), levels.sum() / 2)]


def _start(n):
    """Where an iteration starts: always the same, so that two runs give the same digits."""
    return np.random.default_rng(0).standard_normal(n)


def _warn_of_degenerate_cut(eigenvalues, n_kept, norm):
    """Warn if the last pair kept and the next one have the same eigenvalue up to rounding."""
    if 0 < n_kept < len(eigenvalues) and abs(eigenvalues[n_kept] - eigenvalues[n_kept - 1]) <= _SAME * norm:
        warn(
            f"Eigenvalues {n_kept} and {n_kept + 1} are equal up to rounding: the data do not determine axis "
            f"{n_kept}; ask for n_components={n_kept + 1}, or for fewer."
        )


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
    Equation (pca-svd); sources G-15, W-04, R-26.
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
