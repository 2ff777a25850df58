"""Answers to the exercises on neighbors as probabilities: the checks accept RIGHT and refuse WRONG."""

from functools import cache

import numpy as np
from scipy import optimize, sparse
from scipy.spatial.distance import cdist
from sklearn.manifold import trustworthiness

from dimred_lessons import PCA, NeighborEmbedding
from dimred_lessons.classroom import datasets
from dimred_lessons.distances import squared_distances
from dimred_lessons.iterative.affinities import conditional_probabilities, fuzzy_memberships, joint_probabilities
from dimred_lessons.iterative.neighbor_kernels import student_gradient


def _picks(squared, perplexity):
    """Row by row, with a solver for one unknown."""
    P = np.zeros_like(squared)
    for i, row in enumerate(squared):
        others = np.arange(len(row)) != i
        away = row[others] - row[others].min()

        def excess(log_beta, away=away):
            p = np.exp(-np.exp(log_beta) * away)
            p /= p.sum()
            return -np.sum(p * np.log(np.maximum(p, 1e-300))) - np.log(perplexity)

        log_beta = optimize.brentq(excess, -30, 30)
        P[i, others] = np.exp(-np.exp(log_beta) * away)
    return P / P.sum(axis=1, keepdims=True)


def _joint(X, perplexity):
    P = _picks(squared_distances(X), perplexity)
    return (P + P.T) / (2 * len(X))


def _joint_sparse(X, perplexity):
    return sparse.csr_array(joint_probabilities(squared_distances(X), perplexity))


def _joint_as_lists(X, perplexity):
    P = conditional_probabilities(cdist(X, X, "sqeuclidean"), perplexity)
    return [[float(np.float32((P[i, j] + P[j, i]) / (2 * len(X)))) for j in range(len(X))] for i in range(len(X))]


def _joint_of_distances(X, perplexity):
    P = conditional_probabilities(cdist(X, X), perplexity)
    return (P + P.T) / (2 * len(X))


def _joint_of_one_way(X, perplexity):
    return conditional_probabilities(squared_distances(X), perplexity) / len(X)


def _joint_of_sum_n(X, perplexity):
    return len(X) * joint_probabilities(squared_distances(X), perplexity)


def _joint_of_entropy(X, perplexity):
    return joint_probabilities(squared_distances(X), np.exp(1 + 0 * perplexity))


def _slope(P, Y, nu):
    base = 1 + squared_distances(Y) / nu
    K = base**-nu
    np.fill_diagonal(K, 0)
    A = (P - K / K.sum()) / base
    return 4 * (np.diag(A.sum(axis=1)) - A) @ Y


def _slope_by_loops(P, Y, nu):
    n = len(Y)
    K = {(i, j): (1 + sum((Y[i] - Y[j]) ** 2) / nu) ** -nu for i in range(n) for j in range(n) if i != j}
    total = sum(K.values())
    slope = np.zeros_like(Y)
    for (i, j), k in K.items():
        slope[i] += 4 * (P[i, j] - k / total) * (Y[i] - Y[j]) * k ** (1 / nu)
    return slope.tolist()


def _slope_by_differences(P, Y, nu):
    def mismatch(y):
        K = (1 + squared_distances(y.reshape(Y.shape)) / nu) ** -nu
        np.fill_diagonal(K, 0)
        return -np.sum(P * np.log(K / K.sum() + np.eye(len(Y))))

    return optimize.approx_fprime(Y.ravel(), mismatch, 1e-7).reshape(Y.shape)


def _slope_of_student(P, Y, nu):
    return student_gradient(P, Y)


def _slope_without_base(P, Y, nu):
    K = (1 + squared_distances(Y) / nu) ** -nu
    np.fill_diagonal(K, 0)
    A = P - K / K.sum()
    return 4 * (A.sum(axis=1)[:, np.newaxis] * Y - A @ Y)


def _slope_with_kernel(P, Y, nu):
    K = (1 + squared_distances(Y) / nu) ** -nu
    np.fill_diagonal(K, 0)
    A = (P - K / K.sum()) * K
    return 4 * (A.sum(axis=1)[:, np.newaxis] * Y - A @ Y)


def _groups(*centers, size=30, D=5, seed=0):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(center, 1, size=(size, D)) for center in centers])


_READ = {
    "together": "read",
    "type": "read",
    "varied": "ask the data",
    "related": "ask the data",
    "axis": "ask the data",
}


@cache
def _own(kind="tsne"):
    X = datasets.digits(100)[0]
    shuffled = np.random.default_rng(0).permuted(X, axis=0)
    method = {
        "tsne": NeighborEmbedding(perplexity=10, early_exaggeration_iter=50, max_iter=150),
        "umap": NeighborEmbedding(kernel="umap", n_neighbors=10, max_iter=200, early_exaggeration_iter=50),
        "pca": PCA(2),
    }[kind]
    maps = [method.fit_transform(table) for table in (X, shuffled)]
    trusts = [trustworthiness(table, Y, n_neighbors=5) for table, Y in zip((X, shuffled), maps, strict=True)]
    return {
        "table": X,
        "map": maps[0],
        "shuffled": shuffled,
        "shuffled map": maps[1],
        "trust": trusts[0],
        "shuffled trust": trusts[1],
    }


def _exchanged(own):
    return {
        "table": own["shuffled"],
        "map": own["shuffled map"],
        "shuffled": own["table"],
        "shuffled map": own["map"],
        "trust": own["shuffled trust"],
        "shuffled trust": own["trust"],
    }


RIGHT = {
    "sne-1": [[2.83, 0.549], np.array([2**1.5, np.log(3) / 2]), (np.exp(1.5 * np.log(2)), 0.55)],
    "sne-2": [
        student_gradient(np.full((3, 3), 1 / 6), np.array([[0.0], [1.0], [3.0]])),
        [0.167, -0.358, 0.192],
        np.array([[1 / 6, -0.3583, 0.1917]], dtype=np.float32),
    ],
    "sne-3": [_joint, _joint_sparse, _joint_as_lists],
    "sne-4": [_slope, _slope_by_loops, _slope_by_differences],
    "sne-5": [_groups(0, 200, 20), _groups(0, -1000, 30, size=20).tolist(), _groups(5, 400, 45, size=40, D=8, seed=1)],
    "sne-6": [
        _READ,
        {key: word.upper() for key, word in _READ.items()},
        {key: [f" {word} "] for key, word in _READ.items()},
    ],
    "sne-7": ["c", "C", "(c)"],
    "sne-8": [[4 / 3, 12 / 5], (1.33, 2.4), np.array([[1.3333], [2.4]])],
    "sne-9": [[0.2, 2 / 3, 0.995], np.array([0.2, 0.667, 0.99502]), [0.2, 0.2 / 0.3, 0.2 / 0.201]],
    "sne-10": [
        _own(),
        _own("umap"),
        {**_own("pca"), "trust": round(_own("pca")["trust"], 3), "map": _own("pca")["map"].tolist()},
    ],
}
WRONG = {
    "sne-1": [[1.5, 0.549], [1.04, 0.549], [2.83, 1.0986], [3, 0.549]],
    "sne-2": [[-0.167, 0.358, -0.192], [0.0417, -0.0896, 0.0479], [0, 0, 0], [0.167, 0.358, 0.192]],
    "sne-3": [
        _joint_of_distances,
        _joint_of_one_way,
        _joint_of_sum_n,
        _joint_of_entropy,
        lambda X, perplexity: fuzzy_memberships(squared_distances(X), round(perplexity)),
    ],
    "sne-4": [
        _slope_of_student,
        _slope_without_base,
        _slope_with_kernel,
        lambda P, Y, nu: -_slope(P, Y, nu),
        lambda P, Y, nu: _slope(P, Y, nu) / 2,
    ],
    "sne-5": [
        _groups(0, 20, 20),
        _groups(0, 200, 20, size=10),
        _groups(0, 20, 200),
        _groups(0, 0, 0),
        np.column_stack([np.linspace(0, 1, 90), np.zeros(90)]),
    ],
    "sne-6": [{**_READ, key: "ask the data" if word == "read" else "read"} for key, word in _READ.items()],
    "sne-7": ["a", "b", "d", "e"],
    "sne-8": [[1, 1], [4 / 3, 1.2], [2 / 3, 2.4], [3 / 4, 5 / 12]],
    "sne-9": [[0.8, 2 / 3, 0.995], [0.2, 0.8, 0.998], [0.2, 2 / 3, 2 / 3], [0.2, 0.333, 0.005]],
    "sne-10": [
        {**_own(), "trust": 0.5},
        {**_own(), "shuffled": _own()["table"]},
        {**_own(), "map": _own()["map"][:, :1]},
        {**_own(), "shuffled": _own()["shuffled"] + 1},
        _exchanged(_own()),
    ],
}
