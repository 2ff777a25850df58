// Local distances: the pairs of points whose distance semidefinite embedding keeps, after points in the same place are one.

import { squaredDistances } from "./distances.js";
import { components, graphOf, within } from "./graphs.js";

const MERGED = 1e-5; // of the extent: points that are nearer to each other count as one

// First rows of the points that are apart, and which of them each point is; chains of near points are one.
export function mergedCopies(X, n) {
  const sides = [0, 1].map((axis) => {
    const values = X.filter((_, place) => place % 2 === axis);
    return Math.max(...values) - Math.min(...values);
  });
  const squared = squaredDistances(X, n);
  const copyOf = components(graphOf(within(squared, n, MERGED * Math.hypot(...sides)), squared, n), n);
  return { first: Array.from({ length: Math.max(...copyOf) + 1 }, (_, one) => copyOf.indexOf(one)), copyOf };
}

// Which pairs count: neighbors, and neighbors of the same point, for lists of k neighbors of each of n points.
export function constrainedPairs(lists, n, k) {
  const joined = new Uint8Array(n * n);
  for (let i = 0; i < n; i++) {
    const around = [i, ...lists.subarray(i * k, (i + 1) * k)];
    for (const a of around) for (const b of around) joined[a * n + b] = 1; // (sde-pairs)
  }
  const pairs = [];
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) if (joined[i * n + j]) pairs.push([i, j]);
  return pairs;
}
