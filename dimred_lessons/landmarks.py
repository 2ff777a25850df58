"""Landmarks: a few points that are compared with all, so that not every pair has to be."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from sklearn.utils import check_random_state

from dimred_lessons.eigenpairs import thin_svd
from dimred_lessons.graphs import symmetrize
from dimred_lessons.parameters import check_integer


def choose_landmarks(
    n: int, n_landmarks: int | None, n_components: int | None, random_state: int | np.random.RandomState | None
) -> np.ndarray:
    """Rows of random landmarks, in order.

    Parameters
    ----------
    n : int
        Number of points.
    n_landmarks : int or None
        m; None for all points.
    n_components : int or None
        d, which m has to exceed.
    random_state : int, RandomState or None

    Returns
    -------
    array of shape (m,)

    Raises
    ------
    ValueError
        If there are no more landmarks than components, or more than points.
    """
    if n_landmarks is None:
        return np.arange(n)
    if not (n_components or 1) < n_landmarks <= n:
        raise ValueError(
            f"n_landmarks={n_landmarks} must be above n_components={n_components} and at most n_samples={n}."
        )
    return np.sort(check_random_state(random_state).choice(n, n_landmarks, replace=False))


def geodesic_basis(graph: sparse.csr_array, n_landmarks: int) -> np.ndarray:
    """Orthonormal columns, orthogonal to 1, that span the squared geodesics to landmarks.

    Landmarks are chosen one after the other, each as far as possible from those before: nothing is random.
    Landmark Isomap places points by combinations of the same columns.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n), of edge lengths
        Paths take an edge in both directions, also where only one is stored.
    n_landmarks : int

    Returns
    -------
    array of shape (n, r), r at most ``n_landmarks``

    Raises
    ------
    ValueError
        If ``n_landmarks`` is not between 2 and n, or the graph is disconnected.

    References
    ----------
    Equation (sde-landmarks).
    """
    graph = symmetrize(graph)
    n = graph.shape[0]
    check_integer("n_landmarks", n_landmarks, least=2)
    if n_landmarks > n:
        raise ValueError(f"n_landmarks={n_landmarks} must be at most the number of points, {n}.")
    columns = [dijkstra(graph, indices=0)]
    if np.isinf(columns[0]).any():
        raise ValueError("The graph is disconnected, so that no path leads from a landmark to some points: join them.")
    while len(columns) < n_landmarks:
        columns.append(dijkstra(graph, indices=np.argmax(np.min(columns, axis=0))))
    Q = np.square(columns).T
    return thin_svd(Q - Q.mean(axis=0))[0]  # (sde-landmarks)
