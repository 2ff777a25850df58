# Plausible wrong answers to the assignment "pca", with the marks that each test gives them.

# %% pca-1: check 3, test 0, test-2 0
# The mean is not taken off.
# measured: share(gas_sensors(), 1) gives 1.0000 instead of 0.908
def share(X, d):
    variances = np.linalg.svd(X, compute_uv=False) ** 2
    return variances[:d].sum() / variances.sum()


# %% pca-2: check 4, test 0, test-2 0
# New rows are centered by their own mean.
# measured: abs(new_scores(gas_sensors(), 2, gas_sensors(10, 7) + 3)[:, 0].mean()) gives 0.00 instead of 2.39
def new_scores(X, d, new):
    directions = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:d]
    return (new - new.mean(axis=0)) @ directions.T


# %% pca-3: check 3, test 0, test-2 0
# The dual's vectors are not divided by the singular values.
# measured: np.linalg.norm(directions(spectra(), 2)[:, 0]) gives 12.7 instead of 1.0
def directions(X, d):
    C = X - X.mean(axis=0)
    squares, U = np.linalg.eigh(C @ C.T)
    return C.T @ U[:, ::-1][:, :d]


# %% pca-4: check 2, test 0, test-2 0, test-3 0
# Rows are left out instead of entries.
# measured: number_of_components(gas_sensors(60, 3), 5) gives 5 instead of 2
def number_of_components(X, most):
    train, left_out = X[::2], X[1::2]
    mean = train.mean(axis=0)
    Vt = np.linalg.svd(train - mean, full_matrices=False)[2]
    errors = []
    for d in range(1, most + 1):
        C = left_out - mean
        errors.append(np.mean((C - C @ Vt[:d].T @ Vt[:d]) ** 2))
    return int(np.argmin(errors)) + 1


# %% pca-5: check 2, test 0, test-2 0
# Judged by the size of the scores instead of the distance from the plane.
# measured: np.mean(alarms(gas_sensors(), 2, gas_sensors(40, 1) + 5 * np.eye(8)[np.arange(40) % 8])) gives 0.00 instead of 1.00
def alarms(X, d, new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:d].T
    size = np.linalg.norm((X - mean) @ V, axis=1)
    return np.linalg.norm((new - mean) @ V, axis=1) > size.max() * (1 + 1e-9)
