"""What makes the equations fast: one idea a file, with its derivation, its error bound and a property test.

The files above this folder say what is computed: `dimred_lessons.eigenpairs`, `dimred_lessons.distances` and others.
Over a function whose work an engine does faster stands `accelerated`; in ``with reference():`` the function itself
runs, as it reads. `dimred_lessons.engine.choice` decides which engine suits a task. No engine knows a method.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TypeVar

Function = TypeVar("Function", bound=Callable)

_AS_IT_READS = ContextVar("as_it_reads", default=False)


@contextmanager
def reference() -> Iterator[None]:
    """Context in which every method computes by the equations as they read, without an engine.

    The results are the same up to rounding, at the price of time and memory: for trying out and for tests. It holds
    for the thread that enters it, not for processes that a method starts.

    Examples
    --------
    >>> import numpy as np
    >>> from dimred_lessons import PCA, reference
    >>> X = np.random.default_rng(0).standard_normal((2000, 30))
    >>> with reference():
    ...     by_definition = PCA().fit(X)
    >>> bool(np.allclose(by_definition.embedding_, PCA().fit(X).embedding_))
    True
    """
    token = _AS_IT_READS.set(True)
    try:
        yield
    finally:
        _AS_IT_READS.reset(token)


def by_reference() -> bool:
    """Whether `reference` holds at the moment.

    Returns
    -------
    bool
    """
    return _AS_IT_READS.get()


def accelerated(engine: Callable) -> Callable[[Function], Function]:
    """Decorator of a function that reads like its equation: an engine of the same signature does its work.

    Parameters
    ----------
    engine : function
        Returns the same numbers up to rounding, faster; NotImplemented where it cannot, and the function itself runs.

    Returns
    -------
    decorator
        The function that it returns has the attributes ``engine`` and ``equation``, the function as it reads.
    """

    def decorate(equation):
        @wraps(equation)
        def function(*args, **kwargs):
            result = NotImplemented if by_reference() else engine(*args, **kwargs)
            return equation(*args, **kwargs) if result is NotImplemented else result

        function.equation, function.engine = equation, engine
        return function

    return decorate
