"""Pictures in the texts of a submission: what a browser shows is kept, and a note says why another one is not.

A picture is an attachment of its cell, shown where the text says ``![name](attachment:key)``. nbgrader makes no page of
a text that shows an attachment which is not there, so in place of a picture that is not kept the text says so.
"""

import base64
import re
from urllib.parse import unquote

MIB = 2**20
MOST_BYTES = 24 * MIB  # of all pictures of a notebook
MOST_NOTES = 20
KINDS = {"png": rb"\x89PNG\r\n\x1a\n", "jpeg": rb"\xff\xd8\xff", "webp": rb"RIFF[\s\S]{4}WEBP"}  # how their files begin
SHOWN = re.compile(
    r"!\[(?P<name>(?:[^\[\]\n]|\[[^\[\]\n]{0,99}\]){0,300})\]"
    r"\(\s{0,20}<?(?P<place>(?:[^()<>\"\n]|\([^()\n]{0,99}\)){0,300})>?(?:\"[^\"\n]{0,300}\"\s*)?\)"
    r"|<img\b[^<>]{0,500}?\ssrc=[\"'](?P<source>[^\"'\n]{0,300})[\"'][^<>]{0,500}>"
)
ELSEWHERE = re.compile(r"(?!attachment:|file:)\w{2,}:|//|#|$")  # a place on the web, or none


class Album:
    """The pictures of one notebook that are kept, as long as there is room, and notes on the others."""

    def __init__(self):
        self.room, self.notes = MOST_BYTES, []

    def note(self, text):
        """Note something, unless there are many notes already."""
        self.notes += [text][: max(0, MOST_NOTES - len(self.notes))]

    def keep(self, text, attachments, where):
        """The text of a cell as it is shown, and its pictures that are kept.

        Parameters
        ----------
        text : str
        attachments : dict
            What was dragged into the cell: by key, texts in base 64 by their kind. It may hold anything.
        where : str
            Where the cell is, for the notes.
        """
        kept, known = {}, {}

        def shown(match):
            place = (match["place"] or match["source"] or "").strip()
            if ELSEWHERE.match(place):
                return match[0]
            key = place.removeprefix("attachment:")
            name = _plain(match["name"]) or _plain(key) or "without a name"
            if key not in known:
                data = _data(attachments, key)
                problem, kind = self._problem(data), kind_of(data)
                if problem:
                    self.note(f"{where}: the picture {name} {problem}")
                else:
                    self.room -= len(data)
                    kept[f"picture-{len(kept) + 1}.{kind}"] = {f"image/{kind}": base64.b64encode(data).decode()}
                known[key] = None if problem else list(kept)[-1]
            return f"![{name}](attachment:{known[key]})" if known[key] else f"*The picture {name} was not kept.*"

        return re.sub(r"attachment:(?!picture-\d)", "attachment: ", SHOWN.sub(shown, text)), kept

    def _problem(self, data):
        """Why a picture is not kept, the end of a sentence, or nothing."""
        if data is None:
            return "is not in the notebook"
        if not kind_of(data):
            return "is not PNG, JPEG or WebP and was not kept"
        if len(data) > self.room:
            return f"was not kept: the pictures of a notebook may have {MOST_BYTES // MIB} MiB together"
        return ""


def _data(attachments, key):
    """The bytes of an attachment, or None if there is none."""
    if not isinstance(attachments, dict):
        return None
    kinds = attachments.get(key, attachments.get(unquote(key)))
    for content in kinds.values() if isinstance(kinds, dict) else []:
        try:
            return base64.b64decode("".join(content))
        except (ValueError, TypeError):
            return b""
    return None


def kind_of(data):
    """What a picture is, by its first bytes, whatever its name says."""
    return next((kind for kind, head in KINDS.items() if re.match(head, data or b"")), None)


def _plain(name):
    """A name without anything that a page could take for markup."""
    return re.sub(r"[^\w .()-]", "", name or "")[-60:].strip()
