"""Exercises of chapter 6, manifolds and neighborhood graphs."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.checks.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_number,
)
from dimred_lessons.graphs import knn_graph, radius_graph


@exercise("graphs-1")
def four_points_on_a_line(answer):
    union_edges, union_components, mutual_edges, mutual_components = expect_array(answer, (4,))
    if (union_edges, union_components) != (3, 1):
        raise NotYet("look at the union again: an edge for every entry of a list, returned or not")
    if (mutual_edges, mutual_components) != (1, 3):
        raise NotYet("look at the mutual graph again: an edge only where both points list each other")


@exercise("graphs-2")
def one_percent(answer):
    degrees = expect_number(answer)
    expect_close(degrees, np.degrees(np.sqrt(0.24)), "at this angle the chord is not 1 % shorter than the arc", 0.02)


@exercise("graphs-3")
def union_of_lists(answer):
    rng = np.random.default_rng(3)
    for n, k in [(12, 2), (40, 5)]:
        points = rng.normal(size=(n, 3))
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        graph = expect_array(call(answer, distances.copy(), k), (n, n))
        if np.diag(graph).any():
            raise NotYet("no point should be its own neighbor")
        if not np.array_equal(graph, graph.T):
            raise NotYet("the matrix should be symmetric")
        right = knn_graph(points, k).toarray() > 0
        if not np.array_equal(graph != 0, right):
            raise NotYet(
                f"with n = {n} and k = {k} it has {int(np.sum(graph != 0)) // 2} edges, not {right.sum() // 2}"
            )


@exercise("graphs-4")
def number_of_components(answer):
    rng = np.random.default_rng(4)
    for n, density in [(1, 0), (6, 0), (30, 0.03), (30, 0.06), (30, 0.5)]:
        upper = np.triu(rng.uniform(size=(n, n)) < density, 1)
        adjacency = upper | upper.T
        right = connected_components(adjacency)[0]
        if expect_number(call(answer, adjacency.copy())) != right:
            raise NotYet(f"a graph of {n} vertices and {upper.sum()} edges has {right} component(s)")


@exercise("graphs-5")
def neighbors_in_pieces(answer):
    try:
        n = len(answer)
    except TypeError:
        raise NotYet("an array of points is wanted") from None
    if n < 10:
        raise NotYet("at least ten points are wanted")
    points = expect_array(answer, (n, 2))
    if connected_components(radius_graph(points, 1.0))[0] > 1:
        raise NotYet("the graph of all pairs within 1 should be connected")
    if connected_components(knn_graph(points, 4))[0] == 1:
        raise NotYet("the graph of four neighbors is connected")


@exercise("graphs-6")
def kind_of_map(answer):
    expect_choice(
        answer,
        "b",
        {
            "a": "the inverse, the cube root, has no derivative at zero",
            "c": "the cube root is continuous, so it is a homeomorphism",
            "d": "a power of x has derivatives of every order",
        },
    )


@exercise("graphs-7")
def last_safe_k(answer):
    X, chart = datasets.swiss_roll(n=600)

    def jumps(k):
        edges = knn_graph(X, k).tocoo()
        return bool(np.any(np.linalg.norm(chart[edges.row] - chart[edges.col], axis=1) > 15))

    k = expect_number(answer)
    if k != int(k) or not 1 <= k < 60:
        raise NotYet("a whole number from 1 to 59 is wanted")
    if jumps(int(k)):
        raise NotYet("with so many neighbors there is a short circuit already")
    if not jumps(int(k) + 1):
        raise NotYet("one neighbor more is still safe")
