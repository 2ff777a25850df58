"""Pictures in the texts of a submission: what a browser shows is kept, and a note says why another one is not.

A picture is an attachment of its cell, shown where the text says ``![name](attachment:key)``. nbgrader makes no page of
a text that shows an attachment which is not there, so in place of a picture that is not kept the text says so.
"""

import base64
import re
from urllib.parse import unquote

MIB = 2**20
MOST_BYTES = 24 * MIB  # of all pictures of a notebook
MOST_PIXELS = 40_000_000  # of one picture: a browser takes four bytes for each, however small the file is
MOST_NOTES = 20
KINDS = {"png": rb"\x89PNG\r\n\x1a\n", "jpeg": rb"\xff\xd8\xff", "webp": rb"RIFF[\s\S]{4}WEBP"}  # how their files begin
NO_FRAMES = {0xC4, 0xC8, 0xCC}  # of the marks from 0xC0 to 0xCF in a JPEG, those that no size follows
BARE = {0x01, *range(0xD0, 0xD9)}  # marks without a length
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
        if is_too_large(data):
            return f"was not kept: it has more than {MOST_PIXELS // 10**6} million pixels"
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


def is_too_large(data):
    """Whether a picture has more pixels than a browser should be given; one that does not say how many shows none."""
    sizes = {"png": _size_of_png, "jpeg": _size_of_jpeg, "webp": _size_of_webp}
    kind = kind_of(data)
    width, height = sizes[kind](data) if kind else (0, 0)
    return width * height > MOST_PIXELS


def _size_of_png(data):
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _size_of_jpeg(data):
    """The size in the first frame; what stands between two parts is passed over, as browsers do."""
    at = data.find(b"\xff", 2)
    while 0 <= at < len(data) - 1:
        mark, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= mark <= 0xCF and mark not in NO_FRAMES:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        step = 1 if mark in (0x00, 0xFF) else 2 if mark in BARE else 2 + length
        at = data.find(b"\xff", at + step)
    return 0, 0


def _size_of_webp(data):
    """The size of any of the three kinds: with loss, without, and with further parts."""
    kind, place = data[12:16], data[20:30]
    if kind == b"VP8 ":
        return int.from_bytes(place[6:8], "little") & 0x3FFF, int.from_bytes(place[8:10], "little") & 0x3FFF
    if kind == b"VP8L":
        both = int.from_bytes(place[1:5], "little")
        return (both & 0x3FFF) + 1, (both >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return int.from_bytes(place[4:7], "little") + 1, int.from_bytes(place[7:10], "little") + 1
    return 0, 0


def _plain(name):
    """A name without anything that a page could take for markup."""
    return re.sub(r"[^\w .()-]", "", name or "")[-60:].strip()
