"""Plain data crosses the border as it is; nothing else does."""

import json
from array import array
from collections import deque
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from IPython.core.interactiveshell import InteractiveShell
from scipy import sparse

from grading import border

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
PLAIN = st.recursive(SCALARS, lambda part: st.lists(part) | st.dictionaries(st.text(), part) | st.tuples(part, part))
NUMBERS = st.sampled_from([np.bool_, np.int32, np.uint8, np.float32, np.float64, np.complex128])


@given(PLAIN)
def test_plain_data_comes_back(value):
    assert border.unpack(border.pack(value)) == value


@given(NUMBERS.flatmap(lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, min_side=0))))
def test_arrays_come_back_bit_by_bit(array):
    (back,) = border.unpack(border.pack([array]))
    assert back.dtype == array.dtype and back.shape == array.shape and back.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "array", [np.zeros((4, 6))[:, ::2], np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.eye(3).T]
)
def test_arrays_of_any_layout_come_back(array):
    assert np.array_equal(border.unpack(border.pack(array)), array)


def test_what_linear_algebra_returns_comes_back_as_a_tuple():
    values, vectors = border.unpack(border.pack(np.linalg.eigh(np.diag([2.0, 1.0]))))
    assert values.tolist() == [1, 2] and vectors.shape == (2, 2)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        datetime(2026, 1, 1),
        {1, 2},
        np.array([object()]),
        np.array([datetime(2026, 1, 1)], "M8"),
        len,
        np.float64,
        map(abs, [1]),
        {}.keys(),
        b"1",
    ],
)
def test_anything_else_is_refused_with_a_sentence(value):
    with pytest.raises(TypeError, match="must"):
        border.pack(value)


@pytest.mark.parametrize(
    "value, plain",
    [
        (pd.Series([1.0, 2.0], name="x"), [1, 2]),
        (pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}), [[1, 0.5], [2, 1.5]]),
        (pd.DataFrame({"a": [1, 2], "b": [True, False]}), [[1, True], [2, False]]),
        (pd.Index([3, 4]), [3, 4]),
        (sparse.csr_array(np.eye(2)), [[1, 0], [0, 1]]),
        (np.ma.masked_array([1.0, 2.0], [False, False]), [1, 2]),
        (np.array([1, 2.5], dtype=object), [1, 2.5]),
        (range(3), [0, 1, 2]),
        (np.array(7), 7),
        (deque([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (memoryview(np.eye(2)), [[1, 0], [0, 1]]),
        ([array("d", [1, 2]), array("d", [3, 4])], [[1, 2], [3, 4]]),
        ([[Fraction(1, 2)], [Decimal("0.25")]], [[0.5], [0.25]]),
        ([1j, 2], [1j, 2]),
        (1 + 2j, 1 + 2j),
    ],
)
def test_what_stands_for_an_array_counts_as_one(value, plain):
    found = border.as_arrays(border.unpack(border.pack(value)))
    assert np.shape(found) == np.shape(plain) and np.array_equal(found, plain)


def test_texts_and_arrays_of_different_lengths_come_from_arrays_too():
    assert border.unpack(border.pack(np.array(["a", "b"]))) == ["a", "b"]
    assert type(border.unpack(border.pack(np.str_("a")))) is str
    ragged = np.empty(2, dtype=object)
    ragged[:] = [np.arange(2), np.arange(3)]
    first, second = border.unpack(border.pack(ragged))
    assert first.tolist() == [0, 1] and second.tolist() == [0, 1, 2]


def test_small_integers_do_not_run_over_in_a_test():
    for dtype in (np.uint8, np.int8, np.uint32):
        labels = border.as_arrays(np.array([0, 100], dtype))
        assert (labels - labels[::-1]).tolist() == [-100, 100] and (3 * labels).max() == 300


def test_a_dictionary_of_very_many_keys_is_refused_with_a_sentence():
    with pytest.raises(TypeError, match="a dictionary in a result must have at most 1000 keys"):
        border.pack(dict.fromkeys(range(1001)))


def test_a_test_sees_lists_as_arrays_and_single_precision_as_double():
    rows = border.as_arrays([[1, 2], [3, 4]])
    assert np.array_equal(2 * rows, [[2, 4], [6, 8]])
    assert border.as_arrays(np.float32(0.1)).dtype == border.as_arrays(np.zeros(2, "f4")).dtype == np.float64
    assert border.as_arrays(np.zeros(2, "c8")).dtype == np.complex128
    values, flags = border.as_arrays(([1.0, 2.0], [True, False]))
    assert values.dtype == np.float64 and flags.dtype == bool
    for pair in ([[1.0, 2.0], [True, False]], [np.array([1.0, 2.0]), np.array([True, False])]):
        values, flags = border.as_arrays(pair)
        assert values.dtype == np.float64 and flags.dtype == bool, "a pair of results in a list is no table"
    ragged = border.as_arrays([[1, 2], [3]])
    assert isinstance(ragged, list) and np.array_equal(ragged[0], [1, 2])
    assert border.as_arrays(["a", None, 3]) == ["a", None, 3] and border.as_arrays({"a": 3}) == {"a": 3}


def written(description, rest=b""):
    head = json.dumps(description).encode()
    return len(head).to_bytes(border.HEAD, "little") + head + rest


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04N.",
        written([1]),
        written({"array": ["<f8", [3]]}, bytes(16)),
        written({"array": ["<f8", [-1, -2]]}, bytes(16)),
        written({"array": ["<f8", [2**40, 2**40]]}, bytes(16)),
        written({"array": ["O", [1]]}, bytes(8)),
        written({"array": ["f8,i4", [1]]}, bytes(12)),
        written({"array": ["M8[s]", [1]]}, bytes(8)),
        written({"exec": ["print(1)"]}),
        written({"list": [], "dict": []}),
        written(1, b"more"),
        (2**60).to_bytes(8, "little") + b"{}",
        written({"array": ["f8," * 10**6 + "f8", [1]]}, bytes(8)),
        written({"array": ["<f8", [1] * 10**6]}, bytes(8)),
        written({"dict": [[k * (2**61 - 1), 0] for k in range(2000)]}),
        written({"list": [{"dict": [[k, 0] for k in range(900)]} for _ in range(20)]}),
        written("x")[:-1],
    ],
)
def test_a_reply_that_lies_is_refused(data):
    with pytest.raises((ValueError, TypeError, KeyError)):
        border.unpack(data)


def test_magic_that_only_an_editor_can_do_ends_no_cell(capsys):
    shell = InteractiveShell()
    border.settle(shell)
    shell.run_cell("%matplotlib no_such_window\n%load_ext no_such_extension\nreached = 1")
    shell.run_cell("%autoformat on\nbrought = 1")
    assert shell.user_ns["brought"] == 1, "magic of an extension that is not here"
    shell.run_cell("def timed():\n    a = 1\n    get_ipython().run_line_magic('time', 'b = a')\ntimed()")
    shell.run_cell("%time 1 / 0\n%run no_such_file.py\nhidden = 1")
    assert "reached" in shell.user_ns and "hidden" not in shell.user_ns, "other magic fails as ever"
    shell.run_cell("%%memit -r 1\nmeasured = 1\nmeasured")
    assert shell.user_ns["measured"] == 1, "a cell under magic of an extension that is not here"
    shell.run_cell("%%capture\ncaptured = 1")
    assert shell.user_ns["captured"] == 1
    said = capsys.readouterr().out
    assert "%%memit -r 1 does nothing here: " in said
    assert "%matplotlib no_such_window does nothing here: " in said
    assert "%load_ext no_such_extension does nothing here: " in said
