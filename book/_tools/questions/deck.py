"""The questions of the book as cards for Anki, with a deck for each chapter.

    PYTHONPATH=book/_tools python -m questions.deck [FILE]

writes the quizzes, the exercises that take values, and the terms of the glossary into _build/cards.apkg: what the page
*Repeat* asks, too. A card is known by its name, so that what Anki knows of it stays when a newer deck is added.
"""

import hashlib
import re
import string
import sys
from pathlib import Path

from questions.reading import exercises, quizzes
from questions.text import html, in_parentheses, line
from sources import CHAPTER_NUMBERS, CHAPTERS, PAGES, ROOT, labels, markdown

FILE = ROOT / "_build" / "cards.apkg"
TITLE = "Dimensionality Reduction"
CSS = """\
.card { font: 20px/1.45 Georgia, serif; margin: 0 auto; max-width: 36rem; text-align: left; }
.from { color: #767676; font-size: 14px; }
ol { list-style-type: lower-alpha; }
"""
FRONT = "{{Front}}"
BACK = '{{FrontSide}}<hr id="answer">{{Back}}<p class="from">{{From}}</p>'
TERM = re.compile(r"^(\S.*)\n  (.+)$", re.M)
EXPLAINED = re.compile(r"\{(?:num)?ref\}`(?:[^`<]*<)?(sec-[a-z0-9-]+)>?`")
CITED = re.compile(r"\s*\{cite\}`[^`]*`")
MISSING = "Cards are written by genanki, which is not installed: .venv/bin/pip install 'genanki>=0.13.1'."


def cards():
    """Each card: its name, the file of its chapter, and as HTML its front, its back, and what it is taken from."""
    for quiz in quizzes():
        yield quiz.name, quiz.chapter, *_sides(quiz), f"Quiz of {_title(quiz.chapter)}"
    for exercise in exercises():
        front = f"<p><b>{line(exercise.title, in_parentheses)}</b></p>{html(exercise.asked, in_parentheses)}"
        if exercise.choices:
            front += _choices(exercise.choices.values())
        elif exercise.how:
            front += f"<p>Your answer: {_word(exercise.how)}</p>"
        origin = f"Exercise {exercise.name} of {_title(exercise.chapter)}"
        yield exercise.name, exercise.chapter, front, html(exercise.solution, in_parentheses), origin
    for term, definition, chapter in terms():
        yield f"term-{term}", chapter, f"<p><b>{_word(term)}</b></p>", html(definition, in_parentheses), "Glossary"


def terms():
    """Each term of the glossary, its definition, and the chapter with the first section that explains it."""
    glossary = markdown(next(path for path in PAGES if path.stem == "glossary"))
    chapter_of = {label: path.stem for path in CHAPTERS for label in labels(markdown(path))}
    for term, definition in TERM.findall(glossary):
        chapters = [chapter_of[label] for label in EXPLAINED.findall(definition) if label in chapter_of]
        yield term, CITED.sub("", definition), next(iter(chapters), None)


def _sides(quiz):
    """Question and choices; then the right one, and what the book says of each."""
    said = "".join(f"<li>{html(choice.comment, in_parentheses)}</li>" for choice in quiz.choices)
    right = string.ascii_lowercase[[choice.right for choice in quiz.choices].index(True)]
    front = html(quiz.text, in_parentheses) + _choices(choice.text for choice in quiz.choices)
    return front, f"<p><b>({right})</b></p><ol>{said}</ol>"


def _choices(texts):
    """A list with letters."""
    return f"<ol>{''.join(f'<li>{line(text, in_parentheses)}</li>' for text in texts)}</ol>"


def _word(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _title(chapter):
    """A chapter with its number, as decks are called."""
    path = next(path for path in CHAPTERS if path.stem == chapter)
    name = re.search(r"^# (.+)$", markdown(path), re.M)[1]
    return f"{CHAPTER_NUMBERS[path]:02}. {name}"


def package():
    """All decks, as genanki writes them.

    Raises
    ------
    SystemExit
        If genanki is not installed.
    """
    try:
        import genanki
    except ModuleNotFoundError:
        raise SystemExit(MISSING) from None
    fields = [{"name": name} for name in ("Name", "Front", "Back", "From")]
    templates = [{"name": "Card", "qfmt": FRONT, "afmt": BACK}]
    model = genanki.Model(_number("model"), TITLE, fields=fields, templates=templates, css=CSS)
    decks = {None: genanki.Deck(_number("more"), f"{TITLE}::More")}
    for path in CHAPTERS:
        decks[path.stem] = genanki.Deck(_number(path.stem), f"{TITLE}::{_title(path.stem)}")
    for name, chapter, front, back, origin in cards():
        note = genanki.Note(model, [name, front, back, origin], guid=genanki.guid_for(TITLE, name))
        decks[chapter].add_note(note)
    return genanki.Package([deck for deck in decks.values() if deck.notes])


def _number(name):
    """By which Anki knows a deck, or a kind of note: the same in every edition."""
    return int.from_bytes(hashlib.sha256(f"{TITLE}: {name}".encode()).digest()[:4]) % 2**30 + 2**30


def main():
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    made = package()
    file.parent.mkdir(parents=True, exist_ok=True)
    made.write_to_file(file)
    print(f"The cards are ready: {sum(len(deck.notes) for deck in made.decks)} in {file}")


if __name__ == "__main__":
    main()
