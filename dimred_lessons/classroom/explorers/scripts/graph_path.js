// The shortest path between two points, the first and the second one, through the graph of nearest neighbors.

import { squaredDistances } from "./distances.js";
import { shortestPaths } from "./geodesics.js";
import { neighborhoodGraph } from "./graphs.js";
import { fixed } from "./numbers.js";

export const graphPath = {
  compute(X, n, { value: k }) {
    const squared = squaredDistances(X, n);
    const graph = neighborhoodGraph(squared, n, { k, D: 2 });
    const paths = shortestPaths(graph, n); // (isomap-geodesics)
    return { graph, straight: Math.sqrt(squared[1]), along: paths[1], path: stepsBack(graph, paths, 1) };
  },

  say({ straight, along }) {
    return `The two ends are ${fixed(straight)} apart straight, and ${fixed(along)} along the graph.`;
  },

  draw({ graph, path }, X, pen) {
    pen.edges("edges", graph, X);
    pen.line("straight", X.subarray(0, 2), X.subarray(2, 4), 2, [5, 5]);
    pen.path(path.map((i) => X.subarray(2 * i, 2 * i + 2)));
    pen.stroke("path", 3);
    for (const end of [0, 2]) pen.dot("path", X.subarray(end, end + 2), 9);
  },
};

// Vertices from one back to the first, each time to the neighbor through which the way is shortest.
function stepsBack({ starts, ends, lengths }, paths, last) {
  const path = [last];
  for (let vertex = last; vertex !== 0 && path.length <= starts.length; path.push(vertex)) {
    let [next, least] = [0, Infinity];
    for (let edge = starts[vertex]; edge < starts[vertex + 1]; edge++) {
      const way = paths[ends[edge]] + lengths[edge];
      if (way < least && !path.includes(ends[edge])) [next, least] = [ends[edge], way];
    }
    vertex = next;
  }
  return path;
}
