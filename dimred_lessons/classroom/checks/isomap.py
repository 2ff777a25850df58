"""Exercises of chapter 7."""

import numpy as np
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import pdist, squareform

from dimred_lessons import ClassicalMDS, Isomap
from dimred_lessons.classroom import datasets, metrics
from dimred_lessons.classroom.checks.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_number,
)
from dimred_lessons.geodesics import geodesic_distances
from dimred_lessons.graphs import knn_graph


@exercise("isomap-1")
def shortest_paths_by_hand(answer):
    given = expect_array(answer, (4,))
    edges = np.zeros((5, 5))
    for i, j, length in [(0, 1, 2), (0, 2, 5), (1, 2, 1), (1, 3, 6), (2, 3, 2), (2, 4, 6), (3, 4, 3)]:
        edges[i, j] = length
    right = floyd_warshall(edges, directed=False)[0, 1:]
    for name, yours, shortest in zip("BCDE", given, right):
        if yours > shortest + 1e-6:
            raise NotYet(f"there is a shorter path to {name}")
        if yours < shortest - 1e-6:
            raise NotYet(f"no path to {name} is that short")


@exercise("isomap-2")
def circle_of_four(answer):
    given = expect_array(answer, (4,))
    steps = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    H = np.eye(4) - 1 / 4
    right = np.linalg.eigvalsh(-0.5 * H @ np.minimum(steps, 4 - steps) ** 2 @ H)[::-1]
    expect_close(given.sum(), right.sum(), "the eigenvalues should add up to the trace of K, which is 3")
    expect_close(np.sort(given), np.sort(right), "multiply each of the four vectors of the hint by K")
    expect_close(given, right, "these are the eigenvalues, but give the largest first")


@exercise("isomap-3")
def floyd(answer):
    rng = np.random.default_rng(3)
    for n, share in [(6, 0.9), (25, 0.15), (30, 0.05)]:
        there = np.triu(rng.uniform(size=(n, n)) < share, 1)
        edges = np.where(there, rng.uniform(0.5, 5, (n, n)), np.inf)
        edges = np.minimum(edges, edges.T)
        np.fill_diagonal(edges, 0)
        given = edges.copy()
        found = call(answer, given)
        if not np.array_equal(given, edges):
            raise NotYet("your function changes its argument: work on a copy")
        right = floyd_warshall(edges)
        finite = np.isfinite(right)
        try:
            found = np.asarray(found, dtype=float)
        except (TypeError, ValueError):
            raise NotYet("a matrix of numbers is wanted") from None
        if found.shape != (n, n):
            raise NotYet(f"for {n} points a matrix of shape {(n, n)} is wanted")
        if not np.array_equal(np.isfinite(found), finite):
            raise NotYet("finite exactly where a path exists, and infinite elsewhere: that is not so")
        expect_close(found[finite], right[finite], "some path can be shortened by stopping on the way")


@exercise("isomap-4")
def place_by_landmarks(answer):
    for n, m, d, seed in [(150, 20, 2, 4), (120, 12, 1, 5)]:
        X, _ = datasets.s_curve(n, random_state=seed)
        peer = Isomap(d, n_neighbors=8, n_landmarks=m, random_state=seed).fit(X)
        Y = expect_array(call(answer, peer.geodesic_distances_.copy(), peer.landmarks_.copy(), d), (n, d))
        right = peer.embedding_
        signs = np.where(np.sum(Y * right, axis=0) < 0, -1, 1)
        if np.ptp(Y * signs - right, axis=0).max() < 1e-6 * np.abs(right).max():
            right = right + (Y * signs - right)[0]  # a shift is left free
        expect_close(Y * signs, right, "these are not the places that the geodesics to the landmarks give")


@exercise("isomap-5")
def residual_variances(answer):
    for seed, d in [(5, 4), (6, 1)]:
        Y = np.random.default_rng(seed).standard_normal((60, 5)) * [5, 3, 1, 0.5, 0.2]
        G = squareform(pdist(Y)) ** 1.2
        r = expect_array(call(answer, G.copy(), Y[:, :d].copy()), (d,))
        pairs, entries = [], []
        for axes in range(1, d + 1):
            E = squareform(pdist(Y[:, :axes]))
            entries.append(1 - np.corrcoef(G.ravel(), E.ravel())[0, 1] ** 2)
            pairs.append(1 - np.corrcoef(squareform(G), squareform(E))[0, 1] ** 2)
        if min(np.max(np.abs(r - right)) for right in (np.array(entries), np.array(pairs))) > 1e-6:
            raise NotYet("one minus the squared correlation of the distances in 1, 2, ... axes with G is wanted")


@exercise("isomap-6")
def forgotten_square(answer):
    expect_choice(answer, "d", {
        "a": "the distances found are roots of the true ones, so their proportions are not right",
        "b": "compute the eigenvalues for a few points: none is negative",
        "c": "compute the eigenvalues for a few points: more than one is positive",
    })  # fmt: skip


@exercise("isomap-7")
def tunnel(answer):
    given = expect_array(answer, (2,))
    X, chart = datasets.swiss_roll(n=600)
    if not np.array_equal(given, np.round(given)) or given.min() < 0 or given.max() >= len(X):
        raise NotYet("two row numbers from 0 to 599 are wanted")
    i, j = given.astype(int)
    length = float(np.linalg.norm(X[i] - X[j]))
    if i == j or length >= 7:
        raise NotYet(f"two different points at a distance below 7 are wanted, yours have {length:.1f}")
    graph = knn_graph(X, 8).tolil()
    graph[i, j] = graph[j, i] = length
    G = geodesic_distances(graph.tocsr())
    Y = ClassicalMDS(n_components=2, metric="precomputed").fit_transform(G)
    error = metrics.procrustes_error(Y, chart)
    if error <= 0.2:
        raise NotYet(f"with this edge the error is {error:.3f}, which is not above 0.2")


@exercise("isomap-8")
def largest_safe_k(answer):
    given = expect_number(answer)
    X, chart = datasets.swiss_roll(n=1000)

    def jumps(k):
        graph = knn_graph(X, k)
        i, j = graph.nonzero()
        return np.any(np.linalg.norm(chart[i] - chart[j], axis=1) > 3 * graph.data)

    if given != round(given) or not 1 <= given < 999:
        raise NotYet("a whole number of neighbors is wanted")
    if jumps(int(given)):
        raise NotYet("with so many neighbors an edge jumps already")
    if not jumps(int(given) + 1):
        raise NotYet("one neighbor more would still be safe")
