"""Every method as kernel PCA of one matrix built from the data.

Kernel PCA, dual PCA, classical MDS, Isomap and semidefinite embedding work on a kernel already. LLE, Hessian LLE,
LTSA and Laplacian eigenmaps take the bottom eigenvectors of a positive semidefinite matrix: as the top ones of
λ_max I − M, or of the pseudoinverse M⁺, they are principal components of a kernel, too. Here every matrix is dense,
also where the method keeps it sparse.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.base import Embedding
from dimred_lessons.distances import require_symmetric, rounding_norm
from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.inputs import as_numbers, as_table
from dimred_lessons.kernels import squared_distances_from_kernel
from dimred_lessons.laplacians import graph_laplacian
from dimred_lessons.memory import require_memory
from dimred_lessons.parameters import check_integer, check_option
from dimred_lessons.spectral.base import SpectralMethod


def method_kernel(method: Embedding, X: ArrayLike | None = None, form: str = "inverse") -> np.ndarray:
    """Kernel whose principal components are the axes that a method found.

    Parameters
    ----------
    method : a fitted estimator of this package
        KernelPCA, DualPCA, Isomap and ClassicalMDS of dissimilarities: ``kernel_``;
        SemidefiniteEmbedding: the K that it learned, of all points also with landmarks or copies;
        PCA and ClassicalMDS of points: K = XXᵀ of the centered points;
        LocallyLinearEmbedding, LTSA, HessianLLE: M⁺ or λ_max I − M, M the matrix of their cost;
        LaplacianEigenmaps: L⁺ or λ_max I − L; if normalized, of Deg^−½ L Deg^−½, with axes Deg^½Y.
    X : array of shape (n, D), or None
        The points that a PCA was fitted to, which it does not keep.
    form : "inverse" or "shifted"
        How the bottom of a spectrum becomes the top. The shifted form keeps the axes even where M has null
        vectors besides the constant one; the inverse loses those, because M⁺ annihilates them (erratum G-E22).

    Returns
    -------
    array of shape (n, n), symmetric; positive semidefinite except for MDS and Isomap (erratum G-E25)

    Raises
    ------
    ValueError
        If ``form`` is unknown, the method is another one or is not fitted, X is missing, K does not fit into memory,
        or covers landmarks only.

    References
    ----------
    Equations (unified-shifted), (unified-inverse); sources G-73 to G-77, G-79, R-61, R-93.
    """
    check_option("form", form, ("inverse", "shifted"))
    if not isinstance(method, SpectralMethod):
        raise ValueError(
            f"{type(method).__name__} has no kernel whose principal components are its axes: give a fitted PCA, "
            "DualPCA, KernelPCA, ClassicalMDS, Isomap, SemidefiniteEmbedding, LocallyLinearEmbedding, LTSA, "
            "HessianLLE or LaplacianEigenmaps."
        )
    check_is_fitted(method)
    n = len(method.embedding_)
    require_memory(3, n, n, "fit fewer points")
    M = method._cost_matrix()
    if M is None:
        K = method._kernel(X)
        if len(K) < n:
            raise ValueError(f"The kernel is that of {len(K)} landmarks, not of all points: fit without landmarks.")
        return K
    if form == "inverse":
        return linalg.pinvh(M)  # (unified-inverse)
    return linalg.eigvalsh(M)[-1] * np.eye(n) - M  # (unified-shifted)


def embed_kernel(
    K: np.ndarray, n_components: int = 2, masses: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Kernel PCA of the points whose dot products are K: the one routine to which all methods reduce.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
        Negative eigenvalues never count (erratum G-E25).
    n_components : int
    masses : array of shape (n,), or None for 1 each
        Their square roots are projected out. With equal masses, this centers the points, and removes the constant,
        leading eigenvector of λ_max I − M, which embeds nothing (erratum G-E21). For normalized Laplacian
        eigenmaps, the degrees.

    Returns
    -------
    eigenvalues : array of shape (n_components,)
    Y : array of shape (n, n_components), scores U Λ^½

    Raises
    ------
    ValueError
        If K is not a symmetric matrix of finite numbers, a mass is not positive, or K has fewer than ``n_components``
        positive eigenvalues.

    Warns
    -----
    UserWarning
        If the last axis and the next one have the same eigenvalue up to rounding.

    References
    ----------
    Equation (unified-embed); sources G-78, G-80.
    """
    K = as_table(K, "K")
    require_symmetric(K, "The kernel")
    masses = np.ones(len(K)) if masses is None else as_numbers(masses, "masses")
    if masses.shape != (len(K),) or not (masses > 0).all():
        raise ValueError(f"masses must be {len(K)} positive numbers, one for each point: give the degrees, or None.")
    check_integer("n_components", n_components)
    v = np.sqrt(masses)
    v /= linalg.norm(v)
    rounding = rounding_norm(K, K)
    K = K - np.outer(v, v @ K)
    K -= np.outer(K @ v, v)
    eigenvalues, U = top_eigenpairs(K, n_components, rounding)
    if len(eigenvalues) < n_components:
        d = len(eigenvalues)
        raise ValueError(f"n_components={n_components} is above the {d} positive eigenvalues of K: ask for fewer.")
    return eigenvalues, U * np.sqrt(eigenvalues)  # (unified-embed)


def kernel_agreement(method: Embedding, X: ArrayLike | None = None, form: str = "inverse") -> np.ndarray:
    """|cos| of the angle between each axis that a method found and the same axis by kernel PCA of its kernel.

    Parameters
    ----------
    method, X, form : see `method_kernel`

    Returns
    -------
    array of shape (n_components,)
        1 where both agree up to sign and scale, less where the kernel has lost an axis, or equal eigenvalues leave
        its direction open.

    Warns
    -----
    UserWarning
        If the last axis and the next one have the same eigenvalue up to rounding.
    """
    K = method_kernel(method, X, form)
    masses = method._masses()
    native = np.sqrt(masses)[:, np.newaxis] * method.embedding_
    _, Y = embed_kernel(K, native.shape[1], masses)
    return np.abs(np.sum(native * Y, axis=0)) / (linalg.norm(native, axis=0) * linalg.norm(Y, axis=0))


def commute_times(adjacency: ArrayLike | sparse.sparray) -> np.ndarray:
    """Mean number of steps in which a random walk goes from i to j and back: vol (L⁺_ii + L⁺_jj − 2 L⁺_ij).

    The walk steps along an edge with probability A_ij / Deg_ii; vol is the sum of the degrees. So all n − 1
    axes of kernel PCA on L⁺ together put points at squared distances in proportion to commute times.

    Parameters
    ----------
    adjacency : array of shape (n, n), sparse or dense, symmetric, of a connected graph

    Returns
    -------
    array of shape (n, n)

    References
    ----------
    Equation (unified-commute-times); source G-75.
    """
    L, degrees = graph_laplacian(sparse.csr_array(adjacency, dtype=float))
    return degrees.sum() * squared_distances_from_kernel(linalg.pinvh(L.toarray()))  # (unified-commute-times)
