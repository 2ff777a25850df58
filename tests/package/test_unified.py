"""Every method as kernel PCA of one matrix: where this holds, and where it fails."""

import re

import numpy as np
import pandas
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import NotFittedError

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
    SemidefiniteEmbedding,
)
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.distances import squared_distances
from dimred_lessons.kernels import squared_distances_from_kernel
from dimred_lessons.reconstruction import reconstruction_cost
from dimred_lessons.spectral.base import SpectralMethod
from dimred_lessons.unified import commute_times, embed_kernel, kernel_agreement, method_kernel
from support.cases import DEFAULTS, each
from support.comparisons import assert_equal_up_to_signs, assert_same_distances

ROLL = swiss_roll(300)[0]
TOP = [
    PCA(3), DualPCA(3), KernelPCA(3), ClassicalMDS(3), ClassicalMDS(3, metric="cityblock"),
    Isomap(3, n_neighbors=8),
]  # fmt: skip
BOTTOM = [
    LocallyLinearEmbedding(3, n_neighbors=8), LaplacianEigenmaps(3, normalized=False), LaplacianEigenmaps(3),
    LTSA(2, n_neighbors=10), HessianLLE(2, n_neighbors=10),
]  # fmt: skip


@pytest.mark.parametrize("method", TOP, ids=str)
def test_methods_of_a_kernel_are_kernel_pca_with_the_same_spectrum_and_scale(method):
    method.fit(ROLL)
    eigenvalues, Y = embed_kernel(method_kernel(method, ROLL), 3)
    np.testing.assert_allclose(eigenvalues, method.eigenvalues_, rtol=1e-8)
    assert_equal_up_to_signs(Y, method.embedding_)
    np.testing.assert_allclose(kernel_agreement(method, ROLL), 1, atol=1e-9)


@pytest.mark.parametrize("form", ["inverse", "shifted"])
@pytest.mark.parametrize("method", BOTTOM, ids=str)
def test_bottom_eigenvectors_are_kernel_pca_up_to_the_scale_of_each_axis(method, form):
    method.fit(ROLL)
    np.testing.assert_allclose(kernel_agreement(method, form=form), 1, atol=1e-6)


@pytest.mark.parametrize("method", BOTTOM[:2], ids=str)
def test_the_spectrum_is_inverted_or_shifted(method):
    method.fit(ROLL)
    inverse, shifted = (method_kernel(method, form=form) for form in ("inverse", "shifted"))
    eigenvalues, Y = embed_kernel(inverse, 3)
    np.testing.assert_allclose(eigenvalues, 1 / method.eigenvalues_, rtol=1e-6)
    unit = method.embedding_ / np.linalg.norm(method.embedding_, axis=0)
    assert_equal_up_to_signs(Y, unit / np.sqrt(method.eigenvalues_), 1e-5)
    largest = np.linalg.eigvalsh(shifted)[-1]
    np.testing.assert_allclose(embed_kernel(shifted, 3)[0], largest - method.eigenvalues_, rtol=1e-9)
    # The leading eigenvector of the shifted kernel is the constant, and the kernel is positive semidefinite
    np.testing.assert_allclose(shifted @ np.ones(300), largest, rtol=1e-9)
    assert np.linalg.eigvalsh(shifted)[0] > -1e-9 * largest


@pytest.mark.parametrize("copies", [0, 7])
@pytest.mark.parametrize("n_landmarks", [None, 20])
def test_a_learned_kernel_needs_no_special_case(n_landmarks, copies):
    X = np.vstack([ROLL[:60], ROLL[:copies]])
    sde = SemidefiniteEmbedding(n_landmarks=n_landmarks).fit(X)
    K = method_kernel(sde)
    assert K.shape == (60 + copies,) * 2
    eigenvalues, Y = embed_kernel(K)
    np.testing.assert_allclose(eigenvalues, sde.eigenvalues_, rtol=1e-8)
    assert_equal_up_to_signs(Y, sde.embedding_)
    np.testing.assert_allclose(kernel_agreement(sde), 1, atol=1e-9)


def test_the_pseudoinverse_loses_the_axes_of_zero_cost_and_the_shifted_kernel_keeps_them():
    flat = np.random.default_rng(0).random((200, 2))
    with pytest.warns(UserWarning, match=r"Besides the constant vector, 2 eigenvector\(s\)"):
        lle = LocallyLinearEmbedding(2, n_neighbors=8, reg=1e-12).fit(flat)
    centered = flat - flat.mean(axis=0)
    assert np.abs(reconstruction_cost(lle.reconstruction_weights_) @ centered).max() < 1e-6  # exactly rebuilt
    _, Y = embed_kernel(method_kernel(lle), 2)
    basis = np.linalg.qr(centered)[0]
    assert np.linalg.norm(basis.T @ Y) < 1e-6 * np.linalg.norm(Y)
    assert kernel_agreement(lle).max() < 1e-6
    _, Y = embed_kernel(method_kernel(lle, form="shifted"), 2)
    residual = centered - Y @ np.linalg.lstsq(Y, centered, rcond=None)[0]
    assert np.linalg.norm(residual) < 1e-6 * np.linalg.norm(centered)


def test_geodesics_of_a_closed_curve_give_no_kernel_and_kernel_pca_refuses_it():
    angles = 2 * np.pi * np.arange(60) / 60
    circle = np.c_[np.cos(angles), np.sin(angles)]
    isomap = Isomap(2, n_neighbors=2).fit(circle)
    K = method_kernel(isomap)
    assert np.linalg.eigvalsh(K)[0] < -0.01 * isomap.eigenvalues_[0] and isomap.negative_mass_ > 0.1
    with pytest.raises(ValueError, match="not positive semidefinite"):
        KernelPCA(kernel="precomputed").fit(K)
    assert_same_distances(embed_kernel(K, 2)[1], isomap.embedding_)  # equal eigenvalues: up to a rotation
    everything = Isomap(None, n_neighbors=2).fit(circle)
    assert np.abs(everything.embedding_ @ everything.embedding_.T - K).max() > 0.01 * K.max()
    with pytest.raises(ValueError, match="n_components=59 is above the .* positive eigenvalues of K"):
        embed_kernel(K, 59)


def test_all_axes_of_unnormalized_eigenmaps_keep_commute_times_exactly_and_nothing_less_does():
    lem = LaplacianEigenmaps(normalized=False).fit(ROLL)
    expected, K = commute_times(lem.adjacency_), method_kernel(lem)
    volume = lem.degrees_.sum()
    for d, exact in ((299, True), (2, False)):
        _, Y = embed_kernel(K, d)
        assert np.allclose(volume * squared_distances(Y), expected, rtol=1e-6) == exact
    normalized = squared_distances_from_kernel(method_kernel(LaplacianEigenmaps().fit(ROLL)))
    assert np.corrcoef(normalized.ravel(), expected.ravel())[0, 1] < 0.99


def test_commute_times_are_sums_of_hitting_times_of_the_random_walk():
    adjacency = LaplacianEigenmaps().fit(ROLL[:60]).adjacency_.toarray()
    assert connected_components(adjacency)[0] == 1
    P = adjacency / adjacency.sum(axis=1, keepdims=True)
    hitting = np.zeros((60, 60))
    for goal in range(60):  # h(i) = 1 + Σ_k P_ik h(k) for i ≠ goal, and h(goal) = 0
        others = np.arange(60) != goal
        hitting[others, goal] = np.linalg.solve(np.eye(59) - P[np.ix_(others, others)], np.ones(59))
    np.testing.assert_allclose(commute_times(adjacency), hitting + hitting.T, rtol=1e-9, atol=1e-9)


def test_a_kernel_in_single_precision_has_no_more_axes_than_its_points():
    X = np.random.default_rng(0).standard_normal((30, 3))
    with pytest.raises(ValueError, match="n_components=4 is above the 3 positive eigenvalues of K"):
        embed_kernel((X @ X.T).astype(np.float32), 4)


def test_what_has_no_kernel_of_all_points_is_named():
    with pytest.raises(ValueError, match='form=\'root\' must be "inverse" or "shifted"'):
        method_kernel(PCA().fit(ROLL), ROLL, form="root")
    for X in (None, ROLL[1:]):
        with pytest.raises(ValueError, match="PCA does not keep its points: give X, the 300 points that it was"):
            method_kernel(PCA().fit(ROLL), X)
    with pytest.raises(ValueError, match="The kernel is that of 50 landmarks, not of all points: fit without"):
        method_kernel(Isomap(n_neighbors=8, n_landmarks=50, random_state=0).fit(ROLL))


@each(case for case in DEFAULTS if not isinstance(case.method, SpectralMethod))
@pytest.mark.parametrize("function", [method_kernel, kernel_agreement])
def test_a_method_without_a_kernel_is_refused_by_a_sentence_that_names_those_with_one(case, function):
    name = type(case.method).__name__
    with pytest.raises(
        ValueError, match=f"^{name} has no kernel whose principal components are its axes: give a"
    ) as caught:
        function(case.method)
    named = set(re.findall(r"\w+", str(caught.value).partition("give a fitted ")[2])) - {"or"}
    assert named == {type(case.method).__name__ for case in DEFAULTS if isinstance(case.method, SpectralMethod)}


@pytest.mark.parametrize("function", [method_kernel, kernel_agreement])
def test_a_method_that_was_not_fitted_is_named(function):
    with pytest.raises(NotFittedError, match="This LTSA instance is not fitted yet"):
        function(LTSA())


def test_a_kernel_may_be_any_table_and_is_looked_at():
    K = ROLL[:20] @ ROLL[:20].T
    expected = embed_kernel(K, 2)
    for found in (embed_kernel(K.tolist(), 2), embed_kernel(pandas.DataFrame(K), 2, masses=[1] * 20)):
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    holed = K.copy()
    holed[2, 3] = np.nan
    for wrong, message in (
        (holed, "Input K contains NaN: 1 entry, in row 2, column 3"),
        (K[:, :5], "The kernel must be square"),
        (np.triu(K), r"The kernel is not symmetric: entry \(0, 1\)"),
    ):
        with pytest.raises(ValueError, match=message):
            embed_kernel(wrong, 2)
    for masses in (np.ones(19), np.zeros(20), -np.ones(20), np.full(20, np.nan)):
        with pytest.raises(ValueError, match="masses must be 20 positive numbers"):
            embed_kernel(K, 2, masses)
    with pytest.raises(ValueError, match="n_components=0 must be a positive integer"):
        embed_kernel(K, 0)
