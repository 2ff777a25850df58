// A deck of slides: reveal.js, a key for light and dark, and room for pictures and formulas.
const root = document.documentElement;

// A picture that is not wide is larger beside its statement than above it.
const WIDE = 1.6;
for (const figure of document.querySelectorAll(".slides figure:not(:has(.explorer))")) {
  const { width, height } = figure.querySelector("img").attributes;
  figure.classList.toggle("beside", width.value < WIDE * height.value);
}

// Explorers draw for the pixels of the screen: a slide that fills it has more of them than its own 1280 times 720.
const ratio = Object.getOwnPropertyDescriptor(window, "devicePixelRatio").get;
Object.defineProperty(window, "devicePixelRatio", { get: () => ratio.call(window) * Math.max(1, Reveal.getScale()) });
Reveal.on("resize", () => (root.dataset.theme = root.dataset.theme)); // on which they draw again

Reveal.initialize({
  center: false,
  controlsLayout: "edges", // below, they would lie on statements
  controlsTutorial: false,
  display: "flex",
  hash: true,
  height: 720,
  margin: 0,
  mobileViewDistance: 99, // explorers measure the places that they draw into
  pdfMaxPagesPerSlide: 1,
  plugins: [RevealNotes],
  slideNumber: "c/t",
  transition: "none",
  viewDistance: 99,
  width: 1280,
})
  .then(() => root.offsetHeight && document.fonts.ready) // measuring makes the browser ask for the fonts of all slides
  .then(() => {
    // A displayed formula that is wider than its place is set smaller.
    for (const formula of document.querySelectorAll(".slides div.math mjx-container")) {
      const share = formula.clientWidth / formula.scrollWidth;
      if (share < 1) formula.style.fontSize = `${108 * share}%`;
    }
    root.classList.add("fitted");
  });

Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Light or dark" }, () => {
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
});

// A slider that the pointer has moved gives the keys back to the deck; who came to it by Tab keeps them.
addEventListener("pointerup", () => document.activeElement.matches("input") && document.activeElement.blur(), true);
