"""Isomap: classical MDS of distances along the manifold."""

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.distances import rounding_norm
from dimred_lessons.edges import as_graph, stored_edges
from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.geodesics import geodesic_distances, geodesics_of_new_points
from dimred_lessons.graphs import symmetrize
from dimred_lessons.kernels import kernel_from_squared_distances, negative_mass
from dimred_lessons.landmarks import choose_landmarks
from dimred_lessons.memory import blocks
from dimred_lessons.parameters import check_flag, check_integer, check_seed, check_verbose
from dimred_lessons.spectral.base import GraphMethod


class Isomap(GraphMethod):
    """Place points in d dimensions so that straight distances match the geodesic ones on the manifold.

    Minimizes the strain ‖K − YYᵀ‖², where K = −½H(G∘G)H and G holds the lengths of shortest paths through the
    neighborhood graph, which stand for geodesics. Fitting holds three n × n matrices, or with landmarks only one
    m × n matrix: K is then that of m landmarks, and the other points are placed by their geodesics to them.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for every positive eigenvalue of K.
    n_neighbors : int or None, default 6
        k, of the nearest neighbor graph (an edge where either point lists the other).
    radius : float or None, default None
        Neighbors are all points within this distance instead, in the unit of the data; n_neighbors may be None then,
        and is not used.
    n_landmarks : int or None, default None
        m random landmarks, more than d; None for all points, which is exact.
    conformal : bool, default False
        Divide each edge by √(M(i)M(j)), M the mean distance to the neighbors: for manifolds that are bent
        conformally, with angles kept but not lengths, and sampled uniformly before that.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        Distances of the points; if precomputed, X holds them: (n, n) in ``fit``, (n_new, n) in ``transform``.
        Sparse ones are only those to candidates for neighbors, at least k in each row, as scikit-learn's
        KNeighborsTransformer(mode="distance") stores them; if all that are needed are stored, the result is the
        same.
    n_jobs : int or None, default None
        Processes that share shortest paths by Dijkstra's algorithm, and threads that search for neighbors in up to
        15 dimensions; −1 for one per core, None for one, or what ``joblib.parallel_config`` says.
    disconnected : "error" or "bridge", default "error"
        Refuse a graph of several components, or join nearest ones with a warning.
    random_state : int, RandomState or None, default 0
        Draws the landmarks; None for other ones each time.
    verbose : bool or int, default False
        Whether the shortest paths, most of the work, show a progress bar.

    Attributes
    ----------
    graph_ : sparse CSR array of shape (n_samples, n_samples)
        Edge lengths.
    landmarks_ : array of shape (m,)
        Rows of X; all of them without landmarks.
    geodesic_distances_ : array of shape (m, n_samples)
        G, from the landmarks.
    kernel_ : array of shape (m, m)
        K, of the landmarks.
    mean_squared_distances_ : array of shape (m,)
        Mean squared geodesic distance of each landmark to all landmarks.
    dual_coef_ : array of shape (m, n_components)
        UΛ^−½, which places other points by their geodesics to the landmarks.
    spacings_ : array of shape (n_samples,)
        M, the mean distance from each point to its neighbors; only if conformal.
    eigenvalues_ : array of shape (n_components,)
        Λ, the largest eigenvalues of K.
    embedding_ : array of shape (n_samples, n_components)
        Y = UΛ^½.
    negative_mass_ : float
        Σ |λ| over the negative eigenvalues of K, divided by Σ |λ| over all; O(n³), computed when asked for.
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if the graph is disconnected, k is not below n, or d is above the number of positive
        eigenvalues of K.

    Warns
    -----
    UserWarning
        In ``fit``, if components of the graph were joined, or the last axis and the next one have the same eigenvalue
        up to rounding: the data do not determine it.

    References
    ----------
    Algorithm alg-isomap; sources G-61 to G-66, W-21 to W-28, R-81 to R-83, F-40 to F-48, L-19;
    de Silva and Tenenbaum (2003) for landmarks and the conformal variant.

    Examples
    --------
    The first axis is the length along a rolled-up sheet:

    >>> import numpy as np
    >>> from sklearn.datasets import make_swiss_roll
    >>> from dimred_lessons import Isomap
    >>> X, angle = make_swiss_roll(500, random_state=0)
    >>> y = Isomap(n_neighbors=8).fit_transform(X)[:, 0]
    >>> print(f"correlation with the angle of the roll: {abs(np.corrcoef(y, angle)[0, 1]):.2f}")
    correlation with the angle of the roll: 0.99
    """

    _parameters = GraphMethod._parameters | {
        "n_landmarks": partial(check_integer, none="for all points"),
        "conformal": check_flag,
        "random_state": check_seed,
        "verbose": check_verbose,
    }

    _takes_sparse_distances = True
    _remedy = GraphMethod._remedy + ", or set n_landmarks"

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int | None = 6,
        radius: float | None = None,
        n_landmarks: int | None = None,
        conformal: bool = False,
        metric: str = "euclidean",
        n_jobs: int | None = None,
        disconnected: str = "error",
        random_state: int | np.random.RandomState | None = 0,
        verbose: bool | int = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_landmarks = n_landmarks
        self.conformal = conformal
        self.metric = metric
        self.n_jobs = n_jobs
        self.disconnected = disconnected
        self.random_state = random_state
        self.verbose = verbose

    def _fit_eigenpairs(self, X):
        self.landmarks_ = choose_landmarks(X.shape[0], self.n_landmarks, self.n_components, self.random_state)
        # 1. Neighborhood graph; edges are lengths
        graph = self._neighbors(X)  # (isomap-neighbors)
        if self.conformal:  # relative to the spacing of the points there
            self.spacings_ = mean_neighbor_distances(graph)
            graph = conformal_lengths(graph, self.spacings_, self.spacings_)  # (isomap-conformal)
        self.graph_ = symmetrize(graph)
        # 2. Geodesic distances: shortest paths through the graph
        exact = self.n_landmarks is None
        self.geodesic_distances_ = geodesic_distances(  # (isomap-geodesics)
            self.graph_, None if exact else self.landmarks_, self.n_jobs, self.verbose
        )
        # 3. Classical MDS on their squares: K = −½H(G∘G)H = UΛUᵀ
        among = self.geodesic_distances_ if exact else self.geodesic_distances_[:, self.landmarks_]
        squared = among**2
        self.mean_squared_distances_ = squared.mean(axis=0)
        self._rounding = rounding_norm(X, squared) if self.metric == "precomputed" else 0.0
        self.kernel_ = kernel_from_squared_distances(squared, overwrite=True)  # (isomap-kernel)
        eigenvalues, U = top_eigenpairs(self.kernel_, self.n_components, self._rounding)
        self.dual_coef_ = U / np.sqrt(eigenvalues)
        # 4. The other points, by their geodesics to the landmarks
        if not exact:
            U = self._place_by_geodesics(self.geodesic_distances_.T) / np.sqrt(eigenvalues)  # (isomap-landmarks)
        return eigenvalues, U, np.sqrt(eigenvalues)

    def _place_by_geodesics(self, geodesics):
        """Points with given distances to the landmarks: y = ½Λ^−½Uᵀ(mean of Δ² − δ²)."""
        return 0.5 * (self.mean_squared_distances_ - geodesics**2) @ self.dual_coef_  # (mds-gower)

    def _place(self, X):
        # 5. Geodesics of a new point run through its neighbors
        graph = self._neighbors_of_new_points(X)
        if self.conformal:
            graph = conformal_lengths(graph, mean_neighbor_distances(graph), self.spacings_)
        Y = np.empty((graph.shape[0], self._n_features_out))
        exact = self.n_landmarks is None
        to_landmarks = self.geodesic_distances_ if exact else np.ascontiguousarray(self.geodesic_distances_.T)
        for rows in blocks(len(Y), len(self.landmarks_)):
            geodesics = geodesics_of_new_points(graph[rows], to_landmarks)  # (isomap-new-points)
            Y[rows] = self._place_by_geodesics(geodesics)
        return Y

    def residual_variance(self) -> np.ndarray:
        """1 − r² between geodesic and embedded distances for 1, 2, ..., d axes: enough axes where it levels off.

        Returns
        -------
        array of shape (n_components,)

        References
        ----------
        Equation (isomap-residual-variance); source W-26.
        """
        check_is_fitted(self)
        squared, residuals = np.zeros_like(self.geodesic_distances_), []
        for y in self.embedding_.T:
            squared += (y[self.landmarks_, np.newaxis] - y) ** 2
            r = np.corrcoef(np.sqrt(squared).ravel(), self.geodesic_distances_.ravel())[0, 1]
            residuals.append(1 - r**2)  # (isomap-residual-variance)
        return np.array(residuals)

    def reconstruction_error(self) -> float:
        """What the dot products of the embedding miss of the kernel, ‖K − YYᵀ‖ / n; with landmarks, of theirs.

        Returns
        -------
        float, in squared units of the data
        """
        check_is_fitted(self)
        Y = self.embedding_[self.landmarks_]
        return float(np.linalg.norm(self.kernel_ - Y @ Y.T) / len(Y))

    @property
    def negative_mass_(self) -> float:
        """Σ |λ| over the negative eigenvalues of K, divided by Σ |λ| over all; O(n³), computed when asked for."""
        return negative_mass(self.kernel_, self._rounding)

    @property
    def _n_square_matrices(self):
        return 3 if self.n_landmarks is None else 0


def mean_neighbor_distances(graph: sparse.csr_array) -> np.ndarray:
    """M(i), the mean length of the edges in row i: how thinly the points lie there.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n), of edge lengths

    Returns
    -------
    array of shape (m,)
    """
    graph = as_graph(graph)
    return graph.sum(axis=1) / np.diff(graph.indptr)


def conformal_lengths(graph: sparse.csr_array, row_means: np.ndarray, column_means: np.ndarray) -> sparse.csr_array:
    """Edge lengths relative to the local spacing of the points, ‖x_i − x_j‖ / √(M(i)M(j)).

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n), of edge lengths
    row_means, column_means : arrays of shapes (m,) and (n,)
        M of the row points and of the column points; see `mean_neighbor_distances`.

    Returns
    -------
    sparse CSR array of shape (m, n)

    Raises
    ------
    ValueError
        If a point coincides with all its neighbors, so that M(i) = 0.

    References
    ----------
    De Silva and Tenenbaum (2003); equation (isomap-conformal); source R-83.
    """
    graph = as_graph(graph)
    for means in (row_means, column_means):
        if not means.all():
            raise ValueError(
                f"Point {np.argmin(means)} coincides with all its neighbors: raise n_neighbors, drop copies, "
                "or use conformal=False."
            )
    scaled, (rows, columns) = graph.copy(), stored_edges(graph)
    scaled.data = graph.data / np.sqrt(row_means[rows] * column_means[columns])  # (isomap-conformal)
    return scaled
