// Neighbors, found by comparing all distances: which points are nearest to each point.

import { refuseInteger } from "./refusals.js";

// The k nearest of each point, the nearest first (n, k); of points at the same distance, that of the smaller index.
// A point is not its own neighbor. D describes the points for the message: how many columns they have.
export function neighborLists(squared, n, k, D) {
  refuseInteger("n_neighbors", k, 1);
  if (k > n - 1) {
    throw new Error(`n_neighbors=${k} must be at most ${n - 1} for these points (n_samples=${n}, n_features=${D}).`);
  }
  const lists = new Int32Array(n * k);
  for (let i = 0; i < n; i++) lists.set(nearestTo(i, squared.subarray(i * n, (i + 1) * n).map(Math.sqrt), k), i * k);
  return lists;
}

// The k nearest to point i, by its distances to all points (n): each is put behind those that are not farther.
export function nearestTo(i, distances, k) {
  const [found, theirs] = [new Int32Array(k), new Float64Array(k).fill(Infinity)];
  for (let j = 0; j < distances.length; j++) {
    if (j === i || distances[j] >= theirs[k - 1]) continue;
    let place = k - 1;
    for (; place > 0 && theirs[place - 1] > distances[j]; place--) {
      [found[place], theirs[place]] = [found[place - 1], theirs[place - 1]];
    }
    [found[place], theirs[place]] = [j, distances[j]]; // (graphs-neighbors)
  }
  return found;
}
