// The contents of the book open where the page stands in them.
(() => {
  const MARGIN = 48; // pixels below the line of the page, where contents fade

  // From the top, or only so far down that the line of the page can be seen. The theme would open them where those of the
  // last page were left.
  function open() {
    const bar = document.querySelector(".bd-sidebar-primary");
    const line = bar?.querySelector(".bd-links li.active > a");
    if (!line) return;
    bar.scrollTop = 0;
    bar.scrollTop = line.getBoundingClientRect().bottom + MARGIN - bar.getBoundingClientRect().bottom;
  }

  // After the theme, whose script comes last, and which fills the window of a phone when its button is touched.
  document.addEventListener("DOMContentLoaded", () => {
    open();
    document.querySelector(".primary-toggle")?.addEventListener("click", open);
  });
})();

// Marks the section that is read in the contents beside the page, and keeps its number below the button that shows them in
// a narrow window.
(() => {
  // The theme lets Bootstrap do it, in contents of a name that ours do not have: it then watches what all links of the page
  // lead to, and takes marks away.
  document.body.removeAttribute("data-bs-spy");
  const LINE = "-25% 0px -74%"; // of the window: the section that lies here is read
  const bar = document.querySelector(".bd-sidebar-secondary");
  const button = document.querySelector(".bd-header-article .secondary-toggle");
  const links = new Map(); // by section, in the order of the page
  for (const link of bar?.querySelectorAll("a.nav-link[href^='#']") ?? []) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (section) links.set(section, link);
  }
  if (!links.size) return;

  const seen = new Set();
  let marked = null;

  // Of the contents only the first level can be seen, of the number all.
  function mark(link) {
    const number = link?.querySelector(".section-number")?.textContent.replace(/\.\s*$/, "");
    if (button) button.dataset.place = number ?? "";
    const entry = link?.closest("ul.visible > li").querySelector("a") ?? null;
    if (entry === marked) return;
    marked?.classList.remove("active");
    marked?.removeAttribute("aria-current");
    marked = entry;
    entry?.classList.add("active");
    entry?.setAttribute("aria-current", "location");
    if (!entry?.checkVisibility()) return;
    const [line, box] = [entry, bar].map((element) => element.getBoundingClientRect());
    if (line.top < box.top || line.bottom > box.bottom) bar.scrollTop += line.top - box.top - box.height / 2;
  }

  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const section = [...links.keys()].findLast((one) => seen.has(one));
      const [first] = links.keys();
      if (section) mark(links.get(section));
      else if (first.getBoundingClientRect().top > 0) mark(null); // not between two sections, but before all
    },
    { rootMargin: LINE },
  );
  for (const section of links.keys()) observer.observe(section);
})();
