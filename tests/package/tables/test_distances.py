"""Distances of objects, without columns, are described: axes, groups, curvature and maps, but nothing about chance."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from dimred_lessons.tables import examine, prepare, read_table
from dimred_lessons.tables.command import main
from dimred_lessons.tables.pairs import distances_in
from dimred_lessons.tables.report import report_html

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(40, 3)) * [3, 2, 0.1]


def between(points):
    return squareform(pdist(points))


def named(D):
    frame = pd.DataFrame(D, columns=[f"town {i}" for i in range(len(D))])
    frame.insert(0, "name", frame.columns)
    return frame


def half(D):
    return np.where(np.tri(len(D), k=-1, dtype=bool), D, np.nan)


# --- What holds distances


@pytest.mark.parametrize("form", [lambda D: D, named, half, lambda D: named(half(D)), lambda D: half(D).T])
def test_distances_are_known_whole_or_half_with_and_without_names(form):
    pairs = distances_in(read_table(form(between(POINTS))))
    np.testing.assert_allclose(pairs.D, between(POINTS))
    assert pairs.labels[1] in ("town 1", "object 2")


def test_distances_in_a_file_with_decimal_commas_are_known(tmp_path):
    named(between(POINTS).round(3)).to_csv(tmp_path / "towns.csv", sep=";", decimal=",", index=False)
    pairs = distances_in(read_table(tmp_path / "towns.csv"))
    np.testing.assert_allclose(pairs.D, between(POINTS), atol=1e-3)


@pytest.mark.parametrize("table", [RNG.normal(size=(12, 12)), RNG.normal(size=(9, 4)), np.zeros((5, 5)), np.eye(4) - 1])
def test_other_square_tables_hold_no_distances(table):
    assert distances_in(read_table(table)) is None


def one_way(D):
    D[2, 5] += 1
    return named(D)


def with_hole(D):
    D[2, 5] = D[5, 2] = np.nan
    return D


@pytest.mark.parametrize(
    "spoiled, sentence",
    [
        (one_way, r"differ there and back .* of 3 and 6\): give the mean"),
        (with_hole, "of which 2 are missing, the first in row 3, column 6: .* StressMDS"),
        (lambda D: np.corrcoef(POINTS), "holds correlations or similarities .* KernelPCA"),
    ],
)
def test_what_is_wrong_with_distances_is_one_sentence(spoiled, sentence):
    with pytest.raises(ValueError, match=sentence):
        examine(spoiled(between(POINTS)))


def test_distances_are_no_columns_and_have_none():
    with pytest.raises(ValueError, match="holds distances, and no columns to prepare: give it to examine"):
        prepare(read_table(between(POINTS)))
    with pytest.raises(ValueError, match="holds distances, and no columns: leave same_units out"):
        examine(between(POINTS), same_units=True)
    with pytest.raises(ValueError, match='before them no column "kind"'):
        examine(between(POINTS), color="kind")
    named = pd.DataFrame(between(POINTS))
    named.insert(0, "Kind", [f"object {i}" for i in range(len(POINTS))])
    with pytest.raises(ValueError, match='did you mean "Kind"'):
        examine(named, color="kind")


# --- What is said of them


def test_distances_of_points_on_a_plane_have_two_axes_and_nothing_is_said_of_chance():
    found = examine(between(POINTS), maps=False)
    assert found.kind == "axes" and found.two_axes.sum() > 0.99 and found.negative_mass < 1e-9
    lines = found.verdict.splitlines()
    assert len(lines) == 3 and "what chance would give is unknown" in lines[0] and "points, at straight" in lines[1]


def test_groups_are_found_among_distances():
    centers = np.repeat([[0, 0], [9, 0], [0, 9]], [30, 20, 25], axis=0)
    found = examine(between(centers + RNG.normal(size=centers.shape)), maps=False)
    assert found.kind == "groups" and found.groups.sizes == [30, 25, 20]


def test_distances_along_a_bent_line_are_said_to_be_curved():
    t = np.sort(RNG.uniform(0, 5.5, 150))
    found = examine(between(np.stack([np.cos(t), np.sin(t)], axis=1)))
    assert found.kind == "curved" and [m.name for m in found.maps] == ["Isomap", "classical scaling", "t-SNE"]


def test_distances_that_no_points_have_are_said_to_be_so():
    angle = 2 * np.pi * np.arange(40) / 40
    around = np.abs((angle[:, np.newaxis] - angle + np.pi) % (2 * np.pi) - np.pi)  # along a circle
    found = examine(around**2, maps=False)
    assert found.negative_mass > 0.05 and "negative ones, which no points have, are" in found.verdict


def test_objects_that_are_all_equally_far_apart_have_a_map_that_keeps_nothing():
    found = examine(1.0 - np.eye(6))
    assert [m.kept_near for m in found.maps] == [0.0]


@pytest.mark.parametrize("count", [3, 4, 8])
def test_few_objects_have_a_map_and_no_groups(count):
    found = examine(between(POINTS[:count]))
    assert [m.name for m in found.maps] == ["classical scaling"] and found.groups is None
    assert "too few" in found.verdict and f"of {max(1, count // 2)} neighbors" in found.verdict


def test_the_report_on_distances_has_maps_names_and_no_null_map():
    frame = named(between(POINTS))
    frame.insert(1, "river", np.where(np.arange(40) < 15, "<b>Rhine</b>", "Elbe"))
    page = report_html(examine(frame, color="river"))
    assert "Null map" not in page and "<b>" not in page and "&lt;b&gt;Rhine" in page
    assert page.count(">town 7</text>") >= 2  # written on both maps
    assert "no permuted table can be compared" in page and "Eigenvalues of classical scaling" in page


def test_the_command_takes_distances_and_its_code_repeats_them(tmp_path, capsys, monkeypatch):
    named(between(POINTS)).to_csv(tmp_path / "towns.csv", index=False)
    assert main([str(tmp_path / "towns.csv")]) == 0
    assert capsys.readouterr().out.startswith("Distances of 40 objects")
    assert (tmp_path / "towns-report.html").exists()
    monkeypatch.chdir(tmp_path)
    found, scope = examine("towns.csv"), {}
    exec(found.code, scope)
    np.testing.assert_array_equal(scope["Y"], found.maps[-1].Y)


def test_the_last_object_of_an_upper_half_is_no_line_below_the_table(tmp_path):
    rng = np.random.default_rng(0)
    names, D = [f"city {i}" for i in range(12)], squareform(pdist(rng.normal(size=(12, 2))))
    rows = [[name, *("" for _ in range(i + 1)), *map(str, D[i, i + 1 :])] for i, name in enumerate(names)]
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, [["", *names], *rows])) + "\n")
    np.testing.assert_allclose(distances_in(read_table(tmp_path / "t.csv")).D, D)
