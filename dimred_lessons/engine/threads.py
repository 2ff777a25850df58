"""As many threads of BLAS as pay."""

from contextlib import AbstractContextManager

from threadpoolctl import ThreadpoolController

# NumPy and SciPy bring a BLAS each, whose threads wait for each other busily where each task is small.
_BLAS = ThreadpoolController()


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
    return _BLAS.limit(limits=1 if small else None, user_api="blas")
