"""Missing entries: what components predict is used where a trial says that it is worth something."""

import numpy as np
import pandas as pd
import pytest

from dimred_lessons.tables import examine, prepare, read_table
from dimred_lessons.tables.filling import choose_filling, fill, predict, said_of_filling
from support.known_tables import KNOWN


def plane_with_holes(share=0.1, n=300):
    """A plane in ten columns, and the same with holes at random."""
    whole = KNOWN["plane"][0](np.random.default_rng(0), n)
    return whole, np.where(np.random.default_rng(1).random(whole.shape) < share, np.nan, whole)


def heights_missing_together(n=300):
    """A factor in four columns, and three heights, independent of it, that are missing together where it is large."""
    rng = np.random.default_rng(0)
    factor, height = rng.normal(size=(n, 1)), rng.normal(size=(n, 1))
    X = np.hstack([factor + 0.5 * rng.normal(size=(n, 4)), height + 0.05 * rng.normal(size=(n, 3))])
    X[factor[:, 0] > 0.8, 4:] = np.nan
    return pd.DataFrame(X, columns=["a", "b", "c", "d", "low", "mean", "high"])


def test_components_fill_what_they_predict():
    whole, holed = plane_with_holes()
    found = examine(holed, maps=False)
    truth, holes = prepare(read_table(whole)).X, np.isnan(holed)
    assert found.filling.n_components == 2
    assert np.std((found.X - truth)[holes]) < 0.5 * np.std(truth[holes])


def test_the_error_that_is_said_is_that_of_the_entries_that_are_missing():
    whole, holed = plane_with_holes()
    found = examine(holed, maps=False)
    truth, holes = prepare(read_table(whole)).X, np.isnan(holed)
    off = np.sqrt(np.mean((found.X - truth)[holes] ** 2))
    assert np.sqrt(np.nanmean(found.filling.errors**2)) == pytest.approx(off, rel=0.25)
    assert "two components predict them" in found.notes[-1] and "hidden for a trial" in found.notes[-1]


def test_columns_that_are_missing_together_are_not_said_to_predict_each_other():
    found = examine(heights_missing_together(), maps=False)
    heights = found.filling.errors[4:]
    assert found.chance.n_components == 2
    assert (heights > 0.9).all()  # although, where one height is known, it tells the others to a twentieth


def test_no_entry_is_filled_in_beyond_those_that_are_known():
    found = examine(heights_missing_together(), maps=False)
    known = found.prepared.X
    assert (found.X <= np.nanmax(known, axis=0)).all() and (found.X >= np.nanmin(known, axis=0)).all()


def test_the_first_component_of_the_map_is_the_one_that_is_more_than_chance():
    found = examine(heights_missing_together(), maps=False)
    tested, mapped = (np.linalg.svd(X - X.mean(axis=0))[2][0] for X in (found.prepared.filled, found.X))
    assert abs(tested @ mapped) > 0.9


def test_holes_in_a_table_without_any_noise_are_filled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) @ rng.normal(size=(2, 6))
    X[rng.random(X.shape) < 0.08] = np.nan
    found = examine(X, maps=False)
    assert found.chance.n_components == 2 and np.isfinite(found.X).all()


def test_without_components_a_hole_is_at_the_mean_and_nothing_is_said_of_a_trial():
    X = np.random.default_rng(0).normal(size=(60, 4))
    X[0, 0] = np.nan
    prepared = prepare(read_table(X))
    filling = choose_filling(prepared, 0)
    assert said_of_filling(prepared, filling) == ["One missing entry is at the mean of the column."]
    assert fill(prepared.X, 0)[0, 0] == pytest.approx(0)


def test_components_that_predict_nothing_are_not_used():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 1:3] += 2 * X[:, [0]]
    X[::7, 4] = np.nan  # of a column that is independent of the others
    prepared = prepare(read_table(X))
    filling = choose_filling(prepared, 1)
    assert filling.n_components == 0 and np.abs(fill(prepared.X, 0)[::7, 4]).max() < 1e-12
    assert "hidden for a trial, no better" in said_of_filling(prepared, filling)[0]


@pytest.mark.parametrize("row", [2, 3])
def test_of_many_rows_some_are_tried_although_the_only_hole_may_be_in_none_of_them(row):
    whole, _ = plane_with_holes(n=1500)
    whole[row, 3] = np.nan
    filling = choose_filling(prepare(read_table(whole)), 2)
    assert filling.n_components == 2 and 0 < filling.errors[3] < 0.9


def test_a_row_keeps_an_entry_in_the_trial():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:20, 0], X[20:40, 1:] = np.nan, np.nan
    found = choose_filling(prepare(read_table(X)), 1)
    assert np.isfinite(found.errors).all()


def test_predictions_of_a_column_without_entries_are_zero():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[:, 1] = np.nan
    assert (predict(X, 1)[:, 1] == 0).all()
