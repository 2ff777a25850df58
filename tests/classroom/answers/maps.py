"""Answers to the exercises on topographic maps: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_wine

from dimred_lessons import GTM, PCA, Isomap, SelfOrganizingMap
from dimred_lessons.classroom.datasets import digits


def _step(X, M, h):
    winners = np.argmin(cdist(X, M, "sqeuclidean") @ h.T, axis=1)
    weights = h[winners].sum(axis=0)
    means = h[winners].T @ X / np.where(weights > 0, weights, 1)[:, np.newaxis]
    return np.where(weights[:, np.newaxis] > 0, means, M)


def _step_by_loops(X, M, h):
    sums, weights = np.zeros(M.shape), np.zeros(len(M))
    for x in X:
        costs = [sum(h[k, j] * np.sum((x - M[j]) ** 2) for j in range(len(M))) for k in range(len(M))]
        k = int(np.argmin(costs))
        for j in range(len(M)):
            sums[j] += h[k, j] * x
            weights[j] += h[k, j]
    return [(sums[j] / weights[j] if weights[j] else M[j]).tolist() for j in range(len(M))]


def _step_by_table(X, M, h):
    winners = np.argmin(cdist(X, M) ** 2 @ h.T, axis=1)
    won = sparse.csr_array((np.ones(len(X)), (winners, np.arange(len(X)))), shape=(len(M), len(X)))
    shares = (won.T @ h).T
    total = shares.sum(axis=1, keepdims=True)
    return sparse.csr_array(np.divide(shares @ X, total, out=M.copy(), where=total > 0).astype(np.float32))


def _step_of_nearest(X, M, h):
    winners = cdist(X, M).argmin(axis=1)
    weights = h[winners].sum(axis=0)
    return np.where(weights[:, np.newaxis] > 0, h[winners].T @ X / np.maximum(weights, 1e-300)[:, np.newaxis], M)


def _step_with_columns(X, M, h):
    winners = np.argmin(cdist(X, M, "sqeuclidean") @ h.T, axis=1)
    weights = h[:, winners].sum(axis=1)
    return np.where(weights[:, np.newaxis] > 0, h[:, winners] @ X / np.maximum(weights, 1e-300)[:, np.newaxis], M)


def _step_of_k_means(X, M, h):
    winners = cdist(X, M).argmin(axis=1)
    return np.array([X[winners == k].mean(axis=0) if np.any(winners == k) else M[k] for k in range(len(M))])


def _step_without_care(X, M, h):
    winners = np.argmin(cdist(X, M, "sqeuclidean") @ h.T, axis=1)
    with np.errstate(invalid="ignore"):
        return h[winners].T @ X / h[winners].sum(axis=0)[:, np.newaxis]


def _step_in_place(X, M, h):
    M[:] = _step(X, M, h)
    return M


def _two(X, M):
    return np.argsort(cdist(X, M), axis=1)[:, :2].T


def _topographic(X, M, places):
    first, second = _two(X, M)
    return np.mean(np.abs(places[first] - places[second]).max(axis=1) > 1)


def _topographic_by_loops(X, M, places):
    torn = 0
    for x in X:
        first, second = sorted(range(len(M)), key=lambda j: np.linalg.norm(x - M[j]))[:2]
        torn += any(abs(a - b) > 1 for a, b in zip(places[first], places[second], strict=True))
    return [torn / len(X)]


def _topographic_by_grid(X, M, places):
    touch = cdist(places, places, "chebyshev") < 1.5
    return np.float32(1 - touch[tuple(_two(X, M))].mean())


def _unfold_by_isomap(X):
    return GTM(2, grid=12, n_centers=5, tol=1e-4, init=Isomap(n_neighbors=10).fit_transform(X)).fit(X)


def _own(X, shape, sigma, seed, share=0.3):
    test = np.random.default_rng(seed).random(len(X)) < share
    fit = SelfOrganizingMap(shape, sigma=sigma).fit(X[~test])
    errors = [fit.quantization_error(X[test]), fit.topographic_error(X[test])]
    return {"table": X, "shape": shape, "sigma": sigma, "test": test, "errors": errors}


def _standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


_TUMORS = _standard(load_breast_cancer().data)
_OWN = _own(_TUMORS, (12, 8), (None, 0.7), 0)
_WHICH = {"density": "GTM", "prototypes": "both", "between": "GTM", "size": "neither", "winner": "SOM"}

RIGHT = {
    "maps-1": [[1.5, 5, 9], (1.5, 5.0, 9.0), np.float32([[1.5], [5], [9]])],
    "maps-2": [[2, 1, 3, 13.75, 33], (2, 1, 3.0, 13.7, 33.0), np.float32([[2, 1, 3, 13.75, 33]])],
    "maps-3": [_step, _step_by_loops, _step_by_table],
    "maps-4": [_topographic, _topographic_by_loops, _topographic_by_grid],
    "maps-5": [(0, 0), [0.3, 0.3], np.array([0.2, 0])],
    "maps-6": [
        _WHICH,
        {key: name.lower() for key, name in reversed(_WHICH.items())},
        {key: [f" {name} "] for key, name in _WHICH.items()},
    ],
    "maps-7": [
        _unfold_by_isomap,
        lambda X: GTM(grid=15, n_centers=6, tol=1e-5, init=Isomap(n_neighbors=8).fit_transform(X)).fit(X),
        lambda X: GTM(grid=12, n_centers=5, init=10 * Isomap(n_neighbors=12).fit_transform(X)[:, ::-1]).fit(X),
    ],
    "maps-8": [[1, 1, 2], (1.0, 1.0, 2.0), np.float32([[1], [1], [2]])],
    "maps-9": [[2 / 3, 4, 13 / 9], (0.667, 4, 1.444), np.float32([[0.667], [4], [1.444]])],
    "maps-10": [
        _OWN,
        {**_OWN, "table": _TUMORS.tolist(), "test": _OWN["test"].astype(int).tolist()},
        _own(_standard(load_wine().data), (6, 5), (3, 0.6), 1),
        _own(digits(600)[0], (10, 10), (5, 0.5), 2),
    ],
}

WRONG = {
    "maps-1": [[0, 5, 10], [3, 5, 8], [1.5, 5, 11], [3, 6, 8], [0, 4, 8], [1.5, 5]],
    "maps-2": [
        [2, 2, 3, 13.75, 33],
        [1, 1, 3, 13.75, 33],
        [1, 0, 3, 13.75, 33],
        [2, 1, 5 / 3, 4, 33],
        [2, 1, 4, 1, 49],
        "two winners",
    ],
    "maps-3": [
        _step_of_nearest,
        _step_with_columns,
        _step_of_k_means,
        _step_without_care,
        _step_in_place,
        lambda X, M, h: h @ _step_of_k_means(X, M, h),
        lambda X, M, h: M,
    ],
    "maps-4": [
        lambda X, M, places: 1 - _topographic(X, M, places),
        lambda X, M, places: np.mean(np.abs(np.diff(places[_two(X, M)], axis=0)[0]).sum(axis=1) > 1),
        lambda X, M, places: np.mean(np.abs(np.diff(places[_two(X, M)], axis=0)[0]).max(axis=1) > 0),
        lambda X, M, places: np.mean(np.abs(np.diff(_two(X, M), axis=0)) > 1),
        lambda X, M, places: 200 * _topographic(X, M, places),
        lambda X, M, places: cdist(X, M).min(axis=1).mean(),
    ],
    "maps-5": [(4, 0.5), (4, 0), (4, 4), (1, 1), (-1, 0), 0.3, (20, 10)],
    "maps-6": [
        {**_WHICH, "density": "both"},
        {**_WHICH, "prototypes": "SOM"},
        {**_WHICH, "between": "both"},
        dict.fromkeys(_WHICH, "GTM"),
        {**_WHICH, "size": "k-means"},
        {**_WHICH, "winner": ...},
        "GTM",
    ],
    "maps-7": [
        lambda X: GTM(2, grid=12, n_centers=5, tol=1e-4).fit(X),
        lambda X: GTM(2, grid=12, n_centers=2, tol=1e-4, init=PCA(2).fit_transform(X)).fit(X),
        lambda X: Isomap(n_neighbors=10).fit(X),
        lambda X: GTM(2, init=Isomap(n_neighbors=10).fit_transform(X)),
        lambda X: GTM(1, grid=40, n_centers=10, init=Isomap(1, n_neighbors=10).fit_transform(X), tol=1e-4).fit(X),
    ],
    "maps-8": [[0, 4, 3], [1, 1, 3], [1, 1, 1], [3, 1, 2], [1, 1], "proved"],
    "maps-9": [[1, 3.5, 13 / 9], [2 / 3, 4, 13 / 3], [2 / 3, 4, 1.2], [0, 4, 13 / 9], [2 / 3, 4], 1],
    "maps-10": [
        {**_OWN, "errors": [_OWN["errors"][0] * 1.1, _OWN["errors"][1]]},
        {**_OWN, "errors": _OWN["errors"][::-1]},
        {**_OWN, "test": np.zeros(len(_TUMORS))},
        {**_OWN, "test": ~_OWN["test"]},
        {**_OWN, "sigma": 0.7},
        _own(_TUMORS, (12, 8), (0, 0), 0),
        _own(_TUMORS, (12, 8), (None, 6), 0),
        _own(_TUMORS[:100], (6, 4), (None, 0.7), 0),
        {"table": _TUMORS},
        _TUMORS,
    ],
}
