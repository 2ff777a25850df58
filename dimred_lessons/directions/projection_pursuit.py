"""Projection pursuit: directions in which the points look least like a Gaussian."""

from functools import partial

import numpy as np
from sklearn.utils import check_random_state

from dimred_lessons.directions.base import WhitenedDirections
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_integer, check_option, check_seed

# A direction is at rest if the cosine of its angle with the one before is 1 up to this.
_SAME_DIRECTION = 1e-12


class ProjectionPursuit(WhitenedDirections):
    """Find directions of extreme kurtosis among points of unit variance, one after the other.

    Maximizes |E(wᵀz)⁴ − 3| over unit vectors w orthogonal to those found before, for white points z. Positive kurtosis
    means heavy tails, outliers or a small cluster, negative kurtosis a flat top or clusters of similar size. Whiten
    few axes: for n points in about n dimensions, pure noise has directions of any kurtosis.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for as many as axes are whitened.
    n_whitened : int, default 10
        The largest number of principal axes among which directions are sought.
    sign : "any", "positive" or "negative", default "any"
        Which kurtosis is wanted.
    n_init : int, default 10
        Random directions from which each search starts; the most extreme result is kept.
    max_iter : int, default 1000
        Largest number of steps of each search.
    random_state : int, RandomState or None, default 0

    Attributes
    ----------
    mean_ : array of shape (n_features,)
    components_ : array of shape (n_components, n_features)
        Rows take a centered point to its coordinates.
    mixing_ : array of shape (n_features, n_components)
        What a step along each coordinate does to a point, in the unit of the data.
    kurtosis_ : array of shape (n_components,)
        E y⁴ − 3 of each coordinate; 0 for a Gaussian.
    embedding_ : array of shape (n_samples, n_components)
        Uncorrelated coordinates of unit variance.
    n_iter_ : int
        Steps of the longest of the searches.
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above ``n_whitened`` or the rank of the centered data.

    Warns
    -----
    UserWarning
        If a direction does not have the kurtosis that is wanted, or is not one of extreme kurtosis yet.

    References
    ----------
    Algorithm alg-pursuit; source R-38; Friedman and Tukey (1974), Huber (1985).

    Examples
    --------
    Two groups along the column of least variance, which principal components look at last:

    >>> import numpy as np
    >>> from dimred_lessons import ProjectionPursuit
    >>> X = np.random.default_rng(0).standard_normal((500, 5)) * [5, 4, 3, 2, 0.1]
    >>> X[:, 4] += np.repeat([-1, 1], 250)
    >>> np.abs(ProjectionPursuit(n_components=1).fit(X).components_[0]).argmax().item()
    4
    """

    _parameters = {
        "n_whitened": check_integer,
        "sign": partial(check_option, options=("any", "positive", "negative")),
        "n_init": check_integer,
        "max_iter": check_integer,
        "random_state": check_seed,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_whitened: int = 10,
        sign: str = "any",
        n_init: int = 10,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.n_whitened = n_whitened
        self.sign = sign
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _n_axes(self, rank):
        if (self.n_components or 1) > self.n_whitened:
            raise ValueError(
                f"n_components={self.n_components} is above n_whitened={self.n_whitened}, the number of axes among "
                "which directions are sought: raise n_whitened."
            )
        return min(self.n_whitened, rank)

    def _directions(self, Z, deviations):
        n, k = Z.shape
        generator = check_random_state(self.random_state)
        directions, self.kurtosis_, self.n_iter_ = np.empty((0, k)), np.empty(0), 0
        for _ in range(self.n_components or k):
            # 1. Random directions, orthogonal to those found before
            W = _orthogonal_to(directions, generator.standard_normal((self.n_init, k)))
            # 2. Repeat w ← E z(wᵀz)³ − 3w: the gradient of kurtosis points along w where it is extreme
            for step in range(1, self.max_iter + 1):
                Y = Z @ W.T
                previous, W = W, _orthogonal_to(directions, (Y * Y**2).T @ Z / n - 3 * W)  # (pursuit-step)
                if step > self.max_iter / 2 + 1:  # what still turns overshoots: go half the way
                    W = _orthogonal_to(directions, W + previous * np.sign(np.sum(W * previous, axis=1, keepdims=True)))
                moved = 1 - np.abs(np.sum(W * previous, axis=1))
                if np.all(moved < _SAME_DIRECTION):
                    break
            self.n_iter_ = max(self.n_iter_, step)
            # 3. Keep the most extreme direction
            kurtosis = np.mean((Z @ W.T) ** 4, axis=0) - 3  # (pursuit-kurtosis)
            wanted = {"any": np.abs(kurtosis), "positive": kurtosis, "negative": -kurtosis}[self.sign]
            best = np.argmax(wanted)
            directions = np.vstack([directions, W[best]])
            self.kurtosis_ = np.append(self.kurtosis_, kurtosis[best])
            if wanted[best] < 0:
                warn(f"Direction {len(directions)} has no {self.sign} kurtosis: raise n_init, or ask for fewer.")
            elif moved[best] >= _SAME_DIRECTION:
                advice = "raise max_iter or n_init, or lower n_whitened"
                warn(f"Direction {len(directions)} has not converged in {self.max_iter} steps: {advice}.")
        return directions


def _orthogonal_to(directions, W):
    """Unit vectors (rows of W) orthogonal to the directions found before."""
    W = W - W @ directions.T @ directions
    return W / np.linalg.norm(W, axis=1, keepdims=True)
