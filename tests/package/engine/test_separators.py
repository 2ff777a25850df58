"""How many vertices cut a graph in halves."""

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.engine.separators import separator_size
from support.matrices import path_laplacian, random_regular_laplacian, roll_laplacian


def test_one_vertex_cuts_a_path_some_rows_a_sheet_and_nothing_small_a_random_graph():
    assert separator_size(path_laplacian(2000)) == 1
    assert 10 < separator_size(roll_laplacian(2000)[0]) < 100
    assert separator_size(random_regular_laplacian(2000)) > 500


@pytest.mark.parametrize("n", [2, 3])
def test_small_graphs_have_one(n):
    assert separator_size(path_laplacian(n)) == 1
    assert separator_size(sparse.csr_array(np.ones((n, n)))) >= 1


def test_weights_do_not_count_and_parts_out_of_reach_are_left_out():
    L = path_laplacian(50)
    assert separator_size(1e-9 * L) == separator_size(L)
    assert separator_size(sparse.csr_array(sparse.block_diag([L, L]))) == 1
