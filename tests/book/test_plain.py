"""The book for Sphinx alone has the settings that Jupyter Book makes of _config.yml."""

import runpy
import sys

import pytest
from jupyter_book.config import get_final_config

from sources import BOOK, ROOT

CONF = BOOK / "_tools" / "plain" / "conf.py"
ONLY_JUPYTER_BOOK = {"jupyter_book", "sphinx_comments", "sphinx_thebe", "sphinx.ext.intersphinx"}
# What the theme gets otherwise, or not at all: empty addresses of other services, and one search box only
THEME = {"use_repository_button", "use_issues_button", "repository_url", "repository_branch", "home_page_in_toc"}


@pytest.fixture
def both(monkeypatch):
    """The settings that Jupyter Book makes, and those of conf.py."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    made, _ = get_final_config(user_yaml=ROOT / "_config.yml", cli_config={"latex_individualpages": False})
    return made, runpy.run_path(str(CONF))


def test_extensions_are_the_same_but_for_those_that_the_book_does_not_use(both):
    made, ours = both
    assert set(made["extensions"]) - set(ours["extensions"]) == ONLY_JUPYTER_BOOK
    assert set(ours["extensions"]) <= set(made["extensions"])
    local = [name for name in made["extensions"] if (BOOK / "_ext" / f"{name}.py").exists()]
    assert [name for name in ours["extensions"] if name in local] == local


@pytest.mark.parametrize(
    "name",
    "author copyright external_toc_exclude_missing html_context html_css_files html_js_files "
    "html_sidebars html_sourcelink_suffix html_theme html_title latex_engine math_numfig "
    "myst_enable_extensions nb_execution_mode nb_merge_streams nb_output_stderr nitpick_ignore_regex nitpicky "
    "numfig pygments_style".split(),
)
def test_a_setting_is_the_same(both, name):
    made, ours = both
    assert ours[name] == made[name]


def test_whatever_config_yml_gives_to_sphinx_is_taken(both):
    made, ours = both
    for name in set(ours["book"]["sphinx"]["config"]) - {"html_static_path"}:
        assert ours[name] == made[name], name


@pytest.mark.parametrize("name", ["bibtex_bibfiles", "html_static_path"])
def test_files_and_folders_are_those_of_the_book(both, name):
    made, ours = both
    assert ours[name] == [str(ROOT / place) for place in made[name]]


def test_the_theme_gets_the_same_links(both):
    made, ours = both
    before, now = made["html_theme_options"], ours["html_theme_options"]
    assert {name: now[name] for name in THEME} == {name: before[name] for name in THEME}
    assert {name for name, value in before["launch_buttons"].items() if value} == set(now["launch_buttons"])


def test_nothing_finds_it_unasked():
    assert not (ROOT / "conf.py").exists() and not (BOOK / "conf.py").exists()
