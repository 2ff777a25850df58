// Neighborhood graphs: symmetric, and connected. A graph is stored as rows: the edges of vertex i are those from
// starts[i] to before starts[i + 1], each with the vertex where it ends and its length.

import { requireDistinct } from "./distances.js";
import { neighborLists } from "./neighbors.js";
import { refuseNotPositive } from "./refusals.js";

// The connected graph of the k nearest neighbors, an edge where either point lists the other, or of all points within
// a radius, if that is given.
export function neighborhoodGraph(squared, n, { k, radius, D }) {
  const joined = radius === undefined ? listed(neighborLists(squared, n, k, D), n, k) : within(squared, n, radius);
  const graph = graphOf(joined, squared, n);
  const sizes = componentSizes(graph, n);
  if (sizes.length > 1) {
    const parameter = radius === undefined ? `n_neighbors=${k}` : `radius=${radius}`;
    const first = sizes.slice(0, 8).join(", ") + (sizes.length > 8 ? ", ..." : "");
    throw new Error(
      `The neighborhood graph of ${parameter} splits into ${sizes.length} components of ${first} points: ` +
        `raise ${parameter.split("=")[0]}, or join them with disconnected="bridge".`,
    );
  }
  requireDistinct(n, graph.lengths);
  return graph;
}

// Which pairs are joined (n, n): those of which either one lists the other.
function listed(lists, n, k) {
  const joined = new Uint8Array(n * n);
  lists.forEach((j, place) => {
    const i = Math.floor(place / k);
    joined[i * n + j] = joined[j * n + i] = 1;
  });
  return joined;
}

// Which pairs are joined (n, n): those at most a radius apart.
export function within(squared, n, radius) {
  refuseNotPositive("radius", radius);
  return Uint8Array.from(squared, (one, place) => place % (n + 1) && Math.sqrt(one) <= radius); // not the diagonal
}

export function graphOf(joined, squared, n) {
  const [starts, ends, lengths] = [[0], [], []];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (!joined[i * n + j]) continue;
      ends.push(j);
      lengths.push(Math.sqrt(squared[i * n + j]));
    }
    starts.push(ends.length);
  }
  return { starts, ends, lengths };
}

// Component of each vertex, numbered from 0 in the order of their first vertices.
export function components({ starts, ends }, n) {
  const labels = new Int32Array(n).fill(-1);
  for (let i = 0, label = 0; i < n; i++) {
    if (labels[i] >= 0) continue;
    const waiting = [i];
    labels[i] = label;
    while (waiting.length) {
      const vertex = waiting.pop();
      for (const j of ends.slice(starts[vertex], starts[vertex + 1])) {
        if (labels[j] >= 0) continue;
        labels[j] = label;
        waiting.push(j);
      }
    }
    label++;
  }
  return labels;
}

// How many vertices each component has, the largest first.
export function componentSizes(graph, n) {
  const sizes = [];
  for (const label of components(graph, n)) sizes[label] = (sizes[label] ?? 0) + 1;
  return sizes.sort((one, other) => other - one);
}
