"""Neighbors from given distances: those of a sort of each row."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from dimred_lessons.engine import reference
from dimred_lessons.engine.table_search import TableSearch
from dimred_lessons.neighbors import neighbor_lists

RNG = np.random.default_rng(0)
POINTS = {
    "three points": np.array([[0.0, 0], [1, 0], [0, 2]]),
    "copies": np.repeat(RNG.standard_normal((12, 3)), 5, axis=0),
    "a line of equal steps": np.arange(60.0)[:, np.newaxis],
    "two groups far apart": RNG.standard_normal((60, 2)) + np.repeat([[0, 0], [1e8, 0]], 30, axis=0),
    "tiny": 1e-100 * RNG.standard_normal((60, 2)),
    "huge": 1e150 * RNG.standard_normal((60, 2)),
    "all at one distance": np.eye(20),
}


@pytest.mark.parametrize("X", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("count", [1, 2, 7])
def test_the_engine_finds_the_neighbors_that_the_equation_sorts_out(X, count):
    D = cdist(X, X)
    count = min(count, len(X) - 1)
    radius = np.median(D[D > 0])
    for asked in ({"n_neighbors": count}, {"radius": radius}, {"radius": np.full(len(X), radius)}):
        found = neighbor_lists(D, metric="precomputed", **asked)
        with reference():
            expected = neighbor_lists(D, metric="precomputed", **asked)
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))


def test_all_that_are_as_near_as_the_last_one_are_found():
    columns, lengths = TableSearch(6).nearest(np.array([[2.0, 1, 1, 3, 1, 0]]), 2)
    assert {1, 2, 4, 5} <= set(columns[0][np.isfinite(lengths[0])])
