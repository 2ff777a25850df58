"""Symmetric matrices that are hard for solvers of eigenproblems."""

import numpy as np
from scipy import sparse

from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.graphs import knn_graph
from dimred_lessons.laplacians import graph_laplacian, heat_weights
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.reconstruction import reconstruction_cost, reconstruction_matrix


def path_laplacian(n):
    """Laplacian of the path graph, with eigenvalues 2 − 2 cos(π j / n) and cosines as eigenvectors."""
    edges = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1])
    return graph_laplacian(sparse.csr_array(edges))[0]


def cycle_laplacian(n):
    """Laplacian of the cycle graph, with eigenvalues 2 − 2 cos(2π j / n), each twice."""
    shift = sparse.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    return graph_laplacian(sparse.csr_array(shift + shift.T))[0]


def roll_laplacian(n):
    return graph_laplacian(heat_weights(knn_graph(swiss_roll(n)[0], 8), 2.0))


def random_regular_laplacian(n):
    """Laplacian of a union of random permutations: no small set of vertices separates it."""
    rng = np.random.default_rng(0)
    edges = [(np.ones(n), (np.arange(n), rng.permutation(n))) for _ in range(4)]
    A = sum(sparse.csr_array(permutation, shape=(n, n)) for permutation in edges)
    return graph_laplacian(sparse.csr_array(A + A.T))[0]


def torus_laplacian(n, dimension):
    """A grid of n^dimension points, closed in every direction: eigenvalues repeat 2·dimension times and more."""
    L = cycle_laplacian(n)
    for _ in range(dimension - 1):
        L = sparse.kron(L, sparse.eye_array(n)) + sparse.kron(sparse.eye_array(L.shape[0]), cycle_laplacian(n))
    return sparse.csr_array(L)


def lle_matrix(n):
    """M of LLE for points whose graph no small set separates, with tiny eigenvalues and entries of both signs."""
    X = np.random.default_rng(0).random((n, 10))
    return reconstruction_cost(reconstruction_matrix(X, neighbor_lists(X, 12)))


# -------------------------------------------------------------------------------------------------------
# For the top of a spectrum

SPECTRA = {
    "low rank": [3.0, 2.0, 1e-3],
    "clustered": 1 + 1e-7 * np.arange(20),
    "equal": [2.0] * 5 + [1.0] * 100,
    "negative values are larger": np.append(np.linspace(-100, -50, 300), [3.0, 2.0, 1.0]),
    "one negative value is huge": np.append(-1e8, np.linspace(0, 1, 200)),
    "slow decay": 1 / np.arange(1.0, 701),
    "all equal": np.ones(700),
    "none positive": -np.arange(700.0),
}


def with_spectrum(values, n):
    """A symmetric matrix with these eigenvalues, and zeros up to n."""
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((n, n)))[0][:, : len(values)]
    K = (Q * values) @ Q.T
    return (K + K.T) / 2


DEGENERATE = {
    "identity": np.eye,
    "centering": lambda n: np.eye(n) - 1 / n,
    "equidistant points": lambda n: (np.eye(n) - 1 / n) / 2,
    "nearly the identity": lambda n: np.eye(n) - 1 / n + 1e-15 * np.diag(np.arange(n) % 7),
    "ones": lambda n: np.ones((n, n)),
    "minus identity": lambda n: -np.eye(n),
    "zero": lambda n: np.zeros((n, n)),
    "diagonal with copies": lambda n: np.diag(np.arange(n) // 4 * 1.0),
    "four threes, four twos": lambda n: with_spectrum([3.0] * 4 + [2.0] * 4, n),
    "every value twice": lambda n: with_spectrum(np.repeat(1 / np.arange(1, n // 2 + 1), 2), n),
    "copies next to larger negative values": lambda n: with_spectrum([-9.0] * 5 + [1.0] * 6, n),
    "low rank": lambda n: with_spectrum([3.0, 2.0, 1e-3], n),
    "one huge negative value": lambda n: with_spectrum(np.append(-1e6, np.linspace(1, 2, n // 2)), n),
}
