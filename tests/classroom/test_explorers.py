"""What explorers, sweeps and the gallery compute and store; how they move is tested in test_browser.py."""

import base64
import gzip
import inspect
import io
import json
import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import rgb_to_hsv, to_rgb
from PIL import Image

import explorers as bundling
from dimred_lessons.classroom import measurements, plotting
from dimred_lessons.classroom.explorers import chance, explore, explorer, frames, gallery, static, sweep, sweeps
from dimred_lessons.classroom.explorers.truth import truth
from dimred_lessons.classroom.palette import at_night

TEXTS = {"name": "fig-x", "caption": "Where $x < 1$ & more.", "alt": 'A "cloud" of points.'}
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(30, 3))


@pytest.fixture
def shown(monkeypatch):
    """What was displayed; every module displays by its own name of the function."""
    bundles = []
    for module in (plotting, static, explorer, sweeps):
        monkeypatch.setattr(module, "display", lambda bundle, raw=True: bundles.append(bundle))
    return bundles


@pytest.fixture
def in_book(monkeypatch):
    monkeypatch.setenv("DIMRED_BOOK", "1")


@pytest.fixture(autouse=True)
def live_by_default(monkeypatch):
    monkeypatch.delenv("DIMRED_BOOK", raising=False)


def stored_data(bundle):
    """What moves in the figure, as the build of the book gets it: by way of a notebook, which sorts names."""
    return json.loads(json.dumps(bundle[plotting.FIGURE], sort_keys=True))["data"]


def still(bundle):
    """What stands for a figure that moves where nothing moves: for pages, and for paper."""
    pictures = bundle[plotting.FIGURE]["pictures"]
    assert list(pictures) == ["image/svg+xml", "application/pdf"]
    assert base64.b64decode(pictures["application/pdf"]).startswith(b"%PDF")
    return pictures["image/svg+xml"]


def unpacked(text):
    return np.frombuffer(base64.b64decode(text), "<i2") / 32767


def explored(**changes):
    arguments = (
        {
            "points": POINTS,
            "compute": lambda k: POINTS[:, :2] * k,
            "parameter": "k",
            "values": [1, 2, 4],
            "color": {"height": POINTS[:, 2]},
        }
        | TEXTS
        | changes
    )
    explore(**arguments)


def line(k, width=1.0):
    fig, ax = plt.subplots(figsize=(3, 2))
    ax.plot([0, k], [0, width])
    return fig


# --- Frames


def test_packing_keeps_four_digits():
    Y = RNG.uniform(-1, 1, (50, 2))
    packed = frames.pack(Y)
    assert np.abs(unpacked(packed).reshape(-1, 2) - Y).max() < 1 / 65000
    assert len(packed) <= 50 * 2 * 2 * 4 / 3 + 4


def test_alignment_takes_reflections_away_and_keeps_the_axes():
    Y = frames.centered(RNG.normal(size=(40, 2)))
    turned = Y @ [[0.8, 0.6], [-0.6, 0.8]]
    jumping = [Y, 0.9 * Y * [-1, 1], turned * [-1, -1], turned]
    np.testing.assert_array_equal(frames.aligned(jumping), [Y, 0.9 * Y, turned, turned])


def test_a_frame_is_centered_in_its_square_even_if_all_points_coincide():
    assert np.abs(frames.centered(5 + 3 * POINTS)).max() == 1
    assert not frames.centered(np.full((4, 2), 7.0)).any()


@pytest.mark.parametrize(
    "coordinate, ends",
    [
        ([89.1, 0.0269, 45], ["0", "89.1"]),
        ([-45, 30.04, 0], ["−45", "30"]),
        ([-0.5, -0.52, 0.01], ["−0.52", "0.01"]),
        ([12345, 0, 1], ["0", "12300"]),
        ([2, 2, 2], ["2", "2"]),
    ],
)
def test_ends_of_a_color_bar_have_three_digits_of_their_range_and_a_true_minus(coordinate, ends):
    assert explorer.coloring("height", np.array(coordinate, dtype=float), len(coordinate))["ends"] == ends


@pytest.mark.parametrize(
    "values, finer",
    [([1, 3, 4], [1, 2, 3, 4]), ([0.5, 1.0], [0.5, 0.75, 1.0]), (["a", "b"], ["a", "b"]), ([1, 2], [1, 2])],
)
def test_without_a_seed_a_kernel_computes_finer_steps(values, finer):
    series = frames.Series(lambda value: POINTS[:, :2], values, 30)
    assert series.action == ("Recompute" if values == finer else "Recompute with finer steps")
    assert series.renewed().values == finer and series.values == values


def test_with_a_seed_a_kernel_computes_with_the_next_one():
    def drawn(k, random_state):
        return np.random.default_rng(random_state).normal(size=(30, 2))

    series = frames.Series(drawn, [1, 2], 30)
    before = series.embeddings()
    assert series.action == "Recompute with a new seed"
    renewed = series.renewed()
    assert renewed.values == [1, 2] and not np.allclose(before, renewed.embeddings())
    assert renewed.renewed().seed == 2 and np.allclose(before, series.embeddings())


# --- In the book


def test_an_explorer_in_the_book_is_a_figure_with_its_data(shown, in_book):
    explored(start=2, readout=lambda k, Y: f"{k} <- {len(Y)}")
    (bundle,) = shown
    data = stored_data(bundle)
    assert {text: bundle[plotting.FIGURE][text] for text in TEXTS} == TEXTS
    assert data["values"] == ["1", "2", "4"] and data["start"] == 1
    assert data["readouts"] == ["1 <- 30", "2 <- 30", "4 <- 30"]
    assert all(np.allclose(unpacked(frame), unpacked(data["frames"][0])) for frame in data["frames"])
    assert unpacked(data["points"]).shape == (90,)
    assert still(bundle).startswith("<svg")
    assert plt.get_fignums() == []


def test_points_of_more_dimensions_are_shown_by_their_first_components(shown, in_book):
    X = np.zeros((30, 6))
    X[:, [1, 3, 5]] = POINTS * [1, 100, 10]
    explored(points=X)
    space = unpacked(stored_data(shown[0])["points"]).reshape(-1, 3)
    assert abs(np.corrcoef(space[:, 0], POINTS[:, 1])[0, 1]) > 0.99
    assert np.linalg.norm(space, axis=1).max() <= 1 + 1e-4


def test_images_are_stored_small_on_one_sheet(shown, in_book):
    images = np.linspace(0, 1, 30)[:, None] * np.ones((30, 64 * 64))
    explored(points=images, images=images)
    data = stored_data(shown[0])
    sheet = Image.open(io.BytesIO(base64.b64decode(data["sheet"]["url"].partition("base64,")[2]))).convert("L")
    column, row = 7 % data["sheet"]["columns"], 7 // data["sheet"]["columns"]
    assert data["sheet"]["size"] == 32 and sheet.size == (6 * 32, 5 * 32)
    assert abs(sheet.getpixel((column * 32 + 16, row * 32 + 16)) - 255 * 7 / 29) < 6
    assert "points" not in data


def test_floats_take_viridis_and_classes_a_color_each(shown, in_book):
    explored(color={"height": POINTS[:, 2], "class": np.arange(30) % 3, "word": np.array(["a", "b"] * 15)})
    height, number, word = stored_data(shown[0])["colorings"]
    assert height["levels"][int(POINTS[:, 2].argmax())] == 63 and min(height["levels"]) == 0
    assert number["names"] == ["0", "1", "2"] and number["levels"][:4] == [0, 1, 2, 0]
    assert word["names"] == ["a", "b"] and len(word["palette"]) == 2
    assert word["night"] == [at_night(color) for color in word["palette"]]
    darkest = [rgb_to_hsv(to_rgb(height[shades][0]))[2] for shades in ("palette", "night")]
    assert darkest[0] < 0.4 < darkest[1] and height["night"][-1] == height["palette"][-1]


def test_words_alone_color_the_points_in_the_page_and_in_the_picture(shown, in_book):
    explored(color={"class": np.array(["spam", "ham", "eggs"] * 10)})
    (coloring,) = stored_data(shown[0])["colorings"]
    assert coloring["names"] == ["eggs", "ham", "spam"] and coloring["levels"][:3] == [2, 1, 0]
    assert still(shown[0]).startswith("<svg")


@pytest.mark.parametrize("D, camera", [(1, [-90, 0]), (2, [-90, 0]), (3, [-70, 12]), (5, [-70, 12])])
def test_flat_data_face_the_camera_and_others_are_seen_at_an_angle(shown, in_book, D, camera):
    X = RNG.normal(size=(30, D))
    explored(points=X)
    data = stored_data(shown[0])
    assert data["camera"] == camera
    if D < 3:  # from the front, the first coordinate runs to the right and the third one up
        right, near, up = unpacked(data["points"]).reshape(-1, 3).T
        assert np.corrcoef(right, X[:, 0])[0, 1] > 0.999 and not near.any()
        assert np.corrcoef(up, X[:, 1])[0, 1] > 0.999 if D == 2 else not up.any()


def test_a_sweep_in_the_book_holds_a_frame_for_every_combination(shown, in_book):
    sweep(line, k=[1, 2, 3], width=[0.5, 1.0], start={"width": 1.0}, readout=lambda k, width: f"{k} {width}", **TEXTS)
    data = stored_data(shown[0])
    assert [axis["start"] for axis in data["axes"]] == [0, 1]
    assert data["readouts"] == ["1 0.5", "1 1.0", "2 0.5", "2 1.0", "3 0.5", "3 1.0"]
    assert len(set(data["frames"])) == 6
    assert all('width="330" height="220"' in frame for frame in data["frames"])
    assert still(shown[0]) == data["frames"][1]
    assert plt.get_fignums() == []


def test_where_nothing_moves_a_sweep_shows_another_frame_than_the_first_if_asked(shown, in_book):
    sweep(line, k=[1, 2, 3], printed={"k": 3}, **TEXTS)
    data = stored_data(shown[0])
    assert [(axis["start"], axis["printed"]) for axis in data["axes"]] == [(0, 2)]
    assert still(shown[0]) == data["frames"][2] != data["frames"][0]


def test_pages_stay_light(shown, in_book):
    n = 1000
    X = RNG.normal(size=(n, 3))
    explored(points=X, compute=lambda k: X[:, :2], values=range(20), color={"height": X[:, 2]})
    sweep(line, k=range(1, 21), **TEXTS)
    explorer_data, sweep_data = map(stored_data, shown)
    known = explorer_data.pop("truth")
    assert len(json.dumps(explorer_data)) < 160_000 and len(json.dumps(sweep_data)) < 200_000
    assert len(json.dumps(known)) < 60_000


@pytest.mark.parametrize("name, plain, sent", [("explorers", 42_000, 13_000), ("live_figures", 84_000, 26_000)])
def test_a_bundle_is_a_classic_script_and_light(name, plain, sent):
    bundle = bundling.bundle(name)
    assert (
        "export" not in bundle.replace("exports", "")
        and "\nimport " not in bundle
        and "import(" not in bundle
        and "http" not in bundle
    )
    assert len(bundle) < plain and len(gzip.compress(bundle.encode())) < sent


def test_each_kind_of_figure_is_shown_by_the_script_that_its_page_loads():
    tables = {name: re.search("KINDS = {(.*)}", bundling.bundle(name))[1] for name in bundling.ENTRIES}
    shown = {name: re.findall(r"(\w+):", table) for name, table in tables.items()}
    assert shown == {"explorers": ["explorer", "gallery", "ink", "sweep"], "live_figures": ["live"]}
    assert all(bundling.script_of(kind) == name for name, kinds in shown.items() for kind in kinds)


# --- Beside the map, what chance draws


def flattened(k, X=POINTS):
    return X[:, :2] * [1, k]


def test_beside_each_map_is_that_of_permuted_columns_by_the_same_method(shown, in_book):
    explored(compute=flattened, chance=True)
    nulls = chance.permuted(POINTS)
    by_chance = stored_data(shown[0])["chance"]
    np.testing.assert_array_equal(np.sort(nulls, axis=0), np.sort(POINTS, axis=0))
    assert not np.isclose(nulls, POINTS).all(axis=1).any()
    for frame, k in zip(by_chance["frames"], [1, 2, 4], strict=True):
        np.testing.assert_allclose(unpacked(frame).reshape(-1, 2), frames.centered(flattened(k, nulls)), atol=1e-4)
    assert by_chance["kept"] == [round(chance.share_kept(nulls, flattened(k, nulls)), 4) for k in (1, 2, 4)]


def test_maps_of_permuted_columns_add_sixty_kilobytes_at_most(shown, in_book):
    X = RNG.normal(size=(1000, 3))
    explored(points=X, compute=lambda k, X=X: X[:, :2], values=range(11), color={"height": X[:, 2]}, chance=True)
    assert len(json.dumps(stored_data(shown[0])["chance"])) < 60_000
    with pytest.raises(ValueError, match="the maps of permuted columns take 64 kB of the page, and 60 are allowed"):
        explored(points=X, compute=lambda k, X=X: X[:, :2], values=range(12), color={"height": X[:, 2]}, chance=True)


def test_that_permuted_columns_make_a_worse_graph_is_no_surprise(shown, in_book, recwarn):
    def warned(k, X=POINTS):
        if X is not POINTS:
            warnings.warn("the graph is not connected", UserWarning, stacklevel=1)
        return X[:, :2]

    explored(compute=warned, chance=True)
    assert "chance" in stored_data(shown[0]) and not recwarn


def test_a_kernel_recomputes_what_chance_draws_too_however_many_frames_there_are(monkeypatch):
    monkeypatch.setattr(chance, "BYTES", 100)  # the room of a page does not matter to a kernel
    nulls = chance.permuted(POINTS)
    series = frames.Series(flattened, [1, 3], 30)
    view = explorer.Explorer({"kind": "explorer"} | explorer._described(series, *series.frames(), nulls), series, nulls)
    view.send = lambda message: None
    view._answer(view, "recompute", [])
    assert len(view.data["chance"]["frames"]) == len(view.data["chance"]["kept"]) == len(view.data["frames"]) == 3
    view.close()


# --- With a kernel


def test_with_a_kernel_an_explorer_is_a_widget_with_its_caption(shown):
    explored()
    widget, caption = shown
    assert "application/vnd.jupyter.widget-view+json" in widget and "image/png" in widget
    assert "Where $x &lt; 1$ &amp; more." in caption["text/html"]


@pytest.fixture
def live():
    """A live explorer whose values can be refined, and the messages it sends."""
    series = frames.Series(lambda k: POINTS[:, :2] * [k, 1], [1, 3], 30)
    view = explorer.Explorer({"kind": "explorer"} | explorer._described(series, *series.frames()), series)
    sent = []
    view.send = sent.append
    yield view, sent
    view.close()


def test_a_kernel_answers_the_page_and_recomputes(live):
    view, sent = live
    view._answer(view, "ping", [])
    assert sent == ["pong"]
    view._answer(view, "recompute", [])
    assert view.data["values"] == ["1", "2", "3"] and len(view.data["frames"]) == 3
    assert view.data["kind"] == "explorer" and view.data["action"] == "Recompute"


@pytest.mark.parametrize(
    "compute, values",
    [(lambda k: POINTS[:, :2] * [k, 1], [1, 2, 3]), (lambda k, random_state: POINTS[:, :2] + random_state, [1, 3])],
    ids=["finer steps", "another seed"],
)
@pytest.mark.parametrize("broken", ["compute", "readout"])
def test_a_kernel_says_why_it_could_not_compute_and_then_goes_on_from_what_is_shown(compute, values, broken):
    """Whatever fails, and however often the button is pressed."""
    failing = []

    def may_fail(function, name):
        def called(*arguments, **options):
            if failing and name == broken:
                raise failing[0]
            return function(*arguments, **options)

        called.__signature__ = inspect.signature(function)
        return called

    readout = may_fail(lambda k, Y: str(k), "readout")
    series = frames.Series(may_fail(compute, "compute"), [1, 3], 30, readout)
    view = explorer.Explorer({"kind": "explorer"} | explorer._described(series, *series.frames()), series)
    sent, shown = [], view.data
    view.send = sent.append
    failing.append(ZeroDivisionError("division by zero"))
    for _ in range(3):
        view._answer(view, "recompute", [])
    assert sent == ["The kernel could not compute this: division by zero"] * 3 and view.data == shown
    failing.clear()
    view._answer(view, "recompute", [])
    assert view.data["values"] == [str(value) for value in values] and len(view.data["frames"]) == len(values)
    assert view._series.seed == view._series.random
    view.close()


def test_with_a_kernel_a_sweep_draws_what_the_sliders_say(shown):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        sweep(line, k=[1, 2], readout=lambda k: f"k is {k}", **TEXTS)
    drawn = [bundle for bundle in shown if isinstance(bundle, dict)]
    assert '<img alt="A &quot;cloud&quot; of points. k is 1"' in drawn[0]["text/html"]
    assert "<p>Where" in drawn[-1]["text/html"]


# --- Errors


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"alt": " "}, "alt is empty"),
        ({"caption": ""}, "caption is empty"),
        ({"values": []}, "values has no values: give at least one"),
        ({"start": 5}, "start=5 is not one of the values of values: 1, 2, 4"),
        (
            {"compute": lambda k: POINTS},
            r"compute\(1\) has shape \(30, 3\), but an explorer of 30 points needs \(30, 2\)",
        ),
        ({"compute": lambda k: np.full((30, 2), np.nan)}, r"compute\(1\) has entries that are not finite"),
        ({"points": POINTS[:, 0]}, r"points of shape \(30,\) must be a finite matrix"),
        ({"color": {}}, "color is empty"),
        ({"color": {"height": np.ones(3)}}, r"color 'height' has shape \(3,\), but there are 30 points"),
        ({"color": {"height": np.full(30, np.inf)}}, "color 'height' has entries that are not finite"),
        (
            {
                "points": POINTS[:1],
                "compute": lambda k, X=None: np.zeros((1, 2)),
                "color": {"height": np.ones(1)},
                "chance": True,
            },
            "chance is seen by neighbors, for which 1 points are too few or too many",
        ),
        ({"images": np.ones((30, 10))}, r"images have shape \(30, 10\), but 30 square ones are needed"),
    ],
)
def test_what_an_explorer_cannot_show_is_reported(changes, message):
    with pytest.raises(ValueError, match=message):
        explored(**changes)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"alt": ""}, ValueError, "alt is empty"),
        ({"k": []}, ValueError, "k has no values"),
        ({"start": {"k": 9}}, ValueError, "start=9 is not one of the values of k: 1, 2"),
        ({"start": {"q": 1}}, ValueError, "start names q, but the axes are k"),
        ({"printed": {"width": 1}}, ValueError, "printed names width, but the axes are k"),
        ({"show": lambda k: None}, TypeError, "show returns NoneType, but a sweep needs the Matplotlib figure"),
    ],
)
def test_what_a_sweep_cannot_show_is_reported(in_book, changes, error, message):
    with pytest.raises(error, match=message):
        sweep(**({"show": line, "k": [1, 2]} | TEXTS | changes))


def test_a_sweep_without_axes_is_refused():
    with pytest.raises(ValueError, match="sweep has no axes"):
        sweep(line, **TEXTS)


# --- The gallery


def hung(**changes):
    """A gallery of one data set, with one map that is there and one that is not."""
    there = {"method": "PCA", "family": "linear", "map": POINTS[:, :2], "measures": {"trust": 0.9, "seconds": 2}}
    missing = {"method": "LLE", "family": "graphs", "refusal": "too slow"}
    gallery({"cloud": ({"height": POINTS[:, 2]}, [there | changes, missing])}, **TEXTS)


def test_a_gallery_in_the_book_holds_its_maps_and_says_why_one_is_missing(shown, in_book):
    hung()
    (bundle,) = shown
    (cloud,) = stored_data(bundle)["sets"]
    assert cloud["name"] == "cloud" and len(cloud["coloring"]["levels"]) == 30
    there, missing = cloud["maps"]
    np.testing.assert_allclose(unpacked(there["frame"]).reshape(-1, 2), frames.centered(POINTS[:, :2]), atol=1 / 65000)
    assert there["measures"] == [["trust", 0.9], ["seconds", 2]] and missing["measures"] == []
    assert missing["refusal"] == "too slow" and "frame" not in missing
    assert still(bundle).startswith("<svg")


def test_a_gallery_knows_the_neighbors_of_points_that_it_is_given(shown, in_book):
    there = {"method": "PCA", "family": "linear", "map": POINTS[:, :2]}
    gallery({"cloud": ({"height": POINTS[:, 2]}, [there], POINTS)}, **TEXTS)
    (cloud,) = stored_data(shown[0])["sets"]
    assert cloud["truth"] == truth(POINTS)
    with pytest.raises(ValueError, match="cloud has 29 points, but the color of 30: give a row for each"):
        gallery({"cloud": ({"height": POINTS[:, 2]}, [there], POINTS[1:])}, **TEXTS)


def test_a_gallery_shows_what_its_methods_draw_of_permuted_columns(shown, in_book):
    drawn = {"map": POINTS[:20, :2], "measures": {"R(10)": 0.02}}
    hung(chance=drawn)
    hung(chance={"refusal": "too few neighbors"})
    (there, missing), (refused, _) = (stored_data(bundle)["sets"][0]["maps"] for bundle in shown)
    np.testing.assert_allclose(
        unpacked(there["chance"]["frame"]).reshape(-1, 2), frames.centered(drawn["map"]), atol=1e-4
    )
    assert there["chance"]["measures"] == [["R(10)", 0.02]] and "chance" not in missing
    assert refused["chance"] == {"refusal": "too few neighbors", "measures": []}


def test_a_gallery_refuses_what_it_cannot_show(in_book):
    with pytest.raises(ValueError, match=r"the map of cloud by PCA has shape \(29, 2\), but \(30, 2\) is needed"):
        hung(map=POINTS[1:, :2])
    with pytest.raises(ValueError, match="sets is empty"):
        gallery({}, **TEXTS)


def test_the_gallery_that_was_measured_is_whole():
    """Every method on every data set, a map with its measures or a reason."""
    entries = measurements.gallery()
    names = {kind: {entry[kind] for entry in entries} for kind in ("data", "method")}
    assert len(entries) == len(names["data"]) * len(names["method"]) == 5 * 25
    for entry in entries:
        assert "refusal" in entry or (np.abs(entry["map"]).max() <= 1 and 0 < entry["trustworthiness"] <= 1)
    for data in names["data"]:  # permuted columns: those of all methods, or of none
        nulls = [entry["chance"] for entry in entries if entry["data"] == data and "chance" in entry]
        assert len(nulls) in (0, len(names["method"]))
        assert all("refusal" in null or null["map"].shape == (300, 2) for null in nulls)
