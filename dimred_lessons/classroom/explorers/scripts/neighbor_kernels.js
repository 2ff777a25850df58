// Gradients of neighbor embeddings: each has the form 4 L(A) Y, with attractions less repulsions A of all pairs.

import { squaredDistances } from "./distances.js";
import { centerPoints } from "./kernels.js";
import { sumOf } from "./numbers.js";

// UMAP's curve q = 1/(1 + a δ^2b) for the usual min_dist of 0.1; points nearer than √ε repel as if at that distance
const [SLOPE, POWER, LEAST] = [1.577, 0.895, 1e-3];

// 4 L(A) Y: row i is 4 Σ_j a_ij (y_i − y_j), where a_ij is the derivative of the objective by ‖y_i − y_j‖².
export function laplacianGradient(A, Y, n) {
  const d = Y.length / n;
  const gradient = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < d; k++) gradient[i * d + k] += 4 * A[i * n + j] * (Y[i * d + k] - Y[j * d + k]); // (sne-gradient)
    }
  }
  return gradient;
}

// Gradient of t-SNE's objective: A = (P − Q)∘K. P times a factor exaggerates the attraction.
export function studentGradient(P, Y, n) {
  const K = studentKernel(Y, n);
  const sum = sumOf(K);
  return laplacianGradient(K.map((k, place) => (P[place] - k / sum) * k), Y, n);
}

// t-SNE's objective: the mismatch of P and the places Y, Σ p log(p / q).
export function studentObjective(P, Y, n) {
  const K = studentKernel(Y, n);
  const sum = sumOf(K);
  return P.reduce((all, p, place) => all + (p && p * Math.log((p * sum) / K[place])), 0); // (sne-objective)
}

function studentKernel(Y, n) {
  return squaredDistances(Y, n).map((s, place) => (place % (n + 1) ? 1 / (1 + s) : 0)); // (sne-kernel)
}

// A step against the gradient of t-SNE's objective, longer for a coordinate that keeps its direction and shorter for one
// that turns; the map Y stays centered.
export function momentumStep(P, { Y, step, gains }, momentum) {
  const n = Y.length / 2;
  const slope = studentGradient(P, Y, n);
  const rate = n / (12 * sumOf(P));
  const grown = gains.map((gain, k) => Math.max(step[k] * slope[k] < 0 ? gain + 0.2 : 0.8 * gain, 0.01));
  const next = step.map((one, k) => momentum * one - rate * grown[k] * slope[k]);
  return { Y: centerPoints(Y.map((one, k) => one + next[k]), n), step: next, gains: grown }; // (sne-step)
}

// Gradient of UMAP's objective: a_ij = b (v_ij − q_ij) / s_ij. V times a factor exaggerates the attraction.
export function umapGradient(V, Y, n) {
  const A = squaredDistances(Y, n).map((one, place) => {
    const s = one + LEAST;
    const q = place % (n + 1) ? 1 / (1 + SLOPE * s ** POWER) : 0;
    return (POWER * (V[place] - q)) / s; // (sne-umap-forces)
  });
  return laplacianGradient(A, Y, n);
}
