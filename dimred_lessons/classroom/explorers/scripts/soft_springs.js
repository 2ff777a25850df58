// Points in the plane, their neighborhood graph, and the two axes of least energy: Laplacian eigenmaps.

import { laplacianEigenmaps } from "./methods.js";
import { rowsOf } from "./numbers.js";

export const softSprings = {
  compute(X, n, { value: k, start, tolerance }) {
    const { graph, eigenvalues, axes, block } = laplacianEigenmaps(X, n, 2, { k, start, tolerance });
    const least = 1e-6 * Math.max(...axes[0].map(Math.abs));
    const sides = [1, -1].map((sign) => axes[0].filter((value) => sign * value > least).length);
    const [low, high] = [Math.min(...axes[0]), Math.max(...axes[0])];
    const shades = Array.from(axes[0], (value) => (value - low) / (high - low));
    return { graph, energy: eigenvalues[0], sides: sides.sort((one, other) => one - other), shades, map: rowsOf(axes), block };
  },

  say({ energy, sides: [fewer, more] }) {
    return `The first axis has the energy ${energy.toFixed(4)}; its sign parts the points into ${fewer} and ${more}.`;
  },

  draw({ graph }, X, pen) {
    pen.edges("edges", graph, X);
  },

  drawMap({ graph, map }, pen) {
    pen.edges("edges", graph, map);
  },

  isShaded: true,
};
