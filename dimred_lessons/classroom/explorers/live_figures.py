"""The live figures where nothing moves: how each is drawn in print, and what it says, computed by the package."""

import numpy as np
from matplotlib.collections import LineCollection
from scipy.linalg import orthogonal_procrustes

from dimred_lessons import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    NeighborEmbedding,
    SemidefiniteEmbedding,
)
from dimred_lessons.classroom.explorers import live_models
from dimred_lessons.classroom.explorers.live_parts import GRAY, Figure, draw_edges, fixed
from dimred_lessons.classroom.palette import CATEGORIES
from dimred_lessons.distances import require_distinct, squared_distances
from dimred_lessons.geodesics import geodesic_distances
from dimred_lessons.graphs import neighborhood_graph
from dimred_lessons.iterative.affinities import joint_probabilities
from dimred_lessons.iterative.neighbor_kernels import student_objective
from dimred_lessons.kernels import kernel_from_squared_distances, negative_mass
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.reconstruction import reconstruction_weights

# --- The line of PCA

_LINE = {"line": CATEGORIES[1], "misses": GRAY, "ellipse": CATEGORIES[4]}


def _draw_line(ax, X, _):
    pca = PCA(None).fit(X)
    shadows = PCA(1).fit(X).inverse_transform(PCA(1).fit_transform(X))
    ax.plot(*np.stack([X, shadows], axis=1).transpose(2, 1, 0), color=_LINE["misses"], linewidth=0.8)
    t = np.linspace(0, 2 * np.pi, 97)[:, np.newaxis]
    circle = np.hstack([np.cos(t), np.sin(t)])[:, : pca.n_components_]
    ax.plot(*(pca.mean_ + 2 * circle * np.sqrt(pca.explained_variance_) @ pca.components_).T, color=_LINE["ellipse"])
    ax.axline(pca.mean_, pca.mean_ + pca.components_[0], color=_LINE["line"], linewidth=1.8)
    ax.scatter(*shadows.T, s=5, color=_LINE["line"], zorder=3)


def _say_line(X, _):
    pca = PCA(1).fit(X)
    right, up = pca.components_[0]
    share = pca.explained_variance_ratio_[0]
    angle = round(np.degrees(np.arctan2(up, right)))
    rise = angle - 180 if angle > 90 else angle + 180 if angle <= -90 else angle
    return f"The line {'falls' if rise < 0 else 'rises'} at {abs(rise)}° and keeps {share:.1%} of the variance."


# --- The shortest path through a graph

_PATH = {"edges": GRAY, "straight": CATEGORIES[4], "path": CATEGORIES[5]}


def _draw_path(ax, X, k):
    graph = neighborhood_graph(X, k)
    lengths = geodesic_distances(graph)
    path = [1]
    while path[-1] != 0:
        ends = graph.indices[graph.indptr[path[-1]] : graph.indptr[path[-1] + 1]]
        ways = lengths[0, ends] + graph.data[graph.indptr[path[-1]] : graph.indptr[path[-1] + 1]]
        path.append(ends[ways.argmin()])
    draw_edges(ax, graph, X)
    ax.plot(*X[:2].T, color=_PATH["straight"], linestyle="--")
    ax.plot(*X[path].T, color=_PATH["path"], linewidth=2)
    ax.scatter(*X[:2].T, s=60, color=_PATH["path"], zorder=2)


def _say_path(X, k):
    along = geodesic_distances(neighborhood_graph(X, k))[0, 1]
    straight = np.sqrt(squared_distances(X)[0, 1])
    return f"The two ends are {fixed(straight)} apart straight, and {fixed(along)} along the graph."


# --- Isomap

_EDGES = {"edges": GRAY}


def _draw_graph(ax, X, k):
    draw_edges(ax, neighborhood_graph(X, k), X)


def _map_isomap(ax, X, k):
    Y = Isomap(2, n_neighbors=k).fit_transform(X)
    draw_edges(ax, neighborhood_graph(X, k), Y)
    return Y


def _say_isomap(X, k):
    first, second = Isomap(2, n_neighbors=k).fit(X).eigenvalues_
    paths = geodesic_distances(neighborhood_graph(X, k))
    stretch = paths.sum() / np.sqrt(squared_distances(X)).sum()
    return (
        f"Along the graph, points are {fixed(stretch)} times as far apart as straight; "
        f"the map's second axis is {np.sqrt(second / first):.1%} as long as its first."
    )


# --- Kernel PCA


def _draw_levels(ax, X, sigma):
    model = KernelPCA(1, sigma=sigma).fit(X)
    margin = np.ptp(X, axis=0).max()
    sides = [np.linspace(low - margin, high + margin, 97) for low, high in zip(X.min(axis=0), X.max(axis=0))]
    across, up = np.meshgrid(*sides)
    heights = model.transform(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    levels = np.linspace(model.embedding_.min(), model.embedding_.max(), 11)[1:-1]
    ax.contour(across, up, heights, levels=levels, cmap="viridis", linewidths=1.2)


def _say_levels(X, sigma):
    model = KernelPCA(1, sigma=sigma).fit(X)
    scores = model.embedding_[:, 0]
    line = X - X.mean(axis=0)
    straight = line @ np.linalg.lstsq(line, scores, rcond=1e-6)[0]
    return (
        f"The first axis keeps {model.eigenvalues_[0] / np.trace(model.kernel_):.1%} of the variance in feature space; "
        f"a straight axis would explain {straight @ straight / (scores @ scores):.1%} of it."
    )


# --- MDS of distances of which one is wrong

_ROAD = {"road": CATEGORIES[5]}


def _squares_with_road(X, times):
    squares = squared_distances(X)
    squares[0, 1] = squares[1, 0] = squares[0, 1] * times**2
    return squares


def _draw_road(ax, X, _):
    ax.plot(*X[:2].T, color=_ROAD["road"], linewidth=2)


def _map_road(ax, X, times):
    Y = ClassicalMDS(2, metric="precomputed").fit_transform(np.sqrt(_squares_with_road(X, times)))
    Y = Y @ orthogonal_procrustes(Y, X - X.mean(axis=0))[0]
    _draw_road(ax, Y, times)
    return Y


def _say_road(X, times):
    squares = _squares_with_road(X, times)
    require_distinct(len(X), squares)
    mass = negative_mass(kernel_from_squared_distances(squares))
    if mass > 0.0005:
        return f"No points have these distances: negative eigenvalues are {mass:.1%} of all."
    return "The map has all these distances: no eigenvalue is negative."


# --- A point rebuilt by LLE's weights

_WEIGHTS = {"pulls": CATEGORIES[4], "pushes": CATEGORIES[5], "rebuilt": CATEGORIES[7]}


def _weights_of_first(X, k):
    neighbors = neighbor_lists(X, k).indices[:k]
    return neighbors, reconstruction_weights(X[:1], neighbors[np.newaxis], points=X)[0]


def _draw_rebuilt(ax, X, k):
    neighbors, weights = _weights_of_first(X, k)
    for j, weight in zip(neighbors, weights):
        color, style = (_WEIGHTS["pulls"], "-") if weight >= 0 else (_WEIGHTS["pushes"], ":")
        width = 0.8 + 7 * min(abs(weight), 1.5)
        ax.plot(*X[[0, j]].T, color=color, linestyle=style, linewidth=width, zorder=1)
    place = weights @ X[neighbors]
    ax.plot(*np.stack([X[0], place]).T, color=_WEIGHTS["rebuilt"], linewidth=1.5)
    ax.scatter(*X[0], s=80, color=_WEIGHTS["rebuilt"], zorder=2)
    ax.scatter(*place, s=40, facecolors="none", edgecolors=_WEIGHTS["rebuilt"], linewidths=1.5, zorder=4)


def _say_rebuilt(X, k):
    neighbors, weights = _weights_of_first(X, k)
    missed = np.linalg.norm(X[0] - weights @ X[neighbors])
    return (
        f"The weights lie between {fixed(weights.min())} and {fixed(weights.max())}; "
        f"what they rebuild is {fixed(missed)} away."
    )


# --- Laplacian eigenmaps


def _map_springs(ax, X, k):
    Y = LaplacianEigenmaps(2, n_neighbors=k).fit_transform(X)
    draw_edges(ax, neighborhood_graph(X, k), Y)
    return Y


def _say_springs(X, k):
    model = LaplacianEigenmaps(2, n_neighbors=k).fit(X)
    axis = model.embedding_[:, 0]
    least = 1e-6 * np.abs(axis).max()
    fewer, more = sorted([np.sum(axis > least), np.sum(axis < -least)])
    return (
        f"The first axis has the energy {model.eigenvalues_[0]:.4f}; its sign parts the points into {fewer} and {more}."
    )


# --- Semidefinite embedding

_THREADS = {"taut": CATEGORIES[5], "slack": GRAY}
_THICKEST = 4  # line of the thread that holds hardest, in points


def _pulled(X, k):
    return SemidefiniteEmbedding(1, n_neighbors=k).fit(X)


def _draw_threads(ax, X, k, places=None):
    model = _pulled(X, k)
    ends = (X if places is None else places)[model.pairs_]
    ax.add_collection(LineCollection(ends, colors=_THREADS["slack"], linewidths=0.7, zorder=1))
    pulls = np.maximum(model.dual_weights_, 0) / model.dual_weights_.max()
    widths = _THICKEST * np.sqrt(pulls[pulls > 0.01])
    ax.add_collection(LineCollection(ends[pulls > 0.01], colors=_THREADS["taut"], linewidths=widths, zorder=1))


def _map_pulled(ax, X, k):
    model = SemidefiniteEmbedding(None, n_neighbors=k).fit(X)
    Y = np.zeros((len(X), 2))
    Y[:, : model.n_components_] = model.embedding_[:, :2]
    _draw_threads(ax, X, k, Y)
    return Y


def _say_pulled(X, k):
    gain = np.trace(_pulled(X, k).kernel_) / np.sum((X - X.mean(axis=0)) ** 2)
    return f"Pulled apart, the points have {fixed(gain)} times the variance that they had; their threads allow no more."


# --- t-SNE, step by step

_SIZE = 1e-4  # of the map at the start
_STEPS = 100  # of the map that is printed


def _standing(n):
    """Places around a circle, each far from the one before, of the size of a start along both axes."""
    angles = 2.4 * np.arange(n)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    circle -= circle.mean(axis=0)
    return _SIZE * circle / circle.std(axis=0)


def stepped(X, perplexity, steps):
    """t-SNE with the steps of the page.

    Parameters
    ----------
    X : array of shape (n, 2)
    perplexity : float
    steps : int

    Returns
    -------
    NeighborEmbedding, fitted
    """
    options = {"early_exaggeration_iter": 0, "init": _standing(len(X)), "max_iter": steps}
    return NeighborEmbedding(perplexity=perplexity, **options).fit(X)


def _map_steps(ax, X, perplexity):
    return stepped(X, perplexity, _STEPS).embedding_


def _say_steps(X, perplexity):
    squared = squared_distances(X)
    require_distinct(len(X), squared)
    mismatch = student_objective(joint_probabilities(squared, perplexity), _standing(len(X)))
    return f"At the start, where no point knows its neighbors, the mismatch is {mismatch:.3f}."


def _draw_nothing(ax, X, value):
    pass


FIGURES = {
    "principal line": Figure(_draw_line, _say_line, _LINE, least=2),
    "graph path": Figure(_draw_path, _say_path, _PATH, 3, "k"),
    "Isomap": Figure(_draw_graph, _say_isomap, _EDGES, 3, "k", _map_isomap),
    "kernel PCA": Figure(_draw_levels, _say_levels, {}, 3, "σ"),
    "longer road": Figure(_draw_road, _say_road, _ROAD, 3, "factor", _map_road),
    "rebuilt point": Figure(_draw_rebuilt, _say_rebuilt, _WEIGHTS, 3, "k"),
    "Laplacian eigenmap": Figure(
        _draw_graph,
        _say_springs,
        _EDGES,
        4,
        "k",
        _map_springs,
        shades=lambda X, k: LaplacianEigenmaps(1, n_neighbors=k).fit_transform(X)[:, 0],
    ),
    "SDE": Figure(_draw_threads, _say_pulled, _THREADS, 4, "k", _map_pulled, most=25),
    **live_models.FIGURES,
    "t-SNE": Figure(_draw_nothing, _say_steps, {}, 4, "perplexity", _map_steps),
}
