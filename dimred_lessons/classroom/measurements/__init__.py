"""What was measured on a quiet machine and kept, so that the book shows the same numbers at every build."""

import json
from pathlib import Path

__all__ = ["benchmarks"]


def benchmarks():
    """Time and memory of the package and of its peers on the same work, as `make bench` measured them.

    Returns
    -------
    list of dict
        One for each piece of work and peer: "work" and "peer" (names), "seconds" (median) and "mebibytes" (the most
        memory that a run took), with a peer also "peer_seconds", "peer_mebibytes" and "times_faster" (median of the
        ratios of runs that followed each other), and "agreement" (what it measures is told by benchmarks/run.py).
    """
    return json.loads(Path(__file__).with_name("benchmarks.json").read_text(encoding="utf-8"))
