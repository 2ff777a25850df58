"""Tangents and Hessians: LTSA and Hessian LLE against their definitions, scikit-learn and each other."""

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn import manifold
from sklearn.manifold import _locally_linear

from dimred_lessons import LTSA, HessianLLE, LocallyLinearEmbedding
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.eigenpairs import bottom_eigenpairs
from dimred_lessons.engine import shift_invert
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.tangents import hessian_cost, patches, tangent_coordinates, tangent_cost
from dimred_lessons.unified import kernel_agreement
from support.memory import peak

METHODS, COSTS = [LTSA, HessianLLE], [tangent_cost, hessian_cost]
ROLL, CHART = swiss_roll(800)
SPARSE_ROLL = swiss_roll(600)[0]
SQUARE = np.random.default_rng(0).random((300, 2))  # flat


def affine_error(Y, chart):
    """Share of the variance of each coordinate of the chart that no affine map of Y explains."""
    A = np.column_stack([Y, np.ones(len(Y))])
    return np.mean((chart - A @ np.linalg.lstsq(A, chart)[0]) ** 2, axis=0) / chart.var(axis=0)


def angle(Y, Z):
    """Largest angle between the spaces that two embeddings span."""
    return linalg.subspace_angles(Y - Y.mean(axis=0), Z - Z.mean(axis=0)).max()


def quadratic_form(M, f):
    return f @ (M @ f)


# --- Ingredients


@pytest.mark.parametrize("columns", [3, 20], ids=["more neighbors than dimensions", "fewer"])
def test_tangent_coordinates_are_the_scores_of_local_pca_at_unit_length(columns):
    X = np.random.default_rng(0).standard_normal((50, columns)) * np.linspace(3, 1, columns)
    neighbors = neighbor_lists(X, 8).indices.reshape(50, 8)
    theta = tangent_coordinates(X, neighbors, 2)
    for patch, coordinates in zip(X[neighbors], theta, strict=True):
        U = linalg.svd(patch - patch.mean(axis=0), full_matrices=False)[0][:, :2]
        np.testing.assert_allclose(np.abs(U.T @ coordinates), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(theta.sum(axis=1), 0, atol=1e-12)


def test_tangent_coordinates_need_distances_only():
    neighbors = neighbor_lists(ROLL, 8).indices.reshape(800, 8)
    by_points = tangent_coordinates(ROLL, neighbors, 2)
    by_distances = tangent_coordinates(cdist(ROLL, ROLL), neighbors, 2, "precomputed")
    products = (theta @ theta.transpose(0, 2, 1) for theta in (by_points, by_distances))
    np.testing.assert_allclose(*products, atol=1e-8)


@pytest.mark.parametrize("columns", [3, 20])
def test_a_patch_on_a_line_has_one_tangent_and_a_patch_of_copies_none(columns):
    X = np.zeros((12, columns))
    X[:6, 0] = np.arange(6)
    theta = tangent_coordinates(X, np.arange(12).reshape(2, 6), 2)
    np.testing.assert_allclose(np.linalg.norm(theta, axis=1), [[1, 0], [0, 0]], atol=1e-12)


@pytest.mark.parametrize("cost", COSTS)
def test_affine_functions_of_flat_data_cost_nothing_and_curved_ones_do(cost):
    M, (x, y) = cost(SQUARE, neighbor_lists(SQUARE, 10), 2), SQUARE.T
    for free in (np.ones(300), x, y, 2 - x + 3 * y):
        assert abs(quadratic_form(M, free)) < 1e-14 * free @ free
    for bent in (x * y, x**2, np.hypot(x, y)):
        assert quadratic_form(M, bent) > 1e-6 * bent @ bent


def test_the_hessian_charges_second_order_only_where_ltsa_charges_every_order():
    lists = neighbor_lists(SQUARE, 12)
    theta = tangent_coordinates(SQUARE, lists.indices.reshape(300, 12), 2)
    design = np.concatenate([np.ones((300, 12, 1)), theta, theta[:, :, [0, 0, 1]] * theta[:, :, [0, 1, 1]]], axis=2)
    f = np.random.default_rng(1).standard_normal(300)
    second_order = every_order = 0
    for A, values in zip(design, f[lists.indices.reshape(300, 12)], strict=True):
        left = [np.sum((values - A[:, :m] @ np.linalg.lstsq(A[:, :m], values)[0]) ** 2) for m in (3, 6)]
        every_order, second_order = every_order + left[0], second_order + left[0] - left[1]
    np.testing.assert_allclose(quadratic_form(tangent_cost(SQUARE, lists, 2), f), every_order)
    np.testing.assert_allclose(quadratic_form(hessian_cost(SQUARE, lists, 2), f), second_order)


@pytest.mark.parametrize("cost", COSTS)
def test_a_cost_is_symmetric_and_positive_semidefinite_even_with_copies(cost):
    X = np.vstack([ROLL[:150], np.repeat(ROLL[:1], 20, axis=0)])
    M = cost(X, neighbor_lists(X, 8), 2).toarray()
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    assert linalg.eigvalsh(M)[0] > -1e-12
    np.testing.assert_allclose(M.sum(axis=0), 0, atol=1e-12)


def test_two_patches_cost_what_each_of_them_costs():
    members = neighbor_lists(SQUARE, 8)
    both, first, second = (tangent_cost(SQUARE, members[rows], 2) for rows in ([4, 7], [4], [7]))
    assert both.shape == (300, 300)
    np.testing.assert_allclose(both.toarray(), (first + second).toarray(), atol=1e-12)


def test_patches_of_different_sizes_add_up():
    lists = neighbor_lists(SQUARE, radius=0.2)
    f = np.random.default_rng(1).standard_normal(300)
    left = 0
    for i in range(300):
        members = lists.indices[lists.indptr[i] : lists.indptr[i + 1]]
        A = np.column_stack([np.ones(len(members)), SQUARE[members]])
        left += np.sum((f[members] - A @ np.linalg.lstsq(A, f[members])[0]) ** 2)
    assert len(np.unique(np.diff(lists.indptr))) > 10
    np.testing.assert_allclose(quadratic_form(tangent_cost(SQUARE, lists, 2), f), left)


@pytest.mark.parametrize("cost", COSTS)
def test_a_point_in_no_patch_costs_nothing_so_that_each_belongs_to_its_own(cost):
    lists = neighbor_lists(SPARSE_ROLL, 6)
    unlisted = np.flatnonzero(np.bincount(lists.indices, minlength=600) == 0)
    members, d = patches(lists, 2, most=3, needed=lambda d: d + 2)
    assert d == 2
    assert len(unlisted)
    assert not cost(SPARSE_ROLL, lists, 2)[unlisted].count_nonzero()
    assert cost(SPARSE_ROLL, members, 2).diagonal().min() > 1e-3


def test_copies_of_a_point_cannot_part_for_free():
    X = np.vstack([ROLL, ROLL[:1]])
    parted = np.zeros(801)
    parted[[0, -1]] = 1, -1
    for cost in COSTS:
        M = cost(X, patches(neighbor_lists(X, 8), 2, most=3, needed=lambda d: d + 2)[0], 2)
        assert quadratic_form(M, parted) > 1


# --- The methods


@pytest.mark.parametrize("method", METHODS)
def test_a_roll_is_unrolled_and_a_hole_does_no_harm(method):
    assert affine_error(method().fit_transform(ROLL), CHART).max() < 2e-3
    X, chart = swiss_roll(1500)
    middle = np.abs(chart - [chart[:, 0].max() / 2, 10.5]) < [chart[:, 0].max() / 4, 5]
    X, chart = X[~middle.all(axis=1)], chart[~middle.all(axis=1)]
    error = affine_error(method().fit_transform(X), chart).max()
    assert error < 1e-3 < affine_error(LocallyLinearEmbedding(n_neighbors=12).fit_transform(X), chart).max()


@pytest.mark.parametrize("method", METHODS)
def test_the_embedding_has_unit_covariance_and_its_cost_is_the_sum_of_the_eigenvalues(method):
    fitted = method().fit(ROLL)
    Y = fitted.embedding_
    np.testing.assert_allclose(Y.T @ Y, len(Y) * np.eye(2), atol=1e-6 * len(Y))
    np.testing.assert_allclose(np.trace(Y.T @ fitted.cost_ @ Y) / len(Y), fitted.eigenvalues_.sum(), rtol=1e-6)


def test_with_five_neighbors_the_hessian_is_all_that_is_not_affine():
    assert angle(*(method(n_neighbors=5).fit_transform(ROLL) for method in METHODS)) < 1e-6


# --- Agreement with scikit-learn, whose patches leave out the point itself


def by_scikit_learn(method, n_neighbors=12):
    peer = manifold.LocallyLinearEmbedding(n_neighbors=n_neighbors, method=method, eigen_solver="dense")
    return peer.fit_transform(SPARSE_ROLL)


def without_itself(cost, n_neighbors=12):
    return bottom_eigenpairs(cost(SPARSE_ROLL, neighbor_lists(SPARSE_ROLL, n_neighbors), 2), 2)[1]


@pytest.mark.parametrize("n_neighbors", [10, 12])
def test_ltsa_agrees_with_scikit_learn(n_neighbors):
    assert angle(by_scikit_learn("ltsa", n_neighbors), without_itself(tangent_cost, n_neighbors)) < 1e-8


def test_the_hessian_of_scikit_learn_is_ltsa():
    """It takes the full Q of a QR factorization: its last columns are all that is not affine."""
    assert angle(by_scikit_learn("hessian"), by_scikit_learn("ltsa")) < 1e-8
    assert angle(by_scikit_learn("hessian"), without_itself(hessian_cost)) > 1e-3


def test_with_the_reduced_factorization_scikit_learn_agrees_with_ours(monkeypatch):
    qr = _locally_linear.qr
    monkeypatch.setattr(_locally_linear, "qr", lambda A: qr(A, mode="economic"))
    assert angle(by_scikit_learn("hessian"), without_itself(hessian_cost)) < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_the_axes_are_those_of_kernel_pca_of_a_matrix(method):
    np.testing.assert_allclose(kernel_agreement(method().fit(ROLL), form="shifted"), 1, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_several_thousand_points_form_no_square_matrix(method, monkeypatch):
    X, square = swiss_roll(3000)[0], 8 * 3000**2  # bytes
    assert peak(method().fit, X) < square / 2
    monkeypatch.setattr(shift_invert, "bottom_products", lambda *sizes: ("dense factor",))  # which is noticed
    assert peak(method().fit, X) > square


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:Besides the constant vector")  # five dimensions need no flattening
def test_none_asks_for_as_many_components_as_patches_and_data_allow(method):
    X = np.random.default_rng(0).random((200, 5))
    assert method(None, n_neighbors=30).fit_transform(X).shape == (200, 5)
    most = {LTSA: 7, HessianLLE: 2}[method]
    assert method(None, n_neighbors=8).fit_transform(np.column_stack([X, X**2])).shape == (200, most)


@pytest.mark.parametrize(
    "method, parameters, message",
    [
        (LTSA, {"n_components": 3, "n_neighbors": 3}, "n_components=3 is above the 2 .* 4 neighbors, .* 0 has 3"),
        (HessianLLE, {"n_neighbors": 4}, "n_components=2 is above the 1 .* 5 neighbors, but point 0 has 4"),
        (LTSA, {"n_components": 4}, r"n_components=4 is above the 3 that .*n_samples=800, n_features=3\)"),
        (HessianLLE, {"n_components": 3, "n_neighbors": 8}, "n_components=3 is above the 2 .* 9 neighbors, .* has 8"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*splits into")
def test_too_few_neighbors_or_dimensions_are_refused(method, parameters, message):
    with pytest.raises(ValueError, match=message):
        method(disconnected="bridge", **parameters).fit(ROLL)
