"""Autoencoders: the gradient, PCA as the linear case, what decay does, scikit-learn's network as a peer."""

import warnings

import numpy as np
import pytest
from scipy import linalg, optimize
from sklearn.neural_network import MLPRegressor

from dimred_lessons import PCA, Autoencoder
from dimred_lessons.classroom.datasets import digits
from dimred_lessons.iterative.autoencoder import _flat

DIGITS = digits(300)[0]
RNG = np.random.default_rng(0)
ANGLE = RNG.uniform(0, 1.5 * np.pi, 300)
ARC = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)]) + 0.03 * RNG.standard_normal((300, 2))


def share_missed(X, rebuilt):
    return np.sum((X - rebuilt) ** 2) / np.sum((X - X.mean(axis=0)) ** 2)


@pytest.mark.parametrize("hidden", [(), (5,), (6, 4)])
@pytest.mark.parametrize("activation", ["tanh", "linear"])
def test_the_gradient_is_that_of_the_objective(hidden, activation):
    fitted = Autoencoder(hidden=hidden, activation=activation, decay=0.1, max_iter=3).fit(DIGITS[:, 10:15])
    X, theta = RNG.standard_normal((20, 5)), _flat(fitted.layers_)
    theta = theta + 0.1 * RNG.standard_normal(theta.shape)
    error = optimize.check_grad(
        lambda t: fitted._objective(X, t, fitted.layers_)[0],
        lambda t: fitted._objective(X, t, fitted.layers_)[1],
        theta,
    )
    assert error < 1e-5 * np.linalg.norm(fitted._objective(X, theta, fitted.layers_)[1])


@pytest.mark.parametrize("hidden, activation", [((), "tanh"), ((), "linear")])
def test_without_hidden_layers_it_rebuilds_as_pca_does_but_its_axes_are_any_in_that_plane(hidden, activation):
    fitted = Autoencoder(5, hidden=hidden, activation=activation, decay=0, max_iter=3000).fit(DIGITS)
    pca = PCA(5).fit(DIGITS)
    best = share_missed(DIGITS, pca.inverse_transform(pca.embedding_))
    missed = share_missed(DIGITS, fitted.inverse_transform(fitted.embedding_))
    assert best - 1e-12 < missed < best + 1e-5
    centered = fitted.embedding_ - fitted.embedding_.mean(axis=0)
    assert linalg.subspace_angles(centered, pca.embedding_).max() < 0.01
    cosines = np.abs(np.corrcoef(centered.T, pca.embedding_.T)[:5, 5:])
    assert cosines.max() < 0.98


def test_decay_makes_the_decoder_the_transposed_encoder_and_shrinks_its_gains():
    decay = 0.05
    fitted = Autoencoder(3, hidden=(), decay=decay, max_iter=5000).fit(DIGITS)
    (encoder, _), (decoder, _) = fitted.layers_
    X = (DIGITS - DIGITS.mean(axis=0)) / fitted.scale_
    variances = linalg.svdvals(X)[:3] ** 2 / len(X)
    np.testing.assert_allclose(encoder, decoder.T, atol=1e-4)
    np.testing.assert_allclose(linalg.svdvals(decoder) ** 2, 1 - decay / variances, rtol=1e-4)


def test_a_curved_network_passes_where_no_line_does():
    fitted = Autoencoder(1, hidden=(12,), decay=1e-5).fit(ARC)
    missed = share_missed(ARC, fitted.inverse_transform(fitted.embedding_))
    assert missed < 0.01 < 0.1 < share_missed(ARC, PCA(1).fit(ARC).inverse_transform(PCA(1).fit_transform(ARC)))
    assert np.diff(fitted.objective_path_).max() <= 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_no_higher_than_that_of_scikit_learn_for_as_many_steps(seed):
    ours = Autoencoder(1, hidden=(12,), decay=1e-5, max_iter=300, random_state=seed).fit(ARC)
    X = (ARC - ours.mean_) / ours.scale_
    options = {"activation": "tanh", "solver": "lbfgs", "alpha": 300 * 1e-5, "max_iter": 300, "tol": 1e-12}
    peer = MLPRegressor(hidden_layer_sizes=(12, 1, 12), random_state=seed, **options)
    with warnings.catch_warnings(action="ignore"):
        peer.fit(X, X)
    assert share_missed(ARC, ours.inverse_transform(ours.embedding_)) < share_missed(X, peer.predict(X)) + 2e-3


def test_none_asks_for_as_many_components_as_columns_which_rebuild_everything():
    fitted = Autoencoder(None, hidden=(), decay=0, max_iter=2000).fit(ARC)
    assert share_missed(ARC, fitted.inverse_transform(fitted.embedding_)) < 1e-8


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"hidden": 20}, r"hidden=20 must be a tuple of positive integers such as \(20,\)"),
        ({"hidden": (20, -1)}, r"hidden=\(20, -1\) must be a tuple"),
        ({"activation": "relu"}, 'activation=\'relu\' must be "tanh" or "linear"'),
        ({"n_components": 3}, "n_components=3 is above the 2 that these data can give"),
    ],
)
def test_bad_input_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        Autoencoder(**parameters).fit(ARC)
