"""How strongly two points are neighbors among the data: the weights that a neighbor embedding reproduces.

Each function takes distances, whose unit does not matter, and how many neighbors a point has: the squared distances
of all pairs, or, for many points, a graph of the nearest ones, outside of which all affinities are zero.
"""

import numpy as np
from scipy import sparse
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
    require_perplexity(perplexity, len(squared))
    return probabilities_of_entropy(squared, np.log(perplexity))


def require_perplexity(perplexity: float, n: int) -> None:
    """Refuse a perplexity that no point can have.

    Parameters
    ----------
    perplexity : float
    n : int
        Number of points.

    Raises
    ------
    ValueError
        If the perplexity is not between 1 and n − 1.
    """
    if not 1 <= perplexity < n - 1:
        raise ValueError(
            f"perplexity={perplexity!r} must be at least 1 and below n_samples − 1 = {n - 1}, the number of neighbors."
        )


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


def probabilities_among_nearest(graph: sparse.csr_array, perplexity: float) -> sparse.csr_array:
    """p_j|i of `conditional_probabilities` among the nearest points of each; those farther away have probability 0.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n)
        Distances to the k nearest points of each row, k above the perplexity: three times as many leave out less than
        one part in a thousand of a Gaussian in the plane.
    perplexity : float
        At least 1.

    Returns
    -------
    sparse CSR array of shape (m, n), rows of sum 1

    References
    ----------
    Equation (sne-perplexity); van der Maaten (2014).
    """
    P, m = graph.copy(), graph.shape[0]
    squared = graph.data.reshape(m, -1) ** 2
    P.data = nearest_of_entropy(squared, np.log(perplexity)).ravel()
    return P


@accelerated(entropy_roots.nearest_of_entropy)
def nearest_of_entropy(squared: np.ndarray, entropy: float) -> np.ndarray:
    """`probabilities_of_entropy` of each row, for points with these candidates only.

    Parameters
    ----------
    squared : array of shape (m, k)
    entropy : float
        Below log k.

    Returns
    -------
    array of shape (m, k), rows of sum 1
    """
    P = np.empty(squared.shape)
    for row, candidates in zip(P, squared, strict=True):
        whole = np.full((len(candidates) + 1,) * 2, 1.0)
        whole[0, 1:] = candidates
        row[:] = probabilities_of_entropy(whole, entropy)[0, 1:]
    return P


def sparse_joint_probabilities(graph: sparse.csr_array, perplexity: float) -> sparse.csr_array:
    """`joint_probabilities` among the nearest points of each.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n)
        Distances to the k nearest points of each; see `probabilities_among_nearest`.
    perplexity : float

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric, of sum 1

    References
    ----------
    Equation (sne-joint).
    """
    P = probabilities_among_nearest(graph, perplexity)
    return sparse.csr_array((P + P.T) / (2 * P.shape[0]))  # (sne-joint)


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
    V = memberships_of_nearest(nearest).toarray()
    return V + V.T - V * V.T  # (sne-memberships)


def sparse_memberships(graph: sparse.csr_array) -> sparse.csr_array:
    """`fuzzy_memberships` from the distances to the k nearest points of each.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n)

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric

    References
    ----------
    Equation (sne-memberships).
    """
    V = memberships_of_nearest(graph)
    return sparse.csr_array(V + V.T - V * V.T)  # (sne-memberships)


def memberships_of_nearest(graph: sparse.csr_array) -> sparse.csr_array:
    """v_j|i, degree to which each of its nearest points is a neighbor of a point; see `fuzzy_memberships`.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n)
        Distances to the k nearest points of each row.

    Returns
    -------
    sparse CSR array of shape (m, n)
    """
    V, m = graph.copy(), graph.shape[0]
    lengths = graph.data.reshape(m, -1)
    rho = np.min(lengths, axis=1, where=lengths > 0, initial=np.inf, keepdims=True)
    excess = np.maximum(lengths - np.where(np.isinf(rho), 0, rho), 0)
    unit = np.maximum(excess.mean(axis=1, keepdims=True), 1e-300)
    smallest = np.min(excess, axis=1, where=excess > 0, initial=np.inf, keepdims=True)
    low, high = np.clip(np.log(smallest / unit) - 10, -340, -50), np.full((m, 1), 50.0)
    for _ in range(60):  # bisection for log τ: the sum grows with τ
        middle = (low + high) / 2
        v = np.exp(-excess / (unit * np.exp(middle)))
        too_much = v.sum(axis=1, keepdims=True) > np.log2(lengths.shape[1])
        low, high = np.where(too_much, low, middle), np.where(too_much, middle, high)
    V.data = v.ravel()
    return V
