"""Plausible wrong answers to the exercises of chapter 9; the checks have to refuse every one."""

import numpy as np


def _vectors(A):
    root = np.sqrt(A.sum(axis=1))
    return np.linalg.eigh(np.eye(len(A)) - A / np.outer(root, root))[1], root[:, None]


def _keeps_the_constant(A, d):
    V, root = _vectors(A)
    return V[:, :d] / root


def _forgets_to_go_back(A, d):
    V, _ = _vectors(A)
    return V[:, 1 : d + 1]


def _wrong_way_back(A, d):
    V, root = _vectors(A)
    return V[:, 1 : d + 1] * root


def _top_instead_of_bottom(A, d):
    V, root = _vectors(A)
    return V[:, -d:] / root


def _plain_constraint(A, d):
    return np.linalg.eigh(np.diag(A.sum(axis=1)) - A)[1][:, 1 : d + 1]


def _one_too_late(A, d):
    V, root = _vectors(A)
    return V[:, 2 : d + 2] / root


def _spectrum(A):
    return np.linalg.eigvalsh(np.diag(A.sum(axis=1)) - A)


WRONG_ANSWERS = {
    "lem-1": [
        [0, 1, 3, 0, 1, 3],
        [0, 1, 2, 0, 1, 3],
        [3, 1, 0, 2, 1, 0],
        [0, 1, 3, 0, 1, 1],
        [0, 1, 3],
        "zero",
    ],
    "lem-2": [[9, 4.5, 1e4], [3, 9, 1e4], [3, 4.5, 100], [-3, 4.5, 1e4], [3, 4.5], [np.sqrt(18), 4.5, 1e4]],
    "lem-3": [
        _keeps_the_constant,
        _forgets_to_go_back,
        _wrong_way_back,
        _top_instead_of_bottom,
        _plain_constraint,
        _one_too_late,
        lambda A, d: np.zeros((len(A), d)),
        lambda A, d: A[:, :d],
        lambda A, d: A[d],
        lambda A, d: 1 / 0,
        5,
    ],
    "lem-4": [
        lambda A: np.sum(_spectrum(A) == 0),
        lambda A: np.sum(_spectrum(A) < 1e-3),
        lambda A: np.sum(_spectrum(A) < 1e-6),
        lambda A: np.sum(np.abs(_spectrum(A)) < 1e-13),
        lambda A: np.sum(np.linalg.eigvalsh(A) < 1e-10),
        lambda A: 1,
        lambda A: _spectrum(A),
        2,
    ],
    "lem-5": [
        lambda a, Y, mu: a @ Y,
        lambda a, Y, mu: a @ Y / a.sum(),
        lambda a, Y, mu: a @ Y / a.sum() * (1 - mu),
        lambda a, Y, mu: a @ Y / (a.sum() - mu),
        lambda a, Y, mu: a @ Y / (1 - mu),
        lambda a, Y, mu: Y[np.argmax(a)],
        lambda a, Y, mu: (a @ Y)[0],
        lambda a, Y, mu: Y[3],
        "y",
    ],
    "lem-6": [[9, 4], [12, 4], [16, 4], [17, 4], [4, 14], [10, 3], [14.5, 4], [5, 4], [14], "14 by 4"],
    "lem-7": ["a", "c", "d", "e", 2, True],
    "lem-8": [1, 2, 4, 5, 0, 11, 2.5, "three", [3]],
}
