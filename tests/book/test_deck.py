"""The questions of the book as cards for Anki: all of them, with formulas, and Anki opens them."""

import re
import sys

import pytest

from questions import deck
from questions.reading import exercises, quizzes

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:anki")


@pytest.fixture(scope="module")
def cards():
    return {name: (chapter, front, back, origin) for name, chapter, front, back, origin in deck.cards()}


def test_there_is_a_card_for_every_question_and_every_term(cards):
    asked = [*(quiz.name for quiz in quizzes()), *(exercise.name for exercise in exercises())]
    assert len(asked) > 200 and set(asked) < set(cards)
    terms = [name for name in cards if name.startswith("term-")]
    assert len(terms) > 150 and len(cards) == len(asked) + len(terms)


def test_formulas_are_those_of_anki_and_nothing_is_markdown(cards):
    texts = [text for _, front, back, _ in cards.values() for text in (front, back)]
    assert sum(text.count(r"\(") for text in texts) > 1000
    for text in texts:
        assert text.strip()
        assert text.count(r"\(") == text.count(r"\)") and text.count(r"\[") == text.count(r"\]")
        words = re.sub(r"\\\(.*?\\\)|\\\[.*?\\\]|<code>.*?</code>", "", text, flags=re.S)
        assert not re.search(r"\$|\*\*|:::|\{[a-z:]+\}`", words), words


def test_the_back_of_a_quiz_names_the_right_choice(cards):
    quiz = quizzes()[0]
    _, front, back, origin = cards[quiz.name]
    place = [choice.right for choice in quiz.choices].index(True)
    assert front.count("<li>") == len(quiz.choices)
    assert back.startswith(f"<p><b>({'abcdefgh'[place]})</b></p>")
    assert origin == "Quiz of 01. Principal components analysis"


def test_without_genanki_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "genanki", None)
    with pytest.raises(SystemExit, match=r"^Cards are written by genanki, which is not installed: .* install"):
        deck.package()


def test_anki_opens_the_decks_and_keeps_what_it_knows_when_a_newer_one_is_added(tmp_path, monkeypatch, cards):
    pytest.importorskip("genanki", reason="cards are written by genanki, which is not installed")
    reason = "Anki's own package is not installed: .venv/bin/pip install anki"
    collection = pytest.importorskip("anki.collection", reason=reason)
    file = tmp_path / "cards.apkg"
    monkeypatch.setattr(sys, "argv", ["deck", str(file)])
    deck.main()
    opened = collection.Collection(str(tmp_path / "collection.anki2"))
    request = collection.ImportAnkiPackageRequest(package_path=str(file))
    opened.import_anki_package(request)
    notes = opened.find_notes("")
    assert len(notes) == len(cards)
    names = [one.name for one in opened.decks.all_names_and_ids()]
    assert f"{deck.TITLE}::07. Isomap" in names and sum(name.startswith(deck.TITLE + "::") for name in names) >= 24
    card = opened.get_note(notes[0]).cards()[0]
    assert r"\(" in card.question() + card.answer()
    opened.sched.set_due_date([card.id], "5")
    opened.import_anki_package(request)
    assert len(opened.find_notes("")) == len(cards)
    assert opened.get_card(card.id).ivl == 5
    opened.close()
