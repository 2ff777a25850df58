"""Many small patches at once: stacks of small matrices in place of a loop over points.

A patch has some ten points, and what is done for it (a Gram matrix, a solution, eigenvectors) takes microseconds,
less than it takes to call a function. NumPy's matrix functions work on stacks of matrices of the same shape: so patches
are taken by their number of points, and as many of them at a time as fit into a block of memory.

Error. The operations on each patch are those that a loop would do, except for tangents: left singular vectors of a
patch P come from the eigenvectors of the smaller one of PPᵀ and PᵀP, for which there is a stack function that is as
fast. That squares singular values, so that those below √ε of the largest one, 1.5e-8, are lost in rounding; what is
below `ROUNDING` counts as zero in any case.

The sum of small matrices over patches is a product of sparse ones: with S, which selects the points of each patch in
turn, and S' = WS, whose rows are those of the small matrices, Σ_i S_iᵀ W_i S_i = SᵀS'.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from dimred_lessons.memory import BLOCK, blocks

# Singular values of a patch, and of functions on it, below this share of the largest one are rounding.
ROUNDING = 1e-7


def of_equal_size(indptr: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of a sparse matrix, grouped by their number of entries.

    Parameters
    ----------
    indptr : integer array of shape (m + 1,), of a CSR array

    Yields
    ------
    rows : integer array of shape (p,)
    entries : integer array of shape (p, k), the places of their entries
    """
    counts = np.diff(indptr)
    for k in np.unique(counts):
        rows = np.flatnonzero(counts == k)
        yield rows, indptr[rows][:, np.newaxis] + np.arange(k)


# -------------------------------------------------------------------------------------------------------
# Weights


def weights_of_points(
    X: np.ndarray, P: np.ndarray, neighbors: sparse.csr_array, reg: float, by_distances: bool
) -> np.ndarray:
    """Weights that rebuild each row of X from some rows of P; see `dimred_lessons.reconstruction.weights_of_points`.

    Parameters
    ----------
    X : array of shape (m, D), or distances to the points, (m, n)
    P : array of shape (n, D), or distances between the points, (n, n)
    neighbors : sparse CSR array of shape (m, n), whose entries in row i are the neighbors of X_i
    reg : float
    by_distances : bool

    Returns
    -------
    array of shape (neighbors.nnz,)
    """
    weights, indices = np.empty(neighbors.nnz), neighbors.indices
    for rows, entries in of_equal_size(neighbors.indptr):
        k = entries.shape[1]
        for part in blocks(len(rows), k * (k + X.shape[1] * (not by_distances))):
            i, j = rows[part, np.newaxis], indices[entries[part]]
            if by_distances:
                squared = X[i, j] ** 2
                between = P[j[:, :, np.newaxis], j[:, np.newaxis]] ** 2
                G = 0.5 * (squared[:, :, np.newaxis] + squared[:, np.newaxis] - between)
            else:
                differences = P[j] - X[i]
                G = differences @ differences.transpose(0, 2, 1)
            trace = np.trace(G, axis1=1, axis2=2)
            G[:, np.arange(k), np.arange(k)] += np.where(trace > 0, reg * trace, 1)[:, np.newaxis]
            w = np.linalg.solve(G, np.ones((len(G), k, 1)))[:, :, 0]
            weights[entries[part]] = w / w.sum(axis=1, keepdims=True)
    return weights


# -------------------------------------------------------------------------------------------------------
# Tangents and Hessians


def tangents_of_patches(X: np.ndarray, members: np.ndarray, d: int, by_distances: bool) -> np.ndarray:
    """Coordinates of the points of each patch along its tangent; see `dimred_lessons.tangents.tangents_of_patches`.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n)
    members : integer array of shape (p, m), rows of X
    d : int
    by_distances : bool

    Returns
    -------
    array of shape (p, m, d)
    """
    if by_distances:
        G = -0.5 * X[members[:, :, np.newaxis], members[:, np.newaxis]] ** 2
        G -= G.mean(axis=1, keepdims=True)
        G -= G.mean(axis=2, keepdims=True)
        theta = left_singular_vectors(G, d)
    else:
        P = X[members] - X[members[:, :1]]  # equal points cancel exactly
        P -= P.mean(axis=1, keepdims=True)
        if members.shape[1] <= X.shape[1]:
            theta = left_singular_vectors(P @ P.transpose(0, 2, 1), d)
        else:
            theta = left_singular_vectors(P.transpose(0, 2, 1) @ P, d, P)
    return theta - theta.mean(axis=1, keepdims=True)


def left_singular_vectors(
    G: np.ndarray, d: int, P: np.ndarray | None = None, squared_norms: np.ndarray | None = None
) -> np.ndarray:
    """Top left singular vectors of many small matrices P, by G = PPᵀ, or with P itself, by G = PᵀP.

    Vectors whose singular value is only rounding, relative to the largest one or to a given norm of P, are zero.

    Parameters
    ----------
    G : array of shape (p, m, m); with P, of shape (p, c, c)
    d : int
        How many vectors of each.
    P : array of shape (p, m, c), or None
    squared_norms : array of shape (p,), or None for the squares of the largest singular values

    Returns
    -------
    array of shape (p, m, d)
    """
    squares, V = np.linalg.eigh(G)
    squares, V = squares[:, : -d - 1 : -1], V[:, :, : -d - 1 : -1]
    size = squares[:, :1] if squared_norms is None else squared_norms[:, np.newaxis]
    lengths = np.sqrt(np.where(squares > ROUNDING**2 * size, 1 if P is None else squares, np.inf))
    return (V if P is None else P @ V) / lengths[:, np.newaxis]


def not_affine(theta: np.ndarray) -> np.ndarray:
    """Projections onto what is orthogonal to the affine functions of each patch.

    Parameters
    ----------
    theta : array of shape (p, m, d), coordinates along the tangents

    Returns
    -------
    array of shape (p, m, m)
    """
    affine = affine_functions(theta)
    return np.eye(theta.shape[1]) - affine @ affine.transpose(0, 2, 1)


def second_order(theta: np.ndarray) -> np.ndarray:
    """Projections onto the products of coordinates, as far as they are orthogonal to the affine functions.

    Parameters
    ----------
    theta : array of shape (p, m, d), coordinates along the tangents

    Returns
    -------
    array of shape (p, m, m)
    """
    affine, (a, b) = affine_functions(theta), np.triu_indices(theta.shape[2])
    products = theta[:, :, a] * theta[:, :, b]
    squared_norms = np.einsum("pma,pma->p", products, products)
    products -= affine @ (affine.transpose(0, 2, 1) @ products)
    Q = left_singular_vectors(products.transpose(0, 2, 1) @ products, len(a), products, squared_norms)
    return Q @ Q.transpose(0, 2, 1)


def affine_functions(theta: np.ndarray) -> np.ndarray:
    """Orthonormal affine functions on each patch: the constant and the coordinates.

    Parameters
    ----------
    theta : array of shape (p, m, d)

    Returns
    -------
    array of shape (p, m, d + 1)
    """
    n_patches, m, _ = theta.shape
    return np.concatenate([np.full((n_patches, m, 1), m**-0.5), theta], axis=2)


def sum_not_affine(X: np.ndarray, members: sparse.csr_array, d: int, by_distances: bool) -> sparse.csr_array:
    """Sum over patches of what no affine map explains; see `dimred_lessons.tangents.sum_not_affine`.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n)
    members : sparse CSR array of shape (p, n)
    d : int
    by_distances : bool

    Returns
    -------
    sparse CSR array of shape (n, n)
    """
    return _sum_of_patches(X, members, d, by_distances, not_affine)


def sum_second_order(X: np.ndarray, members: sparse.csr_array, d: int, by_distances: bool) -> sparse.csr_array:
    """Sum over patches of the squared second derivatives; see `dimred_lessons.tangents.sum_second_order`.

    Parameters
    ----------
    X, members, d, by_distances : see `sum_not_affine`

    Returns
    -------
    sparse CSR array of shape (n, n)
    """
    return _sum_of_patches(X, members, d, by_distances, second_order)


def _sum_of_patches(X, members, d, by_distances, projection: Callable):
    """Σ_i S_iᵀ W_i S_i, sparse: W_i is a small matrix for patch i, and S_i selects the points of that patch."""
    n, costs = members.shape[1], []
    for same_size, entries in of_equal_size(members.indptr):
        m = entries.shape[1]
        for places in np.array_split(entries, 1 + len(same_size) * m * m // BLOCK):
            patch = members.indices[places]
            W = projection(tangents_of_patches(X, patch, d, by_distances)).ravel()
            shape, starts = (patch.size, n), np.arange(0, patch.size + 1)
            S = sparse.csr_array((np.ones(patch.size), patch.ravel(), starts), shape=shape)
            WS = sparse.csr_array((W, np.repeat(patch, m, axis=0).ravel(), m * starts), shape=shape)
            costs.append(S.T @ WS)
    return sparse.csr_array(sum(costs[1:], start=costs[0]))
