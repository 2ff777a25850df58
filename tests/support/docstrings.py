"""What the docstring of a class says, section by section."""

import inspect
import re


def described(documented, heading):
    """Names that a section of the docstring of a class describes, in their order."""
    text = re.search(rf"^{heading}\n-+\n(.*?)(?=\n\n\w[\w ]*\n-{{3,}}|\Z)", inspect.getdoc(documented), re.S | re.M)
    lines = re.findall(r"^(\w+(?:, \w+)*)(?: : .+)?$", text[1], re.M) if text else []
    return [name for line in lines for name in line.split(", ")]
