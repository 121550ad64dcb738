// The drawing over one input: density, quantiles, modes, joint draws and known points.
import { border, disc, frame, image, inside, legend, stretch } from "./axes.js";
import { position } from "./columns.js";
import { short } from "./scale.js";

// masses returns, for the densities of a target at evenly spaced y, the probability of the smallest
// region that holds each y: 0 at the highest peak, near 1 in the tails. It is the probability among these
// y and the bounds, which have the probability atoms, unless they hold less than a fifth of all.
export function masses(values, by, atoms = 0) {
  const order = Uint16Array.from(values.keys()).sort((a, b) => values[b] - values[a]);
  const total = Math.max(0.2, values.reduce((sum, v) => sum + v * by, atoms));
  const found = new Float64Array(values.length);
  let below = atoms / total;
  for (const j of order) {
    const own = (values[j] * by) / total;
    found[j] = below + own / 2;
    below += own;
  }
  return found;
}

// draw draws a prediction and the points. scene is {layout, columns, colours, state, run, prediction, draws}.
export function draw(ctx, scene) {
  const { layout, columns, colours, state, prediction, draws } = scene;
  const items = [];
  frame(ctx, layout, columns, colours);
  inside(ctx, layout, () => {
    if (prediction) {
      if (state.show.includes("density") && prediction.density) density(ctx, scene, items);
      if (state.show.includes("quantiles")) quantiles(ctx, scene, items);
      if (state.show.includes("draws") && draws) joint(ctx, scene, items);
      if (state.show.includes("modes") && prediction.modes) modes(ctx, scene, items);
    }
    others(ctx, scene, items);
  });
  border(ctx, layout, colours);
  if (prediction?.density && state.show.includes("density")) atoms(ctx, scene, items);
  points(ctx, scene);
  if (state.points.length > 0) items.push({ text: "known points", colour: colours.point, kind: "dot" });
  legend(ctx, layout, items, colours);
}

function density(ctx, { layout, colours, prediction }, items) {
  const { grid, targets } = prediction;
  const by = grid.rows[1] - grid.rows[0];
  const [r, g, b] = colours.shade;
  if (prediction.shade !== colours.shade) { // the prediction keeps its image, because it is drawn many times
    const columns = targets.map((t) => masses(t.channels[grid.channel].density.values, by, held(t.channels[grid.channel])));
    prediction.image = image(grid, (i, j, out, at) => {
      out[at] = r; out[at + 1] = g; out[at + 2] = b;
      out[at + 3] = 235 * (1 - columns[i][j]) ** 0.8;
    });
    prediction.shade = colours.shade;
  }
  stretch(ctx, layout, grid, prediction.image);
  items.push({ text: "density", colour: `rgb(${r} ${g} ${b} / .7)`, kind: "area" });
}

// held returns the probability of the bounds of y together.
const held = (channel) => (channel.atoms ?? []).reduce((sum, a) => sum + a.probability, 0);

// atoms draws the bounds of y, where a density has no height, as bars as dark as they are probable.
function atoms(ctx, { layout, colours, prediction }, items) {
  const { grid, targets } = prediction;
  const [r, g, b] = colours.shade;
  const half = grid.steps ? 0.4 : (grid.columns.at(-1) - grid.columns[0]) / (grid.columns.length - 1) / 2;
  const { box, x, y } = layout;
  for (const { y: bound } of targets[0].channels[grid.channel].atoms ?? []) {
    const own = targets.map((t) => t.channels[grid.channel].atoms.find((a) => a.y === bound).probability);
    const at = y.to(bound);
    if (at < box.top || at > box.bottom) continue;
    const ends = (p) => [Math.max(box.left, Math.round(x.to(p - half))), Math.min(box.right, Math.round(x.to(p + half)))];
    ctx.fillStyle = colours.background;
    ctx.fillRect(box.left, at - 5, box.right - box.left, 10);
    grid.columns.forEach((p, i) => {
      const [left, right] = ends(p);
      ctx.fillStyle = `rgb(${r} ${g} ${b} / ${own[i]})`;
      ctx.fillRect(left, at - 5, right - left, 10);
    });
    ctx.strokeStyle = colours.edge;
    ctx.strokeRect(box.left + 0.5, at - 5, box.right - box.left - 1, 10);
    items.push({ text: `exactly ${short(bound)}: ${percent(own)}`, colour: `rgb(${r} ${g} ${b} / ${Math.max(...own)})`, kind: "area" });
  }
}

// percent returns the least and the greatest of some probabilities as a text.
function percent(all) {
  const [low, high] = [Math.min(...all), Math.max(...all)].map((p) => Math.round(100 * p));
  return low === high ? `${low}%` : `${low} to ${high}%`;
}

function quantiles(ctx, { layout, colours, state, prediction }, items) {
  const { grid, targets, levels } = prediction;
  ctx.strokeStyle = colours.line;
  ctx.lineWidth = 1.6;
  for (const q of state.quantiles) {
    const k = levels.indexOf(q);
    if (k < 0) continue;
    ctx.setLineDash(q === 0.5 ? [] : [5, 3]);
    curve(ctx, layout, grid, targets.map((t) => t.channels[grid.channel].quantiles[k]));
  }
  ctx.setLineDash([]);
  items.push({ text: "quantiles " + state.quantiles.map(short).join(", "), colour: colours.line, kind: "dashed" });
}

// curve draws a line through values at the grid's columns, or a short stroke for each category.
function curve(ctx, { x, y }, grid, values) {
  ctx.beginPath();
  grid.columns.forEach((p, i) => {
    const at = y.to(values[i]);
    if (grid.steps) ctx.moveTo(x.to(p - 0.4), at);
    ctx.lineTo(x.to(grid.steps ? p + 0.4 : p), at);
  });
  ctx.stroke();
}

// joint draws dots with faint lines, because a draw may jump between branches.
function joint(ctx, { layout, colours, draws }, items) {
  const { columns, channel } = draws.grid;
  ctx.strokeStyle = ctx.fillStyle = colours.draw;
  ctx.lineWidth = 1;
  for (const d of draws.values) {
    const values = d.map((channels) => channels[channel]);
    ctx.globalAlpha = draws.stale ? 0.12 : 0.35;
    curve(ctx, layout, draws.grid, values);
    ctx.globalAlpha = draws.stale ? 0.25 : 1;
    values.forEach((v, i) => disc(ctx, layout.x.to(columns[i]), layout.y.to(v), 2));
  }
  ctx.globalAlpha = 1;
  items.push({ text: draws.values.length === 1 ? "1 joint draw" : `${draws.values.length} joint draws`, colour: colours.draw, kind: "line" });
}

function modes(ctx, { layout, colours, prediction }, items) {
  const { grid, targets } = prediction;
  ctx.fillStyle = colours.mode;
  const radius = grid.steps ? 3 : Math.min(1.7, 0.6 + (layout.box.right - layout.box.left) / grid.columns.length / 4);
  targets.forEach((t, i) => {
    const { modes: places, density: d } = t.channels[grid.channel];
    const heights = (places ?? []).map((m) => height(d, m));
    const highest = Math.max(...heights);
    places?.forEach((m, k) => {
      // A mixture has many small peaks: a mode is as faint as its peak is low.
      ctx.globalAlpha = highest > 0 ? Math.max(0.04, heights[k] / highest) : 1;
      disc(ctx, layout.x.to(grid.columns[i]), layout.y.to(m), radius);
    });
  });
  ctx.globalAlpha = 1;
  items.push({ text: "modes", colour: colours.mode, kind: "dot" });
}

// height returns the density at y, from the nearest y of the grid, or 1 if the density is not known.
function height(density, y) {
  if (!density) return 1;
  const at = Math.round((y - density.y[0]) / (density.y[1] - density.y[0]));
  return density.values[at] ?? 0;
}

// others draws the points of a file's other groups, which the model is not told.
export function others(ctx, { layout, colours, state, surface }, items) {
  if (state.others.length === 0) return;
  ctx.fillStyle = colours.muted;
  ctx.globalAlpha = 0.75;
  for (const p of state.others) {
    const [x, y] = surface.positions(p);
    disc(ctx, layout.x.to(x), layout.y.to(y), 3);
  }
  ctx.globalAlpha = 1;
  items.push({ text: "other groups", colour: colours.muted, kind: "dot" });
}

function points(ctx, { layout, columns, colours, state, run }) {
  for (const p of state.points) {
    const x = layout.x.to(position(columns.x, p.x[state.axes[0]]));
    const y = layout.y.to(p.y[state.channel]);
    // Points whose other inputs differ from the sliders' are hollow.
    const here = p.x.every((v, i) => i === state.axes[0] || v === state.at[i] || run.columns.x.length === 1);
    ctx.fillStyle = colours.background;
    disc(ctx, x, y, 6.5);
    ctx.fillStyle = colours.point;
    disc(ctx, x, y, 5);
    if (here) continue;
    ctx.fillStyle = colours.background;
    disc(ctx, x, y, 3);
  }
}
