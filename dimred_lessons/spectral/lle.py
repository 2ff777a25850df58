"""Locally linear embedding: keep the weights that rebuild each point from its neighbors."""

from functools import partial

import numpy as np
from scipy import sparse

from dimred_lessons.eigenpairs import bottom_eigenpairs
from dimred_lessons.parameters import check_number
from dimred_lessons.reconstruction import reconstruction_cost, reconstruction_matrix
from dimred_lessons.spectral.base import LocalMethod


class LocallyLinearEmbedding(LocalMethod):
    """Place points in d dimensions so that the weights that rebuild a point from its neighbors still do so.

    Minimizes Σ_i ‖y_i − Σ_j W_ij y_j‖² = tr(YᵀMY), M = (I − W)ᵀ(I − W), subject to 1ᵀY = 0, YᵀY = n I (unit
    covariance), where row i of W minimizes ‖x_i − Σ_j W_ij x_j‖² over the neighbors of x_i, subject to
    Σ_j W_ij = 1. M is sparse; n × n arrays are formed for up to 500 points, and where a sparse factor would fill up.

    Parameters
    ----------
    n_components : int or None, default 2
        d, below the number of neighbors; None for k − 1.
    n_neighbors : int or None, default 8
        k, how many nearest points rebuild each point.
    radius : float or None, default None
        Neighbors are all points within this distance instead, in the unit of the data; n_neighbors may be None then,
        and is not used.
    reg : float, default 1e-3
        Share of the trace of each local Gram matrix that is added to its diagonal.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        If precomputed, X holds distances, all that the weights need: (n, n) in ``fit``, (n_new, n) in
        ``transform``.
    disconnected : "error" or "bridge", default "error"
        Refuse a neighborhood graph of several components, or join nearest ones with a warning.
    n_jobs : int or None, default None
        Threads that search for neighbors in up to 15 dimensions; −1 for one per core, None for one, or what
        ``joblib.parallel_config`` says.

    Attributes
    ----------
    graph_ : sparse CSR array of shape (n_samples, n_samples), row i the distances to the neighbors of point i
    reconstruction_weights_ : sparse CSR array of shape (n_samples, n_samples), W
    eigenvalues_ : array of shape (d,), the smallest eigenvalues of M after that of the constant vector
    embedding_ : array of shape (n_samples, d), Y, with mean 0 and unit covariance
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if the graph is disconnected (its components are counted), or d < k < n does not hold.

    Warns
    -----
    UserWarning
        In ``fit``, if components of the graph were joined, an axis costs nothing, as the constant does, or the last
        axis and the next one cost the same up to rounding: the data do not determine it.

    References
    ----------
    Algorithm alg-lle; sources G-37 to G-45, W-29 to W-38, R-63 to R-80; Roweis and Saul (2000).

    Examples
    --------
    Twelve weights for each of 500 points, with sum one; new points get places, too:

    >>> from sklearn.datasets import make_s_curve
    >>> from dimred_lessons import LocallyLinearEmbedding
    >>> X, _ = make_s_curve(510, random_state=0)
    >>> lle = LocallyLinearEmbedding(n_neighbors=12).fit(X[:500])
    >>> lle.reconstruction_weights_.nnz, float(lle.reconstruction_weights_.sum().round(6)), lle.transform(X[500:]).shape
    (6000, 500.0, (10, 2))
    """

    _parameters = LocalMethod._parameters | {"reg": partial(check_number, zero=True)}

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int | None = 8,
        radius: float | None = None,
        reg: float = 1e-3,
        metric: str = "euclidean",
        disconnected: str = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.reg = reg
        self.metric = metric
        self.disconnected = disconnected
        self.n_jobs = n_jobs

    def _fit_eigenpairs(self, X):
        # 1. Neighbors of every point
        self.graph_ = self._neighbors(X)  # (lle-neighbors)
        d = self._check_dimension(X)
        # 2. Weights: row i rebuilds x_i from its neighbors and sums to 1
        self.reconstruction_weights_ = reconstruction_matrix(self._search, self.graph_, self.reg)  # (lle-weights)
        # 3. Bottom eigenvectors of M = (I − W)ᵀ(I − W), without the constant one
        eigenvalues, U = bottom_eigenpairs(reconstruction_cost(self.reconstruction_weights_), d)  # (lle-eigenproblem)
        # 4. Unit covariance: YᵀY = n I; 5. new points: see `LocalMethod`
        return eigenvalues, U, self._unit_covariance(U)  # (lle-constraint)

    def _validated(self, X, **options):
        if sparse.issparse(X) and self.metric == "precomputed":
            raise ValueError(
                "Sparse distances to neighbors do not give LLE's weights, which need those between neighbors, too: "
                "fit the points, or take reconstruction_matrix of points and lists, then bottom_eigenpairs of its "
                "reconstruction_cost."
            )
        return super()._validated(X, **options)

    def _check_dimension(self, X):
        """d, which must be below the number of neighbors: k points span at most k − 1 dimensions."""
        counts = np.diff(self.graph_.indptr)
        k, i = counts.min(), np.argmin(counts)
        if k <= (self.n_components or 1):
            raise ValueError(
                f"n_components={self.n_components} must be below the number of neighbors, but point {i} has "
                f"{k} (n_samples={len(X)}, n_features={X.shape[1]}): raise n_neighbors or radius."
            )
        return k - 1 if self.n_components is None else self.n_components

    def _cost_matrix(self):
        return reconstruction_cost(self.reconstruction_weights_).toarray()
