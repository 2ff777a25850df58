// Methods, each a few steps through the same quantities as in the package. Maps are lists of axes, n numbers each. What
// a method returns as `block` may be given to it as the start of the next search.

import { squaredDistances } from "./distances.js";
import { bottomEigenpairs, jacobi, ROUNDING, topEigenpairs } from "./eigenpairs.js";
import { shortestPaths } from "./geodesics.js";
import { neighborhoodGraph } from "./graphs.js";
import { centerKernel, centerPoints, kernelFromSquaredDistances } from "./kernels.js";
import { refuseNotPositive } from "./refusals.js";

// Principal components analysis of X (n, D), which has d axes at least: mean, and all directions with their eigenvalues
// Λ = Σ².
export function principalAxes(X, n, d = 0) {
  const D = X.length / n;
  const A = centerPoints(X, n);
  const scatter = new Float64Array(D * D);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < D; k++) {
      for (let l = 0; l < D; l++) scatter[k * D + l] += A[i * D + k] * A[i * D + l];
    }
  }
  const { values, vectors } = jacobi(scatter, D); // (pca-svd)
  requireComponents(values.filter((value) => value > n * ROUNDING * values[0]).length, d, n, D);
  const mean = Array.from({ length: D }, (_, k) => X[k] - A[k]);
  return { mean, eigenvalues: values.map((value) => Math.max(value, 0)), directions: vectors };
}

// Classical MDS of squared dissimilarities (n, n): points with the dot products that they imply.
export function classicalMDS(squared, n, d, { start, tolerance, D = n } = {}) {
  const K = kernelFromSquaredDistances(squared, n); // (mds-gram)
  const { eigenvalues, U, block } = topEigenpairs(K, n, d, { start, tolerance }); // (mds-eigenproblem)
  requireComponents(eigenvalues.length, d, n, D);
  return { eigenvalues, axes: U.map((u, k) => u.map((value) => value * Math.sqrt(eigenvalues[k]))), block }; // (mds-scores)
}

// Isomap: classical MDS of the shortest paths through the neighborhood graph of X (n, D).
export function isomap(X, n, d, { k, radius, start, tolerance } = {}) {
  const D = X.length / n;
  const graph = neighborhoodGraph(squaredDistances(X, n), n, { k, radius, D }); // (isomap-neighbors)
  const paths = shortestPaths(graph, n); // (isomap-geodesics)
  return { graph, paths, ...classicalMDS(paths.map((one) => one ** 2), n, d, { start, tolerance, D }) };
}

// Laplacian eigenmaps of X (n, D): bottom eigenvectors of L u = λ Deg u, with heat weights, whose width is the median
// length of the edges if none is given.
export function laplacianEigenmaps(X, n, d, { k, radius, sigma, start, tolerance } = {}) {
  const D = X.length / n;
  const graph = neighborhoodGraph(squaredDistances(X, n), n, { k, radius, D }); // (lem-neighbors)
  const width = sigma ?? median(graph.lengths.filter((length) => length > 0));
  const L = new Float64Array(n * n);
  const degrees = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let edge = graph.starts[i]; edge < graph.starts[i + 1]; edge++) {
      const weight = Math.exp(-0.5 * (graph.lengths[edge] / width) ** 2); // (lem-heat)
      L[i * n + graph.ends[edge]] = -weight;
      degrees[i] += weight;
    }
    L[i * n + i] = degrees[i]; // (lem-laplacian)
  }
  const alone = degrees.indexOf(0);
  if (alone >= 0) throw new Error(`All weights of point ${alone} are 0: raise sigma, or use binary ones.`);
  const { eigenvalues, U, block } = bottomEigenpairs(L, n, d, { degrees, start, tolerance }); // (lem-eigenproblem)
  requireComponents(eigenvalues.length, d, n, D);
  return { graph, eigenvalues, axes: U, block };
}

// Kernel PCA of X (n, D) with a Gaussian kernel: the scores of the points on the axes, the trace of the centered kernel,
// and a function that gives the score of any point on the first axis.
export function kernelPCA(X, n, d, { sigma, start, tolerance } = {}) {
  const D = X.length / n;
  refuseNotPositive("sigma", sigma, ", or None for the median distance");
  const K = squaredDistances(X, n).map((one) => Math.exp(-one / (2 * sigma ** 2))); // (kpca-kernel)
  const centered = centerKernel(K, n); // (kpca-center)
  const { eigenvalues, U, block } = topEigenpairs(centered, n, d, { start, tolerance }); // (kpca-eigenproblem)
  requireComponents(eigenvalues.length, d, n, D);
  const axes = U.map((u, k) => u.map((value) => value * Math.sqrt(eigenvalues[k]))); // (kpca-scores)
  let trace = 0;
  for (let i = 0; i < n; i++) trace += centered[i * (n + 1)];
  const coefficients = U[0].map((value) => value / Math.sqrt(eigenvalues[0])); // (kpca-unit-axes)
  const means = coefficients.map((_, i) => K.subarray(i * n, (i + 1) * n).reduce((sum, one) => sum + one / n, 0));
  const score = (point) => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      let square = 0;
      for (let k = 0; k < D; k++) square += (point[k] - X[i * D + k]) ** 2;
      sum += coefficients[i] * (Math.exp(-square / (2 * sigma ** 2)) - means[i]); // their sum is 0: no mean over all
    }
    return sum; // (kpca-encode)
  };
  return { eigenvalues, axes, block, trace, score };
}

function median(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function requireComponents(attainable, d, n, D) {
  if (attainable >= d) return;
  throw new Error(
    `n_components=${d} is above the ${attainable} that these data can give (n_samples=${n}, n_features=${D}): ` +
      "ask for fewer, or give points that vary more.",
  );
}

