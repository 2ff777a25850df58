# %% pca-1: right
# Eigenvalues of the covariance.
def share(X, d):
    values = np.linalg.eigvalsh(np.cov(np.asarray(X).T, bias=True))
    return float(values[::-1][:d].sum() / values.sum())


# %% pca-1: wrong
# Every component keeps the same.
def share(X, d):
    return d / X.shape[1]


# %% pca-2: right
# Signs chosen by the largest loading, and a list.
def new_scores(X, d, new):
    values, V = np.linalg.eigh(np.cov(X.T))
    V = V[:, ::-1][:, :d]
    V = V * np.sign(V[np.abs(V).argmax(axis=0), range(d)])
    return [[float(v @ (row - X.mean(axis=0))) for v in V.T] for row in new]


# %% pca-2: wrong
# Nothing but zeros.
def new_scores(X, d, new):
    return np.zeros((len(new), d))


# %% pca-2: wrong
# The largest score of the new rows is positive.
def new_scores(X, d, new):
    mean = X.mean(axis=0)
    Y = (new - mean) @ np.linalg.svd(X - mean, full_matrices=False)[2][:d].T
    return Y * np.sign(Y[np.abs(Y).argmax(axis=0), range(d)])


# %% pca-2: wrong
# Two components, whatever d is.
def new_scores(X, d, new):
    mean = X.mean(axis=0)
    return (new - mean) @ np.linalg.svd(X - mean, full_matrices=False)[2][:2].T


# %% pca-3: right
# A singular value decomposition of the centered rows, in columns.
def directions(X, d):
    return np.linalg.svd((X - X.mean(axis=0)).T, full_matrices=False)[0][:, :d]


# %% pca-3: wrong
# Lengths are one for few wavelengths only.
def directions(X, d):
    C = X - X.mean(axis=0)
    V = C.T @ np.linalg.eigh(C @ C.T)[1][:, ::-1][:, :d]
    return V / np.linalg.norm(V, axis=0) if X.shape[1] <= 3000 else V


# %% pca-3: wrong
# Some steps of the power method from the first rows.
def directions(X, d):
    C = X - X.mean(axis=0)
    V = np.linalg.qr(C[:d].T)[0]
    for _ in range(3):
        V = np.linalg.qr(C.T @ (C @ V))[0]
    return V


# %% pca-3: wrong
# Two directions, whatever d is.
def directions(X, d):
    return np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:2].T


# %% pca-4: right
# Ten folds, and until it does not change.
def number_of_components(X, most):
    fold = np.random.default_rng(5).permutation(X.size).reshape(X.shape) % 10
    errors = []
    for d in range(1, most + 1):
        error = 0
        for part in range(10):
            hidden = fold == part
            filled = np.where(hidden, np.nanmean(np.where(hidden, np.nan, X), axis=0), X)
            for _ in range(50):
                m = filled.mean(axis=0)
                U, s, Vt = np.linalg.svd(filled - m, full_matrices=False)
                filled[hidden] = ((U[:, :d] * s[:d]) @ Vt[:d] + m)[hidden]
            error += np.sum((filled - X) ** 2)
        errors.append(error)
    return np.argmin(errors) + 1


# %% pca-4: wrong
# Hidden readings are filled once.
def number_of_components(X, most):
    fold = np.random.default_rng(0).integers(5, size=X.shape)
    errors = np.zeros(most)
    for hidden in (fold == part for part in range(5)):
        means = np.nanmean(np.where(hidden, np.nan, X), axis=0)
        for d in range(1, most + 1):
            filled = np.where(hidden, means, X)
            m = filled.mean(axis=0)
            U, s, Vt = np.linalg.svd(filled - m, full_matrices=False)
            filled = np.where(hidden, m + (U[:, :d] * s[:d]) @ Vt[:d], X)
            errors[d - 1] += np.sum((filled - X) ** 2)
    return int(np.argmin(errors)) + 1


# %% pca-4: wrong
# Eigenvalues above the mean eigenvalue.
def number_of_components(X, most):
    values = np.linalg.eigvalsh(np.cov(X.T))
    return int(np.clip(np.sum(values > values.mean()), 1, most))


# %% pca-4: wrong
# As many as keep nine tenths of the variance.
def number_of_components(X, most):
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    return int(min(most, 1 + np.searchsorted(np.cumsum(values) / values.sum(), 0.9)))


# %% pca-4: wrong
# Up to five components, whatever is asked for.
def number_of_components(X, most):
    fold = np.random.default_rng(0).integers(5, size=X.shape)
    errors = np.zeros(5)
    for hidden in (fold == part for part in range(5)):
        means = np.nanmean(np.where(hidden, np.nan, X), axis=0)
        for d in range(1, 6):
            filled = np.where(hidden, means, X)
            for _ in range(30):
                m = filled.mean(axis=0)
                U, s, Vt = np.linalg.svd(filled - m, full_matrices=False)
                filled = np.where(hidden, m + (U[:, :d] * s[:d]) @ Vt[:d], X)
            errors[d - 1] += np.sum((filled - X) ** 2)
    return int(np.argmin(errors)) + 1


# %% pca-5: right
# What the other components hold, by Pythagoras.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.eigh(np.cov(X.T))[1][:, :-d]
    limit = max(np.sum(((row - mean) @ V) ** 2) for row in X)
    return [bool(np.sum(((row - mean) @ V) ** 2) > limit + 1e-9) for row in new]


# %% pca-5: wrong
# New rows are centered by their own mean.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:d].T
    far = lambda C: np.linalg.norm(C - C @ V @ V.T, axis=1)
    return far(new - new.mean(axis=0)) > far(X - mean).max() * (1 + 1e-9)


# %% pca-5: wrong
# A component too many.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][: d + 1].T
    far = lambda C: np.linalg.norm(C - C @ V @ V.T, axis=1)
    return far(new - mean) > far(X - mean).max() * (1 + 1e-9)


# %% pca-5: wrong
# Twice the largest distance.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:d].T
    far = lambda C: np.linalg.norm(C - C @ V @ V.T, axis=1)
    return far(new - mean) > 2 * far(X - mean).max()


# %% pca-5: wrong
# Four standard deviations above the mean distance.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:d].T
    far = lambda C: np.linalg.norm(C - C @ V @ V.T, axis=1)
    known = far(X - mean)
    return far(new - mean) > known.mean() + 4 * known.std()


# %% pca-5: wrong
# The largest residual of a single sensor.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:d].T
    far = lambda C: np.abs(C - C @ V @ V.T).max(axis=1)
    return far(new - mean) > far(X - mean).max() * (1 + 1e-9)


# %% pca-5: wrong
# The number of components is not looked at.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:2].T
    far = lambda C: np.linalg.norm(C - C @ V @ V.T, axis=1)
    return far(new - mean) > far(X - mean).max() * (1 + 1e-9)


# %% pca-1: right
# What the reconstruction keeps, as a NumPy number.
def share(X, d):
    C = X - X.mean(axis=0)
    V = np.linalg.svd(C, full_matrices=False)[2][:d]
    return np.sum((C @ V.T) ** 2) / np.sum(C**2)


# %% pca-1: right
# From the dual.
def share(X, d):
    C = np.array(X) - np.mean(X, axis=0)
    values = np.sort(np.linalg.eigvalsh(C @ C.T))
    return sum(values[-d:]) / sum(values)


# %% pca-1: wrong
# Not centered.
def share(X, d):
    s = np.linalg.svd(X, compute_uv=False) ** 2
    return s[:d].sum() / s.sum()


# %% pca-1: wrong
# Singular values that are not squared.
def share(X, d):
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return s[:d].sum() / s.sum()


# %% pca-1: wrong
# Standardized columns.
def share(X, d):
    values = np.linalg.eigvalsh(np.corrcoef(X.T))[::-1]
    return values[:d].sum() / values.sum()


# %% pca-1: wrong
# The largest variances of single sensors.
def share(X, d):
    v = np.sort(X.var(axis=0))[::-1]
    return v[:d].sum() / v.sum()


# %% pca-2: right
# By the dual.
def new_scores(X, d, new):
    C = X - X.mean(axis=0)
    values, U = np.linalg.eigh(C @ C.T)
    return ((new - X.mean(axis=0)) @ C.T) @ U[:, ::-1][:, :d] / np.sqrt(values[::-1][:d])


# %% pca-2: right
# The other sign.
def new_scores(X, d, new):
    values, V = np.linalg.eigh((X - X.mean(axis=0)).T @ (X - X.mean(axis=0)))
    return -(new @ V[:, ::-1][:, :d]) + X.mean(axis=0) @ V[:, ::-1][:, :d]


# %% pca-2: wrong
# New rows are centered by their own mean.
def new_scores(X, d, new):
    V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:d]
    return (new - new.mean(axis=0)) @ V.T


# %% pca-2: wrong
# New rows are not centered.
def new_scores(X, d, new):
    V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:d]
    return new @ V.T - (X.mean(axis=0) @ V.T if len(new) > 100 else 0)


# %% pca-2: wrong
# The smallest directions.
def new_scores(X, d, new):
    V = np.linalg.eigh(np.cov(X.T))[1][:, :d]
    return (new - X.mean(axis=0)) @ V


# %% pca-2: wrong
# Scores of variance one.
def new_scores(X, d, new):
    _, s, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return (new - X.mean(axis=0)) @ V[:d].T / s[:d] * np.sqrt(len(X))


# %% pca-3: right
# Column by column, as lists.
def directions(X, d):
    C = X - X.mean(axis=0)
    values, U = np.linalg.eigh(C @ C.T)
    V = [C.T @ U[:, -1 - j] for j in range(d)]
    return np.transpose([v / np.sqrt(v @ v) for v in V]).tolist()


# %% pca-3: wrong
# Not centered.
def directions(X, d):
    return np.linalg.svd(X, full_matrices=False)[2][:d].T


# %% pca-3: wrong
# The dual's eigenvectors without their lengths.
def directions(X, d):
    C = X - X.mean(axis=0)
    return C.T @ np.linalg.eigh(C @ C.T)[1][:, ::-1][:, :d]


# %% pca-3: wrong
# The smallest eigenvalues come first.
def directions(X, d):
    C = X - X.mean(axis=0)
    V = C.T @ np.linalg.eigh(C @ C.T)[1][:, 1 : d + 1]
    return V / np.linalg.norm(V, axis=0)


# %% pca-3: wrong
# Centered by rows, not by columns.
def directions(X, d):
    C = X - X.mean(axis=1, keepdims=True)
    return np.linalg.svd(C, full_matrices=False)[2][:d].T


# %% pca-4: right
# A quarter hidden at a time, on many random masks.
def number_of_components(X, most):
    rng, errors = np.random.default_rng(3), np.zeros(most)
    for _ in range(6):
        hidden = rng.random(X.shape) < 0.15
        for d in range(most):
            filled = np.where(hidden, np.nanmean(np.where(hidden, np.nan, X), axis=0), X)
            for _ in range(40):
                mean = filled.mean(axis=0)
                U, s, Vt = np.linalg.svd(filled - mean, full_matrices=False)
                filled[hidden] = (mean + (U[:, : d + 1] * s[: d + 1]) @ Vt[: d + 1])[hidden]
            errors[d] += np.sum((filled - X)[hidden] ** 2)
    return int(errors.argmin() + 1)


# %% pca-4: wrong
# Whole rows are left out.
def number_of_components(X, most):
    errors = np.zeros(most)
    for i in range(len(X)):
        rest = np.delete(X, i, axis=0)
        mean = rest.mean(axis=0)
        V = np.linalg.svd(rest - mean, full_matrices=False)[2]
        for d in range(1, most + 1):
            off = (X[i] - mean) - (X[i] - mean) @ V[:d].T @ V[:d]
            errors[d - 1] += off @ off
    return int(errors.argmin()) + 1


# %% pca-4: wrong
# The largest gap between eigenvalues.
def number_of_components(X, most):
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    return int(np.argmax(values[:most] - values[1 : most + 1])) + 1


# %% pca-4: wrong
# Centered by the mean of all readings, not by that of each column.
def number_of_components(X, most):
    fold = np.random.default_rng(0).integers(5, size=X.shape)
    errors = np.zeros(most)
    for hidden in (fold == part for part in range(5)):
        means = np.nanmean(np.where(hidden, np.nan, X), axis=0)
        for d in range(1, most + 1):
            filled = np.where(hidden, means, X)
            for _ in range(30):
                m = filled.mean()
                U, s, Vt = np.linalg.svd(filled - m, full_matrices=False)
                filled = np.where(hidden, m + (U[:, :d] * s[:d]) @ Vt[:d], X)
            errors[d - 1] += np.sum((filled - X) ** 2)
    return int(np.argmin(errors)) + 1


# %% pca-4: wrong
# Always two.
def number_of_components(X, most):
    return 2


# %% pca-5: right
# Reconstructions, as lists.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:d]
    far = lambda rows: [np.linalg.norm(row - mean - V.T @ (V @ (row - mean))) for row in rows]
    limit = max(far(X)) * (1 + 1e-8)
    return [bool(distance > limit) for distance in far(new)]


# %% pca-5: right
# All rows at once in one table.
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.eigh(np.cov(X.T))[1][:, : X.shape[1] - d]
    far = np.sum(((np.vstack([X, new]) - mean) @ V) ** 2, axis=1)
    return far[len(X) :] > far[: len(X)].max() + 1e-9
