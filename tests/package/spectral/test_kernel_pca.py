"""Kernel PCA against explicit feature maps and its own laws."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from dimred_lessons import PCA, DualPCA, KernelPCA
from dimred_lessons.classroom.datasets import digits
from dimred_lessons.distances import median_distance, squared_distances
from dimred_lessons.kernels import gaussian_kernel
from support.comparisons import assert_equal_up_to_signs


def points(n=60, D=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) * np.arange(1, D + 1) + 3


def quadratic_monomials(X):
    """Explicit feature map of (x·z + 1)² for two variables."""
    x, y = X.T
    root = np.sqrt(2)
    return np.column_stack([x**2, y**2, root * x * y, root * x, root * y, np.ones(len(X))])


def noisy_circle(n=300, seed=0):
    rng = np.random.default_rng(seed)
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + 0.14 * rng.standard_normal(n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def radial_error(X):
    return np.abs(np.linalg.norm(X, axis=1) - 1).mean()


def test_quadratic_kernel_is_pca_of_the_quadratic_monomials():
    X, new = points(D=2), points(10, 2, seed=1)
    model = KernelPCA(n_components=None, kernel="polynomial", degree=2).fit(X)
    explicit = PCA(n_components=None).fit(quadratic_monomials(X))
    assert model.embedding_.shape[1] == 5  # the sixth monomial is constant
    np.testing.assert_allclose(model.eigenvalues_, explicit.eigenvalues_, rtol=1e-8)
    both = np.vstack([model.embedding_, model.transform(new)])
    expected = np.vstack([explicit.embedding_, explicit.transform(quadratic_monomials(new))])
    assert_equal_up_to_signs(both, expected)


def test_axes_of_the_feature_space_have_unit_length_and_are_orthogonal():
    X = points(D=2)
    model = KernelPCA(n_components=5, kernel="polynomial", degree=2).fit(X)
    features = quadratic_monomials(X)
    axes = (features - features.mean(axis=0)).T @ model.dual_coef_
    np.testing.assert_allclose(axes.T @ axes, np.eye(5), atol=1e-8)


def test_linear_kernel_is_dual_pca():
    X, new = points(), points(10, seed=1)
    model, dual = KernelPCA(n_components=5, kernel="linear").fit(X), DualPCA(n_components=5).fit(X)
    np.testing.assert_allclose(model.kernel_, dual.kernel_, atol=1e-10)
    assert_equal_up_to_signs(model.embedding_, dual.embedding_, 1e-10)
    assert_equal_up_to_signs(model.transform(new), dual.transform(new), 1e-10)


@pytest.mark.parametrize("shift", [1e4, 1.7e9])
def test_a_linear_kernel_does_not_know_where_the_origin_is(shift):
    X = points()
    here = KernelPCA(kernel="linear").fit(X)
    there = KernelPCA(kernel="linear").fit(X + shift)
    for found in (there.transform(X[:5] + shift), there.embedding_[:5]):
        np.testing.assert_allclose(found, here.embedding_[:5], atol=1e-6)
    np.testing.assert_allclose(there.feature_residual(X + shift), here.feature_residual(X), atol=1e-5)


def test_a_function_and_a_precomputed_kernel_give_the_named_kernel():
    X, new = points(), points(10, seed=1)
    named = KernelPCA(sigma=4.0).fit(X)
    function = KernelPCA(kernel=lambda A, B: gaussian_kernel(A, B, sigma=4.0)).fit(X)
    matrix = KernelPCA(kernel="precomputed").fit(gaussian_kernel(X, sigma=4.0))
    np.testing.assert_allclose(function.embedding_, named.embedding_, atol=1e-10)
    np.testing.assert_allclose(matrix.embedding_, named.embedding_, atol=1e-10)
    np.testing.assert_allclose(function.transform(new), named.transform(new), atol=1e-10)
    placed = matrix.transform(gaussian_kernel(new, X, 4.0))
    np.testing.assert_allclose(placed, named.transform(new), atol=1e-10)


def test_a_kernel_that_centering_makes_positive_semidefinite_is_accepted():
    X = points()
    model = KernelPCA(n_components=5, kernel="precomputed").fit(-0.5 * squared_distances(X))
    assert_equal_up_to_signs(model.embedding_, PCA(n_components=5).fit_transform(X))


def test_eigenpairs_satisfy_their_equation():
    model = KernelPCA(n_components=4).fit(points(700))
    U = model.embedding_ / np.sqrt(model.eigenvalues_)
    residual = model.kernel_ @ U - U * model.eigenvalues_
    assert np.abs(residual).max() < 1e-10 * model.eigenvalues_[0]
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-10)


def test_sigma_is_the_median_distance_unless_given():
    X = points()
    assert KernelPCA().fit(X).sigma_ == median_distance(X)
    assert KernelPCA(sigma=2.5).fit(X).sigma_ == 2.5


def test_concentric_circles_are_separated():
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 200), np.repeat([1.0, 3.0], 100)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    Y = KernelPCA(n_components=3, sigma=np.sqrt(1 / 0.6)).fit_transform(X)
    A = np.column_stack([Y, np.ones(200)])
    side = A @ np.linalg.lstsq(A, np.repeat([-1.0, 1.0], 100), rcond=None)[0]
    assert (side[:100] < 0).all() and (side[100:] > 0).all()


# Pre-images and residuals


@pytest.mark.parametrize("n_components, sigma", [(4, None), (8, 0.5)])
@pytest.mark.parametrize("seed", range(3))
def test_pre_images_remove_the_noise_from_a_circle(seed, n_components, sigma):
    X = noisy_circle(seed=seed)
    model = KernelPCA(n_components=n_components, sigma=sigma).fit(X)
    cleaned = model.inverse_transform(model.embedding_)
    assert 0.09 < radial_error(X) < 0.13
    assert radial_error(cleaned) < 0.05
    fresh = noisy_circle(seed=seed + 10)
    assert radial_error(model.inverse_transform(model.transform(fresh))) < 0.05


def test_pre_images_of_all_components_are_the_training_points():
    X = noisy_circle(40)
    model = KernelPCA(n_components=None, sigma=0.5).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.embedding_), X, atol=1e-3)


def test_pre_images_are_finite_for_scores_that_no_point_has():
    model = KernelPCA(n_components=4, sigma=0.3).fit(noisy_circle())
    Z = model.inverse_transform(100 * np.random.default_rng(0).standard_normal((50, 4)))
    assert np.isfinite(Z).all()


def test_residuals_sum_to_the_eigenvalues_left_out():
    X = points()
    for kernel in ("linear", "gaussian", "polynomial", lambda A, B: A @ B.T):
        model = KernelPCA(n_components=2, kernel=kernel).fit(X)
        left = np.trace(model.kernel_) - model.eigenvalues_.sum()
        assert model.feature_residual(X).sum() == pytest.approx(left, rel=1e-8)


def test_residual_of_the_linear_kernel_is_the_reconstruction_error_of_pca():
    X, new = points(), points(10, seed=1)
    pca = PCA(n_components=2).fit(X)
    errors = np.sum((new - pca.inverse_transform(pca.transform(new))) ** 2, axis=1)
    residual = KernelPCA(n_components=2, kernel="linear").fit(X).feature_residual(new)
    np.testing.assert_allclose(residual, errors, rtol=1e-8)


# The contract


def test_scikit_learns_checks_pass_for_a_precomputed_kernel():
    reason = {"check_estimators_dtypes": "rounds the kernel to integers, which is not positive semidefinite"}
    check_estimator(KernelPCA(kernel="precomputed"), expected_failed_checks=reason, on_skip=None)


def test_single_precision_kernels_are_accepted():
    X = points(300)
    K = (X.astype(np.float32) @ X.astype(np.float32).T).astype(np.float32)
    Y = KernelPCA(kernel="precomputed").fit_transform(K)
    assert_equal_up_to_signs(Y, PCA().fit_transform(X), 1e-4)


# Bad input


def indefinite():
    return np.diag([3.0, 2.0, 1.0, -2.0]) - 0.1


def lopsided():
    K = gaussian_kernel(points(6))
    K[2, 4] += 0.25
    return K


@pytest.mark.parametrize(
    "parameters, X, message",
    [
        (
            {"kernel": "linear"},
            np.full((5, 3), 0.1),
            "n_components=2 is above the 0 that these data can give",
        ),
        (
            {"kernel": "polynomial"},
            np.full((5, 3), 0.1),
            "n_components=2 is above the 0 that these data can give",
        ),
        ({"kernel": "linear", "n_components": 6}, points(), "n_components=6 is above the 5 that"),
        ({"kernel": "linear", "n_components": 6}, points(700), "n_components=6 is above the 5 that"),
        ({"kernel": "linear", "n_components": 6}, points(6, 30), "n_components=6 is above the 5 that"),
        (
            {"kernel": "linear", "n_components": 6},
            points(6, 3000) + 100,
            "n_components=6 is above the 5 that",
        ),
        ({"n_components": 6}, points(6), "n_components=6 is above the 5 that"),
        ({"sigma": 0.0}, points(), "sigma=0.0 must be a positive number"),
        ({"sigma": -1}, points(), "sigma=-1 must be a positive number"),
        ({"kernel": "polynomial", "degree": 0}, points(), "degree=0 must be a positive integer"),
        ({"kernel": "polynomial", "coef0": -1.0}, points(), "coef0=-1.0 must be a number, zero or above"),
        ({"kernel": "polynomial", "degree": 300}, 1e3 * points(), "degree 300 overflows: rescale the points"),
        ({"kernel": "cosine"}, points(), "kernel='cosine' must be"),
        (
            {"kernel": lambda A, B: A[0] @ B[0]},
            points(),
            r"returned an array of shape \(\).*it must return \(60, 60\)",
        ),
        (
            {"kernel": lambda A, B: -A @ B.T},
            points(),
            "not positive semidefinite, its most negative eigenvalue is -",
        ),
        (
            {"kernel": "precomputed"},
            indefinite(),
            "not positive semidefinite, its most negative eigenvalue is -1",
        ),
        ({"kernel": "precomputed"}, lopsided(), r"not symmetric: entry \(2, 4\) is .* but entry \(4, 2\) is"),
        ({"kernel": "precomputed"}, points(6), r"must be square, .* its shape is \(6, 5\)"),
    ],
)
def test_bad_input_to_fit_is_refused_with_a_sentence(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        KernelPCA(**parameters).fit(X)


def test_rounding_is_not_counted_as_a_component():
    X = points(40, 2) * 1e-4  # (x·z + 1)² is nearly constant: centering leaves five monomials, some tiny
    with pytest.raises(ValueError, match="n_components=6 is above the"):
        KernelPCA(n_components=6, kernel="polynomial", degree=2).fit(X)


def test_residuals_take_a_kernel_function_in_blocks_and_check_the_points():
    calls = []

    def kernel(X, Z):
        calls.append(len(X))
        return gaussian_kernel(X, Z, 2.0)

    X = points(640, 3)
    model = KernelPCA(kernel=kernel).fit(X)
    calls.clear()
    np.testing.assert_allclose(model.feature_residual(X), KernelPCA(sigma=2.0).fit(X).feature_residual(X), atol=1e-12)
    assert sum(calls) == 2 * 640 and len(calls) < 640 / 16  # each point with itself, and with all training points
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.feature_residual(np.full((1, 3), np.nan))
    with pytest.raises(ValueError, match="X has 2 features, but KernelPCA is expecting 3"):
        model.feature_residual(X[:, :2])


@pytest.mark.parametrize("n, D", [(30, 3), (30, 20), (600, 3)])
def test_rounding_of_a_given_kernel_to_single_precision_is_no_component(n, D):
    X = points(n, D)
    K = (X @ X.T).astype(np.float32)
    for method, given in [
        (KernelPCA(None, kernel="precomputed"), K),
        (KernelPCA(None, kernel="precomputed"), K.astype(float)),
        (KernelPCA(None, kernel=lambda A, B: (A @ B.T).astype(np.float32)), X),
        (KernelPCA(None, kernel="linear"), X.astype(np.float32)),
    ]:
        assert method.fit(given).embedding_.shape == (n, D)
        with pytest.raises(ValueError, match=f"n_components={D + 1} is above the {D} that these data can give"):
            method.set_params(n_components=D + 1).fit(given)


def test_pre_images_and_residuals_say_which_kernel_they_need():
    X = points()
    with pytest.raises(ValueError, match='needs kernel="gaussian", but the kernel is .linear'):
        KernelPCA(kernel="linear").fit(X).inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="X has 3 columns, but this fit has 2 components"):
        KernelPCA().fit(X).inverse_transform(np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"feature_residual needs k\(x, x\)"):
        KernelPCA(kernel="precomputed").fit(gaussian_kernel(X)).feature_residual(gaussian_kernel(X))


@pytest.mark.parametrize("n", [300, 600])
@pytest.mark.parametrize("d", [1, 2, 10, None])
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal")
def test_a_kernel_too_narrow_for_neighbors_still_has_all_its_components(n, d):
    """At σ = 0.5 every digit is similar to itself only: K̃ is H, all eigenvalues are 1."""
    X = digits()[0][:n]
    model = KernelPCA(d, sigma=0.5).fit(X)
    assert model.embedding_.shape == (n, d or n - 1)
    np.testing.assert_allclose(model.eigenvalues_, 1, rtol=1e-6)
