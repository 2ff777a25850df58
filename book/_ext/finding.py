"""Sphinx extension: the search, by sections, from an index in the page's folder.

For every page, _static/finding/<page>.json holds its sections: address, titles, words that readers of other books type
for what it explains, words that are set off, text, and code. Of a quiz these are its questions: the comments on its
choices would give it away. A definition of the package is a section, too, and has in place of those words the names of
its parameters, attributes and, after a dot, methods. When a build ends, they are joined into _static/finding/text.js,
with the numbers of the chapters, and code.js, scripts because a page opened from the disk may load scripts but may not
fetch; the second is loaded when a reader asks for code. assets/finding.js ranks; search.js shows what it found on the
search page, and search_dialog.js in the dialog of every page, which loads the others when it is opened. Sphinx's own
search knows which words a page has, but not where, nor what is code.
"""

import importlib
import json
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import section_names
import sources
import stacked_tables

OTHER = (nodes.literal_block, nodes.math_block, nodes.raw, nodes.comment, nodes.Invisible, nodes.system_message)
FORMULA = "…"
# What readers of other books call the things that a section explains: they count as words of its title.
KNOWN_AS = {
    "ch-ica": "ICA",
    "ch-large": "big data large tables million rows",
    "ch-lle": "LLE",
    "ch-maps": "SOM",
    "ch-mds": "MDS",
    "ch-mixtures": "clusters clustering",
    "ch-neighbors": "tsne t SNE UMAP",
    "ch-pca": "PCA",
    "ch-ppca": "PPCA",
    "ch-sde": "SDE MVU",
    "sec-choosing-costs": "slow speed fast run time runtime",
    "sec-choosing-failures": "significance permutation test p-value chance parallel analysis artifacts",
    "sec-choosing-mixed": "missing values outliers categorical nominal ordinal mixed data types one-hot dummy "
    "duplicates copies identifiers "
    "constant zero variance skewed log transform MCA FAMD correspondence analysis Gower distance",
    "sec-choosing-read": "interpret interpretation what does a map mean axes clusters densities",
    "sec-choosing-table": "own table own data CSV Excel decimal comma pandas data frame Parquet spreadsheet report "
    "dates feature importance variable importance",
    "sec-choosing-wine": "outliers typos",
    "sec-em-holes": "missing values NaN impute imputation",
    "sec-fa-noise": "noise error of measurement",
    "sec-fa-rotation": "varimax loadings interpret interpretation",
    "sec-graphs-choose": "how many neighbors number of neighbors n_neighbors",
    "sec-graphs-near": "nonlinear structure",
    "sec-how-to-use": "install interactive widgets",
    "sec-kpca-gaussian": "RBF bandwidth gamma length scale",
    "sec-large-pca": "incremental PCA streaming online out of core",
    "sec-lle-choice": "how many neighbors number of neighbors n_neighbors",
    "sec-mds-gram": "PCoA principal coordinates dissimilarity matrix",
    "sec-mds-nonmetric": "NMDS nonmetric non-metric ordinal ranks Kruskal",
    "sec-pca-algorithm": "sign flip signs of axes",
    "sec-pca-fails": "supervised classification labels",
    "sec-pca-invariance": "standardize normalize scaling scale z-score rescale correlation matrix unit variance "
    "StandardScaler feature importance variable importance",
    "sec-pca-number": "number of components scree elbow explained variance",
    "sec-pca-problem": "correlated columns collinear multicollinearity redundant",
    "sec-ppca-problem": "anomaly detection novelty Mahalanobis unusual points",
    "sec-sne-crowding": "curse of dimensionality",
    "sec-sne-fails": "reproducible random seed stability different runs reading t-SNE plots cluster "
    "islands real meaningful distance",
    "sec-sne-umap": "UMAP parameters min_dist n_neighbors negative sampling",
}
FOLDER = "finding"
UNSAID = {"viewcode-link", section_names.TITLE, stacked_tables.NAME}
UNASKED = {"path-mark", "choice"}  # classes of parts of a section that nobody looks for


def write_sections(app, pagename, templatename, context, doctree):
    """Keep what can be found on a page, when the page is written."""
    if doctree is None or app.builder.name != "html":
        return
    page = next(doctree.findall(nodes.section), None)
    found = list(_sections(page, [])) if page is not None else []
    file = Path(app.outdir, "_static", FOLDER, f"{pagename}.json")
    file.parent.mkdir(parents=True, exist_ok=True)
    address = app.builder.get_target_uri(pagename)
    file.write_text(json.dumps([[address, *one] for one in found], ensure_ascii=False), encoding="utf-8")


def _sections(section, above):
    """For a section and those in it: id, titles from the page's down, other names, words set off, text, code."""
    titles = [*above, _text(section[0])]
    own = [node for node in section[1:] if not isinstance(node, nodes.section) and not UNASKED & set(node["classes"])]
    for terms in [terms for node in own for terms in node.findall(nodes.definition_list_item)]:
        if ids := [name for term in terms.findall(nodes.term) for name in term["ids"]]:
            first, *others = [_text(term) for term in terms.findall(nodes.term)]
            yield ids[0], [*titles, first], "; ".join(others), "", _text(terms), ""
    own = [node for node in own if not any(node.findall(nodes.term))]
    definitions = [node for node in own if isinstance(node, addnodes.desc)]
    own = [node for node in own if node not in definitions]
    strong = " ".join(_text(word) for node in own for word in node.findall(nodes.strong))
    known = " ".join(KNOWN_AS.get(name, "") for name in section["ids"]).strip()
    text, code = _text_of(own), _code_of(own)
    if not definitions or titles[-1].endswith(".py"):
        yield section["ids"][0], titles, known, strong, text, code
        text = code = ""
    for definition in definitions:
        yield _definition(definition, above, text, code)
        text = code = ""  # what the section says is said with its first definition
    for node in section:
        if isinstance(node, nodes.section):
            yield from _sections(node, titles)


def _definition(definition, above, text, code):
    """The same for a class or function of the package, below the titles around its section, whose text comes first.

    What a class inherits stands where it is defined.
    """
    signature = definition[0]
    members = [one for one in definition[-1].children if isinstance(one, addnodes.desc)]
    names = [f".{_name(one)}{'()' * (one['objtype'] == 'method')}" for one in members]
    names += [word.astext() for word in definition[-1].findall(addnodes.literal_strong)]
    said = [one for one in definition[-1].children if one not in members]
    said += [one for one in members if _is_own(one, signature)]
    call = "()" if definition["objtype"] == "function" else ""
    text = " ".join(filter(None, [text, _text(signature), _text_of(said)]))
    code = "\n".join(filter(None, [code, _code_of(said)]))
    return signature["ids"][0], [*above, _name(definition) + call], " ".join(dict.fromkeys(names)), "", text, code


def _name(definition):
    return definition[0]["fullname"].rpartition(".")[-1]


def _is_own(member, signature):
    """Whether a class defines what is shown of it."""
    cls = getattr(importlib.import_module(signature["module"]), signature["fullname"])
    return _name(member) in {*vars(cls), *vars(cls).get("__annotations__", {})}


def _text_of(parts):
    return " ".join(filter(None, map(_text, parts)))


def _code_of(parts):
    return "\n".join(block.astext() for node in parts for block in node.findall(nodes.literal_block))


def _text(node):
    """The words of a node, in which a mark stands for a formula, and which have no code but names of it."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, (nodes.math, nodes.raw)) and isinstance(node.parent, nodes.TextElement):
        return FORMULA
    if isinstance(node, OTHER) or UNSAID & set(node.get("classes", [])):
        return ""
    if isinstance(node, addnodes.desc_parameterlist):
        return f"({', '.join(map(_text, node.children))})"
    if isinstance(node, addnodes.desc_signature):
        return f"{''.join(map(_text, node.children))}:"
    between = "" if isinstance(node, nodes.TextElement) else " "
    return " ".join(between.join(filter(None, map(_text, node.children))).split(" "))


def join_sections(app, error):
    """Write the two files that pages load."""
    folder = Path(app.outdir, "_static", FOLDER)
    if error or app.builder.name != "html":
        return
    pages = map(sources.docname, sources.ALL_PAGES)
    found = [one for name in pages for one in _kept(folder / f"{name}.json")]
    numbers = {name: sections.get("") for name, sections in app.env.toc_secnumbers.items()}
    chapters = {app.builder.get_target_uri(name): of[0] for name, of in sorted(numbers.items()) if of}
    _write(folder / "text.js", Chapters=chapters, Text=[one[:6] for one in found])
    _write(folder / "code.js", Code=[one[6] for one in found])


def _write(file, **contents):
    """A script that gives pages what they search."""
    packed = {name: json.dumps(of, ensure_ascii=False, separators=(",", ":")) for name, of in contents.items()}
    file.write_text("".join(f"window.book{name} = {of};\n" for name, of in packed.items()), encoding="utf-8")


def _kept(file):
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


def setup(app):
    app.connect("html-page-context", write_sections)
    app.connect("build-finished", join_sections)
    app.add_css_file("search.css")
    app.add_js_file("search_dialog.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
