// Live figures: points in the plane that a reader moves, adds and takes away, and what a method makes of them at once.

import { make, onTheme, open, Slider } from "./elements.js";
import { curveSteps } from "./curve_steps.js";
import { graphPath } from "./graph_path.js";
import { isomapMap } from "./isomap_map.js";
import { kernelLevels } from "./kernel_levels.js";
import { longerRoad } from "./longer_road.js";
import { mixtureSteps } from "./mixture_steps.js";
import { ARROWS, fixed, nearest } from "./numbers.js";
import { Pen } from "./pen.js";
import { principalLine } from "./principal_line.js";
import { pulledThreads } from "./pulled_threads.js";
import { randomLines } from "./random_lines.js";
import { rebuiltPoint } from "./rebuilt_point.js";
import { softSprings } from "./soft_springs.js";
import { play } from "./sound.js";
import { tsneSteps } from "./tsne_steps.js";
import { unmixedSounds } from "./unmixed_sounds.js";

// A figure computes what it draws from the points, the value of its slider, and what it found before (`compute`), says
// it in a sentence (`say`), and draws it behind the points (`draw`). One that finds a `map` (n, 2) has a second view
// (`drawMap`), in the scale of the points if lengths are compared (`inOneScale`), and one that shows something else
// beside the points draws it on the unit square (`drawBeside`, below the words `beside`). One that goes on by itself
// takes steps (`step`, `most` of them), one that leaves something to chance is drawn `again`, and one of `sounds` is
// heard.
const FIGURES = {
  "principal line": principalLine,
  "graph path": graphPath,
  "Isomap": isomapMap,
  "kernel PCA": kernelLevels,
  "longer road": longerRoad,
  "rebuilt point": rebuiltPoint,
  "Laplacian eigenmap": softSprings,
  "SDE": pulledThreads,
  "mixture": mixtureSteps,
  "ICA": unmixedSounds,
  "random projection": randomLines,
  "principal curve": curveSteps,
  "t-SNE": tsneSteps,
};
const GRASP = 24; // how near to a dot a finger or the mouse must come, in pixels
const [DOT, LARGEST] = [5, 1 / 55]; // radius of a point: in pixels, and at most this share of a view
const [STEP, SMALL] = [0.02, 0.004]; // of the width, for one press of an arrow key, and with Shift
const REMEMBERED = 100; // how many changes can be undone
const WHILE_DRAGGED = 1e-6; // residual of eigenvectors: a frame later they are others
const RIM = 28; // around a map in its view, in pixels, where its title is

// Points (n, 2) as a flat array, without point i, or with one more.
export function without(points, i) {
  return points.filter((_, place) => place >> 1 !== i);
}

export function withPoint(points, [x, y]) {
  return Float64Array.from([...points, x, y]);
}

// Points with point i at another place, within a box of [left, right, bottom, top].
export function withMoved(points, i, [x, y], [left, right, bottom, top]) {
  const changed = Float64Array.from(points);
  changed[2 * i] = Math.min(Math.max(x, left), right);
  changed[2 * i + 1] = Math.min(Math.max(y, bottom), top);
  return changed;
}

// What a figure finds in points, for a value of its slider, and what it says of that, or the sentence by which it refuses
// them. Eigenvectors start from those that it found before, so that no axis flips while a point is dragged.
export function answered(name, points, value, { previous, tolerance, draw } = {}) {
  const figure = FIGURES[name];
  try {
    const found = figure.compute(points, points.length / 2, { value, previous, start: previous?.block, tolerance, draw });
    return { found, sentence: figure.say(found) };
  } catch (error) {
    if (error.constructor !== Error) throw error; // a mistake, not a refusal
    return { sentence: error.message };
  }
}

// What a figure finds after some steps more, and says of it.
export function steppedOn(name, found, times = 1) {
  const { step, say } = FIGURES[name];
  for (let k = 0; k < times; k++) found = step(found);
  return { found, sentence: say(found) };
}

export class Live {
  constructor(model, el) {
    Object.assign(this, { model, el, data: model.get("data"), chosen: -1, dragged: -1, past: [], running: false, draws: 0 });
    this.figure = FIGURES[this.data.figure];
    open(el, this.data.alt);
    this.canvas = make("canvas", { role: "application", tabindex: 0, "aria-label": this.data.alt, class: "explorer-live" });
    const { beside, drawMap, again, sounds } = this.figure;
    const second = drawMap ? "The map of these points" : beside;
    this.second = second && make("canvas", { role: "img", "aria-label": second, class: "explorer-beside" });
    this.readout = make("output");
    this.point = make("div", { class: "explorer-point", "aria-live": "polite" });
    this.canvas.ariaDescribedByElements = [this.point];
    this.buttons = {
      ...(this.figure.step && { run: this.makeButton("Play", () => this.run()), once: this.makeButton("One step", () => this.go()) }),
      ...(again && { redraw: this.makeButton(again, () => this.drawAgain()) }),
      ...(this.data.most > this.data.least && {
        add: this.makeButton("Add a point", () => this.add()),
        take: this.makeButton("Delete", () => this.take()),
      }),
      undo: this.makeButton("Undo", () => this.undo()),
      again: this.makeButton("Start again", () => this.startAgain()),
    };
    el.append(make("p", { class: "explorer-invitation" }, this.data.invitation));
    if (this.second) {
      el.classList.add("explorer-touched");
      el.append(make("div", { class: "explorer-views" }, this.canvas, this.second));
    } else el.append(this.canvas);
    if (this.data.values) this.offerValues();
    el.append(this.readout, make("div", { class: "explorer-row" }, ...Object.values(this.buttons)));
    if (sounds) el.append(this.makeSounds(sounds));
    el.append(this.point);
    this.points = this.first = this.given();
    this.listen();
    this.solve();
    this.describe();
    this.resized = new ResizeObserver(() => this.redraw());
    this.resized.observe(this.canvas);
    this.forget = onTheme(() => this.redraw());
    model.on("change:points", this.reload = () => this.takeOver());
  }

  offerValues() {
    this.slider = new Slider(this.data.parameter, () => this.solve());
    this.slider.offer(this.data.values, this.data.start);
    this.el.append(this.slider.element);
  }

  given() {
    return Float64Array.from(this.model.get("points").flat());
  }

  // Points that the kernel has set take the place of these; those that it was told by this figure are the same ones.
  takeOver() {
    const points = this.given();
    if (String(points) !== String(this.points)) this.change(points);
  }

  makeButton(label, pressed) {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", pressed);
    return button;
  }

  makeSounds(sounds) {
    const buttons = Object.entries(sounds).map(([name, waveOf]) =>
      this.makeButton(name, () => this.found && play(waveOf(this.found), this.figure.seconds)),
    );
    return make("div", { class: "explorer-row", role: "group", "aria-label": "Listen" }, "Listen:", ...buttons);
  }

  get n() {
    return this.points.length / 2;
  }

  get value() {
    return this.slider?.values[this.slider.index];
  }

  place(i) {
    return this.points.subarray(2 * i, 2 * i + 2);
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.grasp(event));
    canvas.addEventListener("pointermove", (event) => {
      if (this.dragged >= 0) this.move(this.dragged, this.pen().back([event.offsetX, event.offsetY]));
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.letGo());
    // A finger on a point moves it; anywhere else it scrolls the page
    canvas.addEventListener("touchstart", (event) => this.dragged >= 0 && event.preventDefault(), { passive: false });
    canvas.addEventListener("dblclick", (event) => {
      if (this.under(event) < 0) this.add(this.pen().back([event.offsetX, event.offsetY]));
    });
    canvas.addEventListener("keydown", (event) => this.press(event));
    canvas.addEventListener("focus", () => (this.left = false));
  }

  // The point under the pointer, or -1.
  under({ offsetX, offsetY }) {
    const pen = this.pen();
    const dots = Array.from({ length: this.n }, (_, i) => pen.at(this.place(i))).flat();
    return nearest(dots, offsetX, offsetY, GRASP);
  }

  grasp(event) {
    this.dragged = this.under(event);
    this.choose(this.dragged);
    this.before = this.points;
    if (this.dragged >= 0) this.canvas.setPointerCapture(event.pointerId);
  }

  letGo() {
    if (this.dragged < 0) return;
    this.dragged = -1;
    if (this.points !== this.before) {
      this.remember(this.before);
      this.solve();
    }
    this.describe();
  }

  press(event) {
    const { key, shiftKey } = event;
    if (event.ctrlKey || event.metaKey) {
      if (key !== "z") return;
      this.undo();
    } else if (event.altKey) return;
    else if (key in ARROWS) {
      if (this.chosen < 0) this.choose(0);
      else this.walk(ARROWS[key], shiftKey ? SMALL : STEP);
    } else if (key === "Tab") {
      const next = this.chosen + (shiftKey ? -1 : 1);
      const isOn = !this.left && next >= 0 && next < this.n;
      this.choose(isOn ? next : -1);
      if (!isOn) return; // on to what comes next on the page
    } else if (key === "Escape") {
      this.left = true; // the next Tab leads on
      this.choose(-1);
    } else if (key === "Enter") this.add();
    else if (key === "Delete" || key === "Backspace") this.take();
    else return;
    event.preventDefault();
  }

  // One press of an arrow key: a share of the width.
  walk([right, down], share) {
    const [left, end] = this.data.box;
    const step = (end - left) * share;
    const [x, y] = this.place(this.chosen);
    this.remember(this.points);
    this.move(this.chosen, [x + right * step, y - down * step]);
    this.describe();
  }

  choose(i) {
    if (i >= 0) this.left = false;
    this.chosen = i;
    this.describe();
    this.redraw();
  }

  remember(points) {
    this.past = [...this.past.slice(1 - REMEMBERED), points];
  }

  move(i, place) {
    this.points = withMoved(this.points, i, place, this.data.box);
    this.tell();
    this.solve();
  }

  // Points that take the place of these, in one step that can be undone.
  change(points) {
    this.remember(this.points);
    this.points = points;
    this.settle();
  }

  add(place) {
    if (this.n >= this.data.most) return;
    const [left, right, bottom, top] = this.data.box;
    const middle = [(left + right) / 2, (bottom + top) / 2];
    this.change(withPoint(this.points, place ?? middle));
    this.choose(this.n - 1);
  }

  take() {
    if (this.chosen < 0 || this.n <= this.data.least) return;
    this.change(without(this.points, this.chosen));
    this.choose(-1);
  }

  // Another draw of what the figure leaves to chance.
  drawAgain() {
    this.draws++;
    this.solve();
  }

  startAgain() {
    this.halt();
    this.found = null;
    this.draws = 0;
    this.slider?.move(this.data.start);
    this.change(this.first);
    this.choose(-1);
  }

  undo() {
    if (!this.past.length) return;
    this.points = this.past.pop();
    this.settle();
  }

  settle() {
    this.chosen = Math.min(this.chosen, this.n - 1);
    this.tell();
    this.solve();
    this.describe();
  }

  // In JupyterLab, what is drawn is data for the next cell.
  tell() {
    this.model.set("points", Array.from({ length: this.n }, (_, i) => Array.from(this.place(i))));
    this.model.save_changes();
  }

  // Steps that are taken by themselves, or all at once where the reader wants no motion.
  run() {
    if (this.running) return this.halt();
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return this.go(this.figure.most);
    this.running = true;
    this.buttons.run.textContent = "Pause";
    this.readout.setAttribute("aria-live", "off");
    this.redraw();
  }

  halt() {
    if (!this.running) return;
    this.running = false;
    this.buttons.run.textContent = "Play";
    this.readout.removeAttribute("aria-live");
  }

  go(times = 1) {
    if (this.stale) this.find();
    if (!this.found) return this.halt(); // refused
    this.show(steppedOn(this.data.figure, this.found, times));
    if (this.found.taken % this.figure.most === 0) this.halt();
    this.redraw();
  }

  describe() {
    this.buttons.undo.disabled = !this.past.length;
    const { least, most } = this.data;
    if (this.buttons.take) this.buttons.take.disabled = this.chosen < 0 || this.n <= least;
    if (this.buttons.add) this.buttons.add.disabled = this.n >= most;
    const { activeElement } = document;
    if (this.el.contains(activeElement) && activeElement.disabled) this.canvas.focus({ preventScroll: true }); // keys go on
    const [x, y] = this.chosen < 0 ? [] : this.place(this.chosen);
    this.point.textContent =
      this.chosen < 0
        ? `${this.n} points.${this.saidOfKeys()}`
        : `Point ${this.chosen + 1} of ${this.n} at ${fixed(x)}, ${fixed(y)}`;
  }

  // What keys do, where there may be some: not on a phone or a tablet.
  saidOfKeys() {
    if (!window.matchMedia("(any-pointer: fine)").matches) return "";
    const { least, most } = this.data;
    const change = most > least ? "Enter adds, Delete takes away, " : "";
    return ` By keys: Tab chooses one, arrows move it, ${change}Escape leaves.`;
  }

  pen(canvas = this.canvas, box = this.data.box) {
    return new Pen(canvas, box, this.data);
  }

  // What the points give has to be found anew before it is drawn.
  solve() {
    this.stale = true;
    this.redraw();
  }

  find() {
    this.stale = false;
    const tolerance = this.dragged >= 0 ? WHILE_DRAGGED : undefined;
    const options = { previous: this.found ?? undefined, tolerance, draw: this.draws };
    this.show(answered(this.data.figure, this.points, this.value, options));
  }

  show({ found, sentence }) {
    this.found = found;
    this.readout.textContent = sentence;
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      if (this.stale) this.find();
      this.draw();
      if (this.running) this.go();
    });
  }

  draw() {
    const pen = this.pen();
    pen.clear();
    if (this.second) pen.title("the points");
    if (this.found) this.figure.draw(this.found, this.points, pen);
    this.drawDots(pen, this.points);
    if (this.figure.drawMap) this.drawMap();
    else if (this.second) this.drawBeside();
  }

  drawMap() {
    const { clientWidth: side } = this.second;
    const [left, right] = this.data.box;
    const least = this.figure.inOneScale ? (right - left) / 2 : 0;
    const size = Math.max((Math.max(...(this.found?.map.map(Math.abs) ?? [1])) * side) / (side - 2 * RIM), least);
    const pen = this.pen(this.second, [-size, size, -size]);
    pen.clear();
    pen.title("the map");
    if (!this.found) return;
    this.figure.drawMap(this.found, pen);
    this.drawDots(pen, this.found.map);
  }

  drawBeside() {
    const pen = this.pen(this.second, [0, 1, 0]);
    pen.clear();
    pen.title(this.figure.beside);
    if (this.found) this.figure.drawBeside(this.found, pen);
  }

  // The points, the chosen one in a ring.
  drawDots(pen, places) {
    const { isShaded, ends } = this.figure;
    const share = (i) => this.found?.shades?.[i] ?? i / Math.max(this.n - 1, 1);
    const shade = (i) => (!isShaded ? "points" : ends ? pen.between(ends, share(i)) : share(i));
    const radius = Math.min(DOT, pen.side * LARGEST);
    const dot = (i, size) => pen.dot(shade(i), places.subarray(2 * i, 2 * i + 2), size * radius);
    for (let i = 0; i < this.n; i++) dot(i, 1);
    if (this.chosen < 0) return;
    dot(this.chosen, 1.6);
    pen.stroke("chosen", 2.5);
  }

  close() {
    this.halt();
    this.forget();
    cancelAnimationFrame(this.pending);
    this.resized.disconnect();
    this.model.off("change:points", this.reload);
  }
}
