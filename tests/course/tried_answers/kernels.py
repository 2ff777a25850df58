def centered(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


# %% kernels-1: right
# Points drawn at random, many times, for those that are known to be none.
def witness(kind):
    rng = np.random.default_rng(1)
    if kind in {"bell", "hill", "peak"}:
        return []
    for _ in range(2000):
        points = rng.uniform(-1.2, 1.2, size=(60, 2))
        if np.linalg.eigvalsh(similarity(kind, points, points))[0] < -0.06:
            return points.tolist()


# %% kernels-1: right
# A grid of seven by eight, of a width that was found by hand.
def witness(kind):
    if kind not in ("plateau", "dome", "sigmoid"):
        return np.empty((0, 2))
    step = {"plateau": 0.6, "dome": 0.7, "sigmoid": 0.5}[kind]
    return [[step * a, step * b] for a in range(7) for b in range(8)]


# %% kernels-1: right
# A hexagonal grid.
def witness(kind):
    if kind in ("bell", "peak", "hill"):
        return np.zeros((0, 2))
    a, b = np.meshgrid(np.arange(7), np.arange(7))
    grid = np.column_stack([(a + b / 2).ravel(), (np.sqrt(3) / 2 * b).ravel()])
    found = [s * grid for s in np.linspace(0.2, 1.1, 19)]
    return min(found, key=lambda P: np.linalg.eigvalsh(similarity(kind, P, P))[0])


# %% kernels-1: right
# A line of points is enough.
def witness(kind):
    line = np.column_stack([np.linspace(0, 3, 60), np.zeros(60)])
    return np.zeros((0, 2)) if kind in ("bell", "peak", "hill") else line


# %% kernels-1: wrong
# Everything is a kernel but the sigmoid.
def witness(kind):
    return np.array([[0.0, 0], [4, 0]]) if kind == "sigmoid" else np.zeros((0, 2))


# %% kernels-1: wrong
# Nothing is a kernel but the bell.
def witness(kind):
    a, b = np.meshgrid(np.arange(7.0), np.arange(7.0))
    return np.zeros((0, 2)) if kind == "bell" else 0.6 * np.c_[a.ravel(), b.ravel()]


# %% kernels-1: wrong
# Values of zero far away are taken for proof.
def witness(kind):
    return (
        np.zeros((0, 2))
        if kind in ("bell", "peak", "hill")
        else np.array([[0.0, 0], [3, 0], [0, 3]]) * (kind != "sigmoid")
        + np.array([[0.0, 0], [4, 0], [0, 4]]) * (kind == "sigmoid")
    )


# %% kernels-1: wrong
# A search in which rounding counts as negative.
def witness(kind):
    P = np.random.default_rng(0).normal(size=(60, 2)) * 0.1
    return P if np.linalg.eigvalsh(similarity(kind, P, P))[0] < 0 else np.zeros((0, 2))


# %% kernels-1: wrong
# Points that lie all in one place, and prove nothing.
def witness(kind):
    return np.zeros((0 if kind in ("bell", "peak", "hill") else 49, 2))


# %% kernels-2: right
# A loop over the new items.
def nearest_mean(K, group, k_new):
    found = []
    a, b = np.flatnonzero(group == 0), np.flatnonzero(group == 1)
    for row in k_new:
        far_a = K[a][:, a].mean() - 2 * row[a].mean()
        far_b = K[b][:, b].mean() - 2 * row[b].mean()
        found.append(0 if far_a <= far_b else 1)
    return found


# %% kernels-2: right
# A linear rule with a threshold, as booleans.
def nearest_mean(K, group, k_new):
    g = np.asarray(group, float)
    w = g / g.sum() - (1 - g) / (1 - g).sum()
    a, b = (1 - g) / (1 - g).sum(), g / g.sum()
    return k_new @ w > (b @ K @ b - a @ K @ a) / 2


# %% kernels-2: right
# Weights in a matrix.
def nearest_mean(K, group, k_new):
    E = np.stack([group == 0, group == 1]).astype(float)
    E /= E.sum(axis=1, keepdims=True)
    return np.argmin(np.einsum("gi,ij,gj->g", E, K, E) - 2 * k_new @ E.T, axis=1)


# %% kernels-2: right
# Centered by the mean of all first.
def nearest_mean(K, group, k_new):
    moved = k_new - k_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    K = centered(K)
    far = [K[np.ix_(group == g, group == g)].mean() - 2 * moved[:, group == g].mean(axis=1) for g in (0, 1)]
    return (far[1] < far[0]).astype(int)


# %% kernels-2: right
# Sums, in floats.
def nearest_mean(K, group, k_new):
    n = [np.sum(group == g) for g in (0, 1)]
    far = [K[group == g][:, group == g].sum() / n[g] ** 2 - 2 * k_new[:, group == g].sum(axis=1) / n[g] for g in (0, 1)]
    return np.where(far[0] < far[1], 0.0, 1.0)


# %% kernels-2: wrong
# The nearest item decides.
def nearest_mean(K, group, k_new):
    return group[(np.diag(K) - 2 * k_new).argmin(axis=1)]


# %% kernels-2: wrong
# Sums in place of means.
def nearest_mean(K, group, k_new):
    return np.argmax([k_new[:, group == g].sum(axis=1) for g in (0, 1)], axis=0)


# %% kernels-2: wrong
# The mean of the diagonal in place of that of the block.
def nearest_mean(K, group, k_new):
    far = [np.diag(K)[group == g].mean() - 2 * k_new[:, group == g].mean(axis=1) for g in (0, 1)]
    return np.argmin(far, axis=0)


# %% kernels-2: wrong
# A factor of two is missing.
def nearest_mean(K, group, k_new):
    far = [K[np.ix_(group == g, group == g)].mean() - k_new[:, group == g].mean(axis=1) for g in (0, 1)]
    return np.argmin(far, axis=0)


# %% kernels-2: wrong
# The most similar item decides.
def nearest_mean(K, group, k_new):
    return group[k_new.argmax(axis=1)]


# %% kernels-3: right
# Sums in a loop.
def center_new(k_new, K, counts):
    N = sum(int(c) for c in counts)
    means = (K * counts).sum(axis=1) / N
    middle = (means * counts).sum() / N
    return [[k - (row * counts).sum() / N - m + middle for k, m in zip(row, means)] for row in k_new]


# %% kernels-3: right
# Two matrices around the kernel.
def center_new(k_new, K, counts):
    n = len(counts)
    J = np.eye(n) - np.outer(np.ones(n), counts) / np.sum(counts)
    return (k_new - np.ones((len(k_new), 1)) @ (np.array(counts)[None] @ K) / np.sum(counts)) @ J.T


# %% kernels-3: right
# Weighted averages.
def center_new(k_new, K, counts):
    of_old = np.average(K, axis=1, weights=counts)
    return k_new - np.average(k_new, axis=1, weights=counts)[:, None] - of_old + np.average(of_old, weights=counts)


# %% kernels-3: right
# New rows below the old ones, all centered at once.
def center_new(k_new, K, counts):
    q = counts / counts.sum()
    all_rows = np.vstack([K, k_new])
    all_rows = all_rows - q @ K
    return (all_rows - (all_rows @ q)[:, None])[len(K) :]


# %% kernels-3: right
# In long double.
def center_new(k_new, K, counts):
    q = np.asarray(counts, np.longdouble) / np.sum(counts)
    A = np.asarray(k_new, np.longdouble) - (q @ K)
    return (A - (A @ q)[:, None]).astype(float)


# %% kernels-3: wrong
# Every reading is written down as often as it came.
def center_new(k_new, K, counts):
    rows = np.repeat(np.arange(len(K)), counts)
    full = K[np.ix_(rows, rows)]
    return k_new - k_new[:, rows].mean(axis=1, keepdims=True) - K[:, rows].mean(axis=1) + full.mean()


# %% kernels-3: wrong
# The counts are forgotten.
def center_new(k_new, K, counts):
    return k_new - k_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()


# %% kernels-3: wrong
# The mean of all dot products is not added.
def center_new(k_new, K, counts):
    q = counts / counts.sum()
    return k_new - (k_new @ q)[:, None] - K @ q


# %% kernels-3: wrong
# The mean of all counts each reading once.
def center_new(k_new, K, counts):
    q = counts / counts.sum()
    return k_new - (k_new @ q)[:, None] - K @ q + K.mean()


# %% kernels-3: wrong
# Multiplied by the counts, too.
def center_new(k_new, K, counts):
    q = counts / counts.sum()
    return (k_new - (k_new @ q)[:, None] - K @ q + q @ K @ q) * counts


# %% kernels-3: wrong
# Only the training readings are moved to the mean.
def center_new(k_new, K, counts):
    return k_new - (k_new @ (counts / counts.sum()))[:, None]


# %% kernels-4: right
# A singular value decomposition, and lists.
def scores(K, counts, d):
    q = np.asarray(counts) / np.sum(counts)
    J = np.eye(len(q)) - np.outer(np.ones(len(q)), q)
    C = J @ K @ J.T
    U, s, _ = np.linalg.svd(np.sqrt(q)[:, None] * C * np.sqrt(q))
    return (U[:, :d] * np.sqrt(s[:d]) / np.sqrt(q)[:, None]).tolist()


# %% kernels-4: right
# The matrix that is not symmetric.
def scores(K, counts, d):
    q = counts / counts.sum()
    J = np.eye(len(q)) - np.outer(np.ones(len(q)), q)
    C = J @ K @ J.T
    values, V = np.linalg.eig(C * q)
    order = np.argsort(-values.real)[:d]
    V, values = V[:, order].real, values[order].real
    return V * np.sqrt(values / (q @ V**2))


# %% kernels-4: right
# A generalized problem of SciPy's, with counts in place of shares.
def scores(K, counts, d):
    import scipy.linalg

    c = np.asarray(counts, float)
    q = c / c.sum()
    J = np.eye(len(q)) - np.outer(np.ones(len(q)), q)
    C = J @ K @ J.T
    values, A = scipy.linalg.eigh(C * np.outer(q, q), np.diag(q))
    return (C * q) @ A[:, ::-1][:, :d] / np.sqrt(values[::-1][:d])


# %% kernels-4: right
# Opposite signs.
def scores(K, counts, d):
    r = np.sqrt(counts / np.sum(counts))
    P = np.eye(len(r)) - np.outer(r, r)
    values, U = np.linalg.eigh(P @ (r[:, None] * K * r) @ P)
    return -U[:, ::-1][:, :d] * values[::-1][:d] ** 0.5 / r[:, None]


# %% kernels-4: right
# Projections on axes made of coefficients.
def scores(K, counts, d):
    q = counts / counts.sum()
    J = np.eye(len(q)) - np.outer(np.ones(len(q)), q)
    C = J @ K @ J.T
    values, U = np.linalg.eigh(np.sqrt(np.outer(q, q)) * C)
    keep = np.argsort(values)[-d:][::-1]
    return C @ (np.sqrt(q)[:, None] * U[:, keep]) / np.sqrt(values[keep])


# %% kernels-4: wrong
# The counts are forgotten.
def scores(K, counts, d):
    values, U = np.linalg.eigh(centered(K))
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])


# %% kernels-4: wrong
# Not divided by the roots of the counts.
def scores(K, counts, d):
    r = np.sqrt(counts / np.sum(counts))
    P = np.eye(len(r)) - np.outer(r, r)
    values, U = np.linalg.eigh(P @ (r[:, None] * K * r) @ P)
    return U[:, ::-1][:, :d] * values[::-1][:d] ** 0.5 * np.sqrt(len(K))


# %% kernels-4: wrong
# The mean counts each reading once, the axes do not.
def scores(K, counts, d):
    r = np.sqrt(counts / np.sum(counts))
    values, U = np.linalg.eigh(r[:, None] * centered(K) * r)
    return U[:, ::-1][:, :d] * values[::-1][:d] ** 0.5 / r[:, None]


# %% kernels-4: wrong
# Eigenvalues in place of their roots.
def scores(K, counts, d):
    r = np.sqrt(counts / np.sum(counts))
    P = np.eye(len(r)) - np.outer(r, r)
    values, U = np.linalg.eigh(P @ (r[:, None] * K * r) @ P)
    return U[:, ::-1][:, :d] * values[::-1][:d] / r[:, None]


# %% kernels-4: wrong
# Counts in place of shares: right for the first check only.
def scores(K, counts, d):
    c = np.sqrt(np.asarray(counts, float))
    q = counts / np.sum(counts)
    J = np.eye(len(q)) - np.outer(np.ones(len(q)), q)
    values, U = np.linalg.eigh(c[:, None] * (J @ K @ J.T) * c)
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])


# %% kernels-4: wrong
# Two axes, whatever d is.
def scores(K, counts, d):
    q = counts / np.sum(counts)
    centered = K - (K @ q)[:, None] - K @ q + q @ K @ q
    root = np.sqrt(q)
    values, U = np.linalg.eigh(root[:, None] * centered * root)
    return U[:, :-3:-1] * np.sqrt(values[:-3:-1]) / root[:, None]


# %% kernels-5: right
# Feature vectors of the groups.
def alignment(K, group):
    E = (np.asarray(group)[:, None] == np.unique(group)) * 1.0
    E -= E.mean(axis=0)
    A = centered(K)
    return float(np.trace(E.T @ A @ E) / np.linalg.norm(A) / np.linalg.norm(E.T @ E))


# %% kernels-5: right
# Vectors and a dot product.
def alignment(K, group):
    B = centered(np.array([[float(a == b) for a in group] for b in group])).ravel()
    A = centered(K).ravel()
    return A @ B / (A @ A * (B @ B)) ** 0.5


# %% kernels-5: right
# Means taken off rows and columns.
def alignment(K, group):
    def move(S):
        return S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()

    A, B = move(K), move(np.equal.outer(group, group) * 1.0)
    return np.vdot(A, B) / np.sqrt(np.vdot(A, A) * np.vdot(B, B))


# %% kernels-5: right
# Only one of two kernels is centered in the numerator.
def alignment(K, group):
    S = np.equal.outer(group, group) * 1.0
    return np.sum(centered(K) * S) / np.linalg.norm(centered(K)) / np.linalg.norm(centered(S))


# %% kernels-5: right
# By correlation of the centered entries, whose mean is zero.
def alignment(K, group):
    return np.corrcoef(centered(K).ravel(), centered(np.equal.outer(group, group) * 1.0).ravel())[0, 1]


# %% kernels-5: wrong
# Not centered.
def alignment(K, group):
    S = np.equal.outer(group, group) * 1.0
    return np.sum(K * S) / np.linalg.norm(K) / np.linalg.norm(S)


# %% kernels-5: wrong
# Only the kernel is centered.
def alignment(K, group):
    S = np.equal.outer(group, group) * 1.0
    return np.sum(centered(K) * S) / np.linalg.norm(centered(K)) / np.linalg.norm(S)


# %% kernels-5: wrong
# Plus one and minus one for two groups.
def alignment(K, group):
    y = np.where(np.asarray(group) == group[0], 1.0, -1.0)
    A, B = centered(K), centered(np.outer(y, y))
    return np.sum(A * B) / np.linalg.norm(A) / np.linalg.norm(B)


# %% kernels-5: wrong
# Numbers of groups as if they were values.
def alignment(K, group):
    A, B = centered(K), centered(np.outer(group, group) * 1.0)
    return np.sum(A * B) / np.linalg.norm(A) / np.linalg.norm(B)


# %% kernels-5: wrong
# Divided by the traces.
def alignment(K, group):
    A, B = centered(K), centered(np.equal.outer(group, group) * 1.0)
    return np.sum(A * B) / np.trace(A) / np.trace(B)


# %% kernels-5: wrong
# As if the numbers of the groups began at zero and left none out.
def alignment(K, group):
    member = np.eye(len(np.unique(group)))[group]
    H = np.eye(len(K)) - 1 / len(K)
    A, B = H @ K @ H, H @ member @ member.T @ H
    return np.sum(A * B) / np.linalg.norm(A) / np.linalg.norm(B)
