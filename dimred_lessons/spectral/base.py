"""The frame of the spectral methods: each is an eigenproblem of one matrix built from the data."""

import numpy as np

from dimred_lessons.base import Embedding
from dimred_lessons.graphs import GRAPH_PARAMETERS, neighborhood_graph
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists
from dimred_lessons.reconstruction import rebuilt_places


class SpectralMethod(Embedding):
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


class GraphMethod(SpectralMethod):
    """Base class: a matrix built from a neighborhood graph.

    A subclass has the parameters ``n_neighbors``, ``radius``, ``metric``, ``disconnected`` and ``n_jobs``.
    """

    _parameters = GRAPH_PARAMETERS

    def _neighbors(self, X):
        """Graph from every point to its neighbors; the search is kept for new points."""
        self._search = NeighborSearch(X, self.metric, self.n_jobs, copy=True)
        return neighborhood_graph(
            self._search, self.n_neighbors, self.radius, disconnected=self.disconnected, directed=True
        )

    def _neighbors_of_new_points(self, X):
        """Graph from every new point to its neighbors among those of the fit."""
        return neighbor_lists(self._search, self.n_neighbors, self.radius, queries=X)


class LocalMethod(GraphMethod):
    """Base class: axes of unit covariance for which the errors of local fits, one at each point, sum to least.

    A subclass keeps the matrix M of this sum, tr(YᵀMY), as ``cost_``, or hands it out by ``_cost_matrix()``.
    """

    reg = 1e-3  # of the weights that rebuild new points, unless it is a parameter

    def _unit_covariance(self, U):
        """Scale of the axes, such that YᵀY = n I."""
        return np.full(U.shape[1], np.sqrt(len(U)))  # (lle-constraint)

    def _cost_matrix(self):
        return self.cost_.toarray()

    def _place(self, X):
        """Rebuild new points from the places of their neighbors; a training point keeps its own."""
        graph = self._neighbors_of_new_points(X)
        return rebuilt_places(X, graph, self._search, self.embedding_, self.reg)  # (lle-new-points)
