"""As many threads as pay: of BLAS, and of our own.

Threads of BLAS share a product of matrices, and wait for each other at its end. For matrices that stay in the cache of
one processor, waiting takes longer than the product, so that one thread is faster; `choice` says up to which size. Our
own threads share calls of NumPy, which let go of Python's lock while they work; a pool of one is the thread that asks.

Error. With another number of its threads, BLAS may add in another order, which changes the last digits. Ours share
rows, each of which is summed as a whole by one of them: their number changes no digit.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext

from threadpoolctl import ThreadpoolController

# NumPy and SciPy bring a BLAS each, whose threads wait for each other busily where each task is small.
_BLAS = ThreadpoolController().select(user_api="blas")


def one_blas_thread(small: bool = True) -> AbstractContextManager:
    """Context in which BLAS uses one thread, which is faster for small tasks.

    Parameters
    ----------
    small : bool
        Whether the task is small; if not, nothing changes.

    Returns
    -------
    context manager
    """
    if small and any(library.num_threads > 1 for library in _BLAS.lib_controllers):
        return _BLAS.limit(limits=1)
    return nullcontext()  # asking is a tenth of the price of setting, which iterations would pay in each step


def pool_of(n_threads: int) -> Executor:
    """Threads that share work by ``map``; one thread is the one that asks, which waits for no other.

    Parameters
    ----------
    n_threads : int

    Returns
    -------
    Executor, to be used in a ``with`` statement: its threads end there
    """
    return InTurn() if n_threads == 1 else ThreadPoolExecutor(n_threads)


class InTurn(Executor):
    """Calls one after the other, in the thread that asks for their results."""

    def map(self, fn: Callable, *iterables: Iterable, timeout: float | None = None, chunksize: int = 1) -> Iterator:
        """The results of the calls, in order.

        Parameters
        ----------
        fn : function
        *iterables : its arguments
        timeout, chunksize : not used

        Returns
        -------
        iterator
        """
        return map(fn, *iterables)
