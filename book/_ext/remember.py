"""Sphinx extension: what is looked up for every reference is loaded once.

For every ``{numref}``, Sphinx loads the whole page that holds the figure, and for every citation, pybtex searches
all installed packages for its plugins: together, two fifths of the time of writing.
"""

from functools import cache

from pybtex import plugin


class _Remembering:
    """The environment of the build, whose pages are loaded once: to be read, not changed."""

    def __init__(self, env):
        self._env = env
        self.get_doctree = cache(env.get_doctree)

    def __getattr__(self, name):
        return getattr(self._env, name)


def remember_pages(app, env):
    """From now on, let references to figures use remembered pages: all pages have been read."""
    standard = env.domains["std"]
    resolve = type(standard)._resolve_numref_xref
    remembering = _Remembering(env)
    standard._resolve_numref_xref = lambda env, *arguments: resolve(standard, remembering, *arguments)


def setup(app):
    plugin._load_entry_point = cache(plugin._load_entry_point)
    app.connect("env-check-consistency", remember_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
