"""The pull of a step of SMACOF in blocks: that of the formula, on maps of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimred_lessons.engine import guttman_blocks
from dimred_lessons.iterative.majorization import inverse_of_weights, places_among, pull

RNG = np.random.default_rng(0)
MAPS = {
    "two places": np.array([[0.0, 0], [1, 0]]),
    "copies": np.repeat(RNG.standard_normal((20, 2)), 10, axis=0),
    "one place": np.ones((5, 2)),
    "a tiny map": 1e-150 * RNG.standard_normal((100, 2)),
    "a huge map": 1e150 * RNG.standard_normal((100, 2)),
    "one far place": np.vstack([RNG.standard_normal((50, 2)), [[1e6, 0]]]),
    "a line": np.linspace(0, 9, 40)[:, np.newaxis],
    "many axes": RNG.standard_normal((60, 7)),
    "several blocks": RNG.standard_normal((300, 2)),
    "blocks of one row": RNG.standard_normal((60, 2)),
}


def dissimilarities_and_weights(n, seed=0):
    delta, w = np.random.default_rng(seed).random((2, n, n))
    w *= w < 0.8
    return np.triu(delta, 1) + np.triu(delta, 1).T, np.triu(w, 1) + np.triu(w, 1).T


def assert_pulls_agree(Z, delta, w):
    found, error = guttman_blocks.pull(Z, delta, w)
    d = np.sqrt(np.square(Z[:, np.newaxis] - Z).sum(axis=-1))
    r = w * np.divide(delta, d, out=np.zeros_like(d), where=d > 0)
    expected = r.sum(axis=1)[:, np.newaxis] * Z - r @ Z
    bound = 10 * sum(Z.shape) * np.finfo(float).eps * (r @ np.abs(Z) + r.sum(axis=1)[:, np.newaxis] * np.abs(Z))
    assert (np.abs(found - expected) <= bound.max()).all()
    np.testing.assert_allclose(error, np.sum(w * (delta - d) ** 2), rtol=1e-10)


@pytest.mark.parametrize("name", MAPS)
def test_the_engine_pulls_as_the_formula_does(name, monkeypatch):
    if name == "blocks of one row":
        monkeypatch.setattr(guttman_blocks, "CACHED", 1)
    Z = MAPS[name]
    delta, w = dissimilarities_and_weights(len(Z))
    assert_pulls_agree(Z, delta * max(1e-140, np.abs(Z).max()), w)


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 40), st.integers(1, 4), st.floats(-6, 6), st.integers(0, 10**6))
def test_the_engine_pulls_as_the_formula_does_on_maps_of_any_size(n, d, exponent, seed):
    Z = np.random.default_rng(seed).standard_normal((n, d)) * 10**exponent
    delta, w = dissimilarities_and_weights(n, seed)
    assert_pulls_agree(Z, delta * 10**exponent, w)


def test_the_equation_pulls_as_the_formula_does():
    Z = MAPS["many axes"]
    delta, w = dissimilarities_and_weights(len(Z))
    for found, expected in zip(pull.equation(Z, delta, w), guttman_blocks.pull(Z, delta, w), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_points_at_one_place_do_not_move_each_other():
    moved, error = guttman_blocks.pull(np.ones((5, 2)), 1 - np.eye(5), 1 - np.eye(5))
    np.testing.assert_array_equal(moved, 0)
    assert error == 20


@pytest.mark.parametrize("w", [3 * (1 - np.eye(30)), dissimilarities_and_weights(30)[1]], ids=["equal", "unequal"])
def test_the_next_map_solves_the_equations_of_the_weights(w):
    pulled = RNG.standard_normal((30, 2))
    pulled -= pulled.mean(axis=0)
    Y = inverse_of_weights(w)(pulled)
    np.testing.assert_allclose((np.diag(w.sum(axis=1)) - w) @ Y, pulled, atol=1e-10)
    np.testing.assert_allclose(Y.sum(axis=0), 0, atol=1e-10)


@settings(deadline=None, max_examples=30)
@given(st.integers(4, 30), st.integers(1, 3), st.floats(-100, 100), st.integers(0, 10**6))
def test_places_among_others_have_given_distances_in_any_unit(m, d, exponent, seed):
    rng = np.random.default_rng(seed)
    Z, Y = 10**exponent * rng.random((m + 9 * d, d)), 10**exponent * rng.random((5, d))
    delta = np.sqrt(np.square(Y[:, np.newaxis] - Z).sum(axis=-1))
    w = (rng.random(delta.shape) < 0.8) * rng.uniform(0.5, 1, delta.shape)
    placed = places_among(Z, delta, w, 3000)

    def stress(places):
        return np.sum(w * (delta - np.sqrt(np.square(places[:, np.newaxis] - Z).sum(axis=-1))) ** 2, axis=1)

    size = np.sum(w * delta**2, axis=1)
    assert (stress(placed) < 1e-6 * size).mean() >= (1 if d > 1 else 0.6)  # on a line no point passes another
