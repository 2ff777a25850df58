"""What the methods of a neighborhood graph have in common beyond the contract of all methods."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from support.comparisons import assert_equal_up_to_signs, assert_same_distances

from dimred_lessons import LTSA, HessianLLE, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding, SemidefiniteEmbedding
from dimred_lessons.classroom.datasets import digits, swiss_roll

METHODS = [Isomap, LocallyLinearEmbedding, LTSA, HessianLLE, LaplacianEigenmaps]
ROLL = swiss_roll(600)[0]


def small(method):
    return method(n_neighbors=8)


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


@pytest.mark.parametrize("method", [*METHODS, SemidefiniteEmbedding])
def test_separated_blobs_are_refused_with_their_sizes_or_bridged_with_a_warning(method):
    X = np.random.default_rng(0).random((60, 3)) + np.repeat([[0, 0, 0], [3, 0, 0]], [20, 40], axis=0)
    with pytest.raises(ValueError, match="n_neighbors=8 splits into 2 components of 40, 20 points"):
        small(method).fit(X)
    with pytest.warns(UserWarning, match="joined by 1 more edge"):
        Y = small(method).set_params(disconnected="bridge").fit(X).embedding_
    assert Y[:20, 0].max() < Y[20:, 0].min() or Y[20:, 0].max() < Y[:20, 0].min()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (ROLL[:8], {}, "n_neighbors=8 must be at most 7 .*n_samples=8, n_features=3"),
        (np.ones((20, 3)), {"n_neighbors": 19}, "All 20 points coincide: there is nothing to embed"),
        (ROLL, {"metric": "chess"}, "metric='chess' must be "),
        (ROLL, {"disconnected": "drop"}, "disconnected='drop' must be"),
        (ROLL, {"radius": 0.0}, "radius=0.0 must be a positive number"),
        (cdist(ROLL, ROLL)[:, :-1], {"metric": "precomputed"}, "The dissimilarity matrix must be square"),
        (np.triu(cdist(ROLL, ROLL)), {"metric": "precomputed"}, "The dissimilarity matrix is not symmetric"),
        (-cdist(ROLL, ROLL), {"metric": "precomputed"}, "the dissimilarity of 0 and 1 is -"),
    ],
)
def test_bad_input_is_named(method, X, parameters, message):
    with pytest.raises(ValueError, match=message):
        small(method).set_params(**parameters).fit(X)


def test_one_dimensional_data_come_back_as_a_line():
    x = np.sort(np.random.default_rng(0).random(100))[:, None]
    Y = Isomap(n_components=1, n_neighbors=10).fit(x).embedding_
    assert_same_distances(Y, x)
