"""Checks of the exercises on Isomap."""

import numpy as np
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import pdist, squareform

from dimred_lessons import ClassicalMDS, Isomap
from dimred_lessons.classroom import datasets, metrics
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_unchanged,
    exercise,
    expect_array,
    expect_close,
    expect_drawn,
    expect_fitted,
    expect_integer,
    expect_integers,
    expect_keys,
)
from dimred_lessons.classroom.exercises.values import choice, differs, keyed, look, near, number, numbers, whole
from dimred_lessons.geodesics import geodesic_distances
from dimred_lessons.graphs import graph_components, knn_graph


@exercise("isomap-1")
@numbers(4)
def shortest_paths_by_hand(answer, lengths=(2, 5, 1, 6, 2, 6, 3)):
    edges = np.zeros((5, 5))
    edges[[0, 0, 1, 1, 2, 2, 3], [1, 2, 2, 3, 3, 4, 4]] = lengths
    right = floyd_warshall(edges, directed=False)[0, 1:]
    for name, yours, shortest in zip("BCDE", answer, right, strict=True):
        yield yours > shortest + 1e-6, f"there is a shorter path to {name}"
        yield yours < shortest - 1e-6, f"no path to {name} is that short"


@exercise("isomap-2")
@numbers(4)
def circle_of_four(answer):
    right = np.array([2, 2, 0, -1])
    yield differs(answer.sum(), 3), "the eigenvalues should add up to the trace of K, which is 3"
    yield differs(answer.sorted(), np.sort(right)), "multiply each of the four vectors of the hint by K"
    yield differs(answer, right), "these are the eigenvalues, but give the largest first"


@exercise("isomap-3")
def floyd(answer):
    rng = np.random.default_rng(3)
    for n, share in [(6, 0.9), (25, 0.15), (30, 0.05)]:
        there = np.triu(rng.uniform(size=(n, n)) < share, 1)
        edges = np.where(there, rng.uniform(0.5, 5, (n, n)), np.inf)
        edges = np.minimum(edges, edges.T)
        np.fill_diagonal(edges, 0)
        found = expect_array(call_unchanged(answer, edges), (n, n), finite=False)
        right = floyd_warshall(edges)
        finite = np.isfinite(right)
        if not np.array_equal(found == np.inf, ~finite):
            raise NotYet("an entry should be infinite exactly where there is no path")
        expect_close(found[finite], right[finite], "some path can be made shorter by way of another point")


@exercise("isomap-4")
def place_by_landmarks(answer):
    for n, m, d, seed in [(150, 20, 2, 4), (120, 12, 1, 5)]:
        X, _ = datasets.s_curve(n, random_state=seed)
        peer = Isomap(d, n_neighbors=8, n_landmarks=m, random_state=seed).fit(X)
        Y = expect_array(call(answer, peer.geodesic_distances_, peer.landmarks_, d), (n, d))
        right = peer.embedding_
        turned = metrics.aligned_signs(Y - Y.mean(axis=0), right - right.mean(axis=0))
        otherwise = "these are not the places that the geodesics to the landmarks give"
        expect_close(turned, right - right.mean(axis=0), otherwise)
        otherwise = "all points are shifted: the landmarks should keep the places that classical scaling gave them"
        expect_close(metrics.aligned_signs(Y, right), right, otherwise)


@exercise("isomap-5")
def residual_variances(answer):
    for seed, d in [(5, 4), (6, 1)]:
        Y = np.random.default_rng(seed).standard_normal((60, 5)) * [5, 3, 1, 0.5, 0.2]
        lengths = pdist(Y) ** 1.2
        r = expect_array(call(answer, squareform(lengths), Y[:, :d]), (d,))
        maps = [pdist(Y[:, :axes]) for axes in range(1, d + 1)]
        pairs = [_unexplained(lengths, E) for E in maps]
        entries = [_unexplained(squareform(lengths), squareform(E)) for E in maps]  # with the zeros on the diagonal
        if min(np.max(np.abs(r - right)) for right in (entries, pairs)) > 1e-5:
            raise NotYet("each should be one minus the squared correlation of G with the distances in 1, 2, ... axes")


def _unexplained(lengths, on_map):
    return 1 - np.corrcoef(lengths.ravel(), on_map.ravel())[0, 1] ** 2


@exercise("isomap-6")
@choice("d")
def forgotten_square():
    return {
        "a": "the distances found are square roots of the true ones, so their proportions are not right",
        "b": "compute the eigenvalues for a few points: none is negative",
        "c": "compute the eigenvalues for a few points: more than one is positive",
    }


@exercise("isomap-7")
def tunnel(answer):
    i, j = expect_integers(answer, 2, 0, 599)
    X, chart = datasets.swiss_roll(n=600)
    length = float(np.linalg.norm(X[i] - X[j]))
    if i == j or length >= 7:
        raise NotYet(f"choose two different points at a distance below 7: yours are {length:.1f} apart")
    graph = knn_graph(X, 8).tolil()
    graph[i, j] = graph[j, i] = length
    G = geodesic_distances(graph.tocsr())
    error = metrics.procrustes_error(ClassicalMDS(2, metric="precomputed").fit_transform(G), chart)
    if error <= 0.2:
        raise NotYet(f"with this edge the error is {error:.3f}, which is not above 0.2")


@exercise("isomap-8")
def a_vertex_leaves(answer):
    rng = np.random.default_rng(8)
    for n, share, v in [(6, 0.7, 2), (20, 0.2, 0), (20, 0.1, 19)]:
        there = np.triu(rng.uniform(size=(n, n)) < share, 1)
        edges = np.where(there, rng.uniform(0.5, 5, (n, n)), np.inf)
        edges = np.minimum(edges, edges.T)
        np.fill_diagonal(edges, 0)
        left = np.delete(np.arange(n), v)
        right = np.minimum(edges, edges[:, [v]] + edges[v])[np.ix_(left, left)]
        found = expect_array(call_unchanged(answer, edges, v), (n - 1, n - 1), finite=False)
        if np.any(np.diag(found) != 0):
            raise NotYet("the diagonal should stay 0: no vertex is far from itself")
        if not np.array_equal(found == np.inf, np.isinf(right)):
            raise NotYet("edges are missing, or there are too many: only pairs of neighbors of v get new ones")
        finite = np.isfinite(right)
        expect_close(found[finite], right[finite], "an edge has the wrong length: it should be the shorter of two ways")


@exercise("isomap-9")
@whole(1, 10_000)
def polygon_in_an_arc(edges):
    missing = 1 - np.sinc(1 / (2 * np.arange(1, 10_001)))
    enough = 1 + int(np.sum(missing >= 0.001))
    left = look(missing[: enough - 1], edges - 1)
    too_few = f"with {edges} chords {left:.3%} of the half circle is missing, which is not below 0.1%"
    yield edges < enough, too_few
    yield edges > enough, "fewer chords are enough"


@exercise("isomap-10")
@choice("b")
def all_points_neighbors():
    return {
        "a": "edges keep their lengths, whatever k is; nothing is counted",
        "c": "no kernel with a width appears: what are the entries of G when all pairs are joined?",
        "d": "the eigen-step minimizes the strain for every k",
    }


@exercise("isomap-11")
@keyed({"smallest k": whole(1, 100, "the smallest k"), "residual variance": number()})
def report_on_ones(k, residual):
    points, labels = datasets.digits()
    points = points[labels == 1]
    enough = next(k for k in range(1, 100) if len(graph_components(knn_graph(points, k))[1]) == 1)
    yield k < enough, f"with {k} neighbors the graph of the ones is not connected"
    yield k > enough, "a smaller number of neighbors still connects the ones"
    right = Isomap(2, n_neighbors=enough).fit(points).residual_variance()
    first = near(residual, right[0], 0.006, 1) & differs(residual, right[1], 0.006, 1)
    yield first, "this is the residual variance of the first axis alone: give that of two axes"
    otherwise = f"this is not the residual variance of two axes with {k} neighbors"
    yield differs(residual, right[1], 0.006, 1), otherwise


@exercise("isomap-12")
def one_point_shortens_all_ways(answer):
    expect_keys(answer, ["points", "k", "bridge"])
    points = expect_drawn(answer["points"], 10)
    k = expect_integer(answer["k"], 1, len(points) - 1, "k")
    bridge = expect_array(answer["bridge"], (2,))
    before, after = (_stretch(X, k) for X in (points, np.vstack([points, bridge])))
    if before < 1.5:
        raise NotYet(f"along the graph your points are {before:.2f} times as far apart as straight: bend them more")
    if after > 0.8 * before:
        raise NotYet(f"with the bridge this is {after:.2f} instead of {before:.2f}: it should fall by a fifth")


def _stretch(points, k):
    """How many times as long ways along the graph are as straight ones, in all."""
    expect_fitted(Isomap(1, n_neighbors=k), points)
    return geodesic_distances(knn_graph(points, k)).sum() / squareform(pdist(points)).sum()
