// Scales between numbers and pixels, ticks, and numbers as text.

// linear maps domain [a, b] to range [c, d], and back.
export function linear([a, b], [c, d]) {
  const k = (d - c) / (b - a);
  return { domain: [a, b], range: [c, d], to: (v) => c + (v - a) * k, from: (p) => a + (p - c) / k };
}

// clamp returns the number of [low, high] that is nearest to v.
export const clamp = (v, low, high) => Math.min(high, Math.max(low, v));

// step returns a round distance (1, 2 or 5 times a power of ten) that divides the width into about
// count parts.
export function step(width, count) {
  const rough = width / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

// ticks returns the round numbers of [low, high], about count of them.
export function ticks(low, high, count) {
  const by = step(high - low, count);
  const found = [];
  for (let i = Math.ceil(low / by - 1e-9); i * by <= high + by * 1e-9; i++) found.push(i * by);
  return { values: found, by };
}

// tickText returns a tick as text, with the decimals that the distance of the ticks needs.
export function tickText(v, by) {
  if (Math.abs(v) < by / 2) return "0";
  if (Math.abs(v) >= 1e7 || by < 1e-5) return minus(v.toPrecision(3).replace(/\.?0+(e|$)/, "$1"));
  return minus(v.toFixed(Math.max(0, -Math.floor(Math.log10(by) + 1e-9))));
}

// short returns a number with three significant digits, as people write it.
export function short(v) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e7 || size < 1e-4) return minus(v.toExponential(2));
  return minus(String(Number(v.toPrecision(size >= 1000 ? Math.ceil(Math.log10(size)) : 3))));
}

const minus = (text) => text.replace(/^-/, "−").replace("e-", "e−");

// rounded returns v with as many digits as a step of 1/1000 of the width of [low, high] needs.
export function rounded(v, [low, high]) {
  const by = 10 ** (Math.floor(Math.log10(high - low)) - 3);
  return Number((Math.round(v / by) * by).toPrecision(12));
}

// spaced returns count evenly spaced numbers from low to high.
export function spaced(low, high, count) {
  return Array.from({ length: count }, (_, i) => low + ((high - low) * i) / Math.max(1, count - 1));
}
