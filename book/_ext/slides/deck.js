// A deck of slides: reveal.js, and a key for light and dark.
Reveal.initialize({
  center: false,
  controlsTutorial: false,
  display: "flex",
  hash: true,
  height: 720,
  margin: 0,
  mobileViewDistance: 99, // explorers measure the places that they draw into
  plugins: [RevealNotes],
  slideNumber: "c/t",
  transition: "none",
  viewDistance: 99,
  width: 1280,
});

// A displayed formula that is wider than its slide is set smaller.
document.fonts.ready.then(() => {
  for (const formula of document.querySelectorAll(".slides div.math mjx-container")) {
    const share = formula.clientWidth / formula.scrollWidth;
    if (share < 1) formula.style.fontSize = `${108 * share}%`;
  }
});

Reveal.addKeyBinding({ keyCode: 76, key: "L", description: "Light or dark" }, () => {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
});
