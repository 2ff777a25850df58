# Plausible wrong answers to the assignment "latent", with the marks that each test gives them.

# %% latent-1: check 3, test 5, test-2 0, test-3 0
# The noise variance is the mean squared residual of all D columns: divided by D instead of D - d.
# measured: np.mean(log_density(probes(30), 2, probes(500, 1))) gives -9.15 instead of -8.50
def log_density(X, d, new):
    n, D = X.shape
    mean = X.mean(axis=0)
    _, sizes, Vt = np.linalg.svd(X - mean, full_matrices=False)
    variances = sizes**2 / n
    noise = variances[d:].sum() / D
    centered = new - mean
    scores = centered @ Vt[:d].T
    outside = np.sum((centered - scores @ Vt[:d]) ** 2, axis=1)
    distances = np.sum(scores**2 / variances[:d], axis=1) + outside / noise
    log_det = np.sum(np.log(variances[:d])) + (D - d) * np.log(noise)
    return -(D * np.log(2 * np.pi) + log_det + distances) / 2


# %% latent-2: check 4, test 5, test-2 0, test-3 0
# Lost readings are filled in by what is expected of them, and then treated as if they had been seen.
# measured: np.linalg.eigvalsh(gaussian_with_holes(with_holes(probes(), 0.3), 60)[1])[0] gives 0.101 instead of 0.186
def gaussian_with_holes(X, steps):
    mean, C = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    for _ in range(steps):
        filled = X.copy()
        for row in filled:
            lost = np.isnan(row)
            seen = ~lost
            A = np.linalg.solve(C[np.ix_(seen, seen)], C[np.ix_(seen, lost)])
            row[lost] = mean[lost] + (row[seen] - mean[seen]) @ A
        mean, C = filled.mean(axis=0), np.cov(filled.T, bias=True)
    return mean, C


# %% latent-3: check 3, test 4, test-2 0, test-3 0
# Principal components of standardized columns in place of factors: they explain private noise as well.
# measured: np.mean(common_share(stations(), 2)) gives 0.56 instead of 0.41
def common_share(X, d):
    values, V = np.linalg.eigh(np.corrcoef(X.T))
    return np.sum(V[:, -d:] ** 2 * values[-d:], axis=1)


# %% latent-4: check 4, test 0, test-2 0, test-3 0
# The rows are centered, but not whitened.
# measured: np.abs(np.corrcoef(memories().T, separate(memories() @ [[1, 0.5, 0.2], [0.6, 1, 0.8], [0.3, 0.7, 1]]).T)[:3, 3:]).max(axis=1).min() gives 0.63 instead of 1.00
def separate(X):
    C = X - X.mean(axis=0)
    later = C[:-1].T @ C[1:] / (len(X) - 1)
    Y = C @ np.linalg.eigh(later + later.T)[1]
    return Y / Y.std(axis=0)


# %% latent-5: check 2, test 4, test-2 0
# Orthonormal directions, as those of PCA: they see a share d / D of a squared distance.
# measured: np.linalg.norm(sketch(np.ones((1, 2000)), 300, 1)) / np.sqrt(2000) gives 0.39 instead of 1.01
def sketch(X, d, seed):
    directions, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(X.shape[1], d)))
    return X @ directions
