"""The one reader of the book's questions: the quizzes of all chapters, and the exercises that take values.

Texts are the Markdown of the notebooks, which `text.html` turns into what a page of another system shows.
"""

import importlib
import re
import sys
from dataclasses import dataclass, field
from functools import cache

from dimred_lessons.classroom.exercises import check_of, values
from questions.names import NAMES
from sources import CHAPTERS, ROOT, code, markdown

ANSWERS = ROOT / "tests" / "classroom"  # of whose package `answers` each module holds RIGHT and WRONG
RIGHT = "Right"  # begins the comment on the right choice
PROOF, PROJECT, ON_DATA = "Prove it", "Open project", "On data"  # begin a title

_QUIZ = re.compile(r"^### Quiz\n(.*?)(?=^#|\Z)", re.M | re.S)
_QUESTION = re.compile(r"^\*\*(\d+)\. (.*?)\*\*$", re.M | re.S)
_DROPDOWN = re.compile(r"^:::\{dropdown\} (.*?)\n(.*?)\n:::$", re.M | re.S)
_EXERCISE = re.compile(r"^:::\{exercise\} (.*?)\n:label: (\S+)\n(.*?)\n:::$", re.M | re.S)
_SOLUTION = re.compile(r"^:::\{solution\} (\S+)\n(?::class: dropdown\n)?(.*?)\n:::$", re.M | re.S)
_LETTER = re.compile(r"(?:^|(?<=\s))(?:- )?(?:\(|\*\*)([a-z])(?:\)|\*\*) ", re.M)  # (a), or a in bold
_BLANK = re.compile(r'^answer = [^\n#]*# *([^\n]*)\n+check\("([a-z]+-\d+)"', re.M)


@dataclass(frozen=True)
class Choice:
    """A choice of a quiz, with what the book says to the one who makes it."""

    text: str
    right: bool
    comment: str


@dataclass(frozen=True)
class Quiz:
    """One question of a quiz: ``quiz-pca-2`` is the second one of the chapter whose exercises are ``pca``."""

    name: str
    chapter: str
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Exercise:
    """An exercise whose answer is numbers or words.

    Attributes
    ----------
    name, chapter : str
        ``pca-1``, and the name of its notebook.
    title, text : str
        The title without its stars; what is asked, without choices.
    choices : dict of str to str
        What stands behind each letter in the book, where one is to be chosen.
    stars : int
        From 1 to 3.
    how : str
        Which numbers, in which order: from `names`, or from behind the dots of its cell. Empty if neither says it.
    hint, solution : str
    check : Check
    """

    name: str
    chapter: str
    title: str
    text: str
    choices: dict[str, str] = field(hash=False)
    stars: int
    how: str
    hint: str
    solution: str
    check: values.Check = field(repr=False, compare=False)

    @property
    def asks_for_more(self):
        """Whether a proof or a report is asked for, of which the answer is the result only."""
        return self._kind in (PROOF, PROJECT)

    @property
    def needs_notebook(self):
        """Whether nobody finds the answer without computing on data."""
        return self._kind in (PROJECT, ON_DATA)

    @property
    def asked(self):
        """What is asked where nobody reads a proof or a report, or sees the notebook of the chapter."""
        notes = []
        if self.asks_for_more:
            written = "proof" if self._kind == PROOF else "report"
            notes.append(f"Only the result is asked for here, not the {written}.")
        if self.needs_notebook:
            notes.append(f"You need the notebook of the chapter, {self.chapter}.ipynb.")
        return f"*{' '.join(notes)}*\n\n{self.text}" if notes else self.text

    @property
    def _kind(self):
        return self.title.partition(":")[0]


@cache
def quizzes():
    """Every question of every quiz, in the order of the book."""
    return tuple(quiz for path in CHAPTERS for quiz in _quizzes_of(path))


@cache
def exercises():
    """Every exercise that takes a value, in the order of the book."""
    return tuple(exercise for path in CHAPTERS for exercise in _exercises_of(path))


def stored_answers(name):
    """The right and the wrong answers with which the check of an exercise is tested. Some are computed first."""
    if str(ANSWERS) not in sys.path:
        sys.path.append(str(ANSWERS))
    module = importlib.import_module(f"answers.{name.partition('-')[0]}")
    return module.RIGHT[name], module.WRONG[name]


def _quizzes_of(path):
    prose = markdown(path)
    prefix = _EXERCISE.search(prose)[2].partition("-")[0]
    section = _QUIZ.search(prose)[1]
    begins = [*_QUESTION.finditer(section)]
    ends = [*(found.start() for found in begins[1:]), len(section)]
    for found, end in zip(begins, ends, strict=True):
        after = section[found.end() : end]
        choices = tuple(
            Choice(title, comment.startswith(RIGHT), comment) for title, comment in _DROPDOWN.findall(after)
        )
        more = _DROPDOWN.sub("", after).strip()  # a figure, a formula or a second paragraph of the question
        text = f"{found[2]}\n\n{more}".strip()
        if sum(choice.right for choice in choices) != 1:
            raise ValueError(f"Question {found[1]} of the quiz of {path.stem} should have one choice called {RIGHT!r}.")
        yield Quiz(f"quiz-{prefix}-{found[1]}", path.stem, text, choices)


def _exercises_of(path):
    prose = markdown(path)
    solutions = {name: text.strip() for name, text in _SOLUTION.findall(prose)}
    how = {name: text for text, name in _BLANK.findall(code(path)) if "..." not in text}
    found = [*_EXERCISE.finditer(prose)]
    ends = [*(following.start() for following in found[1:]), len(prose)]
    for exercise, end in zip(found, ends, strict=True):
        title, name, text = exercise.groups()
        check = check_of(name)
        if not isinstance(check, values.Check):
            continue
        hints = [text for kind, text in _DROPDOWN.findall(prose[exercise.end() : end]) if kind.startswith("Hint")]
        choices = {}
        if isinstance(check, values.Choice):
            text, choices = _split(name, text, check)
        yield Exercise(
            name=name,
            chapter=path.stem,
            title=title.rstrip(" ★"),
            text=text.strip(),
            choices=choices,
            stars=title.count("★"),
            how=NAMES.get(name, how.get(name, "")),
            hint="\n\n".join(hints),
            solution=solutions[name],
            check=check,
        )


def _split(name, text, check):
    """What is asked, and what stands behind each letter that may be chosen."""
    asked, *found = _LETTER.split(text)
    choices = {letter: behind.strip().removesuffix(";") for letter, behind in zip(found[::2], found[1::2], strict=True)}
    letters = list(check.data()["rows"][0]["words"])
    if list(choices) != letters:
        raise ValueError(f"The text of {name} should have one choice for each of {', '.join(letters)}: (a) ...")
    return asked, choices
