import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from dimred_lessons import PCA
from dimred_lessons.classroom import datasets, metrics


@pytest.fixture
def square():
    return np.random.default_rng(0).uniform(size=(80, 2))


def test_procrustes_error_ignores_rotation_reflection_scale_and_shift(square):
    angle = 0.7
    Q = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), -np.cos(angle)]])
    assert metrics.procrustes_error(3 * square @ Q + 5, square) < 1e-12


def test_procrustes_error_of_unrelated_points_is_near_one(square):
    unrelated = np.random.default_rng(1).uniform(size=square.shape)
    assert 0.8 < metrics.procrustes_error(unrelated, square) <= 1


def test_procrustes_error_grows_with_distortion(square):
    errors = [metrics.procrustes_error(square * [1, stretch], square) for stretch in (1, 2, 4)]
    assert errors == sorted(errors) and errors[2] > errors[1] + 0.05


def test_congruence_error_ignores_rotation_and_shift_but_not_size(square):
    Q = np.array([[0.6, 0.8], [0.8, -0.6]])
    assert metrics.congruence_error(square @ Q + 5, square) < 1e-12
    assert metrics.congruence_error(2 * square @ Q, square) == pytest.approx(1)  # (2 − 1)²
    assert metrics.congruence_error(1e-6 * square, square) == pytest.approx(1, abs=1e-5)
    assert metrics.congruence_error(3 * square, square) == pytest.approx(4)


def test_without_scale_nothing_explains_more_than_with_it(square):
    other = np.random.default_rng(1).uniform(size=square.shape)
    assert metrics.procrustes_error(other, square) <= metrics.congruence_error(other, square)


def test_recovery_judges_each_true_coordinate_by_itself(square):
    sheared = square @ [[2.0, 1.0], [0.0, 0.01]] + 3
    np.testing.assert_allclose(metrics.recovery(sheared, square), 1)
    only_first = square * [1, 0]  # rank one: the missing coordinate is missed, the other is not
    first, second = metrics.recovery(only_first, square)
    assert first == pytest.approx(1) and second < 0.1
    assert metrics.recovery(square[:, :1], square)[1] == pytest.approx(np.corrcoef(square.T)[0, 1] ** 2)


def test_signs_are_aligned_column_by_column(square):
    np.testing.assert_array_equal(metrics.aligned_signs(square * [1, -1], square), square)
    np.testing.assert_array_equal(metrics.aligned_signs(-square[:, 0], square[:, 0]), square[:, 0])
    zero = np.zeros_like(square)
    np.testing.assert_array_equal(metrics.aligned_signs(square, zero), square)


def test_columns_are_compared_up_to_their_signs(square):
    assert metrics.equal_up_to_signs(square * [1, -1], square)
    assert metrics.equal_up_to_signs(square, square + 1e-10)
    assert not metrics.equal_up_to_signs(square[:, ::-1], square)
    assert not metrics.equal_up_to_signs(square * [1, 1.001], square)
    assert not metrics.equal_up_to_signs(square, square + 1e-6)
    assert metrics.equal_up_to_signs(-square, square + 1e-6, tolerance=1e-4)


def test_an_embedding_that_tears_keeps_trust_but_loses_continuity():
    ring = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.column_stack([np.cos(ring), np.sin(ring)])
    cut_open = ring[:, None]
    assert metrics.continuity(circle, cut_open) < trustworthiness(circle, cut_open, n_neighbors=5)


def test_an_embedding_that_folds_keeps_continuity_but_loses_trust(square):
    folded = square[:, :1]
    assert trustworthiness(square, folded, n_neighbors=5) < metrics.continuity(square, folded)


def test_continuity_of_a_perfect_embedding_is_one(square):
    assert metrics.continuity(square, 2 * square) == 1


def test_neighbors_kept_counts_what_chance_does_not_explain(square):
    n, sizes = len(square), [1, 5, 40, 78]
    np.testing.assert_allclose(metrics.neighbors_kept(square, 3 * square, sizes), 1)
    rng = np.random.default_rng(1)
    by_chance = [metrics.neighbors_kept(square, rng.permutation(square), sizes) for _ in range(40)]
    assert np.abs(np.mean(by_chance, axis=(0, 1))).max() < 0.02

    other = square + 0.1 * rng.standard_normal(square.shape)
    near, near_in_other = (np.argsort(np.linalg.norm(A[0] - A, axis=1))[1:6] for A in (square, other))
    q, chance = len(set(near) & set(near_in_other)) / 5, 5 / (n - 1)
    value = metrics.neighbors_kept(square, other, 5)
    assert value.shape == (n,) and value[0] == pytest.approx((q - chance) / (1 - chance))


def test_a_copy_of_a_point_is_its_neighbor_and_not_itself(square):
    doubled = np.vstack([square, square[:1]])
    np.testing.assert_allclose(metrics.neighbors_kept(doubled, doubled, [1, 3]), 1)


@pytest.mark.parametrize("sizes", [0, 79, [5, 100], 2.5])
def test_neighborhoods_that_do_not_exist_are_refused(square, sizes):
    with pytest.raises(ValueError, match="give whole numbers from 1 to 78"):
        metrics.neighbors_kept(square, square, sizes)


def test_axis_correlations_find_the_axis_whatever_its_sign(square):
    truth = np.column_stack([-square[:, 1], np.random.default_rng(2).normal(size=80)])
    table = metrics.axis_correlations(square, truth)
    assert table.shape == (2, 2)
    assert table[1, 0] == pytest.approx(1) and table[0, 0] < 0.3 and table[:, 1].max() < 0.4


def test_the_scoreboard_measures_what_it_names():
    line = metrics.scoreboard_line(PCA(2))
    images, parameters = datasets.faces()
    Y = PCA(2).fit_transform(images)
    pose = max(abs(np.corrcoef(Y[:, axis], parameters[:, 0])[0, 1]) for axis in range(2))
    assert line["pose"] == pytest.approx(pose)
    assert set(line) == {"pose", "roll", "size", "length", "height", "digits"}
    assert line["roll"] > 0.5 and line["size"] > 0.5 and 0.7 < line["digits"] < 0.9
    assert line["length"] < 0.5 and line["height"] < 0.5
