"""Sphinx extension: the text of the Tour names sections by their titles, since its headings have no numbers (`paths`).

A reference to a section by its number holds its title, too, and assets/paths.css shows one of the two. The title of a
section of another chapter comes after the number of that chapter, since chapters have numbers on every path. Without
scripts, on paper, and on pages without paths it is the number of the section.
"""

import re

from docutils import nodes
from sphinx.addnodes import glossary
from sphinx.transforms.post_transforms import SphinxPostTransform

import hooks
from paths import book_switch

NUMBER, TITLE = "number-of-section", "title-of-section"  # classes of what one of the paths shows


class SectionNames(SphinxPostTransform):
    """On a page with paths, and in the glossary, of which such pages show notes, references to sections by number hold
    their titles, too.
    """

    default_priority = 190  # after references are resolved, before `openings` moves what it takes
    builders = ("html",)

    def run(self):
        with_paths = "paths" in self.env.metadata[self.env.docname] or any(self.document.findall(book_switch))
        if not with_paths and not any(self.document.findall(glossary)):
            return
        labels = self.env.domaindata["std"]["labels"]
        number = re.compile(re.escape(self.config.numfig_format["section"]).replace("%s", r"(\d+)\.[.\d]+"))
        for reference in list(self.document.findall(nodes.reference)):
            found = number.fullmatch(reference.astext())
            page, _, title = labels.get(hooks.target(reference), ("", "", ""))
            if found and page:
                chapter = "" if page == self.env.docname else f"Chapter {found[1]}, "
                reference[0]["classes"].append(NUMBER)
                reference.append(nodes.inline("", f"{chapter}“{title}”", classes=[TITLE]))


def setup(app):
    app.add_post_transform(SectionNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
