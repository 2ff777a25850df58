# Plausible wrong answers to the assignment "mds", with the marks that each test gives them.

# %% mds-1: check 3, test 0, test-2 0
# The times are not squared: the negative eigenvalues disappear with it.
# measured: np.linalg.eigvalsh(gram(travel_times(30, 0, 1.5)))[-1] gives 17.7 instead of 103.8
def gram(T):
    H = np.eye(len(T)) - 1 / len(T)
    return -0.5 * H @ T @ H


# %% mds-2: check 3, test 0, test-2 0
# Divided by the sum of all eigenvalues, the negative ones among them.
# measured: quality(travel_times(30, 0, 1.5), 2) gives 1.065 instead of 0.969
def quality(T, d):
    H = np.eye(len(T)) - 1 / len(T)
    eigenvalues = np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)[::-1]
    return eigenvalues[:d].sum() / eigenvalues.sum()


# %% mds-3: check 3, test 6, test-2 0
# Compared with the positive eigenvalues, not with all.
# measured: negative_share(travel_times(30, 0, 1.5)) gives 0.0903 instead of 0.0828
def negative_share(T):
    H = np.eye(len(T)) - 1 / len(T)
    eigenvalues = np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)
    return -eigenvalues[eigenvalues < 0].sum() / eigenvalues[eigenvalues > 0].sum()


# %% mds-4: check 4, test 0, test-2 0
# Minus the smallest eigenvalue: each c shifts the eigenvalues by c / 2 only.
# measured: repair(travel_times(30, 0, 1.5)) gives 12.07 instead of 24.13
def repair(T):
    H = np.eye(len(T)) - 1 / len(T)
    return max(0.0, -np.linalg.eigvalsh(-0.5 * H @ T**2 @ H)[0])


# %% mds-5: check 3, test 0
# All roads lead through the crossing: then three towns and the crossing have no points either.
# measured: np.max(impossible()) / np.max(impossible()[4]) gives 2.000 instead of 1.667
def impossible():
    T = 2.0 * (1 - np.eye(5))
    T[4, :4] = T[:4, 4] = 1
    return T
