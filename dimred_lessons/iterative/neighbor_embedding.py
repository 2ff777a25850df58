"""Neighbors as probabilities: SNE, t-SNE and the objective of UMAP, with all pairs of points."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from dimred_lessons.base import Embedding
from dimred_lessons.distances import METRICS, as_points, squared_distances_by
from dimred_lessons.eigenpairs import thin_svd, top_eigenpairs
from dimred_lessons.iterative.neighbor_kernels import KERNELS
from dimred_lessons.kernels import points_from_distances
from dimred_lessons.parameters import (
    check_integer,
    check_number,
    check_option,
    check_points,
    check_seed,
    given_places,
)

# With more points than this, all pairs take too long
_MOST_POINTS = 5000


class NeighborEmbedding(Embedding):
    """Place points so that each has the neighbors that it has among the data, as probabilities.

    Follows the gradient of a mismatch between affinities of pairs, P of the data and Q of the places: t-SNE, symmetric
    SNE and SNE minimize KL(P‖Q), UMAP a cross-entropy. All pairs of points attract or repel each other in every
    step, O(n²): exact, for up to 5000 points. There is no ``transform``: a new point would move all others.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for as many as the data or the initial places have: columns, or axes of classical scaling for given
        distances.
    perplexity : float, default 30.0
        How many neighbors each point has, in the sense of an entropy; at least 1, below n − 1. Not used by "umap".
    n_neighbors : int, default 15
        How many neighbors each point has, by count; at least 2, below n. Used by "umap" only.
    kernel : "student", "gaussian", "sne" or "umap", default "student"
        What distances of places mean: t-SNE, 1/(1 + ‖y − y′‖²); symmetric SNE, exp(−‖y − y′‖²); SNE, the same with
        probabilities for each point separately; UMAP, 1/(1 + 1.577 ‖y − y′‖^1.79), for each pair separately.
    exaggeration : float, default 1.0
        Factor of the attraction. Above 1, the map approaches that of Laplacian eigenmaps.
    early_exaggeration : float, default 12.0
        Factor of the attraction in the early steps: the parts of a cluster find each other before they settle. Beyond
        the `critical_exaggeration` the map shrinks during these steps, and is enlarged afterward.
    early_exaggeration_iter : int, default 250
        Number of early steps, 0 or above; they are among the ``max_iter`` steps.
    init : "spectral", "pca", "random" or array of shape (n_samples, d), default "spectral"
        Initial places: Laplacian eigenmaps of P, principal components (classical scaling, if distances are given),
        normal random numbers, or those of another method. They are centered and shrunk to a standard deviation of 1e-4
        along the first axis (1 for "umap").
    learning_rate : float or "auto", default "auto"
        Length of a step, as a factor of the gradient; "auto" for n / (4 max(α, 3) ΣP), α the exaggeration.
    max_iter : int, default 750
        Number of steps, all of which are taken.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        Distances of the points; if precomputed, X holds them, (n, n).
    random_state : int, RandomState or None, default 0
        For random places, and for the 1% of noise that separates equal places of a spectral start.

    Attributes
    ----------
    affinities_ : array of shape (n_samples, n_samples), P
    objective_path_ : array, the mismatch, without exaggeration, after every 25 steps and at the end
        It may rise, in particular where the early exaggeration ends.
    n_iter_ : int, the steps taken: max_iter
    embedding_ : array of shape (n_samples, d), centered
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if there are more than 5000 points, or the number of neighbors is not below that of the others.

    References
    ----------
    Algorithm alg-sne; Hinton and Roweis (2003), van der Maaten and Hinton (2008), McInnes, Healy and Melville (2018).

    Examples
    --------
    >>> import numpy as np
    >>> from dimred_lessons import NeighborEmbedding
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> X[20:] += 20
    >>> Y = NeighborEmbedding(perplexity=10, max_iter=300).fit_transform(X)
    >>> bool(np.linalg.norm(Y[:20].mean(axis=0) - Y[20:].mean(axis=0)) > 2 * Y[:20].std())
    True
    """

    _n_square_matrices = 5
    _parameters = {
        "perplexity": check_number,
        "n_neighbors": partial(check_integer, least=2),
        "kernel": partial(check_option, options=tuple(KERNELS)),
        "exaggeration": check_number,
        "early_exaggeration": check_number,
        "early_exaggeration_iter": partial(check_integer, least=0),
        "init": partial(check_points, options=("spectral", "pca", "random")),
        "learning_rate": partial(check_number, word="auto"),
        "max_iter": check_integer,
        "metric": partial(check_option, options=METRICS),
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        perplexity: float = 30.0,
        n_neighbors: int = 15,
        kernel: str = "student",
        exaggeration: float = 1.0,
        early_exaggeration: float = 12.0,
        early_exaggeration_iter: int = 250,
        init: str | ArrayLike = "spectral",
        learning_rate: float | str = "auto",
        max_iter: int = 750,
        metric: str = "euclidean",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.exaggeration = exaggeration
        self.early_exaggeration = early_exaggeration
        self.early_exaggeration_iter = early_exaggeration_iter
        self.init = init
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.metric = metric
        self.random_state = random_state

    def _embed(self, X):
        _require_few(X)
        kernel, X = KERNELS[self.kernel], np.ascontiguousarray(X)  # steps amplify rounding, so its order counts
        # 1. Affinities of all pairs
        n_neighbors = getattr(self, kernel.neighbors)
        self.affinities_ = kernel.affinities(squared_distances_by(X, self.metric), n_neighbors)
        # 2. Places to start from
        Y = self._start(X, kernel.size)
        # 3. Steps with more attraction
        path, n_early = [], min(self.early_exaggeration_iter, self.max_iter)
        Y = self._descend(kernel, Y, path, n_early, self.early_exaggeration, momentum=0.5)
        # 4. Steps from there, after a map that shrank is enlarged, as power iteration does
        Y *= np.maximum(1, kernel.size / Y.std(axis=0))
        Y = self._descend(kernel, Y, path, self.max_iter - n_early, self.exaggeration, momentum=0.8)
        self.objective_path_ = np.array([*path, kernel.objective(self.affinities_, Y)])
        self.n_iter_ = self.max_iter
        return Y

    def _descend(self, kernel, Y, path, n_steps, exaggeration, momentum):
        """Steps with momentum, longer for a coordinate that keeps its direction, shorter for one that turns.

        The objective after every 25 steps is added to the path.
        """
        rate = self.learning_rate
        if rate == "auto":
            rate = len(Y) / (4 * max(exaggeration, 3) * self.affinities_.sum())
        attraction = exaggeration * self.affinities_
        step, gains = np.zeros_like(Y), np.ones_like(Y)
        for t in range(n_steps):
            gradient = kernel.gradient(attraction, Y)
            gains = np.maximum(np.where(step * gradient < 0, gains + 0.2, 0.8 * gains), 0.01)
            step = momentum * step - rate * gains * gradient
            Y = Y + step  # (sne-step)
            Y -= Y.mean(axis=0)  # a large mean would lose the digits of a small map
            if t % 25 == 24:
                path.append(kernel.objective(self.affinities_, Y))
        return Y

    def _start(self, X, size):
        """Initial places, centered, with the given standard deviation along the first axis."""
        n, d, rng = len(X), self.n_components, check_random_state(self.random_state)
        if not isinstance(self.init, str):
            Y = given_places(self.init, n, d)
        elif self.init == "random":
            Y = rng.standard_normal((n, d or self._n_axes(X)))
        elif self.init == "pca":
            Y = self._principal_axes(X, d or self._n_axes(X))
        else:
            Y = _eigenmap(self.affinities_, d or self._n_axes(X))
            Y += 0.01 * rng.standard_normal(Y.shape)
        if d and Y.shape[1] < d:
            most = Y.shape[1]
            raise ValueError(f"n_components={d} is above the {most} that init={self.init!r} can give: ask for fewer.")
        return (Y - Y.mean(axis=0)) * (size / Y[:, 0].std())

    def _principal_axes(self, X, d):
        """Coordinates of the points, or of points with the given distances, along their principal axes."""
        points = as_points(X, self.metric)
        if self.metric == "precomputed":
            return points_from_distances(points, d, X)
        U, singular_values, _ = thin_svd(points - points.mean(axis=0), d)
        return U * singular_values

    def _n_axes(self, X):
        """How many axes the data have."""
        return self._principal_axes(X, None).shape[1] if self.metric == "precomputed" else min(len(X) - 1, X.shape[1])


def _require_few(X):
    """Refuse more points than those whose pairs can all be followed."""
    if len(X) > _MOST_POINTS:
        raise ValueError(
            f"n_samples={len(X)} is above the {_MOST_POINTS} points whose pairs can all be followed: use the "
            "approximations of openTSNE or umap-learn, or embed fewer points."
        )


def _eigenmap(P, d):
    """Normalized Laplacian eigenmap of a dense matrix of weights, of unit variance: top eigenvectors of I + S."""
    P = P + P.T
    roots = np.sqrt(P.sum(axis=1))
    S = P / np.outer(roots, roots) - 2 * np.outer(roots, roots) / P.sum()  # without the constant axis
    _, U = top_eigenpairs(np.eye(len(P)) + S, d, unique=False)
    Y = U / roots[:, np.newaxis]
    return Y / Y.std(axis=0)
