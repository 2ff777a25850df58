"""Sphinx extension: three paths through a page, Tour, Practice and Course, and a switch between them.

A line ``*Tour · Practice · Course*``, ``*Practice · Course*`` or ``*Course*`` below a heading says which paths the
section is on; a section without it is on the paths of the section around it. Proofs are on the course only; the
tour has neither code nor checks (`cells`), nor the box of aims that opens a chapter. What a path leaves out is
hidden by style sheets (assets/paths.css) alone, so that without scripts, and in print, everything is there.
assets/paths.js works the switch.

A page with such a line gets the switch below its title, with the minutes that each path takes.
``{path-switch}`` places it elsewhere, with the time that all chapters take together.
"""

import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

import hooks
from figures import moving

TOUR, PRACTICE, COURSE = PATHS = ("tour", "practice", "course")
PURPOSE = {
    TOUR: "Pictures and ideas, without code and proofs.",
    PRACTICE: "Methods and their code, without proofs.",
    COURSE: "Everything, with proofs and exercises. The Tour has the pictures and ideas.",
}
AIMS = "In this chapter"  # title of the box that opens a chapter
MARKS = {"Tour · Practice · Course": TOUR, "Practice · Course": PRACTICE, "Course": COURSE}
# A path has everything that is marked with it or with one before it: what begins with a later path is hidden.
FROM = {PRACTICE: "from-practice", COURSE: "from-course"}
# Minutes of reading. A proof takes twice as long.
WORD, FORMULA, FIGURE, EXPLORER, CODE_LINE = 1 / 120, 1 / 2, 1 / 2, 2, 1 / 15
EXERCISE = {1: 10, 2: 30, 3: 90}  # minutes, by stars
# The path is set before anything is painted. The entry in the history knows it where nothing is stored, or not yet: a
# busy browser may load a page again before what it stored can be read.
FIRST = """\
(function (root) {
  let path = history.state?.path;
  try { path = localStorage.getItem("path") ?? path; } catch { }
  root.dataset.path = ["tour", "practice", "course"].includes(path) ? path : "course";
})(document.documentElement);"""


# --- Reading a page


def read_paths(app, doctree):
    """Take the marks of a page, give its sections their classes, and its title the switch."""
    if not any(_mark(section) for section in doctree.findall(nodes.section)):
        return
    minutes = dict.fromkeys(PATHS, 0)
    for section in doctree.children:
        if isinstance(section, nodes.section):
            _walk(section, TOUR, minutes)
    minutes = {path: sum(minutes[PATHS[j]] for j in range(i + 1)) for i, path in enumerate(PATHS)}
    app.env.metadata[app.env.docname]["paths"] = minutes
    page = next(doctree.findall(nodes.section))
    page.insert(1, _switch("Path", minutes))


def _mark(section):
    """The paragraph below the heading of a section that marks its paths, or None."""
    below = next((child for child in section[1:] if not isinstance(child, nodes.system_message)), None)
    if isinstance(below, nodes.paragraph) and len(below) == 1 and isinstance(below[0], nodes.emphasis):
        return below if below.astext() in MARKS else None
    return None


def _walk(section, path, minutes):
    """Mark a section that begins on a path unless it says otherwise; return the first path that has any of it."""
    mark = _mark(section)
    own = MARKS[mark.astext()] if mark else path
    if mark and own != path:
        mark["classes"].append("path-mark")
    elif mark:
        section.remove(mark)
    first = own
    for child in section.children:
        if isinstance(child, nodes.section):
            first = min(first, _walk(child, own, minutes), key=PATHS.index)
        elif child is not mark:
            _count(child, own, minutes)
    if first != TOUR:
        section["classes"].append(FROM[first])
    if first != own:  # its heading leads to a subsection that begins earlier
        section["classes"].append("text-" + FROM[own])
    return first


def _count(node, path, minutes, pace=1):
    """Add the minutes that a block takes to those of its path, and mark it if it is a proof or the box of aims."""
    if path == TOUR and FROM[PRACTICE] in hooks.classes(node):  # by `tour`
        path = PRACTICE
    if hooks.is_dropdown(node):
        title = node[0].astext()
        if title.startswith("Hint"):
            return
        if title.startswith("Proof"):
            hooks.add_classes(node, "proof-steps", FROM[COURSE])
            path, pace = COURSE, 2
    if isinstance(node, nodes.admonition) and node[0].astext() == AIMS:
        node["classes"].append(FROM[PRACTICE])
        path = PRACTICE
    if isinstance(node, (exercise_node, exercise_enumerable_node)):
        minutes[path] += EXERCISE[node[0].astext().count("★")]
    elif hooks.is_cell(node):
        _count_cell(node, path, minutes)
    elif isinstance(node, nodes.math_block):
        minutes[path] += pace * FORMULA
    elif isinstance(node, nodes.figure):
        minutes[path] += FIGURE
    elif isinstance(node, nodes.TextElement):
        minutes[path] += pace * WORD * _words(node)
    elif not isinstance(node, (solution_node, nodes.Invisible)):
        for child in node.children:
            _count(child, path, minutes, pace)


def _count_cell(cell, path, minutes):
    """The code of a cell, unless it is folded, is for the practice; its figure for all."""
    tags = " ".join(hooks.tags(cell))
    if not re.search(r"code-of-the-|hide-", tags):
        code = PRACTICE if path == TOUR else path
        minutes[code] += CODE_LINE * len(cell[0].astext().splitlines())
    for _ in cell.findall(nodes.figure):
        minutes[path] += EXPLORER if any(cell.findall(moving)) else FIGURE


def _words(node):
    """Words of a text, in which a formula counts as one."""
    return sum(
        1 if isinstance(text.parent, nodes.math) else len(text.astext().split()) for text in node.findall(nodes.Text)
    )


# --- The switch


def duration(minutes):
    """Words for a time, rounded to five minutes, to half hours, or to hours."""
    if minutes < 57.5:
        return f"{max(5 * round(minutes / 5), 5)} min"
    halves = round(minutes / 30)
    if halves > 20:
        return f"{round(minutes / 60)} h"
    return f"{halves // 2}{'½' if halves % 2 else ''} h"


def _switch(legend, minutes):
    choices = "\n".join(
        f'<label><input type="radio" name="path" value="{path}"> {path.capitalize()}'
        f" <small>{duration(minutes[path])}</small></label>"
        for path in PATHS
    )
    purposes = "".join(f'<span class="path-{path}">{PURPOSE[path]}</span>' for path in PATHS)
    return nodes.raw(
        "",
        f'<fieldset class="paths"><legend class="visually-hidden">{legend}</legend>\n'
        f"{choices}\n<p>{purposes}</p></fieldset>",
        format="html",
    )


class book_switch(nodes.General, nodes.Element):
    """Place of a switch with the times of the whole book, which are known when all pages have been read."""


class PathSwitch(SphinxDirective):
    """The switch, with the time that all chapters take."""

    def run(self):
        self.env.note_reread()  # the time changes with any page
        return [book_switch()]


def place_switches(app, doctree, docname):
    """Put in the switches of the whole book; an e-book has none."""
    if app.builder.name == "epub":
        for place in list(doctree.findall(book_switch)):
            place.parent.remove(place)
        return
    pages = [found["paths"] for found in app.env.metadata.values() if "paths" in found]
    for place in list(doctree.findall(book_switch)):
        total = {path: sum(minutes[path] for minutes in pages) for path in PATHS}
        place.replace_self(_switch("Path", total))


def setup(app):
    app.add_node(book_switch)
    app.add_directive("path-switch", PathSwitch)
    app.connect("doctree-read", read_paths)
    app.connect("doctree-resolved", place_switches)
    app.add_js_file(None, body=FIRST, priority=100)
    app.add_js_file("paths.js", loading_method="defer")
    app.add_css_file("paths.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
