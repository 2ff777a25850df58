"""Steps along sampled pairs: UMAP's objective without its n² repulsions.

Cross-entropy lets every pair of points that are no neighbors repel, with a force that has a peak of width √ε at
distance 0: no grid can follow it. Instead, pairs are drawn. In an epoch, a stored pair (i, j) is drawn with the
probability P_ij / max P and attracts its ends; with each go m points drawn at random, which repel point i (McInnes,
Healy and Melville, 2018). So an epoch costs a few operations for each stored pair, and moves points, on average, by

    Δy_i ∝ Σ_j (P_ij + P_ji) f₊(y_i − y_j) + m Σ_j P_ij (1/n) Σ_k f₋(y_i − y_k),

    f₊(δ) = −2ab ‖δ‖^{2b−2} / (1 + a‖δ‖^{2b}) δ,   f₋(δ) = 2b / ((ε + ‖δ‖²)(1 + a‖δ‖^{2b})) δ,

with no coordinate of a force above 4. One after the other, the pairs would be a loop of millions of rounds. Here they
are dealt out, like cards, to steps of about as many pairs as there are points: forces of a step are computed at once
and added up, so that a point moves about twice before the others notice. Two things keep it fast:

- Pairs are dealt in the order in which they are stored, by their first points, and each step gets its share of the
  pairs of each point. What is read and written lies side by side.
- A step draws one random point for each of its pairs; the other ones of a pair are those of pairs further on. Each
  of them is any point with the same probability.

Error. Forces of a step are those above on average only, and so is what it estimates of the objective: such maps are
judged by the neighbors that they keep, beside those of all pairs and of umap-learn.
"""

from collections.abc import Iterator

import numpy as np
from scipy import sparse

NEGATIVES = 5  # m, random points for each pair that is drawn
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

    def __init__(self, P: sparse.csr_array, a: float, b: float, rng: np.random.Generator) -> None:
        self.heads, self.tails = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)), P.indices.astype(np.intp)
        self.weights = P.data.astype(np.float32)
        self.chances = self.weights / self.weights.max()
        self.a, self.b, self.rng, self.n_rows = np.float32(a), np.float32(b), rng, P.shape[0]

    def epoch(self) -> Iterator[np.ndarray]:
        """Draw stored pairs, and deal them out to steps of about as many pairs as there are points.

        Yields
        ------
        integer array, which stored pairs take part in a step
        """
        drawn = np.flatnonzero(self.rng.random(len(self.chances), np.float32) < self.chances)
        n_steps = max(1, round(len(drawn) / self.n_rows))
        for start in range(n_steps):
            yield drawn[start::n_steps]

    def forces(
        self, Y: np.ndarray, pairs: np.ndarray, fixed: np.ndarray | None = None, push: float = 1.0
    ) -> np.ndarray:
        """Sums of the forces of some pairs, and of the random points that go with them.

        Parameters
        ----------
        Y : array of shape (m, d), of single precision
        pairs : integer array, some of the stored pairs
        fixed : array of shape (n, d), of single precision, or None
            Places of the points that columns of P stand for, which stay where they are; None for Y itself.
        push : float
            Factor of the repulsion.

        Returns
        -------
        array of shape (m, d)
        """
        others, (m, d) = Y if fixed is None else fixed, Y.shape
        heads, tails = self.heads[pairs], self.tails[pairs]
        strangers = self.rng.integers(0, len(others), len(heads))
        places, theirs, random = (
            [np.take(A[:, c], rows, mode="clip") for c in range(d)]
            for A, rows in ((Y, heads), (others, tails), (others, strangers))
        )
        attraction = self._attraction([p - q for p, q in zip(places, theirs, strict=True)])
        repulsion = [np.zeros_like(p) for p in places]
        for k in range(NEGATIVES):
            shift = k * len(heads) // NEGATIVES
            forces = self._repulsion([p - np.roll(q, shift) for p, q in zip(places, random, strict=True)])
            if fixed is None:
                itself = np.flatnonzero(np.roll(strangers, shift) == heads)
                for force in forces:
                    force[itself] = 0
            for total, force in zip(repulsion, forces, strict=True):
                total += force
        sums = np.empty_like(Y)
        for c in range(d):
            repulsion[c] *= np.float32(push)
            sums[:, c] = np.bincount(heads, attraction[c] + repulsion[c], m)
            if fixed is None:
                sums[:, c] -= np.bincount(tails, attraction[c], m)
        return sums

    def cross_entropy(self, Y: np.ndarray, n_draws: int = 20) -> float:
        """Cross-entropy of P and q = 1 / (1 + a (‖δ‖² + ε)^b), its repulsive part from pairs of random points.

        Parameters
        ----------
        Y : array of shape (n, d), of single precision
        n_draws : int
            Random points that stand for all others of each point.

        Returns
        -------
        float
        """
        n = len(Y)
        costs = float(np.vdot(self.weights, np.log(self._power(Y[self.heads] - Y[self.tails]))))
        strangers = (np.arange(n) + self.rng.integers(1, n, (n_draws, 1))) % n
        drawn = [np.log1p(1 / self._power(Y - Y[others])).sum(dtype=float) for others in strangers]
        return costs + (n - 1) * sum(drawn) / n_draws

    def _power(self, difference):
        """a (‖δ‖² + ε)^b."""
        return self.a * (np.square(difference).sum(axis=-1) + np.float32(EPSILON)) ** self.b

    def _attraction(self, difference):
        """f₊, zero between points at the same place."""
        squared = np.maximum(_squared(difference), np.float32(1e-30))
        power = self.a * squared**self.b
        factor = -2 * self.b * power / (squared * (1 + power))
        return [np.clip(factor * each, -LARGEST, LARGEST) for each in difference]

    def _repulsion(self, difference):
        """f₋; points at the same place push along all axes, so that they part."""
        squared = _squared(difference)
        factor = 2 * self.b / ((np.float32(EPSILON) + squared) * (1 + self.a * squared**self.b))
        forces = [np.clip(factor * each, -LARGEST, LARGEST) for each in difference]
        same = np.flatnonzero(squared == 0)
        for force in forces:
            force[same] = LARGEST
        return forces


def _squared(difference):
    """‖δ‖² from the coordinates of δ."""
    squared = np.square(difference[0])
    for each in difference[1:]:
        squared += np.square(each)
    return squared
