// The first point, rebuilt from its nearest neighbors with the weights of LLE.

import { squaredDistances } from "./distances.js";
import { neighborLists } from "./neighbors.js";
import { fixed } from "./numbers.js";
import { reconstructionWeights } from "./reconstruction.js";

export const rebuiltPoint = {
  compute(X, n, { value: k }) {
    const neighbors = neighborLists(squaredDistances(X, n), n, k, 2).subarray(0, k);
    const weights = reconstructionWeights(X, 2, 0, neighbors); // (lle-weights)
    const place = [0, 0];
    neighbors.forEach((j, order) => [0, 1].forEach((axis) => (place[axis] += weights[order] * X[2 * j + axis])));
    return { neighbors, weights, place, missed: Math.hypot(X[0] - place[0], X[1] - place[1]) };
  },

  say({ weights, missed }) {
    const [least, most] = [Math.min(...weights), Math.max(...weights)];
    return `The weights lie between ${fixed(least)} and ${fixed(most)}; what they rebuild is ${fixed(missed)} away.`;
  },

  draw({ neighbors, weights, place }, X, pen) {
    neighbors.forEach((j, order) => {
      const weight = weights[order];
      const width = 1 + 10 * Math.min(Math.abs(weight), 1.5);
      pen.line(weight < 0 ? "pushes" : "pulls", X.subarray(0, 2), X.subarray(2 * j, 2 * j + 2), width, weight < 0 ? [3, 4] : []);
    });
    pen.dot("rebuilt", X.subarray(0, 2), 10);
    pen.line("rebuilt", X.subarray(0, 2), place, 2);
    pen.path([place]);
    pen.context.arc(...pen.at(place), 6, 0, 2 * Math.PI);
    pen.stroke("rebuilt", 2.5);
  },
};
