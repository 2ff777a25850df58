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
from dimred_lessons.kernel_pca import KernelPCA
from dimred_lessons.kernels import (
    center_kernel,
    center_new_kernel,
    gaussian_kernel,
    kernel_from_squared_distances,
    kernel_matrix,
    linear_kernel,
    median_distance,
    negative_mass,
    polynomial_kernel,
    squared_distances,
    squared_distances_from_kernel,
)
from dimred_lessons.laplacian_eigenmaps import LaplacianEigenmaps
from dimred_lessons.lle import LocallyLinearEmbedding
from dimred_lessons.mds import ClassicalMDS
from dimred_lessons.pca import DualPCA, PCA
from dimred_lessons.spectral import bottom_eigenpairs, column_signs, thin_svd, top_eigenpairs
from dimred_lessons.unified import commute_times, embed_kernel, kernel_agreement, method_kernel

__all__ = [
    "ClassicalMDS",
    "DualPCA",
    "Isomap",
    "KernelPCA",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "PCA",
    "bottom_eigenpairs",
    "center_kernel",
    "center_new_kernel",
    "column_signs",
    "commute_times",
    "conformal_lengths",
    "embed_kernel",
    "gaussian_kernel",
    "geodesic_distances",
    "graph_components",
    "graph_laplacian",
    "heat_weights",
    "kernel_agreement",
    "kernel_from_squared_distances",
    "kernel_matrix",
    "knn_graph",
    "linear_kernel",
    "mean_neighbor_distances",
    "median_distance",
    "method_kernel",
    "negative_mass",
    "neighbor_lists",
    "neighborhood_graph",
    "polynomial_kernel",
    "radius_graph",
    "reconstruction_cost",
    "reconstruction_cost_operator",
    "reconstruction_matrix",
    "reconstruction_weights",
    "squared_distances",
    "squared_distances_from_kernel",
    "symmetrize",
    "thin_svd",
    "top_eigenpairs",
]
