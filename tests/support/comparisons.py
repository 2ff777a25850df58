"""How tests compare what a method determines only up to a sign or a rotation."""

import numpy as np
from scipy.spatial.distance import pdist


def assert_equal_up_to_signs(actual, expected, tolerance=1e-6):
    """Same columns up to the sign of each, relative to the largest entry."""
    assert actual.shape == expected.shape
    signs = np.where(np.sum(actual * expected, axis=0) < 0, -1, 1)
    np.testing.assert_allclose(actual * signs, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def assert_same_distances(actual, expected, tolerance=1e-6):
    """Same configuration up to rotation, reflection and shift: equal distances, relative to the largest."""
    distances = pdist(expected)
    np.testing.assert_allclose(pdist(actual), distances, rtol=0, atol=tolerance * distances.max())
