"""Claims about local distances: which pairs count, between which points, and how long a kernel makes them."""

import numpy as np

from dimred_lessons.classroom.datasets import s_curve
from dimred_lessons.local_distances import (
    constrained_pairs,
    incidence_matrix,
    local_distances,
    merge_copies,
    squared_lengths,
)
from dimred_lessons.neighbors import neighbor_lists


def test_squared_lengths_are_those_of_the_points_behind_a_kernel():
    X = s_curve(60)[0]
    pairs, d = constrained_pairs(X, neighbor_lists(X, 4))
    E = incidence_matrix(pairs, len(X))
    np.testing.assert_allclose(squared_lengths(E, X @ X.T), d)
    np.testing.assert_allclose(squared_lengths(E.toarray(), X @ X.T), d)


def test_pairs_are_sorted_and_each_occurs_once():
    X = s_curve(60)[0]
    pairs, _ = constrained_pairs(X, neighbor_lists(X, 4))
    assert np.all(pairs[:, 0] < pairs[:, 1]) and len(np.unique(pairs, axis=0)) == len(pairs)
    np.testing.assert_array_equal(pairs, pairs[np.lexsort(pairs.T[::-1])])


def test_copies_are_one_point_and_chains_of_near_points_are_too():
    X = s_curve(40)[0]
    first, copy_of = merge_copies(np.vstack([X, X[10:15], X[10:12] + 1e-9]))
    np.testing.assert_array_equal(first, np.arange(40))
    np.testing.assert_array_equal(copy_of, [*range(40), *range(10, 15), 10, 11])
    chain = np.append(np.arange(5) * 0.9e-5, 1.0)[:, np.newaxis]
    np.testing.assert_array_equal(merge_copies(chain)[1], [0, 0, 0, 0, 0, 1])


def test_local_distances_are_those_of_the_distinct_points():
    X = np.vstack([s_curve(40)[0], s_curve(40)[0][10:15]])
    local, (pairs, d) = local_distances(X, 4), constrained_pairs(X[:40], neighbor_lists(X[:40], 4))
    np.testing.assert_array_equal(local.pairs, pairs)
    np.testing.assert_array_equal(local.squared_distances, d)
    np.testing.assert_array_equal(local.graph.toarray(), neighbor_lists(X[:40], 4).toarray())
    np.testing.assert_array_equal(X[local.first][local.copy_of], X)
