"""Threads: as many as asked for, and none that changes a result."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from dimred_lessons.engine.threads import one_blas_thread, pool_of


def threads_of_blas():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_blas_has_one_thread_for_a_small_task_and_as_many_as_before_after_it_and_for_a_large_one():
    before = threads_of_blas()
    with one_blas_thread():
        assert set(threads_of_blas()) == {1}
    assert threads_of_blas() == before
    with one_blas_thread(small=False):
        assert threads_of_blas() == before


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_come_in_the_order_of_the_tasks(n_threads):
    tasks = [np.full((50, 50), i) for i in range(20)]
    with pool_of(n_threads) as pool:
        sums = list(pool.map(lambda task: (task @ task).sum(), tasks))
    assert sums == [50**3 * i**2 for i in range(20)]


def test_a_pool_of_one_is_the_thread_that_asks_and_an_error_comes_through():
    with pool_of(1) as pool:
        assert list(pool.map(lambda _: threading.get_ident(), range(3))) == [threading.get_ident()] * 3
        with pytest.raises(ZeroDivisionError):
            list(pool.map(lambda x: 1 / x, [1, 0]))
