"""Time and peak memory of the package and of its peers: the same work on the same data, in one process.

Ours and the peer take turns; the table shows median times, the median ratio of neighboring runs, the most
memory that a run took beyond what was there before, and how far the results agree: the largest difference of
axes, up to signs and scale. For t-SNE and UMAP of many points times are those of the processor, of runs with as many
seeds; elsewhere they are those of a clock. The column holds instead
- the correlation of the first axis with the angle of the roll, for landmark Isomap and for 100,000 points;
- the largest difference of two shortest paths, relative to the longest;
- the share of neighbors that are not the peer's;
- the mismatch, error or loss that ours ends with, as a factor of the peer's, for exact t-SNE, self-organizing maps
  and autoencoders;
- the share of ten neighbors kept, as a factor of the peer's, for t-SNE and UMAP of many points, of which the table
  in the file also says the mismatch, as a factor, and the trustworthiness of both;
- how far the covariance of the axes is from the identity matrix, for LLE of ten dimensions;
- the relative difference of the variances that semidefinite embedding finds, or without a peer the duality gap:
  how far from the optimum it can be at most;
- what `latent` describes, for the rows of latent methods and of directions.

``--json FILE`` saves the table. Names select benchmarks: ``python benchmarks/run.py Isomap``; the other rows of
the file stay as they are. Those of a million points run only with ``--large``. Peers other than scikit-learn take
part if they are installed.
"""

import argparse
import ctypes
import itertools
import json
import statistics
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import dijkstra
from sklearn import decomposition, manifold
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPRegressor

import latent
from dimred_lessons import (
    LTSA,
    PCA,
    Autoencoder,
    ClassicalMDS,
    DualPCA,
    HessianLLE,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    NeighborEmbedding,
    SelfOrganizingMap,
    SemidefiniteEmbedding,
    StressMDS,
)
from dimred_lessons.classroom.datasets import digits, handwriting, s_curve, swiss_roll
from dimred_lessons.classroom.metrics import aligned_signs
from dimred_lessons.distances import squared_distances
from dimred_lessons.engine.threads import pool_of
from dimred_lessons.geodesics import geodesic_distances
from dimred_lessons.graphs import knn_graph
from dimred_lessons.iterative.affinities import joint_probabilities
from dimred_lessons.iterative.neighbor_forces import GridForces
from dimred_lessons.iterative.neighbor_kernels import student_objective
from dimred_lessons.local_distances import constrained_pairs
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists
from dimred_lessons.semidefinite import maximize_variance

try:
    import tapkee
except ImportError:
    tapkee = None
try:
    import openTSNE
except ImportError:
    openTSNE = None
try:
    import umap
except ImportError:
    umap = None
try:
    import minisom
except ImportError:
    minisom = None
OPTIONAL = {"Tapkee": tapkee, "openTSNE": openTSNE, "umap-learn": umap, "MiniSom": minisom}


def cloud(n, D):
    """Points of unequal variance: every method finds its axes in them."""
    return np.random.default_rng(0).standard_normal((n, D)) * np.linspace(1, 3, D)


def images(n, D):
    """Points of many dimensions, with ten causes and noise."""
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((n, 10)) * np.linspace(10, 1, 10)
    return causes @ rng.standard_normal((10, D)) + rng.standard_normal((n, D))


def disagreement(Y, expected):
    """Largest difference between axes of unit length, up to signs, relative to the largest entry."""
    Y, expected = (A / np.linalg.norm(A, axis=0) for A in (Y, expected))
    return float(np.abs(aligned_signs(Y, expected) - expected).max() / np.abs(expected).max())


def roll_correlation(Y, X):
    """Correlation of the angle along a swiss roll (it is its radius) with the first axis of the embedding."""
    return float(abs(np.corrcoef(Y[:, 0], np.hypot(X[:, 0], X[:, 2]))[0, 1]))


def by_tapkee(method, **parameters):
    """A peer of this name, if the package is installed."""
    if tapkee is None:
        return {}
    return {
        "Tapkee": lambda X: np.asarray(
            tapkee.embed(np.asfortranarray(X.T), method=method, target_dimension=2, **parameters)
        )
    }


# ---------------------------------------------------------------------------------------------------------
# The work: each function returns ours and the peers, which take X to Y; X; the number of runs of each (1 where
# they take long); and what the last column holds, a function of Y and the peer's Y, of Y alone without a peer.


def pca(ours, n, D, d=2, n_runs=5):
    """The peer chooses its solver; of all components, its last one is the zero that centering leaves."""
    peer = decomposition.PCA(d, random_state=0)
    peers = {"scikit-learn": lambda X: peer.fit_transform(X)[:, : n - 1]}
    return ours(d).fit_transform, peers, images(n, D), n_runs, disagreement


def kernel_pca(n=5000):
    """The peer may choose among its solvers; only the fastest one counts."""
    X, sigma = cloud(n, 50), 20.0
    peers = {
        f"scikit-learn {solver}": decomposition.KernelPCA(
            2, kernel="rbf", gamma=0.5 / sigma**2, eigen_solver=solver, random_state=0
        ).fit_transform
        for solver in ("arpack", "randomized")
    }
    return KernelPCA(2, sigma=sigma).fit_transform, peers, X, 5, disagreement


def kernel_pca_of_a_roll(n=5000):
    ours, peers, _, n_runs, measure = kernel_pca(n)
    return ours, peers, swiss_roll(n)[0], n_runs, measure


def classical_mds(n=5000):
    """The peer takes all eigenvalues, so that one run of it is enough."""
    peers = {"scikit-learn": manifold.ClassicalMDS(2).fit_transform}
    return ClassicalMDS(2).fit_transform, peers, cloud(n, 50), 1, disagreement


def isomap(n=5000, n_jobs=1):
    peers = {"scikit-learn": manifold.Isomap(n_neighbors=10, n_jobs=n_jobs).fit_transform}
    return Isomap(n_neighbors=10, n_jobs=n_jobs).fit_transform, peers, swiss_roll(n)[0], 3, disagreement


def geodesics(n=10_000):
    """All pairs of a roll."""
    peers = {"SciPy (Dijkstra)": lambda graph: dijkstra(graph, directed=False)}
    graph = knn_graph(swiss_roll(n)[0], 10)
    return geodesic_distances, peers, graph, 1, lambda G, expected: float(np.abs(G - expected).max() / expected.max())


def neighbors(n=70_000, D=784, n_queries=7000, k=10):
    """The points have the shape of handwritten digits; the queries are a tenth of them, new."""
    X = images(n + n_queries, D)
    X, queries = X[:n], X[n:]

    def ours(queries):
        return neighbor_lists(X, k, queries=queries).indices.reshape(-1, k)

    def peer(queries):
        search = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=1).fit(X)
        return np.sort(search.kneighbors(queries, return_distance=False), axis=1)

    return ours, {"scikit-learn (brute)": peer}, queries, 1, lambda found, expected: float(np.mean(found != expected))


def landmark_isomap(n=20_000, n_landmarks=200):
    X = swiss_roll(n)[0]
    peers = by_tapkee("l-isomap", num_neighbors=10, landmark_ratio=n_landmarks / n)
    ours = Isomap(n_neighbors=10, n_landmarks=n_landmarks, random_state=0).fit_transform
    return ours, peers, X, 2, lambda Y, _=None: roll_correlation(Y, X)


def locally_linear_embedding(n=5000):
    peer = manifold.LocallyLinearEmbedding(n_neighbors=10, random_state=0)
    peers = {"scikit-learn": peer.fit_transform, **by_tapkee("lle", num_neighbors=10)}
    return LocallyLinearEmbedding(n_neighbors=10).fit_transform, peers, swiss_roll(n)[0], 5, disagreement


def laplacian_eigenmaps(n=5000, weights="binary"):
    """The peer's graph differs (it counts a point as its own neighbor), and so do the results, somewhat."""
    peers = {"scikit-learn": manifold.SpectralEmbedding(2, n_neighbors=10, random_state=0).fit_transform}
    ours = LaplacianEigenmaps(n_neighbors=10, weights=weights).fit_transform
    return ours, peers, swiss_roll(n)[0], 9, disagreement


def lle_of_ten_dimensions(n=8000, D=784):
    """No small set of vertices separates the graph of such points, so that a sparse factor would fill up."""
    ours = LocallyLinearEmbedding(n_neighbors=10).fit_transform
    return ours, {}, images(n, D), 1, lambda Y: float(np.abs(Y.T @ Y / n - np.eye(2)).max())


def many_points(method, n, tapkee_method=None):
    """A roll; Tapkee takes part up to tens of thousands of points."""
    X = swiss_roll(n)[0]
    peers = by_tapkee(tapkee_method, num_neighbors=10) if tapkee_method else {}
    return method(n_neighbors=10).fit_transform, peers, X, 1, lambda Y, _=None: roll_correlation(Y, X)


def new_points(ours, peer, n, n_new, draw):
    """Placing new points by methods that have been fitted to others."""
    X = draw(n + n_new)
    ours.fit(X[:n]), peer.fit(X[:n])
    return ours.transform, {"scikit-learn": peer.transform}, X[n:], 3, disagreement


def new_points_of_kernel_pca(n=2000, n_new=20_000, sigma=20.0):
    peer = decomposition.KernelPCA(2, kernel="rbf", gamma=0.5 / sigma**2, random_state=0)
    return new_points(KernelPCA(2, sigma=sigma), peer, n, n_new, lambda n: cloud(n, 50))


def new_points_of_isomap(n=2000, n_new=20_000):
    peer = manifold.Isomap(n_neighbors=10)
    return new_points(Isomap(n_neighbors=10), peer, n, n_new, lambda n: swiss_roll(n)[0])


def local_pictures(method, name, n=3000):
    """The peer's patches leave out the point itself, and its Hessian is LTSA, so that results differ somewhat."""
    peer = manifold.LocallyLinearEmbedding(n_neighbors=12, method=name, random_state=0)
    X = swiss_roll(n)[0]
    ours = method(n_neighbors=12).fit_transform
    return ours, {"scikit-learn": peer.fit_transform}, X, 5, lambda Y, _: roll_correlation(Y, X)


def t_sne(n, n_iter=300):
    """All pairs of points, as many steps; openTSNE approximates, with as many steps."""
    X = digits(n)[0]
    peer = manifold.TSNE(
        method="exact", max_iter=n_iter, n_iter_without_progress=n_iter, min_grad_norm=0, random_state=0
    )
    peers = {"scikit-learn exact": peer.fit_transform}
    if openTSNE:
        approximate = openTSNE.TSNE(n_iter=n_iter - 250, n_jobs=1, random_state=0)
        peers["openTSNE"] = lambda X: np.asarray(approximate.fit(X))
    P = joint_probabilities(squared_distances(X), 30)

    def measure(Y, other):
        return student_objective(P, Y) / student_objective(P, other.astype(float))

    return NeighborEmbedding(max_iter=n_iter).fit_transform, peers, X, 3, measure


def many_digits(n):
    """Images of handwritten digits by 50 principal axes, and their labels: copies are shifted, and have noise."""
    rng, (images, labels) = np.random.default_rng(0), handwriting()
    chosen = np.arange(n) % len(images) if n > len(images) else rng.permutation(len(images))[:n]
    copies = np.arange(n)[:, np.newaxis] >= len(images)
    shifts = rng.integers(-2, 3, (n, 2)) * copies
    X = np.empty((n, images.shape[1]), np.float32)
    for i, image in enumerate(images[chosen].reshape(n, 28, 28)):
        X[i] = np.roll(image, tuple(shifts[i]), axis=(0, 1)).ravel()
    X += 0.1 * rng.standard_normal(X.shape, dtype=np.float32) * copies
    return PCA(50).fit_transform(X), labels[chosen]


def neighbors_of_many_points(kernel, n, n_seeds):
    """Whole runs in one thread, each with another seed, from equal starts; ours approximates 5,000 points, too."""
    (X, _), peers, mismatch, init = many_digits(n), {}, None, "spectral"
    if kernel == "student":
        if openTSNE:
            peers["openTSNE"] = one_seed_after_the_other(
                lambda seed: lambda X: np.asarray(openTSNE.TSNE(n_jobs=1, random_state=seed).fit(X))
            )
        if n <= 5000:
            peers["scikit-learn Barnes-Hut"] = one_seed_after_the_other(
                lambda seed: manifold.TSNE(max_iter=750, n_jobs=1, random_state=seed).fit_transform
            )
        init = "pca"
        mismatch = GridForces(NeighborSearch(X), 30, pool_of(1), 1).objective
    elif umap:
        umap.UMAP(n_epochs=5).fit(X[:4500])  # which compiles it
        peers["umap-learn"] = one_seed_after_the_other(
            lambda seed: umap.UMAP(random_state=seed, n_jobs=1).fit_transform
        )
    ours = one_seed_after_the_other(
        lambda seed: NeighborEmbedding(kernel=kernel, init=init, method="approximate", random_state=seed).fit_transform
    )

    def measure(Y, other=None):
        Y, other = (Z if Z is None else Z.astype(float) for Z in (Y, other))
        kept, trust = neighbors_of_a_sample(X, Y)
        if other is None:
            return {"agreement": kept, "trustworthiness": trust}
        peer_kept, peer_trust = neighbors_of_a_sample(X, other)
        quality = {"agreement": kept / peer_kept, "trustworthiness": trust, "peer_trustworthiness": peer_trust}
        return quality if mismatch is None else quality | {"mismatch": mismatch(Y) / mismatch(other)}

    return ours, peers, X, n_seeds, measure


def one_seed_after_the_other(make):
    """Work that differs from run to run: ``make(seed)`` returns what takes X to Y."""
    seeds = itertools.count()
    return lambda X: make(next(seeds))(X)


def neighbors_of_a_sample(X, Y, n_sampled=2000, k=10):
    """Share of the k neighbors kept, and trustworthiness, of random points among all."""
    n = len(X)
    sample = np.random.default_rng(0).choice(n, min(n, n_sampled), replace=False)
    n_kept = charged = 0
    for rows in np.array_split(sample, 1 + len(sample) * n // 2**23):
        before, after = (squared_distances(Z[rows], Z) for Z in (X, Y))
        before[np.arange(len(rows)), rows] = after[np.arange(len(rows)), rows] = np.inf
        on_map = np.take_along_axis(before, np.argpartition(after, k)[:, :k], axis=1)
        for column in on_map.T:
            ranks = 1 + np.sum(before < column[:, np.newaxis], axis=1)
            n_kept += np.sum(ranks <= k)
            charged += np.maximum(0, ranks - k).sum()
    return n_kept / len(sample) / k, 1 - 2 * charged / (len(sample) * k * (2 * n - 3 * k - 1))


def self_organizing_map(method, n_epochs):
    """The peer takes 5000 steps, five times the points."""
    X = np.random.default_rng(0).random((1000, 2))

    def ours(X):
        return SelfOrganizingMap(method=method, max_iter=n_epochs).fit(X).prototypes_

    def peer(X):
        som = minisom.MiniSom(10, 10, 2, sigma=5, learning_rate=0.5, random_seed=0)
        som.random_weights_init(X)
        som.train_random(X, 5000)
        return som.get_weights().reshape(-1, 2)

    def measure(prototypes, other=None):
        errors = [np.sqrt(squared_distances(X, P).min(axis=1)).mean() for P in (prototypes, other) if P is not None]
        return errors[0] / errors[-1]

    return ours, {"MiniSom": peer} if minisom else {}, X, 5, measure


def autoencoder(n=300, max_iter=300):
    """An arc through a bottleneck of one number: the same network, penalty and number of steps."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 1.5 * np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.03 * rng.standard_normal((n, 2))
    X = (X - X.mean(axis=0)) / X.std()
    method = Autoencoder(1, hidden_layer_sizes=(12,), alpha=1e-5, max_iter=max_iter)
    network = MLPRegressor(
        hidden_layer_sizes=(12, 1, 12), activation="tanh", solver="lbfgs", alpha=n * 1e-5, max_iter=max_iter, tol=1e-12
    )

    def peer(X):
        with warnings.catch_warnings(action="ignore"):
            return network.set_params(random_state=0).fit(X, X).predict(X)

    def ours(X):
        return method.inverse_transform(method.fit_transform(X))

    def measure(rebuilt, other):
        return np.mean((X - rebuilt) ** 2) / np.mean((X - other) ** 2)

    return ours, {"scikit-learn MLP": peer}, X, 5, measure


def stress(n=500, n_iter=100):
    """As many Guttman transforms from the same start."""
    X = images(n, 20)
    start = ClassicalMDS().fit_transform(X)
    D = np.sqrt(squared_distances(X))
    ours = StressMDS(metric="precomputed", init=start, max_iter=n_iter, tol=0)

    def run(D):
        with warnings.catch_warnings(action="ignore"):
            return ours.fit_transform(D)

    def peer(D):
        Y = manifold.smacof(D, init=start, n_init=1, max_iter=n_iter, eps=0, normalized_stress=False)[0]
        return PCA(2).fit_transform(Y)

    return run, {"scikit-learn SMACOF": peer}, D, 3, disagreement


def sde(draw, n, angles=False, n_landmarks=None):
    """k = 6, gap at most 1e-6. For few points the peer is the tutorial's program, for landmarks the exact solution."""

    def variance(X, n_landmarks=n_landmarks):
        method = SemidefiniteEmbedding(n_neighbors=6, angles=angles, n_landmarks=n_landmarks).fit(X)
        return method.kernel_.trace(), method.duality_gap_

    def variance_by_cvxpy(X):
        pairs, squared_distances = constrained_pairs(X, neighbor_lists(X, 6), angles)
        return maximize_variance(pairs, squared_distances, n, solver="cvxpy").K.trace(), 0

    def measure(found, expected=None):
        return found[1] if expected is None else abs(found[0] / expected[0] - 1)

    peers = {"CVXPY + Clarabel": variance_by_cvxpy} if n == 100 else {}
    if n_landmarks and n == 400:
        peers = {"ours, all points": lambda X: variance(X, None)}
    return variance, peers, draw(n)[0], 1, measure


SDE_SIZES = {
    "n = 100": {"n": 100},
    "n = 400": {"n": 400},
    "n = 1000": {"n": 1000},
    "n = 300, angles": {"n": 300, "angles": True},
    "n = 400, angles, 100 landmarks": {"n": 400, "angles": True, "n_landmarks": 100},
    "n = 5000, angles, 100 landmarks": {"n": 5000, "angles": True, "n_landmarks": 100},
}
WHOLE_RUNS = {  # minutes each, in processor time
    f"{name} of many points, n = {n:,}": partial(neighbors_of_many_points, kernel, n, n_seeds)
    for kernel, name in (("student", "t-SNE"), ("umap", "UMAP"))
    for n, n_seeds in ((5000, 3), (20_000, 2), (70_000, 1))
}
BENCHMARKS = {
    "PCA, 20,000 × 784": partial(pca, PCA, 20_000, 784),
    "PCA, 50,000 × 784": partial(pca, PCA, 50_000, 784),
    "PCA, 100,000 × 50": partial(pca, PCA, 100_000, 50, n_runs=25),
    "PCA, 698 × 4096": partial(pca, PCA, 698, 4096, n_runs=15),
    "PCA, 200 × 50,000": partial(pca, PCA, 200, 50_000, n_runs=9),
    "dual PCA, 698 × 4096": partial(pca, DualPCA, 698, 4096, n_runs=15),
    "dual PCA, 200 × 50,000": partial(pca, DualPCA, 200, 50_000, n_runs=9),
    "dual PCA, 200 × 50,000, all": partial(pca, DualPCA, 200, 50_000, None),
    "kernel PCA, Gaussian, cloud, n = 5000": kernel_pca,
    "kernel PCA, Gaussian, roll, n = 5000": kernel_pca_of_a_roll,
    "classical MDS of points, n = 5000": classical_mds,
    "neighbors, 70,000 × 784, a tenth of them": neighbors,
    "all shortest paths, n = 10,000": geodesics,
    "Isomap, n = 5000, one process": isomap,
    "Isomap, n = 5000, two processes": lambda: isomap(n_jobs=2),
    "Isomap, 200 landmarks, n = 20,000": landmark_isomap,
    "LLE, n = 5000": locally_linear_embedding,
    "Laplacian eigenmaps, n = 5000": laplacian_eigenmaps,
    "Laplacian eigenmaps, heat weights, n = 5000": lambda: laplacian_eigenmaps(weights="heat"),
    "LLE of ten dimensions, n = 8000": lle_of_ten_dimensions,
    "LLE, n = 20,000": lambda: many_points(LocallyLinearEmbedding, 20_000, "lle"),
    "Laplacian eigenmaps, n = 20,000": lambda: many_points(LaplacianEigenmaps, 20_000, "laplacian_eigenmaps"),
    "LLE, n = 100,000": lambda: many_points(LocallyLinearEmbedding, 100_000),
    "Laplacian eigenmaps, n = 100,000": lambda: many_points(LaplacianEigenmaps, 100_000),
    "LTSA, n = 3000": lambda: local_pictures(LTSA, "ltsa"),
    "Hessian LLE, n = 3000": lambda: local_pictures(HessianLLE, "hessian"),
    "LTSA, n = 100,000": lambda: many_points(LTSA, 100_000),
    "Hessian LLE, n = 100,000": lambda: many_points(HessianLLE, 100_000),
    "exact t-SNE, 300 steps, n = 300": lambda: t_sne(300),
    "exact t-SNE, 300 steps, n = 1000": lambda: t_sne(1000),
    **WHOLE_RUNS,
    "self-organizing map, batch, 10 × 10": lambda: self_organizing_map("batch", 30),
    "self-organizing map, online, 10 × 10": lambda: self_organizing_map("online", 5),
    "autoencoder, 2-12-1-12-2, n = 300": autoencoder,
    "stress, 100 steps, n = 500": stress,
    "20,000 new points of kernel PCA, n = 2000": new_points_of_kernel_pca,
    "20,000 new points of Isomap, n = 2000": new_points_of_isomap,
    **{
        f"SDE, {name}, {size}": partial(sde, draw, **parameters)
        for size, parameters in SDE_SIZES.items()
        for name, draw in {"S-curve": s_curve, "swiss roll": swiss_roll}.items()
    },
    **latent.BENCHMARKS,
}
LARGE = {
    "LLE, n = 1,000,000": lambda: many_points(LocallyLinearEmbedding, 1_000_000),
    "Laplacian eigenmaps, n = 1,000,000": lambda: many_points(LaplacianEigenmaps, 1_000_000),
}

# ---------------------------------------------------------------------------------------------------------
# Measuring


def measured(work, X, clock):
    """Seconds, peak memory of this process in MiB beyond that before (nan except on Linux), and Y."""
    before = _memory(reset=True)
    start = clock()
    Y = work(X)
    seconds = clock() - start
    return seconds, _memory() - before, Y


def _memory(reset=False):
    """Highest resident memory in MiB since the last reset."""
    try:
        if reset:
            ctypes.CDLL(None).malloc_trim(0)  # so that memory freed by earlier runs counts when it is used again
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except (AttributeError, OSError, StopIteration, TypeError):  # not Linux
        return float("nan")


def compare(ours, peer, X, n_runs, measure, clock=time.perf_counter):
    """Alternate between the two, and return one row of the table."""
    if n_runs > 1 and clock == time.perf_counter:
        ours(X)  # so that neither side pays for what only the first run does
    mine, theirs = [], []
    for _ in range(n_runs):
        mine.append(measured(ours, X, clock))
        if peer:
            theirs.append(measured(peer, X, clock))
    row = {
        "seconds": statistics.median(run[0] for run in mine),
        "mebibytes": max(run[1] for run in mine),
        "agreement": None,
    }
    if clock == time.process_time:  # each run has a seed of its own
        qualities = [measure(*(run[2] for run in runs)) for runs in zip(mine, *[theirs] * bool(peer), strict=True)]
        row |= {name: statistics.median(quality[name] for quality in qualities) for name in qualities[0]}
    else:
        row["agreement"] = measure(mine[-1][2], theirs[-1][2]) if peer else measure(mine[-1][2])
    if peer:
        row["peer_seconds"] = statistics.median(run[0] for run in theirs)
        row["peer_mebibytes"] = max(run[1] for run in theirs)
        row["times_faster"] = statistics.median(b[0] / a[0] for a, b in zip(mine, theirs, strict=True))
    return row


COLUMNS = {
    "seconds": "ours, s", "peer_seconds": "peer, s", "times_faster": "ratio",
    "mebibytes": "ours, MiB", "peer_mebibytes": "peer, MiB",
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names of benchmarks; all by default")
    parser.add_argument("--json", help="file for the table")
    parser.add_argument("--large", action="store_true", help="also a million points: minutes, and several GiB")
    options = parser.parse_args()
    for name in [name for name, module in OPTIONAL.items() if module is None] + latent.NOT_INSTALLED:
        print(f"{name} is not installed (pip install {name.lower()}): its rows are left out.")
    titles = [*COLUMNS.values(), "agreement"]
    print(f"{'work':<48}{'peer':<26}" + "".join(f"{title:>11}" for title in titles))
    rows = []
    for work, prepare in (BENCHMARKS | LARGE if options.large else BENCHMARKS).items():
        if options.names and not any(name in work for name in options.names):
            continue
        ours, peers, *rest = prepare()
        clock = time.process_time if work in WHOLE_RUNS else time.perf_counter
        for peer_name, peer in (peers or {"": None}).items():
            row = {"work": work, "peer": peer_name, **compare(ours, peer, *rest, clock)}
            rows.append(row)
            numbers = "".join(f"{row[key]:>11.3g}" if key in row else f"{'':>11}" for key in COLUMNS)
            print(f"{work:<48}{peer_name:<26}{numbers}{row['agreement']:>11.3g}", flush=True)
    if options.json:
        file, measured_now = Path(options.json), {row["work"] for row in rows}
        before = json.loads(file.read_text(encoding="utf-8")) if options.names and file.exists() else []
        order = list(BENCHMARKS | LARGE)
        rows += [row for row in before if row["work"] in order and row["work"] not in measured_now]
        rows.sort(key=lambda row: order.index(row["work"]))
        file.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
