"""Answers to the exercises on kernel centering: the checks accept RIGHT and refuse WRONG."""

from collections import Counter
from fractions import Fraction

import numpy as np
from scipy import sparse
from sklearn.preprocessing import KernelCenterer

_TILDE = np.array([[3, -1, -2], [-1, 1, 0], [-2, 0, 2]])
_SAME = {
    "constant": "same",
    "border": "same",
    "diagonal": "different",
    "anchor": "same",
    "double": "different",
}


def _in_place(K):
    K -= K[0, 0]
    means = K.mean(axis=0)
    K -= means
    K -= (means - means.mean())[:, np.newaxis]
    return K


def _in_place_row_by_row(K):
    K -= K.min()
    means = [row.mean() for row in K]
    total = np.mean(means)
    for i, row in enumerate(K):
        row -= means[i] - total
        row -= means
    return K


def _in_place_by_ufuncs(K):
    np.subtract(K, K[-1, 0], out=K)
    np.subtract(K, K.mean(axis=0), out=K)
    np.subtract(K, K.mean(axis=1)[:, None], out=K)
    return K


def _not_in_place(K):
    return K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()


def _without_shift(K):
    means = K.mean(axis=0)
    K -= means
    K -= (means - means.mean())[:, np.newaxis]
    return K


def _columns_only(K):
    K -= K.mean(axis=0)
    return K


def _grand_mean_forgotten(K):
    means = K.mean(axis=0)
    K -= means
    K -= means[:, np.newaxis]
    return K


def _by_products(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def _returns_nothing(K):
    _in_place(K)


def _new_rows(k_new, K):
    return k_new - k_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()


def _new_rows_one_by_one(k_new, K):
    means = K.sum(axis=0) / len(K)
    return [[value - row.mean() - means[i] + means.mean() for i, value in enumerate(row)] for row in k_new]


def _own_mean_of_the_new(k_new, K):
    own = k_new.mean(axis=1, keepdims=True)
    return k_new - own - k_new.mean(axis=0) + k_new.mean()


def _grand_mean_of_the_new(k_new, K):
    return k_new - k_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + k_new.mean()


def _substrings(word):
    return [word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)]


def _by_counting(s, t):
    a, b = Counter(_substrings(s)), Counter(_substrings(t))
    return sum(a[u] * b[u] for u in a)


def _by_loops(s, t):
    count = 0
    for u in _substrings(s):
        for v in _substrings(t):
            count += u == v
    return float(count)


def _by_common_ends(s, t):
    """Every pair of equal substrings, by where they end."""
    lengths = np.zeros((len(s) + 1, len(t) + 1))
    for i, a in enumerate(s, 1):
        for j, b in enumerate(t, 1):
            lengths[i, j] = (a == b) * (1 + lengths[i - 1, j - 1])
    return lengths.sum(keepdims=True)


def _not_overlapping(s, t):
    return sum(s.count(u) * t.count(u) for u in set(_substrings(s)))


def _mean_distance(K, group):
    one = np.asarray(group) == 1
    return K[one][:, one].mean() - 2 * K[one][:, ~one].mean() + K[~one][:, ~one].mean()


def _mean_distance_by_weights(K, group):
    w = np.where(group == 1, 1 / np.sum(group == 1), -1 / np.sum(group == 0))
    return np.array([[w @ K @ w]])


def _mean_distance_by_loops(K, group):
    total, counts = 0, Counter(int(g) for g in group)
    for i, g in enumerate(group):
        for j, h in enumerate(group):
            total += (1 if g == h else -1) * np.float32(K[i, j]) / counts[int(g)] / counts[int(h)]
    return total


def _mean_distance_centered(K, group):
    return _mean_distance_by_weights(_new_rows(K, K), group)


_ANOTHER_ORIGIN = [[1.5, -1.5, -1.5], [-1.5, 1.5, 1.5], [-1.5, 1.5, 4.5]]
_MADE_OF_KERNELS = {
    "sum": "always",
    "product": "always",
    "difference": "not always",
    "maximum": "not always",
    "cosine": "always",
    "exponential": "always",
}
_FEATURES = np.random.default_rng(0).poisson(1.0, (20, 30)).astype(float)
_OWN = _FEATURES @ _FEATURES.T
_VARIANCES = np.linalg.svd(_FEATURES - _FEATURES.mean(axis=0), compute_uv=False) ** 2
_KEPT = int(np.argmax(_VARIANCES.cumsum() / _VARIANCES.sum() >= 0.9)) + 1

RIGHT = {
    "centering-1": [
        _TILDE,
        _TILDE.tolist(),
        [[Fraction(int(entry)) for entry in row] for row in _TILDE],
        sparse.csr_array(_TILDE),
    ],
    "centering-2": [_in_place, _in_place_row_by_row, _in_place_by_ufuncs],
    "centering-3": [
        _new_rows,
        _new_rows_one_by_one,
        lambda k_new, K: KernelCenterer().fit(K).transform(k_new),
        lambda k_new, K: _new_rows(k_new.astype(np.float32), K.astype(np.float32)),
        lambda k_new, K: (k_new - K.mean(axis=0)) @ (np.eye(len(K)) - 1 / len(K)),
    ],
    "centering-4": [
        _SAME,
        {key: word.upper() for key, word in _SAME.items()},
        dict(reversed([(key, f" {word}") for key, word in _SAME.items()])),
    ],
    "centering-5": [
        [[8, 8], [6, 6]],
        np.array([[6, 6.5], [8, 8]]),
        np.array([[7.5, 8], [6, 6]], dtype=np.float32),
        sparse.csr_array([[8, 8], [6, 6]]),
    ],
    "centering-6": [_by_counting, _by_loops, _by_common_ends],
    "centering-7": [0.59, 0.586, [0.59], np.float32(0.588)],
    "centering-8": [
        _mean_distance,
        _mean_distance_by_weights,
        _mean_distance_by_loops,
        _mean_distance_centered,
    ],
    "centering-9": [
        _ANOTHER_ORIGIN,
        np.array(_ANOTHER_ORIGIN, dtype=np.float32),
        sparse.csr_array(_ANOTHER_ORIGIN),
        [[Fraction(entry) for entry in row] for row in _ANOTHER_ORIGIN],
    ],
    "centering-10": [
        _MADE_OF_KERNELS,
        {key: word.upper() for key, word in _MADE_OF_KERNELS.items()},
        {key: word.replace(" ", "_") for key, word in reversed(_MADE_OF_KERNELS.items())},
    ],
    "centering-11": [
        {"kernel": _OWN, "components": _KEPT},
        {"kernel": _OWN.tolist(), "components": [_KEPT]},
        {"kernel": sparse.csr_array(_OWN), "components": np.float32(_KEPT)},
    ],
}

WRONG = {
    "centering-1": [
        [[5, 1, -2], [-1, 1, 0], [-2, 0, 2]],
        [[5, 1, 0], [-1, 1, 0], [-4, -2, 0]],  # columns or rows only
        [[1, -3, -4], [-3, -1, -2], [-4, -2, 0]],  # the mean of all is missing
        [[7, 1, -2], [1, 1, -2], [-2, -2, -2]],  # the mean of all, subtracted
        [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]],
        3,
    ],
    "centering-2": [
        _not_in_place,
        _without_shift,
        _columns_only,
        _grand_mean_forgotten,
        _by_products,
        _returns_nothing,
        lambda K: K,
        np.zeros((3, 3)),
    ],
    "centering-3": [
        _own_mean_of_the_new,
        _grand_mean_of_the_new,
        lambda k_new, K: k_new - K.mean(axis=0),
        lambda k_new, K: k_new - k_new.mean(axis=1, keepdims=True),
        lambda k_new, K: k_new - k_new.mean(axis=1, keepdims=True) - K.mean(axis=0),
        lambda k_new, K: k_new - k_new.mean(axis=0),
        7,
    ],
    "centering-4": [
        {**_SAME, "diagonal": "same"},
        {**_SAME, "double": "same"},
        {**_SAME, "anchor": "different"},
        {**_SAME, "border": "different"},
        {**_SAME, "constant": "different"},
        {**_SAME, "constant": "unchanged"},
        {"constant": "same"},
        "same",
    ],
    "centering-5": [
        [[0, 0], [8, 8]],  # on different sides
        [[8, 8], [8, 8]],
        [[8, 8], [8.1, 8]],
        [[100, 100], [200, 200]],
        [8, 8],
        "far apart",
    ],
    "centering-6": [
        lambda s, t: len(set(s) & set(t)),
        lambda s, t: sum(a == b for a in s for b in t),
        lambda s, t: sum(s[i : i + 2] == t[j : j + 2] for i in range(len(s) - 1) for j in range(len(t) - 1)),
        lambda s, t: len(set(_substrings(s)) & set(_substrings(t))),
        _not_overlapping,
        4,
    ],
    "centering-7": [0.41, 0.5, 60, 1.0, "six tenths"],
    "centering-8": [
        lambda K, group: np.sqrt(_mean_distance(K, group)),
        lambda K, group: K[group == 1][:, group == 0].mean(),
        lambda K, group: K[group == 1][:, group == 1].mean() + K[group == 0][:, group == 0].mean(),
        lambda K, group: _mean_distance(K, group) + K[group == 1][:, group == 0].mean(),
        lambda K, group: _mean_distance(-0.5 * _new_rows(K, K), group),
        lambda K, group: 0,
        3.0,
    ],
    "centering-9": [
        _TILDE,  # seen from the mean of all
        [[0, 0, 0], [0, 6, 6], [0, 6, 9]],  # seen from the first
        [[3, 0, 0], [-3, 0, 0], [-6, -3, 0]],  # rows only
        [[-3, -6, -6], [-6, -3, -3], [-6, -3, 0]],  # the last term is missing
        [[1.5, -1.5, -1.5], [-1.5, 1.5, 1.5], [-1.5, 1.5, 0]],
        4.5,
    ],
    "centering-10": [
        {**_MADE_OF_KERNELS, "product": "not always"},
        {**_MADE_OF_KERNELS, "difference": "always"},
        {**_MADE_OF_KERNELS, "maximum": "always"},
        {**_MADE_OF_KERNELS, "exponential": "not always"},
        {**_MADE_OF_KERNELS, "cosine": "never"},
        {"sum": "always"},
        "always",
    ],
    "centering-11": [
        {"kernel": _OWN, "components": _KEPT + 1},
        {"kernel": _OWN, "components": _KEPT - 1},
        {"kernel": _new_rows(_OWN, _OWN), "components": _KEPT},
        {"kernel": -_OWN, "components": _KEPT},
        {"kernel": _FEATURES, "components": _KEPT},
        {"kernel": _OWN[:5, :5], "components": 3},
        {"kernel": np.full((12, 12), np.nan), "components": 1},
        {"kernel": "words", "components": 2},
        _OWN,
    ],
}
