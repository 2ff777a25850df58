"""Eigenpairs: the computation in which every spectral method of this book ends.

Each function returns the most important pair first, orthonormal columns, and signs fixed so that two runs
agree. At the top of a spectrum, pairs that are zero up to rounding are left out: they have no direction.
Where the last axis asked for and the first one left out have the same eigenvalue up to rounding, the data do not
determine the answer, and a warning is issued.
"""

from contextlib import suppress
from functools import partial

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import LinAlgError
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from dimred_lessons.engine.threads import one_blas_thread
from dimred_lessons.inputs import as_numbers, as_table, require_finite
from dimred_lessons.memory import CACHED, require_memory
from dimred_lessons.messages import warn

# Up to this size, all eigenpairs cost no more than an iteration for a few of them.
_DENSE_LIMIT = 500
_EPS = np.finfo(float).eps
# Rounding leaves up to n · eps of the largest value where zero should be; ten times that counts as zero.
_ROUNDING = 10 * _EPS
# Rounding alone can rotate the eigenvectors of eigenvalues that are closer than this fraction of the matrix norm.
_SAME = 100 * _EPS
# Eigenvalues of a Gram matrix below this fraction of the largest have less than half of their digits.
_SQUARED = 1e-8
# The square root of this ratio of eigenvalues, 8, is what squaring multiplies the rounding of singular vectors by.
_HARDLY_SQUARED = 64
# Where more vertices than this separate the graph of a Laplacian into halves, products converge before it is factored.
_LARGE_SEPARATOR = 1000
# Where more than this share of the vertices separate a graph into halves, a dense factor is faster than a sparse one.
_DENSE_SEPARATOR = 1 / 3


# -------------------------------------------------------------------------------------------------------
# Largest eigenvalues


def top_eigenpairs(K, n_components=None, rounding=0.0, unique=True):
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
    wanted = n if n_components is None else min(n, n_components + 1)  # one more, to see the gap behind the last
    eigenvalues, U = _largest_eigenpairs(K, wanted)
    size = max(eigenvalues[0], np.abs(np.diag(K)).max())  # at most the norm of K, even if no value is positive
    positive = np.flatnonzero(eigenvalues > max(n * _ROUNDING * size, rounding))
    kept = positive[:n_components]
    if unique:
        _warn_of_degenerate_cut(eigenvalues[positive], len(kept), norm=eigenvalues[0])
    return eigenvalues[kept], U[:, kept] * column_signs(U[:, kept])


def _largest_eigenpairs(K, n_pairs):
    """Eigenpairs of a dense symmetric matrix, largest first, whatever their sign: ``n_pairs`` at least.

    LAPACK is asked for all pairs: asked for a range, it returns fewer if eigenvalues are equal, or fails.
    """
    n, width = len(K), max(10, n_pairs + 5)  # ten products at once take as long as two: K is read once
    if n > _DENSE_LIMIT and n_pairs <= n // 20:
        try:  # within the time that LAPACK takes for all pairs
            return _block_krylov(lambda rows: rows @ K, n, n_pairs, width, rounds=2 * n // (5 * width))
        except LinAlgError:  # for example, eigenvalues near zero next to large negative ones
            pass
    with one_blas_thread(small=n <= _DENSE_LIMIT):
        eigenvalues, U = linalg.eigh(K, driver="evd")
    return eigenvalues[::-1], U[:, ::-1]


def _block_krylov(product, n, n_pairs, width, rounds):
    """Largest eigenvalues, decreasing, and eigenvectors (n, n_pairs) of a symmetric operator, from products.

    Rayleigh-Ritz in the space that ``width`` random vectors and their images span. The space of one vector
    holds one copy of a repeated eigenvalue; this one holds ``width``, so that none is missed. When the space is
    full, it restarts from its best vectors (thick restart).

    Parameters
    ----------
    product : function
        Takes vectors as rows (width, n) to their images (width, n).
    width : int
        More than ``n_pairs``; at most n / 8.

    Raises
    ------
    LinAlgError
        If the residuals are still above rounding after the last round.
    """
    capacity, size = min(15 * width, n // 2), 0
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
        block = S[:width] @ images[:size] - theta[:width, np.newaxis] * ritz
        if np.all(linalg.norm(block[:n_pairs], axis=1) <= _SAME * np.abs(theta).max()):
            return theta[:n_pairs], ritz[:n_pairs].T
        if size + width > capacity:
            best = S[: 2 * width]
            V[: 2 * width], images[: 2 * width] = best @ V[:size], best @ images[:size]
            size = 2 * width
            T[:size, :size] = np.diag(theta[:size])
    raise LinAlgError(f"The {n_pairs} largest eigenvalues (n={n}) do not converge by products alone.")


# -------------------------------------------------------------------------------------------------------
# Smallest eigenvalues


def bottom_eigenpairs(M, n_components=None, degrees=None):
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
    if isinstance(M, LinearOperator):  # its largest eigenvalue, with a margin
        S, norm = M, 1.1 * eigsh(M, k=1, v0=_start(n), tol=0.01, return_eigenvectors=False)[0]
    else:  # v = Deg^½ u makes M u = λ Deg u an ordinary problem; row sums bound its largest eigenvalue
        S = sparse.csr_array(as_numbers(M, "M"), dtype=float, copy=True)
        require_finite(S, "M")
        S.data /= np.repeat(root, np.diff(S.indptr)) * root[S.indices]  # faster than products with diagonal matrices
        norm = abs(S).sum(axis=1).max()
    if linalg.norm(S @ null_vector) > 1e-8 * norm:
        raise ValueError("M times the vector of ones is not 0: rows of W must sum to one, rows of L to zero.")
    wanted = n - 1 if n_components is None else min(n_components, n - 1)
    n_pairs = min(wanted + 1, n - 1)
    if n <= _DENSE_LIMIT or wanted > n // 10:
        require_memory(2, n, n, "ask for fewer components, or use fewer points")
        # Deflation: the null vector moves to the far end of the spectrum
        with one_blas_thread(small=n <= _DENSE_LIMIT):
            V = linalg.eigh(S @ np.eye(n) + 2 * norm * np.outer(null_vector, null_vector), driver="evd")[1][:, :n_pairs]
    elif isinstance(M, LinearOperator):
        V = _iterate(S, n_pairs, null_vector, norm)
    else:
        V = _factor_or_iterate(S, n_pairs, null_vector, norm)
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
    """Bottom eigenvectors of a sparse matrix in the cheapest way: by products, a sparse factor or a dense one.

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
        require_memory(1, n, n, "use fewer points, or fewer neighbors of each")
        factor = _dense_factor
    else:
        # Each entry has an index, too
        require_memory(3, separator, separator, "use fewer points, or fewer neighbors of each")
        factor = _sparse_factor
    # The shift is just above the rounding of the factor: far below even small eigenvalues that are wanted
    return _shift_invert(factor(S, _SAME * norm / 10), n_pairs, null_vector)


def _is_laplacian(S):
    """Whether no entry off the diagonal is positive: a Laplacian has negative weights there, LLE's M has both signs."""
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
    """The same by Cholesky's factorization, in place of the one dense array."""
    dense = S.toarray(order="F")
    dense[np.diag_indices_from(dense)] += shift
    factor = linalg.cho_factor(dense, lower=True, overwrite_a=True, check_finite=False)
    return partial(linalg.cho_solve, factor, check_finite=False)


def _shift_invert(solve, n_pairs, null_vector):
    """Lanczos on (S + shift I)⁻¹: its largest eigenvalues 1 / (λ + shift) are far apart and converge fast."""
    n = len(null_vector)
    basis = min(n, max(16, 2 * n_pairs + 4))  # wide enough for few rounds, narrow enough to waste few products
    with one_blas_thread():  # threads do not pay for a few long vectors
        return _lanczos(solve, n_pairs, null_vector, ncv=basis, tol=1e-10)


def _iterate(S, n_pairs, null_vector, norm):
    """Lanczos on norm I − S, by products alone: converges if the eigenvalues are not tiny fractions of norm."""
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


def _start(n, seed=0):
    """Start vector of an iteration: always the same, so that two runs give the same digits."""
    return np.random.default_rng(seed).standard_normal(n)


# -------------------------------------------------------------------------------------------------------
# Singular values


def center_points(X):
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


class CenteredPoints:
    """The matrix A = X − 1x̄ᵀ of points less their mean, without a copy of them.

    Its products center block after block of X in the cache of the processor. Where the points are about as near to
    the origin as to each other, and every coordinate varies, products of X itself lose no digits, and those of the
    mean are taken off afterwards. ``np.asarray`` forms it.

    Parameters
    ----------
    X : array of shape (n, D)

    Attributes
    ----------
    shape : tuple (n, D)
    mean : array of shape (D,)
        x̄; where all points are equal, exactly their coordinate, so that the difference is exactly zero.
    gram : array of shape (m, m), m = min(n, D)
        AᵀA if A has more rows than columns, AAᵀ if not.
    """

    def __init__(self, X):
        X = as_table(X)
        n, D = self.shape = X.shape
        self._points, self._tall = X, n > D
        # The mean of some points is close to that of all: subtracting the small rest later cancels no digits
        some = X[:: 1 + X.size // 50_000] - X[0]
        self.mean = X[0] + some.mean(axis=0)
        self._near = self._tall and some.any(axis=0).all() and self.mean @ self.mean <= 4 * some.var(axis=0).sum()
        if self._near:
            self.mean = np.zeros(D)
        self.gram, rest = np.zeros((min(n, D),) * 2), np.zeros(D)
        for part, block in self._blocks(at_least=min(2 * min(n, D), 2000)):  # to pay for the m × m sum
            if self._tall:
                rest += np.ones(len(block)) @ block / n
            else:
                rest[part] = block.mean(axis=1)
                block -= rest[part, np.newaxis]
            self.gram += block.T @ block
        if self._tall:
            self.gram -= n * np.outer(rest, rest)
        self.mean += rest

    def _blocks(self, at_least=1):
        """Centered parts of the longer side: rows of X or, if there are more of them, columns, transposed into rows.

        Each block of this many rows or more overwrites the one before. Points near the origin are not centered.
        """
        longer = self._points if self._tall else self._points.T
        length, width = longer.shape
        size = max(at_least, CACHED // width)
        if self._near:
            for start in range(0, length, size):
                yield slice(start, start + size), longer[start : start + size]
            return
        memory = np.empty_like(longer[:size])
        means = np.tile(self.mean, (len(memory), 1)) if self._tall else self.mean[:, np.newaxis]
        with one_blas_thread(small=width <= _DENSE_LIMIT):
            for start in range(0, length, size):
                part, block = slice(start, start + size), memory[: length - start]
                mean = means[: len(block)] if self._tall else means[part]
                yield part, np.subtract(longer[part], mean, out=block)

    def images(self, V):
        """Images AV of columns of numbers, or AᵀV if A has not more rows than columns.

        Parameters
        ----------
        V : array of shape (m, d)

        Returns
        -------
        array of shape (max(n, D), d)
        """
        if self._near:
            images = np.asfortranarray(self._points @ V)  # each column in one piece of memory, for what follows
        else:
            images = np.empty((max(self.shape), V.shape[1]), order="F")
            for part, block in self._blocks():
                images[part] = block @ V
        if self._tall:  # sums over centered points are zero: rounding of the mean is taken out
            images -= images.mean(axis=0)
        return images

    def round_trip(self, V):
        """There and back: orthonormal columns that span the images of V, and their images.

        Here A stands for its transpose if that has more rows. Sums over centered points are zero; what rounding
        of the mean leaves of them is taken out.

        Parameters
        ----------
        V : array of shape (m, d)

        Returns
        -------
        U : array of shape (max(n, D), d), orthonormal columns
            They span the columns of AV.
        back : array of shape (m, d)
            AᵀU.
        """
        if self._near:
            images = (V.T @ self._points.T).T  # each column in one piece of memory
            images -= self.mean @ V
            back = (images.T @ self._points).T
        else:
            images, back = np.empty((max(self.shape), V.shape[1]), order="F"), np.zeros(V.shape)
            for part, block in self._blocks():
                image = block @ V
                images[part], back = image, back + block.T @ image
        over_points = images if self._tall else back
        over_points -= over_points.mean(axis=0)
        U, R = linalg.qr(images, mode="economic", overwrite_a=True, check_finite=False)
        return U, linalg.solve_triangular(R, back.T, trans="T").T

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("Centered points are made when asked for, which takes a copy: leave copy=False out.")
        return center_points(self._points)[0].astype(dtype, copy=False)


def thin_svd(X, n_components=None):
    """Largest singular values of a matrix, with their singular vectors: X ≈ U Σ Vᵀ.

    Minimizes ‖X − U Σ Vᵀ‖ over all matrices of rank ``n_components`` (Eckart and Young). A few components of
    centered points come from their Gram matrix in a fraction of the time, and one step with the points restores
    the digits lost by squaring; where it cannot (small components next to large ones), and for all components,
    LAPACK decomposes X itself.

    Parameters
    ----------
    X : array of shape (n, D), or CenteredPoints
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
    factors = None
    X = X if isinstance(X, CenteredPoints) else as_table(X)
    if isinstance(X, CenteredPoints) and n_components is not None:
        factors = _svd_by_products(X, n_components)
    U, singular_values, Vt = factors or linalg.svd(X, full_matrices=False)
    rank = np.count_nonzero(singular_values > max(X.shape) * _ROUNDING * singular_values[0])
    kept = slice(rank if n_components is None else min(rank, n_components))
    signs = column_signs(U[:, kept])
    return U[:, kept] * signs, singular_values[kept], Vt[kept].T * signs


def _svd_by_products(X, d):
    """U, Σ and Vᵀ of d components of centered points; None if they would not be as good as those of a full SVD.

    V are eigenvectors of the Gram matrix. Where LAPACK has computed them, and the first singular value is at most
    eight times the last one, their images AV = UΣ are orthogonal up to a few roundings. Otherwise, a round trip
    V → U → V turns both so that AᵀU = VΣ holds. What the trip moves out of the span of V is the error of the other
    equation, AV = UΣ, and shrinks from trip to trip by the ratio of the next eigenvalue to the last one wanted.
    Nothing moves by less than rounding, which is also what LAPACK leaves of both equations.
    """
    n, D = X.shape
    if d > min(n - 1, D):
        return None
    eigenvalues, V = _largest_eigenpairs(X.gram, d)
    if eigenvalues[d - 1] <= _SQUARED * eigenvalues[0]:
        return None
    V = V[:, :d]
    small = min(n, D) <= _DENSE_LIMIT
    with one_blas_thread(small=small):
        if small and eigenvalues[0] <= _HARDLY_SQUARED * eigenvalues[d - 1]:
            U = X.images(V)
            singular_values = linalg.norm(U, axis=0)
            U /= singular_values
            return (U, singular_values, V.T) if n > D else (V, singular_values, U.T)
        for _ in range(3):
            U, back = X.round_trip(V)
            moved = linalg.norm(back - V @ (V.T @ back))
            V, singular_values, turn = linalg.svd(back, full_matrices=False)
            if moved <= 10 * _EPS * np.sqrt(d) * singular_values[0]:
                Ut = turn @ U.T
                return (Ut.T, singular_values, V.T) if n > D else (V, singular_values, Ut)
    return None


# -------------------------------------------------------------------------------------------------------
# What the data determine, and what convention decides


def _warn_of_degenerate_cut(eigenvalues, n_kept, norm):
    """Warn if the last pair kept and the next one have the same eigenvalue up to rounding."""
    if 0 < n_kept < len(eigenvalues) and abs(eigenvalues[n_kept] - eigenvalues[n_kept - 1]) <= _SAME * norm:
        warn(
            f"Eigenvalues {n_kept} and {n_kept + 1} are equal up to rounding: the data do not determine axis "
            f"{n_kept}; ask for n_components={n_kept + 1}, or for fewer."
        )


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
    U = as_numbers(U, "U")
    magnitudes = np.abs(U)
    largest = np.argmax(magnitudes >= (1 - 1e-6) * magnitudes.max(axis=0), axis=0)
    return np.where(U[largest, np.arange(U.shape[1])] < 0, -1.0, 1.0)
