"""Words and captions that are true on paper, where nothing moves and nothing unfolds."""

import re
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util import logging

from figures import moving
from paths import PATHS, duration

WORDS = Path(__file__).with_name("words.yml")
MOVE = re.compile(r"(?<!In the web edition, )\b(Move|Press|Drag|Turn) (?=(the|play|their)\b.{0,60}(slider|\bdrag\b))")
QUOTED = re.compile('"([^"]*)"')
TIMES = "the switch above shows how long each path takes"
SCALE = 85  # percent of its size at which a figure of the notebooks is printed
MOST = 6  # values of a slider that a caption lists
# What captions say of figures that have no slider, by their kind
WITHOUT_SLIDER = {
    "gallery": "The web edition shows these maps for all data sets; there they can be ordered and compared.",
    "ink": "In the web edition, where one can write: {invitation}",
    "live": "In the web edition, where points can be moved: {invitation}",
}

logger = logging.getLogger(__name__)


def put_in_place(app, book, page_of, complain=True):
    """Write what paper says in place of what the web says, and tell of every figure what moves it there.

    ``page_of`` names the file of a part of the book; complaints are for a whole book, in which each sentence must be.
    """
    _replace(book, yaml.safe_load(WORDS.read_text(encoding="utf-8")), complain)
    for text in list(book.findall(nodes.Text)):
        if TIMES in text:
            _change(text, text.replace(TIMES, _times(app, page_of(text))))
        elif not _is_code(text) and MOVE.search(text):
            _change(text, MOVE.sub(lambda found: f"In the web edition, {found[1].lower()} ", text))
    for figure in book.findall(nodes.figure):
        _tell_what_moves(figure)
        for picture in figure.findall(nodes.image):
            picture.setdefault("scale", SCALE)


def _replace(book, sentences, complain=True):
    """Replace sentences of the web edition, and complain about those that are nowhere in it."""
    texts = list(book.findall(nodes.Text))
    for sentence in sentences:
        web, paper = _as_set(sentence["web"]), sentence["paper"]
        found = [text for text in texts if web in text and text.parent is not None and not _is_code(text)]
        if complain and not found:
            logger.warning("no page says %r, which %s replaces", web, WORDS.name)
        for text in found:
            texts[texts.index(text)] = _change(text, text.replace(web, paper))


def _as_set(sentence):
    """A sentence with the apostrophes and quotation marks that Sphinx sets."""
    return QUOTED.sub(r"“\1”", sentence).replace("'", "’")


def _change(text, words):
    """Put other words in the place of a text."""
    changed = nodes.Text(words)
    text.parent.replace(text, changed)
    return changed


def _is_code(text):
    return isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.math | nodes.math_block | nodes.raw)


def _times(app, docname):
    """How long each path through a chapter takes."""
    minutes = app.env.metadata[docname]["paths"]
    return ", ".join(f"{path} {duration(minutes[path])}" for path in PATHS)


# --- Figures that move


def _tell_what_moves(figure):
    """Say in the caption of a still figure what it shows, and what it shows on the web."""
    for picture in figure.findall(moving):
        caption = next(figure.findall(nodes.caption))
        caption += nodes.emphasis("", f" {_still(picture['data'])}")


def _still(data):
    """A sentence about the frame that is printed, and one about the others."""
    if data["kind"] in WITHOUT_SLIDER:
        return WITHOUT_SLIDER[data["kind"]].format(**data)
    sliders = data.get("axes") if data["kind"] == "sweep" else None
    sliders = sliders or [{"name": data["parameter"], "values": data["values"], "start": data["start"]}]
    shown = ", ".join(f"{slider['name']}: {slider['values'][_printed(slider)]}" for slider in sliders)
    readout = data["readouts"][_place(sliders)]
    others = "; ".join(f"{slider['name']}: {_listed(slider['values'])}" for slider in sliders)
    return f"Shown for {shown}{f' ({readout})' if readout else ''}. Moves in the web edition ({others})."


def _place(sliders):
    """Number of the frame that is printed: the last slider counts fastest."""
    place = 0
    for slider in sliders:
        place = place * len(slider["values"]) + _printed(slider)
    return place


def _printed(slider):
    """Which of the values of a slider is printed: where it starts, unless the figure names another."""
    return slider.get("printed", slider["start"])


def _listed(values):
    """The values of a slider, the first and the last of them if they are many."""
    return ", ".join(values) if len(values) <= MOST else f"{values[0]} to {values[-1]}"
