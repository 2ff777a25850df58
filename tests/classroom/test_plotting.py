import base64
import re
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.offsetbox import AnnotationBbox

from dimred_lessons.classroom import plotting


@pytest.fixture
def fig():
    fig, ax = plt.subplots()
    ax.plot([1, 2])
    yield fig
    plt.close("all")


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(plotting, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def test_a_figure_is_shown_with_caption_and_alt_text_and_closed(fig, shown):
    plotting.show_figure(fig, name="fig-x", caption="Where $x < 1$ & more.", alt='A "rising" line.')
    (bundle,) = shown
    assert bundle["text/html"].startswith(
        '<figure id="fig-x"><img alt="A &quot;rising&quot; line." src="data:image/png;base64,'
    )
    assert "<figcaption>Where $x &lt; 1$ &amp; more.</figcaption>" in bundle["text/html"]
    assert bundle["text/plain"] == 'Where $x < 1$ & more. (A "rising" line.)'
    assert not plt.fignum_exists(fig.number)


def test_in_the_book_a_figure_is_data_with_a_drawing_for_pages_and_one_for_print(fig, shown, monkeypatch):
    texts = {"name": "fig-x", "caption": "Where $x < 1$.", "alt": "A rising line."}
    plotting.show_figure(fig, **texts)
    monkeypatch.setenv("DIMRED_BOOK", "1")
    plotting.show_figure(fig, **texts)
    lesson, book = shown
    assert plotting.FIGURE not in lesson and "image/png" not in book
    assert base64.b64decode(lesson["image/png"]).startswith(b"\x89PNG")
    pictures = book[plotting.FIGURE]["pictures"]
    assert book[plotting.FIGURE] == texts | {"pictures": pictures}
    assert list(pictures) == ["image/svg+xml", "application/pdf"] and pictures["image/svg+xml"].startswith("<svg")
    assert base64.b64decode(pictures["application/pdf"]).startswith(b"%PDF")


def test_what_a_notebook_stores_of_a_figure_is_the_same_with_and_without_the_book(fig, shown, monkeypatch):
    texts = {"name": "fig-x", "caption": "A line.", "alt": "A rising line."}
    plotting.show_figure(fig, **texts)
    monkeypatch.setenv("DIMRED_BOOK", "1")
    plotting.show_figure(fig, **texts)
    lesson, book = shown
    assert book["text/html"] == re.sub('src="[^"]*"', 'src=""', lesson["text/html"])
    assert book["text/plain"] == lesson["text/plain"]


@pytest.mark.parametrize("missing", ["name", "caption", "alt"])
def test_a_figure_without_one_of_its_texts_is_refused(fig, missing):
    texts = {"name": "fig-x", "caption": "A line.", "alt": "A rising line."} | {missing: " "}
    with pytest.raises(ValueError, match=f"{missing} is empty: every figure of the book has a name"):
        plotting.show_figure(fig, **texts)


def test_sample_images_are_spread_over_the_scatter(fig):
    Y = np.random.default_rng(0).normal(size=(200, 2))
    ax = fig.axes[0]
    plotting.scatter_with_images(ax, Y, np.zeros((200, 64)), n_images=12)
    places = np.array([box.xy for box in ax.artists if isinstance(box, AnnotationBbox)])
    assert len(places) == 12 and len(np.unique(places, axis=0)) == 12
    nearest = np.sort(np.linalg.norm(places[:, None] - places, axis=2), axis=1)[:, 1]
    assert nearest.min() > 0.5


def test_no_sample_image_covers_another(fig):
    Y = np.random.default_rng(0).normal(size=(400, 2))
    ax = fig.axes[0]
    plotting.scatter_with_images(ax, Y, np.zeros((400, 64 * 64)), n_images=60, zoom=0.5)
    fig.canvas.draw()
    boxes = [box.offsetbox.get_window_extent() for box in ax.artists if isinstance(box, AnnotationBbox)]
    assert 12 < len(boxes) < 60
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_classes_are_named_on_the_map_and_coordinates_get_a_color_bar(fig):
    Y = np.random.default_rng(0).normal(size=(30, 2))
    plotting.scatter_embedding(fig.axes[0], Y, np.arange(30) % 3)
    assert [text.get_text() for text in fig.axes[0].texts] == ["0", "1", "2"]
    assert fig.axes[0].get_legend() is None
    words = np.array(["spam", "ham", "eggs"] * 10)
    ax = plt.figure().add_subplot()
    plotting.scatter_embedding(ax, Y, words.tolist())
    assert [text.get_text() for text in ax.texts] == ["eggs", "ham", "spam"]
    assert [len(points.get_offsets()) for points in ax.collections] == [10, 10, 10]
    assert len({tuple(points.get_facecolor()[0]) for points in ax.collections}) == 3
    plotting.scatter_embedding(fig.axes[0], Y, Y[:, 0], label="height")
    assert fig.axes[1].get_ylabel() == "height"


def test_a_class_is_named_where_its_own_points_are_and_not_between_its_two_halves(fig):
    rng = np.random.default_rng(0)
    centers = np.array([[-9, 0], [9, 0], [0, 0]])
    Y = np.repeat(centers, 40, axis=0) + rng.normal(size=(120, 2))
    halves = np.repeat([0, 0, 1], 40)
    plotting.name_classes(fig.axes[0], Y, halves)
    both, middle = (np.array(name.get_position()) for name in fig.axes[0].texts)
    assert np.linalg.norm(centers[:2] - both, axis=1).min() < 3 and np.linalg.norm(middle) < 3
