"""Attraction from tables equals the sum over the stored pairs."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.engine import stored_pairs
from dimred_lessons.engine.stored_pairs import StoredAttraction, tables


def weights(n, share):
    P = sparse.random_array((n, n), density=share, format="csr", rng=np.random.default_rng())
    return sparse.csr_array(P + P.T)


@pytest.mark.parametrize("share", [0, 0.01, 0.3])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_forces_and_cross_entropy_equal_the_sums_over_pairs(share, d):
    P, Y = weights(300, share), np.random.default_rng().standard_normal((300, d)).astype(np.float32)
    i, j = P.nonzero()
    difference = Y[i].astype(float) - Y[j]
    squared = (difference**2).sum(axis=1)
    values = P.data / (1 + squared)
    right = np.stack([np.bincount(i, values * column, 300) for column in difference.T], axis=1)
    with ThreadPoolExecutor(2) as pool:
        attraction = StoredAttraction(P, pool)
        np.testing.assert_allclose(attraction(Y), right, atol=1e-5 * (1 + np.abs(right).max()))
        assert attraction.cross_entropy(Y) == pytest.approx(P.data @ np.log1p(squared), rel=1e-5)


def test_every_pair_is_in_one_table(monkeypatch):
    monkeypatch.setattr(stored_pairs, "PAIRS", 50)
    P = weights(200, 0.05)
    rebuilt = np.zeros(P.shape)
    for table in tables(P):
        np.add.at(rebuilt, (table.rows[:, np.newaxis], table.columns), table.weights)
    np.testing.assert_allclose(rebuilt, P.toarray(), rtol=1e-6)
    assert len(tables(P)) > 10


def test_an_attraction_does_not_depend_on_the_number_of_threads():
    P, Y = weights(2000, 0.01), np.random.default_rng().standard_normal((2000, 2)).astype(np.float32)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(3) as three:
        np.testing.assert_array_equal(StoredAttraction(P, one)(Y), StoredAttraction(P, three)(Y))
