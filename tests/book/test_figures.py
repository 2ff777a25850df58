"""What a notebook shows with `show_figure`, `explore` and `sweep` becomes a figure, on the web and on paper."""

import base64
import io
import json
import re
from functools import cache, partial

import matplotlib.pyplot as plt
import nbformat
import pytest
from docutils import nodes
from fontTools.ttLib import TTFont
from PIL import Image

import explorers
import faces
import figures
import notebooks
from dimred_lessons.classroom import drawings, plotting
from support import small_book

pytestmark = [pytest.mark.built, pytest.mark.xdist_group("figures")]  # one worker builds the book

MORE = 'myst_enable_extensions = ["dollarmath"]\nnumfig = True\n'
PAGES = ["chapter/page.html", "genindex.html"]  # with figures that move, and without
PROSE = "# Page\n\nSee {numref}`fig-still`, {numref}`fig-explorer` and {numref}`fig-sweep`."
TEXTS = {"caption": "Where $x < 1$ & *more*.", "alt": 'A "rising" line.'}
EXPLORER = {"kind": "explorer", "readouts": ["</script><b>&amp; \u2713"]}


def picture(form, width=300, height=200):
    """A picture in base64."""
    drawn = io.BytesIO()
    Image.new("RGB", (width, height)).save(drawn, form)
    return base64.b64encode(drawn.getvalue()).decode()


def drawing(width, letters):
    """A drawing as wide as said, in inches, with letters as high as said, in points."""
    fig = plt.figure(figsize=(width, 2))
    fig.text(0.2, 0.2, "small", fontsize=letters)
    fig.text(0.5, 0.5, "large", fontsize=12)
    drawn = drawings.drawn(fig)
    plt.close(fig)
    return drawn


@pytest.fixture(scope="module")
def bundles():
    """The outputs of four cells in the build of the book."""
    shown = []
    both = {"image/svg+xml": drawing(5, 8), "application/pdf": picture("pdf")}
    sweep = {"kind": "sweep", "frames": [drawing(4, 7), drawing(4, 8)]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIMRED_BOOK", "1")
        patch.setattr(plotting, "display", lambda bundle, raw: shown.append(bundle))
        plotting.display_figure(both, name="fig-still", **TEXTS)
        plotting.display_figure({"image/png": picture("png", 1000, 300)}, name="fig-picture", **TEXTS)
        plotting.display_figure(both, name="fig-explorer", data=EXPLORER, **TEXTS)
        plotting.display_figure(both, name="fig-sweep", data=sweep, **TEXTS)
    return shown


@pytest.fixture(scope="module")
def build(tmp_path_factory, bundles):
    """Build a book of one notebook with these outputs, once by each builder: the folder of the pages."""
    folder = tmp_path_factory.mktemp("book")
    outputs = [nbformat.v4.new_output("display_data", bundle) for bundle in bundles]
    cells = [nbformat.v4.new_code_cell("show()", outputs=[output], execution_count=1) for output in outputs]
    cells[0].metadata["tags"] = ["to-print"]
    small_book.write(folder, "chapter/page", PROSE, cells, ["figures", "explorers"], MORE)
    return cache(partial(small_book.build, folder))


def test_the_build_and_the_lessons_mean_the_same_form(bundles):
    assert plotting.FIGURE == notebooks.FIGURE
    assert all(notebooks.FIGURE in bundle for bundle in bundles)


def test_a_page_has_every_figure_with_number_caption_and_sized_picture(build):
    folder = build("html")
    page = (folder / "chapter" / "page.html").read_text(encoding="utf-8")
    for number, name in enumerate(["still", "picture", "explorer", "sweep"], 1):
        figure = re.search(rf'<figure[^>]* id="fig-{name}">.*?</figure>', page, re.S)[0]
        assert f"Fig. {number}" in figure and "<em>more</em>" in figure and "x &lt; 1" in figure
        tags = re.findall("<img [^>]*>", figure)
        for tag in tags:
            assert 'alt="A &quot;rising&quot; line."' in tag and 'loading="lazy"' in tag
        sides = {re.search(r'width="(\d+)" height="(\d+)"', tag).groups() for tag in tags}
        assert sides == {("1000", "300") if name == "picture" else ("550", "220")}
    see = page.partition("See ")[2].partition("</p>")[0]
    assert re.sub("<[^>]*>", "", see) == "Fig. 1, Fig. 3 and Fig. 4."


def test_a_drawing_stands_on_the_page_for_the_light_ground_and_for_the_dark_one(build):
    folder = build("html")
    page = (folder / "chapter" / "page.html").read_text(encoding="utf-8")
    figure = re.search('<figure[^>]* id="fig-still">.*?</figure>', page, re.S)[0]
    light, dark = re.findall('<div class="drawing">.*?(<img [^>]*>)(<img [^>]*>).*?</div>', figure)[0]
    assert 'class="only-light"' in light and 'class="only-dark"' in dark
    file = re.search(r'src="([^"]*\.svg)"', light)[1]
    assert f'src="{file}#night"' in dark
    assert 'id="night"' in (folder / "chapter" / file).read_text(encoding="utf-8")


def test_a_drawing_that_is_to_be_printed_leads_to_its_file_and_no_other_does(build):
    page = (build("html") / "chapter" / "page.html").read_text(encoding="utf-8")
    figure = re.compile(r'<figure class="to-print[^"]*" id="([^"]*)">\s*<div class="drawing">.*?<a href="([^"]*)">')
    assert figure.findall(page) == [("fig-still", re.search(r'id="fig-still">.*?src="([^"]*)"', page, re.S)[1])]
    assert page.count("Open the sheet to print") == 1


def test_drawings_hold_the_letters_that_they_show_and_no_others():
    shown = [f"<style>text{{}}</style><text>{text}</text>" for text in ("a &amp; b − 1", "<tspan>ROLL</tspan> ✓")]
    for with_letters, before in zip(faces.with_letters(shown), shown, strict=True):
        font = re.match(r'<style>@font-face {font-family: "Source Sans 3";.*base64,([^)]*)\).*?}', with_letters)
        assert "<style>" + with_letters[font.end() :] == before
        assert set(TTFont(io.BytesIO(base64.b64decode(font[1]))).getBestCmap()) == set(map(ord, "a&b −1ROL"))


@pytest.mark.parametrize("letters, width", [(8, 349), (5, 432)])
def test_a_drawing_says_how_wide_it_must_be_for_its_smallest_letters_to_be_read(letters, width):
    assert figures._measures(drawing(5, letters)) == {"width": 550, "height": 220, "legible": width}


def stored(page, name):
    """The data of a figure that moves, as a browser reads them, and what stands before them."""
    figure = re.search(rf'<figure[^>]* id="fig-{name}">.*?</figure>', page, re.S)[0]
    before, kind, after = re.split('<div class="explorer" data-kind="(.*?)"><script type="application/json">', figure)
    assert f'"kind":"{kind}"' in after
    return json.loads(after.partition("</script>")[0]), before


def test_a_figure_that_moves_has_its_data_on_the_page_and_a_picture_for_readers_without_scripts(build):
    folder = build("html")
    page = (folder / "chapter" / "page.html").read_text(encoding="utf-8")
    data, before = stored(page, "explorer")
    assert data == EXPLORER
    assert re.search(r'<noscript><div class="drawing">(<img [^>]*>){2}</div>\s*</noscript>\s*$', before)
    data, _ = stored(page, "sweep")
    frames = [(folder / "chapter" / frame).read_text(encoding="utf-8") for frame in data["frames"]]
    assert frames == faces.with_letters([drawing(4, 7), drawing(4, 8)])
    assert data["kind"] == "sweep" and (data["width"], data["height"]) == (440, 220)
    assert data["legible"] == figures._measures(drawing(4, 7))["legible"]


def test_a_page_loads_the_scripts_that_its_figures_need_and_no_others(build):
    folder = build("html")
    assets = re.compile(r"_static/((?:explorers|live_figures)\.\w+)")
    loaded = [set(assets.findall((folder / page).read_text(encoding="utf-8"))) for page in PAGES]
    assert loaded == [{"explorers.js", "explorers.css"}, set()]
    figure = nodes.figure("", figures.moving("", data={"kind": "live"}))
    assert explorers.needed_by(figure) == ["live_figures"]


def test_paper_has_the_drawing_of_a_figure_if_there_is_one_and_else_the_picture(build):
    folder = build("latex")
    (file,) = folder.glob("*.tex")
    text = file.read_text(encoding="utf-8")
    endings = re.findall(r"includegraphics\{\{\w+\}\.(\w+)\}", text)
    assert endings == ["pdf", "png", "pdf", "pdf"]
    assert text.count(r"\caption{Where \(x < 1\) \& \sphinxstyleemphasis{more}.}") == 4
    assert "explorer" not in re.sub("fig-explorer", "", text) and "readouts" not in text
