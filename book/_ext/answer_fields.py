"""Sphinx extension: exercises of numbers and words are answered on the page.

Between such an exercise and its answer cell stands a field, or the choices, which leave the text of the exercise
for this place: what is behind "(a)", or an item of a list that begins with "(a)" or "a" in bold. What is said to an
answer is computed in the page (``answers.js``) from the data of the check that the notebook calls, packed so that
nobody reads the right answer there by chance. All other answer cells are followed by one line that says where they are
answered.
"""

import base64
import json
import re
import warnings
from html import escape

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

import hooks
from cells import solves
from dimred_lessons.classroom.exercises import check_of
from dimred_lessons.classroom.exercises.values import Check

CHECKS = re.compile(r'^check\("([a-z]+-\d+)", \w+\)$', re.MULTILINE)
BLANK = re.compile(r"^answer = (?:\.\.\.|\[[., ]*\]|\{[^{}]*\}) *(?:# *(.*))?\n+check\(.*\)$")
MARK = re.compile(r"(?:^|(?<=\s))\(([a-z])\) ")
DIGITS = "Three significant digits are enough."
IN_NOTEBOOK = "Answer this one in the notebook, which can check a function, or any of many right answers."


class answer_field(nodes.General, nodes.Element):
    """The field of an exercise: its ``name``, the ``data`` of its check, and how an answer is written.

    It holds the choices of the exercise, if there are any.
    """


class answer_choice(nodes.General, nodes.TextElement):
    """A choice of an exercise, with the ``word`` for it."""


class AnswerFields(SphinxPostTransform):
    """Fields above the answer cells of a page."""

    default_priority = 180  # before `cells` moves hints and solutions
    builders = ("html",)

    def run(self):
        for cell in list(self.document.findall(hooks.is_cell)):
            if name := exercise_of(cell):
                _answer(cell, name)


def exercise_of(cell):
    """The exercise whose answer a cell waits for, or None."""
    found = CHECKS.search(_code(cell))
    return found[1] if found and not solves(cell) else None


def is_answered_here(name):
    """Whether an exercise is answered on the page."""
    return isinstance(check_of(name), Check)


def _code(cell):
    return "\n".join(part.astext() for part in hooks.sources(cell)).strip()


def _answer(cell, name):
    check, parent = check_of(name), cell.parent
    if not is_answered_here(name):
        parent.insert(parent.index(cell) + 1, nodes.paragraph("", IN_NOTEBOOK, classes=["answer-elsewhere"]))
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a check may compute what is right by a method that warns
        data = check.data()
    blank = BLANK.match(_code(cell))
    if blank or data["kind"] == "words":
        cell["classes"].append("only-answer")
    how = (blank and blank[1]) or ""
    field = answer_field(name=name, data=data, how="" if "..." in how else how)
    if data["kind"] == "words" and data["rows"][0]["key"] is None:
        field.extend(_choices(parent[: parent.index(cell)], list(data["rows"][0]["words"])))
    parent.insert(parent.index(cell), field)


def _choices(before, words):
    """Take the choices from the last exercise before an answer cell, if there is one of each word."""
    exercises = [node for node in before if isinstance(node, (exercise_node, exercise_enumerable_node))]
    for exercise in exercises[-1:]:
        for listed in exercise.findall(nodes.bullet_list):
            parts = [_behind_mark(item[0]) for item in listed]
            if [word for word, _ in parts] == words:
                listed.parent.remove(listed)
                return [answer_choice("", *text, word=word) for word, text in parts]
        for paragraph in exercise.findall(nodes.paragraph):
            asked, *parts = _split_at_marks(paragraph)
            if [word for word, _ in parts] == words:
                paragraph[:] = asked[1]
                return [answer_choice("", *text, word=word) for word, text in parts]
    return []


def _behind_mark(paragraph):
    """The word that an item of a list begins with, and what is behind it."""
    first, *rest = (node for node in paragraph if node.astext())  # before bold, MyST leaves an empty text
    if isinstance(first, nodes.strong):
        return first.astext(), rest
    return _split_at_marks(paragraph)[-1]


def _split_at_marks(paragraph):
    """What is before the first mark, and behind each: the word, or None, and nodes."""
    parts = [(None, [])]
    for node in paragraph:
        text, *rest = MARK.split(node) if isinstance(node, nodes.Text) else [node]
        parts[-1][1].append(nodes.Text(text) if rest else node)
        parts += [(word, [nodes.Text(behind)]) for word, behind in zip(rest[::2], rest[1::2])]
    for _, text in parts[1:-1]:
        if isinstance(text[-1], nodes.Text):
            text[-1] = nodes.Text(text[-1].rstrip().removesuffix(";"))
    return parts


def packed(name, data):
    """The data of a check as the page has it."""
    text, key = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), name.encode()
    return base64.b64encode(bytes(byte ^ key[i % len(key)] for i, byte in enumerate(text))).decode()


def visit_answer_field(translator, node):
    name, data = node["name"], node["data"]
    look = 'class="answer choosing"' if node.children else 'class="answer" hidden'
    attributes = f'data-exercise="{name}" data-check="{packed(name, data)}" aria-label="Answer to {name}"'
    translator.body.append(f'<form {look} {attributes} autocomplete="off">')
    if node.children:
        translator.body.append('<fieldset><legend class="visually-hidden">Your answer</legend>')
    elif data["kind"] == "numbers":
        translator.body += _numbers(name, data, node["how"])
    else:
        translator.body += _words(name, data["rows"])


def depart_answer_field(translator, node):
    name = node["name"]
    end = "</fieldset>" if node.children else ""
    digits = f'<p class="answer-digits" id="{name}-digits">{DIGITS}</p>' if _is_rounded(node["data"]) else ""
    said = f'<output id="{name}-said"></output>'
    translator.body.append(f'{end}<button type="submit">Check</button>{digits}{said}</form>\n')


def visit_answer_choice(translator, node):
    word = node["word"]
    translator.body.append(f'<label><input type="radio" name="part-0" value="{word}"><span><b>{word}</b> ')


def depart_answer_choice(translator, node):
    translator.body.append("</span></label>\n")


def _is_rounded(data):
    """Whether some number of an answer need not be whole."""
    return data["kind"] == "numbers" and not all(reader["whole"] for reader in data["readers"])


def _numbers(name, data, how):
    described = f"{name}-digits {name}-said" if _is_rounded(data) else f"{name}-said"
    for i, reader in enumerate(data["readers"]):
        title = escape(data["keys"][i]) if data["keys"] else "Your answer"
        attributes = f'name="part-{i}" autocapitalize="off" spellcheck="false" aria-describedby="{described}"'
        rows = reader["shape"] and reader["shape"][0]
        field = f'<textarea rows="{rows}" {attributes}></textarea>' if rows else f'<input type="text" {attributes}>'
        yield f"<label><span>{title} <small>{escape(how or _kind(reader))}</small></span>{field}</label>"


def _kind(reader):
    whole = "whole " if reader["whole"] else ""
    if reader["shape"]:
        return "{} × {} numbers, row by row".format(*reader["shape"])
    return f"a {whole}number" if reader["alone"] else f"{reader['count']} {whole}numbers"


def _words(name, rows):
    for i, row in enumerate(rows):
        if row["key"] is None:
            choices = (
                f'<label><input type="radio" name="part-{i}" value="{word}">{word}</label>' for word in row["words"]
            )
            yield f"<fieldset><legend>Your answer</legend>{''.join(choices)}</fieldset>"
        else:
            options = (f"<option>{escape(word)}</option>" for word in ["", *row["words"]])
            yield (
                f"<label><span>{escape(row['key'])}</span>"
                f'<select name="part-{i}" aria-describedby="{name}-said">{"".join(options)}</select></label>'
            )


def load(app, pagename, templatename, context, doctree):
    """Script and style sheet, for pages with fields only."""
    if doctree is not None and any(doctree.findall(answer_field)):
        app.add_js_file("answers.js", loading_method="defer")
        app.add_css_file("answers.css")


def setup(app):
    app.add_node(answer_field, html=(visit_answer_field, depart_answer_field))
    app.add_node(answer_choice, html=(visit_answer_choice, depart_answer_choice))
    app.add_post_transform(AnswerFields)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
