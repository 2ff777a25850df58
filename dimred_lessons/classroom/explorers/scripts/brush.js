// A brush: dots inside a rectangle that is drawn over one view are painted in all views of a figure. By keys, Space
// paints the highlighted dot, or takes the paint away; Escape clears all. A finger paints once "Paint" is pressed.

import { isDark, make } from "./elements.js";

const MOVED = 4; // pixels from which on a press is a stroke, not a click
const [CLASSES, ROWS] = [4, 8]; // that are named, at most
const FRAME = ["#d04e00", "#e35a1c"]; // of the rectangle, on a light and on a dark ground

// What is painted in a figure, with the buttons for it; `changed` is called while it changes, `done` at the end.
export class Brush {
  constructor(changed, done) {
    Object.assign(this, { painted: new Set(), views: [], changed, done });
    this.fingers = make("button", { type: "button", "aria-pressed": false }, "Paint");
    this.fingers.addEventListener("click", () => this.take(!this.isTaken));
    this.clearing = make("button", { type: "button", hidden: true }, "Clear");
    this.clearing.addEventListener("click", () => this.clear());
    this.buttons = [this.fingers, this.clearing];
  }

  get isTaken() {
    return this.fingers.getAttribute("aria-pressed") === "true";
  }

  // Whether fingers paint; otherwise they scroll the page.
  take(isTaken) {
    this.fingers.setAttribute("aria-pressed", isTaken);
    for (const { canvas } of this.views) canvas.classList.toggle("explorer-painting", isTaken);
  }

  // Paint on a view, whose `dots` are pairs of coordinates in pixels.
  on(view) {
    const { canvas } = view;
    this.views.push(view);
    canvas.classList.toggle("explorer-painting", this.isTaken);
    canvas.addEventListener("pointerdown", (event) => this.press(view, event));
    canvas.addEventListener("pointermove", (event) => this.stroke(view, event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.lift(view));
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.clear();
      else if (event.key === " " && view.scene.lit >= 0) this.turnOver(view.scene.lit);
      else return;
      event.preventDefault();
    });
  }

  press(view, { pointerType, pointerId, offsetX, offsetY, shiftKey }) {
    if (pointerType === "touch" && !this.isTaken) return;
    view.canvas.setPointerCapture(pointerId);
    Object.assign(view, { from: [offsetX, offsetY], kept: shiftKey ? [...this.painted] : [] });
  }

  stroke(view, { offsetX, offsetY }) {
    if (!view.from) return;
    const [right, down] = [offsetX - view.from[0], offsetY - view.from[1]];
    if (!view.to && Math.hypot(right, down) < MOVED) return;
    view.to = [offsetX, offsetY];
    this.painted = new Set([...view.kept, ...dotsInside(view.dots, view.from, view.to)]);
    this.changed();
  }

  lift(view) {
    const wasStroke = view.to;
    view.from = view.to = null;
    if (wasStroke) this.finish();
  }

  turnOver(index) {
    if (!this.painted.delete(index)) this.painted.add(index);
    this.finish();
  }

  clear() {
    this.painted = new Set();
    this.finish();
  }

  finish() {
    this.clearing.hidden = !this.painted.size;
    this.changed();
    this.done();
  }

  // Whether a dot steps back behind those that are painted.
  isPale(index) {
    return this.painted.size > 0 && !this.painted.has(index);
  }
}

// The rectangle of a stroke, if one is drawn over a view.
export function drawStroke({ canvas, from, to }, context) {
  if (!to) return;
  context.strokeStyle = FRAME[Number(isDark(canvas))];
  context.lineWidth = 1.5;
  context.strokeRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
}

// Which dots lie in a rectangle between two corners; dots are pairs of coordinates.
export function dotsInside(dots, from, to) {
  const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])];
  const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
  return Array.from({ length: dots.length / 2 }, (_, i) => i).filter((i) => {
    const [x, y] = [dots[2 * i], dots[2 * i + 1]];
    return x >= left && x <= right && y >= top && y <= bottom;
  });
}

// How many dots are painted, of which classes or with which values of a coordinate, and in which rows.
export function paintedWords(painted, { label, names, values }) {
  const rows = [...painted].sort((one, other) => one - other);
  const told = rows.slice(0, ROWS).map((i) => i + 1).join(", ") + (rows.length > ROWS ? ", …" : "");
  return `${rows.length} painted · ${label}: ${names ? countedClasses(rows, values) : range(rows, values)} · points ${told}`;
}

function countedClasses(rows, values) {
  const counts = new Map();
  for (const i of rows) counts.set(values[i], (counts.get(values[i]) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  const told = sorted.slice(0, CLASSES).map(([name, count]) => `${name} (${count})`).join(", ");
  return sorted.length > CLASSES ? `${told} and ${sorted.length - CLASSES} more` : told;
}

function range(rows, values) {
  const numbers = rows.map((i) => Number(values[i]));
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? `${least}` : `${least} to ${most}`;
}
