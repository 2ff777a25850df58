"""No negative eigenvalue, by a factorization, against all eigenvalues."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimred_lessons.engine import reference
from dimred_lessons.kernels import check_positive_semidefinite, negative_eigenvalue
from support.matrices import DEGENERATE, with_spectrum


@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE)
def test_the_engine_equals_the_equation_where_eigenvalues_are_equal_or_zero(matrix):
    K = matrix(60)
    tolerance = 1e-6 * np.linalg.norm(K) + 1e-12
    assert negative_eigenvalue(K, tolerance) == negative_eigenvalue.equation(K, tolerance)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(n=st.integers(3, 40), share=st.sampled_from([-2.0, -1.01, -0.99, 0.0, 1.0]), seed=st.integers(0, 100))
def test_the_tolerance_decides_to_a_hundredth_of_it(n, share, seed):
    values = np.random.default_rng(seed).exponential(size=n)
    values[0] = share * 1e-6
    K = with_spectrum(values, n)
    found = negative_eigenvalue(K, 1e-6)
    assert found == negative_eigenvalue.equation(K, 1e-6)
    assert (found < 0) == (share < -1)


def test_a_kernel_that_is_none_is_refused_with_the_same_words():
    K = with_spectrum([3.0, 1.0, -1.0], 5)
    for by in (reference, nullcontext):
        with by(), pytest.raises(ValueError, match="The kernel is not positive semidefinite, .* eigenvalue is -1:"):
            check_positive_semidefinite(K, "The kernel")
