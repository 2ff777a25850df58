"""Eigenpairs: the computation in which every spectral method of this book ends.

Each function returns the most important pair first, orthonormal columns, and signs fixed so that two runs
agree. At the top of a spectrum, pairs that are zero up to rounding are left out: they have no direction.
Where the last axis asked for and the first one left out have the same eigenvalue up to rounding, the data do not
determine the answer, and a warning is issued.

All of this is written once, in `top_eigenpairs`, `gram_eigenpairs`, `bottom_eigenpairs`, `thin_svd` and
`centered_svd`, which users call. What is decomposed says a function below each of them, which is its equation:
`largest_eigenpairs`, `largest_gram_eigenpairs`, `smallest_eigenvectors` and `svd_of_deviations`.
"""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator

from dimred_lessons.engine import accelerated, centered_products, krylov, shift_invert, smaller_gram
from dimred_lessons.engine.centered_products import CenteredDecomposition
from dimred_lessons.inputs import as_numbers, as_table, require_finite
from dimred_lessons.messages import warn

_EPS = np.finfo(float).eps
# Rounding leaves up to n · eps of the largest value where zero should be; ten times that counts as zero.
_ROUNDING = 10 * _EPS
# Rounding alone can rotate the eigenvectors of eigenvalues that are closer than this fraction of the matrix norm.
_SAME = 100 * _EPS

# -------------------------------------------------------------------------------------------------------
# Largest eigenvalues


def top_eigenpairs(
    K: np.ndarray, n_components: int | None = None, rounding: float = 0.0, unique: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues of a symmetric matrix, with their eigenvectors.

    Maximizes tr(UᵀKU) subject to UᵀU = I; the solution satisfies K U = U Λ with the largest eigenvalues.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    n_components : int or None
        How many at most; None for every positive eigenvalue.
    rounding : float
        Norm of what rounding has changed in K before it was given: it moves no eigenvalue by more.
    unique : bool
        Whether the axes should be determined by the data, as a start of an iteration need not be.

    Returns
    -------
    eigenvalues : array of shape (d,), positive and decreasing
        Fewer than ``n_components`` if K has fewer that are positive beyond rounding.
    U : array of shape (n, d), orthonormal columns

    Warns
    -----
    UserWarning
        If the last axis should be determined, and is not.

    References
    ----------
    Equation (pca-ky-fan); sources G-08, G-11, G-16, G-23, L-07.
    """
    K = as_table(K, "K")
    n = len(K)
    eigenvalues, U = largest_eigenpairs(K, _one_more(n_components, n))
    size = max(eigenvalues[0], np.abs(np.diag(K)).max())  # at most the norm of K, even if no value is positive
    return _positive_pairs(eigenvalues, U, n_components, max(n * _ROUNDING * size, rounding), unique)


@accelerated(krylov.largest_eigenpairs)
def largest_eigenpairs(K: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of a symmetric matrix, largest first, whatever their sign.

    Parameters
    ----------
    K : array of shape (n, n), symmetric, of finite numbers: nothing is checked
    n_pairs : int, at most n

    Returns
    -------
    eigenvalues : array of shape (n_pairs,), decreasing
    U : array of shape (n, n_pairs), orthonormal columns, of any sign
    """
    eigenvalues, U = linalg.eigh(K)  # (pca-ky-fan)
    return eigenvalues[::-1][:n_pairs], U[:, ::-1][:, :n_pairs]


def gram_eigenpairs(A: np.ndarray, n_components: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues of the dot products AAᵀ of the rows of a matrix, with their eigenvectors.

    Parameters
    ----------
    A : array of shape (n, D)
    n_components : int or None
        How many at most; None for every positive eigenvalue.

    Returns
    -------
    eigenvalues : array of shape (d,), positive and decreasing
    U : array of shape (n, d), orthonormal columns

    Warns
    -----
    UserWarning
        If the last axis is not determined.

    References
    ----------
    Equation (dual-eigenproblem).
    """
    A = as_table(A, "A")
    eigenvalues, U = largest_gram_eigenpairs(A, _one_more(n_components, len(A)))
    least = max(min(A.shape) * _ROUNDING, max(A.shape) * _EPS) * eigenvalues[0]
    return _positive_pairs(eigenvalues, U, n_components, least)


@accelerated(smaller_gram.largest_gram_eigenpairs)
def largest_gram_eigenpairs(A: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of AAᵀ, largest first.

    Parameters
    ----------
    A : array of shape (n, D), of finite numbers
    n_pairs : int, at most n

    Returns
    -------
    eigenvalues : array of shape (n_pairs,), decreasing; fewer, if those left out are zero
    U : array of shape (n, n_pairs), orthonormal columns where the eigenvalue is above rounding
    """
    return largest_eigenpairs(A @ A.T, n_pairs)


def _one_more(n_components, n):
    """How many pairs show the gap behind the last one that is asked for."""
    return n if n_components is None else min(n, n_components + 1)


def _positive_pairs(eigenvalues, U, n_components, least, unique=True):
    """The pairs asked for that are above ``least``, what rounding makes of zero, with fixed signs."""
    positive = np.flatnonzero(eigenvalues > least)
    kept = positive[:n_components]
    if unique:
        _warn_of_degenerate_cut(eigenvalues[positive], len(kept), norm=eigenvalues[0])
    return eigenvalues[kept], U[:, kept] * column_signs(U[:, kept])


# -------------------------------------------------------------------------------------------------------
# Smallest eigenvalues


def bottom_eigenpairs(
    M: np.ndarray | sparse.sparray | LinearOperator, n_components: int | None = None, degrees: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Smallest eigenvalues of a symmetric matrix M with M 1 = 0, with their eigenvectors, but without 1.

    Minimizes tr(UᵀMU) subject to UᵀU = I and 1ᵀU = 0; the solution satisfies M U = U Λ. With degrees, whose
    diagonal matrix is Deg: subject to UᵀDeg U = I and 1ᵀDeg U = 0, and M U = Deg U Λ. The constant vector is
    deflated explicitly: next to an eigenvalue of 1e-11, rounding would mix it in.

    Parameters
    ----------
    M : sparse or dense array of shape (n, n), symmetric and positive semidefinite, or LinearOperator
        An operator is used for products only: suitable where the matrix would not fit into memory, slow where the
        eigenvalues wanted are tiny fractions of the largest one.
    n_components : int or None
        How many at most; None for all n − 1.
    degrees : array of shape (n,), positive, or None
        Diagonal of Deg; None for the identity. Not with an operator.

    Returns
    -------
    eigenvalues : array of shape (d,), increasing, nonnegative
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
    root = np.ones(n) if degrees is None else np.sqrt(as_numbers(degrees, "degrees"))
    null_vector = root / linalg.norm(root)
    S = M
    if not isinstance(M, LinearOperator):  # v = Deg^½ u makes M u = λ Deg u an ordinary problem
        S = sparse.csr_array(as_numbers(M, "M"), dtype=float, copy=True)
        require_finite(S, "M")
        S.data /= np.repeat(root, np.diff(S.indptr)) * root[S.indices]  # S_ij = M_ij / √(Deg_i Deg_j)
    norm = largest_row_sum(S)
    if linalg.norm(S @ null_vector) > 1e-8 * norm:
        raise ValueError("M times the vector of ones is not 0: rows of W must sum to one, rows of L to zero.")
    wanted = n - 1 if n_components is None else min(n_components, n - 1)
    n_pairs = min(wanted + 1, n - 1)
    V = smallest_eigenvectors(S, n_pairs, null_vector, norm)
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


@accelerated(shift_invert.largest_row_sum)
def largest_row_sum(S: sparse.csr_array | LinearOperator) -> float:
    """The largest sum of sizes in a row of a symmetric matrix, which no eigenvalue exceeds.

    Parameters
    ----------
    S : sparse CSR array or LinearOperator of shape (n, n)

    Returns
    -------
    float
    """
    return np.abs(S @ np.eye(S.shape[0])).sum(axis=1).max()


@accelerated(shift_invert.smallest_eigenvectors)
def smallest_eigenvectors(
    S: sparse.csr_array | LinearOperator, n_pairs: int, null_vector: np.ndarray, norm: float
) -> np.ndarray:
    """Eigenvectors of the smallest eigenvalues, but without the null vector, which moves to the top of the spectrum.

    Parameters
    ----------
    S : sparse CSR array or LinearOperator of shape (n, n), symmetric and positive semidefinite
    n_pairs : int, at most n − 1
    null_vector : array of shape (n,), of unit length
    norm : float
        Nowhere below the eigenvalues.

    Returns
    -------
    array of shape (n, n_pairs), orthonormal columns, in the order of their eigenvalues
    """
    deflated = S @ np.eye(len(null_vector)) + 2 * norm * np.outer(null_vector, null_vector)
    return linalg.eigh(deflated)[1][:, :n_pairs]  # (lle-eigenproblem)


# -------------------------------------------------------------------------------------------------------
# Singular values


def center_points(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points less their mean: coordinates in which all points are equal become exact zeros.

    Parameters
    ----------
    X : array of shape (n, D)

    Returns
    -------
    A : array of shape (n, D)
        X − 1x̄ᵀ, a new array.
    mean : array of shape (D,)
        x̄.
    """
    X = as_table(X)
    A = X - X[0]  # if the mean were subtracted directly, equal coordinates would differ by rounding
    offset = A.mean(axis=0)
    A -= offset
    return A, X[0] + offset


def centered_svd(X: np.ndarray, n_components: int | None = None) -> CenteredDecomposition:
    """Center points, then find their largest singular values, with their vectors: X − 1x̄ᵀ ≈ U Σ Vᵀ.

    Parameters
    ----------
    X : array of shape (n, D)
    n_components : int or None
        How many at most; None for every positive singular value, that is, the rank of X − 1x̄ᵀ.

    Returns
    -------
    CenteredDecomposition
        Of fewer than ``n_components``, if the rank is smaller.

    References
    ----------
    Equations (pca-center) and (pca-svd); sources G-15, W-04, R-26.
    """
    return centered_svd_of_points(as_table(X), n_components)


def centered_svd_of_points(X: np.ndarray, n_components: int | None = None) -> CenteredDecomposition:
    """The same for an array of finite numbers that has been checked, as that of a method.

    Parameters
    ----------
    X, n_components : see `centered_svd`

    Returns
    -------
    CenteredDecomposition
    """
    whole = svd_of_deviations(X, n_components)
    U, singular_values, V = _positive_triples(whole.U, whole.singular_values, whole.V, n_components)
    return whole._replace(U=U, singular_values=singular_values, V=V)


@accelerated(centered_products.centered_svd_by_products)
def svd_of_deviations(X: np.ndarray, n_components: int | None = None) -> CenteredDecomposition:
    """The decomposition that `centered_svd` tidies up: it may have more values, also zeros, and any signs.

    Parameters
    ----------
    X : array of shape (n, D), of finite numbers
    n_components : int or None
        How many are wanted at least; here, all are found.

    Returns
    -------
    CenteredDecomposition
    """
    A, mean = center_points(X)  # (pca-center)
    U, singular_values, Vt = linalg.svd(A, full_matrices=False)  # (pca-svd)
    return CenteredDecomposition(mean, U, singular_values, Vt.T, np.sum(A**2))


def thin_svd(X: np.ndarray, n_components: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    U, singular_values, Vt = linalg.svd(as_table(X), full_matrices=False)  # (pca-svd)
    return _positive_triples(U, singular_values, Vt.T, n_components)


def _positive_triples(U, singular_values, V, n_components):
    """The triples asked for whose singular value is above rounding, with fixed signs."""
    rank = np.count_nonzero(singular_values > max(len(U), len(V)) * _ROUNDING * singular_values[0])
    kept = slice(rank if n_components is None else min(rank, n_components))
    signs = column_signs(U[:, kept])
    return U[:, kept] * signs, singular_values[kept], V[:, kept] * signs


# -------------------------------------------------------------------------------------------------------
# What the data determine, and what convention decides


def _warn_of_degenerate_cut(eigenvalues, n_kept, norm):
    """Warn if the last pair kept and the next one have the same eigenvalue up to rounding."""
    if 0 < n_kept < len(eigenvalues) and abs(eigenvalues[n_kept] - eigenvalues[n_kept - 1]) <= _SAME * norm:
        warn(
            f"Eigenvalues {n_kept} and {n_kept + 1} are equal up to rounding: the data do not determine axis "
            f"{n_kept}; ask for n_components={n_kept + 1}, or for fewer."
        )


def column_signs(U: np.ndarray) -> np.ndarray:
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
    U = as_numbers(U, "U")
    magnitudes = np.abs(U)
    largest = np.argmax(magnitudes >= (1 - 1e-6) * magnitudes.max(axis=0), axis=0)
    return np.where(U[largest, np.arange(U.shape[1])] < 0, -1.0, 1.0)
