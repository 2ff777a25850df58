"""Comparing embeddings by what a method determines: columns up to sign."""

import numpy as np


def assert_equal_up_to_signs(actual, expected, rtol=1e-6):
    """Assert that corresponding columns agree, each up to its sign, relative to the largest entry."""
    assert actual.shape == expected.shape
    signs = np.sign(np.sum(actual * expected, axis=0))
    assert np.abs(actual * signs - expected).max() <= rtol * np.abs(expected).max()
