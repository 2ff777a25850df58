"""Neighbors as probabilities: SNE, t-SNE and the objective of UMAP, with all pairs of points."""

from functools import partial

import numpy as np
from sklearn.utils import check_random_state

from dimred_lessons.base import Embedding
from dimred_lessons.distances import METRICS, as_points
from dimred_lessons.eigenpairs import thin_svd, top_eigenpairs
from dimred_lessons.graphs import neighbor_weights
from dimred_lessons.iterative.neighbor_forces import neighbor_gradient, neighbor_objective
from dimred_lessons.kernels import points_from_distances
from dimred_lessons.parameters import (
    check_integer,
    check_number,
    check_option,
    check_pair,
    check_points,
    check_seed,
    given_places,
)

# With more points than this, all pairs take too long
_MOST_POINTS = 5000


class NeighborEmbedding(Embedding):
    """Place points so that each has the neighbors that it has among the data, as probabilities.

    Follows the gradient of a mismatch between weights of pairs, P of the data and Q of the places: t-SNE, symmetric
    SNE and SNE minimize KL(P‖Q), UMAP a cross-entropy. All pairs of points attract or repel each other in every
    step, O(n²): exact, for up to 5000 points. There is no ``transform``: a new point would move all others.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for as many as the data or the start have: columns, or axes of classical scaling for given distances.
    perplexity : float, default 30.0
        How many neighbors each point has, in the sense of an entropy; at least 1, below n − 1. For "umap",
        rounded, the number of neighbors.
    kernel : "student", "gaussian", "sne" or "umap", default "student"
        What distances of places mean: t-SNE, 1/(1 + ‖y − y′‖²); symmetric SNE, exp(−‖y − y′‖²); SNE, the same with
        probabilities for each point separately; UMAP, 1/(1 + 1.577 ‖y − y′‖^1.79), for each pair separately.
    exaggeration : float, default 1.0
        Factor of the attraction. Above 1, the map approaches that of Laplacian eigenmaps.
    early : pair of int and float, default (250, 12.0)
        Number of early steps, and the exaggeration during them: the parts of a cluster find each other before they
        settle. Beyond the `critical_exaggeration` the map shrinks during these steps, and is enlarged afterward.
    start : "spectral", "pca", "random" or array of shape (n_samples, d), default "spectral"
        Initial places: Laplacian eigenmaps of P, principal components (classical scaling, if distances are given),
        normal random numbers, or those of another method. They are centered and shrunk to a standard deviation of 1e-4
        along the first axis (1 for "umap").
    rate : float or None, default None
        Length of a step, as a factor of the gradient; None for n / (4 max(α, 3) ΣP), α the exaggeration.
    n_iter : int, default 750
        Number of steps.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        Distances of the points; if precomputed, X holds them, (n, n).
    random_state : int, RandomState or None, default 0
        For a random start, and for the 1% of noise that separates equal places of a spectral one.

    Attributes
    ----------
    weights_ : array of shape (n_samples, n_samples), P
    objective_path_ : array, the mismatch, without exaggeration, after every 25 steps and at the end
    embedding_ : array of shape (n_samples, d), centered
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if there are more than 5000 points, or the perplexity is not below n − 1.

    References
    ----------
    Algorithm alg-sne; Hinton and Roweis (2003), van der Maaten and Hinton (2008), McInnes, Healy and Melville (2018).
    """

    _n_square_matrices = 5
    _parameters = {
        "perplexity": check_number,
        "kernel": partial(check_option, options=("student", "gaussian", "sne", "umap")),
        "exaggeration": check_number,
        "early": partial(check_pair, first=partial(check_integer, least=0), second=check_number, example="(250, 12.0)"),
        "start": partial(check_points, options=("spectral", "pca", "random")),
        "rate": partial(check_number, none="for n / (4 max(α, 3) ΣP)"),
        "n_iter": check_integer,
        "metric": partial(check_option, options=METRICS),
        "random_state": check_seed,
    }

    def __init__(
        self, n_components=2, perplexity=30.0, kernel="student", exaggeration=1.0, early=(250, 12.0),
        start="spectral", rate=None, n_iter=750, metric="euclidean", random_state=0,
    ):  # fmt: skip
        self.n_components = n_components
        self.perplexity = perplexity
        self.kernel = kernel
        self.exaggeration = exaggeration
        self.early = early
        self.start = start
        self.rate = rate
        self.n_iter = n_iter
        self.metric = metric
        self.random_state = random_state

    def _embed(self, X):
        if len(X) > _MOST_POINTS:
            raise ValueError(
                f"n_samples={len(X)} is above the {_MOST_POINTS} points whose pairs can all be followed: use the "
                "approximations of openTSNE or umap-learn, or embed fewer points."
            )
        X = np.ascontiguousarray(X)  # steps amplify rounding, which depends on the order in memory
        # 1. Weights of all pairs, and places to start from
        self.weights_ = P = neighbor_weights(X, self.perplexity, self.kernel, self.metric)
        Y = self._start(X)
        # 2. Steps against the gradient, with momentum; first with more attraction
        n_early, self.objective_path_ = min(self.early[0], self.n_iter), []
        Y = self._descend(Y, n_early, self.early[1], momentum=0.5)
        Y *= np.maximum(1, self._size / Y.std(axis=0))  # enlarge a map that shrank, as power iteration does
        Y = self._descend(Y, self.n_iter - n_early, self.exaggeration, momentum=0.8)
        self.objective_path_ = np.array([*self.objective_path_, neighbor_objective(P, Y, self.kernel)])
        return Y

    def _descend(self, Y, n_iter, exaggeration, momentum):
        """Steps with momentum, longer for a coordinate that keeps its direction, shorter for one that turns."""
        default = len(Y) / (4 * max(exaggeration, 3) * self.weights_.sum())
        rate = default if self.rate is None else self.rate
        attraction = exaggeration * self.weights_
        step, gains = np.zeros_like(Y), np.ones_like(Y)
        for t in range(n_iter):
            gradient = neighbor_gradient(attraction, Y, self.kernel)  # (sne-gradient)
            gains = np.maximum(np.where(step * gradient < 0, gains + 0.2, 0.8 * gains), 0.01)
            step = momentum * step - rate * gains * gradient
            Y = Y + step  # (sne-step)
            Y -= Y.mean(axis=0)  # a large mean would lose the digits of a small map
            if t % 25 == 24:
                self.objective_path_.append(neighbor_objective(self.weights_, Y, self.kernel))
        return Y

    def _start(self, X):
        """Initial places, centered and of the right size."""
        n, rng, d = len(X), check_random_state(self.random_state), self.n_components or self._n_axes(X)
        if not isinstance(self.start, str):
            Y = given_places(self.start, n, self.n_components)
            d = Y.shape[1]
        elif self.start == "random":
            Y = rng.standard_normal((n, d))
        elif self.start == "pca":
            Y = self._principal_axes(X, d)
        else:
            Y = _eigenmap(self.weights_, d)
            Y += 0.01 * rng.standard_normal(Y.shape)
        if Y.shape[1] < d:
            most = Y.shape[1]
            raise ValueError(f"n_components={d} is above the {most} that start={self.start!r} can give: ask for fewer.")
        return (Y - Y.mean(axis=0)) * (self._size / Y[:, 0].std())

    def _principal_axes(self, X, d):
        """Coordinates of the points, or of points with the given distances, along their principal axes."""
        points = as_points(X, self.metric)
        if self.metric == "precomputed":
            return points_from_distances(points, d, X)
        return np.multiply(*thin_svd(points - points.mean(axis=0), d)[:2])

    def _n_axes(self, X):
        return self._principal_axes(X, None).shape[1] if self.metric == "precomputed" else min(len(X) - 1, X.shape[1])

    @property
    def _size(self):
        """Standard deviation of the map at the start."""
        return 1 if self.kernel == "umap" else 1e-4


def _eigenmap(P, d):
    """Normalized Laplacian eigenmap of a dense matrix of weights, of unit variance: top eigenvectors of I + S."""
    P = P + P.T
    roots = np.sqrt(P.sum(axis=1))
    S = P / np.outer(roots, roots) - 2 * np.outer(roots, roots) / P.sum()  # without the constant axis
    U = top_eigenpairs(np.eye(len(P)) + S, d, unique=False)[1] / roots[:, np.newaxis]
    return U / U.std(axis=0)
