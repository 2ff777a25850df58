# Plausible wrong answers to the assignment "sde", with the marks that each test gives them.

# %% sde-1: check 2, test 3, test-2 0
# The forces are taken for the weights: a weight is a force divided by the length of its thread.
# measured: chain(np.array([1.0, 2, 3]))[1] @ np.array([1.0, 4, 9]) gives 50 instead of 21
def chain(lengths):
    y = np.concatenate([[0], np.cumsum(lengths)])
    y = y - y.mean()
    return y, -np.cumsum(y)[:-1]


# %% sde-2: check 2, test 0, test-2 0, test-3 0
# Only scaled, as if the kernel were positive semidefinite and centered, and all weights positive.
# measured: (lambda K, w: np.trace(K) / (w @ sloppy_ring()[1]))(*repair(*sloppy_ring())) gives 1.014 instead of 0.860
# measured: np.linalg.eigvalsh(repair(*sloppy_ring())[0])[0] gives -0.135 instead of 0.000
def repair(pairs, d2, K, w):
    i, j = pairs.T
    K = K * min(1, np.min(d2 / (K[i, i] - 2 * K[i, j] + K[j, j])))
    return K, w / np.linalg.eigvalsh(laplacian(pairs, w, len(K)))[1]


# %% sde-3: check 3, test 4, test-2 0, test-3 0
# The axes of a cost matrix keep their unit length, as Laplacian eigenmaps give them.
# measured: (lambda Y: Y[:, 0].std() / Y[:, 1].std())(one_map(laplacian(np.c_[:8, 1:9], np.ones(8), 9), "cost", 2)) gives 1.00 instead of 1.97
def one_map(Q, kind, d):
    n = len(Q)
    H = np.eye(n) - 1 / n
    if kind == "cost":
        return np.linalg.eigh(Q)[1][:, 1 : d + 1]
    if kind != "dot products":
        Q = -(Q**2) / 2 if kind == "distances" else -Q / 2
    values, U = np.linalg.eigh(H @ Q @ H)
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])


# %% sde-4: check 3, test 4, test-2 0, test-3 0
# The new row is centered by its own mean; what it has to be compared with is the mean of the old rows.
# measured: abs(np.diff(place(np.abs(np.subtract.outer([0.0, 1, 2, 5, 9], [0.0, 1, 2, 5, 9])), np.array([3]), np.array([0.0]), 1)[[3, 5], 0])[0]) gives 1.16 instead of 0.00
def place(G, near, to, d):
    n = len(G)
    H = np.eye(n) - 1 / n
    values, U = np.linalg.eigh(-0.5 * H @ G**2 @ H)
    values, U = values[::-1][:d], U[:, ::-1][:, :d]
    g = np.min(np.asarray(to)[:, None] + G[near], axis=0)
    row = -0.5 * (g**2 - np.mean(g**2))
    return np.vstack([U * np.sqrt(values), row @ U / np.sqrt(values)])
