// A flat sheet to write on, and maps of its points: the points never change, only their ink.

import { isDark, make, onTheme, open } from "./elements.js";
import { unpack, unpackIndices } from "./numbers.js";

const NIB = 0.055; // radius of the pen, in heights of the sheet
const MARGIN = 0.94; // of a view that the points fill

// Which of the points (n, 2) a stroke from one place to another touches.
export function touched(points, [x0, y0], [x1, y1], radius) {
  const found = [];
  const square = (x1 - x0) ** 2 + (y1 - y0) ** 2;
  for (let i = 0; 2 * i < points.length; i++) {
    const [x, y] = [points[2 * i] - x0, points[2 * i + 1] - y0];
    const along = square && Math.min(Math.max((x * (x1 - x0) + y * (y1 - y0)) / square, 0), 1);
    if ((x - along * (x1 - x0)) ** 2 + (y - along * (y1 - y0)) ** 2 <= radius ** 2) found.push(i);
  }
  return found;
}

// Share of the neighbors of inked points that a map keeps: a digit for each point says how many, of so many, it keeps.
export function keptShare(kept, inked, nearest) {
  let [sum, count] = [0, 0];
  inked.forEach((ink, i) => {
    sum += ink * Number(kept[i]);
    count += ink;
  });
  return count && sum / (count * nearest);
}

export class Ink {
  constructor(model, el) {
    const data = model.get("data");
    Object.assign(this, { el, data, sheet: unpack(data.sheet), isUntouched: true, last: null });
    open(el, data.alt);
    this.inked = new Uint8Array(this.sheet.length / 2);
    this.paper = make("canvas", { role: "img", "aria-label": data.alt, class: "explorer-paper", style: `aspect-ratio: ${data.aspect}` });
    this.views = data.maps.map((map) => this.makeView(map));
    this.readout = make("output");
    el.append(
      make("p", { class: "explorer-invitation" }, data.invitation),
      this.paper,
      make("div", { class: "explorer-row" }, ...this.makeButtons()),
      make("div", { class: "explorer-maps" }, ...this.views.map(({ element }) => element)),
      this.readout,
    );
    this.listen();
    this.resized = new ResizeObserver(() => this.redraw());
    this.resized.observe(this.paper);
    this.forget = onTheme(() => this.redraw());
    this.write(data.words[0]);
  }

  makeView({ name, frame, kept }) {
    const canvas = make("canvas", { role: "img", "aria-label": `The ink on the map: ${name}` });
    const label = make("span", {}, name);
    return { name, kept, map: unpack(frame), canvas, label, element: make("div", {}, label, canvas) };
  }

  makeButtons() {
    const button = (label, pressed) => {
      const element = make("button", { type: "button" }, label);
      element.addEventListener("click", pressed);
      return element;
    };
    return [
      button("Wipe the sheet", () => this.wipe()),
      make("span", {}, "or let it say"),
      ...this.data.words.map((word) => button(word.word, () => this.write(word))),
    ];
  }

  listen() {
    const { paper } = this;
    paper.addEventListener("pointerdown", (event) => {
      if (this.isUntouched) this.inked.fill(0); // the word that was there at first makes way
      this.isUntouched = false;
      paper.setPointerCapture(event.pointerId);
      this.last = this.at(event);
      this.stroke(event);
    });
    paper.addEventListener("pointermove", (event) => this.last && this.stroke(event));
    for (const end of ["pointerup", "pointercancel"]) {
      paper.addEventListener(end, () => {
        if (this.last) this.say();
        this.last = null;
      });
    }
  }

  // Where the pen is, in heights of the sheet, from its lower left corner.
  at({ offsetX, offsetY }) {
    return [offsetX / this.paper.clientHeight, 1 - offsetY / this.paper.clientHeight];
  }

  stroke(event) {
    const next = this.at(event);
    const places = this.sheet.map((value, k) => (0.5 + 0.5 * MARGIN * value) * (k % 2 ? 1 : this.data.aspect));
    for (const i of touched(places, this.last, next, NIB)) this.inked[i] = 1;
    this.last = next;
    this.redraw();
  }

  write({ inked }) {
    this.isUntouched = true;
    this.inked.fill(0);
    for (const i of unpackIndices(inked)) this.inked[i] = 1;
    this.say();
    this.redraw();
  }

  wipe() {
    this.isUntouched = false;
    this.inked.fill(0);
    this.say();
    this.redraw();
  }

  // How much of what is around the ink is still around it on each map.
  say() {
    const count = this.inked.reduce((sum, one) => sum + one, 0);
    for (const view of this.views) {
      view.share = keptShare(view.kept, this.inked, this.data.nearest);
      view.label.textContent = count ? `${view.name}: ${Math.round(100 * view.share)}%` : view.name;
    }
    const ordered = [...this.views].sort((one, other) => other.share - one.share);
    const said = ({ name, share }) => `${Math.round(100 * share)}% (${name})`;
    this.readout.textContent = count
      ? `${count} of ${this.inked.length} points are inked. Between ${said(ordered[ordered.length - 1])} and ` +
        `${said(ordered[0])} of their neighbors on the sheet are still next to them.`
      : "The sheet is empty: write on it with the mouse or a finger, or choose a word.";
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.draw(this.paper, this.sheet);
      for (const { canvas, map } of this.views) this.draw(canvas, map);
    });
  }

  draw(canvas, places) {
    const [width, height, sharpness] = [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio];
    [canvas.width, canvas.height] = [Math.round(width * sharpness), Math.round(height * sharpness)];
    const context = canvas.getContext("2d");
    context.scale(sharpness, sharpness);
    const night = Number(isDark(this.el));
    const radius = Math.max(1.2, Math.sqrt((width * height) / this.inked.length) / 5);
    for (const ink of [0, 1]) {
      context.fillStyle = this.data.colors[ink ? "ink" : "bare"][night];
      context.beginPath();
      for (let i = 0; i < this.inked.length; i++) {
        if (this.inked[i] !== ink) continue;
        const [x, y] = [0.5 * (1 + MARGIN * places[2 * i]) * width, 0.5 * (1 - MARGIN * places[2 * i + 1]) * height];
        context.moveTo(x, y);
        context.arc(x, y, ink ? 1.5 * radius : radius, 0, 2 * Math.PI);
      }
      context.fill();
    }
  }

  close() {
    this.forget();
    cancelAnimationFrame(this.pending);
    this.resized.disconnect();
  }
}
