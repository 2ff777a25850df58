"""Random samples of the rows of a table, for what need not look at all of them."""

import numpy as np


def random_rows(n: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Places of rows that are drawn from n, in order; all of them if there are no more than ``most``.

    Parameters
    ----------
    n, most : int
    rng : numpy Generator

    Returns
    -------
    array of int
    """
    return np.sort(rng.permutation(n)[:most])
