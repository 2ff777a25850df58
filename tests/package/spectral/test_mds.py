"""Classical MDS against PCA, scikit-learn and its own laws; and distances that no points have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import manifold
from sklearn.base import clone

from dimred_lessons import PCA, ClassicalMDS, DualPCA, KernelPCA, StressMDS, memory
from dimred_lessons.distances import SCALING_METRICS
from dimred_lessons.kernels import kernel_from_squared_distances
from support.comparisons import assert_equal_up_to_signs, assert_same_distances

PROPERTY = settings(max_examples=25, deadline=None, derandomize=True)


def points(n=60, D=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) * np.arange(1, D + 1) + 3


def distances(X, metric="euclidean"):
    return squareform(pdist(X, metric))


def sphere_geodesics(n=60, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return np.arccos(np.clip(X @ X.T, -1, 1)) * (1 - np.eye(n))


def any_dissimilarities(n=60, seed=0):
    return squareform(np.random.default_rng(seed).uniform(0.5, 2, n * (n - 1) // 2))


NON_EUCLIDEAN = {
    "city block": lambda n: distances(points(n), "cityblock"),
    "sphere": sphere_geodesics,
    "random": any_dissimilarities,
}


# Points


@pytest.mark.parametrize("shape", [(60, 5), (700, 5), (20, 60), (700, 600), (520, 600)])
def test_mds_of_points_is_pca(shape):
    X = np.random.default_rng(0).standard_normal(shape) * np.linspace(1, 3, shape[1])
    model, pca = ClassicalMDS(n_components=3).fit(X), PCA(n_components=3).fit(X)
    assert_equal_up_to_signs(model.embedding_, pca.embedding_, 1e-8)
    assert_equal_up_to_signs(model.embedding_, DualPCA(n_components=3).fit_transform(X), 1e-8)
    new = X[::-1] + 0.3
    expected = np.vstack([pca.embedding_, pca.transform(new)])
    assert_equal_up_to_signs(np.vstack([model.embedding_, model.transform(new)]), expected)


@pytest.mark.parametrize("n, D", [(30, 3), (30, 20), (600, 3)])
def test_rounding_to_single_precision_is_no_component(n, D):
    given = distances(points(n, D)).astype(np.float32)
    for D_single in (given, given.astype(float)):
        model = ClassicalMDS(None, metric="precomputed").fit(D_single)
        assert model.embedding_.shape == (n, D)
        assert model.negative_mass_ == 0
        with pytest.raises(ValueError, match=f"n_components={D + 1} is above the {D} that these data can give"):
            ClassicalMDS(D + 1, metric="precomputed").fit(D_single)


def test_integer_distances_lose_no_component():
    rng = np.random.default_rng(0)
    steps = np.abs(np.subtract.outer(*2 * [rng.permutation(2000)[:40]])).astype(float)
    both = np.hypot(steps, np.abs(np.subtract.outer(*2 * [np.arange(40) % 2])))
    assert ClassicalMDS(None, metric="precomputed").fit(steps).embedding_.shape[1] == 1
    assert ClassicalMDS(None, metric="precomputed").fit(both).embedding_.shape[1] == 2


def test_mds_is_kernel_pca_of_the_kernel_of_its_distances():
    D = distances(points())
    model = ClassicalMDS(n_components=3, metric="precomputed").fit(D)
    kernel_pca = KernelPCA(n_components=3, kernel="precomputed").fit(-0.5 * D**2)
    np.testing.assert_allclose(model.kernel_, kernel_pca.kernel_, atol=1e-12 * np.abs(model.kernel_).max())
    assert_equal_up_to_signs(model.embedding_, kernel_pca.embedding_, 1e-8)
    new = cdist(points(4, seed=1), points())
    assert_equal_up_to_signs(model.transform(new), kernel_pca.transform(-0.5 * new**2))


@PROPERTY
@given(n=st.integers(2, 30), D=st.integers(1, 6), scale=st.floats(1e-3, 1e3), seed=st.integers(0, 1000))
def test_euclidean_distances_are_reproduced_at_full_rank(n, D, scale, seed):
    X = scale * np.random.default_rng(seed).standard_normal((n, D))
    of_points, of_distances = ClassicalMDS(None), ClassicalMDS(None, metric="precomputed")
    for model, given_data in [(of_points, X), (of_distances, distances(X))]:
        Y = model.fit_transform(given_data)
        assert Y.shape == (n, min(D, n - 1))
        assert_same_distances(Y, X)
        assert model.negative_mass_ == 0
        np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-9 * scale)
        np.testing.assert_allclose(Y.T @ Y, np.diag(model.eigenvalues_), atol=1e-9 * model.eigenvalues_[0])


# Dissimilarities that no points have


@pytest.mark.parametrize("n", [60, 600])
@pytest.mark.parametrize("name", NON_EUCLIDEAN)
def test_negative_eigenvalues_are_left_out_and_their_mass_is_reported(name, n):
    D = NON_EUCLIDEAN[name](n)
    model = ClassicalMDS(n_components=3, metric="precomputed").fit(D)
    eigenvalues = np.linalg.eigvalsh(kernel_from_squared_distances(D**2))
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_allclose(model.eigenvalues_, eigenvalues[:-4:-1], rtol=1e-8)
    mass = -eigenvalues[eigenvalues < 0].sum() / np.abs(eigenvalues).sum()
    assert mass > 0.01
    assert model.negative_mass_ == pytest.approx(mass, rel=1e-6)


@pytest.mark.parametrize("name", NON_EUCLIDEAN)
def test_all_positive_eigenvalues_make_squared_distances_grow_never_shrink(name):
    D = NON_EUCLIDEAN[name](60)
    Y = ClassicalMDS(n_components=None, metric="precomputed").fit_transform(D)
    assert (distances(Y) ** 2 >= D**2 - 1e-9 * D.max() ** 2).all()
    assert Y.shape[1] < 59


@pytest.mark.skipif(not hasattr(manifold, "ClassicalMDS"), reason="this scikit-learn has no classical scaling")
def test_scikit_learn_returns_nan_where_we_refuse():
    D = any_dissimilarities(20)
    with np.errstate(invalid="ignore"):
        assert np.isnan(manifold.ClassicalMDS(n_components=19, metric="precomputed").fit_transform(D)).any()
    positive = int(np.sum(np.linalg.eigvalsh(kernel_from_squared_distances(D**2)) > 1e-9))
    with pytest.raises(ValueError, match=f"n_components=19 is above the {positive} that these data can give"):
        ClassicalMDS(n_components=19, metric="precomputed").fit(D)


def by_metric(X, Z, metric):
    """Distances by SciPy; "cosine" is the chord between directions."""
    if metric == "cosine":
        return np.sqrt(2 * cdist(X, Z, "cosine").clip(0))
    return cdist(X, Z, "cityblock" if metric == "manhattan" else metric)


@pytest.mark.parametrize("metric", [metric for metric in SCALING_METRICS if metric != "precomputed"])
@pytest.mark.parametrize("n_landmarks", [None, 12])
@pytest.mark.parametrize("method", [ClassicalMDS(), StressMDS(max_iter=50, tol=1e-3)])
def test_any_metric_gives_the_map_of_its_distances_precomputed(method, metric, n_landmarks):
    X, new = points() + 1, points(7, seed=1) + 1
    D = by_metric(X, X, metric)
    np.fill_diagonal(D, 0)
    model = clone(method).set_params(metric=metric, n_landmarks=n_landmarks).fit(X)
    matrix = clone(method).set_params(metric="precomputed", n_landmarks=n_landmarks).fit((D + D.T) / 2)
    tolerance = 1e-5 * np.abs(matrix.embedding_).max()
    np.testing.assert_allclose(model.embedding_, matrix.embedding_, atol=tolerance)
    np.testing.assert_allclose(model.transform(new), matrix.transform(by_metric(new, X, metric)), atol=tolerance)
    if isinstance(method, ClassicalMDS):
        assert model.negative_mass_ == pytest.approx(matrix.negative_mass_, abs=1e-9)


def test_objects_need_not_be_vectors():
    words = ["cat", "cart", "card", "care", "bat", "bath", "path", "math", "mat", "rat"]

    def edits(a, b):  # Levenshtein distance
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            diagonal, row[0] = row[0], i
            for j, y in enumerate(b, 1):
                diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
        return row[-1]

    D = np.array([[edits(a, b) for b in words] for a in words])
    model = ClassicalMDS(metric="precomputed").fit(D)
    assert np.isfinite(model.embedding_).all() and 0 < model.negative_mass_ < 0.3


# New points


def test_new_points_placed_by_their_distances_keep_them():
    X, new = points(), points(8, seed=1)
    model = ClassicalMDS(n_components=5, metric="precomputed").fit(distances(X))
    placed = model.transform(cdist(new, X))
    np.testing.assert_allclose(cdist(placed, model.embedding_), cdist(new, X), rtol=1e-8)


@pytest.mark.parametrize("name", NON_EUCLIDEAN)
def test_training_rows_of_dissimilarities_that_no_points_have_are_placed_where_they_are(name):
    D = NON_EUCLIDEAN[name](60)
    model = ClassicalMDS(n_components=4, metric="precomputed").fit(D)
    np.testing.assert_allclose(model.transform(D), model.embedding_, atol=1e-9)


# Landmarks


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed"])
def test_all_points_as_landmarks_give_the_exact_map(metric):
    X, new = points(), points(8, seed=1)
    if metric == "precomputed":
        X, new = distances(X, "cityblock"), cdist(new, X, "cityblock")
    exact, landmarks = (ClassicalMDS(3, n_landmarks=m, metric=metric).fit(X) for m in (None, 60))
    assert_equal_up_to_signs(landmarks.embedding_, exact.embedding_, 1e-8)
    assert_equal_up_to_signs(landmarks.transform(new), exact.transform(new), 1e-8)
    np.testing.assert_array_equal(exact.landmarks_, np.arange(60))


@PROPERTY
@given(n=st.integers(8, 40), D=st.integers(1, 3), seed=st.integers(0, 1000))
def test_landmarks_at_full_rank_reproduce_all_distances(n, D, seed):
    X = np.random.default_rng(seed).standard_normal((n, D))
    for metric, given_data in (("euclidean", X), ("precomputed", distances(X))):
        Y = ClassicalMDS(D, n_landmarks=D + 2, metric=metric, random_state=seed).fit_transform(given_data)
        np.testing.assert_allclose(distances(Y), distances(X), atol=1e-5 * np.ptp(X))


def test_distances_among_other_points_are_lost_and_those_to_landmarks_decide():
    D = distances(points(), "cityblock")
    model = ClassicalMDS(n_landmarks=20, metric="precomputed").fit(D)
    others = np.setdiff1d(np.arange(60), model.landmarks_)
    D[np.ix_(others, others)] *= 2
    np.testing.assert_allclose(
        ClassicalMDS(n_landmarks=20, metric="precomputed").fit_transform(D), model.embedding_, atol=1e-9
    )
    assert model.kernel_.shape == (20, 20) and model.mean_squared_distances_.shape == (20,)


def test_more_landmarks_lower_the_strain():
    X = points(300)
    K = kernel_from_squared_distances(distances(X, "cityblock") ** 2)

    def strain(m, seed=0):
        Y = ClassicalMDS(n_landmarks=m, metric="cityblock", random_state=seed).fit_transform(X)
        return np.sum((K - (Y - Y.mean(axis=0)) @ (Y - Y.mean(axis=0)).T) ** 2)

    few, more = (np.median([strain(m, seed) for seed in range(5)]) for m in (5, 100))
    assert few > more > strain(None)


def test_landmarks_are_drawn_by_the_random_state_alone():
    drawn = [ClassicalMDS(n_landmarks=20, random_state=seed).fit(points()).landmarks_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()


def test_landmarks_of_many_points_never_make_an_n_by_n_array():
    import tracemalloc

    X = points(20_000, 3)  # n × n would be 3.2 GB
    tracemalloc.start()
    ClassicalMDS(n_landmarks=100, metric="cityblock").fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_too_many_landmarks_for_the_memory_are_refused_with_their_number(monkeypatch):
    monkeypatch.setattr(memory, "physical_memory", lambda: 1e4)
    with pytest.raises(ValueError, match="2 matrices of 50 × 50 numbers need 39.06 KiB, .*: choose fewer landmarks"):
        ClassicalMDS(n_landmarks=50, metric="cityblock").fit(points())


# The frame


def test_duplicates_are_harmless():
    X = np.repeat(points(20), 3, axis=0)
    for model, given_data in [(ClassicalMDS(), X), (ClassicalMDS(metric="precomputed"), distances(X))]:
        Y = model.fit_transform(given_data)
        np.testing.assert_allclose(Y[::3], Y[1::3], atol=1e-10)


def test_another_metric_forgets_the_fit_before():
    X = points()
    again = ClassicalMDS(metric="cityblock").fit(X).set_params(metric="euclidean").fit(X)
    assert again.kernel_ is None and again.negative_mass_ == 0
    np.testing.assert_array_equal(again.embedding_, ClassicalMDS().fit(X).embedding_)


def test_points_of_the_euclidean_metric_never_make_an_n_by_n_array():
    import tracemalloc

    X = points(20_000, 3)  # n × n would be 3.2 GB
    tracemalloc.start()
    ClassicalMDS().fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


# Bad input


def broken(i, j, value):
    D = distances(points(6))
    D[i, j] = value
    return D


def negative():
    D = distances(points(6))
    D[1, 3] = D[3, 1] = -2
    return D


@pytest.mark.parametrize(
    "parameters, X, message",
    [
        ({}, np.full((5, 3), 0.1), "n_components=2 is above the 0 that these data can give"),
        ({}, np.full((5, 30), 0.1), "n_components=2 is above the 0 that these data can give"),
        ({"metric": "cityblock"}, np.full((5, 3), 0.1), "n_components=2 is above the 0 that"),
        ({"metric": "precomputed"}, np.zeros((4, 4)), "n_components=2 is above the 0 that"),
        ({}, points()[:, :1], "n_components=2 is above the 1 that"),
        ({}, points(3000)[:, [0, 0, 0]], "n_components=2 is above the 1 that"),
        ({"n_components": 6}, points(), "n_components=6 is above the 5 that"),
        ({"n_landmarks": 2}, points(), "n_landmarks=2 must be above n_components=2 and at most n_samples=60"),
        ({"n_landmarks": 61}, points(), "n_landmarks=61 must be above n_components=2 and at most n_samples=60"),
        ({"n_landmarks": 4, "metric": "precomputed"}, broken(2, 4, 9.5), "not symmetric: entry"),
        ({"n_landmarks": 4, "metric": "precomputed"}, negative(), "the dissimilarity of 1 and 3 is -2"),
        ({"n_components": 6}, points(6, 30), "n_components=6 is above the 5 that"),
        (
            {"n_components": 6, "metric": "precomputed"},
            distances(points()),
            "n_components=6 is above the 5 that",
        ),
        (
            {"n_components": 6, "metric": "precomputed"},
            distances(points(700)),
            "n_components=6 is above the 5 that",
        ),
        (
            {"metric": "hamming"},
            points(),
            'metric=\'hamming\' must be "euclidean", "cosine", "cityblock", "manhattan", "chebyshev" or "precomputed"',
        ),
        ({"metric": "precomputed"}, points(6), r"must be square, .* its shape is \(6, 5\)"),
        (
            {"metric": "precomputed"},
            broken(2, 4, 9.5),
            r"not symmetric: entry \(2, 4\) is 9.5, but entry \(4, 2\) is",
        ),
        (
            {"metric": "precomputed"},
            broken(3, 3, 0.5),
            "of object 3 with itself is 0.5: the diagonal must be zero",
        ),
        (
            {"metric": "precomputed"},
            negative(),
            "Negative values in data: the dissimilarity of 1 and 3 is -2",
        ),
    ],
)
def test_bad_input_to_fit_is_refused_with_a_sentence(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        ClassicalMDS(**parameters).fit(X)


@pytest.mark.parametrize("n", [2, 3, 30, 100, 600])
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal")
def test_equidistant_objects_are_the_corners_of_a_simplex(n):
    apart = np.ones((n, n)) - np.eye(n)
    for d in sorted({1, 2, n - 2, n - 1} & set(range(1, n))):
        model = ClassicalMDS(d, metric="precomputed").fit(apart)
        np.testing.assert_allclose(model.eigenvalues_, 0.5)
        assert model.embedding_.shape == (n, d)
    assert_same_distances(model.embedding_, np.eye(n) / np.sqrt(2))
    with pytest.raises(ValueError, match=f"n_components={n} is above the {n - 1} "):
        ClassicalMDS(n, metric="precomputed").fit(apart)
