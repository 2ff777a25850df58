// Classical MDS of the distances between points, of which one, between the first two, is some times as long.

import { requireDistinct, squaredDistances } from "./distances.js";
import { eigenvaluesIn, topEigenpairs } from "./eigenpairs.js";
import { centerPoints, kernelFromSquaredDistances } from "./kernels.js";
import { percent, rowsOf } from "./numbers.js";

export const longerRoad = {
  compute(X, n, { value: times, start, tolerance }) {
    const squared = squaredDistances(X, n);
    squared[1] = squared[n] = squared[1] * times ** 2;
    requireDistinct(n, squared);
    const K = kernelFromSquaredDistances(squared, n); // (mds-gram)
    const { eigenvalues, U, block } = topEigenpairs(K, n, 2, { start, tolerance }); // (mds-eigenproblem)
    const axes = [0, 1].map((k) => block[k].map((value, i) => (U[k] ? U[k][i] * Math.sqrt(eigenvalues[k]) : 0)));
    const values = eigenvaluesIn(rangeOf(X, n), K, n);
    const total = (chosen) => chosen.reduce((sum, value) => sum + Math.abs(value), 0);
    const mass = total(values.filter((value) => value < 0)) / total(values); // (mds-negative-mass)
    return { mass, map: laidOver(rowsOf(axes), X, n), block };
  },

  say({ mass }) {
    return mass > 0.0005
      ? `No points have these distances: negative eigenvalues are ${percent(mass)} of all.`
      : "The map has all these distances: no eigenvalue is negative.";
  },

  draw(_, X, pen) {
    pen.line("road", X.subarray(0, 2), X.subarray(2, 4), 3);
  },

  drawMap({ map }, pen) {
    pen.line("road", map.subarray(0, 2), map.subarray(2, 4), 3);
  },

  isShaded: true,
  inOneScale: true,
};

// Columns that span the range of K: without the longer road K would be AAᵀ, of rank two, and the road adds two more.
function rangeOf(X, n) {
  const A = centerPoints(X, n);
  const ends = [0, 1].map((end) => Float64Array.from({ length: n }, (_, i) => Number(i === end) - 1 / n));
  return [...[0, 1].map((axis) => A.filter((_, place) => place % 2 === axis)), ...ends];
}

// A centered map (n, 2), turned and if need be reflected so that it lies over the points as well as it can.
function laidOver(map, X, n) {
  const A = centerPoints(X, n);
  const products = [0, 0, 0, 0]; // of columns of the map and of the points
  for (let i = 0; i < n; i++) {
    for (let place = 0; place < 4; place++) products[place] += map[2 * i + (place >> 1)] * A[2 * i + (place & 1)];
  }
  const [a, b, c, d] = products;
  const mirrored = Math.hypot(a - d, b + c) > Math.hypot(a + d, b - c) ? -1 : 1;
  const [cosine, sine] = [a + mirrored * d, b - mirrored * c];
  const size = Math.hypot(cosine, sine) || 1;
  return map.map((_, place) => {
    const i = place - (place % 2);
    const [x, y] = [map[i], mirrored * map[i + 1]];
    return (place % 2 ? x * sine + y * cosine : x * cosine - y * sine) / size;
  });
}
