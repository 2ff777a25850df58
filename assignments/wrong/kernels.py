# Plausible wrong answers to the assignment "kernels", with the marks that each test gives them.

# %% kernels-1: check 3, test 0, test-2 0, test-3 4
# Tried on six random points: an eigenvalue that is not negative there proves nothing.
# measured: len(witness("plateau")) gives 0 instead of 49
# measured: len(witness("dome")) gives 0 instead of 49
def witness(kind):
    P = np.random.default_rng(5).normal(size=(6, 2))
    smallest = np.linalg.eigvalsh(similarity(kind, P, P))[0]
    return P if smallest < 0 else np.zeros((0, 2))


# %% kernels-2: check 3, test 0, test-2 0
# The group with the larger mean similarity: how long the two means are is left out.
# measured: np.mean(nearest_mean(polynomial(swings()[0], swings()[0]), swings()[1], polynomial(swings(200, 1)[0], swings()[0])) == swings(200, 1)[1]) gives 0.580 instead of 0.915
def nearest_mean(K, group, k_new):
    return np.argmax([k_new[:, group == g].mean(axis=1) for g in (0, 1)], axis=0)


# %% kernels-3: check 4, test 0, test-2 0
# New readings are centered by their own mean, so that a single one lies at the origin.
# measured: center_new(gaussian(np.ones((1, 2)), tally(swings()[0])[0]), gaussian(tally(swings()[0])[0], tally(swings()[0])[0]), tally(swings()[0])[1]).max() gives 0.00 instead of 0.71
def center_new(k_new, K, counts):
    q = counts / counts.sum()
    return k_new - (k_new @ q)[:, None] - k_new.mean(axis=0) + k_new.mean(axis=0) @ q


# %% kernels-4: check 3, test 0, test-2 6
# Only the mean is weighted: for the axes every different reading counts once.
# measured: np.average(scores(gaussian(tally(swings()[0])[0], tally(swings()[0])[0], 1), tally(swings()[0])[1], 1)[:, 0] ** 2, weights=tally(swings()[0])[1]) gives 0.093 instead of 0.121
def scores(K, counts, d):
    q = counts / counts.sum()
    centered = K - (K @ q)[:, None] - K @ q + q @ K @ q
    eigenvalues, U = np.linalg.eigh(centered)
    return U[:, ::-1][:, :d] * np.sqrt(eigenvalues[::-1][:d])


# %% kernels-5: check 3, test 0, test-2 0
# The mean of all entries is taken off, which is not the mean of the feature vectors.
# measured: alignment(polynomial(swings()[0], swings()[0]), swings()[1]) gives 0.50 instead of 0.71
def alignment(K, group):
    same = (group[:, None] == group).astype(float)
    return np.corrcoef(K.ravel(), same.ravel())[0, 1]
