def gaussian(mean, C, rows):
    off = rows - mean
    return (
        -(len(C) * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + np.sum(off * np.linalg.solve(C, off.T).T, axis=1)) / 2
    )


def likeliest(X, d, divisor=None):
    values, V = np.linalg.eigh(np.cov(X.T, bias=True))
    D = X.shape[1]
    noise = values[:-d].sum() / (divisor or D - d)
    return noise * np.eye(D) + (V[:, -d:] * (values[-d:] - noise)) @ V[:, -d:].T


def em(X, steps, doubt=1, divisor=0, ddof=0, start=1, old=0):
    n = len(X)
    mean, C = np.nanmean(X, axis=0), start * np.diag(np.nanvar(X, axis=0, ddof=ddof))
    for _ in range(steps):
        rows, total = [], np.zeros_like(C)
        for x in X:
            o, m = ~np.isnan(x), np.isnan(x)
            row = x.copy()
            A = C[np.ix_(m, o)] @ np.linalg.inv(C[np.ix_(o, o)])
            row[m] = mean[m] + A @ (x[o] - mean[o])
            rows.append(row)
            total[np.ix_(m, m)] += doubt * (C[np.ix_(m, m)] - A @ C[np.ix_(o, m)])
        rows = np.array(rows)
        before, mean = mean, rows.mean(axis=0)
        C = (n * old * np.outer(mean - before, mean - before) + total + (rows - mean).T @ (rows - mean)) / (n - divisor)
    return mean, C


# %% latent-1: right
# The covariance, written out.
def log_density(X, d, new):
    return gaussian(X.mean(axis=0), likeliest(X, d), new).tolist()


# %% latent-1: right
# By a Cholesky factor.
def log_density(X, d, new):
    L = np.linalg.cholesky(likeliest(X, d))
    z = np.linalg.solve(L, (new - X.mean(axis=0)).T)
    return -0.5 * (z**2).sum(axis=0) - np.log(np.diag(L)).sum() - X.shape[1] / 2 * np.log(2 * np.pi)


# %% latent-1: right
# SciPy's normal density, row by row.
def log_density(X, d, new):
    from scipy.stats import multivariate_normal

    model = multivariate_normal(X.mean(axis=0), likeliest(X, d))
    return np.array([model.logpdf(row) for row in new])


# %% latent-1: right
# Woodbury's identity.
def log_density(X, d, new):
    n, D = X.shape
    C = X - X.mean(axis=0)
    s, V = np.linalg.svd(C, full_matrices=False)[1:]
    values = s**2 / n
    noise = values[d:].sum() / (D - d)
    W = V[:d].T * np.sqrt(values[:d] - noise)
    M = W.T @ W + noise * np.eye(d)
    off = new - X.mean(axis=0)
    far = (np.sum(off**2, axis=1) - np.sum((off @ W) * np.linalg.solve(M, (off @ W).T).T, axis=1)) / noise
    return -(D * np.log(2 * np.pi) + np.linalg.slogdet(M)[1] + (D - d) * np.log(noise) + far) / 2


# %% latent-1: wrong
# Divisor n - 1.
def log_density(X, d, new):
    n = len(X)
    return gaussian(X.mean(axis=0), likeliest(X, d) * n / (n - 1), new)


# %% latent-1: wrong
# The noise is that of the smallest eigenvalue.
def log_density(X, d, new):
    values, V = np.linalg.eigh(np.cov(X.T, bias=True))
    noise = max(values[0], 1e-3)
    C = noise * np.eye(X.shape[1]) + (V[:, -d:] * (values[-d:] - noise)) @ V[:, -d:].T
    return gaussian(X.mean(axis=0), C, new)


# %% latent-1: wrong
# The noise is added to the components a second time.
def log_density(X, d, new):
    values, V = np.linalg.eigh(np.cov(X.T, bias=True))
    noise = np.mean(values[:-d])
    return gaussian(X.mean(axis=0), noise * np.eye(X.shape[1]) + (V[:, -d:] * values[-d:]) @ V[:, -d:].T, new)


# %% latent-1: wrong
# Two pi is forgotten.
def log_density(X, d, new):
    return gaussian(X.mean(axis=0), likeliest(X, d), new) + X.shape[1] * np.log(2 * np.pi) / 2


# %% latent-1: wrong
# A Gaussian of full covariance.
def log_density(X, d, new):
    return gaussian(X.mean(axis=0), np.cov(X.T, bias=True) + 1e-6 * np.eye(X.shape[1]), new)


# %% latent-1: wrong
# Centered by the mean of the new rows.
def log_density(X, d, new):
    return gaussian(new.mean(axis=0) if len(new) > 6 else X.mean(axis=0), likeliest(X, d), new)


# %% latent-2: right
# Row by row.
def gaussian_with_holes(X, steps):
    mean, C = em(X, steps)
    return mean.tolist(), C.tolist()


# %% latent-2: right
# Expected products of the readings, from which those of the means are taken.
def gaussian_with_holes(X, steps):
    n, D = X.shape
    mean, C = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    for _ in range(steps):
        first, second = np.zeros(D), np.zeros((D, D))
        for x in X:
            o = np.isfinite(x)
            gain = C[:, o] @ np.linalg.inv(C[o][:, o])
            e = mean + gain @ (x[o] - mean[o])
            first += e
            second += np.outer(e, e) + C - gain @ C[o]
        mean = first / n
        C = second / n - np.outer(mean, mean)
    return [mean, C]


# %% latent-2: right
# From shifted readings, so that squares are small.
def gaussian_with_holes(X, steps):
    shift = np.nanmedian(X, axis=0)
    mean, C = em(X - shift, steps)
    return mean + shift, C


# %% latent-2: right
# The variance at the beginning is that of pandas.
def gaussian_with_holes(X, steps):
    return em(X, steps, ddof=1)


# %% latent-2: wrong
# Until it does not change any more, whatever the number of steps.
def gaussian_with_holes(X, steps):
    return em(X, 100)


# %% latent-2: wrong
# A step less, since the beginning is taken for the first.
def gaussian_with_holes(X, steps):
    return em(X, steps - 1)


# %% latent-2: wrong
# The covariance of each step is that around the mean of the step before.
def gaussian_with_holes(X, steps):
    return em(X, steps, old=1)


# %% latent-2: wrong
# It begins with another variance.
def gaussian_with_holes(X, steps):
    return em(X, steps, start=2)


# %% latent-2: wrong
# Divisor n - 1.
def gaussian_with_holes(X, steps):
    mean, C = em(X, steps, divisor=1)
    return mean, C


# %% latent-2: wrong
# Without what is left open.
def gaussian_with_holes(X, steps):
    return em(X, steps, doubt=0)


# %% latent-2: wrong
# Only rows without holes.
def gaussian_with_holes(X, steps):
    whole = X[~np.isnan(X).any(axis=1)]
    whole = whole if len(whole) > 1 else np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return whole.mean(axis=0), np.cov(whole.T, bias=True)


# %% latent-2: wrong
# Pairs of readings that are both there.
def gaussian_with_holes(X, steps):
    mean = np.nanmean(X, axis=0)
    off = np.where(np.isnan(X), 0, X - mean)
    there = (~np.isnan(X)).astype(float)
    return mean, off.T @ off / (there.T @ there)


# %% latent-2: wrong
# Column means in the holes.
def gaussian_with_holes(X, steps):
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return filled.mean(axis=0), np.cov(filled.T, bias=True)


# %% latent-2: wrong
# The whole variance is left open, not what is left given the row.
def gaussian_with_holes(X, steps):
    mean, C = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    for _ in range(steps):
        rows, total = X.copy(), np.zeros_like(C)
        for x in rows:
            m = np.isnan(x)
            o = ~m
            x[m] = mean[m] + C[np.ix_(m, o)] @ np.linalg.solve(C[np.ix_(o, o)], x[o] - mean[o])
            total[np.ix_(m, m)] += C[np.ix_(m, m)]
        mean = rows.mean(axis=0)
        C = ((rows - mean).T @ (rows - mean) + total) / len(X)
    return mean, C


# %% latent-3: right
# By SciPy's optimizer, for the noise alone.
def common_share(X, d):
    from scipy.optimize import minimize

    R = np.corrcoef(X.T)

    def cost(logs):
        psi = np.exp(logs)
        values = np.linalg.eigvalsh(R / np.sqrt(np.outer(psi, psi)))[::-1]
        rest = values[d:]
        return np.sum(rest - np.log(rest) - 1)

    start = np.log(0.5 / np.diag(np.linalg.inv(R)))
    psi = np.exp(minimize(cost, start, bounds=[(np.log(1e-3), 0)] * len(R)).x)
    values, V = np.linalg.eigh(R / np.sqrt(np.outer(psi, psi)))
    B = np.sqrt(psi)[:, None] * V[:, -d:] * np.sqrt(np.maximum(values[-d:] - 1, 0))
    common = np.sum(B**2, axis=1)
    return (common / (common + psi)).tolist()


# %% latent-3: right
# EM on the covariance in the units of the columns.
def common_share(X, d):
    S = np.cov(X.T, bias=True)
    unit = np.sqrt(np.diag(S))
    rng = np.random.default_rng(1)
    B, psi = unit[:, None] * rng.normal(size=(len(S), d)) * 0.5, np.diag(S) * 0.5
    for _ in range(3000):
        beta = np.linalg.solve(np.eye(d) + (B.T / psi) @ B, B.T / psi)
        B = S @ beta.T @ np.linalg.inv(np.eye(d) - beta @ B + beta @ S @ beta.T)
        psi = np.maximum(np.diag(S) - np.sum(B * (S @ beta.T), axis=1), 1e-3 * np.diag(S))
    common = np.sum(B * B, axis=1)
    return common / (common + psi)


# %% latent-3: wrong
# Probabilistic PCA of standardized columns: equal noise everywhere.
def common_share(X, d):
    values, V = np.linalg.eigh(np.corrcoef(X.T))
    noise = np.mean(values[:-d])
    return np.sum(V[:, -d:] ** 2 * (values[-d:] - noise), axis=1)


# %% latent-3: wrong
# Principal components in the units of the columns.
def common_share(X, d):
    S = np.cov(X.T)
    values, V = np.linalg.eigh(S)
    return np.clip(np.sum(V[:, -d:] ** 2 * values[-d:], axis=1) / np.diag(S), 0, 1)


# %% latent-3: wrong
# The squared multiple correlation with all other columns.
def common_share(X, d):
    return 1 - 1 / np.diag(np.linalg.inv(np.corrcoef(X.T)))


# %% latent-3: wrong
# The share of private noise.
def common_share(X, d):
    return 1 / np.diag(np.linalg.inv(np.corrcoef(X.T)))


# %% latent-3: wrong
# The mean squared correlation.
def common_share(X, d):
    R = np.corrcoef(X.T)
    return (np.sum(R**2, axis=1) - 1) / (len(R) - 1) * 2


# %% latent-3: wrong
# Two steps of EM only.
def common_share(X, d):
    S = np.corrcoef(X.T)
    B, psi = np.ones((len(S), d)) * 0.3 + 0.2 * np.random.default_rng(0).normal(size=(len(S), d)), np.full(len(S), 0.5)
    for _ in range(2):
        beta = np.linalg.solve(np.eye(d) + (B.T / psi) @ B, B.T / psi)
        B = S @ beta.T @ np.linalg.inv(np.eye(d) - beta @ B + beta @ S @ beta.T)
        psi = np.maximum(np.diag(S - B @ beta @ S), 1e-3)
    common = np.sum(B**2, axis=1)
    return common / (common + psi)


# %% latent-4: right
# Whitened by the root of the covariance, as lists.
def separate(X):
    C = X - X.mean(axis=0)
    values, V = np.linalg.eigh(C.T @ C / len(C))
    Z = C @ V @ np.diag(values**-0.5) @ V.T
    M = Z[1:].T @ Z[:-1]
    return (Z @ np.linalg.eigh((M + M.T) / 2)[1][:, ::-1]).tolist()


# %% latent-4: right
# A generalized eigenproblem.
def separate(X):
    from scipy.linalg import eigh

    C = X - X.mean(axis=0)
    later = C[:-1].T @ C[1:]
    Y = C @ eigh(later + later.T, C.T @ C)[1]
    return Y / Y.std(axis=0)


# %% latent-4: right
# Whitened by a Cholesky factor.
def separate(X):
    C = X - X.mean(axis=0)
    Z = np.linalg.solve(np.linalg.cholesky(C.T @ C / len(C)), C.T).T
    M = Z[:-1].T @ Z[1:]
    Q = np.linalg.svd(M + M.T + 10 * len(C) * np.eye(len(M)))[0]
    return Z @ Q


# %% latent-4: wrong
# Principal components, of unit variance.
def separate(X):
    return np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0] * np.sqrt(len(X))


# %% latent-4: wrong
# Whitened without a turn.
def separate(X):
    C = X - X.mean(axis=0)
    values, V = np.linalg.eigh(np.cov(C.T, bias=True))
    return C @ (V / np.sqrt(values)) @ V.T


# %% latent-4: wrong
# Kurtosis, of which Gaussian sources have none.
def separate(X):
    Z = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0] * np.sqrt(len(X))
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(X.shape[1],) * 2))[0]
    for _ in range(50):
        U, _, Vt = np.linalg.svd((Z.T @ (Z @ Q) ** 3) / len(Z) - 3 * Q)
        Q = U @ Vt
    return Z @ Q


# %% latent-4: wrong
# The covariance with itself in place of the next row.
def separate(X):
    Z = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0] * np.sqrt(len(X))
    return Z @ np.linalg.eigh(Z.T @ Z)[1]


# %% latent-4: wrong
# The sources have the length one.
def separate(X):
    U = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0]
    M = U[:-1].T @ U[1:]
    return U @ np.linalg.eigh(M + M.T)[1]


# %% latent-4: wrong
# The lower half of the matrix stands for all of it: its symmetric part is not taken.
def separate(X):
    U = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0]
    Z = np.sqrt(len(X)) * U
    return Z @ np.linalg.eigh(Z[:-1].T @ Z[1:])[1]


# %% latent-5: right
# Signs in place of normal numbers.
def sketch(X, d, seed):
    R = np.random.default_rng(seed).choice([-1.0, 1.0], size=(X.shape[1], d))
    return (X @ R / d**0.5).tolist()


# %% latent-5: right
# Sparse signs.
def sketch(X, d, seed):
    R = np.random.default_rng(seed).choice([-1, 0, 0, 0, 0, 1], size=(X.shape[1], d)) * np.sqrt(3 / d)
    return X @ R


# %% latent-5: right
# Orthonormal directions, and the factor that they need.
def sketch(X, d, seed):
    D = X.shape[1]
    return X @ np.linalg.qr(np.random.default_rng(seed).normal(size=(D, d)))[0] * np.sqrt(D / d)


# %% latent-5: right
# NumPy's old generator.
def sketch(X, d, seed):
    return X @ np.random.RandomState(seed).randn(X.shape[1], d) / np.sqrt(d)


# %% latent-5: wrong
# The factor is forgotten.
def sketch(X, d, seed):
    return X @ np.random.default_rng(seed).normal(size=(X.shape[1], d))


# %% latent-5: wrong
# Some of the columns.
def sketch(X, d, seed):
    D = X.shape[1]
    return X[:, np.random.default_rng(seed).permutation(D)[:d]]


# %% latent-5: wrong
# Divided by the number of readings.
def sketch(X, d, seed):
    return X @ np.random.default_rng(seed).normal(size=(X.shape[1], d)) / np.sqrt(X.shape[1])


# %% latent-5: wrong
# Uniform numbers, whose mean is not zero.
def sketch(X, d, seed):
    return X @ np.random.default_rng(seed).uniform(size=(X.shape[1], d)) * np.sqrt(3 / d)


# %% latent-5: wrong
# Principal components of the call.
def sketch(X, d, seed):
    C = X - X.mean(axis=0)
    Y = np.zeros((len(X), d))
    U, s, _ = np.linalg.svd(C, full_matrices=False)
    Y[:, : len(s)] = (U * s)[:, :d]
    return Y


# %% latent-5: wrong
# Centered first.
def sketch(X, d, seed):
    return (X - X.mean(axis=0)) @ np.random.default_rng(seed).normal(size=(X.shape[1], d)) / np.sqrt(d)


# %% latent-5: wrong
# The same directions whatever the seed is.
def sketch(X, d, seed):
    return X @ np.random.default_rng(0).normal(size=(X.shape[1], d)) / np.sqrt(d)
