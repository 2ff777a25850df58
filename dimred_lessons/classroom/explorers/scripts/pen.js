// A pen that draws on a square canvas in the units of points in the plane, in the colors of the theme.

import { isDark } from "./elements.js";
import { mixed } from "./numbers.js";

export class Pen {
  // Colors: by name, for light and dark ground; and by shade, from 0 to 1, of points that have one.
  constructor(canvas, [left, right, bottom], { colors, palette, night }) {
    const isNight = isDark(canvas);
    const named = Object.fromEntries(Object.entries(colors).map(([name, both]) => [name, both[Number(isNight)]]));
    const side = canvas.clientWidth;
    const width = right - left;
    Object.assign(this, { canvas, side, left, bottom, named, shades: isNight ? night : palette, width, unit: side / width, reach: 2 * width });
    this.context = canvas.getContext("2d");
  }

  clear() {
    const sharpness = window.devicePixelRatio;
    this.canvas.width = this.canvas.height = Math.round(this.side * sharpness);
    this.context.scale(sharpness, sharpness);
  }

  // What a view is, above it.
  title(text) {
    this.write(text, [this.side / 2, 14]);
  }

  label(text, point) {
    this.write(text, this.at(point));
  }

  // Letters as those of the page, at a place in pixels; a line that is wider than the view is narrowed.
  write(text, place) {
    const { color, fontFamily } = getComputedStyle(this.canvas);
    this.context.fillStyle = color;
    this.context.font = `13px ${fontFamily}`;
    this.context.textAlign = "center";
    this.context.fillText(text, ...place, this.side);
  }

  at([x, y]) {
    return [(x - this.left) * this.unit, this.side - (y - this.bottom) * this.unit];
  }

  back([right, down]) {
    return [this.left + right / this.unit, this.bottom + (this.side - down) / this.unit];
  }

  // By name, by a share of the palette, or as it is.
  color(color) {
    if (typeof color === "string") return this.named[color] ?? color;
    return this.shades[Math.round(color * (this.shades.length - 1))];
  }

  // The color that is a share of the way from one to another.
  between([one, other], share) {
    return mixed(this.named[one], this.named[other], share);
  }

  path(points) {
    this.context.beginPath();
    for (const point of points) this.context.lineTo(...this.at(point));
  }

  stroke(color, width = 1.25, dashes = []) {
    this.context.strokeStyle = this.color(color);
    this.context.lineWidth = width;
    this.context.setLineDash(dashes);
    this.context.stroke();
  }

  line(color, from, to, width, dashes) {
    this.path([from, to]);
    this.stroke(color, width, dashes);
  }

  curve(color, place, width) {
    this.path(Array.from({ length: 97 }, (_, i) => place((i * Math.PI) / 48)));
    this.stroke(color, width);
  }

  // A rectangle between two corners.
  box(color, [left, low], [right, high]) {
    this.path([[left, low], [left, high], [right, high], [right, low]]);
    this.context.fillStyle = this.color(color);
    this.context.fill();
  }

  dot(color, point, radius) {
    this.context.beginPath();
    this.context.arc(...this.at(point), radius, 0, 2 * Math.PI);
    this.context.fillStyle = this.color(color);
    this.context.fill();
  }

  // All edges of a graph, between places (n, 2).
  edges(color, { starts, ends }, places, width = 1) {
    this.context.beginPath();
    for (let i = 0; i + 1 < starts.length; i++) {
      for (const j of ends.slice(starts[i], starts[i + 1])) {
        if (j > i) continue;
        this.context.moveTo(...this.at(places.subarray(2 * i, 2 * i + 2)));
        this.context.lineTo(...this.at(places.subarray(2 * j, 2 * j + 2)));
      }
    }
    this.stroke(color, width);
  }
}
