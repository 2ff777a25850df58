"""What holds for every method: scikit-learn's contract, agreement with it, new points, laws, bad input.

No method is named here: those that are have a test in test_contract_by_name.py.
"""

import pickle
import re

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dimred_lessons import memory
from support.cases import CASES, CHECKED, DEFAULTS, FEW, GRAPH_METHODS, ROLL, each, each_method
from support.comparisons import assert_equal_up_to_signs
from support.peers import DATA, data, results_of_checks

every_method = each(DEFAULTS)
every_variant = each(CASES)


# --- The contract of scikit-learn


@each_method(CHECKED)
def test_all_checks_of_scikit_learn_pass(method):
    results = results_of_checks(method)
    assert [result["check_name"] for result in results if result["status"] in ("failed", "xfail")] == []
    assert sum(result["status"] == "passed" for result in results) >= 40 + hasattr(method, "transform")


@each_method(case.method for case in GRAPH_METHODS)
def test_by_default_exactly_the_checks_on_separated_blobs_fail_and_with_our_message(method):
    failed = [result for result in results_of_checks(method) if result["status"] == "failed"]
    iterative = {"check_transformer_n_iter"} if hasattr(method, "max_iter") else set()
    assert {result["check_name"] for result in failed} == iterative | {
        "check_estimators_pickle",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    }
    for result in failed:
        message = f"{result['exception']} {result['exception'].__cause__}"
        assert "splits into" in message and 'join them with disconnected="bridge"' in message


@every_method
def test_it_works_in_pipelines_names_its_columns_and_survives_cloning_and_pickling(case):
    X = case.points
    three = {"n_components": case.most} if "n_components" in case.method.get_params() else {}
    pipeline = make_pipeline(StandardScaler(), clone(case.method).set_params(**three)).fit(X)
    name, (_, d) = type(case.method).__name__.lower(), pipeline[-1].embedding_.shape
    np.testing.assert_array_equal(pipeline.get_feature_names_out(), [f"{name}{i}" for i in range(d)])
    for copy in (clone(pipeline).fit(X), pickle.loads(pickle.dumps(pipeline))):
        np.testing.assert_array_equal(copy[-1].embedding_, pipeline[-1].embedding_)
        np.testing.assert_array_equal(copy.transform(X[:5] + 0.1), pipeline.transform(X[:5] + 0.1))
    assert pipeline[-1].n_features_in_ == 3


@every_method
def test_data_frames_come_out_where_they_are_asked_for(case):
    X = case.points
    frame = clone(case.method).set_output(transform="pandas").fit_transform(X)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame) == list(clone(case.method).fit(X).get_feature_names_out())


@every_variant
def test_any_type_and_memory_order_gives_the_same_and_input_is_neither_changed_nor_kept(case):
    X = case.as_input(case.points).astype(np.float32)
    expected = clone(case.method).fit(X.astype(np.float64)).embedding_
    np.testing.assert_array_equal(clone(case.method).fit(X).embedding_, expected)
    column_major = np.asfortranarray(X.astype(np.float64))
    column_major.setflags(write=False)
    fitted = clone(case.method).fit(column_major)
    assert_equal_up_to_signs(fitted.embedding_, expected)
    np.testing.assert_array_equal(column_major, X)
    new = case.as_input(case.points[:4] + 0.1)
    placed = fitted.transform(new)
    column_major.setflags(write=True)
    column_major[:] = 0
    np.testing.assert_array_equal(fitted.transform(new), placed)


@every_variant
def test_a_second_fit_forgets_the_first(case):
    X = case.points
    half = X[: len(X) // 2] / 2
    twice = clone(case.method).fit(case.as_input(half, half)).fit(case.as_input(X))
    np.testing.assert_array_equal(twice.embedding_, case.fit().embedding_)


# --- Agreement with scikit-learn


@pytest.mark.parametrize("name", DATA)
@each(case for case in CASES if case.peer)
def test_it_agrees_with_scikit_learn_on_training_and_on_new_points(case, name):
    train, new = data(name)[:-20], data(name)[-20:]
    ours = clone(case.method).set_params(n_components=case.peer_components).fit(train)
    peer = case.peer(ours)
    mine, theirs = ours.embedding_, peer.fit_transform(train)
    if hasattr(peer, "transform"):
        mine, theirs = np.vstack([mine, ours.transform(new)]), np.vstack([theirs, peer.transform(new)])
    if case.peer_of_unit_length:
        mine = mine / np.sqrt(len(train))
    assert_equal_up_to_signs(mine, theirs)


# --- New points, and laws


@every_variant
def test_a_training_point_is_placed_where_it_was_embedded_and_another_is_not(case):
    X, fitted = case.points, case.fit()
    Y = fitted.embedding_
    tolerance = 1e-6 * np.abs(Y).max()
    np.testing.assert_allclose(fitted.transform(case.as_input(X)), Y, rtol=0, atol=tolerance)
    np.testing.assert_allclose(fitted.transform(case.as_input(X[7:9])), Y[7:9], rtol=0, atol=tolerance)
    # Where places jump from node to node, a small step may lead nowhere: go to the farthest point, with a small step
    other = X[7:9] if case.smooth else X[np.argmax(cdist(X[7:9], X), axis=1)]
    moved = fitted.transform(case.as_input(other + 0.1))
    assert np.abs(moved - Y[7:9]).max() > 100 * tolerance


@every_variant
def test_new_points_of_the_manifold_land_near_their_neighbors(case):
    old, new = np.split(case.points, [5 * len(case.points) // 6])
    fitted = clone(case.method).fit(case.as_input(old, old))
    nearest = fitted.embedding_[np.argmin(cdist(new, old), axis=1)]
    errors = np.abs(fitted.transform(case.as_input(new, old)) - nearest) / fitted.embedding_.std(axis=0)
    assert np.median(errors) < 0.15


@each(case for case in CASES if case.power is not None)
@given(n=st.integers(60, 90), unit=st.floats(1e-2, 1e2), shift=st.floats(-10, 10), seed=st.integers(0, 1000))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_rotation_shift_order_and_unit_change_nothing_but_the_scale(case, n, unit, shift, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3)) * [5, 3, 1]
    if case.bent:
        X = X * [1, 0.1, 0.1] + np.outer(X[:, 0] ** 2, [0, 0.1, 0])
    Q, order = np.linalg.qr(rng.standard_normal((3, 3)))[0], rng.permutation(n)
    moved = unit * (X @ Q + shift * case.shift)[order]
    expected = unit**case.power * clone(case.method).fit(case.as_input(X, X)).embedding_[order]
    assert_equal_up_to_signs(clone(case.method).fit(case.as_input(moved, moved)).embedding_, expected)


@each(case for case in CASES if case.nested)
def test_first_axes_do_not_depend_on_how_many_are_asked_for(case):
    three = clone(case.method).set_params(n_components=3).fit(case.as_input(case.points))
    assert_equal_up_to_signs(three.embedding_[:, :2], case.fit().embedding_)


@every_method
def test_duplicates_are_harmless(case):
    X = case.points
    n = len(X) // 2
    X, fitted = np.vstack([X[:n], X[:40]]), clone(case.method)
    fitted = (fitted.set_params(n_neighbors=12) if hasattr(case.method, "n_neighbors") else fitted).fit(X)
    Y = fitted.embedding_
    assert np.isfinite(Y).all() and np.isfinite(fitted.transform(X)).all()
    assert np.abs(Y[:40] - Y[n:]).max() < 0.05 * np.abs(Y).max()


# --- Bad input


@each(DEFAULTS)
@pytest.mark.parametrize(
    "X, message",
    [
        (np.where(FEW[0, 0] == FEW, np.inf, FEW), "Input X contains infinity"),
        (FEW * 1j, "Complex data not supported"),
        (np.array([["a", "b"]] * 20), r'Column 0 of X holds text \("a" in row 0\)'),
        (np.empty((0, 3)), r"Found array with 0 sample\(s\)"),
        (FEW[:1], r"Found array with 1 sample\(s\)"),
        (FEW[0], "Expected 2D array, got 1D array instead"),
        (np.full((20, 3), 0.1), r"All 20 points coincide|n_components=\w+ is above the 0 that these data"),
    ],
)
def test_bad_points_are_refused_with_a_sentence(case, X, message):
    with pytest.raises(ValueError, match=message):
        clone(case.method).fit(X)


@every_method
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:divide by zero", "ignore:underflow")
@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e200, 1e307])
def test_numbers_whose_squares_leave_the_range_are_embedded_or_refused_for_this_reason(case, unit):
    embedding, refusal = None, ""
    try:
        embedding = clone(case.method).fit(unit * (FEW / np.abs(FEW).max())).embedding_
    except ValueError as refused:
        refusal = str(refused)
    if embedding is None:
        assert re.match("The numbers of X spread over .* squares leave the range", refusal)
    else:
        assert np.isfinite(embedding).all()


@every_method
def test_columns_of_the_same_name_are_refused(case):
    with pytest.raises(ValueError, match='^X has 2 columns with the name "age": rename them.$'):
        clone(case.method).fit(pandas.DataFrame(FEW, columns=["age", "age", "height"]))


MISSING = np.where(FEW[0, 0] == FEW, np.nan, FEW)


@each(case for case in DEFAULTS if not case.allows_missing)
def test_missing_entries_are_refused_with_a_sentence(case):
    with pytest.raises(ValueError, match="Input X contains NaN"):
        clone(case.method).fit(MISSING)


@each(case for case in DEFAULTS if case.allows_missing)
def test_missing_entries_are_taken_where_a_method_says_so(case):
    assert np.isfinite(clone(case.method).fit(MISSING).embedding_).all()


@each(case for case in DEFAULTS if "n_components" in case.method.get_params())
@pytest.mark.parametrize(
    "n_components, message",
    [
        (0, "n_components=0 must be a positive integer, or None for"),
        (1.5, "n_components=1.5 must be a positive integer"),
        (True, "n_components=True must be a positive integer"),
        ("two", "n_components='two' must be a positive integer"),
        (121, r"n_components=121 (is above the \d+ that|must be below the number)"),
    ],
)
def test_a_number_of_components_that_cannot_be_is_refused_with_a_sentence(case, n_components, message):
    with pytest.raises(ValueError, match=message):
        clone(case.method).set_params(n_components=n_components).fit(FEW)


HOLE = np.zeros(FEW.shape, dtype=bool)
HOLE[4, 1] = HOLE[7, 2] = True
NAMES = ["length", "age", "height"]


def frame(X=FEW, **columns):
    return pandas.DataFrame(X, columns=NAMES).astype(float).assign(**columns)


@pytest.mark.filterwarnings("ignore:EM has not converged")
@every_method
@pytest.mark.parametrize(
    "table, place",
    [
        (np.where(HOLE, np.nan, FEW), "column 1"),
        (np.ma.masked_array(np.where(HOLE, -9999.0, FEW), HOLE), "column 1"),
        (np.where(HOLE, None, FEW.astype(object)).tolist(), "column 1"),
        (frame(np.where(HOLE, np.nan, FEW)), 'column "age"'),
        (frame(np.where(HOLE, np.nan, FEW)).astype("Float64"), 'column "age"'),
    ],
    ids=["NaN", "masked", "None", "frame", "NA"],
)
def test_an_entry_is_missing_whatever_stands_for_it(case, table, place):
    if case.allows_missing:
        X = np.where(HOLE, np.nan, FEW)
        expected, found = clone(case.method).fit(X), clone(case.method).fit(table)
        tolerance = 1e-5 * np.abs(expected.embedding_).max()  # the order in memory differs, and EM ends within tol
        np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=tolerance)
        np.testing.assert_allclose(found.transform(table), expected.transform(X), atol=tolerance)
        return
    with pytest.raises(
        ValueError, match=f"Input X contains NaN: 2 entries, the first in row 4, {place}; leave"
    ) as refused:
        clone(case.method).fit(table)
    assert "\n" not in str(refused.value)


TAKERS = {type(case.method).__name__ for case in DEFAULTS if case.allows_missing}


@each(case for case in DEFAULTS if not case.allows_missing)
def test_who_cannot_take_missing_entries_names_all_methods_that_can(case):
    with pytest.raises(ValueError, match="or use .*, which take missing entries") as refused:
        clone(case.method).fit(np.where(HOLE, np.nan, FEW))
    named = str(refused.value).partition("or use ")[2].partition(", which")[0]
    assert set(named.replace(" or ", ", ").split(", ")) == TAKERS


@pytest.mark.filterwarnings("ignore:EM has not converged")
@every_method
@pytest.mark.parametrize(
    "new, message",
    [
        (frame(np.where(HOLE, np.nan, FEW)), 'contains NaN: 2 entries, the first in row 4, column "age"'),
        (frame(np.where(HOLE, np.inf, FEW)), 'contains infinity: 2 entries, the first in row 4, column "age"'),
        (frame(age="old"), 'Column "age" of X holds text'),
    ],
    ids=["NaN", "infinity", "text"],
)
def test_new_points_that_are_no_finite_numbers_are_refused_by_row_and_column(case, new, message):
    fitted = clone(case.method).fit(frame(case.points))
    if case.allows_missing and "NaN" in message:
        assert np.isfinite(fitted.transform(new)).all()
        return
    with pytest.raises(ValueError, match=message):
        fitted.transform(new)


@every_method
@pytest.mark.parametrize(
    "table, sentence",
    [
        (frame(species="Adelie"), 'Column "species" of X holds text ("Adelie" in row 0): leave it out, or encode it'),
        (frame(age="5"), 'Column "age" of X holds text ("5" in row 0)'),
        (frame(age=pandas.Categorical(["a"] * 120)), 'Column "age" of X holds text ("a" in row 0)'),
        (frame(day=pandas.Timestamp("2020-01-02")), 'Column "day" of X holds dates (2020-01-02 00:00:00 in row 0)'),
        (frame()[[]].assign(day=pandas.Timestamp("2020-01-02")), 'Column "day" of X holds dates'),
        (frame(wait=pandas.Timedelta("1min")), 'Column "wait" of X holds durations (0 days 00:01:00 in row 0)'),
        (frame(wait=1j), 'Column "wait" of X holds complex numbers (1j in row 0)'),
        (np.full((20, 2), b"a"), "Column 0 of X holds bytes"),
        (np.full((20, 2), "2020-01-01", dtype="datetime64[D]"), "Column 0 of X holds dates (2020-01-01 in row 0)"),
        (np.full((20, 2), 5, dtype="timedelta64[s]"), "Column 0 of X holds durations (5 seconds in row 0)"),
    ],
)
def test_what_is_no_number_is_refused_by_the_name_of_its_column(case, table, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        clone(case.method).fit(table)


@every_method
def test_numbers_of_a_data_frame_are_those_of_an_array(case):
    X = np.asfortranarray(case.points)
    expected = clone(case.method).fit(X).embedding_
    for table in (frame(X), frame(X).astype("Float64"), frame(X).astype(object)):
        assert_equal_up_to_signs(clone(case.method).fit(table).embedding_, expected)


@every_method
def test_new_points_of_a_different_width_are_refused(case):
    with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 3 features"):
        clone(case.method).fit(case.points).transform(ROLL[:, :2])


@every_variant
def test_only_methods_that_form_square_matrices_refuse_what_does_not_fit_into_memory(case, monkeypatch):
    X, n = case.as_input(case.points), len(case.points)
    monkeypatch.setattr(memory, "physical_memory", lambda: 6 * n**2)  # n² numbers take 8 n² bytes
    if not case.square:
        clone(case.method).fit(X)
        return
    with pytest.raises(ValueError, match=rf"matrices of {n} × {n} numbers need .*: fit fewer points") as refusal:
        clone(case.method).fit(X)
    # The way out that the sentence names is one that this method has
    assert "transform" in str(refusal.value)
    free = "n_landmarks" in case.method.get_params() and case.method.n_landmarks is None
    assert ("n_landmarks" in str(refusal.value)) == free
