"""Data and checks for the tests of the latent methods."""

import numpy as np
import pytest

from dimred_lessons.classroom import datasets


def causes(n=300, D=8, d=2, noise=(0.3, 1.0), seed=0):
    """Points with d hidden causes and separate noise in each column: X (n, D), Y (n, d) and the loadings."""
    rng = np.random.default_rng(seed)
    B, Y = rng.standard_normal((D, d)) * np.arange(d + 1, 1, -1), rng.standard_normal((n, d))
    return Y @ B.T + rng.standard_normal((n, D)) * rng.uniform(*noise, D) + rng.standard_normal(D), Y, B


def digits(n=600):
    """Digits without the columns that hardly vary."""
    X = datasets.digits()[0]
    return X[:n, X.std(axis=0) > 0.3]


def with_holes(X, share=0.2, seed=0):
    """A copy of X in which a share of the entries is missing, at random."""
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def error_in_holes(method, X, holey):
    """Root mean square error of the completed entries."""
    holes = np.isnan(holey)
    return np.sqrt(np.mean((method.inverse_transform(method.transform(holey)) - X)[holes] ** 2))


def assert_never_falls(values):
    assert np.all(np.diff(values) >= -1e-9 * max(abs(values)))


BAD_HOLES = pytest.mark.parametrize(
    "place, message",
    [
        ((slice(None), 2), r"Column 2 of X has 0 of its 300 entries.*leave it out\."),
        ((slice(1, None), 2), r"Column 2 of X has 1 of its 300 entries.*leave it out\."),
        ((5, slice(None)), r"Row 5 of X has 0 of its 8 entries, but needs at least 1: leave it out\."),
    ],
)
