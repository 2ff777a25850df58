"""Laplacian eigenmaps: keep neighbors together."""

from functools import partial

import numpy as np

from dimred_lessons.edges import stored_edges
from dimred_lessons.eigenpairs import bottom_eigenpairs
from dimred_lessons.graphs import symmetrize
from dimred_lessons.laplacians import divide_out_density, graph_laplacian, heat_weights
from dimred_lessons.neighbors import coincident_points, neighbor_lists
from dimred_lessons.parameters import check_flag, check_number, check_option
from dimred_lessons.spectral.base import GraphMethod


class LaplacianEigenmaps(GraphMethod):
    """Place points in d dimensions so that neighbors, weighted by nearness, stay close to each other.

    Minimizes ½ Σ_ij A_ij ‖y_i − y_j‖² = tr(YᵀLY), L = Deg − A, subject to YᵀDeg Y = I and 1ᵀDeg Y = 0
    (normalized), or to YᵀY = I and 1ᵀY = 0: without a constraint, all points would collapse into one. L is
    sparse; n × n arrays are formed for up to 500 points, and where neither a sparse factor nor products with L
    will do. Y is also what spectral clustering clusters.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for all n − 1.
    n_neighbors : int or None, default 8
        k, of the nearest neighbor graph (an edge where either point lists the other).
    radius : float or None, default None
        Neighbors are all points within this distance instead, in the unit of the data; n_neighbors may be None then,
        and is not used.
    weights : "heat" or "binary", default "heat"
        A_ij = exp(−‖x_i − x_j‖² / 2σ²) or 1 on the edges.
    sigma : float or None, default None
        σ, in the unit of the data; None for the median length of the edges.
    normalized : bool, default True
        Whether the first or the second of the two constraints is used.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        Distances of the points; if precomputed, X holds them: (n, n) in ``fit``, (n_new, n) in ``transform``.
        Sparse ones are only those to candidates for neighbors, at least k in each row, as scikit-learn's
        KNeighborsTransformer(mode="distance") stores them. The embedding is the same. A new point also joins the
        points that would have listed it, and misses those that its own row does not store: store several times k.
    disconnected : "error" or "bridge", default "error"
        Refuse a graph of several components, or join nearest ones with a warning.
    density_exponent : float, default 0.0
        α ≥ 0: weights are divided by (q_i q_j)^α, q_i the sum of the weights of point i. At 1, with a ``radius``
        (or with enough neighbors that σ decides which points are near), the axes depend on the manifold and no longer
        on the density of the points; at ½ they are those of a diffusion that visits each region as often as it
        holds points.
    n_jobs : int or None, default None
        Threads that search for neighbors in up to 15 dimensions; −1 for one per core, None for one, or what
        ``joblib.parallel_config`` says.

    Attributes
    ----------
    graph_, adjacency_ : sparse CSR arrays of shape (n_samples, n_samples), edge lengths and A
    density_ : array of shape (n_samples,), q, the sums of the weights before the division
    degrees_ : array of shape (n_samples,), diagonal of Deg
    sigma_ : float, σ as used; infinite for binary weights
    eigenvalues_ : array of shape (d,), smallest of L u = λ Deg u, or of L u = λ u, after that of the constant
    embedding_ : array of shape (n_samples, d), Y
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if the graph is disconnected (its components are counted), k is not below n, or σ is so small
        that all weights of a point vanish.

    Warns
    -----
    UserWarning
        In ``fit``, if components of the graph were joined, an axis costs nothing, as the constant does, or the last
        axis and the next one cost the same up to rounding: the data do not determine it.

    References
    ----------
    Algorithm alg-lem; sources G-46 to G-53, W-39 to W-51, R-84 to R-86; Belkin and Niyogi (2003); α: Coifman and
    Lafon (2006).

    Examples
    --------
    The sign of one axis tells two interlocking half moons apart, as spectral clustering does:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from dimred_lessons import LaplacianEigenmaps
    >>> X, moon = make_moons(300, noise=0.05, random_state=0)
    >>> y = LaplacianEigenmaps(n_components=1, n_neighbors=10).fit_transform(X)[:, 0]
    >>> len(np.unique(moon[y > 0])), len(np.unique(moon[y < 0]))
    (1, 1)
    """

    _parameters = GraphMethod._parameters | {
        "weights": partial(check_option, options=("heat", "binary")),
        "sigma": partial(check_number, none="for the median length of the edges"),
        "density_exponent": partial(check_number, zero=True),
        "normalized": check_flag,
    }

    _takes_sparse_distances = True

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int | None = 8,
        radius: float | None = None,
        weights: str = "heat",
        sigma: float | None = None,
        normalized: bool = True,
        metric: str = "euclidean",
        disconnected: str = "error",
        density_exponent: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.weights = weights
        self.sigma = sigma
        self.normalized = normalized
        self.metric = metric
        self.disconnected = disconnected
        self.density_exponent = density_exponent
        self.n_jobs = n_jobs

    def _fit_eigenpairs(self, X):
        # 1. Neighborhood graph; edges are lengths
        nearest = self._neighbors(X)  # (lem-neighbors)
        self._reach = None if self.radius is not None else _kth_lengths(nearest, self.n_neighbors)
        self.graph_ = symmetrize(nearest)
        # 2. Weights: A_ij = exp(−‖x_i − x_j‖² / 2σ²), or 1
        self.sigma_ = self._width()
        heat = heat_weights(self.graph_, self.sigma_)  # (lem-heat)
        # 3. Density: A_ij / (q_i q_j)^α, q_i the sum of the weights of point i
        self.density_ = heat.sum(axis=1)
        self.adjacency_ = divide_out_density(heat, self.density_exponent)  # (lem-renormalized)
        # 4. Laplacian: L = Deg − A
        laplacian, self.degrees_ = graph_laplacian(self.adjacency_)  # (lem-laplacian)
        # 5. Bottom eigenvectors of L u = λ Deg u, without the constant one
        degrees = self.degrees_ if self.normalized else None
        eigenvalues, U = bottom_eigenpairs(laplacian, self.n_components, degrees)  # (lem-eigenproblem)
        return eigenvalues, U, np.ones(len(eigenvalues))

    def _width(self):
        """σ, by default the median length of the edges, without those of length zero, between copies of a point."""
        if self.weights == "binary":
            return np.inf
        return np.median(self.graph_.data[self.graph_.data > 0]) if self.sigma is None else self.sigma

    def _cost_matrix(self):
        laplacian = graph_laplacian(self.adjacency_)[0].toarray()
        roots = np.sqrt(self._masses())
        return laplacian / np.outer(roots, roots)

    def _masses(self):
        return self.degrees_ if self.normalized else super()._masses()

    def _place(self, X):
        # 6. The extended graph: x joins its neighbors, and the points that would have listed x
        graph = self._neighbors_of_new_points(X)
        same, twins = coincident_points(graph)
        if self.radius is None:
            graph = graph.maximum(neighbor_lists(self._search, radius=self._reach, queries=X))
        # 7. Row x of L u = λ Deg u (or λ u), solved for the place of x
        A = divide_out_density(heat_weights(graph, self.sigma_), self.density_exponent, self.density_)
        degrees = A.sum(axis=1)[:, np.newaxis]
        shares = degrees * (1 - self.eigenvalues_) if self.normalized else degrees - self.eigenvalues_
        shares[same] = 1
        if shares.min() <= 0:
            raise ValueError(
                f"Row {np.argmin(shares.min(axis=1))} of X cannot be placed: its degree is not above what "
                f"axis {np.argmin(shares.min(axis=0)) + 1} needs; give points nearer to the training points, "
                "or use fewer axes."
            )
        Y = A @ self.embedding_ / shares  # (lem-nystrom)
        Y[same] = self.embedding_[twins]
        return Y


def _kth_lengths(graph, k):
    """Distance from each point to the last of its k nearest: a bridge, which is longer, does not count."""
    order = np.lexsort((graph.data, stored_edges(graph)[0]))
    return graph.data[order[graph.indptr[:-1] + k - 1]]
