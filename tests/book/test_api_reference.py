"""The reference of the package in the book: every public definition is on a page, with its source."""

import ast
import importlib
import inspect
import re
import warnings

import pytest
import yaml
from bs4 import BeautifulSoup
from sklearn.utils import all_estimators

import dimred_lessons
import dimred_lessons.tables
from sources import BOOK, PACKAGE, ROOT, package_files, page_of
from support.cases import roll
from support.docstrings import described

SITE = ROOT / "_build" / "html"
PAGES = sorted((BOOK / "appendices").glob("api_*.md"))
SHOWN = [
    PACKAGE / folder
    for page in PAGES
    for folders in re.findall(r"^```\{package-reference\} (.+)$", page.read_text(encoding="utf-8"), re.M)
    for folder in folders.split()
]
PARTS = [part["caption"] for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]]
OFFERED = {"api_methods": dimred_lessons, "api_tables": dimred_lessons.tables}
CHECKS = PACKAGE / "classroom" / "exercises"  # a reader meets them in the chapters


def public_definitions(path):
    """Names of the functions and classes of a file that a reader may import."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]


def test_every_folder_with_public_definitions_is_shown_once():
    folders = {path.parent for path in package_files() if public_definitions(path)} - {CHECKS}
    assert sorted(folders) == sorted(SHOWN)


@pytest.mark.built
@pytest.mark.parametrize(
    "path",
    [path for path in package_files() if path.parent in SHOWN and public_definitions(path)],
    ids=lambda path: path.relative_to(PACKAGE).as_posix(),
)
def test_a_definition_is_on_a_page_and_leads_to_its_source(path):
    pages = "".join((SITE / "book" / "appendices" / f"{page.stem}.html").read_text(encoding="utf-8") for page in PAGES)
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for name in public_definitions(path):
        assert f'id="{module}.{name}"' in pages, f"{module}.{name} is on no page: run `make book`"
        source = f"{module.replace('.', '/')}.html#{name}"
        assert source in pages, f"{module}.{name} does not lead to its source"


@pytest.mark.built
@pytest.mark.parametrize("page", OFFERED)
def test_the_first_table_of_a_page_leads_to_what_can_be_imported(page):
    table = (SITE / "book" / "appendices" / f"{page}.html").read_text(encoding="utf-8").partition("</table>")[0]
    for name in OFFERED[page].__all__:
        target = f"#{getattr(OFFERED[page], name).__module__}.{name}"
        assert f'{target}"' in table, f"the table does not lead to {name}: run `make book`"


def beside(page):
    """What the contents beside a page show: a heading, and the sections below it, in order."""
    html = BeautifulSoup((SITE / "book" / "appendices" / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
    heads = html.select(".bd-sidebar-secondary ul.visible > li:has(> ul.visible)")
    return {
        head.a.get_text(): [link.get_text() for link in head.select(":scope > ul.visible > li > a")] for head in heads
    }


@pytest.mark.built
def test_the_contents_beside_the_methods_name_them_all_by_the_parts_of_the_book():
    *parts, shared = (contents := beside("api_methods"))
    assert parts == [part for part in PARTS if part in parts] and len(parts) >= 6
    shown = [name for part in parts for names in contents[part] for name in names.split(", ")]
    assert sorted(shown) == sorted(OURS) and shown[:3] == ["PCA", "DualPCA", "KernelPCA"]
    assert contents["VII. Maps, curves and neighbors"][-1] == "NeighborEmbedding"
    assert contents[shared] and all(name.endswith(".py") for name in contents[shared])


@pytest.mark.built
def test_the_contents_beside_the_page_of_tables_begin_with_what_examines_one():
    first, rest = beside("api_tables").values()
    assert first[0].startswith("examine, ") and all(name.endswith(".py") for name in rest)
    assert {name for names in first for name in names.split(", ")} == set(dimred_lessons.tables.__all__)


@pytest.mark.built
@pytest.mark.parametrize("page", ["api_ingredients", "api_lessons"])
def test_the_contents_beside_the_other_pages_are_files_in_groups(page):
    groups = beside(page)
    assert len(groups) > 2 and all(name.endswith(".py") for names in groups.values() for name in names)


@pytest.mark.built
def test_the_table_of_methods_leads_to_their_chapters():
    html = BeautifulSoup((SITE / "book" / "appendices" / "api_methods.html").read_text(encoding="utf-8"), "html.parser")
    rows = {row.select_one("td").get_text(strip=True): row for row in html.table.select("tbody tr")}
    for name, label in {"DualPCA": "ch-dual", "Isomap": "ch-isomap", "NeighborEmbedding": "ch-neighbors"}.items():
        assert rows[name].select("td")[1].select("a")[-1]["href"] == f"../../{page_of(label)}#{label}".replace(
            "../../book", ".."
        )


@pytest.mark.built
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_members_that_others_wrote_are_not_shown(page):
    html = (SITE / "book" / "appendices" / f"{page.stem}.html").read_text(encoding="utf-8")
    paths = [path for path in package_files() if path.parent in SHOWN]
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths}
    shown = re.findall(r'<dt [^>]*id="([\w.]+)\.(\w+)\.(\w+)"', html)
    members = 0
    for module, name, member in shown:
        cls = getattr(importlib.import_module(module), name, None) if module in modules else None
        if isinstance(cls, type):
            members += 1
            writer = next((base for base in cls.__mro__ if member in vars(base)), cls)
            assert writer.__module__.startswith(PACKAGE.name), f"{name}.{member} is of {writer.__module__}"
    assert members > 10


# --- The table of names that differ from scikit-learn's

OURS = {name: held for name in dimred_lessons.__all__ if isinstance(held := getattr(dimred_lessons, name), type)}
THEIRS = dict(all_estimators())
ROWS = [
    [re.findall(r"`([^`]+)`", cell) for cell in row[:2]]
    for line in (BOOK / "appendices" / "api_methods.md").read_text(encoding="utf-8").splitlines()
    if len(row := line.strip("|").split("|")) == 3 and "`" in row[0]
]
# A class, one of its parameters (with a value), one of its attributes, or one of its methods
NAME = re.compile(r'(?P<cls>\w+)(?:\((?P<parameter>\w+)=(?:"(?P<value>\w+)")?\)|\.(?P<member>\w+?)(?P<call>\(\))?)?')
# What a fit finds, and no estimator of scikit-learn has: there is no other name that it could have
OF_OUR_OWN = set(
    """affinities_ basis_ center_ centers_ certificate_ cost_ degrees_ density_ disparities_ dual_weights_ duality_gap_
    graph_ heywood_ kept_ kernel_ kernel_means_ kurtosis_ landmarks_ log_likelihood_path_ maps_ mean_squared_distances_
    mixture_ negative_mass_ neighborhood_ nodes_ origin_ pairs_ places_ prototypes_ reconstruction_weights_ scale_
    signs_ spacings_ spectrum_ spreads_ squared_distances_ stress_1_ total_variance_""".split()
)


def exists(name, classes):
    """Whether one of some classes has what the table names."""
    parts = NAME.fullmatch(name).groupdict()
    cls = classes[parts["cls"]]
    if parts["value"]:
        with warnings.catch_warnings(action="ignore"):
            return hasattr(cls(**{parts["parameter"]: parts["value"]}).fit(roll(40)), "n_features_in_")
    if parts["parameter"]:
        return parts["parameter"] in inspect.signature(cls).parameters
    if parts["call"]:
        return callable(getattr(cls, parts["member"], None))
    return parts["member"] is None or parts["member"] in described(cls, "Attributes")


@pytest.mark.parametrize("name", [name for ours, _ in ROWS for name in ours])
def test_a_name_that_differs_exists_here(name):
    assert exists(name, OURS)


@pytest.mark.parametrize("name", [name for _, theirs in ROWS for name in theirs])
def test_a_name_that_differs_exists_in_scikit_learn(name):
    assert exists(name, THEIRS)


def test_a_name_that_does_not_exist_is_noticed():
    for name in ("PCA(whiten=)", "PCA.scores_", "PCA.predict()"):
        assert not exists(name, OURS)
    with pytest.raises(KeyError):
        exists("SpectralEmbedding", OURS)
    with pytest.raises(ValueError, match="must be"):
        exists('KernelPCA(kernel="rbf")', OURS)


def test_a_class_that_scikit_learn_has_under_another_name_or_not_at_all_is_known():
    differ = {name for ours, _ in ROWS for name in ours if name in OURS}
    ours_alone = set(
        """AlignedMixture CoordinatedFactorAnalysis EMPCA GTM PrincipalCurve ProjectionPursuit SelfOrganizingMap
        SemidefiniteEmbedding""".split()
    )
    assert set(OURS) - set(THEIRS) - differ == ours_alone


def test_what_a_fit_finds_has_the_name_of_scikit_learn_stands_in_the_table_or_is_our_own():
    attributes = {name for cls in OURS.values() for name in described(cls, "Attributes")}
    shared = {name for cls in THEIRS.values() for name in described(cls, "Attributes")}
    differ = {parts["member"] for ours, _ in ROWS for name in ours if (parts := NAME.fullmatch(name))}
    assert sorted(attributes - shared - differ - OF_OUR_OWN) == []
    assert sorted(OF_OUR_OWN - attributes) == []


# --- The table of what scikit-learn's classes have, and these have not

LISTED = {
    name
    for line in (BOOK / "appendices" / "api_methods.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|")
    for name in re.findall(r"`([^`]+)`", line)
}
PEERS = {name: name for name in OURS.keys() & THEIRS.keys()} | {
    ours: theirs for left, right in ROWS for ours in left for theirs in right if ours in OURS and theirs in THEIRS
}


def guesses(cls):
    """Parameters, attributes and methods of a class, as the table spells them."""
    parameters = {f"{name}=" for name in inspect.signature(cls).parameters}
    methods = {f"{name}()" for name, _ in inspect.getmembers(cls, inspect.isfunction) if not re.match("_|set_", name)}
    found = set(described(cls, "Attributes")) - {"feature_names_in_"}  # which scikit-learn itself sets, for both
    return parameters | methods | found


def spellings(peer, guess):
    """How the table may name what a class of scikit-learn has."""
    return {guess, f"{peer}({guess})" if guess.endswith("=") else f"{peer}.{guess}"}


@pytest.mark.parametrize("ours, peer", sorted(PEERS.items()))
def test_what_a_user_of_scikit_learn_guesses_exists_or_is_answered(ours, peer):
    unknown = guesses(THEIRS[peer]) - guesses(OURS[ours])
    assert sorted(guess for guess in unknown if not spellings(peer, guess) & LISTED) == []
