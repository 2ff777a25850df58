"""What a learning platform makes of the files of the question bank: it reads them, and answers to a response."""

import io
import re
import zipfile
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from questions.qti12 import ASI
from questions.qti12 import PACKAGE as CARTRIDGE
from questions.qti21 import PACKAGE, QTI


@dataclass
class Seen:
    """A question as a platform has it: what is asked, and for each response the answers it knows."""

    kind: str
    text: str
    solution: str = ""
    answers: list = field(default_factory=list)


# --- Moodle


def moodle(content):
    """Every question by name, and the categories in order with the names of their questions."""
    seen, categories = {}, {}
    for question in ET.fromstring(content):
        if question.get("type") == "category":
            names = categories.setdefault(question.findtext("category/text"), [])
            continue
        name = question.findtext("name/text").partition(":")[0]
        assert name == question.findtext("idnumber") and name not in seen
        names.append(name)
        told = question.findtext("generalfeedback/text") or ""
        one = seen[name] = Seen(question.get("type"), question.findtext("questiontext/text"), told)
        for answer in question.findall("answer"):
            right = answer.get("fraction") == "100"
            one.answers.append(
                (answer.findtext("text"), answer.findtext("tolerance"), right, answer.findtext("feedback/text"))
            )
    return seen, categories


def embedded(text):
    """The answers that Moodle finds in the text of a question, blank by blank: answer, tolerance, right, comment."""
    blanks = []
    for kind, answers in re.findall(r"\{1:(NUMERICAL|MULTICHOICE):(.*?)\}", text):
        known = []
        for answer in answers.split("~"):
            value, _, comment = answer.removeprefix("=").partition("#")
            value, _, tolerance = value.partition(":") if kind == "NUMERICAL" else (value, "", "")
            known.append((value, tolerance, answer.startswith("="), comment))
        blanks.append(known)
    return blanks


# --- GIFT, as Moodle reads it

_CONTROL = {r"\:": "\x01", r"\#": "\x02", r"\=": "\x03", r"\{": "\x04", r"\}": "\x05", r"\~": "\x06"}


def gift(content):
    """Every question by name, and the categories."""
    text = content.decode().replace("\\\\", "\x07")
    for written, held in _CONTROL.items():
        text = text.replace(written, held)
    seen, categories = {}, []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith("$CATEGORY: "):
            categories.append(block.removeprefix("$CATEGORY: "))
            continue
        name, asked, answers = re.fullmatch(r"::(.*?)::\[html\](.*?)\{(.*)\}", block, re.S).groups()
        name = _held(name).partition(":")[0]
        assert name not in seen
        answers, _, told = answers.partition("####")
        kind = "numerical" if answers.startswith("#") else "matching" if "->" in answers else "choice"
        one = seen[name] = Seen(kind, _held(asked), _held(told.strip()))
        for sign, answer in re.findall(r"^([=~])(.*)$", answers.removeprefix("#"), re.M):
            value, _, comment = answer.partition("#")
            one.answers.append((_held(value), sign == "=" and not value.startswith("%0%"), _held(comment)))
    return seen, categories


def _held(text):
    for written, held in _CONTROL.items():
        text = text.replace(held, written[1])
    return text.replace("\x07", "\\")


# --- QTI


def package(content):
    """The files of a package by name; those of its manifest are all there."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = ET.fromstring(files.pop("imsmanifest.xml"))
    space = manifest.tag.partition("}")[0].strip("{")
    assert space in (CARTRIDGE, PACKAGE)
    assert [file.get("href") for file in manifest.iter(f"{{{space}}}file")] == list(files)
    idents = [resource.get("identifier") for resource in manifest.iter(f"{{{space}}}resource")]
    assert len(set(idents)) == len(idents) == len(files)
    return files


def canvas(item, responses):
    """Score and comments of a QTI 1.2 item for responses by their identifiers."""
    score, told = 0.0, []
    for condition in item.iter(f"{{{ASI}}}respcondition"):
        if all(_holds12(test, responses) for test in condition.find(f"{{{ASI}}}conditionvar")):
            for change in condition.findall(f"{{{ASI}}}setvar"):
                score = float(change.text) + (score if change.get("action") == "Add" else 0)
            told += [_comment12(item, link.get("linkrefid")) for link in condition.findall(f"{{{ASI}}}displayfeedback")]
            if condition.get("continue") == "No":
                break
    return score, told


def _holds12(test, responses):
    kind = test.tag.removeprefix(f"{{{ASI}}}")
    if kind in ("and", "or"):
        return (all if kind == "and" else any)(_holds12(part, responses) for part in test)
    if kind == "other":
        return True
    given = responses.get(test.get("respident"))
    if kind == "varequal":
        return given == test.text
    return given is not None and {"vargte": float.__ge__, "varlte": float.__le__}[kind](float(given), float(test.text))


def _comment12(item, ident):
    (told,) = [comment for comment in item.iter(f"{{{ASI}}}itemfeedback") if comment.get("ident") == ident]
    return told.findtext(f".//{{{ASI}}}mattext")


def needed_with(content):
    """What a package of QTI 2.1 says is needed with each of its resources, by identifiers."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest = ET.fromstring(archive.read("imsmanifest.xml"))
    return {
        resource.get("identifier"): [one.get("identifierref") for one in resource.iter(f"{{{PACKAGE}}}dependency")]
        for resource in manifest.iter(f"{{{PACKAGE}}}resource")
    }


class Test21:
    """A QTI 2.1 test: what it asks, in order, and what it makes of the scores of its items."""

    __test__ = False  # pytest takes it for one

    def __init__(self, content):
        self.root = ET.fromstring(content)
        self.items = [one.get("identifier") for one in self.root.iter(f"{{{QTI}}}assessmentItemRef")]
        (part,) = self.root.findall(f"{{{QTI}}}testPart")
        (section,) = part.findall(f"{{{QTI}}}assessmentSection")
        self.shows_feedback = part.find(f"{{{QTI}}}itemSessionControl").get("showFeedback") == "true"
        self.asked = list(map(self._asked, section))

    def _asked(self, part):
        """A question, or the questions of which one is drawn."""
        if part.tag == f"{{{QTI}}}assessmentItemRef":
            assert part.get("href") == f"../items/{part.get('identifier')}.xml"
            return part.get("identifier")
        drawn, *several = part
        assert drawn.tag == f"{{{QTI}}}selection" and drawn.get("select") == "1"
        return list(map(self._asked, several))

    def total(self, scores):
        """The score of the test, if the first of several is drawn."""
        (rule,) = self.root.find(f"{{{QTI}}}outcomeProcessing")
        (added,) = rule.find(f"{{{QTI}}}sum")
        assert rule.get("identifier") == added.get("variableIdentifier") == "SCORE"
        return sum(scores[one[0] if isinstance(one, list) else one] for one in self.asked)


class Item21:
    """A QTI 2.1 item that runs its response processing."""

    def __init__(self, content):
        self.root = ET.fromstring(content)
        self.correct = {
            one.get("identifier"): one.findtext(f".//{{{QTI}}}value")
            for one in self.root.iter(f"{{{QTI}}}responseDeclaration")
        }

    def answer(self, responses):
        """The score and what is told."""
        values = {
            one.get("identifier"): one.findtext(f".//{{{QTI}}}value")
            for one in self.root.iter(f"{{{QTI}}}outcomeDeclaration")
        }
        values |= responses
        self._run(self.root.find(f"{{{QTI}}}responseProcessing"), values)
        told = [
            "".join(one.itertext()).strip()
            for one in self.root.iter(f"{{{QTI}}}modalFeedback")
            if values.get(one.get("outcomeIdentifier")) == one.get("identifier")
        ]
        return float(values["SCORE"]), told

    def _run(self, rules, values):
        for rule in rules:
            kind = rule.tag.removeprefix(f"{{{QTI}}}")
            if kind == "setOutcomeValue":
                values[rule.get("identifier")] = self._value(rule[0], values)
            elif kind == "responseCondition":
                for branch in rule:
                    test = [] if branch.tag.endswith("responseElse") else [branch[0]]
                    if all(self._value(one, values) for one in test):
                        self._run(branch[len(test) :], values)
                        break

    def _value(self, expression, values):
        kind, identifier = expression.tag.removeprefix(f"{{{QTI}}}"), expression.get("identifier")
        if kind == "variable":
            return values.get(identifier)
        if kind == "correct":
            return self.correct[identifier]
        if kind == "baseValue":
            return expression.text
        parts = [self._value(part, values) for part in expression]
        if kind == "and":
            return all(parts)
        if kind == "match":
            return parts[0] == parts[1]
        if None in parts:
            return False
        if kind == "sum":
            return sum(map(float, parts))
        return {"gte": float.__ge__, "lte": float.__le__}[kind](*map(float, parts))
