"""Autoencoders: the slopes, PCA as the linear case, what weight decay does, scikit-learn's network as a peer."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy import linalg
from sklearn.neural_network import MLPRegressor

from dimred_lessons import PCA, Autoencoder
from dimred_lessons.classroom.datasets import digits
from dimred_lessons.iterative.autoencoder import rebuilding_cost

DIGITS = digits(300)[0]
RNG = np.random.default_rng(0)
ANGLE = RNG.uniform(0, 1.5 * np.pi, 300)
ARC = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)]) + 0.03 * RNG.standard_normal((300, 2))


def share_missed(X, rebuilt):
    return np.sum((X - rebuilt) ** 2) / np.sum((X - X.mean(axis=0)) ** 2)


@pytest.mark.parametrize("bends", [[False, False], [True, False, True, False], [True, True, False] * 2, [False] * 4])
def test_the_slopes_are_those_of_the_cost(bends):
    rng = np.random.default_rng(0)
    units = [5, *rng.integers(2, 7, size=len(bends) - 1), 5]
    layers = [(rng.standard_normal((a, b)) / 2, rng.standard_normal(b)) for a, b in pairwise(units)]
    X, step = rng.standard_normal((20, 5)), 1e-5
    moves = [(rng.standard_normal(W.shape), rng.standard_normal(b.shape)) for W, b in layers]
    ahead, behind = (
        rebuilding_cost(X, [(W + s * U, b + s * u) for (W, b), (U, u) in zip(layers, moves)], bends, 0.1)[0]
        for s in (step, -step)
    )
    _, slopes = rebuilding_cost(X, layers, bends, 0.1)
    along = sum(np.vdot(slope, move) for pair in zip(slopes, moves) for slope, move in zip(*pair))
    np.testing.assert_allclose((ahead - behind) / (2 * step), along, rtol=1e-7)


@pytest.mark.parametrize("hidden, activation", [((), "tanh"), ((), "linear")])
def test_without_hidden_layers_it_rebuilds_as_pca_does_but_its_axes_are_any_in_that_plane(hidden, activation):
    fitted = Autoencoder(5, hidden_layer_sizes=hidden, activation=activation, alpha=0, max_iter=3000).fit(DIGITS)
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
    fitted = Autoencoder(3, hidden_layer_sizes=(), alpha=decay, max_iter=5000).fit(DIGITS)
    (encoder, _), (decoder, _) = fitted.layers_
    X = (DIGITS - DIGITS.mean(axis=0)) / fitted.scale_
    variances = linalg.svdvals(X)[:3] ** 2 / len(X)
    np.testing.assert_allclose(encoder, decoder.T, atol=1e-4)
    np.testing.assert_allclose(linalg.svdvals(decoder) ** 2, 1 - decay / variances, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:The network has not converged")
def test_a_curved_network_passes_where_no_line_does():
    fitted = Autoencoder(1, hidden_layer_sizes=(12,), alpha=1e-5).fit(ARC)
    missed = share_missed(ARC, fitted.inverse_transform(fitted.embedding_))
    assert missed < 0.01 < 0.1 < share_missed(ARC, PCA(1).fit(ARC).inverse_transform(PCA(1).fit_transform(ARC)))
    assert np.diff(fitted.objective_path_).max() <= 1e-12


@pytest.mark.filterwarnings("ignore:The network has not converged")
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_no_higher_than_that_of_scikit_learn_for_as_many_steps(seed):
    ours = Autoencoder(1, hidden_layer_sizes=(12,), alpha=1e-5, max_iter=300, random_state=seed).fit(ARC)
    X = (ARC - ours.mean_) / ours.scale_
    options = {"activation": "tanh", "solver": "lbfgs", "alpha": 300 * 1e-5, "max_iter": 300, "tol": 1e-12}
    peer = MLPRegressor(hidden_layer_sizes=(12, 1, 12), random_state=seed, **options)
    with warnings.catch_warnings(action="ignore"):
        peer.fit(X, X)
    assert share_missed(ARC, ours.inverse_transform(ours.embedding_)) < share_missed(X, peer.predict(X)) + 2e-3


def test_none_asks_for_as_many_components_as_columns_which_rebuild_everything():
    fitted = Autoencoder(None, hidden_layer_sizes=(), alpha=0, max_iter=2000).fit(ARC)
    assert share_missed(ARC, fitted.inverse_transform(fitted.embedding_)) < 1e-8


def test_a_training_that_is_cut_short_warns_and_one_that_comes_to_rest_counts_its_steps():
    with pytest.warns(UserWarning, match="The network has not converged in 3 steps: raise max_iter"):
        assert Autoencoder(max_iter=3).fit(DIGITS).n_iter_ == 3
    rested = Autoencoder(1, hidden_layer_sizes=(), max_iter=1000).fit(ARC)
    assert 0 < rested.n_iter_ == len(rested.objective_path_) < 1000


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"hidden_layer_sizes": 20}, r"hidden_layer_sizes=20 must be a tuple of positive integers such as \(20,\)"),
        ({"hidden_layer_sizes": (20, -1)}, r"hidden_layer_sizes=\(20, -1\) must be a tuple"),
        ({"activation": "relu"}, 'activation=\'relu\' must be "tanh" or "linear"'),
        ({"n_components": 3}, "n_components=3 is above the 2 that these data can give"),
    ],
)
def test_bad_input_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        Autoencoder(**parameters).fit(ARC)
