"""How good is an embedding? Every number here is blind to what a method leaves free: sign, rotation, scale."""

import numpy as np
from scipy.spatial import procrustes
from sklearn.manifold import trustworthiness

from dimred_lessons.classroom import datasets


def procrustes_error(Y, truth):
    """Share of the truth that no rotation, reflection, scaling and shift of the embedding can explain.

    Minimizes ‖T − (sYQ + 1bᵀ)‖² over scale s, orthogonal Q and shift b, for centered T of unit norm.

    Parameters
    ----------
    Y : array of shape (n, d)
        An embedding.
    truth : array of shape (n, d)
        The points' true coordinates.

    Returns
    -------
    float
        Between 0 (the same configuration) and 1 (nothing in common).
    """
    return procrustes(truth, Y)[2]


def continuity(X, Y, n_neighbors=5):
    """Share of the original neighborhoods that stay together in the embedding.

    The mirror image of trustworthiness (which asks whether neighbors in the embedding were neighbors before):
    the two spaces change places.

    Parameters
    ----------
    X : array of shape (n, D)
    Y : array of shape (n, d)
    n_neighbors : int
        Size of the neighborhoods; below n / 2.

    Returns
    -------
    float
        Between 0 and 1; 1 if no neighbor was torn away.

    References
    ----------
    Venna and Kaski, 2006; chapter 12.
    """
    return trustworthiness(Y, X, n_neighbors=n_neighbors)


def axis_correlations(Y, truth):
    """Absolute correlation of every axis of an embedding with every true parameter.

    Parameters
    ----------
    Y : array of shape (n, d)
    truth : array of shape (n, p)

    Returns
    -------
    array of shape (d, p), each between 0 and 1
    """
    d = Y.shape[1]
    return np.abs(np.corrcoef(Y, truth, rowvar=False)[:d, d:])


def scoreboard_line(method):
    """One method on the three data sets that return in every chapter; the same line for all methods.

    Parameters
    ----------
    method : estimator with ``fit_transform`` and two components

    Returns
    -------
    dict
        "pose": largest |correlation| of an axis with the left-right pose of 698 faces (1 is best);
        "roll": Procrustes error of 1,000 points of the swiss roll against its true chart (0 is best);
        "digits": trustworthiness on 300 digits with 5 neighbors (1 is best).
    """
    images, parameters = datasets.faces()
    roll, chart = datasets.swiss_roll(n=1000)
    digits, _ = datasets.digits(n=300)
    return {
        "pose": float(axis_correlations(method.fit_transform(images), parameters[:, :1]).max()),
        "roll": float(procrustes_error(method.fit_transform(roll), chart)),
        "digits": float(trustworthiness(digits, method.fit_transform(digits), n_neighbors=5)),
    }
