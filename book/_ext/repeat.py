"""Sphinx extension: a page that asks again what a reader has met, when it is due.

``{repeat}`` places it. It asks the questions of the quizzes, the exercises that are answered on the page
(`answer_fields`), and the terms of the glossary. _static/repeat/names.js says which there are on every page, and in
which sections a term is explained; _static/repeat/<page>.js has what is asked, made of the page's own HTML. These are
scripts because a page opened from the disk may load scripts but may not fetch. assets/repeat.js asks, assets/fsrs.js
says when, and assets/progress.js keeps it.
"""

import json
import posixpath
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

import hooks
from answer_fields import exercise_of, is_answered_here
from cards import plain, take_apart, with_formulas
from cells import is_quiz, is_right

FOLDER = "repeat"
PLACE = """\
<div class="repeat" hidden></div>
<p class="repeat-without">This page asks by a script, which your browser does not run.</p>
"""


class repeat_place(nodes.General, nodes.Element):
    """Where the page asks."""


class Repeat(SphinxDirective):
    """The place where the page asks."""

    def run(self):
        return [repeat_place()]


def visit_place(translator, node):
    translator.body.append(PLACE)
    raise nodes.SkipNode


def leave_out(translator, node):
    """Paper asks nothing."""
    raise nodes.SkipNode


# --- What there is to ask


def find_questions(app, doctree):
    """Remember the names of what a page asks, as `reader` has them, and where each of its terms is explained."""
    metadata = app.env.metadata[app.env.docname]
    quizzes = [section for section in doctree.findall(nodes.section) if is_quiz(section)]
    right = [node for section in quizzes for node in section if hooks.is_dropdown(node) and is_right(node)]
    exercises = [exercise_of(cell) for cell in doctree.findall(hooks.is_cell)]
    names = [f"quiz-{i}" for i in range(1, len(right) + 1)]
    names += [name for name in exercises if name and is_answered_here(name)]
    if names:
        metadata["asked"] = names
    if terms := dict(_terms(doctree)):
        metadata["terms"] = terms


def _terms(doctree):
    """The id of each term of a glossary, and the labels that its definition names."""
    for item in doctree.findall(nodes.definition_list_item):
        ids = [name for term in item.findall(nodes.term) for name in term["ids"] if name.startswith("term-")]
        if ids:
            references = item.findall(addnodes.pending_xref)
            yield ids[0], [one["reftarget"] for one in references if one["reftype"] in ("ref", "numref")]


def write_names(app, env):
    """Say what there is to ask on each page, in the order of the book, when all of them have been read."""
    if app.builder.name != "html":
        return
    labels = env.get_domain("std").labels
    asked, terms = {}, {}
    for page in [page for page in hooks.in_order(env) if page in env.metadata]:
        found = env.metadata[page]
        if "asked" in found:
            asked[page] = found["asked"]
        for term, named in found.get("terms", {}).items():
            explained = [[labels[label][0], f"§{label}"] for label in named if label in labels]
            terms[term] = {"page": page, "explained": explained}
    pages = dict.fromkeys([*asked, *(where for term in terms.values() for where, _ in term["explained"])])
    names = {"titles": {page: _title(env, page) for page in pages}, "asked": asked, "terms": terms}
    _write(app, "names", f"window.bookNames = {_packed(names)};\n")


def _packed(content):
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _title(env, page):
    """Title of a page with its number, if it has one."""
    number = env.toc_secnumbers.get(page, {}).get("", ())
    return ". ".join([*map(str, number), env.titles[page].astext()])


def _write(app, name, script):
    file = Path(app.outdir, "_static", FOLDER, f"{name}.js")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(script, encoding="utf-8")


# --- What is asked


def write_questions(app, pagename, templatename, context, doctree):
    """Write what a page asks when the page is written; the page that asks gets its scripts."""
    if doctree is None or app.builder.name != "html":
        return
    if any(doctree.findall(repeat_place)):
        for name in ("answers.js", "fsrs.js", f"{FOLDER}/names.js", "repeat.js"):
            app.add_js_file(name, loading_method="defer")
        for name in ("answers.css", "repeat.css"):
            app.add_css_file(name)
    metadata = app.env.metadata[pagename]
    if "asked" in metadata or "terms" in metadata:
        found = page_questions(context["body"], posixpath.dirname(pagename), metadata.get("terms", {}))
        _write(app, pagename, f"(window.bookQuestions ??= {{}})[{json.dumps(pagename)}] = {_packed(found)};\n")


def page_questions(body, folder, terms):
    """What the body of a page asks, by name: its ``place`` there, and as HTML what to ``ask`` and to ``show`` then."""
    page, formulas = take_apart(body)

    def html(parts):
        return "".join(plain(part, folder, formulas) for part in parts)

    found = {}
    for i, question in enumerate(page.select(".question-of-quiz"), 1):
        choices = []
        while (after := (choices or [question])[-1].find_next_sibling()) and "choice" in after.get("class", []):
            choices.append(after)
        section = question.find_parent("section")
        found[f"quiz-{i}"] = {"place": section["id"], "ask": html([question, *choices]), "show": ""}
    for form in page.select("form.answer"):
        name = form["data-exercise"]
        ask = html([page.find(id=name)]) + with_formulas(form, formulas)
        solution = form.find_next("div", class_="helps").select("details.solution > section > *")
        found[name] = {"place": name, "ask": ask, "show": html(solution)}
    for term in terms:
        name = page.find(id=term)
        found[term] = {"place": term, "ask": html([name]), "show": html(name.find_next("dd").find_all(recursive=False))}
    return found


def setup(app):
    app.add_node(repeat_place, html=(visit_place, None), latex=(leave_out, None))
    app.add_directive("repeat", Repeat)
    app.connect("doctree-read", find_questions, priority=600)
    app.connect("env-check-consistency", write_names)  # when sections have their numbers
    app.connect("html-page-context", write_questions, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
