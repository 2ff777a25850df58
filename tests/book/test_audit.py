"""The audit finds what is true of one sample only, what crashes, and what a wrong package refutes."""

import ast
import builtins
import dis
import importlib
import inspect
import json
import os
import subprocess
import sys
from functools import cache, cached_property, partial
from pkgutil import resolve_name
from types import CodeType, FunctionType, ModuleType

import nbformat
import pytest

from audit import table
from audit.__main__ import main
from audit.execution import Run
from audit.mutants import MUTANTS, Edit, Mutant, named
from audit.notebook import Notebook
from audit.package import Outdated, Package, redirect
from dependencies import imports
from sources import ROOT

PACKAGE = Package()
KERNELS = PACKAGE.functions["kernel_from_squared_distances"][0][0]
IMPORTED = ("kernel_from_squared_distances", "squared_distances", "verify")
CELLS = [
    "\n".join(f"from {PACKAGE.functions[name][0][0]} import {name}" for name in IMPORTED),
    """\
import numpy as np
first = np.random.default_rng(0).uniform()
""",
    """\
verify("the first number of seed 0 is 0.637", abs(first - 0.637) < 0.001)
verify("a number is below one", first < 1)
""",
    """\
raise_on_other_seeds = {True: 1}[abs(first - 0.637) < 0.001]
verify("after what crashes", True)
""",
    """\
points = np.random.default_rng(1).normal(size=(20, 2))
K = kernel_from_squared_distances(squared_distances(points))
centered = points - points.mean(axis=0)
verify("K holds the dot products", np.allclose(K, centered @ centered.T))
verify("K is an array", K.shape == (20, 20))
verify("one is one", np.isclose(1, 1))
""",
    """\
{True: 1}[np.trace(K) > 0]
verify("the trace of K is positive", np.trace(K) > 0)
""",
]
FOUND = ["Gram matrix without ½", "Gram matrix with the wrong sign"]


def write_notebook(folder, cells):
    prose = nbformat.v4.new_markdown_cell("Prose.")
    notebook = nbformat.v4.new_notebook(cells=[prose, *map(nbformat.v4.new_code_cell, cells)])
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / "made_up.ipynb")


def audit(folder, *arguments):
    """Run the audit of the made-up notebook as `make audit` does: (exit code, output, table as data)."""
    places = ["--book", folder / "book", "--out", folder / "out", "--kept", folder / "kept"]
    command = [sys.executable, "-m", "audit", "--chapter", "made_up", *places, *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "book" / "_tools"), *sys.path])}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    assert done.returncode < 2, done.stderr
    return done.returncode, done.stdout, json.loads((folder / "out" / "made_up.json").read_text())


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    write_notebook(folder / "book", CELLS)
    return folder, *audit(folder, "--samples", 1, 2, "--mutants", *FOUND)


@pytest.fixture
def claims(audited):
    return {claim["claim"]: claim for claim in audited[-1]["claims"]}


@pytest.mark.built
def test_a_claim_that_holds_for_one_seed_only_is_a_red_line(audited, claims):
    claim = claims["the first number of seed 0 is 0.637"]
    assert (claim["held"], claim["false"], claim["cell"]) == ([0], [1, 2], 3)
    assert "false in sample 1, 2 (2 of 2)" in audited[-1]["lists"]["RED: false or failing"][0]
    assert claims["a number is below one"]["held"] == [0, 1, 2]
    assert audited[1] == 1


@pytest.mark.built
def test_a_cell_that_crashes_for_other_samples_is_a_red_line_and_the_next_one_runs(audited, claims):
    red = audited[-1]["lists"]["RED: false or failing"]
    assert any(line.startswith("cell 4 fails in sample 1, 2 (2 of 2): KeyError") for line in red)
    assert (claims["after what crashes"]["held"], claims["after what crashes"]["false"]) == ([0], [])
    assert claims["K is an array"]["held"] == [0, 1, 2]


@pytest.mark.built
def test_mutants_of_a_notebook_with_threads_run_to_the_end(tmp_path):
    start = "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\npool.submit(int).result()"
    cells = [CELLS[0], "import numpy as np", start, "pool.submit(int).result()\n" + CELLS[4]]
    write_notebook(tmp_path / "book", cells)
    _, _, found = audit(tmp_path, "--samples", 1, "--mutants", *FOUND)
    assert {claim["claim"]: claim["refuted"] for claim in found["claims"]}["K holds the dot products"] == FOUND


@pytest.mark.built
def test_a_mutant_refutes_a_claim_and_none_refutes_a_shape_or_a_tautology(audited, claims):
    assert claims["K holds the dot products"]["refuted"] == FOUND
    lists = audited[-1]["lists"]
    assert "cell 5 ✓ K is an array" in lists["Rests on a method, refuted by no mutant"]
    assert "cell 5 ✓ one is one" in lists["Rests on data or on nothing of the package, refuted by no mutant"]


@pytest.mark.built
def test_a_crash_is_distinguished_from_a_false_claim(audited, claims):
    claim = claims["the trace of K is positive"]
    assert (claim["refuted"], claim["crashed"]) == ([], ["Gram matrix with the wrong sign"])
    assert "cell 6 ✓ the trace of K is positive" in audited[-1]["lists"]["Refuted by crashes only"]


@pytest.mark.built
def test_only_what_has_changed_is_executed_again(audited, tmp_path):
    folder, _, output, data = audited
    assert output.count(": done") == 4  # the seeds, two samples, the mutants
    _, output, same = audit(folder, "--samples", 1, 2, "--mutants", *FOUND)
    assert ": done" not in output and same == data
    _, output, _ = audit(folder, "--samples", 1, 3, "--mutants", FOUND[0])
    assert [line for line in output.splitlines() if ": done" in line] == ["made_up, sample 3: done"]


def test_a_run_does_not_depend_on_prose_and_comments(tmp_path):
    write_notebook(tmp_path, CELLS)
    content = Notebook(tmp_path / "made_up.ipynb", PACKAGE).content
    assert PACKAGE.trees.keys() > Notebook(tmp_path / "made_up.ipynb", PACKAGE).modules
    write_notebook(tmp_path, ["# another\n" + CELLS[0], *CELLS[1:]])
    assert Notebook(tmp_path / "made_up.ipynb", PACKAGE).content != content
    commented = Package()
    commented.sources[KERNELS] += "\n# a comment\n"
    write_notebook(tmp_path, CELLS)
    assert Notebook(tmp_path / "made_up.ipynb", commented).content == content
    commented.sources[KERNELS] += "\nchanged = True\n"
    assert Notebook(tmp_path / "made_up.ipynb", commented).content != content


def test_what_a_claim_rests_on_is_followed_through_loops_functions_and_lists(tmp_path):
    write_notebook(
        tmp_path,
        [
            "from dimred_lessons import Isomap\nfrom dimred_lessons.classroom import datasets",
            "X, chart = datasets.swiss_roll()\nn = len([n for n in range(3)])",
            "def fitted(k):\n    return Isomap(n_neighbors=k).fit(X)",
            "errors = []\nfor k in (5, 6):\n    errors.append(fitted(k))",
            "verify('of the data', X.any())\nverify('of the method', errors)\nverify('of nothing', n == 3)",
        ],
    )
    sources = Notebook(tmp_path / "made_up.ipynb", PACKAGE).sources_of_claims
    assert [source[-1] for source in sources] == ["data", "method", "nothing"]


@pytest.mark.built
def test_an_endless_cell_is_stopped_and_the_package_cannot_prevent_that(tmp_path):
    endless = "while True:\n    try:\n        sum(range(1000))\n    except Exception:\n        pass"
    write_notebook(tmp_path, [endless, "left = 1"])
    run = Run(Notebook(tmp_path / "made_up.ipynb", PACKAGE), PACKAGE, tmp_path)
    run.execute(0, limit=0.2)
    run.execute(1, limit=0.2)
    assert run.cells["0"]["crash"] == "more than 0.2 s" and run.cells["1"]["crash"] is None


def record(held, here=False):
    claim = {"cell": 0, "line": [0, 1], "nth": 0, "text": "so it is", "here": here, "held": held}
    cell = {"crash": None, "warned": None, "seconds": 1.0}
    return {"claims": [claim], "cells": {"0": cell}, "verdicts": [], "calls": {}, "seconds": 1.0}


@pytest.mark.parametrize("held, here, red", [([1, 1], 0, 0), ([1, 0], 0, 1), ([1, 0], 1, 0), ([0, 1], 1, 1)])
def test_a_claim_about_this_sample_only_has_to_hold_for_this_sample_only(tmp_path, held, here, red):
    write_notebook(tmp_path, ["verify('so it is', ...)"])
    samples = {sample: record(bool(value), bool(here)) for sample, value in enumerate(held)}
    assert len(table.Audit(Notebook(tmp_path / "made_up.ipynb", PACKAGE), samples, {}).red_lines()) == red


# ---------------------------------------------------------------------------------------------------------
# Samples

COIN = """\
import numpy as np
from dimred_lessons.classroom.claims import verify
heads = np.random.default_rng(0).random() < 0.5
verify("a coin shows heads", heads)
verify("at least two of a hundred do", np.sum(np.random.default_rng(1).random(100) < 0.5) > 1)
"""


def results(data):
    """By sample, which claims held."""
    return {sample: [sample in claim["held"] for claim in data["claims"]] for sample in data["samples"]}


@pytest.mark.built
def test_each_audit_draws_new_samples_which_add_up_and_can_be_repeated(tmp_path):
    write_notebook(tmp_path / "book", [COIN])
    drawn, data = [], None
    for so_far in (2, 4):
        _, output, data = audit(tmp_path, "--samples-only", "--new", 2)
        drawn += map(int, output.splitlines()[0].partition(": ")[2].split())
        assert data["samples"] == sorted(set(drawn)) and len(drawn) == so_far == data["summary"]["samples"]
        coin, hundred = data["claims"]
        assert {*coin["held"], *coin["false"]} == {*hundred["held"]} == {0, *drawn}
        rows = (tmp_path / "out" / "made_up.md").read_text()
        assert f"| a coin shows heads | {so_far} | {len(set(coin['false']) - {0})} |" in rows
        assert f"| at least two of a hundred do | {so_far} | 0 |" in rows
    write_notebook(tmp_path / "elsewhere" / "book", [COIN])
    assert results(audit(tmp_path / "elsewhere", "--samples-only", "--samples", *drawn)[-1]) == results(data)


@pytest.mark.built
def test_what_was_false_in_a_sample_stays_red_until_it_is_tried_again_after_a_change(tmp_path):
    write_notebook(tmp_path / "book", [COIN])
    outcome = results(audit(tmp_path, "--samples-only", "--samples", 1, 2, 3)[-1])
    tails, heads = ([s for s, (held, _) in outcome.items() if held == side] for side in (False, True))
    assert tails and heads
    code, output, data = audit(tmp_path, "--samples-only", "--samples", heads[0])
    assert code == 1 and ": done" not in output and set(tails) <= set(data["claims"][0]["false"])

    write_notebook(tmp_path / "book", ["changed = True\n" + COIN])
    code, output, data = audit(tmp_path, "--samples-only", "--samples", heads[0])
    assert code == 1 and data["samples"] == sorted([*tails, heads[0]])

    write_notebook(tmp_path / "book", [COIN.replace('heads", heads', 'heads or tails", heads in (False, True)')])
    code, output, data = audit(tmp_path, "--samples-only", "--samples", heads[0])
    assert code == 0 and data["samples"] == sorted([*tails, heads[0]]) and "RED: false or failing" not in data["lists"]


SOURCES = """\
import random, sys
import numpy as np
from scipy import stats
from sklearn.datasets import make_blobs
from sklearn.utils import check_random_state
from audit.execution import draw_anew
from dimred_lessons import RandomProjection
from dimred_lessons.classroom import datasets
if int(sys.argv[1]):
    draw_anew(int(sys.argv[1]))
drawn = {
    "a seed": np.random.default_rng(3).random(),
    "a NumPy integer": np.random.default_rng(np.int64(3)).random(),
    "several": np.random.default_rng([3, 4]).random(),
    "an array": np.random.default_rng(np.array([3, 4])).random(),
    "a sequence of seeds": np.random.default_rng(np.random.SeedSequence(3).spawn(2)[1]).random(),
    "no seed": np.random.default_rng().random(),
    "an old generator": np.random.RandomState(3).uniform(),
    "an old generator without a seed": np.random.RandomState().uniform(),
    "the global one": check_random_state(None).uniform(),
    "scikit-learn's": check_random_state(3).uniform(),
    "scikit-learn's data": make_blobs(random_state=3)[0].sum(),
    "SciPy's": stats.norm.rvs(random_state=3),
    "Python's": random.random(),
    "a data set": datasets.swiss_roll(9, random_state=3)[0].sum(),
    "a data set's own seed": datasets.s_curve(9)[0].sum(),
    "a choice of images": datasets.digits(9, random_state=3)[0].sum(),
    "faces": datasets.faces(2, size=8)[1].sum(),
    "a method": RandomProjection(2, random_state=3).fit_transform(np.eye(9)).sum(),
    "a method without a seed": RandomProjection(2, random_state=None).fit_transform(np.eye(9)).sum(),
}
assert isinstance(check_random_state(3), np.random.RandomState)
assert isinstance(np.random.mtrand._rand, np.random.RandomState) and not isinstance(3, np.random.RandomState)
print(drawn)
"""


def test_a_sample_draws_everything_anew_and_can_be_repeated():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "book" / "_tools"), *sys.path])}
    command = [sys.executable, "-c", SOURCES]
    shown = [subprocess.check_output([*command, str(sample)], text=True, env=environment) for sample in (0, 1, 1, 2)]
    as_it_is, one, same, two = map(ast.literal_eval, (text.replace("np.float64", "") for text in shown))
    assert one == same
    assert [name for name in one if len({as_it_is[name], one[name], two[name]}) < 3] == []


def test_all_randomness_is_of_a_kind_that_the_audit_draws_anew():
    known = {"np.random.default_rng", "np.random.RandomState", "np.random.Generator"}
    sources = dict(PACKAGE.sources)
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        sources |= {f"{path.stem} {n}": cell.source for n, cell in enumerate(cells) if cell.cell_type == "code"}
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random"):
                assert ast.unparse(node) in known, name
            modules = {node.module} if isinstance(node, ast.ImportFrom) else set()
            modules |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            assert not modules & {"random", "secrets", "uuid", "numpy.random"}, name


# ---------------------------------------------------------------------------------------------------------
# The mutants


def test_there_are_many_mutants_each_with_its_own_name():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) > 20


def globals_used(code):
    """Names that the functions inside some code look up outside of them."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    used = {step.argval for part in inner for step in dis.get_instructions(part) if step.opname == "LOAD_GLOBAL"}
    return used.union(*map(globals_used, inner))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_finds_the_text_that_it_changes(mutant):
    for (module, name), source in PACKAGE.changed(mutant.edits).items():
        compile(source, module, "exec")
        assert all(edit.new in source for edit in mutant.edits if edit.function == name)
        known = vars(builtins) | vars(importlib.import_module(module))
        assert {used for used in globals_used(compile(source, module, "exec")) if used not in known} == set()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_changes_functions_that_chapters_run(monkeypatch, mutant):
    changed = {where: PACKAGE.live(where[1], where[0]) for where in PACKAGE.changed(mutant.edits)}
    assert changed.keys() <= run_by_chapters()
    for function in changed.values():
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            monkeypatch.setattr(function, part, getattr(function, part))  # so that it is put back
    PACKAGE.apply(mutant.edits)
    assert {function.__code__.co_filename for function in changed.values()} == {
        f"{PACKAGE.paths[module]} (changed)" for module, _ in changed
    }


def test_chapters_run_engines_not_the_equations_in_their_place():
    names = "squared_distances_between", "second_order", "weights_of_points"
    run = {module for module, name in run_by_chapters() if name in names}
    assert run == {"dimred_lessons.engine.product_distances", "dimred_lessons.engine.patches"}


@cache
def run_by_chapters():
    """Module and name of every function of the package to which the names in notebooks lead, as the audit runs them."""
    waiting, seen, found = [], {}, set()
    for path in sorted((ROOT / "book").rglob("*.ipynb")):
        code = "\n".join(cell.source for cell in Notebook(path, PACKAGE).cells)
        names = names_in(compile(code, path.name, "exec"))
        for module, name, _ in imports(code):
            if module in PACKAGE.trees:
                waiting.append((resolve_name(f"{module}.{name}" if name else module), names))
    while waiting:
        thing, names = waiting.pop()
        if isinstance(thing, ModuleType):
            names = names & vars(thing).keys() if thing.__name__ in PACKAGE.trees else ()
            waiting += [(vars(thing)[name], names) for name in names]
        elif id(thing) not in seen:
            seen[id(thing)] = thing  # kept, so that no other object gets its number
            if isinstance(function := inspect.unwrap(thing), FunctionType) and not hasattr(thing, "engine"):
                if function.__module__ in PACKAGE.trees:
                    found.add((function.__module__, function.__qualname__))
                    names = names_in(function.__code__)
                    waiting += [(function.__globals__[name], names) for name in names & function.__globals__.keys()]
            else:
                waiting += [(part, names) for part in parts_of(thing)]
    return found


def names_in(code):
    """Names that some code, and the functions inside it, look up."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(names_in, inner))


def parts_of(thing):
    """What may run where something is looked up that is no function; of an accelerated one, its engine."""
    if hasattr(thing, "engine"):
        refuses = "NotImplemented" in names_in(thing.engine.__code__)
        return [thing.engine, thing.equation] if refuses else [thing.engine]
    if isinstance(thing, type):
        return [part for base in thing.__mro__ if base.__module__ in PACKAGE.trees for part in vars(base).values()]
    if isinstance(thing, dict | list | tuple):
        return thing.values() if isinstance(thing, dict) else thing
    inside = {
        property: "fget",
        cached_property: "func",
        partial: "func",
        classmethod: "__func__",
        staticmethod: "__func__",
    }
    return [getattr(thing, inside[type(thing)])] if type(thing) in inside else []


def test_mistakes_are_made_in_engines_and_their_calls_are_noted():
    code = """
import numpy as np
from audit.mutants import Edit
from audit.package import Package, redirect
from dimred_lessons import reference
from dimred_lessons.distances import squared_distances
package, X, calls = Package(), np.eye(3), []
package.apply([Edit("squared_distances_between", "-2 * A", "-A")])
assert not np.allclose(squared_distances(X), 2 - 2 * np.eye(3))
with reference():
    assert np.allclose(squared_distances(X), 2 - 2 * np.eye(3))
for module, _ in package.functions["squared_distances_between"]:
    redirect(package.live("squared_distances_between", module), lambda *_, module=module: calls.append(module) or X)
assert squared_distances(X) is X and len(calls) == 1 and "engine" in calls[0], calls
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "book" / "_tools"), *sys.path])}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


class Doubled(list):
    def __len__(self, factor=2):
        return factor * super().__len__()


def test_calls_are_noted_of_a_method_that_calls_the_one_above_it():
    calls = []
    original = redirect(Doubled.__len__, lambda self: calls.append("called") or original(self))
    assert len(Doubled("abc")) == 6 and calls == ["called"]


@pytest.mark.parametrize(
    "function, old", [("center_kernel", "no such text"), ("no_such_function", "K"), ("center_kernel", "K")]
)
def test_an_outdated_mutant_is_named(function, old):
    with pytest.raises(Outdated, match=f"exactly once in {function}"):
        PACKAGE.changed([Edit(function, old, "")])


def test_no_audit_runs_with_an_outdated_mutant(tmp_path):
    write_notebook(tmp_path / "book", CELLS)
    places = [
        "--book",
        str(tmp_path / "book"),
        "--kept",
        str(tmp_path / "kept"),
        "--out",
        str(tmp_path / "out"),
    ]
    with pytest.raises(Outdated, match="adapt the mutant"):
        main(places, wrong=[Mutant("old", (Edit("center_kernel", "no such text", ""),))])


def test_an_unknown_mutant_is_an_error_that_lists_the_known_ones():
    with pytest.raises(ValueError, match="no mutant 'none'; the mutants are: embedding ten times too large"):
        named(["none"])
