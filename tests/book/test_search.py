"""The search of the built book: what analysts type leads to the place that answers it, from the disk."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

import dimred_lessons
import dimred_lessons.tables
from finding import KNOWN_AS
from sources import ALL_PAGES, labels, markdown, page_of
from support import chromium
from support.chromium import on_disk

pytestmark = pytest.mark.built

# What is typed, and labels on the pages of which one is to be among the first three results.
WORDS = {
    "missing values": ["ch-em"],
    "NaN": ["ch-em"],
    "impute": ["ch-em"],
    "holes": ["ch-em"],
    "categorical": ["ch-choosing", "sec-data"],
    "one-hot": ["ch-choosing", "sec-data"],
    "outliers": ["ch-choosing", "ch-pca", "ch-ppca"],
    "duplicates": ["ch-choosing", "sec-data"],
    "standardize": ["ch-pca"],
    "normalize": ["ch-pca"],
    "different units": ["ch-pca"],
    "how many components": ["ch-pca"],
    "whitening": ["ch-pca"],
    "clusters": ["ch-choosing", "ch-mixtures"],
    "perplexity": ["ch-neighbors"],
    "UMAP": ["ch-neighbors"],
    "trustworthiness": ["ch-choosing"],
    "which method": ["ch-choosing"],
    "new points": ["ch-kpca", "ch-isomap", "ch-lle"],
    "out of memory": ["ch-large", "ch-choosing"],
    "number of neighbors": ["ch-graphs", "ch-isomap"],
    "how many neighbors": ["ch-graphs"],
    "shortest paths": ["ch-isomap", "ch-graphs"],
    "words": ["ch-centering"],
    "noise": ["ch-fa", "ch-ppca"],
    "density": ["ch-ppca", "ch-lem"],
    "random projection": ["ch-rp"],
    "factor analysis": ["ch-fa"],
    "standardise": ["ch-pca"],
    "tsne": ["ch-neighbors"],
    "big data": ["ch-large"],
    "text data": ["ch-dual", "ch-centering"],
    "intrinsic dimension": ["ch-graphs"],
    "classification": ["ch-pca"],
    "isomap": ["ch-isomap"],
    "perplexty": ["ch-neighbors"],
    "customer table": ["ch-choosing"],
}
# What is typed, and the chapter about it.
CHAPTERS = {
    "eigenmaps": "ch-lem",
    "PCA": "ch-pca",
    "MDS": "ch-mds",
    "factor analysis": "ch-fa",
    "t-SNE": "ch-neighbors",
}
# What is typed, and the section that is written for it.
SECTIONS = {
    "categorical": "sec-choosing-mixed",
    "one-hot": "sec-choosing-mixed",
    "duplicates": "sec-choosing-mixed",
    "skewed": "sec-choosing-mixed",
    "mixed types": "sec-choosing-mixed",
    "MCA": "sec-choosing-mixed",
    "Gower distance": "sec-choosing-mixed",
    "own table": "sec-choosing-table",
    "Excel": "sec-choosing-table",
    "decimal comma": "sec-choosing-table",
    "missing values": "sec-choosing-mixed",
    "outliers": "sec-choosing-wine",
    "outlier": "sec-choosing-mixed",
    "how many neighbors": "sec-graphs-choose",
    "number of neighbors": "sec-lle-choice",
    "scree": "sec-pca-number",
    "elbow": "sec-pca-number",
    "z-score": "sec-pca-invariance",
    "correlation matrix": "sec-pca-invariance",
    "StandardScaler": "sec-pca-invariance",
    "feature importance": "sec-pca-invariance",
    "variable importance": "sec-choosing-table",
    "log transform": "sec-choosing-mixed",
    "constant columns": "sec-choosing-mixed",
    "data frame": "sec-choosing-table",
    "dates": "sec-choosing-table",
    "p-value": "sec-choosing-failures",
    "permutation test": "sec-choosing-failures",
    "slow": "sec-choosing-costs",
    "PCoA": "sec-mds-gram",
    "NMDS": "sec-mds-nonmetric",
    "non-metric": "sec-mds-nonmetric",
    "loadings": "sec-fa-rotation",
    "varimax": "sec-fa-rotation",
    "bandwidth": "sec-kpca-gaussian",
    "random seed": "sec-sne-fails",
    "collinear": "sec-pca-problem",
    "Mahalanobis": "sec-ppca-problem",
    "incremental PCA": "sec-large-pca",
    "nominal": "sec-choosing-mixed",
    "mixed data": "sec-choosing-mixed",
    "own data": "sec-choosing-table",
    "umap parameters": "sec-sne-umap",
    "cluster islands real": "sec-sne-fails",
    "why do clusters in t-SNE have no meaningful distance": "sec-sne-fails",
}
# What is typed, and the name of the package that is the first or second result.
NAMES = {
    "transform": "PCA.transform()",
    "fit_transform": "PCA.fit_transform()",
    "transform()": "PCA.transform()",
    "Isomap.transform": "Isomap.transform()",
    "dl.Isomap": "Isomap",
    "n_neighbors": "Isomap.n_neighbors",
    "explained_variance_ratio_": "PCA.explained_variance_ratio_",
    "trustworthiness": "trustworthiness()",
    "metrics.continuity": "continuity()",
    "procrustes_error": "procrustes_error()",
    "center_kernel": "center_kernel()",
    "swiss_roll": "swiss_roll()",
    "neighborembedding": "NeighborEmbedding",
    "isomap": "Isomap",
}
# What is mistyped, what it is shown for, and a page that is among the first three results.
MISTYPED = {
    "swiss role": ("swiss roll", "sec-glossary"),
    "eigenvaleu": ("eigenvalue", "sec-la"),
    "isomp": ("isomap", "ch-isomap"),
    "perplexety": ("perplexity", "ch-neighbors"),
    "perplexty": ("perplexity", "ch-neighbors"),
    "prinicpal componets": ("principal components", "ch-pca"),
    "shortset path": ("shortest path", "ch-isomap"),
    "laplasian eigenmaps": ("laplacian eigenmaps", "ch-lem"),
    "factor anaylsis": ("factor analysis", "ch-fa"),
    "colour": ("color", "ch-mds"),
}


def search(visit, words):
    """The results of a search."""
    page = visit(f"{on_disk('search.html')}?q={words.replace(' ', '+')}")
    page.wait_for_selector("#search-results li")
    assert page.troubles == []
    return page


@pytest.fixture
def results(opened):
    """The first three results of a search, as locators: words are typed over those of the test before."""

    def search_for(words):
        page = opened("search.html")
        page.locator(".bd-search-container input").first.fill(words)
        page.wait_for_function("words => new URLSearchParams(location.search).get('q') === words", arg=words)
        page.wait_for_selector("#search-results li")
        assert page.troubles == []
        return page.locator("#search-results li > a").all()[:3]

    return search_for


@pytest.mark.parametrize("words", WORDS)
def test_what_analysts_type_leads_to_the_place_that_answers_it(results, words):
    first = [link.get_attribute("href") for link in results(words)]
    wanted = [page_of(label) for label in WORDS[words]]
    assert any(name in address for name in wanted for address in first), first


@pytest.mark.parametrize("words", SECTIONS)
def test_words_that_a_section_is_written_for_lead_to_it(results, words):
    label = SECTIONS[words]
    path = next(path for path in ALL_PAGES if label in labels(markdown(path)))
    title = re.search(rf"^\({label}\)=\n+#+ (.+)$", markdown(path), re.MULTILINE)[1]
    assert title in [link.inner_text() for link in results(words)]


@pytest.mark.parametrize("words", CHAPTERS)
def test_a_chapter_comes_before_sections_with_its_number_and_its_question(results, words):
    first = results(words)[0]
    assert page_of(CHAPTERS[words]) in first.get_attribute("href")
    place, question = first.locator("xpath=following-sibling::p").all_inner_texts()
    assert re.fullmatch(r"Chapter \d+", place) and question.endswith("?")


@pytest.fixture
def find(opened):
    """What is found first, as addresses and titles, and the words for which it is shown."""
    script = """words => {
      const { sections, query, isCorrected } = window.bookFinder.find(words);
      const told = ({ address, id, titles }) => ({ address: `${address}#${id}`, title: titles.at(-1) });
      const first = sections.slice(0, 3).map(told);
      return [first, isCorrected ? query : null];
    }"""
    page = opened("search.html")
    page.wait_for_function("window.bookFinder")
    return lambda words: page.evaluate(script, words)


@pytest.mark.parametrize("name", sorted({*dimred_lessons.__all__, *dimred_lessons.tables.__all__}))
def test_what_can_be_imported_is_found_by_its_name(find, name):
    module = next(getattr(of, name).__module__ for of in (dimred_lessons, dimred_lessons.tables) if hasattr(of, name))
    first, corrected = find(name)
    assert any(one["address"].endswith(f"#{module}.{name}") for one in first[:2]), first
    assert corrected is None


@pytest.mark.parametrize("words", NAMES)
def test_names_of_the_package_lead_to_their_reference(find, words):
    first, corrected = find(words)
    entries = [one for one in first[:2] if "appendices/api_" in one["address"]]
    assert NAMES[words] == entries[0]["title"] and corrected is None, first
    page, _, place = entries[0]["address"].partition("#")
    assert f'id="{place}"' in (chromium.SITE / page).read_text(encoding="utf-8")


def glossary():
    """Terms of the glossary as they are written, each with the pages that its definition leads to."""
    file = chromium.SITE / page_of("sec-glossary")
    html = BeautifulSoup(file.read_text(encoding="utf-8") if file.exists() else "", "html.parser")
    for term in html.select("dl.glossary > dt:not(:has(svg))"):
        said = term.find_next_sibling("dd")
        pages = [link["href"].removeprefix("../").partition(".html")[0] for link in said.select("a.internal")]
        yield term.get_text().removesuffix("#"), pages


def test_a_term_of_the_glossary_leads_to_it_or_to_where_it_is_explained(find):
    terms = list(glossary())
    assert len(terms) > 200
    wrong = {}
    for term, pages in terms:
        (first, *_), corrected = find(re.sub(r" \(.*\)$", "", term))
        if corrected or not any(f"{page}.html" in first["address"] for page in ["glossary", *pages]):
            wrong[term] = (first["address"], corrected)
    assert wrong == {}


@pytest.mark.parametrize("words", MISTYPED)
def test_what_is_mistyped_is_shown_for_what_was_meant(visit, words):
    meant, label = MISTYPED[words]
    page = search(visit, words)
    assert page.inner_text("#search-results .said").startswith(f"Shown for: {meant}. ")
    first = [link.get_attribute("href") for link in page.locator("#search-results li > a").all()[:3]]
    assert any(page_of(label) in address for address in first), first


@pytest.mark.parametrize("words", [*WORDS, *CHAPTERS, *SECTIONS])
def test_what_is_rightly_typed_is_not_corrected(find, words):
    assert find(words)[1] in (None, MISTYPED.get(words, [None])[0])


def test_of_sections_with_one_name_the_first_comes_first_with_the_number_of_its_chapter(results):
    first, second, _ = results("how many components")
    assert page_of("ch-pca") in first.get_attribute("href") and first.inner_text() == second.inner_text()
    assert re.match(r"\d+\. Principal components", first.locator("xpath=following-sibling::p").first.inner_text())


def test_a_result_has_its_place_and_an_excerpt_with_the_words_and_leads_there(visit):
    page = search(visit, "missing values")
    first = page.locator("#search-results li").first
    assert first.locator("mark").count() and len(first.locator(".excerpt").inner_text()) > 60
    first.locator("a").click()
    page.wait_for_url("**/book/**")
    assert page.troubles == [] and page.locator("span.highlighted").count()


def test_source_files_come_after_sections_unless_they_are_named(visit):
    page = search(visit, "UMAP kernels")
    is_source = [
        "appendices/api_" in link.get_attribute("href") for link in page.locator("#search-results li > a").all()
    ]
    assert any(is_source) and is_source == sorted(is_source)
    page = search(visit, "iterative/neighbor_kernels.py")
    assert page.locator("#search-results li > a").first.inner_text() == "iterative/neighbor_kernels.py"


@pytest.mark.parametrize("words", ["t-SNE", "tsne", "why is t SNE slow"])
def test_t_sne_is_one_word(visit, words):
    marked = search(visit, words).locator("#search-results mark").all_inner_texts()
    assert "t-SNE" in marked and not {"t", "SNE"} & set(marked)


def test_words_that_say_the_same_together_are_marked_together(visit):
    marked = {words.lower() for words in search(visit, "outliers").locator("#search-results mark").all_inner_texts()}
    assert "outliers" in marked and not {"distant", "point", "points"} & marked


def test_a_button_shows_the_sections_that_come_last(visit):
    page = search(visit, "principal components")
    number = int(re.match(r"\d+", page.inner_text("#search-results .said"))[0])
    items = page.locator("#search-results li")
    assert items.count() == 20 < number
    page.click("#search-results button")
    assert items.count() == number and page.inner_text("#search-results .said") == f"{number} sections."
    assert page.locator("#search-results button").count() == 0 and page.troubles == []
    assert items.nth(20).locator("a").evaluate("link => link === document.activeElement")


def test_no_excerpt_gives_a_quiz_away(opened):
    page = opened("search.html")
    page.wait_for_function("window.bookText")
    quizzes = page.evaluate("window.bookText.filter(one => one[2].at(-1) === 'Quiz').map(one => one[5])")
    assert len(quizzes) == 24
    assert [text for text in quizzes if "?" not in text or "Right:" in text or "Not quite" in text] == []


def test_code_is_searched_only_if_it_is_asked_for(visit):
    page = search(visit, "PCA")
    assert not page.locator("#search-results pre").count()
    page.check("#search-results input")
    page.wait_for_selector("#search-results pre")
    page.uncheck("#search-results input")
    assert not page.locator("#search-results pre").count()


def test_hits_come_while_one_types_and_the_address_keeps_them(visit):
    page = search(visit, "perplexity")
    before = page.locator("#search-results li > a").first.get_attribute("href")
    field = page.locator(".bd-search-container input").first
    field.fill("isom")  # the beginning of a word
    page.wait_for_function(
        "before => document.querySelector('#search-results li > a')?.getAttribute('href') !== before", arg=before
    )
    assert "Isomap" in page.locator("#search-results mark").first.inner_text() and page.url.endswith("?q=isom")
    field.fill("")
    page.wait_for_selector("#search-results .said", state="hidden")
    assert not page.url.count("?") and page.troubles == []


def test_a_signature_reads_as_it_is_written():
    index = (chromium.SITE / "_static" / "finding" / "text.js").read_text(encoding="utf-8")
    assert "squared_distances(X, Z=None): Squared" in index and "[source]" not in index


def test_where_no_section_has_all_words_those_with_some_are_shown_and_this_is_said(visit):
    said = search(visit, "customer table").inner_text("#search-results .said")
    assert re.match(r"No section has all of these words\. \d+ sections with some", said)


def test_nothing_found_says_so(visit):
    page = visit(f"{on_disk('search.html')}?q=xylophones")
    assert page.inner_text("#search-results .said") == "No sections."


def of_dialog(opened, words, **options):
    """A page on whose dialog words were typed, with the hits below them."""
    page = opened("book/notation.html", **options)
    if page.locator("#pst-search-dialog[open]").count() == 0:
        page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input").fill(words)
    page.wait_for_selector("#pst-search-dialog li")
    return page


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_dialog_shows_the_first_hits_with_their_places(opened, phone, theme):
    page = of_dialog(opened, "missing values", phone=phone, color_scheme=theme)
    hits = page.locator("#pst-search-dialog li")
    assert hits.count() == hits.locator("a").count() == hits.locator(".place").count() == 5
    assert any("EM, and holes" in text for text in hits.all_inner_texts())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") and page.troubles == []
    found = Axe().run(page, context="#pst-search-dialog")  # from here on it asks for style sheets, which a disk refuses
    assert found.violations_count == 0, found.generate_report()


def test_arrows_and_tab_lead_from_the_field_of_the_dialog_to_its_hits(opened):
    page = of_dialog(opened, "outliers")
    focused = "[...document.querySelectorAll('#pst-search-dialog :is(input, a)')].indexOf(document.activeElement)"
    places = []
    for key in ("ArrowDown", "ArrowDown", "Tab", "ArrowUp", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
        places.append(page.evaluate(focused))
    assert places == [1, 2, 3, 2, 1, 0]


def test_pages_load_the_index_only_when_the_dialog_is_opened(visit):
    page = visit(on_disk("book/notation.html"))
    assert page.evaluate("window.bookText === undefined && window.bookFinder === undefined")
    page.keyboard.press("Control+k")
    page.wait_for_function("window.bookText && window.bookFinder")
    assert page.troubles == []


def test_a_hit_of_the_dialog_and_enter_lead_where_they_say(visit):
    page = of_dialog(lambda name: visit(on_disk(name)), "perplexity")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=perplexity")
    page.go_back()
    page = of_dialog(lambda name: page, "perplexity")
    hit = page.locator("#pst-search-dialog a").first
    place = hit.get_attribute("href").partition("#")[2]
    hit.click()
    page.wait_for_url(f"**/book/**#{place}")
    assert page.troubles == []


@pytest.mark.parametrize("width", [375, 1280])
def test_the_magnifier_stands_before_what_is_typed(visit, width):
    page = visit(f"{on_disk('search.html')}?q=outliers", viewport={"width": width, "height": 800})
    icon = page.locator(".bd-search-container .fa-magnifying-glass").bounding_box()
    field = page.locator(".bd-search-container input").first
    start = field.bounding_box()["x"] + float(field.evaluate("el => parseFloat(getComputedStyle(el).paddingLeft)"))
    assert icon["x"] + icon["width"] <= start


def test_other_names_are_given_to_sections_that_there_are():
    assert set(KNOWN_AS) <= {label for path in ALL_PAGES for label in labels(markdown(path))}


def test_there_is_an_index_of_sections():
    assert (chromium.SITE / "_static" / "finding" / "text.js").exists(), "run `make book` first"
