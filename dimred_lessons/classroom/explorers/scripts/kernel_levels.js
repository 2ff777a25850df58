// The first axis of kernel PCA with a Gaussian kernel, as a landscape over the plane: its level lines.

import { centerPoints } from "./kernels.js";
import { kernelPCA } from "./methods.js";
import { percent } from "./numbers.js";

const CELLS = 48; // on each side of the box, in which level lines are straight
const LEVELS = 9; // lines between the lowest and the highest point

export const kernelLevels = {
  compute(X, n, { value: sigma, start, tolerance }) {
    const { eigenvalues, axes, block, trace, score } = kernelPCA(X, n, 1, { sigma, start, tolerance });
    return { share: eigenvalues[0] / trace, straight: explainedByPlane(X, axes[0]), score, scores: axes[0], block };
  },

  say({ share, straight }) {
    return (
      `The first axis keeps ${percent(share)} of the variance in feature space; ` +
      `a straight axis would explain ${percent(straight)} of it.`
    );
  },

  draw({ score, scores }, X, pen) {
    const side = pen.width / CELLS;
    const heights = Array.from({ length: (CELLS + 1) ** 2 }, (_, place) =>
      score([pen.left + (place % (CELLS + 1)) * side, pen.bottom + Math.floor(place / (CELLS + 1)) * side]),
    );
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    for (let level = 1; level <= LEVELS; level++) {
      const share = level / (LEVELS + 1);
      for (const [from, to] of levelLines(heights, CELLS, low + share * (high - low))) {
        const place = ([right, up]) => [pen.left + right * side, pen.bottom + up * side];
        pen.line(share, place(from), place(to), 1.75);
      }
    }
  },
};

// Share of the variance of scores (n) that a linear function of X (n, 2) explains: projections on its two columns.
function explainedByPlane(X, scores) {
  const n = scores.length;
  const A = centerPoints(X, n);
  const columns = [0, 1].map((k) => Float64Array.from(scores, (_, i) => A[2 * i + k]));
  const product = (u, v) => u.reduce((sum, value, i) => sum + value * v[i], 0);
  const size = Math.max(...columns.map((u) => product(u, u)));
  let explained = 0;
  if (product(columns[0], columns[0]) < product(columns[1], columns[1])) columns.reverse();
  const share = product(columns[1], columns[0]) / size;
  columns[1] = columns[1].map((value, i) => value - share * columns[0][i]);
  for (const u of columns) if (product(u, u) > 1e-12 * size) explained += product(u, scores) ** 2 / product(u, u);
  return explained / product(scores, scores);
}

// Where heights at the corners of a grid of cells reach a level: segments, in units of cells.
function levelLines(heights, cells, level) {
  const lines = [];
  for (let up = 0; up < cells; up++) {
    for (let right = 0; right < cells; right++) {
      const corners = [[right, up], [right + 1, up], [right + 1, up + 1], [right, up + 1]];
      const above = corners.map(([x, y]) => heights[y * (cells + 1) + x] - level);
      const crossings = [];
      for (let k = 0; k < 4; k++) {
        const [one, other] = [above[k], above[(k + 1) % 4]];
        if (one > 0 === other > 0) continue;
        const share = one / (one - other);
        crossings.push(corners[k].map((value, axis) => value + share * (corners[(k + 1) % 4][axis] - value)));
      }
      for (let k = 0; k + 1 < crossings.length; k += 2) lines.push([crossings[k], crossings[k + 1]]);
    }
  }
  return lines;
}
