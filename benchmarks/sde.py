"""Semidefinite embedding against the same model in CVXPY, and alone where CVXPY does not finish.

Each entry returns, like those of `run.py`: our estimator, its peers by name, the data, and how many runs. An
entry without peers is timed alone. A peer of n = 100 takes minutes: one run of it is enough. ``run.py`` takes
them in with ``from sde import SDE_BENCHMARKS`` and ``BENCHMARKS |= SDE_BENCHMARKS``. By itself, this file
prints times, peak memory and certificates: ``python benchmarks/sde.py [--peers] [part of a name ...]``. Every
entry runs in a process of its own, so that its peak memory is its own; without ``--peers`` only ours is timed.
"""

import argparse
import multiprocessing
import resource
import time
from functools import partial

from dimred_lessons import SemidefiniteEmbedding
from dimred_lessons.classroom.datasets import s_curve, swiss_roll

_DATA = {"S-curve": s_curve, "swiss roll": swiss_roll}


def semidefinite_embedding(data, n, angles, n_landmarks=None, peer=False):
    """k = 6 and a gap of 1e-6 at most; the peer is the model of the tutorial with Clarabel."""
    ours = SemidefiniteEmbedding(n_neighbors=6, angles=angles, n_landmarks=n_landmarks)
    # Only the status of Clarabel counts: no certificate is asked for, on any tolerance
    theirs = SemidefiniteEmbedding(n_neighbors=6, angles=angles, solver="cvxpy", tol=1.0)
    return ours, {"CVXPY + Clarabel": theirs} if peer else {}, _DATA[data](n)[0], 1


SDE_BENCHMARKS = {
    f"SDE, {data}, n = {n}{', angles' if angles else ''}{f', {m} landmarks' if m else ''}": partial(
        semidefinite_embedding, data, n, angles, m, peer=n == 100
    )
    for n, angles, m in [
        (100, False, None), (400, False, None), (1000, False, None), (300, True, None),
        (400, True, 100), (5000, True, 100),
    ]
    for data in _DATA
}  # fmt: skip


def measure(name, with_peers):
    """Print one line for ours and one for each peer."""
    ours, peers, X, _ = SDE_BENCHMARKS[name]()
    SemidefiniteEmbedding(n_neighbors=6).fit(X[:30])  # loads the libraries
    for solver, estimator in {"ours": ours, **(peers if with_peers else {})}.items():
        start = time.perf_counter()
        estimator.fit(X)
        seconds = time.perf_counter() - start
        gibibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{name:<46}{solver:<18}{len(estimator.pairs_):>7}{seconds:>10.3g}{gibibytes:>8.2f}"
            f"{estimator.n_iter_:>6}{estimator.duality_gap_:>10.1e}{estimator.kernel_.trace():>16.8g}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names of benchmarks; all by default")
    parser.add_argument("--peers", action="store_true", help="time CVXPY, too")
    options = parser.parse_args()
    print(f"{'work':<46}{'solver':<18}{'pairs':>7}{'s':>10}{'GiB':>8}{'iter':>6}{'gap':>10}{'tr K':>16}")
    context = multiprocessing.get_context("spawn")
    for name in SDE_BENCHMARKS:
        if not options.names or any(part in name for part in options.names):
            process = context.Process(target=measure, args=(name, options.peers))
            process.start()
            process.join()


if __name__ == "__main__":
    main()
