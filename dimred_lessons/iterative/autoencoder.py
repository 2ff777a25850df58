"""Autoencoders: a network that returns its input through a bottleneck, whose few numbers are the embedding."""

from functools import partial
from itertools import pairwise

import numpy as np
from scipy import optimize
from sklearn.utils import check_random_state

from dimred_lessons.base import OutOfSampleEmbedding
from dimred_lessons.distances import require_spread
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed, check_shape


class Autoencoder(OutOfSampleEmbedding):
    """Place points by d numbers from which a network can rebuild them.

    Encoder and decoder are networks, D → hidden → d → hidden, reversed → D, that minimize ½ mean ‖x − x̂‖² +
    ½ decay Σ w² by gradients that run back through the layers. The bottleneck and the output are linear, so that
    without hidden layers, or with all of them linear, no plane is better than that of PCA; the d numbers are then
    any coordinates on it. The points are first centered, and divided by one standard deviation for all columns.

    Parameters
    ----------
    n_components : int or None, default 2
        d, at most D; None for D.
    hidden : tuple of int, default (20,)
        Units of the encoder's hidden layers; the decoder has the same in reverse order. () for none.
    activation : "tanh" or "linear", default "tanh"
        Activation of the hidden layers.
    decay : float, default 1e-4
        Penalty on the squares of the weights (not of the biases).
    max_iter : int, default 400
        Largest number of steps of L-BFGS: more steps rebuild training points better, but not always new ones.
    random_state : int, RandomState or None, default 0
        For the initial weights: normal random numbers of variance 1 / (number of units before).

    Attributes
    ----------
    layers_ : list of pairs (W, b), arrays of shapes (units before, units after) and (units after,)
    mean_ : array of shape (n_features,)
    scale_ : float, standard deviation of all entries of the centered points
    objective_path_ : array, the objective after every step of the optimizer
    n_iter_ : int
    embedding_ : array of shape (n_samples, d)
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if all points coincide, or d is above the number of columns.

    References
    ----------
    Algorithm alg-net; source R-60; Baldi and Hornik (1989), Hinton and Salakhutdinov (2006).
    """

    _parameters = {
        "hidden": partial(check_shape, example="(20,)", empty=True),
        "activation": partial(check_option, options=("tanh", "linear")),
        "decay": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(self, n_components=2, hidden=(20,), activation="tanh", decay=1e-4, max_iter=400, random_state=0):
        self.n_components = n_components
        self.hidden = hidden
        self.activation = activation
        self.decay = decay
        self.max_iter = max_iter
        self.random_state = random_state

    def _embed(self, X):
        require_spread(X)
        self._require_components(X.shape[1], X)
        # 1. Centered points of unit size
        X = np.ascontiguousarray(X)  # steps amplify rounding, which depends on the order in memory
        self.mean_ = X.mean(axis=0)
        self.scale_ = (X - self.mean_).std()
        A = (X - self.mean_) / self.scale_
        # 2. A network with random weights
        rng, d = check_random_state(self.random_state), self.n_components or X.shape[1]
        widths = [X.shape[1], *self.hidden, d, *reversed(self.hidden), X.shape[1]]
        self._n_encoding = len(self.hidden) + 1
        layers = [(rng.standard_normal((a, b)) / np.sqrt(a), np.zeros(b)) for a, b in pairwise(widths)]
        # 3. Weights that rebuild the points
        path = []
        result = optimize.minimize(
            lambda theta: self._objective(A, theta, layers), _flat(layers), jac=True, method="L-BFGS-B",
            callback=lambda intermediate_result: path.append(intermediate_result.fun),
            options={"maxiter": self.max_iter, "maxfun": 2 * self.max_iter, "maxcor": 20, "ftol": 1e-13, "gtol": 1e-9},
        )  # fmt: skip
        self.layers_, self.objective_path_, self.n_iter_ = _unflat(result.x, layers), np.array(path), max(1, result.nit)
        return self._place(X)

    def _objective(self, X, theta, shapes):
        """½ mean ‖x − x̂‖² + ½ decay Σ w², and its gradient, by the chain rule from the last layer to the first."""
        layers, n = _unflat(theta, shapes), len(X)
        outputs = [X]
        for i, layer in enumerate(layers):
            outputs.append(self._layer(outputs[-1], layer, i))
        error = (outputs[-1] - X) / n
        value = 0.5 * n * np.vdot(error, error) + 0.5 * self.decay * sum(np.vdot(W, W) for W, _ in layers)
        gradient = []
        for i in reversed(range(len(layers))):
            if self._is_nonlinear(i):
                error *= 1 - outputs[i + 1] ** 2
            W, _ = layers[i]
            gradient.insert(0, (outputs[i].T @ error + self.decay * W, error.sum(axis=0)))  # (net-gradient)
            error = error @ W.T
        return value, _flat(gradient)  # (net-objective)

    def _is_nonlinear(self, i):
        """Whether layer i is not linear."""
        return self.activation == "tanh" and i + 1 not in (self._n_encoding, 2 * self._n_encoding)

    def _layer(self, A, layer, i):
        """Output of layer i for input A."""
        A = A @ layer[0] + layer[1]
        return np.tanh(A) if self._is_nonlinear(i) else A

    def _place(self, X):
        # 4. The encoder alone
        A = (X - self.mean_) / self.scale_
        for i in range(self._n_encoding):
            A = self._layer(A, self.layers_[i], i)  # (net-encoder)
        return A

    def inverse_transform(self, Y):
        """The points that the decoder rebuilds from coordinates.

        Parameters
        ----------
        Y : array of shape (n, n_components)

        Returns
        -------
        X : array of shape (n, n_features)
        """
        A = self._check_scores(Y)
        for i in range(self._n_encoding, 2 * self._n_encoding):
            A = self._layer(A, self.layers_[i], i)
        return A * self.scale_ + self.mean_


def _flat(layers):
    """All weights and biases, one after the other."""
    return np.concatenate([array.ravel() for layer in layers for array in layer])


def _unflat(theta, shapes):
    """Layers of the given shapes from such a vector."""
    arrays = [array for layer in shapes for array in layer]
    parts = np.split(theta, np.cumsum([array.size for array in arrays])[:-1])
    arrays = [part.reshape(array.shape) for part, array in zip(parts, arrays)]
    return list(zip(arrays[::2], arrays[1::2]))
