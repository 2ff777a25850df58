"""Claims about dimred_lessons.neighbors: who is near whom, and one search for all questions."""

import pickle
from contextlib import nullcontext
from multiprocessing.pool import ThreadPool

import joblib
import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.base import clone

from dimred_lessons import (
    LTSA,
    HessianLLE,
    Isomap,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    NeighborEmbedding,
    SemidefiniteEmbedding,
    distances,
    memory,
    reference,
)
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.engine import choice, tree_search
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists
from support.cases import DEFAULTS

GRID = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2)


@pytest.fixture(params=["tree", "products", "all distances"])
def search(request, monkeypatch):
    """All ways to search for neighbors of points, in several blocks."""
    monkeypatch.setattr(memory, "BLOCK", 200)
    monkeypatch.setattr(choice, "TREE_DIMENSIONS", 0 if request.param == "products" else 15)
    with reference() if request.param == "all distances" else nullcontext():
        yield


def nearest_by_sorting(D, k):
    """Neighbor lists as a dense array of sets, ties by index."""
    D = D.copy()
    np.fill_diagonal(D, -1)
    return np.sort(np.argsort(D, axis=1, kind="stable")[:, 1 : k + 1], axis=1)


@pytest.mark.parametrize("X", [GRID, np.zeros((12, 2)), np.repeat(GRID[:6], 5, axis=0), swiss_roll(150)[0]])
@pytest.mark.parametrize("k", [1, 4, 7])
def test_neighbors_are_the_nearest_points_and_ties_go_to_the_smaller_index(X, k, search):
    lists = neighbor_lists(X, k)
    assert np.all(np.diff(lists.indptr) == k)
    np.testing.assert_array_equal(lists.indices.reshape(-1, k), nearest_by_sorting(cdist(X, X), k))
    rows = np.repeat(np.arange(len(X)), k)
    np.testing.assert_allclose(lists.data, np.linalg.norm(X[rows] - X[lists.indices], axis=1), rtol=1e-14)


def test_neighbors_from_distances_are_those_of_the_points():
    by_points, by_distances = (
        neighbor_lists(GRID, 5),
        neighbor_lists(cdist(GRID, GRID), 5, metric="precomputed"),
    )
    np.testing.assert_array_equal(by_points.indices, by_distances.indices)


def test_neighbors_of_new_points_may_be_all_points(search):
    lists = neighbor_lists(GRID, len(GRID), queries=GRID[:3] + 0.1)
    np.testing.assert_allclose(lists.toarray(), cdist(GRID[:3] + 0.1, GRID), rtol=1e-14)


def test_far_from_the_origin_neighbors_are_the_same(search):
    X = swiss_roll(200)[0]
    np.testing.assert_array_equal(neighbor_lists(X + 1e6, 6).indices, neighbor_lists((X + 1e6) - 1e6, 6).indices)


def test_cosine_neighbors_have_the_largest_normalized_dot_products():
    X = np.random.default_rng(1).standard_normal((60, 4))
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    dots = unit @ unit.T
    np.fill_diagonal(dots, -np.inf)
    lists = neighbor_lists(X, 6, metric="cosine")
    np.testing.assert_array_equal(lists.indices.reshape(-1, 6), np.sort(np.argsort(-dots)[:, :6], axis=1))
    rows = np.repeat(np.arange(60), 6)
    np.testing.assert_allclose(lists.data, np.sqrt(2 - 2 * dots[rows, lists.indices]), atol=1e-12)


def test_blocks_cut_rows_without_gaps():
    for n_rows, row_size in ((10, 1), (10, memory.BLOCK), (memory.BLOCK + 1, 1), (0, 5), (7, 0)):
        covered = [i for part in memory.blocks(n_rows, row_size) for i in range(part.start, part.stop)]
        assert covered == list(range(n_rows))


# --- One search for all questions

ROLL, NEW = swiss_roll(200)[0], swiss_roll(20, random_state=1)[0]
SEARCHING = [
    LTSA(),
    HessianLLE(),
    Isomap(),
    Isomap(n_landmarks=50, random_state=0),
    LaplacianEigenmaps(),
    LaplacianEigenmaps(radius=7.0),
    LocallyLinearEmbedding(),
    NeighborEmbedding(method="approximate", perplexity=10, max_iter=5),
    SemidefiniteEmbedding(n_components=1, n_neighbors=6, angles=False, n_landmarks=10, tol=1e-2),
]
every_searching_method = pytest.mark.parametrize("method", SEARCHING, ids=str)


@pytest.fixture
def trees(monkeypatch):
    """The size of every tree of these points that is built, and of every question to one, with its threads."""
    noted = {"built": [], "asked": [], "threads": set()}

    class Noted(cKDTree):
        def __init__(self, X):
            noted["built"].append(len(X))
            super().__init__(X)

        def query(self, Q, *arguments, workers):
            noted["asked"].append(len(Q))
            noted["threads"].add(workers)
            return super().query(Q, *arguments, workers=workers)

        def query_ball_point(self, Q, *arguments, workers):
            noted["asked"].append(len(Q))
            noted["threads"].add(workers)
            return super().query_ball_point(Q, *arguments, workers=workers)

    monkeypatch.setattr(tree_search, "cKDTree", Noted)
    return noted


def test_every_method_that_takes_jobs_is_tried_here():
    taking = {type(case.method) for case in DEFAULTS if "n_jobs" in case.method.get_params()}
    assert taking == {type(method) for method in SEARCHING}


@every_searching_method
def test_new_points_ask_the_tree_that_the_fit_has_built(method, trees):
    fitted = clone(method).fit(ROLL)
    assert trees["built"].count(len(ROLL)) <= 1 + isinstance(method, SemidefiniteEmbedding)  # which looks for copies
    trees["built"].clear(), trees["asked"].clear()
    for part in np.split(NEW, 5):
        fitted.transform(part)
    assert trees["built"] == [] and set(trees["asked"]) == {4}


@every_searching_method
def test_a_copy_of_a_fitted_method_places_points_as_the_method_does_and_carries_no_tree(method):
    fitted = clone(method).fit(ROLL)
    before, placed = len(pickle.dumps(fitted)), fitted.transform(NEW)
    stored = pickle.dumps(fitted)
    assert len(stored) == before
    np.testing.assert_array_equal(pickle.loads(stored).transform(NEW), placed)
    np.testing.assert_array_equal(clone(fitted).fit(ROLL).transform(NEW), placed)


@every_searching_method
def test_one_thread_searches_unless_more_are_asked_for(method, trees):
    for asked, threads in ((None, 1), (1, 1), (2, 2), (-1, joblib.cpu_count())):
        trees["threads"].clear()
        clone(method).set_params(n_jobs=asked).fit(ROLL).transform(NEW)
        assert trees["threads"] == {threads}
    trees["threads"].clear()
    with joblib.parallel_config(backend="threading", n_jobs=3):
        clone(method).fit(ROLL).transform(NEW)
    assert trees["threads"] == {3}


@pytest.mark.parametrize("block", [2**22, 500], ids=["all queries at once", "a few at a time"])
def test_threads_may_share_a_search(block, monkeypatch):
    monkeypatch.setattr(memory, "BLOCK", block)
    cloud = np.random.default_rng(0).standard_normal((150, 30))
    X = np.vstack([cloud, 1e-4 * cloud + 1e4 * (np.arange(150) % 2)[:, np.newaxis]])
    # Single precision turns out to be too coarse for these
    expected = [neighbor_lists(X, 5, queries=part) for part in np.split(X, 10)]
    search = NeighborSearch(X)
    with ThreadPool(4) as pool:
        found = pool.map(lambda part: neighbor_lists(search, 5, queries=part), np.split(X, 10))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.data, theirs.data)


@pytest.mark.parametrize(
    "method", [LocallyLinearEmbedding(), LTSA(), HessianLLE(), LaplacianEigenmaps(), Isomap()], ids=str
)
def test_a_matrix_of_distances_is_checked_once_in_a_fit_and_not_again(method, monkeypatch):
    D, checked = cdist(ROLL, ROLL), []
    original = distances.check_dissimilarities
    monkeypatch.setattr(distances, "check_dissimilarities", lambda D: checked.append(D) or original(D))
    fitted = clone(method).set_params(metric="precomputed", radius=9.0).fit(D)
    assert len(set(np.diff(fitted.graph_.indptr))) > 20 and len(checked) == 1
    placed = fitted.transform(D[:7])
    assert len(checked) == 1
    np.testing.assert_allclose(placed, fitted.embedding_[:7], atol=1e-6)
