"""Tables in blocks: the same digits as in memory, and one sentence for blocks that cannot work."""

import subprocess
import sys

import numpy as np
import pytest
from dask import array
from sklearn import manifold
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import StandardScaler

from dimred_lessons import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    large,
)
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.large import fit_pca, transform

DIGITS = load_digits().data
ROLL = swiss_roll(400)[0]
LEARNED = [
    "mean_",
    "components_",
    "eigenvalues_",
    "total_variance_",
    "explained_variance_",
    "explained_variance_ratio_",
]


def in_blocks(X, rows=150):
    return array.from_array(X, chunks=(rows, -1))


def assert_same_fit(blockwise, whole, rtol=1e-9):
    for name in LEARNED:
        expected = getattr(whole, name)
        np.testing.assert_allclose(getattr(blockwise, name), expected, rtol=rtol, atol=rtol * np.abs(expected).max())
    np.testing.assert_allclose(
        blockwise.embedding_.compute(), whole.embedding_, atol=1e-7 * np.abs(whole.embedding_).max()
    )


# --- The same as in memory


@pytest.mark.parametrize("chunks", [(100,) * 17 + (97,), (1797,), (1, 1796), (0, 900, 0, 897), (1796, 1)], ids=str)
def test_blocks_of_any_size_give_the_pca_of_the_whole_with_its_signs(chunks):
    assert_same_fit(fit_pca(array.from_array(DIGITS, chunks=(chunks, -1)), 6), PCA(6).fit(DIGITS))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
def test_other_types_of_numbers_are_converted_to_double_precision(dtype):
    X = DIGITS.astype(dtype)
    assert_same_fit(fit_pca(in_blocks(X), 3), PCA(3).fit(X.astype(float)))


@pytest.mark.parametrize("offset", [1e4, -1e8])
def test_points_far_from_zero_lose_no_more_digits_than_they_have(offset):
    X = DIGITS[:, 2:8] + offset
    assert_same_fit(fit_pca(in_blocks(X), 2), PCA(2).fit(X), rtol=1e-7)


def test_rows_that_are_worked_on_in_parts_give_the_same(monkeypatch):
    monkeypatch.setattr("dimred_lessons.memory.BLOCK", 64 * 50)
    assert_same_fit(fit_pca(in_blocks(DIGITS, 700), 5), PCA(5).fit(DIGITS))


def test_all_components_are_those_of_positive_variance():
    X = np.column_stack([ROLL, ROLL @ [1, 2, 3]])
    assert len(fit_pca(in_blocks(X), None).eigenvalues_) == 3


def test_the_first_of_equal_magnitudes_determines_the_sign_as_in_memory():
    X = np.array([[3.0, 1], [-3, 1], [3, -1], [-3, -1], [-3, 0], [3, 0]])
    assert_same_fit(fit_pca(in_blocks(X, 2), 2), PCA(2).fit(X))
    assert_same_fit(fit_pca(in_blocks(X[::-1], 1), 2), PCA(2).fit(X[::-1]))


def test_two_runs_give_the_same_bits():
    first, second = (fit_pca(in_blocks(DIGITS), 4) for _ in range(2))
    assert np.array_equal(first.components_, second.components_)


def test_a_pca_of_blocks_places_and_reconstructs_like_any_other():
    blockwise, whole = fit_pca(in_blocks(DIGITS), 4), PCA(4).fit(DIGITS)
    np.testing.assert_allclose(blockwise.transform(DIGITS[:9]), whole.transform(DIGITS[:9]))
    rebuilt, expected = (method.inverse_transform(whole.embedding_[:9]) for method in (blockwise, whole))
    np.testing.assert_allclose(rebuilt, expected, atol=1e-12)
    np.testing.assert_allclose(transform(blockwise, in_blocks(DIGITS)).compute(), whole.embedding_, atol=1e-9)


METHODS = [
    PCA(2),
    KernelPCA(2),
    ClassicalMDS(2),
    Isomap(n_neighbors=8),
    Isomap(n_neighbors=8, n_landmarks=50, random_state=0),
    LocallyLinearEmbedding(n_neighbors=8),
    LaplacianEigenmaps(n_neighbors=8),
    StandardScaler(),
    Nystroem(n_components=40, random_state=0),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_new_points_in_blocks_get_the_places_that_they_get_together(method):
    method.fit(ROLL)
    new = swiss_roll(500, random_state=1)[0]
    Y = transform(method, array.from_array(new, chunks=((200, 0, 200, 100), -1)))
    expected = method.transform(new)
    assert Y.chunks[0] == (200, 0, 200, 100) and Y.shape == expected.shape
    np.testing.assert_allclose(Y.compute(), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_nothing_is_computed_before_places_are_asked_for():
    fitted = PCA(2).fit(ROLL)
    assert transform(fitted, unreadable(30, 3)).shape == (30, 2)


# --- Refused in one sentence


def unreadable(n, D):
    """An array whose blocks cannot be read."""

    def read(block_info=None):
        raise AssertionError("a block was read")

    return array.map_blocks(read, chunks=((10,) * (n // 10), (D,)), meta=np.empty((0, 0)))


@pytest.mark.parametrize(
    "table, message",
    [
        (DIGITS, "X is of type ndarray: give a Dask array, or use the method itself."),
        (in_blocks(DIGITS)[:, 0], "X has 1 axes and the type float64: give a matrix of real numbers."),
        (in_blocks(DIGITS).astype(complex), "the type complex128: give a matrix of real numbers."),
        (in_blocks(DIGITS) > 3, "the type bool"),
        (unreadable(30, 8).rechunk({1: 3}), "X is cut across its columns, in 3 parts"),
        (unreadable(30, 3)[unreadable(30, 3)[:, 0] > 1], "X has blocks of unknown size"),
        (in_blocks(DIGITS[:1]), "X has n_samples=1, but a variance needs at least two points"),
    ],
)
def test_an_unsuitable_table_is_refused_before_it_is_read(table, message):
    with pytest.raises((TypeError, ValueError)) as refused:
        fit_pca(table)
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_selected_rows_work_once_their_numbers_are_known():
    X = in_blocks(DIGITS)
    some = X[X[:, 20] > 3]
    some.compute_chunk_sizes()
    assert_same_fit(fit_pca(some, 2), PCA(2).fit(DIGITS[DIGITS[:, 20] > 3]))


@pytest.mark.parametrize(
    "value, what",
    [
        (np.nan, ": Input X contains NaN: 1 entry, in row 1700, column 5"),
        (np.inf, ": Input X contains infinity: 1 entry, in row 1700, column 5"),
        (-np.inf, ": Input X contains infinity: 1 entry, in row 1700, column 5"),
        (1e200, " hold a number that is too large to be squared"),
    ],
)
def test_a_missing_number_in_a_late_block_is_named(value, what):
    X = DIGITS.copy()
    X[1700, 5] = value
    with pytest.raises(ValueError, match="^Rows 1650 to 1796 of X" + what):
        fit_pca(in_blocks(X))


def test_the_first_row_may_be_the_one_with_a_missing_number():
    X = DIGITS.copy()
    X[0, 5] = np.nan
    with pytest.raises(ValueError, match="^Input X contains NaN: 1 entry, in row 0, column 5"):
        fit_pca(in_blocks(X))


def test_a_masked_entry_of_a_block_is_missing():
    masked = array.ma.masked_equal(in_blocks(np.where(np.arange(64) == 7, 99, DIGITS)), 99)
    with pytest.raises(ValueError, match="^Input X contains NaN: 1 entry, in row 0, column 7"):
        fit_pca(masked)
    with pytest.raises(ValueError, match="contains NaN"):
        transform(PCA(2).fit(DIGITS), masked).compute()


def test_a_block_that_a_method_refuses_is_named_by_its_rows():
    X = ROLL.copy()
    X[390, 1] = np.nan
    Y = transform(Isomap(n_neighbors=8).fit(ROLL), in_blocks(X, 100))
    with pytest.raises(ValueError, match="^Rows 300 to 399 of X: .*NaN: 1 entry, in row 390, col") as refused:
        Y.compute()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "two"])
def test_n_components_is_checked_before_anything_is_read(wrong):
    with pytest.raises(ValueError, match="n_components="):
        fit_pca(unreadable(30, 3), wrong)


def test_more_components_than_the_data_have_are_refused_as_by_pca():
    X = np.column_stack([ROLL, ROLL[:, 0]])
    with pytest.raises(ValueError, match=r"n_components=4 is above the 3 that these data can give \(n_samples=400"):
        fit_pca(in_blocks(X), 4)


def test_a_method_has_to_place_new_points_and_to_be_fitted_to_these_columns():
    with pytest.raises(TypeError, match="MDS has no transform"):
        transform(manifold.MDS(), in_blocks(ROLL))
    with pytest.raises(ValueError, match="X has 64 columns, but PCA was fitted to 3"):
        transform(PCA(2).fit(ROLL), in_blocks(DIGITS))
    with pytest.raises(ValueError, match="not fitted"):
        transform(PCA(2), in_blocks(ROLL))


class Cluster:
    """What a client reports about two workers: one of them has little memory left for each of its threads."""

    def scheduler_info(self):
        worker = {"memory_limit": 2**30, "nthreads": 1, "metrics": {"memory": 2**28}}
        return {
            "workers": {"a": worker, "b": worker | {"nthreads": 4, "memory_limit": 0}, "c": worker | {"nthreads": 2}}
        }


def test_a_block_that_the_poorest_worker_cannot_hold_is_refused_with_the_rows_that_fit(monkeypatch):
    monkeypatch.setattr(large.distributed, "default_client", Cluster)
    X = array.zeros((10**6, 100), chunks=(10**6, -1))
    with pytest.raises(
        ValueError, match=r"^Working on a block of 1000000 × 100 numbers takes 827.2 MiB, but a process has 307.2 MiB "
    ) as e:
        fit_pca(X)
    fitting = int(str(e.value).split("rechunk X to ")[1].split()[0])
    large._require_memory_for_blocks(X.rechunk((fitting, -1)), 8 * (2 * 2**22 + 3 * 101**2))
    with pytest.raises(ValueError, match="rechunk X to"):
        transform(PCA(2).fit(np.eye(100)), X)


def test_where_not_even_one_row_fits_more_memory_is_asked_for(monkeypatch):
    monkeypatch.setattr(large, "physical_memory", lambda: 2**20)
    with pytest.raises(ValueError, match="give each process more memory"):
        fit_pca(in_blocks(DIGITS))


def test_without_dask_everything_else_works_and_this_module_says_what_to_install():
    code = (
        "import sys; sys.modules['dask'] = None\n"
        "import dimred_lessons, dimred_lessons.classroom.metrics\n"
        "try:\n    import dimred_lessons.large\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip().endswith("and Dask is not installed: pip install 'dask[array,distributed]'.")
