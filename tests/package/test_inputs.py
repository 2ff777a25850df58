"""What comes in: every kind of table gives its numbers, and what is no number is named in one sentence."""

import datetime
import decimal
import fractions
import re

import numpy as np
import pandas
import pytest
from scipy import sparse

from dimred_lessons import (
    PCA,
    ClassicalMDS,
    KernelPCA,
    StressMDS,
    eigenpairs,
    gaussians,
    geodesics,
    graphs,
    kernels,
    laplacians,
    local_distances,
    neighbors,
    reconstruction,
    tangents,
)
from dimred_lessons import distances as distances_
from dimred_lessons.inputs import as_numbers, as_pair, as_table
from dimred_lessons.iterative import affinities

NAN = np.nan
DAY = pandas.Timestamp("2020-01-02")
HIDDEN = np.array([[False, True], [False, False]])


def frame(**columns):
    return pandas.DataFrame(columns)


@pytest.mark.parametrize(
    "table, numbers",
    [
        (np.array([[1, 2]], dtype=np.uint8), [[1, 2]]),
        (np.array([[True, False]]), [[1, 0]]),
        ([[1, None], [True, 2.5]], [[1, NAN], [1, 2.5]]),
        (np.ma.masked_array([[1, 7], [3, 4]], HIDDEN), [[1, NAN], [3, 4]]),
        (np.ma.masked_array([[1, 7], [3, 4]]), [[1, 7], [3, 4]]),
        (np.ma.masked_array([[1, 7], [3, 4]], HIDDEN, dtype=np.float32), [[1, NAN], [3, 4]]),
        (np.ma.masked_array(np.array([[1, "?"], [3, 4]], dtype=object), HIDDEN), [[1, NAN], [3, 4]]),
        ([np.ma.masked_array([1, 7], [False, True]), np.ma.masked_array([3, 4])], [[1, NAN], [3, 4]]),
        (np.array([[decimal.Decimal("1.5"), fractions.Fraction(1, 4)]], dtype=object), [[1.5, 0.25]]),
        (np.array([[1, pandas.NA], [np.float32(2), None]], dtype=object), [[1, NAN], [2, NAN]]),
        (frame(a=[1, 2], b=[0.5, NAN]), [[1, 0.5], [2, NAN]]),
        (frame(a=pandas.array([1, None], dtype="Int64"), b=[1.0, 2.0]), [[1, 1], [NAN, 2]]),
        (frame(a=pandas.array([1.5, None], dtype="Float64"), b=[True, False]), [[1.5, 1], [NAN, 0]]),
        (frame(a=pandas.array([True, None], dtype="boolean"), b=[1, 2]), [[1, 1], [NAN, 2]]),
        (frame(a=pandas.Categorical([3, None]), b=[1, 2]), [[3, 1], [NAN, 2]]),
        (frame(a=pandas.arrays.SparseArray([1.0, NAN]), b=[1, 2]), [[1, 1], [NAN, 2]]),
        (frame(a=pandas.arrays.SparseArray([1, 0]), b=[1, 2]), [[1, 1], [0, 2]]),
        (frame(a=[1, None], b=[decimal.Decimal(2), 3]).astype(object), [[1, 2], [NAN, 3]]),
        (pandas.Series([1, None]), [1, NAN]),
        (pandas.Series([1, None], dtype="Int64"), [1, NAN]),
        (3, 3),
    ],
)
def test_every_kind_of_table_gives_its_numbers(table, numbers):
    found = as_numbers(table)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, numbers)


def test_an_array_of_double_precision_is_not_copied():
    X = np.ones((3, 2))
    assert as_numbers(X) is X and as_table(X) is X


def test_a_frame_that_stores_no_zeros_is_sparse():
    numbers = as_numbers(
        frame(a=pandas.arrays.SparseArray([0, 1]), b=pandas.arrays.SparseArray([2.0, 0.0], fill_value=0))
    )
    assert sparse.issparse(numbers)
    np.testing.assert_array_equal(numbers.toarray(), [[0, 2], [1, 0]])


@pytest.mark.parametrize(
    "table, sentence",
    [
        (frame(a=[1, 2], species=[None, "Adelie"]), 'Column "species" of X holds text ("Adelie" in row 1): leave'),
        (frame(a=pandas.Categorical(["x", "y"])), 'Column "a" of X holds text ("x" in row 0): leave it out'),
        (frame(a=pandas.array([None, "5"], dtype="string")), 'Column "a" of X holds text ("5" in row 1)'),
        (np.array([["1", "2"]]), 'Column 0 of X holds text ("1" in row 0)'),
        ([[1, 2], [1, "5"]], 'Column 1 of X holds text ("5" in row 1)'),
        (np.array([[1, b"5"]], dtype=object), "Column 1 of X holds bytes (b'5' in row 0)"),
        (np.array([[b"5"]]), "Column 0 of X holds bytes"),
        (
            frame(a=[1], day=[DAY]),
            'Column "day" of X holds dates (2020-01-02 00:00:00 in row 0): give numbers, such as days',
        ),
        (frame(day=[DAY], other=[DAY]), 'Column "day" of X holds dates'),
        (frame(day=[DAY.tz_localize("UTC")]), 'Column "day" of X holds dates'),
        (frame(day=pandas.period_range("2020", periods=2, freq="M")), 'Column "day" of X holds dates'),
        (np.array([["2020-01-01"]], dtype="datetime64[ns]"), "Column 0 of X holds dates"),
        ([[1, datetime.date(2020, 1, 2)]], "Column 1 of X holds dates (2020-01-02 in row 0)"),
        ([[1, pandas.NaT]], "Column 1 of X holds dates (NaT in row 0)"),
        (
            frame(a=[1], wait=[pandas.Timedelta("1min")]),
            'Column "wait" of X holds durations (0 days 00:01:00 in row 0)',
        ),
        (frame(wait=[pandas.NaT, pandas.Timedelta("1min")]), 'Column "wait" of X holds durations'),
        (np.array([[1, 2]], dtype="timedelta64[ns]"), "Column 0 of X holds durations"),
        ([[1, np.timedelta64(3, "s")]], "Column 1 of X holds durations"),
        (np.array([[1j]]), "Column 0 of X holds complex numbers (1j in row 0)"),
        ([[1, 2], [1, 2j]], "Column 1 of X holds complex numbers (2j in row 1)"),
        (pandas.DataFrame([[1, "a"]], columns=[7, 8]), 'Column 8 of X holds text ("a" in row 0)'),
        ([[1, 2], [3]], "X is no table of numbers: its rows have different lengths."),
        ([[10**400]], "X holds an integer that is too large for float64"),
        (pandas.Series(["a"]), 'Column 0 of X holds text ("a" in row 0)'),
    ],
)
def test_what_is_no_number_is_refused_by_the_name_of_its_column(table, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence)) as refused:
        as_numbers(table)
    assert str(refused.value).endswith(".") and "\n" not in str(refused.value)


def test_an_object_of_another_kind_is_refused_by_its_type():
    with pytest.raises(TypeError, match=r"^Column 1 of X holds an object of type dict \({'a': 1} in row 0\)"):
        as_numbers(np.array([[1, {"a": 1}]], dtype=object))


@pytest.mark.parametrize(
    "table, sentence",
    [
        (frame(a=[1, 2], age=[3, None]), 'Input X contains NaN: 1 entry, in row 1, column "age"; leave such rows out'),
        (np.array([[1, 2], [NAN, NAN]]), "Input X contains NaN: 2 entries, the first in row 1, column 0;"),
        (np.ma.masked_array([[1, 7], [3, 4]], HIDDEN), "Input X contains NaN: 1 entry, in row 0, column 1;"),
        (np.array([[1, -np.inf], [np.inf, 2]]), "Input X contains infinity: 2 entries, the first in row 0, column 1;"),
        ([1, 2], r"X has the shape (2,): give a table with a row for each point."),
        (np.empty((0, 3)), r"X has the shape (0, 3): give a table with a row for each point."),
        (np.ones((2, 2, 2)), r"X has the shape (2, 2, 2): give a table with a row for each point."),
    ],
)
def test_a_table_that_is_not_complete_is_refused_by_row_and_column(table, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        as_table(table)


def test_infinity_is_refused_where_entries_may_be_missing():
    np.testing.assert_array_equal(as_table([[1, None]], missing=True), [[1, NAN]])
    with pytest.raises(ValueError, match="contains infinity: 1 entry, in row 0, column 0"):
        as_table([[np.inf, None]], missing=True)


def test_large_finite_numbers_are_not_taken_for_infinite_ones():
    np.testing.assert_array_equal(as_table([[1e308, 1e308]]), [[1e308, 1e308]])


def test_a_sparse_matrix_is_refused_where_every_entry_is_needed():
    with pytest.raises(TypeError, match=r"X is sparse, but every entry is needed: give X.toarray\(\)"):
        as_table(sparse.eye_array(2))


def test_two_sets_of_points_lie_in_one_space():
    with pytest.raises(ValueError, match="X has 3 columns, but Z has 2: give points of the same space"):
        as_pair(np.ones((4, 3)), np.ones((4, 2)))


# --- The ingredients: functions of points that are given arrays directly

POINTS = np.random.default_rng(0).integers(0, 200, (40, 3))
SQUARED = np.square(distances_.squared_distances(POINTS[:, :1]) ** 0.25)
PAIRS = np.arange(5), np.arange(5) + 3
LISTS = neighbors.neighbor_lists(POINTS, 8)
NEIGHBORS = LISTS.indices.reshape(40, 8)
OF_POINTS = [
    kernels.linear_kernel,
    kernels.polynomial_kernel,
    lambda X: kernels.gaussian_kernel(X, X, 50.0),
    lambda X: kernels.kernel_matrix(X, kernel=lambda a, b: a @ b.T),
    distances_.squared_distances,
    distances_.median_distance,
    lambda X: distances_.squared_distances_by(X, "cosine"),
    lambda X: distances_.as_points(X, "cosine"),
    lambda X: distances_.pair_distances(X, X, *PAIRS),
    lambda X: neighbors.neighbor_lists(X, 4, queries=X),
    lambda X: graphs.neighborhood_graph(X, 8, disconnected="bridge"),
    lambda X: graphs.radius_graph(X, 60.0),
    lambda X: local_distances.constrained_pairs(X, LISTS)[1],
    lambda X: local_distances.merge_copies(X)[0],
    lambda X: local_distances.local_distances(X, 8, disconnected="bridge").pairs,
    lambda X: reconstruction.reconstruction_weights(X, NEIGHBORS),
    lambda X: tangents.tangent_coordinates(X, NEIGHBORS, 2),
    lambda X: eigenpairs.center_points(X)[0],
    lambda X: eigenpairs.thin_svd(X)[1],
    lambda X: eigenpairs.centered_svd(X, 2).singular_values,
    lambda X: gaussians.covariance_root(X),
]


def values(result):
    return result.toarray() if sparse.issparse(result) else result


@pytest.mark.parametrize("function", OF_POINTS)
def test_an_ingredient_takes_every_kind_of_table_and_no_integer_overflows(function):
    expected = values(function(POINTS.astype(float)))
    for kind in (np.uint8, np.int16, object):
        np.testing.assert_array_equal(values(function(POINTS.astype(kind))), expected)
    labeled = pandas.DataFrame(POINTS, index=range(50, 90), columns=["a", "b", "c"])
    for table in (labeled, labeled.convert_dtypes(), POINTS.tolist(), np.ma.masked_array(POINTS)):
        np.testing.assert_allclose(values(function(table)), expected, rtol=1e-9)  # their order in memory differs


@pytest.mark.parametrize("function", OF_POINTS)
def test_an_ingredient_refuses_what_is_missing_or_no_number(function):
    X = POINTS.astype(float)
    hidden = np.ma.masked_array(X, np.eye(40, 3, dtype=bool) & (np.arange(40)[:, np.newaxis] == 0))
    with pytest.raises(ValueError, match="Input X contains NaN: 1 entry, in row 0, column 0"):
        function(hidden)
    with pytest.raises(ValueError, match='Column "b" of X holds text'):
        function(pandas.DataFrame(X, columns=["a", "b", "c"]).astype({"b": str}))


@pytest.mark.parametrize(
    "function",
    [
        kernels.center_kernel,
        kernels.kernel_from_squared_distances,
        kernels.squared_distances_from_kernel,
        kernels.negative_mass,
        distances_.check_dissimilarities,
        lambda D: eigenpairs.top_eigenpairs(D, 2)[0],
        lambda D: affinities.conditional_probabilities(D, 5.0),
        lambda D: affinities.fuzzy_memberships(D, 5),
    ],
)
def test_a_matrix_of_pairs_may_be_of_integers_and_may_not_miss_an_entry(function):
    D = np.abs(np.subtract.outer(np.arange(20), np.arange(20))) ** 2 // 3
    expected = function(D.astype(float))
    for table in (D.astype(np.uint8), pandas.DataFrame(D), D.tolist()):
        np.testing.assert_array_equal(function(table), expected)
    holed = D.astype(float)
    holed[3, 4] = holed[4, 3] = NAN
    with pytest.raises(ValueError, match="NaN"):
        function(holed)


def test_a_kernel_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match=r"square, with a row and a column for each point: its shape is \(3, 2\)"):
        kernels.center_kernel(np.ones((3, 2)))


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float32, bool])
def test_a_graph_may_be_of_any_type_and_format(kind):
    ring = sparse.coo_array((np.ones(40, dtype=kind), (np.arange(40), np.roll(np.arange(40), 1))), shape=(40, 40))
    lengths = graphs.symmetrize(ring)
    assert lengths.dtype == np.float64 and lengths.format == "csr"
    laplacian, degrees = laplacians.graph_laplacian(lengths.astype(kind))
    np.testing.assert_array_equal(degrees, 2)
    np.testing.assert_array_equal(laplacian.toarray(), 2 * np.eye(40) - lengths.toarray())
    np.testing.assert_array_equal(
        geodesics.geodesic_distances(lengths.astype(kind))[0], np.minimum(*[np.arange(40), 40 - np.arange(40)])
    )


@pytest.mark.parametrize(
    "graph, message",
    [
        (np.ones((3, 3)), "give a sparse array, whose entries are the edges"),
        (sparse.csr_array([[0, NAN], [1, 0]]), "Input graph contains NaN: 1 entry, in row 0, column 1"),
        (
            sparse.csr_array([[0, -1.0], [1, 0]]),
            "The graph has an edge of -1: lengths and weights must not be negative",
        ),
    ],
)
@pytest.mark.parametrize("function", [graphs.symmetrize, laplacians.graph_laplacian, geodesics.geodesic_distances])
def test_what_is_no_graph_is_refused(function, graph, message):
    with pytest.raises((TypeError, ValueError), match=message):
        function(graph)


def test_neighbors_are_sought_among_points_of_the_same_space():
    with pytest.raises(ValueError, match="X has 3 columns, but queries has 2"):
        neighbors.neighbor_lists(POINTS, 3, queries=POINTS[:, :2])
    with pytest.raises(ValueError, match="radius must be a positive number, or 40 numbers"):
        neighbors.neighbor_lists(POINTS, radius=np.full(40, NAN))


# --- Parameters that are tables


@pytest.mark.parametrize("parameter", ["init", "weights"])
def test_a_table_among_the_parameters_is_checked_as_the_points_are(parameter):
    n = 20
    table = POINTS[:n, :2] if parameter == "init" else 1 + np.add.outer(POINTS[:n, 0], POINTS[:n, 0])
    given = {"max_iter": 5, "tol": 1.0}
    expected = StressMDS(**given, **{parameter: table.astype(float)}).fit(POINTS[:n]).embedding_
    found = StressMDS(**given, **{parameter: pandas.DataFrame(table)}).fit(POINTS[:n]).embedding_
    np.testing.assert_allclose(found, expected)
    hidden = np.ma.masked_array(table, table == table[0, 0])
    with pytest.raises(ValueError, match=f"Input {parameter} contains NaN: .* row 0, column 0"):
        StressMDS(**given, **{parameter: hidden}).fit(POINTS[:n])


# --- Methods that take distances or a kernel


def test_a_masked_dissimilarity_is_missing():
    D = np.sqrt(distances_.squared_distances(POINTS[:20, :2]))
    mask = np.zeros(D.shape, dtype=bool)
    mask[2, 5] = mask[5, 2] = mask[7, 11] = True
    wrong = np.ma.masked_array(np.where(mask, 1e6, D), mask)
    found = StressMDS(metric="precomputed").fit(wrong)
    np.testing.assert_array_equal(found.embedding_, StressMDS(metric="precomputed").fit(wrong.filled(NAN)).embedding_)
    assert found.stress_ < 1e-8


def test_the_advice_on_what_is_missing_suits_the_input():
    K = POINTS[:, :1] * POINTS[:, 0].astype(float)
    K[0, 1] = K[1, 0] = NAN
    with pytest.raises(ValueError, match="2 entries, the first in row 0, column 1; compute the kernel of points that"):
        KernelPCA(kernel="precomputed").fit(K)
    with pytest.raises(
        ValueError, match="or use EMPCA, FactorAnalysis or ProbabilisticPCA, which take missing entries"
    ):
        PCA(1).fit(K)
    with pytest.raises(ValueError, match="or use StressMDS, which takes missing dissimilarities"):
        ClassicalMDS(metric="precomputed").fit(K)
