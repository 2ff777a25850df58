// Many maps of several data sets, to choose from.

import { legend, make, onTheme, open, shaded } from "./elements.js";
import { unpack } from "./numbers.js";
import { compared, unpackTruth } from "./truth.js";
import { NamedView } from "./views.js";

// Maps of one data set at a time. The marked ones stay in sight, larger, at the foot of the window, and share the
// highlighted dot.
export class Gallery {
  constructor(model, el) {
    const { alt, sets } = model.get("data");
    Object.assign(this, { el, sets, lit: -1, views: [], marked: new Set(), hidden: new Set() });
    open(el, alt);
    this.data = this.makeChoice(sets.map(({ name }) => name), () => this.load());
    this.order = this.makeChoice([], () => this.show());
    this.families = make("div", { class: "explorer-row", role: "group", "aria-label": "Families of methods" });
    this.legend = make("div", { class: "explorer-row" });
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
      this.legend,
      this.grid,
      make("div", { class: "explorer-marked" }, this.large, this.point),
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
    const said = refusal ?? lines.join(", ");
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
    this.describe();
    this.redraw();
  }

  light(index) {
    if (index === this.lit) return;
    this.lit = index;
    this.describe();
    this.redraw();
  }

  // The highlighted dot, and how many of its neighbors each of the large maps keeps.
  describe() {
    if (this.lit < 0) {
      this.point.textContent = this.views.length ? "Point at a dot, or tap it." : "Mark maps to compare them.";
      return;
    }
    const { label, values } = this.set.coloring;
    const said = [`Point ${this.lit + 1}`, `${label}: ${values[this.lit]}`];
    for (const view of this.truth ? this.views : []) {
      Object.assign(view, compared(this.lit, this.truth, view.frame));
      said.push(`${view.axes} keeps ${this.truth.k - view.lost.length} of its ${this.truth.k} neighbors`);
    }
    this.point.textContent = said.join(" · ");
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
