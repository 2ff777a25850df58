"""Landmarks: a few points that are compared with all, so that not every pair has to be."""

import numpy as np
from sklearn.utils import check_random_state


def choose_landmarks(
    n: int, n_landmarks: int | None, n_components: int | None, random_state: int | np.random.RandomState | None
) -> np.ndarray:
    """Rows of random landmarks, in order.

    Parameters
    ----------
    n : int
        Number of points.
    n_landmarks : int or None
        m; None for all points.
    n_components : int or None
        d, which m has to exceed.
    random_state : int, RandomState or None

    Returns
    -------
    array of shape (m,)

    Raises
    ------
    ValueError
        If there are no more landmarks than components, or more than points.
    """
    if n_landmarks is None:
        return np.arange(n)
    if not (n_components or 1) < n_landmarks <= n:
        raise ValueError(
            f"n_landmarks={n_landmarks} must be above n_components={n_components} and at most n_samples={n}."
        )
    return np.sort(check_random_state(random_state).choice(n, n_landmarks, replace=False))
