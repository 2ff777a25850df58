"""Which engine for which sizes: claims about pure functions of sizes."""

import pytest

from dimred_lessons.engine import choice


@pytest.mark.parametrize(
    "n, n_pairs, solver",
    [(12, 1, "lapack"), (500, 1, "lapack"), (501, 3, "krylov"), (501, 25, "krylov"), (501, 26, "lapack")],
)
def test_lapack_finds_all_pairs_of_small_matrices_and_many_pairs_of_large_ones(n, n_pairs, solver):
    assert choice.top_solver(n, n_pairs) == solver


@pytest.mark.parametrize(
    "n, n_pairs, solver",
    [(500, 2, "lapack"), (501, 2, "lanczos"), (1000, 101, "lanczos"), (1000, 102, "lapack"), (600, 599, "lapack")],
)
def test_at_the_bottom_more_pairs_pay_than_at_the_top(n, n_pairs, solver):
    assert choice.bottom_solver(n, n_pairs) == solver


@pytest.mark.parametrize(
    "n, separator, laplacian, ways",
    [
        (3000, 1, True, ("sparse factor",)),
        (3000, 1000, True, ("sparse factor",)),
        (30_000, 1001, True, ("matrix", "sparse factor")),
        (3000, 1001, True, ("matrix", "dense factor")),
        (3000, 1001, False, ("dense factor",)),
        (30_000, 5000, False, ("sparse factor",)),
    ],
)
def test_products_with_the_matrix_are_tried_for_laplacians_that_nothing_small_separates(n, separator, laplacian, ways):
    assert choice.bottom_products(n, separator, laplacian) == ways


def test_threads_are_for_what_is_larger_than_some_hundred_rows():
    assert choice.small(500) and not choice.small(501)


def test_single_pairs_are_subtracted_alone_where_they_are_few():
    assert not choice.differences_of_all(5, 100) and choice.differences_of_all(6, 100)
