// Kernels: dot products of points, and those that distances imply.

// X (n, D) less the mean of its rows; coordinates in which all points are equal become exact zeros.
export function centerPoints(X, n) {
  const D = X.length / n;
  const A = Float64Array.from(X, (value, place) => value - X[place % D]);
  for (let k = 0; k < D; k++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += A[i * D + k];
    for (let i = 0; i < n; i++) A[i * D + k] -= sum / n;
  }
  return A;
}

// HKH, the kernel of the same points less their mean (n, n). Without the first entry, equal entries cancel exactly.
export function centerKernel(K, n) {
  const centered = Float64Array.from(K, (value) => value - K[0]);
  const means = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) means[i] += centered[i * n + j] / n;
  }
  const mean = means.reduce((sum, one) => sum + one, 0) / n;
  return centered.map((value, place) => value - means[Math.floor(place / n)] - means[place % n] + mean); // (kpca-center)
}

// Dot products of the centered points whose squared distances are given: K = −½ H Δ² H.
export function kernelFromSquaredDistances(squared, n) {
  return centerKernel(squared.map((one) => -0.5 * one), n); // (mds-gram)
}
