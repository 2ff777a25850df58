"""Generative topographic mapping: a smooth sheet through the cloud, and noise around it."""

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from dimred_lessons.distances import squared_distances
from dimred_lessons.eigenpairs import center_points, thin_svd
from dimred_lessons.gaussians import em, responsibilities
from dimred_lessons.latent.base import MixtureModel
from dimred_lessons.memory import require_memory
from dimred_lessons.parameters import check_integer, check_number, check_points


class GTM(MixtureModel):
    """Fit the density of x = f(y) + noise, with y on a grid in [−1, 1]^d and noise ~ N(0, I/β).

    f(y) = Wᵀφ(y) is smooth: φ holds a bump at each of a few centers, the coordinates themselves and a constant.
    Maximizes the likelihood of a mixture with a component at each node of the grid, less ½α‖W‖². It finds a local
    maximum: where the first principal plane cuts through the cloud, a start there folds the sheet, and one from a
    spectral method does not.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for the rank of the centered data.
    grid : int, default 15
        Nodes along each axis: grid^d components.
    n_centers : int, default 5
        Bumps along each axis.
    width : float, default 1.0
        Standard deviation of a bump, as a multiple of the distance of the centers.
    alpha : float, default 1e-3
        Weight of the penalty on W, for points scaled to unit variance on average over the columns.
    min_noise : float below 1, default 1e-4
        Smallest noise variance, as a share of the mean variance of the columns.
    init : "pca" or array of shape (n_samples, n_components), default "pca"
        Lay the sheet along the principal axes, or through the points by these coordinates.
    tol : float, default 1e-6
        EM stops when a step raises the objective by less than this per entry (in nats).
    max_iter : int, default 500

    Attributes
    ----------
    nodes_ : array of shape (grid^d, n_components)
        The grid.
    mean_ : array of shape (n_features,)
        Mean of the training points, about which the sheet lies.
    scale_ : float
        Root of the mean variance of the columns: the unit in which the model is fitted.
    coef_ : array of shape (number of functions, n_features)
        W, in the unit of the data.
    noise_variance_ : float
        1/β, in squared units of the data.
    objective_path_, log_likelihood_path_ : arrays of shape (n_iter_,)
        Log-likelihood of the training points at each step, with the penalty and without; the first never falls.
    embedding_ : array of shape (n_samples, n_components)
        Posterior means of y.
    n_iter_ : int
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above the rank, ``init`` does not have a row for each point and a column for
        each component, or the grid does not fit into memory.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few.

    References
    ----------
    Algorithm alg-gtm; source R-57; Bishop, Svensén and Williams (1998).

    Examples
    --------
    One coordinate along a curve through noisy points, found as the mean over 15 nodes:

    >>> import numpy as np
    >>> from dimred_lessons import GTM
    >>> rng, t = np.random.default_rng(0), np.linspace(0, 3, 300)
    >>> gtm = GTM(n_components=1).fit(np.column_stack([t, np.sin(2 * t)]) + 0.05 * rng.standard_normal((300, 2)))
    >>> print(f"{len(gtm.nodes_)} nodes, correlation {abs(np.corrcoef(gtm.embedding_[:, 0], t)[0, 1]):.2f}")
    15 nodes, correlation 1.00
    """

    _parameters = {
        "grid": partial(check_integer, least=2),
        "n_centers": partial(check_integer, least=2),
        "width": check_number,
        "alpha": check_number,
        "min_noise": partial(check_number, below=1),
        "init": partial(check_points, options=("pca",)),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        grid: int = 15,
        n_centers: int = 5,
        width: float = 1.0,
        alpha: float = 1e-3,
        min_noise: float = 1e-4,
        init: str | ArrayLike = "pca",
        tol: float = 1e-6,
        max_iter: int = 500,
    ) -> None:
        self.n_components = n_components
        self.grid = grid
        self.n_centers = n_centers
        self.width = width
        self.alpha = alpha
        self.min_noise = min_noise
        self.init = init
        self.tol = tol
        self.max_iter = max_iter

    def _embed(self, X):
        # 1. Center the points and scale them to unit variance on average
        X_0, self.mean_ = center_points(X)
        self.scale_ = np.sqrt(np.mean(X_0**2)) or 1.0
        X_0 /= self.scale_
        _, singular_values, V = thin_svd(X_0) if X_0.any() else (None, np.empty(0), None)
        self._require_components(len(singular_values), X)
        d = self.n_components or len(singular_values)
        require_memory(3, len(X), self.grid**d, "lower grid or n_components")
        # 2. The grid, and the functions on it
        self.nodes_ = _grid(self.grid, d)
        Phi = self._functions(self.nodes_)
        W, beta = self._start(X_0, Phi, singular_values / np.sqrt(len(X)), V)
        log_likelihoods = []

        def step(parameters):
            W, beta, D2 = parameters
            # 3. E: which nodes each point comes from
            R, log_densities = responsibilities(_log_joint(D2, beta, X.shape[1]))  # (gtm-responsibilities)
            log_likelihoods.append(log_densities.sum() - X.size * np.log(self.scale_))
            objective = log_likelihoods[-1] - self.alpha / 2 * np.vdot(W, W)
            # 4. M: a ridge regression of the points on the functions of their nodes, and the noise that it leaves
            W = self._regression(R, X_0, Phi, self.alpha / beta)  # (gtm-m-step)
            D2 = squared_distances(X_0, Phi @ W)
            return (W, 1 / max(np.vdot(R, D2) / X.size, self.min_noise), D2), objective

        # 5. Repeat until the objective no longer rises
        start = W, beta, squared_distances(X_0, Phi @ W)
        (W, beta, _), self.objective_path_ = em(step, start, self.tol, self.max_iter, X.size)
        self.coef_, self.noise_variance_ = self.scale_ * W, self.scale_**2 / beta
        self.log_likelihood_path_, self.n_iter_ = np.array(log_likelihoods), len(log_likelihoods)
        return self._place(X)

    def _start(self, X, Phi, deviations, V):
        """W and β for a plane along the principal axes, or for points that have coordinates."""
        d = self.nodes_.shape[1]
        if isinstance(self.init, str):
            plane = self.nodes_ / self.nodes_.std(axis=0) * deviations[:d] @ V[:, :d].T
            between = np.sort(squared_distances(plane), axis=1)[:, 1].mean()  # to the next node
            return np.linalg.lstsq(Phi, plane)[0], 1 / max([*deviations[d : d + 1] ** 2, between / 4, self.min_noise])
        Y = self._given_init(X, d)
        low, high = Y.min(axis=0), Y.max(axis=0)
        D2 = squared_distances(2 * (Y - low) / (high - low) - 1, self.nodes_)
        R, _ = responsibilities(-D2 / (2 * 0.15**2))
        W = self._regression(R, X, Phi, self.alpha)
        return W, 1 / max(np.vdot(R, squared_distances(X, Phi @ W)) / X.size, self.min_noise)

    def _regression(self, R, X, Phi, penalty):
        moments = Phi.T @ (R.sum(axis=0)[:, np.newaxis] * Phi)
        return linalg.solve(moments + penalty * np.eye(len(moments)), Phi.T @ (R.T @ X), assume_a="pos")

    def _functions(self, Y):
        """φ of each row of Y: bumps, coordinates, and a constant."""
        centers, width = _grid(self.n_centers, Y.shape[1]), self.width * 2 / (self.n_centers - 1)
        bumps = np.exp(-squared_distances(Y, centers) / (2 * width**2))
        return np.column_stack([bumps, Y, np.ones(len(Y))])

    def _log_joint(self, X):
        D2 = squared_distances(X, self._rebuild(self.nodes_))
        return _log_joint(D2, 1 / self.noise_variance_, X.shape[1])

    def _place(self, X):
        return responsibilities(self._log_joint(X))[0] @ self.nodes_  # (gtm-place)

    def _rebuild(self, Y):
        return self.mean_ + self._functions(Y) @ self.coef_

    def _draw(self, n, generator):
        X = self._rebuild(self.nodes_[generator.randint(len(self.nodes_), size=n)])
        return X + generator.standard_normal(X.shape) * np.sqrt(self.noise_variance_)  # (gtm-model)


def _grid(n, d):
    """n^d nodes that fill the cube [−1, 1]^d evenly."""
    return np.array(list(product(np.linspace(-1, 1, n), repeat=d)))


def _log_joint(D2, beta, D):
    """log p(node, x) from squared distances: all nodes are equally likely."""
    return D / 2 * np.log(beta / (2 * np.pi)) - np.log(D2.shape[1]) - beta / 2 * D2  # (gtm-density)
