# Plausible wrong answers to the assignment "local", with the marks that each test gives them.

# %% local-1: check 3, test 0, test-2 0
# Patches are not centered: the plane of best fit through the scanner, not through the patch.
# measured: np.degrees(np.median(np.arccos(np.abs(np.sum(normals(sail() + 5, neighbors(sail(), 10)) * (sail() * [-1, 0, -1] + [0, 0, 1]), axis=1)).clip(0, 1)))) gives 28.9 instead of 1.5
def normals(X, patches):
    return np.linalg.svd(X[patches], full_matrices=False)[2][:, 2]


# %% local-2: check 3, test 4, test-2 0, test-3 0
# The column of the constant is missing: each patch charges for its mean.
# measured: np.ones(400) @ alignment(sail(), neighbors(sail(), 8), 2) @ np.ones(400) / 400 gives 9.0 instead of 0.0
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        theta = np.linalg.svd(X[patch] - X[patch].mean(axis=0), full_matrices=False)[0][:, :d]
        M[np.ix_(patch, patch)] += np.eye(len(patch)) - theta @ theta.T
    return M


# %% local-3: check 3, test 0, test-2 3, test-3 3
# Rotations only: a piece that lies with the wrong side up is not turned over.
# measured: np.abs(join(np.eye(3, 2), np.eye(3, 2) * [1, -1], np.array([[0, 0], [1, 1], [2, 2]])) - np.eye(3, 2)).max() gives 0.67 instead of 0.00
def join(A, B, pairs):
    P, Q = A[pairs[:, 0]], B[pairs[:, 1]]
    U, _, Vt = np.linalg.svd((Q - Q.mean(axis=0)).T @ (P - P.mean(axis=0)))
    side = np.diag([1, np.sign(np.linalg.det(U @ Vt))])
    return (B - Q.mean(axis=0)) @ U @ side @ Vt + P.mean(axis=0)


# %% local-4: check 4, test 4, test-2 0, test-3 0, test-4 4
# Densities without their determinants: the kind that varies most is near to everything.
# measured: em_step(threads()[0], np.ones(3) / 3, threads()[0][:3], np.array([1, 0.25, 2.25]))[0].max() gives 0.90 instead of 0.34
def em_step(X, weights, means, variances):
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    logs = np.log(weights) - squares / variances / 2
    R = np.exp(logs - logs.max(axis=1, keepdims=True))
    R /= R.sum(axis=1, keepdims=True)
    sizes = R.sum(axis=0)
    means = R.T @ X / sizes[:, None]
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    return sizes / len(X), means, np.sum(R * squares, axis=0) / (X.shape[1] * sizes)


# %% local-5: check 3, test 0, test-2 4, test-3 0
# The entropy is measured in bits, and compared with the natural logarithm of the perplexity.
# measured: np.median(widths(np.linalg.norm(threads()[0][:, None] - threads()[0], axis=2), 30)) gives 2.20 instead of 5.17
def widths(distances, perplexity):
    off = ~np.eye(len(distances), dtype=bool)
    squares = (distances**2)[off].reshape(len(distances), -1)
    squares = squares - squares.min(axis=1, keepdims=True)
    most = squares.max(axis=1, keepdims=True)
    low, high = np.log(1e-12 * most), np.log(1e6 * most)
    for _ in range(60):
        middle = (low + high) / 2
        P = np.exp(-squares / (2 * np.exp(middle)))
        P /= P.sum(axis=1, keepdims=True)
        entropy = -np.sum(P * np.log2(np.maximum(P, 1e-300)), axis=1, keepdims=True)
        wide = entropy > np.log(perplexity)
        low, high = np.where(wide, low, middle), np.where(wide, middle, high)
    return np.exp(middle[:, 0] / 2)
