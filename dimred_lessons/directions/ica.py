"""Independent component analysis: unmix sources by how their distributions differ from a Gaussian."""

from functools import partial

import numpy as np

from dimred_lessons.directions.base import WhitenedDirections
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_integer, check_number, check_option

# Curvatures below this are raised to it, so that every Newton step goes uphill.
_LEAST_CURVATURE = 1e-2


class ICA(WhitenedDirections):
    """Find independent sources y whose mixtures are the points, x = mean + A y, with as many mixtures as sources.

    Maximizes the likelihood Σ_i (log |det W| − Σ_j log π cosh y_ij), y_i = W z_i, of white points z_i: the sources have
    the density 1/(π cosh y), with a higher peak and heavier tails than a Gaussian. For sources with lighter tails,
    such as uniform ones, it finds wrong directions; and at most one source may be Gaussian. Order, sign and scale
    of the sources are not determined by the data.

    Parameters
    ----------
    n_components : int or None, default None
        d; only the first d principal axes are unmixed. None for as many as the rank of the centered data.
    solver : "newton" or "natural-gradient", default "newton"
        Each step multiplies W by I plus a multiple of the relative gradient I − E(tanh(y) yᵀ), which "newton"
        first divides by the curvature that independent sources have.
    tol : float, default 1e-7
        The iteration ends when no entry of the relative gradient is larger than this.
    max_iter : int, default 500

    Attributes
    ----------
    mean_ : array of shape (n_features,)
    components_ : array of shape (n_components, n_features)
        Rows take a centered point to its sources.
    mixing_ : array of shape (n_features, n_components)
        A; the length of a column says how much its source moves the points, and the longest comes first.
    objective_path_ : array of shape (n_iter_,)
        Mean log-likelihood of a white point at each step; it never falls.
    embedding_ : array of shape (n_samples, n_components)
        The sources, of unit variance.
    n_iter_ : int
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above the rank of the centered data.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few.

    References
    ----------
    Algorithm alg-ica; sources R-35 to R-37; Bell and Sejnowski (1995), Amari (1998), Ablin, Cardoso and Gramfort
    (2018).

    Examples
    --------
    Two sources, each heard by two microphones, and told apart:

    >>> import numpy as np
    >>> from dimred_lessons import ICA
    >>> sources = np.random.default_rng(0).laplace(size=(1000, 2))
    >>> heard = sources @ np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> similar = np.abs(np.corrcoef(ICA().fit_transform(heard).T, sources.T)[:2, 2:])
    >>> bool(np.all(similar.max(axis=0) > 0.99))
    True
    """

    _parameters = {
        "solver": partial(check_option, options=("newton", "natural-gradient")),
        "tol": check_number,
        "max_iter": check_integer,
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        solver: str = "newton",
        tol: float = 1e-7,
        max_iter: int = 500,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def _n_axes(self, rank):
        return self.n_components or rank

    def _directions(self, Z, deviations):
        # 1. Start at the principal axes of the points, which are white
        n, d = Z.shape
        W, rate, values = np.eye(d), 1.0, []
        Y, slopes, value = source_likelihood(Z, W)
        for _ in range(self.max_iter):
            values.append(value)
            # 2. Relative gradient: 0 where tanh(y_i) and y_j are uncorrelated
            G = np.eye(d) - slopes.T @ Y / n  # (ica-gradient)
            if np.abs(G).max() < self.tol:
                break
            # 3. Go uphill: W ← (I + rate · step) W, with the rate halved until the likelihood grows
            newton = self.solver == "newton"
            step, rate = (newton_step(G, Y, slopes), 1.0) if newton else (G, min(2 * rate, 1.0))
            while True:
                better = W + rate * step @ W  # (ica-update)
                Y, slopes, value = source_likelihood(Z, better)
                if value >= values[-1] + 1e-4 * rate * np.vdot(G, step) - 1e-13 or rate < 1e-9:
                    break
                rate /= 2
            W = better
        else:
            warn(f"ICA has not converged in {self.max_iter} steps: raise max_iter, or tol (now {self.tol:g}).")
        self.objective_path_, self.n_iter_ = np.array(values), len(values)
        # 4. Sources of unit variance; the one that moves the points most comes first
        W /= np.sqrt(np.mean(Y**2, axis=0))[:, np.newaxis]
        lengths = np.linalg.norm(deviations[:, np.newaxis] * np.linalg.inv(W), axis=0)
        return W[np.argsort(-lengths, kind="stable")]


def source_likelihood(Z: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The sources of white points, and how likely they are.

    Parameters
    ----------
    Z : array of shape (n, d), white points
    W : array of shape (d, d)

    Returns
    -------
    Y : array of shape (n, d), the sources, y = Wz
    slopes : array of shape (n, d), tanh(Y): the slopes of −log density
    value : float, the mean log-likelihood of a point

    References
    ----------
    Equation (ica-likelihood).
    """
    Y = Z @ W.T
    sizes = np.abs(Y)
    bends = np.tanh(sizes)
    log_cosh = np.sum(sizes) - _log_product(1 + bends)  # of all: cosh y = exp |y| / (1 + tanh |y|)
    value = np.linalg.slogdet(W)[1] - log_cosh / len(Z) - len(W) * np.log(np.pi)  # (ica-likelihood)
    return Y, np.copysign(bends, Y), value


def _log_product(factors):
    """The sum of the logarithms of factors from 1 to 2: a thousand of them may be multiplied first."""
    return np.log(np.multiply.reduceat(factors.ravel(), np.arange(0, factors.size, 1000))).sum()


def newton_step(G: np.ndarray, Y: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Gradient divided by the curvature: for independent sources a 2 × 2 block [[c_ij, 1], [1, c_ji]] for each pair.

    Parameters
    ----------
    G : array of shape (d, d), the relative gradient
    Y, slopes : arrays of shape (n, d), as of `source_likelihood`

    Returns
    -------
    array of shape (d, d), a direction that goes uphill

    References
    ----------
    Equation (ica-newton).
    """
    curvatures, squares = 1 - slopes**2, Y**2  # the first are derivatives of tanh
    share = np.full(len(Y), 1 / len(Y))  # a product with it is a mean, several times as fast
    C = np.outer(share @ curvatures, share @ squares)
    smaller = (C + C.T) / 2 - np.sqrt((C - C.T) ** 2 / 4 + 1)  # eigenvalue of each block
    C += np.maximum(_LEAST_CURVATURE - smaller, 0)
    step = (C.T * G - G.T) / (C * C.T - 1)  # (ica-newton)
    np.fill_diagonal(step, np.diag(G) / (1 + share @ (curvatures * squares)))
    return step
