"""Live figures: what the page says of points is what the package says, and what a reader draws is data."""

import json

import numpy as np
import pytest

from dimred_lessons.classroom import plotting
from dimred_lessons.classroom.explorers import live
from dimred_lessons.classroom.explorers.live import FIGURES, Drawn
from dimred_lessons.classroom.explorers.scripts import read
from dimred_lessons.classroom.palette import NIGHT, PAPER, contrast
from support.javascript import script

live_js = script("live.js")

RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(20, 2)) @ [[2, 1], [0, 0.5]]
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
every_figure = pytest.mark.parametrize("figure", FIGURES)


@every_figure
@pytest.mark.parametrize("X", INPUTS.values(), ids=INPUTS)
def test_the_page_says_of_points_what_the_package_says(live_js, figure, X):
    sentence = live_js("answered", figure, X)["sentence"]
    try:
        expected = FIGURES[figure].say(X)
    except ValueError as error:
        expected = str(error)
    assert sentence == expected


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
    drawn = live(figure, CLOUD, **TEXTS)
    np.testing.assert_array_equal(drawn.points, CLOUD)
    content = shown[0][plotting.FIGURE]
    assert content["pictures"]["image/svg+xml"].startswith("<svg")
    data = json.loads(json.dumps(content["data"]))
    assert data["points"] == CLOUD.tolist() and data["invitation"] == "Pull."
    left, right, bottom, top = data["box"]
    assert right - left == pytest.approx(top - bottom)
    assert (CLOUD > [left, bottom]).all() and (CLOUD < [right, top]).all()
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
        ({"figure": "no line"}, "figure='no line' must be \"principal line\""),
        ({"points": CLOUD[:1]}, r"points of shape \(1, 2\) cannot be drawn: give at least 2 rows of two columns"),
        ({"points": np.full((3, 2), np.nan)}, "NaN"),
        ({"invitation": " "}, "invitation is empty"),
        ({"alt": ""}, "alt is empty"),
    ],
)
def test_what_a_live_figure_cannot_show_is_reported(changes, message):
    with pytest.raises(ValueError, match=message):
        live(**({"figure": "principal line", "points": CLOUD} | TEXTS | changes))
