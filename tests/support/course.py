"""A small course: one assignment of ten points, and what a submission may do to it."""

import os

import nbformat
import pytest

from grading import sandbox
from grading.assignment import CELLS, normalize

GIVEN = """
import numpy as np

VARIANT = 0

def readings(n=20, seed=0):
    rng = np.random.default_rng(seed + 1000 * VARIANT)
    return 7 + rng.normal(size=(n, 3)) * [3, 2, 1]
"""
CENTER = '''
def center(X):
    """The rows of X minus their mean."""
    ### BEGIN SOLUTION
    return X - X.mean(axis=0)
    ### END SOLUTION
'''
CENTER_CHECK = """
# An array of the same shape.
assert np.shape(center(readings())) == (20, 3), "the shape of X"
"""
CENTER_TEST = """
# The mean of the rows is zero, and nothing else has changed.
### BEGIN HIDDEN TESTS
for seed in (4, 5):
    X = readings(15, seed)
    right = X - X.mean(axis=0)
    assert np.allclose(center(X), right), "not the rows minus their mean"
### END HIDDEN TESTS
"""
SHARE = '''
def share(X, d):
    """Share of the variance that d components keep."""
    ### BEGIN SOLUTION
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    return s[:d].sum() / s.sum()
    ### END SOLUTION
'''
SHARE_CHECK = """
# A number from 0 to 1.
assert 0 <= share(readings(), 1) <= 1, "a share"
"""
SHARE_TEST = """
# The share that the eigenvalues give; three readings, a point each.
points = 0
### BEGIN HIDDEN TESTS
for seed, d in [(6, 1), (7, 2), (8, 1)]:
    X = readings(15, seed)
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    points += bool(np.isclose(share(X, d), values[:d].sum() / values.sum()))
### END HIDDEN TESTS
points
"""
WHY = """
Why is the mean zero?

=== BEGIN MARK SCHEME ===
2: because the deviations from the mean add up to zero
=== END MARK SCHEME ===
"""
HIDDEN = ["sklearn", "nbgrader"]
GRADED = ["small-1-check", "small-1-test", "small-2-check", "small-2-test"]
FULL = (1, 3, 1, 3)


def assignment():
    """The assignment, as an author writes it."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["course"] = {"title": "Small", "chapters": ["ch-pca"], "hours": 1}
    parts = [
        ("given", "data", GIVEN, None),
        ("answer", "small-1", CENTER, None),
        ("test", "small-1-check", CENTER_CHECK, 1),
        ("test", "small-1-test", CENTER_TEST, 3),
        ("answer", "small-2", SHARE, None),
        ("test", "small-2-check", SHARE_CHECK, 1),
        ("test", "small-2-test", SHARE_TEST, 3),
        ("proof", "small-3-why", WHY, 2),
    ]
    for role, name, source, points in parts:
        make = nbformat.v4.new_markdown_cell if role == "proof" else nbformat.v4.new_code_cell
        cell = make(source.strip())
        cell.metadata["nbgrader"] = CELLS[role] | {"grade_id": name} | ({"points": points} if points else {})
        notebook.cells.append(cell)
    normalize(notebook)
    return notebook


def write(root):
    """The source of a course of this one assignment."""
    path = root / "source" / "small" / "small.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(assignment(), path)
    return root


def need_sandbox():
    """A machine without a sandbox skips what needs one, but in continuous integration this is a failure."""
    if sandbox.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(sandbox.missing())
