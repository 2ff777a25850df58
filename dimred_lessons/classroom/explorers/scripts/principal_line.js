// The line of principal components analysis through points in the plane, their shadows on it and what these miss.

import { principalAxes } from "./methods.js";

export const principalLine = {
  // Mean, both axes with their standard deviations, the shadow of each point (n, 2), and the share of the variance.
  compute(X, n) {
    const { mean, directions, eigenvalues } = principalAxes(X, n, 1);
    const [v] = directions;
    const shadows = X.map((_, place) => {
      const i = place - (place % 2);
      const score = (X[i] - mean[0]) * v[0] + (X[i + 1] - mean[1]) * v[1]; // (pca-encode)
      return mean[place % 2] + score * v[place % 2]; // (pca-reconstruct)
    });
    const deviations = eigenvalues.map((value) => Math.sqrt(value / (n - 1)));
    return { mean, directions, deviations, shadows, share: eigenvalues[0] / (eigenvalues[0] + eigenvalues[1]) };
  },

  say({ share, directions: [v] }) {
    const angle = Math.round((Math.atan2(v[1], v[0]) * 180) / Math.PI);
    const rise = angle > 90 ? angle - 180 : angle <= -90 ? angle + 180 : angle;
    return `The line ${rise < 0 ? "falls" : "rises"} at ${Math.abs(rise)}° and keeps ${(100 * share).toFixed(1)}% of the variance.`;
  },

  draw({ mean, directions, deviations, shadows }, X, pen) {
    const [v] = directions;
    for (let i = 0; i < X.length; i += 2) pen.line("misses", X.subarray(i, i + 2), shadows.subarray(i, i + 2));
    pen.curve("ellipse", (t) => {
      const [a, b] = [2 * deviations[0] * Math.cos(t), 2 * deviations[1] * Math.sin(t)];
      return mean.map((one, k) => one + a * v[k] + b * directions[1][k]);
    });
    pen.line("line", mean.map((one, k) => one - pen.reach * v[k]), mean.map((one, k) => one + pen.reach * v[k]), 2.5);
    for (let i = 0; i < X.length; i += 2) pen.dot("line", shadows.subarray(i, i + 2), 2);
  },
};
