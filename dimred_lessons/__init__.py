"""Reference implementations of spectral dimensionality reduction that read like the equations of the book."""

from dimred_lessons.pca import PCA, DualPCA
from dimred_lessons.spectral import column_signs, thin_svd, top_eigenpairs

__all__ = ["PCA", "DualPCA", "column_signs", "thin_svd", "top_eigenpairs"]
