"""Every method, computed by the equations as they read: what the engine finds."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from dimred_lessons import (
    LTSA,
    HessianLLE,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    SemidefiniteEmbedding,
    reference,
)
from dimred_lessons.classroom.metrics import aligned_signs
from support.cases import DEFAULTS, each

# Few points, so that the equations take a moment; no two distances are equal, so that there are no ties.
POINTS = np.random.default_rng(11).standard_normal((40, 4)) * [4, 3, 2, 1] + [0, 50, 0, 0]
# An iteration that runs on may magnify rounding, as gradient descent does, and where it ends depends on a tolerance:
# of those of the engine and of the equations, the first steps are compared.
STEPS = 10
# How far rounding may move an embedding, as a share of its size.
ROUNDING = 1e-9
# Eigenvalues at the bottom are small fractions of the norm of the matrix, and rounding is one of the norm. A program
# is solved by other steps, to the end, where the trace is known to its tolerance of 1e-6, and the points to the root.
ALLOWED = dict.fromkeys((LocallyLinearEmbedding, LTSA, HessianLLE, LaplacianEigenmaps), 1e-6)
ALLOWED[SemidefiniteEmbedding] = 1e-3


def fitted(case):
    parameters = case.method.get_params()
    iterates = "max_iter" in parameters and not isinstance(case.method, SemidefiniteEmbedding)
    steps = {"max_iter": STEPS} if iterates else {}
    method = clone(case.method).set_params(**case.needs).set_params(**steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that these are too few steps
        return method.fit(case.as_input(POINTS, POINTS))


@each(DEFAULTS)
def test_by_the_equations_every_method_finds_what_the_engine_finds(case):
    found = fitted(case).embedding_
    with reference():
        expected = fitted(case).embedding_
    assert found.shape == expected.shape and np.isfinite(expected).all()
    difference = np.abs(aligned_signs(found, expected) - expected).max()
    assert difference <= ALLOWED.get(type(case.method), ROUNDING) * np.abs(expected).max()


def test_in_reference_no_engine_runs(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("the engine runs")

    monkeypatch.setattr("dimred_lessons.engine.krylov.top_solver", refuse)
    with pytest.raises(AssertionError, match="the engine runs"):
        KernelPCA().fit(POINTS)
    with reference():
        KernelPCA().fit(POINTS)
