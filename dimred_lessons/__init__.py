"""Reference implementations of dimensionality reduction that read like the equations of the book.

The methods are imported from here, their ingredients from the file that explains them:
``from dimred_lessons.kernels import center_kernel``.
"""

# Directions that are not those of largest variance
from dimred_lessons.directions.ica import ICA
from dimred_lessons.directions.projection_pursuit import ProjectionPursuit
from dimred_lessons.directions.random_projection import RandomProjection
from dimred_lessons.engine import reference

# Step by step, from a start
from dimred_lessons.iterative.autoencoder import Autoencoder
from dimred_lessons.iterative.neighbor_embedding import NeighborEmbedding
from dimred_lessons.iterative.principal_curve import PrincipalCurve
from dimred_lessons.iterative.som import SelfOrganizingMap
from dimred_lessons.iterative.stress import StressMDS

# Hidden coordinates and noise
from dimred_lessons.latent.coordinated_factor_analysis import CoordinatedFactorAnalysis
from dimred_lessons.latent.em_pca import EMPCA
from dimred_lessons.latent.factor_analysis import FactorAnalysis
from dimred_lessons.latent.gtm import GTM
from dimred_lessons.latent.mixture_of_factor_analyzers import MixtureOfFactorAnalyzers
from dimred_lessons.latent.probabilistic_pca import ProbabilisticPCA

# Eigenpairs of one matrix
from dimred_lessons.spectral.aligned_mixture import AlignedMixture
from dimred_lessons.spectral.hessian_lle import HessianLLE
from dimred_lessons.spectral.isomap import Isomap
from dimred_lessons.spectral.kernel_pca import KernelPCA
from dimred_lessons.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from dimred_lessons.spectral.lle import LocallyLinearEmbedding
from dimred_lessons.spectral.ltsa import LTSA
from dimred_lessons.spectral.mds import ClassicalMDS
from dimred_lessons.spectral.pca import PCA, DualPCA
from dimred_lessons.spectral.sde import SemidefiniteEmbedding

__version__ = "0.1.0"

__all__ = [
    "EMPCA",
    "GTM",
    "ICA",
    "LTSA",
    "PCA",
    "AlignedMixture",
    "Autoencoder",
    "ClassicalMDS",
    "CoordinatedFactorAnalysis",
    "DualPCA",
    "FactorAnalysis",
    "HessianLLE",
    "Isomap",
    "KernelPCA",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "MixtureOfFactorAnalyzers",
    "NeighborEmbedding",
    "PrincipalCurve",
    "ProbabilisticPCA",
    "ProjectionPursuit",
    "RandomProjection",
    "SelfOrganizingMap",
    "SemidefiniteEmbedding",
    "StressMDS",
    "reference",
]
