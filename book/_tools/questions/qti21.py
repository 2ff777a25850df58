"""QTI 2.1: a zip with a manifest, a file for each question, and one for each test that lists some of them.

Formulas are MathML, as the standard has them.
"""

import re
from html import escape
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

from questions.archive import manifest, zipped
from questions.items import RIGHT, OneOf, Words, number
from questions.text import html, line

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
MATHML = "http://www.w3.org/1998/Math/MathML"
ITEM, TEST = "imsqti_item_xmlv2p1", "imsqti_test_xmlv2p1"
SOLUTION = "SOLUTION"
LATER = re.compile(r' indent\w+="[^"]*"')  # attributes that MathML 2, which QTI 2.1 includes, does not have


class Writer:
    """Writes packages.

    Parameters
    ----------
    mathml : callable
        What MathML a formula is: a function of its TeX and whether it stands on a line of its own.
    """

    def __init__(self, mathml):
        self.mathml = mathml

    def math(self, tex, display):
        """A formula as it stands in an item."""
        return LATER.sub("", self.mathml(tex, display)).replace("<math", f'<math xmlns="{MATHML}"', 1)

    def written(self, items, quizzes):
        """The package of some questions, and of the quizzes that ask them, as `bank.by_quiz` has them."""
        files = {f"items/{item.name}.xml": self.item(item) for item in items}
        tests = {f"tests/{name}.xml": test(f"test-{name}", *quiz) for name, quiz in quizzes.items()}
        return zipped({"imsmanifest.xml": _manifest(files, tests), **files, **tests})

    def item(self, item):
        """The file of a question."""
        ET.register_namespace("", QTI)
        ET.register_namespace("m", MATHML)
        fixed = {"adaptive": "false", "timeDependent": "false"}
        root = ET.Element(f"{{{QTI}}}assessmentItem", identifier=item.name, title=item.title, **fixed)
        body = ET.Element(f"{{{QTI}}}itemBody")
        self._fill(body, html(item.text, self.math))
        processing = ET.Element(f"{{{QTI}}}responseProcessing")
        ask = {OneOf: self._choices, Words: self._menus}.get(type(item), self._fields)
        asked = list(ask(item, body, processing))  # for each response its type, its right value, and what is told
        for i, (kind, right, _) in enumerate(asked, 1):
            response = _in(root, "responseDeclaration", identifier=f"RESPONSE_{i}", cardinality="single", baseType=kind)
            _in(_in(response, "correctResponse"), "value").text = right
        score = _in(root, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float")
        _in(_in(score, "defaultValue"), "value").text = "0"
        for i in range(1, len(asked) + 1):
            _in(root, "outcomeDeclaration", identifier=f"FEEDBACK_{i}", cardinality="single", baseType="identifier")
        if item.solution:
            told = _in(root, "outcomeDeclaration", identifier=SOLUTION, cardinality="single", baseType="identifier")
            _in(_in(told, "defaultValue"), "value").text = SOLUTION
        root.extend([body, processing])
        for i, (_, _, comments) in enumerate(asked, 1):
            for identifier, comment in comments.items():
                self._feedback(root, f"FEEDBACK_{i}", identifier, comment)
        if item.solution:
            self._feedback(root, SOLUTION, SOLUTION, item.solution)
        return ET.tostring(root, encoding="utf-8", xml_declaration=True)

    def _choices(self, item, body, processing):
        shuffle = "false" if item.in_order else "true"
        offer = _in(body, "choiceInteraction", responseIdentifier="RESPONSE_1", shuffle=shuffle, maxChoices="1")
        comments = {}
        for i, choice in enumerate(item.choices, 1):
            self._fill(_in(offer, "simpleChoice", identifier=f"CHOICE_{i}"), line(choice.text, self.math))
            comments[f"CHOICE_{i}"] = choice.comment
        right = next(f"CHOICE_{i}" for i, choice in enumerate(item.choices, 1) if choice.right)
        _match(processing, 1, 1)
        yield "identifier", right, comments

    def _menus(self, item, body, processing):
        for i, row in enumerate(item.rows, 1):
            paragraph = _in(body, "p")
            self._fill(paragraph, line(row.key, self.math) + ": ")
            offer = _in(paragraph, "inlineChoiceInteraction", responseIdentifier=f"RESPONSE_{i}", shuffle="false")
            comments, right = {}, None
            for j, (word, said) in enumerate(row.words.items(), 1):
                _in(offer, "inlineChoice", identifier=f"WORD_{j}").text = word
                comments[f"WORD_{j}"] = said or RIGHT
                right = right if said else f"WORD_{j}"
            _match(processing, i, len(item.rows))
            yield "identifier", right, comments

    def _fields(self, item, body, processing):
        for i, field in enumerate(item.fields, 1):
            paragraph = _in(body, "p")
            if field.label:
                self._fill(paragraph, escape(field.label) + ": ")
            _in(paragraph, "textEntryInteraction", responseIdentifier=f"RESPONSE_{i}", expectedLength="12")
            condition = _in(processing, "responseCondition")
            first = _in(condition, "responseIf")
            _between(first, i, field.right, field.tolerance)
            _add(first, len(item.fields))
            _say(first, i, "RIGHT")
            comments = {"RIGHT": RIGHT}
            for j, mistake in enumerate(field.mistakes, 1):
                branch = _in(condition, "responseElseIf")
                _between(branch, i, mistake.value, mistake.tolerance)
                _say(branch, i, f"MISTAKE_{j}")
                comments[f"MISTAKE_{j}"] = mistake.sentence
            _say(_in(condition, "responseElse"), i, "OTHERWISE")
            comments["OTHERWISE"] = field.otherwise
            yield "float", number(field.right), comments

    def _feedback(self, root, outcome, identifier, comment):
        told = _in(root, "modalFeedback", outcomeIdentifier=outcome, identifier=identifier, showHide="show")
        self._fill(told, html(comment, self.math))

    def _fill(self, parent, text):
        """Put HTML, which is XML here, into an element."""
        read = ET.fromstring(f'<div xmlns="{QTI}">{text}</div>')
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + (read.text or "")
        else:
            parent.text = (parent.text or "") + (read.text or "")
        parent.extend(read)


def test(identifier, title, asked):
    """The file of a test: its questions in order, where one of several is drawn if there is a list of them."""
    ET.register_namespace("", QTI)
    root = ET.Element(f"{{{QTI}}}assessmentTest", identifier=identifier, title=title)
    score = _in(root, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float")
    _in(_in(score, "defaultValue"), "value").text = "0"
    part = _in(root, "testPart", identifier="PART", navigationMode="nonlinear", submissionMode="individual")
    _in(part, "itemSessionControl", showFeedback="true")
    section = _in(part, "assessmentSection", identifier="QUESTIONS", title=title, visible="true")
    for i, question in enumerate(asked, 1):
        if isinstance(question, list):
            drawn = _in(section, "assessmentSection", identifier=f"ONE_OF_{i}", title=f"Question {i}", visible="false")
            _in(drawn, "selection", select="1")
            for item in question:
                _listed(drawn, item)
        else:
            _listed(section, question)
    total = _in(_in(_in(root, "outcomeProcessing"), "setOutcomeValue", identifier="SCORE"), "sum")
    _in(total, "testVariables", variableIdentifier="SCORE")
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def _listed(section, item):
    _in(section, "assessmentItemRef", identifier=item.name, href=f"../items/{item.name}.xml")


def _manifest(files, tests):
    resources = {file: {"identifier": _stem(file), "type": ITEM, "href": file} for file in files}
    resources |= {file: {"identifier": f"test-{_stem(file)}", "type": TEST, "href": file} for file in tests}
    asked = {
        file: [one.get("identifier") for one in ET.fromstring(content).iter(f"{{{QTI}}}assessmentItemRef")]
        for file, content in tests.items()
    }
    return manifest(PACKAGE, "QTIv2.1 Package", "1.0.0", resources, asked)


def _stem(file):
    return PurePosixPath(file).stem


# --- Elements


def _in(parent, tag, **attributes):
    return ET.SubElement(parent, f"{{{QTI}}}{tag}", attributes)


def _match(processing, i, count):
    """Count a response that is the right one, and tell what belongs to it."""
    condition = _in(processing, "responseCondition")
    first = _in(condition, "responseIf")
    same = _in(first, "match")
    _in(same, "variable", identifier=f"RESPONSE_{i}")
    _in(same, "correct", identifier=f"RESPONSE_{i}")
    _add(first, count)
    told = _in(processing, "setOutcomeValue", identifier=f"FEEDBACK_{i}")
    _in(told, "variable", identifier=f"RESPONSE_{i}")


def _between(parent, i, value, tolerance):
    both = _in(parent, "and")
    for test, bound in [("gte", value - tolerance), ("lte", value + tolerance)]:
        compared = _in(both, test)
        _in(compared, "variable", identifier=f"RESPONSE_{i}")
        _in(compared, "baseValue", baseType="float").text = number(bound)


def _add(parent, count):
    total = _in(_in(parent, "setOutcomeValue", identifier="SCORE"), "sum")
    _in(total, "variable", identifier="SCORE")
    _in(total, "baseValue", baseType="float").text = number(1 / count)


def _say(parent, i, identifier):
    told = _in(parent, "setOutcomeValue", identifier=f"FEEDBACK_{i}")
    _in(told, "baseValue", baseType="identifier").text = identifier
