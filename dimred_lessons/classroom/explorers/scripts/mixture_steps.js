// EM for two Gaussians in the plane: from where the first two points stand, the others are divided among them and each
// moves to the middle of its own, again and again.

import { requireDistinct } from "./distances.js";
import { centerPoints } from "./kernels.js";
import { counted, fixed, sumOf } from "./numbers.js";

const LAST = 300; // steps, after which hardly anything moves
const THINNEST = 1e-3; // variance in any direction, as a share of that of the points
const FOOT = 0.16; // height of the axis below the curve
const TINY = 1e-300; // share of a Gaussian that gets no point

export const mixtureSteps = {
  compute(X, n, { value: steps }) {
    const points = X.subarray(4);
    const A = centerPoints(points, n - 2);
    requireDistinct(n - 2, A);
    const variance = A.reduce((sum, one) => sum + one ** 2, 0) / A.length;
    let model = [0, 2].map((at) => ({ weight: 0.5, mean: X.slice(at, at + 2), C: [variance, 0, variance] }));
    const [path, likelihoods] = [[], []];
    for (let step = 0; step <= LAST; step++) {
      const { shares, likelihood } = eStep(model, points);
      path.push({ model, shares });
      likelihoods.push(likelihood);
      model = mStep(points, shares, THINNEST * variance);
    }
    const { shares } = path[steps];
    return { path: path.slice(0, steps + 1), likelihoods, steps, shades: [0, 1, ...shares[1]] };
  },

  say({ likelihoods, steps }) {
    return `After ${counted(steps, "step")} the log-likelihood of a point is ${fixed(likelihoods[steps])}; it ends at ${fixed(likelihoods[LAST])}.`;
  },

  draw({ path }, X, pen) {
    ["first", "second"].forEach((color, s) => {
      const { mean, C } = path.at(-1).model[s];
      const { turn, deviations } = principal(C);
      for (const size of [1, 2]) {
        pen.curve(color, (t) => {
          const [a, b] = [size * deviations[0] * Math.cos(t), size * deviations[1] * Math.sin(t)];
          return [mean[0] + a * Math.cos(turn) - b * Math.sin(turn), mean[1] + a * Math.sin(turn) + b * Math.cos(turn)];
        }, 2);
      }
      pen.path(path.map(({ model }) => model[s].mean));
      pen.stroke(color, 2, [3, 3]);
      pen.dot(color, X.subarray(2 * s, 2 * s + 2), 10);
    });
  },

  beside: "log-likelihood of a point",

  // Over the logarithm of the step; the first and the last value stand at their ends of the curve.
  drawBeside({ likelihoods, steps }, pen) {
    const [low, high] = [Math.min(...likelihoods), Math.max(...likelihoods)];
    const across = (step) => 0.08 + (0.82 * Math.log1p(step)) / Math.log1p(LAST);
    const place = (step) => [across(step), 0.24 + (0.54 * (likelihoods[step] - low)) / (high - low || 1)];
    pen.line("axis", [across(0), FOOT], [across(LAST), FOOT]);
    for (const step of [0, 10, LAST]) {
      pen.line("axis", [across(step), FOOT], [across(step), FOOT - 0.02]);
      pen.label(step, [across(step), 0.06]);
    }
    pen.label("step", [(across(10) + across(LAST)) / 2, 0.06]);
    pen.path(likelihoods.map((_, step) => place(step)));
    pen.stroke("likelihood", 2);
    pen.dot("likelihood", place(steps), 6);
    pen.label(fixed(likelihoods[0]), [across(0) + 0.12, place(0)[1] - 0.02]);
    pen.label(fixed(likelihoods[LAST]), [across(LAST) - 0.06, place(LAST)[1] + 0.05]);
  },

  isShaded: true,
  ends: ["first", "second"],
};

// Which Gaussian each point comes from, a list of shares (n) for each, and the mean log-likelihood of a point.
function eStep(model, X) {
  const n = X.length / 2;
  const [first, second] = model.map((gaussian) => logJoint(gaussian, X));
  const shares = model.map(() => new Float64Array(n));
  let likelihood = 0;
  for (let i = 0; i < n; i++) {
    const top = Math.max(first[i], second[i]);
    const [one, other] = [Math.exp(first[i] - top), Math.exp(second[i] - top)];
    const sum = one + other;
    shares[0][i] = one / sum; // (mfa-responsibilities)
    shares[1][i] = other / sum;
    likelihood += (top + Math.log(sum)) / n;
  }
  return { shares, likelihood };
}

// log p_s + log N(x; mean_s, C_s) of each point; C holds the three entries of a symmetric matrix.
function logJoint({ weight, mean, C: [a, b, c] }, X) {
  const determinant = a * c - b * b;
  const first = Math.log(Math.max(weight, TINY)) - Math.log(2 * Math.PI) - 0.5 * Math.log(determinant);
  const logs = new Float64Array(X.length / 2);
  for (let i = 0; i < logs.length; i++) {
    const x = X[2 * i] - mean[0];
    const y = X[2 * i + 1] - mean[1];
    logs[i] = first - (0.5 * (c * x * x - 2 * b * x * y + a * y * y)) / determinant;
  }
  return logs;
}

// Weight, mean and covariance of the points that each Gaussian has a share in; no variance is below the least.
function mStep(X, shares, least) {
  return shares.map((share) => {
    const n = share.length;
    const size = Math.max(sumOf(share), TINY);
    const mean = [0, 0];
    for (let i = 0; i < n; i++) {
      mean[0] += (share[i] / size) * X[2 * i];
      mean[1] += (share[i] / size) * X[2 * i + 1];
    }
    let [a, b, c] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const x = X[2 * i] - mean[0];
      const y = X[2 * i + 1] - mean[1];
      a += (share[i] / size) * x * x;
      b += (share[i] / size) * x * y;
      c += (share[i] / size) * y * y;
    }
    return { weight: size / n, mean, C: atLeast([a, b, c], least) };
  });
}

// The same covariance, in which no variance is below the least.
function atLeast(C, least) {
  const { turn, deviations } = principal(C);
  const [large, small] = deviations.map((one) => Math.max(one ** 2, least));
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  return [
    large * cosine ** 2 + small * sine ** 2,
    (large - small) * cosine * sine,
    large * sine ** 2 + small * cosine ** 2,
  ];
}

// Direction of the longest axis of a covariance, as an angle, and the standard deviations along both axes.
function principal([a, b, c]) {
  const [middle, half] = [(a + c) / 2, Math.hypot((a - c) / 2, b)];
  return { turn: 0.5 * Math.atan2(2 * b, a - c), deviations: [middle + half, Math.max(middle - half, 0)].map(Math.sqrt) };
}
