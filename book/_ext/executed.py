"""Sphinx extension: the pages of notebooks are made from their execution, several notebooks at a time.

What was executed before is taken from where `notebooks.executed` keeps it. A page is made again when its text, or
anything on which its outputs depend, has changed; all pages are written again when something that pages show of
each other has changed.

With BUILD_ONLY set to the name of a notebook, no other is executed. Where another one must be read all the same, as
titles and numbers of a new book are not known, and has not been executed, stand-ins take the places of its figures: it
will be read again when all pages are made.
"""

import gc
import os
import re
import sys
from pathlib import Path

import nbformat
from sphinx.util import logging

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import hooks
import notebooks
from progress import Line

logger = logging.getLogger(__name__)


def _notebooks(app, names):
    """Those of the pages that are notebooks, by name."""
    paths = {name: Path(app.env.doc2path(name)) for name in sorted(names)}
    return {name: path for name, path in paths.items() if path.suffix == ".ipynb"}


def _wanted(path):
    """Whether a notebook may be executed."""
    return os.environ.get("BUILD_ONLY", path.stem) == path.stem


def leave_out_search(app):
    """Make no search index with a page alone, unless there is one of all pages to put it in."""
    if "BUILD_ONLY" in os.environ and not Path(app.outdir, "searchindex.js").exists():
        app.builder.search = False


def outdated(app, env, added, changed, removed):
    """Pages whose outputs depend on something that is not as it was when they were read."""
    env.executed_states = getattr(env, "executed_states", {})
    return [
        name
        for name, path in _notebooks(app, env.found_docs - added - changed).items()
        if _wanted(path) and env.executed_states.get(name) != notebooks.state_of(nbformat.read(path, as_version=4))
    ]


def begin(app, env, names):
    """Start to execute the notebooks that will be read."""
    paths = [path for path in _notebooks(app, names).values() if _wanted(path)]
    app.executions = notebooks.execute_all(paths, notebooks.jobs_by_default())


def put_outputs_in(app, name, source):
    """Give Sphinx the executed notebook in place of the committed one."""
    path = Path(app.env.doc2path(name))
    if path.suffix != ".ipynb":
        return
    run = app.executions.pop(path).result() if _wanted(path) else notebooks.kept(path)
    if run is None:
        app.env.executed_states[name] = "not executed"
        source[0] = nbformat.writes(notebooks.with_stand_ins(nbformat.reads(source[0], as_version=4)))
        return
    app.env.executed_states[name] = run.metadata["state"]
    if trouble := notebooks.failure(run):
        app.env.executed_states[name] = "failed"
        logger.warning("%s", trouble, location=name)
    notebook = nbformat.reads(source[0], as_version=4)
    notebooks.take_outputs(notebook, run)
    source[0] = nbformat.writes(notebook)


def others(app, env):
    """All pages, if titles, numbers, labels or citations have changed since pages were last written."""
    if "BUILD_ONLY" in os.environ:
        return []
    before, env.shown_elsewhere = getattr(env, "shown_elsewhere", None), _text(hooks.shown_elsewhere(env))
    return [] if env.shown_elsewhere == before else env.found_docs


def tell(app, pagename, templatename, context, doctree):
    """Say how far the writing of pages is."""
    if doctree is not None:
        app.pages_written = getattr(app, "pages_written", 0) + 1
        app.progress.say(f"Pages: {app.pages_written} of at most {len(app.env.found_docs)} are written", pause=10)


def end_line(app, error):
    app.progress.end()


def _text(value):
    """A value as text that does not depend on the order in which pages were read."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, dict):
        return _text(list(value.items()))
    if isinstance(value, list | set | frozenset):
        return f"[{', '.join(sorted(map(_text, value)))}]"
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))


def setup(app):
    # Pages are trees of many parts that are no garbage: looking for some all the time took a third of a short build
    gc.set_threshold(1_000_000, 20, 20)
    app.progress = Line()
    app.connect("builder-inited", leave_out_search)
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", begin)
    app.connect("source-read", put_outputs_in)
    app.connect("env-get-updated", others, priority=900)  # once numbers are given
    app.connect("html-page-context", tell)
    app.connect("build-finished", end_line)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
