// Tables as text: known points to read, predictions and known points to write.
import { dateText, days } from "./columns.js";

// parse returns the rows of a CSV text as lists of cells. The separator is the one that the header has
// most of: comma, semicolon or tab.
export function parse(source) {
  const input = source.replace(/^\uFEFF/, "");
  const header = input.split(/\r?\n/, 1)[0];
  const mark = [",", ";", "\t"].reduce((a, b) => (header.split(b).length > header.split(a).length ? b : a));
  const rows = [];
  let row = [], cell = "", quoted = false;
  const endCell = () => { row.push(cell); cell = ""; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0].trim() !== "") rows.push(row); row = []; };
  for (let i = 0; i < input.length; i++) {
    const c = input[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (input[i + 1] === '"') { cell += '"'; i++; }
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === mark) endCell();
    else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (quoted) throw new Error("CSV: a quoted cell has no closing quote");
  if (cell !== "" || row.length > 0) endRow();
  return rows.map((cells) => cells.map((c) => c.trim()));
}

// readContext returns the groups of a table: {groups: [{name, points}], ignored: [names of
// columns]}. The columns are found by their names. The run's column of groups, a column named group, or
// else the only other column, divides the rows into groups.
export function readContext(source, { x, y }, group) {
  const rows = parse(source);
  if (rows.length === 0) throw new Error("CSV: found no header; expected the columns " + namesOf(x, y));
  const header = rows[0];
  const missing = [...x, ...y].filter((c) => !header.includes(c.name)).map((c) => c.name);
  if (missing.length > 0) {
    throw new Error(`CSV: found the columns ${header.join(", ")}; expected also ${missing.join(", ")}`);
  }
  const known = [...x, ...y].map((c) => c.name);
  const others = header.filter((name) => !known.includes(name));
  const key = others.includes(group) ? group : others.includes("group") ? "group" : others.length === 1 ? others[0] : null;
  const groups = new Map();
  rows.slice(1).forEach((cells, i) => {
    const at = (name) => cells[header.indexOf(name)] ?? "";
    const name = key === null ? "" : at(key);
    const point = { x: x.map((c) => value(c, at(c.name), i + 2)), y: y.map((c) => value(c, at(c.name), i + 2)) };
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(point);
  });
  return {
    groups: [...groups].map(([name, points]) => ({ name, points })),
    ignored: others.filter((name) => name !== key),
  };
}

function value(column, cell, line) {
  const where = `CSV line ${line}, column ${column.name}`;
  if (column.categories) {
    if (column.categories.includes(cell)) return cell;
    throw new Error(`${where}: found ${JSON.stringify(cell)}, expected one of ${column.categories.join(", ")}`);
  }
  const v = column.dates ? days(column, cell) : Number(cell);
  if (cell === "" || !Number.isFinite(v)) throw new Error(`${where}: found ${JSON.stringify(cell)}, expected ${column.dates ? "a date" : "a number"}`);
  return v;
}

const namesOf = (x, y) => [...x, ...y].map((c) => c.name).join(", ");

// quote returns a cell as CSV text.
export const quote = (cell) => {
  const t = String(cell);
  return /[",\r\n]/.test(t) ? '"' + t.replaceAll('"', '""') + '"' : t;
};

// written returns the values of columns as cells.
const written = (columns, values) => values.map((v, i) => (columns[i].dates ? dateText(columns[i], v) : v));

const text = (rows) => rows.map((r) => r.map(quote).join(",") + "\n").join("");

// contextTable returns the known points as CSV text that readContext and `acqnp predict --context`
// read.
export function contextTable(name, points, { x, y }) {
  return text([["group", ...x, ...y].map((c) => c.name ?? c), ...points.map((p) => [name, ...written(x, p.x), ...p.y])]);
}

// predictionTable returns predictions as CSV text with the columns that `acqnp predict` writes. Each
// target is as the API gives it; draws are by draw, target and channel, and may be absent.
export function predictionTable(name, targets, quantiles, { x, y }, draws = []) {
  const numbers = ["mean", "sd", ...quantiles.map((q) => "q" + q), ...draws.map((_, i) => "draw" + (i + 1))];
  const taken = ["group", "target", "channel", ...numbers];
  const inputs = x.map((c) => (taken.includes(c.name) ? "x_" + c.name : c.name));
  const rows = [["group", "target", ...inputs, "channel", ...numbers]];
  targets.forEach((t, i) => t.channels.forEach((c, k) => {
    rows.push([name, i, ...written(x, t.x), y[k].name, c.mean, c.sd, ...c.quantiles, ...draws.map((d) => d[i][k])]);
  }));
  return text(rows);
}
