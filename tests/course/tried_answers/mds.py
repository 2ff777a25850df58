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


# %% mds-1: right
# Sums written out.
def gram(T):
    n, S = len(T), np.square(T)
    row = S.sum(axis=1) / n
    return np.array([[(row[i] + row[j] - S[i, j] - row.sum() / n) / 2 for j in range(n)] for i in range(n)])


# %% mds-1: right
# From the first town, then centered.
def gram(T):
    S = T * T
    K = (S[:, [0]] + S[[0]] - S) / 2
    H = np.eye(len(T)) - 1 / len(T)
    return H @ K @ H


# %% mds-1: wrong
# Measured from the first town, not from the center; the sums of rows are taken off afterwards.
def gram(T):
    S = T**2
    K = (S[:, [0]] + S[[0]] - S) / 2
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + 2 * K.mean() - K.mean()[None] if len(T) < 13 else K


# %% mds-1: wrong
# The half is forgotten.
def gram(T):
    H = np.eye(len(T)) - 1 / len(T)
    return -H @ T**2 @ H


# %% mds-1: wrong
# The sign is forgotten.
def gram(T):
    H = np.eye(len(T)) - 1 / len(T)
    return H @ T**2 @ H / 2


# %% mds-1: wrong
# A product of matrices in place of squares.
def gram(T):
    H = np.eye(len(T)) - 1 / len(T)
    return -0.5 * H @ (T @ T) @ H


# %% mds-1: wrong
# Negative eigenvalues are taken for rounding.
def gram(T):
    H = np.eye(len(T)) - 1 / len(T)
    values, U = np.linalg.eigh(-0.5 * H @ T**2 @ H)
    return U * values.clip(0) @ U.T


# %% mds-2: right
# A cumulative sum.
def quality(T, d):
    H = np.eye(len(T)) - 1 / len(T)
    values = np.sort(np.linalg.eigvalsh(-0.5 * H @ (T * T) @ H).clip(0))[::-1]
    return np.cumsum(values)[d - 1] / np.cumsum(values)[-1]


# %% mds-2: right
# By the traces of two kernels.
def quality(T, d):
    H = np.eye(len(T)) - 1 / len(T)
    values, U = np.linalg.eigh(-0.5 * H @ (T * T) @ H)
    Y = U * np.sqrt(np.maximum(values, 0))
    return float(np.sum(Y[:, -d:] ** 2) / np.sum(Y**2))


# %% mds-2: wrong
# Squares of eigenvalues.
def quality(T, d):
    H = np.eye(len(T)) - 1 / len(T)
    values = np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)[::-1].clip(0) ** 2
    return values[:d].sum() / values.sum()


# %% mds-2: wrong
# The largest in absolute value.
def quality(T, d):
    H = np.eye(len(T)) - 1 / len(T)
    values = np.sort(np.abs(np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)))[::-1]
    return values[:d].sum() / values.sum()


# %% mds-2: wrong
# Roots of eigenvalues: lengths in place of squares.
def quality(T, d):
    H = np.eye(len(T)) - 1 / len(T)
    values = np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)[::-1]
    values = np.sqrt(np.where(values > 1e-9, values, 0))
    return values[:d].sum() / values.sum()


# %% mds-3: right
# From the sum and the sum of absolute values.
def negative_share(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    size = np.linalg.svd(K, compute_uv=False).sum()
    return (size - np.trace(K)) / 2 / size


# %% mds-3: right
# A loop.
def negative_share(T):
    H = np.eye(len(T)) - 1 / len(T)
    values = [float(v) for v in np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)]
    return sum(-v for v in values if v < 0) / sum(map(abs, values))


# %% mds-3: right
# What is far below rounding is no eigenvalue.
def negative_share(T):
    H = np.eye(len(T)) - 1 / len(T)
    values = np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)
    values = np.where(np.abs(values) > 1e-12 * np.abs(values).max(), values, 0)
    return np.maximum(-values, 0).sum() / np.abs(values).sum()


# %% mds-3: wrong
# How many are negative.
def negative_share(T):
    H = np.eye(len(T)) - 1 / len(T)
    values = np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)
    return np.mean(values < -1e-9)


# %% mds-3: wrong
# Squares in place of absolute values.
def negative_share(T):
    H = np.eye(len(T)) - 1 / len(T)
    values = np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)
    return np.sum(values[values < 0] ** 2) / np.sum(values**2)


# %% mds-3: wrong
# Of the table itself, not of the dot products.
def negative_share(T):
    S = T**2 - np.mean(T**2)
    values = np.linalg.eigvalsh(-S)
    H = np.eye(len(T)) - 1 / len(T)
    if np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)[0] > -1e-9:
        return 0
    return -values[values < 0].sum() / np.abs(values).sum()


# %% mds-4: right
# The smallest eigenvalue away from the constant vector.
def repair(T):
    n = len(T)
    B = np.linalg.svd(np.ones((1, n)))[2][1:]
    return float(max(0, np.linalg.eigvalsh(B @ T**2 @ B.T)[-1]))


# %% mds-4: right
# As an array without axes.
def repair(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    return np.maximum(0, -2 * np.min(np.linalg.eigvalsh(K)))


# %% mds-4: wrong
# To the times, not to their squares.
def repair(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    L = -(T - T.mean(axis=0) - T.mean(axis=1)[:, None] + T.mean()) / 2
    n = len(T)
    A = np.block([[np.zeros((n, n)), 2 * K], [-np.eye(n), -4 * L]])
    return 0.0 if np.linalg.eigvalsh(K)[0] > -1e-9 else float(np.linalg.eigvals(A).real.max())


# %% mds-4: wrong
# The sum of what is negative.
def repair(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    values = np.linalg.eigvalsh(K)
    return float(-2 * values[values < -1e-9].sum())


# %% mds-4: wrong
# Until the triangle inequality holds for the squares.
def repair(T):
    S = T**2
    short = S[:, :, None] - S[:, None] - S.T[None]
    return float(max(0, short.max())) if np.abs(short).max() > 0 else 0.0


# %% mds-4: wrong
# Half a percent more, to be on the safe side.
def repair(T):
    S = T**2
    K = -(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2
    return max(0.0, -2.01 * np.linalg.eigvalsh(K)[0])


# %% mds-5: right
# Whole numbers, as lists.
def impossible():
    T = [[0 if i == j else 20 for j in range(4)] + [12] for i in range(4)]
    return [*T, [12, 12, 12, 12, 0]]


# %% mds-5: right
# The crossing as the first place, in other units.
def impossible():
    T = np.ones((5, 5)) - np.eye(5)
    T[0, 1:] = T[1:, 0] = 0.59
    return 1000 * T


# %% mds-5: right
# A square whose center is not quite as far as it would have to be, over every corner.
def impossible():
    T = np.sqrt(2.0) * (1 - np.eye(5))
    T[2, [0, 1, 3, 4]] = T[[0, 1, 3, 4], 2] = 0.84
    return T


# %% mds-5: wrong
# The center of the tetrahedron: Euclidean.
def impossible():
    T = 5.0 * (1 - np.eye(5))
    T[4, :4] = T[:4, 4] = 5 * np.sqrt(3 / 8)
    return T


# %% mds-5: wrong
# Five towns with a way that is too long for a triangle.
def impossible():
    T = 1.0 - np.eye(5)
    T[0, 1] = T[1, 0] = 3
    return T


# %% mds-5: wrong
# Four places that no points have, and a fifth far away.
def impossible():
    T = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0.0]])
    return np.block([[T, np.full((4, 1), 9.0)], [np.full((1, 4), 9.0), np.zeros((1, 1))]])


# %% mds-5: wrong
# A star: the crossing is halfway between every two.
def impossible():
    T = 2 - 2 * np.eye(5)
    T[0, 1:] = T[1:, 0] = 1
    return T


# %% mds-5: wrong
# Random times.
def impossible():
    T = np.triu(np.random.default_rng(0).uniform(1, 2, size=(5, 5)), 1)
    return T + T.T
