// The columns of a run: {name, unit?, low?, high?, log?, categories?, dates?}. A date is a number of days
// since that in the column's unit. A category has the position of its name
// in the list, so that a column of names can be an axis too.
import { short } from "./scale.js";

// label returns the name of a column and its unit. Dates are written as such.
export const label = (c) => (c.unit && !c.dates ? `${c.name} [${c.unit}]` : c.name);

// position returns where a value lies on the column's axis.
export const position = (c, value) => (c.categories ? c.categories.indexOf(value) : value);

// valueAt returns the value of a position on the column's axis.
export function valueAt(c, p) {
  if (!c.categories) return p;
  return c.categories[Math.min(c.categories.length - 1, Math.max(0, Math.round(p)))];
}

// valueText returns a value as people read it.
export function valueText(c, value) {
  if (c.categories) return String(value);
  return c.dates ? dateText(c, value) : short(value) + (c.unit ? " " + c.unit : "");
}

const day = 864e5; // ms
const origin = (c) => Date.parse(c.unit.slice(-10)); // of "days since 2024-03-01"

// dateText returns the date of a number of days, with a time unless it is midnight.
export function dateText(c, days) {
  const date = new Date(origin(c) + Math.round(days * 86400) * 1000);
  return Number.isNaN(date.getTime()) ? short(days) : date.toISOString().replace(".000Z", "Z").replace("T00:00:00Z", "");
}

// days returns the number of days of a date's text, or NaN. A time without a zone is UTC.
export function days(c, text) {
  const iso = text.replace(" ", "T");
  if (!/^\d{4}-\d\d-\d\d(T|$)/.test(iso)) return NaN;
  return (Date.parse(iso + (/T[\d:]+$/.test(iso) ? "Z" : "")) - origin(c)) / day;
}

// start returns the value that an input has at first: the middle, or the first name.
export const start = (c) => (c.categories ? c.categories[0] : (limits(c)[0] + limits(c)[1]) / 2);

// ranged reports whether the server says the range of a column.
export const ranged = (c) => Number.isFinite(c.low) && Number.isFinite(c.high);

// limits returns the least and greatest number of the column that training saw. If the server does not
// say, it returns those of the first prediction, or −1 and 1, or numbers above 0 if it takes their
// logarithm.
export function limits(c) {
  if (c.categories) return [0, Math.max(1, c.categories.length - 1)];
  if (!ranged(c)) return c.seen ?? (c.log ? [0.1, 1] : [-1, 1]);
  return c.low < c.high ? [c.low, c.high] : [c.low - 1, c.high + 1];
}

// extent returns the axis of a column: its limits and the values, with a margin. The axis of numbers that
// are nowhere below 0 does not go there.
export function extent(c, values, margin) {
  if (c.categories) return [-0.5, c.categories.length - 0.5];
  const known = limits(c);
  const low = values.reduce((a, b) => Math.min(a, b), known[0]);
  const high = values.reduce((a, b) => Math.max(a, b), known[1]);
  const pad = (known[1] - known[0]) * margin;
  if (c.log) return [Math.max(low - pad, low / 2), high + pad]; // 0 has no logarithm
  return [low >= 0 ? Math.max(low - pad, 0) : low - pad, high + pad];
}
