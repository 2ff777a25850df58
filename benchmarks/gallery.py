"""Maps of every method on five data sets, with measures and times, for the gallery of the book.

Writes gallery.npz (places of the points) and gallery.json (everything else) beside the other measurements of the
package. Give names of methods to recompute only these: ``python benchmarks/gallery.py LLE``. With ``--chance roll``
the methods also map the roll with each column permuted, which the gallery then shows beside their maps.
A map that takes more than half an hour of processor time is left out, and the gallery says so.
"""

import argparse
import json
import signal
import time
import warnings

import numpy as np
from sklearn.manifold import LocallyLinearEmbedding as PeerLLE

from dimred_lessons import (
    GTM,
    ICA,
    LTSA,
    PCA,
    AlignedMixture,
    Autoencoder,
    CoordinatedFactorAnalysis,
    FactorAnalysis,
    HessianLLE,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    MixtureOfFactorAnalyzers,
    NeighborEmbedding,
    ProbabilisticPCA,
    ProjectionPursuit,
    RandomProjection,
    SelfOrganizingMap,
    SemidefiniteEmbedding,
    StressMDS,
)
from dimred_lessons.classroom import datasets, measurements, metrics
from dimred_lessons.classroom.explorers.chance import permuted
from dimred_lessons.distances import squared_distances

FOLDER = measurements.FOLDER
LONGEST = 1800  # seconds of processor time
SHOWN = 300  # points of a map of permuted columns: its rows are in no order, so that the first ones stand for all
DATA = {
    "roll": (lambda: datasets.swiss_roll(1000), 10),  # points with their truth, and neighbors for the graph methods
    "S": (lambda: datasets.s_curve(1000), 10),
    "faces": (datasets.faces, 7),
    "digits": (datasets.digits, 10),
    "handwriting": (datasets.handwriting, 10),
}
LINEAR, KERNELS, GRAPHS, LATENT, ITERATIVE = "linear", "distances and kernels", "neighborhoods", "latent", "iterative"


def methods(n, k):
    """The methods of the book by family and name, for n points with k neighbors each."""
    charts = MixtureOfFactorAnalyzers(30, n_components=2, noise="isotropic", tol=1e-4)
    few = n > 2000
    return {
        (LINEAR, "PCA"): PCA(2),
        (LINEAR, "probabilistic PCA"): ProbabilisticPCA(2),
        (LINEAR, "factor analysis"): FactorAnalysis(2),
        (LINEAR, "independent components"): ICA(2),
        (LINEAR, "projection pursuit"): ProjectionPursuit(2),
        (LINEAR, "random projection"): RandomProjection(2),
        (KERNELS, "kernel PCA"): KernelPCA(2),
        (KERNELS, "metric MDS"): StressMDS(2),
        (KERNELS, "Sammon's mapping"): StressMDS(2, weights="sammon"),
        (GRAPHS, "Isomap"): Isomap(2, n_neighbors=k, disconnected="bridge"),
        (GRAPHS, "LLE"): LocallyLinearEmbedding(2, n_neighbors=k, disconnected="bridge"),
        (GRAPHS, "modified LLE"): PeerLLE(n_components=2, n_neighbors=k, method="modified", eigen_solver="dense"),
        (GRAPHS, "LTSA"): LTSA(2, n_neighbors=k, disconnected="bridge"),
        (GRAPHS, "Hessian LLE"): HessianLLE(2, n_neighbors=k, disconnected="bridge"),
        (GRAPHS, "Laplacian eigenmaps"): LaplacianEigenmaps(2, n_neighbors=k, disconnected="bridge"),
        (GRAPHS, "diffusion map"): LaplacianEigenmaps(2, n_neighbors=k, density_exponent=1, disconnected="bridge"),
        (GRAPHS, "SDE"): SemidefiniteEmbedding(2, n_neighbors=6, n_landmarks=100 if few else 60, disconnected="bridge"),
        (LATENT, "aligned mixture"): AlignedMixture(charts, 2),
        (LATENT, "coordinated factor analysis"): CoordinatedFactorAnalysis(charts, 2),
        (LATENT, "GTM"): GTM(2),
        (ITERATIVE, "self-organizing map"): SelfOrganizingMap((30, 30)),
        (ITERATIVE, "autoencoder"): Autoencoder(2, hidden_layer_sizes=(50,)),
        (ITERATIVE, "SNE"): NeighborEmbedding(
            2, kernel="sne", early_exaggeration=4, early_exaggeration_iter=100, max_iter=300
        ),
        (ITERATIVE, "t-SNE"): NeighborEmbedding(2, early_exaggeration_iter=100, max_iter=300 if few else 750),
        (ITERATIVE, "UMAP's objective"): NeighborEmbedding(2, kernel="umap", n_neighbors=15, max_iter=300),
    }


def prepared(X, name):
    """The table that a method gets: without constant columns, and above 64 columns its 50 first components.

    Factor analysis, random projection and PCA take all columns: with components they would answer a different
    question.
    """
    X = X[:, X.std(axis=0) > 0]
    whole = X.shape[1] <= 64 or name in ("PCA", "probabilistic PCA", "factor analysis", "random projection")
    return X if whole else PCA(50).fit_transform(X)


def measures(X, truth, Y):
    """How good a map is, by the measures of the book."""
    found = {
        "trustworthiness": metrics.trustworthiness(X, Y, 10),
        "neighbors kept": float(np.mean(metrics.neighbors_kept(X, Y, 10))),
    }
    if truth.ndim == 2:
        return found | {"recovery": metrics.recovery(Y, truth).round(4).tolist()}
    distances = squared_distances(Y)
    np.fill_diagonal(distances, np.inf)
    return found | {"same digit": float(np.mean(truth[distances.argmin(axis=1)] == truth))}


def stored(Y):
    """Places as 16-bit integers: centered, and scaled into a square."""
    Y = Y - (Y.max(axis=0) + Y.min(axis=0)) / 2
    return np.round(1000 * Y / np.abs(Y).max()).astype(np.int16)


def too_long(*_):
    raise TimeoutError(f"takes longer than {LONGEST // 60} minutes")


def entry(family, name, data, method, X, truth):
    """What the gallery says about one map, and the map, None if there is none."""
    parameters = {key: value for key, value in method.get_params(deep=False).items() if not hasattr(value, "fit")}
    said = {"data": data, "family": family, "method": name, "parameters": {k: str(v) for k, v in parameters.items()}}
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    begun = time.process_time()
    try:
        Y = np.asarray(method.fit_transform(prepared(X, name)))
    except (TimeoutError, ValueError, np.linalg.LinAlgError) as error:
        return said | {"refusal": str(error)}, None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return said | {"seconds": round(time.process_time() - begun, 3)} | measures(X, truth, Y), stored(Y)


def by_chance(name, method, X):
    """How many neighbors a method keeps after each column was permuted, and what it then draws; None without a map."""
    nulls = permuted(X)
    try:
        Y = np.asarray(method.fit_transform(prepared(nulls, name)))
    except (ValueError, np.linalg.LinAlgError) as error:
        return {"refusal": str(error)}, None
    return {"neighbors kept": float(np.mean(metrics.neighbors_kept(nulls, Y, 10)))}, stored(Y)[:SHOWN]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="methods to recompute; all if none is named")
    parser.add_argument("--chance", nargs="+", default=[], metavar="DATA", help="data sets to permute the columns of")
    given = parser.parse_args()
    signal.signal(signal.SIGPROF, too_long)
    warnings.simplefilter("ignore")
    table, maps = FOLDER / "gallery.json", FOLDER / "gallery.npz"
    entries = {(e["data"], e["method"]): e for e in json.loads(table.read_text())} if table.exists() else {}
    places = dict(np.load(maps)) if maps.exists() else {}
    for data, (load, k) in DATA.items():
        X, truth = load()
        for (family, name), method in methods(len(X), k).items():
            found = {}
            if (data, name) not in entries or name in given.names:
                entries[data, name], found[f"{data}/{name}"] = entry(family, name, data, method, X, truth)
            if data in given.chance and "chance" not in entries[data, name]:
                entries[data, name]["chance"], found[f"chance/{data}/{name}"] = by_chance(name, method, X)
            if not found:
                continue
            places = {key: Y for key, Y in (places | found).items() if Y is not None}
            print(data, name, entries[data, name], flush=True)
            table.write_text(json.dumps(list(entries.values()), indent=1) + "\n", encoding="utf-8")
            np.savez_compressed(maps, **places)


if __name__ == "__main__":
    main()
