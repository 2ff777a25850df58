"""Sphinx extension: below the name of each map of the gallery, the chapter about its method.

The page has the addresses as data; assets/gallery_links.js puts the links in.
"""

import json

from docutils import nodes

from figures import moving

# Where each method of the gallery is explained, by label.
EXPLAINED = {
    "PCA": "ch-pca",
    "probabilistic PCA": "ch-ppca",
    "factor analysis": "ch-fa",
    "independent components": "ch-ica",
    "projection pursuit": "ch-ica",
    "random projection": "ch-rp",
    "kernel PCA": "ch-kpca",
    "metric MDS": "ch-mds",
    "Sammon's mapping": "ch-mds",
    "Isomap": "ch-isomap",
    "LLE": "ch-lle",
    "modified LLE": "sec-tangents-modified",
    "LTSA": "ch-tangents",
    "Hessian LLE": "ch-tangents",
    "Laplacian eigenmaps": "ch-lem",
    "diffusion map": "sec-lem-walk",
    "SDE": "ch-sde",
    "GTM": "ch-maps",
    "self-organizing map": "ch-maps",
    "aligned mixture": "ch-alignment",
    "coordinated factor analysis": "ch-alignment",
    "autoencoder": "ch-curves",
    "SNE": "ch-neighbors",
    "t-SNE": "ch-neighbors",
    "UMAP's objective": "sec-sne-umap",
}
SCRIPT = "gallery_links.js"


def is_gallery(figure):
    return figure["data"]["kind"] == "gallery"


def add_addresses(app, doctree, docname):
    """Give the page of a gallery the address and the words of each link."""
    if app.builder.name != "html" or not any(map(is_gallery, doctree.findall(moving))):
        return
    links = {name: link for name, label in EXPLAINED.items() if (link := _link(app, docname, label))}
    data = json.dumps(links, ensure_ascii=False)
    doctree.append(nodes.raw("", f'<script type="application/json" id="gallery-links">{data}</script>', format="html"))


def _link(app, docname, label):
    """Address of a label and the number of its chapter; None if no page has it, or its page no number."""
    page, place, _ = app.env.get_domain("std").labels.get(label, (None, None, None))
    number = app.env.toc_secnumbers.get(page, {}).get("")
    return number and (f"{app.builder.get_relative_uri(docname, page)}#{place}", f"chapter {number[0]}")


def load(app, pagename, templatename, context, doctree):
    """Give the page of a gallery the script."""
    if doctree is not None and any(map(is_gallery, doctree.findall(moving))):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app):
    app.connect("doctree-resolved", add_addresses)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
