import numpy as np
import pandas
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold

from dimred_lessons import PCA
from dimred_lessons.classroom import datasets, metrics
from dimred_lessons.classroom.metrics import trustworthiness


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


# --- Ties


ANSWERS = np.random.default_rng(11).integers(0, 2, (200, 3)).astype(float)  # yes or no, to three questions
KINDS = np.eye(8)[np.random.default_rng(12).integers(0, 8, 200)]  # a category, one column for each


@pytest.mark.parametrize("X", [ANSWERS, KINDS])
@pytest.mark.parametrize("sizes", [[1, 5, 50, 198]])
def test_a_map_that_puts_all_points_in_one_place_keeps_no_neighbors_and_a_perfect_one_all(X, sizes):
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((X.shape[1],) * 2))[0]
    np.testing.assert_allclose(metrics.neighbors_kept(X, np.zeros((200, 2)), sizes), 0, atol=1e-9)
    np.testing.assert_allclose(metrics.neighbors_kept(X, 3 * X, sizes), 1)
    np.testing.assert_allclose(metrics.neighbors_kept(X, X @ Q, sizes), 1)  # ties up to rounding


def test_neighbors_kept_of_distances_are_those_of_the_points():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(30, 4)).round(1), rng.integers(0, 3, size=(20, 4))])  # with ties
    Y, sizes = points[:, :2] + 0.01 * rng.normal(size=(50, 2)), [1, 4, 10, 30]
    kept = metrics.neighbors_kept(squareform(pdist(points)), Y, sizes, metric="precomputed")
    np.testing.assert_allclose(kept, metrics.neighbors_kept(points, Y, sizes), atol=1e-9)
    with pytest.raises(ValueError, match="Negative values in data"):
        metrics.neighbors_kept(-squareform(pdist(points)), Y, sizes, metric="precomputed")


@pytest.mark.parametrize("measure", [metrics.neighbors_kept, metrics.continuity, trustworthiness])
@pytest.mark.parametrize("Y", [ANSWERS[:, :1], np.zeros((200, 2)), KINDS @ np.arange(8)])
def test_the_order_of_the_rows_decides_nothing(measure, Y):
    order = np.random.default_rng(1).permutation(200)
    reordered = np.atleast_1d(measure(ANSWERS[order], Y[order], 5)).mean()
    assert reordered == pytest.approx(np.atleast_1d(measure(ANSWERS, Y, 5)).mean(), abs=1e-12)


def test_ties_of_the_map_count_as_if_they_were_broken_at_random():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 3))
    rounded = X[:, :2].round()
    jittered = [rounded + 1e-6 * rng.standard_normal(rounded.shape) for _ in range(200)]
    for measure in (metrics.neighbors_kept, trustworthiness):
        expected = np.mean([measure(X, Y, 6) for Y in jittered], axis=0)
        np.testing.assert_allclose(measure(X, rounded, 6), expected, atol=0.1)
        assert np.mean(measure(X, rounded, 6)) == pytest.approx(expected.mean(), abs=0.005)


def test_a_share_that_ties_leave_open_is_the_expected_one():
    X = np.array([[0.0], [1], [-1], [5], [7], [11]])  # 1 and 2 are equally far from 0
    Y = np.array([[0.0], [1], [2], [3], [-1], [-2]])  # 1 and 4 are
    # One neighbor: 1 is that of 0 with probability 1/2 in both, ties leave 1/2 for X itself, chance is 1/5
    assert metrics.neighbors_kept(X, Y, 1)[0] == pytest.approx((1 / 4 - 1 / 5) / (1 / 2 - 1 / 5))
    # Two: both 1 and 2 in X; 1 and 4 in Y
    assert metrics.neighbors_kept(X, Y, 2)[0] == pytest.approx((1 / 2 - 2 / 5) / (1 - 2 / 5))


def test_a_point_from_which_all_others_are_equally_far_has_no_neighbors_to_keep():
    ring = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    wheel = np.vstack([[0, 0], np.column_stack([np.cos(ring), np.sin(ring)])])
    kept = metrics.neighbors_kept(wheel, wheel, 2)
    assert kept[0] == 0
    np.testing.assert_allclose(kept[1:], 1)
    for alike in (np.eye(6), np.ones((6, 2))):
        with pytest.raises(ValueError, match="All points of X are equally far from each other"):
            metrics.neighbors_kept(alike, np.eye(6), 2)


@pytest.mark.parametrize("n_neighbors", [1, 5, 39])
def test_trustworthiness_is_that_of_scikit_learn_where_no_distances_are_equal(square, n_neighbors):
    other = square + 0.1 * np.random.default_rng(1).standard_normal(square.shape)
    expected = manifold.trustworthiness(square, other, n_neighbors=n_neighbors)
    assert trustworthiness(square, other, n_neighbors) == pytest.approx(expected, abs=1e-15)


def test_a_perfect_map_is_trusted_where_distances_are_equal():
    assert trustworthiness(ANSWERS, ANSWERS) == metrics.continuity(ANSWERS, ANSWERS) == 1
    assert manifold.trustworthiness(ANSWERS, ANSWERS) < 0.99  # the order of rows decides there


# --- What a measure takes


OF_MAPS = {
    "procrustes_error": metrics.procrustes_error,
    "congruence_error": metrics.congruence_error,
    "recovery": metrics.recovery,
    "axis_correlations": metrics.axis_correlations,
    "trustworthiness": trustworthiness,
    "continuity": metrics.continuity,
    "neighbors_kept": lambda X, Y: metrics.neighbors_kept(X, Y, [2, 5]),
    "aligned_signs": metrics.aligned_signs,
    "equal_up_to_signs": metrics.equal_up_to_signs,
}
OF_DISSIMILARITIES = {
    "raw_stress": metrics.raw_stress,
    "stress_1": metrics.stress_1,
    "sstress": metrics.sstress,
    "strain": metrics.strain,
}
of_maps = pytest.mark.parametrize("measure", OF_MAPS.values(), ids=OF_MAPS)
of_dissimilarities = pytest.mark.parametrize("measure", OF_DISSIMILARITIES.values(), ids=OF_DISSIMILARITIES)
MAP, TRUTH = np.random.default_rng(4).integers(0, 200, (2, 30, 2))
TABLE = squareform(pdist(MAP, "cityblock")).astype(int)


def test_every_measure_is_tried_here():
    public = {name for name, value in vars(metrics).items() if getattr(value, "__module__", "") == metrics.__name__}
    public = {name for name in public if not name.startswith("_")}
    assert public == {*OF_MAPS, *OF_DISSIMILARITIES, "scoreboard_line"}


@of_maps
def test_labels_and_types_play_no_part(measure):
    expected = measure(MAP.astype(float), TRUTH.astype(float))
    labeled = pandas.DataFrame(MAP, columns=["first", "second"])
    elsewhere = pandas.DataFrame(TRUTH, index=range(100, 130), columns=["x", "y"])
    for kind in (np.uint8, np.int16, np.float32, object):
        np.testing.assert_allclose(measure(MAP.astype(kind), TRUTH.astype(kind)), expected)
    for X in (labeled, labeled.convert_dtypes(), MAP.tolist(), np.ma.masked_array(MAP)):
        np.testing.assert_allclose(measure(X, elsewhere), expected)


@of_dissimilarities
def test_no_integer_of_a_dissimilarity_overflows(measure):
    expected = measure(TABLE.astype(float), MAP.astype(float))
    for kind in (np.uint16, np.int16, np.int32, np.float32):
        np.testing.assert_allclose(measure(TABLE.astype(kind), MAP.astype(np.uint8)), expected)
    small = (TABLE // 2).astype(np.uint8)
    np.testing.assert_allclose(measure(small, MAP), measure(small.astype(float), MAP))
    np.testing.assert_allclose(measure(pandas.DataFrame(TABLE), pandas.DataFrame(MAP)), expected)
    np.testing.assert_allclose(measure(TABLE.tolist(), MAP.tolist()), expected)


@of_maps
@pytest.mark.parametrize(
    "hole, what", [(np.nan, "NaN: 1 entry"), (np.inf, "infinity: 1 entry"), (None, "NaN: 1 entry"), ("?", "text")]
)
def test_a_point_without_a_place_is_refused(measure, hole, what):
    holed = MAP.astype(object)
    holed[3, 1] = hole
    for tables in ((holed, TRUTH), (TRUTH, holed), (TRUTH, pandas.DataFrame(holed))):
        with pytest.raises(ValueError, match=what) as refused:
            measure(*tables)
        assert "row 3" in str(refused.value) and "olumn 1" in str(refused.value)
    masked = np.ma.masked_array(MAP, MAP == MAP[3, 1])
    with pytest.raises(ValueError, match="NaN"):
        measure(TRUTH, masked)


@of_maps
def test_different_numbers_of_points_are_refused_with_both_numbers(measure):
    with pytest.raises(ValueError, match="has 30 points, but .* has 20: give both for the same points"):
        measure(MAP, TRUTH[:20])
    for wrong in (np.float64(1), np.ones((30, 2, 2)), np.empty((0, 2))):
        with pytest.raises(ValueError, match="has the shape .*: give a table with a row for each point"):
            measure(MAP, wrong)


@pytest.mark.parametrize("name", ["procrustes_error", "congruence_error", "aligned_signs", "equal_up_to_signs"])
def test_configurations_of_different_dimensions_are_refused(name):
    with pytest.raises(ValueError, match="has 2 columns, but .* has 1: give as many coordinates of both"):
        OF_MAPS[name](MAP, TRUTH[:, :1])


@of_dissimilarities
@pytest.mark.parametrize(
    "table, message",
    [
        (TABLE[:20, :20], "The dissimilarities are those of 20 objects, but Y has 30 points"),
        (TABLE[:, :20], r"must be square, with one row and one column for each point: its shape is \(30, 20\)"),
        (TABLE[0], r"must be square, with one row and one column for each point|has the shape \(30,\)"),
        (np.where(TABLE == TABLE[0, 1], np.nan, TABLE), "contains NaN: 4 entries, the first in row 0, column 1"),
        (np.ma.masked_array(TABLE, TABLE == TABLE[0, 1]), "contains NaN: 4 entries, the first in row 0, column 1"),
        (np.triu(TABLE), "not symmetric"),
        (-TABLE, "Negative values in data"),
        (TABLE + 1, "The dissimilarity of object 0 with itself is 1"),
    ],
)
def test_dissimilarities_of_other_points_or_of_none_are_refused(measure, table, message):
    with pytest.raises(ValueError, match=message):
        measure(table, MAP)


CONSTANT = np.column_stack([MAP[:, 0], np.full(30, 7)])


@pytest.mark.parametrize(
    "name, tables, message",
    [
        ("procrustes_error", (MAP, MAP[[0] * 30]), "All points of truth coincide, so that the measure is not defined"),
        ("congruence_error", (MAP, MAP[[0] * 30]), "All points of truth coincide, so that the measure is not defined"),
        ("recovery", (MAP, CONSTANT), "Column 1 of truth is constant, so that the measure is not defined"),
        ("axis_correlations", (MAP, CONSTANT), "Column 1 of truth is constant"),
        ("axis_correlations", (CONSTANT, MAP), "Column 1 of Y is constant"),
    ],
)
def test_what_does_not_vary_is_refused_where_the_measure_is_not_defined(name, tables, message):
    with pytest.raises(ValueError, match=message):
        OF_MAPS[name](*tables)


def test_a_map_of_one_place_explains_nothing():
    one_place = np.full((30, 2), 0.1)
    assert metrics.procrustes_error(one_place, TRUTH) == metrics.congruence_error(one_place, TRUTH) == 1
    np.testing.assert_allclose(metrics.recovery(one_place, TRUTH), 0, atol=1e-12)


def test_a_single_coordinate_may_be_a_series(square):
    first = pandas.Series(square[:, 0], index=range(5, 85))
    assert metrics.recovery(square, first) == pytest.approx(1)
    assert metrics.axis_correlations(first, first)[0, 0] == pytest.approx(1)
    assert metrics.procrustes_error(first, square[:, :1]) < 1e-12
    np.testing.assert_array_equal(metrics.aligned_signs(-first, first), first)
    assert metrics.continuity(first, square[:, 0]) == 1


@pytest.mark.parametrize("measure", [metrics.continuity, trustworthiness])
@pytest.mark.parametrize(
    "n_neighbors, message",
    [
        (40, "must be below half the number of points, which is 80"),
        (0, "must be a positive integer"),
        (2.5, "must be a positive integer"),
    ],
)
def test_neighborhoods_of_half_the_points_are_refused(square, measure, n_neighbors, message):
    with pytest.raises(ValueError, match=message):
        measure(square, square, n_neighbors)


# --- Correlations, and the scoreboard


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


@pytest.mark.parametrize("unit", [1e-200, 1e200])
@pytest.mark.parametrize("measure", [metrics.procrustes_error, metrics.recovery, metrics.trustworthiness])
def test_numbers_whose_squares_leave_the_range_are_refused(measure, unit):
    X = np.random.default_rng(0).standard_normal((30, 2))
    for pair in ((X, unit * X), (unit * X, X)):
        with pytest.raises(ValueError, match="squares leave the range of numbers: give them in another unit"):
            measure(*pair)
