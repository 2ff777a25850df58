"""The frame of the spectral methods: each is an eigenproblem of one matrix built from the data."""

import numpy as np

from dimred_lessons.base import OutOfSampleEmbedding


class SpectralMethod(OutOfSampleEmbedding):
    """Base class: embed points by the eigenvectors of a matrix built from them.

    A subclass writes ``_fit_eigenpairs(X)``, which returns the eigenvalues (d,) of its matrix, their
    eigenvectors U (n, d) and the scale (d,) of the axes. A method that takes the bottom of a spectrum also hands
    out its matrix, by ``_cost_matrix()``; the matrix of the others is a kernel. ``_takes_sparse_distances`` says
    whether precomputed distances may be sparse: only those to candidates for neighbors.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the method's own matrix, in the order of the axes.
    embedding_ : array of shape (n_samples, n_components)
        The low-dimensional points, Y = U · scale; rows are points.
    n_components_ : int
        d, the number of columns of the embedding.
    n_features_in_ : int
        D, the number of columns seen by ``fit``.
    """

    _takes_sparse_distances = False

    def _embed(self, X):
        eigenvalues, U, scale = self._fit_eigenpairs(X)
        self._require_components(len(eigenvalues), X)
        self.eigenvalues_ = eigenvalues
        return U * scale

    def _cost_matrix(self):
        """Dense symmetric matrix (n, n) whose bottom eigenvectors are the axes; None if they are those of a kernel."""
        return None

    def _masses(self):
        """Weights (n,) of the points in the constraint YᵀMY = I."""
        return np.ones(len(self.embedding_))

    def _kernel(self, X):
        """Kernel (n, n) whose top eigenvectors are the axes; X is needed if ``fit`` keeps neither it nor the kernel."""
        return self.kernel_

    def __sklearn_tags__(self):
        """Tell scikit-learn whether distances may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only and self._takes_sparse_distances
        return tags
