"""Answers to the exercises of chapter 6 that a student might give and that are wrong."""

import numpy as np


def directed(distances, k):
    others = distances + np.diag(np.full(len(distances), np.inf))
    listed = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(listed, np.argsort(others, axis=1)[:, :k], True, axis=1)
    return listed


def mutual(distances, k):
    return directed(distances, k) & directed(distances, k).T


def with_itself(distances, k):
    listed = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(listed, np.argsort(distances, axis=1)[:, :k], True, axis=1)
    return listed | listed.T


def without_diagonal_but_one_short(distances, k):
    graph = with_itself(distances, k)
    np.fill_diagonal(graph, False)
    return graph


def isolated_only(adjacency):
    return int(np.sum(~adjacency.any(axis=0)))


def vertices_minus_edges(adjacency):
    return len(adjacency) - int(adjacency.sum()) // 2


def fails(*arguments):
    raise IndexError("a mistake")


CROWD = 0.01 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 3]])

WRONG_ANSWERS = {
    "graphs-1": [[1, 3, 3, 1], [4, 1, 1, 3], [3, 1, 2, 2], [3, 1], "3, 1, 1, 3"],
    "graphs-2": [0.49, 14, 56, 30, np.nan, "28 degrees"],
    "graphs-3": [directed, mutual, with_itself, without_diagonal_but_one_short, fails, 5],
    "graphs-4": [isolated_only, vertices_minus_edges, lambda adjacency: 1, fails],
    "graphs-5": [
        np.vstack([CROWD, CROWD + [5, 0]]),
        np.random.default_rng(0).uniform(size=(20, 2)),
        CROWD,
        7,
    ],
    "graphs-6": ["a", "c", "d", "B", 2],
    "graphs-7": [1, 30, 7.5, 0, "eight"],
}
