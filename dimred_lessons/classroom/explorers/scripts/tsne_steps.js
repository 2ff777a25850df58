// t-SNE of points in the plane, step by step, from places that know nothing of them.

import { jointProbabilities } from "./affinities.js";
import { requireDistinct, squaredDistances } from "./distances.js";
import { centerPoints } from "./kernels.js";
import { momentumStep, studentObjective } from "./neighbor_kernels.js";
import { counted, sumOf } from "./numbers.js";

const SIZE = 1e-4; // of the map at the start
const TURN_OF_START = 2.4; // from one place of the start to the next, in radians
const MOMENTUM = 0.8;
const FIRST = 100; // steps that are taken at once
const TIME_OF_FRAME = 25; // milliseconds for them while a point is dragged, so that the map follows

export const tsneSteps = {
  // The map of any points after the first steps, always from the same start; while a point is dragged, after as many as
  // there is time for.
  compute(X, n, { value: perplexity, tolerance }) {
    const end = tolerance === undefined ? Infinity : performance.now() + TIME_OF_FRAME;
    const squared = squaredDistances(X, n);
    requireDistinct(n, squared);
    const P = jointProbabilities(squared, n, perplexity);
    let found = { ...standing(n), P };
    do found = this.step(found);
    while (found.taken < FIRST && performance.now() < end);
    return found;
  },

  step({ P, map, step, gains, taken }) {
    const next = momentumStep(P, { Y: map, step, gains }, MOMENTUM);
    return { ...next, map: next.Y, P, taken: taken + 1, mismatch: studentObjective(P, next.Y, next.Y.length / 2) };
  },

  say({ taken, mismatch }) {
    return `After ${counted(taken, "step")} the mismatch is ${mismatch.toFixed(3)}.`;
  },

  draw() {},

  drawMap() {},

  isShaded: true,
  most: 500,
};

// Places around a circle, each far from the one before, of the size of a start along both axes.
function standing(n) {
  const circle = Float64Array.from({ length: 2 * n }, (_, place) => {
    const angle = TURN_OF_START * (place >> 1);
    return place % 2 ? Math.sin(angle) : Math.cos(angle);
  });
  const centered = centerPoints(circle, n);
  const deviations = [0, 1].map((k) => Math.sqrt(sumOf(centered.map((one, place) => (place % 2 === k) * one ** 2)) / n));
  const map = centered.map((one, place) => (SIZE * one) / deviations[place % 2]);
  return { map, step: new Float64Array(2 * n), gains: new Float64Array(2 * n).fill(1), taken: 0 };
}
