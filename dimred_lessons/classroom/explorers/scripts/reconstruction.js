// Reconstruction: a point from its neighbors, by weights that sum to 1.

import { choleskyOf, solvedBy } from "./eigenpairs.js";

const REG = 1e-3; // of the trace of the local Gram matrix, which is singular where there are more neighbors than columns

// Weights (k) that rebuild row i of X (n, D) from some others: G w = 1 for G_jk = (x_i − p_j)·(x_i − p_k), then
// divided by their sum. Neighbors that all coincide with the point share the weight evenly.
export function reconstructionWeights(X, D, i, neighbors) {
  const k = neighbors.length;
  const difference = (j, axis) => X[D * neighbors[j] + axis] - X[D * i + axis];
  const G = new Float64Array(k * k);
  for (let place = 0; place < k * k; place++) {
    for (let axis = 0; axis < D; axis++) G[place] += difference(Math.floor(place / k), axis) * difference(place % k, axis);
  }
  let trace = 0;
  for (let j = 0; j < k; j++) trace += G[j * (k + 1)];
  for (let j = 0; j < k; j++) G[j * (k + 1)] += trace > 0 ? REG * trace : 1;
  const w = solvedBy(choleskyOf(G, k), new Float64Array(k).fill(1)); // (lle-weights)
  const sum = w.reduce((all, one) => all + one, 0);
  return w.map((one) => one / sum);
}
