"""Stress and its relatives: what each measures, how each scales, and what classical MDS minimizes."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

from dimred_lessons import ClassicalMDS
from dimred_lessons.classroom.metrics import raw_stress, sstress, strain, stress_1
from dimred_lessons.kernels import kernel_from_squared_distances

MEASURES = [raw_stress, stress_1, sstress, strain]


@pytest.fixture
def cities():
    """City-block distances of points in the plane, and a map of them."""
    X = np.random.default_rng(0).uniform(size=(25, 3))
    D = squareform(pdist(X, "cityblock"))
    return D, ClassicalMDS(n_components=2, metric="precomputed").fit_transform(D)


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_are_zero_for_points_at_the_given_distances(measure):
    Y = np.random.default_rng(0).standard_normal((20, 3))
    assert measure(squareform(pdist(Y)), Y) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_ignore_shift_and_rotation(measure, cities):
    D, Y = cities
    c, s = np.cos(0.7), np.sin(0.7)
    assert measure(D, Y @ np.array([[c, -s], [s, c]]) + 5) == pytest.approx(measure(D, Y))


@pytest.mark.parametrize("measure, power", [(raw_stress, 2), (stress_1, 0), (sstress, 4), (strain, 4)])
def test_measures_scale_by_a_power_of_the_unit(measure, power, cities):
    D, Y = cities
    assert measure(10 * D, 10 * Y) == pytest.approx(10**power * measure(D, Y))


def test_values_of_one_pair():
    D, Y = np.array([[0.0, 3.0], [3.0, 0.0]]), np.array([[0.0], [2.0]])
    assert raw_stress(D, Y) == pytest.approx(2)  # (3 − 2)², twice
    assert stress_1(D, Y) == pytest.approx(1 / 2)  # 1 of 2
    assert sstress(D, Y) == pytest.approx(50)  # (9 − 4)², twice
    assert strain(D, Y) == pytest.approx(4 * (9 / 4 - 1) ** 2)  # dot products ±9/4 against ±1


def test_stress_1_of_an_embedding_without_extent():
    D = 1 - np.eye(3)
    assert stress_1(D, np.zeros((3, 2))) == np.inf
    assert stress_1(0 * D, np.zeros((3, 2))) == 0


def test_raw_stress_is_twice_the_stress_of_scikit_learn(cities):
    pytest.importorskip("sklearn", "1.8")  # before, it cannot start from classical scaling
    from sklearn.manifold import MDS

    D, Y = cities
    peer = MDS(2, metric="precomputed", n_init=1, init="classical_mds", normalized_stress=False).fit(D)
    assert raw_stress(D, peer.embedding_) == pytest.approx(2 * peer.stress_, rel=1e-6)
    assert raw_stress(D, peer.embedding_) < raw_stress(D, Y)


def test_the_strain_of_classical_mds_is_the_sum_of_the_squares_of_the_other_eigenvalues(cities):
    D, Y = cities
    eigenvalues = np.linalg.eigvalsh(kernel_from_squared_distances(D**2))
    assert strain(D, Y) == pytest.approx(np.sum(eigenvalues[:-2] ** 2))


def test_classical_mds_minimizes_strain_but_not_sstress(cities):
    D, Y = cities
    rng = np.random.default_rng(1)
    assert all(strain(D, Y + 0.01 * rng.standard_normal(Y.shape)) > strain(D, Y) for _ in range(20))

    def cost(y):
        return sstress(D, y.reshape(Y.shape))

    refined = minimize(cost, Y.ravel(), method="L-BFGS-B", options={"maxiter": 20})
    assert refined.fun < 0.99 * sstress(D, Y)


def test_four_times_the_strain_is_at_most_the_sstress(cities):
    D, Y = cities
    rng = np.random.default_rng(2)
    for other in [Y, rng.standard_normal(Y.shape), rng.uniform(size=(25, 5))]:
        assert 4 * strain(D, other) <= sstress(D, other) * (1 + 1e-12)
