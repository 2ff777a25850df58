"""Answers to the exercises on multidimensional scaling: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from scipy.optimize import isotonic_regression
from scipy.spatial.distance import pdist, squareform

_K = np.array([[10, -8, -2], [-8, 10, -2], [-2, -2, 4]])
_GRID = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
_COSTS = {"eigenvectors": "strain", "smacof": "raw stress", "scale": "stress-1", "long": "sstress"}


def _star(length):
    """A fourth object at this distance from three others, which are 2 apart."""
    return np.array([[0, 2, 2, length], [2, 0, 2, length], [2, 2, 0, length], [length, length, length, 0]])


def _centered(K):
    return K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()


def _kernel(delta):
    return -0.5 * _centered(np.asarray(delta) ** 2)


def _kernel_by_products(delta):
    H = np.eye(len(delta)) - 1 / len(delta)
    return sparse.csr_array(H @ (delta * delta) @ H / -2)


def _kernel_by_loops(delta):
    n, squared = len(delta), [[entry**2 for entry in row] for row in delta.tolist()]
    r = [sum(row) / n for row in squared]
    return [[-(squared[i][j] - r[i] - r[j] + sum(r) / n) / 2 for j in range(n)] for i in range(n)]


def _kernel_in_place(delta):
    delta *= delta
    delta -= delta.mean(axis=0)
    delta -= delta.mean(axis=1, keepdims=True)
    delta *= -0.5
    return delta


def _eigenpairs(delta, d):
    values, U = np.linalg.eigh(_kernel(delta))
    return values[::-1][:d], U[:, ::-1][:, :d]


def _place(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return 0.5 * U.T @ ((delta**2).mean(axis=1) - new**2) / np.sqrt(values)


def _place_by_least_squares(delta, new, d):
    """From the places of the old objects: differences of squares are linear in the new place."""
    values, U = _eigenpairs(delta, len(delta) - 1)
    kept = values > 1e-9 * values[0]
    Y = (U * np.sqrt(np.abs(values)))[:, kept]
    y = np.linalg.lstsq(Y, 0.5 * ((Y**2).sum(axis=1) - new**2 + np.mean(new**2 - (Y**2).sum(axis=1))), rcond=None)[0]
    return -y[np.newaxis, :d]


def _place_unsquared(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return 0.5 * U.T @ (delta.mean(axis=1) - new) / np.sqrt(values)


def _place_without_half(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return U.T @ ((delta**2).mean(axis=1) - new**2) / np.sqrt(values)


def _place_scaled_twice(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return 0.5 * U.T @ ((delta**2).mean(axis=1) - new**2) / values


def _place_without_row_means(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return -0.5 * U.T @ new**2 / np.sqrt(values)


def _place_at_nearest(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return (U * np.sqrt(values))[np.argmin(new)]


def _step_by_loops(delta, Z):
    """Each object goes to the mean of where the others wish it to be."""
    n, Y = len(Z), []
    for i in range(n):
        wishes = [Z[j] + delta[i, j] * (Z[i] - Z[j]) / np.linalg.norm(Z[i] - Z[j]) for j in range(n) if j != i]
        Y.append((np.sum(wishes, axis=0) + Z[i]) / n)
    return Y


def _step(delta, Z, sign=1, count=None, diagonal=True):
    B = -sign * delta / (squareform(pdist(Z)) + np.eye(len(Z)))
    if diagonal:
        np.fill_diagonal(B, -B.sum(axis=1))
    return B @ Z / (count or len(Z))


def _disparities(gaps, lengths, order=None, rescale=True):
    order = np.argsort(gaps) if order is None else order
    fitted = np.empty(len(gaps))
    fitted[order] = isotonic_regression(lengths[order]).x
    return fitted * np.sqrt(np.sum(gaps**2) / np.sum(fitted**2)) if rescale else fitted


def _disparities_by_pooling(gaps, lengths):
    """Pool neighbors that are out of order, by loops."""
    order, blocks = np.argsort(gaps), []
    for k in order:
        blocks.append([lengths[k], 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, m), (b, n) = blocks[-2:]
            blocks[-2:] = [[(a * m + b * n) / (m + n), m + n]]
    values = dict(zip(order, [v for v, n in blocks for _ in range(n)], strict=True))
    size = sum(v**2 for v in values.values())
    return [values[k] * (np.sum(gaps**2) / size) ** 0.5 for k in range(len(gaps))]


_LINE = squareform(pdist(np.arange(9.0)[:, np.newaxis]))
_PLANE = squareform(pdist(np.random.default_rng(0).random((12, 2))))

_TOWNS = np.array([[0.0, 0], [1, 0], [0.5, 2], [3, 3], [-4, 1]])
_LONGEST = 2 * np.hypot(0.5, 2)


RIGHT = {
    "mds-1": [
        _K,
        _K.tolist(),
        _K + np.diag([0.03, -0.03, 0.03]),
        _K.astype(np.float32),
        sparse.csr_array(_K),
    ],
    "mds-2": [
        _kernel,
        _kernel_by_products,
        _kernel_by_loops,
        _kernel_in_place,
        lambda delta: _kernel(delta.astype(np.float32)),
    ],
    "mds-3": [
        _place,
        _place_by_least_squares,
        lambda delta, new, d: -_place(delta, new, d),
        lambda delta, new, d: _place(delta.astype(np.float32), new.astype(np.float32), d).tolist(),
    ],
    "mds-4": [
        _star(1.1),
        _star(1.1547),  # hardly below the 1.1547005 of the center
        _star(1.05).tolist(),
        10 * _star(1.1).astype(np.float32),
        _star(1.1)[::-1, ::-1],
    ],
    "mds-5": [
        _COSTS,
        {"eigenvectors": "Strain", "smacof": "raw_stress", "scale": "Stress-1", "long": "SSTRESS"},
        {key: f" {cost} " for key, cost in _COSTS.items()},
    ],
    "mds-6": [_step, _step_by_loops, lambda delta, Z: _step(delta.astype(np.float32), Z.astype(np.float32))],
    "mds-7": [0.193, [0.1934], np.float32(0.194)],
    "mds-8": [
        _disparities,
        _disparities_by_pooling,
        lambda gaps, lengths: _disparities(gaps.astype(np.float32), lengths.astype(np.float32)),
    ],
    "mds-9": [11.25, 135 / 12, [11.2], np.float32(11.25)],
    "mds-10": [(1.25, 0.447), [1.25, 0.2**0.5], np.array([[1.25], [0.45]])],
    "mds-11": [
        {"table": _LINE, "stress": [0, 0, 0]},
        {"table": _LINE.tolist(), "stress": (0.001, 0.001, 0.001)},
        {"table": sparse.csr_array(_LINE), "stress": np.zeros(3)},
        {"table": np.exp(3 * _LINE / 8) - 1, "stress": [0, 0, 0]},  # the order is that of a line
        {"table": _PLANE, "stress": [0.20, 0.01, 0.0]},
    ],
    "mds-12": [
        {"points": _TOWNS, "factor": _LONGEST},
        {"points": _TOWNS.tolist(), "factor": 4.12},
        {"points": (7 * _TOWNS + 1).astype(np.float32), "factor": np.array([_LONGEST])},
        {"points": np.vstack([_TOWNS, [[0.5, -1.5]]]), "factor": 2 * np.hypot(0.5, 1.5)},
    ],
}

WRONG = {
    "mds-1": [
        -2 * _K,  # the squares, centered, but not halved
        -_K,
        [[0, 36, 18], [36, 0, 18], [18, 18, 0]],
        [[10, -8, -2], [-8, 10, -2]],
        _K + 1,  # seen from another origin
    ],
    "mds-2": [
        lambda delta: _centered(-0.5 * delta),  # not squared
        lambda delta: 0.5 * _centered(delta**2),  # wrong sign
        lambda delta: _centered(-(delta**2)),
        lambda delta: _centered(-0.5 * delta @ delta),  # the matrix product
        lambda delta: -0.5 * (delta**2 - (delta**2).mean(axis=0)),
        lambda delta: -0.5 * delta**2,
        lambda delta: np.zeros_like(delta),
    ],
    "mds-3": [
        _place_unsquared,
        _place_without_half,
        _place_scaled_twice,
        _place_without_row_means,
        _place_at_nearest,
        lambda delta, new, d: np.abs(_place(delta, new, d)),
        lambda delta, new, d: np.zeros(d),
        1.5,
    ],
    "mds-4": [
        squareform(pdist(_GRID)),
        squareform(pdist(_GRID, "cityblock")),  # corners of a block: one way leads over another corner
        _star(1.0),  # the same with the center of a star
        _star(1.2),
        np.ones((4, 4)) - np.eye(4),
        np.array([[0, 5, 1], [5, 0, 1], [1, 1, 0]]),
        np.zeros((3, 3)),
        -(np.ones((3, 3)) - np.eye(3)),
        np.ones((7, 7)) - np.eye(7),
        [[0, 1], [2, 0]],
        3,
        "a table",
    ],
    "mds-5": [
        {"eigenvectors": "sstress", "smacof": "raw stress", "scale": "stress-1", "long": "strain"},
        {"eigenvectors": "strain", "smacof": "strain", "scale": "strain", "long": "strain"},
        {"eigenvectors": "strain", "smacof": "stress-1", "scale": "raw stress", "long": "sstress"},
        {**_COSTS, "long": "stress"},
        {"eigenvectors": "strain"},
        "strain",
    ],
    "mds-6": [
        lambda delta, Z: _step(delta, Z, count=1),  # not divided by n
        lambda delta, Z: _step(delta, Z, sign=-1),
        lambda delta, Z: _step(delta, Z, diagonal=False),
        lambda delta, Z: _step(delta**2, Z),
        lambda delta, Z: Z,
        lambda delta, Z: 0 * Z,
        2.0,
    ],
    "mds-7": [
        0,
        0.5,
        20,
        -0.2,
        "a fifth",
        [0.2, 0.2],
    ],
    "mds-8": [
        lambda gaps, lengths: _disparities(gaps, lengths, rescale=False),
        lambda gaps, lengths: _disparities(gaps, lengths, order=np.argsort(-gaps)),
        lambda gaps, lengths: _disparities(gaps, lengths, order=np.arange(len(gaps))),
        lambda gaps, lengths: lengths,
        lambda gaps, lengths: gaps,
        lambda gaps, lengths: _disparities(gaps, lengths)[np.argsort(gaps)],  # left sorted
        lambda gaps, lengths: 0 * gaps,
        1.0,
    ],
    "mds-9": [135, 11.25**0.5, 8.4375, -11.25, 0, "eleven"],
    "mds-10": [(1.25, 0.2), (0.8, 0.447), (1.118, 0.447), (1.25, 0.5), 1.25, "larger"],
    "mds-11": [
        {"table": _LINE, "stress": [0.5, 0.3, 0.1]},
        {"table": _PLANE, "stress": [0.0, 0.0, 0.0]},
        {"table": _PLANE, "stress": [0.0, 0.01, 0.30]},  # in the wrong order
        {"table": _LINE[:5, :5], "stress": [0, 0, 0]},
        {"table": 1 - _LINE / 8, "stress": [0, 0, 0]},  # similarities
        {"table": np.triu(_LINE), "stress": [0, 0, 0]},
        {"table": _LINE, "stress": [0, 0]},
        {"table": _LINE},
        "a map",
    ],
    "mds-12": [
        {"points": _TOWNS, "factor": 3},
        {"points": _TOWNS, "factor": 4.5},
        {"points": _TOWNS, "factor": np.hypot(0.5, 2)},
        {"points": np.vstack([_TOWNS, [[0.5, 0.1]]]), "factor": 2 * np.hypot(0.5, 0.1)},
        {"points": _TOWNS[[0, 0, 2, 3]], "factor": 5},
        {"points": _TOWNS[:3], "factor": _LONGEST},
        {"points": _TOWNS, "factor": "far"},
    ],
}
