import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from embeddings import assert_equal_up_to_signs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA as PeerPCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from dimred_lessons import PCA, DualPCA
from dimred_lessons.classroom import datasets

METHODS = [PCA, DualPCA]
both = pytest.mark.parametrize("Method", METHODS)


@pytest.fixture(scope="module")
def faces():
    return datasets.faces(n=120)[0]


def cloud(n=60, D=7, seed=0):
    """Points with a clear order of their variances and a mean far from zero."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, D)) * np.linspace(5, 1, D) @ np.linalg.qr(rng.normal(size=(D, D)))[0] + 10


@parametrize_with_checks([PCA(), DualPCA()])
@pytest.mark.filterwarnings("ignore:Skipping check check_array_api_input:UserWarning")
def test_scikit_learn_s_contract(estimator, check):
    check(estimator)


# --- Agreement


@pytest.mark.parametrize("data", ["cloud", "swiss roll", "s-curve", "digits", "faces"])
@both
def test_scores_and_directions_equal_scikit_learn_s(Method, data, faces):
    X = {
        "cloud": cloud,
        "swiss roll": lambda: datasets.swiss_roll(300)[0],
        "s-curve": lambda: datasets.s_curve(300)[0],
        "digits": lambda: datasets.digits(300)[0],
        "faces": lambda: faces,
    }[data]()
    ours, peer = Method(3).fit(X), PeerPCA(3, svd_solver="full").fit(X)
    assert_equal_up_to_signs(ours.embedding_, peer.transform(X))
    assert_equal_up_to_signs(ours.components_.T, peer.components_.T)
    np.testing.assert_allclose(ours.explained_variance_, peer.explained_variance_, rtol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_ratio_, peer.explained_variance_ratio_, rtol=1e-8)


def test_dual_pca_scores_equal_pca_scores():
    for shape in [(60, 7), (12, 300), (600, 40)]:  # 600: the iterative eigensolver
        X = cloud(*shape)
        np.testing.assert_allclose(DualPCA(3).fit_transform(X), PCA(3).fit_transform(X), atol=1e-8)


# --- What the method promises


@both
def test_transform_of_training_points_gives_their_embedding(Method):
    X = cloud()
    method = Method(3).fit(X)
    np.testing.assert_allclose(method.transform(X), method.embedding_, atol=1e-9)
    assert np.abs(method.transform(X + 1) - method.embedding_).max() > 0.1


@both
def test_reconstruction_error_is_the_sum_of_the_discarded_eigenvalues(Method):
    X = cloud()
    eigenvalues = PCA(None).fit(X).eigenvalues_
    for d in range(1, 7):
        method = Method(d).fit(X)
        missed = np.sum((X - method.inverse_transform(method.embedding_)) ** 2)
        np.testing.assert_allclose(missed, eigenvalues[d:].sum(), rtol=1e-8)


@both
def test_encoding_a_reconstruction_changes_nothing(Method):
    method = Method(2).fit(cloud())
    Y = np.random.default_rng(1).normal(size=(5, 2))
    np.testing.assert_allclose(method.transform(method.inverse_transform(Y)), Y, atol=1e-10)


@both
def test_none_gives_the_rank_of_the_centered_data(Method):
    assert Method(None).fit_transform(cloud(n=5, D=20)).shape == (5, 4)
    assert Method(None).fit_transform(cloud(n=50, D=3)).shape == (50, 3)


def test_explained_variance_is_the_variance_of_the_scores():
    pca = PCA(4).fit(cloud())
    np.testing.assert_allclose(pca.explained_variance_, pca.embedding_.var(axis=0, ddof=1))
    assert PCA(None).fit(cloud()).explained_variance_ratio_.sum() == pytest.approx(1)


matrices = st.builds(
    lambda n, D, seed: np.random.default_rng(seed).normal(size=(n, D)) * np.arange(1, D + 1),
    n=st.integers(5, 30),
    D=st.integers(3, 12),
    seed=st.integers(0, 10**6),
)
bounded = settings(max_examples=25, deadline=None, derandomize=True)


@both
@given(X=matrices, scale=st.floats(0.1, 10), seed=st.integers(0, 100))
@bounded
def test_shift_rotation_and_scale_of_the_data_scale_the_scores(Method, X, scale, seed):
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(X.shape[1],) * 2))[0]
    moved = Method(2).fit_transform(scale * X @ Q.T + 3)
    np.testing.assert_allclose(moved, scale * Method(2).fit_transform(X), atol=1e-6 * scale * np.abs(X).max())


@both
@given(X=matrices, seed=st.integers(0, 100))
@bounded
def test_permuting_the_points_permutes_the_scores(Method, X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    permuted, scores = Method(2).fit_transform(X[order]), Method(2).fit_transform(X)[order]
    assert_equal_up_to_signs(permuted, scores)


@both
@given(X=matrices)
@bounded
def test_no_random_subspace_misses_less(Method, X):
    method = Method(2).fit(X)
    missed = np.sum((X - method.inverse_transform(method.embedding_)) ** 2)
    centered = X - X.mean(axis=0)
    for seed in range(10):
        V = np.linalg.qr(np.random.default_rng(seed).normal(size=(X.shape[1], 2)))[0]
        assert np.sum((centered - centered @ V @ V.T) ** 2) >= missed * (1 - 1e-9)


# --- Large data


def test_dual_pca_needs_at_most_one_further_copy_of_wide_data():
    X = np.random.default_rng(0).normal(size=(50, 100_000))
    tracemalloc.start()
    DualPCA(2).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.1 * X.nbytes


# --- Frame


@both
def test_input_of_any_layout_gives_the_same_embedding(Method):
    X = cloud()
    expected = Method(2).fit_transform(X)
    read_only = X.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(Method(2).fit_transform(read_only), expected)
    np.testing.assert_allclose(Method(2).fit_transform(np.asfortranarray(X)), expected, atol=1e-9)
    np.testing.assert_allclose(Method(2).fit_transform(X.astype(np.float32)), expected, atol=1e-4)


@both
def test_fit_does_not_change_its_input_and_is_idempotent(Method):
    X = cloud()
    before = X.copy()
    method = Method(2)
    first = method.fit_transform(X)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(method.fit_transform(X), first)


@both
def test_it_stands_in_pipelines_and_names_its_columns(Method):
    pipeline = make_pipeline(StandardScaler(), clone(Method(2))).fit(cloud())
    assert pipeline.transform(cloud()).shape == (60, 2)
    name = Method.__name__.lower()
    np.testing.assert_array_equal(pipeline.get_feature_names_out(), [f"{name}0", f"{name}1"])


def test_two_processes_give_the_same_digits():
    program = (
        "import numpy as np; from dimred_lessons import PCA, DualPCA;"
        "X = np.random.default_rng(0).normal(size=(600, 40));"
        "print(PCA(3).fit_transform(X).tobytes().hex(), DualPCA(3).fit_transform(X).tobytes().hex())"
    )
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, check=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout and runs[0].stdout


# --- Bad input


BAD_INPUT = {
    "NaN": (np.array([[1, np.nan], [2, 3]]), "Input X contains NaN"),
    "infinity": (np.array([[1, np.inf], [2, 3]]), "Input X contains infinity"),
    "complex": (np.ones((3, 2)) * 1j, "Complex data not supported"),
    "strings": (np.array([["a", "b"], ["c", "d"]]), "could not convert string to float"),
    "no points": (np.empty((0, 3)), r"Found array with 0 sample\(s\)"),
    "one point": (np.ones((1, 3)), r"Found array with 1 sample\(s\)"),
    "one dimension": (np.ones(5), "Expected 2D array, got 1D array instead"),
    "constant": (np.ones((4, 3)), r"n_components=2 is above the 0 that these data can give \(n_samples=4, n_features=3\)"),
}


@both
@pytest.mark.parametrize("X, message", BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_data_are_refused_with_a_reason(Method, X, message):
    with pytest.raises(ValueError, match=message):
        Method().fit(X)


@both
@pytest.mark.parametrize("n", [7, 100, 1000])
def test_rounding_of_the_mean_is_no_component(Method, n):
    with pytest.raises(ValueError, match="above the 0 that these data can give"):
        Method(1).fit(np.full((n, 3), 0.1))
    assert Method(None).fit_transform(np.column_stack([np.full(n, 0.1), np.arange(n)])).shape == (n, 1)


@both
@pytest.mark.parametrize("d", [0, -1, 2.0, "two", True])
def test_a_number_of_components_that_is_no_positive_integer_is_refused(Method, d):
    with pytest.raises(ValueError, match="must be a positive integer, or None for all attainable"):
        Method(d).fit(cloud())


@both
def test_more_components_than_attainable_are_refused_with_the_number(Method):
    with pytest.raises(ValueError, match=r"n_components=5 is above the 3 .*\(n_samples=4, n_features=10\)"):
        Method(5).fit(cloud(n=4, D=10))


@both
def test_scores_of_another_width_cannot_be_reconstructed(Method):
    with pytest.raises(ValueError, match="Y has 3 columns, but this fit has 2 components"):
        Method(2).fit(cloud()).inverse_transform(np.ones((4, 3)))


@both
def test_new_points_of_another_width_are_refused(Method):
    with pytest.raises(ValueError, match="X has 3 features, but .* is expecting 7 features"):
        Method(2).fit(cloud()).transform(np.ones((4, 3)))
