"""Sphinx extension: letters above the glossary lead to the first term of each."""

from html import escape

from docutils import nodes
from sphinx.addnodes import glossary
from sphinx.transforms.post_transforms import SphinxPostTransform


class Letters(SphinxPostTransform):
    """A line of letters, which stays in sight, above each glossary."""

    default_priority = 200
    builders = ("html",)

    def run(self):
        for terms in list(self.document.findall(glossary)):
            first = {}
            for term in terms.findall(nodes.term):
                first.setdefault(_letter(term.astext()), term)
            links = [f'<a href="#{_mark(letter, term)}">{escape(letter)}</a>' for letter, term in sorted(first.items())]
            line = f'<nav class="letters" aria-label="Terms by their first letter">{" ".join(links)}</nav>'
            terms.parent.insert(terms.parent.index(terms), nodes.raw("", line, format="html"))


def _letter(text):
    """The first letter or digit of a term."""
    return next((sign for sign in text if sign.isalnum()), text[0]).upper()


def _mark(letter, term):
    name = f"letter-{letter.lower()}"
    term["ids"].append(name)
    return name


def setup(app):
    app.add_post_transform(Letters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
