"""The frame around every method: what scikit-learn expects of an estimator, written once.

A method says which matrix it takes eigenpairs of, and the scale that its constraint puts on them; the frame
validates, embeds, names the output columns and places new points.
"""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from dimred_lessons.spectral import require_memory


class SpectralMethod(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class: embed points by the eigenvectors of a matrix built from them.

    A subclass writes ``_fit_eigenpairs(X)``, which returns the eigenvalues (d,) of its matrix, their
    eigenvectors U (n, d) and the scale (d,) of the axes, and ``_transform(X)``, which places new points.
    ``_n_square_matrices`` says how many n × n matrices its fit holds at a time.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the method's own matrix, in the order of the axes.
    embedding_ : array of shape (n_samples, n_components)
        The low-dimensional points, Y = U · scale; rows are points.
    n_features_in_ : int
        D, the number of columns seen by ``fit``.
    """

    _n_square_matrices = 0

    def fit(self, X, y=None):
        """Embed the rows of X.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, in any unit; finite real numbers, computed with in float64.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is no finite real matrix of two points at least, or cannot give ``n_components``, or if n × n
            matrices are needed that do not fit into memory.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        d = self.n_components
        if d is not None and (not isinstance(d, Integral) or isinstance(d, bool) or d < 1):
            raise ValueError(f"n_components={d!r} must be a positive integer, or None for all attainable.")
        require_memory(self._n_square_matrices, len(X), len(X))
        eigenvalues, U, scale = self._fit_eigenpairs(X)
        if len(eigenvalues) < (d or 1):
            raise ValueError(
                f"n_components={d} is above the {len(eigenvalues)} that these data can give "
                f"(n_samples={X.shape[0]}, n_features={X.shape[1]}): ask for fewer, or give points "
                "that vary more."
            )
        self.eigenvalues_ = eigenvalues
        self.embedding_ = U * scale
        return self

    def fit_transform(self, X, y=None):
        """Embed the rows of X and return the embedding, of shape (n_samples, n_components)."""
        return self.fit(X).embedding_

    def transform(self, X):
        """Place new points in the embedding that ``fit`` found.

        Parameters
        ----------
        X : array of shape (n_new, n_features)

        Returns
        -------
        Y : array of shape (n_new, n_components)
        """
        check_is_fitted(self)
        return self._transform(validate_data(self, X, dtype=np.float64, reset=False))

    def __sklearn_tags__(self):
        """Tell scikit-learn if X holds distances or a kernel: cross-validation must then cut columns, too."""
        tags = super().__sklearn_tags__()
        distances, kernel = (getattr(self, name, None) == "precomputed" for name in ("metric", "kernel"))
        tags.input_tags.pairwise, tags.input_tags.positive_only = distances or kernel, distances
        return tags

    def _check_scores(self, Y):
        """Scores to go back from, of as many columns as this fit has components."""
        check_is_fitted(self)
        Y = check_array(Y, dtype=np.float64, input_name="Y")
        if Y.shape[1] != self._n_features_out:
            d = self._n_features_out
            raise ValueError(f"Y has {Y.shape[1]} columns, but this fit has {d} components.")
        return Y

    @property
    def _n_features_out(self):
        """Number of output columns, which scikit-learn turns into their names."""
        return self.embedding_.shape[1]
