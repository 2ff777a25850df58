def double_centered(S):
    return S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()


# %% sde-1: right
# Sums of all beads to the right of a thread, as lists.
def chain(lengths):
    y = [0.0]
    for length in lengths:
        y.append(y[-1] + float(length))
    middle = sum(y) / len(y)
    y = [place - middle for place in y]
    return y, [sum(y[a + 1 :]) / length for a, length in enumerate(lengths)]


# %% sde-1: right
# The balance of forces, solved as equations.
def chain(lengths):
    y = np.append(0, np.cumsum(lengths))
    y = y - np.mean(y)
    m = len(lengths)
    B = np.eye(m, m + 1, 1) - np.eye(m, m + 1)
    return y, np.linalg.lstsq(B.T * np.diff(y), y, rcond=None)[0]


# %% sde-1: right
# A formula for the mean.
def chain(lengths):
    lengths, m = np.asarray(lengths), len(lengths)
    first = -np.sum(lengths * np.arange(m, 0, -1)) / (m + 1)
    y = first + np.r_[0, np.cumsum(lengths)]
    return [y, np.array([-y[: a + 1].sum() / lengths[a] for a in range(m)])]


# %% sde-1: wrong
# Not centered.
def chain(lengths):
    y = np.concatenate([[0], np.cumsum(lengths)])
    C = y - y.mean()
    return y, -np.cumsum(C)[:-1] / lengths


# %% sde-1: wrong
# Weights for equal threads.
def chain(lengths):
    y = np.concatenate([[0], np.cumsum(lengths)])
    m = len(lengths)
    a = np.arange(1, m + 1)
    return y - y.mean(), a * (m + 1 - a) / 2


# %% sde-1: wrong
# Divided by squares.
def chain(lengths):
    y = np.concatenate([[0], np.cumsum(lengths)])
    y = y - y.mean()
    return y, -np.cumsum(y)[:-1] / np.square(lengths)


# %% sde-1: wrong
# Equal weights that reach the bound.
def chain(lengths):
    y = np.concatenate([[0], np.cumsum(lengths)])
    y = y - y.mean()
    m = len(lengths)
    return y, np.array([1.5, 2, 1.5]) if m == 3 else np.full(m, y @ y / np.sum(np.square(lengths)))


# %% sde-1: wrong
# The median in place of the mean.
def chain(lengths):
    y = np.concatenate([[0], np.cumsum(lengths)])
    y = y - np.median(y)
    return y, -np.cumsum(y)[:-1] / lengths


# %% sde-2: right
# One pair after the other, and a margin.
def repair(pairs, d2, K, w):
    n = len(K)
    K = double_centered((K + K.T) / 2)
    values, U = np.linalg.eigh(K)
    Y = U * np.sqrt(np.maximum(values, 0))
    Y = Y - Y.mean(axis=0)
    factor = min(d2[a] / np.sum((Y[i] - Y[j]) ** 2) for a, (i, j) in enumerate(pairs))
    w = np.where(np.asarray(w) > 0, w, 0.0)
    smallest = np.sort(np.linalg.eigvalsh(laplacian(pairs, w, n)))[1]
    return (factor * Y @ Y.T).tolist(), (w / smallest).tolist()


# %% sde-2: right
# Weights by the eigenvalues of L and a large matrix of ones.
def repair(pairs, d2, K, w):
    n = len(K)
    H = np.eye(n) - 1 / n
    values, U = np.linalg.eigh(H @ K @ H)
    K = (U * values.clip(0)) @ U.T
    i, j = pairs[:, 0], pairs[:, 1]
    K = H @ K @ H / np.max((np.diag(K)[i] + np.diag(K)[j] - 2 * K[i, j]) / d2)
    w = np.clip(w, 0, None)
    L = laplacian(pairs, w, n)
    return [K, w / np.linalg.eigvalsh(L + np.trace(L) * np.ones((n, n)))[0]]


# %% sde-2: right
# Also where the clipped kernel is centered once more.
def repair(pairs, d2, K, w):
    n = len(K)
    values, U = np.linalg.eigh(double_centered(K))
    K = double_centered(U @ np.diag(np.maximum(values, 0)) @ U.T)
    K = (K + K.T) / 2
    i, j = np.transpose(pairs)
    K = K * (d2 / (K[i, i] + K[j, j] - 2 * K[i, j])).min()
    w = np.asarray(w) * (np.asarray(w) > 0)
    return K, w * (1 / np.linalg.eigvalsh(laplacian(pairs, w, n))[1])


# %% sde-2: wrong
# Threads that are too short are left so.
def repair(pairs, d2, K, w):
    n = len(K)
    values, U = np.linalg.eigh(double_centered(K))
    K = U * values.clip(0) @ U.T
    i, j = pairs.T
    K = K * min(1, np.min(d2 / (K[i, i] - 2 * K[i, j] + K[j, j])))
    w = np.maximum(w, 0)
    return K, w / np.linalg.eigvalsh(laplacian(pairs, w, n))[1]


# %% sde-2: wrong
# The mean thread has its length, so that some are too long.
def repair(pairs, d2, K, w):
    n = len(K)
    values, U = np.linalg.eigh(double_centered(K))
    K = U * values.clip(0) @ U.T
    i, j = pairs.T
    K = K * np.mean((d2 / (K[i, i] - 2 * K[i, j] + K[j, j]))[: len(pairs) // 2])
    w = np.maximum(w, 0)
    return K, w / np.linalg.eigvalsh(laplacian(pairs, w, n))[1]


# %% sde-2: wrong
# Weights are only ever enlarged.
def repair(pairs, d2, K, w):
    n = len(K)
    values, U = np.linalg.eigh(double_centered(K))
    K = U * values.clip(0) @ U.T
    i, j = pairs.T
    K = K * np.min(d2 / (K[i, i] - 2 * K[i, j] + K[j, j]))
    w = np.maximum(w, 0)
    return K, w * max(1, 1 / np.linalg.eigvalsh(laplacian(pairs, w, n))[1])


# %% sde-2: wrong
# Not centered.
def repair(pairs, d2, K, w):
    n = len(K)
    values, U = np.linalg.eigh(K)
    K = U * values.clip(0) @ U.T
    i, j = pairs.T
    K = K * np.min(d2 / (K[i, i] - 2 * K[i, j] + K[j, j]))
    w = np.maximum(w, 0)
    return K, w / np.linalg.eigvalsh(laplacian(pairs, w, n))[1]


# %% sde-2: wrong
# Returned as they are.
def repair(pairs, d2, K, w):
    return K, w


# %% sde-3: right
# Singular values, signs turned, as lists.
def one_map(Q, kind, d):
    if kind == "cost":
        values, U = np.linalg.eigh(Q)
        Q = U @ np.diag([1 / v if v > 1e-9 * values[-1] else 0 for v in values]) @ U.T
    elif "distances" in kind:
        Q = -0.5 * (Q if kind.startswith("squared") else np.square(Q))
    values, U = np.linalg.eigh(double_centered(Q))
    order = np.argsort(-values)[:d]
    return (-U[:, order] * np.sqrt(values[order])).tolist()


# %% sde-3: right
# The axes of a cost from its own eigenvectors.
def one_map(Q, kind, d):
    if kind == "cost":
        values, U = np.linalg.eigh(Q)
        return U[:, 1 : d + 1] / np.sqrt(values[1 : d + 1])
    K = {"dot products": Q, "distances": -(Q**2) / 2, "squared distances": -Q / 2}[kind]
    values, U = np.linalg.eigh(double_centered(K))
    return U[:, ::-1][:, :d] * values[::-1][:d] ** 0.5


# %% sde-3: right
# The pseudoinverse by a matrix of ones.
def one_map(Q, kind, d):
    n = len(Q)
    if kind == "cost":
        K = np.linalg.inv(Q + np.trace(Q) * np.ones((n, n)) / n)
    else:
        K = Q if kind == "dot products" else -Q / 2 if kind == "squared distances" else -Q * Q / 2
    values, U = np.linalg.eigh(double_centered(K))
    return U[:, -1 : -d - 1 : -1] * np.sqrt(values[-1 : -d - 1 : -1])


# %% sde-3: wrong
# Dot products are not centered.
def one_map(Q, kind, d):
    if kind == "cost":
        K = np.linalg.pinv(Q, rcond=1e-10, hermitian=True)
    else:
        K = Q if kind == "dot products" else double_centered(-Q / 2 if kind == "squared distances" else -Q * Q / 2)
    values, U = np.linalg.eigh(K)
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d].clip(0))


# %% sde-3: wrong
# Squares are squared again.
def one_map(Q, kind, d):
    K = (
        np.linalg.pinv(Q, rcond=1e-10, hermitian=True)
        if kind == "cost"
        else Q
        if kind == "dot products"
        else -Q * Q / 2
    )
    values, U = np.linalg.eigh(double_centered(K))
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d].clip(0))


# %% sde-3: wrong
# A cost is an inverse distance.
def one_map(Q, kind, d):
    K = Q if kind == "dot products" else -Q * Q / 2 if kind == "distances" else -Q / 2
    values, U = np.linalg.eigh(double_centered(K))
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d].clip(0))


# %% sde-3: wrong
# Eigenvalues of the cost in place of their inverses.
def one_map(Q, kind, d):
    if kind == "cost":
        values, U = np.linalg.eigh(Q)
        return U[:, 1 : d + 1] * np.sqrt(values[1 : d + 1])
    K = Q if kind == "dot products" else -Q * Q / 2 if kind == "distances" else -Q / 2
    values, U = np.linalg.eigh(double_centered(K))
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])


# %% sde-3: wrong
# The smallest axis first.
def one_map(Q, kind, d):
    K = np.linalg.pinv(Q, rcond=1e-10, hermitian=True) if kind == "cost" else Q
    K = -Q * Q / 2 if kind == "distances" else -Q / 2 if kind == "squared distances" else K
    values, U = np.linalg.eigh(double_centered(K))
    return (U * np.sqrt(values.clip(0)))[:, -d:]


# %% sde-4: right
# Differences of squared distances, as in the chapter on landmarks, as lists.
def place(G, near, to, d):
    S = np.square(G)
    values, U = np.linalg.eigh(double_centered(S) / -2)
    Y = U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])
    g2 = np.min([t + G[p] for p, t in zip(near, to)], axis=0) ** 2
    new = np.linalg.pinv(Y) @ (S.mean(axis=0) - g2) / 2
    return Y.tolist() + [new.tolist()]


# %% sde-4: right
# The kernel of the new point, centered by the old ones in full.
def place(G, near, to, d):
    n = len(G)
    values, U = np.linalg.eigh(double_centered(G**2) / -2)
    values, U = values[::-1][:d], U[:, ::-1][:, :d]
    g = np.full(n, np.inf)
    for p, t in zip(near, to):
        g = np.minimum(g, t + G[p])
    k = -(g**2) / 2
    K = -(G**2) / 2
    k = k - k.mean() - K.mean(axis=0) + K.mean()
    return np.concatenate([U * np.sqrt(values), (k @ U / np.sqrt(values))[None]])


# %% sde-4: wrong
# Where its nearest old point is.
def place(G, near, to, d):
    values, U = np.linalg.eigh(double_centered(G**2) / -2)
    Y = U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])
    return np.vstack([Y, Y[near[np.argmin(to)]]])


# %% sde-4: wrong
# The mean place of its neighbors.
def place(G, near, to, d):
    values, U = np.linalg.eigh(double_centered(G**2) / -2)
    Y = U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])
    return np.vstack([Y, Y[near].mean(axis=0)])


# %% sde-4: wrong
# Isomap anew, with the new point.
def place(G, near, to, d):
    g = np.min(np.asarray(to)[:, None] + G[near], axis=0)
    G = np.block([[G, g[:, None]], [g, np.zeros(1)]])
    values, U = np.linalg.eigh(double_centered(G**2) / -2)
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])


# %% sde-4: wrong
# Multiplied where it has to be divided.
def place(G, near, to, d):
    values, U = np.linalg.eigh(double_centered(G**2) / -2)
    values, U = values[::-1][:d], U[:, ::-1][:, :d]
    g = np.min(np.asarray(to)[:, None] + G[near], axis=0)
    row = -0.5 * (g**2 - np.mean(G**2, axis=0))
    return np.vstack([U * np.sqrt(values), row @ U * np.sqrt(values) / np.mean(values)])


# %% sde-4: wrong
# Through the first of its neighbors only.
def place(G, near, to, d):
    values, U = np.linalg.eigh(double_centered(G**2) / -2)
    values, U = values[::-1][:d], U[:, ::-1][:, :d]
    row = -0.5 * ((to[0] + G[near[0]]) ** 2 - np.mean(G**2, axis=0))
    return np.vstack([U * np.sqrt(values), row @ U / np.sqrt(values)])


# %% sde-4: wrong
# Weights by the inverse of the distance.
def place(G, near, to, d):
    values, U = np.linalg.eigh(double_centered(G**2) / -2)
    Y = U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])
    w = 1 / (np.asarray(to) + 1e-9)
    return np.vstack([Y, w @ Y[near] / w.sum()])
