"""SNE, t-SNE and UMAP's objective: probabilities, gradients, the path, agreement with scikit-learn."""

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import cdist, squareform
from sklearn.manifold import TSNE, _t_sne, trustworthiness

from dimred_lessons import NeighborEmbedding
from dimred_lessons.classroom.datasets import digits
from dimred_lessons.distances import squared_distances
from dimred_lessons.graphs import conditional_probabilities, fuzzy_memberships, neighbor_weights
from dimred_lessons.iterative.neighbor_forces import critical_exaggeration, neighbor_gradient, neighbor_objective
from support.comparisons import assert_equal_up_to_signs

KERNELS = ["student", "gaussian", "sne", "umap"]
DIGITS = digits(300)[0] + 1e-3 * np.random.default_rng(0).standard_normal((300, 64))  # no two distances are equal
SQUARED = squared_distances(DIGITS)
CLOUD = np.random.default_rng(0).standard_normal((60, 5))
PLACES = np.random.default_rng(1).standard_normal((60, 2))


# --- Weights of pairs


@pytest.mark.parametrize("perplexity", [1.5, 5, 30, 250])
def test_every_row_of_probabilities_has_the_perplexity_asked_for(perplexity):
    P = conditional_probabilities(SQUARED, perplexity)
    entropy = -np.sum(P * np.log(P, out=np.zeros_like(P), where=P > 0), axis=1)
    np.testing.assert_allclose(np.exp(entropy), perplexity, rtol=1e-8)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert not np.diag(P).any()


def test_the_unit_of_the_distances_does_not_matter():
    expected = conditional_probabilities(SQUARED, 30)
    for unit in (1e-100, 1e100):
        np.testing.assert_allclose(conditional_probabilities(unit * SQUARED, 30), expected, rtol=1e-6, atol=1e-12)


def test_copies_beyond_the_perplexity_share_the_probability_evenly():
    X = np.vstack([CLOUD, np.repeat(CLOUD[:1], 20, axis=0)])
    P = conditional_probabilities(squared_distances(X), 10)
    np.testing.assert_allclose(P[0, 60:], 1 / 20)


def test_joint_probabilities_agree_with_scikit_learn():
    theirs = squareform(_t_sne._joint_probabilities(SQUARED.astype(np.float32), 30, 0))
    ours = neighbor_weights(DIGITS, 30)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 * ours.max())


def test_memberships_are_those_of_the_definition():
    k, V = 10, fuzzy_memberships(SQUARED, 10)
    distances = np.sort(np.sqrt(SQUARED + np.diag(np.full(300, np.inf))), axis=1)[:, :k]
    np.testing.assert_array_equal(V, V.T)
    assert not np.diag(V).any()
    assert V.min() == 0
    directed = np.zeros((300, 300))  # from scratch, with σ by bisection for each point alone
    for i, near in enumerate(distances):
        low, high = 1e-9, 1e3
        for _ in range(200):
            sigma = np.sqrt(low * high)
            too_wide = np.exp(-(near - near[0]) / sigma).sum() > np.log2(k)
            low, high = (low, sigma) if too_wide else (sigma, high)
        order = np.argsort(np.where(np.arange(300) == i, np.inf, SQUARED[i]))
        directed[i, order[:k]] = np.exp(-(near - near[0]) / sigma)
    np.testing.assert_allclose(V, 1 - (1 - directed) * (1 - directed.T), atol=1e-6)


# --- Objective and gradient


@pytest.mark.parametrize("size", [1e-2, 1, 30])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_gradient_is_that_of_the_objective(kernel, size):
    P, Y = neighbor_weights(CLOUD, 10, kernel), size * PLACES
    step = 1e-5 * size * np.random.default_rng(2).standard_normal(Y.shape)
    difference = neighbor_objective(P, Y + step, kernel) - neighbor_objective(P, Y - step, kernel)
    np.testing.assert_allclose(difference, 2 * np.vdot(neighbor_gradient(P, Y, kernel), step), rtol=1e-5)


def test_objective_and_gradient_of_t_sne_agree_with_scikit_learn():
    P, Y = neighbor_weights(DIGITS, 30), np.random.default_rng(0).standard_normal((300, 2))
    value, gradient = _t_sne._kl_divergence(Y.ravel(), squareform(P, checks=False), 1.0, 300, 2)
    np.testing.assert_allclose(neighbor_objective(P, Y), value, rtol=1e-12)
    np.testing.assert_allclose(neighbor_gradient(P, Y), gradient.reshape(-1, 2), atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_shift_of_the_map_changes_nothing_and_its_forces_add_up_to_zero(kernel):
    P = neighbor_weights(CLOUD, 10, kernel)
    gradient = neighbor_gradient(P, PLACES, kernel)
    np.testing.assert_allclose(gradient.sum(axis=0), 0, atol=1e-9 * np.abs(gradient).max())
    np.testing.assert_allclose(neighbor_gradient(P, PLACES + 10, kernel), gradient, atol=1e-9 * np.abs(gradient).max())


@pytest.mark.parametrize("exaggeration", [1, 12])
def test_a_small_map_feels_the_laplacian_of_the_probabilities(exaggeration):
    P, Y = neighbor_weights(CLOUD, 10), 1e-4 * (PLACES - PLACES.mean(axis=0))
    L = np.diag(P.sum(axis=1)) - P
    linear = 4 * (exaggeration * L @ Y - Y / 59)
    np.testing.assert_allclose(neighbor_gradient(exaggeration * P, Y), linear, atol=1e-6 * np.abs(linear).max())


def test_beyond_the_critical_exaggeration_a_small_map_collapses_along_the_eigenmap_and_below_it_grows():
    P = neighbor_weights(DIGITS, 30)
    L = np.diag(P.sum(axis=1)) - P
    critical = critical_exaggeration(P)
    np.testing.assert_allclose(critical, 1 / (299 * linalg.eigvalsh(L)[1]))
    maps = {}
    for factor in (0.8, 1.5):
        Y = 1e-6 * np.random.default_rng(0).standard_normal((300, 2))
        for _ in range(1000):
            Y = Y - 300 / (4 * factor * critical) * neighbor_gradient(factor * critical * P, Y)
            Y -= Y.mean(axis=0)
        maps[factor] = Y
    assert maps[1.5].std() < 1e-8 < 1e-2 < maps[0.8].std()
    assert np.degrees(linalg.subspace_angles(maps[1.5], linalg.eigh(L)[1][:, 1:3]).max()) < 0.1


# --- The method


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_mismatch_falls_and_neighbors_are_kept(kernel):
    fitted = NeighborEmbedding(kernel=kernel).fit(DIGITS)
    path = fitted.objective_path_
    assert len(path) == 31
    assert path[-1] < 0.5 * path[0]
    np.testing.assert_allclose(path[-1], neighbor_objective(fitted.weights_, fitted.embedding_, kernel))
    assert trustworthiness(DIGITS, fitted.embedding_, n_neighbors=5) > 0.9
    np.testing.assert_allclose(fitted.embedding_.mean(axis=0), 0, atol=1e-12 * fitted.embedding_.max())


def test_t_sne_ends_as_low_as_scikit_learn():
    peer = TSNE(method="exact", init="random", max_iter=750, random_state=0).fit(DIGITS)
    theirs = neighbor_objective(neighbor_weights(DIGITS, 30), peer.embedding_.astype(float))
    assert NeighborEmbedding().fit(DIGITS).objective_path_[-1] < 1.1 * theirs


@pytest.mark.parametrize("start", ["spectral", "pca", "random", DIGITS[:, 20:22]])
def test_any_start_leads_to_a_map_and_the_same_state_to_the_same_digits(start):
    first, second = (
        NeighborEmbedding(start=start, random_state=1, early=(100, 4.0), n_iter=300).fit(DIGITS) for _ in range(2)
    )
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    assert trustworthiness(DIGITS, first.embedding_, n_neighbors=5) > 0.9


def test_only_noise_depends_on_the_state():
    maps = [NeighborEmbedding(start="pca", random_state=state, n_iter=50).fit(DIGITS).embedding_ for state in (0, 1)]
    np.testing.assert_array_equal(*maps)


@pytest.mark.parametrize("kernel", KERNELS)
def test_distances_serve_as_well_as_points(kernel):
    by_points, by_distances = (
        NeighborEmbedding(kernel=kernel, metric=metric, start="random", n_iter=3).fit(X).embedding_
        for metric, X in {"euclidean": DIGITS, "precomputed": cdist(DIGITS, DIGITS)}.items()
    )
    np.testing.assert_allclose(by_points, by_distances, atol=1e-6 * np.abs(by_points).max())


def test_one_row_of_fill_values_leaves_the_neighbors_of_the_others_alone():
    filled = np.vstack([CLOUD, np.full((1, 5), 1e12)])
    by_points, by_distances = (
        neighbor_weights(filled, 10),
        neighbor_weights(cdist(filled, filled), 10, "student", "precomputed"),
    )
    np.testing.assert_allclose(by_points[:60, :60], by_distances[:60, :60], atol=1e-9)


AT_THE_START = {"perplexity": 10, "start": "pca", "early": (0, 1.0), "n_iter": 1, "rate": 1e-12}


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_principal_components_of_given_distances_are_those_of_the_points(precision):
    given = NeighborEmbedding(metric="precomputed", **AT_THE_START).fit(cdist(CLOUD + 5, CLOUD + 5).astype(precision))
    expected = NeighborEmbedding(**AT_THE_START).fit(CLOUD + 5).embedding_
    assert_equal_up_to_signs(given.embedding_, expected, 1e-5)
    with pytest.raises(ValueError, match="n_components=6 is above the 5 that start='pca' can give"):
        NeighborEmbedding(6, metric="precomputed", **AT_THE_START).fit(cdist(CLOUD, CLOUD).astype(precision))


def test_principal_components_for_the_cosine_metric_are_those_of_the_directions():
    directions = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    expected = NeighborEmbedding(**AT_THE_START).fit(directions).embedding_
    np.testing.assert_allclose(NeighborEmbedding(metric="cosine", **AT_THE_START).fit(CLOUD).embedding_, expected)


@pytest.mark.parametrize("start", ["spectral", "pca", "random"])
def test_none_asks_for_as_many_components_as_given_distances_have(start):
    method = NeighborEmbedding(None, start=start, metric="precomputed", n_iter=1)
    assert method.fit(cdist(CLOUD, CLOUD)).embedding_.shape == (60, 5)


@pytest.mark.filterwarnings("error")
def test_a_start_that_clusters_far_apart_leave_open_is_no_reason_to_ask_for_other_axes():
    apart = 1e3 * np.random.default_rng(3).standard_normal((8, 5))
    for X in (np.repeat(apart, 20, axis=0), np.tile(CLOUD[:20], (8, 1)) + np.repeat(apart, 20, axis=0)):
        assert np.isfinite(NeighborEmbedding(perplexity=10, n_iter=5).fit(X).embedding_).all()


def test_none_asks_for_as_many_components_as_the_start_or_the_data_have():
    assert NeighborEmbedding(None, n_iter=1).fit(CLOUD).embedding_.shape == (60, 5)
    assert NeighborEmbedding(None, start=CLOUD[:, :3], n_iter=1).fit(CLOUD).embedding_.shape == (60, 3)


def test_there_is_no_transform():
    assert not hasattr(NeighborEmbedding(), "transform")


@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (CLOUD, {"perplexity": 59}, "perplexity=59 must be at least 1 and below n_samples − 1 = 59"),
        (CLOUD, {"perplexity": 0.5}, "perplexity=0.5 must be at least 1"),
        (CLOUD, {"perplexity": 60, "kernel": "umap"}, "n_neighbors=60 must be at least 2 and below n_samples=60"),
        (CLOUD, {"kernel": "cauchy"}, 'kernel=\'cauchy\' must be "student", "gaussian", "sne" or "umap"'),
        (CLOUD, {"early": 250}, r"early=250 must be a pair such as \(250, 12.0\)"),
        (CLOUD, {"early": (-1, 12)}, "early=.* must be a pair"),
        (CLOUD, {"start": "isomap"}, 'start=\'isomap\' must be "spectral", or "pca", or "random", or a matrix'),
        (CLOUD, {"start": PLACES[:10]}, r"start has the shape \(10, 2\), but n_samples=60 and n_components=2"),
        (CLOUD, {"start": PLACES * np.nan}, "Input start contains NaN"),
        (CLOUD, {"start": PLACES * 0}, "Column 0 of start is constant"),
        (CLOUD, {"start": "pca", "n_components": 6}, "n_components=6 is above the 5 that start='pca' can give"),
        (np.zeros((5001, 1)), {}, "n_samples=5001 is above the 5000 points .* openTSNE or umap-learn"),
    ],
)
def test_bad_input_is_named(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        NeighborEmbedding(**parameters).fit(X)
