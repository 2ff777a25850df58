"""How much memory a call takes."""

import tracemalloc


def peak(function, *arguments):
    """Peak number of bytes that a call takes beyond those held before."""
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
