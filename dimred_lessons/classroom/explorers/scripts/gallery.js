// Many maps of several data sets, to choose from.

import { Brush, paintedWords } from "./brush.js";
import { legend, make, onTheme, open, shaded } from "./elements.js";
import { unpack } from "./numbers.js";
import { compared, unpackTruth } from "./truth.js";
import { ChanceView, comparing, NamedView } from "./views.js";

const SIDE = 320; // of a small map, in pixels

// A measure as it is said: with two decimals, seconds as they were measured.
function said(name, value) {
  return name === "seconds" ? value : value.toFixed(2).replace("-", "\u2212");
}

// Measures with their values, which stay together where the line breaks.
function inOneLine(measures) {
  return measures.map(([name, value]) => `${name} ${said(name, value)}`.replaceAll(" ", "\u00a0")).join(", ");
}

// Maps of one data set at a time. The marked ones stay in sight, larger, at the foot of the window, and share the
// highlighted dot.
export class Gallery {
  constructor(model, el) {
    const { alt, sets } = model.get("data");
    Object.assign(this, { el, sets, lit: -1, views: [], nulls: [], marked: new Set(), hidden: new Set() });
    this.brush = new Brush(() => this.redraw(), () => this.tell());
    open(el, alt);
    this.data = this.makeChoice(sets.map(({ name }) => name), () => this.load());
    this.order = this.makeChoice([], () => this.show());
    this.comparing = comparing(() => {
      this.comparing.setAttribute("aria-pressed", !this.isComparing);
      this.compare();
    });
    this.folding = make("button", { type: "button" });
    this.folding.addEventListener("click", () => {
      this.marks.classList.toggle("explorer-folded");
      this.nameFolding();
    });
    this.families = make("div", { class: "explorer-row", role: "group", "aria-label": "Families of methods" });
    this.legend = make("div", { class: "explorer-row" });
    this.large = make("div", { class: "explorer-views" });
    this.point = make("div", { class: "explorer-point", "aria-live": "polite" });
    this.grid = make("div", { class: "explorer-gallery" });
    this.marks = make(
      "div",
      { class: "explorer-marked" },
      this.large,
      make("div", { class: "explorer-row" }, ...this.brush.buttons, this.comparing, this.folding),
      this.point,
    );
    el.append(
      make(
        "div",
        { class: "explorer-row" },
        make("label", {}, "Data ", this.data),
        make("label", {}, "Order by ", this.order),
      ),
      this.families,
      this.legend,
      this.grid,
      this.marks,
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
    this.truth = this.set.truth && unpackTruth(this.set.truth, this.set.coloring.levels.length);
    const { colors, palette } = shaded(this.set.coloring, this.el);
    this.colors = colors;
    this.legend.replaceChildren(`${this.set.coloring.label}: `, make("span", {}, ...legend(this.set.coloring, palette)));
    this.lit = -1;
    const before = this.order.selectedOptions[0]?.textContent;
    this.measures = ["family", ...new Set(this.set.maps.flatMap(({ measures }) => measures.map(([name]) => name)))];
    this.order.replaceChildren(...this.measures.map((name, i) => make("option", { value: i }, name)));
    this.order.value = Math.max(0, this.measures.indexOf(before));
    this.thumbnails = [];
    if (this.painted !== this.set) this.brush.clear();
    this.painted = this.set; // whose dots the brush is about
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
    const card = make("div", {}, make("label", {}, mark, ` ${method}`), make("small", {}, refusal ?? ""));
    if (frame) card.prepend(this.makeThumbnail(unpack(frame), `Map by ${method}: ${inOneLine(measures)}.`));
    return card;
  }

  makeThumbnail(frame, label) {
    const canvas = make("canvas", { role: "img", "aria-label": label, width: SIDE, height: SIDE });
    this.thumbnails.push({ context: canvas.getContext("2d"), frame });
    return canvas;
  }

  paintThumbnail({ context, frame }) {
    context.clearRect(0, 0, SIDE, SIDE);
    for (const pale of [true, false]) {
      context.globalAlpha = pale ? 0.2 : 1;
      for (let i = 0; 2 * i < frame.length; i++) {
        if (this.brush.isPale(i) !== pale) continue;
        context.fillStyle = this.colors[i];
        context.fillRect(SIDE * (0.5 + 0.47 * frame[2 * i]) - 2, SIDE * (0.5 - 0.47 * frame[2 * i + 1]) - 2, 4, 4);
      }
    }
  }

  // The cards of the chosen families, in the chosen order: quickest or best first.
  show() {
    const measure = this.measures[Number(this.order.value)];
    const sign = measure === "seconds" ? 1 : -1;
    const rank = ({ map: { measures } }) => sign * (new Map(measures).get(measure) ?? sign * Infinity);
    const shown = this.cards.filter(({ map }) => !this.hidden.has(map.family));
    if (measure !== "family") shown.sort((one, other) => rank(one) - rank(other));
    for (const { map, element } of shown) if (map.frame) element.lastChild.textContent = this.saidOfCard(map, measure);
    this.grid.replaceChildren(...shown.map(({ element }) => element));
  }

  // The measure by which the maps are in order; else the first.
  saidOfCard({ measures }, measure) {
    return inOneLine([measures.find(([name]) => name === measure) ?? measures[0]]);
  }

  compare() {
    for (const view of [...this.views, ...this.nulls]) view.resized.disconnect();
    this.brush.views = [];
    this.chosen = this.set.maps.filter(({ method, frame }) => frame && this.marked.has(method));
    this.comparing.hidden = !this.chosen.some(({ chance }) => chance);
    this.nameFolding();
    const pairs = this.chosen.map((map) => [this.makeLarge(map), ...this.makeNull(map)]);
    this.views = pairs.map(([view]) => view);
    this.nulls = pairs.flatMap(([, ...beside]) => beside);
    this.large.classList.toggle("explorer-pairs", this.nulls.length > 0);
    const parts = this.chosen.map(({ method, measures }, i) => {
      const said = measures.flatMap((one) => [" ", make("span", {}, inOneLine([one]))]);
      const maps = make("div", {}, ...pairs[i].map(({ canvas }) => canvas));
      return make("div", {}, maps, make("small", {}, make("strong", {}, method), ...said));
    });
    this.large.replaceChildren(...parts);
    this.describe();
    this.redraw();
  }

  // The marked maps can be folded to a strip, which hides less of the grid.
  nameFolding() {
    const { length } = this.chosen;
    if (!length) this.marks.classList.remove("explorer-folded");
    const isFolded = this.marks.classList.contains("explorer-folded");
    this.folding.hidden = !length;
    this.folding.textContent = isFolded ? `Show ${length} marked ${length === 1 ? "map" : "maps"}` : "Fold";
  }

  makeLarge({ method, frame }) {
    const view = new NamedView(this, `Map by ${method}. Arrow keys go from point to point.`, method);
    view.frame = unpack(frame);
    return view;
  }

  // Beside a map, what its method draws of permuted columns, if that is asked for and known.
  makeNull({ method, chance }) {
    if (!this.isComparing || !chance?.frame) return [];
    const label = `What ${method} draws after each column was permuted by itself.`;
    const view = new ChanceView(this, label, "columns permuted");
    view.frame = unpack(chance.frame);
    return [view];
  }

  get isComparing() {
    return this.comparing.getAttribute("aria-pressed") === "true";
  }

  light(index) {
    if (index === this.lit) return;
    this.lit = index;
    this.describe();
    this.redraw();
  }

  // The highlighted dot, and how many of its neighbors each of the large maps keeps.
  describe() {
    for (const view of this.truth && this.lit >= 0 ? this.views : []) {
      Object.assign(view, compared(this.lit, this.truth, view.frame));
    }
    this.tell();
  }

  // The painted dots, and the highlighted one.
  tell() {
    const { painted } = this.brush;
    const ofPaint = painted.size ? [paintedWords(painted, this.set.coloring)] : [];
    const said = [...ofPaint, ...this.saidOfPoint(), ...this.saidOfChance()];
    this.point.textContent = said.join(" · ") || this.nextStep();
  }

  nextStep() {
    return this.views.length ? "Point at a dot, or drag over dots to paint them." : "Mark maps to compare them.";
  }

  // The measures of each marked map, and those of the map of permuted columns.
  saidOfChance() {
    if (!this.isComparing) return [];
    return this.chosen.flatMap(({ method, measures, chance }) => {
      if (!chance) return [];
      if (chance.refusal) return [`${method} makes no map of permuted columns: ${chance.refusal}`];
      const here = new Map(measures);
      return chance.measures.map(
        ([name, value]) => `${method}: ${name} ${said(name, here.get(name))}, on permuted columns ${said(name, value)}`,
      );
    });
  }

  saidOfPoint() {
    if (this.lit < 0) return [];
    const { label, values } = this.set.coloring;
    const said = [`Point ${this.lit + 1}`, `${label}: ${values[this.lit]}`];
    for (const view of this.truth ? this.views : []) {
      said.push(`${view.axes} keeps ${this.truth.k - view.lost.length} of its ${this.truth.k} neighbors`);
    }
    return said;
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      for (const thumbnail of this.thumbnails) this.paintThumbnail(thumbnail);
      for (const view of [...this.views, ...this.nulls]) view.paint();
    });
  }

  close() {
    this.forget();
    cancelAnimationFrame(this.pending);
    for (const view of [...this.views, ...this.nulls]) view.resized.disconnect();
  }
}
