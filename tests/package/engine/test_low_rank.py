"""Gaussians of low rank plus diagonal: the engine against the formulas with the full covariance matrix."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import linalg

from dimred_lessons import FactorAnalysis, MixtureOfFactorAnalyzers, ProbabilisticPCA, gaussians, reference
from dimred_lessons.engine import low_rank
from support.latent import causes, with_holes

HOSTILE = {
    "plain": {},
    "two rows, more columns than rows": {"n": 2, "D": 9},
    "one factor": {"d": 1},
    "as many factors as columns": {"d": 7},
    "more factors than rows": {"n": 3, "d": 5},
    "tiny noise": {"noise": 1e-8},
    "noise of all sizes": {"noise": np.geomspace(1e-6, 1e6, 7)},
    "far from the origin": {"offset": 1e6},
    "loadings of zero": {"size": 0.0},
    "long loadings": {"size": 1e4},
    "most entries missing": {"holes": 0.7},
    "every row with holes of its own": {"n": 60, "D": 12, "holes": 0.5},
}
hostile = pytest.mark.parametrize("case", HOSTILE.values(), ids=HOSTILE)
with_and_without_holes = pytest.mark.parametrize("holes", [0.0, 0.3])


def made(n=30, D=7, d=3, noise=None, offset=0.0, size=1.0, holes=0.0, seed=0):
    """Points of a model, some of whose entries are missing; no row and no column is empty."""
    rng = np.random.default_rng(seed)
    mean, B = offset + rng.standard_normal(D), size * rng.standard_normal((D, d))
    noise = rng.uniform(0.2, 2, D) if noise is None else np.broadcast_to(noise, D).astype(float)
    X = mean + rng.standard_normal((n, d)) @ B.T + rng.standard_normal((n, D)) * np.sqrt(noise)
    hidden = rng.random((n, D)) < holes
    hidden[np.arange(max(n, D)) % n, np.arange(max(n, D)) % D] = False
    return np.where(hidden, np.nan, X), mean, B, noise


def condition(B, noise):
    """Condition of the full covariance: of the digits that the formula with it may lose."""
    return np.linalg.cond(B @ B.T + np.diag(noise)) + np.linalg.cond(np.eye(B.shape[1]) + B.T / noise @ B)


def agree(found, expected, loss):
    """Equal up to the rounding that the condition allows, measured by the largest number."""
    scale = np.abs(expected).max() + 1e-300
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-15 * loss + 1e-12)


@hostile
@with_and_without_holes
def test_log_densities_are_those_with_the_full_covariance(case, holes):
    X, mean, B, noise = made(**{"holes": holes} | case)
    pattern = gaussians.find_holes(X)
    arguments = X, pattern, mean, B, noise
    agree(low_rank.log_densities(*arguments), gaussians.log_densities.equation(*arguments), condition(B, noise))


@hostile
@with_and_without_holes
@pytest.mark.parametrize("prior", [1.0, 20.0])
def test_moments_of_the_factors_are_those_of_each_point_by_itself(case, holes, prior):
    X, mean, B, noise = made(**{"holes": holes} | case)
    arguments = X, gaussians.find_holes(X), mean, B, noise, prior
    for found, expected in zip(low_rank.factor_moments(*arguments), gaussians.factor_moments.equation(*arguments)):
        agree(found, expected, condition(B, noise))


@hostile
@with_and_without_holes
def test_moments_of_the_factors_are_those_of_the_joint_gaussian_of_points_and_factors(case, holes):
    """y | x ~ N(B_oᵀC_oo⁻¹(x_o − mean_o), I − B_oᵀC_oo⁻¹B_o), by the full covariance."""
    X, mean, B, noise = made(**{"holes": holes} | case)
    Y, V = gaussians.posterior(X, mean, B, noise)
    C = B @ B.T + np.diag(noise)
    expected_Y, expected_V = [], []
    for x in X:
        o = ~np.isnan(x)
        gain = linalg.solve(C[np.ix_(o, o)], B[o], assume_a="pos").T
        expected_Y.append(gain @ (x - mean)[o])
        expected_V.append(np.eye(B.shape[1]) - gain @ B[o])
    loss = condition(B, noise) * (1 + np.linalg.norm(B, 2) ** 2 / noise.min()) ** 0.5
    agree(Y, np.array(expected_Y), loss)
    np.testing.assert_allclose(V if V.ndim == 3 else [V] * len(X), expected_V, atol=1e-15 * loss + 1e-12)


@hostile
@pytest.mark.parametrize("expand", [False, True])
def test_a_step_of_em_is_that_with_the_full_covariance(case, expand):
    X, _, B, noise = made(**case | {"holes": 0.0})
    R = gaussians.covariance_root(X - X.mean(axis=0))
    arguments = R, B, noise, expand
    for found, expected in zip(low_rank.factor_step(*arguments), gaussians.factor_step.equation(*arguments)):
        agree(np.asarray(found), np.asarray(expected), condition(B, noise))


@pytest.mark.parametrize("case", [case for case in HOSTILE.values() if case.get("n", 30) >= 30], ids=str)
@with_and_without_holes
def test_a_step_of_em_with_holes_is_that_of_each_column_by_itself(case, holes):
    X, mean, B, noise = made(**{"holes": holes + 0.05} | case)
    arguments = X, gaussians.find_holes(X), mean, B, noise
    found, value = low_rank.factor_step_with_holes(*arguments)
    expected, true_value = gaussians.factor_step_with_holes.equation(*arguments)
    for one, other in zip([*found, value], [*expected, true_value]):
        agree(np.asarray(one), np.asarray(other), condition(B, noise))


@given(seed=st.integers(0, 10_000), n=st.integers(8, 40), D=st.integers(1, 9), d=st.integers(1, 4))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_columns_are_regressed_on_certain_factors_as_by_least_squares(seed, n, D, d):
    X = made(n, D, d, holes=0.1, seed=seed)[0]
    holes, Y = gaussians.find_holes(X), np.random.default_rng(seed).standard_normal((n, d))
    assume(holes is not None and holes.seen.sum(axis=0).min() >= d + 3)
    m, B, noise = low_rank.regress_on_factors(np.nan_to_num(X), holes, Y)
    for j, seen in enumerate(holes.seen.T > 0):
        design = np.column_stack([Y[seen], np.ones(seen.sum())])
        expected, squares, *_ = np.linalg.lstsq(design, X[seen, j])
        np.testing.assert_allclose(np.append(B[j], m[j]), expected, atol=1e-8)
        np.testing.assert_allclose(noise[j], squares[0] / seen.sum(), rtol=1e-8)


@pytest.mark.parametrize(
    "method, X",
    [
        (ProbabilisticPCA(solver="em", tol=1e-6), causes(60)[0]),
        (ProbabilisticPCA(tol=1e-6), with_holes(causes(60)[0])),
        (FactorAnalysis(solver="em", tol=1e-6), causes(60)[0]),
        (FactorAnalysis(tol=1e-6), with_holes(causes(60)[0])),
        (MixtureOfFactorAnalyzers(2, tol=1e-4), causes(60)[0]),
    ],
    ids=str,
)
def test_methods_find_the_same_density_by_the_equations_alone(method, X):
    densities = method.fit(X).score_samples(X)
    with reference():
        np.testing.assert_allclose(method.fit(X).score_samples(X), densities, rtol=1e-6)
