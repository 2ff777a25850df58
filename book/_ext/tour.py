"""Sphinx extension: summary and quiz of the Tour, which rest on nothing that it leaves out.

The metadata of a notebook name, under ``not_on_tour``, the points of its summary and the questions of its quiz that
need a longer path (`paths`), ``summary-3`` and ``quiz-2``, counted from 1. They begin with the path Practice.
"""

from itertools import groupby

import nbformat
from docutils import nodes
from sphinx.util import logging

import hooks
from cells import is_quiz
from paths import FROM, PRACTICE

KEY = "not_on_tour"
SUMMARY = "Summary"  # title of the section whose first list has the points

logger = logging.getLogger(__name__)


def leave_out(app, doctree):
    """Mark what the notebook of a page names, before its minutes are counted."""
    path = app.env.doc2path(app.env.docname)
    marks = nbformat.read(path, as_version=4).metadata.get(KEY, []) if path.endswith(".ipynb") else []
    parts = _parts(doctree) if marks else {}
    for mark in marks:
        if mark not in parts:
            logger.warning("the notebook's metadata name %s, which is not on its page", mark, location=app.env.docname)
        for node in parts.get(mark, []):
            hooks.add_classes(node, FROM[PRACTICE])


def _parts(doctree):
    """The nodes of each point of the summary and of each question, by the name that metadata give them."""
    found = {}
    for section in doctree.findall(nodes.section):
        if section[0].astext() == SUMMARY:
            points = next(section.findall(nodes.bullet_list), [])
            found |= {f"summary-{i}": [point] for i, point in enumerate(points, 1)}
        elif is_quiz(section):
            found |= {f"quiz-{i}": question for i, question in enumerate(_questions(section), 1)}
    return found


def _questions(section):
    """For each question of a quiz its text and its choices."""
    questions, before = [], None
    for is_choice, group in groupby(section[1:], hooks.is_dropdown):
        found = list(group)
        if is_choice:
            questions.append([before, *found])
        before = found[-1]
    return questions


def setup(app):
    app.connect("doctree-read", leave_out, priority=400)  # before `paths`
    return {"parallel_read_safe": True, "parallel_write_safe": True}
