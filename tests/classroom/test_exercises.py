"""Every exercise accepts its right answers, however written, and refuses its wrong ones with a reason."""

import importlib
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.classroom.exercises import check_of, exercise_names, judge, prefixes, verdict
from dimred_lessons.classroom.exercises.mechanism import NotYet, Unanswered
from dimred_lessons.classroom.exercises.values import COARSE, Numbers
from sources import CHAPTERS, code, markdown, read

FOLDER = Path(__file__).parent / "answers"
NAMES = [name for prefix in prefixes() for name in exercise_names(prefix)]
ROUNDED = [
    name
    for name in NAMES
    if isinstance(check_of(name), Numbers) and not all(reader.whole for reader in check_of(name).readers)
]


def answers(name):
    """The right and the wrong answers to an exercise. Many are computed when their file is imported."""
    module = importlib.import_module(f"answers.{name.partition('-')[0]}")
    return module.RIGHT[name], module.WRONG[name]


def each(names):
    """The test for each exercise, or first word of exercises. One worker tries all of one word."""
    marks = {
        prefix: [
            pytest.mark.rests_on(f"answers.{prefix}", f"dimred_lessons.classroom.exercises.{prefix}"),
            pytest.mark.xdist_group(prefix),
        ]
        for prefix in prefixes()
    }
    return pytest.mark.parametrize(
        "name", [pytest.param(name, id=name, marks=marks[name.partition("-")[0]]) for name in names]
    )


def refusal(name, answer):
    """Why an answer is refused, or None."""
    try:
        judge(name, answer)
    except NotYet as why:
        return str(why)


# --- The book, the checks and their answers


def test_every_file_of_exercises_has_a_file_of_answers():
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == prefixes()


@each(prefixes())
def test_the_exercises_of_a_chapter_are_numbered_without_gaps_and_all_have_answers(name):
    names, module = exercise_names(name), importlib.import_module(f"answers.{name}")
    assert names == [f"{name}-{number}" for number in range(1, len(names) + 1)]
    assert list(module.RIGHT) == names == list(module.WRONG)


@each(NAMES)
def test_an_exercise_is_tried_with_three_right_and_four_wrong_answers(name):
    right, wrong = answers(name)
    assert len(right) >= 3 and len(wrong) >= 4


def cutting_far_from_every_singular_value(A, **options):
    """np.linalg.pinv, if it finds no singular value where rounding decides whether it is cut off."""
    if not options.keys() & {"rcond", "rtol"}:
        values = np.linalg.svd(A, compute_uv=False)
        assert not np.any((values > 3e-16 * values[0]) & (values < 3e-15 * values[0])), "rounding decides"
    return _PINV(A, **options)


_PINV = np.linalg.pinv  # cuts at 1e-15 of the largest singular value, unless it is told otherwise


@each(NAMES)
def test_a_right_answer_is_accepted_however_it_is_written(name, monkeypatch):
    monkeypatch.setattr(np.linalg, "pinv", cutting_far_from_every_singular_value)
    right, _ = answers(name)
    assert [refusal(name, answer) for answer in right] == [None] * len(right)


@each(NAMES)
def test_a_wrong_answer_is_refused_in_one_line(name):
    _, wrong = answers(name)
    reasons = [refusal(name, answer) for answer in wrong]
    assert all(reason and "\n" not in reason and len(reason) > 12 for reason in reasons), reasons


def rounded(name, digits):
    """The right answer with so many digits; whole numbers, and places before the point, stay."""
    check, (right, *_) = check_of(name), answers(name)[0]
    parts = []
    for reader, part in zip(check.readers, [right] if check.keys is None else right.values(), strict=True):
        numbers = [
            one if reader.whole else float(f"{one:.{digits}g}" if abs(one) < 10 ** (digits - 1) else f"{one:.0f}")
            for one in reader.read(part)
        ]
        parts.append(numbers[0] if reader.count is None else np.reshape(numbers, reader.shape or -1).tolist())
    return parts[0] if check.keys is None else dict(zip(check.keys, parts, strict=True))


@each(ROUNDED)
def test_three_digits_are_enough_and_two_are_not_called_wrong(name):
    assert refusal(name, rounded(name, 3)) is None
    assert refusal(name, rounded(name, 2)) in (None, COARSE)


@each(ROUNDED)
def test_a_wrong_answer_is_not_called_a_rounded_one(name):
    _, wrong = answers(name)
    assert COARSE not in [refusal(name, answer) for answer in wrong]


def blank(*arguments): ...


@each(NAMES)
def test_a_blank_is_not_answered_yet(name):
    blanks = [..., None, [..., ...], {"a": ...}, lambda *arguments: ...]
    for answer in [*blanks, blank] if any(map(callable, answers(name)[0])) else blanks[:4]:
        assert verdict(name, answer) == "not answered yet"


@each(NAMES)
def test_a_strange_answer_is_refused_in_one_line_and_no_check_stumbles(name):
    def nothing(*arguments):
        len(arguments)

    values = ["", "x", "3, 4", True, -7, 1e300, np.inf, np.nan, 1j, b"b", print, object(), nothing]
    containers = [
        [],
        {},
        set(),
        {"a": 1},
        [[1], [2, 3]],
        [1, ...],
        [None, 2],
        iter([1, 2]),
        np.array(["a", "b"]),
    ]
    arrays = [
        np.zeros((0, 2)),
        np.zeros((3, 3)),
        np.zeros((12, 2)),
        np.full((4, 4), np.nan),
        sparse.eye_array(3),
    ]
    functions = [lambda *given: given, lambda *given: "x", lambda *given: np.nan, lambda: 1]
    for answer in values + containers + arrays + functions:
        with pytest.raises((NotYet, Unanswered)) as refused:
            judge(name, answer)
        assert "\n" not in str(refused.value)


@cache
def printed():
    """How often the cells of the chapters printed each line."""
    outputs = [output for path in CHAPTERS for cell in read(path).cells for output in cell.get("outputs", [])]
    return Counter(line for output in outputs for line in output.get("text", "").splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_the_book_shows_each_exercise_unanswered_and_its_solution_correct(name):
    assert printed()[f"{name}: not answered yet"] == printed()[f"{name}: correct"] == 1


# --- The right choice can stand anywhere


def assert_balanced(places):
    """Each place among equally many choices is right about equally often: within one, or a quarter."""
    for n_choices in {n for n, _ in places}:
        counts = [places[n_choices, place] for place in range(n_choices)]
        share = sum(counts) / n_choices
        assert max(abs(count - share) for count in counts) <= max(1, share / 4), f"{n_choices} choices: {counts}"


def test_the_right_letter_of_an_exercise_is_spread_over_the_letters():
    right = [path.read_text(encoding="utf-8").partition("\nWRONG = ")[0] for path in FOLDER.glob("*.py")]
    choices = [name for text in right for name in re.findall(r'^    "([a-z]+-\d+)": \[\s*"', text, re.MULTILINE)]
    letters = [letter for path in CHAPTERS for letter in re.findall(r'^answer = "([a-d])"$', code(path), re.MULTILINE)]
    assert len(letters) == len(choices)
    assert_balanced(Counter((4, "abcd".index(letter)) for letter in letters))


def test_the_right_choice_of_a_quiz_question_is_spread_over_the_places():
    places = Counter()
    for path in CHAPTERS:
        quiz = markdown(path).partition("### Quiz")[2].partition("\n### ")[0]
        for question in re.split(r"^\*\*\d+\. .+\*\*$", quiz, flags=re.MULTILINE)[1:]:
            openings = re.findall(r"^:::\{dropdown\} .+\n(Right|Not quite)", question, re.MULTILINE)
            places[len(openings), openings.index("Right")] += 1
    assert_balanced(places)


# --- What is imported


def test_only_the_exercises_asked_for_are_imported():
    program = """
import sys
from dimred_lessons.classroom.exercises import check
check("graphs-6", ...)
print([name for name in sys.modules if ".exercises." in name])
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    folder = "dimred_lessons.classroom.exercises"
    loaded = [f"{folder}.mechanism", f"{folder}.values", f"{folder}.graphs"]
    assert run.stdout.splitlines() == ["graphs-6: not answered yet", str(loaded)]
