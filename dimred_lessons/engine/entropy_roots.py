"""Rows of probabilities of a given entropy: Newton's method in a bracket, for all rows of a block at once.

For row i with squared distances s_j, p_j ∝ exp(−β s_j). With the mean E s and the variance Var s under p,

    entropy(β) = β E s + log Σ_j exp(−β s_j),    d entropy / d log β = −β² Var s:

the entropy falls as β grows, so there is one root. In log β the steps need no unit, and β stays positive. A step of
Newton's method, log β + (entropy − wanted) / (β² Var s), is quadratic near the root but may overshoot where the
entropy is flat; each evaluation moves one end of a bracket, and a step that would leave it is replaced by its middle.
Some five evaluations take the place of fifty of bisection. Rows are worked on in blocks that stay in the cache.

Only s − min s matters: with it the largest exponent is 0. Rows are divided by their mean, so that any unit will do.

Bracket. With the mean at 1, log β = −50 makes all exponents nearly zero. Let m be the first number above exp(entropy):
where β times the m-th smallest excess is above 750, which is beyond the range of exp, fewer than m points are left, and
the entropy is at most the one asked for. So log β is below log 750 − log of this excess, which is above 50 only where
far points (a row of fill values) make the mean large. If m points are exactly the nearest, the answer is the upper end:
all that are nearest share evenly.

Error. A row ends when its entropy is within 10⁻¹⁰ of the one asked for, or its bracket is that narrow.
"""

import numpy as np

from dimred_lessons.memory import CACHED, blocks

# As good as infinite, but its square is a number
_FAR = 1e150


def probabilities_of_entropy(squared: np.ndarray, entropy: float) -> np.ndarray:
    """P with p_ij ∝ exp(−β_i s_ij), zero on the diagonal, and β_i > 0 such that row i has the entropy.

    Parameters
    ----------
    squared : array of shape (n, n), s
    entropy : float
        Below log(n − 1).

    Returns
    -------
    array of shape (n, n), rows of sum 1
    """
    n = len(squared)
    P = np.empty((n, n))
    for rows in blocks(n, n, CACHED):
        P[rows] = _rows_of_entropy(squared[rows], np.arange(n)[rows], entropy)
    return P


def nearest_of_entropy(squared: np.ndarray, entropy: float) -> np.ndarray:
    """The same for given candidates of each row, none of which is the point itself.

    Parameters
    ----------
    squared : array of shape (n, k), s
    entropy : float
        Below log k.

    Returns
    -------
    array of shape (n, k), rows of sum 1
    """
    P = np.empty(squared.shape)
    for rows in blocks(len(squared), squared.shape[1], CACHED):
        with_itself = np.insert(squared[rows], 0, 0, axis=1)
        P[rows] = _rows_of_entropy(with_itself, np.zeros(len(with_itself), int), entropy)[:, 1:]
    return P


def _rows_of_entropy(squared, indices, entropy):
    """Rows of P for the points with the given indices."""
    own = np.arange(len(indices)), indices
    excess = squared.copy()
    excess[own] = np.inf
    excess -= excess.min(axis=1, keepdims=True)
    m = int(np.exp(entropy))  # counting from zero
    last = np.partition(excess, m, axis=1)[:, m : m + 1]
    excess[own] = 0
    unit = excess.mean(axis=1, keepdims=True)
    unit = np.where(unit > 0, unit, 1)
    excess /= unit
    excess[own] = _FAR
    low = np.full((len(indices), 1), -50.0)
    with np.errstate(divide="ignore"):
        high = np.clip(np.log(750 * unit) - np.log(last), 50, 340)  # e³⁴⁰ _FAR is still a number
    log_beta = np.zeros_like(low)
    for _ in range(100):
        beta = np.exp(log_beta)
        P = np.exp(-beta * excess)
        P /= P.sum(axis=1, keepdims=True)
        costs = P * excess
        mean = costs.sum(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", costs, excess)[:, np.newaxis] - mean**2
        surplus = beta * mean - np.log(P.max(axis=1, keepdims=True)) - entropy
        if np.all((np.abs(surplus) < 1e-10) | (high - low < 1e-10)):
            break
        low, high = np.where(surplus > 0, log_beta, low), np.where(surplus > 0, high, log_beta)
        log_beta = log_beta + surplus / np.maximum(beta**2 * variance, 1e-300)
        log_beta = np.where((low < log_beta) & (log_beta < high), log_beta, (low + high) / 2)
    return P
