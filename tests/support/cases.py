"""The methods of the package in their variants, one row each, with what is known of them beforehand.

A new method is a row here: the tests of the contract read their lists from this table.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn import decomposition, manifold
from sklearn.base import BaseEstimator, clone

from dimred_lessons import (
    LTSA,
    PCA,
    ClassicalMDS,
    DualPCA,
    HessianLLE,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    NeighborEmbedding,
    SemidefiniteEmbedding,
)
from dimred_lessons.classroom import datasets
from dimred_lessons.kernels import gaussian_kernel


class Case(NamedTuple):
    """A variant of a method."""

    method: BaseEstimator
    power: int | None = None  # how the embedding grows with the unit of the data; None if a parameter has a unit
    shift: bool = True  # whether a shift of the points changes nothing
    square: bool = True  # whether fit forms n × n arrays
    few: bool = False  # whether it is for a hundred points, not for thousands
    peer: Callable | None = None  # from our fitted method: the estimator of scikit-learn that must agree
    peer_components: int = 3
    nested: bool = True  # whether more components leave the first ones as they are
    smooth: bool = True  # whether a small step of a new point moves its place
    tiny: dict = {}  # parameters for ten points, the fewest of scikit-learn's checks

    def __str__(self):
        return str(self.method).partition(" at 0x")[0]

    @property
    def places_new_points(self):
        return hasattr(self.method, "transform")

    @property
    def points(self):
        """As many points as the method embeds in a moment."""
        return FEW if self.few else ROLL

    @property
    def precomputed(self):
        return "precomputed" in (getattr(self.method, "metric", None), getattr(self.method, "kernel", None))

    def as_input(self, X, training_points=None):
        """Points as the method takes them: as they are, or by their distances or kernel to the training points."""
        if not self.precomputed:
            return X
        training_points = self.points if training_points is None else training_points
        kernel = hasattr(self.method, "kernel")
        return gaussian_kernel(X, training_points, 10.0) if kernel else cdist(X, training_points)

    def fit(self):
        return clone(self.method).fit(self.as_input(self.points))


def roll(n):
    """A swiss roll on which single precision is exact, and no two distances are equal."""
    return datasets.swiss_roll(n)[0].astype(np.float32).astype(np.float64)


ROLL, FEW = roll(600), roll(120)


def kernel_pca(ours, **parameters):
    return decomposition.KernelPCA(3, eigen_solver="dense", **parameters)


CASES = [
    Case(PCA(), 1, square=False, peer=lambda ours: decomposition.PCA(3, svd_solver="full")),
    Case(DualPCA(), 1, peer=lambda ours: decomposition.PCA(3, svd_solver="full")),
    Case(KernelPCA(), 0, peer=lambda ours: kernel_pca(ours, kernel="rbf", gamma=0.5 / ours.sigma_**2)),
    Case(KernelPCA(kernel="linear"), 1, peer=lambda ours: kernel_pca(ours, kernel="linear")),
    Case(
        KernelPCA(kernel="polynomial", degree=2),
        peer=lambda ours: kernel_pca(ours, kernel="poly", degree=2, gamma=1.0),
    ),
    Case(KernelPCA(kernel="polynomial", degree=2, offset=0), 2, shift=False),
    Case(KernelPCA(kernel="precomputed")),
    Case(KernelPCA(kernel=gaussian_kernel)),
    Case(ClassicalMDS(), 1, square=False, peer=lambda ours: manifold.ClassicalMDS(n_components=3)),
    Case(ClassicalMDS(metric="cityblock")),
    Case(ClassicalMDS(metric="precomputed"), 1),
    Case(Isomap(n_neighbors=12), 1, peer=lambda ours: manifold.Isomap(n_components=3, n_neighbors=12)),
    Case(Isomap(n_neighbors=8, metric="precomputed")),
    Case(Isomap(n_neighbors=8, n_landmarks=60, random_state=0), square=False),
    Case(Isomap(n_neighbors=12, conformal=True), 0),
    Case(Isomap(radius=5.0)),
    Case(
        LocallyLinearEmbedding(n_neighbors=12),
        0,
        square=False,
        peer=lambda ours: manifold.LocallyLinearEmbedding(n_neighbors=12, n_components=2, eigen_solver="dense"),
        peer_components=2,
    ),
    Case(LocallyLinearEmbedding(n_neighbors=10, metric="precomputed"), square=False),
    Case(LocallyLinearEmbedding(radius=5.0), square=False),
    Case(LTSA(n_neighbors=10), 0, square=False, nested=False),
    Case(LTSA(n_neighbors=8, metric="precomputed"), square=False, nested=False),
    Case(LTSA(radius=5.0), square=False, nested=False),
    Case(HessianLLE(n_neighbors=10), 0, square=False, nested=False),
    Case(HessianLLE(n_neighbors=10, metric="precomputed"), square=False, nested=False),
    Case(HessianLLE(radius=6.0), square=False, nested=False),
    Case(LaplacianEigenmaps(n_neighbors=12), 0, square=False),
    Case(LaplacianEigenmaps(metric="precomputed"), square=False),
    Case(LaplacianEigenmaps(n_neighbors=12, normalized=False), 0, square=False),
    Case(LaplacianEigenmaps(weights="binary"), square=False),
    Case(LaplacianEigenmaps(radius=5.0), square=False),
    *(
        Case(NeighborEmbedding(kernel=kernel), few=True, nested=False, tiny={"perplexity": 2, "n_iter": 50})
        for kernel in ("student", "gaussian", "sne", "umap")
    ),
    Case(SemidefiniteEmbedding(), few=True),
    Case(SemidefiniteEmbedding(n_neighbors=8, angles=False), 1, few=True),
    Case(SemidefiniteEmbedding(n_landmarks=30), few=True),
]
# Each method with the parameters that it has by default
DEFAULTS = [
    Case(type(c.method)(), few=c.few, nested=c.nested, tiny=c.tiny)
    for c in {type(case.method): case for case in CASES}.values()
]
GRAPH_METHODS = [case for case in DEFAULTS if hasattr(case.method, "disconnected")]
