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


# %% local-1: right
# The cross product of the two best directions.
def normals(X, patches):
    found = []
    for patch in patches:
        C = X[patch] - X[patch].mean(axis=0)
        V = np.linalg.eigh(C.T @ C)[1]
        found.append(np.cross(V[:, 2], V[:, 1]))
    return np.array(found)


# %% local-1: right
# All patches at once.
def normals(X, patches):
    P = X[np.asarray(patches)]
    C = P - P.mean(axis=1)[:, None]
    return -np.linalg.eigh(np.einsum("pia,pib->pab", C, C))[1][..., 0]


# %% local-1: wrong
# The largest direction, not the smallest.
def normals(X, patches):
    P = X[patches] - X[patches].mean(axis=1, keepdims=True)
    V = np.linalg.svd(P, full_matrices=False)[2]
    return V[:, 2] if np.ptp(X[:, 2]) == 0 else V[:, 0]


# %% local-1: wrong
# Centered by the mean of all points.
def normals(X, patches):
    return np.linalg.svd(X[patches] - X.mean(axis=0), full_matrices=False)[2][:, 2]


# %% local-2: right
# An orthonormal basis by QR.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        C = X[patch] - X[patch].mean(axis=0)
        Q = np.linalg.qr(np.column_stack([np.ones(len(patch)), C @ np.linalg.svd(C)[2][:d].T]))[0]
        M[patch[:, None], patch] += np.eye(len(patch)) - Q @ Q.T
    return M.tolist()


# %% local-2: right
# The other left singular vectors of each patch.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        m = len(patch)
        H = np.eye(m) - 1 / m
        U = np.linalg.svd(H @ X[patch])[0][:, :d]
        M[np.ix_(patch, patch)] += H - U @ U.T
    return M


# %% local-2: right
# Selections, and one large product.
def alignment(X, patches, d):
    rows = []
    for patch in patches:
        C = X[patch] - X[patch].mean(axis=0)
        A = np.column_stack([np.ones(len(patch)), np.linalg.svd(C, full_matrices=False)[0][:, :d]])
        R = np.zeros((len(patch), len(X)))
        R[:, patch] = np.eye(len(patch)) - A @ np.linalg.lstsq(A, np.eye(len(patch)), rcond=None)[0]
        rows.append(R)
    R = np.vstack(rows)
    return R.T @ R


# %% local-2: wrong
# Divided by the number of patches.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        m = len(patch)
        H = np.eye(m) - 1 / m
        U = np.linalg.svd(H @ X[patch])[0][:, :d]
        M[np.ix_(patch, patch)] += (H - U @ U.T) / len(patches) * 60
    return M


# %% local-2: wrong
# A patch that comes twice counts once.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in np.unique(np.sort(patches, axis=1), axis=0):
        m = len(patch)
        H = np.eye(m) - 1 / m
        U = np.linalg.svd(H @ X[patch])[0][:, :d]
        M[np.ix_(patch, patch)] += H - U @ U.T
    return M


# %% local-2: wrong
# A dimension too many.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        m = len(patch)
        H = np.eye(m) - 1 / m
        U = np.linalg.svd(H @ X[patch])[0][:, : d + 1]
        M[np.ix_(patch, patch)] += H - U @ U.T
    return M


# %% local-2: wrong
# Written, not added.
def alignment(X, patches, d):
    M = np.zeros((len(X), len(X)))
    for patch in patches:
        m = len(patch)
        H = np.eye(m) - 1 / m
        U = np.linalg.svd(H @ X[patch])[0][:, :d]
        M[np.ix_(patch, patch)] = H - U @ U.T
    return M


# %% local-3: right
# Complex numbers, turned over or not, whichever is nearer.
def join(A, B, pairs):
    a, b = A[pairs[:, 0]] @ [1, 1j], B[pairs[:, 1]] @ [1, 1j]
    best, least = None, np.inf
    for flip in (lambda z: z, np.conj):
        q, p = flip(b), a
        turn = np.vdot(q - q.mean(), p - p.mean())
        turn /= abs(turn)
        error = np.sum(np.abs(p - p.mean() - turn * (q - q.mean())) ** 2)
        if error < least:
            z = turn * (flip(B @ [1, 1j]) - q.mean()) + p.mean()
            best, least = np.column_stack([z.real, z.imag]), error
    return best.tolist()


# %% local-3: right
# The singular vectors of the other product.
def join(A, B, pairs):
    i, j = np.transpose(pairs)
    a, b = A[i].mean(axis=0), B[j].mean(axis=0)
    U, s, Vt = np.linalg.svd((A[i] - a).T @ (B[j] - b))
    return a + (B - b) @ (U @ Vt).T


# %% local-3: right
# SciPy's function.
def join(A, B, pairs):
    from scipy.linalg import orthogonal_procrustes

    P, Q = A[pairs[:, 0]], B[pairs[:, 1]]
    return (B - Q.mean(axis=0)) @ orthogonal_procrustes(Q - Q.mean(axis=0), P - P.mean(axis=0))[0] + P.mean(axis=0)


# %% local-3: wrong
# The best affine map: cloth stretches.
def join(A, B, pairs):
    P, Q = A[pairs[:, 0]], B[pairs[:, 1]]
    T = np.linalg.lstsq(np.column_stack([Q, np.ones(len(Q))]), P, rcond=None)[0]
    return np.column_stack([B, np.ones(len(B))]) @ T


# %% local-3: wrong
# With the best scale.
def join(A, B, pairs):
    P, Q = A[pairs[:, 0]], B[pairs[:, 1]]
    p, q = P - P.mean(axis=0), Q - Q.mean(axis=0)
    U, s, Vt = np.linalg.svd(q.T @ p)
    return s.sum() / np.sum(q**2) * (B - Q.mean(axis=0)) @ U @ Vt + P.mean(axis=0)


# %% local-3: wrong
# The means of all of A and all of B.
def join(A, B, pairs):
    P, Q = A[pairs[:, 0]] - A.mean(axis=0), B[pairs[:, 1]] - B.mean(axis=0)
    U, _, Vt = np.linalg.svd(Q.T @ P)
    return (B - B.mean(axis=0)) @ U @ Vt + A.mean(axis=0)


# %% local-3: wrong
# The first pair fits exactly.
def join(A, B, pairs):
    i, j = pairs[0]
    P, Q = A[pairs[:, 0]] - A[i], B[pairs[:, 1]] - B[j]
    U, _, Vt = np.linalg.svd(Q.T @ P)
    return (B - B[j]) @ U @ Vt + A[i]


# %% local-4: right
# One thread at a time, with logarithms.
def em_step(X, weights, means, variances):
    D, S = X.shape[1], len(weights)
    R = []
    for x in X:
        logs = np.array(
            [
                np.log(weights[s]) - D / 2 * np.log(variances[s]) - np.sum((x - means[s]) ** 2) / 2 / variances[s]
                for s in range(S)
            ]
        )
        R.append(np.exp(logs - np.logaddexp.reduce(logs)))
    R = np.array(R)
    new = [R[:, s] @ X / R[:, s].sum() for s in range(S)]
    v = [R[:, s] @ np.sum((X - new[s]) ** 2, axis=1) / D / R[:, s].sum() for s in range(S)]
    return R.mean(axis=0).tolist(), [m.tolist() for m in new], v


# %% local-4: right
# SciPy's softmax, and variances from mean squares.
def em_step(X, weights, means, variances):
    from scipy.special import softmax

    D = X.shape[1]
    squares = ((X[:, None] - means) ** 2).sum(axis=2)
    R = softmax(np.log(weights) - squares / (2 * variances) - D * np.log(variances) / 2, axis=1)
    n = R.sum(axis=0)
    new = (R.T @ X) / n[:, None]
    v = np.array([np.average(np.mean((X - m) ** 2, axis=1), weights=r) for m, r in zip(new, R.T)])
    return [n / n.sum(), new, v]


# %% local-4: wrong
# Densities that are not logarithms.
def em_step(X, weights, means, variances):
    D = X.shape[1]
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    R = weights * np.exp(-squares / variances / 2) / variances ** (D / 2) + 1e-300
    R /= R.sum(axis=1, keepdims=True)
    n = R.sum(axis=0)
    new = R.T @ X / n[:, None]
    squares = np.sum((X[:, None] - new) ** 2, axis=2)
    return n / len(X), new, np.sum(R * squares, axis=0) / (D * n)


# %% local-4: wrong
# Each thread belongs to its likeliest kind.
def em_step(X, weights, means, variances):
    D = X.shape[1]
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    logs = np.log(weights) - (squares / variances + D * np.log(variances)) / 2
    R = (logs == logs.max(axis=1, keepdims=True)) * 1.0 + 1e-12
    R /= R.sum(axis=1, keepdims=True)
    n = R.sum(axis=0)
    new = R.T @ X / n[:, None]
    squares = np.sum((X[:, None] - new) ** 2, axis=2)
    return n / len(X), new, np.sum(R * squares, axis=0) / (D * n)


# %% local-4: wrong
# The variance is not divided by the number of wavelengths.
def em_step(X, weights, means, variances):
    D = X.shape[1]
    squares = np.sum((X[:, None] - means) ** 2, axis=2)
    logs = np.log(weights) - (squares / variances + D * np.log(variances)) / 2
    R = np.exp(logs - logs.max(axis=1, keepdims=True))
    R /= R.sum(axis=1, keepdims=True)
    n = R.sum(axis=0)
    new = R.T @ X / n[:, None]
    squares = np.sum((X[:, None] - new) ** 2, axis=2)
    return n / len(X), new, np.sum(R * squares, axis=0) / n


# %% local-5: right
# A root by SciPy, thread by thread.
def widths(distances, perplexity):
    from scipy.optimize import brentq

    found = []
    for i in range(len(distances)):
        s = np.delete(distances[i], i) ** 2
        s = s - s.min()
        unit = np.sort(s)[1]

        def excess(log, s=s):
            p = np.exp(-s / 2 / np.exp(log))
            p /= p.sum()
            return -np.sum(p[p > 0] * np.log(p[p > 0])) - np.log(perplexity)

        low, high = np.log(unit) - 20, np.log(s.max()) + 20
        found.append(float(np.exp(brentq(excess, low, high, xtol=1e-9) / 2)))
    return found


# %% local-5: right
# Newton's method would do, bisection of the width does, too.
def widths(distances, perplexity):
    found = []
    for i, row in enumerate(distances):
        s = np.delete(row, i) ** 2
        s = s - s.min()
        low, high = 0.0, np.sqrt(s.max()) * 1e3
        for _ in range(120):
            sigma = (low + high) / 2
            p = np.exp(-s / (2 * sigma**2)) if sigma > 0 else (s == 0) * 1.0
            p = p / p.sum()
            h = -np.sum(p * np.log(p + (p == 0)))
            low, high = (low, sigma) if h > np.log(perplexity) else (sigma, high)
        found.append(sigma)
    return np.array(found)


# %% local-5: wrong
# The point picks itself, too.
def widths(distances, perplexity):
    low, high = np.full(len(distances), 1e-9 * distances.max()), np.full(len(distances), 1e3 * distances.max())
    for _ in range(100):
        sigma = np.sqrt(low * high)
        P = np.exp(-(distances**2) / 2 / sigma[:, None] ** 2)
        P /= P.sum(axis=1, keepdims=True)
        h = -np.sum(P * np.log(P + (P == 0)), axis=1)
        low, high = np.where(h > np.log(perplexity), low, sigma), np.where(h > np.log(perplexity), sigma, high)
    return sigma


# %% local-5: wrong
# Without the two: a variance of another size.
def widths(distances, perplexity):
    found = []
    for i, row in enumerate(distances):
        s = np.delete(row, i) ** 2
        s = s - s.min()
        low, high = 1e-9 * np.sqrt(s.max()), np.sqrt(s.max()) * 1e3
        for _ in range(100):
            sigma = np.sqrt(low * high)
            p = np.exp(-s / sigma**2)
            p = p / p.sum()
            h = -np.sum(p * np.log(p + (p == 0)))
            low, high = (low, sigma) if h > np.log(perplexity) else (sigma, high)
        found.append(sigma)
    return np.array(found)


# %% local-5: wrong
# Squares of widths.
def widths(distances, perplexity):
    found = []
    for i, row in enumerate(distances):
        s = np.delete(row, i) ** 2
        s = s - s.min()
        low, high = 1e-9 * np.sqrt(s.max()), np.sqrt(s.max()) * 1e3
        for _ in range(100):
            sigma = np.sqrt(low * high)
            p = np.exp(-s / 2 / sigma**2)
            p = p / p.sum()
            h = -np.sum(p * np.log(p + (p == 0)))
            low, high = (low, sigma) if h > np.log(perplexity) else (sigma, high)
        found.append(sigma**2)
    return np.array(found)


# %% local-5: wrong
# One width for all threads.
def widths(distances, perplexity):
    n = len(distances)
    off = (distances**2)[~np.eye(n, dtype=bool)].reshape(n, -1)
    off = off - off.min(axis=1, keepdims=True)
    low, high = 1e-9 * distances.max(), 1e3 * distances.max()
    for _ in range(100):
        sigma = np.sqrt(low * high)
        P = np.exp(-off / 2 / sigma**2)
        P /= P.sum(axis=1, keepdims=True)
        h = np.mean(-np.sum(P * np.log(P + (P == 0)), axis=1))
        low, high = (low, sigma) if h > np.log(perplexity) else (sigma, high)
    return np.full(n, sigma)
