"""Neighbor embeddings of many points: near those of all pairs, and new points among the others."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold import trustworthiness

from dimred_lessons import NeighborEmbedding, memory
from dimred_lessons.classroom.datasets import digits
from dimred_lessons.distances import squared_distances
from dimred_lessons.engine import reference
from dimred_lessons.engine.threads import pool_of
from dimred_lessons.iterative import neighbor_forces
from dimred_lessons.iterative.affinities import (
    conditional_probabilities,
    fuzzy_memberships,
    joint_probabilities,
    probabilities_among_nearest,
    sparse_joint_probabilities,
    sparse_memberships,
)
from dimred_lessons.iterative.neighbor_forces import GridForces, follows_all_pairs, momentum_steps
from dimred_lessons.iterative.neighbor_kernels import KERNELS, student_gradient, student_objective
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists

DIGITS = digits(500)[0] + 1e-3 * np.random.default_rng(0).standard_normal((500, 64))  # no two distances are equal
OLD, NEW = DIGITS[:400], DIGITS[400:]
MANY = [kernel for kernel in KERNELS if KERNELS[kernel].many_points]
WAYS = [(kernel, "exact") for kernel in KERNELS] + [(kernel, "approximate") for kernel in MANY]


def fit(X=OLD, **parameters):
    return NeighborEmbedding(**{"method": "approximate", "perplexity": 15, "max_iter": 300} | parameters).fit(X)


# --- Affinities


def test_probabilities_among_all_neighbors_are_those_of_all_pairs():
    graph = neighbor_lists(OLD, len(OLD) - 1)
    P, squared = sparse_joint_probabilities(graph, 30), squared_distances(OLD)
    np.testing.assert_allclose(P.toarray(), joint_probabilities(squared, 30), rtol=1e-6, atol=1e-12)
    P = probabilities_among_nearest(graph, 30)
    np.testing.assert_allclose(P.toarray(), conditional_probabilities(squared, 30), rtol=1e-6, atol=1e-12)
    with reference():
        np.testing.assert_allclose(
            probabilities_among_nearest(graph[:5], 30).toarray(), P[:5].toarray(), rtol=1e-6, atol=1e-12
        )


def test_probabilities_among_few_neighbors_have_the_perplexity_too():
    P = probabilities_among_nearest(neighbor_lists(OLD, 45), 15).data.reshape(-1, 45)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(-np.sum(P * np.log(P), axis=1)), 15, rtol=1e-6)


def test_sparse_memberships_are_those_of_all_pairs():
    expected = fuzzy_memberships(squared_distances(OLD), 12)
    np.testing.assert_allclose(sparse_memberships(neighbor_lists(OLD, 12)).toarray(), expected, atol=1e-6)


# --- Forces


@pytest.mark.parametrize("size", [1e-4, 1, 30])
@pytest.mark.parametrize("d", [1, 2])
def test_objective_and_gradient_by_a_grid_are_those_of_all_pairs(size, d):
    Y = size * np.random.default_rng().standard_normal((len(OLD), d))
    Y -= Y.mean(axis=0)
    with pool_of(2) as pool:
        forces = GridForces(NeighborSearch(OLD), 30, pool=pool, n_threads=2)
        P = forces.affinities.toarray()
        assert forces.objective(Y) == pytest.approx(student_objective(P, Y), rel=2e-3)
        moved = next(forces.steps(Y, 1, 2.0, 0.0, 1e-3))
    repulsion = student_gradient(0 * P, Y)
    expected = Y - 0.8e-3 * student_gradient(2 * P, Y)  # the gain of the first step is 0.8
    tolerance = 0.8e-3 * 0.015 * np.linalg.norm(repulsion) + 1e-6 * np.linalg.norm(Y)
    assert np.linalg.norm(moved - expected) < tolerance


def test_no_point_goes_further_than_the_longest_step():
    Y = np.random.default_rng().standard_normal((50, 2))
    moved = next(momentum_steps(lambda Y: 1000 * Y, Y, 1, 0.5, 1.0, longest=5.0))
    step = moved - Y
    assert np.linalg.norm(step - step.mean(axis=0), axis=1).max() < 5 + np.linalg.norm(Y.mean(axis=0)) + 1
    near = next(momentum_steps(lambda Y: 1e-3 * Y, Y, 1, 0.5, 1.0, longest=5.0))
    np.testing.assert_allclose(near, next(momentum_steps(lambda Y: 1e-3 * Y, Y, 1, 0.5, 1.0)), atol=1e-12)


# --- Which forces


def test_all_pairs_are_followed_up_to_5000_points_or_where_they_are_asked_for():
    assert follows_all_pairs(5000, "auto") and not follows_all_pairs(5001, "auto")
    assert follows_all_pairs(10**6, "exact") and not follows_all_pairs(10, "approximate")
    with reference():
        assert follows_all_pairs(10**6, "auto") and follows_all_pairs(10, "approximate")


@pytest.mark.parametrize("kernel", MANY)
def test_more_points_than_all_pairs_allow_are_embedded(kernel):
    X = np.random.default_rng(0).standard_normal((5001, 3))
    fitted = fit(X, method="auto", kernel=kernel, init="pca", max_iter=3)
    assert fitted.affinities_.nnz < 5001 * 100
    assert np.isfinite(fitted.embedding_).all() and fitted.transform(X[:3] + 0.1).shape == (3, 2)


# --- Maps


@pytest.mark.parametrize("init", ["spectral", "pca"])
def test_t_sne_by_a_grid_ends_as_low_as_by_all_pairs(init):
    P = joint_probabilities(squared_distances(OLD), 15)
    exact, by_grid = (fit(method=method, init=init, max_iter=750).embedding_ for method in ("exact", "approximate"))
    assert student_objective(P, by_grid) < 1.05 * student_objective(P, exact)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("kernel", MANY)
def test_neighbors_are_kept(kernel, d):
    fitted = fit(kernel=kernel, n_components=d, max_iter=750)
    assert fitted.embedding_.shape == (400, d) and fitted.embedding_.dtype == float
    assert trustworthiness(OLD, fitted.embedding_, n_neighbors=5) > (0.93 if d == 2 else 0.85)
    np.testing.assert_allclose(fitted.embedding_.mean(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kernel", MANY)
def test_the_same_number_of_threads_gives_the_same_digits(kernel, n_jobs):
    first, second = (fit(kernel=kernel, n_jobs=n_jobs, max_iter=60) for _ in range(2))
    np.testing.assert_array_equal(first.embedding_, second.embedding_)


@pytest.mark.parametrize("kernel", MANY)
def test_copies_and_a_point_far_away_are_harmless(kernel):
    X = np.vstack([np.repeat(OLD[:60], 5, axis=0), np.repeat(OLD[:1], 100, axis=0), np.full((1, 64), 1e6)])
    fitted = fit(X, kernel=kernel)
    assert np.isfinite(fitted.embedding_).all() and np.isfinite(fitted.transform(X + 1)).all()


# --- New points


@pytest.mark.parametrize("kernel, method", WAYS)
def test_training_points_that_moved_a_little_land_where_they_were(kernel, method):
    fitted = fit(kernel=kernel, method=method)
    moved = OLD + 1e-5 * np.random.default_rng().standard_normal(OLD.shape)
    errors = np.linalg.norm(fitted.transform(moved) - fitted.embedding_, axis=1) / fitted.embedding_.std()
    assert np.median(errors) < (0.04 if kernel == "student" else 0.25)
    np.testing.assert_array_equal(fitted.transform(OLD), fitted.embedding_)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("kernel, method", WAYS)
def test_new_points_land_among_their_neighbors(kernel, method, d):
    fitted = fit(kernel=kernel, method=method, n_components=d)
    placed = fitted.transform(NEW)

    def rank(Y, queries):
        """The median rank in the map of the ten nearest points of the data."""
        ranks = np.argsort(np.argsort(cdist(Y, fitted.embedding_), axis=1), axis=1)
        near = neighbor_lists(OLD, 10, queries=queries).indices.reshape(-1, 10)
        return np.median(np.take_along_axis(ranks, near, axis=1))

    assert rank(placed, NEW) < 1.6 * rank(fitted.embedding_, None) + 5
    order = np.random.default_rng(0).permutation(len(NEW))
    if (kernel, method) != ("umap", "approximate"):  # which draws other pairs
        np.testing.assert_allclose(fitted.transform(NEW[order]), placed[order], atol=1e-6 * np.abs(placed).max())


def test_new_points_are_placed_by_their_distances_too():
    by_points, by_distances = (
        fit(cdist(X, OLD) if metric == "precomputed" else OLD, metric=metric, init=OLD[:, 20:22]).transform(
            cdist(NEW, OLD) if metric == "precomputed" else NEW
        )
        for metric, X in {"euclidean": OLD, "precomputed": OLD}.items()
    )
    errors = np.linalg.norm(by_points - by_distances, axis=1) / by_points.std()
    assert np.median(errors) < 0.1


# --- Distances to candidates for neighbors only


@pytest.mark.parametrize("kernel", MANY)
def test_sparse_distances_to_candidates_give_the_map_of_the_points(kernel):
    quick = {"kernel": kernel, "max_iter": 100, "early_exaggeration_iter": 20}
    by_points = fit(**quick)
    by_distances = fit(neighbor_lists(OLD, 60), metric="precomputed", method="auto", **quick)
    np.testing.assert_allclose(by_distances.embedding_, by_points.embedding_, atol=1e-6 * by_points.embedding_.std())
    candidates = neighbor_lists(OLD, 60, queries=NEW)
    np.testing.assert_allclose(
        by_distances.transform(candidates), by_points.transform(NEW), atol=1e-3 * by_points.embedding_.std()
    )


@pytest.mark.parametrize(
    "parameters, said",
    [
        ({"method": "exact"}, "Forces of all pairs need all distances, which a sparse X lacks"),
        ({"kernel": "gaussian"}, "A sparse X holds too little for kernel='gaussian'"),
        ({"n_components": 3}, "A sparse X holds too little for kernel='student' with 3 components"),
        ({"init": "pca"}, "Principal axes need the distances of all pairs"),
        ({"n_components": None}, "Principal axes need the distances of all pairs"),
        ({"perplexity": 25}, "Row 0 of X stores 60 distances to other points, fewer than the 75 neighbors"),
    ],
)
def test_what_sparse_distances_lack_is_said(parameters, said):
    with pytest.raises(ValueError, match=said):
        fit(neighbor_lists(OLD, 60), **({"metric": "precomputed", "method": "auto", "max_iter": 3} | parameters))


# --- On the way


@pytest.mark.parametrize("method", ["exact", "approximate"])
def test_an_interrupted_fit_keeps_the_map_so_far_and_says_so(method, monkeypatch):
    whole = neighbor_forces.momentum_steps

    def interrupted(*args, **options):
        for t, Y in enumerate(whole(*args, **options)):
            if t == 30:
                raise KeyboardInterrupt
            yield Y

    expected = fit(method=method, max_iter=30, early_exaggeration_iter=30, init="pca").embedding_
    monkeypatch.setattr(neighbor_forces, "momentum_steps", interrupted)
    with pytest.warns(
        UserWarning, match="Interrupted after 30 of 300 steps: the embedding is the map so far"
    ) as caught:
        fitted = fit(method=method, init="pca")
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(fitted.embedding_, expected)
    assert fitted.n_iter_ == 30 and len(fitted.objective_path_) == 2


def test_steps_show_a_progress_bar_if_asked_to(capsys):
    fit(max_iter=3, verbose=True)
    assert "Steps: 100%" in capsys.readouterr().err
    fit(max_iter=3)
    assert not capsys.readouterr().err


@pytest.mark.parametrize("kernel, k, parameter", [("student", 45, "perplexity"), ("umap", 15, "n_neighbors")])
def test_what_does_not_fit_into_memory_is_refused_before_it_is_taken(kernel, k, parameter, monkeypatch):
    monkeypatch.setattr(memory, "physical_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match=rf"matrices of 400 × {k} numbers .* with transform, or lower {parameter}"):
        fit(kernel=kernel)


# --- Refusals


@pytest.mark.parametrize("kernel, method", [("student", "exact"), ("student", "approximate"), ("umap", "approximate")])
def test_steps_that_leave_the_range_of_numbers_are_refused_in_one_sentence(kernel, method):
    with pytest.raises(
        ValueError, match=r"^Step \d+ has left the range of numbers: lower learning_rate \(now 1e\+60\)\.$"
    ):
        fit(OLD[:60], kernel=kernel, method=method, learning_rate=1e60, max_iter=60)


def test_as_many_axes_as_given_distances_have_may_be_few_enough_for_a_grid():
    plane = OLD[:60, 20:22]
    fitted = fit(cdist(plane, plane), metric="precomputed", n_components=None, init="pca", max_iter=30)
    assert fitted.embedding_.shape == (60, 2)
