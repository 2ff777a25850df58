"""How tests compare what a method determines only up to a sign or a rotation."""

import numpy as np
from scipy.spatial.distance import pdist

from dimred_lessons.classroom.metrics import aligned_signs, equal_up_to_signs


def assert_equal_up_to_signs(actual, expected, tolerance=1e-6):
    """Same columns up to the sign of each, relative to the largest entry."""
    assert actual.shape == expected.shape
    assert equal_up_to_signs(actual, expected, tolerance), f"{aligned_signs(actual, expected) - expected} is not small"


def assert_same_distances(actual, expected, tolerance=1e-6):
    """Same configuration up to rotation, reflection and shift: equal distances, relative to the largest."""
    distances = pdist(expected)
    np.testing.assert_allclose(pdist(actual), distances, rtol=0, atol=tolerance * distances.max())
