// Live figures: points in the plane that a reader moves, adds and takes away, and what a method makes of them at once.

import { isDark, make, onTheme, open } from "./elements.js";
import { ARROWS, nearest } from "./numbers.js";
import { principalLine } from "./principal_line.js";

const FIGURES = { "principal line": principalLine };
const GRASP = 24; // how near to a dot a finger or the mouse must come, in pixels
const DOT = 5; // radius of a point
const [STEP, SMALL] = [0.02, 0.004]; // of the width, for one press of an arrow key, and with Shift
const REMEMBERED = 100; // how many changes can be undone

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

// What a figure finds in points, and what it says of that, or the sentence by which it refuses them.
export function answered(name, points) {
  const { compute, say } = FIGURES[name];
  try {
    const found = compute(points, points.length / 2);
    return { found, sentence: say(found) };
  } catch (error) {
    if (error.constructor !== Error) throw error; // a mistake, not a refusal
    return { sentence: error.message };
  }
}

// Draws in the units of the points, in the colors of the theme.
class Pen {
  constructor(context, side, [left, right, bottom], colors) {
    Object.assign(this, { context, side, left, bottom, colors, unit: side / (right - left), reach: 2 * (right - left) });
  }

  at([x, y]) {
    return [(x - this.left) * this.unit, this.side - (y - this.bottom) * this.unit];
  }

  back([right, down]) {
    return [this.left + right / this.unit, this.bottom + (this.side - down) / this.unit];
  }

  path(points) {
    this.context.beginPath();
    for (const point of points) this.context.lineTo(...this.at(point));
  }

  stroke(color, width) {
    this.context.strokeStyle = this.colors[color];
    this.context.lineWidth = width;
    this.context.stroke();
  }

  line(color, from, to, width = 1.25) {
    this.path([from, to]);
    this.stroke(color, width);
  }

  curve(color, place, width = 1.25) {
    this.path(Array.from({ length: 97 }, (_, i) => place((i * Math.PI) / 48)));
    this.stroke(color, width);
  }

  dot(color, point, radius) {
    this.context.beginPath();
    this.context.arc(...this.at(point), radius, 0, 2 * Math.PI);
    this.context.fillStyle = this.colors[color];
    this.context.fill();
  }
}

export class Live {
  constructor(model, el) {
    Object.assign(this, { model, el, data: model.get("data"), chosen: -1, dragged: -1, past: [] });
    open(el, this.data.alt);
    this.canvas = make("canvas", { role: "application", tabindex: 0, "aria-label": this.data.alt, class: "explorer-live" });
    this.readout = make("output");
    this.point = make("div", { class: "explorer-point", "aria-live": "polite" });
    this.buttons = {
      add: this.makeButton("Add a point", () => this.add()),
      take: this.makeButton("Delete", () => this.take()),
      undo: this.makeButton("Undo", () => this.undo()),
      again: this.makeButton("Start again", () => this.startAgain()),
    };
    el.append(
      make("p", { class: "explorer-invitation" }, this.data.invitation),
      this.canvas,
      this.readout,
      make("div", { class: "explorer-row" }, ...Object.values(this.buttons)),
      this.point,
    );
    this.points = this.first = this.given();
    this.listen();
    this.describe();
    this.resized = new ResizeObserver(() => this.redraw());
    this.resized.observe(this.canvas);
    this.forget = onTheme(() => this.redraw());
    model.on("change:points", this.reload = () => this.takeOver());
    this.redraw();
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

  get n() {
    return this.points.length / 2;
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
    if (this.points !== this.before) this.remember(this.before);
    this.dragged = -1;
    this.describe();
  }

  press(event) {
    const { key, shiftKey } = event;
    if (key in ARROWS && this.chosen >= 0) {
      const [right, down] = ARROWS[key];
      const [left, end] = this.data.box;
      const step = (end - left) * (shiftKey ? SMALL : STEP);
      const [x, y] = this.place(this.chosen);
      this.remember(this.points);
      this.move(this.chosen, [x + right * step, y - down * step]);
      this.describe();
    } else if (key === "Tab") {
      const next = this.chosen + (shiftKey ? -1 : 1);
      if (this.left || next < 0 || next >= this.n) return; // on to what comes next on the page
      this.choose(next);
    } else if (key === "Escape") {
      this.left = true; // the next Tab leads on
      this.choose(-1);
    } else if (key === "Enter") this.add();
    else if (key === "Delete" || key === "Backspace") this.take();
    else return;
    event.preventDefault();
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
    this.redraw();
  }

  // Points that take the place of these, in one step that can be undone.
  change(points) {
    this.remember(this.points);
    this.points = points;
    this.settle();
  }

  add(place) {
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

  startAgain() {
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
    this.describe();
    this.redraw();
  }

  // In JupyterLab, what is drawn is data for the next cell.
  tell() {
    this.model.set("points", Array.from({ length: this.n }, (_, i) => Array.from(this.place(i))));
    this.model.save_changes();
  }

  describe() {
    this.buttons.undo.disabled = !this.past.length;
    this.buttons.take.disabled = this.chosen < 0 || this.n <= this.data.least;
    const [x, y] = this.chosen < 0 ? [] : this.place(this.chosen);
    this.point.textContent =
      this.chosen < 0
        ? `${this.n} points. Tab chooses one, arrow keys move it, Enter adds one.`
        : `Point ${this.chosen + 1} of ${this.n} at ${x.toFixed(2)}, ${y.toFixed(2)}`;
  }

  pen() {
    const night = Number(isDark(this.el));
    const colors = Object.fromEntries(Object.entries(this.data.colors).map(([name, both]) => [name, both[night]]));
    return new Pen(this.canvas.getContext("2d"), this.canvas.clientWidth, this.data.box, colors);
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.draw();
    });
  }

  draw() {
    const sharpness = window.devicePixelRatio;
    const pen = this.pen();
    this.canvas.width = this.canvas.height = Math.round(pen.side * sharpness);
    pen.context.scale(sharpness, sharpness);
    const { found, sentence } = answered(this.data.figure, this.points);
    this.readout.textContent = sentence;
    if (found) FIGURES[this.data.figure].draw(found, this.points, pen);
    for (let i = 0; i < this.n; i++) pen.dot("points", this.place(i), DOT);
    if (this.chosen < 0) return;
    pen.dot("points", this.place(this.chosen), 1.6 * DOT);
    pen.stroke("chosen", 2.5);
  }

  close() {
    this.forget();
    cancelAnimationFrame(this.pending);
    this.resized.disconnect();
    this.model.off("change:points", this.reload);
  }
}
