"""Statements, algorithms and exercises in boxes, proofs and hints in the text, cells as paper shows them."""

from docutils import nodes
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node
from sphinx_proof.nodes import NODE_TYPES

import hooks
from cells import FOLDS, UNANSWERED, list_checks
from paper.tex import anchor, escaped, raw

STATEMENTS = tuple(set(NODE_TYPES.values()))
EXERCISES = (exercise_node, exercise_enumerable_node)


def unfold(app, book):
    """Show everything, and give everything its form."""
    for cell in list(book.findall(hooks.is_cell)):
        print_cell(cell)
    for checks in list(book.findall(nodes.bullet_list)):
        if "checks" in checks["classes"]:
            _surround(checks, r"\begin{bookchecks}", r"\end{bookchecks}")
    for mark in list(book.findall(nodes.paragraph)):
        if "path-mark" in mark["classes"]:
            mark.replace_self(raw(rf"\bookpath{{{escaped(mark.astext())}}}"))
    for statement in list(book.findall(lambda node: isinstance(node, STATEMENTS))):
        _box_statement(app, statement)
    for exercise in list(book.findall(lambda node: isinstance(node, EXERCISES))):
        _box_exercise(app, exercise)
    for dropdown in list(book.findall(hooks.is_dropdown)):
        _open_dropdown(dropdown)


def _surround(node, begin, end):
    """Put LaTeX before and after a node."""
    i = node.parent.index(node)
    node.parent[i : i + 1] = [raw(begin), node, raw(end)]


# --- Cells


def print_cell(cell):
    """Leave out code that is folded on the web, and the question that waits for an answer."""
    unanswered = UNANSWERED in cell.astext()
    list_checks(cell)
    if _is_folded(cell) or (unanswered and "def " not in cell[0].astext()):
        cell.pop(0)
    if not cell.children:
        cell.parent.remove(cell)
    cell["classes"] = []


def _is_folded(cell):
    return any(tag in FOLDS for tag in hooks.tags(cell))


# --- Boxes


def _box_statement(app, statement):
    """A definition, proposition, algorithm ... in a box, under its number and its name."""
    title, content = statement.children
    label, (kind, counter) = statement["label"], hooks.kinds(statement)
    docname = hooks.page_of_statement(app.env, label)
    number = hooks.number(app.env, docname, counter, label)
    style = "algorithm" if counter == "algorithm" else "statement"
    heading = f"{kind.capitalize()} {number}"
    _box(statement, style, anchor(f"{docname}:{label}", number), heading, title.children, content.children)


def _box_exercise(app, exercise):
    """An exercise in a box."""
    title, content = exercise.children
    label = exercise["label"]
    number = hooks.number(app.env, exercise["docname"], "exercise", label)
    name = [child for child in title.children if not child.astext().startswith("Exercise ")]
    _box(exercise, "exercise", anchor(f"exercise:{label}", number), f"Exercise {number}", name, content.children)


def _box(node, style, place, heading, name, content):
    """Replace a node by a box with a heading and its content."""
    line = nodes.paragraph("", "", raw(rf"{place}\bookheading{{{heading}}}"), nodes.Text(" "), *name)
    begin, stay, end = rf"\begin{{book{style}}}", r"\nopagebreak", rf"\end{{book{style}}}"
    node.replace_self([raw(begin), line, raw(stay), *content, raw(end)])


# --- Dropdowns


def _open_dropdown(box):
    """A proof with the sign at its end; anything else with its title in bold."""
    title, content = box[0], box[1:]
    words = title.astext()
    if words.startswith("Proof"):
        name = "" if words == "Proof" else f"[{escaped(words)}]"
        box.replace_self([raw(rf"\begin{{proof}}{name}"), *content, raw(r"\end{proof}")])
    else:
        heading = nodes.strong("", "", *title.children, nodes.Text("."))
        if not (content and isinstance(content[0], nodes.paragraph)):
            content = [nodes.paragraph(), *content]
        content[0][:0] = [heading, nodes.Text(" ")]
        box.replace_self(content)
