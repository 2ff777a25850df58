"""Moodle XML: every question with its feedback, those with several numbers or words as embedded answers (Cloze)."""

from html import escape
from xml.etree import ElementTree as ET

from questions.items import RIGHT, Numbers, OneOf, Words, number
from questions.text import html, in_parentheses, line

TOP = "$course$/top"


def written(groups):
    """The file.

    Parameters
    ----------
    groups : dict of tuple of str to list of items.Item
        The questions of each category, which is named from the outside in.
    """
    quiz = ET.Element("quiz")
    for path, items in groups.items():
        category = ET.SubElement(quiz, "question", type="category")
        _text(category, "category", "/".join([TOP, *(name.replace("/", "//") for name in path)]))
        for item in items:
            _question(quiz, item)
    ET.indent(quiz)
    return ET.tostring(quiz, encoding="utf-8", xml_declaration=True)


def _question(quiz, item):
    kinds = {OneOf: ("multichoice", _choices), Words: ("cloze", _nothing)}
    kind, finish = kinds.get(type(item), ("cloze", _nothing))
    if isinstance(item, Numbers) and len(item.fields) == 1:
        kind, finish = "numerical", _number
    question = ET.SubElement(quiz, "question", type=kind)
    _text(question, "name", f"{item.name}: {item.title}")
    shown = html(item.text, in_parentheses)
    _text(question, "questiontext", shown + _embedded(item) if kind == "cloze" else shown, html=True)
    _text(question, "generalfeedback", html(item.solution, in_parentheses), html=True)
    if kind != "cloze":
        ET.SubElement(question, "defaultgrade").text = "1"
    ET.SubElement(question, "penalty").text = "0.3333333"
    ET.SubElement(question, "hidden").text = "0"
    ET.SubElement(question, "idnumber").text = item.name
    finish(question, item)


def _text(parent, tag, text, html=False):
    element = ET.SubElement(parent, tag, **({"format": "html"} if html else {}))
    ET.SubElement(element, "text").text = text
    return element


def _nothing(question, item):
    """Embedded answers say all in the text."""


def _choices(question, item):
    for tag, value in {
        "single": "true",
        "shuffleanswers": "false" if item.in_order else "true",
        "answernumbering": "none",
        "showstandardinstruction": "0",
    }.items():
        ET.SubElement(question, tag).text = value
    for choice in item.choices:
        answer = ET.SubElement(question, "answer", fraction="100" if choice.right else "0", format="html")
        ET.SubElement(answer, "text").text = html(choice.text, in_parentheses)
        _text(answer, "feedback", html(choice.comment, in_parentheses), html=True)


def _number(question, item):
    (field,) = item.fields
    _numerical(question, "100", number(field.right), field.tolerance, RIGHT)
    for mistake in field.mistakes:
        _numerical(question, "0", number(mistake.value), mistake.tolerance, mistake.sentence)
    _numerical(question, "0", "*", 0.0, field.otherwise)
    for tag, value in {"unitgradingtype": "0", "unitpenalty": "0.1", "showunits": "3", "unitsleft": "0"}.items():
        ET.SubElement(question, tag).text = value


def _numerical(question, fraction, value, tolerance, comment):
    answer = ET.SubElement(question, "answer", fraction=fraction, format="moodle_auto_format")
    ET.SubElement(answer, "text").text = value
    _text(answer, "feedback", html(comment, in_parentheses), html=True)
    ET.SubElement(answer, "tolerance").text = number(tolerance)


# --- Embedded answers


def _embedded(item):
    """A line for each number or word, with the answers that Moodle finds in the text."""
    if isinstance(item, Words):
        lines = [(line(row.key, in_parentheses), _menu(row)) for row in item.rows]
    else:
        lines = [(escape(field.label), _blank(field)) for field in item.fields]
    return "".join(f"\n<p>{label}: {{1:{blank}}}</p>" for label, blank in lines)


def _menu(row):
    words = [f"{'=' if not said else ''}{_safe(word)}#{_comment(said or RIGHT)}" for word, said in row.words.items()]
    return "MULTICHOICE:" + "~".join(words)


def _blank(field):
    answers = [f"={number(field.right)}:{number(field.tolerance)}#{_comment(RIGHT)}"]
    answers += [f"{number(m.value)}:{number(m.tolerance)}#{_comment(m.sentence)}" for m in field.mistakes]
    return "NUMERICAL:" + "~".join([*answers, f"*#{_comment(field.otherwise)}"])


def _comment(text):
    return _safe(line(text, in_parentheses))


def _safe(text):
    """Without the signs that end an embedded answer, of which a browser shows the same by their numbers."""
    return text.replace("~", "&#126;").replace("}", "&#125;")
