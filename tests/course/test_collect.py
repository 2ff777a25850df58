"""What a learning platform gives, and takes back: archives, class lists, and pages of feedback."""

import os
import shutil
import warnings
import zipfile

import pytest

from grading import roster
from grading.collect import CollectError, collect, pack
from grading.course import _other_files
from grading.dates import moment
from grading.rebuild import MOST_BYTES
from grading.store import Store

MOODLE = "Identifier,Full name,Email address,Last modified (submission)\n" + "".join(
    f'Participant {number},{name},{login}@uni.de,"{date}"\n'
    for number, name, login, date in [
        (101, "Ada Lovelace", "ada", "Thursday, 15 October 2026, 6:00 PM"),
        (102, "Jürgen Müller-Łoś", "jm", "-"),
        (103, "Bob Li", "bob1", ""),
        (104, "Bob Li", "bob2", ""),
    ]
)
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"
    '"Lovelace, Ada",11,,ada,A\n"Müller, Jürgen",12,,jm,A\n"Student, Test",13,,test,A\n'
)


def archive(folder, files, name="handed-in.zip"):
    with zipfile.ZipFile(folder / name, "w") as zipped:
        for path, text in files.items():
            zipped.writestr(path, text)
    return folder / name


def members(folder, text, encoding="utf-8"):
    (folder / "students.csv").write_bytes(text.encode(encoding))
    return roster.read(folder / "students.csv")


def collected(root):
    """What lies in the folder of submissions, by path."""
    paths = [path for path in (root / "submitted").rglob("*") if path.is_file()]
    return {str(path.relative_to(root / "submitted")): path.read_text(encoding="utf-8") for path in paths}


@pytest.mark.parametrize(
    "place", ["{}_assignsubmission_file_/", "{}_assignsubmission_file/", "{}_assignsubmission_file_"]
)
def test_an_archive_of_moodles_is_put_where_submissions_belong(tmp_path, place):
    names = ["Ada Lovelace_101", "Jürgen Müller-Łoś_102", "Bob Li_104"]
    files = {place.format(name) + "pca.ipynb": name for name in names}
    files["Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html"] = "hello"
    said = collect(tmp_path, "pca", archive(tmp_path, files), members(tmp_path, MOODLE))
    found = collected(tmp_path)
    for login, name in zip(("ada", "jm", "bob2"), names, strict=True):
        assert found[f"{login}@uni.de/pca/pca.ipynb"] == name
        assert found[f"{login}@uni.de/pca/origin.txt"] == place.format(name)
    assert found["ada@uni.de/pca/timestamp.txt"].startswith("2026-10-15 18:00:00") and said == []


def test_an_archive_of_canvas_is_put_where_submissions_belong(tmp_path):
    files = {"lovelaceada_11_900_pca-1.ipynb": "a", "mullerjurgen_LATE_12_901_pca (1).ipynb": "j"}
    said = collect(tmp_path, "pca", archive(tmp_path, files), members(tmp_path, CANVAS))
    found = collected(tmp_path)
    assert found["ada/pca/pca-1.ipynb"] == "a" and found["jm/pca/pca (1).ipynb"] == "j"
    assert said == ["jm: Canvas says that it was late: write the date into timestamp.txt beside the notebook"]


def test_without_a_class_list_names_are_taken_as_they_are_and_two_people_stay_two(tmp_path):
    files = {f"Bob Li_{n}_assignsubmission_file_/pca.ipynb": str(n) for n in (103, 104)}
    files["ada/pca/pca.ipynb"] = "a"
    (told,) = collect(tmp_path, "pca", archive(tmp_path, files))
    assert told == "2 people are called Bob Li: only a class list with numbers can tell them apart"
    found = {path: text for path, text in collected(tmp_path).items() if path.endswith("ipynb")}
    assert found == {"Bob Li/pca/pca.ipynb": "103", "Bob Li_104/pca/pca.ipynb": "104", "ada/pca/pca.ipynb": "a"}


def test_two_people_of_one_name_keep_their_folders_whoever_hands_in_first(tmp_path):
    known = members(tmp_path, "login,name\nbob1,Bob Li\nbob2,Bob Li\n")
    files = {f"Bob Li_{n}_assignsubmission_file_/pca.ipynb": str(n) for n in (103, 104)}
    collect(tmp_path, "pca", archive(tmp_path, dict([*files.items()][1:])), known)
    for _ in range(2):
        collect(tmp_path, "pca", archive(tmp_path, files), known)
        found = {path: text for path, text in collected(tmp_path).items() if path.endswith("ipynb")}
        assert found == {"Bob Li/pca/pca.ipynb": "104", "Bob Li_103/pca/pca.ipynb": "103"}


@pytest.mark.parametrize("name", ["bob1@uni.de", "Bob Li_103_assignsubmission_file", "B_103_assignsubmission_file_x"])
def test_nobody_gets_into_the_folder_of_another_by_a_name_on_the_platform(tmp_path, name):
    known = members(tmp_path, MOODLE + "Participant 105,Eve,eve@uni.de,-\n")
    files = {f"{name}_105_assignsubmission_file_/pca.ipynb": "e", "Bob Li_103_assignsubmission_file_/pca.ipynb": "b"}
    collect(tmp_path, "pca", archive(tmp_path, files), known)
    found = {path: text for path, text in collected(tmp_path).items() if path.startswith("bob1@uni.de/")}
    assert found.pop("bob1@uni.de/pca/pca.ipynb") == "b" and [*found] == ["bob1@uni.de/pca/origin.txt"]


def test_files_that_are_no_notebooks_stay_in_the_archive_and_their_names_are_kept(tmp_path):
    place = "Ada Lovelace_101_assignsubmission_"
    files = {f"{place}file_/{name}": name for name in ("pca.ipynb", "proof.pdf", "timestamp.txt")}
    files[f"{place}onlinetext_/onlinetext.html"] = "a proof"
    collect(tmp_path, "pca", archive(tmp_path, files), members(tmp_path, MOODLE.replace("October", "Oktober")))
    found = collected(tmp_path)
    assert found.pop("ada@uni.de/pca/others.txt").split() == ["proof.pdf", "timestamp.txt", "onlinetext.html"]
    assert found == {"ada@uni.de/pca/pca.ipynb": "pca.ipynb", "ada@uni.de/pca/origin.txt": f"{place}file_/"}


def test_a_list_or_a_place_that_a_student_has_written_takes_no_time(tmp_path):
    place = tmp_path / "submitted" / "eve" / "pca"
    place.mkdir(parents=True)
    many = "x" + "_1_assignsubmission_a" * 20_000 + "_/"
    (place / "origin.txt").write_text(many, encoding="utf-8")
    assert pack(tmp_path, "pca", ["eve"], tmp_path / "feedback.zip") == 0
    (place / "others.txt").write_text("\n".join(map(str, range(10**6))), encoding="utf-8")
    assert len(_other_files(place)) < 10_000


def test_a_name_that_macos_has_written_is_read(tmp_path):
    known, name = members(tmp_path, MOODLE), "Ju\u0308rgen Mu\u0308ller-\u0141os\u0301"
    path = archive(tmp_path, {f"{'x' * len(name.encode())}/pca.ipynb": "j"})  # it does not say that this is UTF-8
    path.write_bytes(path.read_bytes().replace(b"x" * len(name.encode()), name.encode()))
    assert collect(tmp_path, "pca", path, known) == []
    assert collected(tmp_path) == {"jm@uni.de/pca/pca.ipynb": "j"}


def test_a_terminal_obeys_no_name_in_an_archive(tmp_path):
    (said,) = collect(tmp_path, "pca", archive(tmp_path, {"\x1b[31m.ipynb": "", "ada/pca.ipynb": ""}))
    assert said.isprintable()


def test_whoever_is_in_no_list_or_sent_no_notebook_is_named(tmp_path):
    files = {"eve/pca.ipynb": "e", "Ada Lovelace_101_assignsubmission_file_/proof.pdf": "p"}
    said = collect(tmp_path, "pca", archive(tmp_path, files), members(tmp_path, MOODLE))
    assert said == ["ada@uni.de: handed in no notebook but proof.pdf", "eve: is not in the class list"]


def test_who_hands_in_again_is_replaced_and_who_does_not_stays(tmp_path):
    collect(tmp_path, "pca", archive(tmp_path, {"ada/pca (1).ipynb": "1", "bob/pca.ipynb": "b"}))
    (tmp_path / "submitted" / "bob" / "pca" / "timestamp.txt").write_text("2026-10-15", encoding="utf-8")
    said = collect(tmp_path, "pca", archive(tmp_path, {"ada/pca.ipynb": "2", "bob/pca.ipynb": "b"}))
    assert said == ["ada: handed in again"]
    expected = {"ada/pca/pca.ipynb": "2", "bob/pca/pca.ipynb": "b", "bob/pca/timestamp.txt": "2026-10-15"}
    assert collected(tmp_path) == expected


@pytest.mark.parametrize("path", ["../../pca.ipynb", "/etc/pca.ipynb", "..\\..\\x\\pca.ipynb", "ada/../../pca.ipynb"])
def test_nothing_is_written_outside_of_the_folder_of_submissions(tmp_path, path):
    root = tmp_path / "a" / "b"
    root.mkdir(parents=True)
    collect(root, "pca", archive(tmp_path, {path: "x"}))
    outside = [each for each in tmp_path.rglob("*.ipynb") if not each.is_relative_to(root / "submitted")]
    assert not outside and len(collected(root)) == 1


@pytest.mark.parametrize("name", ["x" * 300, "ä" * 140, "two\nlines", "\x1b[31mred", "tab\tbell\x07"])
def test_a_name_that_no_disk_takes_or_a_terminal_obeys_stops_nobody(tmp_path, name):
    files = {f"bob/{name}.ipynb": "b", "ada/pca.ipynb": "a", f"cid/{name}.pdf": "c"}
    said = collect(tmp_path, "pca", archive(tmp_path, files))
    assert sorted(collected(tmp_path).values()) == ["a", "b"]
    assert all(line.isprintable() for line in [*said, *collected(tmp_path)])


def test_two_notebooks_of_one_name_are_both_taken(tmp_path):
    collect(tmp_path, "pca", archive(tmp_path, {"ada/old/pca.ipynb": "1", "ada/new/pca.ipynb": "2"}))
    assert collected(tmp_path) == {"ada/pca/pca.ipynb": "1", "ada/pca/pca_.ipynb": "2"}


def test_whoever_hands_in_again_has_one_or_the_other_if_it_ends_meanwhile(tmp_path, monkeypatch):
    collect(tmp_path, "pca", archive(tmp_path, {"ada/pca.ipynb": "1"}))

    def ends(*_):
        raise KeyboardInterrupt

    path = archive(tmp_path, {"ada/pca.ipynb": "2"})
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "move", ends)
        with pytest.raises(KeyboardInterrupt):
            collect(tmp_path, "pca", path)
    with Store(tmp_path).alone():
        assert collected(tmp_path) == {"ada/pca/pca.ipynb": "2"}


def test_a_damaged_notebook_and_a_file_of_nobody_stop_nobody_else(tmp_path):
    path = archive(
        tmp_path, {"ada/pca.ipynb": "of Ada", "bob/pca.ipynb": "of Bob", "cid/pca.ipynb": "c", "pca.ipynb": ""}
    )
    path.write_bytes(path.read_bytes().replace(b"of Bob", b"of bob", 1))
    whose, damaged = collect(tmp_path, "pca", path)
    assert whose == "whose pca.ipynb is cannot be seen: put it into a folder with the student's login"
    assert damaged.startswith("bob: pca.ipynb is damaged in the archive and was not taken: ")
    assert collected(tmp_path) == {"ada/pca/pca.ipynb": "of Ada", "cid/pca/pca.ipynb": "c"}


def test_two_people_whose_names_are_written_alike_have_a_folder_each(tmp_path):
    names = ["Mu\u0308ller_1", "M\u00fcller_2", "a\x01_3", "a\x02_4"]
    collect(tmp_path, "pca", archive(tmp_path, {f"{name}_assignsubmission_file_/pca.ipynb": name for name in names}))
    assert sorted(text for place, text in collected(tmp_path).items() if place.endswith("ipynb")) == sorted(names)


def test_a_notebook_that_is_too_large_is_not_unpacked(tmp_path):
    packed = tmp_path / "bomb.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("eve/pca.ipynb", bytes(MOST_BYTES + 1))
    assert collect(tmp_path, "pca", packed) == ["eve: pca.ipynb is larger than 64 MiB and was not taken"]


def test_a_file_is_of_whom_the_platform_says_whatever_its_student_called_it(tmp_path):
    """Here Ada uploads a file whose name says that it is Bob's."""
    two = "login,name,id\nada,Ada Lovelace,11\nbob,Bob Li,12\n"
    named = {
        "lovelaceada_11_900_Bob_12_assignsubmission_file_p.ipynb": "ada/pca/Bob_12_assignsubmission_file_p.ipynb",
        "Ada Lovelace_11_assignsubmission_file_Bob_12_9_pca.ipynb": "ada/pca/Bob_12_9_pca.ipynb",
        "Ada Lovelace_11_assignsubmission_file_/Bob Li_12_assignsubmission_file_/pca.ipynb": "ada/pca/pca.ipynb",
    }
    for i, (name, place) in enumerate(named.items()):
        root = tmp_path / str(i)
        root.mkdir()
        collect(root, "pca", archive(root, {name: "a"}), members(root, two))
        assert [path for path in collected(root) if path.endswith("ipynb")] == [place]


@pytest.mark.parametrize(
    "files",
    [
        {"handed in/Ada Lovelace_101_assignsubmission_file_/pca.ipynb": "a"},
        {"handed in/lovelaceada_101_900_pca.ipynb": "a"},
        {"handed in/ada@uni.de/pca.ipynb": "a", "handed in/jm@uni.de/pca.ipynb": "j"},
    ],
)
def test_a_folder_around_all_others_is_nobodys(tmp_path, files):
    collect(tmp_path, "pca", archive(tmp_path, files), members(tmp_path, MOODLE))
    assert collected(tmp_path)["ada@uni.de/pca/pca.ipynb"] == "a"


def test_a_notebook_is_one_in_capitals_too_and_copies_of_editors_are_not_handed_in(tmp_path):
    files = {"ada/PCA.IPYNB": "a", "ada/.ipynb_checkpoints/pca-checkpoint.ipynb": "old", ".": ""}
    assert collect(tmp_path, "pca", archive(tmp_path, files)) == []
    assert collected(tmp_path) == {"ada/pca/PCA.ipynb": "a"}


def test_a_notebook_to_which_a_browser_gave_another_end_is_one(tmp_path):
    assert collect(tmp_path, "pca", archive(tmp_path, {"ada/pca.ipynb.txt": "a", "bob/pca.ipynb.json": "b"})) == []
    assert collected(tmp_path) == {"ada/pca/pca.ipynb": "a", "bob/pca/pca.ipynb": "b"}


def test_of_several_notebooks_it_is_known_which_is_the_newest(tmp_path):
    with zipfile.ZipFile(tmp_path / "handed-in.zip", "w") as zipped:
        for name, year in [("new", 2026), ("old", 2025), ("undated", 1980)]:
            zipped.writestr(zipfile.ZipInfo(f"ada/{name}.ipynb", (year, 10, 15, 18, 0, 0)), name)
    collect(tmp_path, "pca", tmp_path / "handed-in.zip")
    there = sorted((tmp_path / "submitted" / "ada" / "pca").iterdir(), key=os.path.getmtime)
    assert [path.stem for path in there] == ["undated", "old", "new"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_file_is_one_however_it_was_packed(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "handed-in.zip", "w", method) as zipped:
        zipped.writestr("ada/pca.ipynb", os.urandom(3000))
        zipped.writestr("bob/pca.ipynb", "b")
    data = bytearray((tmp_path / "handed-in.zip").read_bytes())
    data[60:400] = b"\xff" * 340
    (tmp_path / "handed-in.zip").write_bytes(data)
    (said,) = collect(tmp_path, "pca", tmp_path / "handed-in.zip")
    assert said.startswith("ada: pca.ipynb is damaged") and collected(tmp_path) == {"bob/pca/pca.ipynb": "b"}


@pytest.mark.parametrize(
    "text, date",
    [
        ("Thursday, 15 October 2026, 6:00 PM", "2026-10-15 18:00:00+00:00"),
        ("11.10.2026 18:00", "2026-10-11 18:00:00+00:00"),
        ("2026-10-11 18:00", "2026-10-11 18:00:00+00:00"),
        ("2026-10-11T18:00:00+02:00", "2026-10-11 16:00:00+00:00"),
        ("2026-10-11 18:00 UTC", "2026-10-11 18:00:00+00:00"),
        ("2026-10-11 18:00 UTC+2", "2026-10-11 16:00:00+00:00"),
        ("2026-10-11 18:00:00 GMT-05:00", "2026-10-11 23:00:00+00:00"),
        ("2026.10.11 18:00", "2026-10-11 18:00:00+00:00"),
        ("15-10-2026 18:00", "2026-10-15 18:00:00+00:00"),
        ("11-10-2026 18:00", ""),
        ("2026-10-11 18:00 CEST", ""),
        ("Donnerstag, 15. Oktober 2026, 18:00", ""),
        ("99999999999999", ""),
        ("yesterday", ""),
        ("-", ""),
    ],
)
def test_a_date_is_read_as_it_was_meant_or_not_at_all(text, date):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert moment(text) == date


def test_a_date_that_cannot_be_read_is_named(tmp_path):
    listed = members(tmp_path, MOODLE.replace("Thursday, 15 October 2026, 6:00 PM", "jeudi 15 octobre 2026, 18:00"))
    files = {"Ada Lovelace_101_assignsubmission_file_/pca.ipynb": "a"}
    (said,) = collect(tmp_path, "pca", archive(tmp_path, files), listed)
    assert said.startswith("ada@uni.de: the date jeudi 15 octobre 2026, 18:00 cannot be read")


@pytest.mark.parametrize(
    "files, sentence",
    [
        ({}, "holds no notebook"),
        ({"ada/proof.pdf": ""}, "holds no notebook"),
        ({"pca.ipynb": ""}, "whose pca.ipynb is cannot be seen"),
        (None, "is no archive that can be read"),
    ],
)
def test_an_archive_of_which_nothing_can_be_taken_is_refused_in_one_sentence(tmp_path, files, sentence):
    path = tmp_path / "handed-in.zip"
    path.write_bytes(b"PK")
    with pytest.raises(CollectError, match=sentence):
        collect(tmp_path, "pca", path if files is None else archive(tmp_path, files))


@pytest.mark.parametrize(
    "text, encoding",
    [
        ("login,name\nada,Ada Lovelace\n", "utf-8"),
        ("\ufeffUsername;First name;Last name\nada;Ada;Lovelace\n", "utf-8"),
        ("name\tlogin\nAda Lovelace\tada\nJürgen\tjm\n", "latin-1"),
        ("name\tlogin\r\nAda Lovelace\tada\r\n", "utf-16"),
        ("login,name\rada,Ada Lovelace\r", "utf-8"),
    ],
)
def test_a_class_list_is_read_however_it_was_exported(tmp_path, text, encoding):
    found = members(tmp_path, text, encoding)
    assert found["ada"].name == "Ada Lovelace"
    assert roster.find(found, "lovelaceada", "").login == roster.find(found, "Lovelace, Ada", "").login == "ada"


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "no column of logins"),
        ("name\nAda\n", "no column of logins"),
        ("login\nada\nada\n", "ada twice"),
        ("login\n", "nobody"),
        (f"login,name\nada,{'x' * 200_000}\n", "no table that can be read"),
    ],
)
def test_a_class_list_that_cannot_be_used_says_what_it_lacks(tmp_path, text, sentence):
    with pytest.raises(roster.RosterError, match=sentence):
        members(tmp_path, text)


def test_pages_of_feedback_go_back_under_the_names_of_the_platform(tmp_path):
    files = {
        "Ada Lovelace_101_assignsubmission_file_/pca.ipynb": "",
        "lovelaceada_11_900_pca-1.ipynb": "",
        "eve/pca.ipynb": "",
    }
    collect(tmp_path, "pca", archive(tmp_path, files))
    students = ["Ada Lovelace", "lovelaceada", "eve", "has no page"]
    for student in students[:3]:
        page = tmp_path / "feedback" / student / "pca" / "pca.html"
        page.parent.mkdir(parents=True)
        page.write_text(student, encoding="utf-8")
    assert pack(tmp_path, "pca", students, tmp_path / "marks" / "pca-feedback.zip") == 3
    with zipfile.ZipFile(tmp_path / "marks" / "pca-feedback.zip") as zipped:
        found = {name: zipped.read(name).decode() for name in zipped.namelist()}
    assert found == {
        "Ada Lovelace_101_assignsubmission_file_/pca.html": "Ada Lovelace",
        "lovelaceada_11_900_pca-1.html": "lovelaceada",
        "eve/pca.html": "eve",
    }


@pytest.mark.parametrize(
    "text", [b"\xff", b"", b".", b"../../", b"x/y.ipynb", b"Bob_5_assignsubmission_file_/../", b"a\n_1_2_b", None]
)
def test_no_file_that_a_student_hands_in_says_where_a_page_belongs(tmp_path, text):
    for student in ("ada", "bob"):
        page = tmp_path / "feedback" / student / "pca" / "pca.html"
        page.parent.mkdir(parents=True)
        page.write_text(student, encoding="utf-8")
        place = tmp_path / "submitted" / student / "pca"
        place.mkdir(parents=True)
        (place / "origin.txt").write_bytes(b"Bob_5_assignsubmission_file_/" if text is None else text)
    pack(tmp_path, "pca", ["ada", "bob"], tmp_path / "feedback.zip")
    with zipfile.ZipFile(tmp_path / "feedback.zip") as zipped:
        assert zipped.namelist() == ["ada/pca.html", "bob/pca.html"]


def test_a_number_from_another_list_gives_nobodys_work_to_another(tmp_path):
    text = "login,name,id\nada,Ada Lovelace,5\nbob,Bob Li,6\nadalovelace,Eve Moss,7\n"
    found = {
        (name, number): getattr(roster.find(members(tmp_path, text), name, number), "login", None)
        for name, number in [("Ada Lovelace", "5"), ("Ada King", "5"), ("Bob Li", "5"), ("Bob Li", "9")]
    }
    assert [*found.values()] == ["ada", "ada", None, "bob"]


def test_the_same_notebook_again_brings_a_date_that_was_missing_and_a_new_address(tmp_path):
    undated = members(tmp_path, MOODLE.replace("Thursday, 15 October 2026, 6:00 PM", "-"))
    files = {"Ada Lovelace_101_assignsubmission_file_/pca.ipynb": "a"}
    collect(tmp_path, "pca", archive(tmp_path, files), undated)
    assert "ada@uni.de/pca/timestamp.txt" not in collected(tmp_path)
    files = {"lovelaceada_101_900_pca.ipynb.txt": "a"}
    assert collect(tmp_path, "pca", archive(tmp_path, files), members(tmp_path, MOODLE)) == []
    found = collected(tmp_path)
    assert found["ada@uni.de/pca/timestamp.txt"].startswith("2026-10-15")
    assert found["ada@uni.de/pca/origin.txt"] == "lovelaceada_101_900_pca.ipynb.txt"


def test_the_dates_of_another_assignment_are_not_taken(tmp_path):
    known = members(tmp_path, MOODLE)
    files = {"Ada Lovelace_101_assignsubmission_file_/pca.ipynb": "a"}
    assert collect(tmp_path, "pca", archive(tmp_path, files), known) == []
    (said,) = collect(tmp_path, "mds", archive(tmp_path, files), known)
    assert said == "the class list has the dates of pca, which are not taken: export that of mds"
    assert "ada@uni.de/mds/timestamp.txt" not in collected(tmp_path)
    known = members(tmp_path, MOODLE.replace("15 October", "29 October"))
    assert collect(tmp_path, "mds", archive(tmp_path, files), known) == []
    assert collected(tmp_path)["ada@uni.de/mds/timestamp.txt"].startswith("2026-10-29")
    assert collected(tmp_path)["ada@uni.de/pca/timestamp.txt"].startswith("2026-10-15")


def test_an_older_archive_is_not_taken_without_a_word(tmp_path):
    for year, told in [
        (2025, []),
        (2026, ["ada: handed in again"]),
        (2024, ["ada: handed in again, and this is older"]),
    ]:
        with zipfile.ZipFile(tmp_path / "handed-in.zip", "w") as zipped:
            zipped.writestr(zipfile.ZipInfo("ada/pca.ipynb", (year, 10, 15, 18, 0, 0)), str(year))
        said = collect(tmp_path, "pca", tmp_path / "handed-in.zip")
        assert [line.partition(" than what")[0] for line in said] == told


def test_no_folder_has_spaces_around_its_name(tmp_path):
    collect(tmp_path, "pca", archive(tmp_path, {" ada /pca.ipynb": "a"}))
    assert collected(tmp_path) == {"ada/pca/pca.ipynb": "a"}


@pytest.mark.parametrize("text", ["18:00", "15 October", "2026", "10/2026", "Monday 18:00", "1"])
def test_a_date_without_a_day_a_month_or_a_year_is_none(text):
    assert moment(text) == ""
