"""The question bank holds what the book asks, and every learning platform that reads it says what the book says."""

import importlib
import re
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dimred_lessons.classroom.exercises import check_of, exercise_names, prefixes, values
from dimred_lessons.classroom.exercises.mechanism import NotYet
from questions import bank, deck, gift, items, moodle, names, qti12, qti21, reading, variants
from questions.qti12 import ASI, picture
from questions.qti21 import QTI
from questions.text import html, in_parentheses, line, words
from sources import CHAPTERS, ROOT, markdown
from support import chromium, platforms

TRIED = ["pca", "dual", "graphs"]  # their answers are there at once; choices, words, and numbers of all kinds


def fake_mathml(tex, display):
    return f"<math><mtext>{html_text(tex)}</mtext></math>"


def html_text(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


@pytest.fixture(scope="module")
def parts():
    """Three chapters of the bank."""
    names = {exercise.name.partition("-")[0]: exercise.chapter for exercise in reading.exercises()}
    return [part for prefix in TRIED for part in bank.parts(names[prefix])]


@pytest.fixture(scope="module")
def all_items(parts):
    return {item.name: item for item in bank.all_items(parts)}


@pytest.fixture(scope="module")
def whole_bank():
    """The bank of all chapters, without variants."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(variants, "FAMILIES", {})
        return bank.parts()


# --- Reading


def test_every_choice_of_every_quiz_is_read():
    choices = sum(len(quiz.choices) for quiz in reading.quizzes())
    written = [re.search(r"^### Quiz\n(.*?)(?=^#|\Z)", markdown(path), re.M | re.S)[1] for path in CHAPTERS]
    assert choices == sum(text.count(":::{dropdown}") for text in written)
    assert len(reading.quizzes()) == sum(len(re.findall(r"^\*\*\d+\. ", text, re.M)) for text in written)
    assert {quiz.chapter for quiz in reading.quizzes()} == {path.stem for path in CHAPTERS}


def test_a_negative_number_in_a_choice_has_a_minus_sign():
    texts = [text for quiz in reading.quizzes() for one in quiz.choices for text in (one.text, one.comment)]
    outside = [re.sub(r"\$[^$]*\$|`[^`]*`", "", text) for text in texts]
    assert [text for text in outside if re.search(r"(?<![\w-])-\d", text)] == []


@pytest.mark.built
def test_a_figure_is_called_by_the_number_that_it_has_on_its_page():
    captioned = r'<figure[^>]*id="(fig-[a-z0-9-]+)".*?<span class="caption-number">(Fig\. [\d.]+)'
    for path in CHAPTERS:
        page = (chromium.SITE / "book" / f"{path.stem}.html").read_text(encoding="utf-8")
        for label, number in re.findall(captioned, page, re.S):
            assert words("numref", label) == number


def test_what_has_a_number_is_said_to_be_in_the_book():
    assert line("By {prf:ref}`prop-choosing-procrustes`.", in_parentheses).endswith(" of the book.")
    assert line("Exercise: {ref}`isomap-1`.", in_parentheses) == "Exercise: exercise isomap-1 of the book."
    assert line("By {eq}`tangent-cost`.", in_parentheses).endswith(") of the book.")
    assert "of the book" not in line("See {ref}`ch-isomap` and {term}`chart`.", in_parentheses)


def test_every_exercise_that_is_answered_on_the_page_is_read():
    named = {exercise.name for exercise in reading.exercises()}
    names = [name for prefix in prefixes() for name in exercise_names(prefix)]
    of_values = {name for name in names if isinstance(check_of(name), values.Check)}
    assert named == of_values and len(reading.exercises()) == len(named)
    assert all(exercise.text and exercise.hint and exercise.solution for exercise in reading.exercises())


def test_texts_leave_no_sign_of_markdown_behind():
    texts = [choice.comment for quiz in reading.quizzes() for choice in quiz.choices]
    texts += [text for exercise in reading.exercises() for text in (exercise.text, exercise.solution)]
    for text in texts:
        shown = html(text, lambda tex, display: "")
        assert not re.search(r"\{[a-z:]+\}`|:::|\$|\]\(", shown), shown
        ET.fromstring(f"<div>{shown}</div>")


def test_what_a_check_says_is_shown_as_it_is_written():
    sentence = "K_q *q* = [0] for α < γ, `log` |det W| & $x$ ~ \\b"
    assert unescape(line(items.plain(sentence), in_parentheses)) == sentence


# --- Items


@pytest.mark.parametrize("name", [e.name for e in reading.exercises() if e.name.partition("-")[0] in TRIED])
def test_numbers_within_the_tolerance_are_right_for_the_check_and_others_are_not(name):
    exercise = next(one for one in reading.exercises() if one.name == name)
    right, wrong = reading.stored_answers(name)
    try:
        item = items.of_exercise(exercise, right[0], wrong)
    except items.ManyAnswers:
        assert name in ("dual-1", "dual-9")
        return
    if not isinstance(item, items.Numbers):
        return
    check = items.with_rules(exercise.check)
    answer = [field.right for field in item.fields]
    for i, field in enumerate(item.fields):
        for sign in (-1, 1):
            near = [*answer[:i], field.right + sign * field.tolerance, *answer[i + 1 :]]
            assert not items.said(check, near)
        for mistake in field.mistakes:
            assert abs(mistake.value - field.right) > field.tolerance + mistake.tolerance or not field.tolerance
            assert items.said(check, [*answer[:i], mistake.value, *answer[i + 1 :]])


def test_answers_whose_order_or_sign_is_free_are_left_out(parts):
    assert [name for part in parts for name in part.left_out] == ["dual-1", "dual-9"]


@pytest.mark.xdist_group("whole_bank")
def test_a_number_of_several_has_a_name(whole_bank):
    items_of = {item.name: item for part in whole_bank for item in [*part.exercises, *part.results]}
    assert names.NAMES.keys() <= {exercise.name for exercise in reading.exercises()}
    assert [field.label for field in items_of["isomap-1"].fields] == [f"distance to {place}" for place in "BCDE"]
    for item in items_of.values():
        labels = [field.label for field in item.fields] if isinstance(item, items.Numbers) else []
        assert len(labels) < 2 or (all(labels) and len(set(labels)) == len(labels)), item.name
        assert not [label for label in labels if re.search(r"number \d|\\", label)], item.name


def test_numbers_without_names_are_an_error():
    exercise = next(one for one in reading.exercises() if one.name == "isomap-1")
    with pytest.raises(ValueError, match="The 4 numbers of isomap-1 should have a name each.*'four numbers'"):
        items.of_exercise(replace(exercise, how="four numbers"), reading.stored_answers("isomap-1")[0][0], [])


def test_a_letter_stands_with_its_choice_which_leaves_the_text():
    lettered = [one for one in reading.exercises() if isinstance(one.check, values.Choice)]
    assert {"isomap-6", "rp-2", "ppca-6", "sne-7"} <= {one.name for one in lettered}  # in a line, and in lists
    for exercise in lettered:
        item = items.of_exercise(exercise, "a", [])
        for letter, choice in zip("abcd", item.choices, strict=True):
            text = exercise.choices[letter]
            assert text and "\n\n" not in text and choice.text == f"({letter}) {text}" and text not in item.text
        assert not re.search(r"\([a-d]\)|\*\*[a-d]\*\*", item.text) and item.in_order


def test_a_letter_without_a_choice_is_an_error():
    with pytest.raises(ValueError, match="The text of rp-2 should have one choice for each of a, b, c, d"):
        reading._split("rp-2", "Which? (a) one; (b) two", check_of("rp-2"))


def test_what_is_about_data_says_which_notebook_it_needs():
    for exercise in reading.exercises():
        about_data = re.search(r"`[^`]*(datasets\.|images\[|varied\[)", exercise.text)
        assert exercise.needs_notebook or not about_data, exercise.name
        assert (f"the notebook of the chapter, {exercise.chapter}.ipynb." in exercise.asked) == exercise.needs_notebook


def test_proofs_and_projects_are_apart_and_every_format_says_that_their_result_is_asked_for(parts):
    results = {item.name: item for part in parts for item in part.results}
    assert set(results) == {"pca-9", "graphs-8", "graphs-9", "graphs-10"}
    said = "Only the result is asked for here, not the "
    seen, categories = platforms.moodle(moodle.written(bank.by_category(parts)))
    for category, asked in categories.items():
        apart = f"/{bank.RESULTS}" in category
        assert all((said in seen[name].text) == apart for name in asked)
        assert all((name.partition("-variant")[0] in results) == apart for name in asked)
    canvas = platforms.package(qti12.written(bank.by_quiz(parts)))
    assert [name.partition("/")[0] for name in canvas if said in canvas[name].decode()] == [
        "01_pca-results",
        "06_graphs-results",
    ]
    of_qti21 = platforms.package(qti21.Writer(fake_mathml).written(list(results.values()), {}))
    assert all(said in content.decode() for content in of_qti21.values())
    assert {name for name, _, front, _, _ in deck.cards() if said in front} == {
        exercise.name for exercise in reading.exercises() if exercise.asks_for_more
    }


# --- Variants


@pytest.mark.parametrize("name", list(variants.FAMILIES))
def test_twenty_variants_differ_and_their_checks_accept_the_answer_and_refuse_the_mistake(name):
    exercise = next(one for one in reading.exercises() if one.name == name)
    drawn = variants.drawn(name)
    asked = [variants.varied(exercise, variant, number) for number, variant in enumerate(drawn, 1)]
    assert len(drawn) == variants.COUNT
    assert len({one.text for one in asked} | {exercise.text}) == variants.COUNT + 1
    for variant in drawn:
        check = variants.check_with(name, variant.data)
        check(variant.answer)
        with pytest.raises(NotYet):
            check(variant.mistake)
    assert len(bank.variants_of(exercise)) == variants.COUNT


@pytest.mark.parametrize("name", list(variants.FAMILIES))
def test_variants_are_the_same_every_time(name):
    assert [repr(one) for one in variants.drawn(name)] == [repr(one) for one in variants.drawn(name)]


def test_a_variant_whose_words_the_book_no_longer_has_is_an_error():
    exercise = next(one for one in reading.exercises() if one.name == "lem-2")
    variant = variants.Variant({}, {"$s = 19$": "$s = 20$"}, 0, 0)
    with pytest.raises(ValueError, match="lem-2 says nothing of"):
        variants.varied(exercise, variant, 1)


# --- Moodle


def test_moodle_reads_every_question_with_its_comments(parts, all_items):
    seen, categories = platforms.moodle(moodle.written(bank.by_category(parts)))
    assert list(seen) == list(all_items)
    assert list(categories) == ["/".join(["$course$/top", *path]) for path in bank.by_category(parts)]
    for name, item in all_items.items():
        one, text = seen[name], html(item.text, in_parentheses)
        assert one.text.startswith(text) and one.solution == html(item.solution, in_parentheses)
        if isinstance(item, items.OneOf):
            known = [
                (html(c.text, in_parentheses), None, c.right, html(c.comment, in_parentheses)) for c in item.choices
            ]
            assert one.kind == "multichoice" and one.answers == known
        elif isinstance(item, items.Numbers) and len(item.fields) == 1:
            assert one.kind == "numerical" and one.text == text
            _same_numbers(item.fields[0], one.answers, html)
        else:
            assert one.kind == "cloze"
            blanks = platforms.embedded(one.text)
            _same_blanks(item, blanks)


def _same_numbers(field, answers, shown):
    expected = [(items.number(field.right), items.number(field.tolerance), True, shown(items.RIGHT, in_parentheses))]
    for mistake in field.mistakes:
        sentence = shown(mistake.sentence, in_parentheses)
        expected.append((items.number(mistake.value), items.number(mistake.tolerance), False, sentence))
    *found, (others, _, right, comment) = answers
    assert found == expected
    assert (others, right, comment) == ("*", False, shown(field.otherwise, in_parentheses))


def _same_blanks(item, blanks):
    if isinstance(item, items.Numbers):
        for field, answers in zip(item.fields, blanks, strict=True):
            _same_numbers(field, [(a, b, c, unescape_signs(d)) for a, b, c, d in answers], line)
    else:
        for row, answers in zip(item.rows, blanks, strict=True):
            expected = [(word, not said, line(said or items.RIGHT, in_parentheses)) for word, said in row.words.items()]
            assert [(word, right, unescape_signs(comment)) for word, _, right, comment in answers] == expected


def unescape_signs(text):
    return text.replace("&#126;", "~").replace("&#125;", "}")


# --- GIFT


def test_gift_says_the_same_one_number_at_a_time(parts, all_items):
    seen, categories = platforms.gift(gift.written(bank.by_category(parts)))
    assert len(categories) == len(bank.by_category(parts))
    asked = {}
    for item in all_items.values():
        for part in item.parts() if isinstance(item, items.Numbers) else [item]:
            asked[part.name] = part
    assert list(seen) == list(asked)
    for name, item in asked.items():
        one = seen[name]
        assert one.text == " ".join(html(item.text, in_parentheses).split())
        assert one.solution == " ".join(html(item.solution, in_parentheses).split())
        if isinstance(item, items.OneOf):
            known = [(_line(c.text), c.right, _line(c.comment)) for c in item.choices]
            assert one.kind == "choice" and one.answers == known
        elif isinstance(item, items.Words):
            assert one.kind == "matching"
            assert [answer[0] for answer in one.answers] == [f"{_line(row.key)} -> {row.right}" for row in item.rows]
        else:
            (field,) = item.fields
            assert one.kind == "numerical"
            assert one.answers[0] == (
                f"{items.number(field.right)}:{items.number(field.tolerance)}",
                True,
                items.RIGHT,
            )
            assert one.answers[-1] == ("", False, _line(field.otherwise))
            assert [comment for _, _, comment in one.answers[1:-1]] == [_line(m.sentence) for m in field.mistakes]


def _line(text):
    return " ".join(line(text, in_parentheses).split())


# --- QTI


def test_canvas_scores_and_comments_as_the_book_does(parts):
    files = platforms.package(qti12.written(bank.by_quiz(parts)))
    found = {}
    for content in files.values():
        for item in ET.fromstring(content).iter(f"{{{ASI}}}item"):
            assert item.get("ident") not in found
            found[item.get("ident")] = item
    asked = [one for _, questions in bank.by_quiz(parts).values() for one in questions]
    asked = [item for one in asked for item in (one if isinstance(one, list) else [one])]
    asked = [part for item in asked for part in (item.parts() if isinstance(item, items.Numbers) else [item])]
    assert set(found) == {item.name for item in asked}
    for item in asked:
        _answered_by_canvas(item, found[item.name])


def _answered_by_canvas(item, element):
    told = [html(item.solution, picture)] if item.solution else []
    if isinstance(item, items.OneOf):
        for i, choice in enumerate(item.choices, 1):
            score, said = platforms.canvas(element, {"response1": f"choice{i}"})
            assert score == (100 if choice.right else 0)
            assert said == [*told, html(choice.comment, picture)]
    elif isinstance(item, items.Words):
        right = {
            f"response_row{i}": f"row{i}_{list(row.words).index(row.right) + 1}" for i, row in enumerate(item.rows, 1)
        }
        score, said = platforms.canvas(element, right)
        assert score == pytest.approx(100, abs=0.1) and len(said) == len(item.rows) + len(told)
        assert platforms.canvas(element, {})[0] == 0
    else:
        (field,) = item.fields
        for given, score, sentence in _responses(replace(field, mistakes=())):
            assert platforms.canvas(element, {"response1": given}) == (score * 100, [*told, html(sentence, picture)])


def test_canvas_is_told_no_range_of_wrong_numbers_which_it_would_take_for_right(parts):
    files = platforms.package(qti12.written(bank.by_quiz(parts)))
    conditions = [one for content in files.values() for one in ET.fromstring(content).iter(f"{{{ASI}}}respcondition")]
    ranges = [one for one in conditions if one.find(f".//{{{ASI}}}vargte") is not None]
    assert ranges and all(one.findtext(f"{{{ASI}}}setvar") == "100" for one in ranges)


def _responses(field):
    """Numbers as they are typed, their score, and what is said to them."""
    yield items.number(field.right), 1, items.RIGHT
    if field.tolerance:
        yield repr(field.right + 0.9 * field.tolerance), 1, items.RIGHT
    for mistake in field.mistakes:
        yield items.number(mistake.value), 0, mistake.sentence
    yield repr(field.right + 12345.678), 0, field.otherwise


def test_of_the_variants_of_an_exercise_canvas_draws_one(parts):
    files = platforms.package(qti12.written(bank.by_quiz(parts)))
    sections = [
        section
        for content in files.values()
        for section in ET.fromstring(content).iter(f"{{{ASI}}}section")
        if section.get("ident") != "root_section"
    ]
    assert sections
    for section in sections:
        assert section.findtext(f".//{{{ASI}}}selection_number") == "1"
        assert len(section.findall(f"{{{ASI}}}item")) == variants.COUNT


def test_an_item_of_qti_2_1_scores_and_comments_as_the_book_does(all_items):
    files = platforms.package(qti21.Writer(fake_mathml).written(list(all_items.values()), {}))
    assert list(files) == [f"items/{name}.xml" for name in all_items]
    for name, item in all_items.items():
        found = platforms.Item21(files[f"items/{name}.xml"])
        solution = [_text(item.solution)] if item.solution else []
        score, _ = found.answer(found.correct)
        assert score == pytest.approx(1)
        assert found.answer({})[0] == 0
        if isinstance(item, items.OneOf):
            for i, choice in enumerate(item.choices, 1):
                score, said = found.answer({"RESPONSE_1": f"CHOICE_{i}"})
                assert score == choice.right and said == [_text(choice.comment), *solution]
        elif isinstance(item, items.Numbers):
            for i, field in enumerate(item.fields, 1):
                for given, score, sentence in _responses(field):
                    got, said = found.answer({f"RESPONSE_{i}": given})
                    assert got == pytest.approx(score / len(item.fields)) and _text(sentence) in said


def _text(markdown):
    """What is read of a text, with the TeX of its formulas."""
    shown = html(markdown, lambda tex, display: f"<i>{html_text(tex)}</i>")
    return "".join(ET.fromstring(f"<div>{shown}</div>").itertext()).strip()


ORDER = ["responseDeclaration", "outcomeDeclaration", "itemBody", "responseProcessing", "modalFeedback"]
BLOCKS = {"p", "ul", "ol", "blockquote", "pre", "choiceInteraction"}


def test_items_of_qti_2_1_have_the_structure_of_the_standard(all_items):
    files = platforms.package(qti21.Writer(fake_mathml).written(list(all_items.values()), {}))
    for content in files.values():
        root = ET.fromstring(content)
        kinds = [part.tag.removeprefix(f"{{{QTI}}}") for part in root]
        assert kinds == sorted(kinds, key=ORDER.index) and kinds.count("itemBody") == 1
        body = root.find(f"{{{QTI}}}itemBody")
        assert {part.tag.removeprefix(f"{{{QTI}}}") for part in body} <= BLOCKS
        declared = {part.get("identifier") for part in root if part.tag.endswith("Declaration")}
        used = {part.get("responseIdentifier") for part in root.iter() if part.get("responseIdentifier")}
        used |= {part.get("outcomeIdentifier") for part in root.iter() if part.get("outcomeIdentifier")}
        used |= {part.get("identifier") for kind in ("variable", "correct") for part in root.iter(f"{{{QTI}}}{kind}")}
        assert used <= declared and declared - used <= {"SCORE"}
        names = [part.get("identifier") for part in root.iter() if part.get("identifier")]
        assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", name) for name in names)


def test_a_test_of_qti_2_1_lists_the_questions_of_a_quiz_and_draws_one_of_the_variants(parts, all_items):
    quizzes = bank.by_quiz(parts)
    content = qti21.Writer(fake_mathml).written(list(all_items.values()), quizzes)
    files = platforms.package(content)
    assert [name for name in files if name.startswith("tests/")] == [f"tests/{name}.xml" for name in quizzes]
    needed = platforms.needed_with(content)
    for name, (title, asked) in quizzes.items():
        test = platforms.Test21(files[f"tests/{name}.xml"])
        assert test.root.get("title") == title and test.shows_feedback
        assert test.asked == [
            [one.name for one in several] if isinstance(several, list) else several.name for several in asked
        ]
        assert all(f"items/{item}.xml" in files for item in test.items) and needed[f"test-{name}"] == test.items
        assert test.total(dict.fromkeys(test.items, 0.5)) == pytest.approx(len(asked) / 2)
    with_variants = [several for _, asked in quizzes.values() for several in asked if isinstance(several, list)]
    assert with_variants and all(len(several) == variants.COUNT for several in with_variants)


def test_formulas_of_qti_2_1_are_mathml_of_version_2():
    writer = qti21.Writer(
        lambda tex, display: '<math display="block"><mstyle indentshift="2em"><mi>x</mi></mstyle></math>'
    )
    space = f'xmlns="{qti21.MATHML}"'
    assert writer.math("x", True) == f'<math {space} display="block"><mstyle><mi>x</mi></mstyle></math>'


def test_packages_are_the_same_byte_for_byte(parts):
    assert qti12.written(bank.by_quiz(parts)) == qti12.written(bank.by_quiz(parts))


def test_numbers_are_written_without_rounding():
    for value in (8.0, 0.1, 1e-7, 1 / 3, -2.0, 133333333.0):
        assert float(items.number(value)) == value
    assert items.number(np.float64(0.5)) == "0.5" and items.number(3.0) == "3"


# --- The command and what is said of it


def test_teachers_are_told_how_many_exercises_have_variants():
    said = [
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("README.md", "book/appendices/teaching.md", "CHANGELOG.md")
    ]
    counts = [re.findall(r"(\d+)(?: of them| exercises)(?: come)? in twenty variants", text) for text in said]
    assert counts == [[str(len(variants.FAMILIES))]] * 3


@pytest.mark.xdist_group("whole_bank")
def test_teachers_are_told_how_many_questions_are_where(whole_bank):
    command = importlib.import_module("questions.__main__")
    counts = [int(number) for number in re.findall(r": (\d+)", command.said(whole_bank))]
    page = " ".join((ROOT / "book/appendices/teaching.md").read_text(encoding="utf-8").split())
    told = (
        r"bank has (\d+) questions of quizzes, (\d+) exercises, and (\d+) results of proofs and projects"
        r".*?notebook of the chapter: (\d+)"
    )
    quiz, exercises, results, _, on_data = counts
    assert [int(number) for number in re.search(told, page).groups()] == [quiz, exercises, results, on_data]


@pytest.mark.built
def test_the_command_writes_the_bank_of_a_chapter_with_formulas_as_mathml(tmp_path, monkeypatch, capsys):
    command = importlib.import_module("questions.__main__")
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    command.main("01_pca")
    said = capsys.readouterr().out
    assert "Questions of quizzes: 4. Exercises: 4. Results of proofs and projects: 1." in said
    assert "With variants: 3, 60 in all. With the notebook only: 1." in said
    for name in ("moodle.xml", "gift.txt", "canvas-qti-1.2.zip"):
        assert (tmp_path / name).stat().st_size
    items_of_pca = platforms.package((tmp_path / "qti-2.1.zip").read_bytes())
    assert len(items_of_pca) == 69 + 3
    formulas = list(ET.fromstring(items_of_pca["items/pca-1.xml"]).iter(f"{{{qti21.MATHML}}}math"))
    assert formulas and formulas[0].find(f".//{{{qti21.MATHML}}}mi").text == "S"
    with pytest.raises(SystemExit, match="There is no chapter nowhere"):
        command.main("nowhere")
