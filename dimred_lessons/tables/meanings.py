"""What the numbers of an examination are, in words, each written with the digits that the sentences give it."""

import math

from dimred_lessons.tables.maps import STABLE

_WORDS = {  # form, and what it is; numbers of a map or of a size of neighborhoods stand under the common part of names
    "rows": ("d", "rows that were compared with permuted tables"),
    "columns": ("d", "columns that became coordinates"),
    "components": ("d", "linear components that hold more than chance"),
    "first share": (
        ".1%",
        "of the variance is held by the first linear component, without the farthest 2% of the rows",
    ),
    "first share, all rows": (".1%", "the same with all rows"),
    "first share by chance": (".1%", "the most that the first component of a permuted table holds"),
    "p linear": (".3f", "probability that the first share is as large by chance"),
    "neighbors": (".2f", "distance of a row to its fourth neighbor, over that in permuted tables: 1 is chance"),
    "p neighbors": (".3f", "probability that neighbors are as near by chance"),
    "halves agree": (".2f", "mean squared cosine between components of halves of the rows: 1 are the same"),
    "dimension": (".1f", "intrinsic dimension, from how fast distances grow among so many neighbors"),
    "residual variance, bent": (".2f", "of distances along the points, what the axes of Isomap do not explain"),
    "residual variance, straight": (".2f", "the same of straight axes"),
    "groups": ("d", "hills of the density with a valley between them that is deeper than chance; 1 is no groups"),
    "density, hill to valley": (".1f", "how many times as dense as the valley the least separated hill is"),
    "neighbors kept": (".2f", "share of the nearest neighbors that the map keeps beyond chance: 0 is chance, 1 all"),
    "moved": (".2f", f"Procrustes error of maps of subsets, rounded up: firm below {STABLE}"),
    "objects": ("d", "objects whose distances the table holds"),
    "first axis": (".1%", "share of the first axis of classical scaling in the sum of the positive eigenvalues"),
    "two axes": (".1%", "the same of the first two axes"),
    "negative eigenvalues": (".1%", "share of the eigenvalues that no points have, by size: 0 for points"),
}
_PROCRUSTES = (
    "Squared distances between the points of two maps, after one was turned, shifted and scaled to fit the other, as a "
    "share of those from the center: 0 for the same map, 1 for one that has nothing to do with it."
)
_KEPT = (
    "Share of the k nearest neighbors of a point that are among its k nearest on the map, scaled so that a map drawn "
    "at random has 0, and one that keeps all has 1; the mean over the points."
)
_OF_COLUMNS = {
    "Permuted table": "A table in which each column was permuted by itself: columns keep their values, and what they "
    "have to do with each other is chance.",
    "Null map": "What the same method draws of a permuted table.",
    "Linear component": "A weighted sum of the columns, of the largest variance that one can have which is "
    "uncorrelated with those before.",
    "Mean squared cosine": "Of the angles between the spaces that two sets of components span: 1 for the same space, "
    "0 at right angles.",
}
_OF_DISTANCES = {
    "Classical scaling": "Points whose scalar products are as near as can be to those that the distances give.",
    "Negative eigenvalues": "Squared lengths below zero, which no axis has: distances that straight lines between "
    "points do not have.",
}


def definitions(columns: bool) -> dict[str, str]:
    """What the words of a report mean, at its foot.

    Parameters
    ----------
    columns : bool
        Whether it is about a table of columns, and not of distances.

    Returns
    -------
    dict of str to str
    """
    return {"Procrustes error": _PROCRUSTES, "R(k)": _KEPT} | (_OF_COLUMNS if columns else _OF_DISTANCES)


def in_place(name: str, value: float) -> tuple[str, str]:
    """A number as the sentences write it, and what it is.

    Parameters
    ----------
    name : str
        One of the names of ``numbers`` of an examination, such as "dimension (10 neighbors)" or "PCA: moved".
    value : float

    Returns
    -------
    (str, str)
    """
    common = name.rpartition(": ")[2].partition(" (")[0]
    form, words = _WORDS[common]
    if value >= 1e6:
        return "over a million", words
    if common == "moved":
        value = math.ceil(100 * value) / 100
    return f"{int(value) if form == 'd' else value:{form}}", words
