"""The question bank: all questions of the book as items, by chapter, with what is left out and why."""

import re
from dataclasses import dataclass, field

from questions import items, reading, variants
from sources import CHAPTERS, markdown

BOOK = "Dimensionality reduction"
RESULTS = "Results of proofs and projects"
KINDS = {"quiz": "Quiz", "exercises": "Exercises", "results": RESULTS}
_TITLE = re.compile(r"^# (.+)$", re.M)


@dataclass(frozen=True)
class Part:
    """The questions of a chapter.

    Attributes
    ----------
    name, title : str
        That of the notebook, and that of the chapter.
    quiz, exercises, results : list of items.Item
        Exercises that ask for a proof or a report besides are among the results.
    variants : dict of str to list of items.Item
        By the name of the exercise.
    left_out : list of str
        Exercises with several right answers, of which a learning platform could know one.
    on_data : list of str
        Exercises that nobody answers without the notebook.
    """

    name: str
    title: str
    quiz: list = field(default_factory=list)
    exercises: list = field(default_factory=list)
    results: list = field(default_factory=list)
    variants: dict = field(default_factory=dict)
    left_out: list = field(default_factory=list)
    on_data: list = field(default_factory=list)


def parts(chapter=None):
    """The questions of all chapters, or of one, in order."""
    found = {
        path.stem: Part(path.stem, _TITLE.search(markdown(path))[1])
        for path in CHAPTERS
        if chapter in (None, path.stem)
    }
    for quiz in reading.quizzes():
        if quiz.chapter in found:
            found[quiz.chapter].quiz.append(items.of_quiz(quiz))
    for exercise in reading.exercises():
        if exercise.chapter in found:
            _add(found[exercise.chapter], exercise)
    return list(found.values())


def _add(part, exercise):
    right, wrong = reading.stored_answers(exercise.name)
    try:
        item = items.of_exercise(exercise, right[0], wrong)
    except items.ManyAnswers:
        part.left_out.append(exercise.name)
        return
    (part.results if exercise.asks_for_more else part.exercises).append(item)
    if exercise.needs_notebook:
        part.on_data.append(exercise.name)
    if exercise.name in variants.FAMILIES:
        part.variants[exercise.name] = variants_of(exercise)


def variants_of(exercise):
    """The items of the variants of an exercise."""
    return [
        items.of_exercise(
            variants.varied(exercise, variant, number),
            variant.answer,
            [variant.mistake],
            variants.check_with(exercise.name, variant.data),
        )
        for number, variant in enumerate(variants.drawn(exercise.name), 1)
    ]


def by_category(parts):
    """Categories from the outside in, with their items: variants of an exercise are in one inside that of its kind."""
    groups = {}
    for part in parts:
        for kind, title in KINDS.items():
            groups[BOOK, part.title, title] = asked = getattr(part, kind)
            for name in [item.name for item in asked if item.name in part.variants]:
                groups[BOOK, part.title, title, f"Variants of {name}"] = part.variants[name]
    return {path: asked for path, asked in groups.items() if asked}


def by_quiz(parts):
    """Up to three quizzes a chapter, by file name: title and questions, a list where one of several is drawn."""
    quizzes = {}
    for part in parts:
        for kind, title in KINDS.items():
            asked = [part.variants.get(item.name, item) for item in getattr(part, kind)]
            quizzes[f"{part.name}-{kind}"] = f"{part.title}: {title.lower()}", asked
    return {name: quiz for name, quiz in quizzes.items() if quiz[1]}


def all_items(parts):
    """Every item once."""
    return [item for several in by_category(parts).values() for item in several]
