"""Checks of the exercises on multidimensional scaling."""

import warnings
from functools import partial

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.spatial.distance import cdist, pdist, squareform

from dimred_lessons import ClassicalMDS, StressMDS
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_drawn,
    expect_keys,
    expect_number,
)
from dimred_lessons.classroom.exercises.values import choices, differs, near, number, numbers, share, table
from dimred_lessons.classroom.metrics import aligned_signs
from dimred_lessons.kernels import kernel_from_squared_distances, negative_mass


@exercise("mds-1")
@table(3, 3)
def three_cities(K):
    squared = np.array([[0, 36, 18], [36, 0, 18], [18, 18, 0]])
    yield differs(K, K.T), "a matrix of dot products is symmetric"
    yield differs(sum(K.columns), 0, scale=10), "seen from the mean, every row of K sums to zero"
    own = K[[0, 4, 8]]
    i, j = (places.ravel().tolist() for places in np.indices((3, 3)))
    yield differs(own[i] + own[j] - 2 * K, squared), "K_ii + K_jj - 2 K_ij should be the squared distances"


@exercise("mds-2")
def double_centering(answer):
    rng = np.random.default_rng(2)
    for delta in [squareform(pdist(rng.normal(size=(7, 3)) + 5)), squareform(rng.uniform(1, 2, 10))]:
        K = expect_array(call(answer, delta), delta.shape)
        expect_close(K.sum(axis=1), 0, "every row of K should sum to zero", scale=delta.max() ** 2)
        if np.trace(K) < 0:
            raise NotYet("the diagonal of K holds squared lengths: check the sign")
        otherwise = "K_ii + K_jj - 2 K_ij should be the SQUARED dissimilarity: check the squares and the factor"
        expect_close(K, kernel_from_squared_distances(delta**2), otherwise)


@exercise("mds-3")
def fourteenth_city(answer):
    rng = np.random.default_rng(3)
    for n, D, d in [(8, 4, 1), (15, 5, 3)]:
        points = rng.normal(size=(n, D)) * np.arange(D, 0, -1) + 6
        delta, to_new = squareform(pdist(points)), cdist(rng.normal(size=(4, D)) * 3 + 7, points)
        rows = np.vstack([delta[3:7], to_new])
        model = ClassicalMDS(d, metric="precomputed").fit(delta)
        right = model.transform(rows)
        Y = np.vstack([expect_array(call(answer, delta, row, d), (d,)) for row in rows])
        expect_close(np.abs(Y[:4]), np.abs(right[:4]), "an old object, placed like a new one, should get its own place")
        expect_close(np.abs(Y), np.abs(right), "old objects are placed correctly, but new ones are not")
        otherwise = "the sizes are right, but the signs are not the same for all objects: keep them"
        expect_close(aligned_signs(Y, right), right, otherwise)


@exercise("mds-4")
def table_without_points(answer):
    delta = expect_array(answer, (None, None))
    n = len(delta)
    if not 2 <= n <= 6 or delta.shape != (n, n):
        raise NotYet("a square matrix for two to six objects is expected")
    if not np.allclose(delta, delta.T) or np.abs(np.diag(delta)).max() > 1e-9 or delta.min() < 0:
        raise NotYet("a dissimilarity matrix is symmetric and never negative, with zeros on the diagonal")
    if squareform(delta, checks=False).min() == 0:
        raise NotYet("different objects should have positive dissimilarities")
    for i, j, k in np.ndindex(n, n, n):
        if len({i, j, k}) == 3 and delta[i, j] >= delta[i, k] + delta[k, j]:
            raise NotYet(f"from object {i} to object {j}, the detour by object {k} is not longer than the direct way")
    if negative_mass(kernel_from_squared_distances(delta**2)) < 1e-9:
        raise NotYet("there are points with these distances: up to rounding, K has no negative eigenvalue")


@exercise("mds-5")
@choices
def costs_told_apart():
    right = {"eigenvectors": "strain", "smacof": "raw stress", "scale": "stress-1", "long": "sstress"}
    reason = "this is not true of the cost that you chose"
    return {key: (cost, reason) for key, cost in right.items()}


@exercise("mds-6")
def step_of_smacof(answer):
    rng = np.random.default_rng(6)
    for n, d in [(6, 2), (11, 3)]:
        delta, Z = squareform(rng.uniform(1, 3, n * (n - 1) // 2)), rng.normal(size=(n, d))
        Z -= Z.mean(axis=0)
        Y = expect_array(call(answer, delta, Z), (n, d))
        expect_close(
            Y.sum(axis=0),
            0,
            "the new map should be centered: do the rows of B sum to zero?",
            scale=np.abs(Y).max(),
        )
        ratios = delta / (squareform(pdist(Z)) + np.eye(n))
        right = (ratios.sum(axis=1, keepdims=True) * Z - ratios @ Z) / n
        if abs(np.sum(Y * right)) > 0.999999 * np.linalg.norm(Y) * np.linalg.norm(right):
            expect_close(Y, right, "only the size or the sign is wrong: check the factor and the signs of B")
        expect_close(Y, right, "this is not B Z / n")


@exercise("mds-7")
@share()
def walking_through_pixels(answer):
    digits, _ = datasets.digits(n=300)
    right = ClassicalMDS(2, metric="cityblock").fit(digits[:200]).negative_mass_
    otherwise = "this is not the share of the negative eigenvalues: square the distances, center twice, add up |λ|"
    yield differs(answer, right), otherwise


@exercise("mds-8")
def only_the_order(answer):
    rng = np.random.default_rng(8)
    for n in (10, 28):
        gaps, lengths = rng.uniform(1, 4, n), rng.uniform(1, 2, n)
        values = expect_array(call(answer, gaps, lengths), (n,))
        order = np.argsort(gaps)
        if np.diff(values[order]).min() < -1e-6:
            raise NotYet("the disparities should rise with the dissimilarities: in which order are your pairs?")
        fitted = np.empty(n)
        fitted[order] = isotonic_regression(lengths[order]).x
        size = np.sqrt(np.sum(gaps**2))
        right = fitted * size / np.linalg.norm(fitted)
        otherwise = "the sum of their squares should be that of the dissimilarities: rescale last"
        expect_close(np.linalg.norm(values), size, otherwise)
        expect_close(values, right, "these rise, but others that rise are nearer to the distances")


@exercise("mds-9")
@number()
def three_objects(answer, sides=(2, 3, 4)):
    a, b, c = sides
    product = (a + b + c) * (-a + b + c) * (a - b + c) * (a + b - c)
    yield near(answer, product, 1, 1), "this is the product of the four factors: divide it by 12"
    otherwise = f"the product for {a}, {b}, {c} is a different one: multiply out the four factors"
    yield differs(answer, product / 12), otherwise


@exercise("mds-10")
@numbers(2)
def one_shape_two_sizes(answer, of_data=50, of_map=40):
    factor, stress = answer
    square = 1 - of_map / of_data
    yield near(stress, square, 0.001, 1), f"{square:.4g} is the square of stress-1"
    otherwise = f"the factor is the sum of δ² divided by that of δd, which is {of_map} here"
    yield differs(factor, of_data / of_map), otherwise
    yield differs(stress, np.sqrt(square)), "the factor is right; insert it into stress-1"


@exercise("mds-11")
def ask_people(answer):
    expect_keys(answer, ["table", "stress"])
    table = expect_array(answer["table"], (None, None))
    if table.shape[0] != table.shape[1] or not 8 <= len(table) <= 40:
        raise NotYet("a square table of 8 to 40 things is expected")
    if not np.allclose(table, table.T) or np.diag(table).any() or table.min() < 0:
        raise NotYet("the table should hold dissimilarities: symmetric, nonnegative, zero on the diagonal")
    stress = expect_array(answer["stress"], (3,))
    if np.any(np.diff(stress) > 0.01):
        raise NotYet("more dimensions fit better: take several starts, and the stress-1 of 1, 2 and 3 dimensions")
    places = ClassicalMDS(None, metric="precomputed").fit_transform(table)[:, :3]
    start = np.random.default_rng(11).normal(0, 0.01 * places.std(), (len(table), 3))
    start[:, : places.shape[1]] += places  # which may have fewer axes
    for d, value in enumerate(stress, 1):
        search = partial(StressMDS, d, level="ordinal", metric="precomputed", tol=1e-5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has not converged, to the last digit
            ours = search(init=start[:, :d], n_init=4).fit(table).stress_1_
            if value < ours - 0.05:  # the search that the hint gives may end lower
                ours = min(ours, search(n_init=10).fit(table).stress_1_)
        difference = value - ours
        if abs(difference) > 0.05:
            size = "higher" if difference > 0 else "lower"
            raise NotYet(f"for d = {d} your stress-1 is {size} than ours: is it that of the nonmetric map?")


@exercise("mds-12")
def longest_road_without_a_broken_triangle(answer):
    expect_keys(answer, ["points", "factor"])
    factor, towns = expect_number(answer["factor"]), expect_drawn(answer["points"], 4)
    lengths = cdist(towns, towns)
    if lengths[0, 1] == 0:
        raise NotYet("the first two towns are at one place: a road between them has no length to multiply")
    right = np.min(lengths[0, 2:] + lengths[2:, 1]) / lengths[0, 1]
    if right < 3:
        raise NotYet(f"{right:.2f} is the most that these towns allow, and 3 is asked for: where must the others be?")
    if factor > 1.01 * right:
        raise NotYet("with this factor the road is longer than a way through another town")
    expect_close(
        factor, right, "the road may be longer still: compare it with the shortest way through one town", BY_HAND
    )
