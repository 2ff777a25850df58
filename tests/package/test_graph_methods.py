"""What the methods of a neighborhood graph have in common beyond the contract of all methods."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import manifold
from sklearn.base import clone
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer
from sklearn.pipeline import make_pipeline

from dimred_lessons import (
    LTSA,
    HessianLLE,
    Isomap,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    SemidefiniteEmbedding,
    reference,
)
from dimred_lessons.classroom.datasets import digits, swiss_roll
from dimred_lessons.eigenpairs import bottom_eigenpairs
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.reconstruction import reconstruction_cost, reconstruction_matrix
from dimred_lessons.tangents import hessian_cost, tangent_cost
from support.comparisons import assert_equal_up_to_signs, assert_same_distances

METHODS = [Isomap, LocallyLinearEmbedding, LTSA, HessianLLE, LaplacianEigenmaps]
ROLL = swiss_roll(600)[0]
BLOBS = np.random.default_rng(0).random((60, 3)) + np.repeat([[0, 0, 0], [3, 0, 0]], [20, 40], axis=0)


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
@pytest.mark.parametrize("parameters", [{}, {"radius": 7.0}], ids=["neighbors", "radius"])
def test_the_equations_alone_give_the_same_places(method, parameters):
    X, new = ROLL[:300], ROLL[300:310]
    fitted = small(method).set_params(**parameters).fit(X)
    with reference():
        by_definition = clone(fitted).fit(X)
        placed = by_definition.transform(new)
    assert_equal_up_to_signs(by_definition.embedding_, fitted.embedding_)
    assert_equal_up_to_signs(placed, fitted.transform(new))


@pytest.mark.parametrize("method", METHODS)
def test_with_a_radius_no_number_of_neighbors_is_needed_and_without_one_it_is(method):
    X, new = ROLL[:300], ROLL[300:310]
    expected, fitted = small(method).set_params(radius=7.0).fit(X), method(n_neighbors=None, radius=7.0).fit(X)
    np.testing.assert_array_equal(fitted.embedding_, expected.embedding_)
    np.testing.assert_array_equal(fitted.transform(new), expected.transform(new))
    with pytest.raises(ValueError, match="n_neighbors=None needs a radius: give one of them"):
        method(n_neighbors=None).fit(X)


@pytest.mark.parametrize("method", METHODS)
def test_the_cosine_metric_uses_directions_only(method):
    X = digits(300)[0] + 1e-6 * np.random.default_rng(0).standard_normal((300, 64))
    lengths = np.linspace(1, 2, 300)[:, None]
    estimator, other = (method(n_neighbors=15, metric="cosine") for _ in range(2))
    assert_equal_up_to_signs(other.fit(lengths * X).embedding_, estimator.fit(X).embedding_)
    np.testing.assert_allclose(other.transform(3 * X[:5]), other.embedding_[:5], atol=1e-6)


@pytest.mark.parametrize("method", [*METHODS, SemidefiniteEmbedding])
def test_separated_blobs_are_refused_with_their_sizes_or_bridged_with_a_warning(method):
    X = BLOBS
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


NEW = swiss_roll(100, random_state=1)[0]


def stored(X, n_neighbors, Z=None):
    """Distances of rows of Z, or of X, to their nearest rows of X, as scikit-learn stores them."""
    transformer = KNeighborsTransformer(mode="distance", n_neighbors=n_neighbors).fit(X)
    return transformer.transform(X if Z is None else Z)


@pytest.mark.parametrize("n_stored", [8, 30])
@pytest.mark.parametrize(
    "method",
    [
        Isomap(n_neighbors=8),
        Isomap(n_neighbors=8, conformal=True),
        Isomap(n_neighbors=8, n_landmarks=60, random_state=0),
        LaplacianEigenmaps(n_neighbors=8),
    ],
    ids=str,
)
def test_distances_to_neighbors_alone_give_the_same_embedding(method, n_stored):
    by_points, by_neighbors = clone(method).fit(ROLL), clone(method).set_params(metric="precomputed")
    pipeline = make_pipeline(KNeighborsTransformer(mode="distance", n_neighbors=n_stored), by_neighbors).fit(ROLL)
    np.testing.assert_array_equal(by_neighbors.embedding_, by_points.embedding_)
    if isinstance(method, Isomap):
        np.testing.assert_array_equal(pipeline.transform(NEW), by_points.transform(NEW))
    assert by_neighbors.__sklearn_tags__().input_tags.sparse and not by_points.__sklearn_tags__().input_tags.sparse


def test_new_points_of_laplacian_eigenmaps_need_several_times_k_stored_neighbors():
    expected = LaplacianEigenmaps(n_neighbors=8).fit(ROLL).transform(NEW)
    method, errors = LaplacianEigenmaps(n_neighbors=8, metric="precomputed").fit(stored(ROLL, 8)), {}
    for n_stored in (8, 60):
        errors[n_stored] = np.abs(method.transform(stored(ROLL, n_stored, NEW)) - expected).max()
    size = np.abs(expected).max()
    assert 1e-3 * size < errors[8] < 0.2 * size and errors[60] < 1e-14 * size


@pytest.mark.parametrize("method", [Isomap, LaplacianEigenmaps])
def test_copies_and_radii_and_single_precision_pass_through_sparse_distances(method):
    copies = np.concatenate([ROLL, ROLL[:5]])
    expected = small(method).fit(copies).embedding_
    found = small(method).set_params(metric="precomputed").fit(stored(copies, 10))
    assert found.graph_.nnz > np.count_nonzero(found.graph_.data)
    np.testing.assert_array_equal(found.embedding_, expected)
    single = small(method).set_params(metric="precomputed").fit(stored(ROLL, 10).astype(np.float32))
    assert single.embedding_.dtype == np.float64
    assert_equal_up_to_signs(single.embedding_, small(method).fit(ROLL).embedding_, tolerance=1e-3)
    within = RadiusNeighborsTransformer(mode="distance", radius=4.0).fit_transform(ROLL)
    np.testing.assert_allclose(
        method(metric="precomputed", radius=4.0).fit(within).embedding_, method(radius=4.0).fit(ROLL).embedding_,
        atol=1e-9,
    )  # fmt: skip


def test_isomap_of_a_sparse_graph_is_that_of_scikit_learn():
    graph = stored(ROLL, 10)
    peer = manifold.Isomap(n_neighbors=10, metric="precomputed").fit(graph)
    assert_equal_up_to_signs(Isomap(n_neighbors=10, metric="precomputed").fit(graph).embedding_, peer.embedding_)


@pytest.mark.parametrize("method", [Isomap, LaplacianEigenmaps])
def test_distances_that_contradict_each_other_are_refused_in_the_same_words_whether_sparse_or_dense(method):
    table, words = cdist(ROLL[:60], ROLL[:60]), []
    table[20, 3] *= 2
    for X in (table, sparse.csr_array(table), sparse.coo_array(table)):
        with pytest.raises(ValueError, match="correct one, or take their mean") as refused:
            small(method).set_params(metric="precomputed").fit(X)
        words.append(str(refused.value))
    assert words[0] == words[1] == words[2]


@pytest.mark.parametrize("method", [Isomap, LaplacianEigenmaps])
def test_of_two_directions_that_rounding_has_changed_the_mean_counts_and_one_alone_is_enough(method):
    near = method(metric="precomputed", radius=4.0)
    rounded = sparse.csr_array(RadiusNeighborsTransformer(mode="distance", radius=4.0).fit_transform(ROLL))
    rounded.data = rounded.data * (1 + 1e-9 * np.random.default_rng(0).standard_normal(rounded.nnz))
    lengths = [clone(near).fit(X).graph_.toarray() for X in (rounded, rounded.T.tocsr())]
    np.testing.assert_array_equal(*lengths)
    np.testing.assert_array_equal(lengths[0], lengths[0].T)
    one_way = sparse.csr_array(np.triu(cdist(ROLL, ROLL)))
    assert_equal_up_to_signs(near.fit(one_way).embedding_, method(radius=4.0).fit(ROLL).embedding_)


def one_entry_changed(value):
    """Distances to neighbors, as they are stored, with another one between the first and the last point."""
    X = sparse.coo_array(stored(ROLL, 10))
    rows, columns = X.coords
    both = [0, 599], [599, 0]
    entries = np.append(X.data, [value, 7]), (np.append(rows, both[0]), np.append(columns, both[1]))
    return sparse.csr_array(entries, shape=X.shape)


CONTRADICTORY, COPY_IN_ONE_DIRECTION = one_entry_changed(8), one_entry_changed(0)


@pytest.mark.parametrize("method", [Isomap, LaplacianEigenmaps])
@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (stored(ROLL, 4), {}, "Row 0 of X stores 4 distances to other points, fewer than the 8 neighbors"),
        (stored(ROLL, 9)[:100], {}, "Sparse distances must be square, with a row for each point"),
        (-stored(ROLL, 9), {}, "Negative values in data"),
        (stored(ROLL, 9) + sparse.eye_array(600), {}, "The distance of point 0 from itself is 1: the diagonal"),
        (stored(BLOBS, 9), {}, "splits into 2 components of 40, 20 points: raise n_neighbors"),
        (stored(BLOBS, 9), {"disconnected": "bridge"}, "sparse distances do not say how far apart these are"),
        (stored(np.ones((20, 3)), 9), {}, "All 20 points coincide"),
        (CONTRADICTORY, {}, r"not symmetric: entry \(0, 599\) is 8, but entry \(599, 0\) is 7; correct one"),
        (CONTRADICTORY.T, {}, r"not symmetric: entry \(0, 599\) is 7, but entry \(599, 0\) is 8; correct one"),
        (COPY_IN_ONE_DIRECTION, {}, r"not symmetric: entry \(0, 599\) is 0, but entry \(599, 0\) is 7; correct one"),
    ],
)
def test_invalid_sparse_distances_are_named(method, X, parameters, message):
    with pytest.raises(ValueError, match=message):
        small(method).set_params(metric="precomputed", **parameters).fit(X)


def test_local_fits_say_what_to_do_with_sparse_distances():
    X = stored(ROLL, 9)
    with pytest.raises(ValueError, match="fit the points, or take reconstruction_matrix of points and lists"):
        LocallyLinearEmbedding(metric="precomputed").fit(X)
    with pytest.raises(ValueError, match="distances between neighbors, too, which a sparse X lacks"):
        reconstruction_matrix(X, X, metric="precomputed")
    for cost in (tangent_cost, hessian_cost):
        with pytest.raises(ValueError, match="distances between neighbors, too, which a sparse X lacks: give points"):
            cost(X, neighbor_lists(X, 8, metric="precomputed"), 2, metric="precomputed")
    lists = neighbor_lists(X, 8, metric="precomputed")  # the way that the message shows
    _, U = bottom_eigenpairs(reconstruction_cost(reconstruction_matrix(ROLL, lists)), 2)
    np.testing.assert_array_equal(np.sqrt(600) * U, LocallyLinearEmbedding(n_neighbors=8).fit(ROLL).embedding_)


@pytest.mark.parametrize("method", METHODS)
def test_sparse_points_are_refused(method):
    with pytest.raises(TypeError, match="[Ss]parse data was passed"):
        small(method).fit(stored(ROLL, 9))
