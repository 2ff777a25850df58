"""Sphinx extension: what is looked up for every reference is loaded once.

For every ``{numref}``, Sphinx loads the whole page that holds the figure, and for every citation, pybtex searches
all installed packages for its plugins: together, a third of the time of a build.
"""

from functools import cache, cached_property

from pybtex.plugin import find_plugin, register_plugin
from sphinx.domains.std import StandardDomain

BACKEND = "pybtex.backends", "docutils"


class _Remembering:
    """The environment of a build, whose pages are loaded once: to be read, not changed."""

    def __init__(self, env):
        self._env = env
        self.get_doctree = cache(env.get_doctree)

    def __getattr__(self, name):
        return getattr(self._env, name)


class RememberingDomain(StandardDomain):
    """Sphinx's domain of labels, which resolves references when all pages have been read."""

    @cached_property
    def _remembering(self):
        return _Remembering(self.env)

    def resolve_xref(self, env, *arguments):
        return super().resolve_xref(self._remembering, *arguments)


def setup(app):
    app.add_domain(RememberingDomain, override=True)
    register_plugin(*BACKEND, find_plugin(*BACKEND), force=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
