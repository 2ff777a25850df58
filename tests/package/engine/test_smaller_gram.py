"""Eigenpairs of the larger Gram matrix from the smaller one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimred_lessons.eigenpairs import gram_eigenpairs
from dimred_lessons.engine import reference

HOSTILE = {
    "copies": np.repeat(np.random.default_rng(0).normal(size=(20, 3)), 4, axis=0),
    "less than full rank": np.random.default_rng(1).normal(size=(50, 2)) @ np.ones((2, 6)),
    "columns of equal length": np.eye(60, 4),
    "zeros": np.zeros((7, 3)),
    "three points": np.array([[1.0, 2], [0, 1], [3, 0]]),
    "tiny numbers": 1e-100 * np.random.default_rng(2).normal(size=(30, 4)),
    "a large and a small column": np.random.default_rng(3).normal(size=(90, 2)) * [1, 1e-5],
}


def agrees(A, d):
    found = gram_eigenpairs(A, d)
    with reference():
        expected = gram_eigenpairs(A, d)
    size = max(np.linalg.norm(A) ** 2, np.finfo(float).tiny)
    np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-13 * size)
    np.testing.assert_allclose(A @ (A.T @ found[1]), found[1] * found[0], rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(found[1].T @ found[1], np.eye(len(found[0])), atol=1e-5)


@pytest.mark.parametrize("A", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("d", [1, None])
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal")
def test_the_engine_equals_the_equation_on_hostile_points(A, d):
    agrees(A, d)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(n=st.integers(2, 40), D=st.integers(1, 40), d=st.integers(1, 5))
def test_the_engine_equals_the_equation_whatever_the_shape(n, D, d):
    agrees(np.random.default_rng([n, D]).normal(size=(n, D)), d)
