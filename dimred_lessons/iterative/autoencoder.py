"""Autoencoders: a network that returns its input through a bottleneck, whose few numbers are the embedding."""

from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from sklearn.utils import check_random_state

from dimred_lessons.base import Embedding
from dimred_lessons.distances import require_spread
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed, check_shape


class Autoencoder(Embedding):
    """Place points by d numbers from which a network can rebuild them.

    Encoder and decoder are networks, D → hidden → d → hidden, reversed → D, that minimize ½ mean ‖x − x̂‖² +
    ½ alpha Σ w² by gradients that run back through the layers. The bottleneck and the output are linear, so that
    without hidden layers, or with all of them linear, no plane is better than that of PCA; the d numbers are then
    any coordinates on it. The points are first centered, and divided by one standard deviation for all columns.

    Parameters
    ----------
    n_components : int or None, default 2
        d, at most D; None for D.
    hidden_layer_sizes : tuple of int, default (20,)
        Units of the encoder's hidden layers; the decoder has the same in reverse order. () for none.
    activation : "tanh" or "linear", default "tanh"
        Activation of the hidden layers.
    alpha : float, default 1e-4
        Penalty on the squares of the weights (not of the biases): weight decay.
    max_iter : int, default 400
        Largest number of steps of L-BFGS: more steps rebuild training points better, but not always new ones.
    random_state : int, RandomState or None, default 0
        For the initial weights: normal random numbers of variance 1 / (number of units before).

    Attributes
    ----------
    layers_ : list of pairs (W, b), arrays of shapes (units before, units after) and (units after,)
        The encoder's, then as many of the decoder.
    mean_ : array of shape (n_features,)
    scale_ : float, standard deviation of all entries of the centered points
    objective_path_ : array of shape (n_iter_,), the objective after every step of the optimizer; it never rises
    n_iter_ : int, the steps
    embedding_ : array of shape (n_samples, d)
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if all points coincide, or d is above the number of columns.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few for the objective to come to rest.

    References
    ----------
    Algorithm alg-net; source R-60; Baldi and Hornik (1989), Hinton and Salakhutdinov (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from dimred_lessons import Autoencoder
    >>> line = np.outer(np.linspace(-1, 1, 50), [1, 2, -1])
    >>> net = Autoencoder(1, hidden_layer_sizes=(), alpha=0).fit(line)
    >>> bool(np.allclose(net.inverse_transform(net.embedding_), line, atol=1e-3))
    True
    """

    _parameters = {
        "hidden_layer_sizes": partial(check_shape, example="(20,)", empty=True),
        "activation": partial(check_option, options=("tanh", "linear")),
        "alpha": partial(check_number, zero=True),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        hidden_layer_sizes: tuple[int, ...] = (20,),
        activation: str = "tanh",
        alpha: float = 1e-4,
        max_iter: int = 400,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.alpha = alpha
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
        layers = self._random_layers(X.shape[1])
        # 3. Weights that rebuild the points
        self.layers_, path = self._trained(layers, A)
        self.objective_path_, self.n_iter_ = np.array(path), len(path)
        return self._place(X)

    def _random_layers(self, n_features):
        """Layers of encoder and decoder, with normal random weights and no biases."""
        rng, hidden, d = check_random_state(self.random_state), self.hidden_layer_sizes, self.n_components or n_features
        units = [n_features, *hidden, d, *reversed(hidden), n_features]
        return [(rng.standard_normal((a, b)) / np.sqrt(a), np.zeros(b)) for a, b in pairwise(units)]

    def _bends(self):
        """For each layer, whether its output bends: in hidden layers, not at the bottleneck nor at the end."""
        half = [*(self.activation == "tanh" for _ in self.hidden_layer_sizes), False]
        return half + half

    def _trained(self, layers, A):
        """Layers that minimize the objective, and its values on the way there."""
        path = []

        def objective(theta):
            value, slopes = rebuilding_cost(A, _unflat(theta, layers), self._bends(), self.alpha)
            return value, _flat(slopes)

        result = optimize.minimize(
            objective, _flat(layers), jac=True, method="L-BFGS-B",
            callback=lambda intermediate_result: path.append(intermediate_result.fun),
            options={"maxiter": self.max_iter, "maxfun": 2 * self.max_iter, "maxcor": 20, "ftol": 1e-13, "gtol": 1e-9},
        )  # fmt: skip
        if result.status == 1:  # a limit of the steps, or of the evaluations that they take
            warn(f"The network has not converged in {result.nit} steps: raise max_iter, or stop here on purpose.")
        return _unflat(result.x, layers), path

    def _place(self, X):
        # 4. The encoder alone
        n = len(self.layers_) // 2
        return _outputs((X - self.mean_) / self.scale_, self.layers_[:n], self._bends()[:n])[-1]  # (net-encoder)

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """The points that the decoder rebuilds from coordinates.

        Parameters
        ----------
        X : array of shape (n, n_components)
            Coordinates, as ``transform`` returns them.

        Returns
        -------
        array of shape (n, n_features)
        """
        Y = self._check_scores(X)
        n = len(self.layers_) // 2
        return _outputs(Y, self.layers_[n:], self._bends()[n:])[-1] * self.scale_ + self.mean_


def rebuilding_cost(X: np.ndarray, layers: list, bends: list[bool], alpha: float) -> tuple[float, list]:
    """½ mean ‖x − x̂‖² + ½ alpha Σ w², and its slopes, by the chain rule from the last layer to the first.

    Parameters
    ----------
    X : array of shape (n, D), centered points
    layers : list of pairs (W, b), weights and biases
    bends : list of bool
        For each layer, whether its output is tanh of a linear function, or this function itself.
    alpha : float

    Returns
    -------
    value : float
    slopes : list of pairs of arrays, of the shapes of the layers

    References
    ----------
    Equations (net-objective), (net-gradient).
    """
    outputs = [X, *_outputs(X, layers, bends)]
    error = (outputs[-1] - X) / len(X)
    penalty = sum(np.vdot(W, W) for W, _ in layers)
    value = 0.5 * len(X) * np.vdot(error, error) + 0.5 * alpha * penalty  # (net-objective)
    slopes: list[tuple[np.ndarray, np.ndarray]] = []
    for (W, _), bent, before, after in reversed(list(zip(layers, bends, outputs, outputs[1:]))):
        if bent:
            error *= 1 - after**2  # the slope of tanh
        slopes.insert(0, (before.T @ error + alpha * W, error.sum(axis=0)))  # (net-gradient)
        error = error @ W.T
    return value, slopes


def _outputs(A, layers, bends):
    """What each layer returns, if A is put into the first one."""
    outputs = []
    for (W, b), bent in zip(layers, bends):
        A = A @ W + b
        A = np.tanh(A) if bent else A
        outputs.append(A)
    return outputs


def _flat(layers):
    """All weights and biases, one after the other."""
    return np.concatenate([array.ravel() for layer in layers for array in layer])


def _unflat(theta, shapes):
    """Layers of the given shapes from such a vector."""
    arrays = [array for layer in shapes for array in layer]
    parts = np.split(theta, np.cumsum([array.size for array in arrays])[:-1])
    arrays = [part.reshape(array.shape) for part, array in zip(parts, arrays)]
    return list(zip(arrays[::2], arrays[1::2]))
