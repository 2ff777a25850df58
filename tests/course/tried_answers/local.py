# %% local-1: right
# The eigenvector of the smallest eigenvalue, patch by patch, as lists.
def normals(X, patches):
    return [np.linalg.eigh(np.cov(X[patch].T))[1][:, 0].tolist() for patch in patches]


# %% local-1: wrong
# A plane through the first three points.
def normals(X, patches):
    N = np.cross(X[patches[:, 1]] - X[patches[:, 0]], X[patches[:, 2]] - X[patches[:, 0]])
    return N / np.linalg.norm(N, axis=1, keepdims=True)


# %% local-1: wrong
# A plane that must go through the first point.
def normals(X, patches):
    return np.linalg.svd(X[patches] - X[patches[:, :1]], full_matrices=False)[2][:, 2]


# %% local-1: wrong
# A regression of the height, not the orthogonal distance.
def normals(X, patches):
    found = []
    for patch in patches:
        A = np.column_stack([X[patch][:, :2], np.ones(len(patch))])
        a, b, _ = np.linalg.lstsq(A, X[patch][:, 2], rcond=None)[0]
        found.append(np.array([a, b, -1]) / np.sqrt(a * a + b * b + 1))
    return np.array(found)


# %% local-1: wrong
# All normals are vertical.
def normals(X, patches):
    return np.tile([0.0, 0.0, 1.0], (len(patches), 1))


# %% local-2: right
# Projections by least squares.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        C = X[patch] - X[patch].mean(axis=0)
        A = np.column_stack([np.ones(len(patch)), C @ np.linalg.svd(C)[2][:d].T])
        M[np.ix_(patch, patch)] += np.eye(len(patch)) - A @ np.linalg.pinv(A)
    return M


# %% local-2: wrong
# Only the constant is free.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        M[np.ix_(patch, patch)] += np.eye(len(patch)) - 1 / len(patch)
    return M


# %% local-3: wrong
# Turned but never turned over.
def join(A, B, pairs):
    P, Q = A[pairs[:, 0]], B[pairs[:, 1]]
    U, _, Vt = np.linalg.svd((Q - Q.mean(axis=0)).T @ (P - P.mean(axis=0)))
    R = U @ np.diag([1, np.sign(np.linalg.det(U @ Vt))]) @ Vt
    return (B - Q.mean(axis=0)) @ R + P.mean(axis=0)


# %% local-4: wrong
# The weights of the old model are forgotten.
def em_step(X, weights, means, variances):
    D = X.shape[1]
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    logs = -(squares / variances + D * np.log(variances)) / 2
    R = np.exp(logs - logs.max(axis=1, keepdims=True))
    R /= R.sum(axis=1, keepdims=True)
    sizes = R.sum(axis=0)
    means = R.T @ X / sizes[:, None]
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    return sizes / len(X), means, np.sum(R * squares, axis=0) / (D * sizes)


# %% local-4: wrong
# Variances around the old means.
def em_step(X, weights, means, variances):
    D = X.shape[1]
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    logs = np.log(weights) - (squares / variances + D * np.log(variances)) / 2
    R = np.exp(logs - logs.max(axis=1, keepdims=True))
    R /= R.sum(axis=1, keepdims=True)
    sizes = R.sum(axis=0)
    return sizes / len(X), R.T @ X / sizes[:, None], np.sum(R * squares, axis=0) / (D * sizes)


# %% local-5: wrong
# The perplexity is taken for the number of neighbors.
def widths(distances, perplexity):
    return np.sort(distances, axis=1)[:, int(perplexity)]
