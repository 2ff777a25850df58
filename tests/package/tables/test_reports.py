"""The report is one page that loads nothing, and in which nothing from the table becomes markup."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from dimred_lessons.tables import examine
from dimred_lessons.tables.command import main
from dimred_lessons.tables.drawing import chart, neighborhoods, point_classes, scatter, shortened
from dimred_lessons.tables.report import report_html
from support.known_tables import KNOWN

BAD = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "=1+1", "{{ 7 * 7 }}", "</svg><b>", "a & b"]


def table(n=60):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n)
    frame = pd.DataFrame({name: 3 * group + rng.normal(size=n) for name in BAD})
    frame["kind"] = rng.choice(BAD, n)
    frame["color"] = np.array(BAD)[group]
    return frame


@pytest.fixture(scope="module")
def page():
    return report_html(examine(table(), color="color"))


class Elements(HTMLParser):
    """Names of all elements, and all attributes."""

    def __init__(self, page):
        super().__init__()
        self.names, self.attributes, self.text = set(), set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text.append(data)


def test_names_and_cells_are_text_whatever_they_hold(page):
    elements = Elements(page)
    assert not elements.names & {"script", "img", "b", "iframe", "object", "link"}
    assert not [name for name in elements.attributes if name.startswith("on")]
    text = "".join(elements.text)
    assert all(name in text for name in BAD)


def test_the_page_asks_nothing_of_the_network_and_forbids_it(page):
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=\"(?!#)|url\(|@import|https?:", page)


def test_every_drawing_has_a_name_and_every_map_its_null_map(page):
    drawings = re.findall(r"<svg [^>]*>", page)
    assert all('aria-label="' in svg or 'aria-hidden="true"' in svg for svg in drawings)
    assert page.count("<figcaption>Null map of ") == page.count("<figcaption>Shepard diagram of ") == 2


def test_every_map_says_which_neighbors_it_keeps(page):
    assert page.count("True and false neighbors on the map of ") == 2
    assert page.count('<circle class="chosen p') == 2 * 3


def test_lines_lead_to_lost_neighbors_and_rings_are_around_intruders():
    rng = np.random.default_rng(0)
    found = examine(rng.normal(size=(50, 1)) * [1, 1, 1, 1] + rng.normal(size=(50, 4)))
    page = report_html(found)
    lost = intruders = 0
    for m in found.maps:
        before, after = (np.argsort(squareform(pdist(A)), axis=1)[:, 1:11] for A in (found.X[m.rows], m.Y))
        kept = [len(set(a) & set(b)) for a, b in zip(before, after)]
        order = np.argsort(kept, kind="stable")
        missed = sum(10 - kept[i] for i in (order[0], order[25], order[-1]))
        lost, intruders = lost + missed, intruders + missed
    assert page.count('<line class="lost p') == lost and page.count('<circle class="ring p') == intruders > 0


def test_bands_of_stability_hold_the_curve_that_they_are_around():
    found = examine(np.random.default_rng(0).normal(size=(60, 4)))
    for m in found.maps:
        assert (m.band[0] <= m.kept).all() and (m.kept <= m.band[1]).all() and np.ptp(m.band, axis=0).any()
        assert (m.moves >= 0).all() and m.moves.any()
    page = report_html(found)
    assert page.count('<polygon class="around ') == 2 and page.count('<polygon class="half"') == 1


NAMES = ["weight", "length of the right wing", "length of the left wing", "depth", "height", "a"]
EVEN = [[1, 0.02 * i] for i in range(6)]
ROUND = [[np.cos(t), np.sin(t)] for t in range(6)]


@pytest.mark.parametrize("ends", [EVEN, np.negative(EVEN), ROUND], ids=["right", "left", "around"])
@pytest.mark.parametrize("shift", [[0, 0], [15, -3]], ids=["in the middle", "at the rim"])
@pytest.mark.parametrize("letters", ["small", "capital", "square"])
def test_names_of_arrows_are_in_the_frame_and_cover_neither_points_nor_lines_nor_each_other(ends, shift, letters):
    Y = np.random.default_rng(0).normal(size=(50, 2)) * [9, 2] + shift
    names, widest = {
        "small": (NAMES, 5.5),
        "capital": ([name.upper() for name in NAMES], 7),
        "square": (["長" * len(name) for name in NAMES], 10),
    }[letters]
    arrows = [(shortened(name), *end) for name, end in zip(names, ends)]
    drawing = scatter(Y, ["c0"] * 50, "A map.", arrows=arrows)
    highest, height = map(int, re.search(r'viewBox="0 (-?\d+) 300 (\d+)"', drawing).groups())
    boxes = []
    for x, y, anchor, name in re.findall(r'<text class="name" x="(.+?)" y="(.+?)" text-anchor="(.+?)">(.+?)<', drawing):
        width = sum(5.5 if letter in " …" else widest for letter in name)
        left = float(x) - (anchor == "end") * width
        boxes.append([left, float(y) - 11, left + width, float(y)])
    for box in boxes:
        assert box[0] >= 0 and box[1] >= highest and box[2] <= 300 and box[3] <= highest + height
    for i, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:i]:
            assert other[2] <= left or right <= other[0] or other[3] <= top + 0.2 or bottom <= other[1] + 0.2
    dots = re.findall(r'<circle class="c0" cx="(.+?)" cy="(.+?)"', drawing)
    lines = re.findall(r'<polyline class="(?:arrow|leader)" points="(.+?)"', drawing)
    assert len(dots) == 50 and len(lines) == 2 * len(boxes) == 12
    drawn = [np.array(dots, dtype=float)]
    for points in lines:
        stops = np.array([point.split(",") for point in points.split()], dtype=float)
        drawn += [np.linspace(start, end, 200) for start, end in pairwise(stops)]
    for places in drawn:
        assert (places >= [0, highest]).all() and (places <= [300, highest + height]).all()
        for left, above, right, below in boxes:
            assert not ((places > [left, above]) & (places < [right, below])).all(axis=1).any()


def test_a_biplot_has_no_arrow_of_a_column_that_its_axes_hardly_hold():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 1)) + 0.3 * rng.normal(size=(200, 4)), columns=list("abcd"))
    frame["e"] = rng.normal(size=200)
    frame["f"] = frame["e"] + 0.3 * rng.normal(size=200)
    frame["noise"] = rng.normal(size=200)
    page = report_html(examine(frame))
    assert page.count('<polyline class="arrow"') == 6
    assert "the 6 longest of 7 are shown" in page and ">noise</text>" not in page
    frame["level"] = rng.choice(list("uvw"), 200)
    assert "of 10, levels counted singly, are shown" in report_html(examine(frame))


def test_the_map_of_pca_names_its_axes_and_no_other_map_does(page):
    (names,) = [re.findall(r">(component [12] \(\d+%\))</text>", page)]
    assert [name.partition(" (")[0] for name in names] == ["component 1", "component 2"]
    on_a_line = pd.DataFrame({"a": [0, 0, 0, 0, 1], "b": ["x", "x", "x", "x", "y"]})
    assert "component 2 (0%)" in report_html(examine(on_a_line, kinds={"b": "category"}))


def test_the_null_map_of_pca_names_its_axes_too(page):
    (null,) = re.findall(r'aria-label="[^"]*mapped by PCA, after each column was permuted by itself."(.*?)</svg>', page)
    assert re.findall(r">(component [12])</text>", null) == ["component 1", "component 2"]


def test_a_wide_map_has_a_lower_frame_and_a_high_one_is_drawn_whole():
    Y = np.random.default_rng(0).normal(size=(50, 2))
    wide, high = (scatter(Y * unit, ["c0"] * 50, "A map.") for unit in ([9, 1], [1, 9]))
    assert 'viewBox="0 0 300 200"' in wide and 'viewBox="0 0 300 300"' in high


def test_a_map_and_its_null_map_have_one_frame_and_one_unit(page):
    found = examine(table(), color="color")
    for m in found.maps:
        drawings = re.findall(
            rf'<svg [^>]*viewBox="([^"]+)" aria-label="60 points[^"]*by {m.name}[,.](.*?)</svg>', page
        )
        (box, shown), (other, null) = drawings
        assert box == other
        units = []
        for drawn, Y in ((shown, m.Y), (null, m.null)):
            at = np.array(re.findall(r'<circle class="\w+" cx="(.+?)" cy="(.+?)"', drawn), dtype=float)
            units.append(np.ptp(at, axis=0) / np.ptp(Y, axis=0))
        np.testing.assert_allclose(units, units[0][0], rtol=0.01)


def two_factors(n=200):
    """Six columns that go with a first factor, three that go less with a second one."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, n, 1))
    X = np.hstack([first + 0.2 * rng.normal(size=(n, 6)), second + 0.7 * rng.normal(size=(n, 3))])
    return pd.DataFrame(X * [1, -1, 1, -1, 1, -1, 1, -1, 1], columns=[f"column {i}" for i in range(9)])


def test_signs_of_sentences_are_those_of_the_map_and_of_the_coordinates():
    frame = two_factors()
    found = examine(frame)
    for signs in ([1, 1], [-1, 1], [1, -1]):
        found.maps[0].Y *= signs  # what another library of linear algebra may give
        placed, components = found.place(), found.components()
        assert len(components) == 2
        for axis, columns in zip("xy", components):
            for name, r in columns:
                assert abs(np.corrcoef(placed[axis], frame[name])[0, 1] - r) < 0.02
        assert f"Component 1 went with {components[0][0][0]} ({components[0][0][1]:+.2f})" in report_html(found)


def test_columns_that_sentences_name_have_arrows_though_others_are_longer():
    found = examine(two_factors())
    page = report_html(found)
    named = [name for columns in found.components() for name, _ in columns]
    assert len(named) == 6 and all(f">{name}</text>" in page for name in named)
    assert "6 of 9 are shown: those that are named above." in page


def test_disks_are_drawn_where_they_are_larger_than_dots_and_the_largest_by_far_is_named():
    found = examine(two_factors(60), n_permutations=19)
    (m,) = found.maps = found.maps[:1]
    n, unit = len(m.Y), max(np.ptp(Y, axis=0).max() for Y in (m.Y, m.null))
    last = found.prepared.rows[-1] + 1
    for radii, count, said in (
        ([0.002] * n, 0, "and each point stayed within its dot"),
        ([0.002] * 30 + [0.02] * (n - 30), n - 30, "gray disk, which is drawn where it is larger than the dot."),
        ([0.02] * n, n, "and each point was within its gray disk."),
        ([0.02] * (n - 1) + [0.1], n, f"gray disk; the largest by far is that of row {last}."),
    ):
        m.moves[:] = np.array(radii) * unit
        page = report_html(found)
        (disks,) = re.findall('<g class="halos">(.*?)</g>', page)
        assert disks.count("<circle") == count and said in page


@pytest.mark.parametrize(
    "identifiers, name",
    [
        ({"patient": range(1001, 1061)}, "patient 1031 (row 31)"),
        ({"who": [f"P{i:03d}" for i in range(60)]}, "P030 (row 31)"),
        ({"patient": range(1001, 1061), "who": [f"P{i:03d}" for i in range(60)]}, "row 31"),
        ({}, "row 31"),
    ],
)
def test_rows_have_the_name_that_one_identifier_gives_them(identifiers, name):
    found = examine(two_factors(60).assign(**identifiers), n_permutations=19)
    assert f"<title>{name}</title>" in report_html(found)


@pytest.mark.parametrize("of", ["table", "roll", "distances"])
def test_every_number_is_explained_in_place_with_the_digits_of_the_verdict(of):
    rng = np.random.default_rng(0)
    tables = {
        "table": table(),
        "roll": KNOWN["roll"][0](rng, 300),
        "distances": squareform(pdist(rng.normal(size=(40, 3)))),
    }
    found = examine(tables[of], n_permutations=19) if of != "distances" else examine(tables[of])
    rows = re.findall(r'<tr><th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]+)</td></tr>', report_html(found))
    told = {name: value for name, value, _ in rows}
    assert list(told) == list(found.numbers)
    assert f"error at most {told[found.maps[0].name + ': moved']})" in found.verdict
    assert all(f"{m.name} {told[m.name + ': neighbors kept']}" in found.verdict for m in found.maps)


def test_disks_that_would_cover_the_map_are_left_out_and_their_size_is_told():
    found = examine(np.random.default_rng(0).normal(size=(60, 1)) + np.random.default_rng(1).normal(size=(60, 5)))
    for m in found.maps:
        m.moves[:] = 0.02 * np.ptp(m.Y, axis=0).max()
    assert report_html(found).count('<g class="halos">') == len(found.maps)
    found.maps[1].moves *= 15
    page = report_html(found)
    assert page.count('<g class="halos">') == len(found.maps) - 1
    assert page.count("half of the points moved by 30% of the width of this map or more") == 1
    assert page.count("the map as a whole stayed (Procrustes error") == sum(m.stable for m in found.maps)


@pytest.mark.parametrize("corner", [[0, 1], [1, 1], [0, 0], [1, 0]])
def test_names_of_points_at_the_rim_are_in_the_frame(corner):
    Y = np.vstack([np.random.default_rng(0).uniform(size=(50, 2)), corner])
    none = np.array([], dtype=int)
    drawing = neighborhoods(Y, np.ones(51), [(50, "row 402 of the table", none, none)], "A map.")
    ((y, anchor),) = re.findall(r'<text class="name" x=".+?" y="(.+?)" text-anchor="(.+?)"', drawing)
    highest, height = map(int, re.search(r'viewBox="0 (-?\d+) 300 (\d+)"', drawing).groups())
    assert highest + 11 <= float(y) <= highest + height - 3 and anchor == ("end" if corner[0] else "start")


@pytest.mark.parametrize("most", [0.4, 7, 99.6, 110, 1234.5, 54321, 120_000, 7e6])
def test_numbers_of_axes_are_in_the_frame_and_have_no_powers_of_ten(most):
    drawing = chart([("c0", "dots", np.array([1, most]), np.array([0, most]))], "A chart.", "x", "y", dots=True)
    ticks = re.findall(r'<text class="tick" x="([\d.]+)" y="[\d.]+" text-anchor="(end|middle)">([^<]+)</text>', drawing)
    assert len(ticks) == 6
    for x, anchor, text in ticks:
        width = 6 * len(text) * (text not in ("x", "y"))
        right = float(x) + width * (anchor == "middle") / 2
        assert right - width >= 14 and right <= 380, text  # the name of the axis is left of them
    assert "e+" not in drawing


@pytest.mark.parametrize(
    "values, ends",
    [
        ([46_970, 2_027_000], ["46,970", "2,027,000"]),
        ([1931, 2024], ["1931", "2024"]),
        ([-0.25, 1234.56], ["-0.25", "1235"]),
        ([0, 3e15], ["0", "3e+15"]),
    ],
)
def test_the_legend_of_a_color_has_numbers_as_people_write_them(values, ends):
    _, legend = point_classes(pd.Series(np.linspace(*values, 20)), 20)
    assert [text for _, text in legend] == ends


def test_the_words_of_a_report_are_defined_at_its_foot(page):
    distances = report_html(examine(squareform(pdist(np.random.default_rng(0).normal(size=(40, 3))))))
    for one, count in ((page, 6), (distances, 4)):
        body, foot = one.split('<section id="words"')
        words = re.findall("<dt>(.+?)</dt>", foot)
        assert len(words) == count and all(word.lower() in body.lower() for word in words)
        assert '<a href="#words">' in body
    assert "Null map" not in distances


def test_places_of_the_page_that_are_linked_are_there(page):
    assert set(re.findall(r'href="#([\w-]+)"', page)) <= set(re.findall(r'id="([\w-]+)"', page))


def test_the_code_repeats_the_examination():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": rng.choice(list("SML"), 60), "x": rng.normal(size=60), "zip": rng.integers(0, 99, 60)}
    )
    found = examine(frame, kinds={"zip": "category"}, random_state=3)
    code = found.code.replace("'table'", "frame")
    scope = {"frame": frame}
    exec(code, scope)
    assert scope["examination"].numbers == found.numbers
    np.testing.assert_array_equal(scope["Y"], found.maps[-1].Y)


def test_the_code_takes_every_column_as_the_rules_did():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
    frame["size"], frame["yes"] = rng.choice(["low", "medium", "high"], 60), rng.random(60) > 0.5
    frame["far"] = np.where(np.arange(60) % 20 == 0, -999, rng.normal(size=60))
    found, scope = examine(frame, maps=False), {"frame": frame}
    assert "'size': ['low', 'medium', 'high']" in found.code
    exec(found.code.replace("'table'", "frame"), scope)
    np.testing.assert_array_equal(scope["X"], found.X)


def test_a_thousand_rows_take_less_than_three_megabytes():
    rng = np.random.default_rng(0)
    found = examine(rng.normal(size=(60, 4)))
    rows = np.arange(1000) % 60
    for m in found.maps:
        m.rows, m.Y, m.null = rows, 100 * rng.normal(size=(1000, 2)), rng.normal(size=(1000, 2))
        m.moves = np.full(1000, 6.0)  # small enough for disks to be drawn
    assert len(report_html(found).encode()) < 1.5e6  # with two maps; there are at most three


def test_a_command_writes_the_report_beside_the_table(tmp_path, capsys):
    table().to_csv(tmp_path / "my.table.csv", index=False)
    assert main([str(tmp_path / "my.table.csv"), "--color", "color", "--column", "kind=category"]) == 0
    assert (tmp_path / "my-report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize("arguments", [["none.csv"], ["{table}", "--color", "none"], ["{table}", "--column", "x"]])
def test_what_cannot_be_done_is_one_sentence_and_leaves_no_report(tmp_path, capsys, arguments):
    path = tmp_path / "table.csv"
    table().to_csv(path, index=False)
    assert main([argument.format(table=path) for argument in arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_a_place_that_cannot_be_written_to_is_known_before_anything_is_computed(tmp_path, capsys, monkeypatch):
    path = tmp_path / "table.csv"
    table().to_csv(path, index=False)
    monkeypatch.setattr("dimred_lessons.tables.command.examine", lambda *_, **__: pytest.fail("computed"))
    for place, sentence in ((tmp_path / "none" / "report.html", "cannot be written"), (tmp_path, "is a folder")):
        assert main([str(path), "--output", str(place)]) == 1
        assert sentence in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_coordinates_of_all_rows_are_written_with_their_names(tmp_path, capsys):
    path, place = tmp_path / "table.csv", tmp_path / "places.csv"
    frame = table().drop(columns="color")
    frame.insert(0, "who", [f"person {i}" for i in range(len(frame))])
    frame.iloc[9, 1:] = frame.iloc[8, 1:]  # a copy, which has no place of its own
    frame.to_csv(path, index=False)
    for names in (frame["who"].tolist(), list(range(1, 61))):
        assert main([str(path), "--coordinates", str(place), "--no-report"]) == 0
        assert f"Coordinates on the map of PCA: {place}" in capsys.readouterr().out
        written = pd.read_csv(place)
        assert written.iloc[:, 0].tolist() == names and written["x"].isna().sum() == 1
        np.testing.assert_allclose(written[["x", "y"]], examine(path).place())
        frame.drop(columns="who").to_csv(path, index=False)


def test_coordinates_that_cannot_be_written_are_one_sentence_and_leave_nothing(tmp_path, capsys):
    path, towns = tmp_path / "table.csv", tmp_path / "towns.csv"
    table().to_csv(path, index=False)
    distances = squareform(pdist(np.random.default_rng(0).normal(size=(12, 2))))
    pd.DataFrame(distances).add_prefix("town ").to_csv(towns, index=False)
    for given, place, sentence in (
        (path, tmp_path / "none" / "a.csv", "another place for the coordinates"),
        (path, path, "is the table itself: choose another place for the coordinates"),
        (path, tmp_path / "table-report.html", "is the place of the report"),
        (towns, tmp_path / "a.csv", "towns.csv holds distances, and coordinates are of columns"),
    ):
        assert main([str(given), "--coordinates", str(place)]) == 1
        captured = capsys.readouterr()
        assert sentence in captured.err and len(captured.err.splitlines()) == 1 and not captured.out
    assert sorted(file.name for file in tmp_path.iterdir()) == ["table.csv", "towns.csv"]


@pytest.mark.parametrize("wrong", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_full_disk_and_an_interruption_leave_no_half_report(tmp_path, monkeypatch, capsys, wrong):
    path = tmp_path / "table.csv"
    pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3))).to_csv(path, index=False)

    def fail(*_):
        raise wrong

    monkeypatch.setattr("pathlib.Path.replace", fail)
    assert main([str(path)]) == (1 if isinstance(wrong, OSError) else 130)
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("of", ["table", "distances"])
def test_a_terminal_is_told_each_stage_and_nothing_else_is(tmp_path, monkeypatch, capsys, of):
    path = tmp_path / "table.csv"
    points = np.random.default_rng(0).normal(size=(20, 3))
    frame = pd.DataFrame(points if of == "table" else squareform(pdist(points)))
    frame.add_prefix("x").to_csv(path, index=False)
    assert main([str(path)]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main([str(path)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert all(re.match(r" *\d+\.\d s  \w", line) for line in lines) and "reading the table" in lines[0]
    method = "PCA" if of == "table" else "classical scaling"
    assert len(lines) == 4 and f"the map of {method}" in lines[-1]


def test_the_report_does_not_replace_the_table(tmp_path, capsys):
    path = tmp_path / "table.csv"
    table().to_csv(path, index=False)
    before = path.read_bytes()
    (tmp_path / "link.html").symlink_to(path)
    for place in (path, tmp_path / "link.html"):
        assert main([str(path), "--output", str(place)]) == 1
        assert "is the table itself" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize("stage", ["read_table", "prepare", "against_chance", "_name_it", "_make_maps"])
def test_an_interruption_at_any_stage_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, capsys, stage):
    path = tmp_path / "table.csv"
    table().to_csv(path, index=False)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"dimred_lessons.tables.examination.{stage}", interrupt)
    assert main([str(path)]) == 130
    assert capsys.readouterr().err == "dimred: interrupted; nothing was written.\n"
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]
