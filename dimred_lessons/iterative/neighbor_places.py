"""Places of new points in the map of a neighbor embedding, whose own points stay where they are.

A new point i is attracted by its nearest points j, with affinities p_j|i of its own, and repelled by all n points of
the map, as one more point of it would be: for t-SNE, whose p_ij are about p_j|i / n, it descends in

    Σ_j p_j|i log(1 + ‖y_i − y_j‖²) + (n / Z) Σ_j 1 / (1 + ‖y_i − y_j‖²),

where Z is that of the map. It starts at the weighted mean of its neighbors' places. With the weights a_ij of
attraction and r_ij of repulsion there, a step is −Σ_j (a_ij − r_ij)(y_i − y_j) / Σ_j (a_ij + r_ij): without repulsion
it would go to a weighted mean again. No new point feels another.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from scipy import sparse

from dimred_lessons.distances import squared_distances_between
from dimred_lessons.engine.grid_repulsion import GridRepulsion, Repulsion
from dimred_lessons.engine.sampled_pairs import SampledPairs
from dimred_lessons.memory import CACHED, blocks

# Steps of a new point, and epochs where pairs are drawn
N_STEPS, N_EPOCHS = 100, 100
# Of a step along sampled pairs, a quarter of that of the map, as in umap-learn: a point starts near its place
FIRST_LENGTH = 0.25

Field = Callable[[np.ndarray], Repulsion]


class NewPoints(NamedTuple):
    """Weights of the forces on a new point, functions of its squared distances in the map.

    Parameters
    ----------
    pull : function
        Factor of the affinities in the weights of attraction.
    push : function
        Weights of repulsion, up to n / Z.
    similarity : function, or None
        What Z is the sum of; None where the push is all.
    """

    pull: Callable[[np.ndarray], np.ndarray]
    push: Callable[[np.ndarray], np.ndarray]
    similarity: Callable[[np.ndarray], np.ndarray] | None = None


def places_in_field(P: sparse.csr_array, Y: np.ndarray, pull: Callable, field: Field) -> np.ndarray:
    """Places where attraction and repulsion of new points are equal.

    Parameters
    ----------
    P : sparse CSR array of shape (m, n)
        Affinities of each new point and its k nearest points of the map, k the same for all.
    Y : array of shape (n, d), the map
    pull : function
        From squared distances in the map to the factor of P in the weight of attraction.
    field : function
        From places of new points to their repulsion: forces, and sums of weights.

    Returns
    -------
    array of shape (m, d)
    """
    m, d = P.shape[0], Y.shape[1]
    k = P.nnz // max(1, m)
    placed = np.empty((m, d))
    for rows in blocks(m, k * d, CACHED):
        weights = P.data.reshape(m, k)[rows]
        neighbors = Y[P.indices.reshape(m, k)[rows]]
        Y_new = np.einsum("ij,ijc->ic", weights, neighbors) / weights.sum(axis=1, keepdims=True)
        for _ in range(N_STEPS):
            difference = Y_new[:, np.newaxis] - neighbors
            attraction = weights * pull(np.square(difference).sum(axis=-1))
            repulsion = field(Y_new)
            forces = np.einsum("ij,ijc->ic", attraction, difference) - repulsion.forces
            Y_new = Y_new - forces / (attraction.sum(axis=1) + repulsion.total)[:, np.newaxis]
        placed[rows] = Y_new
    return placed


def field_of_all(Y: np.ndarray, push: Callable, similarity: Callable | None) -> Field:
    """The repulsion of all points of a map, by its formula.

    Parameters
    ----------
    Y : array of shape (n, d)
    push : function
        From squared distances of new points and all points, (m, n), to weights of repulsion, up to n / Z.
    similarity : function, or None
        From squared distances to what Z is the sum of over all pairs of the map; None where there is no Z.

    Returns
    -------
    function of places of new points, (m, d)
    """
    n, share = len(Y), 1.0
    if similarity is not None:
        total = sum(similarity(squared_distances_between(Y[rows], Y)).sum() for rows in blocks(n, n))
        share = n / (total - n * similarity(np.zeros(1))[0])

    def field(Y_new):
        forces, totals = np.empty_like(Y_new), np.empty(len(Y_new))
        for rows in blocks(len(Y_new), n):
            weights = share * push(squared_distances_between(Y_new[rows], Y))
            totals[rows] = weights.sum(axis=1)
            forces[rows] = totals[rows, np.newaxis] * Y_new[rows] - weights @ Y
        return Repulsion(forces, totals)

    return field


def field_of_grid(Y: np.ndarray, pool: Executor) -> Field:
    """The same for Student's kernel, by a grid; see `dimred_lessons.engine.grid_repulsion`.

    Parameters
    ----------
    Y : array of shape (n, d), d = 1 or 2
    pool : Executor

    Returns
    -------
    function of places of new points, (m, d)
    """
    Y, grid = np.ascontiguousarray(Y, np.float32), GridRepulsion(pool)
    share = len(Y) / grid(Y).total
    grid_field = grid.field_of(Y)

    def field(Y_new):
        repulsion = grid_field(Y_new.astype(np.float32))
        return Repulsion(share * repulsion.forces, share * np.maximum(repulsion.total, 0))

    return field


def places_by_sampled_pairs(P: sparse.csr_array, Y: np.ndarray, a: float, b: float, push: float = 1.0) -> np.ndarray:
    """Places of new points by steps along sampled pairs, as UMAP's; see `dimred_lessons.engine.sampled_pairs`.

    Parameters
    ----------
    P : sparse CSR array of shape (m, n)
        Memberships of each new point and its nearest points of the map.
    Y : array of shape (n, d), the map
    a, b : float
        UMAP's curve.
    push : float
        Factor of the repulsion.

    Returns
    -------
    array of shape (m, d)
    """
    Y, pairs = np.ascontiguousarray(Y, np.float32), SampledPairs(P, a, b, np.random.default_rng(0))
    placed = (P @ Y / P.sum(axis=1)[:, np.newaxis]).astype(np.float32)
    for epoch in range(N_EPOCHS):
        for drawn in pairs.epoch():
            placed = placed + np.float32(FIRST_LENGTH * (1 - epoch / N_EPOCHS)) * pairs.forces(
                placed, drawn, fixed=Y, push=push
            )
    return placed.astype(float)
