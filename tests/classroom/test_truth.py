"""What a map answers when it is asked for a point: the neighbors, shares and distances are those of Python."""

import json

import numpy as np
import pytest

from dimred_lessons.classroom.datasets import faces, swiss_roll
from dimred_lessons.classroom.explorers.chance import share_kept
from dimred_lessons.classroom.explorers.frames import centered, pack
from dimred_lessons.classroom.explorers.truth import BYTES, NEAREST, nearest_first, truth
from dimred_lessons.classroom.metrics import neighbors_kept
from dimred_lessons.distances import squared_distances
from dimred_lessons.neighbors import neighbor_lists
from support.javascript import script

truth_js = script("truth.js")

RNG = np.random.default_rng(0)
COPIES = np.repeat(RNG.normal(size=(20, 3)), 2, axis=0)
DATA = {
    "roll": swiss_roll(300)[0],
    "copies": COPIES,
    "columns": RNG.normal(size=(50, 2000)) * np.linspace(2, 0, 2000),
    "three points": np.array([[0.0, 0], [1, 0], [0, 2]]),
    "one place": np.ones((6, 2)),
}
every_data = pytest.mark.parametrize("X", DATA.values(), ids=DATA)


def opened(truth_js, X):
    known = truth_js("unpackTruth", truth(X), len(X))
    kinds = {"near": np.int32, "places": np.float32, "left": np.float32}
    return known | {name: np.array(known[name], dtype=kind) for name, kind in kinds.items()}


@every_data
def test_the_page_knows_the_nearest_of_each_point_in_their_order(truth_js, X):
    known = opened(truth_js, X)
    k = min(NEAREST, len(X) - 1)
    assert known["k"] == k
    near = np.reshape(known["near"], (len(X), k))
    theirs = neighbor_lists(X, k)
    np.testing.assert_array_equal(np.sort(near, axis=1), theirs.indices.reshape(len(X), k))
    lengths = np.sqrt(squared_distances(X))
    assert (np.diff(np.take_along_axis(lengths, near, axis=1), axis=1) >= -1e-9).all()


@every_data
def test_lost_neighbors_intruders_and_shares_are_those_of_python(truth_js, X):
    known = opened(truth_js, X)
    n, k = len(X), known["k"]
    drawn = np.round(centered(X @ RNG.normal(size=(X.shape[1], 2))) * 32767) / 32767  # the map as the page has it
    before = [set(row) for row in nearest_first(X, k).tolist()]
    after = [set(row) for row in nearest_first(drawn, k).tolist()]
    shares = [len(one & other) / k for one, other in zip(before, after, strict=True)]
    np.testing.assert_allclose(truth_js("sharesKept", known, drawn), shares, atol=1e-12)
    for i in range(0, n, 5):
        answer = truth_js("compared", i, known, drawn)
        assert set(answer["lost"]) == before[i] - after[i]
        assert set(answer["intruders"]) == after[i] - before[i]
    if X is DATA["roll"]:  # where no distances are equal, they are also the measure of the book
        chance = k / (n - 1)
        kept = neighbors_kept(X, drawn, [k])[:, 0]
        np.testing.assert_allclose((np.array(shares) - chance) / (1 - chance), kept, atol=1e-12)


@every_data
def test_what_chance_keeps_is_counted_as_on_the_map(truth_js, X):
    drawn = np.round(centered(X @ RNG.normal(size=(X.shape[1], 2))) * 32767) / 32767
    np.testing.assert_allclose(
        np.mean(truth_js("sharesKept", opened(truth_js, X), drawn)), share_kept(X, drawn), atol=1e-12
    )


@every_data
def test_the_shade_of_a_dot_is_its_true_distance(truth_js, X):
    known = opened(truth_js, X)
    lengths = np.sqrt(squared_distances(X))
    for i in range(0, len(X), 7):
        theirs = lengths[i] / (lengths[i].max() or 1)
        np.testing.assert_allclose(truth_js("distancesFrom", i, known), theirs, atol=1e-3)


def test_of_images_the_shades_are_right_to_one_of_sixteen(truth_js):
    """Of 4096 pixels only some principal components have room in a page; what is left counts by its size."""
    X = faces()[0]
    known, lengths = opened(truth_js, X), np.sqrt(squared_distances(X))
    errors = [np.abs(truth_js("distancesFrom", i, known) - lengths[i] / lengths[i].max()) for i in (0, 99, 500)]
    assert np.mean(errors) < 1 / 200 and np.quantile(errors, 0.99) < 1 / 16


@pytest.mark.parametrize("n, D", [(300, 4096), (698, 100), (1000, 3), (1800, 3), (4000, 50)])
def test_a_page_grows_by_sixty_kilobytes_at_most(n, D):
    assert len(json.dumps(truth(RNG.normal(size=(n, D))))) <= BYTES


def test_where_there_is_no_room_or_no_neighbor_a_map_has_no_answers():
    assert truth(RNG.normal(size=(6000, 3))) is None
    assert truth(np.ones((1, 3))) is None


def test_a_color_between_two_others_is_mixed_of_them(truth_js):
    assert truth_js("mixed", "#000000", "#ff8000", 0.5) == "#804000"
    assert [truth_js("mixed", "#08306b", "#ccdbea", share) for share in (0, 1)] == ["#08306b", "#ccdbea"]


def test_what_is_packed_is_what_the_page_opens(truth_js):
    known = opened(truth_js, COPIES)
    assert len(known["left"]) == len(COPIES) and not any(known["left"])
    np.testing.assert_allclose(known["places"], centered_places(COPIES), atol=1e-4)


def centered_places(X):
    A = (X - X.mean(axis=0)).ravel()
    return A / np.abs(A).max()


def test_the_pack_of_the_frames_is_used_for_the_places():
    A = COPIES - COPIES.mean(axis=0)
    assert truth(COPIES)["places"] == pack(A / np.abs(A).max())
