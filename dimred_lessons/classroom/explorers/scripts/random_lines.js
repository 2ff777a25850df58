// Points of a plane in a space of any dimension, projected to d random directions: what becomes of their distances.

import { requireDistinct, squaredDistances } from "./distances.js";
import { fixed, percent } from "./numbers.js";

const ERROR = 0.3; // the error that the lemma of Johnson and Lindenstrauss is asked for
const [BINS, WIDEST] = [25, 2.5]; // of the histogram
const DRAWN = 60; // directions, at most

export const randomLines = {
  compute(X, n, { value: d, draw = 0 }) {
    const squared = squaredDistances(X, n);
    requireDistinct(n, squared);
    const R = normals(2 * d, draw).map((one) => one / Math.sqrt(d)); // (rp-gaussian)
    const Y = projected(X, n, R);
    const after = squaredDistances(Y, n);
    const pairs = [];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        if (squared[i * n + j] > 0) pairs.push({ i, j, ratio: after[i * n + j] / squared[i * n + j] });
      }
    }
    pairs.sort((one, other) => one.ratio - other.ratio);
    const off = pairs.reduce((sum, { ratio }) => sum + Math.abs(ratio - 1), 0) / pairs.length;
    return { R, pairs, n, off, needed: johnsonLindenstraussDimension(n, ERROR) };
  },

  say({ pairs, n, off, needed }) {
    return (
      `Squared distances become ${fixed(pairs[0].ratio)} to ${fixed(pairs.at(-1).ratio)} times what they were, ${percent(off)} off on average; ` +
      `for any ${n} points, ${needed} directions promise 0.70 to 1.30.`
    );
  },

  draw({ R, pairs }, X, pen) {
    const middle = [pen.left + pen.width / 2, pen.bottom + pen.width / 2];
    for (let row = 0; row < Math.min(R.length, 2 * DRAWN); row += 2) {
      const size = pen.width / Math.hypot(R[row], R[row + 1]);
      const [x, y] = [size * R[row], size * R[row + 1]];
      pen.line("directions", [middle[0] - x, middle[1] - y], [middle[0] + x, middle[1] + y], 0.6);
    }
    for (const [color, { i, j }] of [["shrunk", pairs[0]], ["stretched", pairs.at(-1)]]) {
      pen.line(color, X.subarray(2 * i, 2 * i + 2), X.subarray(2 * j, 2 * j + 2), 3);
    }
  },

  beside: "squared distances, after / before",

  drawBeside({ pairs }, pen) {
    const counts = new Array(BINS).fill(0);
    for (const { ratio } of pairs) counts[Math.min(Math.floor((ratio * BINS) / WIDEST), BINS - 1)]++;
    const tallest = Math.max(...counts);
    const across = (ratio) => 0.05 + (0.9 * ratio) / WIDEST;
    counts.forEach((count, bin) => {
      const [left, right] = [bin, bin + 1].map((edge) => across((edge * WIDEST) / BINS));
      pen.box("pairs", [left, 0.1], [right, 0.1 + (0.75 * count) / tallest]);
    });
    for (const end of [1 - ERROR, 1 + ERROR]) pen.line("promise", [across(end), 0.1], [across(end), 0.88], 2, [5, 5]);
    for (const label of [0, 1, 2]) pen.label(String(label), [across(label), 0.03]);
  },

  again: "Draw again",
};

// Y = XRᵀ of points (n, 2) and directions (d, 2).
function projected(X, n, R) {
  const d = R.length / 2;
  return Float64Array.from({ length: n * d }, (_, place) => {
    const [i, k] = [Math.floor(place / d), place % d];
    return R[2 * k] * X[2 * i] + R[2 * k + 1] * X[2 * i + 1]; // (rp-project)
  });
}

// Dimension in which random projections keep all squared distances of n points within a factor of 1 ± eps.
export function johnsonLindenstraussDimension(n, eps) {
  return Math.ceil((4 * Math.log(n)) / (eps ** 2 / 2 - eps ** 3 / 3)); // (rp-dimension)
}

// Standard normal numbers (Box and Muller) from a congruence (Park and Miller), the same ones for the same draw.
export function normals(count, draw) {
  const [factor, modulus] = [16807, 2 ** 31 - 1];
  let state = 1 + 7919 * draw;
  const next = () => (state = (factor * state) % modulus) / modulus;
  for (let k = 0; k < 10; k++) next(); // the first ones of a small state are small
  const numbers = new Float64Array(count);
  for (let k = 0; k < count; k += 2) {
    const [radius, angle] = [Math.sqrt(-2 * Math.log(next())), 2 * Math.PI * next()];
    numbers[k] = radius * Math.cos(angle);
    if (k + 1 < count) numbers[k + 1] = radius * Math.sin(angle);
  }
  return numbers;
}
