"""What Isomap, LLE and Laplacian eigenmaps have in common: contract, new points, laws, bad input."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from embeddings import assert_equal_up_to_signs, assert_same_distances
from dimred_lessons import Isomap, LaplacianEigenmaps, LocallyLinearEmbedding, spectral
from dimred_lessons.classroom.datasets import digits, swiss_roll

METHODS = [Isomap, LocallyLinearEmbedding, LaplacianEigenmaps]
VARIANTS = [
    Isomap(),
    Isomap(n_neighbors=8, n_landmarks=60, random_state=0),
    Isomap(n_neighbors=8, conformal=True),
    Isomap(radius=5.0),
    LocallyLinearEmbedding(n_neighbors=10),
    LocallyLinearEmbedding(radius=5.0),
    LaplacianEigenmaps(),
    LaplacianEigenmaps(normalized=False),
    LaplacianEigenmaps(weights="binary"),
    LaplacianEigenmaps(radius=5.0),
]
ROLL = swiss_roll(600)[0]


def small(method):
    return method(n_neighbors=8)


def fails_checks_of_connected_data():
    """The checks of scikit-learn that fit two or three separated blobs of ten points."""
    return {
        "check_estimators_pickle",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    }


def results_of_checks(estimator):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s).*(falls into|Besides the constant|SCIPY_ARRAY_API)")
        return check_estimator(estimator, on_fail=None, on_skip=None)


@pytest.mark.parametrize("method", METHODS)
def test_all_checks_of_scikit_learn_pass_when_components_are_bridged(method):
    results = results_of_checks(method(disconnected="bridge"))
    assert [result["check_name"] for result in results if result["status"] in ("failed", "xfail")] == []
    assert sum(result["status"] == "passed" for result in results) > 40


@pytest.mark.parametrize("method", METHODS)
def test_by_default_exactly_the_checks_on_separated_blobs_fail_and_with_our_message(method):
    failed = [result for result in results_of_checks(method()) if result["status"] == "failed"]
    assert {result["check_name"] for result in failed} == fails_checks_of_connected_data()
    for result in failed:
        message = f"{result['exception']} {result['exception'].__cause__}"
        assert "falls into" in message and 'join them with disconnected="bridge"' in message


@pytest.mark.parametrize("estimator", VARIANTS, ids=str)
def test_a_training_point_is_placed_where_it_was_embedded_and_another_is_not(estimator):
    estimator = clone(estimator).fit(ROLL)
    Y = estimator.embedding_
    tolerance = 1e-6 * np.abs(Y).max()
    np.testing.assert_allclose(estimator.transform(ROLL), Y, rtol=0, atol=tolerance)
    np.testing.assert_allclose(estimator.transform(ROLL[7:9]), Y[7:9], rtol=0, atol=tolerance)
    assert np.abs(estimator.transform(ROLL[7:9] + 0.1) - Y[7:9]).max() > 100 * tolerance


@pytest.mark.parametrize("estimator", VARIANTS, ids=str)
def test_new_points_of_the_manifold_land_near_their_neighbors(estimator):
    estimator = clone(estimator).fit(ROLL[:500])
    new = estimator.transform(ROLL[500:])
    nearest = estimator.embedding_[np.argmin(cdist(ROLL[500:], ROLL[:500]), axis=1)]
    spread = estimator.embedding_.std(axis=0)
    assert np.median(np.abs(new - nearest) / spread) < 0.1


@pytest.mark.parametrize("estimator", VARIANTS, ids=str)
def test_rotation_and_shift_change_nothing_and_scaling_changes_what_it_should(estimator):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    Y = clone(estimator).fit(ROLL).embedding_
    assert_equal_up_to_signs(clone(estimator).fit(ROLL @ Q + 5).embedding_, Y)
    scaled = clone(estimator).set_params(radius=estimator.radius and 2 * estimator.radius).fit(2 * ROLL)
    factor = 2 if isinstance(estimator, Isomap) and not estimator.conformal else 1
    assert_equal_up_to_signs(scaled.embedding_, factor * Y)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_the_points_does_not_matter(method):
    order = np.random.default_rng(0).permutation(len(ROLL))
    expected = small(method).fit(ROLL).embedding_[order]
    assert_equal_up_to_signs(small(method).fit(ROLL[order]).embedding_, expected)


@pytest.mark.parametrize("method", METHODS)
def test_distances_serve_as_well_as_points(method):
    D, new = cdist(ROLL, ROLL), ROLL[:20] + 0.2
    by_points, by_distances = small(method).fit(ROLL), small(method).set_params(metric="precomputed").fit(D)
    assert_equal_up_to_signs(by_distances.embedding_, by_points.embedding_)
    assert_equal_up_to_signs(by_distances.transform(cdist(new, ROLL)), by_points.transform(new))
    assert by_distances.__sklearn_tags__().input_tags.pairwise


@pytest.mark.parametrize("method", METHODS)
def test_the_cosine_metric_sees_directions_only(method):
    X = digits(300)[0] + 1e-6 * np.random.default_rng(0).standard_normal((300, 64))
    lengths = np.linspace(1, 2, 300)[:, None]
    estimator, other = (method(n_neighbors=15, metric="cosine") for _ in range(2))
    assert_equal_up_to_signs(other.fit(lengths * X).embedding_, estimator.fit(X).embedding_)
    np.testing.assert_allclose(other.transform(3 * X[:5]), other.embedding_[:5], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_first_axes_do_not_depend_on_how_many_are_asked_for(method):
    Y = small(method).set_params(n_components=4).fit(ROLL).embedding_
    assert_equal_up_to_signs(Y[:, :2], small(method).fit(ROLL).embedding_)


@pytest.mark.parametrize("method", METHODS)
def test_single_precision_read_only_and_column_major_input_give_the_same_embedding(method):
    single = ROLL.astype(np.float32)
    expected = small(method).fit(single.astype(np.float64)).embedding_
    column_major = np.asfortranarray(single.astype(np.float64))
    column_major.setflags(write=False)
    for X in (single, column_major):
        np.testing.assert_array_equal(small(method).fit(X).embedding_, expected)


@pytest.mark.parametrize("method", METHODS)
def test_changing_the_data_after_the_fit_does_not_change_where_new_points_go(method):
    X = ROLL.copy()
    estimator = small(method).fit(X)
    expected = estimator.transform(ROLL[:5] + 0.1)
    X[:] = 0
    np.testing.assert_array_equal(estimator.transform(ROLL[:5] + 0.1), expected)


def test_two_processes_give_the_same_digits():
    code = (
        "import hashlib; from dimred_lessons import Isomap, LaplacianEigenmaps, LocallyLinearEmbedding\n"
        "from dimred_lessons.classroom.datasets import swiss_roll\n"
        "for m in (Isomap, LocallyLinearEmbedding, LaplacianEigenmaps):\n"
        "    print(hashlib.sha256(m(n_neighbors=8).fit(swiss_roll(600)[0]).embedding_.tobytes()).hexdigest())"
    )
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)]
    assert runs[0] == runs[1] and len(runs[0].split()) == 3


@pytest.mark.parametrize("method", METHODS)
def test_duplicates_are_harmless(method):
    X = np.vstack([ROLL[:300], ROLL[:40]])
    estimator = method(n_neighbors=12).fit(X)
    Y = estimator.embedding_
    assert np.isfinite(Y).all()
    assert np.abs(Y[:40] - Y[300:]).max() < 0.05 * np.abs(Y).max()
    assert np.isfinite(estimator.transform(X)).all()


@pytest.mark.parametrize("method", METHODS)
def test_separated_blobs_are_refused_with_their_sizes_or_bridged_with_a_warning(method):
    X = np.random.default_rng(0).random((60, 2)) + np.repeat([[0, 0], [3, 0]], [20, 40], axis=0)
    with pytest.raises(ValueError, match="n_neighbors=8 falls into 2 components of 40, 20 points"):
        small(method).fit(X)
    with pytest.warns(UserWarning, match="joined by 1 more edge"):
        Y = small(method).set_params(disconnected="bridge").fit(X).embedding_
    assert Y[:20, 0].max() < Y[20:, 0].min() or Y[20:, 0].max() < Y[:20, 0].min()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (np.where(ROLL == ROLL[0, 0], np.nan, ROLL), {}, "Input X contains NaN"),
        (np.where(ROLL == ROLL[0, 0], np.inf, ROLL), {}, "Input X contains infinity"),
        (ROLL * 1j, {}, "Complex data not supported"),
        (np.array([["a", "b"]] * 20), {}, "could not convert string to float"),
        (np.empty((0, 3)), {}, r"Found array with 0 sample\(s\)"),
        (ROLL[:1], {}, r"Found array with 1 sample\(s\)"),
        (ROLL[:8], {}, "n_neighbors=8 must be an integer between 1 and 7.*n_samples=8, n_features=3"),
        (np.ones((20, 3)), {"n_neighbors": 19}, "All 20 points coincide: there is nothing to embed"),
        (ROLL, {"n_components": 0}, "n_components=0 must be a positive integer"),
        (ROLL, {"n_components": 1.5}, "n_components=1.5 must be a positive integer"),
        (ROLL, {"metric": "chess"}, "metric='chess' must be one of"),
        (ROLL, {"disconnected": "drop"}, "disconnected='drop' must be"),
        (ROLL, {"radius": 0.0}, "radius=0.0 must be a positive number"),
        (cdist(ROLL, ROLL)[:, :-1], {"metric": "precomputed"}, "The dissimilarity matrix must be square"),
        (np.triu(cdist(ROLL, ROLL)), {"metric": "precomputed"}, "The dissimilarity matrix is not symmetric"),
        (-cdist(ROLL, ROLL), {"metric": "precomputed"}, "Negative values in data: the dissimilarity of 0 and 1 is -"),
    ],
)
def test_bad_input_is_named(method, X, parameters, message):
    with pytest.raises(ValueError, match=message):
        small(method).set_params(**parameters).fit(X)


def test_only_methods_that_form_square_matrices_refuse_what_does_not_fit_into_memory(monkeypatch):
    machine = {"SC_PHYS_PAGES": 2**10, "SC_PAGE_SIZE": 2**12}
    monkeypatch.setattr(spectral.os, "sysconf", machine.get)
    message = r"3 matrices of 600 × 600 numbers need 0.0 GiB.*place the others with transform.*n_landmarks"
    with pytest.raises(ValueError, match=message):
        Isomap().fit(ROLL)
    for estimator in (Isomap(n_landmarks=50, random_state=0), LocallyLinearEmbedding(), LaplacianEigenmaps()):
        estimator.fit(ROLL)

    def cannot_tell(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(spectral.os, "sysconf", cannot_tell)
    Isomap().fit(ROLL)


def test_one_dimensional_data_come_back_as_a_line():
    x = np.sort(np.random.default_rng(0).random(100))[:, None]
    Y = Isomap(n_components=1, n_neighbors=10).fit(x).embedding_
    assert_same_distances(Y, x)
