"""Drawings are letters and lines of few bytes, and hold the colors of two grounds."""

import base64
import io
import json
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.image import AxesImage
from PIL import Image

from dimred_lessons.classroom import drawings, palette, plotting
from dimred_lessons.classroom.palette import CATEGORIES, CATEGORIES_AT_NIGHT, NIGHT, PAPER, at_night, contrast, legible

BOOK = Path(__file__).parents[2] / "book"
GROUNDS = pytest.mark.parametrize("colors, ground", [(CATEGORIES, PAPER), (CATEGORIES_AT_NIGHT, NIGHT)])
# What people without green and without red cones see of linear RGB, after Machado, Oliveira and Fernandes (2009).
EYES = [
    np.eye(3),
    np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]),
    np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def figure(draw, **options):
    fig, ax = plt.subplots(figsize=(4, 3), layout="constrained", **options)
    draw(ax)
    return fig


def rules(drawing):
    """The part of the style sheet for the light ground, and that for the dark one."""
    sheet = re.search("<style>(.*?)</style>", drawing)[1]
    return sheet.partition("svg:target")[::2]


# --- Colors


@GROUNDS
def test_marks_and_letters_in_colors_of_the_palette_have_enough_contrast(colors, ground):
    night = ground == NIGHT
    assert min(contrast(color, ground) for color in colors) >= palette.MARK
    assert min(contrast(legible(color, night), ground) for color in colors) >= palette.TEXT


def lightness_and_hue(color, eye):
    """A color in the space OKLab, of units of a hundredth, as an eye sees it."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    cones = np.array([[0.41222, 0.53633, 0.05145], [0.2119, 0.6807, 0.1074], [0.0883, 0.28172, 0.62998]])
    mixed = np.array([[0.21045, 0.79362, -0.00407], [1.978, -2.42859, 0.45059], [0.0259, 0.78277, -0.80868]])
    return 100 * mixed @ np.cbrt(cones @ np.clip(eye @ linear, 0, 1))


@GROUNDS
@pytest.mark.parametrize("eye, least", [*zip(EYES, [10, 5, 5])], ids=["all cones", "no green cones", "no red cones"])
def test_any_two_colors_of_the_palette_can_be_told_apart(colors, ground, eye, least):
    seen = [lightness_and_hue(color, eye) for color in colors]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > least


def test_lines_take_the_colors_of_the_palette_in_its_order():
    assert [to_hex(color) for color in plt.rcParams["axes.prop_cycle"].by_key()["color"]] == [
        color.lower() for color in CATEGORIES
    ]


@pytest.mark.parametrize("color", CATEGORIES)
def test_at_night_letters_that_were_darkened_have_the_color_of_the_palette_again(color):
    there = CATEGORIES_AT_NIGHT[CATEGORIES.index(color)]
    assert at_night(legible(color)) in (there.lower(), legible(there, night=True))


def test_at_night_black_is_ink_and_white_the_ground_and_gray_as_much_of_the_ink():
    assert at_night("black") == to_hex(palette.INK) and at_night("white") == NIGHT
    grays = [contrast(at_night(str(level)), NIGHT) for level in np.linspace(0, 1, 9)]
    assert grays == sorted(grays, reverse=True)


@pytest.mark.parametrize("color", ["#DCE6F2", "lightyellow", "#ffeeee"])
def test_a_tint_of_the_paper_is_a_tint_of_the_night(color):
    assert 1 < contrast(at_night(color), NIGHT) < 2.5


@pytest.mark.parametrize("color", ["darkred", "navy", "purple", "#003300", "red", "orange"])
def test_a_color_of_no_palette_can_be_seen_at_night(color):
    assert contrast(at_night(color), NIGHT) >= palette.MARK


# --- Drawings


def test_letters_are_letters_in_the_face_of_the_page_and_formulas_are_lines():
    drawing = drawings.drawn(figure(lambda ax: ax.set(title="spread & more", xlabel="$x_1$", yticks=[], xticks=[])))
    assert "spread &amp; more</text>" in drawing and drawing.count("<text") == 1
    assert f"text{{font-family:{drawings.FONTS}}}" in drawing and "DejaVu" not in drawing


@pytest.mark.parametrize(
    "words, shown",
    [("pose -60°", "pose −60°"), ("-.5 to +3", "−.5 to +3"), ("t-SNE of 10-12", "t-SNE of 10-12"), ("$-1$", "$-1$")],
)
def test_negative_numbers_have_a_true_minus(words, shown):
    fig = figure(lambda ax: ax.set(title=words))
    drawings.prepare(fig)
    assert fig.axes[0].get_title() == shown


def test_a_drawing_has_no_ground_and_no_line_for_an_axis_without_ticks():
    drawing = drawings.drawn(figure(lambda ax: ax.set(xticks=[], yticks=[])))
    assert not list(ElementTree.fromstring(drawing).iter("{http://www.w3.org/2000/svg}path"))


def test_a_drawing_holds_each_color_for_both_grounds():
    def draw(ax):
        ax.plot([0, 1], color=CATEGORIES[0])
        ax.axhline(0.5, color="black")
        ax.scatter([0, 1, 2], [0, 1, 2], c=[0.0, 0.5, 1.0])
        ax.text(0, 0, "here", color=CATEGORIES[1])

    day, night = rules(drawings.drawn(figure(draw)))
    assert CATEGORIES[0].lower() in day and CATEGORIES_AT_NIGHT[0].lower() in night
    assert "stroke:#000000" in day and f"stroke:{palette.INK.lower()}" in night
    first, last = palette.viridis(2, night=True)
    assert "fill:#440154" in day and f"fill:{first}" in night
    assert f"fill:{last}" in day and last not in night
    assert f"fill:{legible(CATEGORIES[1])}" in day and CATEGORIES[1].lower() not in day


def test_a_picture_in_ink_on_paper_is_turned_at_night_and_a_photograph_is_not():
    fig, axes = plt.subplots(1, 4)
    for ax, cmap in zip(axes, ["gray_r", "PuOr", "gray", "viridis_r"]):
        ax.imshow(np.arange(9.0).reshape(3, 3), cmap=cmap)
    drawing = drawings.drawn(fig)
    assert len(re.findall('class="[^"]*\\binked"', drawing)) == 2
    assert ":target .inked{filter:url(#inked)}" in rules(drawing)[1]
    assert drawing.count('<filter id="inked"') == 1
    assert "<filter" not in drawings.drawn(figure(lambda ax: ax.imshow(np.eye(3), cmap="gray")))


def turned_images(fig):
    """How images of a figure are turned at night, in their order."""
    images = re.findall("<image [^>]*>", drawings.drawn(fig))
    return [found[1] if (found := re.search(r'class="[^"]*\b(inked|ordered)"', image)) else None for image in images]


@pytest.mark.parametrize("cmap, kind", [("viridis", "ordered"), ("viridis_r", "ordered"), ("Blues", "inked")])
def test_at_night_a_color_bar_is_turned_as_its_marks_are(cmap, kind):
    fig, ax = plt.subplots()
    fig.colorbar(ax.scatter([0, 1, 2], [0, 1, 2], c=[0.0, 0.5, 1.0], cmap=cmap))
    assert turned_images(fig) == [kind]


def test_at_night_a_color_bar_is_turned_as_its_picture_is_and_a_photograph_beside_it_stays():
    fig, axes = plt.subplots(1, 5)
    for ax, cmap in zip(axes, ["viridis", "PuOr", "gray_r", "magma"]):
        fig.colorbar(ax.imshow(np.arange(9.0).reshape(3, 3), cmap=cmap))
    axes[-1].imshow(np.arange(9.0).reshape(3, 3), cmap="gray")
    assert turned_images(fig) == ["ordered", "inked", "inked", None, None, *["ordered", "inked", "inked", None]]


@pytest.mark.parametrize("alpha", [1, 0.6])
def test_at_night_marks_that_became_dots_have_the_colors_of_marks(monkeypatch, alpha):
    monkeypatch.setattr(drawings, "HEAVIEST", 5000)
    X = np.random.default_rng(0).normal(size=(2, 2000))
    assert turned_images(figure(lambda ax: ax.scatter(*X, c=X[0], alpha=alpha, s=4))) == ["ordered"]


@pytest.mark.parametrize("alpha", [1, 0.4])
@pytest.mark.parametrize("color", [CATEGORIES[0], "#555555"])
def test_at_night_dots_of_one_color_have_that_of_its_twin(monkeypatch, color, alpha):
    monkeypatch.setattr(drawings, "HEAVIEST", 5000)
    X = np.random.default_rng().normal(size=(2, 2000))
    drawing = drawings.drawn(figure(lambda ax: ax.scatter(*X, color=color, alpha=alpha, s=4)))
    [name] = re.findall(r'<image [^>]*class="([^"]*)"', drawing)
    shown = np.array(re.search(f'<filter id="{name}".*?values="([^"]*)"', drawing)[1].split(), float)[4:15:5]
    np.testing.assert_allclose(shown, to_rgb(palette.at_night(color)), atol=0.02)


def test_the_filter_of_images_in_viridis_gives_each_shade_the_one_that_marks_have():
    drawing = drawings.drawn(figure(lambda ax: ax.imshow(np.eye(3))))
    tables = [list(map(float, values.split())) for values in re.findall('type="table" tableValues="([^"]*)"', drawing)]
    assert len(tables) == 3 and 'values="0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0 0 1 0"' in drawing
    for day, night in zip(palette.viridis(20), palette.viridis(20, night=True)):
        green = to_rgb(day)[1]
        shown = [np.interp(green, np.linspace(0, 1, len(table)), table) for table in tables]
        np.testing.assert_allclose(shown, to_rgb(night), atol=0.02)


def test_at_night_viridis_can_be_seen_and_is_ordered():
    contrasts = [contrast(shade, NIGHT) for shade in palette.viridis(64, night=True)]
    assert min(contrasts) >= palette.MARK and contrasts == sorted(contrasts)


def test_at_night_an_ink_is_as_far_from_the_ground_and_of_the_same_hue():
    assert palette.turned("white") == NIGHT
    lightest, light, dark = (palette.turned(blue) for blue in ("#f7fbff", "#6baed6", "#08306b"))
    assert contrast(lightest, NIGHT) < contrast(light, NIGHT) < contrast(dark, NIGHT)
    assert all(np.argmax(to_rgb(color)) == 2 for color in (light, dark))


def test_marks_in_an_ink_are_turned_at_night():
    drawing = drawings.drawn(figure(lambda ax: ax.scatter([0, 1], [0, 1], c=[0.0, 1.0], cmap="Blues")))
    last = to_hex(plt.get_cmap("Blues")(1.0))
    day, night = rules(drawing)
    assert f"fill:{last}" in day and f"fill:{palette.turned(last)}" in night


def test_a_drawing_is_the_same_whenever_it_is_made():
    def draw(ax):
        ax.scatter(*np.random.default_rng(0).normal(size=(2, 50)), label="$p$")
        ax.imshow(np.eye(5), extent=(0, 1, 0, 1))
        ax.legend()

    one, other = (drawings.drawn(figure(draw)) for _ in range(2))
    assert one == other
    fig = figure(draw)
    drawings.drawn(fig)
    assert drawings.printed(fig) == drawings.printed(fig)


def test_a_drawing_states_its_size_in_pixels_of_a_page():
    drawing = drawings.drawn(figure(lambda ax: None))
    assert re.search(r'width="440" height="330" viewBox="0 0 288 216"', drawing)


def test_marks_of_one_kind_are_the_corners_of_one_line():
    X = np.random.default_rng(0).normal(size=(2, 2000))
    drawing = drawings.drawn(figure(lambda ax: ax.scatter(*X, color="black", alpha=0.5)))
    line = next(path for path in re.findall('<path d="([^"]*)" fill="none" style="marker', drawing) if len(path) > 9999)
    assert line.count("L") == 1999 and len(drawing) < 40_000
    assert "stroke:#000000;stroke-opacity" not in drawing  # no rings where marks are transparent


def test_whatever_a_drawing_points_to_is_in_it():
    def draw(ax):
        ax.bar([0, 1], [1, 2], hatch="//")
        ax.scatter(*np.random.default_rng(0).normal(size=(2, 50)))
        ax.plot([0, 1], "o-")

    drawing = drawings.drawn(figure(draw))
    named = re.findall(r' id="([^"]*)"', drawing)
    pointed = set(re.findall(r'(?:url\(|href=")#([^")]*)', drawing))
    assert len(named) == len(set(named)) and pointed and pointed <= set(named)


def test_many_marks_of_a_heavy_figure_become_dots_twice_as_fine_as_the_page(monkeypatch):
    X = np.random.default_rng(0).normal(size=(2, 2000))
    assert "<image" not in drawings.drawn(figure(lambda ax: ax.scatter(*X, c=X[0])))
    monkeypatch.setattr(drawings, "HEAVIEST", 5000)
    fig = figure(lambda ax: (ax.scatter(*X, c=X[0]), ax.scatter(*X[:, :50], color="black")))
    drawing = drawings.drawn(fig)
    (dots,) = re.findall('<image [^>]*href="data:image/webp;base64,([^"]*)"', drawing)
    shown = fig.axes[0].get_window_extent().width / fig.dpi * drawings.PIXELS_AN_INCH
    assert Image.open(io.BytesIO(base64.b64decode(dots))).width > 1.8 * shown
    assert "<text" in drawing and "marker:url" in drawing


def test_marks_at_the_rim_are_not_cut_but_those_beyond_it_are():
    def clipped(**limits):
        fig = figure(lambda ax: (ax.scatter([0, 1], [0, 1]), ax.plot([0, 1], [1, 0], "o"), ax.set(**limits)))
        drawings.prepare(fig)
        return [marks.get_clip_on() for marks in [*fig.axes[0].collections, *fig.axes[0].lines]]

    assert clipped(xlim=(0, 1), ylim=(1, 0)) == [False, False]
    assert clipped(xlim=(0, 0.9)) == [True, True]


def test_a_line_without_points_takes_no_room():
    fig, (left, right) = plt.subplots(1, 2, layout="constrained")
    right.plot([], [], ".")
    drawings.drawn(fig)
    np.testing.assert_allclose(left.get_position().width, right.get_position().width)
    plt.close(fig)


def test_marks_in_three_dimensions_stay_marks_however_many(monkeypatch):
    """Matplotlib cannot draw them as dots, and says so."""
    monkeypatch.setattr(drawings, "HEAVIEST", 5000)
    X = np.random.default_rng(0).normal(size=(3, 2000))
    drawing = drawings.drawn(figure(lambda ax: ax.scatter(*X, c=X[0]), subplot_kw={"projection": "3d"}))
    assert "<image" not in drawing


def test_fonts_that_are_found_old_are_nobody_s_business(caplog):
    """What embeds them into a PDF reports it, and a notebook in which logs are shown would end in an error."""
    drawings.printed(figure(lambda ax: ax.set_title("$x^2$")))
    assert caplog.records == []


def test_an_image_of_few_pixels_is_held_as_it_is_and_a_photograph_nearly():
    noise = np.random.default_rng(0).uniform(size=(300, 300))
    photograph = np.cumsum(np.cumsum(noise - 0.5, axis=0), axis=1)
    fig = figure(lambda ax: ax.imshow(np.eye(5)))
    small = drawings.drawn(fig)
    assert 'width="5" height="5"' in small and len(small) < 20_000
    assert fig.findobj(AxesImage)[0].get_interpolation() == "none"
    gray = drawings.drawn(figure(lambda ax: ax.imshow(photograph, cmap="gray")))
    colored = drawings.drawn(figure(lambda ax: ax.imshow(photograph)))
    assert "data:image/webp" in gray and 2 * len(gray) < len(colored)


def test_importing_the_plots_sets_the_style_of_the_book():
    assert plotting.CATEGORIES is CATEGORIES
    assert not plt.rcParams["axes.spines.top"] and plt.rcParams["axes.facecolor"] == "none"


def test_an_area_of_one_color_has_its_twin_at_night():
    drawing = drawings.drawn(figure(lambda ax: ax.contourf(np.eye(3), levels=[0.5, 2], colors=[CATEGORIES[6]])))
    assert CATEGORIES[6].lower() in rules(drawing)[0] and CATEGORIES_AT_NIGHT[6].lower() in rules(drawing)[1]


# --- Small drawings


def growing(drawing):
    """The width up to which letters of a drawing grow, and by what, where: a list of pairs."""
    sheet = re.search("<style>(.*?)</style>", drawing)[1].partition("@media(max-width:")[2]
    found = re.findall(r"transform-origin:([^;]*);transform:scale\(([^)]*)\)", sheet)
    return int(sheet.partition("px")[0] or 0), {where: float(growth) for where, growth in found}


def width_to_read(drawing):
    return int(re.search("<!-- legible from (.*) pixels -->", drawing)[1])


def with_letters(width, **points):
    """A drawing as wide as said, in inches, with letters on the left and on the right, as high as said, in points."""
    fig = plt.figure(figsize=(width, 2))
    for side, high in points.items():
        fig.text(0.5, 0.5, "of $d$ axes", ha=side, fontsize=high)
    return drawings.drawn(fig)


def test_letters_of_a_wide_drawing_grow_on_a_phone_as_much_as_each_needs():
    drawing = with_letters(5, left=8, right=7)
    until, growth = growing(drawing)
    shown = 5 * 72 / drawings.PHONE  # units of a drawing for a pixel of a phone
    assert growth == pytest.approx({"0% 100%": 9 / 8 * shown, "100% 100%": 9 / 7 * shown}, abs=0.01)
    assert until == round(9 / 7 * 5 * 72) and width_to_read(drawing) == pytest.approx(drawings.PHONE, abs=2)


def test_letters_that_can_be_read_on_a_phone_do_not_grow_there():
    drawing = with_letters(3, left=8)
    assert growing(drawing) == (0, {}) and "<g" not in drawing.replace("<g class", "")
    assert width_to_read(drawing) == round(9 / 8 * 3 * 72)


def test_a_drawing_too_wide_for_a_phone_says_how_wide_it_must_be():
    drawing = with_letters(8, left=8)
    assert growing(drawing)[1] == {"0% 100%": drawings.GROWTH}
    assert drawings.PHONE < width_to_read(drawing) == round(9 / 8 * 8 * 72 / drawings.GROWTH)


def test_letters_grow_from_where_they_are_held():
    fig, ax = plt.subplots(figsize=(6, 3))
    ax.set(ylabel="upright", xticks=[], yticks=[0])
    ax.text(0.5, 0.5, "aslant", rotation=90, rotation_mode="anchor", ha="right", va="top")
    fig.draw_without_rendering()
    shown = filter(drawings.Text.get_visible, fig.findobj(drawings.Text))
    held = {text.get_text(): drawings._held(text).round(9).tolist() for text in shown}
    assert held["upright"] == [1, 0.5] and held["aslant"] == [0, 0] and held["0"] == [1, 0.5]


@pytest.mark.parametrize("options", [{}, {"bbox_inches": "tight", "pad_inches": 0.02}])
@pytest.mark.parametrize("width", [5, 7])
def test_on_a_phone_all_moves_inward_as_far_as_letters_at_the_rim_need(width, options):
    fig, ax = plt.subplots(figsize=(width, 2), layout="constrained")
    ax.set(yticks=[0], yticklabels=["a name that is long"], title="above")
    drawing = drawings.drawn(fig, **options)
    anchors = growing(drawing)[1]
    left, top, shrunk = map(float, re.search(r"translate\((\S*)px,(\S*)px\) scale\(([^)]*)\)", drawing).groups())
    units = float(re.search(r'viewBox="0 0 (\S+) ', drawing)[1])
    with plt.rc_context(drawings.WRITTEN):
        fig.draw_without_rendering()
    long = ax.get_yticklabels()[0].get_window_extent().width * 72 / fig.dpi
    [place] = re.findall(r'x="(\S+)"[^>]*>a name that is long', drawing)
    held = float(place)
    begin = left + shrunk * (held - anchors["100% 50%"] * long)
    assert -1 <= begin < 3 and 0 < top and left + shrunk * units <= units


def sizes_of_letters(notebook):
    """Sizes that the code of a notebook asks for: a name, or a number of points."""
    source = "".join(
        line for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] for line in cell["source"]
    )
    return re.findall(r'(?:fontsize=|labelsize=|set_fontsize\(|title\.set_size\()"?([\w.-]+)', source)


def test_letters_of_a_figure_are_of_one_size_or_a_little_smaller():
    pixels = drawings.PIXELS_AN_INCH / 72
    usual = plt.rcParams["font.size"]
    notebooks = [path for path in BOOK.rglob("*.ipynb") if "_build" not in path.relative_to(BOOK).parts]
    assert len(notebooks) > 20 and usual * pixels > 12.5
    for name in ("axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"):
        assert FontProperties(size=plt.rcParams[name]).get_size_in_points() == usual
    for notebook in notebooks:
        for size in sizes_of_letters(notebook):
            points = FontProperties(size=float(size) if size[0].isdigit() else size).get_size_in_points()
            assert points * pixels >= 9, (notebook.name, size)
