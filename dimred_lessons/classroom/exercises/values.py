"""Checks that are data: what is wrong with an answer of numbers or words, for Python and for the page alike.

The check of an exercise of numbers is a function of the answer that yields rules: a condition and what is said
where it holds. The function is called once, with a `Term` in place of the answer, so that its conditions are not
true or false, but expressions of the answer::

    @exercise("alignment-1")
    @numbers(2)
    def two_charts_share_a_point(answer):
        place, disagreement = answer
        yield differs(place, 5), "place: the mean of 2 and 6, weighted by the shares 1/4 and 3/4"
        yield near(disagreement, 4), "disagreement: squares are about the common place"
        yield differs(disagreement, 3), "disagreement: the mean of the squared distances from 5"

Python computes these expressions here, and the page computes them by ``answers.js``, from `Check.data`.
"""

import json
import math
import re
from decimal import Decimal
from functools import cached_property
from operator import add, and_, le, lt, mul, or_, sub

import numpy as np

from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    HOW_MANY,
    SHAPE,
    NotYet,
    expect_array,
    expect_choice,
    expect_choices,
    expect_integer,
    expect_integers,
    expect_keys,
    expect_number,
    expect_share,
)

# --- Expressions of an answer

_PAIRS = {"+": add, "-": sub, "*": mul, "<": lt, "<=": le, "and": and_, "or": or_}
_ONES = {
    "abs": np.abs,
    "sign": np.sign,
    "sorted": np.sort,
    "sum": np.sum,
    "max": np.max,
    "all": np.all,
    "not": np.logical_not,
}
COARSE = "this is rounded too coarsely to tell: give three significant digits"
_FILLED = re.compile(r"⟨(.+?)\|(.*?)⟩")


class Term:
    """An expression of the numbers of an answer: sums, products, comparisons, entries.

    Parameters
    ----------
    data : list or float
        A number, a list of numbers, or a list of an operation and what it is applied to.
    size : int or None
        How many numbers it stands for; None if it is one number, and no vector.
    """

    __array_ufunc__ = None  # an array plus a term is a term

    def __init__(self, data, size=None):
        self.data, self.size = data, size

    def __getitem__(self, i):
        """One entry, those of a slice, or those of a list of places."""
        places = i if isinstance(i, list) else np.arange(self.size)[i].tolist()
        if isinstance(places, list):
            return Term(["entries", [self.data[1][place] for place in places]], len(places))
        return Term(["entry", self.data[1][places]])

    def __iter__(self):
        return (self[i] for i in range(self.size))

    def __add__(self, other):
        return _term("+", self, other)

    __radd__ = __add__

    def __sub__(self, other):
        return _term("-", self, other)

    def __mul__(self, other):
        return _term("*", self, other)

    __rmul__ = __mul__

    def __lt__(self, other):
        return _term("<", self, other)

    def __gt__(self, other):
        return _term("<", other, self)

    def __le__(self, other):
        return _term("<=", self, other)

    def __ge__(self, other):
        return _term("<=", other, self)

    def __and__(self, other):
        return _term("and", self, other)

    def __or__(self, other):
        return _term("or", self, other)

    def __invert__(self):
        return Term(["not", self.data], self.size)

    def __abs__(self):
        return Term(["abs", self.data], self.size)

    def sign(self):
        return Term(["sign", self.data], self.size)

    def sorted(self):
        return Term(["sorted", self.data], self.size)

    def sum(self):
        return Term(["sum", self.data])

    def max(self):
        return Term(["max", self.data])

    def __bool__(self):
        raise TypeError("A rule is an expression: join conditions by & and |, and yield them instead of asking `if`.")

    def __format__(self, spec):
        """A place in a sentence, filled when the answer is known."""
        return f"⟨{json.dumps(self.data)}|{spec}⟩"


class Table(Term):
    """All entries of a matrix, row by row."""

    def __init__(self, data, shape):
        super().__init__(data, math.prod(shape))
        self.places = np.arange(self.size).reshape(shape)

    @property
    def T(self):
        """The entries, column by column: those of the transposed matrix."""
        return self[self.places.T.ravel().tolist()]

    @property
    def columns(self):
        return [self[places.tolist()] for places in self.places.T]


def _term(operation, *parts):
    sizes = [part.size for part in parts if isinstance(part, Term) and part.size]
    data = [part.data if isinstance(part, Term) else _constant(part) for part in parts]
    return Term([operation, *data], next(iter(sizes), None))


def _constant(value):
    """Numbers as a list, those of a matrix row by row."""
    array = np.asarray(value, dtype=float)
    return array.ravel().tolist() if array.ndim else array.item()


def near(value, other, tolerance=BY_HAND, scale=None):
    """The condition that all of ``value`` is within ``tolerance`` times ``scale`` of ``other``.

    The scale is the size of the largest entry of ``other``, unless another is given.
    """
    if scale is None:
        scale = abs(other).max() if isinstance(other, Term) else max(np.max(np.abs(other)), 1e-12)
    return Term(["all", (abs(value - other) <= tolerance * scale).data])


def differs(value, right, tolerance=BY_HAND, scale=None):
    """The condition that some of ``value`` is not `near` to ``right``."""
    return ~near(value, right, tolerance, scale)


def look(values, place):
    """The term for the entry of some known values at a place, counted from 0, that depends on the answer."""
    return Term(["look", np.asarray(values, dtype=float).tolist(), place.data])


def compute(data, numbers):
    """What an expression is for an answer of these numbers."""
    if not isinstance(data, list):
        return data
    if not isinstance(data[0], str):
        return np.array(data)
    operation, *parts = data
    if operation == "entry":
        return numbers[parts[0]]
    if operation == "entries":
        return np.array([numbers[i] for i in parts[0]])
    parts = [compute(part, numbers) for part in parts]
    if operation == "look":
        return parts[0][int(parts[1])]
    return _PAIRS[operation](*parts) if operation in _PAIRS else _ONES[operation](*parts)


def bounds(data, low, high):
    """Between what an expression lies for answers whose numbers lie between ``low`` and ``high``."""
    if not isinstance(data, list) or not isinstance(data[0], str) or data[0] in ("entry", "entries", "look"):
        return compute(data, low), compute(data, high)  # what is looked up has a place that is whole
    operation, *parts = data
    (a, b), *second = (bounds(part, low, high) for part in parts)
    if operation == "not":
        return np.logical_not(b), np.logical_not(a)
    if operation == "abs":
        return np.maximum(np.maximum(a, np.negative(b)), 0), np.maximum(np.negative(a), b)
    if operation in _ONES:
        return _ONES[operation](a), _ONES[operation](b)
    [(c, d)] = second
    if operation == "-":
        return a - d, b - c
    if operation == "*":
        products = np.array([a * c, a * d, b * c, b * d])
        return products.min(axis=0), products.max(axis=0)
    if operation in ("<", "<="):
        return _PAIRS[operation](b, c), _PAIRS[operation](a, d)
    return _PAIRS[operation](a, c), _PAIRS[operation](b, d)


def rounding(number):
    """Half a unit of the last digit of a number that is written with two significant digits, such as 0.33; otherwise 0.

    Numbers with more digits are as precise as a check asks for, and one digit says too little to confirm it.
    """
    digits = Decimal(repr(number)).normalize()
    last = min(digits.as_tuple().exponent, 0)
    return 0.5 / 10**-last if digits.adjusted() - last == 1 else 0.0


def fill(sentence, numbers):
    """A sentence with the numbers of an answer at the places that are kept for them."""
    return _FILLED.sub(lambda place: format(compute(json.loads(place[1]), numbers), place[2]), sentence)


# --- What is read


class Reader:
    """How the numbers of an answer, or of one entry of it, are read.

    Parameters
    ----------
    count : int or None
        How many numbers; None for one number, and no vector.
    expect : callable
        Returns the numbers of an answer, or refuses it.
    outside : float or None
        A number that is refused though it is one, such as 2 for a share.
    least, most : float
        The range.
    whole : bool
    shape : tuple of int, optional
        That of a matrix.
    """

    def __init__(self, count, expect, outside=None, least=None, most=None, whole=False, shape=None):
        self.count, self.expect, self.outside = count, expect, outside
        self.least, self.most, self.whole, self.shape = least, most, whole, shape

    def __call__(self, function):
        return Numbers(None, [self], function)

    @property
    def size(self):
        return self.count or 1

    def read(self, answer):
        return np.ravel(self.expect(answer)).tolist()

    def term(self, start):
        """The term of numbers of which the first is at the place ``start`` of the answer."""
        places = list(range(start, start + self.size))
        if self.shape:
            return Table(["entries", places], self.shape)
        return Term(["entry", start]) if self.count is None else Term(["entries", places], self.size)

    def data(self):
        """All that the page needs: the same refusals, in the same order."""
        refused = {"words": self._against("x"), "infinite": self._against(np.inf)}
        refused["how_many"] = refused["words"] if self.count is None else HOW_MANY
        if self.shape:
            refused["how_many"] = SHAPE.format(wanted=" × ".join(map(str, self.shape)), given="{given}")
        if self.outside is not None:
            refused["outside"] = self._against(self.outside)
        kind = {"least": self.least, "most": self.most, "whole": self.whole}
        return {"count": self.size, "alone": self.count is None, "shape": self.shape, **kind, "refused": refused}

    def _against(self, one):
        return refusal(self.expect, one if self.count is None else np.full(self.shape or self.count, one).tolist())


def number():
    """One finite number."""
    return Reader(None, expect_number)


def share():
    """One number from 0 to 1."""
    return Reader(None, expect_share, outside=2, least=0, most=1)


def whole(least, most, what="the answer"):
    """One whole number from ``least`` to ``most``."""
    return Reader(None, lambda answer: expect_integer(answer, least, most, what), least - 1, least, most, whole=True)


def numbers(count):
    """So many finite numbers, in any arrangement."""
    return Reader(count, lambda answer: expect_array(answer, (count,)))


def table(*shape):
    """The finite numbers of a matrix."""
    return Reader(math.prod(shape), lambda answer: expect_array(answer, shape), shape=shape)


def wholes(count, least, most):
    """So many whole numbers from ``least`` to ``most``."""
    return Reader(count, lambda answer: expect_integers(answer, count, least, most), least - 1, least, most, whole=True)


def keyed(readers):
    """A dictionary, each entry with a reader of its own; the check is a function of one term for each."""
    return lambda function: Numbers(list(readers), list(readers.values()), function)


# --- Checks


class Check:
    """A check that refuses an answer when it is called, and whose `data` the page refuses it by."""

    def data(self):
        raise NotImplementedError


class Numbers(Check):
    """Rules for numbers: those that ``function`` yields for terms, one for each reader."""

    def __init__(self, keys, readers, function):
        self.keys, self.readers, self.function = keys, readers, function

    @cached_property
    def rules(self):
        terms, start = [], 0
        for reader in self.readers:
            terms.append(reader.term(start))
            start += reader.size
        return list(self.function(*terms))

    def __call__(self, answer):
        if self.keys is not None:
            expect_keys(answer, self.keys)
        parts = [answer] if self.keys is None else [answer[key] for key in self.keys]
        given = [entry for reader, part in zip(self.readers, parts, strict=True) for entry in reader.read(part)]
        for condition, sentence in self.rules:
            if compute(condition.data, given):
                raise NotYet(COARSE if self._is_coarse(given) else fill(sentence, given))

    def _is_coarse(self, given):
        """Whether numbers that are rounded to those given may be right, though these are not."""
        wholes = [reader.whole for reader in self.readers for _ in range(reader.size)]
        off = np.array([0.0 if whole else rounding(one) for one, whole in zip(given, wholes, strict=True)])
        low, high = (given - off).tolist(), (given + off).tolist()
        return off.any() and not any(bounds(condition.data, low, high)[0] for condition, _ in self.rules)

    def data(self):
        readers = [reader.data() for reader in self.readers]
        rules = [[condition.data, sentence] for condition, sentence in self.rules]
        return {"kind": "numbers", "keys": self.keys, "readers": readers, "rules": rules, "coarse": COARSE}


def count(right, otherwise):
    """A whole number; the function returns the reasons against wrong ones, and ``otherwise`` is against all others."""

    def check(function):
        def rules(given):
            for wrong, reason in function().items():
                yield near(given, wrong, 0), reason
            yield differs(given, right, 0), otherwise

        return whole(0, 1000)(rules)

    return check


def smallest_count(wanted):
    """The smallest number of components that retains the ``wanted`` share of the variance.

    The function returns the share that the first component retains, the first two, and so on.
    """
    return lambda function: SmallestCount(wanted, function)


class SmallestCount(Check):
    """See `smallest_count`; ``shares`` is a function, so that they are computed when they are needed."""

    def __init__(self, wanted, shares):
        self.wanted, self.shares = wanted, shares

    @cached_property
    def _check(self):
        shares = np.asarray(self.shares())
        right = 1 + int(np.sum(shares < self.wanted))

        def rules(given):
            yield given < right, f"with {given}, less than {self.wanted:.0%} of the variance is retained"
            yield given > right, f"a smaller number still retains {self.wanted:.0%} of the variance"

        return whole(1, len(shares))(rules)

    def __call__(self, answer):
        self._check(answer)

    def data(self):
        return self._check.data()


def choice(right):
    """One letter; the function returns the reasons against the others."""
    return lambda function: Choice(right, function())


class Choice(Check):
    """One letter: every other one is refused by the reason against it."""

    def __init__(self, right, reasons):
        self.right, self.reasons = right, reasons

    def __call__(self, answer):
        expect_choice(answer, self.right, self.reasons)

    def data(self):
        return {"kind": "words", "rows": [_row(None, sorted([self.right, *self.reasons]), self)]}


def choices(function):
    """A word for every key; the function returns for every key the right word, and the reason against the others."""
    return Choices(function())


class Choices(Check):
    """A word for every key: a wrong one is refused by the reason given for the key."""

    def __init__(self, right):
        self.right = right

    def __call__(self, answer):
        expect_choices(answer, self.right)

    def data(self):
        right = {key: word for key, (word, _) in self.right.items()}
        words = sorted(set(right.values()))
        rows = [_row(key, words, lambda word, key=key: self({**right, key: word})) for key in right]
        return {"kind": "words", "rows": rows}


def _row(key, words, check):
    """What is said to each word that may be chosen for a key, and to any other."""
    return {"key": key, "words": {word: refusal(check, word) for word in words}, "unknown": refusal(check, "")}


def refusal(check, answer):
    """The sentence against an answer; empty if there is none."""
    try:
        check(answer)
    except NotYet as why:
        return str(why)
    return ""
