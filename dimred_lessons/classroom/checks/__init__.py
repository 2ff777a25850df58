"""Claims that are executed, `verify(claim, condition)`, and exercises that answer back, `check(name, answer)`."""

# Each chapter registers its exercises when it is imported: the order is that of the book.
from dimred_lessons.classroom.checks import (
    choosing,
    dual_pca,
    graphs,
    isomap,
    kernel_centering,
    kernel_pca,
    laplacian_eigenmaps,
    lle,
    mds,
    pca,
    sde,
    unified,
)
from dimred_lessons.classroom.checks.mechanism import check, exercise_names, verdict, verify

__all__ = [
    "check",
    "choosing",
    "dual_pca",
    "exercise_names",
    "graphs",
    "isomap",
    "kernel_centering",
    "kernel_pca",
    "laplacian_eigenmaps",
    "lle",
    "mds",
    "pca",
    "sde",
    "unified",
    "verdict",
    "verify",
]
