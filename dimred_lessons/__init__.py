"""Reference implementations of spectral dimensionality reduction that read like the equations of the book."""

from dimred_lessons.graphs import (
    conformal_lengths,
    geodesic_distances,
    graph_components,
    graph_laplacian,
    heat_weights,
    knn_graph,
    mean_neighbor_distances,
    neighbor_lists,
    neighborhood_graph,
    radius_graph,
    reconstruction_cost,
    reconstruction_cost_operator,
    reconstruction_matrix,
    reconstruction_weights,
    symmetrize,
)
from dimred_lessons.isomap import Isomap
from dimred_lessons.laplacian_eigenmaps import LaplacianEigenmaps
from dimred_lessons.lle import LocallyLinearEmbedding
from dimred_lessons.pca import PCA, DualPCA
from dimred_lessons.spectral import bottom_eigenpairs, column_signs, thin_svd, top_eigenpairs

__all__ = [
    "PCA",
    "DualPCA",
    "Isomap",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "bottom_eigenpairs",
    "column_signs",
    "conformal_lengths",
    "geodesic_distances",
    "graph_components",
    "graph_laplacian",
    "heat_weights",
    "knn_graph",
    "mean_neighbor_distances",
    "neighbor_lists",
    "neighborhood_graph",
    "radius_graph",
    "reconstruction_cost",
    "reconstruction_cost_operator",
    "reconstruction_matrix",
    "reconstruction_weights",
    "symmetrize",
    "thin_svd",
    "top_eigenpairs",
]
