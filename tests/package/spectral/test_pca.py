import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA as PeerPCA
from sklearn.model_selection import GridSearchCV

from dimred_lessons import PCA, DualPCA
from support.comparisons import assert_equal_up_to_signs
from support.memory import peak

METHODS = [PCA, DualPCA]
both = pytest.mark.parametrize("Method", METHODS)


def cloud(n=60, D=7, seed=0):
    """Points with a clear order of their variances and a mean far from zero."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, D)) * np.linspace(5, 1, D) @ np.linalg.qr(rng.normal(size=(D, D)))[0] + 10


# --- Agreement


@both
def test_directions_and_variances_equal_scikit_learn_s(Method):
    X = cloud()
    ours, peer = Method(3).fit(X), PeerPCA(3, svd_solver="full").fit(X)
    assert_equal_up_to_signs(ours.components_.T, peer.components_.T)
    np.testing.assert_allclose(ours.explained_variance_, peer.explained_variance_, rtol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_ratio_, peer.explained_variance_ratio_, rtol=1e-8)


@both
def test_likelihoods_noise_and_singular_values_equal_scikit_learn_s(Method):
    X = cloud()
    for d in (1, 3, 7):
        ours, peer = Method(d).fit(X[:50]), PeerPCA(d, svd_solver="full").fit(X[:50])
        np.testing.assert_allclose(ours.singular_values_, peer.singular_values_, rtol=1e-8)
        np.testing.assert_allclose(ours.noise_variance_, peer.noise_variance_, rtol=1e-8)
        np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-8)
        np.testing.assert_allclose(ours.score(X[50:]), peer.score(X[50:]), rtol=1e-8)


def test_dual_pca_scores_equal_pca_scores():
    for shape in [(60, 7), (12, 300), (600, 40)]:  # 600: the iterative eigensolver
        X = cloud(*shape)
        np.testing.assert_allclose(DualPCA(3).fit_transform(X), PCA(3).fit_transform(X), atol=1e-8)


# --- What the method promises


@both
def test_reconstruction_error_is_the_sum_of_the_discarded_eigenvalues(Method):
    X = cloud()
    eigenvalues = PCA(None).fit(X).eigenvalues_
    for d in range(1, 7):
        method = Method(d).fit(X)
        missed = np.sum((X - method.inverse_transform(method.embedding_)) ** 2)
        np.testing.assert_allclose(missed, eigenvalues[d:].sum(), rtol=1e-8)


@both
def test_encoding_a_reconstruction_changes_nothing(Method):
    method = Method(2).fit(cloud())
    Y = np.random.default_rng(1).normal(size=(5, 2))
    np.testing.assert_allclose(method.transform(method.inverse_transform(Y)), Y, atol=1e-10)


@both
def test_points_of_more_columns_than_rows_have_the_likelihood_of_a_density_with_their_total_variance(Method):
    X = cloud(n=12, D=30)
    method = Method(3).fit(X)
    V, variances, noise = method.components_.T, method.explained_variance_, method.noise_variance_
    C = V * (variances - noise) @ V.T + noise * np.eye(30)
    np.testing.assert_allclose(np.trace(C), method.total_variance_, rtol=1e-10)
    density = multivariate_normal(method.mean_, C)
    np.testing.assert_allclose(method.score_samples(X), density.logpdf(X), rtol=1e-8)


@both
def test_cross_validation_of_the_score_finds_the_dimension(Method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 10)) + 0.1 * rng.normal(size=(200, 10))
    search = GridSearchCV(Method(), {"n_components": [1, 2, 3, 4, 5]}).fit(X)
    assert search.best_params_ == {"n_components": 3}


@both
def test_where_nothing_is_left_out_no_density_is_given_unless_all_columns_are_kept(Method):
    flat = cloud(D=3) @ np.eye(3, 5)
    for X in (flat, 1e-6 * flat + 1e3, cloud(n=4, D=9)):
        method = Method(None).fit(X)
        assert method.noise_variance_ == 0 and method.n_components_ == 3
        with pytest.raises(ValueError, match="lie in the subspace of n_components=3 directions"):
            method.score(X)
    assert np.isfinite(Method(7).fit(cloud()).score(cloud()))


@both
def test_none_gives_the_rank_of_the_centered_data(Method):
    assert Method(None).fit_transform(cloud(n=5, D=20)).shape == (5, 4)
    assert Method(None).fit_transform(cloud(n=50, D=3)).shape == (50, 3)


def test_explained_variance_is_the_variance_of_the_scores():
    pca = PCA(4).fit(cloud())
    np.testing.assert_allclose(pca.explained_variance_, pca.embedding_.var(axis=0, ddof=1))
    assert PCA(None).fit(cloud()).explained_variance_ratio_.sum() == pytest.approx(1)


matrices = st.builds(
    lambda n, D, seed: np.random.default_rng(seed).normal(size=(n, D)) * np.arange(1, D + 1),
    n=st.integers(5, 30),
    D=st.integers(3, 12),
    seed=st.integers(0, 10**6),
)
bounded = settings(max_examples=25, deadline=None, derandomize=True)


@both
@given(X=matrices)
@bounded
def test_no_random_subspace_misses_less(Method, X):
    method = Method(2).fit(X)
    missed = np.sum((X - method.inverse_transform(method.embedding_)) ** 2)
    centered = X - X.mean(axis=0)
    for seed in range(10):
        V = np.linalg.qr(np.random.default_rng(seed).normal(size=(X.shape[1], 2)))[0]
        assert np.sum((centered - centered @ V @ V.T) ** 2) >= missed * (1 - 1e-9)


# --- Large data


def test_dual_pca_needs_at_most_one_further_copy_of_wide_data():
    X = np.random.default_rng(0).normal(size=(50, 100_000))
    assert peak(DualPCA(2).fit, X) < 1.1 * X.nbytes


def test_pca_of_many_points_needs_no_copy_of_them():
    X = np.random.default_rng(0).normal(size=(100_000, 50))
    assert peak(PCA(2).fit, X) < 0.2 * X.nbytes


@both
def test_points_far_from_the_origin_lose_only_the_digits_that_the_distance_takes(Method):
    for shape in [(900, 40), (40, 900)]:
        X = cloud(*shape)
        X = np.round(X * 2**20) / 2**20  # so that shifting is exact
        near, far = Method(3).fit(X), Method(3).fit(X + 2.0**27)
        np.testing.assert_allclose(far.eigenvalues_, near.eigenvalues_, rtol=1e-12)
        np.testing.assert_allclose(far.embedding_, near.embedding_, atol=1e-11 * np.abs(near.embedding_).max())


@both
def test_the_rank_is_counted_exactly_next_to_large_and_small_components(Method):
    """Eight components down to a thousandth of the largest one, at a distance of a thousand."""
    rng = np.random.default_rng(3)
    for n, D in [(2000, 30), (30, 2000), (700, 600)]:
        X = rng.normal(size=(n, 8)) * np.logspace(0, -3, 8) @ rng.normal(size=(8, D)) + 1000
        assert Method(8).fit(X).embedding_.shape == (n, 8)
        with pytest.raises(ValueError, match="n_components=9 is above the 8"):
            Method(9).fit(X)


# --- The dual algorithm


def test_dual_pca_encodes_and_reconstructs_by_dot_products_with_the_training_points():
    X, new = cloud(n=12, D=40), cloud(n=5, D=40, seed=1)
    dual = DualPCA(3).fit(X)
    centered, K = X - X.mean(axis=0), dual.kernel_
    eigenvalues, U = np.linalg.eigh(K)
    eigenvalues, U = eigenvalues[:-4:-1], U[:, :-4:-1]
    k = centered @ (new - X.mean(axis=0)).T
    y = (U / np.sqrt(eigenvalues)).T @ k
    assert_equal_up_to_signs(dual.transform(new), y.T)
    reconstructed = X.mean(axis=0) + (centered.T @ (U / eigenvalues) @ U.T @ k).T
    np.testing.assert_allclose(dual.inverse_transform(dual.transform(new)), reconstructed, atol=1e-10)
    assert not any(value.shape == (3, 40) for value in vars(dual).values() if isinstance(value, np.ndarray))


# --- Bad input


@both
@pytest.mark.parametrize("n", [7, 100, 1000])
def test_rounding_of_the_mean_is_not_a_component(Method, n):
    with pytest.raises(ValueError, match="above the 0 that these data can give"):
        Method(1).fit(np.full((n, 3), 0.1))
    assert Method(None).fit_transform(np.column_stack([np.full(n, 0.1), np.arange(n)])).shape == (n, 1)


@both
def test_more_components_than_attainable_are_refused_with_the_number(Method):
    with pytest.raises(ValueError, match=r"n_components=5 is above the 3 .*\(n_samples=4, n_features=10\)"):
        Method(5).fit(cloud(n=4, D=10))


@both
def test_scores_of_a_different_width_cannot_be_reconstructed(Method):
    with pytest.raises(ValueError, match="X has 3 columns, but this fit has 2 components"):
        Method(2).fit(cloud()).inverse_transform(np.ones((4, 3)))


def test_the_covariance_is_that_of_scikit_learn_and_the_density_has_it():
    X = np.random.default_rng(0).standard_normal((60, 6)) * [6, 5, 4, 1, 1, 1]
    for d in (1, 3, 6):
        ours, theirs = PCA(d).fit(X), PeerPCA(d).fit(X)
        np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-12)
    np.testing.assert_allclose(ours.get_covariance(), np.cov(X.T), atol=1e-12)


def test_the_precision_is_the_inverse_of_the_covariance_and_refused_where_there_is_none():
    X = np.random.default_rng(0).standard_normal((60, 6)) * [6, 5, 4, 1, 1, 1]
    for d in (1, 3, 6):
        fitted = PCA(d).fit(X)
        np.testing.assert_allclose(fitted.get_precision() @ fitted.get_covariance(), np.eye(6), atol=1e-12)
    with pytest.raises(ValueError, match="lie in the subspace of n_components=3 directions"):
        PCA(3).fit(X[:4]).get_precision()
