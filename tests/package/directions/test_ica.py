"""Independent component analysis."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import check_grad
from sklearn.decomposition import FastICA

from dimred_lessons import ICA
from dimred_lessons.directions.ica import newton_step, source_likelihood

RNG = np.random.default_rng(0)
A = RNG.standard_normal((4, 4))
Y = RNG.laplace(size=(3000, 4))
X = Y @ A.T + 3


def amari_error(P):
    """0 if P is a permutation whose rows and columns are scaled."""
    P = np.abs(P)
    d = len(P)
    excess = np.sum(P / P.max(axis=1, keepdims=True)) + np.sum(P / P.max(axis=0, keepdims=True)) - 2 * d
    return excess / (2 * d * (d - 1))


def white(X):
    X = X - X.mean(axis=0)
    return np.linalg.qr(X)[0] * np.sqrt(len(X))


# --- Oracle


def test_the_density_of_a_source_has_mass_one():
    log_likelihood = source_likelihood(np.array([[0.7]]), np.eye(1))[2]
    assert log_likelihood == pytest.approx(-np.log(np.pi * np.cosh(0.7)))
    assert quad(lambda y: 1 / (np.pi * np.cosh(y)), -40, 40)[0] == pytest.approx(1)


@pytest.mark.parametrize("solver", ["newton", "natural-gradient"])
def test_sources_are_found_as_well_as_by_scikit_learn(solver):
    ours = ICA(solver=solver).fit(X)
    peer = FastICA(fun="logcosh", random_state=0, tol=1e-8, max_iter=1000, whiten="unit-variance").fit(X)
    assert amari_error(ours.components_ @ A) < 0.05
    assert amari_error(ours.components_ @ A) < 1.1 * amari_error(peer.components_ @ A)
    assert amari_error(ours.components_ @ peer.mixing_) < 0.02


def test_both_iterations_end_at_the_same_maximum():
    newton, gradient = ICA().fit(X), ICA(solver="natural-gradient").fit(X)
    np.testing.assert_allclose(newton.components_, gradient.components_, atol=1e-5)
    assert newton.objective_path_[-1] == pytest.approx(gradient.objective_path_[-1], abs=1e-12)
    assert newton.n_iter_ < gradient.n_iter_


def test_the_relative_gradient_is_that_of_the_likelihood():
    Z, W = white(X[:200]), RNG.standard_normal((4, 4))

    def value(E):
        return source_likelihood(Z, W + E.reshape(4, 4) @ W)[2]

    def gradient(E):
        Y, slopes, _ = source_likelihood(Z, W)
        return (np.eye(4) - slopes.T @ Y / len(Z)).ravel()

    assert check_grad(value, gradient, np.zeros(16)) < 1e-6


# --- Laws


@pytest.mark.parametrize("solver", ["newton", "natural-gradient"])
def test_the_likelihood_never_falls(solver):
    fitted = ICA(solver=solver).fit(X)
    assert np.all(np.diff(fitted.objective_path_) > -1e-12)
    assert fitted.n_iter_ == len(fitted.objective_path_)


def test_tanh_of_a_source_is_uncorrelated_with_the_others():
    found = ICA().fit(X)
    scales = np.array([np.sqrt(np.mean(_at_unit_slope(y) ** 2)) for y in found.embedding_.T])
    G = np.tanh(found.embedding_ * scales).T @ (found.embedding_ * scales) / len(X)
    np.testing.assert_allclose(G, np.eye(4), atol=1e-5)


def _at_unit_slope(y):
    """The source y, scaled so that E tanh(y) y = 1."""
    low, high = 0.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if np.mean(np.tanh(middle * y) * middle * y) > 1 else (middle, high)
    return low * y


def test_another_mixture_of_the_same_sources_gives_the_same_sources():
    found, other = ICA().fit(X), ICA().fit(X @ RNG.standard_normal((4, 4)))
    assert amari_error(np.linalg.lstsq(found.embedding_, other.embedding_)[0]) < 1e-5


def test_sources_have_unit_variance_and_come_back_mixed():
    found = ICA().fit(X)
    np.testing.assert_allclose(found.embedding_.var(axis=0), 1)
    np.testing.assert_allclose(found.inverse_transform(found.embedding_), X, atol=1e-10)
    assert np.all(np.diff(np.linalg.norm(found.mixing_, axis=0)) < 0)


def test_fewer_sources_unmix_the_first_principal_axes():
    found = ICA(2).fit(X)
    assert found.embedding_.shape == (3000, 2)
    np.testing.assert_allclose(np.cov(found.embedding_.T, bias=True), np.eye(2), atol=0.05)
    rebuilt = found.inverse_transform(found.embedding_)
    centered = X - X.mean(axis=0)
    lost = np.linalg.svd(centered, compute_uv=False)[2:]
    assert np.sum((X - rebuilt) ** 2) == pytest.approx(np.sum(lost**2))


def test_a_newton_step_goes_uphill():
    for seed in range(20):
        W = np.random.default_rng(seed).standard_normal((4, 4))
        Z = white(X[:300])
        Y, slopes, _ = source_likelihood(Z, W)
        G = np.eye(4) - slopes.T @ Y / len(Z)
        assert np.vdot(G, newton_step(G, Y, slopes)) > 0


def test_sources_with_light_tails_are_not_found():
    mixed = np.random.default_rng(1).uniform(-1, 1, (3000, 4)) @ A.T
    assert amari_error(ICA().fit(mixed).components_ @ A) > 0.3


# --- Bad input


def test_more_sources_than_the_rank_are_refused():
    with pytest.raises(ValueError, match="n_components=5 is above the 4 that these data can give"):
        ICA(5).fit(np.column_stack([X, X]))


def test_a_fit_cut_short_warns():
    with pytest.warns(UserWarning, match="ICA has not converged in 2 steps: raise max_iter, or tol"):
        ICA(max_iter=2).fit(X)
