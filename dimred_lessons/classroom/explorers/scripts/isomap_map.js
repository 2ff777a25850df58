// Points in the plane, their neighborhood graph, and the map that Isomap makes of its shortest paths.

import { squaredDistances } from "./distances.js";
import { isomap } from "./methods.js";
import { fixed, percent, rowsOf, sumOf } from "./numbers.js";

export const isomapMap = {
  compute(X, n, { value: k, start, tolerance }) {
    const { graph, paths, eigenvalues, axes, block } = isomap(X, n, 2, { k, start, tolerance });
    const stretch = sumOf(paths) / sumOf(squaredDistances(X, n).map(Math.sqrt));
    return { graph, stretch, ratio: Math.sqrt(eigenvalues[1] / eigenvalues[0]), map: rowsOf(axes), block };
  },

  say({ stretch, ratio }) {
    return (
      `Along the graph, points are ${fixed(stretch)} times as far apart as straight; ` +
      `the map's second axis is ${percent(ratio)} as long as its first.`
    );
  },

  draw({ graph }, X, pen) {
    pen.edges("edges", graph, X);
  },

  drawMap({ graph, map }, pen) {
    pen.edges("edges", graph, map);
  },

  isShaded: true,
};
