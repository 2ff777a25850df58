"""One vocabulary: a name means the same in every method, and what it means in scikit-learn if it is in use there."""

import inspect

import numpy as np
import pytest
from sklearn import decomposition, manifold, neural_network, random_projection
from sklearn.base import clone

import dimred_lessons
from support.cases import CASES, DEFAULTS, each

METHODS = [held for name in dimred_lessons.__all__ if isinstance(held := getattr(dimred_lessons, name), type)]
each_class = pytest.mark.parametrize("Method", METHODS)

# Parameters that scikit-learn has, each with a class of its own that means the same by it
SHARED = {
    "activation": neural_network.MLPRegressor,
    "alpha": neural_network.MLPRegressor,
    "coef0": decomposition.KernelPCA,
    "degree": decomposition.KernelPCA,
    "density": random_projection.SparseRandomProjection,
    "early_exaggeration": manifold.TSNE,
    "eps": random_projection.GaussianRandomProjection,
    "hidden_layer_sizes": neural_network.MLPRegressor,
    "init": manifold.TSNE,
    "kernel": decomposition.KernelPCA,
    "learning_rate": manifold.TSNE,
    "max_iter": decomposition.FactorAnalysis,
    "metric": manifold.Isomap,
    "n_components": decomposition.PCA,
    "n_init": manifold.MDS,
    "n_jobs": manifold.Isomap,
    "n_neighbors": manifold.Isomap,
    "perplexity": manifold.TSNE,
    "radius": manifold.Isomap,
    "random_state": manifold.TSNE,
    "reg": manifold.LocallyLinearEmbedding,
    "rotation": decomposition.FactorAnalysis,
    "solver": neural_network.MLPRegressor,
    "tol": decomposition.FactorAnalysis,
    "verbose": manifold.TSNE,
}
# Parameters of our own, and what they mean
OWN = {
    "angles": "whether points with a common neighbor keep their distance, too",
    "bending": "price of curvature",
    "conformal": "whether lengths are relative to the spacing of the points",
    "constraints": "whether local distances may shrink",
    "cost": "what common coordinates of charts minimize",
    "density_exponent": "how much of the density of the points is divided out",
    "disconnected": "what to do about a graph of several components",
    "early_exaggeration_iter": "steps with early_exaggeration, as in openTSNE",
    "exaggeration": "factor of the attraction afterward, as in openTSNE",
    "grid": "nodes along each axis",
    "kind": "distribution of the entries of a random matrix",
    "level": "whether dissimilarities are measured or ranked",
    "method": "one of several algorithms with answers of their own",
    "min_noise": "least variance of the noise, as a share of that of the data",
    "missing": "what an answer with missing entries optimizes",
    "mixture": "estimator with charts",
    "n_centers": "basis functions along each axis",
    "n_landmarks": "points that stand for all",
    "n_mixtures": "number of charts",
    "n_nodes": "points of a curve",
    "n_whitened": "principal axes among which directions are sought",
    "noise": "form of the covariance of the noise",
    "normalized": "whether points count by their degrees",
    "shape": "nodes along each axis, which need not be equally many",
    "sigma": "width of a Gaussian, in the unit of what it weighs",
    "sign": "whether large or small kurtosis is sought",
    "span": "share of the points that a local fit looks at",
    "weights": "how much each pair counts, by a name",
    "width": "width of basis functions, in spacings of their centers",
    "winner": "which node a point belongs to",
}
DEFAULT = {
    "disconnected": "error",
    "metric": "euclidean",
    "n_jobs": None,
    "random_state": 0,
    "verbose": False,
}
# Names that scikit-learn, or this package once, had for the trace of an objective
OTHER_TRACES = {"errors_", "objectives_", "log_likelihoods_", "loss_curve_", "losses_", "stresses_", "loglike_"}
WITH_DIRECTIONS = {
    "DualPCA",
    "EMPCA",
    "FactorAnalysis",
    "ICA",
    "PCA",
    "ProbabilisticPCA",
    "ProjectionPursuit",
    "RandomProjection",
}


# --- Parameters


@each_class
def test_a_parameter_after_the_first_is_given_by_its_name_a_mixture_counting_for_none(Method):
    first, *others = (p for p in inspect.signature(Method).parameters.values() if p.name != "mixture")
    assert first.kind is first.POSITIONAL_OR_KEYWORD
    assert [p.name for p in others if p.kind is not p.KEYWORD_ONLY] == []


@each_class
def test_a_parameter_has_a_name_of_the_vocabulary_and_the_default_that_it_has_everywhere(Method):
    parameters = inspect.signature(Method).parameters
    assert sorted(set(parameters) - set(SHARED) - set(OWN)) == []
    defaults = {name: parameter.default for name, parameter in parameters.items() if name in DEFAULT}
    assert defaults == {name: DEFAULT[name] for name in defaults}


def test_the_vocabulary_holds_no_name_that_no_method_uses():
    used = {name for Method in METHODS for name in inspect.signature(Method).parameters}
    assert sorted((set(SHARED) | set(OWN)) - used) == []
    assert set(SHARED) & set(OWN) == set()


@pytest.mark.parametrize("name, peer", SHARED.items())
def test_a_name_that_is_shared_is_one_of_scikit_learn_s(name, peer):
    assert name in inspect.signature(peer).parameters


@each_class
def test_what_is_drawn_anew_each_time_is_asked_for(Method):
    """A fit is the same in every run; a sample, of which one wants many, is another one each time."""
    for name, method in inspect.getmembers(Method, inspect.isfunction):
        parameters = inspect.signature(method).parameters
        if not name.startswith("_") and "random_state" in parameters:
            assert name == "sample" and parameters["random_state"].default is None


@each_class
def test_methods_name_what_they_take_as_scikit_learn_does(Method):
    for name in ("fit", "transform", "fit_transform", "inverse_transform", "score_samples", "score"):
        if hasattr(Method, name):
            _, first, *others = inspect.signature(getattr(Method, name)).parameters.values()
            assert first.name == "X" and {p.name: p.default for p in others} in ({}, {"y": None})


# --- What a fit finds


def found(method):
    """Names of what a fit has found."""
    return {name for name in dir(method) if name.endswith("_") and not name.startswith("_")}


@each(CASES)
def test_the_number_of_components_is_that_of_the_columns(case):
    method = case.fit()
    assert method.n_components_ == method.embedding_.shape[1]
    assert not hasattr(clone(method), "n_components_")


@each(CASES)
def test_an_iteration_counts_its_steps_and_keeps_its_objective_under_one_name(case):
    method = case.fit()
    assert hasattr(method, "n_iter_") == ("max_iter" in method.get_params())
    assert 0 <= getattr(method, "n_iter_", 0) <= getattr(method, "max_iter", 0)
    traces = {name for name in found(method) if name in OTHER_TRACES or name.endswith("path_")}
    assert traces <= {"objective_path_", "log_likelihood_path_"}
    for name in traces:
        path = np.asarray(getattr(method, name))
        assert path.ndim == 1 and np.isfinite(path).all()


@each(CASES)
def test_directions_are_rows_and_loadings_their_columns(case):
    method = case.fit()
    assert hasattr(method, "components_") == (type(method).__name__ in WITH_DIRECTIONS)
    if hasattr(method, "components_"):
        assert method.components_.shape == (method.n_components_, method.n_features_in_)
    if hasattr(method, "loadings_") and hasattr(method, "components_"):
        np.testing.assert_array_equal(method.components_, method.loadings_.T)


@each(DEFAULTS)
def test_weights_of_a_fit_are_shares_of_a_mixture(case):
    method = case.fit()
    if hasattr(method, "weights_"):
        assert method.weights_.shape == (len(method.means_),)
        assert np.all(method.weights_ >= 0) and np.isclose(method.weights_.sum(), 1)
