"""Answers to the exercises on random projections: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import fft, linalg, sparse, stats
from scipy.spatial.distance import cdist, pdist

from dimred_lessons import RandomProjection
from dimred_lessons.classroom import datasets
from dimred_lessons.directions.random_projection import johnson_lindenstrauss_dimension


def _tails(d, eps):
    return stats.chi2.sf((1 + eps) * d, d) + stats.chi2.cdf((1 - eps) * d, d)


def _dimension(n, eps, delta):
    d = np.arange(1, 2000)
    return d[np.argmax(n * (n - 1) / 2 * _tails(d, eps) <= delta)]


def _dimension_by_counting(n, eps, delta):
    d = 1
    while n * (n - 1) / 2 * _tails(d, eps) > delta:
        d += 1
    return float(d)


def _dimension_by_bisection(n, eps, delta):
    low, high = 1, johnson_lindenstrauss_dimension(n, eps, delta)
    while low < high:
        middle = (low + high) // 2
        enough = np.log(n * (n - 1) / 2 * _tails(middle, eps)) <= np.log(delta)
        low, high = (low, middle) if enough else (middle + 1, high)
    return [high]


def _dimension_of_one_tail(n, eps, delta):
    d = np.arange(1, 2000)
    return d[np.argmax(n * (n - 1) / 2 * stats.chi2.sf((1 + eps) * d, d) <= delta)]


def _dimension_of_one_pair(n, eps, delta):
    d = np.arange(1, 2000)
    return d[np.argmax(_tails(d, eps) <= delta)]


def _spread(X, signs):
    Z, m = np.array(X * signs), 1
    while m < Z.shape[1]:
        a, b = np.moveaxis(Z.reshape(len(Z), -1, 2, m), 2, 0)
        Z, m = np.stack([a + b, a - b], axis=2).reshape(Z.shape), 2 * m
    return Z / np.sqrt(Z.shape[1])


def _spread_by_recursion(X, signs):
    def transformed(Z):
        if Z.shape[1] == 1:
            return Z
        a, b = np.hsplit(Z, 2)
        return np.hstack([transformed(a + b), transformed(a - b)]) / np.sqrt(2)

    return transformed(X * signs).astype(np.float32)


def _spread_by_loops(X, signs):
    rows = []
    for x in X:
        z, m = (x * signs).tolist(), 1
        while m < len(z):
            for start in range(0, len(z), 2 * m):
                for i in range(start, start + m):
                    z[i], z[i + m] = z[i] + z[i + m], z[i] - z[i + m]
            m *= 2
        rows.append([value / len(z) ** 0.5 for value in z])
    return rows


def _spread_by_matrix(X, signs):
    return (X * signs) @ linalg.hadamard(X.shape[1]) / np.sqrt(X.shape[1])


_CATEGORIES = np.eye(2000)[:100]
_DENSE = np.random.default_rng(0).standard_normal((100, 2000))


def _two(R):
    return np.array([np.zeros(len(R)), linalg.null_space(R.T)[:, 0]])


def _two_apart(R):
    x = np.arange(len(R)) + 1.0
    return [x, x - 3 * linalg.svd(R)[0][:, -1]]


def _two_by_projection(R):
    Q = np.linalg.svd(R, full_matrices=False)[0]
    Q = Q[:, np.linalg.svd(R)[1] > 1e-9]
    x = np.random.default_rng(0).standard_normal(len(R))
    return sparse.csr_array(np.float32([x, Q @ (Q.T @ x)]))


def _cost(D2, clusters):
    return sum(D2[np.ix_(clusters == c, clusters == c)].sum() / (2 * np.sum(clusters == c)) for c in set(clusters))


def _cost_by_gram(D2, clusters):
    H = np.eye(len(D2)) - 1 / len(D2)
    K = -0.5 * H @ D2 @ H
    indicators = np.equal.outer(np.unique(clusters), clusters).astype(float)
    return np.trace(K) - np.trace(np.linalg.inv(indicators @ indicators.T) @ indicators @ K @ indicators.T)


def _cost_by_pairs(D2, clusters):
    total = 0.0
    for i in range(len(D2)):
        for j in range(i):
            if clusters[i] == clusters[j]:
                total += D2[i, j] / np.sum(clusters == clusters[i])
    return [np.float32(total)]


def _search(X, Y, x, y, m):
    near = np.argsort(np.linalg.norm(Y - y, axis=1))[:m]
    return near[np.argmin(np.linalg.norm(X[near] - x, axis=1))]


def _search_by_partition(X, Y, x, y, m):
    distances = cdist(Y, [y])[:, 0]
    near = np.argpartition(distances, m - 1)[:m]
    return int(min(near, key=lambda i: np.sum((X[i] - x) ** 2)))


def _search_by_infinity(X, Y, x, y, m):
    squares, projected = np.sum((X - x) ** 2, axis=1), np.sum((Y - y) ** 2, axis=1)
    return [float(np.argmin(np.where(projected <= np.sort(projected)[m - 1], squares, np.inf)))]


_TOOLS = {
    "stream": "random projection",
    "sensors": "PCA",
    "plane": "PCA",
    "guarantee": "random projection",
    "three": "neither",
    "roll": "neither",
}


def _own(table, d, seed):
    Y = RandomProjection(d, random_state=seed).fit_transform(table)
    ratios = pdist(Y, "sqeuclidean") / pdist(table, "sqeuclidean")
    return {"table": table, "directions": d, "seed": seed, "inside": np.mean(np.abs(ratios - 1) < 0.3)}


_OWN = _own(datasets.handwriting(n=100)[0], 300, 0)

RIGHT = {
    "rp-1": [[9, 96, 162], (9.0, 96.2, 161.5), np.float32([[9], [96], [162]])],
    "rp-2": ["a", "(A)", ["a"]],
    "rp-3": [_dimension, _dimension_by_counting, _dimension_by_bisection],
    "rp-4": [_spread, _spread_by_recursion, _spread_by_loops],
    "rp-5": [
        _CATEGORIES,
        sparse.csr_array(7 * _CATEGORIES),
        (_CATEGORIES[:, ::-1] + 3).tolist(),
        np.float32(_CATEGORIES - 1e-3 * np.roll(_CATEGORIES, 9, axis=1)),
    ],
    "rp-6": [[1.2, 0.1, 0.02**0.5], (1.2, 0.1, 0.1414), np.float32([[1.2, 0.1, 0.141]])],
    "rp-7": [_two, _two_apart, _two_by_projection],
    "rp-8": [_cost, _cost_by_gram, _cost_by_pairs],
    "rp-9": [_search, _search_by_partition, _search_by_infinity],
    "rp-10": [
        _TOOLS,
        {key: tool.upper() for key, tool in reversed(_TOOLS.items())},
        {key: [tool.replace(" ", "_")] for key, tool in _TOOLS.items()},
    ],
    "rp-11": [
        _OWN,
        _own(_DENSE[:30], 500, 3),
        {**_OWN, "table": sparse.csr_array(_OWN["table"]), "inside": round(float(_OWN["inside"]), 3)},
    ],
}

WRONG = {
    "rp-1": [[9, 96, 96], [9, 162, 162], [5, 96, 162], [9, 128, 162], [9, 96, 18], [9, 96]],
    "rp-2": ["b", "c", "d", "e", 4],
    "rp-3": [
        johnson_lindenstrauss_dimension,
        _dimension_of_one_tail,
        _dimension_of_one_pair,
        lambda n, eps, delta: _dimension(n, eps, delta) + 1,
        lambda n, eps, delta: _dimension(n, 2 * eps, delta),
        lambda n, eps, delta: _dimension(n, eps, delta) - 0.5,
    ],
    "rp-4": [
        _spread_by_matrix,
        lambda X, signs: _spread(X, 1),
        lambda X, signs: _spread(X, signs) * np.sqrt(X.shape[1]),
        lambda X, signs: fft.dct(X * signs, norm="ortho"),
        lambda X, signs: X * signs,
        lambda X, signs: _spread(X, signs)[:, ::-1],
        lambda X, signs: np.multiply(X, signs, out=X),
    ],
    "rp-5": [
        _DENSE,
        _CATEGORIES[:, :400],
        np.vstack([_CATEGORIES[:1], _CATEGORIES]),
        np.eye(2000)[:300],
        fft.dct(_CATEGORIES, norm="ortho"),
        _CATEGORIES[0],
        np.full((4, 600), np.inf),
    ],
    "rp-6": [[0.1, 0.1, 0.141], [1.2, 0.1, 0.1], [1.2, 0.01, 0.02], [0.7, 0.1, 0.141], [1.2, 0.141, 0.1], 1.2],
    "rp-7": [
        lambda R: np.zeros((2, len(R))),
        lambda R: np.eye(2, len(R)),
        lambda R: np.array([np.zeros(len(R)), R[:, 0]]),
        lambda R: _two(R)[:1],
        lambda R: np.array([np.zeros(len(R)), np.linalg.svd(R)[0][:, 0]]),
        lambda R: _two(R) * np.nan,
    ],
    "rp-8": [
        lambda D2, clusters: 2 * _cost(D2, clusters),
        lambda D2, clusters: np.sum(D2 * np.equal.outer(clusters, clusters)) / (2 * len(D2)),
        lambda D2, clusters: np.sum(D2 * np.equal.outer(clusters, clusters)) / 2,
        lambda D2, clusters: _cost(np.sqrt(D2), clusters),
        lambda D2, clusters: _cost(D2, np.zeros(len(D2))),
        lambda D2, clusters: np.sum(D2),
    ],
    "rp-9": [
        lambda X, Y, x, y, m: np.argmin(np.sum((Y - y) ** 2, axis=1)),
        lambda X, Y, x, y, m: np.argmin(np.sum((X - x) ** 2, axis=1)),
        lambda X, Y, x, y, m: _search(X, Y, x, y, m + 8),
        lambda X, Y, x, y, m: np.flatnonzero(
            np.sort(np.sum((Y - y) ** 2, axis=1))[:m] >= 0,
        )[np.argmin(np.sum((X[np.argsort(np.sum((Y - y) ** 2, axis=1))[:m]] - x) ** 2, axis=1))],
        lambda X, Y, x, y, m: X[_search(X, Y, x, y, m)],
        lambda X, Y, x, y, m: len(X),
    ],
    "rp-10": [
        {**_TOOLS, "stream": "PCA"},
        {**_TOOLS, "guarantee": "PCA"},
        {**_TOOLS, "three": "random projection"},
        {**_TOOLS, "roll": "isomap"},
        {**_TOOLS, "plane": "random projection"},
        {"stream": "random projection"},
        "PCA",
    ],
    "rp-11": [
        {**_OWN, "inside": 0.9},
        {**_OWN, "directions": 50},
        _own(_DENSE[:30], 20, 0),
        {**_OWN, "directions": 784},
        {**_OWN, "inside": 100 * _OWN["inside"]},
        {**_OWN, "table": _OWN["table"][:, :90]},
        {**_OWN, "table": _OWN["table"][:10]},
        _OWN["table"],
    ],
}
