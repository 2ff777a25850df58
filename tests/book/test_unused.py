"""Style sheets and fonts keep what pages and scripts use, and nothing else."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import pytest
from fontTools.ttLib import TTFont

import unused

NAMES = {"here", "there", "place"}


@pytest.mark.parametrize(
    "css, kept",
    [
        (".here{color:red}", ".here{color:red}"),
        (".nowhere{color:red}", ""),
        ("#place{color:red}", "#place{color:red}"),
        ("#no-place{color:red}", ""),
        ("p{color:red}", "p{color:red}"),
        ("p.here .there{color:red}", "p.here .there{color:red}"),
        ("p.here .nowhere{color:red}", ""),
        (".nowhere, .here > p, #no-place{color:red}", ".here > p{color:red}"),
        ("p:not(.nowhere){color:red}", "p:not(.nowhere){color:red}"),
        ("[class*=no]{color:red}", "[class*=no]{color:red}"),
        ('.here:before{content:".nowhere, {"}', '.here:before{content:".nowhere, {"}'),
        ("@media print{.here{top:0}.nowhere{top:0}}", "@media print{.here{top:0}}"),
        ("@media print{.nowhere{top:0}}", ""),
        ("@font-face{font-family:A;src:url(a.woff2)}", "@font-face{font-family:A;src:url(a.woff2)}"),
        ("@keyframes turn{to{rotate:1turn}}", "@keyframes turn{to{rotate:1turn}}"),
    ],
)
def test_a_rule_stays_if_all_that_one_of_its_selectors_names_is_used(css, kept):
    assert unused.used_rules(css, NAMES) == kept


def test_a_book_keeps_what_its_pages_and_scripts_use(tmp_path):
    (tmp_path / "page.html").write_text('<p class="here"><span id="place">abc</span></p>', encoding="utf-8")
    (tmp_path / "script.js").write_text('element.classList.add("there")', encoding="utf-8")
    css = "".join(f"{name}{{top:0}}" for name in (".here", "#place", ".there", ".nowhere"))
    (tmp_path / "style.css").write_text(css + '.here:after{content:"\\0078"}', encoding="utf-8")
    font = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    shutil.copy(font, tmp_path / "letters.woff2")  # programs that read fonts look at what is in a file

    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    unused.leave_out(app, error=None)

    style = (tmp_path / "style.css").read_text(encoding="utf-8")
    assert ".nowhere" not in style and style.count("{top:0}") == 3
    with TTFont(tmp_path / "letters.woff2") as letters:
        found = {chr(code) for code in letters.getBestCmap()}
    assert set("abcx") <= found and not found & set("zéф")
    assert (tmp_path / "letters.woff2").stat().st_size < font.stat().st_size / 10
