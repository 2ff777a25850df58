// Two sounds, mixed by the arrows that lead to the two points, and found again by ICA.

import { independentComponents, timesRows } from "./independent_components.js";
import { principalAxes } from "./methods.js";
import { fixed } from "./numbers.js";

const [SECONDS, INSTANTS] = [2, 400]; // how long the sounds are, and at how many instants ICA hears them
const GOLDEN = 0.6180339887498949; // spreads the instants evenly, and at no period of a sound
const FILLED = 0.85; // of the view that the widest unmixed sound takes

// Loudness at a time in seconds: a plucked string, and a bell.
const SOUNDS = [
  (t) => Math.exp(-7 * (t % 0.5)) * Math.sin(2 * Math.PI * 196 * t),
  (t) => Math.exp(-9 * ((t + 0.2) % 0.4)) * Math.sin(2 * Math.PI * 311 * t),
];

export const unmixedSounds = {
  compute(X) {
    const sounds = Array.from({ length: INSTANTS }, (_, i) => soundsAt(SECONDS * ((i * GOLDEN) % 1)));
    const mixtures = Float64Array.from(sounds.flatMap((pair) => mixture(X, pair)));
    const { mean, components } = independentComponents(mixtures, INSTANTS);
    const { directions } = principalAxes(mixtures, INSTANTS, 2);
    const sources = timesRows(mixtures, INSTANTS, mean, components);
    const scores = timesRows(mixtures, INSTANTS, mean, directions);
    const [found, pca] = [sources, scores].map((signals) => agreement(signals, sounds));
    return { X, mixtures, mean, components, sources, found, pca, shades: [0, 1] };
  },

  say({ found, pca }) {
    return `ICA finds the two sounds with correlations of ${fixed(found[0])} and ${fixed(found[1])}, PCA with ${fixed(pca[0])} and ${fixed(pca[1])}.`;
  },

  draw({ mixtures }, X, pen) {
    for (let i = 0; i < mixtures.length; i += 2) pen.dot("instants", mixtures.subarray(i, i + 2), 2);
    ["string", "bell"].forEach((color, j) => {
      pen.line(color, [0, 0], X.subarray(2 * j, 2 * j + 2), 3);
      pen.dot(color, X.subarray(2 * j, 2 * j + 2), 9);
    });
  },

  isShaded: true,
  ends: ["string", "bell"],
  beside: "unmixed by ICA",

  drawBeside({ sources }, pen) {
    const size = Math.max(...sources.flat().map(Math.abs));
    for (const pair of sources) pen.dot("instants", pair.map((one) => 0.5 + (FILLED * one) / (2 * size)), 2);
  },

  // What can be heard, each as a function of time.
  sounds: {
    "first mixture": ({ X }) => (t) => mixture(X, soundsAt(t))[0],
    "second mixture": ({ X }) => (t) => mixture(X, soundsAt(t))[1],
    "first source": (found) => (t) => sourceAt(found, t, 0),
    "second source": (found) => (t) => sourceAt(found, t, 1),
  },
  seconds: SECONDS,
};

function soundsAt(t) {
  return SOUNDS.map((sound) => sound(t));
}

// x = As, where the columns of A are the points.
function mixture(X, [string, bell]) {
  return [X[0] * string + X[2] * bell, X[1] * string + X[3] * bell]; // (ica-model)
}

function sourceAt({ X, mean, components }, t, j) {
  return timesRows(mixture(X, soundsAt(t)), 1, mean, components)[0][j];
}

// Largest |correlation| of each sound with one of two signals.
function agreement(signals, sounds) {
  return [0, 1].map((j) => Math.max(...[0, 1].map((k) => Math.abs(correlation(column(signals, k), column(sounds, j))))));
}

function column(rows, k) {
  return rows.map((row) => row[k]);
}

function correlation(one, other) {
  const [a, b] = [one, other].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  });
  const product = (u, v) => u.reduce((sum, value, i) => sum + value * v[i], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
