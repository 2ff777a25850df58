"""Answers to the exercises on manifolds and neighborhood graphs: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import kneighbors_graph


def _directed(distances, k):
    others = distances + np.diag(np.full(len(distances), np.inf))
    listed = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(listed, np.argsort(others, axis=1)[:, :k], True, axis=1)
    return listed


def _mutual(distances, k):
    return _directed(distances, k) & _directed(distances, k).T


def _with_itself(distances, k):
    listed = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(listed, np.argsort(distances, axis=1)[:, :k], True, axis=1)
    return listed | listed.T


def _without_diagonal_but_one_short(distances, k):
    graph = _with_itself(distances, k)
    np.fill_diagonal(graph, False)
    return graph


def _isolated_only(adjacency):
    return int(np.sum(~adjacency.any(axis=0)))


def _vertices_minus_edges(adjacency):
    return len(adjacency) - int(adjacency.sum()) // 2


def _fails(*arguments):
    raise IndexError("a mistake")


def _union(distances, k):
    listed = _directed(distances, k)
    return listed | listed.T


def _union_by_loops(distances, k):
    n = len(distances)
    graph = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in sorted(range(n), key=lambda j, i=i: distances[i, j])[1 : k + 1]:
            graph[i][j] = graph[j][i] = 1
    return graph


def _union_by_library(distances, k):
    listed = kneighbors_graph(distances, k, metric="precomputed")
    return listed.maximum(listed.T)


def _union_of_lengths(distances, k):
    return np.where(_union(distances, k), distances, 0)


def _union_in_place(distances, k):
    np.fill_diagonal(distances, np.inf)
    near = distances <= np.sort(distances, axis=1)[:, [k - 1]]
    return near | near.T


def _components_by_search(adjacency):
    left, count = set(range(len(adjacency))), 0
    while left:
        reached = [left.pop()]
        while reached:
            i = reached.pop()
            others = {j for j in left if adjacency[i, j]}
            left -= others
            reached += others
        count += 1
    return count


def _components_by_eigenvalues(adjacency):
    L = np.diag(adjacency.sum(axis=0)) - adjacency.astype(float)
    return np.sum(np.linalg.eigvalsh(L) < 1e-8)


def _components_by_powers(adjacency):
    reached = np.linalg.matrix_power(adjacency + np.eye(len(adjacency)), len(adjacency)) > 0
    return [len(np.unique(reached, axis=0))]


def _local_dimensions(distances, k):
    T = np.sort(distances, axis=1)[:, 1 : k + 1]
    return (k - 1) / np.log(T[:, -1:] / T[:, :-1]).sum(axis=1)


def _local_dimensions_by_loops(distances, k):
    result = []
    for row in distances.tolist():
        T = sorted(row)[1 : k + 1]
        result.append((k - 1) / sum(np.log(T[-1]) - np.log(t) for t in T[:-1]))
    return result


def _local_dimensions_by_means(distances, k):
    logarithms = np.log(np.partition(distances + np.diag(np.full(len(distances), np.inf)), range(k), axis=1)[:, :k])
    return (1 / (logarithms[:, -1] - logarithms[:, :-1].mean(axis=1))).astype(np.float32)[:, np.newaxis]


def _local_dimensions_with_itself(distances, k):
    T = np.sort(distances, axis=1)[:, :k]
    with np.errstate(divide="ignore"):
        return (k - 1) / np.log(T[:, -1:] / T[:, :-1]).sum(axis=1)


def _local_dimensions_one_further(distances, k):
    T = np.sort(distances, axis=1)[:, 1 : k + 2]
    return (k - 1) / np.log(T[:, -1:] / T[:, :-2]).sum(axis=1)


_CROWD = 0.01 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 3]])
_CROWDS = np.vstack([_CROWD, _CROWD + [0.5, 0]])
_LUMPS = np.vstack([np.random.default_rng(0).normal(size=(n, 2)) + [60 * n, 0] for n in (7, 9)])


RIGHT = {
    "graphs-1": [[3, 1, 1, 3], (3.0, 1.0, 1.0, 3.0), np.array([[3, 1], [1, 3]])],
    "graphs-2": [np.degrees(np.sqrt(0.24)), 28, [28.1], np.float32(28.07)],
    "graphs-3": [
        _union,
        _union_by_loops,
        _union_by_library,
        lambda distances, k: sparse.csr_array(_union(distances, k)),
        lambda distances, k: _union(distances.copy(), k).astype(np.float32),
    ],
    "graphs-4": [
        _components_by_search,
        _components_by_eigenvalues,
        _components_by_powers,
        lambda adjacency: connected_components(adjacency)[0],
    ],
    "graphs-5": [
        _CROWDS,
        _CROWDS.tolist(),
        _CROWDS.astype(np.float32),
        np.vstack([_CROWD + [0, 0.9 * i] for i in range(4)]),
        sparse.csr_array(_CROWDS),
    ],
    "graphs-6": ["a", "A", "(a)", " a"],
    "graphs-7": [_local_dimensions, _local_dimensions_by_loops, _local_dimensions_by_means],
    "graphs-8": [10, 10.0, [10], np.int64(10)],
    "graphs-9": [180, 180.0, [179.5], np.degrees(np.pi)],
    "graphs-10": [
        {"smallest k": 2, "dimension": 8.1},
        {"dimension": np.float32(8.132), "smallest k": 2.0},
        {"smallest k": [2], "dimension": [8.1]},
    ],
    "graphs-11": [
        {"points": _LUMPS, "k": 7},
        {"points": _LUMPS[::-1].tolist(), "k": 7.0},
        {"points": (0.01 * _LUMPS).astype(np.float32), "k": np.array([7])},
    ],
}

WRONG = {
    "graphs-1": [[1, 3, 3, 1], [4, 1, 1, 3], [3, 1, 2, 2], [3, 1], "3, 1, 1, 3"],
    "graphs-2": [0.49, 14, 56, 30, np.nan, "28 degrees"],
    "graphs-3": [
        _directed,
        _mutual,
        _with_itself,
        _without_diagonal_but_one_short,
        _fails,
        _union_of_lengths,
        _union_in_place,
        5,
    ],
    "graphs-4": [_isolated_only, _vertices_minus_edges, lambda adjacency: 1, _fails],
    "graphs-5": [
        np.vstack([_CROWD, _CROWD + [5, 0]]),
        np.random.default_rng(0).uniform(size=(20, 2)),
        _CROWD,
        7,
    ],
    "graphs-6": ["b", "c", "d", "e", 1],
    "graphs-7": [
        _local_dimensions_with_itself,
        _local_dimensions_one_further,
        lambda distances, k: 1 / _local_dimensions(distances, k),
        lambda distances, k: k / (k - 1) * _local_dimensions(distances, k),
        lambda distances, k: _local_dimensions(distances, k).mean(),
        _fails,
    ],
    "graphs-8": [9, 11, 19, 20, 9.5, "ten"],
    "graphs-9": [np.pi, 30, 311.8, 90, np.nan, "half a turn"],
    "graphs-10": [
        {"smallest k": 1, "dimension": 8.1},
        {"smallest k": 3, "dimension": 8.1},
        {"smallest k": 2, "dimension": 2},
        {"smallest k": 2, "dimension": 1 / 8.1},
        [2, 8.1],
        {"k": 2},
    ],
    "graphs-11": [
        {"points": _LUMPS, "k": 6},
        {"points": _LUMPS, "k": 8},
        {"points": np.column_stack([np.arange(20.0), np.zeros(20)]), "k": 2},
        {"points": _LUMPS[:8], "k": 7},
        {"points": _LUMPS, "k": "seven"},
        {"k": 7},
    ],
}
