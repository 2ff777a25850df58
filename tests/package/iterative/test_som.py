"""Self-organizing maps: k-means without a neighborhood, a cost that falls, starts, and how well a map is spread."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

from dimred_lessons import Isomap, SelfOrganizingMap
from dimred_lessons.classroom.datasets import s_curve

SQUARE = np.random.default_rng(0).random((1000, 2))


def test_without_a_neighborhood_a_batch_is_a_step_of_k_means():
    fitted = SelfOrganizingMap((16,), sigma=(0, 0), max_iter=10, init="random").fit(SQUARE)
    centers = SQUARE[np.random.RandomState(0).randint(1000, size=16)]
    for _ in range(10):
        nearest = np.argmin(cdist(SQUARE, centers), axis=1)
        centers = np.array([SQUARE[nearest == k].mean(axis=0) for k in range(16)])
    np.testing.assert_allclose(fitted.prototypes_, centers, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_with_smoothed_winners_the_cost_never_rises_and_with_nearest_ones_it_may(seed):
    X = np.random.default_rng(seed).random((200, 2))
    method = SelfOrganizingMap((8, 8), sigma=(1, 1), init="random", random_state=seed)
    smoothed = method.fit(X).objective_path_
    assert np.diff(smoothed).max() <= 1e-12 * smoothed[0]
    if seed == 0:
        assert np.diff(clone(method).set_params(winner="nearest").fit(X).objective_path_).max() > 1e-3


def test_the_cost_is_what_the_definition_says():
    fitted = SelfOrganizingMap((4, 3), sigma=(1.5, 1.5), max_iter=1, init="random").fit(SQUARE)
    M = SQUARE[np.random.RandomState(0).randint(1000, size=12)]
    places = np.array([(a, b) for a in range(4) for b in range(3)])
    h = np.exp(-cdist(places, places, "sqeuclidean") / (2 * 1.5**2))
    h /= h.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.neighborhood_, h)
    np.testing.assert_allclose(fitted.objective_path_, [(cdist(SQUARE, M, "sqeuclidean") @ h.T).min(axis=1).sum()])


@pytest.mark.parametrize("method", ["batch", "online"])
@pytest.mark.parametrize("winner", ["smoothed", "nearest"])
def test_a_square_is_covered_in_order(method, winner):
    fitted = SelfOrganizingMap(method=method, winner=winner, sigma=(None, 0.7)).fit(SQUARE)
    assert fitted.quantization_error(SQUARE) < 0.06
    assert fitted.topographic_error(SQUARE) < 0.1
    used = np.unique(fitted.embedding_, axis=0)
    assert len(used) > 90
    A = np.column_stack([fitted.embedding_, np.ones(1000)])
    assert np.var(SQUARE - A @ np.linalg.lstsq(A, SQUARE)[0]) < 0.1 * np.var(SQUARE)


def test_errors_are_those_of_the_definition():
    fitted = SelfOrganizingMap((5, 5)).fit(SQUARE)
    apart = cdist(SQUARE, fitted.prototypes_)
    np.testing.assert_allclose(fitted.quantization_error(SQUARE), apart.min(axis=1).mean())
    first, second = fitted.places_[np.argsort(apart, axis=1)[:, :2].T]
    np.testing.assert_allclose(fitted.topographic_error(SQUARE), np.mean(np.abs(first - second).max(axis=1) > 1))


def test_a_spectral_start_unfolds_what_the_principal_plane_folds():
    X, chart = s_curve(600)
    Y = Isomap(n_neighbors=10).fit_transform(X)
    folded, unfolded = (
        SelfOrganizingMap((20, 5), init=start, sigma=(1, 0.5)).fit(X).embedding_ for start in ("pca", Y)
    )
    along = [abs(np.corrcoef(places[:, 0], chart[:, 0])[0, 1]) for places in (folded, unfolded)]
    assert along[0] < 0.9 < 0.98 < along[1]


def test_the_same_random_state_gives_the_same_map_and_another_state_a_different_map():
    method = SelfOrganizingMap((6, 6), method="online", max_iter=3)
    first, second, other = (clone(method).set_params(random_state=seed).fit(SQUARE).prototypes_ for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - other).max() > 1e-3


def test_a_grid_may_have_any_number_of_axes_and_be_larger_than_the_data():
    for shape in ((1,), (7,), (3, 4, 2), (40, 40)):
        fitted = SelfOrganizingMap(shape, max_iter=5).fit(SQUARE[:50])
        assert fitted.embedding_.shape == (50, len(shape))
        assert np.isfinite(fitted.prototypes_).all()


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"shape": 10}, r"shape=10 must be a tuple of positive integers such as \(10, 10\)"),
        ({"shape": ()}, r"shape=\(\) must be a tuple"),
        ({"shape": (3, 0)}, r"shape=\(3, 0\) must be a tuple"),
        ({"sigma": 2}, r"sigma=2 must be a pair such as \(5.0, 0.5\)"),
        ({"sigma": (1, None)}, r"sigma=\(1, None\) must be a pair"),
        ({"init": SQUARE[:5]}, r"init has the shape \(5, 2\), but n_samples=1000 and n_components=2"),
    ],
)
def test_bad_input_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        SelfOrganizingMap(**parameters).fit(SQUARE)


def test_points_that_coincide_are_refused():
    with pytest.raises(ValueError, match="All 20 points coincide"):
        SelfOrganizingMap().fit(np.ones((20, 2)))
