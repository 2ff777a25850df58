"""Rows grouped by their holes, and matrices from half of their entries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dimred_lessons.engine.choice import one_thread_suits
from dimred_lessons.engine.holes import group_rows, row_products, symmetric_matrices


@given(seen=arrays(bool, st.tuples(st.integers(1, 30), st.integers(1, 20))))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_every_row_has_its_pattern_and_every_pattern_its_rows(seen):
    holes = group_rows(seen)
    np.testing.assert_array_equal(holes.patterns[holes.which], seen)
    np.testing.assert_array_equal(holes.seen, seen)
    np.testing.assert_array_equal(holes.sizes, np.bincount(holes.which))
    assert len(np.unique(seen, axis=0)) == len(holes.patterns)


@pytest.mark.parametrize("m, d", [(1, 1), (4, 1), (5, 3), (2, 6)])
def test_half_of_the_outer_products_gives_all_of_them(m, d):
    A = np.random.default_rng(0).standard_normal((m, d))
    scales = np.arange(1.0, m + 1)[:, np.newaxis]
    whole = np.einsum("mi,mj->mij", scales * A, A)
    np.testing.assert_array_equal(
        symmetric_matrices(row_products(scales * A, A), d), np.triu(whole) + np.triu(whole, 1).transpose(0, 2, 1)
    )


def test_a_step_of_em_over_up_to_a_million_entries_takes_one_thread():
    assert one_thread_suits(2**20) and not one_thread_suits(2**20 + 1)
