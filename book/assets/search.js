// The search page: what was found (finding.js), each section with an excerpt, while one types.
(() => {
  const SHOWN = 20;
  const REST = 150; // milliseconds without a key before a search begins
  const { counted, element, excerpt, find, findCode, linkTo, wishes } = window.bookFinder;

  const said = element("p", "said"), shown = element("div");
  said.setAttribute("role", "status");

  function show(found) {
    const asked = wishes(found.query);
    const items = (sections) => sections.map((one) => element("li", "", ...linkTo(one, found.query), excerpt(one, asked)));
    const rest = found.sections.slice(SHOWN);
    said.textContent = `${counted(found)}${rest.length ? `, of which these ${SHOWN} come first` : ""}.`;
    const list = element("ol", "", ...items(found.sections.slice(0, SHOWN)));
    shown.replaceChildren(list);
    if (!rest.length) return;
    const more = element("button", "", `Show the other ${rest.length}`);
    more.type = "button";
    more.addEventListener("click", () => {
      said.textContent = `${counted(found)}.`;
      list.append(...items(rest));
      more.remove();
      list.children[SHOWN].querySelector("a").focus();
    });
    shown.append(more);
  }

  // Search for what stands in the fields, which the address keeps.
  const fields = [...document.querySelectorAll("form.bd-search input")];
  const box = element("input");
  box.type = "checkbox";
  const results = element("div", "", element("label", "", box, "Search the code, too"), said, shown);

  function search(query) {
    for (const field of fields) if (field.value.trim() !== query) field.value = query;
    results.hidden = !query;
    if (!query) return;
    if (box.checked && !window.bookCode) return loadCode();
    const ofCode = box.checked ? findCode(query) : [];
    const found = find(query);
    const text = ofCode.length && !found.every ? [] : found.sections;
    show({ ...found, sections: [...ofCode, ...text], every: found.every || ofCode.length > 0 });
  }

  let code = null;
  function loadCode() {
    if (code) return; // it is on its way
    code = element("script");
    code.src = `${document.documentElement.dataset.content_root ?? "./"}_static/finding/code.js`;
    code.addEventListener("load", () => search(fields[0].value.trim()));
    document.head.append(code);
  }

  let waiting = null;
  for (const field of fields) {
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const query = field.value.trim();
        history.replaceState(history.state, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
        search(query);
      }, REST);
    });
  }
  box.addEventListener("change", () => search(fields[0].value.trim()));
  document.getElementById("search-results").append(results);
  search(new URLSearchParams(location.search).get("q")?.trim() ?? "");
})();
