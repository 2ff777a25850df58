"""What holds for every method, where it takes naming some: exceptions, perfect fits, an unknown memory."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn import manifold
from sklearn.base import clone

from dimred_lessons import (
    EMPCA,
    GTM,
    ICA,
    Autoencoder,
    ClassicalMDS,
    CoordinatedFactorAnalysis,
    FactorAnalysis,
    Isomap,
    LaplacianEigenmaps,
    MixtureOfFactorAnalyzers,
    NeighborEmbedding,
    PrincipalCurve,
    ProbabilisticPCA,
    ProjectionPursuit,
    SelfOrganizingMap,
    SemidefiniteEmbedding,
    StressMDS,
    memory,
)
from dimred_lessons.classroom.datasets import swiss_roll
from support.comparisons import assert_equal_up_to_signs
from support.peers import DATA, data, results_of_checks


@pytest.mark.parametrize(
    "method, message, expected",
    [
        (
            ProbabilisticPCA(),
            "n_components=2 is above the 1 that these data can give",
            {
                "check_estimators_overwrite_params",
                "check_estimators_fit_returns_self",
                "check_readonly_memmap_input",
                "check_fit_idempotent",
                "check_fit_check_is_fitted",
                "check_n_features_in",
            },
        ),
        (EMPCA(), "Row 13 of X has 1 of its 3 entries", {"check_estimators_pickle"}),
    ],
    ids=["ProbabilisticPCA", "EMPCA"],
)
def test_with_two_components_exactly_the_checks_on_too_few_columns_fail_and_with_our_message(method, message, expected):
    failed = [result for result in results_of_checks(method) if result["status"] == "failed"]
    assert {result["check_name"] for result in failed} == expected
    assert all(message in str(result["exception"]) for result in failed)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("weights", ["heat", "binary"])
def test_laplacian_eigenmaps_agree_with_scikit_learn_on_the_same_graph(weights, name):
    ours = LaplacianEigenmaps(n_components=3, n_neighbors=10, weights=weights).fit(data(name))
    peer = manifold.SpectralEmbedding(3, affinity="precomputed", random_state=0)
    theirs = peer.fit_transform(ours.adjacency_.toarray())
    unit = [Y / np.linalg.norm(Y, axis=0) for Y in (ours.embedding_, theirs)]
    assert_equal_up_to_signs(*unit)


RANDOM = np.random.default_rng(0)
PLANE = RANDOM.standard_normal((60, 2)) @ RANDOM.standard_normal((2, 5))
LINE = np.outer(np.sort(RANDOM.uniform(0, 3, 60)), [1, 2, -1])
SOURCES = RANDOM.laplace(size=(60, 2)) @ RANDOM.standard_normal((2, 5))
HOLEY = np.where(RANDOM.random(PLANE.shape) < 0.05, np.nan, PLANE)
CHART = MixtureOfFactorAnalyzers(1, n_components=2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit, offset", [(1e-6, 0), (1, 0), (1e6, 0), (1, 1e4), (1, 1e6)])
@pytest.mark.parametrize(
    "method, X",
    [
        (StressMDS(), PLANE),
        (StressMDS(init="random", random_state=2), PLANE),
        (StressMDS(weights="sammon"), PLANE),
        (StressMDS(level="ordinal"), PLANE),
        (PrincipalCurve(), LINE),
        (PrincipalCurve(method="polygonal"), LINE),
        (EMPCA(), PLANE),
        (EMPCA(), HOLEY),
        (EMPCA(missing="complete"), HOLEY),
        (ProbabilisticPCA(1, solver="em"), PLANE),
        (ProbabilisticPCA(1), HOLEY),
        (FactorAnalysis(1), LINE),
        (FactorAnalysis(), PLANE),
        (FactorAnalysis(solver="em"), PLANE),
        (FactorAnalysis(), HOLEY),
        (GTM(1), LINE),
        (CHART, PLANE),
        (MixtureOfFactorAnalyzers(1, n_components=2, noise="isotropic"), PLANE),
        (CoordinatedFactorAnalysis(CHART), PLANE),
        (SelfOrganizingMap((4, 4)), PLANE),
        (Autoencoder(hidden_layer_sizes=(), alpha=0), PLANE),
        (ICA(2), SOURCES),
        (ProjectionPursuit(n_whitened=2), SOURCES),
        (NeighborEmbedding(perplexity=5, max_iter=20), PLANE),
        (SemidefiniteEmbedding(), PLANE[:30]),
    ],
    ids=str,
)
def test_an_iteration_that_fits_points_without_error_ends_and_does_not_warn_in_any_unit(method, X, unit, offset):
    fitted = clone(method).fit(unit * X + offset)
    assert np.isfinite(fitted.embedding_).all()
    if hasattr(fitted, "tol"):  # others take a fixed number of steps, or say so by a warning
        assert getattr(fitted, "n_iter_", 0) < fitted.max_iter


def test_where_the_system_cannot_tell_its_memory_nothing_is_refused(monkeypatch):
    def cannot_tell(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(memory.os, "sysconf", cannot_tell)
    Isomap(n_neighbors=8).fit(swiss_roll(600)[0])


@pytest.mark.parametrize("method", [ClassicalMDS, Isomap, StressMDS, NeighborEmbedding])
def test_a_list_of_all_pairs_in_place_of_a_matrix_is_refused_by_the_function_that_makes_one(method):
    with pytest.raises(ValueError, match=r"X has the shape \(435,\), but .* squareform"):
        method(metric="precomputed").fit(pdist(PLANE[:30]))


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("method", [Isomap(), SemidefiniteEmbedding(), NeighborEmbedding(perplexity=5, max_iter=3)])
def test_a_number_says_as_in_scikit_learn_whether_progress_is_shown(method, level, capsys):
    clone(method).set_params(verbose=level).fit(PLANE[:30])
    assert bool(capsys.readouterr().err) == bool(level)
