// The run and its predictions in words, for the header, the line below the plot and screen readers.
import { valueText } from "./columns.js";
import { short } from "./scale.js";

const names = (columns) => columns.map((c) => c.name).join(", ");

// question says what a run predicts from what: {title, about}.
export function question(run) {
  const { x, y } = run.columns;
  const by = run.group ? `, by ${run.group}` : "";
  const title = run.formula ? `${run.formula}, of ${run.file}` : `${run.file ?? run.benchmark}: ${names(y)} from ${names(x)}${by}`;
  const count = (n, what) => (n ? `${n.toLocaleString("en")} ${what}` : "");
  const model = run.formula ? "models fitted by acqnp fit" : run.model.toUpperCase() + (run.variant ? ` (${run.variant})` : "");
  return { title, about: [model, count(run.parameters, "parameters"), count(run.steps, "steps")].filter((t) => t).join(" · ") };
}

const most = 4; // regions that a reader takes in

// joined returns a region's intervals without gaps that tell nothing: a mixture has a small peak at each of
// its parts. What stays is wider than a 20th of all, and the widest three of many.
export function joined(region) {
  if (region.length < 2) return region;
  const whole = region[region.length - 1][1] - region[0][0];
  const gaps = region.slice(1).map(([low], i) => low - region[i][1]);
  const least = Math.max(whole / 20, [...gaps].sort((a, b) => b - a)[most - 1] ?? 0);
  const found = [[...region[0]]];
  region.slice(1).forEach(([low, high], i) => {
    if (gaps[i] > least) found.push([low, high]);
    else found[found.length - 1][1] = high;
  });
  return found;
}

// summary describes the prediction at a target as the server answers describeRequest; null for none.
export function summary(run, state, target) {
  const { x, y } = run.columns;
  const n = state.points.length;
  const told = n === 0 ? "Click the plot to add a point that the model is told." : n === 1 ? "1 known point." : `${n} known points.`;
  if (!target) return told;
  const { quantiles: [median], regions: [region] } = target.channels[state.channel];
  const column = y[state.channel];
  const unit = column.unit ? " " + column.unit : "";
  const at = target.x.map((v, i) => `${x[i].name} = ${valueText(x[i], v)}`).join(", ");
  const parts = joined(region);
  const words = parts.map(([low, high]) => (low === high ? short(low) : `${short(low)} to ${short(high)}`)).join(" or ");
  const atoms = (target.channels[state.channel].atoms ?? []).map((a) => `; exactly ${short(a.y)} has ${short(100 * a.probability)}%`).join("");
  // Between branches the median is where no y is.
  const middle = parts.length > 1 ? "" : `; median ${short(median)}${unit}`;
  return `${told} At ${at}, 90% of ${column.name}: ${words}${unit}${middle}${atoms}.`;
}
