"""Claims about dimred_lessons.engine.first_edges."""

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.engine import first_edges
from dimred_lessons.geodesics import paths_through_neighbors

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("size", [2**15, 40], ids=["all rows at once", "a few at a time"])
@pytest.mark.parametrize("counts", [[1], [3, 1, 7, 2, 2], [4] * 30], ids=["one path", "rows that differ", "equal rows"])
def test_engine_equals_reference_to_the_last_digit(counts, size, monkeypatch):
    monkeypatch.setattr(first_edges, "CACHED", size)
    geodesics = RNG.random((9, 5))
    geodesics[RNG.random((9, 5)) < 0.2] = np.inf  # other components
    indices = np.concatenate([RNG.choice(9, count, replace=False) for count in counts])
    lengths = RNG.integers(0, 3, len(indices)).astype(float)
    graph = sparse.csr_array((lengths, indices, np.cumsum([0, *counts])), shape=(len(counts), 9))
    np.testing.assert_array_equal(
        first_edges.through_first_edges(graph, geodesics), paths_through_neighbors.equation(graph, geodesics)
    )
