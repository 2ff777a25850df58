"""Claims about dimred_lessons.engine.patches: many patches at once give what each of them gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from dimred_lessons import memory, reconstruction, tangents
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.engine import patches
from dimred_lessons.neighbors import neighbor_lists

RNG = np.random.default_rng(0)
ROLL = swiss_roll(120)[0]
POINTS = {
    "a roll": ROLL,
    "far from the origin": ROLL + 1e6,
    "many dimensions": RNG.standard_normal((60, 25)) * np.geomspace(10, 0.1, 25),
    "copies": np.vstack([ROLL[:50], np.repeat(ROLL[:2], 4, axis=0)]),
    "a line": np.outer(np.arange(30.0) ** 1.5, [1, 2, 3]),
    "tiny numbers": 1e-100 * ROLL,
}


@pytest.fixture(params=POINTS)
def X(request):
    return POINTS[request.param]


@pytest.fixture(params=["as many neighbors each", "numbers that differ"])
def graph(request, X):
    radius = np.sort(cdist(X, X), axis=1)[:, 9].max()
    return neighbor_lists(X, 9) if request.param.startswith("as") else neighbor_lists(X, radius=radius)


@pytest.fixture(params=[2**22, 300], ids=["all patches at once", "a few at a time"])
def block(request, monkeypatch):
    monkeypatch.setattr(memory, "BLOCK", request.param)
    monkeypatch.setattr(patches, "BLOCK", request.param)


@pytest.mark.parametrize("by_distances", [False, True], ids=["points", "distances"])
def test_weights_equal_those_of_one_point_at_a_time(X, graph, by_distances, block):
    table = cdist(X, X) if by_distances else X
    ours, theirs = (
        way(table, table, graph, 1e-3, by_distances)
        for way in (patches.weights_of_points, reconstruction.weights_of_points.equation)
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("by_distances", [False, True], ids=["points", "distances"])
@pytest.mark.parametrize("summed", [tangents.sum_not_affine, tangents.sum_second_order])
def test_sums_equal_those_of_one_patch_at_a_time(X, graph, summed, by_distances, block):
    table, d = cdist(X, X) if by_distances else X, min(2, np.linalg.matrix_rank(X - X[0]))
    ours, theirs = (way(table, graph, d, by_distances) for way in (summed.engine, summed.equation))
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), atol=1e-7)


def test_tangents_equal_those_of_one_patch_at_a_time_up_to_signs(X):
    members, way = neighbor_lists(X, 9).indices.reshape(-1, 9), tangents.tangents_of_patches
    ours, theirs = (way(X, members, 1, by_distances=False) for way in (way.engine, way.equation))
    np.testing.assert_allclose(ours @ ours.transpose(0, 2, 1), theirs @ theirs.transpose(0, 2, 1), atol=1e-7)


def test_a_patch_on_a_line_has_one_tangent_and_a_patch_of_copies_none_in_both_ways():
    X = np.zeros((12, 3))
    X[:6, 0] = np.arange(6)
    for way in (tangents.tangents_of_patches.engine, tangents.tangents_of_patches.equation):
        for table, by_distances in ((X + 1e3, False), (cdist(X, X), True)):
            theta = way(table, np.arange(12).reshape(2, 6), 2, by_distances)
            np.testing.assert_allclose(np.linalg.norm(theta, axis=1), [[1, 0], [0, 0]], atol=1e-7)


@settings(max_examples=50, deadline=None)
@given(arrays(float, st.tuples(st.integers(4, 9), st.integers(2, 3)), elements=st.integers(-3, 3).map(float)))
def test_the_charge_of_any_patch_is_a_projection_that_spares_the_affine_functions(P):
    theta = tangents.tangent_by_points(P, 2)
    for charge in (tangents.not_affine, tangents.second_order):
        W = charge(theta)
        np.testing.assert_allclose(W @ W, W, atol=1e-7)
        np.testing.assert_allclose(W @ tangents.affine_functions(theta), 0, atol=1e-7)
        np.testing.assert_allclose(getattr(patches, charge.__name__)(theta[np.newaxis])[0], W, atol=1e-6)
