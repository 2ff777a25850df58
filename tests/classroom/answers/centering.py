"""Plausible wrong answers to the exercises of chapter 4; the checks have to refuse every one."""

import numpy as np



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


def _own_mean_of_the_new(k_new, K):
    own = k_new.mean(axis=1, keepdims=True)
    return k_new - own - k_new.mean(axis=0) + k_new.mean()


def _grand_mean_of_the_new(k_new, K):
    return k_new - k_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + k_new.mean()


_RIGHT = {"constant": "same", "border": "same", "diagonal": "different", "anchor": "same", "double": "different"}

WRONG_ANSWERS = {
    "centering-1": [
        [[5, 1, -2], [-1, 1, 0], [-2, 0, 2]],
        [[5, 1, 0], [-1, 1, 0], [-4, -2, 0]],  # columns or rows only
        [[1, -3, -4], [-3, -1, -2], [-4, -2, 0]],  # the mean of all is missing
        [[7, 1, -2], [1, 1, -2], [-2, -2, -2]],  # the mean of all, subtracted
        [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]],
        3,
    ],
    "centering-2": [
        _not_in_place, _without_shift, _columns_only, _grand_mean_forgotten, _by_products, lambda K: K, np.zeros((3, 3)),
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
        {**_RIGHT, "diagonal": "same"},
        {**_RIGHT, "double": "same"},
        {**_RIGHT, "anchor": "different"},
        {**_RIGHT, "border": "different"},
        {**_RIGHT, "constant": "different"},
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
        lambda s, t: sum(s[i] == t[j] for i in range(len(s)) for j in range(len(t))),
        lambda s, t: sum(s[i:i + 2] == t[j:j + 2] for i in range(len(s) - 1) for j in range(len(t) - 1)),
        lambda s, t: len({s[i:j] for i in range(len(s)) for j in range(i + 1, len(s) + 1)}
                         & {t[i:j] for i in range(len(t)) for j in range(i + 1, len(t) + 1)}),
        4,
    ],
    "centering-7": [0.41, 0.5, 60, 1.0, "six tenths"],
}
