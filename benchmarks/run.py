"""Time the package against its peers: the same work on the same data, alternating in one process.

Prints a table of median times and of the median ratio of neighboring runs, and with ``--json FILE`` keeps it.
Run it as ``python benchmarks/run.py``; names of benchmarks may follow to choose some.
"""

import argparse
import json
import statistics
import time

import numpy as np
from sklearn import decomposition, manifold

from dimred_lessons import ClassicalMDS, KernelPCA


def cloud(n, D):
    """Points of unequal variance: every method finds its axes in them."""
    return np.random.default_rng(0).standard_normal((n, D)) * np.linspace(1, 3, D)


def kernel_pca(n=5000):
    """The peer may choose among its solvers; the fastest one counts."""
    X, sigma = cloud(n, 50), 20.0
    gamma = 0.5 / sigma**2
    peers = {
        f"scikit-learn {solver}": decomposition.KernelPCA(2, kernel="rbf", gamma=gamma, eigen_solver=solver)
        for solver in ("arpack", "randomized")
    }
    return KernelPCA(2, sigma=sigma), peers, X, 3


def classical_mds(n=5000):
    """The peer takes all eigenvalues, so that one run of it is enough."""
    return ClassicalMDS(2), {"scikit-learn": manifold.ClassicalMDS(2)}, cloud(n, 50), 1


BENCHMARKS = {
    "kernel PCA, Gaussian, n = 5000": kernel_pca,
    "classical MDS from points, n = 5000": classical_mds,
}


def seconds(estimator, X):
    """Time and embedding of one fit."""
    start = time.perf_counter()
    Y = estimator.fit_transform(X)
    return time.perf_counter() - start, Y


def disagreement(Y, expected):
    """Largest difference up to the sign of each axis, relative to the largest entry."""
    signs = np.sign(np.sum(Y * expected, axis=0))
    return float(np.abs(Y * signs - expected).max() / np.abs(expected).max())


def compare(ours, peer, X, n_runs):
    """Alternate between the two, and return one row of the table."""
    ours.fit(X)  # once beforehand, so that neither side pays for loading the libraries
    ratios, times, peer_times = [], [], []
    for _ in range(n_runs):
        mine, Y = seconds(ours, X)
        theirs, expected = seconds(peer, X)
        times.append(mine)
        peer_times.append(theirs)
        ratios.append(theirs / mine)
    return {
        "seconds": statistics.median(times),
        "peer_seconds": statistics.median(peer_times),
        "times_faster": statistics.median(ratios),
        "disagreement": disagreement(Y, expected),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names of benchmarks; all by default")
    parser.add_argument("--json", help="file that keeps the table")
    options = parser.parse_args()
    rows = []
    print(f"{'work':<38}{'peer':<26}{'ours, s':>10}{'peer, s':>10}{'ratio':>9}{'differ by':>11}")
    for work, prepare in BENCHMARKS.items():
        if options.names and not any(name in work for name in options.names):
            continue
        ours, peers, X, n_runs = prepare()
        for peer_name, peer in peers.items():
            row = {"work": work, "peer": peer_name, **compare(ours, peer, X, n_runs)}
            rows.append(row)
            print(
                f"{work:<38}{peer_name:<26}{row['seconds']:>10.3g}{row['peer_seconds']:>10.3g}"
                f"{row['times_faster']:>9.3g}{row['disagreement']:>11.1e}",
                flush=True,
            )
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
