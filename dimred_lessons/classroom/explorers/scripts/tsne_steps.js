// t-SNE of points in the plane, step by step, from places that know nothing of them.

import { jointProbabilities } from "./affinities.js";
import { requireDistinct, squaredDistances } from "./distances.js";
import { centerPoints } from "./kernels.js";
import { momentumStep, studentObjective } from "./neighbor_kernels.js";
import { counted, sumOf } from "./numbers.js";

const SIZE = 1e-4; // of the map at the start
const TURN_OF_START = 2.4; // from one place of the start to the next, in radians
const MOMENTUM = 0.8;
const TIME_OF_FRAME = 25; // milliseconds for all steps while a point is dragged, so that the map follows

export const tsneSteps = {
  // The map of any points where it starts, or after as many steps as were asked for before, always from the same start;
  // while a point is dragged, after as many of them as there is time for.
  compute(X, n, { value: perplexity, previous, tolerance }) {
    const end = tolerance === undefined ? Infinity : performance.now() + TIME_OF_FRAME;
    const squared = squaredDistances(X, n);
    requireDistinct(n, squared);
    const P = jointProbabilities(squared, n, perplexity);
    let found = { ...standing(n), P, asked: previous?.asked ?? 0 };
    while (found.taken < found.asked && performance.now() < end) found = this.step(found);
    return found;
  },

  step({ P, map, step, gains, taken, asked }) {
    const next = momentumStep(P, { Y: map, step, gains }, MOMENTUM);
    return { ...next, map: next.Y, P, taken: taken + 1, asked: Math.max(asked, taken + 1) };
  },

  say({ P, map, taken }) {
    const mismatch = studentObjective(P, map, map.length / 2).toFixed(3);
    return taken
      ? `After ${counted(taken, "step")} the mismatch is ${mismatch}.`
      : `At the start, where no point knows its neighbors, the mismatch is ${mismatch}.`;
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
