"""Questions as every system knows them: one of several choices, a word for each row, numbers within a tolerance.

An exercise becomes such an item by asking its check: how far each number may be off, and which sentence is said to
which mistake. Texts are Markdown.
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np

from dimred_lessons.classroom.exercises import values
from dimred_lessons.classroom.exercises.mechanism import NotYet, Unanswered
from questions.reading import Choice

RIGHT = "Right."
NOT_RIGHT = "this is not the right number"
STEPS = (0.05, 0.11, 0.37, 0.71)  # wrong numbers on either side of the right one, relative to its size
SPECIAL = re.compile(r"([\\`*_{}\[\]<>$#&|~])")  # what Markdown would not print as it is
_LISTED = re.compile(r"\[(.*)\]")
_HOW_MANY = re.compile(r"^[a-z ]*numbers: ")
_NAMES = re.compile(r",\s*(?![^()]*\))")  # commas outside of parentheses
MOST_PARTS = 6  # a system that reads one number at a time asks no more questions than these for one exercise
ROUNDING = 1e-9
CLOSER = 0.995  # a tolerance that is cut to three digits stays within what the check allows
DIGITS = ".10g"


@dataclass(frozen=True)
class Item:
    """What all questions have: a name, a title, the chapter, what is asked, and what is told afterward."""

    name: str
    title: str
    chapter: str
    text: str
    solution: str


@dataclass(frozen=True)
class OneOf(Item):
    """One of several choices is right. Those with letters stay in their order."""

    choices: tuple[Choice, ...]
    in_order: bool = False


@dataclass(frozen=True)
class Row:
    """A word for ``key``: what is said to each one that may be chosen, nothing to the right one."""

    key: str
    words: dict[str, str] = field(hash=False)

    @property
    def right(self):
        return next(word for word, sentence in self.words.items() if not sentence)


@dataclass(frozen=True)
class Words(Item):
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Mistake:
    """A wrong number that people give, how near to it a number has to be, and what is said to it."""

    value: float
    tolerance: float
    sentence: str


@dataclass(frozen=True)
class Field:
    """A number within a tolerance; ``label``, plain text, says which one of several it is."""

    label: str
    right: float
    tolerance: float
    mistakes: tuple[Mistake, ...]
    otherwise: str


@dataclass(frozen=True)
class Numbers(Item):
    fields: tuple[Field, ...]

    def parts(self):
        """The same question for systems that read one number at a time: a question for each; none for a matrix."""
        if len(self.fields) == 1:
            return [self]
        if len(self.fields) > MOST_PARTS:
            return []
        return [
            replace(
                self,
                name=f"{self.name}-part-{i}",
                title=f"{self.title}: {one.label}",
                text=f"{self.text}\n\nGive one number: {plain(one.label)}.",
                fields=(replace(one, label=""),),
            )
            for i, one in enumerate(self.fields, 1)
        ]


class ManyAnswers(Exception):
    """An exercise has several right answers, of which a system could know one only."""


def plain(sentence):
    """A sentence of a check, or a name, as Markdown."""
    return SPECIAL.sub(r"\\\1", sentence)


def of_quiz(quiz):
    """The item of a question of a quiz."""
    return OneOf(quiz.name, f"Quiz {quiz.name.removeprefix('quiz-')}", quiz.chapter, quiz.text, "", quiz.choices)


def of_exercise(exercise, right, wrong, check=None):
    """The item of an exercise, or of a variant of it.

    Parameters
    ----------
    exercise : reading.Exercise
        That of a variant has the text of the variant, and no solution.
    right : object
        The right answer.
    wrong : list
        Answers that people give; those that nobody can read are left out.
    check : values.Check, optional
        That of a variant.

    Raises
    ------
    ManyAnswers
        If the check accepts another order or sign of the numbers, too.
    """
    check = with_rules(exercise.check if check is None else check)
    common = (exercise.name, exercise.title, exercise.chapter, exercise.asked, exercise.solution)
    if isinstance(check, values.Choice):
        against = check.data()["rows"][0]["words"]
        choices = tuple(_lettered(letter, text, against[letter]) for letter, text in exercise.choices.items())
        return OneOf(*common, choices, in_order=True)
    if isinstance(check, values.Choices):
        table = check.data()["rows"]
        rows = (Row(row["key"], {word: _not_yet(why) for word, why in row["words"].items()}) for row in table)
        return Words(*common, tuple(rows))
    answer = _flat(check, right)
    if said(check, answer):
        raise ValueError(f"{exercise.name}: the check refuses {right}, which should be right: {said(check, answer)}.")
    mistakes = [flat for other in wrong if (flat := _flat(check, other)) is not None]
    fields = tuple(_field(check, answer, i, mistakes) for i in range(len(answer)))
    for other in _other_forms(check, answer):
        within = all(abs(x - field.right) <= field.tolerance for x, field in zip(other, fields, strict=True))
        if not within and not said(check, other):
            raise ManyAnswers(exercise.name)
    labels = _labels(exercise, check)
    return Numbers(*common, tuple(replace(field, label=label) for field, label in zip(fields, labels, strict=True)))


def said(check, numbers):
    """The sentence of a check against the numbers of an answer, with places that are still to be filled; or none."""
    start = 0
    for reader in check.readers:
        part = numbers[start : start + reader.size]
        start += reader.size
        shaped = part[0] if reader.count is None else np.reshape(part, reader.shape or reader.count)
        if refused := values.refusal(reader.read, shaped):
            return refused
    return next((sentence for condition, sentence in check.rules if values.compute(condition.data, numbers)), "")


def with_rules(check):
    """The check that has the rules: that of the smallest count makes it when it is asked for the first time."""
    return check._check if isinstance(check, values.SmallestCount) else check


def _lettered(letter, text, sentence):
    return Choice(f"({letter}) {text}", not sentence, _not_yet(sentence) or RIGHT)


def _not_yet(sentence):
    if not sentence:
        return ""
    return f"Not yet: {plain(sentence)}{'' if sentence.endswith(('?', '.')) else '.'}"


def _flat(check, answer):
    """The numbers of an answer in one list; None for what the readers refuse."""
    try:
        parts = [answer] if check.keys is None else [answer[key] for key in check.keys]
        return [float(entry) for reader, part in zip(check.readers, parts, strict=True) for entry in reader.read(part)]
    except (NotYet, Unanswered, TypeError, KeyError, IndexError):
        return None


# --- Other forms of an answer


def _other_forms(check, numbers):
    """Answers that differ in order or sign only."""
    start = 0
    for reader in check.readers:
        end = start + reader.size
        part = np.array(numbers[start:end])
        for other in _rearranged(part, reader.shape):
            yield [*numbers[:start], *other.tolist(), *numbers[end:]]
        start = end


def _rearranged(part, shape):
    yield -part
    for i in range(len(part)):
        yield np.where(np.arange(len(part)) == i, -part, part)
    if shape:
        for j in range(shape[1]):
            flipped = part.reshape(shape).copy()
            flipped[:, j] *= -1
            yield flipped.ravel()
        yield part.reshape(shape)[:, ::-1].ravel()
    elif len(part) <= 5:
        yield from map(np.array, permutations(part.tolist()))
    else:
        yield part[::-1]


# --- Fields


def _labels(exercise, check):
    """What each number of an answer is called."""
    if check.keys is not None:
        sizes = [reader.size for reader in check.readers]
        return [
            key if size == 1 else f"{key}, number {i}"
            for key, size in zip(check.keys, sizes, strict=True)
            for i in range(1, size + 1)
        ]
    (reader,) = check.readers
    if reader.count is None:
        return [""]
    if reader.shape:
        return [f"row {i}, column {j}" for i in range(1, reader.shape[0] + 1) for j in range(1, reader.shape[1] + 1)]
    listed = _LISTED.match(exercise.how)
    named = _NAMES.split(listed[1] if listed else _HOW_MANY.sub("", exercise.how))
    if len(set(named)) != reader.size:
        raise ValueError(
            f"The {reader.size} numbers of {exercise.name} should have a name each, "
            f"behind the dots of its cell or in names.py, but there is {exercise.how!r}."
        )
    return named


def _field(check, answer, i, mistakes):
    """One number of an answer, when all others are right; it has no label yet."""
    right = answer[i]

    def to(number):
        return said(check, [*answer[:i], number, *answer[i + 1 :]])

    whole = _reader_of(check, i).whole
    tolerance = 0.0 if whole else _tolerance(to, right)
    size = max(abs(right), 1.0)
    steps = (1, 2, 3) if whole else [step * size for step in STEPS]
    below, above = (_usual([to(right + sign * step) for step in steps if step > tolerance], check) for sign in (-1, 1))
    otherwise = below if below == above else f"if your number is too small: {below}; if it is too large: {above}"
    found = {}
    for other in mistakes:
        gap = abs(other[i] - right)
        sentence = to(other[i])
        if gap > tolerance and sentence not in ("", below, above) and "⟨" not in sentence:
            near = 0.0 if whole else min(0.005 * abs(other[i]), (gap - tolerance) / 2)
            found.setdefault(other[i], Mistake(_cut(other[i]), _cut(near), _not_yet(sentence)))
    return Field("", _cut(right), tolerance, tuple(found.values()), _not_yet(otherwise))


def _reader_of(check, i):
    for reader in check.readers:
        if i < reader.size:
            return reader
        i -= reader.size
    raise IndexError("The check reads fewer numbers.")


def _usual(sentences, check):
    """What is said most often to numbers that can be read; sentences that hold the number itself are not known yet."""
    outside = {refused for reader in check.readers for refused in reader.data()["refused"].values()}
    left = [NOT_RIGHT if "⟨" in sentence else sentence for sentence in sentences if sentence not in ("", *outside)]
    return Counter(left).most_common(1)[0][0] if left else NOT_RIGHT


def _tolerance(to, right):
    """How far a number may be off, in the direction where it may be less."""
    reach = min(_reach(to, right, -1), _reach(to, right, 1))
    return float(f"{CLOSER * reach:.3g}") if reach > ROUNDING * max(abs(right), 1.0) else 0.0


def _reach(to, right, sign):
    step = ROUNDING * max(abs(right), 1.0)
    while not to(right + sign * step):
        step *= 2
        if step > 1e9 * max(abs(right), 1.0):
            raise ValueError("A check accepts numbers of any size: a system needs a tolerance.")
    inside, outside = 0.0, step
    for _ in range(50):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if to(right + sign * middle) else (middle, outside)
    return inside


def _cut(number):
    return float(format(number, DIGITS))


def number(value):
    """A number as all systems read it: whole numbers without a point, others with all their digits."""
    return str(int(value)) if value == int(value) else repr(float(value))
