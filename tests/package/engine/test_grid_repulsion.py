"""Forces from the grid equal those of all pairs, whatever the map looks like."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from dimred_lessons.engine.grid_repulsion import MOST, GridRepulsion, Repulsion


def all_pairs(Y):
    """The equation, with all n² pairs, in double precision."""
    Y = Y.astype(float)
    K = 1 / (1 + cdist(Y, Y, "sqeuclidean"))
    return Repulsion((K**2).sum(axis=1)[:, np.newaxis] * Y - K**2 @ Y, K.sum() - len(Y))


def by_grid(Y, **options):
    with ThreadPoolExecutor(2) as pool:
        return GridRepulsion(pool, 2, **options)(Y)


def relative_error(found, right):
    return np.linalg.norm(found.forces - right.forces) / np.linalg.norm(right.forces)


def maps(rng, d):
    """Maps as they come up on the way, and as they should not."""
    clusters = rng.standard_normal((600, d)) + 30 * rng.standard_normal((10, d))[rng.integers(0, 10, 600)]
    yield "tiny", 1e-4 * rng.standard_normal((600, d))
    yield "of the size of the kernel", rng.standard_normal((600, d))
    yield "large", clusters
    yield "far from the origin", clusters + 1000
    yield "with copies", np.repeat(clusters[:100], 6, axis=0)
    yield "on a line", clusters[:, :1] * np.ones(d)
    yield "with a runaway point", np.vstack([clusters, 1500 * np.eye(d)[:1]])


@pytest.mark.parametrize("d", [1, 2])
def test_forces_and_their_total_equal_those_of_all_pairs(d):
    rng = np.random.default_rng()
    for name, Y in maps(rng, d):
        Y = Y.astype(np.float32)
        found, right = by_grid(Y), all_pairs(Y)
        assert relative_error(found, right) < 0.015, name
        assert found.total == pytest.approx(right.total, rel=1e-3, abs=5e-3 * len(Y)), name


@pytest.mark.parametrize("d", [1, 2])
def test_the_force_of_a_pair_is_off_by_at_most_three_hundredths_of_the_strongest(d):
    rng = np.random.default_rng()
    strongest = 3 * np.sqrt(3) / 16  # of r / (1 + r²)²
    for size in np.exp(rng.uniform(-2, 2, 50)):
        pair, far = size * rng.standard_normal((2, d)), rng.uniform(50, 100, (1, d))  # which keeps the grid coarse
        Y = np.vstack([pair, far]).astype(np.float32)
        assert np.linalg.norm(by_grid(Y).forces - all_pairs(Y).forces, axis=1).max() < 0.03 * strongest


def test_a_point_that_is_far_away_makes_the_grid_coarser_and_not_larger():
    Y = np.vstack([20 * np.random.default_rng().standard_normal((500, 2)), [[1e6, 1e6]]]).astype(np.float32)
    with ThreadPoolExecutor(1) as pool:
        repulsion = GridRepulsion(pool)
        forces = repulsion(Y).forces
    assert np.prod(repulsion.shape) <= 1.2 * MOST
    assert np.isfinite(forces).all()


@pytest.mark.parametrize("d", [1, 2])
def test_a_finer_grid_is_more_accurate(d):
    Y = (20 * np.random.default_rng().standard_normal((1000, d))).astype(np.float32)
    coarse, fine = (relative_error(by_grid(Y, spacing=h), all_pairs(Y)) for h in (1 / 2, 1 / 4))
    assert fine < coarse / 3


def test_a_grid_that_is_kept_gives_the_forces_of_a_new_one():
    rng = np.random.default_rng()
    with ThreadPoolExecutor(1) as pool:
        kept = GridRepulsion(pool)
        for size in (1e-3, 1, 30, 33, 28, 1):
            Y = (size * rng.standard_normal((300, 2))).astype(np.float32)
            assert relative_error(kept(Y), all_pairs(Y)) < 0.015


def test_the_same_map_gives_the_same_digits():
    Y = (20 * np.random.default_rng().standard_normal((5000, 2))).astype(np.float32)
    first, again = by_grid(Y), by_grid(Y)
    np.testing.assert_array_equal(first.forces, again.forces)
    assert first.total == again.total


@pytest.mark.parametrize("d", [1, 2])
def test_the_field_of_fixed_points_is_what_new_ones_feel(d):
    rng = np.random.default_rng()
    Y, new = ((scale * rng.standard_normal((m, d))).astype(np.float32) for m, scale in ((2000, 20), (300, 15)))
    new = new[np.all((new >= Y.min(axis=0)) & (new <= Y.max(axis=0)), axis=1)]
    with ThreadPoolExecutor(1) as pool:
        found = GridRepulsion(pool).field_of(Y)(new)
    difference = new[:, np.newaxis].astype(float) - Y
    K = 1 / (1 + (difference**2).sum(axis=-1))
    right = np.einsum("ij,ijc->ic", K**2, difference)
    assert np.linalg.norm(found.forces - right) < 0.015 * np.linalg.norm(right)
    np.testing.assert_allclose(found.total, K.sum(axis=1), rtol=0.01, atol=0.02)


def test_forces_add_up_to_zero():
    """Every pair repels both ends alike."""
    Y = (20 * np.random.default_rng().standard_normal((2000, 2))).astype(np.float32)
    forces = by_grid(Y).forces
    assert np.abs(forces.sum(axis=0)).max() < 1e-3 * np.abs(forces).sum()
