"""Graphs on which shortest paths are hard to get right."""

import numpy as np
from scipy import sparse

from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.graphs import knn_graph, radius_graph

GRID = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
ROLL = swiss_roll(150)[0]
BLOBS = np.concatenate([ROLL[:40], ROLL[40:90] + 1000, ROLL[90:100] + 2000])
COPIES = np.repeat(ROLL[:40], 3, axis=0)
CUBE = np.random.default_rng(0).random((200, 6))
GRAPHS = {
    "a roll": knn_graph(ROLL, 8),
    "a grid, many paths of the same length": radius_graph(GRID, 1.0),
    "three components": knn_graph(BLOBS, 6),
    "edges of length zero": knn_graph(COPIES, 6),
    "a cube that no small set cuts": knn_graph(CUBE, 12),
    "a chain": knn_graph(np.arange(30.0)[:, np.newaxis] ** 2, 2),
    "a clique": radius_graph(ROLL[:30], 1e3),
    "a star": knn_graph(np.vstack([np.zeros(12), 10 * np.eye(12)]), 1),
    "three vertices": knn_graph(np.array([[0.0], [1.0], [5.0]]), 1),
    "vertices without edges": radius_graph(ROLL, 4.0),
    "no edges": sparse.csr_array((7, 7)),
}
