"""What fits into memory: work in blocks of rows, and a refusal in advance, in one sentence, of what does not fit."""

import os
from collections.abc import Iterator
from decimal import Decimal

# Numbers in a block of rows that is worked on at a time: 32 MB.
BLOCK = 2**22
# Numbers that stay in the cache of the processor between two uses: 256 kB.
CACHED = 2**15


def blocks(n_rows: int, row_size: int, size: int | None = None) -> Iterator[slice]:
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


def require_memory(n_matrices: int, n_rows: int, n_columns: int, remedy: str) -> None:
    """Refuse in advance what does not fit into this machine's memory.

    Parameters
    ----------
    n_matrices, n_rows, n_columns : int
        Number and shape of the dense matrices that are held at a time, at 8 bytes per number.
    remedy : str
        What the caller can do about it, for the message.

    Raises
    ------
    ValueError
        If they need more than the physical memory; not where the system cannot tell its size.
    """
    height, width = Decimal(int(n_rows)), Decimal(int(n_columns))  # exact, and printed, however large
    needed, available = 8 * n_matrices * height * width, physical_memory()
    if needed > available:
        several, verb = ("1 matrix", "needs") if n_matrices == 1 else (f"{n_matrices} matrices", "need")
        amount, limit = in_bytes(needed, available)
        raise ValueError(
            f"{several} of {height:.9g} × {width:.9g} numbers {verb} {amount}, but the machine has {limit}: {remedy}."
        )


def in_bytes(*sizes: float | Decimal) -> list[str]:
    """Amounts of memory in words, with as many digits as it takes to tell different ones apart.

    Parameters
    ----------
    *sizes : float or Decimal
        In bytes.

    Returns
    -------
    list of str, such as "1.5 GiB"
    """
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
    powers = [sum(size >= 1024**power for power in range(1, len(units))) for size in sizes]
    for digits in range(4, 20):
        words = [f"{size / 1024**power:.{digits}g} {units[power]}" for size, power in zip(sizes, powers, strict=True)]
        if len(set(words)) == len(set(sizes)):
            break
    return words


def physical_memory() -> float:
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
