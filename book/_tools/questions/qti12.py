"""QTI 1.2 as Canvas reads it: a zip with a manifest, and quizzes, in which of variants one is drawn.

Numbers stand alone there, so that a question with several becomes several. Canvas takes each range of numbers that an
item names for a right answer: mistakes have one comment for all. Formulas are the pictures by which Canvas
shows TeX, with the TeX as their text.
"""

from html import escape
from urllib.parse import quote
from xml.etree import ElementTree as ET

from questions.archive import manifest, xml_bytes, zipped
from questions.items import RIGHT, Numbers, OneOf, Words, number
from questions.text import html, line

ASI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
TYPE = "imsqti_xmlv1p2"
TYPES = {OneOf: "multiple_choice_question", Words: "multiple_dropdowns_question", Numbers: "numerical_question"}


def picture(tex, display):
    """A formula as Canvas stores it."""
    shown, address = escape(tex), quote(quote(tex, safe=""), safe="")
    image = (
        f'<img class="equation_image" title="{shown}" src="/equation_images/{address}?scale=1" '
        f'alt="LaTeX: {shown}" data-equation-content="{shown}">'
    )
    return f'<span style="display: block; text-align: center">{image}</span>' if display else image


def written(quizzes):
    """The package.

    Parameters
    ----------
    quizzes : dict of str to (str, list)
        For each file the title of a quiz and its questions: an item, or a list of variants of one.
    """
    files = {f"{name}/{name}.xml": _assessment(name, title, asked) for name, (title, asked) in quizzes.items()}
    return zipped({"imsmanifest.xml": _manifest(files), **files})


def _manifest(files):
    resources = {file: {"identifier": file.partition("/")[0], "type": TYPE} for file in files}
    return manifest(PACKAGE, "IMS Content", "1.1.3", resources)


def _assessment(name, title, asked):
    ET.register_namespace("", ASI)
    root = ET.Element(f"{{{ASI}}}questestinterop")
    assessment = _in(root, "assessment", ident=name, title=title)
    _metadata(assessment, cc_maxattempts="1")
    section = _in(assessment, "section", ident="root_section")
    for one in asked:
        if isinstance(one, list):
            _drawn(section, one)
        else:
            for part in _parts(one):
                _item(section, part)
    return xml_bytes(root)


def _parts(item):
    return item.parts() if isinstance(item, Numbers) else [item]


def _drawn(section, variants):
    """A section for each number that is asked for, of whose variants one is drawn."""
    for same in zip(*(_parts(variant) for variant in variants), strict=True):
        first = same[0]
        group = _in(section, "section", ident=f"{first.name}-drawn", title=first.title)
        selection = _in(_in(group, "selection_ordering"), "selection")
        _in(selection, "selection_number").text = "1"
        _in(_in(selection, "selection_extension"), "points_per_item").text = "1"
        for part in same:
            _item(group, part)


def _item(section, item):
    element = _in(section, "item", ident=item.name, title=f"{item.name}: {item.title}")
    kind = {OneOf: "multiple_choice_question", Words: "multiple_dropdowns_question"}.get(
        type(item), "numerical_question"
    )
    _metadata(_in(element, "itemmetadata"), question_type=kind, points_possible="1")
    presentation, processing = _in(element, "presentation"), ET.Element(f"{{{ASI}}}resprocessing")
    text = html(item.text, picture)
    if isinstance(item, Words):
        text += "".join(f"\n<p>{line(row.key, picture)}: [row{i}]</p>" for i, row in enumerate(item.rows, 1))
    _material(presentation, text)
    _in(_in(processing, "outcomes"), "decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    fill = {OneOf: _choices, Words: _menus}.get(type(item), _number)
    told = fill(item, presentation, processing)
    if item.solution:
        told["general_fb"] = html(item.solution, picture)
        first = _condition("Yes", "general_fb")
        _in(first.find(f"{{{ASI}}}conditionvar"), "other")
        processing.insert(1, first)
    element.append(processing)
    for ident, shown in told.items():
        flow = _in(_in(element, "itemfeedback", ident=ident), "flow_mat")
        _material(flow, shown)


def _choices(item, presentation, processing):
    labels = [f"choice{i}" for i in range(1, len(item.choices) + 1)]
    _offer(presentation, "response1", zip(labels, (html(choice.text, picture) for choice in item.choices), strict=True))
    told = {}
    for label, choice in zip(labels, item.choices, strict=True):
        told[f"{label}_fb"] = html(choice.comment, picture)
        condition = _condition("Yes", f"{label}_fb")
        _in(condition.find(f"{{{ASI}}}conditionvar"), "varequal", respident="response1").text = label
        processing.append(condition)
    right = next(label for label, choice in zip(labels, item.choices, strict=True) if choice.right)
    condition = _condition("No", None, "100")
    _in(condition.find(f"{{{ASI}}}conditionvar"), "varequal", respident="response1").text = right
    processing.append(condition)
    return told


def _menus(item, presentation, processing):
    told, share = {}, format(100 / len(item.rows), ".2f")
    for i, row in enumerate(item.rows, 1):
        response, labels = f"response_row{i}", [f"row{i}_{j}" for j in range(1, len(row.words) + 1)]
        _offer(presentation, response, zip(labels, map(escape, row.words), strict=True), name=f"row{i}")
        for label, (word, said) in zip(labels, row.words.items(), strict=True):
            told[f"{label}_fb"] = html(said or RIGHT, picture)
            condition = _condition("Yes", f"{label}_fb", share if word == row.right else None, "Add")
            _in(condition.find(f"{{{ASI}}}conditionvar"), "varequal", respident=response).text = label
            processing.append(condition)
    return told


def _number(item, presentation, processing):
    (field,) = item.fields
    response = _in(presentation, "response_str", ident="response1", rcardinality="Single")
    _in(_in(response, "render_fib", fibtype="Decimal"), "response_label", ident="answer1")
    told = {"correct_fb": html(RIGHT, picture)}
    right = _condition("No", "correct_fb", "100")
    either = _in(right.find(f"{{{ASI}}}conditionvar"), "or")
    _in(either, "varequal", respident="response1").text = number(field.right)
    _between(either, field.right, field.tolerance)
    processing.append(right)
    told["general_incorrect_fb"] = html(field.otherwise, picture)
    condition = _condition("Yes", "general_incorrect_fb")
    _in(condition.find(f"{{{ASI}}}conditionvar"), "other")
    processing.append(condition)
    return told


# --- Elements


def _in(parent, tag, **attributes):
    return ET.SubElement(parent, f"{{{ASI}}}{tag}", attributes)


def _metadata(parent, **fields):
    metadata = _in(parent, "qtimetadata")
    for label, entry in fields.items():
        one = _in(metadata, "qtimetadatafield")
        _in(one, "fieldlabel").text = label
        _in(one, "fieldentry").text = entry


def _material(parent, text):
    _in(_in(parent, "material"), "mattext", texttype="text/html").text = text


def _offer(presentation, response, labeled, name=None):
    choice = _in(presentation, "response_lid", ident=response, rcardinality="Single")
    if name:
        _in(_in(choice, "material"), "mattext").text = name
    render = _in(choice, "render_choice")
    for label, shown in labeled:
        _material(_in(render, "response_label", ident=label), shown)


def _condition(goes_on, feedback, score=None, action="Set"):
    condition = ET.Element(f"{{{ASI}}}respcondition", {"continue": goes_on})
    _in(condition, "conditionvar")
    if score:
        _in(condition, "setvar", action=action, varname="SCORE").text = score
    if feedback:
        _in(condition, "displayfeedback", feedbacktype="Response", linkrefid=feedback)
    return condition


def _between(parent, value, tolerance):
    both = _in(parent, "and")
    _in(both, "vargte", respident="response1").text = number(value - tolerance)
    _in(both, "varlte", respident="response1").text = number(value + tolerance)
