// What moves in the book: explorers (points beside their embedding, one frame for each value of a parameter),
// sweeps (pictures over a grid) and the gallery (many maps to choose from). The form is that of an anywidget
// front end, without imports: `render` gets a model that holds the data, as explorer.py and sweeps.py wrote them,
// and an empty element. In JupyterLab the model also passes messages to the kernel; on a page of the book, no one
// answers them.

const EASING = 300; // duration of a transition, in milliseconds
const STAY = 900; // how long the play button stays at a frame
const REACH = 24; // how near to a dot the pointer must be, in pixels
const RADIUS = 3; // of a dot
const TURN = 0.1; // radians for one press of an arrow key
const RING = ["#d04e00", "#e35a1c"]; // around the highlighted dot, on a light and on a dark ground

// --- Numbers -----------------------------------------------------------------------------------------------

// Numbers from -1 to 1, sent as 16-bit integers in base64.
function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return Float32Array.from(new Int16Array(bytes.buffer), (integer) => integer / 32767);
}

// Fast first and slow at the end, from 0 to 1.
function ease(share) {
  return 1 - (1 - Math.min(Math.max(share, 0), 1)) ** 3;
}

// Points (x, y, z) as a camera sees them: right, up and near, for its two angles as Matplotlib counts them.
function rotate(points, azimuth, elevation) {
  const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
  const seen = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = points.subarray(i, i + 3);
    const toward = ca * x + sa * y;
    seen[i] = ca * y - sa * x;
    seen[i + 1] = ce * z - se * toward;
    seen[i + 2] = ce * toward + se * z;
  }
  return seen;
}

// Index of the dot nearest to (x, y), or -1 if none is within reach; dots are pairs of coordinates.
function nearest(dots, x, y, reach) {
  let [found, least] = [-1, reach ** 2];
  for (let i = 0; 2 * i < dots.length; i++) {
    const distance = (dots[2 * i] - x) ** 2 + (dots[2 * i + 1] - y) ** 2;
    if (distance <= least) [found, least] = [i, distance];
  }
  return found;
}

// Index of the next dot in a direction: a short way along it, and little to the side; the dot itself if there is none.
function neighbor(dots, from, [right, down]) {
  let [found, least] = [from, Infinity];
  for (let i = 0; 2 * i < dots.length; i++) {
    const [dx, dy] = [dots[2 * i] - dots[2 * from], dots[2 * i + 1] - dots[2 * from + 1]];
    const [along, aside] = [dx * right + dy * down, Math.abs(dx * down - dy * right)];
    if (along > Math.max(1, aside) && along + 2 * aside < least) [found, least] = [i, along + 2 * aside];
  }
  return found;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// --- Elements ----------------------------------------------------------------------------------------------

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A native range input over a list of values, which speaks the value instead of its position.
class Slider {
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

// Start the explorer's element: JupyterLab would take arrow keys pressed inside for its own commands.
function open(el, label) {
  el.classList.add("explorer");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", label);
  el.addEventListener("keydown", (event) => {
    if (/^(Arrow|Home|End|Page|Enter| $)/.test(event.key)) event.stopPropagation();
  });
}

// Whether the letters of an element are light, and so its ground dark: on pages and in JupyterLab alike.
function isDark(el) {
  const [red, green, blue] = getComputedStyle(el.isConnected ? el : document.body).color.match(/[\d.]+/g).map(Number);
  return red + green + blue > 382;
}

// Call when the reader changes from light to dark or back; what is returned ends this.
function onTheme(changed) {
  const seen = new MutationObserver(changed);
  seen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  seen.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  return () => seen.disconnect();
}

// --- Views: canvases that share the colors of the dots and the highlighted dot -----------------------------

class View {
  constructor(scene, label) {
    this.scene = scene;
    this.canvas = make("canvas", { role: "img", tabindex: 0, "aria-label": label });
    this.context = this.canvas.getContext("2d");
    this.resized = new ResizeObserver(() => this.paint());
    this.resized.observe(this.canvas);
    this.dots = new Float32Array(0); // where the dots are, in pixels of the page
    for (const kind of ["pointerdown", "pointermove"]) {
      this.canvas.addEventListener(kind, (event) => {
        const found = nearest(this.dots, event.offsetX, event.offsetY, REACH);
        if (found >= 0) scene.light(found);
      });
    }
  }

  paint() {
    const { canvas, context } = this;
    const [side, sharpness] = [canvas.clientWidth, window.devicePixelRatio];
    canvas.width = canvas.height = Math.round(side * sharpness);
    context.scale(sharpness, sharpness);
    this.draw(context, side);
  }

  // Letters as those of the page.
  setLetters(context) {
    const { color, fontFamily } = getComputedStyle(this.canvas);
    context.fillStyle = color;
    context.font = `13px ${fontFamily}`;
  }

  // Dots in a given order, the highlighted one last and larger, in a ring.
  drawDots(context, order) {
    const { colors, lit } = this.scene;
    for (const i of order) this.drawDot(context, i, RADIUS, colors[i]);
    if (lit < 0) return;
    this.drawDot(context, lit, 2.5 * RADIUS, colors[lit]);
    context.lineWidth = 2.5;
    context.strokeStyle = RING[Number(isDark(this.canvas))];
    context.stroke();
  }

  drawDot(context, i, radius, color) {
    context.fillStyle = color;
    context.beginPath();
    context.arc(this.dots[2 * i], this.dots[2 * i + 1], radius, 0, 2 * Math.PI);
    context.fill();
  }
}

class EmbeddingView extends View {
  constructor(scene, label, axes) {
    super(scene, label);
    this.axes = axes;
    this.frame = new Float32Array(0);
    this.canvas.addEventListener("keydown", (event) => {
      if (!(event.key in ARROWS)) return;
      event.preventDefault();
      scene.light(neighbor(this.dots, Math.max(scene.lit, 0), ARROWS[event.key]));
    });
  }

  draw(context, side) {
    const [middle, unit] = [side / 2, 0.44 * side];
    this.dots = this.frame.map((value, i) => middle + (i % 2 ? -unit : unit) * value);
    this.drawAxes(context, side);
    this.drawDots(context, this.scene.colors.keys());
  }

  drawAxes(context, side) {
    this.setLetters(context);
    context.textAlign = "center";
    context.fillText(`${this.axes[0]} →`, side / 2, side - 4);
    context.save();
    context.rotate(-Math.PI / 2);
    context.fillText(`${this.axes[1]} →`, -side / 2, 12);
    context.restore();
  }
}

class PointsView extends View {
  constructor(scene, label, points, camera) {
    super(scene, label);
    this.points = points;
    [this.azimuth, this.elevation] = camera.map((degrees) => (degrees * Math.PI) / 180);
    this.canvas.classList.add("explorer-turns");
    this.canvas.addEventListener("keydown", (event) => {
      if (!(event.key in ARROWS)) return;
      event.preventDefault();
      this.turn(...ARROWS[event.key].map((step) => step * TURN));
    });
    this.canvas.addEventListener("pointerdown", (event) => this.canvas.setPointerCapture(event.pointerId));
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) this.turn(event.movementX / 100, event.movementY / 100);
    });
  }

  turn(right, down) {
    this.azimuth -= right;
    this.elevation += down;
    this.scene.redraw();
  }

  draw(context, side) {
    const seen = rotate(this.points, this.azimuth, this.elevation);
    const [middle, unit, count] = [side / 2, 0.46 * side, seen.length / 3];
    this.dots = new Float32Array(2 * count);
    for (let i = 0; i < count; i++) {
      this.dots[2 * i] = middle + unit * seen[3 * i];
      this.dots[2 * i + 1] = middle - unit * seen[3 * i + 1];
    }
    const farFirst = Array.from({ length: count }, (_, i) => i).sort((i, j) => seen[3 * i + 2] - seen[3 * j + 2]);
    this.drawDots(context, farFirst);
  }
}

// The image of the highlighted point, cut out of one sheet that holds all of them, row by row.
class ImageView extends View {
  constructor(scene, label, sheet) {
    super(scene, label);
    this.sheet = sheet;
    this.canvas.classList.add("explorer-image");
    this.picture = new Image();
    this.picture.addEventListener("load", () => this.paint());
    this.picture.src = sheet.url;
  }

  draw(context, side) {
    const { columns, size } = this.sheet;
    const [column, row] = [this.scene.lit % columns, Math.floor(this.scene.lit / columns)];
    context.imageSmoothingQuality = "high";
    context.drawImage(this.picture, column * size, row * size, size, size, 0, 0, side, side);
  }
}

// The colors of the dots, and those that they are taken from, on the ground of an element.
function shaded({ levels, night, palette }, el) {
  const shades = (isDark(el) && night) || palette;
  return { colors: levels.map((level) => shades[level]), palette: shades };
}

// --- The explorer ------------------------------------------------------------------------------------------

class Explorer {
  constructor(model, el) {
    Object.assign(this, { model, el });
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.data = model.get("data");
    this.lit = this.data.sheet ? 0 : -1;
    open(el, this.data.alt);
    this.views = this.makeViews();
    this.embedding = this.views[1];
    this.slider = new Slider(this.data.parameter, () => {
      this.pause();
      this.show();
    });
    this.readout = make("output");
    this.legend = make("span");
    this.point = make("div", { class: "explorer-point", "aria-live": "polite" });
    el.append(
      make("div", { class: "explorer-views" }, ...this.views.map((view) => view.canvas)),
      this.readout,
      make("div", { class: "explorer-row" }, this.makePlay(), this.slider.element, this.makeRecompute()),
      make("div", { class: "explorer-row" }, ...this.makeColorChoice(), this.legend),
      this.point,
    );
    this.coloring = 0;
    this.paintWith();
    this.load();
    this.forget = onTheme(() => {
      this.paintWith();
      this.redraw();
    });
    model.on("change:data", this.reload = () => this.load());
    model.on("msg:custom", this.hear = (message) => this.listen(message));
    model.send("ping");
  }

  makeViews() {
    const { alt, axes, camera, points, sheet } = this.data;
    const left = sheet
      ? new ImageView(this, "Image of the highlighted point.", sheet)
      : new PointsView(this, "The data in three dimensions; arrow keys turn them.", unpack(points), camera);
    return [left, new EmbeddingView(this, `${alt} Arrow keys go from point to point.`, axes)];
  }

  // Take the frames from the model: at the start, and whenever the kernel has recomputed them.
  load() {
    const before = this.slider.values?.[this.slider.index];
    this.data = this.model.get("data");
    const { action, frames, readouts, start, values } = this.data;
    this.frames = frames.map(unpack);
    this.readouts = readouts;
    this.recompute.textContent = action;
    this.slider.offer(values, values.includes(before) ? values.indexOf(before) : start);
    this.show(before === undefined);
  }

  show(atOnce = false) {
    this.from = this.embedding.frame;
    this.to = this.frames[this.slider.index];
    this.started = atOnce || this.still ? -Infinity : performance.now();
    this.readout.textContent = this.readouts[this.slider.index];
    this.redraw();
  }

  redraw() {
    this.pending ??= requestAnimationFrame((now) => this.draw(now));
  }

  draw(now) {
    this.pending = null;
    const share = ease((now - this.started) / EASING);
    this.embedding.frame = share < 1 ? this.to.map((end, i) => this.from[i] + (end - this.from[i]) * share) : this.to;
    for (const view of this.views) view.paint();
    if (share < 1) this.redraw();
  }

  // Highlight a dot in both views, and state its true coordinates.
  light(index) {
    if (index === this.lit) return;
    this.lit = index;
    this.describe();
    this.redraw();
  }

  describe() {
    if (this.lit < 0) return;
    const said = this.data.colorings.map(({ label, values }) => `${label}: ${values[this.lit]}`);
    this.point.textContent = `Point ${this.lit + 1} · ${said.join(" · ")}`;
  }

  makePlay() {
    this.play = make("button", { type: "button" }, "Play");
    this.play.addEventListener("click", () => (this.playing ? this.pause() : this.start()));
    return this.play;
  }

  start() {
    this.play.textContent = "Pause";
    this.playing = setInterval(() => this.advance(), STAY);
    this.advance();
  }

  advance() {
    this.slider.move((this.slider.index + 1) % this.frames.length);
    this.show();
  }

  pause() {
    clearInterval(this.playing);
    this.playing = null;
    this.play.textContent = "Play";
  }

  // The button appears when the kernel has answered that it is there.
  makeRecompute() {
    this.recompute = make("button", { type: "button", hidden: true });
    this.recompute.addEventListener("click", () => {
      this.readout.textContent = "The kernel is computing …";
      this.model.send("recompute");
    });
    return this.recompute;
  }

  listen(message) {
    if (message === "pong") this.recompute.hidden = false;
    else this.readout.textContent = message;
  }

  makeColorChoice() {
    const { colorings } = this.data;
    if (colorings.length === 1) return [make("span", {}, `Color: ${colorings[0].label}`)];
    const options = colorings.map(({ label }, i) => make("option", { value: i }, label));
    const choice = make("select", {}, ...options);
    choice.addEventListener("change", () => {
      this.coloring = Number(choice.value);
      this.paintWith();
      this.redraw();
    });
    return [make("label", {}, "Color ", choice)];
  }

  paintWith() {
    const { ends, names } = this.data.colorings[this.coloring];
    const { colors, palette } = shaded(this.data.colorings[this.coloring], this.el);
    this.colors = colors;
    this.legend.replaceChildren(
      ...(names
        ? names.flatMap((name, i) => [make("span", { class: "explorer-swatch", style: `background: ${palette[i]}` }), name])
        : [ends[0], make("span", { class: "explorer-bar", style: `background: linear-gradient(90deg, ${palette})` }), ends[1]]),
    );
    this.describe();
  }

  close() {
    this.pause();
    this.forget();
    cancelAnimationFrame(this.pending);
    for (const view of this.views) view.resized.disconnect();
    this.model.off("change:data", this.reload);
    this.model.off("msg:custom", this.hear);
  }
}

// --- The sweep ---------------------------------------------------------------------------------------------

function renderSweep(model, el) {
  const { alt, axes, frames, height, legible, readouts, width } = model.get("data");
  open(el, alt);
  const picture = make("img", { class: "dark-light", width, height, style: `--legible: ${legible}px` });
  const box = make("div", { class: "drawing" }, picture);
  const readout = make("output");
  const sliders = axes.map(({ name }) => new Slider(name, show));
  axes.forEach(({ values, start }, i) => sliders[i].offer(values, start));
  function show() {
    const at = sliders.reduce((place, slider) => place * slider.values.length + slider.index, 0);
    picture.src = frames[at] + (isDark(el) ? "#night" : "");
    picture.alt = `${alt} Here ${sliders.map((slider) => slider.text).join(", ")}. ${readouts[at]}`;
    readout.textContent = readouts[at];
  }
  show();
  // The drawings are on their way before a slider moves.
  const ask = () => frames.forEach((frame) => (make("img").src = frame));
  for (const near of ["pointerenter", "focusin"]) el.addEventListener(near, ask, { once: true });
  el.append(box, readout, make("div", { class: "explorer-row" }, ...sliders.map((slider) => slider.element)));
  return onTheme(show);
}

// --- The gallery -------------------------------------------------------------------------------------------

class NamedView extends EmbeddingView {
  drawAxes(context, side) {
    this.setLetters(context);
    context.textAlign = "center";
    context.fillText(this.axes, side / 2, 14);
  }
}

// Maps of one data set at a time. The marked ones are shown large at the top and share the highlighted dot.
class Gallery {
  constructor(model, el) {
    const { alt, sets } = model.get("data");
    Object.assign(this, { el, sets, lit: -1, views: [], marked: new Set(), hidden: new Set() });
    open(el, alt);
    this.data = this.makeChoice(sets.map(({ name }) => name), () => this.load());
    this.order = this.makeChoice([], () => this.show());
    this.families = make("div", { class: "explorer-row", role: "group", "aria-label": "Families of methods" });
    this.large = make("div", { class: "explorer-views" });
    this.point = make("div", { class: "explorer-point", "aria-live": "polite" });
    this.grid = make("div", { class: "explorer-gallery" });
    el.append(
      make(
        "div",
        { class: "explorer-row" },
        make("label", {}, "Data ", this.data),
        make("label", {}, "Order by ", this.order),
      ),
      this.families,
      this.large,
      this.point,
      this.grid,
    );
    for (const family of new Set(sets[0].maps.map((map) => map.family))) this.families.append(this.makeFilter(family));
    this.load();
    this.forget = onTheme(() => this.load());
  }

  makeChoice(names, changed) {
    const choice = make("select", {}, ...names.map((name, i) => make("option", { value: i }, name)));
    choice.addEventListener("change", changed);
    return choice;
  }

  makeFilter(family) {
    const box = make("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => {
      if (box.checked) this.hidden.delete(family);
      else this.hidden.add(family);
      this.show();
    });
    return make("label", {}, box, ` ${family}`);
  }

  // Take a data set: its colors, the measures it can be ordered by, and a card for every map.
  load() {
    this.set = this.sets[Number(this.data.value)];
    this.colors = shaded(this.set.coloring, this.el).colors;
    this.lit = -1;
    this.point.textContent = `Color: ${this.set.coloring.label}. Mark maps to compare them.`;
    const before = this.order.selectedOptions[0]?.textContent;
    this.measures = ["family", ...new Set(this.set.maps.flatMap(({ measures }) => measures.map(([name]) => name)))];
    this.order.replaceChildren(...this.measures.map((name, i) => make("option", { value: i }, name)));
    this.order.value = Math.max(0, this.measures.indexOf(before));
    this.cards = this.set.maps.map((map) => ({ map, element: this.makeCard(map) }));
    this.show();
    this.compare();
  }

  makeCard({ method, measures, frame, refusal }) {
    const mark = make("input", { type: "checkbox" });
    mark.checked = this.marked.has(method);
    mark.disabled = !frame;
    mark.addEventListener("change", () => {
      if (mark.checked) this.marked.add(method);
      else this.marked.delete(method);
      this.compare();
    });
    const lines = measures.map(([name, value]) => `${name} ${value}`.replaceAll(" ", "\u00a0"));
    const said = refusal ?? lines.join(" · ");
    const card = make("div", {}, make("label", {}, mark, ` ${method}`), make("small", {}, said));
    if (frame) card.prepend(this.makeThumbnail(unpack(frame), `Map by ${method}: ${said}.`));
    return card;
  }

  makeThumbnail(frame, label) {
    const side = 320;
    const canvas = make("canvas", { role: "img", "aria-label": label, width: side, height: side });
    const context = canvas.getContext("2d");
    for (let i = 0; 2 * i < frame.length; i++) {
      context.fillStyle = this.colors[i];
      context.fillRect(side * (0.5 + 0.47 * frame[2 * i]) - 2, side * (0.5 - 0.47 * frame[2 * i + 1]) - 2, 4, 4);
    }
    return canvas;
  }

  // The cards of the chosen families, in the chosen order: quickest or best first.
  show() {
    const measure = this.measures[Number(this.order.value)];
    const sign = measure === "seconds" ? 1 : -1;
    const rank = ({ map: { measures } }) => sign * (new Map(measures).get(measure) ?? sign * Infinity);
    const shown = this.cards.filter(({ map }) => !this.hidden.has(map.family));
    if (measure !== "family") shown.sort((one, other) => rank(one) - rank(other));
    this.grid.replaceChildren(...shown.map(({ element }) => element));
  }

  compare() {
    for (const view of this.views) view.resized.disconnect();
    const chosen = this.set.maps.filter(({ method, frame }) => frame && this.marked.has(method));
    this.views = chosen.map(({ method, frame }) => {
      const view = new NamedView(this, `Map by ${method}. Arrow keys go from point to point.`, method);
      view.frame = unpack(frame);
      return view;
    });
    this.large.replaceChildren(...this.views.map(({ canvas }) => canvas));
    this.redraw();
  }

  light(index) {
    if (index === this.lit) return;
    this.lit = index;
    this.point.textContent = `Point ${index + 1} · ${this.set.coloring.label}: ${this.set.coloring.values[index]}`;
    this.redraw();
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      for (const view of this.views) view.paint();
    });
  }

  close() {
    this.forget();
    cancelAnimationFrame(this.pending);
    for (const view of this.views) view.resized.disconnect();
  }
}

function render({ model, el }) {
  const { kind } = model.get("data");
  if (kind === "sweep") return renderSweep(model, el);
  const figure = kind === "gallery" ? new Gallery(model, el) : new Explorer(model, el);
  return () => figure.close();
}

export { ease, nearest, neighbor, rotate, unpack };
export default { render };
