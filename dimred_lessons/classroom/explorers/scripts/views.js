// Views: canvases that share the colors of the dots and the highlighted dot.

import { drawStroke } from "./brush.js";
import { isDark, make } from "./elements.js";
import { ARROWS, nearest, neighbor, rotate } from "./numbers.js";

const REACH = 24; // how near to a dot the pointer must be, in pixels
const RADIUS = 3; // of a dot, or less of many in a small view
const NEAR = 10; // pixels from dots to an axis, and its height
const PALE = 0.2; // opacity of dots while others are painted
const TURN = 0.1; // radians for one press of an arrow key
const RING = ["#d04e00", "#e35a1c"]; // around the highlighted dot, on a light and on a dark ground

export class View {
  constructor(scene, label) {
    this.scene = scene;
    this.canvas = make("canvas", { role: "img", tabindex: 0, "aria-label": label });
    this.context = this.canvas.getContext("2d");
    this.resized = new ResizeObserver(() => this.paint());
    this.resized.observe(this.canvas);
    [this.lost, this.intruders] = [[], []]; // of the neighbors of the highlighted dot
    this.dots = new Float32Array(0); // where the dots are, in pixels of the page
    for (const kind of ["pointerdown", "pointermove"]) {
      this.canvas.addEventListener(kind, (event) => {
        const found = nearest(this.dots, event.offsetX, event.offsetY, REACH);
        if (found >= 0 && !this.to) scene.light(found); // not while a stroke is drawn
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

  // Dots in a given order, behind those that are painted, the highlighted one last and larger, in a ring; lines lead
  // from it to the neighbors that it lost on the map, and a thin ring is around each intruder.
  drawDots(context, order) {
    const { brush, colors, lit } = this.scene;
    const isPale = (i) => brush.isPale(i);
    const sorted = Array.from(order);
    const radius = Math.min(RADIUS, Math.max(1.25, this.canvas.clientWidth / 3 / Math.sqrt(sorted.length)));
    context.globalAlpha = PALE;
    for (const i of sorted.filter(isPale)) this.drawDot(context, i, radius, colors[i]);
    context.globalAlpha = 1;
    for (const i of sorted.filter((i) => !isPale(i))) this.drawDot(context, i, radius, colors[i]);
    if (lit < 0) return;
    context.strokeStyle = RING[Number(isDark(this.canvas))];
    context.lineWidth = 1.25;
    for (const i of this.lost) this.drawLine(context, lit, i);
    for (const i of this.intruders) {
      this.drawDot(context, i, 2 * RADIUS, colors[i]);
      context.stroke();
    }
    this.drawDot(context, lit, 2.5 * RADIUS, colors[lit]);
    context.lineWidth = 2.5;
    context.stroke();
  }

  drawLine(context, i, j) {
    context.beginPath();
    context.moveTo(this.dots[2 * i], this.dots[2 * i + 1]);
    context.lineTo(this.dots[2 * j], this.dots[2 * j + 1]);
    context.stroke();
  }

  drawDot(context, i, radius, color) {
    context.fillStyle = color;
    context.beginPath();
    context.arc(this.dots[2 * i], this.dots[2 * i + 1], radius, 0, 2 * Math.PI);
    context.fill();
  }
}

export class EmbeddingView extends View {
  constructor(scene, label, axes) {
    super(scene, label);
    this.axes = axes;
    this.frame = new Float32Array(0);
    scene.brush.on(this);
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
    drawStroke(this, context);
  }

  drawAxes(context, side) {
    const along = (c) => this.dots.filter((_, i) => i % 2 === c);
    this.setLetters(context);
    context.textAlign = "center";
    context.fillText(`${this.axes[0]} →`, side / 2, Math.min(Math.max(...along(1)) + 2 * NEAR, side - 4));
    context.save();
    context.rotate(-Math.PI / 2);
    context.fillText(`${this.axes[1]} →`, -side / 2, Math.max(Math.min(...along(0)) - NEAR, 12));
    context.restore();
  }
}

// What the method makes of permuted columns: these dots are none of the points, and cannot be asked.
export class ChanceView extends View {
  constructor(scene, label, title) {
    super(scene, label);
    this.title = title;
    this.canvas.removeAttribute("tabindex");
  }

  draw(context, side) {
    this.setLetters(context);
    context.textAlign = "center";
    context.fillText(this.title, side / 2, side - 4);
    context.globalAlpha = 0.6;
    for (let i = 0; i < this.frame.length; i += 2) {
      context.beginPath();
      context.arc(side * (0.5 + 0.44 * this.frame[i]), side * (0.5 - 0.44 * this.frame[i + 1]), RADIUS, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

// A switch for such maps.
export function comparing(pressed) {
  const button = make("button", { type: "button", "aria-pressed": false }, "Compare with permuted columns");
  button.addEventListener("click", pressed);
  return button;
}

export class PointsView extends View {
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
export class ImageView extends View {
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

// A map whose name stands below it.
export class NamedView extends EmbeddingView {
  drawAxes() {}
}
