// Sentences of refusal, and numbers in them, as the package writes them.

export function refuseInteger(name, value, least) {
  if (Number.isInteger(value) && value >= least) return;
  const kind = least === 1 ? "a positive integer" : `an integer of at least ${least}`;
  throw new Error(`${name}=${value} must be ${kind}.`);
}

export function refuseNotPositive(name, value, otherwise = "") {
  if (Number.isFinite(value) && value > 0) return;
  throw new Error(`${name}=${value} must be a positive number${otherwise}.`);
}

// A number with a few digits, without zeros at its end, as Python's format "g" spells it.
export function general(value, digits) {
  const [mantissa, power] = value.toExponential(digits - 1).split("e").map(Number);
  if (power >= -4 && power < digits) return String(Number(value.toPrecision(digits)));
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
