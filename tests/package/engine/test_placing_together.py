"""Points placed together among those of a map: where each would be placed alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimred_lessons.engine import placing_together
from dimred_lessons.iterative.majorization import places_among

RNG = np.random.default_rng(0)
MAPS = {
    "three places": np.array([[0.0, 0], [1, 0], [0, 2]]),
    "copies": np.repeat(RNG.standard_normal((20, 2)), 5, axis=0),
    "a line in the plane": np.outer(np.arange(30), [1.0, 2]),
    "a tiny map": 1e-150 * RNG.standard_normal((40, 2)),
    "a huge map": 1e140 * RNG.standard_normal((40, 2)),
    "far from the origin": 1e6 + RNG.standard_normal((40, 2)),
    "two groups far apart": RNG.standard_normal((40, 2)) + np.repeat([[0, 0], [1e5, 0]], 20, axis=0),
    "many axes": RNG.standard_normal((40, 6)),
}


def assert_placed_alike(Z, Y, w):
    """For a few points at Y, at their distances from the map; neither way is nearer than its last step is short."""
    size = np.sqrt(np.square(Z - Z.mean(axis=0)).sum(axis=1).mean())
    delta = np.linalg.norm((Y[:, np.newaxis] - Z) / size, axis=2) * size
    found, expected = (way(Z, delta, w, 300) for way in (places_among.engine, places_among.equation))
    np.testing.assert_allclose(found / size, expected / size, rtol=1e-9, atol=2e-5)


@pytest.mark.parametrize("Z", MAPS.values(), ids=MAPS)
def test_the_engine_places_as_the_equation_does_on_hostile_maps(Z):
    spread = np.sqrt(np.square(Z - Z.mean(axis=0)).mean(axis=0))
    Y = np.vstack([Z[:2], Z.mean(axis=0) + spread * RNG.standard_normal((3, Z.shape[1]))])
    assert_placed_alike(Z, Y, RNG.uniform(0.5, 1, (5, len(Z))))


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.integers(3, 30), st.integers(1, 4), st.integers(0, 10**6))
def test_the_engine_places_as_the_equation_does_where_pairs_do_not_count(m, d, seed):
    rng = np.random.default_rng(seed)
    w = rng.random((4, m)) * (rng.random((4, m)) < 0.7)
    w[:, 0] = 1
    assert_placed_alike(rng.random((m, d)), rng.random((4, d)), w)


def test_blocks_of_one_point_place_as_one_block_does(monkeypatch):
    Z, w = MAPS["copies"], np.ones((7, 100))
    delta = RNG.uniform(1, 2, (7, 100))
    expected = places_among(Z, delta, w, 300)
    monkeypatch.setattr(placing_together, "CACHED", 1)
    np.testing.assert_allclose(places_among(Z, delta, w, 300), expected, atol=1e-5)
