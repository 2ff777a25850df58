"""Claims that are executed, `verify(claim, condition)`, and exercises that answer back, `check(name, answer)`."""

from dimred_lessons.classroom.checks import pca, dual_pca, lle  # each registers the exercises of its chapter, in the order of the book
from dimred_lessons.classroom.checks.mechanism import check, exercise_names, verdict, verify

__all__ = ["check", "dual_pca", "exercise_names", "lle", "pca", "verdict", "verify"]
