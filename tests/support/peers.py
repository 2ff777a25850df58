"""scikit-learn as a judge: its checks of an estimator, and data on which its own methods must agree with ours."""

import warnings
from functools import cache

import numpy as np
from sklearn.utils.estimator_checks import check_estimator

from dimred_lessons.classroom import datasets


def results_of_checks(method):
    """What each of scikit-learn's checks finds."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="(?s).*(splits into|Besides the constant|has not converged|SCIPY_ARRAY_API)"
        )
        return check_estimator(method, on_fail=None, on_skip=None)


def jittered(X):
    """No two distances are equal, so that all programs find the same neighbors."""
    return X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape)


DATA = {
    "roll": lambda: datasets.swiss_roll(700)[0],
    "s-curve": lambda: datasets.s_curve(400)[0],
    "digits": lambda: jittered(datasets.digits(550)[0]),
    "faces": lambda: datasets.faces(150, size=24)[0],
}


@cache
def data(name):
    return DATA[name]()
