"""Folded code is one text on a page, whose colors stand in an attribute."""

import pytest

import cells

START = '<div class="highlight-ipython3 notranslate folded"><div class="highlight"><pre'
WORDS = '<span class="k">if</span> x <span class="o">&lt;</span> 𝑥:\n'
PAGE = f"{START}><span></span>{WORDS}</pre></div></div>"


def lightened(page):
    return cells.COLORED.sub(cells._in_one_piece, page)


def test_the_words_of_folded_code_are_one_text_and_their_colors_are_counted_as_scripts_count():
    assert lightened(PAGE) == f'{START} data-colors="2k 3 1o 5">if x &lt; 𝑥:\n</pre></div></div>'


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("folded", "seen"),
        PAGE.replace(" x ", " <a>x</a> "),
        PAGE.replace(WORDS, "printed\n"),
        PAGE.replace(WORDS, f"\n{WORDS}"),
    ],
    ids=["in sight", "with a link", "without colors", "after an empty line"],
)
def test_other_code_stays_as_it_is(page):
    assert lightened(page) == page


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("✓ the trace is positive", "the trace is positive"),
        ("✓ R-27: the trace is positive", "the trace is positive (source R-27)"),
        ("✓ G-E07: without the root: none", "without the root: none (correction G-E07)"),
        ("✓ here: the axis follows the light", "here: the axis follows the light"),
    ],
)
def test_a_claim_comes_before_the_name_of_the_statement_that_it_checks(printed, shown):
    assert cells._claim(printed) == shown
