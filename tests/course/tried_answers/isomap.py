import itertools

from scipy.sparse.csgraph import connected_components, minimum_spanning_tree, shortest_path
from scipy.spatial.distance import cdist


def scaled(G):
    S = np.asarray(G) ** 2
    return np.linalg.eigh(-(S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()) / 2)


# %% isomap-1: right
# A minimum spanning tree in which edges that are there cost next to nothing.
def geodesics(X, lengths):
    far = cdist(X, X)
    cost = np.where(np.isfinite(lengths), far * 1e-6, far)
    tree = minimum_spanning_tree(cost).toarray() > 0
    tree |= tree.T
    joined = np.where(tree & ~np.isfinite(lengths), far, lengths)
    return shortest_path(joined, directed=False).tolist()


# %% isomap-1: right
# Prim's algorithm on the pieces.
def geodesics(X, lengths):
    lengths, far = np.array(lengths), cdist(X, X)
    pieces, piece = connected_components(np.isfinite(lengths))
    inside = {0}
    while len(inside) < pieces:
        mine = np.isin(piece, list(inside))
        apart = np.where(mine[:, None] & ~mine, far, np.inf)
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        lengths[i, j] = lengths[j, i] = far[i, j]
        inside.add(piece[j])
    return shortest_path(lengths)


# %% isomap-1: right
# A tree of the pieces, by their least distances.
def geodesics(X, lengths):
    lengths, far = np.array(lengths), cdist(X, X)
    pieces, piece = connected_components(np.isfinite(lengths))
    gaps, ends = np.zeros((pieces, pieces)), {}
    for a in range(pieces):
        for b in range(a):
            A, B = np.flatnonzero(piece == a), np.flatnonzero(piece == b)
            i, j = np.unravel_index(far[np.ix_(A, B)].argmin(), (len(A), len(B)))
            gaps[a, b] = gaps[b, a] = far[A[i], B[j]]
            ends[a, b] = ends[b, a] = A[i], B[j]
    for a, b in zip(*minimum_spanning_tree(gaps).nonzero()):
        i, j = ends[a, b]
        lengths[i, j] = lengths[j, i] = far[i, j]
    return shortest_path(lengths, method="D", directed=False)


# %% isomap-1: right
# Floyd's algorithm, written out.
def geodesics(X, lengths):
    G, far = np.array(lengths), cdist(X, X)
    while True:
        pieces, piece = connected_components(np.isfinite(G))
        if pieces == 1:
            break
        apart = np.where(piece[:, None] == piece, np.inf, far)
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        G[i, j] = G[j, i] = apart[i, j]
    for k in range(len(G)):
        G = np.minimum(G, G[:, [k]] + G[k])
    return G


# %% isomap-1: right
# Edges sorted by length, as Kruskal did.
def geodesics(X, lengths):
    L, far = np.array(lengths), cdist(X, X)
    label = connected_components(np.isfinite(L))[1]
    i, j = np.triu_indices(len(L), 1)
    for e in np.argsort(far[i, j]):
        a, b = i[e], j[e]
        if label[a] != label[b]:
            L[a, b] = L[b, a] = far[a, b]
            label[label == label[b]] = label[a]
    return shortest_path(L, directed=False)


# %% isomap-1: wrong
# The largest geodesic in place of those that are missing.
def geodesics(X, lengths):
    G = shortest_path(lengths, directed=False)
    return np.where(np.isfinite(G), G, G[np.isfinite(G)].max())


# %% isomap-1: wrong
# Straight distances in place of those that are missing.
def geodesics(X, lengths):
    G = shortest_path(lengths, directed=False)
    return np.where(np.isfinite(G), G, cdist(X, X))


# %% isomap-1: wrong
# More and more neighbors until it is connected.
def geodesics(X, lengths):
    k = 8
    while connected_components(np.isfinite(lengths))[0] > 1:
        k += 1
        lengths = neighbor_graph(X, k)
    return shortest_path(lengths, directed=False)


# %% isomap-1: wrong
# The spanning tree of all points is added, also within a piece that has no need of it.
def geodesics(X, lengths):
    far = cdist(X, X)
    pieces, piece = connected_components(np.isfinite(lengths))
    centers = np.array([X[piece == p].mean(axis=0) for p in range(pieces)])
    nearest = [np.flatnonzero(piece == p)[cdist(X[piece == p], centers[[p]]).argmin()] for p in range(pieces)]
    L = np.array(lengths)
    for a, b in itertools.pairwise(nearest):
        L[a, b] = L[b, a] = far[a, b]
    return shortest_path(L, directed=False)


# %% isomap-1: wrong
# Every two pieces are joined by their shortest edge: too many edges.
def geodesics(X, lengths):
    L, far = np.array(lengths), cdist(X, X)
    pieces, piece = connected_components(np.isfinite(L))
    for a in range(pieces):
        for b in range(a):
            apart = np.where((piece == a)[:, None] & (piece == b), far, np.inf)
            i, j = np.unravel_index(apart.argmin(), apart.shape)
            L[i, j] = L[j, i] = far[i, j]
    return shortest_path(L, directed=False)


# %% isomap-1: wrong
# Every piece is joined to its nearest piece, once.
def geodesics(X, lengths):
    L, far = np.array(lengths), cdist(X, X)
    pieces, piece = connected_components(np.isfinite(L))
    for a in range(pieces if pieces > 1 else 0):
        apart = np.where((piece == a)[:, None] & (piece != a), far, np.inf)
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        L[i, j] = L[j, i] = far[i, j]
    return shortest_path(L, directed=False)


# %% isomap-1: wrong
# Every piece is joined to the first one's, by a star from the largest piece.
def geodesics(X, lengths):
    L, far = np.array(lengths), cdist(X, X)
    pieces, piece = connected_components(np.isfinite(L))
    big = np.bincount(piece).argmax()
    for a in range(pieces):
        if a != big:
            apart = np.where((piece == a)[:, None] & (piece == big), far, np.inf)
            i, j = np.unravel_index(apart.argmin(), apart.shape)
            L[i, j] = L[j, i] = far[i, j]
    return shortest_path(L, directed=False)


# %% isomap-2: right
# Means taken off, negative eigenvalues left out, columns of zeros added.
def embed(G, d):
    values, U = scaled(G)
    keep = [i for i in np.argsort(values)[::-1] if values[i] > 0][:d]
    Y = np.zeros((len(G), d))
    Y[:, : len(keep)] = U[:, keep] * np.sqrt(values[keep])
    return Y.tolist()


# %% isomap-2: right
# Clipped, signs turned.
def embed(G, d):
    values, U = scaled(G)
    return -(U * np.sqrt(values.clip(0)))[:, ::-1][:, :d]


# %% isomap-2: right
# An eigenvalue below rounding counts as zero.
def embed(G, d):
    values, U = scaled(G)
    values, U = values[::-1][:d], U[:, ::-1][:, :d]
    return U * np.sqrt(np.where(values > 1e-10 * values[0], values, 0))


# %% isomap-2: right
# SciPy's solver, for the largest alone.
def embed(G, d):
    from scipy.linalg import eigh

    S, n = G**2, len(G)
    H = np.eye(n) - np.full((n, n), 1 / n)
    values, U = eigh(H @ S @ H / -2, subset_by_index=(n - d, n - 1))
    return (U * np.maximum(values, 0) ** 0.5)[:, ::-1]


# %% isomap-2: right
# Columns ordered by their spread.
def embed(G, d):
    values, U = scaled(G)
    Y = U * np.sqrt(np.maximum(values, 0))
    return Y[:, np.argsort(-np.var(Y, axis=0), kind="stable")[:d]]


# %% isomap-2: wrong
# The absolute values of eigenvalues.
def embed(G, d):
    values, U = scaled(G)
    order = np.argsort(-np.abs(values))[:d]
    return U[:, order] * np.sqrt(np.abs(values[order]))


# %% isomap-2: wrong
# Geodesics are not squared.
def embed(G, d):
    H = np.eye(len(G)) - 1 / len(G)
    values, U = np.linalg.eigh(-0.5 * H @ G @ H)
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d].clip(0))


# %% isomap-2: wrong
# Unit axes.
def embed(G, d):
    return scaled(G)[1][:, ::-1][:, :d]


# %% isomap-2: wrong
# The smallest axis first.
def embed(G, d):
    values, U = scaled(G)
    return (U * np.sqrt(values.clip(0)))[:, -d:]


# %% isomap-2: wrong
# PCA of the rows of the table.
def embed(G, d):
    C = G - G.mean(axis=0)
    U, s, _ = np.linalg.svd(C)
    return U[:, :d] * s[:d]


# %% isomap-2: wrong
# Square roots of negative eigenvalues, where there are too few positive ones.
def embed(G, d):
    values, U = scaled(G)
    return U[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])


# %% isomap-2: right
# Double centering by means, SVD with signs of the eigenvalues.
def embed(G, d):
    S = np.asarray(G, dtype=float) ** 2
    B = -0.5 * (S - S.mean(0) - S.mean(1, keepdims=True) + S.mean())
    U, s, Vt = np.linalg.svd((B + B.T) / 2)
    sign = np.sign((U * Vt.T).sum(0))
    lam = s * sign
    o = np.argsort(-lam)[:d]
    return U[:, o] * np.sqrt(np.clip(lam[o], 0, None))


# %% isomap-3: right
# The sum over pairs, with infinite edges in place of rows that are taken out.
def bridge(lengths):
    n = len(lengths)
    G = shortest_path(lengths, directed=False)
    growth = []
    for p in range(n):
        cut = np.array(lengths)
        cut[p] = cut[:, p] = np.inf
        cut[p, p] = 0
        change = shortest_path(cut, directed=False) - G
        change[p] = change[:, p] = 0
        growth.append(change.sum())
    return growth.index(max(growth))


# %% isomap-3: right
# Rows and columns deleted, over pairs i < j, as a NumPy integer.
def bridge(lengths):
    def without(M, p):
        return np.delete(np.delete(M, p, axis=0), p, axis=1)

    G = shortest_path(lengths)
    pairs = np.triu_indices(len(G) - 1, 1)
    return np.argmax([np.mean((shortest_path(without(lengths, p)) - without(G, p))[pairs]) for p in range(len(G))])


# %% isomap-3: wrong
# The point with most edges.
def bridge(lengths):
    return int(np.argmax(np.isfinite(lengths).sum(axis=1)))


# %% isomap-3: wrong
# The point with the smallest mean geodesic.
def bridge(lengths):
    return int(np.argmin(shortest_path(lengths).mean(axis=1)))


# %% isomap-3: wrong
# The point with the longest edges.
def bridge(lengths):
    return int(np.argmax(np.where(np.isfinite(lengths), lengths, 0).max(axis=1)))


# %% isomap-3: wrong
# The largest growth of a single pair.
def bridge(lengths):
    G = shortest_path(lengths)
    growth = []
    for p in range(len(G)):
        keep = np.arange(len(G)) != p
        growth.append((shortest_path(lengths[np.ix_(keep, keep)]) - G[np.ix_(keep, keep)]).max())
    return int(np.argmax(growth))


# %% isomap-3: wrong
# The smallest mean without the point.
def bridge(lengths):
    G = shortest_path(lengths)
    growth = []
    for p in range(len(G)):
        keep = np.arange(len(G)) != p
        growth.append(shortest_path(lengths[np.ix_(keep, keep)]).mean())
    return int(np.argmin(growth))


# %% isomap-3: wrong
# The mean before is one over pairs with the point that is taken out, too.
def bridge(lengths):
    G = shortest_path(lengths)
    growth = []
    for p in range(len(G)):
        keep = np.arange(len(G)) != p
        growth.append(shortest_path(lengths[np.ix_(keep, keep)]).mean() - G[keep].mean())
    return int(np.argmax(growth))


# %% isomap-3: wrong
# The mean before is one over all pairs.
def bridge(lengths):
    G = shortest_path(lengths)
    growth = []
    for p in range(len(G)):
        keep = np.arange(len(G)) != p
        growth.append(shortest_path(lengths[np.ix_(keep, keep)]).mean() - G.mean())
    return int(np.argmax(growth))


# %% isomap-3: wrong
# The share of pairs whose geodesic grows.
def bridge(lengths):
    G = shortest_path(lengths)
    growth = []
    for p in range(len(G)):
        keep = np.ix_(np.arange(len(G)) != p, np.arange(len(G)) != p)
        growth.append(np.mean(shortest_path(lengths[keep]) > G[keep] + 1e-9))
    return int(np.argmax(growth))


# %% isomap-3: wrong
# The growth as a ratio of the means.
def bridge(lengths):
    G = shortest_path(lengths)
    ratios = []
    for p in range(len(G)):
        keep = np.ix_(np.arange(len(G)) != p, np.arange(len(G)) != p)
        ratios.append(shortest_path(lengths[keep]).mean() / G[keep].mean())
    return int(np.argmax(ratios))


# %% isomap-4: right
# The largest fall of the mean geodesic from one to the next, if it is more than a tenth.
def last_good_k(X, ks):
    means = np.array([shortest_path(neighbor_graph(X, k)).mean() for k in ks])
    falls = 1 - means[1:] / means[:-1]
    bad = np.flatnonzero(falls > 0.1)
    return ks[bad[0]] if len(bad) else ks[-1]


# %% isomap-4: right
# The largest geodesic falls by a fifth.
def last_good_k(X, ks):
    largest = [shortest_path(neighbor_graph(X, k)).max() for k in ks]
    for k, a, b in zip(ks, largest, largest[1:]):
        if b < 0.85 * a:
            return k
    return ks[-1]


# %% isomap-4: right
# An edge of the next graph whose ends were far apart along the last one.
def last_good_k(X, ks):
    for k, after in itertools.pairwise(ks):
        G = shortest_path(neighbor_graph(X, k))
        edges = neighbor_graph(X, after)
        new = np.isfinite(edges) & (edges > 0)
        if np.max(G[new] / edges[new]) > 2.3:
            return k
    return ks[-1]


# %% isomap-4: wrong
# The first of the list.
def last_good_k(X, ks):
    return ks[0]


# %% isomap-4: wrong
# The last of the list.
def last_good_k(X, ks):
    return ks[-1]


# %% isomap-4: wrong
# The one before the last.
def last_good_k(X, ks):
    return ks[-1] if len(ks) < 6 else ks[len(ks) // 2]


# %% isomap-4: wrong
# The k at which the map has the largest share of its first axis.
def last_good_k(X, ks):
    shares = []
    for k in ks:
        values = scaled(shortest_path(neighbor_graph(X, k)))[0]
        shares.append(values[-2:].sum() / values[values > 0].sum())
    return ks[int(np.argmax(shares))]


# %% isomap-4: wrong
# Any fall of the mean by a fiftieth counts as a leap.
def last_good_k(X, ks):
    means = [shortest_path(neighbor_graph(X, k)).mean() for k in ks]
    for a, b, k in zip(means, means[1:], ks):
        if b < 0.995 * a:
            return k
    return ks[-1]


# %% isomap-5: right
# A cut from below, of several widths.
def leave_out(flat):
    best, most = None, -1
    for width in (1.3, 1.6):
        near = np.flatnonzero(abs(flat[:, 0] - 5) < width / 2)
        near = near[np.argsort(flat[near, 1])][: int(0.12 * len(flat))]
        out = np.zeros(len(flat), bool)
        out[near] = True
        rest = flat[~out]
        if connected_components(np.isfinite(neighbor_graph(rest, 8)))[0] == 1 and detours(rest) > most:
            best, most = out, detours(rest)
    return best.tolist()


# %% isomap-5: right
# A cut from the right, a little above the middle.
def leave_out(flat):
    found = []
    for width in (1.4, 1.7):
        for middle in (5, 5.5):
            inside = np.abs(flat[:, 1] - middle) < width / 2
            order = np.where(inside, -flat[:, 0], np.inf)
            out = np.zeros(len(flat), dtype=bool)
            out[np.argsort(order)[: min(int(0.12 * len(flat)), inside.sum())]] = True
            if connected_components(np.isfinite(neighbor_graph(flat[~out], 8)))[0] == 1:
                found.append((detours(flat[~out]), out))
    return max(found, key=lambda pair: pair[0])[1]


# %% isomap-5: wrong
# At random.
def leave_out(flat):
    return np.random.default_rng(0).permutation(len(flat)) < int(0.12 * len(flat))


# %% isomap-5: wrong
# A corner.
def leave_out(flat):
    return np.argsort(np.argsort(flat.sum(axis=1))) < int(0.12 * len(flat))


# %% isomap-5: wrong
# A bar in the middle that touches no edge.
def leave_out(flat):
    inside = (abs(flat[:, 1] - 5) < 0.6) & (abs(flat[:, 0] - 5) < 2.5)
    return inside & (np.cumsum(inside) <= int(0.12 * len(flat)))


# %% isomap-5: wrong
# A cut too thin.
def leave_out(flat):
    inside = (abs(flat[:, 1] - 5) < 0.25) & (flat[:, 0] < 9)
    return inside & (np.cumsum(inside) <= int(0.12 * len(flat)))


# %% isomap-5: wrong
# The left edge.
def leave_out(flat):
    return np.argsort(np.argsort(flat[:, 0])) < int(0.12 * len(flat))
