"""Random projections."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from dimred_lessons import PCA, RandomProjection
from dimred_lessons.directions.random_projection import johnson_lindenstrauss_dimension

KINDS = ["gaussian", "signs", "sparse", "fast"]
every_kind = pytest.mark.parametrize("kind", KINDS)
X = np.random.default_rng(0).standard_normal((100, 2000))


def distortion(X, Y):
    """Largest relative error of a squared distance."""
    return np.abs(pdist(Y, "sqeuclidean") / pdist(X, "sqeuclidean") - 1).max()


# --- Oracle


@pytest.mark.parametrize("eps", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("n", [2, 200, 10**6])
def test_the_dimension_is_that_of_scikit_learn_rounded_up(n, eps):
    assert johnson_lindenstrauss_dimension(n, eps) == johnson_lindenstrauss_min_dim(n, eps=eps) + 1


def test_with_a_probability_the_dimension_is_the_smallest_that_meets_the_union_bound():
    for n, eps, delta in (200, 0.3, 0.05), (50, 0.5, 1e-6):
        d = johnson_lindenstrauss_dimension(n, eps, delta)
        failing = [n * (n - 1) * np.exp(-k * (eps**2 / 2 - eps**3 / 3) / 2) for k in (d - 1, d)]
        assert failing[0] > delta >= failing[1]


# --- Laws


@every_kind
def test_all_distances_are_kept_in_the_dimension_of_the_lemma(kind):
    Y = RandomProjection(eps=0.4, kind=kind, density=0.1).fit_transform(X)
    assert Y.shape[1] == johnson_lindenstrauss_dimension(100, 0.4) < 350
    assert distortion(X, Y) < 0.4


@every_kind
def test_squared_lengths_are_kept_on_average(kind):
    x = np.random.default_rng(1).standard_normal((2, 30))
    lengths = [
        np.sum(RandomProjection(10, kind=kind, density=0.2, random_state=seed).fit_transform(x) ** 2, axis=1)
        for seed in range(2000)
    ]
    np.testing.assert_allclose(np.mean(lengths, axis=0), np.sum(x**2, axis=1), rtol=0.05)


@every_kind
def test_components_are_the_matrix_by_which_points_are_multiplied(kind):
    method = RandomProjection(20, kind=kind).fit(X)
    assert method.components_.shape == (20, 2000)
    np.testing.assert_allclose(method.embedding_, (method.components_ @ X.T).T, atol=1e-10)
    assert not hasattr(RandomProjection(20, kind=kind), "components_")


@pytest.mark.parametrize("kind, variance", [("gaussian", 1), ("signs", 1), ("sparse", 1)])
def test_entries_have_mean_zero_and_variance_one_over_d(kind, variance):
    R = RandomProjection(200, kind=kind, density=0.1).fit(X).components_
    R = R.toarray() if sparse.issparse(R) else R
    assert abs(R.mean()) < 5 / np.sqrt(R.size * 200)
    assert np.mean(R**2) * 200 == pytest.approx(variance, rel=0.02)
    if kind == "sparse":
        assert np.mean(R != 0) == pytest.approx(0.1, rel=0.02)


def test_the_error_shrinks_with_the_dimension_and_not_with_that_of_the_points():
    errors = [distortion(X, RandomProjection(d).fit_transform(X)) for d in (50, 200, 800)]
    assert errors[0] > 1.5 * errors[1] > 2.25 * errors[2]
    narrow, wide = (distortion(Z, RandomProjection(300).fit_transform(Z)) for Z in (X[:, :500], X))
    assert narrow == pytest.approx(wide, rel=0.3)


@every_kind
def test_it_is_linear_and_does_not_depend_on_the_points(kind):
    method = RandomProjection(20, kind=kind).fit(X)
    np.testing.assert_allclose(method.transform(2 * X[:3] - X[3:6]), 2 * method.embedding_[:3] - method.embedding_[3:6])
    other = RandomProjection(20, kind=kind).fit(np.sort(X))
    np.testing.assert_allclose(method.transform(X), other.transform(X))


def test_few_nonzero_entries_break_the_sparse_kind_only():
    one_hot = np.eye(1000)[:60]
    errors = {kind: distortion(one_hot, RandomProjection(400, kind=kind).fit_transform(one_hot)) for kind in KINDS}
    assert errors["sparse"] > 0.6 > 0.4 > max(errors[kind] for kind in ("gaussian", "signs", "fast"))


def test_pca_has_no_such_guarantee():
    kept = [pdist(Y, "sqeuclidean") for Y in (PCA(50).fit_transform(X), RandomProjection(50).fit_transform(X))]
    assert np.min(kept[0] / pdist(X, "sqeuclidean")) < np.median(kept[1] / pdist(X, "sqeuclidean"))


# --- Bad input


def test_a_dimension_above_that_of_the_points_is_refused():
    with pytest.raises(ValueError, match="requires 3948 dimensions for 100 points and eps=0.1, but these have 2000"):
        RandomProjection(eps=0.1).fit(X)
    with pytest.raises(ValueError, match="n_components=2001 is above the 2000 that these data can give"):
        RandomProjection(2001).fit(X)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((1, 0.3), "n_points=1 must be an integer of at least 2"),
        ((10, 1.0), "eps=1.0 must be a positive number, below 1"),
        ((10, 0.3, 0), "delta=0 must be a positive number, below 1"),
    ],
)
def test_bad_numbers_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        johnson_lindenstrauss_dimension(*arguments)
