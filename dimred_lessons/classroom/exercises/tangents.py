"""Checks of the exercises on tangents and Hessians."""

import numpy as np

from dimred_lessons import LTSA, HessianLLE
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_integer,
    expect_number,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choice, count, differs, keyed, near, number, numbers, share, whole
from dimred_lessons.classroom.metrics import recovery
from dimred_lessons.eigenpairs import bottom_eigenpairs
from dimred_lessons.neighbors import neighbor_lists


@exercise("tangents-1")
@numbers(2)
def three_points_on_a_line(answer, level=(1, 0, 1), slanted=(0, 1, 5)):
    first, second = answer
    a, b, c = level
    otherwise = f"for {a}, {b}, {c} the best line is level, at {a + b + c}/3: add up the squared residuals"
    yield differs(first, (a - 2 * b + c) ** 2 / 6), otherwise
    a, b, c = slanted
    middle = (a + b + c) / 3
    otherwise = f"for {a}, {b}, {c} the best line has slope {c - a}/2 and the value {middle:.3g} in the middle"
    yield differs(second, (a - 2 * b + c) ** 2 / 6), otherwise


@exercise("tangents-2")
@numbers(4)
def bending_by_hand(answer, coefficients=(1, 3, -2)):
    total = answer[3]
    f_11, f_12, f_22 = np.array([2, 1, 2]) * coefficients
    yield differs(answer[:3], [f_11, f_12, f_22]), "differentiate f twice: f_11, f_12, f_22"
    once = "the mixed derivative counts twice: the sum runs over (1, 2) and (2, 1)"
    yield near(total, f_11**2 + f_12**2 + f_22**2, 1e-5), once
    yield (
        differs(total, f_11**2 + 2 * f_12**2 + f_22**2),
        "the sum is that of the squares of all four second derivatives",
    )


@exercise("tangents-3")
def tangent_coordinates_in_code(answer):
    rng = np.random.default_rng(3)
    for m, D, d in [(9, 3, 2), (12, 20, 3), (5, 2, 1)]:
        P = rng.standard_normal((m, D)) * np.linspace(3, 1, D) + 5
        theta = expect_array(call(answer, P, d), (m, d))
        expect_close(theta.sum(axis=0), 0, "each coordinate should have mean zero: center the patch first", scale=1)
        expect_close(theta.T @ theta, np.eye(d), "the columns should be orthonormal: leave out the singular values")
        U = np.linalg.svd(P - P.mean(axis=0), full_matrices=False)[0][:, :d]
        otherwise = "these are orthonormal, but not along the directions in which the patch extends most"
        expect_close(np.abs(U.T @ theta), np.eye(d), otherwise)


@exercise("tangents-4")
def what_is_not_affine(answer):
    rng = np.random.default_rng(4)
    for m, d in [(9, 2), (12, 3), (6, 1)]:
        theta = np.linalg.qr(rng.standard_normal((m, d)) @ np.eye(d))[0]
        theta = np.linalg.svd(theta - theta.mean(axis=0), full_matrices=False)[0]
        f, stretch = rng.standard_normal(m) + 2, rng.standard_normal((d, d)) + 3 * np.eye(d)
        A = np.column_stack([np.ones(m), theta])
        right = np.sum((f - A @ np.linalg.lstsq(A, f)[0]) ** 2)
        otherwise = "this is not what the best affine function leaves, with a constant and a slope for each coordinate"
        expect_close(expect_number(call(answer, theta, f)), right, otherwise)
        otherwise = "right for orthonormal coordinates of mean zero, but not for others with the same affine functions"
        expect_close(expect_number(call(answer, theta @ stretch + 1, f)), right, otherwise)


@exercise("tangents-5")
def what_bends(answer):
    rng = np.random.default_rng(5)
    for m, d in [(9, 2), (14, 3), (6, 1)]:
        P = rng.standard_normal((m, d))
        theta = np.linalg.svd(P - P.mean(axis=0), full_matrices=False)[0]
        A = np.column_stack([np.full(m, m**-0.5), theta])
        a, b = np.triu_indices(d)
        Q = np.linalg.qr(np.column_stack([A, theta[:, a] * theta[:, b]]))[0][:, d + 1 :]
        B = expect_array(call(answer, theta), (m, m))
        expect_close(B @ A, 0, "affine functions should cost nothing: remove them from the products", scale=1)
        count = d * (d + 1) // 2
        otherwise = f"its trace should be the number of products, {count} for d = {d}"
        expect_close(np.trace(B), count, otherwise, scale=1)
        expect_close(B, Q @ Q.T, "it projects onto functions other than the products without their affine part")


@exercise("tangents-6")
def an_axis_for_ten_points(answer):
    k = expect_integer(answer, 1, 40, "k")
    with refusals_as_not_yet("HessianLLE"):
        Y = HessianLLE(2, n_neighbors=k).fit_transform(datasets.swiss_roll(1000)[0])
    held = np.max(np.sort(Y**2, axis=0)[-10:].sum(axis=0) / np.sum(Y**2, axis=0))
    if held <= 0.9:
        raise NotYet(f"with {k} neighbors ten points hold {held:.2f} of an axis, not more than 0.9")


@exercise("tangents-7")
@choice("a")
def still_rolled_up():
    return {
        "b": "tangents of three dimensions need five points, and there are thirteen",
        "c": "another axis would not change the first two; the tangents have changed",
        "d": "a short circuit bends the map of two dimensions, too; this happens without one",
    }


@exercise("tangents-8")
@whole(0, 600)
def named_by_nobody(count):
    lists = neighbor_lists(datasets.swiss_roll(600)[0], 5)
    right = np.sum(np.bincount(lists.indices, minlength=600) == 0)
    otherwise = "count the points that are in none of the 600 lists, among neighbors without the point itself"
    yield differs(count, right, 0), otherwise


@exercise("tangents-9")
@number()
def points_on_a_line(cost, n=10):
    yield near(cost, (n - 2) * 2 / 3), "the patches of the two end points count, too: each point has a patch"
    yield near(cost, n * 4), "a patch charges a sixth of its squared second difference"
    otherwise = "which second difference do the squares have, and how many patches are there?"
    yield differs(cost, n * 2 / 3), otherwise


@exercise("tangents-10")
@count(9, "count the free numbers on one piece, then the pieces")
def several_pieces():
    return {
        3: "on each piece the function may be a different affine one",
        5: "a function may have a different slope on each piece, not only another constant",
        6: "an affine function in the plane has three free numbers: a constant and two slopes",
    }


@exercise("tangents-11")
@keyed({"jump": number(), "agreement": share()})
def a_flat_map_of_the_threes(jump, agreement):
    digits, labels = datasets.digits()
    aligned, bent = (method(2, n_neighbors=12).fit(digits[labels == 3]) for method in (LTSA, HessianLLE))
    mu = bottom_eigenpairs(aligned.cost_, 3)[0]
    yield differs(jump, mu[2] / mu[1], 0.02), "jump: divide the third eigenvalue after the constant by the second"
    right = recovery(aligned.embedding_, bent.embedding_).mean()
    otherwise = "agreement: this is not the mean R² between the maps of the two methods"
    yield differs(agreement, right, 0.02), otherwise
