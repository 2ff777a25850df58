"""Checks of the exercises on manifolds and neighborhood graphs."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_unchanged,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_integer,
    expect_integers,
    expect_number,
)
from dimred_lessons.graphs import knn_graph, radius_graph


@exercise("graphs-1")
def four_points_on_a_line(answer):
    union_edges, union_components, mutual_edges, mutual_components = expect_integers(answer, 4, 0, 10)
    if (union_edges, union_components) != (3, 1):
        raise NotYet("look at the union again: an edge for every entry of a list, returned or not")
    if (mutual_edges, mutual_components) != (1, 3):
        raise NotYet("look at the mutual graph again: an edge only where both points list each other")


@exercise("graphs-2")
def one_percent(answer):
    degrees = expect_number(answer)
    if abs(degrees - np.sqrt(0.24)) < 0.01:
        raise NotYet("this is the angle in radians: convert it to degrees")
    otherwise = "at this angle the chord is not 1 % shorter than the arc"
    expect_close(degrees, np.degrees(np.sqrt(0.24)), otherwise, tolerance=0.02)


@exercise("graphs-3")
def union_of_lists(answer):
    rng = np.random.default_rng(3)
    for n, k in [(12, 2), (40, 5)]:
        points = rng.normal(size=(n, 3))
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        graph = expect_array(call_unchanged(answer, distances, k), (n, n))
        if not np.isin(graph, [0, 1]).all():
            raise NotYet("the entries should be True and False, or 1 and 0, not lengths")
        if np.diag(graph).any():
            raise NotYet("no point should be its own neighbor")
        if not np.array_equal(graph, graph.T):
            raise NotYet("the matrix should be symmetric")
        right = knn_graph(points, k).toarray() > 0
        if not np.array_equal(graph, right):
            edges = f"{int(graph.sum()) // 2} edges, not {right.sum() // 2}"
            raise NotYet(f"these are not the right edges: with n = {n} and k = {k} you have {edges}")


@exercise("graphs-4")
def number_of_components(answer):
    rng = np.random.default_rng(4)
    for n, density in [(1, 0), (6, 0), (30, 0.03), (30, 0.06), (30, 0.5)]:
        upper = np.triu(rng.uniform(size=(n, n)) < density, 1)
        adjacency = upper | upper.T
        right = connected_components(adjacency)[0]
        mine = expect_number(call(answer, adjacency))
        if mine != right:
            graph = f"a graph of {n} vertices and {upper.sum()} edges"
            raise NotYet(f"for {graph} the number of components is {right}, yours is {mine:g}")


@exercise("graphs-5")
def neighbors_in_pieces(answer):
    points = expect_array(answer, (None, 2))
    if not 10 <= len(points) <= 1000:
        raise NotYet("from 10 to 1000 points are wanted")
    if connected_components(radius_graph(points, 1.0))[0] > 1:
        raise NotYet("the graph of all pairs within 1 should be connected")
    if connected_components(knn_graph(points, 4))[0] == 1:
        raise NotYet("the graph of four neighbors is connected")


@exercise("graphs-6")
def kind_of_map(answer):
    reasons = {
        "b": "the inverse, the cube root, has no derivative at zero",
        "c": "the cube root is continuous, so it is a homeomorphism",
        "d": "a power of x has derivatives of every order",
    }
    expect_choice(answer, "a", reasons)


@exercise("graphs-7")
def last_safe_k(answer):
    X, chart = datasets.swiss_roll(n=600)

    def jumps(k):
        edges = knn_graph(X, k).tocoo()
        return np.any(np.linalg.norm(chart[edges.row] - chart[edges.col], axis=1) > 15)

    k = expect_integer(answer, 1, 59)
    if jumps(k):
        raise NotYet(f"with {k} neighbors there is already a short circuit")
    if not jumps(k + 1):
        raise NotYet("a larger number is still safe")
