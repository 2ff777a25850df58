"""Kernels: dot products in a feature space, their centering, and the distances that they stand for.

A kernel matrix K (n, n) holds the dot products of n points after some map Φ that never has to be computed:
K_ij = k(x_i, x_j) = Φ(x_i)·Φ(x_j). Rows of X (n, D) and Z (m, D) are points throughout. K takes
200 MB for 5000 points, so each function works in place on one such array; ``overwrite=True`` lets it take
the place of its argument.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from dimred_lessons.distances import TOLERANCE, rounding_norm, squared_distances_between
from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.engine import accelerated, cholesky_proof
from dimred_lessons.inputs import as_numbers, as_pair, as_table
from dimred_lessons.memory import blocks
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_integer, check_number

# Rows whose kernel with each other costs no more than calling a function for each of them.
_FEW_ROWS = 32

# ---------------------------------------------------------------------------------------------------------
# Kernel functions


def linear_kernel(X: ArrayLike, Z: ArrayLike | None = None) -> np.ndarray:
    """Dot products k(x, z) = x·z.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None for X itself

    Returns
    -------
    array of shape (n, m)
    """
    X, Z = as_pair(X, Z)
    return X @ (X if Z is None else Z).T


def polynomial_kernel(X: ArrayLike, Z: ArrayLike | None = None, *, degree: int = 3, coef0: float = 1.0) -> np.ndarray:
    """Dot products of all monomials up to a degree: k(x, z) = (x·z + coef0)^degree.

    With coef0 = 0, they are those of the monomials of exactly this degree.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None for X itself
    degree : int, positive
    coef0 : float, nonnegative

    Returns
    -------
    array of shape (n, m)

    Raises
    ------
    ValueError
        If degree or coef0 is out of range (the result would not be a dot product), or the power overflows.
    """
    check_integer("degree", degree)
    check_number("coef0", coef0, zero=True)
    K = linear_kernel(X, Z)
    K += coef0
    with np.errstate(over="ignore"):
        np.power(K, degree, out=K)
    if not np.isfinite(K).all():
        raise ValueError(f"The kernel of degree {degree} overflows: rescale the points, or lower the degree.")
    return K


def gaussian_kernel(X: ArrayLike, Z: ArrayLike | None = None, sigma: float = 1.0) -> np.ndarray:
    """Similarities k(x, z) = exp(−‖x − z‖² / 2σ²).

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None for X itself
    sigma : float
        σ > 0, in the unit of X.

    Returns
    -------
    array of shape (n, m)

    Raises
    ------
    ValueError
        If σ is not a positive number.
    """
    check_number("sigma", sigma)
    return gaussian_similarities(*as_pair(X, Z), sigma)


def gaussian_similarities(X: np.ndarray, Z: np.ndarray | None, sigma: float) -> np.ndarray:
    """The same for arrays of finite numbers that have been checked, as in each step of an iteration.

    Parameters
    ----------
    X, Z, sigma : see `gaussian_kernel`

    Returns
    -------
    array of shape (n, m)
    """
    K = squared_distances_between(X, Z)
    K *= -0.5 / sigma**2
    return np.exp(K, out=K)


def kernel_matrix(
    X: ArrayLike,
    Z: ArrayLike | None = None,
    kernel: str | Callable[[np.ndarray, np.ndarray], np.ndarray] = "gaussian",
    *,
    sigma: float = 1.0,
    degree: int = 3,
    coef0: float = 1.0,
) -> np.ndarray:
    """Kernel between the rows of X and of Z, by name or by a function.

    Parameters
    ----------
    X, Z : arrays of shapes (n, D) and (m, D)
        If Z is None, X takes its place.
    kernel : "gaussian", "linear", "polynomial" or callable
        A callable takes two arrays of rows, (n, D) and (m, D), and returns all n × m kernel values.
    sigma, degree, coef0 : see `gaussian_kernel` and `polynomial_kernel`

    Returns
    -------
    array of shape (n, m)

    Raises
    ------
    ValueError
        If there is no such kernel, or the callable does not return finite real numbers of shape (n, m).

    References
    ----------
    Equation (kpca-kernel); sources G-32, F-14, F-15, R-92.
    """
    if callable(kernel):
        X, Z = as_pair(X, Z)
        Z = X if Z is None else Z
        K = np.asarray(kernel(X, Z))
        if K.shape != (len(X), len(Z)) or not np.isrealobj(K) or not np.isfinite(K).all():
            raise ValueError(
                f"The kernel function returned an array of shape {K.shape} and type {K.dtype} for rows of "
                f"shapes {X.shape} and {Z.shape}: it must return {(len(X), len(Z))} finite real numbers."
            )
        return K.astype(np.float64)
    if kernel == "linear":
        return linear_kernel(X, Z)
    if kernel == "polynomial":
        return polynomial_kernel(X, Z, degree=degree, coef0=coef0)
    if kernel == "gaussian":
        return gaussian_kernel(X, Z, sigma)
    names = '"gaussian", "linear", "polynomial" or "precomputed"'
    raise ValueError(f"kernel={kernel!r} must be {names}, or a function.")


def squared_lengths(X: np.ndarray, between: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Squared lengths in feature space, ‖Φ(x)‖² = k(x, x).

    Parameters
    ----------
    X : array of shape (n, D)
    between : function
        From rows to the kernel of all pairs of them. It is asked for some rows at a time: calling it for each of them
        takes longer than the pairs of few that are not needed.

    Returns
    -------
    array of shape (n,)
    """
    return np.concatenate([np.diag(between(X[rows])) for rows in blocks(len(X), 1, _FEW_ROWS)])


# ---------------------------------------------------------------------------------------------------------
# Centering, and the way between kernels and distances


def center_kernel(K: ArrayLike, overwrite: bool = False) -> np.ndarray:
    """Kernel of the same points after their mean in feature space has been subtracted: K̃ = HKH.

    K̃_ij = K_ij − mean of row i − mean of column j + mean of all, with H = I − (1/n)11ᵀ, which is never formed.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    overwrite : bool
        Whether the result may take the place of K, which then has to be of float64.

    Returns
    -------
    array of shape (n, n), whose rows sum to zero

    Raises
    ------
    ValueError
        If K is not square, its entries are so large that their sums overflow, or one is NaN.

    References
    ----------
    Equation (kpca-center); sources G-33, F-27.
    """
    # Adding a constant to K does not change HKH; without the first entry, equal entries cancel exactly
    K = as_numbers(K, "K")
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"A kernel must be square, with a row and a column for each point: its shape is {K.shape}.")
    K = np.subtract(K, K[0, 0], out=K if overwrite else None)
    means = K.mean(axis=0)
    if not np.isfinite(means).all():
        raise ValueError(
            "The kernel, or the distances that it is made of, overflow: rescale the points, or leave out those with "
            "missing entries (NaN)."
        )
    K -= means
    K -= (means - means.mean())[:, np.newaxis]  # (kpca-center)
    return K


def center_new_kernel(K_new: ArrayLike, training_means: np.ndarray) -> np.ndarray:
    """Center the kernel between new and training points with the mean of the TRAINING points.

    k̃(x, x_j) = k(x, x_j) − mean over j of k(x, x_j) − mean of column j of K + mean of all K. Centering new
    points with their own mean would make the place of one depend on which others came along.

    Parameters
    ----------
    K_new : array of shape (n_new, n), not centered
    training_means : array of shape (n,)
        Column means of the training kernel K (n, n) before it was centered.

    Returns
    -------
    array of shape (n_new, n)

    References
    ----------
    Equation (kpca-center-new); sources G-35, F-28 (corrected, F-E10).
    """
    K_new, training_means = as_table(K_new, "K_new"), as_numbers(training_means, "training_means")
    row_means, mean = K_new.mean(axis=1, keepdims=True), training_means.mean()
    return K_new - row_means - training_means + mean  # (kpca-center-new)


def kernel_from_squared_distances(D2: ArrayLike, overwrite: bool = False) -> np.ndarray:
    """Dot products of the centered points whose squared distances are given: K = −½ H Δ² H.

    Dissimilarities that no points have give a K with negative eigenvalues (Schoenberg); see `negative_mass`.

    Parameters
    ----------
    D2 : array of shape (n, n)
        SQUARED distances, symmetric, zero diagonal.
    overwrite : bool

    Returns
    -------
    array of shape (n, n), centered

    References
    ----------
    Equation (mds-gram); sources G-57, G-76 (G-E23), L-13 (L-E07), F-33 (F-E11).
    """
    D2 = as_numbers(D2, "D2")
    return center_kernel(np.multiply(D2, -0.5, out=D2 if overwrite else None), overwrite=True)  # (mds-gram)


def points_from_distances(D: ArrayLike, n_components: int | None = None, given: np.ndarray | None = None) -> np.ndarray:
    """Points along their principal axes whose distances are given, by classical scaling: a start for other methods.

    Parameters
    ----------
    D : array of shape (n, n)
        Distances, symmetric, zero diagonal.
    n_components : int or None
        How many axes at most; None for every positive eigenvalue.
    given : array of shape (n, n), or None for D itself
        The distances before anything was done to them, which tells their precision.

    Returns
    -------
    array of shape (n, d), centered
        With fewer than ``n_components`` axes if the distances have fewer.
    """
    squared = np.square(D)
    rounding = rounding_norm(D if given is None else given, squared)
    kernel = kernel_from_squared_distances(squared, overwrite=True)
    eigenvalues, U = top_eigenpairs(kernel, n_components, rounding, unique=False)
    return U * np.sqrt(eigenvalues)


def squared_distances_from_kernel(K: ArrayLike) -> np.ndarray:
    """Squared distances in feature space: ‖Φ(x_i) − Φ(x_j)‖² = K_ii − 2 K_ij + K_jj.

    Parameters
    ----------
    K : array of shape (n, n), positive semidefinite, centered or not

    Returns
    -------
    array of shape (n, n), nowhere negative, zero on the diagonal

    References
    ----------
    Equation (mds-kernel-distances); sources L-11, F-16, F-32 (corrected, F-E06).
    """
    K = as_table(K, "K")
    own = np.diag(K)
    D2 = own[:, np.newaxis] - 2 * K
    D2 += own  # (mds-kernel-distances)
    return np.maximum(D2, 0, out=D2)


def gaussian_preimages(
    beta: ArrayLike, X: ArrayLike, Z: ArrayLike, sigma: float, *, max_iter: int = 500, tol: float = 1e-9
) -> np.ndarray:
    """Points z whose images Φ(z) come closest to Σ_i β_i Φ(x_i), for the Gaussian kernel.

    Since ‖Φ(z)‖ = 1, this maximizes the similarity Φ(z)·Σ_i β_i Φ(x_i) = Σ_i β_i k(z, x_i). Where its
    gradient is zero, z is the mean of the x_i with weights β_i k(z, x_i), which depend on z: mean and weights
    are computed in turn. A step is taken only if it gains: negative β_i can make the plain iteration diverge.

    Parameters
    ----------
    beta : array of shape (m, n)
    X : array of shape (n, D)
    Z : array of shape (m, D)
        Where to start; the optimum that is found depends on it.
    sigma : float
    max_iter, tol : int and float
        Largest number of iterations, and the gain in similarity below which they end.

    Returns
    -------
    array of shape (m, D)

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were not enough.

    References
    ----------
    Mika et al. (1999), Kernel PCA and de-noising in feature spaces; equation (kpca-preimage); source G-36.
    """
    check_number("sigma", sigma)
    X, Z = as_pair(X, Z)
    beta = as_table(beta, "beta")
    Z = np.array(Z)
    weights = beta * gaussian_similarities(Z, X, sigma)
    for _ in range(max_iter):
        similarity = weights.sum(axis=1)
        # A weighted mean needs a positive sum of weights; without one, try the origin instead
        means = weights @ X / np.where(similarity > 0, similarity, np.inf)[:, np.newaxis]  # (kpca-preimage)
        new_weights = beta * gaussian_similarities(means, X, sigma)
        gain = new_weights.sum(axis=1) - similarity
        Z[gain > 0], weights[gain > 0] = means[gain > 0], new_weights[gain > 0]
        if gain.max() <= tol:
            break
    else:
        warn(f"The preimages have not converged in {max_iter} steps: raise max_iter, or tol (now {tol:g}).")
    return Z


# ---------------------------------------------------------------------------------------------------------
# Which matrices are kernels


def negative_mass(K: ArrayLike, rounding: float = 0.0) -> float:
    """Share of the negative eigenvalues in a symmetric matrix: Σ |λ| over λ < 0, divided by Σ |λ| over all.

    Takes all n eigenvalues, O(n³) operations: about a second for 2000 points.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    rounding : float
        Norm of what rounding has changed in K before it was given: smaller eigenvalues count as zero.

    Returns
    -------
    float, from 0 to 1; zero if and only if K holds the dot products of points

    References
    ----------
    Equation (mds-negative-mass); sources G-60, F-35, F-36, W-13.
    """
    eigenvalues = linalg.eigvalsh(as_table(K, "K"))
    sizes = np.abs(eigenvalues)
    sizes[sizes <= max(len(sizes) * np.finfo(float).eps * sizes.max(), rounding)] = 0  # zero up to rounding
    return float(sizes[eigenvalues < 0].sum() / max(sizes.sum(), np.finfo(float).tiny))  # (mds-negative-mass)


def check_positive_semidefinite(K: np.ndarray, name: str) -> None:
    """Refuse a symmetric matrix that has a negative eigenvalue beyond rounding.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    name : str
        What K is called in the message.

    Raises
    ------
    ValueError
        If K has one; the most negative eigenvalue is named.

    References
    ----------
    Sources F-14 (corrected, F-E05), F-35.
    """
    K = as_table(K, name.removeprefix("The "))
    smallest = negative_eigenvalue(K, TOLERANCE * linalg.norm(K))
    if smallest < 0:
        raise ValueError(
            f"{name} is not positive semidefinite, its most negative eigenvalue is {smallest:.3g}: use a "
            "kernel that is a dot product, or turn it into dissimilarities for ClassicalMDS."
        )


@accelerated(cholesky_proof.negative_eigenvalue)
def negative_eigenvalue(K: np.ndarray, tolerance: float) -> float:
    """The most negative eigenvalue, if one is below −tolerance.

    Parameters
    ----------
    K : array of shape (n, n), symmetric, of finite numbers
    tolerance : float, positive

    Returns
    -------
    float
        0.0 if there is none.
    """
    smallest = linalg.eigvalsh(K)[0]  # (kpca-psd)
    return float(smallest) if smallest < -tolerance else 0.0
