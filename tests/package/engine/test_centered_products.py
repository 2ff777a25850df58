"""Products with points less their mean: the engine against centering, then decomposing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimred_lessons.eigenpairs import center_points, centered_svd, svd_of_deviations
from dimred_lessons.engine import centered_products, reference
from dimred_lessons.engine.centered_products import ColumnBlocks, NearOrigin, RowBlocks, round_trip
from support.memory import peak


def points_with_singular_values(values, shape, center):
    """Points whose centered matrix has these singular values, about a center."""
    n, D = shape
    rng = np.random.default_rng(5)
    U = rng.standard_normal((n, len(values)))
    U = np.linalg.qr(U - U.mean(axis=0))[0]
    V = np.linalg.qr(rng.standard_normal((D, len(values))))[0]
    return (U * values) @ V.T + center * rng.standard_normal(D)


SINGULAR_VALUES = {
    "decay": 1 / np.arange(1.0, 41),
    "gaps of 1e-9": np.append([1, 1 - 1e-9, 1 - 2e-9, 1 - 3e-9], np.linspace(0.9, 0.1, 36)),
    "gap of 1e-9 at the cut": np.append([1, 0.5, 0.3, 0.3 - 1e-9], np.linspace(0.2, 0.1, 36)),
    "all nearly equal": 1 + 1e-3 * np.linspace(1, 0, 40),
    "all equal": np.ones(40),
    "small ones wanted": np.append([1, 1e-2, 9e-3], np.linspace(1e-3, 1e-4, 37)),
    "tiny ones wanted": np.append([1, 1e-5, 9e-6], np.linspace(8e-6, 1e-6, 37)),
    "ones lost in the squares": np.append([1, 1e-9, 9e-10], np.linspace(8e-10, 1e-10, 37)),
    "every power": 0.1 ** np.arange(9),
}
SHAPES = [(2000, 60), (60, 2000), (560, 520), (520, 560)]


@pytest.mark.parametrize("center", [0, 1e6])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("values", SINGULAR_VALUES.values(), ids=SINGULAR_VALUES)
def test_singular_values_of_centered_points_are_as_exact_as_those_of_a_full_decomposition(values, shape, center):
    """Both equations hold to 60 units of rounding of the largest singular value; LAPACK needs up to 50."""
    X = points_with_singular_values(values, shape, center)
    A, _ = center_points(X)
    expected = np.linalg.svd(A, compute_uv=False)
    rounding = 60 * np.finfo(float).eps * expected[0]
    for d in (2, 8):
        _, U, singular_values, V, _ = centered_svd(X, d)
        np.testing.assert_allclose(singular_values, expected[:d], rtol=0, atol=rounding)
        assert np.linalg.norm(A @ V - U * singular_values, 2) < rounding
        assert np.linalg.norm(A.T @ U - V * singular_values, 2) < rounding
        np.testing.assert_allclose(U.T @ U, np.eye(d), atol=1e-13)
        np.testing.assert_allclose(V.T @ V, np.eye(d), atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_most_spectra_need_no_full_decomposition_and_others_are_left_to_it(shape):
    for name in ("decay", "gaps of 1e-9", "all nearly equal", "small ones wanted"):
        X = points_with_singular_values(SINGULAR_VALUES[name], shape, 1)
        assert svd_of_deviations.engine(X, 2).U.shape == (shape[0], 2)
    assert svd_of_deviations.engine(X, None) is NotImplemented
    assert svd_of_deviations.engine(X, min(shape) + 1) is NotImplemented
    for name in ("tiny ones wanted", "ones lost in the squares"):
        X = points_with_singular_values(SINGULAR_VALUES[name], shape, 0)
        assert svd_of_deviations.engine(X, 2) is NotImplemented


def test_a_few_components_of_many_points_take_no_copy_of_them():
    X = np.random.default_rng(0).normal(size=(50_000, 40)) + 100
    assert peak(centered_svd, X, 2) < 0.3 * X.nbytes


KINDS = {  # of points: how near to the origin, and which shape
    "copies": np.repeat(np.random.default_rng(1).normal(size=(30, 4)), 3, axis=0),
    "two groups far apart": np.vstack([np.eye(40, 5), np.eye(40, 5) + 1e6]),
    "far from the origin": np.random.default_rng(2).normal(size=(90, 6)) + 1e7,
    "a constant column": np.column_stack([np.full(50, 0.1), np.random.default_rng(3).normal(size=(50, 3))]),
    "three points": np.array([[0.0, 1, 2], [1, 0, 0], [3, 1, 1]]),
    "two points of many columns": np.random.default_rng(4).normal(size=(2, 500)),
    "fewer points than columns, far away": np.random.default_rng(5).normal(size=(30, 70)) - 1e5,
    "one column": np.random.default_rng(6).normal(size=(20, 1)),
    "a column in a large unit": np.random.default_rng(7).normal(size=(80, 3)) * [1, 1e3, 1],
}


@pytest.mark.parametrize("X", KINDS.values(), ids=KINDS)
def test_the_engine_equals_the_equation_on_hostile_points(X):
    agrees(X, 2)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(n=st.integers(2, 30), D=st.integers(1, 30), d=st.integers(1, 4), away=st.sampled_from([0, 1, 1e4]))
def test_the_engine_equals_the_equation_whatever_the_shape(n, D, d, away):
    agrees(np.random.default_rng([n, D]).normal(size=(n, D)) + away, d)


def agrees(X, d):
    """The same rank, mean, values and approximation, up to rounding; vectors may turn where values are equal."""
    found = centered_svd(X, d)
    with reference():
        expected = centered_svd(X, d)
    size = np.sqrt(expected.squares)
    rounding = 1e-13 * (size + np.abs(X).max() * 1e-2)
    assert found.U.shape == expected.U.shape and found.V.shape == expected.V.shape
    np.testing.assert_allclose(found.mean, expected.mean, atol=1e-14 * np.abs(X).max())
    np.testing.assert_allclose(np.sqrt(found.squares), size, atol=rounding)
    np.testing.assert_allclose(found.singular_values, expected.singular_values, atol=rounding)
    A = center_points(X)[0]
    missed = [np.linalg.norm(A - (part.U * part.singular_values) @ part.V.T) for part in (found, expected)]
    np.testing.assert_allclose(*missed, atol=rounding)


@pytest.mark.parametrize(
    "shape, away, kind",
    [
        ((3000, 7), 0, NearOrigin),
        ((3000, 7), 1e5, RowBlocks),
        ((41, 40), 1e5, RowBlocks),
        ((5, 2), 0, NearOrigin),
        ((40, 40), 1e5, ColumnBlocks),
        ((7, 9000), 0, ColumnBlocks),
        ((2, 5), 1e5, ColumnBlocks),
    ],
    ids=str,
)
def test_every_kind_of_products_is_what_centering_gives(shape, away, kind):
    X = np.random.default_rng(6).standard_normal(shape) + away
    A, mean = center_points(X)
    B = centered_products.centered_products(X)
    assert type(B) is kind
    np.testing.assert_allclose(B.mean, mean, rtol=1e-15, atol=1e-14)
    A = A if shape[0] > shape[1] else A.T
    size = np.linalg.norm(A)
    np.testing.assert_allclose(B.gram, A.T @ A, rtol=0, atol=1e-13 * size**2)
    V = np.linalg.qr(A.T @ np.random.default_rng(7).standard_normal((len(A), 1)))[0]
    np.testing.assert_allclose(B.images(V), A @ V, atol=1e-13 * size)
    U, back = round_trip(B, V)
    np.testing.assert_allclose(U @ (U.T @ A @ V), A @ V, atol=1e-12 * np.linalg.norm(A @ V))
    np.testing.assert_allclose(back, A.T @ U, atol=1e-13 * size)


@pytest.mark.parametrize("shape", [(3000, 3), (3, 3000)], ids=str)
def test_coordinates_that_do_not_vary_are_exactly_zero(shape):
    X = np.full(shape, 0.1)
    X[: shape[0] // 2, 1] = 0.7
    constant = np.arange(shape[1]) != 1
    decomposition = centered_svd(X, 1)
    np.testing.assert_array_equal(decomposition.mean[constant], 0.1)
    assert np.all(decomposition.V[constant] == 0)
    assert len(centered_svd(X, 5).singular_values) == 1
