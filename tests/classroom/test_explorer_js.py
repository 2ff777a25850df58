"""The script of the figures that move: joined as it should be, and its numbers, in the Node of the book."""

import re

import numpy as np
import pytest

from dimred_lessons.classroom.explorers import explorer, frames, scripts
from support.javascript import script

explorer_js = script("main.js")
MODULES = sorted(path.name for path in scripts.FOLDER.glob("*.js"))
every_script = pytest.mark.parametrize("entry", ["main.js", "main_live.js"])

# --- One script of many modules


@pytest.mark.parametrize("entry", MODULES)
def test_a_module_stands_once_behind_those_that_it_imports(entry):
    order = scripts.in_order(entry)
    assert set(order) <= set(MODULES) and len(order) == len(set(order)) and order[-1] == entry
    for place, name in enumerate(order):
        imported = re.findall(r'from "\./(.+?)"', scripts.read(name))
        assert set(imported) <= set(order[:place]), name


@every_script
def test_the_script_says_what_its_modules_say(entry):
    """Line by line, but for the imports: nothing is renamed, and nothing left out."""
    said = [line for name in scripts.in_order(entry) for line in scripts.read(name).splitlines()]
    kept = [line for line in said if not line.startswith("import ")]
    assert [line for line in scripts.joined(entry).splitlines() if line] == [line for line in kept if line]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_what_it_uses_and_another_one_offers(name):
    """Joined, a module would find a name that it forgot to import."""
    offered = {
        other: set(re.findall(r"^export (?:class|const|function) (\w+)", scripts.read(other), re.M))
        for other in MODULES
    }
    source = scripts.read(name)
    imports = re.findall(r'^import \{ (.+) \} from "\./(.+)";$', source, re.M)
    imported = {one for names, _ in imports for one in names.split(", ")}
    for names, other in imports:
        assert set(names.split(", ")) <= offered[other], other
    code = re.sub(r"//.*|^import .*|(?<=[^.]\.)\w+|\w+(?=:)", "", source, flags=re.M)
    used = set(re.findall(r"\w+", code))
    assert imported <= used
    declared = set(re.findall(r"(?:class|const|function|let) (\w+)", source))
    foreign = set().union(*(names for other, names in offered.items() if other != name)) - declared
    assert {
        one for one in foreign if re.search(rf"(?<![\w])(?<![^.]\.){one}(?=\()|new {one}\b|extends {one}\b", code)
    } <= imported


@every_script
def test_no_two_modules_give_the_same_name(entry):
    """Node refuses a module that declares a name twice, and the page would take the second."""
    declared = re.findall(r"^(?:export )?(?:class|const|function|let) (\w+)", scripts.joined(entry), re.M)
    assert len(declared) == len(set(declared))


# --- Numbers


def test_the_page_unpacks_what_python_packed(explorer_js):
    Y = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    np.testing.assert_allclose(explorer_js("unpack", frames.pack(Y)), Y.ravel(), atol=1 / 65000)


def test_the_camera_stands_where_matplotlib_puts_it(explorer_js):
    toward_x = explorer_js("rotate", np.eye(3), 0, 0)
    np.testing.assert_allclose(np.reshape(toward_x, (3, 3)), [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-6)
    from_above = explorer_js("rotate", np.eye(3), 0, np.pi / 2)
    np.testing.assert_allclose(np.reshape(from_above, (3, 3))[2], [0, 0, 1], atol=1e-6)
    right, _, up = np.reshape(explorer_js("rotate", np.eye(3), *np.radians(explorer.IN_FRONT).tolist()), (3, 3))
    np.testing.assert_allclose([right, up], [[1, 0, 0], [0, 1, 0]], atol=1e-6)


def test_turning_keeps_lengths(explorer_js):
    points = np.random.default_rng(1).normal(size=(10, 3))
    turned = np.reshape(explorer_js("rotate", points, 0.7, -0.4), (10, 3))
    np.testing.assert_allclose(turned @ turned.T, points @ points.T, atol=1e-5)


def test_the_nearest_dot_is_found_within_reach(explorer_js):
    dots = np.array([[0, 0], [10, 0], [10, 10]])
    assert explorer_js("nearest", dots, 9, 2, 5) == 1
    assert explorer_js("nearest", dots, 50, 50, 5) == -1


def test_an_arrow_leads_to_a_dot_on_that_side(explorer_js):
    dots = np.array([[0, 0], [10, 1], [4, 30], [-8, 0], [3, -20]])
    assert [explorer_js("neighbor", dots, 0, way) for way in ([1, 0], [0, 1], [-1, 0], [0, -1])] == [1, 2, 3, 4]
    assert explorer_js("neighbor", dots, 3, [-1, 0]) == 3


def test_a_stroke_paints_the_dots_inside_wherever_it_starts(explorer_js):
    dots = np.array([[0, 0], [10, 0], [10, 10], [30, 5]])
    for one, other in [([5, -1], [31, 6]), ([31, 6], [5, -1])]:
        assert explorer_js("dotsInside", dots, one, other) == [1, 3]
    assert explorer_js("dotsInside", dots, [50, 50], [60, 60]) == []


def test_what_is_painted_is_said_by_class_or_range_and_by_rows(explorer_js):
    classes = {"label": "digit", "names": ["3", "8"], "values": ["8", "3", "8", "8"]}
    assert explorer_js("paintedWords", [3, 0, 1], classes) == "3 painted · digit: 8 (2), 3 (1) · points 1, 2, 4"
    many = {"label": "digit", "names": list("abcdef"), "values": list("abcdefabcdef")}
    assert explorer_js("paintedWords", list(range(12)), many) == (
        "12 painted · digit: a (2), b (2), c (2), d (2) and 2 more · points 1, 2, 3, 4, 5, 6, 7, 8, …"
    )
    lengths = {"label": "length", "values": ["0.5", "-2", "1e+03", "7"]}
    assert explorer_js("paintedWords", [0, 1, 2], lengths) == "3 painted · length: -2 to 1000 · points 1, 2, 3"
    assert explorer_js("paintedWords", [3], lengths) == "1 painted · length: 7 · points 4"


def test_easing_runs_from_zero_to_one_and_slows_down(explorer_js):
    shares = [explorer_js("ease", share) for share in (-1, 0, 0.25, 0.5, 1, 2)]
    assert shares[0] == shares[1] == 0 and shares[-1] == shares[-2] == 1
    assert shares[2] - shares[1] > shares[3] - shares[2] > 0
