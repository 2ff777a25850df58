"""Answers to the exercises of chapter 1 that a student might give and that are wrong."""

import numpy as np


def without_mean(training, new, d):
    Vt = np.linalg.svd(training, full_matrices=False)[2][:d]
    return new @ Vt.T @ Vt


def mean_of_new(training, new, d):
    Vt = np.linalg.svd(training - training.mean(axis=0), full_matrices=False)[2][:d]
    return new.mean(axis=0) + (new - new.mean(axis=0)) @ Vt.T @ Vt


def mean_not_added_back(training, new, d):
    Vt = np.linalg.svd(training - training.mean(axis=0), full_matrices=False)[2][:d]
    return (new - training.mean(axis=0)) @ Vt.T @ Vt


def smallest_directions(training, new, d):
    mean = training.mean(axis=0)
    Vt = np.linalg.svd(training - mean, full_matrices=False)[2][-d:]
    return mean + (new - mean) @ Vt.T @ Vt


def never_scaled(S, start, steps):
    return np.linalg.matrix_power(S / np.linalg.norm(S), steps) @ start


def one_step_only(S, start, steps):
    return S @ start / np.linalg.norm(S @ start)


def inverse_power(S, start, steps):
    w = start
    for _ in range(steps):
        w = np.linalg.solve(S, w)
        w = w / np.linalg.norm(w)
    return w


def breaks(*arguments):
    raise RuntimeError("a mistake")


WRONG_ANSWERS = {
    "pca-1": [[2, 8, 0.8], [8, 2, 8], [8, 2, 0.2], [5, 3, 0.6], [8, 2], "eight", [np.nan, 2, 0.8]],
    "pca-2": [1, 4, 0.5, -2, 0, np.inf, [2, 2]],
    "pca-3": [without_mean, mean_of_new, mean_not_added_back, smallest_directions, breaks, 3, lambda a, b, d: b],
    "pca-4": [never_scaled, one_step_only, inverse_power, breaks, lambda S, start, steps: start],
    "pca-5": [
        [[-2, 0], [-1, 0], [0, 0], [1, 0], [2, 0]],
        [[0, 98], [0, 99], [0, 100], [0, 101], [0, 102]],
        [[-1, 100], [1, 100], [0, 99], [0, 101], [0, 100]],
        [[1, 2], [3, 4]],
    ],
    "pca-6": ["a", "c", "d", "e", 2, True],
    "pca-7": [20, 22, 64, 0, 20.5, 0.9, "21 components"],
}
