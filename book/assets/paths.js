// The switch between the paths Tour, Practice and Course. Which path is shown stands on the root element, where a line in
// the head of the page has put it before anything was painted; style sheets do the rest.
(() => {
  const AT_THE_TOP = 80; // pixels of the window, below the bar
  const root = document.documentElement;
  const switches = [...document.querySelectorAll(".paths input")];
  const stored = () => {
    try {
      return localStorage.getItem("path");
    } catch {
      return null; // no storage: the switch holds for this page
    }
  };
  let notice = null;
  let followed = null; // the last link to a place on this page, where it stood in the window, and the address before
  let goBack = null; // to the path that was left for such a place

  function show(path) {
    root.dataset.path = path;
    for (const input of switches) input.checked = input.value === path;
    notice?.remove();
    goBack = null;
  }

  for (const input of switches) {
    input.addEventListener("change", () => {
      try {
        localStorage.setItem("path", input.value);
      } catch {}
      history.replaceState({ ...history.state, path: input.value }, "");
      show(input.value);
    });
  }
  // Coming back to a page that the browser has kept, after another page has switched.
  addEventListener("pageshow", (event) => event.persisted && stored() && show(stored()));

  // The number of a section, in an element of its own: the tour has none.
  function setNumberApart(link) {
    const text = [...link.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const found = text?.data.match(/^\s*[\d.]+\. /);
    if (!found) return;
    const number = document.createElement("span");
    number.className = "section-number";
    number.textContent = found[0];
    text.data = text.data.slice(found[0].length);
    text.before(number);
  }

  // The contents beside the page leave out what the page leaves out.
  for (const link of document.querySelectorAll(".bd-sidebar-secondary a[href^='#']")) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    for (const name of ["from-practice", "from-course"]) {
      if (section?.classList.contains(name)) link.closest("li").classList.add(name);
    }
    setNumberApart(link);
  }

  // A link to a place that the path leaves out, or that is folded, leads there all the same.
  const liesHidden = (element) => element.getClientRects().length === 0;

  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || target.closest(".paths")) return;
    let folded = false;
    for (let box = target.closest("details:not([open])"); box; box = box.parentElement.closest("details:not([open])")) {
      box.open = folded = true;
    }
    const hidden = liesHidden(target);
    if (hidden) showEverything(target);
    if (hidden || folded) target.scrollIntoView();
  }

  function showEverything(target) {
    const left = root.dataset.path;
    if (left === "course") return;
    const origin = followed?.link.href === location.href ? followed : null;
    show("course");
    const name = left[0].toUpperCase() + left.slice(1);
    notice = document.createElement("div");
    notice.className = "path-notice notice";
    notice.setAttribute("role", "status");
    document.querySelector("article").append(notice);
    notice.append(`This place is not on the ${name}, so this page now shows the whole course. `);
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = `Back to the ${name}`;
    const go = () => {
      show(left);
      if (origin) history.replaceState(history.state, "", origin.address);
      const { link, top } = origin ?? { link: lastBefore(target), top: AT_THE_TOP };
      scrollBy(0, link.getBoundingClientRect().top - top);
      link.focus({ preventScroll: true });
    };
    goBack = { address: origin?.address, go };
    back.addEventListener("click", go);
    notice.append(back);
  }

  // The link to the last heading before a place that the path shows, for a reader who came from elsewhere.
  function lastBefore(target) {
    const links = [...document.querySelectorAll("article :is(h1, h2, h3, h4) > .headerlink")];
    const isBefore = (link) => link.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
    return links.filter((link) => !liesHidden(link) && isBefore(link)).at(-1) ?? links[0];
  }

  // The switch stays on the bar above the page while one reads: it then has less to say.
  const bar = new IntersectionObserver(
    (changes) => {
      const { target, boundingClientRect } = changes.at(-1); // a page that opens at a place reports the top before
      target.classList.toggle("on-bar", boundingClientRect.top < 6);
    },
    { rootMargin: "-6px 0px 0px", threshold: 1 },
  );
  for (const fieldset of document.querySelectorAll("fieldset.paths")) bar.observe(fieldset);

  show(root.dataset.path);
  addEventListener("hashchange", () => {
    if (goBack?.address === location.href) requestAnimationFrame(goBack.go); // after the browser has scrolled
    else reveal();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href*='#']");
    if (!link) return;
    if (link.closest("article")) followed = { link, top: link.getBoundingClientRect().top, address: location.href };
    if (link.href === location.href) setTimeout(reveal); // no change of the address, no event
  });
  reveal();
  // Words that a search has marked, if none of them is to be seen. Sphinx marks them shortly after the page has loaded.
  addEventListener("load", () =>
    setTimeout(() => {
      const found = [...document.querySelectorAll("article span.highlighted")];
      if (found.length && found.every(liesHidden)) {
        showEverything(found[0]);
        found[0].scrollIntoView({ block: "center" });
      }
    }, 50),
  );
})();
