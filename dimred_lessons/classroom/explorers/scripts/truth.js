// What a map can be asked for one of its points: how far the others really are, and which neighbors it lost or won.

import { nearestTo } from "./neighbors.js";
import { unpack, unpackIndices } from "./numbers.js";

// The truth as Python sent it: the nearest of each point (n, k), the nearest first, and places whose distances are the
// true ones, but for what was left out of them at each place.
export function unpackTruth({ nearest, places, left }, n) {
  const near = unpackIndices(nearest);
  return { n, k: near.length / n, near, places: unpack(places), left: left ? unpack(left) : new Float32Array(n) };
}

// Distances from point i to all (n), as shares of the largest.
export function distancesFrom(i, { n, places, left }) {
  const distances = distancesOf(i, places, n);
  for (let j = 0; j < n; j++) {
    if (j !== i) distances[j] = Math.hypot(distances[j], left[i], left[j]);
  }
  const largest = Math.max(...distances) || 1;
  return distances.map((one) => one / largest);
}

// Neighbors of point i in the data and on a map (n, 2): those that the map lost, and the intruders in their place.
export function compared(i, { n, k, near }, map) {
  const before = Array.from(near.subarray(i * k, (i + 1) * k));
  const after = Array.from(nearestTo(i, distancesOf(i, map, n), k));
  return { lost: before.filter((j) => !after.includes(j)), intruders: after.filter((j) => !before.includes(j)) };
}

// Share of its neighbors that each point keeps on a map (n).
export function sharesKept(truth, map) {
  return Float64Array.from({ length: truth.n }, (_, i) => 1 - compared(i, truth, map).lost.length / truth.k);
}

function distancesOf(i, X, n) {
  const D = X.length / n;
  return Float64Array.from({ length: n }, (_, j) => {
    let sum = 0;
    for (let k = 0; k < D; k++) sum += (X[i * D + k] - X[j * D + k]) ** 2;
    return Math.sqrt(sum);
  });
}
