"""Checks of the exercises on topographic maps."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dimred_lessons import GTM, SelfOrganizingMap
from dimred_lessons.classroom.datasets import s_curve
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call,
    call_unchanged,
    exercise,
    expect_array,
    expect_choices,
    expect_close,
    expect_held_out,
    expect_keys,
    expect_share,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.metrics import recovery
from dimred_lessons.distances import squared_distances


@exercise("maps-1")
def one_step_online(answer):
    M = expect_array(answer, (3,))
    if np.allclose(M, [0, 5, 10]):
        raise NotYet("the units next to the winner move, too, by half as large a share")
    if np.allclose(M, [3, 5, 8]):
        raise NotYet("the neighbors have the share 1/2, and the rate is another 1/2")
    expect_close(M, np.array([1.5, 5, 9]), "each moves by rate times share times its way to 6", BY_HAND)


@exercise("maps-2")
def two_winners(answer):
    nearest, smoothed, *sums = expect_array(answer, (5,))
    otherwise = "each sum has the three squared distances 4, 1, 49, weighted with a row of h"
    expect_close(np.array(sums), np.array([3, 13.75, 33]), otherwise, BY_HAND)
    if nearest != 2:
        raise NotYet("the nearest prototype is the one with the smallest squared distance; count from 1")
    if smoothed != 1:
        raise NotYet("the smoothed winner has the smallest of the three sums; count from 1")


def _step(X, M, h, winners):
    weights = h[winners].sum(axis=0)
    means = h[winners].T @ X / np.where(weights > 0, weights, 1)[:, np.newaxis]
    return np.where(weights[:, np.newaxis] > 0, means, M)


@exercise("maps-3")
def one_batch_step(answer):
    for seed, (n, shape, sigma) in enumerate([(60, (4, 3), 1.0), (40, (6,), 0.7), (30, (3, 3), 0)]):
        rng = np.random.default_rng(seed)
        X, M = rng.standard_normal((n, 3)), 0.7 * rng.standard_normal((np.prod(shape), 3))
        M[-1] += 50 * (sigma == 0)
        places = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), -1).reshape(-1, len(shape)) * 1.0
        h = np.exp(-squared_distances(places) / (2 * sigma**2)) if sigma else np.eye(len(M))
        h /= h.sum(axis=1, keepdims=True)
        D2 = squared_distances(X, M)
        found = expect_array(call_unchanged(answer, X, M, h), M.shape, finite=False)
        if not np.all(np.isfinite(found)):
            raise NotYet("a unit without any weight should stay where it is, not become NaN")
        if sigma and np.allclose(found, _step(X, M, h, D2.argmin(axis=1))):
            raise NotYet("these are the means for the nearest winners; take the smoothed ones")
        right = _step(X, M, h, (D2 @ h.T).argmin(axis=1))
        if sigma and np.allclose(found, _step(X, M, h.T / h.sum(axis=0)[:, np.newaxis], (D2 @ h.T).argmin(axis=1))):
            raise NotYet("the row of h belongs to the winner, its columns to the units that get a share")
        expect_close(found, right, "each prototype should be the mean of all points, weighted by h of their winners")


@exercise("maps-4")
def topographic_error(answer):
    for seed, shape in enumerate([(5, 4), (3, 3, 3), (12,)]):
        rng = np.random.default_rng(seed)
        places = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), -1).reshape(-1, len(shape))
        X = rng.random((200, len(shape)))
        M = places / np.array(shape) + 0.15 * rng.standard_normal(places.shape)
        first, second = np.argsort(squared_distances(X, M), axis=1)[:, :2].T
        apart = np.abs(places[first] - places[second])
        found = expect_share(call_unchanged(answer, X, M, places))
        right = np.mean(apart.max(axis=1) > 1)
        if np.isclose(found, 1 - right) and abs(2 * right - 1) > 1e-6:
            raise NotYet("this is the share of points whose two units do touch")
        if len(shape) > 1 and np.isclose(found, np.mean(apart.sum(axis=1) > 1)):
            raise NotYet("units that share a corner touch, too")
        otherwise = f"on a grid of {len(places)} units the error is {right:.3f}, not {found:.3f}"
        expect_close(found, right, otherwise, 1e-6, 1)


@exercise("maps-5")
def torn_neighborhoods(answer):
    first, last = (float(width) for width in expect_array(answer, (2,)))
    if min(first, last) < 0:
        raise NotYet("a width cannot be negative")
    for seed in range(2):
        X = np.random.default_rng([20, seed]).random((500, 2))
        method = SelfOrganizingMap((8, 8), init="random", random_state=seed)
        with refusals_as_not_yet("SelfOrganizingMap"):
            torn = method.set_params(sigma=(first, last)).fit(X)
        error, coarse = torn.topographic_error(X), torn.quantization_error(X)
        if error <= 0.5:
            raise NotYet(f"the topographic error of one of the maps is {error:.2f}: still too orderly")
        ordered = method.set_params(sigma=(4, 0.5)).fit(X).quantization_error(X)
        if abs(coarse / ordered - 1) > 0.2:
            raise NotYet(f"the quantization error is {coarse / ordered:.2f} times that of the ordered map")


@exercise("maps-6")
def which_of_the_two(answer):
    grid = "the grid, with its axes, is given before the fit, in both methods"
    right = {
        "density": ("gtm", "a sum of Gaussians is a density; a map of prototypes is not"),
        "prototypes": ("both", "m_l and f(y_l) are both drawn for a node of the grid"),
        "between": ("gtm", "a mean over responsibilities lies between nodes; a winner has one place"),
        "size": ("neither", grid),
        "winner": ("som", "GTM divides each point among the nodes by responsibilities from the beginning"),
    }
    expect_choices(answer, right)


@exercise("maps-7")
def unfolded(answer):
    for seed in range(2):
        X, chart = s_curve(400, noise=0.05, random_state=30 + seed)
        fit = call(answer, X)
        if not isinstance(fit, GTM):
            raise NotYet("a fitted GTM is expected: return the result of fit")
        with refusals_as_not_yet("GTM"):
            check_is_fitted(fit)
        Y = expect_array(fit.embedding_, (400, 2))
        length, height = recovery(Y, chart)
        if min(length, height) < 0.75:
            raise NotYet(f"R² of one sample is {length:.2f} for the length and {height:.2f} for the height")


@exercise("maps-8")
def centers_of_the_smoothed_winner(answer):
    center, squared, spread = expect_array(answer, (3,))
    expect_close(center, 1, "the smoothed prototype is the mean of 0, 3 and 9 with the weights 2/3, 1/3 and 0", BY_HAND)
    expect_close(squared, 1, "the point 2 is at the squared distance 1 from it", BY_HAND)
    expect_close(spread, 2, "the spread is measured from the smoothed prototype, with the weights of unit 1", BY_HAND)


@exercise("maps-9")
def mixture_without_constraint(answer):
    first, second, noise = expect_array(answer, (3,))
    expect_close(first, 2 / 3, "the first prototype is (1·0 + ½·2)/(1 + ½)", BY_HAND)
    expect_close(second, 4, "the second prototype is (½·2 + 1·5)/(½ + 1)", BY_HAND)
    expect_close(noise, 13 / 9, "the noise is the mean, over the points, of what their nodes leave together", BY_HAND)


@exercise("maps-10")
def own_map(answer):
    expect_keys(answer, ["table", "shape", "sigma", "test", "errors"])
    X = expect_array(answer["table"], (None, None))
    n, D = X.shape
    if n < 150 or D < 4:
        raise NotYet("a complete table of at least 150 rows and 4 columns is expected")
    test = expect_held_out(answer["test"], n)
    with refusals_as_not_yet("SelfOrganizingMap"):
        fit = SelfOrganizingMap(answer["shape"], sigma=answer["sigma"]).fit(X[~test])
    right = np.array([fit.quantization_error(X[test]), fit.topographic_error(X[test])])
    found = expect_array(answer["errors"], (2,))
    otherwise = f"on the held-out rows we find the errors {right[0]:.3g} and {right[1]:.3g}"
    expect_close(found[0], right[0], otherwise, 0.02)
    expect_close(found[1], right[1], otherwise, 0.02, 1)
    if right[1] >= 0.25:
        raise NotYet(f"a topographic error of {right[1]:.2f} is too much for a map to be read")
    spread = np.linalg.norm(X[test] - X[~test].mean(axis=0), axis=1).mean()
    if right[0] >= 0.7 * spread:
        raise NotYet(f"the quantization error is {right[0] / spread:.2f} of the distance from the mean: too coarse")
