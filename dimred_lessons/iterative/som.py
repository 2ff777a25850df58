"""Self-organizing maps: units on a grid divide the data among themselves, so that neighbors on the grid are alike."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.base import Embedding
from dimred_lessons.distances import require_spread, squared_distances
from dimred_lessons.eigenpairs import thin_svd
from dimred_lessons.parameters import (
    check_integer,
    check_number,
    check_option,
    check_pair,
    check_points,
    check_seed,
    check_shape,
    given_places,
)

# Shares of the way to a point that its winner moves at the first and at the last step of the online rule
_FIRST_RATE, _LAST_RATE = 0.5, 0.01


class SelfOrganizingMap(Embedding):
    """Place points on a grid, each at the unit whose prototype is nearest, so that neighbors on the grid are alike.

    Each unit l has a place on the grid and a prototype m_l among the data. A point pulls its winner k and, by
    h_kl = exp(−‖place_k − place_l‖²/2σ²) / Σ_l, the units around it; σ shrinks from epoch to epoch. With winners
    min_k Σ_l h_kl ‖x − m_l‖² ("smoothed"; Heskes) and a fixed σ, each batch lowers Σ_i Σ_l h_kl ‖x_i − m_l‖²; with the
    nearest prototype ("nearest"; Kohonen) nothing is guaranteed to fall. With σ = 0, the batch rule is k-means.

    Parameters
    ----------
    shape : tuple of int, default (10, 10)
        Units of the grid along each axis.
    method : "batch" or "online", default "batch"
        Move all prototypes after each pass through the points, to weighted means; or after each point, a step.
    winner : "smoothed" or "nearest", default "smoothed"
        Which unit wins a point.
    init : "pca", "random" or array of shape (n_samples, d), default "pca"
        Initial prototypes: on the plane of the first principal components, two standard deviations each way;
        random points of the data; or, given an embedding by another method, means of the points whose places are
        near each unit once the grid is stretched over them.
    sigma : pair of (float or None) and float, default (None, 0.5)
        σ of the first and the last epoch, in steps of the grid; None for half the longest side.
    max_iter : int, default 30
        Number of epochs: passes through the points, all of which are made.
    random_state : int, RandomState or None, default 0
        For a random start and for the order of the points in the online rule.

    Attributes
    ----------
    places_ : array of shape (n_units, d), places of the units on the grid, which is centered
    prototypes_ : array of shape (n_units, n_features), m
    neighborhood_ : array of shape (n_units, n_units), h at the end
    objective_path_ : array of shape (n_iter_,), Σ_i Σ_l h_kl ‖x_i − m_l‖² at the beginning of each epoch
        With a fixed σ, the batch rule and smoothed winners it never rises; when σ shrinks, another sum is looked at.
    n_iter_ : int, the epochs: max_iter
    embedding_ : array of shape (n_samples, d), places of the winners
    n_components_ : int, d, the axes of the grid
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if all points coincide, or the shape of ``init`` does not match the points and the grid.

    References
    ----------
    Algorithm alg-som; sources R-54 to R-56; Kohonen (1982), Heskes (1999).

    Examples
    --------
    >>> import numpy as np
    >>> from dimred_lessons import SelfOrganizingMap
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> som = SelfOrganizingMap((6, 6)).fit(X)
    >>> bool(som.quantization_error(X) < 0.1), bool(som.topographic_error(X) < 0.1)
    (True, True)
    """

    n_components = None  # as many as the grid has axes
    _parameters = {
        "shape": check_shape,
        "method": partial(check_option, options=("batch", "online")),
        "winner": partial(check_option, options=("smoothed", "nearest")),
        "init": partial(check_points, options=("pca", "random")),
        "sigma": partial(
            check_pair,
            first=partial(check_number, zero=True, none="for half the longest side"),
            second=partial(check_number, zero=True),
            example="(5.0, 0.5)",
        ),
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self,
        shape: tuple[int, ...] = (10, 10),
        *,
        method: str = "batch",
        winner: str = "smoothed",
        init: str | ArrayLike = "pca",
        sigma: tuple[float | None, float] = (None, 0.5),
        max_iter: int = 30,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.shape = shape
        self.method = method
        self.winner = winner
        self.init = init
        self.sigma = sigma
        self.max_iter = max_iter
        self.random_state = random_state

    def _embed(self, X):
        require_spread(X)
        rng = check_random_state(self.random_state)
        # 1. A grid of places, and widths of a neighborhood that shrinks
        self.places_ = _grid(self.shape)
        widths = self._widths()
        # 2. Prototypes to start from
        self.prototypes_ = self._first_prototypes(X, rng, widths[0])
        path = []
        for epoch, sigma in enumerate(widths):
            self.neighborhood_ = _neighborhood(self.places_, sigma)
            # 3. The winner of each point
            winners, pulls = self._winners(X)
            path.append(pulls.sum())  # (som-objective)
            # 4. Prototypes of the winner and of the units around it move toward the point
            if self.method == "batch":
                self.prototypes_ = _means(X, winners, self.neighborhood_, self.prototypes_)
            else:
                self._move_one_by_one(X[rng.permutation(len(X))], epoch)
        self.objective_path_, self.n_iter_ = np.array(path), len(path)
        return self._place(X)

    def _widths(self):
        """σ of each epoch, by equal factors; by equal steps from or to 0."""
        first, last = self.sigma
        if first is None:
            first = max(self.shape) / 2
        return np.geomspace(first, last, self.max_iter) if first and last else np.linspace(first, last, self.max_iter)

    def _first_prototypes(self, X, rng, sigma):
        """Initial prototypes (n_units, n_features)."""
        if isinstance(self.init, str) and self.init == "random":
            return X[rng.randint(len(X), size=len(self.places_))]
        half = np.maximum(self.places_.max(axis=0), 0.5)  # of the sides of the grid
        if not isinstance(self.init, str):
            Y = given_places(self.init, len(X), len(self.shape))
            low, high = Y.min(axis=0), Y.max(axis=0)
            stretched = (2 * (Y - low) / (high - low) - 1) * half
            winners = np.argmin(squared_distances(stretched, self.places_), axis=1)
            far_from_all = np.tile(X.mean(axis=0), (len(self.places_), 1))
            return _means(X, winners, _neighborhood(self.places_, sigma), far_from_all)
        _, singular_values, V = thin_svd(X - X.mean(axis=0), len(self.shape))
        reach = 2 * singular_values / np.sqrt(len(X))
        return X.mean(axis=0) + (self.places_ / half)[:, : len(reach)] * reach @ V.T

    def _winners(self, X):
        """Winning units of some points, and Σ_l h_kl ‖x − m_l‖² for the winner k."""
        squared = squared_distances(X, self.prototypes_)
        smoothed = squared @ self.neighborhood_.T
        winners = np.argmin(smoothed if self.winner == "smoothed" else squared, axis=1)  # (som-winner)
        return winners, smoothed[np.arange(len(X)), winners]

    def _move_one_by_one(self, X, epoch):
        """Each point moves its winner by a share of the way, and the units around it by smaller shares."""
        smoother = self.neighborhood_ if self.winner == "smoothed" else np.eye(len(self.places_))
        shares = self.neighborhood_ / np.diag(self.neighborhood_)[:, np.newaxis]
        for t, x in enumerate(X):
            elapsed = (epoch + t / len(X)) / self.max_iter
            rate = _FIRST_RATE * (_LAST_RATE / _FIRST_RATE) ** elapsed
            toward = x - self.prototypes_
            winner = np.argmin(smoother @ np.einsum("ij,ij->i", toward, toward))
            self.prototypes_ += rate * shares[winner][:, np.newaxis] * toward  # (som-step)

    def _place(self, X):
        # 5. A point is placed where its winner is
        return self.places_[self._winners(X)[0]]

    def quantization_error(self, X: ArrayLike) -> float:
        """Mean distance of points from the nearest prototype.

        Parameters
        ----------
        X : array of shape (n, n_features)

        Returns
        -------
        float, in the unit of the data
        """
        check_is_fitted(self)
        return np.sqrt(squared_distances(self._validated(X, reset=False), self.prototypes_).min(axis=1)).mean()

    def topographic_error(self, X: ArrayLike) -> float:
        """Share of points whose two nearest prototypes belong to units that do not touch on the grid.

        Parameters
        ----------
        X : array of shape (n, n_features)

        Returns
        -------
        float between 0 and 1
        """
        check_is_fitted(self)
        nearest = np.argsort(squared_distances(self._validated(X, reset=False), self.prototypes_), axis=1)
        first, second = self.places_[nearest[:, 0]], self.places_[nearest[:, min(1, nearest.shape[1] - 1)]]
        return np.mean(np.abs(first - second).max(axis=1) > 1.5)


def _grid(shape):
    """Places of the units (n_units, d), one step apart, centered."""
    axes = np.meshgrid(*(np.arange(side, dtype=float) for side in shape), indexing="ij")
    places = np.stack(axes, axis=-1).reshape(-1, len(shape))
    return places - places.mean(axis=0)


def _neighborhood(places, sigma):
    """h (n_units, n_units), rows of sum 1; the identity for σ = 0."""
    if sigma == 0:
        return np.eye(len(places))
    h = np.exp(-squared_distances(places) / (2 * sigma**2))
    return h / h.sum(axis=1, keepdims=True)  # (som-neighborhood)


def _means(X, winners, h, prototypes):
    """m_l = Σ_i h_kl x_i / Σ_i h_kl, k the winner of x_i; a unit that gets nothing stays where it is."""
    won = sparse.csr_array((np.ones(len(X)), (winners, np.arange(len(X)))), shape=(len(h), len(X)))
    weights = h.T @ won.sum(axis=1)
    sums = h.T @ (won @ X)
    empty = weights <= 1e-300
    return np.where(empty[:, np.newaxis], prototypes, sums / np.where(empty, 1, weights)[:, np.newaxis])
