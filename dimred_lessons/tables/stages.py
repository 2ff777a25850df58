"""What an examination is at, for those who wait for it."""

import sys
import time
from collections.abc import Callable


def teller(shown: bool) -> Callable[[str], None]:
    """A function that tells what begins, and how many seconds have passed since it was made.

    Parameters
    ----------
    shown : bool
        Whether it writes a line on the standard error, or nothing.

    Returns
    -------
    function of a str
    """
    start = time.monotonic()

    def tell(stage: str) -> None:
        if shown:
            print(f"{time.monotonic() - start:5.1f} s  {stage}", file=sys.stderr, flush=True)

    return tell
