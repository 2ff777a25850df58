"""What this machine can hold, how its threads are used, and how a warning reaches the caller."""

import os
import sys
import warnings

from threadpoolctl import ThreadpoolController

# Numbers in a block of rows that is worked on at a time: 32 MB.
BLOCK = 2**22
# Numbers that stay in the cache of the processor between two uses: 256 kB.
CACHED = 2**15
# NumPy and SciPy bring a BLAS each, whose threads wait for each other busily where each task is small.
_BLAS = ThreadpoolController()


def one_blas_thread(small=True):
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


def blocks(n_rows, row_size, size=None):
    """Slices that cut rows into blocks, so that memory does not grow with the number of rows.

    Parameters
    ----------
    n_rows : int
    row_size : int
        About how many numbers a row takes while it is worked on.
    size : int, optional
        Numbers of a block, `BLOCK` by default; `CACHED` where the same numbers are used again at once.

    Yields
    ------
    slice, of at least one row and at most ``size`` numbers
    """
    height = max(1, (size or BLOCK) // max(1, row_size))
    for start in range(0, n_rows, height):
        yield slice(start, min(start + height, n_rows))


def require_memory(n_matrices, n_rows, n_columns):
    """Refuse in advance what does not fit into this machine's memory.

    Parameters
    ----------
    n_matrices, n_rows, n_columns : int
        Number and shape of the dense matrices that are held at a time, at 8 bytes per number.

    Raises
    ------
    ValueError
        If they need more than the physical memory; not where the system cannot tell its size.
    """
    needed, available = 8 * n_matrices * n_rows * n_columns / 2**30, physical_memory() / 2**30
    if needed > available:
        raise ValueError(
            f"{n_matrices} matrices of {n_rows} × {n_columns} numbers need {needed:.1f} GiB, but the machine "
            f"has {available:.1f} GiB: fit fewer points and place the others with transform, or use "
            "Isomap or SemidefiniteEmbedding with n_landmarks."
        )


def physical_memory():
    """Memory of this machine.

    Returns
    -------
    float
        In bytes; infinite where the system cannot tell.
    """
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def warn(message):
    """Issue a UserWarning that points at the line outside this package (and scikit-learn) that led here.

    Parameters
    ----------
    message : str
        One sentence: what happened, where, what to do.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] in ("dimred_lessons", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)
