// Eigenpairs: the computation in which every spectral method ends. The most important pair comes first, and signs are
// fixed. Vectors are arrays of n numbers; a block is a list of orthonormal ones. The block that one search ends with
// may be the start of the next: while points are dragged, a few steps then lead from frame to frame, and no axis flips.

import { general } from "./refusals.js";

const EPS = 2 ** -52;
export const ROUNDING = 10 * EPS; // of the size of a matrix, for each of its rows: what counts as zero
const SAME = 100 * EPS; // of the norm of a matrix: what rounding may add to an eigenvalue
const ROUNDED = 1e-12; // residual of an eigenvector, as a share of its eigenvalue, where none is asked for
const EXTRA = 8; // vectors beside those wanted: the more of them, the fewer steps
const STEPS = 60; // until the block is made twice as large

// Largest eigenvalues of K (n, n), symmetric, with their eigenvectors; only those that are positive beyond rounding.
export function topEigenpairs(K, n, d, { start = [], tolerance } = {}) {
  const { values, block } = dominantPairs((v) => product(K, v), n, Math.min(d, n), start, tolerance); // (pca-ky-fan)
  const least = n * ROUNDING * Math.max(values[0], ...diagonal(K, n).map(Math.abs));
  const eigenvalues = values.slice(0, d).filter((value) => value > least);
  return { eigenvalues, ...signed(block, block.slice(0, eigenvalues.length), start) };
}

// Smallest eigenvalues of M (n, n), symmetric and positive semidefinite with M 1 = 0, with their eigenvectors, but
// without 1; with degrees, the diagonal of Deg, those of M u = λ Deg u.
export function bottomEigenpairs(M, n, d, { degrees, start = [], tolerance } = {}) {
  const root = Float64Array.from({ length: n }, (_, i) => Math.sqrt(degrees ? degrees[i] : 1));
  const nullVector = scaled(root, 1 / length(root));
  // v = Deg^½ u makes M u = λ Deg u an ordinary problem: S_ij = M_ij / √(Deg_i Deg_j)
  const S = M.map((value, place) => value / (root[Math.floor(place / n)] * root[place % n]));
  const norm = largestRowSum(S, n);
  if (length(product(S, nullVector)) > 1e-8 * norm) {
    throw new Error("M times the vector of ones is not 0: rows of W must sum to one, rows of L to zero.");
  }
  // The null vector moves to the top of the spectrum; the shift, for zeros that are left, turns no eigenvector
  const shift = n * ROUNDING * norm;
  const deflated = S.map((value, place) => {
    const [i, j] = [Math.floor(place / n), place % n];
    return value + 2 * norm * nullVector[i] * nullVector[j] + (i === j ? shift : 0);
  });
  const L = choleskyOf(deflated, n) ?? refuseNegative(deflated, n, shift);
  const wanted = Math.min(d, n - 1);
  const { block } = dominantPairs((v) => solvedBy(L, v), n, wanted, start, tolerance); // (lle-eigenproblem)
  const eigenvalues = block.slice(0, wanted).map((v) => dot(v, product(S, v)));
  if (eigenvalues[0] < -SAME * norm) refuseNegative(deflated, n, shift);
  const U = block.slice(0, wanted).map((v) => v.map((value, i) => value / root[i]));
  return { eigenvalues: eigenvalues.map((one) => Math.max(one, 0)), ...signed(block, U, start) };
}

function refuseNegative(deflated, n, shift) {
  const least = jacobi(deflated, n).values[n - 1] - shift;
  throw new Error(`M has the eigenvalue ${general(least, 2)}: it must be positive semidefinite.`);
}

// Eigenvalues of K (n, n), symmetric, whose range lies in the span of a few vectors: but for zeros, these are all of them.
export function eigenvaluesIn(vectors, K, n) {
  const block = orthonormal(vectors, Math.min(vectors.length, n), n);
  return jacobi(seenBy(block, block.map((v) => product(K, v))), block.length).values;
}

// A matrix as a block of vectors sees it, whose images are given: vᵀKu for each two of them.
function seenBy(block, images) {
  const m = block.length;
  return Float64Array.from({ length: m * m }, (_, place) => dot(block[Math.floor(place / m)], images[place % m]));
}

// All eigenpairs of a small symmetric matrix M (m, m), the largest first: rotations of two axes at a time, each of which
// makes one entry zero, until none is left beside the diagonal. A list of vectors goes with it.
export function jacobi(M, m) {
  const A = Float64Array.from(M);
  const V = Array.from({ length: m }, (_, i) => Float64Array.from({ length: m }, (_, j) => Number(i === j)));
  const size = length(A);
  for (let turned = true; turned; ) {
    turned = false;
    for (let p = 0; p < m; p++) {
      for (let q = p + 1; q < m; q++) {
        if (!(Math.abs(A[p * m + q]) > 0.1 * EPS * size)) continue;
        turned = true;
        const theta = (A[q * m + q] - A[p * m + p]) / (2 * A[p * m + q]);
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const cosine = 1 / Math.hypot(tangent, 1);
        for (let i = 0; i < m; i++) turn(A, i * m + p, i * m + q, cosine, tangent * cosine);
        for (let i = 0; i < m; i++) turn(A, p * m + i, q * m + i, cosine, tangent * cosine);
        A[p * m + q] = A[q * m + p] = 0; // but for rounding
        for (let i = 0; i < m; i++) [V[p][i], V[q][i]] = turnedPair(V[p][i], V[q][i], cosine, tangent * cosine);
      }
    }
  }
  const values = diagonal(A, m);
  const order = Array.from(values.keys()).sort((i, j) => values[j] - values[i]);
  return { values: order.map((i) => values[i]), vectors: order.map((i) => V[i]) };
}

function turn(A, p, q, cosine, sine) {
  [A[p], A[q]] = turnedPair(A[p], A[q], cosine, sine);
}

function turnedPair(x, y, cosine, sine) {
  return [cosine * x - sine * y, sine * x + cosine * y];
}

// Orthogonal iteration: the operator is applied to a block of vectors again and again, and in the space that they span
// its eigenpairs are found (Rayleigh and Ritz), until the residuals of those wanted are a small share of their values.
// A block that is slow becomes larger; one that spans everything is exact.
function dominantPairs(apply, n, wanted, start, tolerance = ROUNDED) {
  let block = orthonormal(start[0]?.length === n ? start : [], blockSize(Math.max(wanted + EXTRA, start.length), n), n);
  for (let step = 1; ; step++) {
    const images = block.map(apply);
    const { values, vectors } = jacobi(seenBy(block, images), block.length);
    block = vectors.map((weights) => combined(block, weights));
    const ahead = vectors.map((weights) => combined(images, weights));
    const largest = Math.max(...values.map(Math.abs));
    const isDone = (i) => {
      const residual = length(ahead[i].map((value, place) => value - values[i] * block[i][place]));
      return residual <= tolerance * Math.abs(values[i]) + n * EPS * largest;
    };
    if (block.length === n || Array.from({ length: wanted }, (_, i) => i).every(isDone)) return { values, block };
    block = orthonormal(ahead, step % STEPS ? block.length : blockSize(2 * block.length, n), n);
  }
}

// All n vectors, where a third of them are needed.
function blockSize(size, n) {
  return 3 * size >= n ? n : size;
}

// Orthonormal vectors that span given ones first, and then others of no preference, the same ones each time.
function orthonormal(given, size, n) {
  const block = [];
  const next = random(given.length);
  for (let k = 0; block.length < size; k++) {
    let v = k < given.length ? given[k] : Float64Array.from({ length: n }, next);
    let before = Infinity;
    let after = length(v);
    // What rounding leaves of the vectors before it is taken away, too; a vector that they span is left out
    for (let pass = 0; after > 0 && after < 0.7 * before && pass < 4; pass++) {
      v = scaled(v, 1 / after);
      for (const u of block) {
        const share = dot(u, v);
        v = v.map((value, i) => value - share * u[i]);
      }
      [before, after] = [1, length(v)];
    }
    if (after >= 0.7) block.push(scaled(v, 1 / after));
  }
  return block;
}

// Numbers from −1 to 1 in an order that looks like chance (a linear congruence).
function random(seed) {
  let state = seed + 1;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) | 0) / 2 ** 31;
}

// Vectors with the signs of the start, or else with positive largest entries: of those that are equal up to rounding,
// the first one decides.
function signed(block, U, start) {
  const signs = U.map((u, k) => {
    if (start[k]?.length === u.length) return dot(start[k], block[k]) < 0 ? -1 : 1;
    const largest = Math.max(...u.map(Math.abs));
    return u.find((value) => Math.abs(value) >= (1 - 1e-6) * largest) < 0 ? -1 : 1;
  });
  return { U: U.map((u, k) => scaled(u, signs[k])), block: block.map((v, k) => scaled(v, signs[k] ?? 1)) };
}

// L, below and on the diagonal, of A = LLᵀ (n, n); null if A is not positive definite.
export function choleskyOf(A, n) {
  const L = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = A[i * n + j];
      for (let k = 0; k < j; k++) rest -= L[i * n + k] * L[j * n + k];
      if (i === j && !(rest > 0)) return null;
      L[i * n + j] = i === j ? Math.sqrt(rest) : rest / L[j * n + j];
    }
  }
  return L;
}

// x with LLᵀx = b: forward, then backward.
export function solvedBy(L, b) {
  const n = b.length;
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) x[i] -= L[i * n + j] * x[j];
    x[i] /= L[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    x[i] /= L[i * n + i];
    for (let j = 0; j < i; j++) x[j] -= L[i * n + j] * x[i];
  }
  return x;
}

function product(M, v) {
  const n = v.length;
  const image = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += M[i * n + j] * v[j];
    image[i] = sum;
  }
  return image;
}

function combined(block, weights) {
  const sum = new Float64Array(block[0].length);
  block.forEach((v, k) => {
    for (let i = 0; i < v.length; i++) sum[i] += weights[k] * v[i];
  });
  return sum;
}

function dot(u, v) {
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += u[i] * v[i];
  return sum;
}

function length(v) {
  return Math.sqrt(dot(v, v));
}

function scaled(v, factor) {
  return v.map((value) => factor * value);
}

function diagonal(M, n) {
  return Array.from({ length: n }, (_, i) => M[i * (n + 1)]);
}

// No eigenvalue of a symmetric matrix exceeds it.
export function largestRowSum(M, n) {
  return Math.max(...Array.from({ length: n }, (_, i) => M.subarray(i * n, (i + 1) * n).reduce((sum, one) => sum + Math.abs(one), 0)));
}
