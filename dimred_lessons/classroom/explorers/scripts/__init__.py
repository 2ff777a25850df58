"""The scripts of the figures that move: modules, one for each thing that they do, joined into one for the reader.

A notebook shows a single module, and a page that is opened from the disk may load none at all. The modules import
each other by name, ``import { make } from "./elements.js"``; joined, each stands once, behind those that it imports,
and its lines are unchanged except for these imports.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
ENTRY = "main.js"
_IMPORT = re.compile(r'^import \{[\w\s,]+\} from "\./(?P<name>[\w/]+\.js)";\n', re.M)


def in_order(entry=ENTRY):
    """Names of a module and of all to which its imports lead, each behind those that it imports.

    Parameters
    ----------
    entry : str
        Name of a module in this folder.

    Returns
    -------
    list of str
    """
    return list(dict.fromkeys(_led_to(entry)))


def _led_to(name):
    for imported in _IMPORT.finditer(read(name)):
        yield from _led_to(imported["name"])
    yield name


def read(name):
    """Text of a module.

    Parameters
    ----------
    name : str
        Name of a module in this folder.

    Returns
    -------
    str
    """
    return (FOLDER / name).read_text(encoding="utf-8")


def joined(entry=ENTRY):
    """A module and all to which its imports lead as one module, which imports nothing.

    Parameters
    ----------
    entry : str
        Name of a module in this folder.

    Returns
    -------
    str
    """
    return "\n".join(_IMPORT.sub("", read(name)).rstrip() + "\n" for name in in_order(entry))
