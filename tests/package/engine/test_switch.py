"""Whether the engine of a function runs, or the function as it reads."""

import pytest

from dimred_lessons.engine import accelerated, by_reference, reference


def engine(x):
    return NotImplemented if x < 0 else ("engine", x)


@accelerated(engine)
def function(x):
    """What it says."""
    return "equation", x


def test_the_engine_runs_and_in_reference_the_function_itself():
    assert function(1) == ("engine", 1)
    with reference():
        assert by_reference() and function(1) == ("equation", 1)
    assert not by_reference() and function(x=1) == ("engine", 1)


def test_where_the_engine_cannot_the_function_itself_runs():
    assert function(-1) == ("equation", -1)


def test_both_can_be_called_alone_and_the_function_is_described_as_it_reads():
    assert function.engine(1) == ("engine", 1) and function.equation(1) == ("equation", 1)
    assert function.__name__ == "function" and function.__doc__ == "What it says."


def test_an_error_ends_the_reference_and_one_within_another_does_not():
    with pytest.raises(ZeroDivisionError), reference():
        raise ZeroDivisionError
    assert not by_reference()
    with reference():
        with reference():
            pass
        assert by_reference()
