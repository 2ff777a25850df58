// What the figures that move are built of: elements, sliders, and the theme of the page.

const STAY = 900; // how long a value stays that is played, in milliseconds

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A native range input over a list of values, which speaks the value instead of its position.
export class Slider {
  constructor(name, moved) {
    this.name = name;
    this.input = make("input", { type: "range", min: 0, step: 1, "aria-label": name });
    this.value = make("span", { class: "explorer-value", "aria-hidden": true });
    this.element = make("label", { class: "explorer-slider" }, make("span", {}, name), this.input, this.value);
    this.input.addEventListener("input", () => {
      this.tell();
      moved();
    });
  }

  get index() {
    return Number(this.input.value);
  }

  get text() {
    return `${this.name} = ${this.values[this.index]}`;
  }

  offer(values, index) {
    this.values = values;
    this.input.max = values.length - 1;
    this.move(index);
  }

  move(index) {
    this.input.value = index;
    this.tell();
  }

  tell() {
    this.value.textContent = this.values[this.index];
    this.input.setAttribute("aria-valuetext", this.text);
  }
}

// A button that moves a slider on by itself, from its last value to the first, until it is pressed again.
export class Player {
  constructor(slider, moved) {
    Object.assign(this, { slider, moved, button: make("button", { type: "button" }, "Play") });
    this.button.addEventListener("click", () => (this.playing ? this.pause() : this.start()));
  }

  start() {
    this.button.textContent = "Pause";
    this.playing = setInterval(() => this.advance(), STAY);
    this.advance();
  }

  advance() {
    this.slider.move((this.slider.index + 1) % this.slider.values.length);
    this.moved();
  }

  pause() {
    clearInterval(this.playing);
    this.playing = null;
    this.button.textContent = "Play";
  }
}

// Start the explorer's element: JupyterLab would take keys pressed inside for its own commands.
export function open(el, label) {
  el.classList.add("explorer");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", label);
  el.addEventListener("keydown", (event) => {
    if (/^(Arrow|Home|End|Page|Enter|Delete|Backspace|Escape|[ z]$)/.test(event.key)) event.stopPropagation();
  });
}

// What renders a model by the figure of its kind, and returns how to end that.
export function rendererOf(kinds) {
  return ({ model, el }) => {
    const figure = new kinds[model.get("data").kind](model, el);
    return () => figure.close();
  };
}

// Whether the letters of an element are light, and so its ground dark: on pages and in JupyterLab alike.
export function isDark(el) {
  const [red, green, blue] = getComputedStyle(el.isConnected ? el : document.body).color.match(/[\d.]+/g).map(Number);
  return red + green + blue > 382;
}

// Call when the reader changes from light to dark or back; what is returned ends this.
export function onTheme(changed) {
  const seen = new MutationObserver(changed);
  seen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  seen.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  return () => seen.disconnect();
}

// The colors of the dots, and those that they are taken from, on the ground of an element.
export function shaded({ levels, night, palette }, el) {
  const shades = (isDark(el) && night) || palette;
  return { colors: levels.map((level) => shades[level]), palette: shades };
}

// What the colors of the dots mean: their two ends, or the name of each class.
export function legend({ ends, names }, palette) {
  if (names) return names.flatMap((name, i) => [make("span", { class: "explorer-swatch", style: `background: ${palette[i]}` }), name]);
  return [ends[0], make("span", { class: "explorer-bar", style: `background: linear-gradient(90deg, ${palette})` }), ends[1]];
}
