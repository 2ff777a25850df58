"""The border between the grader and the kernel of a student: only plain data crosses it, in both directions.

Numbers, strings, lists, tuples, dicts and arrays of numbers are written as JSON, followed by the bytes of the arrays.
No object of the student's process, and no code, gets to the grader; what arrives there is checked again.

This file is imported on both sides. On the student's side it is placed beside the request, and `settle` and `answer`
are called there.
"""

import json
from numbers import Number
from pathlib import Path

import numpy as np

NUMBERS = "biufc"  # kinds of arrays that may cross: booleans, integers, real and complex numbers
TYPES = {np.dtype(order + kind).str for order in "<>" for kind in "?bBhHiIlLqQefdgFDG"}  # how arrays of them say it
MOST_AXES = 32
MOST_KEYS = 1000  # of a dict: keys may be chosen such that a dict needs the square of their number
MOST_ENTRIES = 10_000  # of all dicts together
OF_THE_EDITOR = ["matplotlib", "pylab", "gui", "load_ext", "pip", "conda"]  # magic that may fail without harm
HEAD = 8  # bytes that say how long the JSON is


def pack(value):
    """The bytes that stand for plain data."""
    arrays = []
    head = json.dumps(_described(value, arrays)).encode()
    return len(head).to_bytes(HEAD, "little") + head + b"".join(arrays)


def _described(value, arrays):
    """A value as JSON knows it: lists, tuples, dicts and arrays as {kind: content}.

    What other libraries have in place of an array, such as a table of pandas or a sparse matrix, is one, too.
    """
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "toarray"):
        value = value.toarray()
    if isinstance(value, Number) and not isinstance(value, int | float | complex | np.generic):  # such as a fraction
        value = float(value)
    if isinstance(value, complex) or _is_array(value):
        value = np.asarray(value)
        if value.dtype.kind in "UO":  # texts, or results of several kinds
            return _described(value.tolist(), arrays)
        if value.dtype.kind not in NUMBERS:
            raise TypeError(f"an array must hold numbers, not {value.dtype}")
        arrays.append(value.tobytes())
        return {"array": [value.dtype.str, list(value.shape)]}
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | range):
        return {"tuple" if isinstance(value, tuple) else "list": [_described(item, arrays) for item in value]}
    if isinstance(value, dict):
        if len(value) > MOST_KEYS:
            raise TypeError(f"a dictionary in a result must have at most {MOST_KEYS} keys")
        return {"dict": [[_described(key, arrays), _described(item, arrays)] for key, item in value.items()]}
    raise TypeError(
        f"a result must be made of numbers, strings, lists, tuples, dicts and NumPy arrays, not {type(value).__name__}"
    )


def _is_array(value):
    """Whether NumPy takes something that is neither a list nor a tuple for an array, such as a queue of numbers."""
    if isinstance(value, type | list | tuple | range | dict):
        return False
    return hasattr(value, "__array__") or np.ndim(value) > 0


def unpack(data):
    """The plain data that some bytes stand for; raises an error if they stand for anything else."""
    start = HEAD + int.from_bytes(data[:HEAD], "little")
    value, end = _restored(json.loads(data[HEAD:start]), data, start, [0])
    if end != len(data):
        raise ValueError("there is more than the data described")
    return value


def _restored(item, data, start, entries):
    """A value from its description, and where the bytes of the next array start; counts the entries of dicts."""
    if not isinstance(item, dict):
        if isinstance(item, list):
            raise ValueError("a list without a kind")
        return item, start
    ((kind, content),) = item.items()
    if kind == "array":
        if content[0] not in TYPES or len(content[1]) > MOST_AXES:
            raise ValueError("an array must hold numbers")
        dtype, shape = np.dtype(content[0]), [int(size) for size in content[1]]
        if min(shape, default=0) < 0:
            raise ValueError("an array must have a shape")
        count = 1
        for size in shape:
            count *= size
        end = start + count * dtype.itemsize
        if end > len(data):
            raise ValueError("an array is cut off")
        array = np.frombuffer(data, dtype, count, start).reshape(shape).copy()
        return (array if shape else array[()]), end
    if kind == "dict":
        entries[0] += len(content)
        if len(content) > MOST_KEYS or entries[0] > MOST_ENTRIES:
            raise ValueError("too many keys")
    values = []
    for part in content:
        pair = []
        for piece in part if kind == "dict" else [part]:
            value, start = _restored(piece, data, start, entries)
            pair.append(value)
        values.append(tuple(pair) if kind == "dict" else pair[0])
    return {"list": list, "tuple": tuple, "dict": dict}[kind](values), start


def as_arrays(value):
    """What a test sees of a result: lists of numbers as arrays, and numbers with 64 bits."""
    if isinstance(value, tuple):
        return tuple(map(as_arrays, value))
    if isinstance(value, dict):
        return {key: as_arrays(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [as_arrays(item) if isinstance(item, list | tuple | dict | np.ndarray) else item for item in value]
        if len({item.dtype.kind == "b" for item in items if isinstance(item, np.ndarray)}) > 1:
            return items  # numbers and truth values, such as a pair of results
        try:
            array = np.array(value)
        except ValueError:  # rows of different lengths
            array = np.array(None)
        return array if array.dtype.kind in NUMBERS else items
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iufc":
        return value.astype(np.int64 if value.dtype.kind in "iu" else np.result_type(value.dtype, np.float64))
    return value


def settle(shell):
    """In the student's kernel, before anything else: what would end it, or a cell for no reason of the task, does not.

    A notebook asks its editor for figures that move, and for packages, which are not here.
    """
    shell.ask_exit = lambda: None  # exit() in a cell would end the kernel whenever the cell runs again
    loaded = {name: shell.find_line_magic(name) for name in OF_THE_EDITOR}
    for name, magic in loaded.items():
        if magic:
            shell.register_magic_function(_softly(name, magic), magic_name=name)
    run, run_cell = shell.run_line_magic, shell.run_cell_magic

    def run_known(magic_name, line, _stack_depth=1):
        if shell.find_line_magic(magic_name) or shell.find_cell_magic(magic_name):
            return run(magic_name, line, _stack_depth=_stack_depth + 1)
        print(f"%{magic_name} {line} does nothing here: there is no such magic")  # an extension would have brought it
        return None

    def run_known_cell(magic_name, line, cell):
        if shell.find_cell_magic(magic_name):
            return run_cell(magic_name, line, cell)
        print(f"%%{magic_name} {line} does nothing here: there is no such magic")  # as one that measures time or memory
        return shell.run_cell(cell)

    shell.run_line_magic, shell.run_cell_magic = run_known, run_known_cell


def _softly(name, magic):
    def run(line=""):
        try:
            return magic(line)
        except Exception as error:
            print(f"%{name} {line} does nothing here: {error}")

    return run


def answer():
    """In the student's kernel: call what is asked for, or look at it, and leave the reply as a file.

    A request names what is asked for; one without a call asks what it is.
    """
    from IPython import get_ipython

    exchange, names = Path(__file__).parents[1], get_ipython().user_ns
    try:
        request = unpack((exchange / "in" / "request").read_bytes())
        if request["name"] not in names:
            raise NameError(f"{request['name']} is not defined")
        target = names[request["name"]]
        if not request["call"]:
            reply = {"callable": True} if callable(target) else {"value": target}
        else:
            reply = {"value": target(*request["args"], **request["kwargs"])}
        data = pack(reply)
    except Exception as error:
        data = pack({"error": type(error).__name__, "text": str(error)[:500]})
    (exchange / "out" / "reply").write_bytes(data)
