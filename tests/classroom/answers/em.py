"""Answers to the exercises on EM and on missing entries: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer

from dimred_lessons import ProbabilisticPCA
from dimred_lessons.classroom import datasets


def _complete(X, mean, B, noise):
    filled = X.copy()
    for row in filled:
        o = ~np.isnan(row)
        J = np.eye(B.shape[1]) + B[o].T @ B[o] / noise
        row[~o] = mean[~o] + B[~o] @ np.linalg.solve(J, B[o].T @ (row[o] - mean[o]) / noise)
    return filled


def _complete_by_covariance(X, mean, B, noise):
    C = B @ B.T + noise * np.eye(len(B))
    table = []
    for row in X:
        o = np.flatnonzero(~np.isnan(row))
        weights = np.linalg.solve(C[np.ix_(o, o)], row[o] - mean[o])
        table.append([x if not np.isnan(x) else mean[j] + C[j, o] @ weights for j, x in enumerate(row)])
    return table


def _complete_in_single_precision(X, mean, B, noise):
    seen = (~np.isnan(X)).astype(float)
    J = np.eye(B.shape[1]) + np.einsum("ij,jk,jl->ikl", seen, B, B) / noise
    Y = np.linalg.solve(J, ((np.nan_to_num(X - mean) @ B) / noise)[:, :, np.newaxis])[:, :, 0]
    return np.where(seen, X, mean + Y @ B.T).astype(np.float32)


def _complete_without_prior(X, mean, B, noise):
    return _complete(X, mean, B, 1e-9)


def _complete_with_zeros(X, mean, B, noise):
    Y = np.nan_to_num(X - mean) @ B @ np.linalg.inv(noise * np.eye(B.shape[1]) + B.T @ B)
    return np.where(np.isnan(X), mean + Y @ B.T, X)


def _complete_and_smooth(X, mean, B, noise):
    filled = _complete(X, mean, B, noise)
    return mean + (filled - mean) @ B @ np.linalg.inv(noise * np.eye(B.shape[1]) + B.T @ B) @ B.T


def _complete_in_place(X, mean, B, noise):
    X[:] = _complete(X, mean, B, noise)
    return X


def _ratio(X, d, center=True, power=2):
    sizes = np.linalg.svd(X - X.mean(axis=0) * center, compute_uv=False)
    return (sizes[d] / sizes[d - 1]) ** power


def _steps(X, d, factor):
    return int(np.ceil(np.log(factor) / np.log(_ratio(X, d))))


def _steps_by_counting(X, d, factor):
    eigenvalues = sorted(np.linalg.eigvalsh(np.cov(X, rowvar=False)), reverse=True)
    t, left = 0, 1.0
    while left > factor:
        t, left = t + 1, left * eigenvalues[d] / eigenvalues[d - 1]
    return t


def _basis(X, Z):
    Z1 = np.column_stack([Z, np.ones(len(Z))])
    shown = ~np.isnan(X)
    return np.array([np.linalg.lstsq(Z1[r], x[r], rcond=None)[0] for r, x in zip(shown.T, X.T, strict=True)])


def _basis_by_moments(X, Z):
    rows = []
    for j in range(X.shape[1]):
        r = np.isfinite(X[:, j])
        center = Z[r].mean(axis=0)
        c = np.linalg.solve((Z[r] - center).T @ (Z[r] - center), (Z[r] - center).T @ X[r, j])
        rows.append([*c, X[r, j].mean() - c @ center])
    return rows


def _basis_of_zeros(X, Z):
    return _basis(np.nan_to_num(X), Z)


def _basis_of_means(X, Z):
    return _basis(SimpleImputer().fit_transform(X), Z)


def _basis_of_complete_rows(X, Z):
    whole = ~np.isnan(X).any(axis=1)
    return _basis(X[whole], Z[whole])


_LINE = np.linspace(-3, 3, 13)
_WILD = np.vstack([np.column_stack([0.01 * _LINE, _LINE, _LINE]), [1, np.nan, np.nan]])
_TAME = np.vstack([np.column_stack([_LINE, _LINE, _LINE]), [1, np.nan, np.nan]])
_REASONS = {
    "dust": "completely at random",
    "follow-up": "at random",
    "income": "not at random",
    "scale": "not at random",
    "sample": "completely at random",
    "age": "at random",
}


def _patches(photo):
    return photo.reshape(30, 8, 40, 8).transpose(0, 2, 1, 3).reshape(-1, 64)


def _photo(patches):
    return patches.reshape(30, 40, 8, 8).transpose(0, 2, 1, 3).reshape(240, 320)


def _restore(photo, d=10):
    fit = ProbabilisticPCA(d, tol=1e-3).fit(_patches(photo))
    whole = _photo(fit.inverse_transform(fit.transform(_patches(photo))))
    return np.where(np.isnan(photo), whole, photo)


def _restore_in_place(photo):
    photo[np.isnan(photo)] = _restore(photo, 6)[np.isnan(photo)]
    return photo.tolist()


def _restore_by_neighbors(photo):
    while np.isnan(photo).any():
        padded = np.pad(photo, 1, constant_values=np.nan)
        around = np.stack([padded[1 + i : 241 + i, 1 + j : 321 + j] for i, j in [(0, 1), (1, 0), (0, -1), (-1, 0)]])
        seen = ~np.isnan(around)
        means = np.nansum(around, axis=0) / np.where(seen.any(axis=0), seen.sum(axis=0), np.nan)
        photo = np.where(np.isnan(photo), means, photo)
    return photo


def _own(seed, d):
    rng = np.random.default_rng(seed)
    X = datasets.digits(n=120, random_state=seed)[0]
    X = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    hidden = ~np.isnan(X) & (rng.random(X.shape) < 0.1)
    hiding = np.where(hidden, np.nan, X)
    fit = ProbabilisticPCA(d).fit(hiding)
    guessed = fit.inverse_transform(fit.transform(hiding))
    error = np.sqrt(np.mean((guessed - X)[hidden] ** 2))
    return {"table": X, "hidden": hidden, "components": d, "error": error}


_OWN = _own(0, 6)

RIGHT = {
    "em-1": [[1.6, 0.4], np.array([[1.6], [0.4]]), np.float32([1.6, 0.4]), sparse.csr_array([[1.6, 0.4]])],
    "em-2": [[0.8, 1.6, 2 / 3, 4 / 3], (0.8, 1.6, 0.667, 1.333), np.float32([[0.8], [1.6], [0.667], [1.33]])],
    "em-3": [_complete, _complete_by_covariance, _complete_in_single_precision],
    "em-4": [_steps, _steps_by_counting, lambda X, d, factor: float(_steps(X, d, factor))],
    "em-5": [_basis, _basis_by_moments, lambda X, Z: sparse.csr_array(_basis(X, Z).astype(np.float32))],
    "em-6": [_WILD, _WILD.tolist(), np.float32(_WILD[:, [1, 0, 2]]), -50 * _WILD],
    "em-7": [
        _REASONS,
        {key: reason.upper() for key, reason in reversed(_REASONS.items())},
        {key: [reason.replace(" ", "_")] for key, reason in _REASONS.items()},
    ],
    "em-8": ["d", "D)", ["(d)"]],
    "em-9": [[0.64, 0.4096, 0.64], (0.64, 0.41, 0.64), np.float32([[0.64, 0.4096, 0.64]])],
    "em-10": [[3**0.5, 0.625, 0.0625], (1.732, 5 / 8, 1 / 16), np.array([[-1.7321], [0.625], [0.0625]])],
    "em-11": [_restore, _restore_in_place, _restore_by_neighbors, lambda photo: _restore(photo, 14).astype(np.float32)],
    "em-12": [
        _OWN,
        {**_own(1, 4), "components": [4]},
        {**_OWN, "table": _OWN["table"].tolist(), "hidden": _OWN["hidden"].astype(int).tolist()},
    ],
}

WRONG = {
    "em-1": [[4, 1], [0.4, 1.6], [1, 1], [1.6, -0.4], [1, 0], np.array([8, 2]), 1.6],
    "em-2": [
        [0.8, 1.6, 0.8, 1.6],
        [4 / 9, 8 / 9, 0.4, 0.8],
        [0.8, 0.8, 2 / 3, 2 / 3],
        [2 / 3, 4 / 3, 0.8, 1.6],
        [0.8, 1.6],
    ],
    "em-3": [
        _complete_without_prior,
        _complete_with_zeros,
        _complete_and_smooth,
        _complete_in_place,
        lambda X, mean, B, noise: np.where(np.isnan(X), mean, X),
        lambda X, mean, B, noise: _complete(X, 0 * mean, B, noise),
        lambda X, mean, B, noise: X,
    ],
    "em-4": [
        lambda X, d, factor: int(np.ceil(np.log(factor) / np.log(_ratio(X, d, power=1)))),
        lambda X, d, factor: int(np.ceil(np.log(factor) / np.log(_ratio(X, d, center=False)))),
        lambda X, d, factor: int(np.log(factor) / np.log(_ratio(X, d))),
        lambda X, d, factor: _steps(X, d + 1, factor),
        lambda X, d, factor: np.log(factor) / np.log(_ratio(X, d)),
        lambda X, d, factor: 100,
    ],
    "em-5": [
        _basis_of_zeros,
        _basis_of_means,
        _basis_of_complete_rows,
        lambda X, Z: _basis(X, Z)[:, ::-1],
        lambda X, Z: _basis(X, Z)[:, :-1],
        lambda X, Z: np.zeros((X.shape[1], Z.shape[1] + 1)),
    ],
    "em-6": [
        _TAME,
        np.nan_to_num(_WILD),
        np.full((5, 3), np.nan),
        np.where(_WILD == 1, np.inf, _WILD),
        np.tile(_WILD, (10, 1)),
        _WILD[-1:],
        "a table",
    ],
    "em-7": [
        {**_REASONS, "follow-up": "not at random"},
        {**_REASONS, "dust": "at random"},
        {**_REASONS, "scale": "at random"},
        dict.fromkeys(_REASONS, "at random"),
        {**_REASONS, "age": "by chance"},
        {**_REASONS, "age": ...},
        "at random",
    ],
    "em-8": ["a", "b", "c", "e", 3],
    "em-9": [[0.64, 0.64, 0.64], [0.64, 0.4096, 0.4096], [0.36, 0.1296, 0.36], [0.64, 0.8, 1], 0.64],
    "em-10": [
        [3**0.5, 0.625, 0.625],
        [3**0.5, 0.0625, 0.625],
        [2, 0.625, 0.0625],
        [3, 0.625, 0.0625],
        [3**0.5, 0.625, 0.25],
        [0, 4, 4],
    ],
    "em-11": [
        lambda photo: np.where(np.isnan(photo), np.nanmean(photo), photo),
        lambda photo: np.nan_to_num(photo),
        lambda photo: photo,
        lambda photo: _restore(photo).T,
        lambda photo: _photo(SimpleImputer().fit_transform(_patches(photo))),
        lambda photo: np.full(photo.shape, np.nanmean(photo)),
    ],
    "em-12": [
        {**_OWN, "error": 0.5 * _OWN["error"]},
        {**_OWN, "components": 3},
        {**_OWN, "hidden": np.zeros_like(_OWN["hidden"])},
        {**_OWN, "hidden": np.isnan(_OWN["table"])},
        {**_OWN, "table": np.nan_to_num(_OWN["table"])},
        {**_OWN, "hidden": _OWN["hidden"].T},
        {"table": _OWN["table"]},
        _OWN["table"],
    ],
}
