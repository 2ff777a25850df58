# %% mds-1: right
# Means taken off rows and columns, as lists.
def gram(T):
    S = np.asarray(T) ** 2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    return K.tolist()


# %% mds-2: right
# By singular values with signs.
def quality(T, d):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    values = np.sort(np.linalg.eigvalsh(K))[::-1]
    return sum(v for v in values[:d] if v > 0) / sum(v for v in values if v > 0)


# %% mds-2: wrong
# Absolute values in the denominator.
def quality(T, d):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    values = np.linalg.eigvalsh(K)[::-1]
    return np.maximum(values, 0)[:d].sum() / np.abs(values).sum()


# %% mds-3: wrong
# Of the positive eigenvalues.
def negative_share(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    values = np.linalg.eigvalsh(K)
    return -values[values < 0].sum() / values[values > 0].sum()


# %% mds-3: wrong
# The smallest eigenvalue alone.
def negative_share(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    values = np.linalg.eigvalsh(K)
    return max(0, -values[0]) / np.abs(values).sum()


# %% mds-4: right
# By bisection.
def repair(T):
    S, n = T**2, len(T)

    def fine(c):
        R = S + c * (1 - np.eye(n))
        K = -(R - R.mean(axis=0) - R.mean(axis=1)[:, None] + R.mean()) / 2
        return np.linalg.eigvalsh(K)[0] > -1e-10 * S.max()

    low, high = 0.0, 4 * S.max()
    if fine(0):
        return 0
    for _ in range(100):
        low, high = (low, (low + high) / 2) if fine((low + high) / 2) else ((low + high) / 2, high)
    return high


# %% mds-4: wrong
# Far more than needed, if anything is.
def repair(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    return 1000.0 if np.linalg.eigvalsh(K)[0] < -1e-9 else 0.0


# %% mds-4: wrong
# The smallest eigenvalue, not twice.
def repair(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    return max(0.0, -np.linalg.eigvalsh(K)[0])
