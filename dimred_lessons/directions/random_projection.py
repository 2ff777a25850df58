"""Random projections: directions chosen without looking at the data, which still keep the distances."""

from functools import partial

import numpy as np
from scipy import fft, sparse
from sklearn.utils import check_random_state

from dimred_lessons.base import Embedding
from dimred_lessons.memory import blocks
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed

# Rows whose points and transforms stay in the cache of the processor
_BLOCK_ROWS = 64


class RandomProjection(Embedding):
    """Multiply the points by a random matrix, Y = XR, that keeps squared lengths on average: E‖xR‖² = ‖x‖².

    With d of `johnson_lindenstrauss_dimension`, all squared distances of n points are kept within a factor of
    1 ± eps with high probability, however many columns the points have. The points are not centered, and R does
    not depend on them: the guarantee, which PCA does not give, holds for any set of points, if the entries of R
    are normal, signs, or sparse with a density of at least 1/3.

    Parameters
    ----------
    n_components : int or None, default None
        d, at most the number of columns; None for the dimension that ``eps`` requires.
    eps : float below 1, default 0.3
        Relative error of squared distances; not used if d is given.
    kind : "gaussian", "signs", "sparse" or "fast", default "gaussian"
        Distribution of R: normal entries; ±1/√d; mostly zeros; or random signs, a cosine transform and d random
        coordinates of the result, in O(D log D) operations per point.
    density : float below 1 or None, default None
        Share of nonzero entries, if sparse; None for 1/√D. Points with few nonzero entries need a larger share.
    random_state : int, RandomState or None, default 0

    Attributes
    ----------
    components_ : array or sparse array of shape (n_components, n_features)
        Rᵀ; of the fast kind, made anew each time that it is asked for.
    signs_ : array of shape (n_features,)
        Only the fast kind: factors 1 or −1 of the columns, before the cosine transform.
    kept_ : integer array of shape (n_components,)
        Only the fast kind: which frequencies become axes.
    embedding_ : array of shape (n_samples, n_components)
        In the unit of the data.
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if d is above the number of columns, or all points coincide.

    References
    ----------
    Algorithm alg-random-projection; sources L-29, L-30; Johnson and Lindenstrauss (1984), Achlioptas (2003),
    Li, Hastie and Church (2006), Ailon and Chazelle (2009).

    Examples
    --------
    Distances in a tenth of the dimensions, wrong by less than 30%:

    >>> import numpy as np
    >>> from scipy.spatial.distance import pdist
    >>> from dimred_lessons import RandomProjection
    >>> X = np.random.default_rng(0).standard_normal((50, 10_000))
    >>> Y = RandomProjection(eps=0.3).fit_transform(X)
    >>> Y.shape, bool(np.all(np.abs(pdist(Y) / pdist(X) - 1) < 0.3))
    ((50, 435), True)
    """

    _parameters = {
        "eps": partial(check_number, below=1),
        "kind": partial(check_option, options=("gaussian", "signs", "sparse", "fast")),
        "density": partial(check_number, below=1, none="for 1/√D"),
        "random_state": check_seed,
    }
    _all_components = "for the dimension that eps requires"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        eps: float = 0.3,
        kind: str = "gaussian",
        density: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.eps = eps
        self.kind = kind
        self.density = density
        self.random_state = random_state

    def _embed(self, X):
        # 1. As many dimensions as the distances of this number of points require
        n, D = X.shape
        self._require_components(0 if all(np.array_equal(x, X[0]) for x in X) else D, X)
        d = self.n_components or johnson_lindenstrauss_dimension(n, self.eps)
        if d > D:
            raise ValueError(
                f"n_components={self.n_components} requires {d} dimensions for {n} points and eps={self.eps}, but "
                f"these have {D}: raise eps, or set n_components."
            )
        # 2. A random matrix with entries of mean 0 and variance 1/d
        generator = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        if self.kind == "fast":
            self.signs_ = 2.0 * generator.integers(0, 2, D) - 1
            self.kept_ = generator.permutation(D)[:d]
            self._components = None
        else:
            self._components = self._matrix(d, D, generator)
        # 3. Project
        return self._place(X)

    @property
    def components_(self) -> np.ndarray:
        """Rᵀ, a row for each axis."""
        if self._components is not None:
            return self._components
        D = len(self.signs_)
        cosines = fft.dct(np.eye(D), axis=0, norm="ortho")[self.kept_]
        return np.sqrt(D / len(self.kept_)) * cosines * self.signs_

    def _matrix(self, d, D, generator):
        if self.kind == "gaussian":
            return generator.normal(scale=1 / np.sqrt(d), size=(d, D))  # (rp-gaussian)
        if self.kind == "signs":
            return (2.0 * generator.integers(0, 2, (d, D)) - 1) / np.sqrt(d)  # (rp-signs)
        share = self.density or 1 / np.sqrt(D)
        counts = generator.binomial(D, share, d)
        columns = [np.sort(generator.choice(D, count, replace=False, shuffle=False)) for count in counts]
        values = (2.0 * generator.integers(0, 2, counts.sum()) - 1) / np.sqrt(share * d)  # (rp-sparse)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return sparse.csr_array((values, np.concatenate(columns), starts), shape=(d, D))

    def _place(self, X):
        R = self._components
        if R is None:
            # The signs spread each point over all frequencies: d of them hold about d/D of its squared length
            Y = np.empty((len(X), len(self.kept_)))
            for block in blocks(len(X), 1, _BLOCK_ROWS):
                Y[block] = fft.dct(X[block] * self.signs_, axis=1, norm="ortho")[:, self.kept_]  # (rp-fast)
            return Y * np.sqrt(len(self.signs_) / len(self.kept_))
        if sparse.issparse(R):
            Y = np.empty((len(X), R.shape[0]))
            for block in blocks(len(X), 1, _BLOCK_ROWS):
                Y[block] = (R @ np.ascontiguousarray(X[block].T)).T
            return Y
        return X @ R.T  # (rp-project)


def johnson_lindenstrauss_dimension(n_points: int, eps: float = 0.3, delta: float | None = None) -> int:
    """Dimension in which random projections keep all squared distances within a factor of 1 ± eps.

    A pair fails with a probability of at most 2 exp(−d(ε²/2 − ε³/3)/2), and there are n(n − 1)/2 pairs.

    Parameters
    ----------
    n_points : int, n
    eps : float below 1
    delta : float below 1 or None
        Probability that any pair fails; None for the bound d ≥ 4 log n/(ε²/2 − ε³/3), for which it is below 1.

    Returns
    -------
    int, d

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Equation (rp-dimension); source L-29; Dasgupta and Gupta (2003).
    """
    check_integer("n_points", n_points, least=2)
    check_number("eps", eps, below=1)
    if delta is None:
        union = 4 * np.log(n_points)
    else:
        check_number("delta", delta, below=1)
        union = 2 * np.log(n_points * (n_points - 1) / delta)
    return int(np.ceil(union / (eps**2 / 2 - eps**3 / 3)))  # (rp-dimension)
