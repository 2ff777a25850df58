"""What was measured on a quiet machine and kept, so that the book shows the same numbers at every build."""

import json
from pathlib import Path

__all__ = ["benchmarks", "growth"]


def benchmarks():
    """Time and memory of the package and of its peers on the same work, as `make bench` measured them.

    Returns
    -------
    list of dict
        One for each piece of work and peer: "work" and "peer" (names), "seconds" (median) and "mebibytes" (the most
        memory that a run took), with a peer also "peer_seconds", "peer_mebibytes" and "times_faster" (median of the
        ratios of runs that followed each other), and "agreement" (what it measures is told by benchmarks/run.py).
    """
    return _kept("benchmarks.json")


def growth():
    """Processor time of every method and of its peer for more and more points, as `benchmarks/growth.py` measured it.

    Returns
    -------
    list of dict
        One for each method and side: "method", "by" ("ours", or the name of the peer), "n" and "seconds" (lists of
        sizes and medians), and "theory", the exponent of n that was counted.
    """
    return _kept("growth.json")


def _kept(name):
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
