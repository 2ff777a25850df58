"""Plausible wrong answers to the exercises of chapter 7; the checks have to refuse every one."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from dimred_lessons.eigenpairs import top_eigenpairs


def _one_round(lengths):
    """Paths of two edges at most."""
    return np.min(lengths[:, :, None] + lengths[None], axis=1)


def _floyd_in_place(lengths):
    for q in range(len(lengths)):
        np.minimum(lengths, lengths[:, [q]] + lengths[[q]], out=lengths)
    return lengths


def _stop_innermost(lengths):
    lengths = lengths.copy()
    for i in range(len(lengths)):
        for j in range(len(lengths)):
            lengths[i, j] = np.min(lengths[i] + lengths[:, j])
    return lengths


def _infinity_as_large(lengths):
    finite = np.where(np.isfinite(lengths), lengths, 1e6)
    for q in range(len(finite)):
        finite = np.minimum(finite, finite[:, [q]] + finite[[q]])
    return finite


def _place(square=2, power=-0.5, half=0.5, mean_of_all=False, sign=-1):
    def place(G, landmarks, d):
        among = G[:, landmarks] ** square
        H = np.eye(len(among)) - 1 / len(among)
        eigenvalues, U = top_eigenpairs(sign * -H @ among @ H * -0.5, d)
        mean = (G**square).mean(axis=1) if mean_of_all else among.mean(axis=0)
        Y = half * (mean - G.T**square) @ (U * eigenvalues**power)
        return Y * np.linspace(1, 1.1, len(Y))[:, None] if mean_of_all else Y

    return place


def _residuals(power=1, squared=True, variance=True, cumulative=True):
    def residuals(G, Y):
        values = []
        for d in range(Y.shape[1]):
            E = squareform(pdist(Y[:, : d + 1] if cumulative else Y[:, d : d + 1])) ** power
            r = np.corrcoef(G.ravel(), E.ravel())[0, 1]
            r = r**2 if squared else r
            values.append(1 - r if variance else r)
        return np.array(values)

    return residuals


WRONG_ANSWERS = {
    "isomap-1": [[2, 5, 8, 11], [2, 3, 5, 9], [2, 3, 4, 8], [2, 3, 5], "2 3 5 8"],
    "isomap-2": [[2, 2, 1, 0], [-1, 0, 2, 2], [2, 2, -1, -3], [4, 4, 0, -2], [2, 2, 0, 1], 2],
    "isomap-3": [_one_round, _floyd_in_place, _stop_innermost, _infinity_as_large, lambda lengths: lengths, 3.0],
    "isomap-4": [
        _place(square=1),
        _place(power=0),
        _place(power=-1),
        _place(power=0.5),
        _place(half=1),
        _place(mean_of_all=True),
        lambda G, landmarks, d: np.zeros((len(landmarks), d)),
        "place",
    ],
    "isomap-5": [
        _residuals(power=2),
        _residuals(squared=False),
        _residuals(variance=False),
        _residuals(cumulative=False),
        lambda G, Y: 0.1,
    ],
    "isomap-6": ["a", "b", "c", "D", 4],
    "isomap-7": [[0, 0], [0, 600], [0.5, 1], [3, 17], [150, 150], 12],
    "isomap-8": [13, 11, 6, 12.5, "twelve"],
}
