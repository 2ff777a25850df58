// Pictures over a grid of values.

import { isDark, make, onTheme, open, Player, Slider } from "./elements.js";

export class Sweep {
  constructor(model, el) {
    const { alt, axes, frames, height, legible, readouts, width } = model.get("data");
    open(el, alt);
    const picture = make("img", { class: "dark-light", width, height, style: `--legible: ${legible}px` });
    const box = make("div", { class: "drawing" }, picture);
    const readout = make("output");
    const sliders = axes.map(({ name }) => new Slider(name, moved));
    axes.forEach(({ values, start }, i) => sliders[i].offer(values, start));
    const player = axes.length === 1 ? new Player(sliders[0], show) : null;
    function moved() {
      player?.pause();
      show();
    }
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
    el.append(box, readout, make("div", { class: "explorer-row" }, ...(player ? [player.button] : []), ...sliders.map((slider) => slider.element)));
    const forget = onTheme(show);
    this.close = () => {
      player?.pause();
      forget();
    };
  }
}
