"""Kernel PCA: principal components of the points after a nonlinear map."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.distances import median_distance, rounding_norm, squared_distances_between, symmetrized
from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.kernels import (
    center_kernel,
    center_new_kernel,
    check_positive_semidefinite,
    gaussian_preimages,
    kernel_matrix,
    squared_lengths,
)
from dimred_lessons.memory import blocks
from dimred_lessons.parameters import check_integer, check_number, check_option
from dimred_lessons.spectral.base import SpectralMethod

# Kernels that are symmetric and positive semidefinite by their form; others are checked.
_KNOWN = ("gaussian", "linear", "polynomial")


class KernelPCA(SpectralMethod):
    """Project the points, mapped to a feature space by Φ, on the subspace there that loses least of them.

    Minimizes Σ ‖Φ̃(x_i) − VVᵀΦ̃(x_i)‖² subject to VᵀV = I, where Φ̃ = Φ − (mean of Φ over the training points).
    Only dot products k(x, z) = Φ(x)·Φ(z) are ever needed. Fitting holds one n × n array.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for all that the data can give (the rank of the centered kernel).
    kernel : "gaussian", "linear", "polynomial", "precomputed" or callable, default "gaussian"
        exp(−‖x − z‖² / 2σ²), x·z, or (x·z + coef0)^degree. A callable takes two arrays of rows, (n, D) and
        (m, D), and returns the n × m values. If "precomputed", ``fit`` takes the kernel of the training
        points (n, n), and ``transform`` the kernel between new and training points (n_new, n). Callable and
        precomputed kernels are checked for symmetry and positive semidefiniteness: n³ / 3 operations and two
        more n × n arrays for a while.
    sigma : float or None, default None
        σ of the Gaussian kernel, in the unit of X; None for the median distance of the training points.
    degree, coef0 : int and float, defaults 3 and 1.0
        Parameters of the polynomial kernel.

    Attributes
    ----------
    kernel_ : array of shape (n_samples, n_samples)
        K̃ = HKH, the centered kernel of the training points.
    kernel_means_ : array of shape (n_samples,)
        Column means of K before centering, which new points are centered with; a linear K is that of points less
        their mean.
    dual_coef_ : array of shape (n_samples, n_components)
        A = UΛ^−½: axis j of the feature space is v_j = Σ_i A_ij Φ̃(x_i), of unit length.
    eigenvalues_, embedding_ : arrays of shapes (n_components,) and (n_samples, n_components)
        Λ, the largest eigenvalues of K̃, and Y = K̃A = UΛ^½, the scores.
    sigma_ : float or None
        The σ that was used.
    training_points_ : array of shape (n_samples, n_features), or None
        The points, whose kernel with new ones places these; None if the kernel is precomputed.
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if the kernel is not symmetric or has negative eigenvalues, if σ ≤ 0, degree < 1 or
        coef0 < 0, or if ``n_components`` is above the rank of K̃.

    Warns
    -----
    UserWarning
        In ``fit``, if the last axis and the next one have the same eigenvalue up to rounding: the data do not
        determine it.

    References
    ----------
    Algorithm alg-kernel-pca; sources G-29 to G-36 (G-E06, G-E07), F-18 to F-28, R-91, R-92.

    Examples
    --------
    One axis tells two circles apart, one inside the other, which no line can do:

    >>> import numpy as np
    >>> from sklearn.datasets import make_circles
    >>> from dimred_lessons import KernelPCA
    >>> X, inside = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    >>> y = KernelPCA(n_components=1, sigma=0.5).fit_transform(X)[:, 0]
    >>> print(f"correlation with the circle: {abs(np.corrcoef(y, inside)[0, 1]):.2f}")
    correlation with the circle: 0.99
    """

    _parameters = {
        "kernel": partial(check_option, options=(*_KNOWN, "precomputed"), function=True),
        "sigma": partial(check_number, none="for the median distance"),
        "degree": check_integer,
        "coef0": partial(check_number, zero=True),
    }
    _n_square_matrices = 2

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        kernel: str | Callable[[np.ndarray, np.ndarray], np.ndarray] = "gaussian",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0

    def _fit_eigenpairs(self, X):
        # 1. Dot products in feature space: K_ij = Φ(x_i)·Φ(x_j)
        K, rounding = self._fit_kernel(X)  # (kpca-kernel)
        # 2. Center in feature space without going there: K̃ = HKH
        self.kernel_means_ = K.mean(axis=0)
        self.kernel_ = center_kernel(K, overwrite=True)  # (kpca-center)
        if self.kernel not in _KNOWN:
            check_positive_semidefinite(self.kernel_, "The centered kernel")
        # 3. Recover the basis: K̃ = UΛUᵀ, without eigenvalues that are only rounding, of the kernel or of its center
        size = self.kernel_.diagonal().max() + np.abs(self.kernel_means_).max()
        rounding = max(rounding, max(X.shape) * np.finfo(float).eps * size)
        eigenvalues, U = top_eigenpairs(self.kernel_, self.n_components, rounding)  # (kpca-eigenproblem)
        # 4. Coefficients of axes of unit length: A = UΛ^−½, so that AᵀK̃A = I
        self.dual_coef_ = U / np.sqrt(eigenvalues)  # (kpca-unit-axes)
        # 5. Encode the training points: Y = K̃A = UΛ^½
        return eigenvalues, U, np.sqrt(eigenvalues)  # (kpca-scores)

    def _place(self, X):
        Y = np.empty((len(X), self._n_features_out))
        for rows in blocks(len(X), len(self.dual_coef_)):
            Y[rows] = self._scores(self._kernel_between(X[rows], self.training_points_))
        return Y

    def _scores(self, K_new):
        # 6. Encode new points with the training means: y = Aᵀk̃(x)
        return center_new_kernel(K_new, self.kernel_means_) @ self.dual_coef_  # (kpca-encode)

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Points whose images in feature space come closest to given scores (Gaussian kernel only).

        The point of the principal subspace with scores y is Σ_i β_i Φ(x_i), β = Ay + 1/n. In general no point
        maps there: this is the pre-image problem, and `gaussian_preimages` finds a local optimum of it.

        Parameters
        ----------
        X : array of shape (n_new, n_components)
            Scores y, as ``transform`` returns them.

        Returns
        -------
        array of shape (n_new, n_features)

        Raises
        ------
        ValueError
            If the kernel is not Gaussian, or X does not have one column for each component.

        Warns
        -----
        UserWarning
            If the preimages have not converged.
        """
        if self.kernel != "gaussian":
            raise ValueError(f'inverse_transform needs kernel="gaussian", but the kernel is {self.kernel!r}.')
        Y, points = self._check_scores(X), self.training_points_
        preimages = np.empty((len(Y), points.shape[1]))
        for rows in blocks(len(Y), len(points)):
            # 7. Coefficients of the projection; 1/n restores the mean of Φ: β = Ay + 1/n
            beta = Y[rows] @ self.dual_coef_.T + 1 / len(self.dual_coef_)  # (kpca-projection)
            # 8. Pre-image by fixed point, from the training point with the nearest scores
            nearest = np.argmin(squared_distances_between(Y[rows], self.embedding_), axis=1)
            preimages[rows] = gaussian_preimages(beta, points, points[nearest], self.sigma_)  # (kpca-preimage)
        return preimages

    def feature_residual(self, X: ArrayLike) -> np.ndarray:
        """Squared distance in feature space between points and the principal subspace.

        ‖Φ̃(x)‖² − ‖y‖² = k̃(x, x) − ‖y‖²: what the scores do not capture of the points. Over the training points
        it sums to tr K̃ − Σ Λ, the smallest sum that any d axes can reach.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
            Points, not rows of a precomputed kernel.

        Returns
        -------
        array of shape (n_new,)

        Raises
        ------
        ValueError
            If the kernel is precomputed: it does not hold k(x, x).
        """
        check_is_fitted(self)
        if self.kernel == "precomputed":
            raise ValueError("feature_residual needs k(x, x), which a precomputed kernel does not hold.")
        X = self._validated(X, reset=False)
        lengths = squared_lengths(X, self._kernel_between)
        residuals = np.empty(len(X))
        for rows in blocks(len(X), len(self.dual_coef_)):
            K_new = self._kernel_between(X[rows], self.training_points_)
            # 9. Pythagoras: ‖Φ̃(x)‖² − ‖y‖²
            centered_lengths = lengths[rows] - 2 * K_new.mean(axis=1) + self.kernel_means_.mean()
            score_lengths = np.sum(self._scores(K_new) ** 2, axis=1)
            residuals[rows] = np.maximum(centered_lengths - score_lengths, 0)  # (kpca-residual)
        return residuals

    def _fit_kernel(self, X):
        """Kernel of the training points, and the norm of its rounding; a given one is copied, and made symmetric."""
        self.sigma_ = median_distance(X) if self.sigma is None and self.kernel == "gaussian" else self.sigma
        self.training_points_ = None if self.kernel == "precomputed" else X.copy()
        # Centering hides any shift of the points from a linear kernel, but not the digits that are lost far from 0
        self._origin = X.mean(axis=0) if self.kernel == "linear" else None
        K = self._kernel_between(X)
        if self.kernel in _KNOWN:
            return K, 0.0
        return symmetrized(K, "The kernel"), rounding_norm(K, K)

    def _kernel_between(self, X, Z=None):
        """Kernel between the rows of X and of Z; a precomputed one is given in place of X."""
        if self.kernel == "precomputed":
            return X
        if self.kernel == "linear":
            X, Z = X - self._origin, None if Z is None else Z - self._origin
        return kernel_matrix(X, Z, self.kernel, sigma=self.sigma_, degree=self.degree, coef0=self.coef0)
