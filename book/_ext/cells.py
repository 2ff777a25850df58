"""Sphinx extension: quiet pages. Folded code says what it holds, a solution unfolds with its code.

A cell with one of the tags ``FOLDS`` shows what it makes; its code is folded below, under a line such as
"Code of the figure". Folded cells that make nothing join the next one, so that no two folded lines follow each
other. Lines with a check mark become a small list. Dropdowns are lines of text that unfold. Hint and solution of
an exercise stand side by side after its answer cell, and the cell that solves it (tag ``hide-cell``) is inside the
solution.

Words in code that have the color of the text get no element of their own: a third of all elements of a page.

On a page with paths (`paths`), cells leave only their figures on the tour, and what they print if it is a
table (tag ``code-of-the-table``).
"""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

import hooks
from paths import FROM, PRACTICE, book_switch

FOLDS = {
    "code-of-the-figure": "Code of the figure",
    "code-of-the-checks": "Code of the checks",
    "code-of-the-table": "Code of the table",
    "code-of-the-data": "Code of the data",
    "code-of-the-setup": "Code of the setup",
}
SOLVES = "hide-cell"
CHECKED = "✓ "
UNANSWERED = ": not answered yet"
COLUMNS = re.compile(r"\S  +\S")  # other lines are prose, which may break on a phone


class fold(nodes.General, nodes.Element):
    """Something that its reader may unfold: a `fold_title`, then what is folded."""


class fold_title(nodes.General, nodes.TextElement):
    """The line that stands for what is folded."""


def visit_fold(translator, node):
    opened = {"open": "open"} if node.get("opened") else {}
    translator.body.append(translator.starttag(node, "details", CLASS="fold", **opened))


def depart_fold(translator, node):
    translator.body.append("</details>\n")


def visit_fold_title(translator, node):
    translator.body.append("<summary>")


def depart_fold_title(translator, node):
    translator.body.append("</summary>\n")


class QuietCells(SphinxPostTransform):
    """Everything above, in the nodes of one page."""

    default_priority = 190  # after titles and figures are resolved, before myst-nb and sphinx-design fold theirs
    builders = ("html",)

    def run(self):
        cells = list(self.document.findall(hooks.is_cell))
        for cell in cells:
            list_checks(cell)
        for solution in list(self.document.findall(solution_node)):
            _fold_solution(solution)
        for box in list(self.document.findall(hooks.is_dropdown)):
            box.replace_self(_unfolding(box))
        _fold_cells([cell for cell in cells if _fold_tag(cell)])
        has_switch = any(self.document.findall(book_switch))
        if has_switch or "paths" in self.env.metadata[self.env.docname]:
            for cell in cells:
                _leave_tour(cell)
        for section in self.document.findall(nodes.section):
            section["ids"] = [name for name in section["ids"] if name not in hooks.REPEATED_IDS]


def _fold_tag(cell):
    return next((tag for tag in FOLDS if tag in hooks.tags(cell)), None)


def _next(node):
    """The sibling after a node, or None."""
    i = node.parent.index(node) + 1
    return node.parent[i] if i < len(node.parent) else None


# --- Checks


def list_checks(cell):
    """Turn printed claims into lists, and drop the verdict on an exercise that is not answered yet."""
    output = hooks.output(cell)
    for printed in list(output or []):
        if hooks.is_printed(printed):
            lines = printed.astext().rstrip("\n").split("\n")
            output.replace(printed, list(_groups(lines, printed)))
    if output is not None and not output.children:
        cell.remove(output)


def _groups(lines, printed):
    """Nodes for printed lines: successive claims as a list, successive other lines as they were."""
    lines = [line for line in lines if not line.endswith(UNANSWERED)]
    while lines:
        claims = lines[0].startswith(CHECKED)
        end = next((i for i, line in enumerate(lines) if line.startswith(CHECKED) != claims), len(lines))
        group, lines = lines[:end], lines[end:]
        if claims:
            items = [nodes.list_item("", nodes.paragraph("", line.removeprefix(CHECKED))) for line in group]
            yield nodes.bullet_list("", *items, classes=["checks"])
        else:
            text = "\n".join(group)
            block = nodes.literal_block(text, text, **printed.attributes)
            block["classes"] = [*printed["classes"], *(["columns"] if COLUMNS.search(text) else [])]
            yield block


# --- Exercises


def _fold_solution(solution):
    """Fold hint and solution, side by side, the solution with the cells that solve the exercise."""
    parent = solution.parent
    helps = nodes.container(classes=["helps"])
    i = parent.index(solution)
    while i and not isinstance(parent[i - 1], (exercise_node, exercise_enumerable_node, solution_node)):
        i -= 1
        if _is_hint(parent[i]):
            helps.insert(0, _unfolding(parent.pop(i)))
    while (solved := _next(solution)) is not None and solves(solved):
        parent.remove(solved)
        hooks.unhide(solved)
        solution.append(solved)
    title = fold_title("", "Solution")
    helps.append(fold("", title, *solution.children[1:], ids=solution["ids"], classes=["solution"]))
    parent.replace(solution, helps)


def _is_hint(node):
    return hooks.is_dropdown(node) and node[0].astext().startswith("Hint")


def solves(node):
    """Whether a node is a cell that solves an exercise."""
    return hooks.is_cell(node) and SOLVES in hooks.tags(node)


# --- Dropdowns


def _unfolding(box):
    """A dropdown of sphinx-design as a fold."""
    title, *content = box.children
    classes, opened = hooks.look(box)
    ids = [*box["ids"], *title["ids"]]
    return fold("", fold_title("", "", *title.children), *content, ids=ids, classes=classes, opened=opened)


# --- Folded cells


def _fold_cells(cells):
    """Put the code of each cell below what it makes, together with that of cells that make nothing."""
    for cell in cells:
        following = _next(cell)
        if hooks.output(cell) is None and following in cells:
            following[:0] = cell.children
            following["joined"] = [*cell.get("joined", []), _fold_tag(cell)]
            cell.children = []
    for cell in cells:
        if cell.children:
            hooks.unhide(cell)
            code = hooks.sources(cell)
            for part in code:
                cell.remove(part)
            title = fold_title("", _summary([*cell.get("joined", []), _fold_tag(cell)]))
            cell.append(fold("", title, *code, classes=["code"]))
        else:
            cell.parent.remove(cell)


def _summary(tags):
    """What the folded code of a cell, and of cells that joined it, makes."""
    titles = list(dict.fromkeys(FOLDS[tag] for tag in tags))
    return " and ".join([titles[0], *(title.removeprefix("Code of ") for title in titles[1:])])


# --- Paths


def _leave_tour(cell):
    """Leave figures and tables of a cell on the tour, and nothing else."""
    output = hooks.output(cell) or []
    kept = [part for part in output if isinstance(part, nodes.figure) or "code-of-the-table" in hooks.tags(cell)]
    kept = [part for part in kept if "checks" not in part["classes"]]
    hidden = [part for part in [*cell, *output] if part is not output and part not in kept] if kept else [cell]
    for node in hidden:
        node["classes"].append(FROM[PRACTICE])


# --- Code


def lighten_code(app, pagename, templatename, context, doctree):
    """Take the elements off words that look the same without."""
    if "body" in context:
        context["body"] = hooks.without_plain(context["body"])


def setup(app):
    app.connect("html-page-context", lighten_code)
    app.add_node(fold, html=(visit_fold, depart_fold))
    app.add_node(fold_title, html=(visit_fold_title, depart_fold_title))
    app.add_post_transform(QuietCells)
    app.add_js_file("cells.js", loading_method="defer")
    app.add_css_file("cells.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
