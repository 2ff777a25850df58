"""Steps along sampled pairs: UMAP's objective without its n² repulsions.

Cross-entropy lets every pair of points that are no neighbors repel, with a force that has a peak of width √ε at
distance 0: no grid can follow it. Instead, each epoch draws pairs. A stored pair (i, j) is drawn with the probability
P_ij / max P and attracts its ends; with each go some points drawn at random, which repel point i (McInnes, Healy and
Melville, 2018). So an epoch costs a few operations for each stored pair, and its expected step is

    Δy_i ∝ Σ_j (P_ij + P_ji) f₊(y_i − y_j) + m Σ_j P_ij (1/n) Σ_k f₋(y_i − y_k),

    f₊(δ) = −2ab ‖δ‖^{2b−2} / (1 + a‖δ‖^{2b}) δ,   f₋(δ) = 2b / ((ε + ‖δ‖²)(1 + a‖δ‖^{2b})) δ,

with no coordinate of a force above 4. One after the other, the steps would be a loop of millions of rounds. Here the
drawn pairs of an epoch are mixed once and cut into batches of about as many pairs as there are points: forces of a
batch are computed at once and added up, so that a point moves about twice before the others notice.
"""

import numpy as np
from scipy import sparse

NEGATIVES = 5  # random points for each pair that is drawn
LARGEST = 4.0  # of the coordinates of a force
EPSILON = 1e-3  # ε: points nearer than its root repel as if they were that far apart


class SampledPairs:
    """Pairs to draw from, and a curve 1 / (1 + a δ^2b) that says what distances of places mean.

    Parameters
    ----------
    P : sparse CSR array of shape (m, n), not negative
        Row i holds the weights of the pairs of point i.
    a, b : float
    rng : Generator
        It draws all pairs: the same seed gives the same map.
    """

    def __init__(self, P: sparse.csr_array, a: float, b: float, rng: np.random.Generator):
        self.heads, self.tails = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)), P.indices.astype(np.intp)
        self.chances = (P.data / P.data.max()).astype(np.float32)
        self.a, self.b, self.rng = np.float32(a), np.float32(b), rng

    def epoch(self, Y: np.ndarray, rate: float, fixed: np.ndarray | None = None) -> None:
        """Move places, in place, along the pairs that are drawn.

        Parameters
        ----------
        Y : array of shape (m, d), of single precision
        rate : float
            Length of a step, as a factor of the forces.
        fixed : array of shape (n, d), of single precision, or None
            Places of the points that columns of P stand for, which stay where they are; None for Y itself.
        """
        drawn = np.flatnonzero(self.rng.random(len(self.chances), np.float32) < self.chances)
        self.rng.shuffle(drawn)
        columns = Y.T.copy()  # coordinates one after the other: what is taken lies closer together
        others = columns if fixed is None else fixed.T.copy()
        for batch in np.array_split(drawn, max(1, round(len(drawn) / len(Y)))):
            columns += np.float32(rate) * self._forces(columns, others, self.heads[batch], self.tails[batch])
        Y[:] = columns.T

    def _forces(self, columns, others, heads, tails):
        """Sums (d, m) of the forces of some pairs, and of the random points that go with them."""
        own, (d, m) = others is columns, columns.shape
        strangers = self.rng.integers(0, others.shape[1], (NEGATIVES, len(heads)))
        places = columns[:, heads]
        attraction = self._attraction(places - others[:, tails])
        repulsion = self._repulsion(places[:, np.newaxis] - others[:, strangers])
        if own:
            repulsion *= strangers != heads
        at_heads, forces = attraction + repulsion.sum(axis=1), np.empty_like(columns)
        for c in range(d):
            forces[c] = np.bincount(heads, at_heads[c], m)
            if own:
                forces[c] -= np.bincount(tails, attraction[c], m)
        return forces

    def _attraction(self, difference):
        """f₊, zero between points at the same place."""
        squared = np.maximum(np.square(difference).sum(axis=0), np.float32(1e-30))
        power = self.a * squared**self.b
        return np.clip(-2 * self.b * power / (squared * (1 + power)) * difference, -LARGEST, LARGEST)

    def _repulsion(self, difference):
        """f₋; points at the same place push along all axes, so that they part."""
        squared = np.square(difference).sum(axis=0)
        force = (2 * self.b / ((np.float32(EPSILON) + squared) * (1 + self.a * squared**self.b))) * difference
        np.clip(force, -LARGEST, LARGEST, out=force)
        force[:, squared == 0] = LARGEST
        return force
