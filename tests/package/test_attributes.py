"""What the docstring of a method says about its parameters, and about what a fit finds."""

import inspect

from support.cases import CASES, DEFAULTS, each
from support.docstrings import described


def fitted_attributes(method):
    """Names of what a fit has found, as scikit-learn spells them: with an underscore at the end."""
    computed = {
        name for kind in type(method).__mro__ for name, held in vars(kind).items() if isinstance(held, property)
    }
    return {name for name in computed | set(vars(method)) if name.endswith("_") and not name.startswith("_")}


@each(DEFAULTS)
def test_parameters_are_described_in_the_order_in_which_they_are_given(case):
    method = type(case.method)
    assert described(method, "Parameters") == list(inspect.signature(method).parameters)


@each(CASES)
def test_everything_that_a_fit_finds_is_described(case):
    assert fitted_attributes(case.fit()) - set(described(type(case.method), "Attributes")) == set()


@each(DEFAULTS)
def test_nothing_is_described_that_no_fit_finds(case):
    fits = [other.fit() for other in CASES if type(other.method) is type(case.method)]
    assert set(described(type(case.method), "Attributes")) - set().union(*map(fitted_attributes, fits)) == set()


def test_what_is_missing_or_out_of_order_is_noticed():
    class Method:
        """Nothing.

        Parameters
        ----------
        second, third : int
        first : int
            What the second line says : is no name.

        Attributes
        ----------
        known_ : int, which is known
        """

        def __init__(self, first, second, third):
            self.known_ = self.unknown_ = self._private_ = 0

        @property
        def computed_(self):
            """Computed when asked for."""

    assert described(Method, "Parameters") == ["second", "third", "first"]
    assert described(Method, "Attributes") == ["known_"] and described(Method, "Returns") == []
    assert fitted_attributes(Method(1, 2, 3)) == {"known_", "unknown_", "computed_"}
