"""Claims of the text, stated beside the computation that would refute them."""

import numpy as np


def verify(claim, condition, only_here=False):
    """Print a claim of the text that has just been checked, or fail if it is false.

    Parameters
    ----------
    claim : str
        The claim, in words.
    condition : bool or array of bool
        Whether it holds: at least one value, all of them true.
    only_here : bool, default False
        Whether the claim is about this sample only, so that another sample may refute it; the printed line says
        "here".

    Raises
    ------
    AssertionError
        If the claim does not hold.
    TypeError
        If the condition is something other than True, False, or an array of them.
    ValueError
        If the condition is empty, so that nothing was tested.
    """
    try:
        held = np.asarray(condition)
    except ValueError:  # lists of different lengths
        held = np.asarray(None)
    if held.size == 0:
        raise ValueError(f"Nothing was tested for the claim {claim!r}: its condition is empty.")
    if held.dtype != bool:
        raise TypeError(
            f"The condition of the claim {claim!r} should be True, False or an array of them, not "
            f"{type(condition).__name__}: write a comparison."
        )
    if not held.all():
        raise AssertionError(f"This does not hold: {claim}")
    print(f"✓ here: {claim}" if only_here else f"✓ {claim}")
