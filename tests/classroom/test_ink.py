"""The sheet to write on: what its pen touches, its ready-made words, and what a map keeps around the ink."""

import base64
import json

import numpy as np
import pytest

from dimred_lessons.classroom import plotting
from dimred_lessons.classroom.explorers import ink
from dimred_lessons.classroom.explorers.ink import NEAREST, inked_by, laid_over, neighbors_kept
from dimred_lessons.classroom.palette import NIGHT, PAPER, contrast
from support.javascript import script

ink_js = script("ink.js")

RNG = np.random.default_rng(0)
SHEET = RNG.uniform([0, 0], [40, 10], size=(400, 2))
FOLDED = np.column_stack([np.abs(SHEET[:, 0] - 20), SHEET[:, 1]])
TEXTS = {"invitation": "Write.", "name": "fig-x", "caption": "A sheet.", "alt": "A sheet and its maps."}


def test_the_pen_touches_the_points_near_its_stroke(ink_js):
    points = SHEET / 10
    start, end = np.array([0.5, 0.2]), np.array([3.0, 0.9])
    along = np.clip((points - start) @ (end - start) / np.sum((end - start) ** 2), 0, 1)[:, np.newaxis]
    near = np.linalg.norm(points - start - along * (end - start), axis=1) <= 0.1
    assert ink_js("touched", points, start.tolist(), end.tolist(), 0.1) == np.flatnonzero(near).tolist()
    dot = np.linalg.norm(points - start, axis=1) <= 0.3
    assert ink_js("touched", points, start.tolist(), start.tolist(), 0.3) == np.flatnonzero(dot).tolist()


def test_the_share_that_the_page_shows_is_that_of_the_neighbors(ink_js):
    kept = neighbors_kept(FOLDED, SHEET)
    inked = SHEET[:, 0] < 15
    shown = ink_js("keptShare", "".join(map(str, kept)), inked.astype(int), NEAREST)
    assert shown == pytest.approx(kept[inked].mean() / NEAREST)
    assert 0.1 < shown < 0.9
    assert ink_js("keptShare", "00", np.zeros(2, int), NEAREST) == 0


def test_a_sheet_keeps_its_own_neighbors_and_one_turned_does_too():
    turned = (SHEET - 3) @ [[0, 2], [-2, 0]]
    assert (neighbors_kept(turned, SHEET) == NEAREST).all()


def test_a_map_that_is_turned_mirrored_and_stretched_lies_over_the_sheet_again():
    expected = (2 * SHEET - SHEET.min(axis=0) - SHEET.max(axis=0)) / np.ptp(SHEET, axis=0)
    centered = SHEET - SHEET.mean(axis=0)
    U = np.linalg.svd(centered, full_matrices=False)[0]
    assert np.abs(laid_over(U * [-5, 0.1] + 7, SHEET) - expected).max() < 0.1
    np.testing.assert_allclose(laid_over(SHEET * [-1, 3], SHEET), expected, atol=1e-9)


def test_a_letter_with_a_hole_is_inked_around_it():
    inked = np.zeros(len(SHEET), bool)
    inked[inked_by("O", SHEET)] = True
    middle = np.linalg.norm((SHEET - [20, 5]) / [40, 10], axis=1) < 0.15
    assert not inked[middle].any() and inked.sum() > 50


def test_in_the_book_it_is_a_picture_and_its_points(monkeypatch):
    monkeypatch.setenv("DIMRED_BOOK", "1")
    shown = []
    monkeypatch.setattr(plotting, "display", lambda bundle, raw=True: shown.append(bundle))
    ink(SHEET, {"folded": FOLDED, "as it is": SHEET}, words=["HI", "O"], **TEXTS)
    content = shown[0][plotting.FIGURE]
    assert content["pictures"]["image/svg+xml"].startswith("<svg")
    data = json.loads(json.dumps(content["data"]))
    assert [one["name"] for one in data["maps"]] == ["folded", "as it is"]
    assert data["maps"][1]["kept"] == str(NEAREST) * len(SHEET)
    rows = np.frombuffer(base64.b64decode(data["words"][1]["inked"]), "<u2")
    np.testing.assert_array_equal(rows, inked_by("O", SHEET))
    light, dark = data["colors"]["ink"]
    assert contrast(light, PAPER) >= 3 and contrast(dark, NIGHT) >= 3


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"maps": {"short": SHEET[:-1]}}, r"the map 'short' has shape \(399, 2\), but \(400, 2\) is needed"),
        ({"maps": {}}, "at least one map and one word"),
        ({"words": []}, "at least one map and one word"),
        ({"sheet": np.full((400, 2), np.nan)}, "NaN"),
        ({"alt": " "}, "alt is empty"),
    ],
)
def test_what_cannot_be_shown_is_reported(changes, message):
    with pytest.raises(ValueError, match=message):
        ink(**({"sheet": SHEET, "maps": {"folded": FOLDED}, "words": ["HI"]} | TEXTS | changes))
