// Paper unfolds nothing: before a page is printed, everything on it is unfolded, and folded again afterwards.
addEventListener("beforeprint", () => {
  const folded = [...document.querySelectorAll("article details:not([open])")];
  for (const box of folded) box.open = true;
  addEventListener("afterprint", () => folded.forEach((box) => (box.open = false)), { once: true });
});
