# Plausible wrong answers to the assignment "isomap", with the marks that each test gives them.

# %% isomap-1: check 4, test 8, test-2 0
# Each piece is joined to the first one, not to the nearest one.
# measured: geodesics(np.array([[x + 20 * p, 0, 0] for p in (0, 2, 1) for x in (0, 1, 3)], dtype=float), neighbor_graph(np.array([[x + 20 * p, 0, 0] for p in (0, 2, 1) for x in (0, 1, 3)], dtype=float), 1)).max() gives 60 instead of 43
def geodesics(X, lengths):
    lengths = np.array(lengths)
    pieces, piece = connected_components(np.isfinite(lengths))
    for other in range(1, pieces):
        first, second = np.flatnonzero(piece == 0), np.flatnonzero(piece == other)
        apart = cdist(X[first], X[second])
        i, j = np.unravel_index(np.argmin(apart), apart.shape)
        lengths[first[i], second[j]] = lengths[second[j], first[i]] = apart[i, j]
    return shortest_path(lengths, directed=False)


# %% isomap-2: check 3, test 6, test-2 0
# Singular values are the sizes of the eigenvalues: an axis of a negative one is drawn.
# measured: abs(np.corrcoef(embed(round_curtain()[0], 3)[:, 2], round_curtain()[1])[0, 1]) gives 0.00 instead of 1.00
def embed(G, d):
    H = np.eye(len(G)) - 1 / len(G)
    U, s, _ = np.linalg.svd(-0.5 * H @ G**2 @ H)
    return U[:, :d] * np.sqrt(s[:d])


# %% isomap-3: check 3, test 6, test-2 0
# The point through which most geodesics pass: the middle of a long cloth is busy by itself.
# measured: bridge(neighbor_graph(dusty(100, 57, 3)[0], 9)) gives 75 instead of 60
def bridge(lengths):
    G = shortest_path(lengths, directed=False)
    through = [np.sum(G[:, [point]] + G[point] <= G * (1 + 1e-9)) for point in range(len(G))]
    return int(np.argmax(through))


# %% isomap-4: check 3, test 0, test-2 0
# The largest k for which the map fits its own geodesics, short circuits and all, to five percent.
# measured: last_good_k(curtain(200, 47)[0], [8, 10, 13, 16, 20, 25, 32, 40]) gives 40 instead of 16
def last_good_k(X, ks):
    good = ks[0]
    for k in ks:
        G = shortest_path(neighbor_graph(X, k))
        H = np.eye(len(G)) - 1 / len(G)
        eigenvalues, U = np.linalg.eigh(-0.5 * H @ G**2 @ H)
        Y = U[:, -2:] * np.sqrt(eigenvalues[-2:])
        if 1 - np.corrcoef(G.ravel(), cdist(Y, Y).ravel())[0, 1] ** 2 < 0.05:
            good = k
    return good


# %% isomap-5: check 3, test 0, test-2 0
# A round hole of as many points: paths go around it with little loss.
# measured: (lambda flat: detours(flat[~leave_out(flat)]))(np.random.default_rng(52).uniform(0, 10, size=(300, 2))) gives 0.003 instead of 0.231
def leave_out(flat):
    from_center = np.linalg.norm(flat - 5, axis=1)
    return np.argsort(np.argsort(from_center)) < int(0.12 * len(flat))
