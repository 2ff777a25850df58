"""Tables of which we know what is in them: the verdict says so, or says that it cannot say."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import trim_mean
from sklearn.datasets import load_iris, load_linnerud, load_wine

from dimred_lessons.tables import (
    against_chance,
    curvature,
    dimension,
    examination,
    examine,
    find_groups,
    halves,
    permuted_tables,
    prepare,
    read_table,
)
from dimred_lessons.tables.maps import draw_subsets
from dimred_lessons.tables.sentences import conclusions, limits
from dimred_lessons.tables.shape import find_curvature
from support.known_tables import KNOWN, NO_STRUCTURE, right


@pytest.mark.parametrize("kind", NO_STRUCTURE)
def test_independent_columns_have_no_structure_whatever_they_are_like(kind):
    found = [examine(NO_STRUCTURE[kind](np.random.default_rng(seed)), maps=False) for seed in range(2)]
    assert {examination.kind for examination in found} <= {"nothing", "too few rows"}


def test_a_row_that_is_far_from_all_others_is_named_and_makes_no_structure():
    X = np.random.default_rng(0).normal(size=(150, 6))
    X[3] = 50
    examination = examine(X, maps=False)
    assert examination.odd_rows.tolist() == [3]
    assert "Row 4 is set aside" in examination.verdict


@pytest.mark.parametrize("name", KNOWN)
def test_a_table_with_structure_ends_where_it_should(name):
    make, kind, count = KNOWN[name]
    assert right(examine(make(np.random.default_rng(0), 300), maps=False), kind, count)


def test_a_roll_is_unrolled_by_the_few_neighbors_that_do_not_leap():
    X = prepare(read_table(KNOWN["roll"][0](np.random.default_rng(0), 300))).X
    many, found = curvature(X, 2, (8,)), curvature(X, 2)
    assert many.bent > 0.2 and not many.curved
    assert found.n_neighbors < 8 and found.curved and found.gain > 0.5


def test_what_is_rolled_up_within_the_plane_of_the_first_components_is_curved():
    roll = KNOWN["roll"][0](np.random.default_rng(0), 300)
    assert curvature(roll * [1, 0.7, 1], 2).curved  # the height is the third component


def test_a_line_with_noise_is_curved_along_one_axis_however_many_points_there_are():
    X = prepare(read_table(KNOWN["curve"][0](np.random.default_rng(0), 1000))).X
    assert dimension(X, 20) > 2  # neighborhoods as small as the noise
    found = find_curvature(X, dimension(X, 40))
    assert found.n_components == 1 and found.curved


def test_a_roll_of_few_points_is_not_said_to_be_flat(monkeypatch):
    monkeypatch.setattr(examination, "find_curvature", lambda X, *_, **__: curvature(X, 2, (8,)))
    found = examine(KNOWN["roll"][0](np.random.default_rng(0), 300), maps=False)
    assert found.kind == "neighbors" and "the rows are too few to say whether" in found.verdict


def groups_in_a_plane(rng, n):
    """Three groups of different spread, far apart, in a plane in five columns."""
    label = rng.integers(0, 3, n)
    Y = np.array([[0, 0], [6, 0], [2, 5]])[label] + rng.normal(size=(n, 2)) * np.array([0.3, 1, 2])[label, np.newaxis]
    plane = np.linalg.qr(rng.normal(size=(5, 2)))[0]
    return Y @ plane.T + 0.05 * rng.normal(size=(n, 5))


def test_gaps_between_groups_are_no_curvature():
    found = []
    for seed in range(12):
        X = prepare(read_table(groups_in_a_plane(np.random.default_rng(seed), 60))).X
        found.append(curvature(X, 2))
    assert sum(one.may_be_curved for one in found) >= 3  # of which a flat table gains as much
    assert sum(one.curved for one in found) <= 1


def test_a_verdict_says_what_there_is():
    names = ("two factors among noise", "curve", "three groups")
    said = [examine(KNOWN[name][0](np.random.default_rng(0), 200), maps=False).verdict for name in names]
    assert "Two linear components hold more than chance" in said[0]
    assert "something curved of 1 dimension:" in said[1]
    assert "3 groups" in said[2]


def test_groups_are_said_to_differ_in_the_columns_that_make_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 4)), columns=["a", "b", "c", "d"])
    frame["apart"] = np.repeat([0.0, 9.0], 100) + rng.normal(size=200)
    frame["too"] = np.repeat([0.0, 6.0], 100) + rng.normal(size=200)
    found = examine(frame, maps=False)
    assert found.groups.sizes == [100, 100]
    assert [name for name, _ in found.between_groups()[:2]] == ["apart", "too"]
    assert "much of the variance of apart (9" in found.verdict
    assert not any("which was not used" in sentence for sentence, _ in conclusions(found))
    frame["line"] = ["A"] * 99 + ["B"] * 100 + [None]
    shown = [sentence for sentence, _ in conclusions(examine(frame, color="line", maps=False))]
    assert "Beside line, which was not used, the groups have: 99 A, 1 B; 99 B." in shown


def test_levels_of_categories_are_no_groups():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=300)
    frame = pd.DataFrame({f"x{j}": factor + 0.5 * rng.normal(size=300) for j in range(4)})
    frame["sex"] = np.where(factor + rng.normal(size=300) > 0, "f", "m")
    frame.loc[::9, "sex"] = None
    assert examine(frame, maps=False).kind == "linear"


@pytest.mark.parametrize(
    "cloud",
    [
        lambda rng: rng.normal(size=(200, 2)),
        lambda rng: rng.uniform(size=(200, 2)),
        lambda rng: rng.standard_t(3, size=(200, 3)),
        lambda rng: rng.exponential(size=(200, 2)),
    ],
)
def test_clouds_with_one_hill_have_no_groups(cloud):
    assert [len(find_groups(cloud(np.random.default_rng(seed))).sizes) for seed in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(("d", "spreads"), [(2, (0.7, 1, 1.3)), (3, (0.7, 1, 1.3)), (3, (1, 1, 1)), (5, (1, 1, 1))])
def test_points_in_valleys_go_to_the_group_that_they_are_of(d, spreads):
    rng = np.random.default_rng(1000)
    group = rng.choice(3, 1000, p=[0.48, 0.36, 0.16])
    centers = np.zeros((3, d))
    centers[:, :2] = [[0, 3.7], [3.2, -1.8], [-3.2, -1.8]]
    found = find_groups(centers[group] + rng.normal(size=(1000, d)) * np.array(spreads)[group, np.newaxis])
    assert len(found.sizes) == 3
    assert pd.crosstab(group, found.labels).max(axis=1).sum() >= 990


def test_groups_of_few_rows_or_few_values_are_not_looked_for():
    assert find_groups(np.random.default_rng(0).normal(size=(20, 2))) is None
    assert find_groups(np.random.default_rng(0).integers(0, 3, size=(200, 2)).astype(float)) is None


def test_real_tables_have_what_is_known_of_them():
    wine = examine(load_wine().data, maps=False)
    assert wine.kind == "linear" and wine.chance.n_components in (2, 3)
    iris = examine(load_iris().data, maps=False)
    assert iris.kind == "groups" and iris.groups.sizes == [99, 50]  # one of 150 flowers is a copy
    assert examine(load_linnerud().data, maps=False).chance.structure


def test_too_few_rows_are_called_so():
    found = examine(np.random.default_rng(1).normal(size=(10, 6)), maps=False)
    assert found.kind == "too few rows" and found.verdict.startswith("Too few rows to say")


def test_permuting_keeps_blocks_and_holes_and_the_entries_of_each_column():
    frame = NO_STRUCTURE["numbers and categories"](np.random.default_rng(0))
    frame.loc[5:20, "x1"] = np.nan
    prepared = prepare(read_table(frame))
    for P in permuted_tables(prepared, 3, np.random.default_rng(0)):
        assert (np.isnan(P) == np.isnan(prepared.X)).all() and not np.array_equal(P, prepared.X, equal_nan=True)
        for block in prepared.blocks:
            rows, permuted = (sorted(map(tuple, np.nan_to_num(A[:, block]))) for A in (prepared.X, P))
            assert rows == permuted


def test_the_same_number_gives_the_same_verdict_and_another_one_other_permutations():
    prepared = prepare(read_table(np.random.default_rng(0).normal(size=(60, 4))))
    one, again, other = (against_chance(prepared, 19, seed).chance_shares for seed in (0, 0, 1))
    assert (one == again).all() and not (one == other).any()


def test_halves_agree_on_a_plane_and_not_on_noise():
    rng = np.random.default_rng(0)
    plane, noise = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 10)), rng.normal(size=(200, 10))
    assert halves(prepare(read_table(plane)), 2) > 0.99
    assert halves(prepare(read_table(noise)), 2) < 0.6


def test_three_lines_say_it_and_numbers_are_behind_them():
    found = examine(load_linnerud().data, maps=False)
    assert repr(found) == str(found) == found.verdict  # what a notebook shows
    assert len(found.verdict.splitlines()) == 3
    assert all(np.isfinite(number) for number in found.numbers.values())


def test_what_examine_cannot_take_is_one_sentence():
    X = np.random.default_rng(0).normal(size=(30, 3))
    for options in ({"n_permutations": 5}, {"random_state": -1}, {"maps": "yes"}):
        with pytest.raises(ValueError, match="must be"):
            examine(X, **options)


def test_columns_that_span_a_line_have_a_map():
    few = pd.DataFrame({"a": [0, 0, 0, 0, 1], "b": ["x", "x", "x", "x", "y"]})
    assert examine(few, kinds={"b": "category"}).maps[0].Y[:, 1].tolist() == [0] * 5


def test_few_rows_of_a_rolled_sheet_are_called_too_few():
    found = examine(KNOWN["roll"][0](np.random.default_rng(0), 100), maps=False)
    assert found.kind in ("too few rows", "neighbors")
    nothing = examine(np.random.default_rng(0).normal(size=(100, 3)), maps=False)
    assert nothing.kind == "too few rows" and "but not a sheet that is rolled up" in nothing.verdict


def test_a_component_is_said_to_go_with_the_columns_that_make_it():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 5)), columns=list("abcde"))
    frame["d"] = 0.3 * frame["d"] - frame["b"]
    ((one,),) = [found.components(2)] if (found := examine(frame, maps=False)).chance.n_components == 1 else [[[]]]
    (first, r), (second, s) = one
    assert {first, second} == {"b", "d"} and min(abs(r), abs(s)) > 0.9 and r * s < 0


def test_missing_entries_are_counted_as_in_the_table():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=100)
    frame = pd.DataFrame({f"x{j}": factor + rng.normal(size=100) for j in range(3)})
    frame["c"] = np.where(np.arange(100) < 10, None, rng.choice(list("abcd"), 100))
    assert any(note.startswith("10 missing entries (2.5%)") for note in examine(frame, maps=False).notes)


def test_numbers_of_an_array_are_compared_as_they_are():
    X = np.random.default_rng(0).normal(size=(60, 4))
    table = prepare(read_table(X), same_units=True, clip=None)
    one, other = against_chance(X, 19), against_chance(table, 19)
    np.testing.assert_allclose(one.chance_shares, other.chance_shares)
    assert one.neighbors == pytest.approx(other.neighbors)


@pytest.mark.parametrize("n_columns", [5, 40])
def test_shares_and_neighbors_of_wide_and_of_narrow_tables_are_as_defined(n_columns):
    X = np.random.default_rng(0).normal(size=(30, n_columns)) ** 3
    found = against_chance(X, 19)
    C = X - X.mean(axis=0)
    kept = C[np.sort(np.argsort(np.linalg.norm(C, axis=1))[:-1])]
    shares, whole = (np.linalg.svd(A - A.mean(axis=0), compute_uv=False) ** 2 for A in (kept, C))
    np.testing.assert_allclose(found.shares[:5], (shares / shares.sum())[:5])
    assert found.first_with_all == pytest.approx(whole[0] / whole.sum())
    fourth = np.sort(squareform(pdist(kept)), axis=1)[:, 4]
    permuted = permuted_tables(X, 19, rng_after_queries(30))
    usual = [np.sort(squareform(pdist(without_farthest(P))), axis=1)[:, 4] for P in permuted]
    expected = trim_mean(fourth, 0.1) / np.mean([trim_mean(one, 0.1) for one in usual])
    assert found.neighbors == pytest.approx(expected)


def without_farthest(X):
    return X[np.sort(np.argsort(np.linalg.norm(X, axis=1))[:-1])]


def rng_after_queries(n):
    """The generator that `against_chance` permutes with: it chooses the queries first."""
    rng = np.random.default_rng(0)
    rng.permutation(n)
    return rng


def test_all_rows_are_placed_on_a_map_of_some(monkeypatch):
    monkeypatch.setattr("dimred_lessons.tables.examination.MAX_ROWS", 150)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1)) @ rng.normal(size=(1, 5)) + 0.5 * rng.normal(size=(200, 5))
    X[7] = 60
    found = examine(X)
    placed = found.place().to_numpy()
    shown = found.maps[0]
    np.testing.assert_allclose(placed[found.prepared.rows[shown.rows]], shown.Y)
    assert np.isfinite(placed).all() and np.linalg.norm(placed[7]) > 2 * np.linalg.norm(shown.Y, axis=1).mean()
    others = np.setdiff1d(np.arange(200), [7, *found.prepared.rows])
    assert abs(np.log(placed[others, 0].std() / shown.Y[:, 0].std())) < 0.5


def test_a_map_that_changes_on_subsets_is_not_recommended():
    firm = examine(KNOWN["plane"][0](np.random.default_rng(0), 100)).verdict.splitlines()[2]
    assert firm.startswith("Draw PCA, whose map changes little") and "(null map " in firm
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20))
    X[:, :6] += rng.normal(size=(60, 1))  # on the second axis there is only noise
    loose = examine(X)
    assert loose.kind == "linear"
    assert loose.verdict.splitlines()[2].startswith("No map is firm: that of PCA changes much")


def test_subsets_of_a_table_with_holes_are_filled_in_from_their_own_rows(monkeypatch):
    drawn = []
    monkeypatch.setattr(examination, "draw_subsets", lambda *given: drawn.extend(draw_subsets(*given)) or drawn)
    found = examine(KNOWN["plane with holes"][0](np.random.default_rng(0), 60))
    holes, shown = np.isnan(found.prepared.X), found.maps[0].rows
    for subset in drawn:
        rows = shown[subset.part]
        some, known = holes[rows], ~holes[rows]
        assert np.isfinite(subset.X).all() and np.array_equal(subset.X[known], found.X[rows][known])
        assert np.mean(subset.X[some] != found.X[rows][some]) > 0.9


def test_a_subset_without_any_entry_of_a_column_has_a_map_as_well():
    X = KNOWN["plane"][0](np.random.default_rng(0), 40)
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    frame["rare"] = [0.0, 1.0, *[np.nan] * 38]
    assert np.isfinite(examine(frame, kinds={"rare": "number"}).maps[0].moved)


def test_every_map_is_compared_with_those_of_six_subsets():
    found = examine(KNOWN["plane"][0](np.random.default_rng(0), 60))
    for shown in found.maps:
        assert np.mean(shown.moves == 0) < 0.1, shown.name  # one subset of four of five rows leaves out a fifth


def test_a_map_with_one_component_is_said_to_have_a_second_axis_of_chance():
    rng = np.random.default_rng(0)
    one = examine(rng.normal(size=(60, 1)) + rng.normal(size=(60, 5)))
    assert one.chance.n_components == 1 and "its second axis is chance" in one.verdict
    assert any("second axis of the map of PCA" in said for said in limits(one))
    two = examine(KNOWN["plane"][0](rng, 60))
    assert "second axis" not in two.verdict
    assert 0 <= two.maps[0].moved_at_most - two.maps[0].moved < 0.01
    assert f"at most {two.maps[0].moved_at_most:.2f})" in two.verdict


def test_a_component_of_columns_that_follow_from_each_other_is_said_to_be_one_in_the_verdict():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 6)), columns=list("abcdef"))
    frame["meters"] = rng.normal(size=300)
    frame["feet"], frame["yards"] = (
        unit * frame["meters"] + 0.05 * rng.normal(size=300) for unit in (-3.28, 1.09)
    )  # read off two other rules
    frame["part"] = rng.normal(size=300)
    frame["total"] = frame["part"] + frame["a"] + 0.001 * rng.normal(size=300)
    found = examine(frame, maps=False)
    assert found.repeated_components() == {1: ["meters", "feet", "yards"], 2: ["a", "part", "total"]}
    assert "component 1 is made of columns that follow from each other (meters, feet and yards)" in found.verdict
    said = [sentence for sentence, _ in conclusions(found)]
    assert any("meters, feet and yards follow from each other" in one for one in said if "Component 1" in one)
    assert "follow from each other" not in examine(KNOWN["plane"][0](rng, 100), maps=False).verdict


def test_a_verdict_says_why_it_names_a_map_that_keeps_fewer_neighbors():
    found = examine(KNOWN["two factors among noise"][0](np.random.default_rng(0), 200))
    kept = {m.name: m.kept_near for m in found.maps}
    assert found.maps[0].name == "PCA" and found.maps[0].stable and kept["t-SNE"] > kept["PCA"]
    firm, reason, numbers = re.split(r"(?<=\.) (?=[A-Z])", found.verdict.splitlines()[2])
    assert firm.startswith("Draw PCA, whose map changes little") and numbers.startswith("Kept beyond chance, of 10")
    assert reason.endswith("to see which rows resemble which, draw t-SNE, beside its null map.")
    found.maps = found.maps[:1]
    assert "t-SNE" not in found.verdict


def test_ends_of_a_range_that_read_the_same_get_a_decimal_and_deep_valleys_no_ordinal():
    rng = np.random.default_rng(0)
    X = np.repeat([0.0, 8.0], 750)[:, np.newaxis] + rng.normal(size=(1500, 20))
    found = examine(X, n_permutations=19, maps=False)
    low, high = found.chance.chance_shares[:, 0].min(), found.chance.limit
    assert f"{low:.0%}" == f"{high:.0%}"
    said = "\n".join([found.verdict, *(sentence for sentence, _ in conclusions(found))])
    assert f"in permuted tables {low:.1%} to {high:.1%}" in said
    assert not re.search(r"(\b[\d.]+%?) to \1(?![\d.])|\d(th|st|nd|rd)\b", said)


def test_components_that_no_map_shows_are_counted():
    rng = np.random.default_rng(0)
    three = examine(np.repeat(rng.normal(size=(100, 3)), 3, axis=1) + 0.4 * rng.normal(size=(100, 9)))
    assert three.chance.n_components == 3
    assert any("two axes, and 3 components hold more than chance" in said for said in limits(three))
