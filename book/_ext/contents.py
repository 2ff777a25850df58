"""Sphinx extension: the contents at both sides of a page say where its reader is.

At the left the parts of the book fold, and that of the page is open; where a page is of no part, as the welcome page,
all are. At the right `contents.js` marks the section that is read; in a narrow window, where these contents are behind
a button on the bar, the number of the section stands below it, and a line on the bar says how far the page is read.
"""

from bs4 import BeautifulSoup

import hooks


def fold_parts(app, pagename, templatename, context, doctree):
    """Let the theme write the contents of the book with parts that fold."""
    hooks.change_contents(context, _folded)


def _folded(html):
    """Contents, whose captions and what is below them fold."""
    contents = BeautifulSoup(html, "html.parser")
    is_of_a_part = contents.select_one("ul.current") is not None
    for caption in contents.select("p.caption"):
        chapters = caption.find_next_sibling("ul")
        part = caption.wrap(contents.new_tag("summary")).wrap(contents.new_tag("details", attrs={"class": "part"}))
        part.append(chapters.extract())
        if not is_of_a_part or "current" in chapters["class"]:
            part["open"] = ""
        caption.name = "span"
    return str(contents)


def setup(app):
    app.connect("html-page-context", fold_parts, priority=900)  # after the theme's own
    app.add_js_file("contents.js", loading_method="defer")
    app.add_css_file("contents.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
