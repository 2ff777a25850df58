"""What of a chapter comes onto slides: nodes of its page, chosen and cut.

By themselves come the title and its question, every figure of the Tour with the first sentences of its caption, labeled
equations of the Tour, statements and algorithms that are short enough, the summary, and the quiz. The metadata of the
notebook say what else comes, what stays away, and which words are for slides:

    "slides": {"prop-isomap-circle": "The eigenvalues of a circle are ...", "fig-isomap-holes": false}

maps labels of figures, equations, statements and sections, ``summary``, and ``quiz-1`` and so on, to ``true`` (it
comes), ``false`` (it does not), or to words: a sentence, or a list of them. Formulas stand between dollars. Of a
question, the list is the question and its choices, in their order.
"""

import re

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx_proof.nodes import NODE_TYPES

import hooks
from cells import is_quiz, is_right
from paths import COURSE, FROM, PRACTICE, TOUR

MOST_WORDS = 40  # of a slide, a formula being one
BULLET = 20  # words of a point of the summary
STATEMENTS = tuple(set(NODE_TYPES.values()))
SUMMARY = "Summary"
BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z“(]|$)")
FORMULA = re.compile(r"\$([^$]+)\$")
WORD = re.compile(r"\S*\w\S*")
COUNTED = re.compile(r"^\d+\. ")  # how a question begins


class slide(nodes.General, nodes.Element):
    """A slide: a `slide_title`, what it shows, and `speaker_notes`; its ``kind`` and ``name``."""


class slide_title(nodes.General, nodes.TextElement):
    """The heading of a slide; that of the chapter is of ``level`` 1."""


class speaker_notes(nodes.General, nodes.Element):
    """What only the speaker sees: text of the Tour, with formulas in MathML, for it is shown without our styles."""


class right_mark(nodes.Inline, nodes.Element):
    """The mark of a right choice, which comes one click later."""


# --- Words


def words(node):
    """Number of words in a node, in which a formula is one."""
    if isinstance(node, nodes.math | nodes.math_block):
        return 1
    if isinstance(node, nodes.Text):
        return len(WORD.findall(node))
    return sum(map(words, node.children))


def parsed(text):
    """Nodes of words for slides, in which formulas stand between dollars."""
    parts = enumerate(FORMULA.split(text))
    return [nodes.math("", part) if i % 2 else nodes.Text(part.replace("'", "’")) for i, part in parts if part]


def leading_sentences(children, most):
    """As many of the sentences in a line of text as have at most so many words, but the first in any case."""
    kept, room = [], most
    for sentence in _sentences(children):
        room -= sum(map(words, sentence))
        if kept and room < 0:
            break
        kept += [nodes.Text(" "), *sentence] if kept else sentence
    return kept


def _sentences(children):
    sentence = []
    for child in children:
        if not isinstance(child, nodes.Text):
            sentence.append(child)
            continue
        *ended, rest = BETWEEN_SENTENCES.split(child)
        for text in ended:
            yield [*sentence, nodes.Text(text)]
            sentence = []
        if rest:
            sentence.append(nodes.Text(rest))
    if sentence:
        yield sentence


# --- Slides


class Plan:
    """The slides of one chapter.

    Parameters
    ----------
    env : environment of the build
    docname : name of the chapter
    page : section
        The whole chapter, before anything on it is folded.
    marks : dict
        What the notebook says of its slides, by label.
    """

    def __init__(self, env, docname, page, marks):
        self.env, self.docname, self.marks = env, docname, marks
        self.slides, self.said, self.used = [], [], set()
        self._title(page)
        self._read(page, TOUR)

    def unused(self):
        """Labels of marks that nothing on the page has."""
        return sorted(set(self.marks) - self.used)

    def _mark(self, label):
        self.used.add(label)
        return self.marks.get(label)

    def _add(self, kind, name, title, *content, level=2, notes=()):
        """A new slide, whose notes begin with the text of the Tour since the last one."""
        self.slides.append(slide("", slide_title("", "", *title, level=level), *content, kind=kind, name=name))
        self._tell([*self.said, *notes])
        self.said = []

    def _tell(self, texts):
        """Add texts to the notes of the last slide."""
        if not texts:
            return
        last = self.slides[-1]
        if not isinstance(last[-1], speaker_notes):
            last += speaker_notes()
        last[-1] += [_spoken(text) for text in texts]

    # --- What there is on a page

    def _title(self, page):
        number = ".".join(map(str, self.env.toc_secnumbers[self.docname][""]))
        about = nodes.paragraph("", f"Chapter {number} of {self.env.config.html_title}", classes=["about"])
        question = next((part for part in page[1:4] if _is_question(part)), None)
        content = [nodes.paragraph("", "", *_copied(question[0]), classes=["question"])] if question else []
        self._add("title", "title", _copied(page[0]), *content, about, level=1)

    def _read(self, section, path):
        """The slides of a section that begins on a path, and of those in it."""
        own = _path_of(section, path)
        heading = section[0]
        for label in section["ids"]:
            if label.startswith("sec-") and isinstance(mark := self._mark(label), str | list):
                self._add("message", label, _copied(heading), *_said(mark))
        if heading.astext() == SUMMARY:
            self._summary(section)
        if is_quiz(section):
            self._quiz(section)
            return
        for part in section[1:]:
            if isinstance(part, nodes.section):
                self._end_of_text()
                self._read(part, own)
            elif isinstance(part, STATEMENTS):
                self._statement(part, own)
            elif isinstance(part, nodes.math_block):
                self._equation(part, heading, own)
            elif hooks.is_cell(part):
                for figure in part.findall(nodes.figure):
                    self._figure(figure, heading, own)
            elif own == TOUR and _is_text(part) and heading.astext() != SUMMARY:
                self.said.append(part)
        self._end_of_text()

    def _end_of_text(self):
        """What is said after the last picture of a section belongs to it."""
        self._tell(self.said)
        self.said = []

    def _figure(self, figure, heading, path):
        label = figure["ids"][0]
        mark = self._mark(label)
        if mark is False or (mark is None and path != TOUR):
            return
        shown = figure.deepcopy()
        shown["classes"].append("opening")  # loads at once
        caption = next(shown.findall(nodes.caption))
        room = MOST_WORDS - words(heading)
        caption[:] = parsed(mark) if isinstance(mark, str) else leading_sentences(_copied(caption), room)
        self._add("figure", label, _copied(heading), shown)

    def _statement(self, statement, path):
        title, content = statement.children
        label, (kind, counter) = statement["label"], hooks.kinds(statement)
        mark = self._mark(label)
        number = hooks.number(self.env, self.docname, counter, label)
        name = [nodes.Text(f"{kind.capitalize()} {number}"), *_name_of(title)]
        short = sum(map(words, [*name, content])) <= MOST_WORDS
        if mark is False or (mark is None and (path == COURSE or not short)):
            return
        shown = _copied(content)
        if isinstance(mark, str | list):
            formulas = [part for part in shown if isinstance(part, nodes.math_block)]
            shown = [*_said(mark), *(formulas if counter != "algorithm" else [])]
        box = nodes.container("", *shown, classes=["statement", kind])
        self._add("statement", label, name, box)

    def _equation(self, equation, heading, path):
        label = equation.get("label")
        mark = self._mark(label) if label else None
        if label is None or mark is False or (mark is None and path != TOUR):
            return
        shown = [equation.deepcopy(), *(_said(mark) if isinstance(mark, str | list) else [])]
        last = self.slides[-1]
        if last["kind"] == "equations" and last["heading"] == heading.astext() and not (mark or last["marked"]):
            last.insert(len(last) - isinstance(last[-1], speaker_notes), shown)
            self._end_of_text()
            return
        self._add("equations", label, _copied(heading), *shown)
        self.slides[-1].attributes |= {"heading": heading.astext(), "marked": bool(mark)}

    def _summary(self, section):
        mark = self._mark("summary")
        points = next((part for part in section if isinstance(part, nodes.bullet_list)), None)
        if mark is False or points is None:
            return
        lines = list(map(parsed, mark or ()))
        lines = lines or [leading_sentences(_copied(point[0]), BULLET) for point in points]
        pages = [[]]
        for line in lines:
            if sum(map(words, [node for other in [*pages[-1], line] for node in other])) > MOST_WORDS - 1:
                pages.append([])
            pages[-1].append(line)
        for i, page in enumerate(pages, 1):
            self._add("summary", f"summary-{i}", _copied(section[0]), _listed(page))
        self._tell([points])

    def _quiz(self, section):
        questions = []
        for part in section[1:]:
            if hooks.is_dropdown(part):
                questions[-1][1].append(part)
            elif isinstance(part, nodes.paragraph) and COUNTED.match(part.astext()):
                questions.append((part, []))
        for i, (question, choices) in enumerate(questions, 1):
            self._question(i, question, choices)

    def _question(self, number, question, choices):
        mark = self._mark(f"quiz-{number}")
        if mark is False:
            return
        asked = _copied(next(question.findall(nodes.strong), question))
        asked[0] = nodes.Text(COUNTED.sub("", asked[0].astext()))
        lines = [asked, *(_copied(choice[0]) for choice in choices)]
        if isinstance(mark, list):
            lines = list(map(parsed, mark))
        if len(lines) != 1 + len(choices):
            raise ExtensionError(
                f"{self.docname}, quiz-{number}: its slide needs a question and {len(choices)} choices"
            )
        items = [
            nodes.list_item("", nodes.paragraph("", "", *line, *([right_mark()] if is_right(choice) else [])))
            for line, choice in zip(lines[1:], choices, strict=True)
        ]
        for item, choice in zip(items, choices):
            item["classes"].append("right" if is_right(choice) else "wrong")
        listed = nodes.enumerated_list("", *items, enumtype="loweralpha", prefix="", suffix=".", classes=["choices"])
        comments = [
            nodes.paragraph("", "", nodes.strong("", f"({letter}) "), *_copied(part))
            for letter, choice in zip("abcdefgh", choices)
            for part in choice[1:2]
        ]
        line = nodes.paragraph("", "", *lines[0], classes=["question"])
        self._add("quiz", f"quiz-{number}", [nodes.Text(f"Question {number}")], line, listed, notes=comments)


# --- Nodes


def _path_of(section, path):
    """The path on which the text of a section begins."""
    for prefix in ("text-", ""):
        for first in (PRACTICE, COURSE):
            if prefix + FROM[first] in section["classes"]:
                return first
    return path


def _is_question(node):
    return isinstance(node, nodes.paragraph) and len(node) == 1 and isinstance(node[0], nodes.emphasis)


def _is_text(node):
    kinds = nodes.paragraph | nodes.bullet_list | nodes.enumerated_list | nodes.math_block
    return isinstance(node, kinds) and "path-mark" not in node["classes"] and not _is_question(node)


def _name_of(title):
    """What a statement is called, after its number."""
    name = title.astext().strip().strip("()")
    return [nodes.Text(f": {name}")] if name else []


def _said(mark):
    """The words of a mark: a sentence, or a list of them."""
    return [nodes.paragraph("", "", *parsed(mark))] if isinstance(mark, str) else [_listed(map(parsed, mark))]


def _listed(lines):
    return nodes.bullet_list("", *(nodes.list_item("", nodes.paragraph("", "", *line)) for line in lines))


def _copied(node):
    """What is in a node, once more, without links and targets: nobody follows them on a wall."""
    copy = node.deepcopy()
    for part in list(copy.findall(lambda part: isinstance(part, nodes.reference | nodes.target))):
        part.replace_self(part.children)
    return copy.children


def _spoken(text):
    """A text of the page as it stands in the notes."""
    spoken = nodes.container("", text.deepcopy())
    spoken = nodes.container("", *_copied(spoken))
    for formula in spoken.findall(lambda part: isinstance(part, nodes.math | nodes.math_block)):
        formula["mathml"], formula["number"], formula["ids"] = True, None, []
    return spoken
