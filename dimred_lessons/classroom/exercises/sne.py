"""Checks of the exercises on neighbors as probabilities."""

import numpy as np
from sklearn.manifold import trustworthiness

from dimred_lessons import NeighborEmbedding
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call_unchanged,
    exercise,
    expect_array,
    expect_choice,
    expect_choices,
    expect_close,
    expect_keys,
    expect_number,
    refusals_as_not_yet,
)
from dimred_lessons.distances import squared_distances
from dimred_lessons.iterative.affinities import joint_probabilities


@exercise("sne-1")
def perplexity_by_hand(answer):
    perplexity, beta = expect_array(answer, (2,))
    if abs(perplexity - 1.5) < 0.02 or abs(perplexity - 1.5 * np.log(2)) < 0.02:
        raise NotYet("this is the entropy; the perplexity is its exponential, to the same base")
    expect_close(perplexity, 2**1.5, "the perplexity is the exponential of the entropy, to the same base", BY_HAND)
    expect_close(beta, np.log(3) / 2, "the odds are exp(β (3 − 1)), and they should be 3", BY_HAND)


@exercise("sne-2")
def push_and_pull_by_hand(answer):
    forces = expect_array(answer, (3,))
    right = np.array([1 / 6, -0.35833, 0.19167])
    if np.allclose(forces, -right, atol=3e-3):
        raise NotYet("these are the signs of a step; the gradient points the other way")
    if np.allclose(forces, right / 4, atol=1e-3):
        raise NotYet("a factor 4 is missing: each pair counts twice, and the derivative of a square gives another 2")
    otherwise = "compute q from the kernel over its sum of 1.6, then a = (p − q) times the kernel"
    expect_close(forces, right, otherwise, BY_HAND)


@exercise("sne-3")
def probabilities_of_pairs(answer):
    for seed, (n, D, perplexity, size) in enumerate([(20, 3, 5, 1), (35, 6, 12.5, 100)]):
        X = size * np.random.default_rng(seed).standard_normal((n, D))
        found = expect_array(call_unchanged(answer, X, perplexity), (n, n))
        right = joint_probabilities(squared_distances(X), perplexity)
        expect_close(np.diag(found), 0, "no point is its own neighbor", scale=right.max())
        expect_close(found, found.T, "pᵢⱼ is the same in both directions", scale=right.max())
        expect_close(found.sum(), 1, "all entries together should sum to 1")
        expect_close(found, right, "the perplexity of some rows is not the one asked for", tolerance=1e-3)


@exercise("sne-4")
def slope_of_a_kernel_between(answer):
    for seed, nu in enumerate([1.0, 0.5, 8.0]):
        rng = np.random.default_rng(seed)
        P, Y = joint_probabilities(squared_distances(rng.standard_normal((12, 3))), 4), rng.standard_normal((12, 2))
        base = 1 + squared_distances(Y) / nu
        K = base**-nu
        np.fill_diagonal(K, 0)
        A = (P - K / K.sum()) / base
        right = 4 * (A.sum(axis=1)[:, np.newaxis] * Y - A @ Y)
        found = expect_array(call_unchanged(answer, P, Y, nu), Y.shape)
        expect_close(found, right, f"for ν = {nu:g} this is not the slope of the mismatch: compare with differences")


@exercise("sne-5")
def map_that_turns_the_truth_around(answer):
    X = expect_array(answer, (None, None))
    if not 60 <= len(X) <= 120 or len(X) % 3 or X.shape[1] > 1000:
        raise NotYet("60 to 120 points in three groups of equal size are expected")
    truly = _ratio(X)
    if not truly > 5:
        raise NotYet(f"the second mean is {truly:.2g} times as far from the first as the third: make it more than 5")
    with refusals_as_not_yet("NeighborEmbedding"):
        shown = _ratio(NeighborEmbedding(perplexity=10, early_exaggeration_iter=100, max_iter=300).fit_transform(X))
    if not shown < 2:
        raise NotYet(f"the map shows it {shown:.2g} times as far, which is near the truth")


def _ratio(Y):
    """Distance of the second group's mean from the first's, over that of the third."""
    first, second, third = Y.reshape(3, len(Y) // 3, -1).mean(axis=1)
    near = np.linalg.norm(third - first)
    return np.linalg.norm(second - first) / near if near > 0 else np.inf


@exercise("sne-6")
def what_may_be_read(answer):
    right = {
        "together": ("read", "nearest neighbors are what the map is made for"),
        "varied": ("ask the data", "each point has its own width, so sizes of islands say nothing"),
        "related": ("ask the data", "between separated islands all probabilities are nearly zero"),
        "axis": ("ask the data", "no axis of the map has a meaning"),
        "type": ("read", "this is about its neighbors only"),
    }
    expect_choices(answer, right)


@exercise("sne-7")
def better_map(answer):
    reasons = {
        "a": "lower than what? P is not the same",
        "b": "nothing shows it: a mismatch need not be small",
        "d": "the two numbers do not measure detail",
    }
    expect_choice(answer, "c", reasons)


@exercise("sne-8")
def critical_exaggeration_of_cycles(answer):
    four, six = expect_array(answer, (2,))
    expect_close(four, 4 / 3, "the edges of the cycle of 4 have weight 1/8, since both directions count", BY_HAND)
    expect_close(six, 2.4, "the smallest positive eigenvalue of the cycle of 6 is 1 times the weight 1/12", BY_HAND)


@exercise("sne-9")
def weights_that_do_not_matter(answer):
    wanted, few, many = expect_array(answer, (3,))
    expect_close(wanted, 0.2, "UMAP's own objective has r = 1 − v", BY_HAND)
    expect_close(few, 2 / 3, "for 300 points r = 5 · 12/600", BY_HAND)
    expect_close(many, 0.2 / 0.201, "for 30,000 points r is a hundred times smaller: give three digits", 1e-3)


@exercise("sne-10")
def own_map_and_noise(answer):
    expect_keys(answer, ["table", "map", "shuffled", "shuffled map", "trust", "shuffled trust"])
    X = expect_array(answer["table"], (None, None))
    n = len(X)
    if not 50 <= n <= 500 or X.shape[1] < 5:
        raise NotYet("a table of 50 to 500 points and at least 5 columns is expected")
    shuffled = expect_array(answer["shuffled"], X.shape)
    otherwise = "every column should keep its entries, in a different order"
    expect_close(np.sort(shuffled, axis=0), np.sort(X, axis=0), otherwise)
    if np.allclose(shuffled[np.lexsort(shuffled.T)], X[np.lexsort(X.T)]):
        raise NotYet("these are the rows of the table, in some order: permute each column by itself")
    trusts = []
    for table, name, key in [(X, "map", "trust"), (shuffled, "shuffled map", "shuffled trust")]:
        trusts.append(trustworthiness(table, expect_array(answer[name], (n, 2)), n_neighbors=5))
        otherwise = f"the trustworthiness of the {name} with 5 neighbors is {trusts[-1]:.3f}"
        expect_close(expect_number(answer[key]), trusts[-1], otherwise, BY_HAND)
    if trusts[0] <= trusts[1]:
        raise NotYet("the shuffled table has the better map: your columns say nothing about each other")
