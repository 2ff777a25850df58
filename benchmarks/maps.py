"""Maps of 70,000 digits by t-SNE and UMAP, as pictures: how many points lie in each pixel, and what most of them show.

Writes maps.npz and maps.json beside the other measurements of the package. It takes minutes of one processor.
"""

import json
import time

import numpy as np
from run import many_digits, neighbors_of_a_sample

from dimred_lessons import NeighborEmbedding
from dimred_lessons.classroom import measurements

N_POINTS, N_PIXELS = 70_000, 160
METHODS = {"t-SNE": NeighborEmbedding(init="pca"), "UMAP": NeighborEmbedding(kernel="umap")}


def picture(Y, labels):
    """Number of points in each pixel of a square around a map, and the commonest of ten labels there."""
    Y = Y - (Y.max(axis=0) + Y.min(axis=0)) / 2
    columns, rows = np.floor((Y / np.abs(Y).max() + 1) / 2 * (N_PIXELS - 1e-6)).astype(int).T
    counts = np.zeros((10, N_PIXELS, N_PIXELS), np.uint16)
    np.add.at(counts, (labels, rows, columns), 1)
    return counts.sum(axis=0, dtype=np.uint16), counts.argmax(axis=0).astype(np.uint8), counts.max(axis=0).sum()


def entry(Y, X, labels, seconds):
    """What is said about a map, and its picture."""
    counts, digits, n_common = picture(Y, labels)
    kept, trust = neighbors_of_a_sample(X, Y)
    said = {"n": len(Y), "seconds": seconds, "neighbors kept": kept, "trustworthiness": trust}
    return said | {"commonest": int(n_common) / len(Y)}, {"counts": counts, "digits": digits}


def main():
    X, labels = many_digits(N_POINTS)
    table, pictures = {}, {}
    for name, method in METHODS.items():
        begun = time.process_time()
        Y = method.fit_transform(X)
        table[name], picture_of_it = entry(Y, X, labels, time.process_time() - begun)
        pictures |= {f"{name}/{part}": numbers for part, numbers in picture_of_it.items()}
        print(name, table[name], flush=True)
    np.savez_compressed(measurements.FOLDER / "maps.npz", **pictures)
    (measurements.FOLDER / "maps.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
