"""Reference implementations of spectral dimensionality reduction that read like the equations of the book."""

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
from dimred_lessons.mds import ClassicalMDS
from dimred_lessons.pca import PCA, DualPCA
from dimred_lessons.spectral import column_signs, thin_svd, top_eigenpairs

__all__ = [
    "PCA",
    "ClassicalMDS",
    "DualPCA",
    "KernelPCA",
    "center_kernel",
    "center_new_kernel",
    "column_signs",
    "gaussian_kernel",
    "kernel_from_squared_distances",
    "kernel_matrix",
    "linear_kernel",
    "median_distance",
    "negative_mass",
    "polynomial_kernel",
    "squared_distances",
    "squared_distances_from_kernel",
    "thin_svd",
    "top_eigenpairs",
]
