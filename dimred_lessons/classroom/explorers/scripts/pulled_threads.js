// Semidefinite embedding of points in the plane: threads hold those that are near, and all are pulled apart.

import { requireDistinct, squaredDistances } from "./distances.js";
import { topEigenpairs } from "./eigenpairs.js";
import { neighborhoodGraph } from "./graphs.js";
import { centerKernel, centerPoints } from "./kernels.js";
import { constrainedPairs, mergedCopies } from "./local_distances.js";
import { neighborLists } from "./neighbors.js";
import { fixed, rowsOf, sumOf } from "./numbers.js";
import { largestTrace } from "./semidefinite.js";

const ROUGH = 1e-3; // relative gap while a point is dragged: the next frame is another one
const FLAT = 1e-6; // share of the trace below which an axis is rounding
const THICKEST = 7; // line of the thread that holds hardest, in pixels

export const pulledThreads = {
  compute(X, n, { value: k, start, tolerance }) {
    const A = centerPoints(X, n);
    requireDistinct(n, A);
    const { first, copyOf } = mergedCopies(X, n);
    const distinct = Float64Array.from(first.flatMap((i) => [X[2 * i], X[2 * i + 1]]));
    const count = first.length;
    const squared = squaredDistances(distinct, count);
    neighborhoodGraph(squared, count, { k, D: 2 }); // refuses one that is not connected
    const pairs = constrainedPairs(neighborLists(squared, count, k, 2), count, k);
    const limits = pairs.map(([i, j]) => squared[i * count + j]);
    const { K, w, gap } = largestTrace(pairs, limits, count, tolerance && ROUGH); // (sde-problem)
    const kernel = centerKernel(
      Float64Array.from({ length: n * n }, (_, place) => K[copyOf[Math.floor(place / n)] * count + copyOf[place % n]]),
      n,
    );
    const trace = sumOf(kernel.filter((_, place) => place % (n + 1) === 0));
    const { eigenvalues, U, block } = topEigenpairs(kernel, n, 2, { start, tolerance }); // (sde-embedding)
    const axes = [0, 1].map((axis) =>
      eigenvalues[axis] > FLAT * trace ? U[axis].map((one) => one * Math.sqrt(eigenvalues[axis])) : new Float64Array(n),
    );
    const hardest = Math.max(...w);
    const threads = pairs.map(([i, j], a) => ({ ends: [first[i], first[j]], pull: w[a] / hardest }));
    return { threads, gain: trace / sumOf(A.map((one) => one ** 2)), gap, map: rowsOf(axes), block };
  },

  say({ gain }) {
    return `Pulled apart, the points have ${fixed(gain)} times the variance that they had; their threads allow no more.`;
  },

  draw({ threads }, X, pen) {
    drawThreads(threads, X, pen);
  },

  drawMap({ threads, map }, pen) {
    drawThreads(threads, map, pen);
  },

  isShaded: true,
};

// Threads, the thicker and the more colorful the harder they hold.
function drawThreads(threads, places, pen) {
  for (const { ends, pull } of threads) {
    const [from, to] = ends.map((i) => places.subarray(2 * i, 2 * i + 2));
    pen.line("slack", from, to, 1);
    if (pull > 0.01) pen.line("taut", from, to, THICKEST * Math.sqrt(pull));
  }
}
