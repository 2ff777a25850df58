import numpy as np
import pytest

from dimred_lessons import eigenpairs
from dimred_lessons.eigenpairs import CenteredPoints, center_points, column_signs, thin_svd, top_eigenpairs
from support.comparisons import assert_equal_up_to_signs


@pytest.fixture(params=[40, 700], ids=["dense", "iterative"])
def gram(request):
    factor = np.random.default_rng(0).normal(size=(request.param, 30)) * np.linspace(3, 1, 30)
    return factor @ factor.T


def test_top_eigenpairs_solve_the_eigenproblem_in_decreasing_order(gram):
    eigenvalues, U = top_eigenpairs(gram, 4)
    np.testing.assert_allclose(gram @ U, U * eigenvalues, atol=1e-9 * eigenvalues[0])
    np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-12)
    assert np.all(np.diff(eigenvalues) < 0)


def test_top_eigenpairs_are_the_largest_of_all(gram):
    np.testing.assert_allclose(top_eigenpairs(gram, 4)[0], np.linalg.eigvalsh(gram)[:-5:-1], rtol=1e-10)


def test_none_gives_every_positive_eigenvalue_and_no_other(gram):
    eigenvalues, U = top_eigenpairs(gram)
    assert len(eigenvalues) == U.shape[1] == 30
    np.testing.assert_allclose((U * eigenvalues) @ U.T, gram, atol=1e-9 * eigenvalues[0])


def test_negative_eigenvalues_never_count():
    eigenvalues, U = top_eigenpairs(np.diag([-5.0, 3, 0, 1, -0.1]), 4)
    np.testing.assert_allclose(eigenvalues, [3, 1])
    assert U.shape == (5, 2)


@pytest.mark.parametrize("n", [3, 700])
def test_a_zero_matrix_has_no_eigenpairs(n):
    eigenvalues, U = top_eigenpairs(np.zeros((n, n)), 2)
    assert eigenvalues.shape == (0,) and U.shape == (n, 0)


SPECTRA = {
    "low rank": [3.0, 2.0, 1e-3],
    "clustered": 1 + 1e-7 * np.arange(20),
    "equal": [2.0] * 5 + [1.0] * 100,
    "negative values are larger": np.append(np.linspace(-100, -50, 300), [3.0, 2.0, 1.0]),
    "one negative value is huge": np.append(-1e8, np.linspace(0, 1, 200)),
    "slow decay": 1 / np.arange(1.0, 701),
    "all equal": np.ones(700),
    "none positive": -np.arange(700.0),
}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
@pytest.mark.filterwarnings("ignore:Eigenvalues . and . are equal")
def test_iteration_survives_spectra_that_are_hard_for_it(spectrum, order):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((700, 700)))[0][:, : len(spectrum)]
    K = (Q * spectrum) @ Q.T
    K = np.asarray((K + K.T) / 2, order=order)
    eigenvalues, U = top_eigenpairs(K, 4)
    positive = np.sort(spectrum)[::-1][:4]
    positive = positive[positive > 0]
    size = np.abs(spectrum).max()
    np.testing.assert_allclose(eigenvalues, positive, rtol=1e-9, atol=1e-12 * size)
    np.testing.assert_allclose(K @ U, U * eigenvalues, atol=1e-9 * size)
    np.testing.assert_allclose(U.T @ U, np.eye(len(positive)), atol=1e-10)


def with_spectrum(values, n):
    """A symmetric matrix with these eigenvalues, and zeros up to n."""
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((n, n)))[0][:, : len(values)]
    K = (Q * values) @ Q.T
    return (K + K.T) / 2


DEGENERATE = {
    "identity": np.eye,
    "centering": lambda n: np.eye(n) - 1 / n,
    "equidistant points": lambda n: (np.eye(n) - 1 / n) / 2,
    "nearly the identity": lambda n: np.eye(n) - 1 / n + 1e-15 * np.diag(np.arange(n) % 7),
    "ones": lambda n: np.ones((n, n)),
    "minus identity": lambda n: -np.eye(n),
    "zero": lambda n: np.zeros((n, n)),
    "diagonal with copies": lambda n: np.diag(np.arange(n) // 4 * 1.0),
    "four threes, four twos": lambda n: with_spectrum([3.0] * 4 + [2.0] * 4, n),
    "every value twice": lambda n: with_spectrum(np.repeat(1 / np.arange(1, n // 2 + 1), 2), n),
    "copies next to larger negative values": lambda n: with_spectrum([-9.0] * 5 + [1.0] * 6, n),
    "low rank": lambda n: with_spectrum([3.0, 2.0, 1e-3], n),
    "one huge negative value": lambda n: with_spectrum(np.append(-1e6, np.linspace(1, 2, n // 2)), n),
}
NUMBERS = {  # up to 500 points, or for more than a twentieth of the pairs less one, LAPACK finds all of them
    12: range(1, 13),
    500: (1, 4, 24, 25, 500),
    501: (1, 2, 3, 4, 7, 24, 25, 250),
    640: (2, 5, 31, 32, 640),
}


@pytest.mark.parametrize("n", NUMBERS)
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE)
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal")
def test_no_copy_of_a_repeated_eigenvalue_is_missed(matrix, n):
    K = matrix(n)
    whole = np.linalg.eigvalsh(K)[::-1]
    size = np.abs(whole).max()
    positive = whole[whole > 1e-11 * size]
    for d in NUMBERS[n]:
        eigenvalues, U = top_eigenpairs(K, d)
        assert eigenvalues.shape == (min(d, len(positive)),)
        assert U.shape == (n, len(eigenvalues))
        np.testing.assert_allclose(eigenvalues, positive[:d], rtol=0, atol=1e-13 * size)
        np.testing.assert_allclose(K @ U, U * eigenvalues, rtol=0, atol=1e-13 * size)
        np.testing.assert_allclose(U.T @ U, np.eye(len(eigenvalues)), atol=1e-13)


def test_two_calls_give_the_same_digits(gram):
    for first, second in zip(top_eigenpairs(gram, 3), top_eigenpairs(gram, 3)):
        np.testing.assert_array_equal(first, second)


def test_thin_svd_reconstructs_a_matrix_of_low_rank():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 4)) @ rng.normal(size=(4, 9))
    U, singular_values, V = thin_svd(X)
    assert (U.shape, singular_values.shape, V.shape) == ((20, 4), (4,), (9, 4))
    np.testing.assert_allclose((U * singular_values) @ V.T, X, atol=1e-12)


def test_thin_svd_truncated_is_the_prefix_of_the_whole():
    X = np.random.default_rng(2).normal(size=(8, 12))
    whole, two = thin_svd(X), thin_svd(X, 2)
    for complete, part in zip(whole, two):
        np.testing.assert_array_equal(complete[..., :2], part)


def test_thin_svd_and_eigenpairs_of_the_gram_matrix_agree():
    X = np.random.default_rng(3).normal(size=(15, 50))
    U, singular_values, _ = thin_svd(X, 5)
    eigenvalues, U_of_gram = top_eigenpairs(X @ X.T, 5)
    np.testing.assert_allclose(singular_values**2, eigenvalues, rtol=1e-10)
    assert_equal_up_to_signs(U_of_gram, U)


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
        U, singular_values, V = thin_svd(CenteredPoints(X), d)
        np.testing.assert_allclose(singular_values, expected[:d], rtol=0, atol=rounding)
        assert np.linalg.norm(A @ V - U * singular_values, 2) < rounding
        assert np.linalg.norm(A.T @ U - V * singular_values, 2) < rounding
        np.testing.assert_allclose(U.T @ U, np.eye(d), atol=1e-13)
        np.testing.assert_allclose(V.T @ V, np.eye(d), atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_most_spectra_of_centered_points_need_no_full_decomposition(shape, monkeypatch):
    monkeypatch.setattr(eigenpairs.linalg, "svd", refuse_large(eigenpairs.linalg.svd))
    for name in ("decay", "gaps of 1e-9", "all nearly equal", "small ones wanted"):
        X = points_with_singular_values(SINGULAR_VALUES[name], shape, 1)
        assert len(thin_svd(CenteredPoints(X), 2)[1]) == 2
    with pytest.raises(AssertionError, match="all of it"):
        thin_svd(CenteredPoints(X), None)


def refuse_large(svd):
    def small_only(A, **options):
        assert min(A.shape) <= 8, "all of it"
        return svd(A, **options)

    return small_only


@pytest.mark.parametrize("shape", [(2, 2), (2, 5), (5, 2), (40, 40), (41, 40), (3000, 7), (7, 9000)], ids=str)
def test_centered_points_are_what_centering_gives(shape):
    X = np.random.default_rng(6).standard_normal(shape) + 1e5
    A, mean = center_points(X)
    points = CenteredPoints(X)
    np.testing.assert_array_equal(points, A)
    np.testing.assert_allclose(points.mean, mean, rtol=1e-15)
    A = A if shape[0] > shape[1] else A.T
    np.testing.assert_allclose(points.gram, A.T @ A, rtol=0, atol=1e-13 * np.linalg.norm(A) ** 2)
    V = np.linalg.qr(np.random.default_rng(7).standard_normal((min(shape), 1)))[0]
    V = points.gram @ V  # of a wide matrix, orthogonal to 1
    U, back = points.round_trip(V / np.linalg.norm(V))
    np.testing.assert_allclose(U @ (U.T @ A @ V), A @ V, atol=1e-12 * np.linalg.norm(A @ V))
    np.testing.assert_allclose(back, A.T @ U, atol=1e-13 * np.linalg.norm(A))


@pytest.mark.parametrize("shape", [(3000, 3), (3, 3000)], ids=str)
def test_coordinates_that_do_not_vary_are_exactly_zero(shape):
    X = np.full(shape, 0.1)
    X[: shape[0] // 2, 1] = 0.7
    points = CenteredPoints(X)
    constant = np.arange(shape[1]) != 1
    np.testing.assert_array_equal(points.mean[constant], 0.1)
    assert np.all(thin_svd(points, 1)[2][constant] == 0)
    assert len(thin_svd(points, 5)[1]) == 1


def test_column_signs_make_the_largest_entry_positive():
    U = np.array([[1.0, -2.0], [-3.0, 1.0], [2.0, 0.5]])
    np.testing.assert_array_equal(column_signs(U), [-1, -1])


def test_of_entries_that_are_equal_up_to_rounding_the_first_decides():
    nearly = np.array([[0.5], [-0.5 - 1e-15], [0.5 - 1e-15], [-0.5]])
    assert column_signs(nearly) == 1 and column_signs(-nearly) == -1


def test_fixed_signs_do_not_depend_on_the_solver_s_choice():
    U = np.random.default_rng(4).normal(size=(10, 3))
    flips = np.array([1, -1, 1])
    np.testing.assert_array_equal(U * column_signs(U), U * flips * column_signs(U * flips))


def test_centered_points_become_an_array_by_a_copy_only():
    X = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(np.asarray(CenteredPoints(X)), X - X.mean(axis=0))
    assert np.asarray(CenteredPoints(X), dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="takes a copy: leave copy=False out"):
        CenteredPoints(X).__array__(copy=False)
    with pytest.raises(ValueError, match="takes a copy"):
        np.array(CenteredPoints(X), copy=False)
