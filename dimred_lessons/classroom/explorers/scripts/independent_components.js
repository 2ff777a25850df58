// Independent component analysis of two mixtures of two sources: the likelihood Σ_i (log |det W| − Σ_j log π cosh y_ij)
// of white points is climbed by Newton's steps.

import { principalAxes } from "./methods.js";

const AT_REST = 1e-10; // entries of the relative gradient at the end
const NEWTON_STEPS = 100;
const LEAST_CURVATURE = 1e-2; // so that every step goes uphill

// Mean of X (n, 2), and the two directions (2, 2), as rows, that take a centered point to its sources, of unit variance;
// the source that moves the points most comes first.
export function independentComponents(X, n) {
  const { mean, directions, eigenvalues } = principalAxes(X, n, 2);
  const deviations = eigenvalues.map((value) => Math.sqrt(value / n));
  const whitening = directions.map((v, k) => Array.from(v, (one) => one / deviations[k]));
  const Z = timesRows(X, n, mean, whitening); // (ica-whitening)
  let W = [[1, 0], [0, 1]];
  let here = sourcesOf(Z, W, n);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const G = relativeGradient(here, n);
    if (Math.max(...G.flat().map(Math.abs)) < AT_REST) break;
    const uphill = newtonStep(G, here, n);
    const slope = G.flat().reduce((sum, one, place) => sum + one * uphill.flat()[place], 0);
    for (let rate = 1; ; rate /= 2) {
      const better = pairProduct(identityPlus(uphill, rate), W); // (ica-update)
      const there = sourcesOf(Z, better, n);
      if (there.value < here.value + 1e-4 * rate * slope - 1e-13 && rate >= 1e-9) continue;
      [W, here] = [better, there];
      break;
    }
  }
  const sizes = [0, 1].map((j) => Math.sqrt(here.Y.reduce((sum, y) => sum + y[j] ** 2, 0) / n));
  W = W.map((row, j) => row.map((one) => one / sizes[j]));
  // How far each source moves the points: the columns of the mixing, diag(deviations) W⁻¹
  const determinant = W[0][0] * W[1][1] - W[0][1] * W[1][0];
  const columns = [[W[1][1], -W[1][0]], [-W[0][1], W[0][0]]];
  const lengths = columns.map(([a, b]) => Math.hypot(deviations[0] * a, deviations[1] * b) / Math.abs(determinant));
  if (lengths[1] > lengths[0]) W.reverse();
  return { mean, components: pairProduct(W, whitening) };
}

// Sources Y of white points, their slopes tanh(Y), and the mean log-likelihood.
function sourcesOf(Z, W, n) {
  const Y = Z.map(([a, b]) => W.map(([u, v]) => u * a + v * b));
  const slopes = Y.map((y) => y.map(Math.tanh));
  const determinant = W[0][0] * W[1][1] - W[0][1] * W[1][0];
  const logCosh = (y) => Math.abs(y) + Math.log1p(Math.exp(-2 * Math.abs(y))) - Math.LN2;
  const bends = Y.reduce((sum, y) => sum + logCosh(y[0]) + logCosh(y[1]), 0);
  return { Y, slopes, value: Math.log(Math.abs(determinant)) - bends / n - 2 * Math.log(Math.PI) }; // (ica-likelihood)
}

// I − E(tanh(y) yᵀ): zero where the slope of one source is uncorrelated with the other.
function relativeGradient({ Y, slopes }, n) {
  return [0, 1].map((i) =>
    [0, 1].map((j) => Number(i === j) - slopes.reduce((sum, slope, t) => sum + slope[i] * Y[t][j], 0) / n), // (ica-gradient)
  );
}

// The gradient divided by the curvature that independent sources have.
function newtonStep(G, { Y, slopes }, n) {
  const mean = (value) => Y.reduce((sum, y, t) => sum + value(y, slopes[t]), 0) / n;
  const curvatures = [0, 1].map((i) => mean((_, slope) => 1 - slope[i] ** 2));
  const squares = [0, 1].map((j) => mean((y) => y[j] ** 2));
  let [c01, c10] = [curvatures[0] * squares[1], curvatures[1] * squares[0]];
  const smaller = (c01 + c10) / 2 - Math.sqrt((c01 - c10) ** 2 / 4 + 1);
  const raised = Math.max(LEAST_CURVATURE - smaller, 0);
  [c01, c10] = [c01 + raised, c10 + raised];
  const own = [0, 1].map((j) => 1 + mean((y, slope) => (1 - slope[j] ** 2) * y[j] ** 2));
  const off = c01 * c10 - 1;
  return [
    [G[0][0] / own[0], (c10 * G[0][1] - G[1][0]) / off],
    [(c01 * G[1][0] - G[0][1]) / off, G[1][1] / own[1]],
  ]; // (ica-newton)
}

// Coordinates of the centered rows of X (n, 2) along given rows, a pair for each.
export function timesRows(X, n, mean, rows) {
  return Array.from({ length: n }, (_, i) => {
    const [x, y] = [X[2 * i] - mean[0], X[2 * i + 1] - mean[1]];
    return rows.map(([u, v]) => u * x + v * y);
  });
}

function identityPlus(M, rate) {
  return M.map((row, i) => row.map((one, j) => Number(i === j) + rate * one));
}

function pairProduct(A, B) {
  return A.map((row) => [0, 1].map((j) => row[0] * B[0][j] + row[1] * B[1][j]));
}
