"""Answers to the exercises on principal curves and autoencoders: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from dimred_lessons import PCA, PrincipalCurve
from dimred_lessons.classroom import datasets


def _by_segments(nodes, X, cut=True):
    edges, starts = np.diff(nodes, axis=0), nodes[:-1]
    squares = np.sum(edges**2, axis=1)
    t = np.einsum("isd,sd->is", X[:, np.newaxis] - starts, edges) / squares
    t = np.clip(t, 0, 1) if cut else t
    feet = starts + t[:, :, np.newaxis] * edges
    j = np.argmin(np.sum((X[:, np.newaxis] - feet) ** 2, axis=2), axis=1)
    lengths = np.sqrt(squares)
    return (np.cumsum(lengths) - lengths)[j] + np.take_along_axis(t, j[:, np.newaxis], 1)[:, 0] * lengths[j]


def _by_loops(nodes, X):
    found = []
    for x in X:
        walked, candidates = 0, []
        for a, b in pairwise(nodes):
            length = np.linalg.norm(b - a)
            s = min(max((x - a) @ (b - a) / length, 0), length)
            candidates.append((np.linalg.norm(x - a - s * (b - a) / length), walked + s))
            walked += length
        found.append(float(min(candidates)[1]))
    return found


def _by_fine_steps(nodes, X):
    at = np.append(0, np.cumsum(np.linalg.norm(np.diff(nodes, axis=0), axis=1)))
    fine = np.linspace(0, at[-1], 200_001)
    curve = np.stack([np.interp(fine, at, column) for column in nodes.T], axis=1)
    return np.array([[fine[np.argmin(np.sum((curve - x) ** 2, axis=1))]] for x in X], dtype=np.float32)


def _nearest_nodes(nodes, X):
    at = np.append(0, np.cumsum(np.linalg.norm(np.diff(nodes, axis=0), axis=1)))
    return at[np.argmin(np.sum((X[:, np.newaxis] - nodes) ** 2, axis=2), axis=1)]


def _tricube(y, at, h):
    return np.clip(1 - np.abs((y - at) / h) ** 3, 0, None) ** 3


def _line_by_polyfit(y, x, at, h):
    return np.polyfit(y - at, x, 1, w=np.sqrt(_tricube(y, at, h)))[1]


def _line_by_equations(y, x, at, h):
    A, w = np.column_stack([np.ones_like(y), y]), _tricube(y, at, h)
    a, b = np.linalg.solve(A.T * w @ A, A.T * w @ x)
    return [np.float32(a + b * at)]


def _line_by_regression(y, x, at, h):
    line = LinearRegression().fit(y[:, np.newaxis], x, sample_weight=_tricube(y, at, h))
    return line.predict([[at]])


def _slopes(X, W1, b1, W2, b2):
    H = np.tanh(X @ W1 + b1)
    D2 = (H @ W2 + b2 - X) / len(X)
    D1 = (D2 @ W2.T) * (1 - H**2)
    return X.T @ D1, D1.sum(axis=0), H.T @ D2, D2.sum(axis=0)


def _slopes_by_points(X, W1, b1, W2, b2):
    parts = [np.zeros_like(part) for part in (W1, b1, W2, b2)]
    for x in X:
        h = np.tanh(W1.T @ x + b1)
        out = (W2.T @ h + b2 - x) / len(X)
        before = (W2 @ out) / np.cosh(W1.T @ x + b1) ** 2
        for part, share in zip(parts, [np.outer(x, before), before, np.outer(h, out), out], strict=True):
            part += share
    return [part.tolist() for part in parts]


def _slopes_by_differences(X, *weights):
    def cost(W1, b1, W2, b2):
        return np.sum((np.tanh(X @ W1 + b1) @ W2 + b2 - X) ** 2) / (2 * len(X))

    slopes = []
    for i, part in enumerate(weights):
        slope = np.zeros_like(part)
        for place in np.ndindex(part.shape):
            values = []
            for step in (1e-5, -1e-5):
                moved = [other.copy() for other in weights]
                moved[i][place] += step
                values.append(cost(*moved))
            slope[place] = (values[0] - values[1]) / 2e-5
        slopes.append(slope)
    return slopes


def _slopes_without_bend(X, W1, b1, W2, b2):
    H = np.tanh(X @ W1 + b1)
    D2 = (H @ W2 + b2 - X) / len(X)
    D1 = D2 @ W2.T
    return X.T @ D1, D1.sum(axis=0), H.T @ D2, D2.sum(axis=0)


_PLANES = {"linear": "flat", "encoder": "flat", "decoder": "curved", "bottleneck": "flat", "output": "curved"}
_DIGITS, _LABELS = datasets.digits()
_ONES = _DIGITS[_LABELS == 1]


def _missed(method):
    fit = method.fit(_ONES)
    return np.sum((_ONES - fit.inverse_transform(fit.embedding_)) ** 2) / np.sum((_ONES - _ONES.mean(axis=0)) ** 2)


_SHARES = {"line": _missed(PCA(1)), "curve": _missed(PrincipalCurve(span=0.3))}
_RETURNED = {name: 1 - share for name, share in _SHARES.items()}


def _report(d=1, by="curve", held_out=0.3):
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 5, 200)
    table = np.column_stack([np.cos(t), np.sin(t), t, np.cos(2 * t), np.sin(2 * t)])
    table = table + 0.05 * rng.standard_normal(table.shape)
    test = np.arange(200) < 200 * held_out
    pca = PCA(1).fit(table[~test])
    if by == "curve":
        fit = PrincipalCurve().fit(table[~test])
        rebuilt = fit.inverse_transform(fit.transform(table[test]))
    elif by == "neighbors":  # a decoder that averages over neighbors on the line of PCA
        decoder = KNeighborsRegressor(5).fit(pca.embedding_, table[~test])
        rebuilt = decoder.predict(pca.transform(table[test]))
    else:
        rebuilt = pca.inverse_transform(pca.transform(table[test]))
    return {"table": table, "test": test, "d": d, "rebuilt": rebuilt}


_LISTS = {key: np.asarray(value).tolist() for key, value in _report().items()}

RIGHT = {
    "curves-1": [[1, 3, 2, 0], (1.0, 3.0, 2.0, 0.0), np.array([[1], [3], [2], [0]])],
    "curves-2": [2 * 0.2 * np.sqrt(243 / 35) / np.pi, 0.335, [0.3355]],
    "curves-3": [_by_segments, _by_loops, _by_fine_steps],
    "curves-4": [_line_by_polyfit, _line_by_equations, _line_by_regression],
    "curves-5": [0.6, 0.7, np.array([0.8])],
    "curves-6": [_slopes, _slopes_by_points, _slopes_by_differences],
    "curves-7": [_PLANES, {k: v.upper() for k, v in _PLANES.items()}, {k: f" {v} " for k, v in _PLANES.items()}],
    "curves-8": [[7 / 8, 1 / 2], (Fraction(7, 8), Fraction(1, 2)), np.array([[0.875], [0.5]])],
    "curves-9": [[3, 2.25, 0.75], (3.0, Fraction(9, 4), Fraction(3, 4)), np.array([[3], [2.25], [0.75]])],
    "curves-10": [_SHARES, {k: round(v, 3) for k, v in _SHARES.items()}, {k: [v] for k, v in _SHARES.items()}],
    "curves-11": [_report(), _LISTS, _report(by="neighbors")],
}

WRONG = {
    "curves-1": [[1, 1, 2, 0], [1, 3, 2.5, 0], [1, 3, 2, -1], [1, 3, 3, 0], [1, 3, 2], "one"],
    "curves-2": [0.527, 0.168, 0.28, 0.2, 2.635, "a third"],
    "curves-3": [
        _nearest_nodes,
        lambda nodes, X: _by_segments(nodes, X, cut=False),
        lambda nodes, X: _by_segments(nodes, X)[::-1],
        lambda nodes, X: _by_segments(nodes, X) - _by_segments(nodes, X).mean(),
        lambda nodes, X: np.linalg.norm(X - nodes[0], axis=1),
        3,
    ],
    "curves-4": [
        lambda y, x, at, h: np.average(x, weights=_tricube(y, at, h)),
        lambda y, x, at, h: np.polyfit(y - at, x, 1, w=_tricube(y, at, h))[1],
        lambda y, x, at, h: np.polyfit(y - at, x, 1)[1],
        lambda y, x, at, h: np.polyfit(y - at, x, 1, w=np.sqrt(_tricube(y, at, h)))[0],
        lambda y, x, at, h: np.polyfit(y, x, 1, w=np.sqrt(_tricube(y, at, h)))[1],
        0.5,
    ],
    "curves-5": [0.2, 0.3, 0.44, 1.5, -0.2, "wide"],
    "curves-6": [
        _slopes_without_bend,
        lambda X, *weights: [len(X) * part for part in _slopes(X, *weights)],
        lambda X, *weights: [2 * part for part in _slopes(X, *weights)],
        lambda X, *weights: _slopes(X, *weights)[::-1],
        lambda X, *weights: _slopes(X, *weights)[:2],
        lambda X, *weights: [-part for part in _slopes(X, *weights)],
    ],
    "curves-7": [
        _PLANES | {"encoder": "curved"},
        _PLANES | {"bottleneck": "curved"},
        _PLANES | {"output": "flat"},
        _PLANES | {"linear": "curved"},
        {"linear": "flat"},
        _PLANES | {"decoder": "bent"},
    ],
    "curves-8": [[0.75, 0.5], [2, 0.5], [7 / 8, 1], [7 / 8, 2], [7 / 8], "seven"],
    "curves-9": [[3, 3, 0], [3, 1.5, 0.75], [1.5, 2.25, 0.75], [3, 2.25, 0.87], [3, 2.25], "three"],
    "curves-10": [
        _RETURNED,
        {"line": _SHARES["curve"], "curve": _SHARES["line"]},
        {"line": _SHARES["line"], "curve": _SHARES["line"]},
        {"line": _SHARES["line"]},
        {"line": 100 * _SHARES["line"], "curve": 100 * _SHARES["curve"]},
        0.5,
    ],
    "curves-11": [
        _report(by="line"),
        _report(d=4),
        _report() | {"rebuilt": _report()["table"][_report()["test"]]},
        _report(held_out=0.6),
        _report() | {"table": _report()["table"][:90]},
        {"table": _report()["table"]},
        _report() | {"rebuilt": _report()["rebuilt"][1:]},
    ],
}
