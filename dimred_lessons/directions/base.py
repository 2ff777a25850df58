"""The frame of methods that look for directions among white points, which have unit variance in every direction."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from dimred_lessons.base import Embedding
from dimred_lessons.eigenpairs import center_points, column_signs, thin_svd


class WhitenedDirections(Embedding):
    """Base class: center and whiten the points, and find directions by more than their covariance.

    A subclass writes ``_directions(Z, deviations)``, which returns directions W (d, k), as rows, for white points
    Z (n, k) and the standard deviations (k,) of the principal axes before whitening; and ``_n_axes(rank)``, the
    number of principal axes to whiten.

    Attributes
    ----------
    mean_ : array of shape (n_features,)
    components_ : array of shape (n_components, n_features)
        The directions, as rows: y = components_ · (x − mean_), in units of the data to the power −1.
    mixing_ : array of shape (n_features, n_components)
        The points that correspond to coordinates, in the unit of the data: x ≈ mean_ + mixing_ · y.
    embedding_ : array of shape (n_samples, n_components)
        Coordinates of unit variance.
    """

    def _embed(self, X):
        n = len(X)
        X, self.mean_ = center_points(X)
        U, singular_values, V = thin_svd(X)
        self._require_components(len(singular_values), X)
        k = self._n_axes(len(singular_values))
        deviations = singular_values[:k] / np.sqrt(n)
        W = self._directions(U[:, :k] * np.sqrt(n), deviations)
        self.mixing_ = (V[:, :k] * deviations) @ linalg.pinv(W)
        signs = column_signs(self.mixing_)
        self.mixing_ *= signs
        self.components_ = signs[:, np.newaxis] * W @ (V[:, :k] / deviations).T
        return X @ self.components_.T

    def _place(self, X):
        return (X - self.mean_) @ self.components_.T

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """The points that correspond to given coordinates.

        Parameters
        ----------
        X : array of shape (n_new, n_components)
            Coordinates, as ``transform`` returns them.

        Returns
        -------
        array of shape (n_new, n_features)
            Of all points with these coordinates, the one nearest to the mean once whitened.
        """
        return self.mean_ + self._check_scores(X) @ self.mixing_.T
