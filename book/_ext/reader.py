"""Sphinx extension: pages remember what was read and answered, and where the reader stopped.

All of it stays in the storage of the browser (assets/progress.js). Here the pages are prepared: sections get the class
``counted`` and the right choices of a quiz ``right`` and their number; and _static/progress_totals.js says how many
sections, questions and exercises there are on every chapter with paths (`paths`), by the first path that has them. An
appendix has no such line: most have no paths, and none has exercises.

``{continue}`` holds the line of the welcome page that leads to where the reader stopped; nothing stands there until
there is such a place. A script beside it puts it in before anything is painted. ``{progress}`` places the buttons that
save what is remembered, add it from a file, or forget it.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import hooks
from answer_fields import exercise_of, is_answered_here
from cells import is_quiz, is_right
from paths import FROM, PATHS

# Where a storage is refused or full, the theme's script would stop, before the menu and the search that it attaches: it
# gets one that forgets. The real one is for `progress.js`, which says so.
STORAGE = """\
(() => {
  try {
    globalThis.readers_storage = localStorage;
    localStorage.setItem("mode", localStorage.getItem("mode") ?? "auto");
  } catch {
    const getItem = (key) => { try { return readers_storage.getItem(key); } catch { return null; } };
    Object.defineProperty(globalThis, "localStorage", { value: { getItem, setItem() {}, removeItem() {} } });
  }
})();"""
CONTINUE = """\
globalThis.continue_reading = ((line) => () => {
  try {
    const { format, last } = JSON.parse(localStorage.getItem("dimred-lessons-progress"));
    if (format !== 1 || !/^[\\w-]+(\\/[\\w-]+)*$/.test(last.page)) return;
    const link = document.createElement("a");
    const root = document.documentElement.dataset.content_root;
    link.href = `${root}${last.page}.html${last.place && "#"}${encodeURIComponent(last.place)}`;
    link.textContent = last.section ? `${last.title}: ${last.section}` : last.title;
    line.replaceChildren("Continue where you stopped: ", link);
  } catch {}
})(document.currentScript.previousElementSibling);
continue_reading();"""
PANEL = """\
<div class="progress-panel"><p><output></output></p>
<button type="button" class="progress-save">Save as a file</button>
<label>Add from a file<input type="file" accept=".json,application/json"></label>
<button type="button" class="progress-forget">Forget everything</button>
<p role="status"></p><button type="button" class="progress-undo" hidden>Undo</button></div>
"""


class progress_buttons(nodes.General, nodes.Element):
    """The buttons that save, add and forget."""


class Continue(SphinxDirective):
    """The line that leads to where the reader stopped."""

    def run(self):
        return [nodes.paragraph(classes=["continue"]), nodes.raw("", f"<script>{CONTINUE}</script>", format="html")]


class Progress(SphinxDirective):
    """The buttons that save what is remembered, add it from a file, and forget it."""

    def run(self):
        return [progress_buttons()]


def visit_buttons(translator, node):
    translator.body.append(PANEL)
    raise nodes.SkipNode


def leave_out(translator, node):
    """Paper remembers nothing."""
    raise nodes.SkipNode


def count_items(app, doctree):
    """Mark what counts on a page with paths, and count it by the first path that has it."""
    metadata = app.env.metadata[app.env.docname]
    if "paths" not in metadata:
        return
    totals = [0] * len(PATHS)
    for section in doctree.findall(lambda node: isinstance(node.parent, nodes.section) and node.tagname == "section"):
        if not section.children or not isinstance(section[0], nodes.title):
            continue  # the content of a statement or exercise
        section["classes"].append("counted")
        totals[_rank(section[0])] += 1
        if is_quiz(section):
            for choice in _number_choices(section):
                totals[_rank(choice)] += 1
    for cell in doctree.findall(hooks.is_cell):
        name = exercise_of(cell)
        if name and is_answered_here(name):
            totals[_rank(cell)] += 1
    metadata["progress"] = totals


def _number_choices(section):
    """Give the right choice of each question its number; all of them."""
    questions, inside = 0, False
    right = []
    for child in section.children:
        if not hooks.is_dropdown(child):
            inside = False
            continue
        questions += not inside
        inside = True
        if is_right(child):
            hooks.add_classes(child, "right", f"quiz-{questions}")
            right.append(child)
    return right


def _rank(node):
    """Number of the first path that has a part of a section's own text."""
    above = []
    while node is not None:
        above.append(node)
        node = node.parent
    section = next(node for node in above if isinstance(node, nodes.section))
    names = {name for node in above for name in hooks.classes(node)}
    names |= {name.removeprefix("text-") for name in section["classes"]}
    return max((PATHS.index(path) for path, name in FROM.items() if name in names), default=0)


def write_totals(app, error):
    """Say how much there is on each chapter, when all pages have been read and the chapters are numbered."""
    if error or app.builder.name != "html":
        return
    env = app.env
    totals = {
        page: found["progress"]
        for page, found in sorted(env.metadata.items())
        if "progress" in found and env.toc_secnumbers.get(page)
    }
    file = Path(app.outdir, "_static", "progress_totals.js")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"globalThis.progress_totals = {json.dumps(totals)};\n", encoding="utf-8")


def stand_in(app, pagename, templatename, context, doctree):
    """Put a storage in place before the theme asks for it, at the head of the page."""
    if app.builder.name == "html":
        context["metatags"] = f"{context.get('metatags', '')}<script>{STORAGE}</script>"


def setup(app):
    app.add_node(progress_buttons, html=(visit_buttons, None), latex=(leave_out, None))
    app.add_directive("continue", Continue)
    app.add_directive("progress", Progress)
    app.connect("doctree-read", count_items, priority=600)  # after `paths`
    app.connect("build-finished", write_totals)
    app.connect("html-page-context", stand_in)
    app.add_js_file("progress_totals.js", loading_method="defer")
    app.add_js_file("progress.js", loading_method="defer")
    app.add_css_file("progress.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
