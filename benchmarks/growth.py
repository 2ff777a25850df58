"""How processor time grows with the number of points: every method beside its peer, one size after another.

The number of points doubles until a run takes longer than a limit; ours and the peer take turns. A size that takes
less than a second is run three times, and the median counts. What counts is processor time of one process with one
thread, which other programs on the machine disturb less than time on the clock.

``--json FILE`` saves the table; names of methods select some.
"""

import argparse
import json
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from run import cloud, images
from sklearn import decomposition, manifold
from threadpoolctl import threadpool_limits

from dimred_lessons import (
    ICA,
    LTSA,
    PCA,
    ClassicalMDS,
    FactorAnalysis,
    HessianLLE,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    NeighborEmbedding,
    SemidefiniteEmbedding,
    StressMDS,
)
from dimred_lessons.classroom.datasets import digits, s_curve, swiss_roll
from dimred_lessons.distances import squared_distances
from dimred_lessons.local_distances import constrained_pairs
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.semidefinite import maximize_variance

LIMIT = 8.0  # seconds: no run should take much longer


def roll(n):
    return swiss_roll(n)[0]


def pixels(n):
    return digits(n)[0]


def sheet(n):
    return s_curve(n)[0]


LARGEST = {pixels: 1797}  # points available


def sde_by_cvxpy(X):
    """The program of the tutorial, as a student writes it first."""
    return maximize_variance(*constrained_pairs(X, neighbor_lists(X, 6), False), len(X), solver="cvxpy")


def smacof(X):
    """As many Guttman transforms as ours, from the same start."""
    start = ClassicalMDS().fit_transform(X)
    options = {"init": start, "n_init": 1, "max_iter": 50, "eps": 0, "normalized_stress": False}
    return manifold.smacof(np.sqrt(squared_distances(X)), **options)


def scikit_lle(method, k):
    return manifold.LocallyLinearEmbedding(n_neighbors=k, method=method, random_state=0).fit


# Method: ours, the peer (or None), its name, the points, the smallest number of them, and the exponents of theory (of
# ours, and of the peer): the largest power of n that was counted, without logarithms; 1.5 is the factor of a sheet.
METHODS = {
    "PCA": (PCA(2).fit, decomposition.PCA(2, random_state=0).fit, "scikit-learn",
            lambda n: images(n, 100), 8000, 1, 1),
    "factor analysis": (FactorAnalysis(2, max_iter=50, tol=0).fit,
                        decomposition.FactorAnalysis(2, max_iter=50, tol=0, svd_method="lapack").fit, "scikit-learn",
                        lambda n: images(n, 50), 4000, 1, 1),
    "ICA": (ICA(4).fit,
            decomposition.FastICA(4, random_state=0, whiten="unit-variance").fit, "scikit-learn",
            lambda n: np.random.default_rng(0).laplace(size=(n, 4)), 4000, 1, 1),
    "kernel PCA": (KernelPCA(2, sigma=20.0).fit,
                   decomposition.KernelPCA(2, kernel="rbf", gamma=1 / 800, eigen_solver="arpack", random_state=0).fit,
                   "scikit-learn", roll, 500, 2, 2),
    "classical MDS": (ClassicalMDS(2).fit, manifold.ClassicalMDS(2).fit, "scikit-learn",
                      lambda n: cloud(n, 50), 500, 1, 3),
    "stress": (StressMDS(max_iter=50, tol=0).fit, smacof, "scikit-learn", lambda n: images(n, 20), 250, 2, 2),
    "Isomap": (Isomap(n_neighbors=10).fit, manifold.Isomap(n_neighbors=10).fit, "scikit-learn", roll, 500, 2, 2),
    "landmark Isomap": (Isomap(n_neighbors=10, n_landmarks=100, random_state=0).fit, None, None, roll, 2000, 1, None),
    "LLE": (LocallyLinearEmbedding(n_neighbors=10).fit, scikit_lle("standard", 10), "scikit-learn",
            roll, 1000, 1.5, 1.5),
    "Laplacian eigenmaps": (LaplacianEigenmaps(n_neighbors=10).fit,
                            manifold.SpectralEmbedding(2, n_neighbors=10, random_state=0).fit, "scikit-learn",
                            roll, 1000, 1.5, 1.5),
    "LTSA": (LTSA(n_neighbors=12).fit, scikit_lle("ltsa", 12), "scikit-learn", roll, 500, 1.5, 1.5),
    "Hessian LLE": (HessianLLE(n_neighbors=12).fit, scikit_lle("hessian", 12), "scikit-learn", roll, 500, 1.5, 1.5),
    "SDE": (SemidefiniteEmbedding(n_neighbors=6).fit, sde_by_cvxpy, "CVXPY",
            sheet, 15, 3, 6),
    "exact t-SNE": (NeighborEmbedding(max_iter=100).fit,
                    manifold.TSNE(method="exact", max_iter=250, random_state=0).fit, "scikit-learn",
                    pixels, 200, 2, 2),
}  # fmt: skip


def processor_seconds(work, X):
    start = time.process_time()
    with warnings.catch_warnings(action="ignore"), threadpool_limits(1):  # peers stop after a number of steps
        work(X)
    return time.process_time() - start


def grow(sides, draw, n):
    """Sizes and seconds of each side, up to its limit."""
    found = {side: ([], []) for side in sides}
    waiting = dict(sides)
    for work in waiting.values():
        processor_seconds(work, draw(n))  # what only the first run does
    while waiting:
        X, seconds = draw(n), {side: [] for side in waiting}
        for run in range(3):
            for side, work in waiting.items():
                if run == 0 or seconds[side][0] < 1:
                    seconds[side].append(processor_seconds(work, X))
        for side, runs in seconds.items():
            found[side][0].append(n)
            found[side][1].append(round(statistics.median(runs), 4))
            if found[side][1][-1] > LIMIT / 2:
                del waiting[side]
        n *= 2
        if n > LARGEST.get(draw, 600_000):
            break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="methods to measure; all by default")
    parser.add_argument("--json", help="file for the table")
    options = parser.parse_args()
    rows = []
    for method, (ours, peer, name, draw, n, power, peer_power) in METHODS.items():
        if options.names and method not in options.names:
            continue
        found = grow({"ours": ours} | ({name: peer} if peer else {}), draw, n)
        for side, (sizes, seconds) in found.items():
            theory = power if side == "ours" else peer_power
            rows.append({"method": method, "by": side, "n": sizes, "seconds": seconds, "theory": theory})
            print(
                f"{method:<22}{side:<14}", *(f"{size}: {value:.3g}" for size, value in zip(sizes, seconds)), flush=True
            )
        if options.json:
            Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
