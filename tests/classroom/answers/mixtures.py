"""Answers to the exercises on mixtures of factor analyzers: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from dimred_lessons import MixtureOfFactorAnalyzers, ProbabilisticPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.gaussians import log_density, posterior, responsibilities


def _logs(X, weights, means, loadings, noises):
    return np.log(weights) + np.column_stack([log_density(X, *chart) for chart in zip(means, loadings, noises)])


def _shares_by_package(X, *charts):
    return responsibilities(_logs(X, *charts))[0]


def _shares_by_scipy(X, weights, means, loadings, noises):
    columns = []
    for p, m, B, v in zip(weights, means, loadings, noises):
        columns.append(np.log(p) + multivariate_normal(m, B @ B.T + np.diag(v)).logpdf(X))
    return softmax(np.array(columns).T, axis=1).astype(np.float32)


def _shares_by_ratios(X, *charts):
    logs = _logs(X, *charts)
    with np.errstate(over="ignore"):
        return [[1 / np.exp(row - a).sum() for a in row] for row in logs]


def _shares_naive(X, *charts):
    with np.errstate(invalid="ignore"):
        joint = np.exp(_logs(X, *charts))
        return joint / joint.sum(axis=1, keepdims=True)


def _left(X, r, d):
    r = r / r.sum()
    A = (X - r @ X) * np.sqrt(r)[:, np.newaxis]
    return np.sum(np.linalg.svd(A, compute_uv=False)[d:] ** 2)


def _noise_by_svd(X, R, d):
    return sum(r.sum() * _left(X, r, d) for r in R.T) / len(X) / (X.shape[1] - d)


def _noise_by_trace(X, R, d):
    total = 0
    for r in R.T:
        C = np.cov(X.T, aweights=r, bias=True)
        total += r.mean() * (np.trace(C) - np.sort(np.linalg.eigvalsh(C))[-d:].sum())
    return [total / (X.shape[1] - d)]


def _noise_in_single_precision(X, R, d):
    return np.float32(_noise_by_svd(X, R, d))


def _complete(x, weights, means, loadings, noises, choose="best", prior=True):
    H = np.atleast_2d(x)
    logs = _logs(H, weights if prior else np.ones(len(weights)), means, loadings, noises)[0]
    guesses = [m + posterior(H, m, B, v)[0][0] @ B.T for m, B, v in zip(means, loadings, noises)]
    found = guesses[np.argmax(logs)] if choose == "best" else np.exp(logs - logsumexp(logs)) @ np.array(guesses)
    return np.where(np.isnan(x), found, x)


def _complete_by_blocks(x, weights, means, loadings, noises):
    o, best = np.flatnonzero(~np.isnan(x)), None
    for p, m, B, v in zip(weights, means, loadings, noises):
        C = B @ B.T + np.diag(v)
        height = np.log(p) + multivariate_normal(m[o], C[np.ix_(o, o)]).logpdf(x[o])
        if best is None or height > best[0]:
            best = height, m + C[:, o] @ np.linalg.inv(C[np.ix_(o, o)]) @ (x[o] - m[o])
    return [value if np.isfinite(value) else guess for value, guess in zip(x, best[1])]


def _complete_in_place(x, *charts):
    x[:] = _complete(x, *charts)
    return x


def _by_mixtures(known, labels, new):
    charts = MixtureOfFactorAnalyzers(3, n_components=5, noise="isotropic", min_noise=1e-2, tol=1e-3)
    scores = [charts.fit(known[labels == c]).score_samples(new) for c in range(10)]
    return np.argmax(scores, axis=0)


def _by_planes(known, labels, new):
    return [
        int(c)
        for c in np.argmax([ProbabilisticPCA(10).fit(known[labels == c]).score_samples(new) for c in range(10)], axis=0)
    ]


def _by_neighbors(known, labels, new):
    return KNeighborsClassifier(3).fit(known, labels).predict(new).astype(float)


_ROLL = datasets.swiss_roll(n=400)[0]
_IRIS_TWICE = np.repeat(load_iris().data, 2, axis=0) + 0.05 * np.random.default_rng(0).standard_normal((300, 4))


def _own(X, S, d, seed, share=0.25):
    test = np.random.default_rng(seed).random(len(X)) < share
    score = MixtureOfFactorAnalyzers(S, n_components=d, tol=1e-4).fit(X[~test]).score(X[test])
    return {"table": X, "charts": S, "components": d, "test": test, "score": score}


_OWN = _own(_ROLL, 12, 2, 7)
_NOISE = np.random.default_rng(0).standard_normal((200, 5))
_WHAT = {
    "turn": "same",
    "mirror": "same",
    "swap": "same",
    "weights": "changes",
    "stretch": "changes",
    "unused": "same",
    "split": "same",
    "unit": "changes",
}

RIGHT = {
    "mixtures-1": [[0.6228, 0.8, 0], (0.623, 0.8, 0.0), np.float32([[0.62], [0.8], [0]])],
    "mixtures-2": [[4389, 21449], (4389.0, 21449.0), np.array([[4389], [21449]])],
    "mixtures-3": [
        _shares_by_package,
        _shares_by_scipy,
        _shares_by_ratios,
        lambda *a: sparse.csr_array(_shares_by_package(*a)),
    ],
    "mixtures-4": [_noise_by_svd, _noise_by_trace, _noise_in_single_precision],
    "mixtures-5": [1e-100, [1e-250], np.float64(1e-95)],
    "mixtures-6": [
        _WHAT,
        {key: word.upper() for key, word in reversed(_WHAT.items())},
        {key: [f" {word} "] for key, word in _WHAT.items()},
    ],
    "mixtures-7": [_complete, _complete_by_blocks, lambda *a: sparse.csr_array(_complete(*a)[np.newaxis])],
    "mixtures-8": [[0, 10 * np.log(3)], (0.0, 10.99), np.float32([[0], [10.986]])],
    "mixtures-9": [[5, 4], (5.0, 4.0), np.array([[5.0], [4.0]])],
    "mixtures-10": [_by_mixtures, _by_planes, _by_neighbors],
    "mixtures-11": [
        _OWN,
        {**_own(_IRIS_TWICE, 3, 2, 1, 0.4), "charts": [3]},
        {**_OWN, "table": _OWN["table"].tolist(), "test": _OWN["test"].astype(int).tolist()},
    ],
}

WRONG = {
    "mixtures-1": [
        [0.832, 0.8, 0],
        [0.3772, 0.8, 0],
        [0.6228, 4, 0],
        [0.6228, 0.8, 0.8],
        [0.6228, 1, 0],
        [0.6228, 0.8],
    ],
    "mixtures-2": [[4489, 21449], [4390, 21449], [4389, 41609], [21449, 4389], [3759, 21449], [4389, 20800], 4389],
    "mixtures-3": [
        _shares_naive,
        lambda X, weights, *rest: _shares_by_package(X, np.ones(len(weights)), *rest),
        lambda X, *charts: np.exp(_logs(X, *charts)),
        lambda X, *charts: _shares_by_package(X, *charts).T,
        lambda X, *charts: np.eye(len(charts[0]))[_logs(X, *charts).argmax(axis=1)],
        lambda X, weights, means, loadings, noises: _shares_by_package(X, weights, means, loadings, noises**2),
    ],
    "mixtures-4": [
        lambda X, R, d: np.mean([_left(X, r, d) for r in R.T]) / (X.shape[1] - d),
        lambda X, R, d: _noise_by_svd(X, R, d) * (X.shape[1] - d),
        lambda X, R, d: _noise_by_svd(X, np.ones((len(X), 1)), d),
        lambda X, R, d: _noise_by_svd(X, np.eye(R.shape[1])[R.argmax(axis=1)], d),
        lambda X, R, d: _noise_by_svd(X, R, d + 1) if d + 1 < X.shape[1] else 0.0,
        lambda X, R, d: np.sqrt(_noise_by_svd(X, R, d)),
    ],
    "mixtures-5": [0, 1e-50, -1e-100, 1, np.inf, 1e-310, "tiny"],
    "mixtures-6": [
        {**_WHAT, "turn": "changes"},
        {**_WHAT, "unit": "same"},
        {**_WHAT, "split": "changes"},
        dict.fromkeys(_WHAT, "same"),
        {**_WHAT, "weights": "falls"},
        {**_WHAT, "stretch": ...},
        "same",
    ],
    "mixtures-7": [
        lambda x, *charts: _complete(x, *charts, choose="mean"),
        lambda x, *charts: _complete(x, *charts, prior=False),
        lambda x, *charts: x,
        lambda x, weights, means, *rest: np.where(np.isnan(x), weights @ means, x),
        lambda x, weights, means, *rest: np.where(np.isnan(x), means[np.argmax(weights)], x),
        lambda x, *charts: _complete(x, *charts) + 0.1,
        _complete_in_place,
    ],
    "mixtures-8": [[0, np.log(3)], [10, 10.986], [0, 30], [10.986, 0], [0, 10 * np.log(2)], 0],
    "mixtures-9": [[5, 5], [1, 4], [9, 4], [5, 3], [4, 5], 5],
    "mixtures-10": [
        lambda known, labels, new: NearestCentroid().fit(known, labels).predict(new),
        lambda known, labels, new: labels[: len(new)],
        lambda known, labels, new: np.zeros(len(new)),
        lambda known, labels, new: np.argmax(
            [ProbabilisticPCA(1).fit(known[labels == c][:5]).score_samples(new) for c in range(10)], axis=0
        ),
        lambda known, labels, new: _by_mixtures(known, labels, new)[:-1],
    ],
    "mixtures-11": [
        {**_OWN, "score": 0.9 * _OWN["score"]},
        {**_OWN, "score": _own(_ROLL, 12, 2, 8)["score"] + 1},
        {**_OWN, "charts": 1},
        {**_OWN, "test": np.zeros(len(_ROLL))},
        {**_OWN, "test": ~_OWN["test"]},
        _own(_NOISE, 8, 2, 0),
        _own(_ROLL[:100], 5, 2, 7),
        {"table": _ROLL},
        _ROLL,
    ],
}
