"""Claims about semidefinite embedding; what it shares with all methods is in test_contract.py."""

import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from dimred_lessons import SemidefiniteEmbedding, memory
from dimred_lessons.certificates import certificate
from dimred_lessons.classroom.datasets import digits, s_curve, swiss_roll
from dimred_lessons.kernels import squared_distances_from_kernel
from support.comparisons import assert_same_distances

S = s_curve(60)[0]
LINE = np.random.default_rng(0).random((20, 1))


def gram(X):
    X = X - X.mean(axis=0)
    return X @ X.T


def fitted(X=S, **parameters):
    return SemidefiniteEmbedding(**parameters).fit(X)


def by_cvxpy(X, **parameters):
    """A fit by CVXPY, where it is installed."""
    pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    return fitted(X, solver="cvxpy", **parameters)


# --- Right answers


@pytest.mark.parametrize("angles", [False, True])
@pytest.mark.parametrize("constraints", ["shrink", "equal"])
@pytest.mark.parametrize(
    "X", [digits(30)[0], np.random.default_rng(0).standard_normal((36, 8)), swiss_roll(40)[0]],
    ids=["digits", "cloud", "roll"],
)  # fmt: skip
def test_both_solvers_find_the_same_variance(X, constraints, angles):
    k = 4 if constraints == "shrink" else 5 if angles else 3  # where Clarabel finishes, too
    parameters = {"n_neighbors": k, "angles": angles, "constraints": constraints}
    theirs, ours = by_cvxpy(X, **parameters), fitted(X, **parameters)
    assert np.isclose(ours.kernel_.trace(), theirs.kernel_.trace(), rtol=1e-5)
    assert_same_distances(ours.embedding_, theirs.embedding_, tolerance=0.01)
    for estimator in (ours, theirs):
        assert abs(estimator.duality_gap_) < 1e-5 and estimator.certificate_.violation < 1e-5


@pytest.mark.parametrize("constraints", ["shrink", "equal"])
def test_with_all_pairs_kept_nothing_unfolds_and_the_kernel_is_that_of_pca(constraints):
    X = s_curve(30)[0]
    sde = fitted(X, n_neighbors=29, constraints=constraints)
    assert len(sde.pairs_) == 30 * 29 / 2
    np.testing.assert_allclose(sde.kernel_, gram(X), atol=1e-4 * np.abs(gram(X)).max())
    assert np.isclose(sde.kernel_.trace(), gram(X).trace(), rtol=1e-5)


def test_the_fewer_pairs_are_kept_the_more_variance_there_is_and_never_less_than_that_of_pca():
    traces = [
        fitted(n_neighbors=k, angles=a).kernel_.trace() for k, a in ((30, True), (8, True), (5, True), (5, False))
    ]
    assert gram(S).trace() * (1 - 1e-6) < traces[0] < traces[1] < traces[2] < traces[3]


@pytest.mark.parametrize(
    "fit, parameters", [(fitted, {}), (fitted, {"angles": False}), (fitted, {"n_landmarks": 20}), (by_cvxpy, {})]
)
def test_the_kernel_is_positive_semidefinite_centered_and_keeps_local_distances(fit, parameters):
    S = s_curve(40)[0]
    sde = fit(S, **parameters)
    K, (i, j) = sde.kernel_, sde.pairs_.T
    assert sde.spectrum_[-1] > -1e-9 * K.trace()
    np.testing.assert_allclose(K.sum(axis=0), 0, atol=1e-9 * K.trace())
    lengths = K[i, i] - 2 * K[i, j] + K[j, j]
    assert np.all(lengths <= sde.squared_distances_ * (1 + 1e-4))
    np.testing.assert_allclose(sde.squared_distances_, np.sum((S[i] - S[j]) ** 2, axis=1))
    np.testing.assert_allclose(sde.eigenvalues_, sde.spectrum_[:2])
    np.testing.assert_allclose(sde.embedding_.T @ sde.embedding_, np.diag(sde.eigenvalues_), atol=1e-9)
    assert sde.dual_weights_.shape == (len(sde.pairs_),)


def test_the_attributes_prove_themselves():
    sde = fitted()
    proof = certificate(sde.kernel_, sde.dual_weights_, sde.pairs_, sde.squared_distances_)
    assert abs(proof.gap - sde.duality_gap_) < 1e-9 and proof.gap <= 1e-6
    assert 5 < sde.n_iter_ < 40


def test_an_s_and_a_roll_are_unfolded_onto_two_axes():
    for draw, k in ((s_curve, 6), (swiss_roll, 4)):  # with six neighbors, some join two sheets of the roll
        X, chart = draw(200)
        sde = fitted(X, n_neighbors=k)
        assert sde.eigenvalues_.sum() > 0.95 * sde.spectrum_.sum()
        assert gram(X).trace() < 0.75 * sde.kernel_.trace()
        correlation = np.corrcoef(sde.embedding_[:, 0], chart[:, 0])[0, 1]
        assert abs(correlation) > 0.99


def test_common_neighbor_pairs_are_those_that_a_double_loop_finds():
    X = s_curve(30)[0]
    order = np.argsort(cdist(X, X), axis=1)[:, 1:5]
    sets = [set(row) for row in order.tolist()]
    near = {(min(i, j), max(i, j)) for i, neighbors in enumerate(sets) for j in neighbors}
    common = {(min(i, j), max(i, j)) for neighbors in sets for i in neighbors for j in neighbors if i != j}
    without, with_angles = fitted(X, angles=False), fitted(X)
    assert set(map(tuple, without.pairs_.tolist())) == near
    assert set(map(tuple, with_angles.pairs_.tolist())) == near | common
    assert len(near) == len(without.pairs_) < len(with_angles.pairs_) == len(near | common)


def test_landmarks_lose_a_stated_share_of_the_variance_and_keep_the_picture():
    X, chart = s_curve(120)
    exact, few, more = (fitted(X, n_neighbors=6, n_landmarks=m) for m in (None, 15, 60))
    loss_of_few, loss_of_more = (1 - sde.kernel_.trace() / exact.kernel_.trace() for sde in (few, more))
    assert 0 < loss_of_more < 0.1 and loss_of_more < loss_of_few < 0.3
    assert abs(few.duality_gap_) <= 1e-6
    assert abs(np.corrcoef(few.embedding_[:, 0], chart[:, 0])[0, 1]) > 0.98


# --- Copies, noise, and all axes


def test_copies_are_merged_and_mapped_back():
    X = np.vstack([S[:40], S[10:15], S[10:12] + 1e-9])
    sde = fitted(X, n_neighbors=6)
    Y = sde.embedding_
    assert Y.shape == (47, 2) and sde.kernel_.shape == (47, 47)
    np.testing.assert_allclose(Y[40:], Y[[*range(10, 15), 10, 11]], atol=1e-9)
    np.testing.assert_allclose(sde.transform(X), Y, atol=1e-6)
    assert sde.pairs_.max() < 40
    np.testing.assert_allclose(sde.kernel_.sum(axis=0), 0, atol=1e-9)
    once = fitted(S[:40], n_neighbors=6)
    distances = [squared_distances_from_kernel(K[:40, :40]) for K in (sde.kernel_, once.kernel_)]
    np.testing.assert_allclose(*distances, atol=1e-9)


def test_noise_across_the_sheet_adds_axes_but_no_failure():
    clean, noisy = fitted(s_curve(80)[0], n_neighbors=6), fitted(s_curve(80, noise=0.15)[0], n_neighbors=6)
    assert noisy.duality_gap_ <= 1e-6
    share = [sde.eigenvalues_.sum() / sde.spectrum_.sum() for sde in (clean, noisy)]
    assert share[1] < share[0]


def test_none_asks_for_all_axes_that_the_gap_does_not_decide():
    sde = fitted(n_components=None)
    assert sde.embedding_.shape[1] == len(sde.eigenvalues_) >= 2
    assert sde.eigenvalues_[-1] > 1e-6 * sde.kernel_.trace()
    flat = np.random.default_rng(0).random((25, 2))
    assert fitted(flat, n_components=None, n_neighbors=24).embedding_.shape == (25, 2)


# --- Bad input


@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (S, {"n_neighbors": 60}, "n_neighbors=60 must be at most 59 .*n_samples=60"),
        (S, {"n_neighbors": 0}, "n_neighbors=0 must be a positive integer"),
        (S, {"n_neighbors": 1}, "n_neighbors=1 splits into .* components .* raise n_neighbors"),
        (np.vstack([S[:4]] * 5), {}, "n_neighbors=4 must be at most 3"),
        (np.ones((20, 3)), {}, "All 20 points coincide: there is nothing to embed"),
        (LINE, {"n_neighbors": 19}, "n_components=2 is above the 1 that these data can give"),
        (S, {"constraints": "less"}, "constraints='less' must be "),
        (S, {"solver": "sedumi"}, "solver='sedumi' must be "),
        (S, {"n_landmarks": 20, "solver": "cvxpy"}, "n_landmarks needs .*solver="),
        (S, {"n_landmarks": 20, "constraints": "equal"}, "n_landmarks needs constraints="),
        (S, {"n_landmarks": 61}, "n_landmarks=61 must be at most the number of points, 60"),
        (S, {"n_landmarks": 1}, "n_landmarks=1 must be an integer of at least 2"),
        (S, {"disconnected": "drop"}, "disconnected='drop' must be"),
    ],
)
def test_bad_input_is_named(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, **parameters)


def test_too_few_iterations_are_a_warning_that_names_the_gap():
    with pytest.warns(UserWarning, match="tol=1e-06 is not reached after 4 iterations: the gap is"):
        assert fitted(max_iter=4).duality_gap_ > 1e-6


def test_what_clarabel_does_not_solve_is_an_error():
    message = 'Clarabel .*use solver="interior-point"'
    with pytest.raises(RuntimeError, match=message):
        by_cvxpy(s_curve(40)[0], n_neighbors=5, constraints="equal", angles=False)
    with pytest.raises(RuntimeError, match="less exact than it claims"):
        by_cvxpy(S[:30], tol=1e-14)


def test_without_cvxpy_its_solver_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ModuleNotFoundError, match="CVXPY, which is not installed: pip install cvxpy"):
        fitted(S[:30], solver="cvxpy")


def test_more_pairs_than_fit_into_memory_are_refused_with_their_number(monkeypatch):
    m = len(fitted().pairs_)
    monkeypatch.setattr(memory, "physical_memory", lambda: 12 * m**2)  # two matrices take 16 m² bytes
    with pytest.raises(ValueError, match=f"2 matrices of {m} × {m} numbers need .*angles=False, or set n_landmarks"):
        fitted()
