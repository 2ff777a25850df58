"""Grading of notebooks by tests that their authors cannot reach, in three parts that are independent of each other.

`rebuild` takes the answers of a submission, with the `pictures` in its texts, and puts them into the released notebook.
`judge` runs the tests outside the student's process, to which only plain data crosses (`border`). `sandbox` locks the
student's process up, and `pages` shows what the student wrote as text and pictures. `assignment` reads what an author
writes, `course` drives nbgrader with all of it, each student in a `process` of its own, `gradebook` and `store` keep
the results, and `marks` writes the tables. `collect` and `roster` know what a learning platform gives and
takes. `rehearsal` runs tests on the author's solutions: `trivial` sees what constants earn, and `variants` have other
data for each student. `settings` configures nbgrader.
"""

__version__ = "1.0.0"
