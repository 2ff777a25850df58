"""What the book relies on although no other package promises it, in this one file.

Each function names the package and what of it is meant. `tests/book/test_hooks.py` builds a page on which all of it
occurs, `test_figures.py` one with figures, and they say of each what broke when a package has changed. What the
packages do promise, such as events, directives, domains, settings and nodes, is used wherever it is needed.
"""

import re
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from docutils import nodes
from myst_nb.core import render
from sphinx.errors import ExtensionError
from sphinxcontrib.bibtex.nodes import raw_latex

# --- The theme

ICONS = "_static/scripts/fontawesome.js"
THEME = "_static/scripts/pydata-sphinx-theme.js"
# All blocks for which the theme sets tabIndex to whether they scroll, and what is left of them
EACH = r"\.forEach\(\(?e=>\{e\.tabIndex="
MEASURED = re.compile(r'document\.querySelectorAll\(\["pre",[^()]*\]\.join\(", "\)\)(?=' + EACH + ")")
NONE = re.compile(r"\[\]" + EACH)


def leave_out_icons(book):
    """pydata-sphinx-theme: this script draws icons that a font has, too; our template of its macros leaves it out."""
    for file in (book / ICONS).parent.glob(f"{Path(ICONS).name}*"):  # with its map and its license notes
        file.unlink()


def leave_out_measuring(book):
    """pydata-sphinx-theme: this is how its script finds the blocks of code that it measures; give it none."""
    file = book / THEME
    script = MEASURED.sub("[]", file.read_text(encoding="utf-8"))
    if not NONE.search(script):
        raise ExtensionError(f"{THEME} measures blocks in another way than before: adapt MEASURED in hooks.py.")
    file.write_text(script, encoding="utf-8")


def change_contents(context, change):
    """pydata-sphinx-theme: a page's context has the function that writes the contents of the book as HTML; change that.

    A part is a ``p.caption`` and the ``ul`` after it, which has the class ``current`` if the page is in it.
    """
    written = context.get("generate_toctree_html")
    if written is not None:
        context["generate_toctree_html"] = lambda *where, **how: change(str(written(*where, **how) or ""))


# --- Sphinx


def silence(app, extension):
    """Sphinx: an app lists what is connected to its events, and the style sheets that extensions add."""
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__ == extension:
                app.disconnect(listener.id)
    name = extension.replace("_", "-")
    app.registry.css_files[:] = [css for css in app.registry.css_files if name not in css[0]]


def number(env, docname, kind, label):
    """Sphinx: the environment has the numbers of a page by kind and label, those of other extensions, too."""
    return ".".join(map(str, env.toc_fignumbers[docname][kind][label]))


def first_number(env, docname, kind):
    """The smallest number of a kind on a page without chapter; None if it has none of this kind."""
    numbers = env.toc_fignumbers.get(docname, {}).get(kind, {}).values()
    return min((number[0] for number in numbers), default=None)


def target(reference):
    """Sphinx: a resolved reference has an address, or within its page an id; the id of the place to which it leads."""
    return reference.get("refid") or reference.get("refuri", "").partition("#")[2]


def in_order(env):
    """Sphinx: the pages of the book as its contents list them, which the environment has page by page."""
    pages = [env.config.root_doc]
    for page in pages:
        pages += [child for child in env.toctree_includes.get(page, []) if child not in pages]
    return pages


def shown_elsewhere(env):
    """Sphinx, sphinx-proof, sphinx-exercise: what pages show of each other is in these tables of the environment."""
    titles = {name: (title.astext(), env.tocs[name].astext()) for name, title in env.titles.items()}
    statements = [getattr(env, name, None) for name in ("proof_list", "sphinx_exercise_registry")]
    return [titles, env.toc_secnumbers, env.toc_fignumbers, statements, env.domaindata]


def visit_as_before(translator, node):
    """Sphinx: the class of a translator has the method that `Sphinx.add_node` replaced; it writes one piece."""
    getattr(type(translator), f"visit_{type(node).__name__}")(translator, node)
    return translator.body.pop()


# --- Pygments

PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')


def without_plain(html):
    """Pygments: names, punctuation and blanks get elements of these classes, in the color of the text; without them."""
    return PLAIN.sub(r"\1", html)


# --- sphinxcontrib-bibtex

CITED = re.compile(r"\\hyperlink\{cite\.[^}]*:(\w+)\}")


def citations(env, page):
    """sphinxcontrib-bibtex: a citation is LaTeX, or a reference to a work; each with what its domain calls the work."""
    for mark in page.findall(raw_latex):
        if found := CITED.search(mark.rawsource):
            yield mark, found[1]
    pages = {citation.citation_id: citation.bibliography_key.docname for citation in env.get_domain("cite").citations}
    for mark in page.findall(nodes.reference):
        file, _, work = mark.get("refuri", "").partition("#")
        if work in pages and PurePosixPath(file).stem == PurePosixPath(pages[work]).name:
            yield mark, work


def works(env):
    """sphinxcontrib-bibtex: its domain knows the entry of every work that is cited; the persons of each."""
    return {citation.citation_id: citation.entry.persons for citation in env.get_domain("cite").citations}


# --- sphinx-proof and sphinx-exercise

REPEATED_IDS = {"proof-content", "exercise-content", "solution-content"}  # of what every statement holds


def kinds(statement):
    """sphinx-proof: a statement says what it is, and with what it is counted."""
    return statement["realtype"], statement["countertype"]


def page_of_statement(env, label):
    """sphinx-proof: the page of a statement is in this table of the environment."""
    return env.proof_list[label]["docname"]


def exercise_of(env, label):
    """sphinx-exercise: label and page of the exercise that a label means, also that of its solution; or None."""
    known = env.sphinx_exercise_registry.get(label)
    if known is None:
        return None
    return label if known["type"] == "exercise" else known["node"]["target_label"], known["docname"]


# --- myst-nb


def add_plugin(plugin):
    """myst-nb: it finds the plugins of installed packages, which this one is not, and keeps them in a list."""
    render.load_mime_renders().append(plugin)


@contextmanager
def figure(renderer, name, caption, line):
    """myst-nb: a plugin's renderer has one of Markdown, with which `mystnb: {figure: ...}` makes figures of outputs.

    Gives a holder for the figure, and the figure while it is made.
    """
    markdown, holder = renderer.renderer, nodes.Element()
    with (
        markdown.current_node_context(holder),
        render.create_figure_context(markdown, {"name": name, "caption": caption}, line),
    ):
        yield holder, markdown.current_node


def is_cell(node):
    """myst-nb: a cell of code is a container that says so, with source and output in it."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def tags(cell):
    """myst-nb: a cell keeps its metadata."""
    return cell["cell_metadata"].get("tags", [])


def sources(cell):
    """myst-nb: the code of a cell is in a container that says so; a cell that others have joined has several."""
    return [part for part in cell if part.get("nb_element") == "cell_code_source"]


def output(cell):
    """myst-nb: what a cell makes is in a container that says so; None if it makes nothing."""
    return next((part for part in cell if part.get("nb_element") == "cell_code_output"), None)


def is_printed(node):
    """myst-nb: what a cell prints is a block of this class."""
    return isinstance(node, nodes.literal_block) and "stream" in node["classes"]


def unhide(cell):
    """myst-nb: a cell with a tag such as hide-cell is folded later, unless it loses this attribute."""
    cell.attributes.pop("hide_mode", None)


# --- sphinx-design


def is_dropdown(node):
    """sphinx-design: a dropdown is a container that says so; its title is its first child."""
    return isinstance(node, nodes.container) and node.get("design_component") == "dropdown"


def classes(node):
    """sphinx-design: a dropdown keeps its classes by another name; those of any node, or none."""
    return [*node.get("classes", []), *node.get("container_classes", [])] if isinstance(node, nodes.Element) else []


def look(box):
    """sphinx-design: a dropdown has classes, its own of which begin with sd-, and says whether it is open at first."""
    return [name for name in box["container_classes"] if not name.startswith("sd-")], box["opened"]


def add_classes(node, *names):
    """Give a dropdown, or any other node, more classes for others to read."""
    kept = "container_classes" if is_dropdown(node) else "classes"
    node[kept] = [*node[kept], *names]
