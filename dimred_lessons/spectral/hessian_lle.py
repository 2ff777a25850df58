"""Hessian LLE: axes whose second derivatives along the tangents are smallest."""

from dimred_lessons.eigenpairs import bottom_eigenpairs
from dimred_lessons.spectral.base import LocalMethod
from dimred_lessons.tangents import hessian_cost, patches


class HessianLLE(LocalMethod):
    """Place points in d dimensions by the axes that bend least along the data.

    Minimizes Σ_i ‖H_i Y_i‖² = tr(YᵀMY) subject to 1ᵀY = 0, YᵀY = n I (unit covariance), where Y_i holds the places
    of point i and its neighbors, and H_i estimates the d(d + 1)/2 second derivatives there from coordinates along
    the tangent. On data that can be flattened without stretching, over a region of any shape (holes, too), only
    the constant and the d flat coordinates do not bend. M is sparse; n × n arrays are formed for up to 500 points,
    and where a sparse factor would fill up.

    Parameters
    ----------
    n_components : int or None, default 2
        d, also the dimension of the tangents, so that the axes of a fit with larger d begin differently; None for
        as many as k and the data allow.
    n_neighbors : int or None, default 8
        k, at least d + d(d + 1)/2: how many nearest points show the second derivatives at each point.
    radius : float or None, default None
        Neighbors are all points within this distance instead, in the unit of the data; n_neighbors may be None then,
        and is not used.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        If precomputed, X holds distances, (n, n) in ``fit`` and (n_new, n) in ``transform``: tangents come from
        local classical MDS.
    disconnected : "error" or "bridge", default "error"
        Refuse a neighborhood graph of several components, or join nearest ones with a warning.
    n_jobs : int or None, default None
        Threads that search for neighbors in up to 15 dimensions; −1 for one per core, None for one, or what
        ``joblib.parallel_config`` says.

    Attributes
    ----------
    graph_ : sparse CSR array of shape (n_samples, n_samples), row i the distances to the neighbors of point i
    cost_ : sparse CSR array of shape (n_samples, n_samples), M
    eigenvalues_ : array of shape (d,), the smallest eigenvalues of M after that of the constant vector
    embedding_ : array of shape (n_samples, d), Y, with mean 0 and unit covariance
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if the graph is disconnected (its components are counted), or k is too small for d.

    Warns
    -----
    UserWarning
        In ``fit``, if components of the graph were joined, an axis costs nothing, as the constant does, or the last
        axis and the next one cost the same up to rounding: the data do not determine it.

    References
    ----------
    Algorithm alg-hessian; Donoho and Grimes (2003).

    Examples
    --------
    A hole in a rolled-up sheet keeps its shape: what linear functions of the axes miss of the flat sheet is tiny.

    >>> import numpy as np
    >>> from sklearn.datasets import make_swiss_roll
    >>> from dimred_lessons import HessianLLE
    >>> X, t = make_swiss_roll(1000, hole=True, random_state=0)
    >>> sheet = np.column_stack([t * np.sqrt(1 + t**2) + np.arcsinh(t), 2 * X[:, 1]])
    >>> missed = np.linalg.lstsq(HessianLLE(n_neighbors=12).fit_transform(X), sheet - sheet.mean(axis=0))[1]
    >>> bool(np.all(missed < 1e-3 * len(X) * sheet.var(axis=0)))
    True
    """

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int | None = 8,
        radius: float | None = None,
        metric: str = "euclidean",
        disconnected: str = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.metric = metric
        self.disconnected = disconnected
        self.n_jobs = n_jobs

    def _fit_eigenpairs(self, X):
        # 1. Neighbors of every point, which make a patch with it
        self.graph_ = self._neighbors(X)
        members, d = patches(self.graph_, self.n_components, X.shape[1], needed=lambda d: 1 + d + d * (d + 1) // 2)
        # 2. Second derivatives of a function on each patch, and the sum of their squares
        self.cost_ = hessian_cost(self._search, members, d)  # (tangent-hessian)
        # 3. Bottom eigenvectors of M, without the constant one
        eigenvalues, U = bottom_eigenpairs(self.cost_, d)  # (tangent-eigenproblem)
        # 4. Unit covariance: YᵀY = n I; 5. new points: see `LocalMethod`
        return eigenvalues, U, self._unit_covariance(U)
