// How strongly two points are neighbors among the data: the weights that a neighbor embedding reproduces.

import { neighborLists } from "./neighbors.js";

const HALVINGS = 60;

// Probabilities of pairs (n, n), p_ij = (p_j|i + p_i|j) / 2n: the mean of both directions, for all points together.
export function jointProbabilities(squared, n, perplexity) {
  const P = conditionalProbabilities(squared, n, perplexity);
  return P.map((p, place) => (p + P[(place % n) * n + Math.floor(place / n)]) / (2 * n)); // (sne-joint)
}

// Probabilities with which each point picks another one as its neighbor (n, n): p_j|i ∝ exp(−β_i s_ij), where β_i > 0
// makes the entropy of row i log(perplexity), by bisection for log β_i.
export function conditionalProbabilities(squared, n, perplexity) {
  if (!(perplexity >= 1 && perplexity < n - 1)) {
    throw new Error(
      `perplexity=${perplexity} must be at least 1 and below n_samples − 1 = ${n - 1}, the number of neighbors.`,
    );
  }
  const P = new Float64Array(n * n);
  const excess = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) excess[j] = i === j ? Infinity : squared[i * n + j];
    const least = Math.min(...excess);
    excess.forEach((one, j) => (excess[j] = one - least)); // the largest exponent is 0
    const unit = Math.min(1e300, ...excess.filter((one) => one > 0));
    excess.forEach((one, j) => (excess[j] = one / unit));
    let [low, high] = [-150, 10]; // at 10, only the nearest are left
    let p;
    for (let step = 0; step < HALVINGS; step++) {
      const middle = (low + high) / 2;
      p = shares(excess, Math.exp(middle));
      if (entropy(p) > Math.log(perplexity)) low = middle;
      else high = middle;
    }
    P.set(p, i * n);
  }
  return P;
}

function shares(excess, beta) {
  const p = excess.map((one) => Math.exp(-beta * one));
  const sum = p.reduce((all, one) => all + one, 0);
  return p.map((one) => one / sum); // (sne-perplexity)
}

function entropy(p) {
  return p.reduce((sum, one) => sum - (one && one * Math.log(one)), 0);
}

// Degree to which two points are neighbors (n, n), in [0, 1], as UMAP defines it: v_j|i = exp(−(δ_ij − ρ_i)/τ_i) for
// the k nearest points j of i, where ρ_i is the smallest positive of their distances, nearer ones have v = 1, and τ_i
// makes Σ_j v_j|i = log₂ k.
export function fuzzyMemberships(squared, n, k) {
  if (!(Number.isInteger(k) && k >= 2 && k < n)) {
    throw new Error(`n_neighbors=${k} must be at least 2 and below n_samples=${n}.`);
  }
  const lists = neighborLists(squared, n, k);
  const V = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const nearest = lists.subarray(i * k, (i + 1) * k);
    memberships(Float64Array.from(nearest, (j) => Math.sqrt(squared[i * n + j]))).forEach(
      (v, place) => (V[i * n + nearest[place]] = v),
    );
  }
  return V.map((v, place) => {
    const mirrored = V[(place % n) * n + Math.floor(place / n)];
    return v + mirrored - v * mirrored; // (sne-memberships)
  });
}

// v of the neighbors of one point, by bisection for log τ: their sum grows with τ.
function memberships(lengths) {
  const rho = Math.min(...lengths.filter((one) => one > 0));
  const excess = lengths.map((one) => Math.max(one - (rho === Infinity ? 0 : rho), 0));
  const unit = Math.max(excess.reduce((sum, one) => sum + one, 0) / excess.length, 1e-300);
  const smallest = Math.min(...excess.filter((one) => one > 0));
  let low = Math.min(Math.max(Math.log(smallest / unit) - 10, -340), -50);
  let high = 50;
  let v;
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    v = excess.map((one) => Math.exp(-one / (unit * Math.exp(middle))));
    if (v.reduce((sum, one) => sum + one, 0) > Math.log2(lengths.length)) high = middle;
    else low = middle;
  }
  return v;
}
