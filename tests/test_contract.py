"""What holds for every method: scikit-learn's contract, agreement with it, new points, laws, bad input."""

import hashlib
import pickle
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn import decomposition, manifold
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from dimred_lessons import (
    PCA, ClassicalMDS, DualPCA, Isomap, KernelPCA, LaplacianEigenmaps, LocallyLinearEmbedding,
    SemidefiniteEmbedding, gaussian_kernel, spectral,
)
from dimred_lessons.classroom import datasets
from embeddings import assert_equal_up_to_signs

GRAPH_METHODS = [Isomap(), LocallyLinearEmbedding(), LaplacianEigenmaps(), SemidefiniteEmbedding()]
METHODS = [PCA(), DualPCA(), KernelPCA(), ClassicalMDS(), *GRAPH_METHODS]
VARIANTS = [
    PCA(),
    DualPCA(),
    KernelPCA(),
    KernelPCA(kernel="linear"),
    KernelPCA(kernel="polynomial", degree=2),
    KernelPCA(kernel="precomputed"),
    KernelPCA(kernel=gaussian_kernel),
    ClassicalMDS(),
    ClassicalMDS(metric="cityblock"),
    ClassicalMDS(metric="precomputed"),
    Isomap(n_neighbors=8),
    Isomap(n_neighbors=8, metric="precomputed"),
    Isomap(n_neighbors=8, n_landmarks=60, random_state=0),
    Isomap(n_neighbors=8, conformal=True),
    Isomap(radius=5.0),
    LocallyLinearEmbedding(n_neighbors=10),
    LocallyLinearEmbedding(n_neighbors=10, metric="precomputed"),
    LocallyLinearEmbedding(radius=5.0),
    LaplacianEigenmaps(),
    LaplacianEigenmaps(metric="precomputed"),
    LaplacianEigenmaps(normalized=False),
    LaplacianEigenmaps(weights="binary"),
    LaplacianEigenmaps(radius=5.0),
    SemidefiniteEmbedding(),
    SemidefiniteEmbedding(n_neighbors=6, angles=False),
    SemidefiniteEmbedding(n_landmarks=30),
]


def roll(n):
    """A swiss roll on which single precision is exact, and no two distances are equal."""
    return datasets.swiss_roll(n)[0].astype(np.float32).astype(np.float64)


ROLL, FEW = roll(600), roll(120)
every_method = pytest.mark.parametrize("method", METHODS, ids=str)
NAMES = [str(method).partition(" at 0x")[0] for method in VARIANTS]
every_variant = pytest.mark.parametrize("method", VARIANTS, ids=NAMES)


def points(method):
    """As many as a method embeds in a moment."""
    return FEW if isinstance(method, SemidefiniteEmbedding) else ROLL


def as_input(method, X, training_points=ROLL):
    """Points as a method takes them: as they are, or by their distances or kernel to the training points."""
    if getattr(method, "kernel", None) == "precomputed":
        return gaussian_kernel(X, training_points, 10.0)
    return cdist(X, training_points) if getattr(method, "metric", None) == "precomputed" else X


def embedding(method):
    return clone(method).fit(as_input(method, points(method))).embedding_


# --- The contract of scikit-learn


def results_of_checks(method):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s).*(falls into|Besides the constant|SCIPY_ARRAY_API)")
        return check_estimator(method, on_fail=None, on_skip=None)


@pytest.mark.parametrize(
    "method",
    [
        *METHODS[:4],
        KernelPCA(kernel="linear"),
        KernelPCA(kernel="polynomial"),
        *(ClassicalMDS(metric=metric) for metric in ("cityblock", "chebyshev", "precomputed")),
        *(clone(method).set_params(disconnected="bridge") for method in GRAPH_METHODS),
        *(
            clone(method).set_params(disconnected="bridge", metric="precomputed", n_neighbors=4)
            for method in GRAPH_METHODS
            if hasattr(method, "metric")
        ),
    ],
    ids=str,
)
def test_all_checks_of_scikit_learn_pass(method):
    results = results_of_checks(method)
    assert [result["check_name"] for result in results if result["status"] in ("failed", "xfail")] == []
    assert sum(result["status"] == "passed" for result in results) > 40


@pytest.mark.parametrize("method", GRAPH_METHODS, ids=str)
def test_by_default_exactly_the_checks_on_separated_blobs_fail_and_with_our_message(method):
    failed = [result for result in results_of_checks(method) if result["status"] == "failed"]
    iterative = {"check_transformer_n_iter"} if hasattr(method, "max_iter") else set()
    assert {result["check_name"] for result in failed} == iterative | {
        "check_estimators_pickle",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    }
    for result in failed:
        message = f"{result['exception']} {result['exception'].__cause__}"
        assert "falls into" in message and 'join them with disconnected="bridge"' in message


@every_method
def test_it_stands_in_pipelines_names_its_columns_and_survives_cloning_and_pickling(method):
    X = points(method)
    pipeline = make_pipeline(StandardScaler(), clone(method).set_params(n_components=3)).fit(X)
    name = type(method).__name__.lower()
    np.testing.assert_array_equal(pipeline.get_feature_names_out(), [f"{name}{i}" for i in range(3)])
    expected = pipeline.transform(X[:5] + 0.1)
    for copy in (clone(pipeline).fit(X), pickle.loads(pickle.dumps(pipeline))):
        np.testing.assert_array_equal(copy.transform(X[:5] + 0.1), expected)
    assert pipeline[-1].n_features_in_ == 3


@every_method
def test_data_frames_come_out_where_they_are_asked_for(method):
    X = points(method)
    frame = clone(method).set_output(transform="pandas").fit_transform(X)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame) == list(clone(method).fit(X).get_feature_names_out())


@every_variant
def test_any_type_and_memory_order_gives_the_same_and_input_is_neither_changed_nor_kept(method):
    X = as_input(method, points(method)).astype(np.float32)
    expected = clone(method).fit(X.astype(np.float64)).embedding_
    np.testing.assert_array_equal(clone(method).fit(X).embedding_, expected)
    column_major = np.asfortranarray(X.astype(np.float64))
    column_major.setflags(write=False)
    fitted = clone(method).fit(column_major)
    assert_equal_up_to_signs(fitted.embedding_, expected)
    np.testing.assert_array_equal(column_major, X)
    new = as_input(method, points(method)[:4] + 0.1)
    placed = fitted.transform(new)
    column_major.setflags(write=True)
    column_major[:] = 0
    np.testing.assert_array_equal(fitted.transform(new), placed)


@every_variant
def test_a_second_fit_forgets_the_first(method):
    X = points(method)
    half = X[: len(X) // 2] / 2
    twice = clone(method).fit(as_input(method, half, half)).fit(as_input(method, X))
    np.testing.assert_array_equal(twice.embedding_, embedding(method))


def test_two_processes_give_the_same_digits():
    program = (
        "import hashlib, test_contract as t\n"
        "for method in t.VARIANTS: print(hashlib.sha256(t.embedding(method).tobytes()).hexdigest())"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parent)
    here = [hashlib.sha256(embedding(method).tobytes()).hexdigest() for method in VARIANTS]
    assert run.stdout.decode().split() == here


# --- Agreement with scikit-learn


def jittered(X):
    """No two distances are equal, so that everybody finds the same neighbors."""
    return X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape)


DATA = {
    "roll": lambda: datasets.swiss_roll(700)[0],
    "s-curve": lambda: datasets.s_curve(400)[0],
    "digits": lambda: jittered(datasets.digits(550)[0]),
    "faces": lambda: datasets.faces(150, size=24)[0],
}
PEERS = {
    "PCA": (PCA(3), lambda ours: decomposition.PCA(3, svd_solver="full")),
    "dual PCA": (DualPCA(3), lambda ours: decomposition.PCA(3, svd_solver="full")),
    "kernel PCA, linear": (
        KernelPCA(3, "linear"), lambda ours: decomposition.KernelPCA(3, kernel="linear", eigen_solver="dense")
    ),
    "kernel PCA, polynomial": (
        KernelPCA(3, "polynomial", degree=2),
        lambda ours: decomposition.KernelPCA(3, kernel="poly", degree=2, gamma=1.0, eigen_solver="dense"),
    ),
    "kernel PCA, Gaussian": (
        KernelPCA(3),
        lambda ours: decomposition.KernelPCA(
            3, kernel="rbf", gamma=0.5 / ours.sigma_**2, eigen_solver="dense"
        ),
    ),
    "classical MDS": (ClassicalMDS(3), lambda ours: manifold.ClassicalMDS(n_components=3)),
    "Isomap": (
        Isomap(3, n_neighbors=12), lambda ours: manifold.Isomap(n_components=3, n_neighbors=12)
    ),
    "LLE": (
        LocallyLinearEmbedding(n_neighbors=12),
        lambda ours: manifold.LocallyLinearEmbedding(n_neighbors=12, n_components=2, eigen_solver="dense"),
    ),
}  # fmt: skip


@cache
def data(name):
    return DATA[name]()


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("pair", PEERS)
def test_it_agrees_with_scikit_learn_on_training_and_on_new_points(pair, name):
    method, make_peer = PEERS[pair]
    train, new = data(name)[:-20], data(name)[-20:]
    ours = clone(method).fit(train)
    peer = make_peer(ours)
    mine, theirs = ours.embedding_, peer.fit_transform(train)
    if hasattr(peer, "transform"):
        mine, theirs = np.vstack([mine, ours.transform(new)]), np.vstack([theirs, peer.transform(new)])
    n = len(train)
    if pair == "LLE":  # unit covariance against unit length
        mine = mine / np.sqrt(n)
    assert_equal_up_to_signs(mine, theirs)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("weights", ["heat", "binary"])
def test_laplacian_eigenmaps_agree_with_scikit_learn_on_the_same_graph(weights, name):
    ours = LaplacianEigenmaps(n_components=3, n_neighbors=10, weights=weights).fit(data(name))
    peer = manifold.SpectralEmbedding(3, affinity="precomputed", random_state=0)
    theirs = peer.fit_transform(ours.adjacency_.toarray())
    unit = [Y / np.linalg.norm(Y, axis=0) for Y in (ours.embedding_, theirs)]
    assert_equal_up_to_signs(*unit)


# --- New points, and laws


@every_variant
def test_a_training_point_is_placed_where_it_was_embedded_and_another_is_not(method):
    X = points(method)
    fitted = clone(method).fit(as_input(method, X))
    Y = fitted.embedding_
    tolerance = 1e-6 * np.abs(Y).max()
    np.testing.assert_allclose(fitted.transform(as_input(method, X)), Y, rtol=0, atol=tolerance)
    np.testing.assert_allclose(fitted.transform(as_input(method, X[7:9])), Y[7:9], rtol=0, atol=tolerance)
    moved = fitted.transform(as_input(method, X[7:9] + 0.1))
    assert np.abs(moved - Y[7:9]).max() > 100 * tolerance


@every_variant
def test_new_points_of_the_manifold_land_near_their_neighbors(method):
    old, new = np.split(points(method), [5 * len(points(method)) // 6])
    fitted = clone(method).fit(as_input(method, old, old))
    nearest = fitted.embedding_[np.argmin(cdist(new, old), axis=1)]
    errors = np.abs(fitted.transform(as_input(method, new, old)) - nearest) / fitted.embedding_.std(axis=0)
    assert np.median(errors) < 0.15


LAWS = [
    # method, how the embedding grows with the unit of the data, whether a shift changes nothing
    (PCA(), 1, True),
    (DualPCA(), 1, True),
    (KernelPCA(), 0, True),
    (KernelPCA(kernel="linear"), 1, True),
    (KernelPCA(kernel="polynomial", degree=2, offset=0), 2, False),
    (ClassicalMDS(), 1, True),
    (Isomap(n_neighbors=12), 1, True),
    (Isomap(n_neighbors=12, conformal=True), 0, True),
    (LocallyLinearEmbedding(n_neighbors=12), 0, True),
    (LaplacianEigenmaps(n_neighbors=12), 0, True),
    (LaplacianEigenmaps(n_neighbors=12, normalized=False), 0, True),
    (SemidefiniteEmbedding(n_neighbors=8, angles=False), 1, True),
]


@pytest.mark.parametrize("method, power, shift_is_nothing", LAWS, ids=str)
@given(n=st.integers(60, 90), unit=st.floats(1e-2, 1e2), shift=st.floats(-10, 10), seed=st.integers(0, 1000))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_rotation_shift_order_and_unit_change_nothing_but_the_scale(
    method, power, shift_is_nothing, n, unit, shift, seed
):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3)) * [5, 3, 1]
    Q, order = np.linalg.qr(rng.standard_normal((3, 3)))[0], rng.permutation(n)
    moved = unit * (X @ Q + shift * shift_is_nothing)[order]
    expected = unit**power * clone(method).fit(X).embedding_[order]
    assert_equal_up_to_signs(clone(method).fit(moved).embedding_, expected)


@every_variant
def test_first_axes_do_not_depend_on_how_many_are_asked_for(method):
    assert_equal_up_to_signs(embedding(clone(method).set_params(n_components=3))[:, :2], embedding(method))


@every_method
def test_duplicates_are_harmless(method):
    X = points(method)
    n = len(X) // 2
    X, fitted = np.vstack([X[:n], X[:40]]), clone(method)
    fitted = (fitted.set_params(n_neighbors=12) if hasattr(method, "n_neighbors") else fitted).fit(X)
    Y = fitted.embedding_
    assert np.isfinite(Y).all() and np.isfinite(fitted.transform(X)).all()
    assert np.abs(Y[:40] - Y[n:]).max() < 0.05 * np.abs(Y).max()


# --- Bad input


@every_method
@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (np.where(FEW == FEW[0, 0], np.nan, FEW), {}, "Input X contains NaN"),
        (np.where(FEW == FEW[0, 0], np.inf, FEW), {}, "Input X contains infinity"),
        (FEW * 1j, {}, "Complex data not supported"),
        (np.array([["a", "b"]] * 20), {}, "could not convert string to float"),
        (np.empty((0, 3)), {}, r"Found array with 0 sample\(s\)"),
        (FEW[:1], {}, r"Found array with 1 sample\(s\)"),
        (FEW[0], {}, "Expected 2D array, got 1D array instead"),
        (np.full((20, 3), 0.1), {}, "All 20 points coincide|n_components=2 is above the 0 that these data"),
        (FEW, {"n_components": 0}, "n_components=0 must be a positive integer, or None for all attainable"),
        (FEW, {"n_components": 1.5}, "n_components=1.5 must be a positive integer"),
        (FEW, {"n_components": True}, "n_components=True must be a positive integer"),
        (FEW, {"n_components": "two"}, "n_components='two' must be a positive integer"),
        (FEW, {"n_components": 121}, r"n_components=121 (is above the \d+ that|must be below the number)"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(method, X, parameters, message):
    with pytest.raises(ValueError, match=message):
        clone(method).set_params(**parameters).fit(X)


@every_method
def test_new_points_of_another_width_are_refused(method):
    with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 3 features"):
        clone(method).fit(points(method)).transform(ROLL[:, :2])


@every_variant
def test_only_methods_that_form_square_matrices_refuse_what_does_not_fit_into_memory(method, monkeypatch):
    X, n = as_input(method, points(method)), len(points(method))
    monkeypatch.setattr(spectral, "_physical_memory", lambda: 6 * n**2)  # n² numbers take 8 n² bytes
    sparse = isinstance(method, (LocallyLinearEmbedding, LaplacianEigenmaps))
    if sparse or "n_landmarks=60" in str(method) or type(method) is PCA or str(method) == "ClassicalMDS()":
        clone(method).fit(X)
        return
    message = rf"matri.* of {n} × {n} numbers need 0.0 GiB.*place the others with transform.*n_landmarks"
    with pytest.raises(ValueError, match=message):
        clone(method).fit(X)


def test_where_the_system_cannot_tell_its_memory_nothing_is_refused(monkeypatch):
    def cannot_tell(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(spectral.os, "sysconf", cannot_tell)
    Isomap(n_neighbors=8).fit(ROLL)
