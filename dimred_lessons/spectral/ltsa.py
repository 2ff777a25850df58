"""Local tangent space alignment: keep the coordinates that each neighborhood has along its tangent."""

from dimred_lessons.eigenpairs import bottom_eigenpairs
from dimred_lessons.spectral.base import LocalMethod
from dimred_lessons.tangents import patches, tangent_cost


class LTSA(LocalMethod):
    """Place points in d dimensions so that each patch is an affine image of its picture on the tangent.

    Minimizes Σ_i min ‖Y_i − 1sᵀ − Θ_iL‖² = tr(YᵀMY) subject to 1ᵀY = 0, YᵀY = n I (unit covariance), where Y_i
    holds the places of point i and its neighbors, Θ_i their coordinates along the tangent (local PCA), and s and
    L are the best affine map of that patch. M is sparse; n × n arrays are formed for up to 500 points, and where a
    sparse factor would fill up.

    Parameters
    ----------
    n_components : int or None, default 2
        d, at most k − 1 and the dimension of the data; it is also that of the tangents, so that the axes of a fit
        with larger d begin differently. None for as many as possible.
    n_neighbors : int or None, default 8
        k, how many nearest points show the tangent at each point.
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
        In ``fit``, if the graph is disconnected (its components are counted), or d < k < n does not hold.

    Warns
    -----
    UserWarning
        In ``fit``, if components of the graph were joined, an axis costs nothing, as the constant does, or the last
        axis and the next one cost the same up to rounding: the data do not determine it.

    References
    ----------
    Algorithm alg-ltsa; Zhang and Zha (2004).

    Examples
    --------
    Linear functions of the two axes are the length and the height of a bent sheet:

    >>> import numpy as np
    >>> from sklearn.datasets import make_s_curve
    >>> from dimred_lessons import LTSA
    >>> X, length = make_s_curve(500, random_state=0)
    >>> Y = LTSA(n_neighbors=12).fit_transform(X)
    >>> print([f"{1 - np.linalg.lstsq(Y, c - c.mean())[1][0] / len(X) / c.var():.2f}" for c in (length, X[:, 1])])
    ['1.00', '1.00']
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
        members, d = patches(self.graph_, self.n_components, X.shape[1], needed=lambda d: d + 2)
        # 2. Coordinates of each patch along its tangent, and what no affine map of them explains
        self.cost_ = tangent_cost(self._search, members, d)  # (tangent-cost)
        # 3. Bottom eigenvectors of M, without the constant one
        eigenvalues, U = bottom_eigenpairs(self.cost_, d)  # (tangent-eigenproblem)
        # 4. Unit covariance: YᵀY = n I; 5. new points: see `LocalMethod`
        return eigenvalues, U, self._unit_covariance(U)
