"""Sphinx extension: what a path leaves out is not named in parentheses on it, either.

"(Proposition 14.3)" or "(see (14.18))" stands on the Tour only if the proposition and the equation do: what begins on a
later path than the text (`paths`) has its parentheses on that path. Elsewhere, and on paper, all stands where it stood.
"""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import hooks
from paths import FROM, PATHS, TOUR

OPENS, CLOSES = re.compile(r" ?\((?:see )?$"), re.compile(r"^\)")
BETWEEN = re.compile(r"^(?:,|;| and| or|, and|, or) $")
FIRST = {name: path for path, name in FROM.items()}
FIRST_OF_TEXT = {f"text-{name}": path for name, path in FIRST.items()}


class Asides(SphinxPostTransform):
    """Parentheses that hold references alone begin with the path that has all of these."""

    default_priority = 190  # after references are resolved, before `openings` moves what it takes
    builders = ("html",)

    def run(self):
        if "paths" not in self.env.metadata[self.env.docname]:
            return
        places = {name: node for node in self.document.findall(nodes.Element) for name in node.get("ids", [])}
        for first in list(self.document.findall(nodes.reference)):
            if first.parent is not None and (inside := _inside(first)):
                paths = [_first_path(places.get(hooks.target(one))) for one in inside[1:-1:2]]
                path = max(paths, key=PATHS.index)
                if PATHS.index(path) > PATHS.index(_first_path(first)):
                    _set_apart(inside, path)


def _inside(first):
    """Nodes from the text that opens parentheses to the one that closes them, if all else in them are references."""
    siblings, at = [*first.parent, None, None], first.parent.index(first)
    if not at or not _says(siblings[at - 1], OPENS):
        return []
    end = at + 1
    while _says(siblings[end], BETWEEN) and isinstance(siblings[end + 1], nodes.reference):
        end += 2
    return siblings[at - 1 : end + 1] if _says(siblings[end], CLOSES) else []


def _says(node, pattern):
    return isinstance(node, nodes.Text) and pattern.search(node)


def _first_path(node):
    """The first path that has a node."""
    path, child = TOUR, None
    while node is not None:
        known = FIRST
        if isinstance(node, nodes.section) and not isinstance(child, (nodes.section, nodes.title, type(None))):
            known = FIRST | FIRST_OF_TEXT
        path = max([path, *(known.get(name, TOUR) for name in hooks.classes(node))], key=PATHS.index)
        node, child = node.parent, node
    return path


def _set_apart(inside, path):
    parent, (before, *found, after) = inside[0].parent, inside
    start, end = OPENS.search(before).start(), CLOSES.search(after).end()
    aside = nodes.inline("", classes=[FROM[path]])
    at = parent.index(found[0]) - 1  # equal texts are equal nodes
    parent[at : at + len(inside)] = [nodes.Text(before[:start]), aside, nodes.Text(after[end:])]
    aside.extend([nodes.Text(before[start:]), *found, nodes.Text(after[:end])])


def setup(app):
    app.add_post_transform(Asides)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
