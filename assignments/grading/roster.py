"""The class list: who takes part, by the names and numbers that the learning platform has for them.

`students.csv` in the course folder is what the platform exports: Moodle's participants or its grading worksheet, or
Canvas's gradebook. A table with the columns `login` and `name` does as well.
"""

import csv
import io
import re
import unicodedata
from dataclasses import dataclass

LOGIN = ("login", "username", "sis login id", "user name", "student id")
EMAIL = ("email address", "email", "e-mail address")  # a login where there is no other
NAME = ("name", "full name", "student")
FIRST, LAST = ("first name", "given name"), ("last name", "surname", "family name")
NUMBER = ("identifier", "id", "canvas id")
HANDED_IN = ("last modified (submission)",)
NO_PERSON = ("points possible", "student, test")


class RosterError(Exception):
    """Why a class list cannot be read, in one sentence."""


@dataclass
class Member:
    """Somebody of the class: the login, under which marks are kept, and what the platform says beside it.

    Where the class list has no logins, the address of e-mail is one.
    """

    login: str
    name: str = ""
    number: str = ""
    by_email: bool = False
    handed_in: str = ""


def read(path):
    """The members of the class, by login, from a table; an error says what it lacks.

    Parameters
    ----------
    path : Path
        A table with commas, semicolons or tabs.
    """
    text = "\n".join(_text(path.read_bytes()).splitlines())
    first = text.partition("\n")[0]
    mark = max(",;\t", key=first.count)
    try:
        rows = [[entry.strip() for entry in row] for row in csv.reader(io.StringIO(text), delimiter=mark)]
    except csv.Error as error:
        raise RosterError(f"{path.name} is no table that can be read: {error}") from error
    titles = [title.lower() for title in rows[0]] if rows else []

    def column(names):
        return next((titles.index(name) for name in names if name in titles), None)

    places = {what: column(names) for what, names in _COLUMNS.items()}
    if places["login"] is None:
        raise RosterError(f"{path.name} has no column of logins: name one of them login, Username or SIS Login ID")
    members, by_email = {}, titles[places["login"]] in EMAIL
    for row in rows[1:]:
        part = {what: row[at] if at is not None and at < len(row) else "" for what, at in places.items()}
        name = part["name"] or " ".join(filter(None, [part["first"], part["last"]]))
        if not part["login"] or name.lower() in NO_PERSON:
            continue
        if part["login"] in members:
            raise RosterError(f"{path.name} has {part['login']} twice")
        number = "".join(re.findall(r"\d+$", part["number"]))  # Moodle says "Participant 123"
        members[part["login"]] = Member(part["login"], name, number, by_email, part["handed_in"])
    if not members:
        raise RosterError(f"{path.name} has nobody in it")
    return members


def _text(data):
    """What a spreadsheet wrote: UTF-8, UTF-16 with its mark, or else Latin-1."""
    try:
        return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


_COLUMNS = {
    "login": LOGIN + EMAIL,
    "name": NAME,
    "first": FIRST,
    "last": LAST,
    "number": NUMBER,
    "handed_in": HANDED_IN,
}


def find(members, name, number):
    """The member whom the platform means in the name of a file, or None if there is none or more than one.

    A number that is one member's counts for nothing beside the name of another: it may come from another list.

    Parameters
    ----------
    members : dict of Member
    name : str
        A login, a full name in either order, or Canvas's name without spaces.
    number : str
        The platform's number of the person, if it is in the name of the file.
    """
    numbered = [member for member in members.values() if number != "" and member.number == number]
    ways = (
        lambda member: member.login == name,
        lambda member: _letters(member.name) == _letters(name) != "",
        lambda member: sorted(_words(member.name)) == sorted(_words(name)) != [],
        lambda member: _turned(member.name) == _letters(name) != "",
        lambda member: _letters(member.login) == _letters(name) != "",
    )
    named = [found for alike in ways if (found := [member for member in members.values() if alike(member)])]
    if numbered:
        found = [] if named and not any(numbered[0] in found for found in named) else numbered
    else:
        found = named[0] if named else []
    return found[0] if len(found) == 1 else None


def _words(name):
    plain = unicodedata.normalize("NFKD", name).casefold()
    return re.findall(r"\w+", "".join(letter for letter in plain if not unicodedata.combining(letter)))


def _letters(name):
    return "".join(_words(name))


def _turned(name):
    """Canvas writes "Lovelace, Ada" in its tables and lovelaceada before a file; others have "Ada Lovelace"."""
    *first, last = _words(name) or [""]
    return last + "".join(first)
