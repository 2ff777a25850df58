// Methods, each a few steps through the same quantities as in the package. Maps are lists of axes, n numbers each. What
// a method returns as `block` may be given to it as the start of the next search.

import { squaredDistances } from "./distances.js";
import { bottomEigenpairs, jacobi, ROUNDING, topEigenpairs } from "./eigenpairs.js";
import { shortestPaths } from "./geodesics.js";
import { neighborhoodGraph } from "./graphs.js";
import { centerPoints, kernelFromSquaredDistances } from "./kernels.js";

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
export function classicalMDS(squared, n, d, { start, D = n } = {}) {
  const K = kernelFromSquaredDistances(squared, n); // (mds-gram)
  const { eigenvalues, U, block } = topEigenpairs(K, n, d, start); // (mds-eigenproblem)
  requireComponents(eigenvalues.length, d, n, D);
  return { eigenvalues, axes: U.map((u, k) => u.map((value) => value * Math.sqrt(eigenvalues[k]))), block }; // (mds-scores)
}

// Isomap: classical MDS of the shortest paths through the neighborhood graph of X (n, D).
export function isomap(X, n, d, { k, radius, start } = {}) {
  const D = X.length / n;
  const graph = neighborhoodGraph(squaredDistances(X, n), n, { k, radius, D }); // (isomap-neighbors)
  const paths = shortestPaths(graph, n); // (isomap-geodesics)
  return { graph, paths, ...classicalMDS(paths.map((one) => one ** 2), n, d, { start, D }) };
}

// Laplacian eigenmaps of X (n, D): bottom eigenvectors of L u = λ Deg u, with heat weights of a width.
export function laplacianEigenmaps(X, n, d, { k, radius, sigma, start } = {}) {
  const D = X.length / n;
  const graph = neighborhoodGraph(squaredDistances(X, n), n, { k, radius, D }); // (lem-neighbors)
  const L = new Float64Array(n * n);
  const degrees = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let edge = graph.starts[i]; edge < graph.starts[i + 1]; edge++) {
      const weight = Math.exp(-0.5 * (graph.lengths[edge] / sigma) ** 2); // (lem-heat)
      L[i * n + graph.ends[edge]] = -weight;
      degrees[i] += weight;
    }
    L[i * n + i] = degrees[i]; // (lem-laplacian)
  }
  const { eigenvalues, U, block } = bottomEigenpairs(L, n, d, { degrees, start }); // (lem-eigenproblem)
  requireComponents(eigenvalues.length, d, n, D);
  return { graph, eigenvalues, axes: U, block };
}

function requireComponents(attainable, d, n, D) {
  if (attainable >= d) return;
  throw new Error(
    `n_components=${d} is above the ${attainable} that these data can give (n_samples=${n}, n_features=${D}): ` +
      "ask for fewer, or give points that vary more.",
  );
}

