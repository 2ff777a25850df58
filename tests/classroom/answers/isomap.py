"""Answers to the exercises on Isomap: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import pdist, squareform


def _floyd(lengths):
    for q in range(len(lengths)):
        lengths = np.minimum(lengths, lengths[:, [q]] + lengths[[q]])
    return lengths


def _floyd_by_loops(lengths):
    n, lengths = len(lengths), lengths.tolist()
    for q in range(n):
        for i in range(n):
            for j in range(n):
                lengths[i][j] = min(lengths[i][j], lengths[i][q] + lengths[q][j])
    return lengths


def _by_squaring(lengths):
    """Paths of twice as many edges in each round."""
    for _ in range(len(lengths).bit_length()):
        lengths = np.min(lengths[:, :, None] + lengths[None], axis=1)
    return lengths.astype(np.float32)


def _by_dijkstra(lengths):
    return dijkstra(np.where(np.isinf(lengths), 0, lengths))


def _missing_where_no_path(lengths):
    found = _floyd(lengths)
    return np.where(np.isinf(found), np.nan, found)


def _one_round(lengths):
    """Paths of two edges at most."""
    return np.min(lengths[:, :, None] + lengths[None], axis=1)


def _floyd_in_place(lengths):
    for q in range(len(lengths)):
        np.minimum(lengths, lengths[:, [q]] + lengths[[q]], out=lengths)
    return lengths


def _stop_innermost(lengths):
    lengths = lengths.copy()
    for i in range(len(lengths)):
        for j in range(len(lengths)):
            lengths[i, j] = np.min(lengths[i] + lengths[:, j])
    return lengths


def _infinity_as_large(lengths):
    finite = np.where(np.isfinite(lengths), lengths, 1e6)
    for q in range(len(finite)):
        finite = np.minimum(finite, finite[:, [q]] + finite[[q]])
    return finite


def _place(square=2, power=-0.5, half=0.5, mean=lambda among, to_all: among.mean(axis=0), sign=1):
    def place(G, landmarks, d):
        to_all = G**square
        among = to_all[:, landmarks]
        H = np.eye(len(among)) - 1 / len(among)
        eigenvalues, U = linalg.eigh(-0.5 * H @ among @ H)
        eigenvalues, U = eigenvalues[::-1][:d], U[:, ::-1][:, :d]
        return sign * half * (mean(among, to_all) - to_all.T) @ (U * eigenvalues**power)

    return place


def _place_point_by_point(G, landmarks, d):
    among = G[:, landmarks] ** 2
    H = np.eye(len(among)) - 1 / len(among)
    U, eigenvalues, _ = linalg.svd(-0.5 * H @ among @ H)
    positive = [j for j in range(len(among)) if U[:, j] @ H @ among @ H @ U[:, j] < 0][:d]
    mean = among.mean(axis=1)
    return [[U[:, j] @ (mean - to**2) / 2 / np.sqrt(eigenvalues[j]) for j in positive] for to in G.T]


def _place_in_place(G, landmarks, d):
    G *= G
    return _place(square=1)(G, landmarks, d)


def _centered_afterward(G, landmarks, d):
    Y = _place()(G, landmarks, d)
    return Y - Y.mean(axis=0)


def _of_pairs(G, Y):
    E = [pdist(Y[:, : d + 1]) for d in range(Y.shape[1])]
    return [1 - np.corrcoef(squareform(G, checks=False), lengths)[0, 1] ** 2 for lengths in E]


def _residuals(power=1, squared=True, variance=True, cumulative=True):
    def residuals(G, Y):
        values = []
        for d in range(Y.shape[1]):
            E = squareform(pdist(Y[:, : d + 1] if cumulative else Y[:, d : d + 1])) ** power
            r = np.corrcoef(G.ravel(), E.ravel())[0, 1]
            r = r**2 if squared else r
            values.append(1 - r if variance else r)
        return np.array(values)

    return residuals


def _leave(lengths, v):
    through = np.minimum(lengths, lengths[:, [v]] + lengths[v])
    return np.delete(np.delete(through, v, axis=0), v, axis=1)


def _leave_by_loops(lengths, v):
    left = [i for i in range(len(lengths)) if i != v]
    return [[min(lengths[i][j], lengths[i][v] + lengths[v][j]) for j in left] for i in left]


def _leave_neighbors_only(lengths, v):
    lengths, (u,) = lengths.astype(np.float32), np.nonzero(np.isfinite(lengths[v]))
    pairs = np.ix_(u, u)
    lengths[pairs] = np.minimum(lengths[pairs], lengths[u, v][:, None] + lengths[v, u])
    left = np.arange(len(lengths)) != v
    return lengths[left][:, left]


def _leave_in_place(lengths, v):
    np.minimum(lengths, lengths[:, [v]] + lengths[v], out=lengths)
    return np.delete(np.delete(lengths, v, axis=0), v, axis=1)


def _leave_by_all_paths(lengths, v):
    return _leave(_floyd(lengths), v)


def _leave_the_longer_step(lengths, v):
    through = np.minimum(lengths, np.maximum(lengths[:, [v]], lengths[v]))
    return np.delete(np.delete(through, v, axis=0), v, axis=1)


def _leave_ignoring_old_edges(lengths, v):
    through = lengths[:, [v]] + lengths[v]
    through = np.where(np.isfinite(through), through, lengths)
    return np.delete(np.delete(through, v, axis=0), v, axis=1)


_AROUND = np.radians(np.linspace(10, 350, 40))
_HORSESHOE = np.column_stack([np.cos(_AROUND), np.sin(_AROUND)])


RIGHT = {
    "isomap-1": [[2, 3, 5, 8], (2.0, 3.0, 5.0, 8.0), np.array([[2], [3], [5], [8]], dtype=np.float32)],
    "isomap-2": [[2, 2, 0, -1], np.array([2, 2, 0, -1.0]), [2.0, 2, 1e-16, -1], [[2, 2], [0, -1]]],
    "isomap-3": [_floyd, _floyd_by_loops, _by_squaring, _by_dijkstra],
    "isomap-4": [
        _place(),
        _place(sign=-1),
        _place_point_by_point,
        _place_in_place,
        lambda G, landmarks, d: _place()(G.astype(np.float32), landmarks, d),
    ],
    "isomap-5": [
        _residuals(),
        _of_pairs,
        lambda G, Y: _residuals()(G.astype(np.float32), Y[:, :, None][..., 0]),
    ],
    "isomap-6": ["d", "D", "(d)", " d"],
    "isomap-7": [[150, 496], (496, 150), np.array([[150.0, 496.0]]), sparse.csr_array([[150, 496]])],
    "isomap-8": [_leave, _leave_by_loops, _leave_neighbors_only],
    "isomap-9": [21, 21.0, [21], np.int64(21)],
    "isomap-10": ["b", "B", "(b)", " b"],
    "isomap-11": [
        {"smallest k": 12, "residual variance": 0.05},
        {"residual variance": np.float64(0.054), "smallest k": 12.0},
        {"smallest k": np.array([12]), "residual variance": np.float32(0.0541)},
    ],
    "isomap-12": [
        {"points": _HORSESHOE, "k": 2, "bridge": [1, 0]},
        {"points": (50 * _HORSESHOE[::-1]).tolist(), "k": 2.0, "bridge": (50, 0)},
        {"points": _HORSESHOE[:, ::-1].astype(np.float32), "k": 2, "bridge": np.array([[0], [1]])},
    ],
}

WRONG = {
    "isomap-1": [[2, 5, 8, 11], [2, 3, 5, 9], [2, 3, 4, 8], [2, 3, 5], "2 3 5 8"],
    "isomap-2": [[2, 2, 1, 0], [-1, 0, 2, 2], [2, 2, -1, -3], [4, 4, 0, -2], [2, 2, 0, 1], 2],
    "isomap-3": [
        _one_round,
        _floyd_in_place,
        _stop_innermost,
        _infinity_as_large,
        _missing_where_no_path,
        lambda lengths: lengths,
        3.0,
    ],
    "isomap-4": [
        _place(square=1),
        _place(power=0),
        _place(power=-1),
        _place(power=0.5),
        _place(half=1),
        _place(mean=lambda among, to_all: 0),  # only a shift, but the landmarks leave their places
        _place(mean=lambda among, to_all: to_all.mean(axis=1)),
        _centered_afterward,
        lambda G, landmarks, d: np.zeros((len(landmarks), d)),
        "place",
    ],
    "isomap-5": [
        _residuals(power=2),
        _residuals(squared=False),
        _residuals(variance=False),
        _residuals(cumulative=False),
        lambda G, Y: 0.1,
    ],
    "isomap-6": ["a", "b", "c", "e", 4],
    "isomap-7": [[0, 0], [0, 600], [0.5, 1], [3, 17], [150, 150], 12],
    "isomap-8": [
        _leave_in_place,
        _leave_by_all_paths,
        _leave_the_longer_step,
        _leave_ignoring_old_edges,
        lambda lengths, v: np.delete(np.delete(lengths, v, axis=0), v, axis=1),  # the paths through v are lost
        lambda lengths, v: np.minimum(lengths, lengths[:, [v]] + lengths[v]),  # v is still there
    ],
    "isomap-9": [20, 22, 20.28, 3, "twenty-one"],
    "isomap-10": ["a", "c", "d", "e", 2],
    "isomap-11": [
        {"smallest k": 11, "residual variance": 0.05},
        {"smallest k": 13, "residual variance": 0.05},
        {"smallest k": 12, "residual variance": 0.07},
        {"smallest k": 12, "residual variance": 0.12},
        {"smallest k": 12},
        12,
    ],
    "isomap-12": [
        {"points": _HORSESHOE, "k": 2, "bridge": [-1.1, 0]},
        {"points": _HORSESHOE[:20], "k": 2, "bridge": [0, 0]},
        {"points": _HORSESHOE, "k": 40, "bridge": [1, 0]},
        {"points": np.vstack([_HORSESHOE, _HORSESHOE + 9]), "k": 2, "bridge": [1, 0]},
        {"points": _HORSESHOE[:8], "k": 2, "bridge": [1, 0]},
        {"points": _HORSESHOE, "k": 2, "bridge": 1},
        {"points": _HORSESHOE, "k": 2},
    ],
}
