"""From the archive that a learning platform gives to the folder in which submissions are expected.

Moodle writes `Ada Lovelace_123_assignsubmission_file_/pca.ipynb` (or all in one name), Canvas
`lovelaceada_123_4567_pca-1.ipynb`, with LATE after the name. In any other archive the outermost folder is the student.
"""

import os
import re
import shutil
import time
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from zlib import error as DeflateError

from grading import roster
from grading.dates import moment
from grading.rebuild import MOST_BYTES, brief, contents
from grading.store import Store

MOODLE = re.compile(  # a person's name may hold such words, too: in the name of a folder the last ones count
    r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)"
    r"(_/|/|_(?![^/]*\d_assignsubmission_[a-z]+_?/))(?P<file>.*)",
    re.S,
)
CANVAS = re.compile(r"(?P<name>[^/_]+)_(?:(?P<late>LATE)_)?(?P<number>\d+)_\d+_(?P<file>[^/]+)")
LONGEST_NAME = 200  # bytes; disks take 255
DAMAGES = (zipfile.BadZipFile, DeflateError, LZMAError, NotImplementedError, RuntimeError, EOFError)  # or a password
NOTEBOOK = re.compile(r"(?P<stem>.*)\.ipynb(\.txt|\.json)?", re.I | re.S)  # browsers add an end of their own
ORIGIN = "origin.txt"  # how the archive called the place of a submission: the way back for feedback
LONGEST_ORIGIN = 4096  # bytes; a student may have written more, which takes the square of its length to match
OTHERS = "others.txt"  # the names of files that are no notebooks, such as a proof on paper; they stay in the archive
OURS = (ORIGIN, OTHERS, "timestamp.txt")
UTF8 = 0x800  # by which a file in an archive says that its name is in UTF-8


class CollectError(Exception):
    """Why nothing could be collected, in one sentence."""


@dataclass
class Entry:
    """What the archive has of one student: notebooks as (name in the archive, name), and other files."""

    login: str
    origin: str
    known: bool = True
    late: bool = False
    handed_in: str = ""
    notebooks: list = field(default_factory=list)
    others: list = field(default_factory=list)


def collect(root, assignment, archive, members=None):
    """Put the notebooks of an archive into ``submitted``; what a person should know, one sentence each.

    Parameters
    ----------
    root : Path
        The course folder.
    assignment : str
    archive : Path
        A zip file.
    members : dict of grading.roster.Member
        The class, if there is a list of it.
    """
    try:
        with zipfile.ZipFile(archive) as zipped:
            entries, told = _entries(zipped, members or {}, lambda login: _number(root, assignment, login))
            if not any(entry.notebooks for entry in entries):
                raise CollectError(" ".join([f"{archive.name} holds no notebook of anybody.", *told]))
            store = Store(root)
            for entry in entries:
                told += _put(store, assignment, zipped, entry, members)
    except DAMAGES as error:
        raise CollectError(f"{archive.name} is no archive that can be read: {error}") from error
    return list(dict.fromkeys(told))


def _entries(zipped, members, number_of):
    """What there is of each student, in the order of their folders, and sentences on what is nobody's.

    A folder that is there already has the number that `number_of` gives.
    """
    found, names, told = {}, {}, []
    taken = {plain_name(login) for login in members}
    listed = [(info, PurePosixPath(_path(info).replace("\\", "/")).parts) for info in zipped.infolist()]
    listed = [(info, parts) for info, parts in listed if parts and not info.is_dir() and not _hidden(parts)]
    outer = _is_around([parts for _, parts in listed], members)
    for info, parts in listed:
        parts = parts[outer:]
        path = "/".join(parts)
        match, late = CANVAS.fullmatch(path) or MOODLE.match(path), False
        if match and match.re is MOODLE:
            name, number, origin = match["name"], match["number"], path[: match.start("file")]
        elif match:
            name, number, late = match["name"], match["number"], bool(match["late"])
            origin = path if NOTEBOOK.fullmatch(match["file"]) else ""
        elif len(parts) > 1:
            name, number, origin = parts[0], "", ""
        else:
            told.append(f"whose {brief(path)} is cannot be seen: put it into a folder with the student's login")
            continue
        member = roster.find(members, name, number)
        if not member and (name, number) not in names:
            names[name, number] = _login(name, number, taken | {*names.values()}, number_of)
        who = plain_name(member.login) if member else names[name, number]
        entry = found.setdefault(
            who, Entry(who, origin, member is not None, handed_in=member.handed_in if member else "")
        )
        entry.late |= late
        file = match["file"] if match else parts[-1]
        if notebook := NOTEBOOK.fullmatch(PurePosixPath(file).name):
            entry.notebooks.append((info, plain_name(f"{notebook['stem']}.ipynb")))
            entry.origin = origin or entry.origin
        else:
            entry.others.append(plain_name(PurePosixPath(file).name))
    for name, count in Counter(name for name, number in names if number).items():
        if count > 1:
            name = plain_name(name)
            told.append(f"{count} people are called {name}: only a class list with numbers can tell them apart")
    return [found[login] for login in sorted(found)], told


def _hidden(parts):
    """Whether a file was made by a system or an editor, such as a checkpoint, and by nobody."""
    return "__MACOSX" in parts or any(part.startswith(".") and part != ".." for part in (*parts[1:], parts[-1]))


def _is_around(paths, members):
    """Whether there is a folder around all others: who unpacks an archive and packs it again often gets one."""
    if len({parts[0] for parts in paths}) != 1:
        return False
    if MOODLE.match(f"{paths[0][0]}/") or roster.find(members, paths[0][0], ""):
        return False
    inner = ["/".join(parts[1:]) for parts in paths]
    if all(CANVAS.fullmatch(path) or MOODLE.match(path) for path in inner):
        return True
    return all(len(parts) > 2 for parts in paths) and any(roster.find(members, parts[1], "") for parts in paths)


def _path(info):
    """The name of a file in an archive; macOS writes UTF-8 without saying so."""
    if info.flag_bits & UTF8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _login(name, number, taken, number_of):
    """A folder for somebody who is in no list: the one that has the number; or the name, with the number where it is
    another's.
    """
    logins = [plain_name(name), plain_name(f"{name}_{number}")]
    own = [login for login in logins if number and number_of(login) == number]
    free = [login for login in logins if not number_of(login) or not number]
    login = next((login for login in own + free if login not in taken), logins[-1])
    while login in taken:
        login += "_"
    return login


def plain_name(name):
    """A name that every disk takes, that stays in its folder and is not hidden there."""
    name = unicodedata.normalize("NFC", name)
    name = "".join(letter if letter.isprintable() and letter not in "/\\" else "_" for letter in name.strip())
    name = name.lstrip(".").strip()
    stem, dot, end = name.rpartition(".") if name.endswith(".ipynb") else (name, "", "")
    while len(stem.encode()) > LONGEST_NAME:
        stem = stem[:-1]
    return f"{stem}{dot}{end}" or "_"


def _put(store, assignment, zipped, entry, members):
    """Write what one student handed in, unless it is there already."""
    about = f"{entry.login}: "
    if members and not entry.known:
        yield f"{about}is not in the class list"
    if entry.late:
        yield f"{about}Canvas says that it was late: write the date into timestamp.txt beside the notebook"
    if not entry.notebooks:
        yield f"{about}handed in no notebook but {', '.join(entry.others)}"
        return
    place = store.root / "submitted" / entry.login / assignment
    new = store.work / "collected"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    taken = 0
    for info, name in entry.notebooks:
        if info.file_size > MOST_BYTES:
            yield f"{about}{name} is larger than {MOST_BYTES // 2**20} MiB and was not taken"
            continue
        while (new / name).exists():
            name = f"{name.removesuffix('.ipynb')}_.ipynb"  # two of the same name, from different folders
        try:
            with zipped.open(info) as file:
                content = file.read(MOST_BYTES)
        except (*DAMAGES, OSError) as error:
            yield f"{about}{name} is damaged in the archive and was not taken: {error}"
            continue
        (new / name).write_bytes(content)
        os.utime(new / name, (time.time(), _written(info)))  # of several, the newest counts
        taken += 1
    if not taken:
        shutil.rmtree(new)
        return
    if entry.origin:
        (new / ORIGIN).write_text(entry.origin, encoding="utf-8")
    if entry.others:
        (new / OTHERS).write_text("\n".join(dict.fromkeys(entry.others)), encoding="utf-8")
    stamp = moment(entry.handed_in, zone=None)
    if stamp and (other := _dated(place, stamp)):
        yield f"the class list has the dates of {other}, which are not taken: export that of {assignment}"
    elif stamp:
        (new / "timestamp.txt").write_text(stamp, encoding="utf-8")
    elif re.search(r"\d", entry.handed_in):
        yield f"{about}the date {brief(entry.handed_in)} cannot be read: write it into timestamp.txt"
    if _notebooks(place) == _notebooks(new):
        for about_it in OURS:  # an address may be new; a date may be a person's
            known = about_it == "timestamp.txt" and (place / about_it).exists()
            if (new / about_it).exists() and not known:
                (new / about_it).replace(place / about_it)
        shutil.rmtree(new)
        return
    if place.exists():
        older = _newest(new) < _newest(place)
        yield f"{about}handed in again" + (", and this is older than what was there" if older else "")
    store.put({"submitted": new}, entry.login, assignment)
    shutil.rmtree(new)


def _dated(place, stamp):
    """The other assignment that a student handed in at a time, or nothing: a platform's list has the dates of one."""
    found = [path for path in place.parent.glob("[!.]*/timestamp.txt") if path.parent != place]
    return next((path.parent.name for path in found if path.read_bytes() == stamp.encode()), "")


def _written(info):
    """Seconds at which a file in an archive was written, by the clock of this machine; 0 if it does not say."""
    try:
        return time.mktime((*info.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0


def _notebooks(folder):
    """The bytes of the notebooks in a folder, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.ipynb")) if path.is_file()}


def _newest(folder):
    """When the newest notebook of a folder was written."""
    return max((path.stat().st_mtime for path in folder.glob("*.ipynb")), default=0)


def _origin(root, assignment, student):
    """How an archive called the place of a submission, as MOODLE or CANVAS matches it, or None: a student may have
    handed in a file of this name.
    """
    try:
        text = contents(root / "submitted" / student / assignment / ORIGIN)[:LONGEST_ORIGIN].decode()
    except (OSError, ValueError):
        return None
    match = MOODLE.fullmatch(text) or CANVAS.fullmatch(text)
    is_place = match and text.isprintable() and not (match.re is MOODLE and match["file"])
    return match if is_place else None


def _number(root, assignment, student):
    """The platform's number of the person of whom a folder has a submission, or nothing."""
    match = _origin(root, assignment, student)
    return match["number"] if match else ""


def pack(root, assignment, students, archive):
    """Put all pages of feedback into one zip, under the names by which the platform knows them; how many there are.

    Moodle takes it as *feedback files in a zip*, Canvas as submissions that are uploaded again.
    """
    matches = {student: _origin(root, assignment, student) for student in students}
    origins = {student: match[0] if match else "" for student, match in matches.items()}
    given, pages = Counter(filter(None, origins.values())), 0
    archive.parent.mkdir(parents=True, exist_ok=True)
    new = archive.with_suffix(".new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as zipped:
        for student in students:
            page = root / "feedback" / student / assignment / f"{assignment}.html"
            if not page.exists():
                continue
            name = origins[student] if given[origins[student]] == 1 else f"{student}/"
            name = f"{name}{page.name}" if name.endswith(("/", "_")) else str(Path(name).with_suffix(".html"))
            zipped.write(page, name)
            pages += 1
    new.replace(archive)
    return pages
