"""Embeddings made ready for an explorer: frames that do not jump, in few bytes."""

import base64
import copy
import inspect
import itertools
from numbers import Integral, Real

import numpy as np

from dimred_lessons.classroom.metrics import aligned_signs
from dimred_lessons.inputs import as_numbers

_LARGEST = 32767  # of a 16-bit integer


def pack(array):
    """Numbers from -1 to 1 as 16-bit integers in base64; `unpack` in numbers.js unpacks them, exact to 1/65534."""
    return base64.b64encode(np.round(array * _LARGEST).astype("<i2").tobytes()).decode()


def centered(Y):
    """Points moved to mean zero and scaled into the square, or cube, from -1 to 1."""
    Y = Y - Y.mean(axis=0)
    return Y / (np.abs(Y).max() or 1.0)


def aligned(frames):
    """Frames with their axes reflected to agree with the frame before: the sign of an axis means nothing.

    They are not turned, so that the first axis of a frame is the first axis of its embedding.

    Parameters
    ----------
    frames : list of arrays of shape (n, 2)
        Centered embeddings of the same points.

    Returns
    -------
    frames : list of arrays of shape (n, 2)
        The first one unchanged.
    """
    return list(itertools.accumulate(frames, lambda before, Y: aligned_signs(Y, before)))


class Series:
    """The embeddings of an explorer, one for each value of the parameter, which a kernel can recompute.

    Parameters
    ----------
    compute : callable
        ``compute(value)``, or ``compute(value, random_state=seed)``, returns an array of shape (n, 2).
    values : list
        Values of the parameter.
    n : int
        Number of points.
    readout : callable or None
        ``readout(value, Y)`` returns the line below the frame.
    align : bool
        Whether the axes of a frame may be reflected to agree with those of the frame before.
    table : array of shape (n, D), optional
        What ``compute`` takes after the value, instead of its own points.
    """

    seed = 0  # of the random numbers that the computation draws

    def __init__(self, compute, values, n, readout=None, align=True, table=None):
        self.compute, self.values, self.n, self.readout, self.align = compute, list(values), n, readout, align
        self.table = table
        self.random = "random_state" in inspect.signature(compute).parameters

    def embeddings(self):
        """Embeddings for all values, as they were computed."""
        return [self._embedding(value) for value in self.values]

    def _embedding(self, value):
        options = {"random_state": self.seed} if self.random else {}
        given = [value] if self.table is None else [value, self.table]
        Y = as_numbers(self.compute(*given, **options), f"compute({value!r})")
        if Y.shape != (self.n, 2):
            raise ValueError(
                f"compute({value!r}) has shape {Y.shape}, but an explorer of {self.n} points needs ({self.n}, 2): "
                "one row for each point, two columns."
            )
        if not np.isfinite(Y).all():
            raise ValueError(f"compute({value!r}) has entries that are not finite: leave this value out.")
        return Y

    def frames(self):
        """Embeddings and their readouts as an explorer shows them: (frames, readouts)."""
        embeddings = self.embeddings()
        readouts = [self.readout(value, Y) if self.readout else "" for value, Y in zip(self.values, embeddings)]
        frames = [centered(Y) for Y in embeddings]
        return aligned(frames) if self.align else frames, readouts

    def of(self, table):
        """The series of another table, by the same computation and the same values."""
        series = copy.copy(self)
        series.table, series.readout = table, None
        return series

    @property
    def action(self):
        """What `renewed` would do, in words for a button."""
        if self.random:
            return "Recompute with a new seed"
        return "Recompute" if self._finer() == self.values else "Recompute with finer steps"

    def renewed(self):
        """The series with the next random seed if it is random, otherwise with values between the present ones.

        This one stays as it is, to be renewed again if the new one turns out not to be computable.
        """
        series = copy.copy(self)
        if self.random:
            series.seed = self.seed + 1
        else:
            series.values = self._finer()
        return series

    def _finer(self):
        """The values, with the midpoint of every two neighbors between them, where there is one."""
        finer = self.values[:1]
        for left, right in zip(self.values, self.values[1:]):
            finer += _between(left, right) + [right]
        return finer


def _between(left, right):
    """The number in the middle of two, as a list: empty if they are not numbers, or are consecutive integers."""
    if isinstance(left, Integral) and isinstance(right, Integral):
        middle = (left + right) // 2
        return [middle] if middle not in (left, right) else []
    return [(left + right) / 2] if isinstance(left, Real) and isinstance(right, Real) else []
