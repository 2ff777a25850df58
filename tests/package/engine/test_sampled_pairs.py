"""Sampled steps equal, on average, the step that their formula says."""

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.engine.sampled_pairs import EPSILON, LARGEST, NEGATIVES, SampledPairs

A, B = 1.577, 0.895


def weights(n, m=None):
    P = sparse.random_array((m or n, n), density=0.3, format="csr", rng=np.random.default_rng())
    return sparse.csr_array(P + P.T) if m is None else P


def expected_step(P, Y, fixed=None):
    """The formula of the docstring, with all pairs, in double precision."""
    others = Y if fixed is None else fixed
    difference = Y[:, np.newaxis] - others
    squared = (difference**2).sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        pull = -2 * A * B * squared ** (B - 1) / (1 + A * squared**B) * difference
    pull = np.clip(np.nan_to_num(pull), -LARGEST, LARGEST)
    push = np.clip(2 * B / ((EPSILON + squared) * (1 + A * squared**B)) * difference, -LARGEST, LARGEST)
    P = P.toarray() / P.data.max()
    both = P + P.T if fixed is None else P
    attraction = np.einsum("ij,ijc->ic", both, pull)
    return attraction + NEGATIVES * P.sum(axis=1)[:, np.newaxis] * push.mean(axis=1)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("new", [False, True])
def test_the_mean_step_of_an_epoch_is_that_of_the_formula(d, new):
    rng = np.random.default_rng()
    n = 20
    fixed = rng.standard_normal((n, d)).astype(np.float32) if new else None
    Y = rng.standard_normal((30 if new else n, d)).astype(np.float32)
    P = weights(n, 30 if new else None)
    pairs, rate, moved = SampledPairs(P, A, B, rng), 1e-4, []  # so short that points stay where they are
    for _ in range(2000):
        after = Y.copy()
        pairs.epoch(after, rate, fixed)
        moved.append((after - Y) / rate)
    error = np.std(moved, axis=0) / np.sqrt(len(moved)) + 0.01
    difference = np.mean(moved, axis=0) - expected_step(
        P, Y.astype(float), None if fixed is None else fixed.astype(float)
    )
    assert np.abs(difference / error).max() < 6


def test_points_at_the_same_place_part():
    Y = np.zeros((10, 2), np.float32)
    SampledPairs(weights(10), A, B, np.random.default_rng(0)).epoch(Y, 1.0)
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) > 1


def test_the_same_seed_gives_the_same_places():
    P, Y = weights(50), np.random.default_rng(1).standard_normal((50, 2)).astype(np.float32)
    places = []
    for _ in range(2):
        moved = Y.copy()
        SampledPairs(P, A, B, np.random.default_rng(0)).epoch(moved, 1.0)
        places.append(moved)
    np.testing.assert_array_equal(*places)
