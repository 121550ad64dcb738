// The targets of a view and the requests for them.
import { extent, position, valueAt } from "./columns.js";
import { spaced } from "./scale.js";

// Numbers of targets and of y: few while something moves, fewer if the server is slow, more when all
// rests.
const sizes = {
  curve: { slow: [61, 61], moving: [97, 81], resting: [181, 141] },
  map: { slow: [21, 21], moving: [33, 33], resting: [57, 57] },
};

// view returns the ranges of the axes: {x: [low, high], y: [low, high]}.
export function view(state, run) {
  const { x, y } = run.columns;
  const range = (c, values, margin) => state.view[c.name] ?? extent(c, values, margin);
  const points = [...state.points, ...state.others];
  const input = (i) => range(x[i], points.map((p) => position(x[i], p.x[i])), 0.04);
  const output = range(y[state.channel], points.map((p) => p.y[state.channel]), 0.12);
  return state.axes.length === 2 ? { x: input(state.axes[0]), y: input(state.axes[1]) } : { x: input(state.axes[0]), y: output };
}

// along returns the positions of the targets on an axis: all names of a column of names.
function along(column, [low, high], count) {
  return column.categories ? column.categories.map((_, i) => i) : spaced(low, high, count);
}

// grid returns the targets of a view: {columns, rows, x}. columns are positions on the horizontal axis.
// rows are positions on the vertical axis: of a map's targets, or the y of a curve's density.
// pace is a name in sizes.
export function grid(state, run, pace) {
  const { x, y } = run.columns;
  const kind = state.axes.length === 2 ? "map" : "curve";
  const [nx, ny] = sizes[kind][pace];
  const ranges = view(state, run);
  const [first, second] = state.axes;
  const columns = along(x[first], ranges.x, nx);
  const place = (p, q) => state.at.map((v, i) => (i === first ? valueAt(x[i], p) : i === second ? valueAt(x[i], q) : v));
  if (kind === "curve") {
    return { kind, ranges, columns, rows: spaced(...ranges.y, ny), x: columns.map((p) => place(p)), steps: !!x[first].categories, channel: state.channel, unit: y[state.channel].unit };
  }
  const rows = along(x[second], ranges.y, ny);
  return { kind, ranges, columns, rows, x: rows.flatMap((q) => columns.map((p) => place(p, q))), steps: !!(x[first].categories || x[second].categories), channel: state.channel };
}

// asked returns the quantile levels that a prediction needs: those to draw, and those of the summary.
export function asked(state) {
  const map = Number(state.map);
  const all = [...state.quantiles, 0.05, 0.5, 0.95, ...(map > 0 && map < 1 ? [map] : [])];
  return [...new Set(all)].sort((a, b) => a - b);
}

const contextOf = (points) => ({ x: points.map((p) => p.x), y: points.map((p) => p.y) });

// request returns the body of POST /v1/predict for a grid.
export function request(state, g) {
  const body = {
    run: state.run,
    groups: [{ context: contextOf(state.points), targets: { x: g.x } }],
    quantiles: asked(state),
  };
  if (g.kind === "curve" && state.show.includes("density")) body.density = { y: g.rows };
  if (g.kind === "curve" && state.show.includes("modes")) body.modes = true;
  return body;
}

// nearest returns the index of the target whose position on the axes is nearest to a place.
export function nearest(grid, [p, q]) {
  const closest = (list, v) => list.reduce((best, at, i) => (Math.abs(at - v) < Math.abs(list[best] - v) ? i : best), 0);
  const i = closest(grid.columns, p);
  return grid.kind === "map" ? closest(grid.rows, q) * grid.columns.length + i : i;
}

// describeRequest returns the body for what the page says of the prediction at a place on the axes.
export function describeRequest(state, run, place) {
  const x = state.at.map((v, i) => (state.axes.includes(i) ? valueAt(run.columns.x[i], place[state.axes.indexOf(i)]) : v));
  return { run: state.run, groups: [{ context: contextOf(state.points), targets: { x: [x] } }], quantiles: [0.5], regions: [0.9] };
}

// drawRequest returns the body for joint draws at the targets x.
export function drawRequest(state, x, draws, seed) {
  return { run: state.run, groups: [{ context: contextOf(state.points), targets: { x } }], quantiles: [0.5], draws, seed };
}
