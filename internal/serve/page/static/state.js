// What the user chose, and its form in the address's fragment, which others can open.
import { start } from "./columns.js";

export const shown = ["density", "quantiles", "modes", "draws"];

// initial returns the state of a run without known points.
export function initial(run) {
  const { x } = run.columns;
  const numbers = x.map((_, i) => i).filter((i) => !x[i].categories);
  const axes = numbers.length === 2 && x.length === 2 ? numbers : [numbers[0] ?? 0];
  return {
    run: run.name,
    points: [], // {x: value for each input, y: number for each channel}
    others: [], // points of the other groups of a file, which are drawn and not told; not in the address
    axes, // indices of the inputs on the axes: one for a curve, two for a map
    at: x.map(start), // values of the other inputs
    channel: 0,
    show: ["density"],
    quantiles: [0.05, 0.5, 0.95],
    draws: 5,
    seed: 1,
    map: "mean", // or sd, or a level of a quantile as text
    view: {}, // ranges that the user set: {"x": [low, high]} by the column's name
  };
}

// tell gives a state the points of a group, and those of the others. The inputs on no axis, such as a
// treatment, take the values of the group's last point: what they were belongs to the group before.
export function tell(state, points, others) {
  state.points = structuredClone(points);
  state.others = others;
  if (points.length > 0) state.at = [...points.at(-1).x];
}

const cell = (v) => encodeURIComponent(typeof v === "number" ? String(v) : v);
const list = (text) => (text === "" ? [] : text.split(","));

// encode returns the state as a fragment, without #. What is as at first is left out.
export function encode(state, run) {
  const first = initial(run);
  const parts = [["run", cell(state.run)]];
  const add = (key, text, was) => text !== was && parts.push([key, text]);
  const names = (axes) => axes.map((i) => cell(run.columns.x[i].name)).join(",");
  const values = (at) => at.map(cell).join(",");
  add("points", state.points.map((p) => values([...p.x, ...p.y])).join(";"), "");
  add("axes", names(state.axes), names(first.axes));
  add("at", values(state.at), values(first.at));
  add("y", cell(run.columns.y[state.channel].name), cell(run.columns.y[0].name));
  add("show", state.show.join(","), first.show.join(","));
  add("quantiles", state.quantiles.join(","), first.quantiles.join(","));
  add("draws", String(state.draws), String(first.draws));
  add("seed", String(state.seed), String(first.seed));
  add("map", state.map, first.map);
  add("view", Object.entries(state.view).map(([k, v]) => `${cell(k)}:${v[0]}:${v[1]}`).join(","), "");
  return parts.map(([k, v]) => `${k}=${v}`).join("&");
}

// decode returns the state of a fragment. What the fragment lacks, or what does not fit the run, is as
// at first.
export function decode(fragment, runs) {
  const given = new Map(fragment.replace(/^#/, "").split("&").map((part) => cut(part, "=")));
  const run = runs.find((r) => r.name === text(given.get("run") ?? "")) ?? runs[0];
  const state = initial(run);
  const { x, y } = run.columns;
  const set = (key, read) => {
    if (given.has(key)) state[key] = read(given.get(key)) ?? state[key];
  };
  const inputs = (cells) => {
    const values = cells.map((c, i) => read(x[i], c));
    return cells.length === x.length && values.every((v) => v !== undefined) ? values : undefined;
  };
  set("points", (t) => t.split(";").filter((p) => p !== "").map((p) => {
    const cells = list(p);
    const at = inputs(cells.slice(0, x.length));
    const out = cells.slice(x.length).map((c) => number(c));
    return at && out.length === y.length && out.every((v) => v !== undefined) ? { x: at, y: out } : null;
  }).filter((p) => p));
  set("axes", (t) => {
    const found = list(t).map((n) => x.findIndex((c) => c.name === text(n)));
    const good = found.length >= 1 && found.length <= 2 && new Set(found).size === found.length;
    return good && !found.includes(-1) ? found : undefined;
  });
  set("at", (t) => inputs(list(t)));
  const channel = y.findIndex((c) => c.name === text(given.get("y") ?? ""));
  if (channel >= 0) state.channel = channel;
  set("show", (t) => list(t).filter((s) => shown.includes(s)));
  set("quantiles", (t) => levels(t));
  set("draws", (t) => count(t, 1, 50));
  set("seed", (t) => count(t, 0, 2 ** 31));
  set("map", (t) => (t === "mean" || t === "sd" || levels(t)?.length === 1 ? t : undefined));
  set("view", (t) => Object.fromEntries(list(t).map(viewOf).filter((v) => v)));
  return state;
}

// levels returns the levels of a list such as "0.05, 0.5", in order, or undefined if one is not
// between 0 and 1.
export function levels(t) {
  const found = t.split(/[\s,;]+/).filter((s) => s !== "").map(Number);
  const good = found.length > 0 && found.length <= 20 && found.every((v) => v > 0 && v < 1);
  return good ? [...new Set(found)].sort((a, b) => a - b) : undefined;
}

function read(column, c) {
  if (!column) return undefined;
  if (!column.categories) return number(c);
  return column.categories.includes(text(c)) ? text(c) : undefined;
}

function number(t) {
  const v = Number(text(t));
  return t.trim() !== "" && Number.isFinite(v) ? v : undefined;
}

function count(t, low, high) {
  const v = number(t);
  return Number.isInteger(v) && v >= low && v <= high ? v : undefined;
}

function viewOf(t) {
  const [name, low, high] = t.split(":");
  const [a, b] = [number(low ?? ""), number(high ?? "")];
  return a < b ? [text(name), [a, b]] : null;
}

function cut(t, mark) {
  const at = t.indexOf(mark);
  return at < 0 ? [t, ""] : [t.slice(0, at), t.slice(at + 1)];
}

// text decodes a part of the address; a part that is broken is taken as it is.
function text(t) {
  try {
    return decodeURIComponent(t);
  } catch {
    return t;
  }
}
