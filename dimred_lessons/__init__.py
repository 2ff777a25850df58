"""Reference implementations of dimensionality reduction that read like the equations of the book.

Here are the methods. Their ingredients are imported from the file that explains them:
``from dimred_lessons.kernels import center_kernel``.
"""

# Step by step, from a start
from dimred_lessons.iterative.neighbor_embedding import NeighborEmbedding

# Eigenpairs of one matrix
from dimred_lessons.spectral.hessian_lle import HessianLLE
from dimred_lessons.spectral.isomap import Isomap
from dimred_lessons.spectral.kernel_pca import KernelPCA
from dimred_lessons.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from dimred_lessons.spectral.lle import LocallyLinearEmbedding
from dimred_lessons.spectral.ltsa import LTSA
from dimred_lessons.spectral.mds import ClassicalMDS
from dimred_lessons.spectral.pca import PCA, DualPCA
from dimred_lessons.spectral.sde import SemidefiniteEmbedding

__all__ = [
    "LTSA",
    "PCA",
    "ClassicalMDS",
    "DualPCA",
    "HessianLLE",
    "Isomap",
    "KernelPCA",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "NeighborEmbedding",
    "SemidefiniteEmbedding",
]
