"""Plausible wrong answers to the exercises of chapter 11; the checks have to refuse every one."""

import numpy as np


def _top(K, d):
    eigenvalues, U = np.linalg.eigh(K)
    return eigenvalues[::-1][:d], U[:, ::-1][:, :d]


def _centered(K):
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()


def _not_centered(K, d):
    eigenvalues, U = _top(K, d)
    return U * np.sqrt(np.abs(eigenvalues))


def _no_root(K, d):
    eigenvalues, U = _top(_centered(K), d)
    return U * eigenvalues


def _vectors_only(K, d):
    return _top(_centered(K), d)[1]


def _by_absolute_value(K, d):
    eigenvalues, U = np.linalg.eigh(_centered(K))
    order = np.argsort(-np.abs(eigenvalues))[:d]
    return U[:, order] * np.sqrt(np.abs(eigenvalues[order]))


def _smallest(K, d):
    eigenvalues, U = np.linalg.eigh(_centered(K))
    return U[:, :d] * np.sqrt(np.abs(eigenvalues[:d]))


def _skips_the_first(K, d):
    eigenvalues, U = _top(_centered(K), d + 1)
    return (U * np.sqrt(np.abs(eigenvalues)))[:, 1:]


def _in_place(K, d):
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    eigenvalues, U = _top(K, d)
    return U * np.sqrt(eigenvalues)


def _raw_rows(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return K_new @ U / np.sqrt(eigenvalues)


def _multiplied(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return (K_new - K_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()) @ U * np.sqrt(eigenvalues)


def _own_means(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    rows = K_new - K_new.mean(axis=0) - K_new.mean(axis=1, keepdims=True) + K_new.mean()
    return rows @ U / np.sqrt(eigenvalues)


def _eigenvalues_not_rooted(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return (K_new - K_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()) @ U / eigenvalues


def _embeds_the_training_points(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return (U * np.sqrt(eigenvalues))[: len(K_new)]


def _laplacian(A):
    return np.diag(A.sum(axis=1)) - A


def _heat_with_the_constant(A, t, d):
    mu, U = np.linalg.eigh(_laplacian(A))
    return U[:, :d] * np.exp(-t * mu[:d] / 2)


def _heat_not_rooted(A, t, d):
    mu, U = np.linalg.eigh(_laplacian(A))
    return U[:, 1 : d + 1] * np.exp(-t * mu[1 : d + 1])


def _heat_wrong_sign(A, t, d):
    mu, U = np.linalg.eigh(_laplacian(A))
    return U[:, ::-1][:, :d] * np.exp(t * mu[::-1][:d] / 2)


def _heat_of_the_weights(A, t, d):
    mu, U = np.linalg.eigh(_centered(A))
    return U[:, ::-1][:, :d] * np.exp(-t * mu[::-1][:d] / 2)


def _heat_axes_only(A, t, d):
    return np.linalg.eigh(_laplacian(A))[1][:, 1 : d + 1]


def _heat_in_place(A, t, d):
    A *= -1
    A -= np.diag(A.sum(axis=1))
    return _heat_not_rooted(-A, t / 2, d)


WRONG_ANSWERS = {
    "unified-1": [[3, 2, 1, 1 / 3], [0, 2, 1, 1 / 3], [2, 0, 1 / 3, 1], [2, 0, 1, 3], [2, 0], "two"],
    "unified-2": [[4, 2, 4], [8, 4, 2], [8, 2, 4], [4, 4, 4], [8, 4, 8 / 3], [8, 4], "eight"],
    "unified-3": [
        _not_centered, _no_root, _vectors_only, _by_absolute_value, _smallest, _skips_the_first, _in_place,
        lambda K, d: np.zeros((len(K), d)), 5,
    ],  # fmt: skip
    "unified-4": [
        _raw_rows, _multiplied, _own_means, _eigenvalues_not_rooted, _embeds_the_training_points,
        lambda K, K_new, d: np.zeros((len(K_new), d)), "K",
    ],  # fmt: skip
    "unified-5": [
        _heat_with_the_constant, _heat_not_rooted, _heat_wrong_sign, _heat_of_the_weights, _heat_axes_only,
        _heat_in_place, lambda A, t, d: np.zeros((len(A), d)), 1.0,
    ],  # fmt: skip
    "unified-6": [
        np.full((4, 4), 0.25),
        [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
        [[0, 2, -1, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 1, 0]],
        [[0, 2, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 2, 0]],
        np.eye(4),
        np.zeros((4, 4)),
        np.zeros((3, 3)),
    ],
    "unified-7": ["a", "c", "d", "e", 2, True],
    "unified-8": [0.0, 0.1, 0.5, -0.25, 25, "a quarter"],
}
