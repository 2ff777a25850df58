"""Squared distances from one matrix product, against those of differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimred_lessons.distances import lengths_of_differences, squared_distances_between
from dimred_lessons.engine import product_distances

CLOUD = np.random.default_rng(0).standard_normal((40, 3))
HOSTILE = {
    "groups far apart": np.vstack([CLOUD, CLOUD[::-1] + 1e8]),
    "one pair far from all others": np.vstack([CLOUD, CLOUD[:2] * 1e-3 + 1e8]),
    "a fill value": np.vstack([CLOUD, np.full((2, 3), 1e12)]),
    "far from the origin": CLOUD + 1.7e9,
    "copies": np.repeat(CLOUD, 3, axis=0),
    "points close together": np.vstack([CLOUD, 1e-9 * CLOUD]),
    "a column in a large unit": CLOUD * [1, 1e9, 1],
    "tiny numbers": 1e-150 * CLOUD,
    "huge numbers": 1e150 * CLOUD,
    "all in one place": np.full((5, 3), 0.1),
    "three points": CLOUD[:3],
    "one column": CLOUD[:, :1],
}


@pytest.mark.parametrize("X", HOSTILE.values(), ids=HOSTILE)
def test_the_engine_equals_the_equation_on_hostile_points(X):
    agrees(X, None)
    agrees(X, X[2:])
    agrees(X[:3], X)


@pytest.mark.parametrize("all_at_once", [False, True])
def test_lost_digits_come_back_from_single_pairs_and_from_all_at_once(all_at_once, monkeypatch):
    monkeypatch.setattr(product_distances, "differences_of_all", lambda *sizes: all_at_once)
    for X in HOSTILE.values():
        agrees(X, None)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    n=st.integers(1, 30), m=st.integers(1, 30), D=st.integers(1, 9), near=st.floats(1e-9, 1.0), away=st.floats(0, 1e9)
)
def test_every_entry_is_right_to_six_digits(n, m, D, near, away):
    rng = np.random.default_rng([n, m])
    X, Z = rng.standard_normal((n, D)) + away, rng.standard_normal((m, D))
    Z[: m // 2] = X[rng.integers(n, size=m // 2)] + near * Z[: m // 2]
    agrees(X, Z)


def agrees(X, Z):
    found, expected = squared_distances_between.engine(X, Z), squared_distances_between.equation(X, Z)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=0)
    if Z is None:
        assert not np.diag(found).any()


def test_lengths_of_pairs_are_those_of_their_differences_in_either_direction():
    rng = np.random.default_rng(1)
    X = HOSTILE["groups far apart"]
    i, j = rng.integers(len(X), size=(2, 500))
    lengths = lengths_of_differences.engine(X, X, i, j)
    np.testing.assert_allclose(lengths, lengths_of_differences.equation(X, X, i, j), rtol=1e-14)
    np.testing.assert_array_equal(lengths, lengths_of_differences.engine(X, X, j, i))
    assert lengths_of_differences.engine(X, X, i[:0], j[:0]).shape == (0,)
