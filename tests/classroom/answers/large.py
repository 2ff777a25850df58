"""Answers to the exercises on tables larger than memory: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction

import numpy as np
from scipy.spatial.distance import cdist

from dimred_lessons import PCA
from dimred_lessons.classroom import datasets


def _merge_by_products(one, other):
    n = one[0] + other[0]
    sums = one[0] * one[1] + other[0] * other[1]
    products = sum(S + n_b * np.outer(m, m) for n_b, m, S in (one, other))
    return [n, sums / n, products - np.outer(sums, sums) / n]


def _merge_by_difference(one, other):
    (a, m, S), (b, mean, T) = one, other
    return a + b, (m + b / (a + b) * (mean - m)).tolist(), S + T + a * b / (a + b) * np.outer(m - mean, m - mean)


def _merge_by_loops(one, other):
    n, D = one[0] + other[0], len(one[1])
    mean = [(one[0] * one[1][j] + other[0] * other[1][j]) / n for j in range(D)]
    scatter = [
        [sum(S[i][j] + n_b * (m[i] - mean[i]) * (m[j] - mean[j]) for n_b, m, S in (one, other)) for j in range(D)]
        for i in range(D)
    ]
    return n, mean, scatter


def _merge_without_means(one, other):
    n, mean, _ = _merge_by_products(one, other)
    return n, mean, one[2] + other[2]


def _merge_with_plain_mean(one, other):
    n, _, scatter = _merge_by_products(one, other)
    return n, (one[1] + other[1]) / 2, scatter


def _merge_with_half(one, other):
    n, mean, _ = _merge_by_products(one, other)
    return n, mean, one[2] + other[2] + n / 4 * np.outer(one[1] - other[1], one[1] - other[1])


def _merge_two_things(one, other):
    return _merge_by_products(one, other)[1:]


def _scatter_around(blocks, origin):
    n, g, C = 0, 0, 0
    for block in blocks:
        origin = block[0] if origin is None else origin
        away = block - origin
        n, g, C = n + len(away), g + away.sum(axis=0), C + away.T @ away
    return C - np.outer(g, g) / n, n


def _leading(blocks, d):
    return np.linalg.eigvalsh(_scatter_around(blocks, None)[0])[::-1][:d]


def _leading_by_merging(blocks, d):
    whole = None
    for block in blocks:
        mean = block.mean(axis=0)
        summary = len(block), mean, (block - mean).T @ (block - mean)
        whole = summary if whole is None else _merge_by_difference(whole, summary)
        whole = whole[0], np.asarray(whole[1]), whole[2]
    return sorted(np.linalg.eigvalsh(whole[2]).tolist(), reverse=True)[:d]


def _leading_of_all(blocks, d):
    return PCA(d).fit(np.vstack(list(blocks))).eigenvalues_


def _leading_from_zero(blocks, d):
    return np.linalg.eigvalsh(_scatter_around(blocks, 0.0)[0])[::-1][:d]


def _leading_covariance(blocks, d):
    scatter, n = _scatter_around(blocks, None)
    return np.linalg.eigvalsh(scatter / (n - 1))[::-1][:d]


def _smallest_first(blocks, d):
    return _leading(blocks, d)[::-1]


def _reads_twice(blocks, d):
    mean = np.vstack(list(blocks)).mean(axis=0)
    return np.linalg.eigvalsh(sum((block - mean).T @ (block - mean) for block in blocks))[::-1][:d]


def _signs(blocks):
    Y = np.vstack(blocks)
    return np.sign(Y[np.abs(Y).argmax(axis=0), range(Y.shape[1])])


def _signs_by_extremes(blocks):
    high, low = np.max([b.max(axis=0) for b in blocks], axis=0), np.min([b.min(axis=0) for b in blocks], axis=0)
    return [1 if h > -m else -1 for h, m in zip(high, low)]


def _signs_by_loops(blocks):
    best = [0.0] * blocks[0].shape[1]
    for row in (row for block in blocks for row in block):
        best = [new if abs(new) > abs(old) else old for new, old in zip(row, best)]
    return np.sign([best])


def _explained(n_steps=6, start=slice(10), blocks=9):
    X = datasets.digits()[0]
    parts, centers = np.array_split(X, blocks), X[start]
    for _ in range(n_steps):
        counts, sums = np.zeros(len(centers)), np.zeros(centers.shape)
        for part in parts:
            labels = cdist(part, centers).argmin(axis=1)
            np.add.at(counts, labels, 1)
            np.add.at(sums, labels, part)
        centers = sums / counts[:, np.newaxis]
    return 1 - np.sum(cdist(X, centers).min(axis=1) ** 2) / np.sum((X - X.mean(axis=0)) ** 2)


def _signs_of_sums(blocks):
    return np.sign(sum(block.sum(axis=0) for block in blocks))


def _signs_of_the_last_block(blocks):
    return _signs(blocks[-1:]) * 0 + np.sign(blocks[-1][0])


def _signs_of_largest_scores(blocks):
    return np.sign(np.vstack(blocks).max(axis=0))


def _magnitudes(blocks):
    return np.abs(np.vstack(blocks)).max(axis=0)


COUNT = int(1 + np.sum(PCA(200).fit(datasets.handwriting(2000)[0]).explained_variance_ratio_.cumsum() < 0.9))

RIGHT = {
    "large-1": [[8, 0.8], (8.0, 0.8016), np.array([[8], [0.8]])],
    "large-2": [_merge_by_products, _merge_by_difference, _merge_by_loops],
    "large-3": [_leading, _leading_by_merging, _leading_of_all],
    "large-4": ["d", "D", "(d)"],
    "large-5": [36, 36.0, Fraction(36)],
    "large-6": [np.sqrt(1.25e7), 3536, [3535.5]],
    "large-7": [_signs, _signs_by_extremes, _signs_by_loops],
    "large-8": [COUNT, float(COUNT), [COUNT]],
    "large-9": ["b", "B", "(b)"],
    "large-10": [_explained(), [_explained(blocks=1)], round(_explained(), 4), round(_explained(), 3)],
}
WRONG = {
    "large-1": [[8, 8], [1, 0.1], [0.8, 8], 8],
    "large-2": [_merge_without_means, _merge_with_plain_mean, _merge_with_half, _merge_two_things],
    "large-3": [_leading_from_zero, _leading_covariance, _smallest_first, _reads_twice],
    "large-4": ["a", "b", "c", "median"],
    "large-5": [18, 22.5, 99, -36],
    "large-6": [1.25e7, 1250, 10_000, np.sqrt(5e8 / 5)],
    "large-7": [_signs_of_sums, _signs_of_the_last_block, _signs_of_largest_scores, _magnitudes],
    "large-8": [COUNT - 1, COUNT + 1, 200, 0.9],
    "large-9": ["a", "c", "d", "none"],
    "large-10": [1 - _explained(), *(_explained(n_steps=n) for n in (0, 1, 5, 7)), 60],
}
