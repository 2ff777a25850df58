"""What a method draws where there is nothing to find: its maps of the same points with each column permuted."""

import numpy as np

from dimred_lessons.classroom.explorers.frames import pack
from dimred_lessons.classroom.explorers.truth import BYTES, nearest_first, neighbors_of_each

_SEED = 0


def permuted(points):
    """The points with each column permuted by itself: columns keep their values, and know nothing of each other.

    Parameters
    ----------
    points : array of shape (n, D)

    Returns
    -------
    array of shape (n, D)
    """
    return np.random.default_rng(_SEED).permuted(points, axis=0)


def described(frames, nulls):
    """Maps of permuted columns as an explorer takes them.

    Parameters
    ----------
    frames : list of arrays of shape (n, 2)
        Maps of the permuted points, centered, one for each value of the parameter.
    nulls : array of shape (n, D)
        The permuted points.

    Returns
    -------
    dict
        "frames", packed, and "kept": the share of its neighbors that a point keeps on each map, on average.

    Raises
    ------
    ValueError
        If there are too few or too many points to compare their neighbors.
    """
    if neighbors_of_each(nulls) < 1:
        raise ValueError(f"chance is seen by neighbors, for which {len(nulls)} points are too few or too many.")
    kept = [round(share_kept(nulls, frame), 4) for frame in frames]
    return {"frames": [pack(frame) for frame in frames], "kept": kept}


def require_room(by_chance):
    """Refuse maps of permuted columns that a page has no room for.

    Parameters
    ----------
    by_chance : dict
        What `described` returns.

    Raises
    ------
    ValueError
        If they take more than 60 kB.
    """
    if (size := sum(map(len, by_chance["frames"]))) > BYTES:
        raise ValueError(
            f"the maps of permuted columns take {size // 1000} kB of the page, and {BYTES // 1000} are allowed: give "
            "fewer points or values, or leave chance out."
        )


def share_kept(points, frame):
    """Share of its nearest neighbors that a point keeps on a map, on average: as `sharesKept` in truth.js counts.

    Parameters
    ----------
    points : array of shape (n, D)
    frame : array of shape (n, 2)

    Returns
    -------
    float
    """
    k = neighbors_of_each(points)
    before, after = nearest_first(points, k), nearest_first(frame, k)
    return float(np.mean([np.isin(one, other).mean() for one, other in zip(before, after, strict=True)]))
