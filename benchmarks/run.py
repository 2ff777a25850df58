"""Time and peak memory of the package and of its peers: the same work on the same data, in one process.

Ours and the peer take turns; the table shows median times, the median ratio of neighboring runs, the most
memory that a run took beyond what was there before, and how far the results agree: the largest difference of
axes, up to signs and scale. The column holds instead
- the correlation of the first axis with the angle of the roll, for landmark Isomap and for 100,000 points;
- the relative difference of the variances that semidefinite embedding finds, or without a peer the duality gap:
  how far from the optimum it can be at most;
- what `latent` says, for the rows of latent methods and of directions.

``--json FILE`` keeps the table.
Names of benchmarks may follow to choose some: ``python benchmarks/run.py Isomap``. Peers other than scikit-learn
take part if they are installed.
"""

import argparse
import ctypes
import json
import statistics
import time
from functools import partial
from pathlib import Path

import numpy as np
from sklearn import decomposition, manifold

import latent
from dimred_lessons import (
    ClassicalMDS,
    DualPCA,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    SemidefiniteEmbedding,
)
from dimred_lessons.classroom.datasets import s_curve, swiss_roll
from dimred_lessons.classroom.metrics import aligned_signs
from dimred_lessons.graphs import constrained_pairs, neighbor_lists
from dimred_lessons.spectral.sde import solve_with_cvxpy

try:
    import tapkee
except ImportError:
    tapkee = None


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


def dual_pca(n=200, D=50_000, d=None):
    """All components; the peer's last one is the zero that centering leaves."""
    peer = decomposition.PCA(d, svd_solver="auto", random_state=0)
    peers = {"scikit-learn": lambda X: peer.fit_transform(X)[:, : n - 1]}
    return DualPCA(d).fit_transform, peers, images(n, D), 5, disagreement


def kernel_pca(n=5000):
    """The peer may choose among its solvers; the fastest one counts."""
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


def isomap(n=5000):
    peers = {"scikit-learn": manifold.Isomap(n_neighbors=10, n_jobs=2).fit_transform}
    return Isomap(n_neighbors=10, n_jobs=2).fit_transform, peers, swiss_roll(n)[0], 3, disagreement


def landmark_isomap(n=20_000, n_landmarks=200):
    X = swiss_roll(n)[0]
    peers = by_tapkee("l-isomap", num_neighbors=10, landmark_ratio=n_landmarks / n)
    ours = Isomap(n_neighbors=10, n_landmarks=n_landmarks, random_state=0).fit_transform
    return ours, peers, X, 2, lambda Y, _=None: roll_correlation(Y, X)


def locally_linear_embedding(n=5000):
    peer = manifold.LocallyLinearEmbedding(n_neighbors=10, random_state=0)
    peers = {"scikit-learn": peer.fit_transform, **by_tapkee("lle", num_neighbors=10)}
    return LocallyLinearEmbedding(n_neighbors=10).fit_transform, peers, swiss_roll(n)[0], 5, disagreement


def laplacian_eigenmaps(n=5000):
    """The peer's graph differs (it counts a point as its own neighbor), and so do the results, somewhat."""
    peers = {"scikit-learn": manifold.SpectralEmbedding(2, n_neighbors=10, random_state=0).fit_transform}
    ours = LaplacianEigenmaps(n_neighbors=10, weights="binary").fit_transform
    return ours, peers, swiss_roll(n)[0], 9, disagreement


def many_points_lle(n=100_000):
    X = swiss_roll(n)[0]
    return LocallyLinearEmbedding(n_neighbors=10).fit_transform, {}, X, 1, lambda Y: roll_correlation(Y, X)


def many_points_lem(n=100_000):
    X = swiss_roll(n)[0]
    return LaplacianEigenmaps(n_neighbors=10).fit_transform, {}, X, 1, lambda Y: roll_correlation(Y, X)


def sde(draw, n, angles=False, n_landmarks=None):
    """k = 6, gap at most 1e-6. The peer of few points is the tutorial's program, that of landmarks is exact."""

    def variance(X, n_landmarks=n_landmarks):
        method = SemidefiniteEmbedding(n_neighbors=6, angles=angles, n_landmarks=n_landmarks).fit(X)
        return method.kernel_.trace(), method.duality_gap_

    def variance_by_cvxpy(X):
        pairs, squared_distances = constrained_pairs(X, neighbor_lists(X, 6), angles)
        return solve_with_cvxpy(pairs, squared_distances, n)[0].trace(), 0

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
BENCHMARKS = {
    "dual PCA, 200 × 50,000, all": dual_pca,
    "dual PCA, 200 × 50,000, two": lambda: dual_pca(d=2),
    "kernel PCA, Gaussian, cloud, n = 5000": kernel_pca,
    "kernel PCA, Gaussian, roll, n = 5000": kernel_pca_of_a_roll,
    "classical MDS of points, n = 5000": classical_mds,
    "Isomap, n = 5000, two processes": isomap,
    "Isomap, 200 landmarks, n = 20,000": landmark_isomap,
    "LLE, n = 5000": locally_linear_embedding,
    "Laplacian eigenmaps, n = 5000": laplacian_eigenmaps,
    "LLE, n = 100,000": many_points_lle,
    "Laplacian eigenmaps, n = 100,000": many_points_lem,
    **{
        f"SDE, {name}, {size}": partial(sde, draw, **parameters)
        for size, parameters in SDE_SIZES.items()
        for name, draw in {"S-curve": s_curve, "swiss roll": swiss_roll}.items()
    },
    **latent.BENCHMARKS,
}

# ---------------------------------------------------------------------------------------------------------
# Measuring


def measured(work, X):
    """Seconds, peak memory of this process in MiB beyond that before (nan where no Linux tells), and Y."""
    before = _memory(reset=True)
    start = time.perf_counter()
    Y = work(X)
    seconds = time.perf_counter() - start
    return seconds, _memory() - before, Y


def _memory(reset=False):
    """Highest resident memory in MiB since the last reset."""
    try:
        if reset:
            ctypes.CDLL(None).malloc_trim(0)  # what earlier runs have freed counts again when it is taken again
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except (AttributeError, OSError, StopIteration, TypeError):  # no Linux
        return float("nan")


def compare(ours, peer, X, n_runs, measure):
    """Alternate between the two, and return one row of the table."""
    if n_runs > 1:
        ours(X)  # so that neither side pays for what only the first run does
    mine, theirs = [], []
    for _ in range(n_runs):
        mine.append(measured(ours, X))
        if peer:
            theirs.append(measured(peer, X))
    Y = mine[-1][2]
    row = {
        "seconds": statistics.median(run[0] for run in mine),
        "mebibytes": max(run[1] for run in mine),
        "agreement": measure(Y, theirs[-1][2]) if peer else measure(Y),
    }
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
    parser.add_argument("--json", help="file that keeps the table")
    options = parser.parse_args()
    for package in ["tapkee"] * (tapkee is None) + latent.NOT_INSTALLED:
        print(f"{package} is not installed (pip install {package}): its rows are left out.")
    titles = [*COLUMNS.values(), "agreement"]
    print(f"{'work':<48}{'peer':<26}" + "".join(f"{title:>11}" for title in titles))
    rows = []
    for work, prepare in BENCHMARKS.items():
        if options.names and not any(name in work for name in options.names):
            continue
        ours, peers, *rest = prepare()
        for peer_name, peer in (peers or {"": None}).items():
            row = {"work": work, "peer": peer_name, **compare(ours, peer, *rest)}
            rows.append(row)
            numbers = "".join(f"{row[key]:>11.3g}" if key in row else f"{'':>11}" for key in COLUMNS)
            print(f"{work:<48}{peer_name:<26}{numbers}{row['agreement']:>11.3g}", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
