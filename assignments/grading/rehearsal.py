"""The tests of an assignment, run in this process on the author's own solutions or on what is made of their results.

This is for what an author has written. What students have written is run by `judge` alone.
"""

import re

from grading import border
from grading.assignment import role, solved
from grading.judge import points_of


def rehearse(notebook, answer=lambda right, arguments: right):
    """The points that each test gives.

    Parameters
    ----------
    notebook : NotebookNode
        The assignment as its author writes it, with solutions.
    answer : function
        What is handed in, from the result of the author's solution and the arguments of the call.

    Returns
    -------
    dict
        Points by test, 0 where it fails.
    """
    given, space, found = {"__name__": "__tests__"}, {"__name__": "__tests__"}, {}
    code = "\n".join(cell.source for cell in notebook.cells if role(cell) == "given")
    exec(compile(code, "<given>", "exec"), given)
    exec(compile("\n".join([code, *solved(notebook).values()]), "<answers>", "exec"), space)
    for cell in notebook.cells:
        if role(cell) != "test":
            continue
        name = re.search(r"^def (\w+)", solved(notebook)[re.match(r".+?-\d+", cell.id)[0]], re.M)[1]

        def called(*arguments, name=name, **named):
            right = border.as_arrays(space[name](*arguments, **named))
            return border.as_arrays(answer(right, arguments or tuple(named.values())))

        try:
            points = points_of(cell, given | {name: called})
        except Exception:  # the test fails, or cannot compute with such a result
            points = 0.0
        found[cell.id] = float(cell.metadata.nbgrader.points if points is None else points)
    return found


def lost(notebook):
    """The tests that the author's own solution fails."""
    most = {cell.id: cell.metadata.nbgrader.points for cell in notebook.cells if role(cell) == "test"}
    return [test for test, points in rehearse(notebook).items() if points < most[test]]
