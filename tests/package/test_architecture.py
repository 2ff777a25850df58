"""The arrows between the files."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from dependencies import imports
from sources import ROOT

PACKAGE = ROOT / "dimred_lessons"
FAMILIES = {"spectral", "latent", "directions", "iterative"}
FOLDERS = FAMILIES | {"engine"}
FRAME = {"inputs", "memory", "messages", "parameters"}  # what everything may use
ABOVE = {
    "large",
    "tables",
    "unified",
}  # above the methods, as the classroom is: they may use them, and methods know nothing of it
TOP = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"} - ABOVE
REFERENCES = TOP - FRAME - {"base"}
BEHIND_PANDAS = {"python-calamine"}  # what it reads workbooks with
OTHERS = {"approximate", "cards", "course", "penguins", "test"}  # extras that the package itself imports nothing of
FILES = sorted(path for folder in FOLDERS for path in (PACKAGE / folder).glob("*.py"))
# References of one family, which its methods may import, and which know no frame of methods.
OF_A_FAMILY = {
    "iterative.affinities",
    "iterative.eigenmap_start",
    "iterative.majorization",
    "iterative.neighbor_forces",
    "iterative.neighbor_kernels",
    "iterative.neighbor_places",
}
# Files of a family that hold no method, which its methods may import.
SHARED = {"spectral.base", "latent.base", "directions.base"} | OF_A_FAMILY
NOT_YET = r"; python_version < '3\.\d+'"  # no wheel for later ones
# All that comes from scikit-learn: its frame. Methods and ingredients are our own.
SKLEARN = {"sklearn.base", "sklearn.utils.check_random_state", "sklearn.utils.get_tags", "sklearn.utils.validation"}


def name_of(path):
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def imported_modules(source):
    """Names of everything that a file imports: "a.b.c" for "from a.b import c"."""
    return {f"{module}.{name}" if name else module for module, name, _ in imports(source)}


def violations(name, source):
    """Imports of a file that point the wrong way. ``name`` is that of the module within the package."""
    wrong = []
    for imported in imported_modules(source):
        top, _, rest = imported.partition(".")
        if top == "sklearn" and not any(f"{imported}.".startswith(f"{part}.") for part in SKLEARN):
            wrong.append(imported)
        elif top == "dimred_lessons" and name not in ABOVE and not may_import(name, rest):
            wrong.append(imported)
    return wrong


def may_import(name, imported):
    """Whether the file ``name`` may import ``imported``, both without the name of the package."""
    folder = name.partition(".")[0] if "." in name else None
    first, _, second = imported.partition(".")
    if first in FRAME:
        return first != name
    if first == "engine":
        return folder == "engine" or name in REFERENCES | OF_A_FAMILY
    if first in REFERENCES:
        return first != name and folder != "engine" and name not in FRAME
    if first == "base":
        return folder in FAMILIES and name not in OF_A_FAMILY
    return folder == first and f"{first}.{second.partition('.')[0]}" in SHARED - {name}


@pytest.mark.parametrize("path", [*sorted(PACKAGE.glob("[!_]*.py")), *FILES], ids=name_of)
def test_arrows_point_one_way(path):
    """Methods import their frames and references, references the engine, all of them the frame of the package.

    An engine knows no reference and no method, a method no engine, a family no other; only what is above the methods
    imports methods.
    """
    assert violations(name_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "from dimred_lessons import Isomap",
        "import dimred_lessons",
        "from dimred_lessons.spectral import isomap",
        "from dimred_lessons.spectral.isomap import Isomap",
        "import dimred_lessons.spectral.isomap",
        "from dimred_lessons.classroom import datasets",
        "from dimred_lessons.latent.base import LatentModel",
        "from sklearn import manifold",
        "import sklearn.manifold as m",
        "from sklearn.neighbors import KDTree",
        "from dimred_lessons.large import fit_pca",
        "from dimred_lessons.engine import reference",
        "from dimred_lessons.engine.threads import one_blas_thread",
    ],
)
def test_an_arrow_that_points_the_wrong_way_is_noticed(line):
    assert violations("spectral.lle", line)


@pytest.mark.parametrize(
    "line",
    [
        "from dimred_lessons.spectral.base import SpectralMethod",
        "from dimred_lessons.base import Embedding",
        "from dimred_lessons import Isomap",
        "import sklearn",
        "import sklearn.manifold",
        "from sklearn.neighbors import KDTree",
        "from sklearn.utils.extmath import randomized_svd",
        "def search(X):\n    from sklearn import neighbors",
        "from dimred_lessons.large import fit_pca",
    ],
)
def test_an_ingredient_that_knows_a_method_of_ours_or_of_scikit_learn_is_noticed(line):
    assert violations("graphs", line)


@pytest.mark.parametrize(
    "line",
    [
        "from dimred_lessons.distances import squared_distances",
        "from dimred_lessons.base import Embedding",
        "from dimred_lessons.spectral.isomap import Isomap",
        "from dimred_lessons import Isomap",
    ],
)
def test_an_engine_that_knows_what_it_is_for_is_noticed(line):
    assert violations("engine.threads", line)


def test_a_reference_of_a_family_may_use_the_engine_but_no_frame_of_methods():
    name = "iterative.neighbor_kernels"
    for line in ("from dimred_lessons.engine import accelerated", "from dimred_lessons.iterative import affinities"):
        assert violations(name, line) == []
    for line in ("from dimred_lessons.base import Embedding", "from dimred_lessons.iterative.stress import StressMDS"):
        assert violations(name, line)


def test_a_method_may_import_ingredients_and_both_the_frame():
    assert violations("spectral.lle", "from dimred_lessons.spectral.base import SpectralMethod") == []
    assert violations("spectral.lle", "from dimred_lessons.graphs import neighbor_lists") == []
    for name in ("graphs", "spectral.lle", "large"):
        assert violations(name, "from sklearn.base import clone\nfrom sklearn.utils import check_random_state") == []


def test_a_folder_holds_methods_of_one_family_and_their_frame_if_they_share_one():
    for family in FAMILIES:
        assert (PACKAGE / family / "__init__.py").exists()
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {"__pycache__"} == FOLDERS | {
        "classroom",
        "tables",
    }


def test_everything_that_the_package_imports_is_declared():
    imported = set()
    for path in PACKAGE.rglob("*.py"):
        imported |= {name.split(".")[0] for name in imported_modules(path.read_text(encoding="utf-8"))}
    providers = packages_distributions()
    # What is not installed here, as CVXPY where there is none for this Python, goes by the name that it is imported by
    needed = {
        providers.get(name, [name])[0].lower() for name in imported - set(sys.stdlib_module_names) - {PACKAGE.name}
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [
        *project["dependencies"],
        *(line for extra, lines in project["optional-dependencies"].items() if extra not in OTHERS for line in lines),
    ]
    assert {re.match(r"[\w-]+", line)[0] for line in declared} == needed | BEHIND_PANDAS


def test_every_dependency_says_which_version_is_the_oldest_that_will_do_and_why_a_newer_one_will_not():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all("  # " in line for line in text.splitlines() if re.match(r' +"[\w-]+>=[\d.]+,<', line))
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    form = rf"[\w-]+(\[[\w,]+\])?[>=]=[\d.]+(,<[\d.]+|{NOT_YET})?"
    assert [line for line in lines if not re.fullmatch(form, line)] == []


def test_the_sentence_about_missing_cvxpy_names_the_python_for_which_it_is_left_out():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r"python_version < '(3\.\d+)'", project["optional-dependencies"]["cvxpy"][0])[1]
    source = (PACKAGE / "semidefinite.py").read_text(encoding="utf-8")
    assert f"pip install cvxpy (not yet for Python {version})" in source


ENGINES = [path for path in FILES if path.parent.name == "engine" and path.stem not in ("__init__", "choice")]


@pytest.mark.parametrize("path", ENGINES, ids=name_of)
def test_an_engine_explains_itself_bounds_its_error_and_has_a_test_of_its_own(path):
    explanation = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert len(explanation.split()) > 50
    assert re.search(r"^(\*\*)?Error[.:]", explanation, re.MULTILINE)
    assert (ROOT / "tests" / "package" / "engine" / f"test_{path.stem}.py").exists()
