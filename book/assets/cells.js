// Paper unfolds nothing: before a page is printed, everything on it is unfolded, and folded again afterwards.
addEventListener("beforeprint", () => {
  const folded = [...document.querySelectorAll("article details:not([open])")];
  for (const box of folded) box.open = true;
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
