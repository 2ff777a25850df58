"""What was measured on one machine and kept, so that the book shows the same numbers at every build."""

import json
from pathlib import Path

import numpy as np

__all__ = ["benchmarks", "gallery", "growth", "maps", "verdicts"]
FOLDER = Path(__file__).parent


def benchmarks():
    """Time and memory of the package and of its peers on the same work, as `make bench` measured them.

    Returns
    -------
    list of dict
        One for each piece of work and peer: "work" and "peer" (names), "seconds" (median) and "mebibytes" (the most
        memory that a run took), with a peer also "peer_seconds", "peer_mebibytes" and "times_faster" (median of the
        ratios of runs that followed each other), and "agreement" (benchmarks/run.py says what it measures); of t-SNE
        and UMAP of many points times are those of the processor, and there are "trustworthiness",
        "peer_trustworthiness" and, of t-SNE, "mismatch", as a factor of the peer's.
    """
    return json.loads((FOLDER / "benchmarks.json").read_text(encoding="utf-8"))


def growth():
    """Processor time of every method and of its peer for more and more points, as benchmarks/growth.py measured it.

    Returns
    -------
    list of dict
        One for each method and side: "method", "by" ("ours", or the name of the peer), "n" and "seconds" (lists of
        sizes and medians), and "theory", the exponent of n from counting operations.
    """
    return json.loads((FOLDER / "growth.json").read_text(encoding="utf-8"))


def gallery():
    """Maps of five data sets by every method of the book, as benchmarks/gallery.py made them.

    Returns
    -------
    list of dict
        One for each data set and method: "data", "family" and "method" (names), "parameters" (of the method, as text),
        and either "refusal" (why there is no map) or all of "map" (array of shape (n, 2), places of the points from
        -1 to 1, rounded to a thousandth), "seconds" (of one processor), "trustworthiness" and "neighbors kept" (of the
        ten nearest), and "recovery" (R² of each true coordinate) or "same digit" (how many points have a nearest
        neighbor of their own class on the map). Where the columns of the data set were permuted, too, "chance" has
        the "neighbors kept" on the method's map of them and, for 300 of the points, the "map", or its "refusal".
    """
    entries = json.loads((FOLDER / "gallery.json").read_text(encoding="utf-8"))
    with np.load(FOLDER / "gallery.npz") as places:
        for entry in entries:
            if "refusal" not in entry:
                entry["map"] = places[f"{entry['data']}/{entry['method']}"] / 1000
            if "refusal" not in entry.get("chance", {"refusal": ""}):
                entry["chance"]["map"] = places[f"chance/{entry['data']}/{entry['method']}"] / 1000
    return entries


def maps():
    """Maps of 70,000 digits by t-SNE and by UMAP's objective, as pictures, which benchmarks/maps.py made.

    The digits are the 5,000 of `dimred_lessons.classroom.datasets.handwriting` and copies, shifted and with noise.

    Returns
    -------
    dict of dict
        For each method: "counts" (array of shape (160, 160), how many points lie in each pixel), "digits" (array of
        that shape, the commonest digit there, 0 where no point lies), "n" (number of points), "seconds" (of one
        processor), "neighbors kept" (of the ten nearest) and "trustworthiness" (of 2,000 points), and "commonest"
        (the share of points that show the commonest digit of their pixel).
    """
    entries = json.loads((FOLDER / "maps.json").read_text(encoding="utf-8"))
    with np.load(FOLDER / "maps.npz") as pictures:
        for name, entry in entries.items():
            entry |= {part: pictures[f"{name}/{part}"] for part in ("counts", "digits")}
    return entries


def verdicts():
    """How often the verdict on a table is right, as benchmarks/tables.py measured it.

    Returns
    -------
    dict of dict
        "without structure" has for each kind of table "tables" (how many), "structure" (in how many some was found)
        and "ends" (how often each kind of verdict); "with structure" has for each kind and number of rows "tables",
        "right", "unknown" (how many end with the sentence that the rows are too few) and "ends".
    """
    return json.loads((FOLDER / "tables.json").read_text(encoding="utf-8"))
