"""Answers to the exercises on dual PCA: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from sklearn import decomposition

_U = np.array([[1, 0, -1], [1, -2, 1]]).T / np.sqrt([2, 6])
_Y = _U * np.sqrt([9, 3])
_RNG = np.random.default_rng(0)
_NEEDLE = np.array([[1, 0], [-1, 0], [0, 1e-10], [0, -1e-10]])
_ROUTES = {"faces": "dual", "digits": "primal", "genes": "dual", "songs": "primal", "square": "either"}


def _top(K, d):
    eigenvalues, U = np.linalg.eigh(K)
    return eigenvalues[::-1][:d], U[:, ::-1][:, :d]


def _encode(K, k, d):
    eigenvalues, U = _top(K, d)
    return U.T @ k / np.sqrt(eigenvalues)


def _encode_by_svd(K, k, d):
    U, squares, _ = np.linalg.svd(K)
    return [[-U[:, j] @ k / squares[j] ** 0.5 for j in range(d)]]  # a row


def _encode_in_single_precision(K, k, d):
    return _encode(K.astype(np.float32), k.astype(np.float32), d)


def _encode_in_increasing_order(K, k, d):
    eigenvalues, U = np.linalg.eigh(K)
    return U[:, -d:].T @ k / np.sqrt(eigenvalues[-d:])


def _encode_unscaled(K, k, d):
    return _top(K, d)[1].T @ k


def _encode_scaled_twice(K, k, d):
    eigenvalues, U = _top(K, d)
    return U.T @ k / eigenvalues


def _first_training_score(K, k, d):
    eigenvalues, U = _top(K, d)
    return U[0] * np.sqrt(eigenvalues)


def _encode_with_random_signs(K, k, d):
    return _encode(K, k, d) * _RNG.choice([-1, 1], d)


def _directions(X, d):
    X = X - X.mean(axis=0)
    eigenvalues, U = _top(X @ X.T, d)
    return X.T @ U / np.sqrt(eigenvalues)


def _directions_by_svd(X, d):
    return -np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:d].T


def _directions_scaled_one_by_one(X, d):
    X = X - X.mean(axis=0)
    columns = [X.T @ u for u in _top(X @ X.T, d)[1].T]
    return np.column_stack([column / np.linalg.norm(column) for column in columns])


def _directions_in_place(X, d):
    X -= X.mean(axis=0)
    V = X.T @ _top(X @ X.T, d)[1]
    V /= np.linalg.norm(V, axis=0)
    return V


def _directions_of_uncentered(X, d):
    eigenvalues, U = _top(X @ X.T, d)
    return X.T @ U / np.sqrt(eigenvalues)


def _directions_too_long(X, d):
    X = X - X.mean(axis=0)
    return X.T @ _top(X @ X.T, d)[1]


def _directions_from_covariance(X, d):
    return np.linalg.eigh(np.cov(X, rowvar=False))[1][:, ::-1][:, :d]


def _centered(K):
    return K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()


def _centered_by_products(K):
    H = np.eye(len(K)) - 1 / len(K)
    return sparse.csr_array(H @ K @ H)


def _centered_by_loops(K):
    n, r, g = len(K), K.mean(axis=1), K.mean()
    return [[K[i, j] - r[i] - r[j] + g for j in range(n)] for i in range(n)]


def _centered_in_place(K):
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    return K


def _cosines(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def _topics(counts, d):
    eigenvalues, U = _top(counts @ counts.T, d)
    return _cosines(U * np.sqrt(eigenvalues))


def _topics_by_words(counts, d):
    return _cosines(counts @ np.linalg.svd(counts)[2][:d].T)


def _topics_by_loops(counts, d):
    places = decomposition.TruncatedSVD(d, algorithm="arpack").fit_transform(counts.astype(float))
    return [[p @ q / np.sqrt(p @ p * (q @ q)) for q in places] for p in places]


def _topics_from_low_rank(counts, d):
    U, sizes, Vt = np.linalg.svd(counts.astype(np.float32), full_matrices=False)
    return sparse.csr_array(_cosines((U[:, :d] * sizes[:d]) @ Vt[:d]))


def _ridge(X, t, gamma):
    return X.T @ np.linalg.solve(X @ X.T + gamma * np.eye(len(X)), t)


def _ridge_by_svd(X, t, gamma):
    U, sizes, Vt = np.linalg.svd(X, full_matrices=False)
    return (Vt.T @ (sizes / (sizes**2 + gamma) * (U.T @ t)))[:, np.newaxis]


def _ridge_by_eigenvectors(X, t, gamma):
    eigenvalues, U = np.linalg.eigh(X @ X.T)
    return (X.T @ (U @ ((U.T @ t) / (eigenvalues + gamma)))).tolist()


def _ridge_of_covariance(X, t, gamma):
    return np.linalg.solve(X.T @ X + gamma * np.eye(X.shape[1]), X.T @ t)


_WIDE = np.random.default_rng(11).standard_normal((12, 40)) @ np.diag(0.5 ** np.arange(40))
_KEPT = int(np.argmax(decomposition.PCA().fit(_WIDE).explained_variance_ratio_.cumsum() >= 0.9)) + 1

RIGHT = {
    "dual-1": [
        _Y,
        -_Y.astype(np.float32),
        (_Y * [1, -1]).round(2).tolist(),
        [[2.12, 0.71], [0, -1.41], [-2.12, 0.71]],
        sparse.csr_array(_Y),
    ],
    "dual-2": [
        _encode,
        _encode_by_svd,
        _encode_in_single_precision,
        lambda K, k, d: np.diag(_top(K, d)[0] ** -0.5) @ _top(K, d)[1].T @ k,
    ],
    "dual-3": [
        _directions,
        _directions_by_svd,
        _directions_scaled_one_by_one,
        _directions_in_place,
        lambda X, d: _directions(X.astype(np.float32), d),
        lambda X, d: decomposition.PCA(d, svd_solver="full").fit(X).components_.T,
    ],
    "dual-4": [_NEEDLE, _NEEDLE.tolist(), 1e5 * _NEEDLE + 1e-9, sparse.csr_array(_NEEDLE)],
    "dual-5": [
        _ROUTES,
        {key: route.title() for key, route in reversed(_ROUTES.items())},
        {key: f" {route} " for key, route in _ROUTES.items()},
        {key: np.array(route) for key, route in _ROUTES.items()},
    ],
    "dual-6": [
        _centered,
        _centered_by_products,
        _centered_by_loops,
        _centered_in_place,
        lambda K: _centered(K.astype(np.float32)),
    ],
    "dual-7": [14, 14.0, [14], np.float32(14)],
    "dual-8": [_topics, _topics_by_words, _topics_by_loops, _topics_from_low_rank],
    "dual-9": [[4, 1, 1, 0, 0], np.array([0.0, 1, 0, 4, 1]), (1, 1, 4, 1e-15, -1e-15), [[4.0], [1], [1], [0], [0]]],
    "dual-10": [_ridge, _ridge_by_svd, _ridge_by_eigenvectors, lambda X, t, c: _ridge(X, t, c).astype(np.float32)],
    "dual-11": [
        {"points": _WIDE, "components": _KEPT},
        {"components": [_KEPT], "points": (100 * _WIDE + 7).tolist()},
        {"points": sparse.csr_array(-_WIDE), "components": float(_KEPT)},
    ],
}

WRONG = {
    "dual-1": [
        _U,  # eigenvectors, not scaled
        _U * [9, 3],  # scaled by the eigenvalues
        _Y[:, ::-1],  # the small axis first
        _Y @ np.array([[0.6, -0.8], [0.8, 0.6]]),  # rotated
        _Y.T,
        [3, 3, 0],
    ],
    "dual-2": [
        _encode_in_increasing_order,
        _encode_unscaled,
        _encode_scaled_twice,
        _first_training_score,
        _encode_with_random_signs,
        lambda K, k, d: np.abs(_encode(K, k, d)),
        lambda K, k, d: np.zeros(d),
        3.0,
    ],
    "dual-3": [
        _directions_of_uncentered,
        _directions_too_long,
        _directions_from_covariance,
        lambda X, d: _directions(X, d).T,
        lambda X, d: _directions(X, d)[:, ::-1],
        lambda X, d: np.eye(X.shape[1], d),
    ],
    "dual-4": [
        _RNG.standard_normal((10, 3)),
        np.diag([1.0, 1e-3, 1e-5]),
        np.outer(np.arange(5), np.arange(4)),
        np.ones((3, 3)),
        np.zeros((2, 1000)),
        [[1, np.nan], [2, 3]],
        "a matrix",
        7,
    ],
    "dual-5": [
        {"faces": "dual", "digits": "dual", "genes": "dual", "songs": "dual", "square": "dual"},
        {"faces": "primal", "digits": "dual", "genes": "primal", "songs": "dual", "square": "either"},
        {"faces": "dual", "digits": "primal", "genes": "dual", "songs": "primal", "square": "dual"},
        {**_ROUTES, "songs": ...},
        {**_ROUTES, "songs": "the primal one"},
        {"faces": "dual"},
        "dual",
    ],
    "dual-6": [
        lambda G: G - G.mean(axis=0),
        lambda G: G - G.mean(),
        lambda G: G - G.mean(axis=0) - G.mean(axis=1, keepdims=True),
        lambda G: np.zeros_like(G),
        lambda G: G,
        lambda G: -0.5 * _centered(G),
        lambda G: np.subtract(G, G.mean(axis=0), out=G) is None or None,  # returns nothing
    ],
    "dual-7": [13, 15, 1, 0.9, np.array([14, 14]), "fourteen"],
    "dual-8": [
        lambda counts, d: _cosines(counts),
        lambda counts, d: _topics(counts - counts.mean(axis=0), d),
        lambda counts, d: _cosines(_top(counts @ counts.T, d)[1]),
        lambda counts, d: _topics(counts.T, d),
        lambda counts, d: _topics(counts, d + 1),
        lambda counts, d: counts @ counts.T,
    ],
    "dual-9": [[4, 1, 0, 0, 0], [4, 1, 1], [4, 4, 1, 1, 1], [3, 3, 0, 0, 0], [16, 1, 1, 0, 0], 6, [4, 2, 0, 0, 0]],
    "dual-10": [
        _ridge_of_covariance,
        lambda X, t, gamma: _ridge(X, t, 0),
        lambda X, t, gamma: _ridge(X, t, gamma**2),
        lambda X, t, gamma: _ridge(X - X.mean(axis=0), t, gamma),
        lambda X, t, gamma: np.linalg.solve(X @ X.T + gamma * np.eye(len(X)), t),
        lambda X, t, gamma: np.zeros(X.shape[1]),
    ],
    "dual-11": [
        {"points": _WIDE, "components": _KEPT + 1},
        {"points": _WIDE, "components": _KEPT - 1},
        {"points": _WIDE.T, "components": _KEPT},
        {"points": np.ones((12, 40)), "components": 1},
        {"points": _WIDE[:5], "components": 1},
        {"points": np.full((12, 40), np.nan), "components": 1},
        {"points": "photos", "components": 2},
        _WIDE,
    ],
}
