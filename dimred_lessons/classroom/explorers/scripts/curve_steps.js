// A principal curve through points in the plane: from the line of PCA on, points are projected to the curve, and each
// place of the curve moves to the middle of those whose feet are near.

import { requireDistinct } from "./distances.js";
import { principalAxes } from "./methods.js";
import { counted, fixed } from "./numbers.js";

const NODES = 60;
const SPAN = 0.3; // share of the points that each place of the curve is the middle of
const PERFECT = 1e-7; // share of their deviation up to which points lie on the curve

export const curveSteps = {
  compute(X, n, { value: steps }) {
    requireDistinct(n, X.map((one, place) => one - X[place % 2]));
    const { mean, directions, eigenvalues } = principalAxes(X, n, 1);
    let nodes = firstLine(X, n, mean, directions[0]);
    const rounding = 16 * 2 ** -52 * Math.max(...X.map(Math.abs));
    const nothing = (PERFECT ** 2 * (eigenvalues[0] + eigenvalues[1])) / n + 2 * rounding ** 2;
    let feet = projectedTo(nodes, X);
    for (let step = 0; step < steps && missedBy(feet) > nothing; step++) {
      nodes = smoothed(arcLengths(nodes, feet), X); // (curve-smoothing)
      feet = projectedTo(nodes, X); // (curve-projection)
    }
    const lengths = arcLengths(nodes, feet);
    const [low, high] = [Math.min(...lengths), Math.max(...lengths)];
    const shades = lengths.map((one) => (one - low) / (high - low || 1));
    return { nodes, feet, missed: Math.sqrt(missedBy(feet)), length: high - low, shades, steps };
  },

  say({ missed, length, steps }) {
    return `After ${counted(steps, "step")} the points are ${fixed(missed)} away from a curve of length ${fixed(length)}.`;
  },

  draw({ nodes, feet }, X, pen) {
    feet.forEach(({ foot }, i) => pen.line("misses", X.subarray(2 * i, 2 * i + 2), foot));
    pen.path(nodes);
    pen.stroke("curve", 3);
  },

  isShaded: true,
};

// Nodes of the line along a direction, from the first shadow of a point to the last.
function firstLine(X, n, mean, direction) {
  const scores = Array.from({ length: n }, (_, i) => (X[2 * i] - mean[0]) * direction[0] + (X[2 * i + 1] - mean[1]) * direction[1]);
  return spaced(Math.min(...scores), Math.max(...scores)).map((t) => [0, 1].map((k) => mean[k] + t * direction[k]));
}

function spaced(first, last) {
  return Array.from({ length: NODES }, (_, j) => first + (j * (last - first)) / (NODES - 1));
}

// For each point the segment of the curve that is nearest, the share of it up to the foot, and the foot.
function projectedTo(nodes, X) {
  const [xs, ys] = [0, 1].map((axis) => Float64Array.from(nodes, (node) => node[axis]));
  return Array.from({ length: X.length / 2 }, (_, i) => {
    const [x, y] = [X[2 * i], X[2 * i + 1]];
    let [least, segment, part] = [Infinity, 0, 0];
    for (let j = 0; j + 1 < xs.length; j++) {
      const dx = xs[j + 1] - xs[j];
      const dy = ys[j + 1] - ys[j];
      const along = (x - xs[j]) * dx + (y - ys[j]) * dy;
      const share = Math.min(Math.max(along / Math.max(dx * dx + dy * dy, Number.MIN_VALUE), 0), 1);
      const squared = (x - xs[j] - share * dx) ** 2 + (y - ys[j] - share * dy) ** 2;
      if (squared < least) [least, segment, part] = [squared, j, share];
    }
    const foot = [xs, ys].map((places) => places[segment] + part * (places[segment + 1] - places[segment]));
    return { squared: least, segment, share: part, foot };
  });
}

// Mean squared distance of the points from their feet.
function missedBy(feet) {
  return feet.reduce((sum, { squared }) => sum + squared, 0) / feet.length; // (curve-objective)
}

// Length of the curve up to each foot.
function arcLengths(nodes, feet) {
  const upTo = [0];
  for (let j = 0; j + 1 < nodes.length; j++) {
    upTo.push(upTo[j] + Math.hypot(nodes[j + 1][0] - nodes[j][0], nodes[j + 1][1] - nodes[j][1]));
  }
  return feet.map(({ segment, share }) => upTo[segment] + share * (upTo[segment + 1] - upTo[segment]));
}

// Local lines with tricube weights on the nearest share of the points, at equal steps of arc length.
function smoothed(lengths, X) {
  const n = lengths.length;
  const k = Math.min(n, Math.max(Math.floor(SPAN * n), 3));
  const sorted = Float64Array.from(lengths).sort();
  const [first, last] = [sorted[0], sorted[n - 1]];
  const w = new Float64Array(n);
  return spaced(first, last).map((place) => {
    const reach = distanceToNearest(k, place, sorted) + 1e-6 * (last - first) || 1;
    let [s0, s1, s2] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const apart = lengths[i] - place;
      const share = Math.abs(apart) / reach;
      const rest = Math.max(1 - share * share * share, 0);
      w[i] = rest * rest * rest;
      s0 += w[i];
      s1 += w[i] * apart;
      s2 += w[i] * apart * apart;
    }
    let [total, x, y] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const weight = w[i] * (s2 - s1 * (lengths[i] - place) + 1e-9 * s0 * reach * reach);
      total += weight;
      x += weight * X[2 * i];
      y += weight * X[2 * i + 1];
    }
    return [x / total, y / total];
  });
}

// How far the k-th nearest of sorted numbers is from a place: the k nearest stand side by side.
function distanceToNearest(k, place, sorted) {
  let least = Infinity;
  for (let i = 0; i + k <= sorted.length; i++) least = Math.min(least, Math.max(place - sorted[i], sorted[i + k - 1] - place));
  return least;
}
