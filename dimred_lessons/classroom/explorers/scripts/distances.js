// Distances between points. Throughout, a matrix is one array of numbers, row after row; rows of X (n, D) are points.

// Squared Euclidean distances between the rows of X (n, n).
export function squaredDistances(X, n) {
  const D = X.length / n;
  const squared = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      let sum = 0;
      for (let k = 0; k < D; k++) sum += (X[i * D + k] - X[j * D + k]) ** 2;
      squared[i * n + j] = squared[j * n + i] = sum; // (mds-distances)
    }
  }
  return squared;
}

// Refuse points that all coincide, as their differences or distances tell.
export function requireDistinct(n, differences) {
  if (differences.some((one) => one !== 0)) return;
  throw new Error(`All ${n} points coincide: there is nothing to embed; give points that vary.`);
}
