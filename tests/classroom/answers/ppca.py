"""Answers to the exercises on probabilistic PCA: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from scipy.stats import multivariate_normal

from dimred_lessons import ProbabilisticPCA
from dimred_lessons.classroom import datasets

_ROOT = np.sqrt(3)
_RNG = np.random.default_rng(0)
_FEW = _RNG.standard_normal((4, 60))
_TABLE = _RNG.standard_normal((50, 4)) * [3, 1, 1, 1]
_TABLE[17] = [0, 9, -9, 0]
_ODDEST = int(ProbabilisticPCA(1).fit(_TABLE).score_samples(_TABLE).argmin())
_IMAGES = datasets.digits()[0]
_VARIED = _IMAGES[:, _IMAGES.std(axis=0) > 0.3]
_BEST = 1 + int(np.argmax([ProbabilisticPCA(m).fit(_VARIED[:100]).score(_VARIED[100:600]) for m in range(1, 41)]))
_GAIN = 5 * (4 * np.log(2) - np.log(4) - 3 * np.log(4 / 3))


def _log_densities(X, mean, B, noise):
    J = np.eye(B.shape[1]) + B.T @ B / noise
    R = X - mean
    Y = np.linalg.solve(J, B.T @ R.T / noise).T
    squares = np.sum((R - Y @ B.T) ** 2, axis=1) / noise + np.sum(Y**2, axis=1)
    log_det = len(B) * np.log(noise) + np.linalg.slogdet(J)[1]
    return -0.5 * (len(B) * np.log(2 * np.pi) + log_det + squares)


def _log_densities_by_svd(X, mean, B, noise):
    U, sizes, _ = np.linalg.svd(B, full_matrices=False)
    values = []
    for x in X:
        inside = U.T @ (x - mean)
        outside = x - mean - U @ inside
        squares = sum(inside**2 / (sizes**2 + noise)) + outside @ outside / noise
        log_det = sum(np.log(sizes**2 + noise)) + (len(B) - len(sizes)) * np.log(noise)
        values.append([-(len(B) * np.log(2 * np.pi) + log_det + squares) / 2])
    return values


def _log_densities_by_regression(X, mean, B, noise):
    """The penalty as rows of zeros to be explained."""
    d, scale = B.shape[1], np.sqrt(noise)
    A = np.vstack([B / scale, np.eye(d)])
    targets = np.vstack([(X - mean).T / scale, np.zeros((d, len(X)))])
    Q, T = np.linalg.qr(A)
    squares = np.sum((targets - Q @ (Q.T @ targets)) ** 2, axis=0)
    log_det = len(B) * np.log(noise) + 2 * np.sum(np.log(np.abs(np.diag(T))))
    return -0.5 * (len(B) * np.log(2 * np.pi) + log_det + squares)


def _log_densities_by_lemma(X, mean, B, noise):
    J = np.eye(B.shape[1]) + B.T @ B / noise
    H = (X - mean) @ B / noise
    squares = np.sum((X - mean) ** 2, axis=1) / noise - np.sum(H * np.linalg.solve(J, H.T).T, axis=1)
    return -0.5 * (len(B) * np.log(2 * np.pi * noise) + np.linalg.slogdet(J)[1] + squares)


def _log_densities_by_scipy(X, mean, B, noise):
    return multivariate_normal(mean, B @ B.T + noise * np.eye(len(B)), allow_singular=True).logpdf(X)


def _canonical(B):
    U, sizes, _ = np.linalg.svd(B, full_matrices=False)
    return U * sizes


def _canonical_by_eigenvectors(B):
    Q = np.linalg.eigh(B.T @ B)[1]
    return sparse.csr_array(-B @ Q[:, ::-1])


def _canonical_by_large_matrix(B):
    values, V = np.linalg.eigh(B @ B.T)
    d = B.shape[1]
    return (V[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])).astype(np.float32)


def _draw(mean, B, noise, n, rng):
    return mean + rng.standard_normal((n, B.shape[1])) @ B.T + np.sqrt(noise) * rng.standard_normal((n, len(B)))


def _draw_from_covariance(mean, B, noise, n, rng):
    return rng.multivariate_normal(mean, B @ B.T + noise * np.eye(len(B)), size=n)


def _draw_one_by_one(mean, B, noise, n, rng):
    return [mean + B @ rng.normal(size=B.shape[1]) + rng.normal(0, noise**0.5, len(B)) for _ in range(n)]


def _draw_with_common_noise(mean, B, noise, n, rng):
    return mean + rng.standard_normal((n, B.shape[1])) @ B.T + np.sqrt(noise) * rng.standard_normal((n, 1))


def _cleaner(B, noise):
    return B @ np.linalg.solve(B.T @ B + noise * np.eye(B.shape[1]), B.T)


def _cleaner_by_covariance(B, noise):
    C = B @ B.T + noise * np.eye(len(B))
    return (np.eye(len(B)) - noise * np.linalg.inv(C)).tolist()


def _cleaner_by_svd(B, noise):
    U, sizes, _ = np.linalg.svd(B, full_matrices=False)
    return sparse.csr_array(U * (sizes**2 / (sizes**2 + noise)) @ U.T)


RIGHT = {
    "ppca-1": [
        {"loadings": [_ROOT, _ROOT], "noise": 2},
        {"loadings": np.array([[-1.73], [-1.73]]), "noise": 2.0},
        {"noise": [2], "loadings": (1.732, 1.732)},
    ],
    "ppca-2": [[91, 210, 19], (91, 210, 19), np.array([[91.0], [210], [19]])],
    "ppca-3": [_log_densities, _log_densities_by_svd, _log_densities_by_regression],
    "ppca-4": [_canonical, _canonical_by_eigenvectors, _canonical_by_large_matrix],
    "ppca-5": [
        _FEW,
        (100 * _FEW[:3, :50]).tolist(),
        np.eye(4, 60),
        sparse.csr_array(np.eye(5, 60)),
    ],
    "ppca-6": ["c", "C", "(c)"],
    "ppca-7": [_BEST, float(_BEST), np.array([_BEST])],
    "ppca-8": [_draw, _draw_from_covariance, _draw_one_by_one],
    "ppca-9": [_GAIN, 2.62, [2.6178]],
    "ppca-10": [_cleaner, _cleaner_by_covariance, _cleaner_by_svd],
    "ppca-11": [
        {"points": _TABLE, "components": 1, "row": _ODDEST},
        {"points": (10 * _TABLE).tolist(), "components": 1.0, "row": np.int64(_ODDEST)},
        {"points": sparse.csr_array(_TABLE), "components": [1], "row": [_ODDEST]},
    ],
}

WRONG = {
    "ppca-1": [
        {"loadings": [np.sqrt(8), np.sqrt(8)], "noise": 2},
        {"loadings": [2, 2], "noise": 2},
        {"loadings": [_ROOT, -_ROOT], "noise": 2},
        {"loadings": [_ROOT, _ROOT], "noise": np.sqrt(2)},
        {"loadings": [_ROOT, _ROOT], "noise": 1},
        {"loadings": [6, 6], "noise": 2},
    ],
    "ppca-2": [[101, 210, 19], [90, 210, 19], [91, 400, 19], [91, 210, 20], [91, 210, 18], [91, 210]],
    "ppca-3": [
        _log_densities_by_lemma,
        _log_densities_by_scipy,
        lambda X, mean, B, noise: np.exp(_log_densities(X, mean, B, noise)),
        lambda X, mean, B, noise: _log_densities(X, 0 * mean, B, noise),
        lambda X, mean, B, noise: _log_densities(X, mean, B, noise**2),
        lambda X, mean, B, noise: _log_densities(X, mean, B, noise) + len(B) / 2 * np.log(2 * np.pi),
        lambda X, mean, B, noise: _log_densities(X, mean, B, noise).sum(),
    ],
    "ppca-4": [
        lambda B: B,
        lambda B: np.linalg.svd(B, full_matrices=False)[0],
        lambda B: _canonical(B)[:, ::-1],
        lambda B: np.linalg.qr(B)[0] * np.linalg.norm(B, axis=0),
        lambda B: _canonical(B) ** 2,
        lambda B: _canonical(B).T,
    ],
    "ppca-5": [
        _RNG.standard_normal((50, 10)),
        _RNG.standard_normal((40, 60)),
        _RNG.standard_normal((4, 100)),
        np.ones((4, 60)),
        _FEW[:2],
        np.full((4, 60), np.nan),
    ],
    "ppca-6": ["a", "b", "d", "e", "shrinkage"],
    "ppca-7": [1, 40, _BEST + 6, 0, 14.5],
    "ppca-8": [
        lambda mean, B, noise, n, rng: _draw(mean, B, noise**2, n, rng),
        lambda mean, B, noise, n, rng: _draw(mean, B, 0, n, rng),
        lambda mean, B, noise, n, rng: _draw(0, B, noise, n, rng),
        lambda mean, B, noise, n, rng: _draw(mean, B, noise, n, np.random.default_rng(0)),
        lambda mean, B, noise, n, rng: np.repeat(_draw(mean, B, noise, -(-n // 2), rng), 2, axis=0)[:n],
        lambda mean, B, noise, n, rng: mean + np.sqrt(noise) * rng.standard_normal((n, len(B))),
        _draw_with_common_noise,
    ],
    "ppca-9": [-_GAIN, 2 * _GAIN, _GAIN / 5, 0, 5 * np.log(4), "more"],
    "ppca-10": [
        lambda B, noise: B @ np.linalg.pinv(B),
        lambda B, noise: B @ B.T,
        lambda B, noise: np.eye(len(B)),
        lambda B, noise: _cleaner(B, noise**2),
        lambda B, noise: np.linalg.solve(B.T @ B + noise * np.eye(B.shape[1]), B.T),
        lambda B, noise: np.linalg.inv(B @ B.T + noise * np.eye(len(B))),
    ],
    "ppca-11": [
        {"points": _TABLE, "components": 1, "row": (_ODDEST + 1) % 50},
        {"points": _TABLE, "components": 4, "row": _ODDEST},
        {"points": _TABLE[:20], "components": 1, "row": 17},
        {"points": _TABLE[:, :2], "components": 1, "row": _ODDEST},
        {"points": np.ones((40, 5)), "components": 1, "row": 0},
        {"points": _TABLE, "components": 1, "row": 50},
        {"points": "table", "components": 1, "row": 0},
        _TABLE,
    ],
}
