// Points beside their embedding: one frame for each value of a parameter.

import { Brush, paintedWords } from "./brush.js";
import { isDark, legend, make, onTheme, open, Player, shaded, Slider } from "./elements.js";
import { ease, meanOf, mixed, unpack, whole } from "./numbers.js";
import { compared, distancesFrom, sharesKept, unpackTruth } from "./truth.js";
import { ChanceView, comparing, EmbeddingView, ImageView, PointsView } from "./views.js";

const EASING = 300; // duration of a transition, in milliseconds
const SHADES = [
  ["#08306b", "#ccdbea"],
  ["#f4f9ff", "#27425f"],
]; // of what is near and far, or of none and all, on a light and on a dark ground
const DISTANCE = "true distance from the point";
const KEPT = "neighbors kept";

export class Explorer {
  constructor(model, el) {
    Object.assign(this, { model, el });
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.data = model.get("data");
    this.lit = this.data.sheet ? 0 : -1;
    const { colorings, truth } = this.data;
    this.truth = truth && unpackTruth(truth, colorings[0].levels.length);
    this.brush = new Brush(() => this.redraw(), () => this.describe());
    open(el, this.data.alt);
    el.classList.add("explorer-two");
    this.views = this.makeViews();
    this.embedding = this.views[1];
    this.slider = new Slider(this.data.parameter, () => {
      this.player.pause();
      this.show();
    });
    this.player = new Player(this.slider, () => this.show());
    this.readout = make("output");
    this.legend = make("span");
    this.point = make("div", { class: "explorer-point", "aria-live": "polite" });
    this.said = make("div", { "aria-live": "polite" }); // of chance
    this.grid = make("div", { class: "explorer-views" }, ...this.views.map((view) => view.canvas));
    el.append(
      this.grid,
      this.readout,
      this.said,
      make("div", { class: "explorer-row" }, this.player.button, this.slider.element, this.makeRecompute()),
      make("div", { class: "explorer-row" }, ...this.makeColorChoice(), this.legend, ...this.brush.buttons, ...this.makeChance()),
      this.point,
    );
    this.coloring = colorings[0];
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
    left.canvas.classList.add("explorer-beside");
    return [left, new EmbeddingView(this, `${alt} Arrow keys go from point to point, Space paints it.`, axes)];
  }

  // Take the frames from the model: at the start, and whenever the kernel has recomputed them.
  load() {
    const before = this.slider.values?.[this.slider.index];
    this.data = this.model.get("data");
    const { action, chance, frames, readouts, start, values } = this.data;
    this.frames = frames.map(unpack);
    this.readouts = readouts;
    this.nulls = chance && { frames: chance.frames.map(unpack), kept: chance.kept };
    this.recompute.textContent = action;
    this.slider.offer(values, values.includes(before) ? values.indexOf(before) : start);
    this.show(before === undefined);
  }

  show(atOnce = false) {
    this.from = this.embedding.frame;
    this.to = this.frames[this.slider.index];
    this.started = atOnce || this.still ? -Infinity : performance.now();
    this.readout.textContent = this.readouts[this.slider.index];
    this.compare();
    this.paintWith();
    this.sayChance();
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
    this.compare();
    if (this.coloring.label === DISTANCE) this.paintWith();
    this.describe();
    this.redraw();
  }

  // Which neighbors of the highlighted dot the map that is shown lost, and which it won.
  compare() {
    if (!this.truth || this.lit < 0) return;
    const neighbors = compared(this.lit, this.truth, this.to);
    for (const view of this.views) Object.assign(view, neighbors);
  }

  describe() {
    this.point.textContent = [...this.saidOfPaint(), ...this.saidOfPoint()].join(" · ");
  }

  // How many dots are painted, and which.
  saidOfPaint() {
    const { painted } = this.brush;
    const coloring = this.coloring.values ? this.coloring : this.data.colorings[0];
    return painted.size ? [paintedWords(painted, coloring)] : [];
  }

  saidOfPoint() {
    if (this.lit < 0) return [];
    const said = this.data.colorings.map(({ label, values }) => `${label}: ${values[this.lit]}`);
    if (this.truth) {
      const { lost } = this.embedding;
      const shown = lost.length ? " (lines lead to the lost, rings are around points near on the map only)" : "";
      said.push(`keeps ${this.truth.k - lost.length} of its ${this.truth.k} neighbors${shown}`);
    }
    return [`Point ${this.lit + 1}`, ...said];
  }

  // A switch for the map of permuted columns, which stands beside the map that is shown.
  makeChance() {
    if (!this.data.chance) return [];
    const label = "The map that the same method makes after each column was permuted by itself.";
    this.chance = new ChanceView(this, label, "columns permuted");
    this.comparing = comparing(() => this.besideChance(!this.chance.canvas.isConnected));
    return [this.comparing];
  }

  besideChance(isShown) {
    this.comparing.setAttribute("aria-pressed", isShown);
    this.grid.classList.toggle("explorer-three", isShown);
    if (isShown) {
      this.grid.append(this.chance.canvas);
      this.views.push(this.chance);
    } else {
      this.chance.canvas.remove();
      this.views.pop();
    }
    this.sayChance();
    this.redraw();
  }

  // How many neighbors the map keeps, and how many that of permuted columns, in which there is nothing to keep.
  sayChance() {
    if (!this.nulls) return;
    this.chance.frame = this.nulls.frames[this.slider.index];
    const [here, byChance] = [meanOf(sharesKept(this.truth, this.to)), this.nulls.kept[this.slider.index]].map(whole);
    this.said.textContent = this.chance.canvas.isConnected
      ? `Neighbors kept: ${here}; after each column was permuted by itself, ${byChance}. What you see on both maps needs no structure in the data.`
      : "";
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
    const asked = this.truth ? [DISTANCE, KEPT].map((label) => ({ label })) : [];
    const colorings = [...this.data.colorings, ...asked];
    if (colorings.length === 1) return [make("span", {}, `Color: ${colorings[0].label}`)];
    const options = colorings.map(({ label }, i) => make("option", { value: i }, label));
    const choice = make("select", {}, ...options);
    choice.addEventListener("change", () => {
      this.coloring = colorings[Number(choice.value)];
      if (this.coloring.label === DISTANCE) this.light(Math.max(this.lit, 0));
      this.paintWith();
      this.redraw();
    });
    return [make("label", {}, "Color ", choice)];
  }

  paintWith() {
    const { ends, names, colors, palette } = this.shades();
    this.colors = colors;
    this.legend.replaceChildren(...legend({ ends, names }, palette));
    this.describe();
  }

  // Colors of the dots by a coordinate or class, or by what the truth says of them, and what the legend says.
  shades() {
    if (this.coloring.levels) return { ...this.coloring, ...shaded(this.coloring, this.el) };
    const palette = SHADES[Number(isDark(this.el))];
    const far = this.coloring.label === DISTANCE;
    const shares = far ? distancesFrom(this.lit, this.truth) : sharesKept(this.truth, this.to);
    const ends = far ? ["near", "far"] : ["none", `all; ${whole(meanOf(shares))} on average`];
    return { ends, palette, colors: Array.from(shares, (share) => mixed(...palette, share)) };
  }

  close() {
    this.player.pause();
    this.forget();
    cancelAnimationFrame(this.pending);
    for (const view of new Set([...this.views, ...(this.chance ? [this.chance] : [])])) view.resized.disconnect();
    this.model.off("change:data", this.reload);
    this.model.off("msg:custom", this.hear);
  }
}
