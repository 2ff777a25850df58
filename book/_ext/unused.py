"""Sphinx extension: style sheets and fonts without what no page of the book uses.

The theme comes with rules for everything that could stand on a page, and with fonts of thousands of icons and
letters. A selector stays if each class and identifier that it names occurs on a page, or as a word of a script,
which may add it later. A letter stays in a large font if it occurs on a page or in a string of a style sheet. Every
build starts from the files as their packages hold them, so a page may use tomorrow what none uses today.
"""

import re
from pathlib import Path

import tinycss2
from fontTools import subset

NAMES = re.compile(r'\b(?:class|id)="([^"]*)"')
WORD = re.compile(r"[\w-]+")
LARGE = 20_000  # bytes of a font


def leave_out(app, error):
    """Rewrite the style sheets and fonts of a book that has been built."""
    if error or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    pages = [file.read_text(encoding="utf-8") for file in folder.rglob("*.html")]
    scripts = [file.read_text(encoding="utf-8") for file in folder.rglob("*.js")]
    names = {name for page in pages for found in NAMES.findall(page) for name in found.split()}
    names |= {word for script in scripts for word in WORD.findall(script)}
    letters = set().union(*pages)
    for file in folder.rglob("*.css"):
        css = used_rules(file.read_text(encoding="utf-8"), names)
        letters |= {letter for text in _strings(_parsed(css)) for letter in text}
        file.write_text(css, encoding="utf-8")
    for file in folder.rglob("*.woff2"):
        if file.stat().st_size > LARGE:
            keep_letters(file, letters)


def _parsed(css):
    return tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)


def used_rules(css, names):
    """A style sheet with those selectors only whose classes and identifiers are all among the names."""
    kept, text = [], tinycss2.serialize
    for rule in _parsed(css):
        if rule.type == "qualified-rule":
            used = [selector for selector in _selectors(rule.prelude) if names.issuperset(_named(selector))]
            head, body = ",".join(text(selector).strip() for selector in used), text(rule.content)
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            head, body = f"@{rule.at_keyword}{text(rule.prelude)}", used_rules(rule.content, names)
        else:
            kept.append(rule.serialize())
            continue
        if head and body:
            kept.append(f"{head}{{{body}}}")
    return "\n".join(kept)


def _selectors(prelude):
    """The selectors that commas separate in the head of a rule."""
    selectors = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    return selectors


def _named(selector):
    """The classes and identifiers without which a selector finds nothing (those in ``:not(...)`` are others)."""
    before = None
    for token in selector:
        if token.type == "hash" or (token.type == "ident" and before == "."):
            yield token.value
        before = token


def _strings(tokens):
    """The texts in quotes, at any depth."""
    for token in tokens:
        if token.type == "string":
            yield token.value
        for part in ("prelude", "content", "arguments"):
            yield from _strings(getattr(token, part, None) or [])


def keep_letters(file, letters):
    """Take the letters that are not asked for out of a font, with what they alone need."""
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True, drop_tables=["ltag"])
    cut = subset.Subsetter(options)
    cut.populate(unicodes=map(ord, letters))
    with subset.load_font(file, options, lazy=False) as font:
        cut.subset(font)
        subset.save_font(font, file, options)


def setup(app):
    app.connect("build-finished", leave_out, priority=900)  # after the extensions that write style sheets and fonts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
