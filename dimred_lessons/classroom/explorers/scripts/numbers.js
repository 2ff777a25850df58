// Numbers of the figures that move: unpacked, mixed, turned, eased, and the dots near to others.

// Numbers from -1 to 1, sent as 16-bit integers in base64.
export function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return Float32Array.from(new Int16Array(bytes.buffer), (integer) => integer / 32767);
}

// Whole numbers from 0 to 65535, sent in base64.
export function unpackIndices(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return Int32Array.from(new Uint16Array(bytes.buffer));
}

// Fast first and slow at the end, from 0 to 1.
export function ease(share) {
  return 1 - (1 - Math.min(Math.max(share, 0), 1)) ** 3;
}

// A color "#rrggbb" on the way from one to another, for a share from 0 to 1.
export function mixed(one, other, share) {
  const part = (color, k) => parseInt(color.slice(2 * k + 1, 2 * k + 3), 16);
  const parts = [0, 1, 2].map((k) => Math.round(part(one, k) + share * (part(other, k) - part(one, k))));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

// Points (x, y, z) as a camera sees them: right, up and near, for its two angles as Matplotlib counts them.
export function rotate(points, azimuth, elevation) {
  const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
  const seen = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = points.subarray(i, i + 3);
    const toward = ca * x + sa * y;
    seen[i] = ca * y - sa * x;
    seen[i + 1] = ce * z - se * toward;
    seen[i + 2] = ce * toward + se * z;
  }
  return seen;
}

// Index of the dot nearest to (x, y), or -1 if none is within reach; dots are pairs of coordinates.
export function nearest(dots, x, y, reach) {
  let [found, least] = [-1, reach ** 2];
  for (let i = 0; 2 * i < dots.length; i++) {
    const distance = (dots[2 * i] - x) ** 2 + (dots[2 * i + 1] - y) ** 2;
    if (distance <= least) [found, least] = [i, distance];
  }
  return found;
}

// Index of the next dot in a direction: a short way along it, and little to the side; the dot itself if there is none.
export function neighbor(dots, from, [right, down]) {
  let [found, least] = [from, Infinity];
  for (let i = 0; 2 * i < dots.length; i++) {
    const [dx, dy] = [dots[2 * i] - dots[2 * from], dots[2 * i + 1] - dots[2 * from + 1]];
    const [along, aside] = [dx * right + dy * down, Math.abs(dx * down - dy * right)];
    if (along > Math.max(1, aside) && along + 2 * aside < least) [found, least] = [i, along + 2 * aside];
  }
  return found;
}

// Lists of n coordinates, one for each axis, as the rows of points one after the other.
export function rowsOf(axes) {
  return Float64Array.from({ length: axes.length * axes[0].length }, (_, place) =>
    axes[place % axes.length][Math.floor(place / axes.length)],
  );
}

export function sumOf(numbers) {
  return numbers.reduce((sum, one) => sum + one, 0);
}

export function meanOf(numbers) {
  return sumOf(numbers) / numbers.length;
}

// Two digits after the point, never a negative zero, with a true minus.
export function fixed(value) {
  return (Number(value.toFixed(2)) || 0).toFixed(2).replace("-", "−");
}

// A number of things, "1 step" or "2 steps".
export function counted(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

export function percent(share) {
  return `${(100 * share).toFixed(1)}%`;
}

// A share in percent, without digits after the point.
export function whole(share) {
  return `${Math.round(100 * share)}%`;
}

export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
