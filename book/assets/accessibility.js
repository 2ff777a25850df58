// What the theme and its extensions leave out for readers who use a screen reader. Buttons have a name that differs from the
// text they show, and the book's title lies in no region of the page.
for (const button of document.querySelectorAll(".search-button-field, .theme-switch-button")) {
  const shown = button.textContent.replace(/\s+/g, " ").trim();
  if (shown) button.setAttribute("aria-label", shown);
}
for (const title of document.querySelectorAll(".sidebar-primary-item > .navbar-brand")) {
  title.parentElement.setAttribute("role", "navigation");
  title.parentElement.setAttribute("aria-label", "Book title");
}
// The contents at the side are where they were on the page before: the entry of this page may be out of sight.
addEventListener("load", () => {
  const bar = document.querySelector("div.bd-sidebar-primary");
  const here = bar?.querySelector("nav li.current > a");
  if (!here?.checkVisibility()) return;
  const [entry, seen] = [here, bar].map((element) => element.getBoundingClientRect());
  if (entry.top < seen.top || entry.bottom > seen.bottom) bar.scrollTop += entry.top - seen.top - seen.height / 2;
});
// A corner of a table that heads nothing is no heading; and the bibliography is a list, of roles long withdrawn.
for (const corner of document.querySelectorAll("th")) {
  if (!corner.textContent.trim()) corner.outerHTML = "<td></td>";
}
for (const entry of document.querySelectorAll("[role=doc-biblioentry]")) {
  entry.setAttribute("role", "listitem");
}
// What scrolls in a box of its own scrolls by the keyboard too. Boxes are looked at when their size is known, or has changed.
const boxes = new ResizeObserver((changed) => {
  for (const { target } of changed) {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (scrolls) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
const FORMULAS = "div.math > mjx-container, span.math:not(:has(> .whole, mjx-break))";
const OTHERS = "pre, .drawing, .cell_output > .output, .pst-scrollable-table-container";
// Scripts that put something on a page call this for it.
function watchBoxes(part) {
  for (const box of part.querySelectorAll(`article :is(${FORMULAS}, ${OTHERS})`)) boxes.observe(box);
}
watchBoxes(document);
