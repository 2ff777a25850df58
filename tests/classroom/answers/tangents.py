"""Answers to the exercises on tangents and Hessians: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction

import numpy as np
from scipy import linalg, sparse
from sklearn.linear_model import LinearRegression

from dimred_lessons import LTSA, HessianLLE
from dimred_lessons.classroom import datasets, metrics
from dimred_lessons.eigenpairs import bottom_eigenpairs


def _coordinates(P, d):
    return np.linalg.svd(P - P.mean(axis=0), full_matrices=False)[0][:, :d]


def _coordinates_by_gram_matrix(P, d):
    H = np.eye(len(P)) - 1 / len(P)
    return -np.linalg.eigh(H @ P @ P.T @ H)[1][:, : -d - 1 : -1]


def _coordinates_as_scores(P, d):
    centered = P - P.mean(axis=0)
    scores = centered @ np.linalg.eigh(np.cov(P.T))[1][:, ::-1][:, :d]
    return (scores / np.linalg.norm(scores, axis=0)).astype(np.float32).tolist()


def _design(theta):
    return np.column_stack([np.ones(len(theta)), theta])


def _charge(theta, f):
    A = _design(theta)
    return np.sum((f - A @ np.linalg.lstsq(A, f, rcond=None)[0]) ** 2)


def _charge_by_projection(theta, f):
    Q = np.linalg.qr(_design(theta))[0]
    return f @ f - np.sum((Q.T @ f) ** 2)


def _charge_by_regression(theta, f):
    return [np.sum((f - LinearRegression().fit(theta, f).predict(theta)) ** 2)]


def _bending(theta):
    A = np.column_stack([np.full(len(theta), len(theta) ** -0.5), theta])
    a, b = np.triu_indices(theta.shape[1])
    products = theta[:, a] * theta[:, b]
    Q = np.linalg.qr(products - A @ (A.T @ products))[0]
    return Q @ Q.T


def _all_products(theta):
    return np.column_stack([u * v for i, u in enumerate(theta.T) for v in theta.T[i:]])


def _bending_by_difference(theta):
    A = _design(theta)
    B = np.column_stack([A, _all_products(theta)])
    return B @ np.linalg.pinv(B) - A @ np.linalg.pinv(A)


def _bending_by_range(theta):
    A = _design(theta)
    rest = _all_products(theta) - A @ np.linalg.lstsq(A, _all_products(theta), rcond=None)[0]
    Q = linalg.orth(rest)
    return sparse.csr_array(Q @ Q.T)


def _bending_with_full_factor(theta):
    Q = np.linalg.qr(np.column_stack([_design(theta), _all_products(theta)]), mode="complete")[0]
    return Q[:, theta.shape[1] + 1 :] @ Q[:, theta.shape[1] + 1 :].T


def _bending_with_affine_part(theta):
    Q = np.linalg.qr(_all_products(theta))[0]
    return Q @ Q.T


def _bending_without_mixed(theta):
    A = _design(theta)
    Q = np.linalg.qr(np.column_stack([A, theta**2]))[0][:, A.shape[1] :]
    return Q @ Q.T


def _bending_not_orthonormal(theta):
    A, products = _design(theta), _all_products(theta)
    rest = products - A @ np.linalg.lstsq(A, products, rcond=None)[0]
    return rest @ rest.T


def _report(last=2, k=12, first=LTSA, agreement=metrics.recovery):
    digits, labels = datasets.digits()
    maps = [method(2, n_neighbors=k).fit(digits[labels == 3]) for method in (first, HessianLLE)]
    mu = bottom_eigenpairs(maps[0].cost_, 3)[0]
    explained = agreement(*(fit.embedding_ for fit in maps))
    return {"jump": float(mu[last] / mu[last - 1]), "agreement": float(np.mean(explained))}


_ROUNDED = {name: round(value, 2) for name, value in _report().items()}


def _by_regression(first, second):
    return LinearRegression().fit(first, second).score(first, second)


RIGHT = {
    "tangents-1": [[2 / 3, 1.5], (Fraction(2, 3), Fraction(3, 2)), np.array([[0.667], [1.5]])],
    "tangents-2": [[2, 3, -4, 38], (2.0, 3.0, -4.0, 38.0), np.array([[2], [3], [-4], [38]])],
    "tangents-3": [_coordinates, _coordinates_by_gram_matrix, _coordinates_as_scores],
    "tangents-4": [_charge, _charge_by_projection, _charge_by_regression],
    "tangents-5": [_bending, _bending_by_difference, _bending_by_range],
    "tangents-6": [30, 30.0, np.array([24])],
    "tangents-7": ["a", "A", "(a)"],
    "tangents-8": [5, 5.0, np.int64(5)],
    "tangents-9": [20 / 3, 6.67, Fraction(20, 3)],
    "tangents-10": [9, 9.0, [9]],
    "tangents-11": [_report(), _ROUNDED, _report(agreement=_by_regression)],
}

WRONG = {
    "tangents-1": [[0.5, 1.5], [2 / 3, 3], [4, 9], [2, 3], [2 / 3], "two thirds"],
    "tangents-2": [[2, 3, -4, 29], [1, 3, -2, 14], [2, 3, -4, np.sqrt(38)], [2, -4, 3, 38], [2, 3, -4]],
    "tangents-3": [
        lambda P, d: np.linalg.svd(P, full_matrices=False)[0][:, :d],
        lambda P, d: (P - P.mean(axis=0)) @ np.linalg.svd(P - P.mean(axis=0))[2][:d].T,
        lambda P, d: np.linalg.svd(P - P.mean(axis=0))[2][:d].T,
        lambda P, d: np.linalg.qr(P - P.mean(axis=0))[0][:, :d],
        lambda P, d: P[:, :d],
        7,
    ],
    "tangents-4": [
        lambda theta, f: np.sum((f - theta @ np.linalg.lstsq(theta, f, rcond=None)[0]) ** 2),
        lambda theta, f: f @ f - f.sum() ** 2 / len(f) - np.sum((theta.T @ f) ** 2),
        lambda theta, f: np.sqrt(_charge(theta, f)),
        lambda theta, f: _charge(theta, f) / len(f),
        lambda theta, f: np.sum((f - f.mean()) ** 2),
        "f",
    ],
    "tangents-5": [
        _bending_with_full_factor,
        _bending_with_affine_part,
        _bending_without_mixed,
        _bending_not_orthonormal,
        lambda theta: np.eye(len(theta)),
        3,
    ],
    "tangents-6": [8, 12, 4, 41, 1000, "thirty", 29.5],
    "tangents-7": ["b", "c", "d", "e", 1],
    "tangents-8": [0, 3, 4, 595, "five", 4.5],
    "tangents-9": [16 / 3, 40, 10, 0, 60, "many"],
    "tangents-10": [3, 5, 6, 2, "nine", 9.5],
    "tangents-11": [
        _report(last=1),
        _report(k=8),
        _report(first=HessianLLE),
        {"jump": _ROUNDED["jump"]},
        {"jump": _ROUNDED["agreement"], "agreement": 1 / _ROUNDED["jump"]},
        [1, 2],
    ],
}
