"""Checks of the exercises on principal curves and autoencoders."""

from itertools import pairwise

import numpy as np

from dimred_lessons import PCA, PrincipalCurve
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_integer,
    expect_keys,
    expect_number,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choices, differs, keyed, near, number, numbers, share


@exercise("curves-1")
@numbers(4)
def feet_by_hand(answer):
    reasons = [
        "the foot of (1, 0.5) is (1, 0)",
        "(3, 1) has its foot on the second segment, after the whole first one",
        "the nearest place to (2.5, -1) is the corner, at arc length 2",
        "the answer should be on the polyline: its point nearest to (-1, 0) is the start",
    ]
    for value, right, reason in zip(answer, [1, 3, 2, 0], reasons, strict=True):
        yield differs(value, right, BY_HAND, 3), reason


@exercise("curves-2")
@number()
def pulls_that_cancel(span, noise=0.2):
    right = 2 * noise * np.sqrt(243 / 35) / np.pi
    angle = "this is the angle h: which share of the half circle lies within h on either side?"
    yield near(span, right * np.pi / 2), angle
    yield near(span, right / 2), "h reaches to either side: the span covers 2h"
    yield near(span, right / 1.2), "these points fill half a circle, which turns by π, not by 1.2π"
    yield differs(span, right), "set 35h²/486 equal to σ²/2, and h to half of the span times π"


@exercise("curves-3")
def nearest_places(answer):
    rng = np.random.default_rng(3)
    for m, D in [(5, 2), (9, 3), (2, 4)]:
        nodes = np.cumsum(rng.uniform(0.3, 1, (m, D)), axis=0) * rng.choice([-1, 1], (m, D)) ** (D == 3)
        lengths = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
        walked = np.append(0, np.cumsum(lengths))
        X = nodes[rng.integers(m, size=40)] + rng.standard_normal((40, D))
        y = expect_array(call(answer, nodes, X), (40,))
        nearest = _nearest_places(nodes, X)
        if np.any((y < -1e-6) | (y > walked[-1] * (1 + 1e-6))):
            raise NotYet("an arc length lies between 0 and the length of the polyline: cut off shares at 0 and 1")
        on_nodes = np.abs(y[:, np.newaxis] - walked).min(axis=1) < 1e-6
        if np.all(on_nodes) and not np.allclose(y, nearest):
            raise NotYet("these are the nearest nodes: a place between two nodes may be nearer")
        scale = walked[-1]
        expect_close(y, nearest, "for some points another place of the polyline is nearer", scale=scale)


def _nearest_places(nodes, X):
    walked, best, y = 0.0, np.full(len(X), np.inf), np.zeros(len(X))
    for start, end in pairwise(nodes):
        edge = end - start
        t = np.clip((X - start) @ edge / (edge @ edge), 0, 1)
        squared = np.sum((X - start - t[:, np.newaxis] * edge) ** 2, axis=1)
        length = np.linalg.norm(edge)
        y, best = np.where(squared < best, walked + t * length, y), np.minimum(best, squared)
        walked += length
    return y


@exercise("curves-4")
def a_local_line(answer):
    rng = np.random.default_rng(4)
    for n, at, h in [(160, 0.5, 0.4), (200, 0.05, 0.3), (120, 2.0, 0.7)]:
        y = rng.uniform(0, 2.2, n)
        x = np.cos(3 * y) + rng.standard_normal(n)
        u = np.abs(y - at) / h
        w = np.clip(1 - u**3, 0, None) ** 3
        mean, line = np.sum(w * x) / w.sum(), np.polyfit(y - at, x, 1, w=np.sqrt(w))[1]
        value = expect_number(call(answer, y, x, at, h))
        if np.isclose(value, mean, rtol=1e-6):
            raise NotYet("this is the weighted mean: fit a line, which matters at the ends")
        if np.isclose(value, np.polyfit(y - at, x, 1, w=w)[1], rtol=1e-6):
            raise NotYet("np.polyfit squares its weights: pass their square roots")
        expect_close(value, line, "this is not the value here of the line with the tricube weights", scale=1)


@exercise("curves-5")
def cut_the_corner(answer):
    span = expect_number(answer)
    if span >= 0.95:
        raise NotYet("with nearly all points in every line hardly any curve is left: a smaller span will do")
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 1.2 * np.pi, 400)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.standard_normal((400, 2))
    with refusals_as_not_yet("PrincipalCurve"):
        radius = np.linalg.norm(PrincipalCurve(span=span).fit(X).nodes_[20:40], axis=1).mean()
    if radius >= 0.93:
        raise NotYet(f"with a span of {span:g} the middle nodes have the radius {radius:.3f}, not below 0.93")


@exercise("curves-6")
def slopes_that_run_back(answer):
    rng = np.random.default_rng(6)
    for n, D, m in [(7, 3, 4), (5, 2, 1), (12, 4, 6)]:
        X, W1, W2 = (rng.standard_normal(shape) for shape in [(n, D), (D, m), (m, D)])
        b1, b2 = rng.standard_normal(m), rng.standard_normal(D)
        parts = call(answer, X, W1, b1, W2, b2)
        if not isinstance(parts, list | tuple) or len(parts) != 4:
            raise NotYet("four derivatives are expected: by W1, b1, W2 and b2")
        H = np.tanh(X @ W1 + b1)
        back = (H @ W2 + b2 - X) / n
        through = (back @ W2.T) * (1 - H**2)
        right = [X.T @ through, through.sum(axis=0), H.T @ back, back.sum(axis=0)]
        for name, part, wanted in zip(["W1", "b1", "W2", "b2"], parts, right, strict=True):
            found = expect_array(part, wanted.shape)
            if np.allclose(found, n * wanted, rtol=1e-4):
                raise NotYet(f"the derivative by {name} is n times too large: the cost is a mean over the points")
            expect_close(found, wanted, f"the derivative by {name} does not agree with finite differences of the cost")


@exercise("curves-7")
@choices
def who_can_leave_the_plane():
    return {
        "linear": ("flat", "a product of matrices is a matrix"),
        "encoder": ("flat", "the decoder is linear: whatever comes before it, it returns points of a plane"),
        "decoder": ("curved", "a tanh after the bottleneck bends what is returned"),
        "bottleneck": ("flat", "this tanh comes before the decoder, which is linear"),
        "output": ("curved", "a tanh at the output bends the plane along the coordinates of the data"),
    }


@exercise("curves-8")
@numbers(2)
def two_weights(answer):
    first, second = answer
    yield near(first, 0.75), "0.75 is a² for α = 4, γ = 1; give the smallest value of C"
    yield near(first, 2), "for α = 4, γ = 1 the origin is a saddle: the cost falls along a = b"
    yield differs(first, 7 / 8), "for α > γ put a = b with a² = 1 − γ/α into C"
    yield differs(second, 1 / 2), "for α < γ the only stationary point is the origin"


@exercise("curves-9")
@numbers(3)
def variance_that_splits(answer):
    total, along, across = answer
    yield differs(total, 3), "the total is the mean of the squared distances 1 and 9"
    yield near(along, 3), "the radius is the mean distance, not the root of the mean squared distance"
    yield differs(along, 9 / 4), "along the curve all points have the squared radius (mean distance)²"
    yield differs(across, 3 / 4), "across the curve: the variance of the distance from the center"


@exercise("curves-10")
@keyed({"line": share(), "curve": share()})
def a_curve_through_the_ones(*shares):
    digits, labels = datasets.digits()
    ones = digits[labels == 1]
    for name, method, missed in zip(["line", "curve"], [PCA(1), PrincipalCurve(span=0.3)], shares, strict=True):
        fit = method.fit(ones)
        rest = ones - fit.inverse_transform(fit.embedding_)
        right = np.sum(rest**2) / np.sum((ones - ones.mean(axis=0)) ** 2)
        kept = f"{name}: this is the share that it keeps; give the share that it misses"
        yield near(missed, 1 - right, 0.02), kept
        otherwise = f"{name}: this is not the share of the variance of the ones that it misses"
        yield differs(missed, right, 0.02), otherwise


@exercise("curves-11")
def does_it_pay_to_bend(answer):
    expect_keys(answer, ["table", "test", "d", "rebuilt"])
    table = expect_array(answer["table"], (None, None))
    n, D = table.shape
    if n < 100 or D < 5:
        raise NotYet(f"a table with at least 100 rows and 5 columns is expected, but yours is {n} × {D}")
    test = expect_array(answer["test"], (n,))
    if not np.all((test == 0) | (test == 1)) or not 0.1 <= test.mean() <= 0.5:
        raise NotYet("test should be true for the held-out rows, between a tenth and a half of all")
    test = test == 1
    d = expect_integer(answer["d"], 1, min(D, n) - 1, "d")
    rebuilt = expect_array(answer["rebuilt"], (int(test.sum()), D))
    error = np.mean(np.sum((table[test] - rebuilt) ** 2, axis=1))
    if error <= 1e-12 * np.mean(np.sum((table[test] - table[test].mean(axis=0)) ** 2, axis=1)):
        raise NotYet("the held-out rows themselves do not count: return what your method rebuilds from d numbers")
    with refusals_as_not_yet("PCA"):
        pca = PCA(d).fit(table[~test])
    plane = np.mean(np.sum((table[test] - pca.inverse_transform(pca.transform(table[test]))) ** 2, axis=1))
    if error >= plane:
        raise NotYet(f"PCA with as many numbers misses {plane:.3g} per held-out row, your method {error:.3g}")
