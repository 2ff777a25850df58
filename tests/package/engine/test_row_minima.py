"""Claims about dimred_lessons.engine.row_minima."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dimred_lessons.engine.row_minima import entries_up_to, in_equal_rows, smallest_entries

TABLES = arrays(
    st.sampled_from([np.float32, np.float64]),
    st.tuples(st.integers(1, 6), st.integers(1, 40)),
    elements=st.integers(0, 9).map(float),
)


@settings(max_examples=80, deadline=None)
@given(TABLES, st.integers(1, 40), st.integers(0, 2))
def test_the_smallest_entries_and_all_that_equal_them_are_found(values, count, slack):
    count = min(count, values.shape[1])
    found = np.zeros(values.shape, bool)
    found[smallest_entries(values, count, slack)] = True
    assert found[values <= np.sort(values, axis=1)[:, count - 1 : count] + slack].all()


def test_hardly_more_entries_than_needed_are_found_in_a_large_table():
    rows, _ = smallest_entries(np.random.default_rng(0).random((50, 5000)), 10)
    assert len(rows) < 1.2 * 50 * 10


def test_a_limit_is_never_rounded_down():
    values = np.array([[0.1, 0.2]], dtype=np.float32)
    assert len(entries_up_to(values, np.array([[np.float64(values[0, 1])]]))[0]) == 2
    assert len(entries_up_to(values, np.array([[1e300]]))[0]) == 2


def test_rows_are_filled_up_with_infinite_lengths():
    columns, lengths = in_equal_rows(3, np.array([0, 0, 2]), np.array([4, 7, 1]), np.array([1.0, 2, 3]))
    np.testing.assert_array_equal(lengths, [[1, 2], [np.inf, np.inf], [3, np.inf]])
    np.testing.assert_array_equal(columns[[0, 0, 2], [0, 1, 0]], [4, 7, 1])


def test_hardly_more_entries_than_needed_are_found_where_small_ones_are_side_by_side():
    values = np.abs(np.arange(5000.0) - np.arange(0, 5000, 100)[:, np.newaxis])
    rows, _ = smallest_entries(values, 10)
    assert len(rows) < 1.2 * 50 * 10
