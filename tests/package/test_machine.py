"""A warning points at the line that called the package; what does not fit into memory is refused in plain words."""

import numpy as np
import pytest

from dimred_lessons import Isomap, machine
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.machine import in_bytes, require_memory, warn


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


def test_amounts_of_memory_that_differ_are_told_apart():
    assert in_bytes(8 * 500**2, 2**34) == ["1.907 MiB", "16 GiB"]
    assert in_bytes(2.0**34, 2**34 + 8) == ["16 GiB", "16.00000001 GiB"]
    assert in_bytes(17, 16) == ["17 bytes", "16 bytes"]


def test_one_matrix_needs_and_several_need(monkeypatch):
    monkeypatch.setattr(machine, "physical_memory", lambda: 4.0)
    with pytest.raises(ValueError, match=r"^1 matrix of 1 × 1 numbers needs 8 bytes, but .* has 4 bytes: think\.$"):
        require_memory(1, np.int64(1), 1, "think")
    with pytest.raises(ValueError, match=r"^2 matrices of 1 × 1 numbers need 16 bytes, but"):
        require_memory(2, 1, 1, "think")
