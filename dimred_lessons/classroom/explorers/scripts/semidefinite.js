// The semidefinite program of distances: maximize tr K subject to K ⪰ 0, K1 = 0, and e_aᵀKe_a ≤ d_a for m pairs of points
// with squared distances d_a. The dual weights w, one for each pair, prove the optimum: Z = L(w) − H ⪰ 0, wᵀd = tr K.
// A primal-dual interior-point method follows K Z = μI and w_a s_a = μ, for the slacks s, to μ = 0.

import { choleskyOf, largestRowSum, solvedBy } from "./eigenpairs.js";
import { sumOf } from "./numbers.js";

const GAP = 1e-7; // relative gap at the end, where none is asked for
const ROUNDS = 60;
const SHARE = 0.95; // of the way to the boundary of a cone that a step may go

// K (n, n), w (m,) and the relative gap between tr K and the bound that w proves, at the end at most the one asked for.
export function largestTrace(pairs, d, n, gap = GAP) {
  const m = pairs.length;
  const unit = d.reduce((sum, one) => sum + one, 0) / m;
  const limits = d.map((one) => one / unit);
  let point = firstPoint(pairs, limits, n);
  for (let round = 0; round < ROUNDS && point.gap > gap; round++) {
    const newton = newtonMatrix(point, pairs, n);
    if (!newton) break; // rounding ends it
    const predicted = newtonDirection(point, newton, pairs, limits, n, 0);
    const ahead = movedBy(point, predicted, pairs, limits, n);
    const mu = Math.min(1, (ahead.product / point.product) ** 3) * (point.product / (n + m)); // Mehrotra's rule
    point = movedBy(point, newtonDirection(point, newton, pairs, limits, n, mu, predicted), pairs, limits, n);
  }
  return { K: point.K.map((one) => one * unit), w: point.w, gap: point.gap };
}

// The first point inside both cones: w = c·1 makes L(w) ⪰ 2H, and K = εI keeps all distances.
function firstPoint(pairs, d, n) {
  const m = pairs.length;
  const connected = laplacian(pairs, new Float64Array(m).fill(1), n).map((one) => one + (2 * m) / n);
  const w = new Float64Array(m).fill(2 * largestRowSum(inverseOf(choleskyOf(connected, n), n), n)); // ≥ 2 / least eigenvalue
  const K = identityOf(n).map((one) => (one * Math.min(...d)) / 4);
  return located({ K, w, s: d.map((one, a) => one - between(K, n, pairs[a], pairs[a])) }, pairs, d, n);
}

// A point with its Z, and how far its two objectives are apart.
function located({ K, w, s }, pairs, d, n) {
  const Z = laplacian(pairs, w, n).map((one, place) => one + 2 / n - Number(place % (n + 1) === 0)); // (sde-dual)
  const bound = innerProduct(w, d);
  const value = sumOf(K.filter((_, place) => place % (n + 1) === 0)) - (2 * sumOf(K)) / n; // K1 is 0 at the end
  return { K, w, s, Z, product: innerProduct(K, Z) + innerProduct(w, s), gap: Math.abs(bound - value) / bound };
}

// Z⁻¹, and the factor of S + diag(s/w), where S = (E K Eᵀ) ∘ (E Z⁻¹ Eᵀ), entry by entry; null if rounding leaves none.
function newtonMatrix({ K, w, s, Z }, pairs, n) {
  const factor = choleskyOf(Z, n);
  if (!factor) return null;
  const inverse = inverseOf(factor, n);
  const m = pairs.length;
  const S = new Float64Array(m * m);
  for (let a = 0; a < m; a++) {
    for (let b = 0; b <= a; b++) {
      S[a * m + b] = S[b * m + a] = between(K, n, pairs[a], pairs[b]) * between(inverse, n, pairs[a], pairs[b]); // (sde-schur)
    }
    S[a * (m + 1)] += s[a] / w[a];
  }
  const cholesky = choleskyOf(S, m);
  return cholesky && { inverse, cholesky };
}

// Newton's step to K Z = μI and w_a s_a = μ; a step that was predicted tells what its end adds to these products.
function newtonDirection({ K, w, s }, { inverse, cholesky }, pairs, d, n, mu, predicted) {
  const added = predicted ? matrixProduct(matrixProduct(predicted.K, predicted.Z, n), inverse, n) : new Float64Array(n * n);
  const slack = w.map((one, a) => (mu - (predicted ? predicted.s[a] * predicted.w[a] : 0)) / one);
  const ahead = inverse.map((one, place) => mu * one - added[place]);
  const dw = solvedBy(cholesky, d.map((one, a) => between(ahead, n, pairs[a], pairs[a]) + slack[a] - one)); // (sde-newton)
  const Z = laplacian(pairs, dw, n);
  const turned = matrixProduct(matrixProduct(K, Z, n), inverse, n);
  const dK = symmetricPart(ahead.map((one, place) => one - turned[place]), n).map((one, place) => one - K[place]);
  return { K: dK, w: dw, s: slack.map((one, a) => one - s[a] - (s[a] / w[a]) * dw[a]), Z };
}

// The point at the end of the longest step that stays inside both cones.
function movedBy(point, step, pairs, d, n) {
  const primal = longestStep(point.K, step.K, point.s, step.s, n);
  const dual = longestStep(point.Z, step.Z, point.w, step.w, n);
  const K = point.K.map((one, place) => one + primal * step.K[place]);
  const s = point.s.map((one, a) => one + primal * step.s[a]);
  return located({ K, w: point.w.map((one, a) => one + dual * step.w[a]), s }, pairs, d, n);
}

// How far, at most 1, one may go from M and x along D and dx before M is not positive definite, or x not positive.
function longestStep(M, D, x, dx, n) {
  let step = 1;
  x.forEach((one, a) => (step = dx[a] < 0 ? Math.min(step, (-SHARE * one) / dx[a]) : step));
  while (step > 1e-12 && !choleskyOf(M.map((one, place) => one + (step / SHARE) * D[place]), n)) step *= 0.8;
  return step;
}

// e_aᵀ M e_b for two pairs.
function between(M, n, [i, j], [k, l]) {
  return M[i * n + k] - M[i * n + l] - M[j * n + k] + M[j * n + l];
}

// L(w) = Eᵀ diag(w) E.
function laplacian(pairs, w, n) {
  const L = new Float64Array(n * n);
  pairs.forEach(([i, j], a) => {
    L[i * n + i] += w[a];
    L[j * n + j] += w[a];
    L[i * n + j] -= w[a];
    L[j * n + i] -= w[a];
  }); // (sde-laplacian)
  return L;
}

function identityOf(n) {
  const identity = new Float64Array(n * n);
  for (let i = 0; i < n; i++) identity[i * (n + 1)] = 1;
  return identity;
}

// (LLᵀ)⁻¹, column by column.
function inverseOf(L, n) {
  const inverse = identityOf(n);
  for (let i = 0; i < n; i++) inverse.set(solvedBy(L, inverse.subarray(i * n, (i + 1) * n)), i * n);
  return inverse;
}

// Σ A_ij B_ij.
function innerProduct(A, B) {
  return A.reduce((sum, one, place) => sum + one * B[place], 0);
}

function matrixProduct(A, B, n) {
  const C = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      const one = A[i * n + k];
      for (let j = 0; j < n; j++) C[i * n + j] += one * B[k * n + j];
    }
  }
  return C;
}

function symmetricPart(M, n) {
  return M.map((one, place) => (one + M[(place % n) * n + Math.floor(place / n)]) / 2);
}
