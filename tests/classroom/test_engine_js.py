"""The engine in the page, in the Node of the book: its numbers are those of the package, and so are its refusals."""

import warnings

import numpy as np
import pytest

from dimred_lessons import PCA, ClassicalMDS, Isomap, KernelPCA, LaplacianEigenmaps, reference
from dimred_lessons.distances import squared_distances
from dimred_lessons.eigenpairs import bottom_eigenpairs, top_eigenpairs
from dimred_lessons.geodesics import geodesic_distances
from dimred_lessons.graphs import knn_graph, neighborhood_graph, radius_graph
from dimred_lessons.iterative.affinities import fuzzy_memberships, joint_probabilities
from dimred_lessons.iterative.neighbor_kernels import student_gradient, student_objective, umap_gradient
from dimred_lessons.kernels import center_kernel, kernel_from_squared_distances
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.reconstruction import reconstruction_weights
from support.javascript import Refused, script

methods = script("methods.js")
affinities = script("affinities.js")
kernels = script("neighbor_kernels.js")
reconstruction = script("reconstruction.js")

RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(40, 3)) * [3, 2, 1]
COPIES = np.repeat(RNG.normal(size=(8, 2)), 3, axis=0)
GRID = np.stack(np.meshgrid(np.arange(5.0), np.arange(4.0)), axis=-1).reshape(-1, 2)
LINE = np.outer(RNG.normal(size=12), [2.0, 1.0])
THREE = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
APART = np.vstack([RNG.normal(size=(15, 2)), RNG.normal(size=(10, 2)) + 100, RNG.normal(size=(6, 2)) - 100])
ONE_PLACE = np.full((5, 2), 1.25)
ARC = np.column_stack([np.cos(t := np.sort(RNG.uniform(0, 4, 60))), np.sin(t), RNG.uniform(0, 1, 60)])
INPUTS = {
    "cloud": CLOUD,
    "copies": COPIES,
    "grid": GRID,
    "line": LINE,
    "three": THREE,
    "apart": APART,
    "one place": ONE_PLACE,
    "arc": ARC,
}
every_input = pytest.mark.parametrize("X", INPUTS.values(), ids=INPUTS)
EIGENVALUES = {"rtol": 1e-8, "atol": 1e-8}


def squared(X):
    with reference():
        return squared_distances(X)


def same_refusal(ours, theirs):
    """Whether the package refuses; then the engine refuses by the same sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs()
        except ValueError as error:
            sentence = str(error)
        else:
            return False
    with pytest.raises(Refused) as refused:
        ours()
    assert str(refused.value) == sentence
    return True


def close_axes(ours, theirs, tolerance=1e-8):
    """Columns agree, also in their signs."""
    np.testing.assert_allclose(np.transpose(ours), theirs, atol=tolerance * max(1, np.abs(theirs).max()))


# --- Distances, neighbors, graphs


@every_input
def test_distances_are_those_of_the_package(methods, X):
    ours = np.reshape(methods("squaredDistances", X, len(X)), (len(X), len(X)))
    np.testing.assert_allclose(ours, squared(X), rtol=1e-13)


@every_input
@pytest.mark.parametrize("k", [0, 1, 2, 4, 60])
def test_neighbors_are_those_of_the_package_also_of_equal_distances(methods, X, k):
    n, D = X.shape

    def ours():
        return methods("neighborLists", squared(X), n, k, D)

    if same_refusal(ours, lambda: neighbor_lists(X, k)):
        return
    with reference():
        theirs = neighbor_lists(X, k)
    sorted_ours = np.sort(np.reshape(ours(), (n, k)), axis=1)
    np.testing.assert_array_equal(sorted_ours, theirs.indices.reshape(n, k))


def test_the_nearest_come_first_and_of_equals_the_smaller_index(methods):
    lists = np.reshape(methods("neighborLists", squared(GRID), len(GRID), 4, 2), (-1, 4))
    assert lists[0].tolist() == [1, 5, 6, 2] and lists[6].tolist() == [1, 5, 7, 11]


def dense(graph, n):
    """Lengths between vertices, NaN where there is no edge."""
    table = np.full((n, n), np.nan)
    for i in range(n):
        edges = slice(graph["starts"][i], graph["starts"][i + 1])
        table[i, graph["ends"][edges]] = graph["lengths"][edges]
    return table


@every_input
@pytest.mark.parametrize("asked", [{"k": 3}, {"k": 5}, {"k": 40}, {"radius": 1.5}, {"radius": 0.3}, {"radius": -1}])
def test_graphs_are_those_of_the_package_and_refused_by_its_sentences(methods, X, asked):
    n, D = X.shape

    def ours():
        return methods("neighborhoodGraph", squared(X), n, asked | {"D": D})

    if same_refusal(ours, lambda: neighborhood_graph(X, asked.get("k"), asked.get("radius"))):
        return
    theirs = knn_graph(X, asked["k"]) if "k" in asked else radius_graph(X, asked["radius"])
    edges = np.full((n, n), np.nan)
    edges[np.repeat(np.arange(n), np.diff(theirs.indptr)), theirs.indices] = theirs.data
    np.testing.assert_allclose(dense(ours(), n), edges, rtol=1e-13)


@pytest.mark.parametrize("X", [CLOUD, COPIES, APART, ARC], ids=["cloud", "copies", "apart", "arc"])
def test_shortest_paths_are_those_of_the_package_and_infinite_between_components(methods, X):
    graph = knn_graph(X, 4)
    given = {"starts": graph.indptr.tolist(), "ends": graph.indices.tolist(), "lengths": graph.data.tolist()}
    ours = np.array(methods("shortestPaths", given, len(X)), dtype=float).reshape(len(X), -1)
    np.testing.assert_allclose(ours, geodesic_distances(graph), rtol=1e-13)
    np.testing.assert_array_equal(ours, ours.T)
    assert np.isinf(ours).any() == (X is APART or X is COPIES)


# --- Eigenpairs


@every_input
def test_centered_kernels_are_those_of_the_package(methods, X):
    K = kernel_from_squared_distances(squared(X))
    size = np.abs(K).max()
    np.testing.assert_allclose(methods("kernelFromSquaredDistances", squared(X), len(X)), K.ravel(), atol=1e-14 * size)
    np.testing.assert_allclose(
        methods("centerKernel", X @ X.T, len(X)), center_kernel(X @ X.T).ravel(), atol=1e-13 * size
    )


def symmetric(values, seed=0):
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))
    M = Q * values @ Q.T
    return (M + M.T) / 2


SPECTRA = {
    "falling": 0.7 ** np.arange(60.0),
    "close": np.concatenate([[1, 0.999, 0.998], np.linspace(0.997, 0.9, 57)]),
    "mostly negative": np.concatenate([[1.0, 0.5, 0.2], -np.linspace(3, 1, 57)]),
    "of rank one": np.concatenate([[2.0], np.zeros(29)]),
    "equal": np.concatenate([[3.0, 1, 1, 1], np.full(50, 0.5)]),
    "tiny": 1e-12 * 0.5 ** np.arange(30.0),
    "nowhere positive": -np.arange(1.0, 31),
    "zero": np.zeros(9),
}


@pytest.mark.parametrize("values", SPECTRA.values(), ids=SPECTRA)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_largest_eigenpairs_are_those_of_the_package(methods, values, d):
    K, n = symmetric(values), len(values)
    found = methods("topEigenpairs", K, n, d)
    with reference(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eigenvalues, U = top_eigenpairs(K, d)
    np.testing.assert_allclose(found["eigenvalues"], eigenvalues, atol=1e-12 * np.abs(K).max(), rtol=1e-8)
    if len(eigenvalues):
        ours = np.transpose(found["U"])
        np.testing.assert_allclose(ours.T @ ours, np.eye(len(eigenvalues)), atol=1e-12)
        np.testing.assert_allclose(K @ ours, ours * eigenvalues, atol=1e-10 * np.abs(values).max())
        if not (values[0] == 3 and d > 1):  # which axes the equal ones have is open
            close_axes(found["U"], U)


@every_input
@pytest.mark.parametrize("normalized", [False, True])
def test_the_smallest_eigenpairs_are_those_of_the_package(methods, X, normalized):
    n = len(X)
    A = np.exp(-0.5 * squared(X))
    np.fill_diagonal(A, 0)
    degrees = A.sum(axis=1)
    L = np.diag(degrees) - A
    options = {"degrees": degrees.tolist()} if normalized else {}
    found = methods("bottomEigenpairs", L, n, 2, options)
    with reference(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eigenvalues, U = bottom_eigenpairs(L, 2, degrees if normalized else None)
        three, _ = bottom_eigenpairs(L, 3, degrees if normalized else None)
    np.testing.assert_allclose(found["eigenvalues"], eigenvalues, **EIGENVALUES)
    if (np.diff(three) > 1e-6).all() and eigenvalues[0] > 1e-6:
        close_axes(found["U"], U)


@pytest.mark.parametrize(
    "M",
    [np.eye(4), np.array([[1.0, -1, 0], [-1, 0, 1], [0, 1, -1]]), 1e-5 * np.array([[-1.0, 1], [1, -1]])],
    ids=["rows of sum one", "a negative weight", "negative"],
)
def test_what_has_no_smallest_eigenpairs_is_refused_by_the_same_sentence(methods, M):
    assert same_refusal(lambda: methods("bottomEigenpairs", M, len(M), 1), lambda: bottom_eigenpairs(M, 1))


def test_a_search_that_starts_from_the_last_one_keeps_its_axes_and_their_signs(methods):
    """Also where the largest entry changes, by which a search without a start chooses the sign."""
    first = methods("topEigenpairs", kernel_from_squared_distances(squared(CLOUD)), len(CLOUD), 2)
    start = [-np.array(v) for v in first["block"]]
    moved = kernel_from_squared_distances(squared(CLOUD + 1e-3))
    again = methods("topEigenpairs", moved, len(CLOUD), 2, {"start": [v.tolist() for v in start]})
    close_axes(again["U"], -np.transpose(first["U"]))
    fewer = methods("topEigenpairs", moved[:-1, :-1].copy(), len(CLOUD) - 1, 2, {"start": [v.tolist() for v in start]})
    assert len(fewer["U"][0]) == len(CLOUD) - 1


# --- Maps


@every_input
def test_principal_axes_are_those_of_the_package(methods, X):
    found = methods("principalAxes", X, len(X))
    np.testing.assert_allclose(found["mean"], X.mean(axis=0), rtol=1e-13, atol=1e-14)
    if X is ONE_PLACE:
        assert not np.any(found["eigenvalues"])
        return
    pca = PCA(1).fit(X)
    np.testing.assert_allclose(found["eigenvalues"][0], pca.eigenvalues_[0], rtol=1e-10)
    if X is not GRID:
        np.testing.assert_allclose(np.abs(found["directions"][0] @ pca.components_[0]), 1, rtol=1e-10)


@every_input
@pytest.mark.parametrize("d", [1, 2])
def test_maps_by_classical_mds_are_those_of_the_package(methods, X, d):
    D = np.sqrt(squared(X))

    def ours():
        return methods("classicalMDS", squared(X), len(X), d)

    def theirs():
        with reference():
            return ClassicalMDS(d, metric="precomputed").fit(D)

    if not same_refusal(ours, theirs):
        found, mds = ours(), theirs()
        np.testing.assert_allclose(found["eigenvalues"], mds.eigenvalues_, **EIGENVALUES)
        close_axes(found["axes"], mds.embedding_)


@every_input
@pytest.mark.parametrize("k", [2, 3, 6])
def test_maps_by_isomap_are_those_of_the_package(methods, X, k):
    def ours():
        return methods("isomap", X, len(X), 2, {"k": k})

    def theirs():
        with reference():
            return Isomap(2, n_neighbors=k).fit(X)

    if not same_refusal(ours, theirs):
        found, isomap = ours(), theirs()
        np.testing.assert_allclose(found["eigenvalues"], isomap.eigenvalues_, **EIGENVALUES)
        close_axes(found["axes"], isomap.embedding_)


@every_input
@pytest.mark.parametrize("k", [2, 6])
def test_maps_by_laplacian_eigenmaps_are_those_of_the_package(methods, X, k):
    def ours():
        return methods("laplacianEigenmaps", X, len(X), 2, {"k": k, "sigma": 1.5})

    def theirs():
        with reference():
            return LaplacianEigenmaps(2, n_neighbors=k, sigma=1.5).fit(X)

    if not same_refusal(ours, theirs):
        found, maps = ours(), theirs()
        np.testing.assert_allclose(found["eigenvalues"], maps.eigenvalues_, **EIGENVALUES)
        close_axes(found["axes"], maps.embedding_)


# --- Neighbor embedding


@every_input
@pytest.mark.parametrize("perplexity", [1, 1.5, 5, 30, 0.5])
def test_joint_probabilities_are_those_of_the_package(affinities, X, perplexity):
    def ours():
        return affinities("jointProbabilities", squared(X), len(X), perplexity)

    def theirs():
        with reference():
            return joint_probabilities(squared(X), perplexity)

    if not same_refusal(ours, theirs):
        np.testing.assert_allclose(ours(), theirs().ravel(), rtol=1e-10, atol=1e-15)


@every_input
@pytest.mark.parametrize("k", [1, 2, 4, 15])
def test_fuzzy_memberships_are_those_of_the_package(affinities, X, k):
    def ours():
        return affinities("fuzzyMemberships", squared(X), len(X), k)

    def theirs():
        return fuzzy_memberships(squared(X), k)

    if not same_refusal(ours, theirs):
        np.testing.assert_allclose(ours(), theirs().ravel(), rtol=1e-10, atol=1e-15)


@every_input
@pytest.mark.parametrize("name, gradient", [("studentGradient", student_gradient), ("umapGradient", umap_gradient)])
@pytest.mark.parametrize("exaggeration", [1, 12])
def test_gradients_are_those_of_the_package(kernels, X, name, gradient, exaggeration):
    n = len(X)
    P = np.random.default_rng(1).uniform(size=(n, n))
    P = exaggeration * (P + P.T) / 2
    np.fill_diagonal(P, 0)
    P /= 1 if name == "umapGradient" else P.sum()
    with reference():
        theirs = gradient(P, X)
    np.testing.assert_allclose(kernels(name, P, X, n), theirs.ravel(), atol=1e-10 * max(1, np.abs(theirs).max()))


@pytest.mark.filterwarnings("ignore:Eigenvalues 1 and 2 are equal")
@pytest.mark.parametrize("sigma", [0.3, 2.0, 50.0, -1.5])
@every_input
def test_kernel_pca_is_that_of_the_package(methods, X, sigma):
    def ours():
        return methods("kernelPCA", X, len(X), 1, {"sigma": sigma})

    if same_refusal(ours, lambda: KernelPCA(1, sigma=sigma).fit(X)):
        return
    found, theirs = ours(), KernelPCA(1, sigma=sigma).fit(X)
    np.testing.assert_allclose(found["eigenvalues"], theirs.eigenvalues_, **EIGENVALUES)
    np.testing.assert_allclose(found["trace"], np.trace(theirs.kernel_), rtol=1e-10)
    second = KernelPCA(None, sigma=sigma).fit(X).eigenvalues_[1:2]
    if not len(second) or theirs.eigenvalues_[0] > second[0] * (1 + 1e-6):
        close_axes(found["axes"], theirs.embedding_)


@every_input
@pytest.mark.parametrize("k", [1, 2, 3])
def test_weights_that_rebuild_a_point_are_those_of_the_package(reconstruction, X, k):
    n, D = X.shape
    k = min(k, n - 1)
    for i in (0, n - 1):
        neighbors = np.argsort(squared(X)[i], kind="stable")
        neighbors = neighbors[neighbors != i][:k]
        theirs = reconstruction_weights(X[[i]], neighbors[np.newaxis], points=X)[0]
        np.testing.assert_allclose(reconstruction("reconstructionWeights", X, D, i, neighbors), theirs, atol=1e-9)


def test_the_mismatch_of_a_map_is_that_of_the_package(kernels):
    P = joint_probabilities(squared(CLOUD), 8)
    Y = np.random.default_rng(1).normal(size=(len(CLOUD), 2))
    np.testing.assert_allclose(kernels("studentObjective", P, Y, len(Y)), student_objective(P, Y), rtol=1e-12)
