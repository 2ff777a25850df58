"""Only answers are taken from a submission; what is repaired is noted."""

import base64
import copy
import json
import os

import nbformat
import pytest

from grading.assignment import normalize
from grading.pictures import MIB
from grading.rebuild import rebuild, unread
from support import course as small

RELEASE = small.assignment()
ANSWER = "def center(X):\n    return X - X.mean(axis=0)"


def answered():
    notebook = copy.deepcopy(RELEASE)
    cell(notebook, "small-1").source = ANSWER
    return notebook


def cell(notebook, name):
    (found,) = [cell for cell in notebook.cells if cell.id == name]
    return found


def rebuilt(tmp_path, notebook):
    path = tmp_path / "small.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")  # nbformat would repair it
    return rebuild(RELEASE, path)


def test_an_untouched_submission_comes_back_without_a_note(tmp_path):
    notebook, notes = rebuilt(tmp_path, RELEASE)
    assert notebook == RELEASE and notes == []


def test_the_released_notebook_is_left_alone(tmp_path):
    before = copy.deepcopy(RELEASE)
    rebuilt(tmp_path, answered())
    assert before == RELEASE


def test_an_answer_is_all_that_is_taken(tmp_path):
    submitted = answered()
    cell(submitted, "small-1").outputs = [nbformat.v4.new_output("stream", text="passed")]
    cell(submitted, "small-1-test").source = "pass"
    cell(submitted, "small-1-check").metadata.nbgrader.points = 99
    submitted.metadata.kernelspec.name = "bash"
    notebook, notes = rebuilt(tmp_path, submitted)
    assert notebook == answered()
    assert notes == [
        "small-1-check had different points or locks, which are restored",
        "small-1-test was changed and is restored",
    ]


def test_the_students_own_cells_keep_their_place(tmp_path):
    submitted = answered()
    cell(submitted, "small-3-why").source = "Because."
    submitted.cells.insert(2, nbformat.v4.new_code_cell("x = 1"))
    submitted.cells.append(nbformat.v4.new_markdown_cell("The end."))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in submitted.cells] and notes == []


def test_the_last_nonempty_copy_of_an_answer_counts(tmp_path):
    submitted = answered()
    submitted.cells.append(copy.deepcopy(cell(RELEASE, "small-1")))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == ANSWER and "small-1 occurred twice" in notes


def test_an_answer_in_a_new_cell_is_found_by_the_function_that_it_defines(tmp_path):
    submitted = answered()
    submitted.cells.remove(cell(submitted, "small-1"))
    submitted.cells += [nbformat.v4.new_code_cell(source) for source in ("def center(:", ANSWER, "def other(): pass")]
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == ANSWER
    assert notes == ["small-1 was missing and is taken from a new cell"]
    assert [cell.source for cell in notebook.cells][-2:] == ["def center(:", "def other(): pass"]


@pytest.mark.parametrize(
    "source",
    [
        "center = lambda X: X - X.mean(axis=0)",
        "%matplotlib inline\n" + ANSWER,
        "%%time\n" + ANSWER,
        "!pip install numpy\n" + ANSWER + "\n%timeit center(readings())",
    ],
)
def test_an_answer_in_a_new_cell_is_found_however_it_is_written(tmp_path, source):
    submitted = answered()
    submitted.cells.remove(cell(submitted, "small-1"))
    submitted.cells.insert(0, nbformat.v4.new_code_cell(source))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == source
    assert notes == ["small-1 was missing and is taken from a new cell"]


HELPER, TRIED = "def mean(X):\n    return X.mean(axis=0)", "center(readings())"


@pytest.mark.parametrize(
    "parts, before, after",
    [
        ([HELPER, ANSWER], [HELPER], []),
        ([ANSWER, TRIED], [], [TRIED]),
        ([HELPER, ANSWER, "", TRIED], [HELPER], [TRIED]),
        (["def center(X):\n    return X", ANSWER], ["def center(X):\n    return X"], []),
    ],
)
def test_of_an_answer_whose_cell_was_split_nothing_is_lost(tmp_path, parts, before, after):
    submitted = answered()
    at = submitted.cells.index(cell(submitted, "small-1"))
    halves = [copy.deepcopy(submitted.cells[at]) | {"source": part, "id": f"half-{i}"} for i, part in enumerate(parts)]
    submitted.cells[at : at + 1] = halves
    notebook, notes = rebuilt(tmp_path, submitted)
    sources = [cell.source for cell in notebook.cells]
    at = sources.index(ANSWER)
    assert notebook.cells[at].id == "small-1" and sources[at + 1 : at + 1 + len(after)] == after
    assert sources[at - len(before) : at] == before and set(notes) == {"small-1 occurred twice"}


def test_a_copy_below_its_test_does_not_replace_an_answer(tmp_path):
    submitted = answered()
    copied = copy.deepcopy(cell(submitted, "small-1"))
    copied.source, copied.id = "def center(X):\n    return X", "old"
    submitted.cells.append(copied)
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == ANSWER and "small-1 occurred twice" in notes
    cell(submitted, "small-1").source = "print('see below')"
    assert cell(rebuilt(tmp_path, submitted)[0], "small-1").source == "def center(X):\n    return X"


@pytest.mark.parametrize("body", ['raise NotImplementedError("later")', '"""See below."""\n    pass', "..."])
def test_a_function_that_is_still_to_be_written_is_no_answer(tmp_path, body):
    submitted = answered()
    cell(submitted, "small-1").source = f"# see below\ndef center(X):\n    {body}"
    submitted.cells.append(nbformat.v4.new_code_cell(ANSWER))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == ANSWER
    assert notes == ["small-1 does not define center, which is taken from a new cell"]


def test_of_a_proof_whose_cell_was_split_nothing_is_lost(tmp_path):
    submitted = answered()
    proof = cell(submitted, "small-3-why")
    submitted.cells[-1:] = [proof | {"source": text, "id": f"half-{i}"} for i, text in enumerate(["", "One.", "Two."])]
    notebook, notes = rebuilt(tmp_path, submitted)
    assert [cell.source for cell in notebook.cells][-2:] == ["One.", "Two."]
    assert notebook.cells[-2].id == "small-3-why" and set(notes) == {"small-3-why occurred twice"}


@pytest.mark.parametrize("name", ["data", "small-1-check", "small-1-test"])
@pytest.mark.parametrize("kept", [True, False])
def test_an_answer_that_was_written_into_a_locked_cell_is_found_there(tmp_path, name, kept):
    submitted = copy.deepcopy(RELEASE)
    if not kept:
        submitted.cells.remove(cell(submitted, "small-1"))
    cell(submitted, name).source = ANSWER + "\n\n" + cell(submitted, name).source
    notebook, notes = rebuilt(tmp_path, submitted)
    assert (
        cell(notebook, "small-1").source.startswith(ANSWER)
        and cell(notebook, name).source == cell(RELEASE, name).source
    )
    how = "left as it was" if kept else "missing"
    assert notes == [
        f"{name} was changed and is restored",
        f"small-1 was {how} and is taken from a cell that is locked",
    ]


def as_saved(notebook, editor):
    """What an editor makes of a notebook when it saves it."""
    saved = json.loads(json.dumps(notebook))
    for i, some in enumerate(saved["cells"]):
        if editor == "nbformat 4.4":
            del some["id"]
        elif editor == "Colab":
            some["metadata"] |= {"id": f"h{i}", "colab": {"base_uri": "x"}, "outputId": "y"}
            some["id"], some["source"] = None, some["source"].splitlines(keepends=True)
        elif editor == "VS Code":
            some["metadata"]["vscode"] = {"languageId": "python"}
            some["id"] = f"#W{i}sZmlsZQ=="
        elif editor == "one that loses ids and metadata":
            some["metadata"] = {}
            del some["id"]
    if editor in ("nbformat 4.4", "Colab"):
        saved["nbformat_minor"] = 4 if editor == "nbformat 4.4" else 0
    saved["metadata"] |= {"colab": {}, "language_info": {"name": "python"}, "widgets": {"x": {"state": {}}}}
    return saved


@pytest.mark.parametrize("editor", ["nbformat 4.4", "Colab", "VS Code"])
def test_whatever_editor_has_saved_a_notebook_its_answers_are_read(tmp_path, editor):
    submitted = answered()
    cell(submitted, "small-3-why").source = "Because."
    submitted.cells.insert(2, nbformat.v4.new_code_cell("x = 1"))
    notebook, notes = rebuilt(tmp_path, as_saved(submitted, editor))
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in submitted.cells] and notes == []


@pytest.mark.parametrize("placed", ["in its cell", "below"])
def test_without_ids_and_metadata_nothing_is_lost(tmp_path, placed):
    release = copy.deepcopy(RELEASE)
    release.cells.insert(-1, nbformat.v4.new_markdown_cell("## Task 3\n\nWhy?", id="small-3-task"))
    submitted = copy.deepcopy(release)
    cell(submitted, "small-1").source = ANSWER
    if placed == "below":
        submitted.cells.append(nbformat.v4.new_markdown_cell("Because."))
    else:
        cell(submitted, "small-3-why").source = "Because."
    path = tmp_path / "small.ipynb"
    path.write_text(json.dumps(as_saved(submitted, "one that loses ids and metadata")), encoding="utf-8")
    notebook, notes = rebuild(release, path)
    assert (
        cell(notebook, "small-1").source == ANSWER
        and cell(notebook, "small-2").source == cell(release, "small-2").source
    )
    assert cell(notebook, "small-3-why").source != cell(release, "small-3-why").source, "it waits for a person"
    assert "Because." in [cell.source for cell in notebook.cells]
    assert "small-1 was missing and is taken from a new cell" in notes
    assert not [note for note in notes if "-test" in note and "lost names" not in note]


def test_given_code_and_tests_are_never_taken_from_a_submission(tmp_path):
    for name in ("data", "small-1-check", "small-1-test"):
        submitted = answered()
        source = cell(submitted, name).source
        submitted.cells.remove(cell(submitted, name))
        submitted.cells.insert(0, nbformat.v4.new_code_cell(source + "\nprint('mine')\ndef readings(): pass"))
        notebook, notes = rebuilt(tmp_path, submitted)
        assert (
            cell(notebook, name).source == cell(RELEASE, name).source and f"{name} was missing and is restored" in notes
        )


@pytest.mark.parametrize("kind", ["markdown", "raw", "code"])
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("place", ["before", "below"])
def test_a_proof_in_a_cell_of_its_own_waits_for_a_person(tmp_path, kind, kept, place):
    submitted = answered()
    new = {
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
        "code": nbformat.v4.new_code_cell,
    }
    proof = new[kind]("The deviations from the mean add up to zero.")
    submitted.cells.insert(len(submitted.cells) - (place == "before"), proof)
    if not kept:
        submitted.cells.remove(cell(submitted, "small-3-why"))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-3-why").source != cell(RELEASE, "small-3-why").source
    how = "left as it was" if kept else "missing"
    assert notes == [f"small-3-why was {how} and is to be marked in the cells around it"]
    assert proof.source in [cell.source for cell in notebook.cells], "and it is there to be read"


@pytest.mark.parametrize("source", ["", "x = 1", "def f(x):\n    return x", "def broken(:"])
def test_code_beside_a_proof_that_was_not_answered_is_no_proof(tmp_path, source):
    submitted = answered()
    submitted.cells.append(nbformat.v4.new_code_cell(source))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert notes == [] and cell(notebook, "small-3-why").source == cell(RELEASE, "small-3-why").source


def test_lost_names_are_found_by_the_ids_of_the_cells(tmp_path):
    submitted = answered()
    for some in submitted.cells:
        some.metadata = {}
    notebook, notes = rebuilt(tmp_path, submitted)
    assert notebook == answered() and len(notes) == 1 and "small-1-test" in notes[0]


def pasted(notebook, text, attachments, place="small-3-why"):
    """A notebook with a text and attachments in one of its cells."""
    cell(notebook, place).source, cell(notebook, place).attachments = text, attachments
    return notebook


def base64_of(data):
    return base64.b64encode(data).decode()


PNG, JPEG, WEBP = b"\x89PNG\r\n\x1a\n...", b"\xff\xd8\xff\xe0...", b"RIFF\x10\x00\x00\x00WEBPVP8 ..."
HEIC = b"\x00\x00\x00\x18ftypheic..."


def test_pictures_pasted_into_a_proof_are_kept_and_nothing_else(tmp_path):
    page = {"text/html": "<script>"}
    submitted = pasted(
        answered(), "![a.png](attachment:a.png)", {"a.png": {"image/png": base64_of(PNG)}, "page.html": page}
    )
    notebook, notes = rebuilt(tmp_path, submitted)
    proof = cell(notebook, "small-3-why")
    assert proof.attachments == {"picture-1.png": {"image/png": base64_of(PNG)}} and notes == []
    assert proof.source == "![a.png](attachment:picture-1.png)"
    nbformat.validate(notebook)


@pytest.mark.parametrize(
    "text, key",
    [
        ("![photo.jpg](attachment:0a1b-2c.jpg)", "0a1b-2c.jpg"),
        ("![](attachment:photo%20%281%29.jpg)", "photo (1).jpg"),
        ("![photo (1).jpg](attachment:photo (1).jpg)", "photo (1).jpg"),
        ("![page [1]](<attachment:photo.jpg>)", "photo.jpg"),
        ('![page](attachment:photo.jpg "the first page")', "photo.jpg"),
        ('<img src="attachment:photo.jpg" width=400>', "photo.jpg"),
        ("<img alt=\"page\" src='attachment:photo.jpg'/>", "photo.jpg"),
    ],
)
def test_a_picture_is_found_however_an_editor_writes_it_and_whatever_it_says_of_its_kind(tmp_path, text, key):
    for data, kind in [(JPEG, "jpeg"), (PNG, "png"), (WEBP, "webp")]:
        submitted = pasted(answered(), text + " and text", {key: {"application/octet-stream": base64_of(data)}})
        notebook, notes = rebuilt(tmp_path, submitted)
        proof = cell(notebook, "small-3-why")
        assert notes == [] and proof.attachments == {f"picture-1.{kind}": {f"image/{kind}": base64_of(data)}}
        assert f"](attachment:picture-1.{kind}) and text" in proof.source


def test_a_picture_that_no_browser_shows_is_named_in_a_note_and_in_its_place(tmp_path):
    text = "First ![photo.heic](attachment:1.heic), then ![b.jpg](attachment:2.jpg) and ![c.jpg](attachment:3.jpg)."
    pictures = {
        "1.heic": {"image/heic": base64_of(HEIC)},
        "2.jpg": {"image/jpeg": base64_of(JPEG)},
        "3.jpg": {"image/jpeg": base64_of(HEIC)},  # renamed, and still what it was
    }
    notebook, notes = rebuilt(tmp_path, pasted(answered(), text, pictures))
    proof = cell(notebook, "small-3-why")
    assert notes == [
        "task 3: the picture photo.heic is not PNG, JPEG or WebP and was not kept",
        "task 3: the picture c.jpg is not PNG, JPEG or WebP and was not kept",
    ]
    assert proof.source == (
        "First *The picture photo.heic was not kept.*, then ![b.jpg](attachment:picture-1.jpeg) "
        "and *The picture c.jpg was not kept.*."
    )
    assert list(proof.attachments) == ["picture-1.jpeg"]
    assert cell(notebook, "small-1").source == ANSWER


def test_answers_are_read_whatever_the_pictures_weigh(tmp_path):
    data = [JPEG + bytes(size * MIB) for size in (10, 10, 10, 3)]
    text = "".join(f"![{i}.jpg](attachment:{i}.jpg)\n" for i in range(4))
    pictures = {f"{i}.jpg": {"image/jpeg": base64_of(picture)} for i, picture in enumerate(data)}
    notebook, notes = rebuilt(tmp_path, pasted(answered(), text, pictures))
    assert cell(notebook, "small-1").source == ANSWER
    assert notes == ["task 3: the picture 2.jpg was not kept: the pictures of a notebook may have 24 MiB together"]
    kept = cell(notebook, "small-3-why").attachments
    assert [len(picture["image/jpeg"]) for picture in kept.values()] == [len(base64_of(data[i])) for i in (0, 1, 3)]


def test_a_picture_that_is_shown_twice_is_kept_once_and_one_that_is_not_shown_is_not(tmp_path):
    text, picture = "![a](attachment:a.png) ![again](attachment:a.png)", {"image/png": base64_of(PNG)}
    notebook, notes = rebuilt(tmp_path, pasted(answered(), text, {"a.png": picture, "b.png": picture}))
    assert list(cell(notebook, "small-3-why").attachments) == ["picture-1.png"] and notes == []


def test_a_picture_that_was_not_handed_in_is_noted_and_one_on_the_web_is_left(tmp_path):
    text = "![proof](photo.jpg) ![](attachment:gone.png) ![logo](https://example.org/a.png) $n![k](x)$ ![]()"
    notebook, notes = rebuilt(tmp_path, pasted(answered(), text, {}))
    assert notes[:2] == [
        "task 3: the picture proof is not in the notebook",
        "task 3: the picture gone.png is not in the notebook",
    ]
    assert "![logo](https://example.org/a.png)" in cell(notebook, "small-3-why").source


def test_a_picture_in_a_cell_of_the_students_own_is_kept(tmp_path):
    own = nbformat.v4.new_markdown_cell("![a](attachment:a.png)", attachments={"a.png": {"image/png": base64_of(PNG)}})
    other = nbformat.v4.new_markdown_cell("![b](attachment:b.tiff)", attachments={"b.tiff": {"image/tiff": "aGk="}})
    submitted = answered()
    cell(submitted, "small-3-why").source = "Because."
    submitted.cells = [other, *submitted.cells, own]
    notebook, notes = rebuilt(tmp_path, submitted)
    assert notebook.cells[-1].attachments == {"picture-1.png": {"image/png": base64_of(PNG)}}
    assert notes == ["before the first task: the picture b is not PNG, JPEG or WebP and was not kept"]


@pytest.mark.parametrize("strange", [3, [], {"a": 3}, {"a": {"image/png": 3}}, {"a": {"image/png": "%"}}, {"a": {}}])
def test_strange_attachments_cost_no_answer(tmp_path, strange):
    notebook, notes = rebuilt(tmp_path, pasted(answered(), "![<script>](attachment:a)", strange))
    assert cell(notebook, "small-1").source == ANSWER
    assert len(notes) == 1 and notes[0].startswith("task 3: the picture script is not ")
    assert cell(notebook, "small-3-why").source == "*The picture script was not kept.*"


def test_thousands_of_pictures_that_are_not_there_give_twenty_notes(tmp_path):
    text = "".join(f"![](page{i}.png) " for i in range(2500))
    _, notes = rebuilt(tmp_path, pasted(answered(), text, {}))
    assert len(notes) == 20 and notes[19] == "task 3: the picture page19.png is not in the notebook"


def test_a_reference_to_a_picture_in_another_form_leads_nowhere(tmp_path):
    notebook, _ = rebuilt(tmp_path, pasted(answered(), "![a][1]\n\n[1]: attachment:a.png", {}))
    assert "attachment:a" not in cell(notebook, "small-3-why").source


def test_a_text_of_the_sheet_that_was_changed_is_restored_with_a_note(tmp_path):
    release = copy.deepcopy(RELEASE)
    release.cells.insert(0, nbformat.v4.new_markdown_cell("Task 1", id="small-1-task"))
    submitted = copy.deepcopy(release)
    submitted.cells[0].source += ": here is my proof."
    (tmp_path / "small.ipynb").write_text(json.dumps(submitted), encoding="utf-8")
    notebook, notes = rebuild(release, tmp_path / "small.ipynb")
    assert notebook == release and notes == ["the text small-1-task was changed and is restored"]


def test_a_proof_that_was_left_as_it_was_waits_if_other_files_were_handed_in(tmp_path):
    path = tmp_path / "small.ipynb"
    submitted = answered()
    nbformat.write(submitted, path)
    notebook, notes = rebuild(RELEASE, path, has_others=True)
    assert notes == ["small-3-why was left as it was and is to be marked in a file beside the notebook"]
    assert cell(notebook, "small-3-why").source != cell(RELEASE, "small-3-why").source
    cell(submitted, "small-3-why").source = "Because."
    nbformat.write(submitted, path)
    assert rebuild(RELEASE, path, has_others=True) == (submitted, [])


def test_the_notebook_of_another_assignment_waits_for_the_teacher(tmp_path):
    other = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("def f(x):\n    return x")])
    other.cells += [cell(answered(), "data"), nbformat.v4.new_markdown_cell("Because.")]
    notebook, notes = rebuilt(tmp_path, other)
    assert notebook == RELEASE and unread(notes)
    assert notes == ["the notebook cannot be read: it has no cell for an answer of this assignment"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"cells": 3}', '{"cells": [{}]}', '{"cells": [null]}', "[" * 10**5, "\xff"]
)
def test_an_unreadable_file_becomes_the_empty_assignment_and_a_note(tmp_path, text):
    path = tmp_path / "small.ipynb"
    path.write_text(text, encoding="latin-1")
    notebook, (note,) = rebuild(RELEASE, path)
    assert notebook == RELEASE and note.startswith("the notebook cannot be read: ")


def test_strange_values_in_a_cell_do_no_harm(tmp_path):
    path = tmp_path / "small.ipynb"
    strange = {"cell_type": 7, "id": ["x"], "metadata": {"nbgrader": {"grade_id": {"a": 1}}}, "source": [1, 2]}
    path.write_text(json.dumps({"cells": [strange]}), encoding="utf-8")
    notebook, _ = rebuild(RELEASE, path)
    nbformat.validate(notebook)


def test_a_link_a_pipe_and_a_missing_file_are_not_read(tmp_path):
    nbformat.write(answered(), tmp_path / "other.ipynb")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "other.ipynb")
    os.mkfifo(tmp_path / "pipe.ipynb")
    for name in ("link", "pipe", "missing"):
        notebook, (note,) = rebuild(RELEASE, tmp_path / f"{name}.ipynb")
        assert notebook == RELEASE and note


def test_the_small_assignment_is_in_normal_form():
    form = copy.deepcopy(RELEASE)
    normalize(form)
    assert form == RELEASE


OTHER = "def share(X, d):\n    return 0.5"


def written(first, second):
    """A submission with these texts in the cells of both answers; None deletes a cell."""
    submitted = copy.deepcopy(RELEASE)
    for name, source in (("small-1", first), ("small-2", second)):
        if source is None:
            submitted.cells.remove(cell(submitted, name))
        elif source:
            cell(submitted, name).source = source
    return submitted


@pytest.mark.parametrize(
    "first, second, how",
    [
        (f"{ANSWER}\n\n{OTHER}", None, ["small-2 was missing and is taken from the cell of small-1"]),
        (f"{ANSWER}\n\n{OTHER}", "", ["small-2 was left as it was and is taken from the cell of small-1"]),
        ("", f"{ANSWER}\n\n{OTHER}", ["small-1 was left as it was and is taken from the cell of small-2"]),
        (
            OTHER,
            ANSWER,
            [
                "small-1 does not define center, which is taken from the cell of small-2",
                "small-2 does not define share, which is taken from the cell of small-1",
            ],
        ),
    ],
)
def test_an_answer_is_found_in_the_cell_of_another_one(tmp_path, first, second, how):
    notebook, notes = rebuilt(tmp_path, written(first, second))
    assert ANSWER in cell(notebook, "small-1").source and OTHER in cell(notebook, "small-2").source
    assert notes == how


@pytest.mark.parametrize(
    "mine", ["", "# see below", "import scipy\n\nhelper = 3", "def centre(X): return X", "def center(:"]
)
def test_an_answer_is_found_at_the_end_if_its_cell_holds_something_else_which_is_kept(tmp_path, mine):
    submitted = written(mine or " ", OTHER)
    submitted.cells.append(nbformat.v4.new_code_cell(ANSWER))
    notebook, notes = rebuilt(tmp_path, submitted)
    sources = [cell.source for cell in notebook.cells]
    assert cell(notebook, "small-1").source == ANSWER and sources.count(ANSWER) == 1
    assert notes == ["small-1 does not define center, which is taken from a new cell"]
    assert not mine or sources.index(mine) < sources.index(ANSWER)


def test_a_later_attempt_in_a_cell_of_ones_own_does_not_replace_an_answer(tmp_path):
    for mine in (ANSWER, "if True:\n    " + ANSWER.replace("\n", "\n    "), "np.mean?\n" + ANSWER):
        submitted = written(mine, OTHER)
        submitted.cells.append(nbformat.v4.new_code_cell("def center(X):\n    return X"))
        notebook, notes = rebuilt(tmp_path, submitted)
        assert cell(notebook, "small-1").source == mine and notes == []


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    import scipy\nexcept ImportError:\n    pass\nelse:\n    " + ANSWER.replace("\n", "\n    "),
        "center: object = lambda X: X - X.mean(axis=0)",
        "center, more = (lambda X: X - X.mean(axis=0)), 3",
        "from mine import middle as center",
        "?np.mean\nnp.mean?\nfiles = !ls\nit = %timeit -o 1\n" + ANSWER,
    ],
)
def test_a_function_is_seen_however_its_name_is_bound(tmp_path, source):
    submitted = written(None, OTHER)
    submitted.cells.insert(1, nbformat.v4.new_code_cell(source))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == source
    assert notes == ["small-1 was missing and is taken from a new cell"]


ADDED = "from scipy import linalg\n\n@np.vectorize\ndef helper(x):\n    return x"


@pytest.mark.parametrize("name, after", [("data", "data"), ("small-1-check", "small-1")])
def test_what_a_student_imports_or_defines_in_a_locked_cell_is_kept_for_the_answers_alone(tmp_path, name, after):
    submitted = written(ANSWER, OTHER)
    changed = cell(submitted, name)
    changed.source = (
        f"{ADDED}\n\n{changed.source}\nprint(1)\nimport numpy as np\ndef readings(): pass\ndef share(): pass"
    )
    notebook, notes = rebuilt(tmp_path, submitted)
    assert notes == [f"{name} was changed and is restored; what was added to it is kept"]
    at = [cell.id for cell in notebook.cells].index(after) + 1
    assert notebook.cells[at].source == ADDED.replace("\n\n", "\n") and "nbgrader" not in notebook.cells[at].metadata
    assert [part for part in notebook.cells if part is not notebook.cells[at]] == written(ANSWER, OTHER).cells


def test_code_that_takes_long_to_search_or_to_walk_costs_nothing(tmp_path):
    long = "a" * 10**5 + " " * 10**5
    deep = "if a:\n    pass\n" + "elif a:\n    pass\n" * 1500
    submitted = written(f"{long} =\n{long}?!\n", OTHER)
    submitted.cells += [nbformat.v4.new_code_cell(source) for source in (deep, ANSWER)]
    notebook, _ = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == ANSWER
