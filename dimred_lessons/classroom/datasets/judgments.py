"""People's judgments, as tables: how alike things look, without coordinates that would explain it."""

import numpy as np

_WAVELENGTHS = (434, 445, 465, 472, 490, 504, 537, 555, 584, 600, 610, 628, 651, 674)
# Judged similarity in percent: a row for each color from the second on, a column for each color before it
_SIMILARITIES = """
    86
    42 50
    42 44 81
    18 22 47 54
     6  9 17 25 61
     7  7 10 10 31 62
     4  7  8  9 26 45 73
     2  2  2  2  7 14 22 33
     7  4  1  1  2  8 14 19 58
     9  7  2  0  2  2  5  4 37 74
    12 11  1  1  1  2  2  3 27 50 76
    13 13  5  2  2  2  2  2 20 41 62 85
    16 14  3  4  0  1  0  2 23 28 55 68 76
"""


def colors():
    """How alike 14 colors look, as people judged them.

    Each pair of colored lights was rated from 0 ("no similarity at all") to 4 ("identical"); the table holds the mean
    ratings of 31 people, divided by 4. Only the order of such numbers can be trusted.

    Returns
    -------
    similarities : array of shape (14, 14)
        From 0 to 1, symmetric, 1 on the diagonal.
    wavelengths : array of shape (14,)
        Wavelengths of the lights, in nanometers, increasing: from violet to red.

    References
    ----------
    Ekman (1954), Dimensions of color vision, Journal of Psychology 38, 467-474.
    """
    n = len(_WAVELENGTHS)
    similarities = np.eye(n)
    i, j = np.tril_indices(n, -1)
    similarities[i, j] = similarities[j, i] = np.array(_SIMILARITIES.split(), dtype=float) / 100
    return similarities, np.array(_WAVELENGTHS)
