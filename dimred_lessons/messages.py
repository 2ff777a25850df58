"""How a warning reaches the caller."""

import sys
import warnings


def warn(message: str) -> None:
    """Issue a UserWarning that points at the line outside this package (and scikit-learn) that led here.

    Parameters
    ----------
    message : str
        One sentence: what happened, where, what to do.
    """
    frame, level = sys._getframe(1), 2
    # A frame without a name of its module, as exec and timeit make them, is outside
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in ("dimred_lessons", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)
