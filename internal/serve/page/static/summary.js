// The prediction in words, for the line below the plot and for screen readers.
import { valueText } from "./columns.js";
import { short } from "./scale.js";

// nearest returns the index of the target whose position on the axes is nearest to the cross.
export function nearest(grid, [p, q]) {
  const closest = (list, v) => list.reduce((best, at, i) => (Math.abs(at - v) < Math.abs(list[best] - v) ? i : best), 0);
  const i = closest(grid.columns, p);
  return grid.kind === "map" ? closest(grid.rows, q) * grid.columns.length + i : i;
}

// summary describes the prediction at the cross.
export function summary(run, state, prediction, cross) {
  const { x, y } = run.columns;
  const n = state.points.length;
  const told = n === 0 ? "No context points." : n === 1 ? "1 context point." : `${n} context points.`;
  if (!prediction) return told;
  const { grid, targets, levels } = prediction;
  const target = targets[nearest(grid, cross)];
  const channel = target.channels[grid.channel];
  const column = y[grid.channel];
  const at = target.x.map((v, i) => `${x[i].name} = ${valueText(x[i], v)}`).join(", ");
  const quantile = (q) => short(channel.quantiles[levels.indexOf(q)]);
  const unit = column.unit ? " " + column.unit : "";
  const modes = channel.modes?.length > 1 ? ` Highest modes: ${channel.modes.slice(0, 3).map(short).join(", ")}.` : "";
  return `${told} At ${at}: median of ${column.name} ${quantile(0.5)}${unit}, 90% between ${quantile(0.05)} and ${quantile(0.95)}${unit}.${modes}`;
}
