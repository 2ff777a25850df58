"""The reference of the package in the book: every public definition is on a page, with its source."""

import ast
import re

import pytest

from sources import BOOK, PACKAGE, ROOT, package_files

SITE = ROOT / "_build" / "html"
PAGES = sorted((BOOK / "appendices").glob("api_*.md"))
SHOWN = [
    PACKAGE / folder
    for page in PAGES
    for folder in re.findall(r"^```\{package-reference\} (\S+)$", page.read_text(encoding="utf-8"), re.M)
]
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
