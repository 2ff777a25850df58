// The search dialog: while one types, the first hits stand below the field. What finds them (finding.js) and its index are
// loaded when the dialog is opened. Enter leads to the search page.
(() => {
  const SHOWN = 5;
  const REST = 150; // milliseconds without a key before a search begins
  const dialog = document.getElementById("pst-search-dialog");
  if (!dialog) return;
  const root = document.documentElement.dataset.content_root ?? "./";
  const field = dialog.querySelector("input");
  const said = document.createElement("p"), hits = document.createElement("ol"), below = document.createElement("div");
  said.setAttribute("role", "status");
  below.className = "hits";
  below.hidden = true;
  below.append(said, hits);
  dialog.append(below);

  function show() {
    const query = field.value.trim();
    if (!query || !window.bookFinder) {
      below.hidden = !query;
      said.textContent = query ? "The index is being loaded." : "";
      hits.replaceChildren();
      return;
    }
    const { counted, element, find, linkTo } = window.bookFinder;
    const found = find(query);
    below.hidden = false;
    said.textContent = `${counted(found)}.${found.sections.length > SHOWN ? " Enter shows more." : ""}`;
    hits.replaceChildren(...found.sections.slice(0, SHOWN).map((one) => element("li", "", ...linkTo(one, found.query))));
  }

  function load() {
    for (const name of ["language_data", "finding/text", "finding"]) {
      const script = document.createElement("script");
      script.src = `${root}_static/${name}.js`;
      script.async = false; // in this order
      if (name === "finding") script.addEventListener("load", show);
      document.head.append(script);
    }
  }
  field.addEventListener("focus", load, { once: true });

  let waiting = null;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, REST);
  });

  // Arrows go from the field to the hits, and back.
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const places = [field, ...hits.querySelectorAll("a")];
    const next = places[places.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  hits.addEventListener("click", (event) => event.target.closest("a") && dialog.close());
})();
