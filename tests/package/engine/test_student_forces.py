"""Forces under Student's kernel in blocks: those of the formula, on maps of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimred_lessons.engine import student_forces
from dimred_lessons.iterative.neighbor_kernels import student_gradient

MAPS = {
    "three places": np.array([[0.0, 0], [1, 0], [0, 2]]),
    "copies": np.repeat(np.random.default_rng(0).standard_normal((20, 2)), 10, axis=0),
    "one place": np.ones((5, 2)),
    "a tiny map": 1e-8 * np.random.default_rng(0).standard_normal((100, 2)),
    "far from the origin": 1e4 + np.random.default_rng(0).standard_normal((100, 2)),
    "a wide map": 200 * np.random.default_rng(0).standard_normal((100, 2)),
    "one far place": np.vstack([np.random.default_rng(0).standard_normal((50, 2)), [[1e3, 0]]]),
    "a line": np.linspace(0, 9, 40)[:, np.newaxis],
    "many axes": np.random.default_rng(0).standard_normal((60, 7)),
    "blocks of one row": np.random.default_rng(0).standard_normal((150, 2)),
}


def affinities(n, seed=0):
    P = np.random.default_rng(seed).random((n, n)) ** 8
    np.fill_diagonal(P, 0)
    return (P + P.T) / (2 * P.sum())


def assert_forces_agree(P, Y):
    """Up to ten times the error of a kernel that the engine states, as a share of the largest pull and push."""
    found, Y = student_forces.student_gradient(P, Y), Y - Y.mean(axis=0)
    error = (Y.shape[1] + 3) * np.finfo(float).eps * (1 + 4 * np.sum(Y**2, axis=1).max())
    largest = 4 * np.abs(Y).max() * (P.sum(axis=1).max() + 1)
    np.testing.assert_allclose(found, student_gradient.equation(P, Y), rtol=0, atol=10 * error * largest)


@pytest.mark.parametrize("exaggeration", [0, 1, 12])
@pytest.mark.parametrize("name", MAPS)
def test_the_engine_computes_the_forces_of_the_formula(name, exaggeration, monkeypatch):
    if name == "blocks of one row":
        monkeypatch.setattr(student_forces, "CACHED", 1)
    assert_forces_agree(exaggeration * affinities(len(MAPS[name])), MAPS[name])


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 40), st.integers(1, 4), st.floats(-6, 2), st.integers(0, 10**6))
def test_the_engine_computes_the_forces_of_the_formula_on_maps_of_any_size(n, d, exponent, seed):
    Y = np.random.default_rng(seed).standard_normal((n, d)) * 10**exponent
    assert_forces_agree(affinities(n, seed), Y)


def test_points_at_one_place_do_not_move_each_other():
    np.testing.assert_array_equal(student_forces.student_gradient(affinities(5), np.ones((5, 2))), 0)
