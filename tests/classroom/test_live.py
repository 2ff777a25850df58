"""Live figures: what the page says of points is what the package says, and what a reader draws is data."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats

from dimred_lessons import ICA, SemidefiniteEmbedding
from dimred_lessons.classroom import plotting
from dimred_lessons.classroom.explorers import live, live_models
from dimred_lessons.classroom.explorers.live import Drawn
from dimred_lessons.classroom.explorers.live_figures import FIGURES, stepped
from dimred_lessons.classroom.explorers.scripts import read
from dimred_lessons.classroom.palette import NIGHT, PAPER, contrast
from support.javascript import script

live_js = script("live.js")

RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(20, 2)) @ [[2, 1], [0, 0.5]]
AROUND = np.radians(np.linspace(40, 320, 16))
HORSESHOE = np.column_stack([np.cos(AROUND), np.sin(AROUND)])
BENT = np.linspace(0, 1.2 * np.pi, 60)
ARC = np.column_stack([np.cos(BENT), np.sin(BENT)]) + 0.08 * RNG.standard_normal((60, 2))
TEXTS = {"invitation": "Pull.", "name": "fig-x", "caption": "Points.", "alt": "Points and what is made of them."}
INPUTS = {
    "cloud": CLOUD,
    "one pulled far away": np.vstack([CLOUD, [0, 40]]),
    "falling": CLOUD * [1, -1],
    "upright": np.column_stack([np.full(5, 2.0), np.arange(5.0)]),
    "line": np.outer(np.arange(4.0), [3, 1]),
    "copies": np.repeat(CLOUD[:3], 3, axis=0),
    "two points": CLOUD[:2],
    "one place": np.ones((4, 2)),
}
VALUES = {
    "principal line": [None],
    "graph path": [2, 4, 60],
    "Isomap": [3, 6],
    "kernel PCA": [0.5, 2.0, 40.0],
    "longer road": [0.2, 1.0, 3.0],
    "rebuilt point": [1, 2, 3, 5],
    "Laplacian eigenmap": [3, 6],
    "SDE": [2, 4],
    "mixture": [0, 3, 40],
    "ICA": [None],
    "random projection": [1, 10, 200],
    "principal curve": [1, 3, 10],
    "t-SNE": [2, 5],
}
every_figure = pytest.mark.parametrize("figure", FIGURES)
every_value = pytest.mark.parametrize("figure, value", [(figure, one) for figure in FIGURES for one in VALUES[figure]])


def slider(figure):
    return {} if VALUES[figure] == [None] else {"values": VALUES[figure], "start": VALUES[figure][1]}


@every_value
@pytest.mark.parametrize("X", INPUTS.values(), ids=INPUTS)
def test_the_page_says_of_points_what_the_package_says(live_js, figure, value, X):
    sentence = live_js("answered", figure, X, value)["sentence"]
    try:
        expected = FIGURES[figure].say(X, value)
    except ValueError as error:
        expected = str(error)
    assert sentence == expected


def test_the_steps_of_the_page_are_those_of_the_package(live_js):
    found = live_js("answered", "t-SNE", CLOUD, 5)["found"]
    assert found["taken"] == 0
    for steps, times in ((100, 100), (150, 50)):
        found = {name: np.array(one, dtype=float) if isinstance(one, list) else one for name, one in found.items()}
        after = live_js("steppedOn", "t-SNE", found, times)
        found, expected = after["found"], stepped(CLOUD, 5, steps)
        assert after["sentence"] == f"After {steps} steps the mismatch is {expected.objective_path_[-1]:.3f}."
        if steps == 100:
            np.testing.assert_allclose(np.reshape(found["map"], (-1, 2)), expected.embedding_, rtol=1e-4)


def test_other_points_get_as_many_steps_as_were_asked_for_and_fewer_while_one_is_dragged(live_js):
    asked = {"asked": 40}
    found = live_js("answered", "t-SNE", HORSESHOE, 5, {"previous": asked})["found"]
    assert found["taken"] == 40
    np.testing.assert_allclose(np.reshape(found["map"], (-1, 2)), stepped(HORSESHOE, 5, 40).embedding_, rtol=1e-4)
    dragged = live_js("answered", "t-SNE", CLOUD, 5, {"previous": {"asked": 10**6}, "tolerance": 1e-6})["found"]
    assert 0 < dragged["taken"] < dragged["asked"] == 10**6


# --- The figures of models: numbers of the page beside those of the package


def found_of(live_js, figure, X, value=None, **options):
    return live_js("answered", figure, X, value, options)["found"]


def test_threads_are_pulled_as_far_as_in_the_package_and_proved_to_go_no_farther(live_js):
    for X, k in [(CLOUD, 4), (INPUTS["copies"], 2), (HORSESHOE, 3)]:
        found = found_of(live_js, "SDE", X, k)
        model = SemidefiniteEmbedding(1, n_neighbors=k, tol=1e-9).fit(X)
        variance = np.sum((X - X.mean(axis=0)) ** 2)
        assert found["gain"] == pytest.approx(np.trace(model.kernel_) / variance, rel=1e-6)
        assert found["gap"] < 1e-6
        kept = [row["ends"] for row in found["threads"]]
        assert sorted(kept) == sorted(model.pairs_.tolist())
        pulls = np.array([row["pull"] for row in found["threads"]])
        np.testing.assert_allclose(pulls, model.dual_weights_ / model.dual_weights_.max(), atol=1e-3)


@pytest.mark.parametrize("X", [CLOUD, HORSESHOE, INPUTS["line"], INPUTS["one pulled far away"]])
def test_every_step_of_em_is_that_of_the_package(live_js, X):
    ours = found_of(live_js, "mixture", X, 40)
    path = list(live_models._em_path(X, 300))
    np.testing.assert_allclose(ours["likelihoods"], [value for _, _, value in path], atol=1e-8)
    np.testing.assert_allclose(ours["shades"][2:], path[40][1][:, 1], atol=1e-8)
    assert np.diff(ours["likelihoods"]).min() > -1e-9


@pytest.mark.parametrize(
    "arrows", [[[1.2, 0.5], [0.6, 1.2]], [[1, 0], [-0.2, 1]], [[1, 0.7], [1, 0.75]], [[0.1, 0], [0, 9]]]
)
def test_the_page_unmixes_by_the_matrix_of_the_package(live_js, arrows):
    arrows = np.array(arrows, dtype=float)
    found = found_of(live_js, "ICA", arrows)
    mixtures = live_models._two_sounds() @ arrows
    np.testing.assert_allclose(np.reshape(found["mixtures"], (-1, 2)), mixtures, atol=1e-8)
    theirs = ICA(2, tol=1e-10).fit(mixtures)
    signs = np.sign(np.sum(found["components"] * theirs.components_, axis=1))
    np.testing.assert_allclose(signs[:, np.newaxis] * found["components"], theirs.components_, rtol=1e-8, atol=1e-8)


def test_random_directions_are_normal_the_same_for_a_draw_and_others_for_the_next(live_js):
    R = np.array(found_of(live_js, "random projection", CLOUD, 500)["R"]) * np.sqrt(500)
    np.testing.assert_allclose(R, live_models._normals(1000), rtol=1e-8)
    assert stats.kstest(R, "norm").pvalue > 0.01
    assert found_of(live_js, "random projection", CLOUD, 500, draw=1)["R"] != (R / np.sqrt(500)).tolist()


@pytest.mark.parametrize(
    "X, steps", [(CLOUD, 1), (CLOUD, 2), (CLOUD, 6), (HORSESHOE, 6), (ARC, 1), (ARC, 10), (ARC, 50)]
)
def test_every_curve_is_that_of_the_package(live_js, X, steps):
    nodes = found_of(live_js, "principal curve", X, steps)["nodes"]
    theirs = live_models._curve(X, steps).nodes_
    apart = min(np.abs(nodes - theirs).max(), np.abs(nodes[::-1] - theirs).max())
    assert apart < 1e-8 * np.abs(X).max()


def test_a_figure_has_no_more_points_than_it_can_take():
    with pytest.raises(ValueError, match=r"points of shape \(26, 2\) cannot be drawn: give at most 25 rows"):
        live("SDE", np.ones((26, 2)), values=[3], **TEXTS)
    with pytest.raises(ValueError, match=r"points of shape \(3, 2\) cannot be drawn: give 2 rows of two columns"):
        live("ICA", np.ones((3, 2)), **TEXTS)


# --- Maps that move with their points


@pytest.mark.parametrize("figure", ["Isomap", "kernel PCA", "longer road", "Laplacian eigenmap"])
def test_while_a_point_is_dragged_its_map_is_nearly_exact_and_keeps_its_signs(live_js, figure):
    value = VALUES[figure][-1]
    first = live_js("answered", figure, CLOUD, value)["found"]
    moved = CLOUD + 1e-3 * np.eye(20, 2)
    dragged = {"previous": {"block": [(-np.array(v)).tolist() for v in first["block"]]}, "tolerance": 1e-6}
    warm = live_js("answered", figure, moved, value, dragged)
    cold = live_js("answered", figure, moved, value)
    assert warm["sentence"] == cold["sentence"]
    part = "scores" if figure == "kernel PCA" else "map"
    sign = 1 if figure == "longer road" else -1  # that map lies over its points
    size = np.abs(first[part]).max()
    np.testing.assert_allclose(sign * np.array(warm["found"][part]), cold["found"][part], atol=1e-4 * size)


@pytest.mark.parametrize("times", [0.5, 1, 2])
def test_a_map_lies_over_its_points_as_well_as_any_turned_one(live_js, times):
    Y = np.reshape(live_js("answered", "longer road", CLOUD, times)["found"]["map"], (-1, 2))
    _, ax = plt.subplots()
    np.testing.assert_allclose(Y, FIGURES["longer road"].map(ax, CLOUD, times), atol=1e-8)
    plt.close()


def test_every_figure_of_the_page_has_one_for_print():
    for figure in FIGURES:
        assert f'"{figure}":' in read("live.js")


def test_a_point_moves_alone_and_stays_in_the_box(live_js):
    box = [-1, 1, -2, 2]
    points = np.array([[0.0, 0], [0.5, 0.5], [1, 1]])
    assert live_js("withMoved", points, 1, [0.2, -0.1], box) == [0, 0, 0.2, -0.1, 1, 1]
    assert live_js("withMoved", points, 2, [9, -9], box) == [0, 0, 0.5, 0.5, 1, -2]


def test_a_point_is_taken_away_and_another_one_added(live_js):
    points = np.array([[0.0, 1], [2, 3], [4, 5]])
    assert live_js("without", points, 1) == [0, 1, 4, 5]
    assert live_js("withPoint", points, [6, 7]) == [0, 1, 2, 3, 4, 5, 6, 7]


@every_figure
def test_in_the_book_a_live_figure_is_a_picture_and_its_points(monkeypatch, figure):
    monkeypatch.setenv("DIMRED_BOOK", "1")
    shown = []
    monkeypatch.setattr(plotting, "display", lambda bundle, raw=True: shown.append(bundle))
    points = CLOUD[: FIGURES[figure].most]
    drawn = live(figure, points, **slider(figure), **TEXTS)
    np.testing.assert_array_equal(drawn.points, points)
    content = shown[0][plotting.FIGURE]
    assert content["pictures"]["image/svg+xml"].startswith("<svg")
    data = json.loads(json.dumps(content["data"]))
    assert data["points"] == points.tolist() and data["invitation"] == "Pull."
    left, right, bottom, top = data["box"]
    assert right - left == pytest.approx(top - bottom)
    assert figure == "ICA" or ((points > [left, bottom]).all() and (points < [right, top]).all())
    for light, dark in data["colors"].values():
        assert contrast(light, PAPER) >= 3 and contrast(dark, NIGHT) >= 3


def test_with_a_kernel_what_is_drawn_is_data_for_the_next_cell_and_the_other_way_round():
    drawn = Drawn(data={"kind": "live"}, points=CLOUD)
    drawn.set_state({"points": [[1, 2], [3, 4], [5, 6]]})
    np.testing.assert_array_equal(drawn.points, [[1, 2], [3, 4], [5, 6]])
    drawn.points = [[0, 0], [1, 1]]
    assert drawn.get_state("points")["points"] == [[0.0, 0.0], [1.0, 1.0]]
    with pytest.raises(ValueError, match=r"points of shape \(20, 3\) cannot be drawn"):
        drawn.points = np.ones((20, 3))
    drawn.close()


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"figure": "no line"}, "figure='no line' must be "),
        ({"values": [1, 2]}, "The figure 'principal line' needs no values, for it has no slider"),
        ({"figure": "Isomap"}, "The figure 'Isomap' needs values of k"),
        ({"figure": "Isomap", "values": []}, "values has no values"),
        ({"figure": "Isomap", "values": [3], "start": 4}, "start=4 is not one of the values"),
        ({"points": CLOUD[:1]}, r"points of shape \(1, 2\) cannot be drawn: give at least 2 rows of two columns"),
        ({"points": np.full((3, 2), np.nan)}, "NaN"),
        ({"invitation": " "}, "invitation is empty"),
        ({"alt": ""}, "alt is empty"),
    ],
)
def test_what_a_live_figure_cannot_show_is_reported(changes, message):
    with pytest.raises(ValueError, match=message):
        live(**({"figure": "principal line", "points": CLOUD} | TEXTS | changes))
