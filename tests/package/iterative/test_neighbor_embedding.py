"""SNE, t-SNE and UMAP's objective: probabilities, gradients, the path, agreement with scikit-learn."""

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import cdist, squareform
from sklearn.manifold import TSNE, _t_sne, trustworthiness

from dimred_lessons import NeighborEmbedding
from dimred_lessons.classroom.datasets import digits
from dimred_lessons.distances import squared_distances
from dimred_lessons.engine import reference
from dimred_lessons.iterative.affinities import conditional_probabilities, fuzzy_memberships, joint_probabilities
from dimred_lessons.iterative.neighbor_kernels import (
    KERNELS,
    critical_exaggeration,
    student_gradient,
    student_objective,
)
from support.comparisons import assert_equal_up_to_signs

DIGITS = digits(300)[0] + 1e-3 * np.random.default_rng(0).standard_normal((300, 64))  # no two distances are equal
SQUARED = squared_distances(DIGITS)
CLOUD = np.random.default_rng(0).standard_normal((60, 5))
PLACES = np.random.default_rng(1).standard_normal((60, 2))


def of_cloud(kernel):
    """Affinities of the cloud, with ten neighbors each."""
    return KERNELS[kernel].affinities(squared_distances(CLOUD), 10)


# --- Affinities


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
    ours = joint_probabilities(SQUARED, 30)
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


@pytest.mark.parametrize("fill", [1e6, 1e12, 1e30])
@pytest.mark.parametrize("kernel", KERNELS)
def test_one_row_of_fill_values_leaves_the_neighbors_of_the_others_alone(kernel, fill):
    filled, alone = np.vstack([CLOUD, np.full((1, 5), fill)]), of_cloud(kernel)
    together = KERNELS[kernel].affinities(squared_distances(filled), 10)[:60, :60]
    np.testing.assert_allclose(together / together.sum(), alone / alone.sum(), rtol=0, atol=1e-7 * alone.max())


def test_n_neighbors_counts_for_umap_only_and_the_perplexity_for_the_others_only():
    for kernel in KERNELS:
        by_default, by_perplexity, by_count = (
            NeighborEmbedding(kernel=kernel, init="random", max_iter=1, **given).fit(CLOUD).affinities_
            for given in ({}, {"perplexity": 5}, {"n_neighbors": 5})
        )
        assert (by_default == by_perplexity).all() == (kernel == "umap") != (by_default == by_count).all()


# --- Objective and gradient


@pytest.mark.parametrize("size", [1e-2, 1, 30])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_gradient_is_that_of_the_objective(kernel, size):
    P, Y, objective = of_cloud(kernel), size * PLACES, KERNELS[kernel].objective
    step = 1e-5 * size * np.random.default_rng(2).standard_normal(Y.shape)
    difference = objective(P, Y + step) - objective(P, Y - step)
    np.testing.assert_allclose(difference, 2 * np.vdot(KERNELS[kernel].gradient(P, Y), step), rtol=1e-5)


def test_objective_and_gradient_of_t_sne_agree_with_scikit_learn():
    P, Y = joint_probabilities(SQUARED, 30), np.random.default_rng(0).standard_normal((300, 2))
    value, gradient = _t_sne._kl_divergence(Y.ravel(), squareform(P, checks=False), 1.0, 300, 2)
    np.testing.assert_allclose(student_objective(P, Y), value, rtol=1e-12)
    np.testing.assert_allclose(student_gradient(P, Y), gradient.reshape(-1, 2), atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_shift_of_the_map_changes_nothing_and_its_forces_add_up_to_zero(kernel):
    P = of_cloud(kernel)
    gradient = KERNELS[kernel].gradient(P, PLACES)
    shifted = KERNELS[kernel].gradient(P, PLACES + 10)
    np.testing.assert_allclose(gradient.sum(axis=0), 0, atol=1e-9 * np.abs(gradient).max())
    np.testing.assert_allclose(shifted, gradient, atol=1e-9 * np.abs(gradient).max())


@pytest.mark.parametrize("exaggeration", [1, 12])
def test_a_small_map_feels_the_laplacian_of_the_probabilities(exaggeration):
    P, Y = of_cloud("student"), 1e-4 * (PLACES - PLACES.mean(axis=0))
    L = np.diag(P.sum(axis=1)) - P
    linear = 4 * (exaggeration * L @ Y - Y / 59)
    np.testing.assert_allclose(student_gradient(exaggeration * P, Y), linear, atol=1e-6 * np.abs(linear).max())


def test_beyond_the_critical_exaggeration_a_small_map_collapses_along_the_eigenmap_and_below_it_grows():
    P = joint_probabilities(SQUARED, 30)
    L = np.diag(P.sum(axis=1)) - P
    critical = critical_exaggeration(P)
    np.testing.assert_allclose(critical, 1 / (299 * linalg.eigvalsh(L)[1]))
    maps = {}
    for factor in (0.8, 1.5):
        Y = 1e-6 * np.random.default_rng(0).standard_normal((300, 2))
        for _ in range(1000):
            Y = Y - 300 / (4 * factor * critical) * student_gradient(factor * critical * P, Y)
            Y -= Y.mean(axis=0)
        maps[factor] = Y
    assert maps[1.5].std() < 1e-8 < 1e-2 < maps[0.8].std()
    assert np.degrees(linalg.subspace_angles(maps[1.5], linalg.eigh(L)[1][:, 1:3]).max()) < 0.1


# --- The method


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_equations_as_they_read_take_the_same_steps(kernel):
    method = NeighborEmbedding(kernel=kernel, perplexity=10, n_neighbors=10, early_exaggeration_iter=5, max_iter=10)
    with reference():
        by_definition = method.fit(CLOUD).embedding_
    np.testing.assert_allclose(method.fit(CLOUD).embedding_, by_definition, atol=1e-6 * np.abs(by_definition).max())


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_mismatch_falls_and_neighbors_are_kept(kernel):
    fitted = NeighborEmbedding(kernel=kernel).fit(DIGITS)
    path = fitted.objective_path_
    assert len(path) == 31 and fitted.n_iter_ == 750
    assert path[-1] < 0.5 * path[0]
    np.testing.assert_allclose(path[-1], KERNELS[kernel].objective(fitted.affinities_, fitted.embedding_))
    assert trustworthiness(DIGITS, fitted.embedding_, n_neighbors=5) > 0.9
    np.testing.assert_allclose(fitted.embedding_.mean(axis=0), 0, atol=1e-12 * fitted.embedding_.max())


def test_t_sne_ends_as_low_as_scikit_learn():
    peer = TSNE(method="exact", init="random", max_iter=750, random_state=0).fit(DIGITS)
    theirs = student_objective(joint_probabilities(SQUARED, 30), peer.embedding_.astype(float))
    assert NeighborEmbedding().fit(DIGITS).objective_path_[-1] < 1.1 * theirs


@pytest.mark.parametrize("start", ["spectral", "pca", "random", DIGITS[:, 20:22]])
def test_any_start_leads_to_a_map_and_the_same_state_to_the_same_digits(start):
    first, second = (
        NeighborEmbedding(
            init=start, random_state=1, early_exaggeration=4.0, early_exaggeration_iter=100, max_iter=300
        ).fit(DIGITS)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    assert trustworthiness(DIGITS, first.embedding_, n_neighbors=5) > 0.9


def test_only_noise_depends_on_the_state():
    maps = [NeighborEmbedding(init="pca", random_state=state, max_iter=50).fit(DIGITS).embedding_ for state in (0, 1)]
    np.testing.assert_array_equal(*maps)


@pytest.mark.parametrize("kernel", KERNELS)
def test_distances_serve_as_well_as_points(kernel):
    by_points, by_distances = (
        NeighborEmbedding(kernel=kernel, metric=metric, init="random", max_iter=3).fit(X).embedding_
        for metric, X in {"euclidean": DIGITS, "precomputed": cdist(DIGITS, DIGITS)}.items()
    )
    np.testing.assert_allclose(by_points, by_distances, atol=1e-6 * np.abs(by_points).max())


AT_THE_START = {
    "perplexity": 10, "init": "pca", "early_exaggeration_iter": 0, "max_iter": 1, "learning_rate": 1e-12
}  # fmt: skip


@pytest.mark.parametrize("scale", [(1, 1e-2), (1e-2, 1), (1e3, 1)])
def test_a_given_start_is_centered_and_shrunk_by_one_factor(scale):
    start = PLACES * scale
    placed = NeighborEmbedding(**AT_THE_START | {"init": start}).fit(CLOUD).embedding_
    centered = start - start.mean(axis=0)
    np.testing.assert_allclose(placed, 1e-4 * centered / centered[:, 0].std(), rtol=1e-6, atol=1e-12)


def test_each_axis_of_a_map_that_shrank_is_enlarged_to_its_size_at_the_start():
    start = PLACES * [1, 0.1]
    early = {"early_exaggeration": 40, "early_exaggeration_iter": 30, "learning_rate": 1.0, "init": start}
    shrunk = NeighborEmbedding(perplexity=10, max_iter=30, **early).fit(CLOUD).embedding_
    after = NeighborEmbedding(perplexity=10, max_iter=31, exaggeration=1e-9, **early).fit(CLOUD).embedding_
    assert (shrunk.std(axis=0) < 1e-5).all()
    expected = 1e-4 * start.std(axis=0) / start[:, 0].std()
    np.testing.assert_allclose(after.std(axis=0), expected, rtol=0.1)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_principal_components_of_given_distances_are_those_of_the_points(precision):
    given = NeighborEmbedding(metric="precomputed", **AT_THE_START).fit(cdist(CLOUD + 5, CLOUD + 5).astype(precision))
    expected = NeighborEmbedding(**AT_THE_START).fit(CLOUD + 5).embedding_
    assert_equal_up_to_signs(given.embedding_, expected, 1e-5)
    with pytest.raises(ValueError, match="n_components=6 is above the 5 that init='pca' can give"):
        NeighborEmbedding(6, metric="precomputed", **AT_THE_START).fit(cdist(CLOUD, CLOUD).astype(precision))


def test_principal_components_for_the_cosine_metric_are_those_of_the_directions():
    directions = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    expected = NeighborEmbedding(**AT_THE_START).fit(directions).embedding_
    np.testing.assert_allclose(NeighborEmbedding(metric="cosine", **AT_THE_START).fit(CLOUD).embedding_, expected)


@pytest.mark.parametrize("start", ["spectral", "pca", "random"])
def test_none_asks_for_as_many_components_as_given_distances_have(start):
    method = NeighborEmbedding(None, init=start, metric="precomputed", max_iter=1)
    assert method.fit(cdist(CLOUD, CLOUD)).embedding_.shape == (60, 5)


@pytest.mark.filterwarnings("error")
def test_a_start_that_clusters_far_apart_leave_open_is_no_reason_to_ask_for_other_axes():
    apart = 1e3 * np.random.default_rng(3).standard_normal((8, 5))
    for X in (np.repeat(apart, 20, axis=0), np.tile(CLOUD[:20], (8, 1)) + np.repeat(apart, 20, axis=0)):
        assert np.isfinite(NeighborEmbedding(perplexity=10, max_iter=5).fit(X).embedding_).all()


def test_none_asks_for_as_many_components_as_the_start_or_the_data_have():
    assert NeighborEmbedding(None, max_iter=1).fit(CLOUD).embedding_.shape == (60, 5)
    assert NeighborEmbedding(None, init=CLOUD[:, :3], max_iter=1).fit(CLOUD).embedding_.shape == (60, 3)


@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (CLOUD, {"perplexity": 59}, "perplexity=59 must be at least 1 and below n_samples − 1 = 59"),
        (CLOUD, {"perplexity": 0.5}, "perplexity=0.5 must be at least 1"),
        (CLOUD, {"n_neighbors": 60, "kernel": "umap"}, "n_neighbors=60 must be at least 2 and below n_samples=60"),
        (CLOUD, {"kernel": "cauchy"}, 'kernel=\'cauchy\' must be "student", "gaussian", "sne" or "umap"'),
        (CLOUD, {"n_neighbors": 1}, "n_neighbors=1 must be an integer of at least 2"),
        (CLOUD, {"early_exaggeration": 0}, "early_exaggeration=0 must be a positive number"),
        (CLOUD, {"early_exaggeration_iter": -1}, "early_exaggeration_iter=-1 must be an integer, zero or above"),
        (CLOUD, {"learning_rate": "fast"}, "learning_rate='fast' must be a positive number, or \"auto\""),
        (np.ones((60, 2)), {}, "All 60 points coincide"),
        (CLOUD, {"init": "isomap"}, 'init=\'isomap\' must be "spectral", or "pca", or "random", or a matrix'),
        (CLOUD, {"init": PLACES[:10]}, r"init has the shape \(10, 2\), but n_samples=60 and n_components=2"),
        (CLOUD, {"init": PLACES * np.nan}, "Input init contains NaN"),
        (CLOUD, {"init": PLACES * 0}, "Column 0 of init is constant"),
        (CLOUD, {"init": "pca", "n_components": 6}, "n_components=6 is above the 5 that init='pca' can give"),
        (np.zeros((5001, 3)), {"n_components": 3}, "n_samples=5001 is too many, .* kernel='student' with 3 components"),
        (np.zeros((5001, 3)), {"kernel": "sne"}, "n_samples=5001 is too many, .* for kernel='sne' with 2 components"),
        (CLOUD, {"kernel": "gaussian", "method": "approximate"}, "or method='approximate' is, for kernel='gaussian'"),
        (CLOUD, {"method": "grid"}, 'method=\'grid\' must be "auto", "exact" or "approximate"'),
        (np.ones((60, 2)), {"method": "approximate"}, "All 60 points coincide"),
        (np.ones((60, 2)), {"method": "approximate", "kernel": "umap"}, "All 60 points coincide"),
        (CLOUD, {"perplexity": 59, "method": "approximate"}, "perplexity=59 must be at least 1 and below n_samples"),
    ],
)
def test_bad_input_is_named(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        NeighborEmbedding(**parameters).fit(X)
