"""Claims about Isomap."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn import manifold

from dimred_lessons import Isomap
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.spectral.isomap import conformal_lengths, mean_neighbor_distances
from support.comparisons import assert_equal_up_to_signs

ROLL, CHART = swiss_roll(1000)


def test_an_arc_is_straightened_where_distances_through_space_fail():
    t = np.linspace(0, 1.5 * np.pi, 200)
    Y = Isomap(n_components=1, n_neighbors=4).fit(np.c_[np.cos(t), np.sin(t)]).embedding_
    assert np.corrcoef(Y[:, 0], t)[0, 1] ** 2 > 0.99999


def test_the_swiss_roll_is_unrolled():
    Y = Isomap(n_neighbors=10).fit(ROLL).embedding_
    assert procrustes(CHART, Y)[2] < 0.005


def test_embedding_solves_the_eigenproblem_of_the_kernel_of_squared_geodesics():
    isomap = Isomap(n_neighbors=10).fit(ROLL[:400])
    H = np.eye(400) - 1 / 400
    K = -0.5 * H @ isomap.geodesic_distances_**2 @ H
    np.testing.assert_allclose(isomap.kernel_, K, atol=1e-9 * np.abs(K).max())
    Y, eigenvalues = isomap.embedding_, isomap.eigenvalues_
    np.testing.assert_allclose(K @ Y, Y * eigenvalues, atol=1e-9 * eigenvalues[0] * np.abs(Y).max())
    np.testing.assert_allclose(Y.T @ Y, np.diag(eigenvalues), atol=1e-9 * eigenvalues[0])
    np.testing.assert_allclose(eigenvalues, np.linalg.eigvalsh(K)[:-3:-1])


def test_negative_eigenvalues_never_count_and_their_mass_is_reported():
    isomap = Isomap(n_components=None, n_neighbors=10).fit(ROLL[:300])
    spectrum = np.linalg.eigvalsh(isomap.kernel_)
    assert isomap.embedding_.shape[1] == np.sum(spectrum > 1e-9 * spectrum[-1]) < 299
    mass = -spectrum[spectrum < 0].sum() / np.abs(spectrum).sum()
    assert np.isclose(isomap.negative_mass_, mass, rtol=1e-6)
    with pytest.raises(ValueError, match=f"n_components=299 is above the {isomap.embedding_.shape[1]} that"):
        Isomap(n_components=299, n_neighbors=10).fit(ROLL[:300])


def test_all_points_as_landmarks_give_the_exact_embedding():
    exact = Isomap(n_neighbors=10).fit(ROLL[:600])
    landmarks = Isomap(n_neighbors=10, n_landmarks=600).fit(ROLL[:600])
    assert_equal_up_to_signs(landmarks.embedding_, exact.embedding_, 1e-8)
    assert_equal_up_to_signs(landmarks.transform(ROLL[600:]), exact.transform(ROLL[600:]), 1e-8)


def test_more_landmarks_come_closer_to_the_exact_embedding():
    exact = Isomap(n_neighbors=10).fit(ROLL).embedding_

    def error(m, seed):
        landmarks = Isomap(n_neighbors=10, n_landmarks=m, random_state=seed).fit(ROLL)
        return procrustes(exact, landmarks.embedding_)[2]

    errors = [np.median([error(m, seed) for seed in range(3)]) for m in (5, 20, 100)]
    assert errors[0] > errors[1] > errors[2] and errors[2] < 0.005


def test_landmarks_are_drawn_by_the_random_state_alone():
    first, second, other = (
        Isomap(n_neighbors=10, n_landmarks=30, random_state=seed).fit(ROLL[:300]) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    assert first.geodesic_distances_.shape == (30, 300) and (first.landmarks_ != other.landmarks_).any()


@pytest.mark.parametrize("n_landmarks", [1, 2, 301])
def test_a_wrong_number_of_landmarks_is_named(n_landmarks):
    with pytest.raises(ValueError, match=f"n_landmarks={n_landmarks} must be above n_components=2 and"):
        Isomap(n_landmarks=n_landmarks).fit(ROLL[:300])


def test_only_conformal_isomap_undoes_a_conformal_map():
    rng = np.random.default_rng(0)
    radius, angle = 3 * np.sqrt(rng.random(1500)), 2 * np.pi * rng.random(1500)
    disc = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    square = 1 + radius[:, None] ** 2
    bowl = np.hstack([2 * disc, radius[:, None] ** 2 - 1]) / square  # stereographic: angles kept, lengths not
    plain, conformal = (Isomap(n_neighbors=15, conformal=c).fit(bowl).embedding_ for c in (False, True))
    assert procrustes(disc, conformal)[2] < 0.01 < 0.1 < procrustes(disc, plain)[2]


def test_residual_variance_falls_until_the_true_dimension_and_not_after():
    residuals = Isomap(n_components=4, n_neighbors=12).fit(ROLL).residual_variance()
    assert residuals.shape == (4,) and residuals[0] > 10 * residuals[1] and residuals[1] < 0.005
    assert residuals[3] > 0.2 * residuals[1]
    landmarks = Isomap(n_components=2, n_neighbors=12, n_landmarks=100, random_state=0).fit(ROLL)
    np.testing.assert_allclose(landmarks.residual_variance(), residuals[:2], atol=0.01)


def test_one_shortcut_edge_ruins_the_embedding():
    isomap = Isomap(n_neighbors=10).fit(ROLL[:700])
    near, far = np.argmin(CHART[:700, 0]), np.argmax(CHART[:700, 0])
    D = isomap.geodesic_distances_.copy()
    D = np.minimum(D, np.minimum(D[:, [near]] + 1 + D[far], D[:, [far]] + 1 + D[near]))
    short = Isomap(n_neighbors=699, metric="precomputed").fit(D).embedding_
    assert procrustes(CHART[:700], isomap.embedding_)[2] < 0.02 < 0.2 < procrustes(CHART[:700], short)[2]


@pytest.mark.parametrize("landmarks", [None, 10])
def test_rounding_to_single_precision_adds_no_axis_to_a_line(landmarks):
    t = np.arange(40) + np.random.default_rng(0).uniform(0, 0.5, 40)
    D = np.abs(np.subtract.outer(t, t)).astype(np.float32)
    isomap = Isomap(None, n_neighbors=4, n_landmarks=landmarks, metric="precomputed", random_state=0)
    for X in (D, sparse.csr_array(D)):
        fitted = isomap.fit(X)
        assert fitted.embedding_.shape == (40, 1)
        assert fitted.negative_mass_ == 0


def test_processes_share_the_paths_without_changing_them():
    one, two = (Isomap(n_neighbors=8, n_jobs=n_jobs).fit(ROLL[:400]).embedding_ for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_conformal_lengths_divide_by_the_spacing_of_both_ends():
    X = swiss_roll(80)[0]
    lists = neighbor_lists(X, 4)
    M = np.sort(cdist(X, X), axis=1)[:, 1:5].mean(axis=1)
    np.testing.assert_allclose(mean_neighbor_distances(lists), M)
    expected = lists.toarray() / np.sqrt(np.outer(M, M))
    np.testing.assert_allclose(conformal_lengths(lists, M, M).toarray(), expected)
    with pytest.raises(ValueError, match="Point 0 coincides with all its neighbors"):
        conformal_lengths(lists, np.zeros(80), M)


def test_the_reconstruction_error_is_that_of_scikit_learn_and_falls_with_every_axis():
    X = swiss_roll(300)[0]
    errors = [Isomap(d, n_neighbors=8).fit(X).reconstruction_error() for d in (1, 2, 3)]
    np.testing.assert_allclose(
        errors[1], manifold.Isomap(n_components=2, n_neighbors=8).fit(X).reconstruction_error(), rtol=1e-6
    )
    assert errors == sorted(errors, reverse=True)
    assert Isomap(2, n_neighbors=8, n_landmarks=50).fit(X).reconstruction_error() < 2 * errors[1]
