"""What was measured once and is kept: that it is whole."""

import numpy as np

from dimred_lessons.classroom.measurements import benchmarks, maps


def test_pictures_of_the_large_maps_hold_every_point():
    pictures = maps()
    assert list(pictures) == ["t-SNE", "UMAP"]
    for picture in pictures.values():
        assert picture["counts"].shape == picture["digits"].shape == (160, 160)
        assert picture["counts"].sum() == picture["n"] == 70_000
        assert set(np.unique(picture["digits"])) == set(range(10))
        assert not picture["digits"][picture["counts"] == 0].any()
        assert picture["commonest"] > 1 / 2  # of what most points of a pixel show


def test_the_quality_of_maps_of_many_points_is_that_of_their_peers():
    rows = [row for row in benchmarks() if "of many points" in row["work"]]
    assert {row["work"].partition(" ")[0] for row in rows} == {"t-SNE", "UMAP"}
    for row in rows:
        assert row["times_faster"] > 1
        assert row["trustworthiness"] > row["peer_trustworthiness"] - 0.02
        assert row.get("mismatch", 0) < 1.01
