"""The methods of the package in their variants, one row each, with what is known about them beforehand.

A new method is a row here: the tests of the contract read their lists from this table. A test that takes a row by
`each` rests on the methods of this row only, and `make quick` leaves it out while those stay as they are.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import decomposition, manifold
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from dimred_lessons import (
    EMPCA,
    GTM,
    ICA,
    LTSA,
    PCA,
    AlignedMixture,
    Autoencoder,
    ClassicalMDS,
    CoordinatedFactorAnalysis,
    DualPCA,
    FactorAnalysis,
    HessianLLE,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    MixtureOfFactorAnalyzers,
    NeighborEmbedding,
    PrincipalCurve,
    ProbabilisticPCA,
    ProjectionPursuit,
    RandomProjection,
    SelfOrganizingMap,
    SemidefiniteEmbedding,
    StressMDS,
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
    most: int = 3  # how many axes it finds in the three columns of a roll
    two_columns: int = 2  # how many axes scikit-learn's checks may ask for, with data of two columns or many holes
    needs: dict = {}  # parameters that it needs to be fitted to a roll in a moment
    nested: bool = True  # whether the first axes do not depend on how many are asked for
    peer: Callable | None = None  # from our fitted method: the estimator of scikit-learn that must agree
    peer_components: int = 3
    peer_of_unit_length: bool = False  # whether the peer's axes have unit length where ours have unit variance
    smooth: bool = True  # whether a small step of a new point moves its place
    tiny: dict = {}  # parameters for ten points, the fewest of scikit-learn's checks
    cut_short: bool = False  # whether its steps end before it comes to rest, which it says by a warning
    bent: bool = False  # whether it asks for points along a curve: a box has many that are about equally good

    def __str__(self):
        return " ".join(str(self.method).partition(" at 0x")[0].split())

    @property
    def for_few_points(self):
        """The method with parameters for the smallest of scikit-learn's data."""
        asked = {"n_components": self.two_columns} if "n_components" in self.method.get_params() else {}
        return clone(self.method).set_params(**asked | self.tiny)

    @property
    def points(self):
        """As many points as the method embeds in a moment."""
        return FEW if self.few else ROLL

    @property
    def allows_missing(self):
        return get_tags(self.method).input_tags.allow_nan

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
        """The method, fitted to its points: once for all tests, which leave it as it is."""
        if id(self.method) not in _FITTED:
            _FITTED[id(self.method)] = clone(self.method).fit(self.as_input(self.points))
        return _FITTED[id(self.method)]


_FITTED = {}


def roll(n):
    """A swiss roll on which single precision is exact, and no two distances are equal."""
    return datasets.swiss_roll(n)[0].astype(np.float32).astype(np.float64)


ROLL, FEW = roll(600), roll(120)


QUICK = {"tol": 1e-3}
CHARTS = MixtureOfFactorAnalyzers(4, **QUICK)


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
    Case(KernelPCA(kernel="polynomial", degree=2, coef0=0), 2, shift=False),
    Case(KernelPCA(kernel="precomputed")),
    Case(KernelPCA(kernel=gaussian_kernel)),
    Case(
        ClassicalMDS(),
        1,
        square=False,
        peer=(lambda ours: manifold.ClassicalMDS(n_components=3)) if hasattr(manifold, "ClassicalMDS") else None,
    ),
    Case(ClassicalMDS(metric="cityblock")),
    Case(ClassicalMDS(metric="precomputed"), 1),
    Case(ClassicalMDS(n_landmarks=200, metric="cityblock"), square=False),
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
        peer_of_unit_length=True,
    ),
    Case(LocallyLinearEmbedding(n_neighbors=10, metric="precomputed"), square=False),
    Case(LocallyLinearEmbedding(radius=5.0), square=False),
    Case(LTSA(n_neighbors=10), 0, square=False, most=2, nested=False),
    Case(LTSA(n_neighbors=8, metric="precomputed"), square=False, nested=False),
    Case(LTSA(radius=5.0), square=False, nested=False),
    Case(HessianLLE(n_neighbors=10), 0, square=False, most=2, nested=False),
    Case(HessianLLE(n_neighbors=10, metric="precomputed"), square=False, nested=False),
    Case(HessianLLE(radius=6.0), square=False, nested=False),
    Case(LaplacianEigenmaps(n_neighbors=12), 0, square=False),
    Case(LaplacianEigenmaps(metric="precomputed"), square=False),
    Case(LaplacianEigenmaps(n_neighbors=12, normalized=False), 0, square=False),
    Case(LaplacianEigenmaps(weights="binary"), square=False),
    Case(LaplacianEigenmaps(n_neighbors=12, density_exponent=1), 0, square=False),
    Case(LaplacianEigenmaps(radius=5.0), square=False),
    Case(SelfOrganizingMap(), square=False, smooth=False, nested=False),
    Case(
        SelfOrganizingMap((30,), method="online", winner="nearest", max_iter=3),
        square=False,
        smooth=False,
        nested=False,
    ),
    Case(PrincipalCurve(), 1, square=False, nested=False, tiny={"n_nodes": 20}, bent=True),
    Case(PrincipalCurve(method="polygonal"), 1, square=False, nested=False),
    Case(Autoencoder(), square=False, nested=False, cut_short=True, tiny={"hidden_layer_sizes": (5,), "max_iter": 50}),
    Case(Autoencoder(hidden_layer_sizes=(), max_iter=50), square=False, nested=False, cut_short=True),
    Case(StressMDS(), 1, few=True, nested=False),
    Case(StressMDS(level="ordinal", max_iter=300), few=True, nested=False),
    Case(StressMDS(weights="sammon", metric="precomputed"), few=True, nested=False),
    Case(StressMDS(n_landmarks=30), square=False, few=True, nested=False),
    *(
        Case(
            NeighborEmbedding(kernel=kernel),
            few=True,
            nested=False,
            tiny={"perplexity": 2, "n_neighbors": 4, "max_iter": 50},
        )
        for kernel in ("student", "gaussian", "sne", "umap")
    ),
    Case(SemidefiniteEmbedding(), few=True),
    Case(SemidefiniteEmbedding(n_neighbors=8, angles=False), 1, few=True),
    Case(SemidefiniteEmbedding(n_landmarks=30), few=True),
    Case(ProbabilisticPCA(), 0, square=False, most=2, two_columns=1, nested=False),
    Case(ProbabilisticPCA(solver="em", tol=1e-14), 0, square=False, most=2, nested=False),
    Case(
        EMPCA(tol=1e-15, max_iter=2000),
        1,
        square=False,
        two_columns=1,
        peer=lambda ours: decomposition.PCA(3, svd_solver="full"),
    ),
    Case(FactorAnalysis(), square=False, nested=False),
    Case(FactorAnalysis(1, solver="em", tol=1e-6), square=False, nested=False),
    Case(FactorAnalysis(rotation="varimax"), square=False, nested=False),
    Case(ICA(), 0, square=False, nested=False),
    Case(ICA(2, solver="natural-gradient"), square=False, nested=False),
    Case(ProjectionPursuit(), 0, square=False),
    Case(ProjectionPursuit(sign="negative", n_init=30), 0, square=False),
    *(
        Case(RandomProjection(2, kind=kind), square=False, needs={"n_components": 2}, nested=False)
        for kind in ("gaussian", "signs", "sparse", "fast")
    ),
    Case(MixtureOfFactorAnalyzers(4, tol=1e-4), square=False, few=True, nested=False, needs=QUICK | {"n_mixtures": 4}),
    Case(MixtureOfFactorAnalyzers(4, noise="isotropic", **QUICK), square=False, few=True, most=2, nested=False),
    Case(AlignedMixture(CHARTS), square=False, few=True, needs={"mixture": CHARTS, "n_neighbors": 9}),
    Case(AlignedMixture(CHARTS, cost="disagreement"), square=False, few=True),
    Case(
        CoordinatedFactorAnalysis(CHARTS, tol=1e-3),
        square=False,
        few=True,
        nested=False,
        needs=QUICK | {"mixture": CHARTS, "n_neighbors": 9},
    ),
    Case(GTM(grid=5, tol=1e-4), 0, square=False, few=True, nested=False, needs=QUICK | {"grid": 5}),
]
# Each method with its default parameters
FIRST = {type(case.method): case for case in reversed(CASES)}
DEFAULTS = [case._replace(method=method(**case.needs)) for method, case in reversed(FIRST.items())]
GRAPH_METHODS = [case for case in DEFAULTS if hasattr(case.method, "disconnected")]
# What scikit-learn's checks are shown
CHECKED = [
    *(case.for_few_points for case in DEFAULTS if case not in GRAPH_METHODS),
    KernelPCA(kernel="linear"),
    KernelPCA(kernel="polynomial"),
    *(StressMDS(metric="precomputed", level=level) for level in ("ratio", "ordinal")),
    *(ClassicalMDS(metric=metric) for metric in ("cityblock", "chebyshev", "precomputed")),
    *(clone(case.method).set_params(disconnected="bridge") for case in GRAPH_METHODS),
    *(
        clone(case.method).set_params(disconnected="bridge", metric="precomputed", n_neighbors=5)
        for case in GRAPH_METHODS
        if hasattr(case.method, "metric")
    ),
]


def rests_on(method):
    """Mark of a test that needs a method, and those among its parameters, and no other method."""
    methods = [part for part in (method, *method.get_params().values()) if isinstance(part, BaseEstimator)]
    return pytest.mark.rests_on(*(f"dimred_lessons.{type(part).__name__}" for part in methods))


# For a test that fits rows whose steps are cut short
allows_cut_short = pytest.mark.filterwarnings("ignore:The network has not converged")


def each(cases):
    """The test for each row of the table."""
    rows = [
        pytest.param(case, id=str(case), marks=[rests_on(case.method), *[allows_cut_short] * case.cut_short])
        for case in cases
    ]
    return pytest.mark.parametrize("case", rows)


def each_method(methods):
    """The test for each method."""
    return pytest.mark.parametrize("method", [pytest.param(m, id=str(m), marks=rests_on(m)) for m in methods])
