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
  return Array.from({ length: X.length / 2 }, (_, i) => {
    let nearest = { squared: Infinity };
    for (let j = 0; j + 1 < nodes.length; j++) {
      const [[a, b], [c, d]] = [nodes[j], nodes[j + 1]];
      const [dx, dy] = [c - a, d - b];
      const along = (X[2 * i] - a) * dx + (X[2 * i + 1] - b) * dy;
      const share = Math.min(Math.max(along / Math.max(dx * dx + dy * dy, Number.MIN_VALUE), 0), 1);
      const foot = [a + share * dx, b + share * dy];
      const squared = (X[2 * i] - foot[0]) ** 2 + (X[2 * i + 1] - foot[1]) ** 2;
      if (squared < nearest.squared) nearest = { squared, segment: j, share, foot };
    }
    return nearest;
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
  const [first, last] = [Math.min(...lengths), Math.max(...lengths)];
  return spaced(first, last).map((place) => {
    const apart = lengths.map((one) => one - place);
    const kth = apart.map(Math.abs).sort((one, other) => one - other)[k - 1];
    const reach = kth + 1e-6 * (last - first) || 1;
    const w = apart.map((one) => Math.max(1 - (Math.abs(one) / reach) ** 3, 0) ** 3);
    const [s0, s1, s2] = [0, 1, 2].map((power) => w.reduce((sum, one, i) => sum + one * apart[i] ** power, 0));
    const weights = w.map((one, i) => one * (s2 - s1 * apart[i] + 1e-9 * s0 * reach ** 2));
    const total = weights.reduce((sum, one) => sum + one, 0);
    return [0, 1].map((axis) => weights.reduce((sum, one, i) => sum + one * X[2 * i + axis], 0) / total);
  });
}
