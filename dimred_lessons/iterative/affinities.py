"""How strongly two points are neighbors among the data: the weights that a neighbor embedding reproduces.

Each function takes the squared distances of all pairs, whose unit does not matter, and how many neighbors a point has.
"""

import numpy as np
from scipy.special import entr

from dimred_lessons.engine import accelerated, entropy_roots
from dimred_lessons.inputs import as_table
from dimred_lessons.neighbors import neighbor_lists


def joint_probabilities(squared: np.ndarray, perplexity: float) -> np.ndarray:
    """Probabilities of pairs, p_ij = (p_j|i + p_i|j) / 2n: the mean of both directions, for all points together.

    Parameters
    ----------
    squared : array of shape (n, n), squared distances
    perplexity : float
        At least 1 and below n − 1.

    Returns
    -------
    array of shape (n, n), symmetric, of sum 1, zero on the diagonal

    Raises
    ------
    ValueError
        If the perplexity is not between 1 and n − 1.

    References
    ----------
    Equation (sne-joint).
    """
    P = conditional_probabilities(squared, perplexity)
    return (P + P.T) / (2 * len(P))  # (sne-joint)


def conditional_probabilities(squared: np.ndarray, perplexity: float) -> np.ndarray:
    """Probabilities with which each point picks another point as its neighbor; the perplexity is the same for all.

    p_j|i ∝ exp(−β_i δ_ij²), where β_i > 0 makes the entropy of row i log(perplexity): the choice is as uncertain
    as one among ``perplexity`` equally near points. If more points than that are exactly the nearest (copies), they
    share the probability evenly.

    Parameters
    ----------
    squared : array of shape (n, n), squared distances
    perplexity : float
        At least 1 and below n − 1.

    Returns
    -------
    array of shape (n, n), rows of sum 1, zero on the diagonal

    Raises
    ------
    ValueError
        If the perplexity is not between 1 and n − 1.

    References
    ----------
    Equation (sne-perplexity); Hinton and Roweis (2003).
    """
    squared = as_table(squared, "squared")
    n = len(squared)
    if not 1 <= perplexity < n - 1:
        raise ValueError(
            f"perplexity={perplexity!r} must be at least 1 and below n_samples − 1 = {n - 1}, the number of neighbors."
        )
    return probabilities_of_entropy(squared, np.log(perplexity))


@accelerated(entropy_roots.probabilities_of_entropy)
def probabilities_of_entropy(squared: np.ndarray, entropy: float) -> np.ndarray:
    """p_ij ∝ exp(−β_i s_ij) with β_i > 0 such that each row has the given entropy, by bisection for log β_i.

    Parameters
    ----------
    squared : array of shape (n, n), s
    entropy : float
        Below log(n − 1).

    Returns
    -------
    array of shape (n, n), rows of sum 1, zero on the diagonal

    References
    ----------
    Equation (sne-perplexity).
    """
    excess = squared + np.diag(np.full(len(squared), np.inf))
    excess -= excess.min(axis=1, keepdims=True)  # the largest exponent is 0
    excess /= np.min(excess, axis=1, where=excess > 0, initial=1e300, keepdims=True)
    low, high = np.full((2, len(squared), 1), [[[-150.0]], [[10.0]]])  # at 10, only the nearest are left
    for _ in range(60):
        middle = (low + high) / 2
        P = np.exp(-np.exp(middle) * excess)
        P /= P.sum(axis=1, keepdims=True)  # (sne-perplexity)
        too_wide = entr(P).sum(axis=1, keepdims=True) > entropy
        low, high = np.where(too_wide, middle, low), np.where(too_wide, high, middle)
    return P


def fuzzy_memberships(squared: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Degree to which two points are neighbors, in [0, 1], as UMAP defines it.

    v_j|i = exp(−(δ_ij − ρ_i)/τ_i) for the k nearest points j of i, where ρ_i is the smallest positive of their
    distances, nearer ones have v = 1, and τ_i makes Σ_j v_j|i = log₂ k. Then v_ij = v_j|i + v_i|j − v_j|i v_i|j.

    Parameters
    ----------
    squared : array of shape (n, n), squared distances
    n_neighbors : int
        k, at least 2 and below n.

    Returns
    -------
    array of shape (n, n), symmetric, zero on the diagonal

    Raises
    ------
    ValueError
        If k is not between 2 and n − 1.

    References
    ----------
    Equation (sne-memberships); McInnes, Healy and Melville (2018).
    """
    squared = as_table(squared, "squared")
    n = len(squared)
    if not 2 <= n_neighbors < n:
        raise ValueError(f"n_neighbors={n_neighbors} must be at least 2 and below n_samples={n}.")
    nearest = neighbor_lists(np.sqrt(squared), n_neighbors, metric="precomputed")
    lengths = nearest.data.reshape(n, n_neighbors)
    rho = np.min(lengths, axis=1, where=lengths > 0, initial=np.inf, keepdims=True)
    excess = np.maximum(lengths - np.where(np.isinf(rho), 0, rho), 0)
    unit = np.maximum(excess.mean(axis=1, keepdims=True), 1e-300)
    smallest = np.min(excess, axis=1, where=excess > 0, initial=np.inf, keepdims=True)
    low, high = np.clip(np.log(smallest / unit) - 10, -340, -50), np.full((n, 1), 50.0)
    for _ in range(60):  # bisection for log τ: the sum grows with τ
        middle = (low + high) / 2
        v = np.exp(-excess / (unit * np.exp(middle)))
        too_much = v.sum(axis=1, keepdims=True) > np.log2(n_neighbors)
        low, high = np.where(too_much, low, middle), np.where(too_much, middle, high)
    V = np.zeros((n, n))
    np.put_along_axis(V, nearest.indices.reshape(n, n_neighbors), v, axis=1)
    return V + V.T - V * V.T  # (sne-memberships)
