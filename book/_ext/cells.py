"""Sphinx extension: quiet pages. Folded code says what it holds, a solution unfolds with its code.

A cell with one of the tags ``FOLDS`` shows what it makes. At the end of its section's text, one line such as
"✓ 6 claims hold · code of the figure" unfolds all evidence of the section: its claims, which become lists, what their
cells print, and the code of the cells with these tags. Dropdowns are lines of text that unfold; those of a quiz are its
choices. Hint and solution of an exercise stand side by side after its answer cell, and the cell that solves it (tag
``hide-cell``) is inside the solution.

Words in code that have the color of the text get no element of their own: a third of all elements of a page.
Folded code is one text, whose colors are an attribute, ``data-colors="3k 1 5nb"``: three letters of class k, one
without color, five of class nb. `cells.js` colors it when it is unfolded.

On a page with paths (`paths`), cells leave only their figures on the tour, and what they print if it is a
table (tag ``code-of-the-table``).
"""

import re
from html import escape, unescape
from itertools import pairwise

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

import hooks
from paths import FROM, PRACTICE, book_switch
from source_map import NAME, is_correction

CHECKS = "code-of-the-checks"
FOLDS = {
    "code-of-the-figure": "the figure",
    CHECKS: "the checks",
    "code-of-the-table": "the table",
    "code-of-the-data": "the data",
    "code-of-the-setup": "the setup",
}
SEVERAL = ("code-of-the-figure", "code-of-the-table")  # may say "figures", "tables"
QUIZ = "Quiz"  # title of the section whose dropdowns are choices
RIGHT = "Right"  # begins the comment on the right choice
SOLVES = "hide-cell"
CHECKED = "✓ "
UNANSWERED = ": not answered yet"
NUMBER = re.compile(r"\d+\. ")  # begins a question
FOLDED = "folded"  # code that its reader unfolds
COLORED = re.compile(rf'(<div class="[^"]*\b{FOLDED}\b[^"]*"><div class="highlight"><pre)>(.*?)</pre>', re.S)
WORD = re.compile(r'<span class="(\w+)">([^<]*)</span>|([^<]+)')
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
        on_paths = any(self.document.findall(book_switch)) or "paths" in self.env.metadata[self.env.docname]
        for section in list(self.document.findall(nodes.section)):
            _gather_evidence(section, [FROM[PRACTICE]] if on_paths else [])
            _mark_choices(section)
        for cell in cells if on_paths else []:
            _leave_tour(cell)
        for box in self.document.findall(fold):
            for code in box.findall(nodes.literal_block):
                if FOLDED not in code["classes"]:  # of a fold in this one
                    code["classes"].append(FOLDED)
        for section in self.document.findall(nodes.section):
            section["ids"] = [name for name in section["ids"] if name not in hooks.REPEATED_IDS]


def _fold_tag(cell):
    return next((tag for tag in FOLDS if tag in hooks.tags(cell)), None)


def _next(node):
    """The sibling after a node, or None."""
    i = node.parent.index(node) + 1
    return node.parent[i] if i < len(node.parent) else None


# --- Checks


def _claim(line):
    """A printed claim, after which comes the statement of a tutorial or the correction that it begins with."""
    claim = line.removeprefix(CHECKED)
    name, _, said = claim.partition(": ")
    if not NAME.fullmatch(name):
        return claim
    return f"{said} ({'correction' if is_correction(name) else 'source'} {name})"


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
            items = [nodes.list_item("", nodes.paragraph("", _claim(line))) for line in group]
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


# --- Quizzes


def is_quiz(section):
    """Whether the dropdowns of a section are the choices of a quiz."""
    return section[0].astext() == QUIZ


def is_right(choice):
    """Whether a choice of a quiz, as a dropdown or unfolding, is the right one: its comment says so."""
    return choice[1].astext().startswith(RIGHT)


def _mark_choices(section):
    """Tell the questions of a quiz and its choices, right and wrong, from other text and folds."""
    if not is_quiz(section):
        return
    for before, node in pairwise(section):
        if isinstance(node, fold):
            node["classes"] += ["choice", "right" if is_right(node) else "wrong"]
            if not isinstance(before, fold):
                before["classes"].append("question-of-quiz")
                _set_number_apart(before)


def _set_number_apart(question):
    """Put the number of a question into an element of its own: the tour, which may have fewer, counts by itself."""
    bold = next(question.findall(nodes.strong), question)
    if number := NUMBER.match(bold.astext()):
        bold[0:1] = [nodes.inline("", number[0], classes=["question-number"]), nodes.Text(bold[0][number.end() :])]


# --- Evidence


def _gather_evidence(section, classes):
    """Put claims, what their cells print, and all folded code of a section under one line."""
    cells = [node for node in section if hooks.is_cell(node) and _fold_tag(node)]
    evidence = [part for cell in cells for part in _evidence(cell)]
    if not evidence:
        return
    end = next((i for i, node in enumerate(section) if isinstance(node, nodes.section)), len(section))
    title = fold_title("", _summary(evidence, [_fold_tag(cell) for cell in cells]))
    section.insert(end, fold("", title, *evidence, classes=["evidence", *classes]))
    for cell in cells:
        if hooks.output(cell) is None:
            section.remove(cell)


def _evidence(cell):
    """Take from a cell its claims, its code, and all that it makes if that is claims."""
    hooks.unhide(cell)
    output = hooks.output(cell)
    made = [part for part in output or [] if _fold_tag(cell) == CHECKS or "checks" in part["classes"]]
    code = hooks.sources(cell)
    for part in made:
        output.remove(part)
    for part in code:
        cell.remove(part)
    if output is not None and not output.children:
        cell.remove(output)
    return [*made, *code]


def _summary(evidence, tags):
    """The line that stands for the evidence of a section."""
    claims = sum(len(part) for part in evidence if "checks" in part["classes"])
    kinds = [
        FOLDS[tag] + "s" * (tag in SEVERAL and tags.count(tag) > 1)
        for tag in dict.fromkeys(tags)
        if not (claims and tag == CHECKS)
    ]
    said = [f"✓ {claims} claim{'s hold' if claims > 1 else ' holds'}"] if claims else []
    if kinds:
        code = " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
        said.append(f"{'code' if claims else 'Code'} of {code}")
    return " · ".join(said)


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
    """Take the elements off words that look the same without, and off folded code."""
    if "body" in context:
        context["body"] = COLORED.sub(_in_one_piece, hooks.without_plain(context["body"]))


def _in_one_piece(code):
    """Folded code as one text with its colors; as it is, if it holds no colored words, or more."""
    start, html = code[1], code[2].removeprefix("<span></span>")
    words = [(kind, unescape(colored or plain)) for kind, colored, plain in WORD.findall(html)]
    if html.startswith("\n") or WORD.sub("", html) or not any(kind for kind, _ in words):
        return code[0]
    colors = " ".join(f"{len(word.encode('utf-16-le')) // 2}{kind}" for kind, word in words)  # as JavaScript counts
    return f'{start} data-colors="{colors}">{escape("".join(word for _, word in words))}</pre>'


def setup(app):
    app.connect("html-page-context", lighten_code)
    app.add_node(fold, html=(visit_fold, depart_fold))
    app.add_node(fold_title, html=(visit_fold_title, depart_fold_title))
    app.add_post_transform(QuietCells)
    app.add_js_file("cells.js", loading_method="defer")
    app.add_js_file("quiz.js", loading_method="defer")
    app.add_css_file("cells.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
