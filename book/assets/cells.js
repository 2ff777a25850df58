// Folded code gets its colors when it is unfolded: a page has thousands of colored words, and its reader opens few folds.
function color(box) {
  for (const code of box.querySelectorAll("pre[data-colors]")) {
    if (code.childElementCount) continue; // marks of a search
    const text = code.textContent;
    let place = 0;
    const words = code.dataset.colors.split(" ").map((run) => {
      const [, length, kind] = run.match(/^(\d+)(.*)$/);
      const word = text.slice(place, (place += Number(length)));
      return kind ? Object.assign(document.createElement("span"), { className: kind, textContent: word }) : word;
    });
    code.replaceChildren(...words);
    code.removeAttribute("data-colors");
  }
}
document.querySelectorAll("details[open]").forEach(color);
addEventListener("toggle", ({ target }) => target.open && color(target), true);

// Paper unfolds nothing: before a page is printed, everything on it is unfolded, and folded again afterwards.
addEventListener("beforeprint", () => {
  const folded = [...document.querySelectorAll("article details:not([open])")];
  for (const box of folded) {
    color(box);
    box.open = true;
  }
  addEventListener("afterprint", () => folded.forEach((box) => (box.open = false)), { once: true });
});

// The solutions of a section are opened, or folded, all at once: before a lecture, or to look something up.
for (const section of document.querySelectorAll("article section:has(> .helps)")) {
  const solutions = [...section.querySelectorAll(":scope > .helps > details.solution")];
  if (solutions.length < 2) continue;
  const areOpen = () => solutions.every((solution) => solution.open);
  const button = Object.assign(document.createElement("button"), { type: "button", className: "all-solutions" });
  const tell = () => (button.textContent = areOpen() ? "Fold all solutions" : "Open all solutions");
  button.addEventListener("click", () => {
    const open = !areOpen();
    for (const solution of solutions) solution.open = open;
  });
  for (const solution of solutions) solution.addEventListener("toggle", tell);
  tell();
  section.querySelector(":scope > .exercise").before(button);
}
