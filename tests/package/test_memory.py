"""What does not fit into memory is refused in plain words."""

import numpy as np
import pytest

from dimred_lessons import memory
from dimred_lessons.memory import in_bytes, require_memory


def test_amounts_of_memory_that_differ_are_told_apart():
    assert in_bytes(8 * 500**2, 2**34) == ["1.907 MiB", "16 GiB"]
    assert in_bytes(2.0**34, 2**34 + 8) == ["16 GiB", "16.00000001 GiB"]
    assert in_bytes(17, 16) == ["17 bytes", "16 bytes"]


def test_one_matrix_needs_and_several_need(monkeypatch):
    monkeypatch.setattr(memory, "physical_memory", lambda: 4.0)
    with pytest.raises(ValueError, match=r"^1 matrix of 1 × 1 numbers needs 8 bytes, but .* has 4 bytes: think\.$"):
        require_memory(1, np.int64(1), 1, "think")
    with pytest.raises(ValueError, match=r"^2 matrices of 1 × 1 numbers need 16 bytes, but"):
        require_memory(2, 1, 1, "think")
