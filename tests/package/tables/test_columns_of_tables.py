"""Every column has a rule, which is told, and which can be overruled."""

import numpy as np
import pandas as pd
import pytest

from dimred_lessons.tables import prepare, read_table
from dimred_lessons.tables.columns import kinds_of

N = 60
RNG = np.random.default_rng(0)
OTHERS = {"x": RNG.normal(size=N), "y": RNG.normal(size=N)}


def prepared(values, name="this", kind=None, **options):
    others = {key: np.resize(x, len(values)) for key, x in OTHERS.items()}
    return prepare(read_table(pd.DataFrame({**others, name: values})), {name: kind} if kind else None, **options)


def of(table, name="this"):
    return next(column for column in table.columns if column.name == name)


# --- What a column is


@pytest.mark.parametrize(
    "values, kind, why",
    [
        (RNG.normal(size=N), "number", "60 different values"),
        ([str(x) for x in RNG.normal(size=N)], "number", "60 different values"),
        ([f"{x:.2f}%" for x in RNG.normal(size=N)], "number", "different values"),
        (["1,234.5", "2,345.6", "999.0"] * 20, "number", "commas between thousands"),
        ([True, False] * 30, "category", "2 levels"),
        (pd.array([True, False, None] * 20, dtype="boolean"), "category", "2 levels"),
        (np.exp(3 * RNG.normal(size=N)), "logarithm", "skewed"),
        (np.floor(np.exp(3 * np.abs(RNG.normal(size=N)))) - 1, "logarithm", "skewed: that of 1 + x"),
        (list("abc") * 20, "category", "3 levels"),
        (["low", "High", "medium"] * 20, "ordered", "low < medium < High"),
        (pd.Categorical(list("xyz") * 20, categories=list("zyx"), ordered=True), "ordered", "z < y < x"),
        ([f"2020-0{1 + i % 9}-11" for i in range(N)], "date", "days since 2020-01-11"),
        ([f"Mar {1 + i % 28} 2021" for i in range(N)], "date", "days since 2021-03-01"),
        ([f"{1 + i % 28}-Mar-21" for i in range(N)], "date", "days since 2021-03-01"),
        ([f"{1 + i % 28}.03.2021" for i in range(N)], "date", "the day first"),
        (pd.date_range("2020-01-01", periods=N), "date", "days since 2020-01-01"),
        (pd.period_range("2020-01", periods=N, freq="M"), "date", "days since 2020-01-01"),
        (pd.Categorical([1, 2, 3] * 20), "category", "3 levels"),
        (pd.array([None, *RNG.normal(size=N - 1)], dtype="Float64"), "number", "59 different values"),
        (pd.to_timedelta(RNG.integers(0, 999, N), unit="s"), "number", "in seconds"),
        ([np.inf, *RNG.normal(size=N - 1)], "number", "1 infinite value counts as missing"),
        ([10**400, *RNG.normal(size=N - 1)], "number", "1 infinite value counts as missing"),
        (["inf", "-Infinity", *map(str, RNG.normal(size=N - 2))], "number", "2 entries count as missing"),
        ([f"({i % 7}.5)" if i % 2 else f"{i % 7}.5" for i in range(N)], "number", "with parentheses for a minus"),
        ([f"{1 + i % 9},{10 + i},{100 + i}" for i in range(N)], "number", "with commas between thousands"),
        (["0", "0.0", *map(str, np.exp(3 * RNG.normal(size=N - 2)))], "logarithm", "that of 0.0"),
        ([f"0014-01-{1 + i % 28:02}" for i in range(N)], "date", "as days since 0014-01-01"),
        (["Total", *map(str, RNG.normal(size=N - 1) ** 2), "cm"], "leave out", 'look like numbers, but not "Total"'),
        ([f"2020-02-{1 + i % 31:02}" for i in range(N)], "leave out", "entries look like dates, but not all are"),
        ([10**30 + i for i in range(N)], "leave out", "the same number in all rows, to sixteen digits"),
        ([7] * N, "leave out", "the same in all rows"),
        ([None] * N, "leave out", "all entries are missing"),
        ([1.0, 2.0, *[np.nan] * (N - 2)], "leave out", "97% of its entries are missing"),
        (range(100, 100 + N), "leave out", "identifier"),
        ([f"some text {i}" for i in range(N)], "leave out", "an identifier or free text"),
        (2.54 * OTHERS["x"] + 1, "leave out", 'says the same as "x"'),
    ],
    ids=str,
)
def test_a_rule_says_what_a_column_is_and_why(values, kind, why):
    column = of(prepared(values))
    assert (column.kind, why in column.why) == (kind, True), str(column)


@pytest.mark.parametrize("name", ["id", "Patient_ID", "zip", "customerId"])
def test_numbers_that_are_called_identifiers_are_left_out(name):
    values = RNG.permutation(10_000)[:N]
    assert of(prepared(values, name), name).kind == "leave out"
    assert of(prepared(values, name, kind="number"), name).kind == "number"


@pytest.mark.parametrize(
    "values, kind",
    [
        ([1, 2, 3] * 20, "category"),
        (np.exp(3 * RNG.normal(size=N)), "number"),
        (RNG.uniform(1, 2, N), "logarithm"),
        ([f"text {i % 40}" for i in range(N)], "category"),
        (range(N), "number"),
        (OTHERS["x"] * 2, "number"),
        (RNG.normal(size=N), "leave out"),
    ],
    ids=str,
)
def test_every_rule_can_be_overruled(values, kind):
    assert of(prepared(values)).kind != kind
    assert of(prepared(values, kind=kind)).kind == kind


def test_levels_in_an_order_that_is_told_are_counted_in_it():
    column = of(prepared(["warm", "hot", "cold"] * 20, kind=["cold", "warm", "hot"]))
    assert column.values[:3, 0].tolist() == [1, 2, 0]


def test_numbers_that_are_told_to_be_ordered_keep_their_order():
    column = of(prepared([2, 10, 1] * 20, kind="ordered"))
    assert column.values[:3, 0].tolist() == [1, 2, 0]


def test_commas_between_thousands_are_no_decimal_ones(tmp_path):
    lines = [f"{i % 7}\t{1 + i % 5},234,567\t1,{500 + i}.5\n" for i in range(N)]
    (tmp_path / "t.tsv").write_text("a\tb\tc\n" + "".join(lines))
    _, b, c = prepare(read_table(tmp_path / "t.tsv")).used
    assert b.values[1, 0] == 2234567 and c.values[1, 0] == 1501.5


def test_decimal_commas_are_read_where_commas_do_not_separate(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(f"{i % 7},5;1.{i % 9}00,25\n" for i in range(N)))
    a, b = prepare(read_table(tmp_path / "t.csv")).used
    assert a.values[3, 0] == 3.5 and b.values[2, 0] == 1200.25


def test_a_few_words_among_numbers_and_numbers_that_stand_for_missing_are_missing_and_told():
    words = [str(i % 9) for i in range(N)]
    words[5] = "n.d."
    column = of(prepared(words))
    assert column.missing == 1 and '"n.d."' in column.why
    numbers = RNG.normal(size=N)
    numbers[[3, 8]] = -999
    column = of(prepared(numbers))
    assert column.missing == 2 and "-999 counts as missing" in column.why


@pytest.mark.parametrize(
    "values, kind", [(list("ab") * 30, "number"), ([-1.0, 1.5] * 30, "logarithm"), (list("abc") * 20, ["a", "b"])]
)
def test_a_kind_that_a_column_cannot_be_is_refused_with_its_name(values, kind):
    with pytest.raises(ValueError, match='Column "this"'):
        prepared(values, kind=kind)


def test_names_kinds_and_options_that_are_unknown_are_refused():
    with pytest.raises(ValueError, match='Column "this" holds complex numbers'):
        prepared(RNG.normal(size=N) * 1j)
    for options in ({"kinds": {"that": "number"}}, {"kinds": {"x": "numeric"}}, {"color": "that"}, {"copies": "no"}):
        with pytest.raises(ValueError, match="choose"):
            prepare(read_table(pd.DataFrame(OTHERS)), **options)


def test_a_table_of_which_too_little_is_left_says_what_became_of_its_columns():
    with pytest.raises(ValueError, match='only "x" to make a map of \\(z: left out, the same in all rows\\)'):
        prepare(read_table(pd.DataFrame({"x": OTHERS["x"], "z": 1})))
    with pytest.raises(ValueError, match="no column to make a map of"):
        prepare(read_table(pd.DataFrame({name: [f"{name}{i} words" for i in range(N)] for name in "ab"})))
    with pytest.raises(ValueError, match="has 1 row that can be used, but a map needs three"):
        prepare(read_table(pd.DataFrame({"a": [1.0], "b": [2.0]})), {"a": "number"})


# --- All columns and rows


def test_a_category_weighs_as_much_as_a_number_and_its_levels_are_equally_far_apart():
    table = prepared(["rare"] * 2 + list("ab") * 29)
    block = table.X[:, table.blocks[2]]
    assert block.shape[1] == 3 and np.isclose(block.var(axis=0).sum(), 1)
    rare, a, b = block[0], block[2], block[3]
    assert np.isclose(np.linalg.norm(rare - a), np.linalg.norm(a - b))


def test_the_color_is_not_used():
    table = prepared(RNG.normal(size=N), color="this")
    assert len(table.blocks) == 2 and of(table).why == "shown as the color"


def test_copies_of_rows_count_once_where_chance_would_make_none():
    frame = pd.DataFrame(OTHERS)
    twice = read_table(pd.concat([frame, frame[:10]], ignore_index=True))
    assert len(prepare(twice).X) == N and len(prepare(twice, copies="keep").X) == N + 10
    few = read_table(pd.DataFrame(RNG.integers(0, 2, size=(N, 3))))
    assert len(prepare(few).X) == N and "are kept" in prepare(few).notes[0]
    assert len(prepare(few, copies="drop").X) <= 8


def test_how_many_copies_chance_would_make_is_told_unless_it_is_practically_none():
    frame = pd.DataFrame(OTHERS)
    for columns, made in ((frame, "0.041"), (frame.assign(z=frame["x"] * frame["y"]), "practically none")):
        (note,) = prepare(read_table(pd.concat([columns, columns[:10]], ignore_index=True))).notes
        assert note.endswith(f"of which chance would make {made}: each counts once.")


def test_a_value_that_is_far_away_counts_as_five_robust_deviations_unless_told_otherwise():
    values = RNG.normal(size=N)
    values[7] = 1e6
    table = prepared(values)
    assert "1 value is farther from the median than 5 robust deviations" in str(of(table))
    assert table.clipped[7] == 1 and table.X[7, 2] < 6
    assert prepared(values, clip=None).X[7, 2] > 7


def test_rows_whose_values_are_far_away_are_named_the_farthest_first():
    values = RNG.normal(size=N)
    values[[4, 7]] = 1e3, -1e6
    assert of(prepared(values)).why.endswith("moved there (rows 8, 5)")
    values = np.repeat(RNG.normal(size=N), 4)
    values[:7] = 1e3 + np.arange(7)
    many = prepare(read_table(pd.DataFrame({"x": RNG.normal(size=4 * N), "this": values})), copies="keep")
    assert of(many).why.endswith("(rows 7, 6, 5, 4, 3, ...)")


def test_a_name_that_is_nearly_that_of_a_column_is_understood():
    table = read_table(
        pd.DataFrame(OTHERS | {f"c{i}": RNG.normal(size=N) for i in range(9)} | {"Churned": OTHERS["x"]})
    )
    for options in ({"color": "chrned"}, {"kinds": {"churn": "category"}}):
        with pytest.raises(ValueError, match='did you mean "Churned"\\?'):
            prepare(table, **options)


def test_columns_of_one_unit_keep_their_spreads():
    table = prepared(10 * RNG.normal(size=N), same_units=True)
    spreads = table.X.std(axis=0)
    assert spreads[2] > 5 * spreads[0] and np.isclose(np.mean(spreads**2), 1)


def test_kinds_are_written_on_the_command_line():
    assert dict(kinds_of(["a=b=category", "size=S<M<L"])) == {"a=b": "category", "size": ["S", "M", "L"]}
    with pytest.raises(ValueError, match="NAME=KIND"):
        dict(kinds_of(["category"]))


# --- What a text or a number stands for


def test_none_is_a_level_among_texts_and_missing_among_numbers():
    assert of(prepared(["None", "Some", "Much"] * 20)).missing == 0
    column = of(prepared(["none", *map(str, range(1, N))], "count"), "count")
    assert (column.kind, column.missing) == ("number", 1) and "count" in column.why


def test_the_few_values_of_a_scale_are_never_far_and_a_wrong_code_is():
    scale = np.where(np.arange(N) % 20 == 0, 1, 5 + np.arange(N) % 2)
    assert "moved" not in of(prepared(np.where(scale == 1, 4, scale))).why
    assert "moved" in of(prepared(np.where(scale == 1, 99, scale))).why


def test_columns_that_nearly_say_the_same_are_named():
    nearly = OTHERS["x"] + 0.01 * RNG.normal(size=N)
    assert any('"x" and "this"' in note for note in prepared(nearly).notes)
    assert not any("Nearly" in note for note in prepared(RNG.normal(size=N)).notes)


@pytest.mark.parametrize("n", [30, 200])
def test_a_column_repeats_another_one_up_to_rounding_and_single_cells(n):
    rng = np.random.default_rng(n)
    kg, spend = rng.normal(70, 12, n).round(1), np.exp(rng.normal(4, 1.2, n)).round(2)
    frame = pd.DataFrame({"kg": kg, "lb": (kg * 2.20462).round(1), "spend": spend, "eur": (0.92 * spend).round(2)})
    frame.loc[7, "eur"] *= 10  # a typing error
    frame["c"] = rng.normal(20, 5, n).round(1)
    frame["f"] = (32 + 1.8 * frame["c"]).round(1)
    frame.loc[9, "f"] = np.nan
    table = prepare(read_table(frame))
    assert [column.name for column in table.used] == ["kg", "spend", "c"]
    assert of(table, "lb").why == 'says the same as "kg" up to rounding (|r| above 0.999)'
    assert of(table, "eur").why.endswith("but for row 8") and of(table, "f").why.endswith("but for row 10")


@pytest.mark.parametrize("unit", [0, 0.01, 0.1, 0.25])
@pytest.mark.parametrize("r", [0.99, 0.998])
def test_strongly_correlated_columns_are_no_repeats(r, unit):
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 200))
    frame = pd.DataFrame({"x": x, "this": r * x + np.sqrt(1 - r**2) * noise, "rare": np.arange(200) == 7})
    frame = frame.assign(rarer=np.arange(200) // 2 == 3) if not unit else (frame[["x", "this"]] / unit).round()
    assert len(prepare(read_table(frame)).used) == len(frame.columns)


def test_a_category_that_follows_from_another_one_is_named():
    answer = np.array(list("abcd"))[RNG.integers(0, 4, N)]
    frame = pd.DataFrame(OTHERS | {"answer": answer, "kind": np.where(answer < "c", "early", "late")})
    frame.loc[3, "kind"] = None
    notes = prepare(read_table(frame)).notes
    assert any('"kind" follows from "answer" in all 59 rows' in note for note in notes)
    assert not any('"answer" follows' in note for note in notes)
    frame["kind"] = RNG.permutation(frame["kind"])
    assert not any("follows" in note for note in prepare(read_table(frame)).notes)


def test_one_copy_is_told_in_the_singular():
    frame = pd.DataFrame(OTHERS | {"name": [f"person {i}" for i in range(N)]})
    frame.loc[9, ["x", "y"]] = frame.loc[8, ["x", "y"]]
    notes = prepare(read_table(frame)).notes
    assert any(note.startswith("1 row repeats an earlier one in all columns that are used") for note in notes)


def test_dates_with_the_year_first_are_not_turned_by_others_with_the_day_first():
    values = [f"2020-01-{1 + i % 28:02}" if i % 2 else f"{1 + i % 28:02}.01.2020" for i in range(N)]
    column = of(prepared(values))
    assert column.kind == "date" and column.values[:, 0].tolist() == [i % 28 for i in range(N)]


@pytest.mark.parametrize(
    "written, numbers, remark",
    [
        (["1,5", "2.5", "3,25"], [1.5, 2.5, 3.25], "with decimal commas and points"),
        (["1.234,5", "2.345,25", "17,5"], [1234.5, 2345.25, 17.5], "points between thousands and decimal commas"),
        (["1.234.567", "2.345.678", "1.000.321"], [1234567, 2345678, 1000321], "with points between thousands"),
        (["1.234", "2.345", "1.321"], [1.234, 2.345, 1.321], "points are read as decimal ones"),
        (["1,234", "2.5", "1,321"], [1234, 2.5, 1321], "with commas between thousands"),
        (["1\u202f234,5", "2\u2009345", "17"], [1234.5, 2345, 17], "with decimal commas"),
    ],
)
def test_what_a_comma_and_a_point_stand_for_is_told(tmp_path, written, numbers, remark):
    lines = [f"{text};{i * i % 11}\n" for i, text in enumerate(written * 20)]
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(lines))
    column = of(prepare(read_table(tmp_path / "t.csv")), "a")
    assert column.values[:3, 0].tolist() == numbers and remark in column.why


def test_a_comma_after_a_zero_is_a_decimal_one_wherever_it_stands(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f'"{i % 3},{100 + i}",{i * i % 11}\n' for i in range(N)))
    column = of(prepare(read_table(tmp_path / "t.csv")), "a")
    assert column.values[:3, 0].tolist() == [0.1, 1.101, 2.102] and "with decimal commas" in column.why


def test_years_are_a_time_although_they_count_the_rows():
    assert of(prepared(1950 + np.arange(N), "year"), "year").kind == "number"
    assert of(prepared(1950 + np.arange(N), "row"), "row").kind == "leave out"


@pytest.mark.parametrize("form", ["%Y-%m", "%Y/%m", "%b %Y"])
def test_months_are_dates(form):
    months = pd.date_range("1990-01-01", periods=N, freq="MS")
    column = of(prepared(months.strftime(form)))
    assert column.kind == "date" and column.values[:3, 0].tolist() == [0, 31, 59]


def test_seasons_are_no_months():
    assert of(prepared([f"{1950 + i % 9}-{51 + i % 9}" for i in range(N)])).kind == "category"


def test_years_of_two_digits_are_past_ones():
    born = pd.date_range("1931-03-15", "2019-06-01", periods=N)
    column = of(prepared(born.strftime("%d.%m.%y")))
    assert column.kind == "date" and column.why.startswith("as days since 1931-03-15")
    np.testing.assert_allclose(column.values[:, 0], (born.normalize() - born[0]).days)


def test_levels_that_differ_in_capitals_only_are_told():
    assert of(prepared(["Yes", "yes", "no"] * 20)).why == "3 levels, some of which differ in capitals only"
    assert of(prepared(["AA", "B", "C"] * 20)).why == "3 levels"


def test_a_list_of_numbers_in_one_entry_is_no_huge_number():
    lists = [",".join(str(200 + i + j) for j in range(8)) for i in range(N)]
    assert of(prepared(lists)).kind == "leave out"


def test_few_codes_are_levels_and_many_name_the_rows():
    few = of(prepared([1, 49, 386] * 20, "country_code"), "country_code")
    assert (few.kind, few.why) == ("category", "3 codes") and "country_code = 49" in few.labels
    assert of(prepared([1, 49, 386] * 20, "country_code", kind="number"), "country_code").kind == "number"


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_numbers_without_squares_are_refused(size):
    with pytest.raises(ValueError, match='Column "this" holds numbers as .* whose squares no computer holds'):
        prepared(size * RNG.normal(size=N))


def test_the_entry_that_is_no_number_is_the_one_that_is_named():
    with pytest.raises(ValueError, match='Column "this" has an entry "cm", which is no number'):
        prepared(["1", "cm", "2", "kg"] * 15, kind="number")


def test_a_total_and_its_parts_are_named():
    parts = OTHERS | {"z": RNG.normal(size=N)}
    total = np.round(sum(parts.values()), 3)
    notes = prepare(read_table(pd.DataFrame(parts | {"total": total, "other": RNG.normal(size=N)}))).notes
    assert any('as a total from its parts: "x", "y", "z", "total". Leave' in note for note in notes)
    assert not prepare(read_table(pd.DataFrame(parts))).notes
