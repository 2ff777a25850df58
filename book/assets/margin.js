// Notes in the margin of a wide window: what a term means, where the page links it first. They lie beside the text and
// move nothing. Where figures, formulas or other notes leave no room near the link, there is none, and the hover card
// says it. For screen readers the link is enough.
(() => {
  const article = document.querySelector("article.bd-article");
  const wide = matchMedia("(min-width: 1200px)");
  const TERM = /\/?glossary\.html#(term-[^#]+)$/;
  const GAP = 14; // pixels between two notes, and between a note and what is as wide as the page
  const FAR = 160; // pixels that a note may be away from its line
  const FILLED = "pre, table, div.math, .explorer, .admonition, form"; // are as wide as they look
  const LINES = "figure, h1, h2, h3, h4, summary"; // are only as wide as what is in them

  const links = new Map(); // the links to each term in the text, by the id of the term
  for (const link of article?.querySelectorAll(":is(p, li) a.reference.internal[href*='glossary.html#term-']") ?? []) {
    const term = link.getAttribute("href").match(TERM)?.[1];
    if (!term || link.closest("details, .admonition, figure, table")) continue;
    if (!links.has(term)) links.set(term, []);
    links.get(term).push(link);
  }
  if (!links.size) return;

  let loading = null;
  function load() {
    loading ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = new URL("_static/notes.js", new URL(document.documentElement.dataset.content_root, location.href)).href;
      script.onload = script.onerror = () => done(window.bookNotes ?? {});
      document.head.append(script);
    });
    return loading;
  }

  // Where the first link stands that the reader's path shows; undefined if it shows none.
  const lineOf = (term) => links.get(term).map((link) => link.getClientRects()[0]).find(Boolean);

  const notes = new Map();
  function noteOf(term, said) {
    if (!notes.has(term)) {
      const note = document.createElement("div");
      note.className = "margin-note";
      note.setAttribute("aria-hidden", "true");
      note.innerHTML = said;
      article.append(note);
      notes.set(term, note);
    }
    return notes.get(term);
  }

  const inside = document.createRange();
  function extent(element) {
    if (element.matches(FILLED)) return element.getBoundingClientRect();
    inside.selectNodeContents(element);
    return inside.getBoundingClientRect();
  }

  // Intervals of the page, from top to bottom, in which something reaches into the margin.
  function taken(origin, edge) {
    return [...article.querySelectorAll(`${FILLED}, ${LINES}`)]
      .filter((element) => element.checkVisibility())
      .map(extent)
      .filter(({ right }) => right > edge)
      .map(({ top, bottom }) => [top - origin - GAP, bottom - origin + GAP])
      .sort(([one], [other]) => one - other);
  }

  // Notes in the order of their lines, and on one line from left to right.
  function inOrder([one], [other]) {
    const [first, second] = [lineOf(one), lineOf(other)];
    return (first?.top ?? 0) - (second?.top ?? 0) || (first?.left ?? 0) - (second?.left ?? 0);
  }

  // The place for a note of some height that is nearest to its line and free; null if none is near.
  function place(line, height, intervals) {
    const free = (top) => top >= 0 && intervals.every(([from, to]) => top >= to || top + height <= from);
    const near = intervals.flatMap(([from, to]) => [from - height, to]).filter((top) => Math.abs(top - line) <= FAR);
    return [line, ...near].filter(free).sort((one, other) => Math.abs(one - line) - Math.abs(other - line))[0] ?? null;
  }

  async function arrange() {
    if (!wide.matches) return;
    const said = await load();
    for (const term of links.keys()) if (said[term] && lineOf(term)) noteOf(term, said[term]);
    const { top: origin } = article.getBoundingClientRect();
    const [first] = notes.values();
    if (!first) return;
    const intervals = taken(origin, first.getBoundingClientRect().left);
    const places = [...notes].sort(inOrder).map(([term, note]) => {
      const line = lineOf(term);
      const height = note.getBoundingClientRect().height;
      const top = line ? place(line.top - origin, height, intervals) : null;
      if (top !== null) intervals.push([-Infinity, top + height + GAP]); // the next one stands below
      return [note, top];
    });
    for (const [note, top] of places) {
      note.classList.toggle("placed", top !== null);
      note.style.top = `${top ?? 0}px`; // one without a place makes no page longer
    }
  }

  let waiting = 0;
  new ResizeObserver(() => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(arrange);
  }).observe(article);
})();
