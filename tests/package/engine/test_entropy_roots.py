"""Probabilities of a given entropy by Newton's method: those of bisection, for distances of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import entr

from dimred_lessons.classroom.datasets import digits
from dimred_lessons.distances import squared_distances
from dimred_lessons.engine import entropy_roots
from dimred_lessons.iterative.affinities import probabilities_of_entropy

CLOUD = np.random.default_rng(0).standard_normal((60, 5))
SQUARED = {
    "a cloud": squared_distances(CLOUD),
    "three points": squared_distances(CLOUD[:4]),
    "images with ties": squared_distances(digits(200)[0]),
    "copies": squared_distances(np.repeat(CLOUD[:20], 3, axis=0)),
    "one point and many copies": squared_distances(np.vstack([CLOUD, np.repeat(CLOUD[:1], 50, axis=0)])),
    "far from the origin": squared_distances(CLOUD + 1e6),
    "two groups far apart": squared_distances(np.vstack([CLOUD, CLOUD + 1e5])),
    "a row of fill values": squared_distances(np.vstack([CLOUD, np.full((1, 5), 1e12)])),
    "a tiny unit": 1e-100 * squared_distances(CLOUD),
    "a huge unit": 1e100 * squared_distances(CLOUD),
    "all at the same distance": 1.0 - np.eye(30),
    "gaps of every size": squared_distances(np.cumsum(2.0 ** np.arange(40))[:, np.newaxis]),
}


def assert_rows_agree(squared, perplexity):
    found = entropy_roots.probabilities_of_entropy(squared, np.log(perplexity))
    expected = probabilities_of_entropy.equation(squared, np.log(perplexity))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert not np.diag(found).any()
    return found


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("perplexity", [1, 1.5, 10, 0.9])
@pytest.mark.parametrize("name", SQUARED)
def test_the_engine_finds_the_rows_of_bisection(name, perplexity):
    n = len(SQUARED[name])
    assert_rows_agree(SQUARED[name], min(perplexity if perplexity >= 1 else perplexity * (n - 1), n - 1.5))


@pytest.mark.parametrize("name", ["a cloud", "images with ties", "a row of fill values", "a huge unit"])
def test_every_row_has_the_entropy_asked_for(name):
    P = entropy_roots.probabilities_of_entropy(SQUARED[name], np.log(10))
    np.testing.assert_allclose(entr(P).sum(axis=1), np.log(10), atol=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.integers(4, 30), st.floats(0.05, 0.95), st.floats(0.1, 6), st.integers(0, 10**6))
def test_the_engine_finds_the_rows_of_bisection_however_unequal_the_distances(n, share, power, seed):
    lengths = np.random.default_rng(seed).random((n, n)) ** power
    squared = lengths + lengths.T
    np.fill_diagonal(squared, 0)
    assert_rows_agree(squared, 1 + share * (n - 2))


def test_blocks_do_not_matter(monkeypatch):
    whole = entropy_roots.probabilities_of_entropy(SQUARED["a cloud"], np.log(10))
    monkeypatch.setattr(entropy_roots, "CACHED", 1)
    rows = entropy_roots.probabilities_of_entropy(SQUARED["a cloud"], np.log(10))
    np.testing.assert_allclose(rows, whole, rtol=0, atol=1e-10)
