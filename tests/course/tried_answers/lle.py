def near_ones(X, k):
    far = np.sum((X[:, None] - X) ** 2, axis=2)
    np.fill_diagonal(far, np.inf)
    return np.argsort(far, axis=1)[:, :k]


def costs(W):
    R = np.eye(len(W)) - W
    return R.T @ R


def axis_of(A, m):
    r = np.sqrt(m)
    return np.linalg.eigh((np.diag(A.sum(axis=1)) - A) / np.outer(r, r))[1][:, 1] / r


# %% lle-1: right
# A trace that is divided by the number of neighbors, as lists.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        Z = X[near] - X[i]
        C = Z @ Z.T
        C[np.diag_indices(k)] += reg * np.trace(C) / k
        w = np.linalg.solve(C, np.ones(k))
        W[i, near] = w / w.sum()
    return W.tolist()


# %% lle-1: right
# A ridge on the deviations from even weights.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        Z = X[near] - X[i]
        size = reg * np.sum(Z**2)
        A = np.block([[Z @ Z.T + size * np.eye(k), np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        W[i, near] = np.linalg.solve(A, np.append(np.full(k, size / k), 1))[:k]
    return W


# %% lle-1: right
# The unit is the largest eigenvalue of the local matrix.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        G = (X[i] - X[near]) @ (X[i] - X[near]).T
        w = np.linalg.inv(G + reg * np.linalg.eigvalsh(G)[-1] * np.eye(k)).sum(axis=1)
        W[i, near] = w / w.sum()
    return W


# %% lle-1: right
# The unit is that of the whole scan: the mean squared distance from its center.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    unit = np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1))
    for i, near in enumerate(near_ones(X, k)):
        Z = X[i] - X[near]
        w = np.linalg.solve(Z @ Z.T + reg * unit * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    return W


# %% lle-1: right
# Eigenvectors of the local matrix.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        Z = X[i] - X[near]
        U, s, _ = np.linalg.svd(Z, full_matrices=True)
        values = np.zeros(k)
        values[: len(s)] = s**2
        w = U @ (U.sum(axis=0) / (values + reg * values.sum()))
        W[i, near] = w / w.sum()
    return W


# %% lle-1: wrong
# The ridge is taken away from the local matrix.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        G = (X[i] - X[near]) @ (X[i] - X[near]).T
        w = np.linalg.solve(G - reg * np.trace(G) * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    return W


# %% lle-1: wrong
# The point itself is a neighbor.
def weights(X, k, reg):
    far = np.sum((X[:, None] - X) ** 2, axis=2)
    W = np.zeros_like(far)
    for i, near in enumerate(np.argsort(far, axis=1)[:, 1 : k + 1]):
        Z = X[i] - X[near]
        G = Z @ Z.T
        w = np.linalg.solve(G + reg * np.trace(G) * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    return W


# %% lle-1: wrong
# Even weights.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        W[i, near] = 1 / k
    return W


# %% lle-1: wrong
# Weights by distance.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        w = 1 / (np.linalg.norm(X[i] - X[near], axis=1) + reg)
        W[i, near] = w / w.sum()
    return W


# %% lle-1: wrong
# Neighbors are centered by their mean, not by the point.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        Z = X[near] - X[near].mean(axis=0)
        G = Z @ Z.T
        w = np.linalg.solve(G + reg * np.trace(G) * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    return W


# %% lle-1: wrong
# Least squares without the condition, and then divided by the sum.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        A = X[near].T
        w = np.linalg.solve(A.T @ A + reg * np.sum(A**2) * np.eye(k), A.T @ X[i])
        W[i, near] = w / w.sum()
    return W


# %% lle-1: wrong
# The trace is squared: the unit comes back.
def weights(X, k, reg):
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(near_ones(X, k)):
        Z = X[i] - X[near]
        G = Z @ Z.T
        w = np.linalg.solve(G + reg * np.trace(G) ** 2 * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    return W


# %% lle-2: right
# In a basis of everything that is orthogonal to the constant vector.
def embedding(W, d):
    n = len(W)
    B = np.linalg.svd(np.ones((1, n)))[2][1:].T
    return np.sqrt(n) * B @ np.linalg.eigh(B.T @ costs(W) @ B)[1][:, :d]


# %% lle-2: right
# Singular vectors of the residuals of centered axes.
def embedding(W, d):
    n = len(W)
    Q = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
    Vt = np.linalg.svd((np.eye(n) - W) @ Q)[2]
    return (np.sqrt(n) * Q @ Vt[::-1][:d].T).tolist()


# %% lle-2: right
# Projected on both sides, with the constant vector made dear.
def embedding(W, d):
    n = len(W)
    H = np.eye(n) - 1 / n
    M = H @ costs(W) @ H + 1e3 * np.trace(costs(W)) * np.ones((n, n)) / n
    return -np.linalg.eigh(M)[1][:, :d] * n**0.5


# %% lle-2: right
# The least first, turned.
def embedding(W, d):
    n = len(W)
    B = np.linalg.svd(np.ones((1, n)))[2][1:].T
    Y = np.sqrt(n) * B @ np.linalg.eigh(B.T @ costs(W) @ B)[1][:, :d]
    return Y @ np.linalg.qr(np.random.default_rng(0).normal(size=(d, d)))[0]


# %% lle-2: wrong
# The first eigenvector is left out, whichever it is.
def embedding(W, d):
    return np.sqrt(len(W)) * np.linalg.eigh(costs(W))[1][:, 1 : d + 1]


# %% lle-2: wrong
# The constant vector is kept.
def embedding(W, d):
    return np.sqrt(len(W)) * np.linalg.eigh(costs(W))[1][:, :d]


# %% lle-2: wrong
# The most expensive axes.
def embedding(W, d):
    H = np.eye(len(W)) - 1 / len(W)
    return np.sqrt(len(W)) * np.linalg.eigh(H @ costs(W) @ H)[1][:, -d:]


# %% lle-2: wrong
# Unit length.
def embedding(W, d):
    B = np.linalg.svd(np.ones((1, len(W))))[2][1:].T
    return B @ np.linalg.eigh(B.T @ costs(W) @ B)[1][:, :d]


# %% lle-2: wrong
# Centered afterwards, so that the size is lost.
def embedding(W, d):
    Y = np.sqrt(len(W)) * np.linalg.eigh(costs(W))[1][:, : d + 1]
    return (Y - Y.mean(axis=0))[:, 1:]


# %% lle-2: wrong
# The Laplacian of the weights in place of the cost.
def embedding(W, d):
    S = (W + W.T) / 2
    return np.sqrt(len(W)) * np.linalg.eigh(np.diag(S.sum(axis=1)) - S)[1][:, 1 : d + 1]


# %% lle-2: wrong
# The constant vector costs one, which is not more than all axes do.
def embedding(W, d):
    n = len(W)
    M = (np.eye(n) - W).T @ (np.eye(n) - W)
    return np.sqrt(n) * np.linalg.eigh(M + np.ones((n, n)) / n)[1][:, :d]


# %% lle-3: right
# Least squares over the free rows.
def pinned(W, at, places):
    R = np.eye(len(W)) - W
    free = np.delete(np.arange(len(W)), at)
    Y = np.empty((len(W), places.shape[1]))
    Y[at] = places
    Y[free] = np.linalg.lstsq(R[:, free], -R[:, at] @ places, rcond=None)[0]
    return Y


# %% lle-3: right
# Multipliers for the known places.
def pinned(W, at, places):
    n, k = len(W), len(at)
    E = np.eye(n)[at]
    A = np.block([[costs(W), E.T], [E, np.zeros((k, k))]])
    return np.linalg.solve(A, np.vstack([np.zeros((n, places.shape[1])), places]))[:n].tolist()


# %% lle-3: right
# A mask, coordinate by coordinate.
def pinned(W, at, places):
    M, known = costs(W), np.zeros(len(W), dtype=bool)
    known[at] = True
    columns = []
    for values in np.transpose(places):
        y = np.zeros(len(W))
        y[at] = values
        y[~known] = np.linalg.solve(M[~known][:, ~known], -(M @ y)[~known])
        columns.append(y)
    return np.array(columns).T


# %% lle-3: right
# Rows of a system of equations are replaced.
def pinned(W, at, places):
    M = costs(W)
    right = np.zeros((len(W), np.shape(places)[1]))
    M[at] = np.eye(len(W))[at]
    right[at] = places
    return np.linalg.solve(M, right)


# %% lle-3: wrong
# A penalty of one for known places that are missed; then they are put there.
def pinned(W, at, places):
    E = np.eye(len(W))[at]
    Y = np.linalg.solve(costs(W) + E.T @ E, E.T @ places)
    Y[at] = places
    return Y


# %% lle-3: wrong
# The free points have the mean place of the known ones.
def pinned(W, at, places):
    Y = np.tile(np.mean(places, axis=0), (len(W), 1))
    Y[at] = places
    return Y


# %% lle-3: wrong
# A sign is wrong.
def pinned(W, at, places):
    M = costs(W)
    free = np.setdiff1d(np.arange(len(W)), at)
    Y = np.zeros((len(W), np.shape(places)[1]))
    Y[at] = places
    Y[free] = np.linalg.solve(M[np.ix_(free, free)], M[np.ix_(free, at)] @ places)
    return Y


# %% lle-3: wrong
# Known places in the order of their indices.
def pinned(W, at, places):
    M = costs(W)
    at = np.sort(at)
    free = np.setdiff1d(np.arange(len(W)), at)
    Y = np.zeros((len(W), np.shape(places)[1]))
    Y[at] = places
    Y[free] = np.linalg.solve(M[np.ix_(free, free)], -M[np.ix_(free, at)] @ places)
    return Y


# %% lle-3: wrong
# One step: the free points are rebuilt from known ones alone.
def pinned(W, at, places):
    Y = W[:, at] @ places
    Y[at] = places
    return Y


# %% lle-4: right
# Through a generalized problem of SciPy's and all divisions by cumulative sums.
def districts(A, people):
    import scipy.linalg

    y = scipy.linalg.eigh(np.diag(A.sum(axis=0)) - A, np.diag(people), subset_by_index=(1, 1))[1][:, 0]
    o = np.argsort(y)
    B, P = A[np.ix_(o, o)], np.cumsum(people[o])[:-1]
    cut = np.array([B[:s, s:].sum() for s in range(1, len(A))])
    size = 1 + np.argmin(cut * (1 / P + 1 / (people.sum() - P)))
    side = np.zeros(len(A), bool)
    side[o[:size]] = True
    return y, side


# %% lle-4: right
# The other sign, the other side, and lists.
def districts(A, people):
    y = -axis_of(A, people)
    divisions = [y > limit for limit in np.sort(y)[:-1]]
    q = [A[s][:, ~s].sum() * (1 / people[s].sum() + 1 / people[~s].sum()) for s in divisions]
    return y.tolist(), divisions[int(np.argmin(q))].tolist()


# %% lle-4: right
# In a list of two arrays.
def districts(A, people):
    y = axis_of(A, people)
    best = min(
        (y <= limit for limit in np.sort(y)[:-1]),
        key=lambda s: A[s][:, ~s].sum() / people[s].sum() / people[~s].sum(),
    )
    return [y, best]


# %% lle-4: right
# A Laplacian of a walk.
def districts(A, people):
    L = np.diag(A.sum(axis=1)) - A
    values, V = np.linalg.eig(L / people[:, None])
    y = V[:, np.argsort(values.real)[1]].real
    y /= np.sqrt(people @ y**2)
    divisions = [np.isin(np.arange(len(A)), np.argsort(y)[:size]) for size in range(1, len(A))]
    q = [A[s][:, ~s].sum() * (1 / people[s].sum() + 1 / people[~s].sum()) for s in divisions]
    return y, divisions[int(np.argmin(q))]


# %% lle-4: wrong
# Houses count once.
def districts(A, people):
    y = axis_of(A, np.ones(len(A)))
    divisions = [y > limit for limit in np.sort(y)[:-1]]
    q = [A[s][:, ~s].sum() * (1 / s.sum() + 1 / (~s).sum()) for s in divisions]
    return y, divisions[int(np.argmin(q))]


# %% lle-4: wrong
# The fewest paths, whatever the districts hold.
def districts(A, people):
    y = axis_of(A, people)
    divisions = [y > limit for limit in np.sort(y)[:-1]]
    return y, divisions[int(np.argmin([A[s][:, ~s].sum() for s in divisions]))]


# %% lle-4: wrong
# Half of the people on each side.
def districts(A, people):
    y = axis_of(A, people)
    o = np.argsort(y)
    side = np.zeros(len(A), bool)
    side[o[np.cumsum(people[o]) <= people.sum() / 2]] = True
    return y, side


# %% lle-4: wrong
# The axis is not divided by the roots.
def districts(A, people):
    y = axis_of(A, people) * np.sqrt(people)
    divisions = [y > limit for limit in np.sort(y)[:-1]]
    q = [A[s][:, ~s].sum() * (1 / people[s].sum() + 1 / people[~s].sum()) for s in divisions]
    return y, divisions[int(np.argmin(q))]


# %% lle-4: wrong
# Degrees in place of people.
def districts(A, people):
    m = A.sum(axis=1)
    y = axis_of(A, m)
    divisions = [y > limit for limit in np.sort(y)[:-1]]
    q = [A[s][:, ~s].sum() * (1 / m[s].sum() + 1 / m[~s].sum()) for s in divisions]
    return y, divisions[int(np.argmin(q))]


# %% lle-4: wrong
# At the widest gap along the axis.
def districts(A, people):
    y = axis_of(A, people)
    values = np.sort(y)
    return y, y > values[np.argmax(np.diff(values))]


# %% lle-5: right
# A system for all houses.
def steps_home(A, friends):
    P = A / A.sum(axis=1, keepdims=True)
    right = np.ones(len(A))
    P[friends], right[friends] = 0, 0
    return np.linalg.solve(np.eye(len(A)) - P, right)


# %% lle-5: right
# A fundamental matrix, as lists.
def steps_home(A, friends):
    P = A / A.sum(axis=1)[:, None]
    away = [i for i in range(len(A)) if i not in set(np.asarray(friends).tolist())]
    N = np.linalg.inv(np.eye(len(away)) - P[np.ix_(away, away)])
    steps = [0.0] * len(A)
    for i, s in zip(away, N.sum(axis=1)):
        steps[i] = float(s)
    return steps


# %% lle-5: right
# Repeated until nothing changes.
def steps_home(A, friends):
    P = A / A.sum(axis=1)[:, None]
    steps = np.zeros(len(A))
    for _ in range(200_000):
        after = 1 + P @ steps
        after[friends] = 0
        if np.max(np.abs(after - steps)) < 1e-13 * max(1, after.max()):
            break
        steps = after
    return after


# %% lle-5: right
# The probabilities to be under way, added up by a geometric sum.
def steps_home(A, friends):
    P = A / A.sum(axis=1)[:, None]
    P[:, friends] = 0
    steps = np.linalg.solve(np.eye(len(A)) - P, np.ones(len(A)))
    steps[friends] = 0
    return steps


# %% lle-5: wrong
# The number of paths of the shortest way.
def steps_home(A, friends):
    steps = np.full(len(A), len(A) * 1.0)
    steps[friends] = 0
    for _ in range(len(A)):
        steps = np.minimum(steps, 1 + np.min(np.where(A > 0, steps, np.inf), axis=1))
    return steps


# %% lle-5: wrong
# Weights are not divided by the degrees.
def steps_home(A, friends):
    away = np.setdiff1d(np.arange(len(A)), friends)
    steps = np.zeros(len(A))
    L = np.diag(A.sum(axis=1)) - A
    steps[away] = np.linalg.solve(L[np.ix_(away, away)], np.ones(len(away)))
    return steps


# %% lle-5: wrong
# The way to the first friend only.
def steps_home(A, friends):
    degrees = A.sum(axis=1)
    away = np.setdiff1d(np.arange(len(A)), friends[:1])
    steps = np.zeros(len(A))
    L = np.diag(degrees) - A
    steps[away] = np.linalg.solve(L[np.ix_(away, away)], degrees[away])
    steps[friends] = 0
    return steps


# %% lle-5: wrong
# Columns are divided in place of rows.
def steps_home(A, friends):
    P = (A / A.sum(axis=1)[:, None]).T
    right = np.ones(len(A))
    P[friends], right[friends] = 0, 0
    return np.linalg.solve(np.eye(len(A)) - P, right)


# %% lle-5: wrong
# A walk of a hundred steps is long enough.
def steps_home(A, friends):
    P = A / A.sum(axis=1)[:, None]
    steps = np.zeros(len(A))
    for _ in range(30):
        steps = 1 + P @ steps
        steps[friends] = 0
    return steps


# %% lle-5: wrong
# The graph without its friends is divided by its own degrees.
def steps_home(A, friends):
    away = np.setdiff1d(np.arange(len(A)), friends)
    B = A[np.ix_(away, away)]
    steps = np.zeros(len(A))
    L = np.diag(A.sum(axis=1)[away]) - B
    steps[away] = np.linalg.solve(L, B.sum(axis=1))
    return steps
