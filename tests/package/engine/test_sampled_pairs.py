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
    pairs = SampledPairs(P, A, B, rng)
    moved = [sum(pairs.forces(Y, drawn, fixed) for drawn in pairs.epoch()) for _ in range(2000)]
    error = np.std(moved, axis=0) / np.sqrt(len(moved)) + 0.01
    difference = np.mean(moved, axis=0) - expected_step(
        P, Y.astype(float), None if fixed is None else fixed.astype(float)
    )
    assert np.abs(difference / error).max() < 6


def test_points_at_the_same_place_part():
    Y = np.zeros((10, 2), np.float32)
    pairs = SampledPairs(weights(10), A, B, np.random.default_rng(0))
    forces = pairs.forces(Y, next(pairs.epoch()))
    assert np.isfinite(forces).all()
    assert len(np.unique(forces, axis=0)) > 1


def test_a_point_does_not_repel_itself():
    P = sparse.csr_array(([1.0], [1], [0, 1, 1]), shape=(2, 2))
    pairs, Y = SampledPairs(P, A, B, np.random.default_rng(0)), np.array([[0.0], [1.0]], np.float32)
    forces = [pairs.forces(Y, drawn, push=1e6)[0, 0] for _ in range(20) for drawn in pairs.epoch()]
    assert set(np.sign(forces)) == {-1, 1}  # pushed by the other point, or by nothing, and pulled


def test_every_pair_that_is_drawn_is_dealt_once():
    P = weights(200)
    P.data[:] = 1
    pairs = SampledPairs(P, A, B, np.random.default_rng())
    dealt = list(pairs.epoch())
    np.testing.assert_array_equal(np.sort(np.concatenate(dealt)), np.arange(P.nnz))
    assert max(map(len, dealt)) <= 1.5 * 200
    for drawn in dealt:
        assert np.bincount(pairs.heads[drawn], minlength=200).max() <= np.diff(P.indptr).max() / len(dealt) + 1


@pytest.mark.parametrize("size", [0.1, 3])
def test_the_estimate_of_the_cross_entropy_is_near_the_sum_of_all_pairs(size):
    rng = np.random.default_rng()
    P, Y = weights(400), (size * rng.standard_normal((400, 2))).astype(np.float32)
    P.data /= P.data.max()
    V = P.toarray()
    power = A * (((Y[:, np.newaxis].astype(float) - Y) ** 2).sum(axis=-1) + EPSILON) ** B
    costs = V * np.log1p(power) + (1 - V) * np.log1p(1 / power)
    right = costs.sum() - np.trace(costs)
    assert SampledPairs(P, A, B, rng).cross_entropy(Y, 200) == pytest.approx(right, rel=0.01)


def test_the_same_seed_gives_the_same_places():
    P, Y = weights(50), np.random.default_rng(1).standard_normal((50, 2)).astype(np.float32)
    pairs = [SampledPairs(P, A, B, np.random.default_rng(0)) for _ in range(2)]
    first, second = ([each.forces(Y, drawn) for drawn in each.epoch()] for each in pairs)
    np.testing.assert_array_equal(first, second)
