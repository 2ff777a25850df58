"""The frame around every method: what scikit-learn expects of an estimator, written once.

A method says how it embeds points, and how it places new ones; the frame checks parameters and data, keeps the
embedding and names its columns. A family of methods has its own frame on top of this one.
"""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from dimred_lessons.inputs import as_numbers, as_table, column_names, require_finite, require_squares
from dimred_lessons.memory import require_memory
from dimred_lessons.parameters import Check, check_integer


class Embedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class: an embedding of given points in few dimensions, in which new points can be placed.

    A subclass writes ``_embed(X)``, which returns the embedding (n_samples, n_components), and ``_place(X)``, which
    returns the places of new points, and lists in ``_parameters`` the check of each of its own parameters.
    ``_n_square_matrices`` says how many n × n matrices its fit holds at a time, ``_remedy`` what to do where they do
    not fit into memory, ``_missing`` what may be missing: "entries" of points, "dissimilarities", or nothing.

    Attributes
    ----------
    embedding_ : array of shape (n_samples, n_components)
        The low-dimensional points; rows are points.
    n_components_ : int
        d, the number of columns of the embedding.
    n_features_in_ : int
        D, the number of columns seen by ``fit``.
    """

    _parameters: dict[str, Check] = {}
    _n_square_matrices: int = 0
    _remedy = "fit fewer points and place the others with transform"
    _missing: str | None = None
    _all_components = "for all attainable"

    def fit(self, X: ArrayLike | sparse.sparray, y: object = None) -> Self:
        """Embed the rows of X.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, in any unit; finite real numbers, which are converted to float64. In a data frame, a list or a
            masked array, too; what is masked, None or NA counts as NaN.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not a matrix of numbers with at least two rows, one of them is infinite, or is missing although
            the method does not take missing entries, a parameter is not what it may be, the data cannot give
            ``n_components``, or the n × n matrices that are needed do not fit into memory.
        """
        X = self._validated(X, ensure_min_samples=2)
        check_integer("n_components", self.n_components, none=self._all_components)
        for name, check in self._parameters.items():
            check(name, getattr(self, name))
        require_memory(self._n_square_matrices, X.shape[0], X.shape[0], self._remedy)
        try:
            embedding = self._embed(X)
        except (ValueError, ArithmeticError):
            require_squares(X)  # which may be the reason
            raise
        if not np.isfinite(embedding).all():
            require_squares(X)
            raise ValueError("The embedding is not finite: leave out rows of extreme numbers, or scale the columns.")
        self.embedding_ = embedding
        return self

    def fit_transform(self, X: ArrayLike | sparse.sparray, y: object = None) -> np.ndarray:
        """Embed the rows of X and return the embedding.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        Y : array of shape (n_samples, n_components)
        """
        return self.fit(X).embedding_

    def transform(self, X: ArrayLike | sparse.sparray) -> np.ndarray:
        """Place new points in the embedding that ``fit`` found.

        They are processed in blocks, so that no more memory is needed for many points than X and Y themselves take.

        Parameters
        ----------
        X : array of shape (n_new, n_features)

        Returns
        -------
        Y : array of shape (n_new, n_components)

        Raises
        ------
        ValueError
            If X does not have the columns that ``fit`` saw, or a point cannot be placed.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        Y = self._place(X)
        if not np.isfinite(Y).all():
            i = np.argmin(np.isfinite(Y).all(axis=1))
            raise ValueError(f"Row {i} of X is so far away that its place leaves the range of numbers: leave it out.")
        return Y

    def _check_scores(self, X):
        """Scores to reconstruct points from: with as many columns as this fit has components."""
        check_is_fitted(self)
        Y = as_table(X, "X")
        if Y.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {Y.shape[1]} columns, but this fit has {self.n_components_} components: give scores, as "
                "transform returns them."
            )
        return Y

    def _validated(self, X, **options):
        """Finite numbers in float64; where the method's tags allow it, also NaN, or a sparse matrix, as CSR."""
        takes = get_tags(self).input_tags
        reset = options.pop("reset", True)
        A = as_numbers(X)
        if takes.pairwise and A.ndim == 1:
            raise ValueError(
                f"X has the shape {A.shape}, but a row and a column for each point are needed: a list of all pairs, as "
                "SciPy's pdist makes it, becomes such a matrix by squareform (Reshape your data)."
            )
        A = check_array(
            A,
            dtype=np.float64,
            accept_sparse="csr" if takes.sparse else False,
            ensure_all_finite=False,
            input_name="X",
            estimator=self,
            **options,
        )
        names = column_names(X)
        require_finite(A, "X", names, takes.allow_nan, self._without_missing())
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f'X has {names.count(twice)} columns with the name "{twice}": rename them.')
        validate_data(self, X, skip_check_array=True, reset=reset)  # names and number of the columns
        return A

    def _without_missing(self):
        """What to do about missing entries, in words."""
        takes = get_tags(self).input_tags
        if takes.pairwise and not takes.positive_only:
            return "compute the kernel of points that are complete"
        what = "dissimilarities" if takes.pairwise else "entries"
        *first, last = sorted(method.__name__ for method in _methods() if method._missing == what)
        takers = f"{', '.join(first)} or {last}" if first else last
        return f"leave such rows out, fill them in, or use {takers}, which take{'s' * (not first)} missing {what}"

    def _require_components(self, n_attainable, X):
        """Refuse to embed in more dimensions than the data can give."""
        if n_attainable < (self.n_components or 1):
            raise ValueError(
                f"n_components={self.n_components} is above the {n_attainable} that these data can give "
                f"(n_samples={X.shape[0]}, n_features={X.shape[1]}): ask for fewer, or give points that vary more."
            )

    def __sklearn_tags__(self):
        """Tell scikit-learn whether X holds distances or a kernel, so that it also selects columns, or may hold NaN."""
        tags = super().__sklearn_tags__()
        distances, kernel = (getattr(self, name, None) == "precomputed" for name in ("metric", "kernel"))
        tags.input_tags.pairwise, tags.input_tags.positive_only = distances or kernel, distances
        tags.input_tags.allow_nan = self._missing == ("dissimilarities" if distances else "entries")
        return tags

    @property
    def n_components_(self) -> int:
        """d, the number of columns of the embedding."""
        return self.embedding_.shape[1]

    @property
    def _n_features_out(self):
        """Number of output columns, which scikit-learn turns into their names."""
        return self.n_components_


def _methods(frame=Embedding):
    """All methods of this package: the classes that are built on its frames."""
    for method in frame.__subclasses__():
        if not method.__module__.endswith(".base"):
            yield method
        yield from _methods(method)
