"""Principal components analysis, from the covariance and from the dot products."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.eigenpairs import center_points, centered_svd_of_points, top_eigenpairs
from dimred_lessons.gaussians import log_density, precision_matrix
from dimred_lessons.kernels import center_kernel, linear_kernel
from dimred_lessons.memory import blocks
from dimred_lessons.spectral.base import SpectralMethod


class PCA(SpectralMethod):
    """Project points on the d-dimensional affine subspace that loses least of them.

    Maximizes the variance tr(VᵀXᵀXV) / (n − 1) of the projections of the centered points X (n, D), or,
    equivalently, minimizes the reconstruction error ‖X − XVVᵀ‖², both subject to VᵀV = I.

    Parameters
    ----------
    n_components : int or None, default 2
        d, the dimension of the subspace; None for all that the data can give (the rank of X).

    Attributes
    ----------
    mean_ : array of shape (n_features,)
        x̄, the mean of the training points, in their unit.
    components_ : array of shape (n_components, n_features)
        Vᵀ: orthonormal principal directions as rows.
    eigenvalues_ : array of shape (n_components,)
        Λ = Σ², the largest eigenvalues of XᵀX, in squared units of the data.
    singular_values_ : array of shape (n_components,)
        Σ = Λ^½, the lengths of the columns of Y, in the unit of the data.
    explained_variance_, explained_variance_ratio_ : arrays of shape (n_components,)
        Λ / (n − 1), and its share of the total variance.
    total_variance_ : float
        tr(XᵀX) / (n − 1), the sum of the variances of all columns.
    noise_variance_ : float
        Mean variance of the D − d directions that are left out; 0 if there is none in them.
    embedding_ : array of shape (n_samples, n_components)
        Y = XV = UΣ, the scores.
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above the rank of the centered data, which the message names.

    References
    ----------
    Algorithm alg-pca; sources G-08 to G-19, W-01 to W-06, L-03 to L-07, F-03 to F-05.

    Examples
    --------
    Twenty numbers in place of 64 pixels:

    >>> from sklearn.datasets import load_digits
    >>> from dimred_lessons import PCA
    >>> pca = PCA(n_components=20).fit(load_digits().data)
    >>> print(f"{pca.n_features_in_} columns, {pca.explained_variance_ratio_.sum():.0%} of their variance in 20")
    64 columns, 89% of their variance in 20
    """

    def __init__(self, n_components: int | None = 2) -> None:
        self.n_components = n_components

    def _fit_eigenpairs(self, X):
        # 1. Center the points, and 2. recover the basis: X − 1x̄ᵀ = U Σ Vᵀ
        centered = centered_svd_of_points(X, self.n_components)  # (pca-svd)
        self.mean_, self.components_ = centered.mean, centered.V.T
        self.total_variance_ = centered.squares / (len(X) - 1)
        # 3. Encode the training points: Y = (X − 1x̄ᵀ) V = U Σ; XᵀX V = V Σ² says what the eigenvalues are
        return centered.singular_values**2, centered.U, centered.singular_values  # (pca-scores)

    def _place(self, X):
        # 4. Encode new points with the training mean: y = Vᵀ(x − x̄)
        return (X - self.mean_) @ self.components_.T  # (pca-encode)

    def _kernel(self, X):
        n = len(self.embedding_)
        if X is None or len(X) != n:
            raise ValueError(f"PCA does not keep its points: give X, the {n} points that it was fitted to.")
        return center_kernel(linear_kernel(self._validated(X, reset=False)))

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Reconstruct points from their scores: x̂ = x̄ + V y.

        Parameters
        ----------
        X : array of shape (n_new, n_components)
            Scores y, as ``transform`` returns them.

        Returns
        -------
        array of shape (n_new, n_features), on the principal subspace

        Raises
        ------
        ValueError
            If X does not have one column for each component.
        """
        Y = self._check_scores(X)
        # 5. Reconstruct
        return self.mean_ + Y @ self.components_  # (pca-reconstruct)

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Mean log-likelihood of points, by which ``n_components`` can be chosen.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
        y : ignored

        Returns
        -------
        float
            The mean of `score_samples`.
        """
        return float(self.score_samples(X).mean())

    def score_samples(self, X: ArrayLike) -> np.ndarray:
        """Log-likelihood of points under the normal density of probabilistic PCA.

        Along the principal directions it has the variances of the data, and their mean in all the others. Where
        there are fewer points than columns, scikit-learn's PCA divides what is left over by min(n, D) − d in place
        of D − d, and the density has another total variance than the data.

        Parameters
        ----------
        X : array of shape (n_new, n_features)

        Returns
        -------
        array of shape (n_new,)

        Raises
        ------
        ValueError
            If the training points lie in fewer dimensions than D and all of these are kept: no density has them.

        References
        ----------
        Equation (ppca-likelihood).
        """
        check_is_fitted(self)
        return log_density(self._validated(X, reset=False), self.mean_, *self._density())

    def get_covariance(self) -> np.ndarray:
        """Covariance of the normal density of probabilistic PCA, which `score_samples` evaluates.

        Returns
        -------
        array of shape (n_features, n_features)
            Along the principal directions it has the variances of the data, and ``noise_variance_`` in all others.
        """
        check_is_fitted(self)
        above = self.explained_variance_ - self.noise_variance_
        covariance = self.components_.T * np.maximum(above, 0) @ self.components_
        return covariance + self.noise_variance_ * np.eye(len(covariance))

    def get_precision(self) -> np.ndarray:
        """Inverse of the covariance of the normal density of probabilistic PCA.

        Returns
        -------
        array of shape (n_features, n_features)

        Raises
        ------
        ValueError
            As in `score_samples`.
        """
        check_is_fitted(self)
        return precision_matrix(*self._density())

    def _density(self):
        """Loadings and noise of the columns: BBᵀ + σ²I has the variances of the axes along these, and σ² elsewhere."""
        all_kept = self.n_components_ == self.n_features_in_
        noise = self.explained_variance_[-1] if all_kept else self.noise_variance_
        if noise == 0:
            raise ValueError(
                f"The training points lie in the subspace of n_components={self.n_components_} directions: beyond it "
                "the likelihood of a point is zero or infinite; ask for fewer components."
            )
        B = self.components_.T * np.sqrt(np.maximum(self.explained_variance_ - noise, 0))
        return B, np.full(self.n_features_in_, noise)

    @property
    def singular_values_(self) -> np.ndarray:
        """Lengths of the columns of the scores."""
        return np.sqrt(self.eigenvalues_)

    @property
    def noise_variance_(self) -> float:
        """Mean variance of the directions that are left out."""
        left_out = self.n_features_in_ - self.n_components_
        variance = self.total_variance_ - self.explained_variance_.sum()
        rounding = self.n_features_in_ * np.finfo(float).eps * self.total_variance_
        return float(variance / left_out) if left_out and variance > rounding else 0.0

    @property
    def explained_variance_(self) -> np.ndarray:
        """Variance of each column of the scores."""
        return self.eigenvalues_ / (len(self.embedding_) - 1)

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """Share of the total variance in each column of the scores."""
        return self.explained_variance_ / self.total_variance_


class DualPCA(PCA):
    """PCA computed from the dot products of the points: for few points of many dimensions, n ≪ D.

    Solves the eigenproblem of the Gram matrix K = XXᵀ (n, n) of the centered points instead of that of XᵀX
    (D, D); both have the same nonzero eigenvalues. No D × D array is ever formed: fitting takes O(n²D + n³)
    operations and one centered copy of the data. It is kept, since a new point is encoded by its dot products
    with the training points, and reconstructed as a combination of them. Components whose variance is below
    about 2e-15 n of the largest are lost to rounding: the Gram matrix holds the squares of the singular values.

    Parameters
    ----------
    n_components : int or None, default 2
        d, the dimension of the subspace; None for all that the data can give (the rank of K).

    Attributes
    ----------
    mean_ : array of shape (n_features,)
        x̄, the mean of the training points, in their unit.
    kernel_ : array of shape (n_samples, n_samples)
        K, the dot products of the centered training points.
    training_points_ : array of shape (n_samples, n_features)
        X, centered.
    dual_coef_ : array of shape (n_samples, n_components)
        UΣ⁻¹, the weights of the training points in the principal directions V = XᵀUΣ⁻¹.
    components_ : array of shape (n_components, n_features)
        Vᵀ: orthonormal principal directions as rows, computed when asked for.
    eigenvalues_ : array of shape (n_components,)
        Λ = Σ², the largest eigenvalues of K, in squared units of the data.
    singular_values_ : array of shape (n_components,)
        Σ = Λ^½, the lengths of the columns of Y, in the unit of the data.
    explained_variance_, explained_variance_ratio_ : arrays of shape (n_components,)
        Λ / (n − 1), and its share of the total variance.
    total_variance_ : float
        tr(K) / (n − 1), the sum of the variances of all columns.
    noise_variance_ : float
        Mean variance of the D − d directions that are left out; 0 if there is none in them.
    embedding_ : array of shape (n_samples, n_components)
        Y = XV = UΣ, the scores.
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above the rank of K, which the message names.

    Warns
    -----
    UserWarning
        In ``fit``, if the last axis and the next one have the same eigenvalue up to rounding: the data do not
        determine it.

    References
    ----------
    Algorithm alg-dual-pca; sources G-20 to G-28, R-24, R-25, L-16.

    Examples
    --------
    Five points in ten thousand dimensions need no matrix larger than 5 × 5, and four components hold them:

    >>> import numpy as np
    >>> from dimred_lessons import DualPCA
    >>> X = np.random.default_rng(0).standard_normal((5, 10_000))
    >>> dual = DualPCA(n_components=None).fit(X)
    >>> dual.kernel_.shape, dual.n_components_, bool(np.allclose(dual.inverse_transform(dual.embedding_), X))
    ((5, 5), 4, True)
    """

    _n_square_matrices = 2

    def _fit_eigenpairs(self, X):
        # 1. Dot products of the centered points: K = X Xᵀ
        self.training_points_, self.mean_ = center_points(X)
        self.kernel_ = self.training_points_ @ self.training_points_.T  # (dual-gram)
        self.total_variance_ = self.kernel_.trace() / (len(X) - 1)
        # 2. Recover the basis: K = U Λ Uᵀ, and Σ = Λ^½
        eigenvalues, U = top_eigenpairs(self.kernel_, self.n_components)  # (dual-eigenproblem)
        singular_values = np.sqrt(eigenvalues)
        self.dual_coef_ = U / singular_values
        # 3. Encode the training points: Y = U Σ
        return eigenvalues, U, singular_values  # (dual-scores)

    def _kernel(self, X):
        return self.kernel_

    def _place(self, X):
        Y = np.empty((len(X), self._n_features_out))
        for rows in blocks(len(X), len(self.dual_coef_)):
            # 5. Encode new points by dot products with the training points: y = Σ⁻¹Uᵀk, k = X(x − x̄)
            k = (X[rows] - self.mean_) @ self.training_points_.T
            Y[rows] = k @ self.dual_coef_  # (dual-encode)
        return Y

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Reconstruct points from their scores: x̂ = x̄ + XᵀUΣ⁻¹y.

        Parameters
        ----------
        X : array of shape (n_new, n_components)
            Scores y, as ``transform`` returns them.

        Returns
        -------
        array of shape (n_new, n_features), on the principal subspace

        Raises
        ------
        ValueError
            If X does not have one column for each component.
        """
        Y = self._check_scores(X)
        # 4. and 6. Reconstruct as combinations of the training points
        return self.mean_ + (Y @ self.dual_coef_.T) @ self.training_points_  # (dual-decode)

    @property
    def components_(self) -> np.ndarray:
        """Vᵀ: principal directions as rows, combinations of the training points."""
        return self.dual_coef_.T @ self.training_points_  # (dual-directions)
