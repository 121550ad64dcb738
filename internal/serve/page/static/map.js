// The drawing over two inputs: a map of the mean, the spread or a quantile, with the known points in
// the map's colours.
import { border, disc, font, frame, image, inside, legend, stretch } from "./axes.js";
import { position } from "./columns.js";
import { others } from "./curve.js";
import { linear, spaced, tickText, ticks } from "./scale.js";

// Anchors of the colours from low to high: viridis, which also people with a weak sense for colours read.
const anchors = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

// colourAt returns red, green and blue of a share from 0 to 1.
export function colourAt(share) {
  const at = Math.min(1, Math.max(0, share)) * (anchors.length - 1);
  const i = Math.min(anchors.length - 2, Math.floor(at));
  return anchors[i].map((v, k) => Math.round(v + (anchors[i + 1][k] - v) * (at - i)));
}

// valueOf returns what the map shows of a channel: its mean, sd, or a quantile.
export function valueOf(what, levels, channel) {
  if (what === "mean" || what === "sd") return channel[what];
  return channel.quantiles[levels.indexOf(Number(what))];
}

// draw draws a prediction and the points. scene is {layout, columns, colours, state, run, prediction}.
export function draw(ctx, scene) {
  const { layout, columns, colours, state, run, prediction } = scene;
  frame(ctx, layout, columns, colours);
  const name = run.columns.y[state.channel].name;
  const text = (state.map === "mean" || state.map === "sd" ? state.map : "quantile " + state.map) + " of " + name;
  if (!prediction || prediction.grid.kind !== "map") return border(ctx, layout, colours);
  const { grid, targets, levels } = prediction;
  const values = targets.map((t) => valueOf(state.map, levels, t.channels[grid.channel]) ?? NaN);
  const scale = range(values, state);
  const share = linear(scale, [0, 1]);
  const colour = (i, j, out, at) => {
    const v = values[j * grid.columns.length + i];
    const [r, g, b] = colourAt(share.to(v));
    out[at] = r; out[at + 1] = g; out[at + 2] = b; out[at + 3] = Number.isNaN(v) ? 0 : 255;
  };
  const items = [{ text, kind: "text" }];
  inside(ctx, layout, () => {
    stretch(ctx, layout, grid, image(grid, colour));
    others(ctx, scene, items);
  });
  border(ctx, layout, colours);
  bar(ctx, layout, scale, colours);
  points(ctx, scene, share);
  if (state.points.length > 0) items.push({ text: "known points", colour: colours.point, kind: "dot" });
  legend(ctx, layout, items, colours);
}

// range returns the least and greatest number of the map, and of the points unless it shows the spread.
function range(values, state) {
  const all = values.filter((v) => !Number.isNaN(v));
  if (state.map === "sd") all.push(0);
  else all.push(...state.points.map((p) => p.y[state.channel]));
  const low = Math.min(...all);
  const high = Math.max(...all);
  return low < high ? [low, high] : [low - 1, high + 1];
}

// bar draws the scale of the colours at the right.
function bar(ctx, { box }, scale, colours) {
  const left = box.right + 12;
  const y = linear(scale, [box.bottom, box.top]);
  const height = box.bottom - box.top;
  spaced(0, 1, 128).forEach((s) => {
    ctx.fillStyle = `rgb(${colourAt(s).join(" ")})`;
    ctx.fillRect(left, box.bottom - s * (height - height / 128) - height / 128, 14, height / 128 + 1);
  });
  ctx.font = font;
  ctx.fillStyle = colours.muted;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  const { values, by } = ticks(...scale, 6);
  for (const v of values) ctx.fillText(tickText(v, by), left + 19, y.to(v), 40);
}

function points(ctx, { layout, columns, colours, state }, share) {
  for (const p of state.points) {
    const x = layout.x.to(position(columns.x, p.x[state.axes[0]]));
    const y = layout.y.to(position(columns.y, p.x[state.axes[1]]));
    ctx.fillStyle = colours.background;
    disc(ctx, x, y, 8.5);
    ctx.fillStyle = colours.point;
    disc(ctx, x, y, 7);
    ctx.fillStyle = state.map === "sd" ? colours.point : `rgb(${colourAt(share.to(p.y[state.channel])).join(" ")})`;
    disc(ctx, x, y, 5);
  }
}
