// Sounds that a page makes by itself, from their loudness as a function of time.

const RATE = 22050; // samples a second
const LOUDEST = 0.3;
const FADED = 0.02; // seconds at both ends, so that nothing clicks

let context;

// Play a sound of some seconds; what was played before ends. Sounds of all sizes are equally loud.
export function play(wave, seconds) {
  context?.close();
  context = new AudioContext();
  const count = Math.round(seconds * RATE);
  const samples = Float32Array.from({ length: count }, (_, i) => wave(i / RATE) * Math.min(1, i / RATE / FADED, (count - i) / RATE / FADED));
  const largest = samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0) || 1;
  const buffer = context.createBuffer(1, count, RATE);
  buffer.copyToChannel(samples.map((one) => (LOUDEST * one) / largest), 0);
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(context.destination);
  source.start();
}
