"""A warning points at the line that called the package."""

import numpy as np
import pytest

from dimred_lessons import Isomap
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.messages import warn


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_warning_points_at_the_line_that_called_the_package(method):
    X = swiss_roll(30)[0]
    X = np.vstack([X, X + 100])
    isomap = Isomap(n_neighbors=8, disconnected="bridge")
    with pytest.warns(UserWarning, match="joined by") as caught:
        getattr(isomap, method)(X)
    assert caught[0].filename == __file__


def test_a_warning_from_outside_points_at_its_caller():
    with pytest.warns(UserWarning, match="careful") as caught:
        warn("careful")
    assert caught[0].filename == __file__


def test_a_warning_needs_no_name_of_the_caller():
    """As `exec` and `timeit` run code."""
    X = swiss_roll(30)[0]
    method = Isomap(n_neighbors=8, disconnected="bridge")
    with pytest.warns(UserWarning, match="joined by") as caught:
        exec(
            compile("method.fit(X)", "<a line of code>", "exec"),
            {"method": method, "X": np.vstack([X, X + 100])},
        )
    assert caught[0].filename == "<a line of code>"
