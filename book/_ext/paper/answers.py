"""Solutions and answers of the quizzes, collected in an appendix; links lead there and back."""

import re

from docutils import nodes
from sphinx.addnodes import start_of_file
from sphinx_exercise.nodes import solution_node

import hooks
from cells import is_quiz, solves
from paper.tex import pages, raw

BEFORE = "book/appendices/source_map"  # the page that follows the answers
TITLE = "Solutions and answers"


def collect(app, book):
    """Move solutions and answers of every page into an appendix of their own."""
    chapters = []
    for docname, page in pages(book).items():
        moved = [*_solutions(app, page), *_quiz(docname, page)]
        if moved:
            title = nodes.title("", app.env.titles[docname].astext())
            section = nodes.section("", title, *moved, ids=[f"answers-{docname.rpartition('/')[2]}"])
            chapters.append(start_of_file("", section, docname=docname))
    appendix = nodes.section("", nodes.title("", TITLE), *chapters, ids=["answers"])
    following = pages(book)[BEFORE]
    following.parent.insert(following.parent.index(following), start_of_file("", appendix, docname="answers"))
    for reference in list(book.findall(nodes.reference)):
        _refer(app, reference)


# --- Exercises


def _solutions(app, page):
    """Solutions of a page, each with the cells that solve the exercise, taken out of it."""
    taken = []
    for solution in list(page.findall(solution_node)):
        cells = cells_of(solution)
        label = solution["target_label"]
        number = hooks.number(app.env, solution["docname"], "exercise", label)
        solution.replace_self(raw(rf"\booksolved{{{label}}}"))
        taken += [raw(rf"\booksolution{{{label}}}{{{number}}}"), *solution[1].children, *cells]
    return taken


def cells_of(solution):
    """The cells that solve an exercise, taken out of the page."""
    parent, i = solution.parent, solution.parent.index(solution)
    cells = []
    while i + 1 < len(parent) and solves(parent[i + 1]):
        cells.append(_without_verdict(parent.pop(i + 1)))
    return cells


def _without_verdict(cell):
    """A cell that solves an exercise, without the line that says so."""
    for printed in list(cell.findall(nodes.literal_block)):
        if re.fullmatch(r"[a-z]+-\d+: correct\s*", printed.astext()):
            printed.parent.remove(printed)
    return cell


def _refer(app, reference):
    """Lead references to exercises and solutions to where they stand in this edition."""
    label = (reference.get("refid") or reference.get("refuri", "")).rpartition("#")[2]
    found = hooks.exercise_of(app.env, label)
    if found is None:
        return
    exercise, docname = found
    number = hooks.number(app.env, docname, "exercise", exercise)
    words, place = f"Exercise {number}", "exercise"
    if exercise != label:
        words, place = f"solution to exercise {number}", "solution"
    reference.replace_self(raw(rf"\hyperref[{place}:{exercise}]{{{words}}}"))


# --- Quizzes


def _quiz(docname, page):
    """Answers of the quiz of a page, taken out of it; its choices become a list."""
    answers = []
    for section in page.findall(nodes.section):
        if is_quiz(section):
            answers += questions(section)
            label = f"quiz-{docname.rpartition('/')[2]}"
            section.insert(1, raw(rf"\bookquiz{{{label}}}"))
    if not answers:
        return []
    items = [nodes.list_item("", answer) for answer in answers]
    listed = nodes.enumerated_list("", *items, enumtype="arabic", prefix="", suffix=".")
    return [raw(rf"\bookquizanswers{{{label}}}"), listed]


def questions(section):
    """Make lists of the choices of each question; the lists of their comments, each of which knows its choices."""
    answers = []
    choices = None
    for child in list(section.children):
        if not hooks.is_dropdown(child):
            choices = None
            continue
        if choices is None:
            choices, comments = _letters(), _letters()
            comments["choices"] = choices
            section.insert(section.index(child), choices)
            answers.append(comments)
        section.remove(child)
        choices += nodes.list_item("", nodes.paragraph("", "", *child[0].children))
        comments += nodes.list_item("", *child[1:])
    return answers


def _letters():
    """A list whose items are called (a), (b), (c)."""
    return nodes.enumerated_list(enumtype="loweralpha", prefix="(", suffix=")")
