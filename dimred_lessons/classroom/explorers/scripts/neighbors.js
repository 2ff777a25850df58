// Neighbors, found by sorting all distances: which points are nearest to each point.

import { refuseInteger } from "./refusals.js";

// The k nearest of each point, the nearest first (n, k); of points at the same distance, that of the smaller index.
// A point is not its own neighbor. D describes the points for the message: how many columns they have.
export function neighborLists(squared, n, k, D) {
  refuseInteger("n_neighbors", k, 1);
  if (k > n - 1) {
    throw new Error(`n_neighbors=${k} must be at most ${n - 1} for these points (n_samples=${n}, n_features=${D}).`);
  }
  const lists = new Int32Array(n * k);
  const lengths = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) lengths[j] = Math.sqrt(squared[i * n + j]);
    const others = Array.from(lengths.keys()).filter((j) => j !== i);
    others.sort((one, other) => lengths[one] - lengths[other] || one - other); // (graphs-neighbors)
    lists.set(others.slice(0, k), i * k);
  }
  return lists;
}
