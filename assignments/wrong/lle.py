# Plausible wrong answers to the assignment "lle", with the marks that each test gives them.

# %% lle-1: check 3, test 0, test-2 5, test-3 5
# The same number is added to every local Gram matrix, whatever the unit.
# measured: abs(weights(1000 * ramp()[0], 8, 1e-3) - weights(ramp()[0], 8, 1e-3)).max() gives 0.75 instead of 0.00
def weights(X, k, reg):
    squares = np.sum((X[:, None] - X) ** 2, axis=2)
    np.fill_diagonal(squares, np.inf)
    W = np.zeros_like(squares)
    for i, near in enumerate(np.argsort(squares, axis=1)[:, :k]):
        Z = X[i] - X[near]
        w = np.linalg.solve(Z @ Z.T + reg * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    return W


# %% lle-2: check 3, test 0, test-2 0
# The transposed factor on the wrong side; then the vector that costs nothing is not the constant one.
# measured: (lambda W, Y: np.sum((Y - W @ Y) ** 2) / 150)(weights_by_distance(ramp()[0], 8), embedding(weights_by_distance(ramp()[0], 8), 2)) gives 0.28 instead of 0.00
def embedding(W, d):
    n = len(W)
    M = (np.eye(n) - W) @ (np.eye(n) - W).T
    return np.sqrt(n) * np.linalg.eigh(M)[1][:, 1 : d + 1]


# %% lle-3: check 3, test 0, test-2 5
# Each free point is put where its neighbors say; that known points have neighbors, too, is forgotten.
# measured: (lambda W, plan: np.sum((plan - W @ plan) ** 2))(weights_by_distance(ramp()[0], 8), pinned(weights_by_distance(ramp()[0], 8), np.arange(0, 150, 30), ramp()[1][::30])) gives 35.7 instead of 0.567
def pinned(W, at, places):
    n = len(W)
    free = np.setdiff1d(np.arange(n), at)
    Y = np.zeros((n, np.shape(places)[1]))
    Y[at] = places
    R = np.eye(n) - W
    Y[free] = np.linalg.solve(R[np.ix_(free, free)], -R[np.ix_(free, at)] @ places)
    return Y


# %% lle-4: check 3, test 5, test-2 0
# Divided at zero, instead of where the division costs least.
# measured: (lambda A, m, s: A[s][:, ~s].sum() * (1 / m[s].sum() + 1 / m[~s].sum()))(*valley(), districts(*valley())[1]) gives 0.258 instead of 0.102
def districts(A, people):
    root = np.sqrt(people)
    L = np.diag(A.sum(axis=1)) - A
    axis = np.linalg.eigh(L / np.outer(root, root))[1][:, 1] / root
    return axis, axis > 0


# %% lle-5: check 3, test 6, test-2 0
# The smallest of the times to the friends one by one; the dog may meet another one before.
# measured: steps_home(valley()[0], np.array([0, 25, 49])).max() gives 40.6 instead of 24.2
def steps_home(A, friends):
    degrees = A.sum(axis=1)
    L = np.diag(degrees) - A
    times = []
    for friend in friends:
        away = np.delete(np.arange(len(A)), friend)
        steps = np.zeros(len(A))
        steps[away] = np.linalg.solve(L[np.ix_(away, away)], degrees[away])
        times.append(steps)
    return np.min(times, axis=0)
