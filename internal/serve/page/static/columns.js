// The columns of a run: {name, unit?, low, high, categories?}. A category has the position of its name
// in the list, so that a column of names can be an axis too.
import { short } from "./scale.js";

// label returns the name of a column and its unit.
export const label = (c) => (c.unit ? `${c.name} [${c.unit}]` : c.name);

// position returns where a value lies on the column's axis.
export const position = (c, value) => (c.categories ? c.categories.indexOf(value) : value);

// valueAt returns the value of a position on the column's axis.
export function valueAt(c, p) {
  if (!c.categories) return p;
  return c.categories[Math.min(c.categories.length - 1, Math.max(0, Math.round(p)))];
}

// valueText returns a value as people read it.
export const valueText = (c, value) => (c.categories ? String(value) : short(value) + (c.unit ? " " + c.unit : ""));

// start returns the value that an input has at first: the middle, or the first name.
export const start = (c) => (c.categories ? c.categories[0] : (limits(c)[0] + limits(c)[1]) / 2);

// ranged reports whether the server says the range of a column.
export const ranged = (c) => Number.isFinite(c.low) && Number.isFinite(c.high);

// limits returns the least and greatest number of the column that training saw. If the server does not
// say, it returns those of the first prediction, or −1 and 1.
export function limits(c) {
  if (c.categories) return [0, Math.max(1, c.categories.length - 1)];
  if (!ranged(c)) return c.seen ?? [-1, 1];
  return c.low < c.high ? [c.low, c.high] : [c.low - 1, c.high + 1];
}

// extent returns the axis of a column: its limits and the values, with a margin.
export function extent(c, values, margin) {
  if (c.categories) return [-0.5, c.categories.length - 0.5];
  let [low, high] = limits(c);
  const pad = (high - low) * margin;
  [low, high] = [low - pad, high + pad];
  for (const v of values) {
    if (v < low) low = v - pad;
    if (v > high) high = v + pad;
  }
  return [low, high];
}
