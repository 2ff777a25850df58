"""Checks of the exercises on manifolds and neighborhood graphs."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    IN_CODE,
    NotYet,
    call,
    call_unchanged,
    exercise,
    expect_array,
    expect_close,
    expect_drawn,
    expect_keys,
    expect_number,
)
from dimred_lessons.classroom.exercises.values import choice, differs, keyed, near, number, whole, wholes
from dimred_lessons.graphs import knn_graph, radius_graph
from dimred_lessons.neighbors import neighbor_lists


@exercise("graphs-1")
@wholes(4, 0, 10)
def four_points_on_a_line(answer, places=(0, 1, 3, 7)):
    listed = np.argsort(np.abs(np.subtract.outer(places, places)), axis=1, kind="stable")[:, 1]
    edges = np.zeros((4, 4), dtype=bool)
    edges[np.arange(4), listed] = True
    union, mutual = edges | edges.T, edges & edges.T
    otherwise = "look at the union again: an edge for every entry of a list, returned or not"
    yield differs(answer[:2], [union.sum() // 2, connected_components(union)[0]], 0), otherwise
    otherwise = "look at the mutual graph again: an edge only where both points list each other"
    yield differs(answer[2:], [mutual.sum() // 2, connected_components(mutual)[0]], 0), otherwise


@exercise("graphs-2")
@number()
def one_percent(degrees, percent=1):
    radians = np.sqrt(0.24 * percent)
    yield near(degrees, radians, 0.01, 1), "this is the angle in radians: convert it to degrees"
    yield differs(degrees, np.degrees(radians), 0.02), f"at this angle the chord is not {percent}% shorter than the arc"


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
        raise NotYet("from 10 to 1000 points are expected")
    if connected_components(radius_graph(points, 1.0))[0] > 1:
        raise NotYet("the graph of all pairs within 1 should be connected")
    if connected_components(knn_graph(points, 4))[0] == 1:
        raise NotYet("the graph of four neighbors is connected")


@exercise("graphs-6")
@choice("a")
def kind_of_map():
    return {
        "b": "the inverse, the cube root, has no derivative at zero",
        "c": "the cube root is continuous, so it is a homeomorphism",
        "d": "a power of x has derivatives of every order",
    }


@exercise("graphs-7")
def dimension_of_every_point(answer):
    rng = np.random.default_rng(7)
    sheet = np.column_stack([rng.uniform(size=(60, 2)), np.zeros(60)])
    thread = np.column_stack([1 + rng.uniform(size=(20, 1)), np.full((20, 2), 0.5)])
    points = np.vstack([sheet, thread])
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    for k in (2, 9):
        T = np.sort(distances, axis=1)[:, 1 : k + 1]
        logarithms = np.log(T[:, -1:] / T[:, :-1]).sum(axis=1)
        mine = expect_array(call_unchanged(answer, distances, k), (80,), finite=False)
        if not np.isfinite(mine).all():
            raise NotYet("some numbers are infinite or missing: leave out the distance of a point to itself")
        if np.allclose(mine * (k - 1), logarithms, rtol=IN_CODE):
            raise NotYet("this is the mean of the logarithms: the dimension is its inverse")
        otherwise = f"these are not the right numbers, for 80 points and k = {k}: is T_k the distance to neighbor k?"
        expect_close(mine / ((k - 1) / logarithms), np.ones(80), otherwise)


@exercise("graphs-8")
@whole(1, 19)
def enough_neighbors(k):
    yield k < 10, f"two tight crowds of ten points, far apart, are not connected by {k} neighbors"
    fewer = "fewer are enough: how many points does a component have at least, and how many do two have?"
    yield k > 10, fewer


@exercise("graphs-9")
@number()
def sector_of_a_cone(degrees, alpha=30):
    right = 360 * np.sin(np.radians(alpha))
    yield near(degrees, np.radians(right), 0.05, 1), "this is the angle in radians: convert it to degrees"
    metric = "look at the metric again: a circle around the axis has the radius r sin α"
    yield near(degrees, 360 * np.cos(np.radians(alpha)), 1, 1), metric
    yield differs(degrees, right), "a sector of this angle is not as long at its rim as the cone"


@exercise("graphs-10")
@keyed({"smallest k": whole(1, 100, "the smallest k"), "dimension": number()})
def report_on_threes(k, dimension):
    points, labels = datasets.digits()
    points = points[labels == 3]
    enough = next(k for k in range(1, 100) if connected_components(knn_graph(points, k))[0] == 1)
    yield k < enough, f"with {k} neighbors the graph of the threes is not connected"
    yield k > enough, "a smaller number of neighbors still connects the threes"
    T = np.sort(neighbor_lists(points, 10).data.reshape(-1, 10), axis=1)
    right = 1 / np.mean(np.log(T[:, -1:] / T[:, :-1]))
    otherwise = "this is not the dimension of the threes from the distances to ten neighbors"
    yield differs(dimension, right, 0.06, 1), otherwise


@exercise("graphs-11")
def a_graph_that_is_connected_late(answer):
    expect_keys(answer, ["points", "k"])
    k, points = expect_number(answer["k"]), expect_drawn(answer["points"], 12)
    right = next(m for m in range(1, len(points)) if connected_components(knn_graph(points, m))[0] == 1)
    if right < 6:
        raise NotYet(f"your points are connected from k = {right} on, and 6 is asked for: leave groups far apart")
    if k < right:
        raise NotYet(f"with k = {k:g} the graph of your points is in pieces")
    if k > right:
        raise NotYet("a smaller k connects your points as well")
