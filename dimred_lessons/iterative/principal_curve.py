"""Principal curves: a line that bends through the middle of the points."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from dimred_lessons.base import Embedding
from dimred_lessons.distances import require_spread, squared_distances
from dimred_lessons.eigenpairs import thin_svd
from dimred_lessons.memory import blocks
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_integer, check_number, check_option, check_points, given_places

# A curve whose distance from the points is below this share of their extent runs through them.
_PERFECT = 1e-7


class PrincipalCurve(Embedding):
    """Place points along a curve through their middle, by the arc length to their nearest point on it.

    A curve is self-consistent if each of its points is the mean of the data that it is nearest to. "local-lines"
    (Hastie and Stuetzle) takes turns: project the points to the curve, then smooth each coordinate over the arc length
    by local lines; no cost is guaranteed to fall. "polygonal" minimizes mean ‖x − nearest point‖² plus a penalty
    on bends of a polyline, by two steps in turn, each of which lowers it. The start decides which curve is found.

    Parameters
    ----------
    method : "local-lines" or "polygonal", default "local-lines"
    span : float below 1, default 0.2
        Share of the points that each local line is fitted to, at most 1. The larger it is, the smoother the curve,
        and the farther inside the bends it runs.
    bending : float, default 1e-4
        Factor of the penalty n_nodes² Σ_j ‖c_{j−1} − 2c_j + c_{j+1}‖² of the polyline with nodes c.
    n_nodes : int, default 60
        Number of nodes of the polyline that represents the curve, at least 3.
    init : "pca" or array of shape (n_samples, 1), default "pca"
        First curve: the line of the first principal component, or a curve smoothed over the embedding of another
        method.
    tol : float, default 1e-4
        The iteration ends when the objective changes by less than this fraction of it, or nothing is left of it.
    max_iter : int, default 500
        Largest number of steps.

    Attributes
    ----------
    nodes_ : array of shape (n_nodes, n_features), nodes of the curve, in order
    objective_path_ : array of shape (n_iter_ + 1,), mean squared distance to the curve (plus the penalty)
        From the first curve on. For "polygonal" it never rises; for "local-lines" it may.
    n_iter_ : int, how often the curve was drawn anew; 0 if the first one will do
    origin_ : float, arc length from the first node to where the embedding is 0
    embedding_ : array of shape (n_samples, 1), arc length, in the unit of the data, of mean 0
    n_components_ : int, 1
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if all points coincide, or ``init`` does not have a row for each point and one column.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few.

    References
    ----------
    Algorithm alg-curve; sources R-58 to R-60; Hastie and Stuetzle (1989), Kégl et al. (2000).

    Examples
    --------
    >>> import numpy as np
    >>> from dimred_lessons import PrincipalCurve
    >>> angle = np.linspace(0, 3, 100)
    >>> Y = PrincipalCurve(span=0.3).fit_transform(np.column_stack([np.cos(angle), np.sin(angle)]))
    >>> round(float(np.ptp(Y)))  # the length of the arc
    3
    """

    n_components = 1
    _parameters = {
        "method": partial(check_option, options=("local-lines", "polygonal")),
        "span": partial(check_number, below=1 + 1e-9),
        "bending": partial(check_number, zero=True),
        "n_nodes": partial(check_integer, least=3),
        "init": partial(check_points, options=("pca",)),
        "tol": check_number,
        "max_iter": check_integer,
    }

    def __init__(
        self,
        method: str = "local-lines",
        *,
        span: float = 0.2,
        bending: float = 1e-4,
        n_nodes: int = 60,
        init: str | ArrayLike = "pca",
        tol: float = 1e-4,
        max_iter: int = 500,
    ) -> None:
        self.method = method
        self.span = span
        self.bending = bending
        self.n_nodes = n_nodes
        self.init = init
        self.tol = tol
        self.max_iter = max_iter

    def _embed(self, X):
        require_spread(X)
        self._unit = _power_of_two(X)  # squares of huge or tiny numbers are none; dividing by it changes no digit
        X = X / self._unit
        draw = self._draw_polyline if self.method == "polygonal" else self._draw_by_local_lines
        # 1. A first curve
        nodes, path = self._first_curve(X), []
        while True:
            # 2. The nearest place on the curve to each point
            segments, shares = _project(nodes, X)
            path.append(self._objective(nodes, X, segments, shares))
            if self._is_at_rest(path, X):
                break
            # 3. The curve through the middle of the points that are projected to each place
            nodes = draw(nodes, X, segments, shares)
        self.nodes_, self.n_iter_ = nodes * self._unit, len(path) - 1
        self.objective_path_ = np.array(path) * self._unit * self._unit
        lengths = _arc_lengths(nodes, segments, shares) * self._unit
        self.origin_ = lengths.mean()
        return (lengths - self.origin_)[:, np.newaxis]

    def _first_curve(self, X):
        """Nodes of the line of the first principal component, or of a curve smoothed over given places."""
        if not isinstance(self.init, str):
            Y = given_places(self.init, len(X), 1)[:, 0]
            return self._smooth(Y / _power_of_two(Y), X)
        center = X.mean(axis=0)
        U, singular_values, V = thin_svd(X - center, 1)
        along = np.linspace(U.min(), U.max(), self.n_nodes) * singular_values
        return center + along[:, np.newaxis] * V.T

    def _objective(self, nodes, X, segments, shares):
        """Mean squared distance of the points from the curve; for a polyline, plus the penalty on its bends."""
        t = shares[:, np.newaxis]
        feet = (1 - t) * nodes[segments] + t * nodes[segments + 1]
        cost = np.mean(np.sum((X - feet) ** 2, axis=1))  # (curve-objective)
        return cost + np.sum((self._roughness() @ nodes) ** 2) if self.method == "polygonal" else cost

    def _is_at_rest(self, path, X):
        """Whether the iteration ends: nothing is left of the objective, it hardly changes, or it was the last step."""
        steps = len(path) - 1
        rounding = 16 * np.finfo(float).eps * np.abs(X).max(axis=0)
        nothing = np.sum(_PERFECT**2 * X.var(axis=0) + rounding**2)
        if path[-1] <= nothing or (steps and abs(path[-2] - path[-1]) <= self.tol * path[-1]):
            return True
        if steps == self.max_iter:
            warn(f"The curve has not converged in {steps} steps: raise max_iter, or tol (now {self.tol:g}).")
        return steps == self.max_iter

    def _draw_by_local_lines(self, nodes, X, segments, shares):
        """Each coordinate smoothed over the arc length."""
        return self._smooth(_arc_lengths(nodes, segments, shares), X)

    def _smooth(self, lengths, X):
        """Local lines, with tricube weights on the nearest share of the points, at equal steps of arc length."""
        apart = lengths - np.linspace(lengths.min(), lengths.max(), self.n_nodes)[:, np.newaxis]
        k = min(len(X), max(int(self.span * len(X)), 3))
        reach = np.partition(np.abs(apart), k - 1, axis=1)[:, k - 1 : k] + 1e-6 * np.ptp(lengths)
        reach = np.where(reach > 0, reach, 1)
        w = np.clip(1 - (np.abs(apart) / reach) ** 3, 0, None) ** 3
        s_0, s_1, s_2 = (np.sum(w * apart**power, axis=1, keepdims=True) for power in range(3))
        w *= s_2 - s_1 * apart + 1e-9 * s_0 * reach**2  # a line through points at a single place is horizontal
        return w @ X / w.sum(axis=1, keepdims=True)  # (curve-smoothing)

    def _draw_polyline(self, nodes, X, segments, shares):
        """Nodes that minimize the objective for these segments and shares."""
        n, rows = len(X), np.arange(len(X))
        M, J = np.zeros((n, self.n_nodes)), self._roughness()
        M[rows, segments], M[rows, segments + 1] = 1 - shares, shares
        wanted = np.vstack([X / np.sqrt(n), np.zeros((len(J), X.shape[1]))])
        return linalg.lstsq(np.vstack([M / np.sqrt(n), J]), wanted)[0]  # (curve-nodes)

    def _roughness(self):
        """Matrix whose product with the nodes has the penalty as its sum of squares."""
        return np.sqrt(self.bending) * self.n_nodes * np.diff(np.eye(self.n_nodes), 2, axis=0)

    def _place(self, X):
        # 4. The arc length up to the nearest point of the curve
        nodes = self.nodes_ / self._unit
        lengths = _arc_lengths(nodes, *_project(nodes, X / self._unit)) * self._unit
        return (lengths - self.origin_)[:, np.newaxis]

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """The points of the curve at given arc lengths; beyond the curve, its ends.

        Parameters
        ----------
        X : array of shape (n, 1)
            Arc lengths, as ``transform`` returns them.

        Returns
        -------
        array of shape (n, n_features)
        """
        lengths = (self._check_scores(X)[:, 0] + self.origin_) / self._unit
        nodes = self.nodes_ / self._unit
        ends = np.append(0, np.cumsum(_segment_lengths(nodes)))
        return np.stack([np.interp(lengths, ends, column) for column in nodes.T], axis=1) * self._unit


def _project(nodes, X):
    """Segment of the polyline that is nearest to each point, and the share of it up to the nearest place."""
    starts, edges = nodes[:-1], np.diff(nodes, axis=0)
    squares = np.maximum(np.sum(edges**2, axis=1), np.finfo(float).tiny)
    segments = np.empty(len(X), dtype=int)
    for rows in blocks(len(X), 4 * len(edges)):
        along = X[rows] @ edges.T - np.sum(starts * edges, axis=1)  # (x − a)·e of the segments a + te
        t = np.clip(along / squares, 0, 1)
        squared = squared_distances(X[rows], starts) + t * (t * squares - 2 * along)
        segments[rows] = np.argmin(squared, axis=1)  # (curve-projection)
    along = np.sum((X - starts[segments]) * edges[segments], axis=1)
    return segments, np.clip(along / squares[segments], 0, 1)


def _arc_lengths(nodes, segments, shares):
    """Lengths of the polyline up to places on it."""
    lengths = _segment_lengths(nodes)
    return (np.cumsum(lengths) - lengths)[segments] + shares * lengths[segments]


def _segment_lengths(nodes):
    return np.linalg.norm(np.diff(nodes, axis=0), axis=1)


def _power_of_two(X):
    """The power of two just below the largest entry."""
    _, exponent = np.frexp(np.abs(X).max())
    return 2.0 ** (exponent - 1)
