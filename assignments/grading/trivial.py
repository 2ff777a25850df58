"""What answers earn that compute nothing: zeros, ones, the identity, the first argument.

Each returns something of the shape of the right result, so it passes whatever looks at shapes only. The check of a task
may be passed so. Hidden tests should not be: a test of invariance alone pays constants.
"""

import numpy as np

from grading import border
from grading.assignment import role, solved
from grading.rehearsal import rehearse

FAIR_SHARE = 1 / 3  # of the points of a task


def _like(fill):
    """An answer that returns, for whatever it is asked, numbers in the form of the right result."""

    def made(right, arguments):
        if isinstance(right, tuple):
            return tuple(made(part, arguments) for part in right)
        if isinstance(right, dict):
            return {key: made(part, arguments) for key, part in right.items()}
        right = np.asarray(right)
        return fill(right, arguments) if right.dtype.kind in border.NUMBERS else right

    return made


def _first_argument(right, arguments):
    given = np.asarray(arguments[0]) if arguments else np.zeros_like(right)
    return given.copy() if given.shape == right.shape else np.zeros_like(right)


ANSWERS = {
    "zeros": _like(lambda right, arguments: np.zeros_like(right)[()]),
    "ones": _like(lambda right, arguments: np.ones_like(right)[()]),
    "the identity": _like(lambda right, arguments: np.broadcast_to(_identity(right), right.shape).copy()[()]),
    "the input": _like(lambda right, arguments: _first_argument(right, arguments)[()]),
}


def _identity(right):
    return np.eye(*right.shape[-2:], dtype=right.dtype) if right.ndim > 1 else np.eye(1, right.size, dtype=right.dtype)


def earned(notebook):
    """What trivial answers earn in the tests of an assignment: by test, the points of each answer that earns some.

    Parameters
    ----------
    notebook : NotebookNode
        The assignment as its author writes it, with solutions. It runs in this process.

    Returns
    -------
    dict of dict
        ``{"pca-1-check": {"zeros": 3.0}, ...}``, with an empty dict for a test that gives nothing.
    """
    found = {}
    for kind, answer in ANSWERS.items():
        for test, points in rehearse(notebook, answer).items():
            found.setdefault(test, {}).update({kind: points} if points else {})
    return found


def told(notebook, found):
    """Tasks in which a trivial answer earns more than its fair share, one sentence each."""
    most = {cell.id: cell.metadata.nbgrader.points for cell in notebook.cells if role(cell) == "test"}
    for task in solved(notebook):
        tests = [test for test in most if test.startswith(f"{task}-")]
        total = sum(most[test] for test in tests)
        for kind in ANSWERS:
            paid = {test: found[test][kind] for test in tests if kind in found.get(test, {})}
            if sum(paid.values()) > FAIR_SHARE * total:
                each = ", ".join(f"{points:g} in {test}" for test, points in paid.items())
                yield f"{task}: {kind} in place of an answer get {sum(paid.values()):g} of {total:g} points ({each})"
