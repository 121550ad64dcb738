// The settings beside the plot.
import { label, limits, valueAt, position, valueText, start } from "./columns.js";
import { byId, make, options, setValue } from "./dom.js";
import { view } from "./grid.js";
import { levels } from "./state.js";
import { rounded } from "./scale.js";

// wire connects the settings that every run has.
export function wire(app) {
  for (const box of byId("curve").querySelectorAll("input[type=checkbox]")) {
    box.addEventListener("change", (e) => app.change(() => {
      const others = app.state.show.filter((s) => s !== box.value);
      app.state.show = box.checked ? [...others, box.value] : others;
    }, false, e));
  }
  byId("quantiles").addEventListener("change", (e) => {
    const found = levels(e.target.value);
    app.complain(found ? "" : `Quantiles: found ${JSON.stringify(e.target.value)}, expected up to 20 numbers between 0 and 1`);
    if (found) app.change(() => { app.state.quantiles = found; if (!app.state.show.includes("quantiles")) app.state.show.push("quantiles"); }, false, e);
  });
  byId("draws").addEventListener("change", (e) => {
    const n = Math.round(Number(e.target.value));
    if (n >= 1 && n <= 50) app.change(() => { app.state.draws = n; }, false, e);
    else app.complain(`Joint draws: found ${e.target.value}, expected a number from 1 to 50`);
  });
  byId("again").addEventListener("click", (e) => app.change(() => {
    app.state.seed++;
    if (!app.state.show.includes("draws")) app.state.show.push("draws");
  }, false, e));
  byId("table").addEventListener("toggle", () => app.run && show(app));
  byId("what").addEventListener("change", (e) => app.change(() => { app.state.map = e.target.value; }, false, e));
}

// build makes the settings that depend on the run: axes, channel, other inputs, ranges, the table's head.
export function build(app) {
  const { x, y } = app.run.columns;
  const { state } = app;
  const holder = byId("axes");
  holder.replaceChildren(holder.querySelector("legend"));
  if (x.length > 1) holder.append(axisMenu(app));
  if (y.length > 1) {
    const menu = make("select", { id: "channel" });
    options(menu, y.map((c, i) => [i, label(c)]), state.channel);
    menu.addEventListener("change", (e) => app.rebuild(() => { state.channel = Number(menu.value); }, e));
    holder.append(make("label", {}, "Output ", menu));
  }
  x.forEach((c, i) => {
    if (!state.axes.includes(i)) holder.append(other(app, c, i));
  });
  holder.hidden = holder.children.length === 1;
  byId("curve").hidden = state.axes.length === 2;
  byId("map").hidden = state.axes.length === 1;
  byId("table").querySelector("thead").replaceChildren(make("tr", {}, ...[...x, ...y].map((c) => make("th", { scope: "col", textContent: label(c) })), make("th")));
  byId("table").querySelector("tbody").replaceChildren();
  byId("paste").placeholder = [...x, ...y].map((c) => c.name).join(",") + "\n…";
  ranges(app);
}

// axisMenu returns the menu of what is on the axes: each input, and each pair of inputs with numbers.
function axisMenu(app) {
  const { x } = app.run.columns;
  const pairs = x.map((c, i) => [String(i), label(c)]);
  x.forEach((a, i) => x.forEach((b, j) => {
    if (i !== j && !a.categories && !b.categories && (i < j || x.length > 2)) pairs.push([`${i},${j}`, `map: ${a.name} × ${b.name}`]);
  }));
  const menu = make("select", { id: "over" });
  options(menu, pairs, app.state.axes.join(","));
  menu.addEventListener("change", (e) => app.rebuild(() => { app.state.axes = menu.value.split(",").map(Number); }, e));
  return make("label", {}, "Over ", menu);
}

// other returns the slider of an input that is on no axis, or the menu of its names.
function other(app, c, i) {
  const { state } = app;
  const [low, high] = limits(c);
  if (c.categories) {
    const menu = make("select");
    options(menu, c.categories.map((n) => [n, n]), state.at[i]);
    menu.addEventListener("change", (e) => app.change(() => { state.at[i] = menu.value; }, false, e));
    return make("label", {}, c.name + " ", menu);
  }
  const slider = make("input", { type: "range", min: low, max: high, step: "any", value: state.at[i] });
  const shown = make("span", { className: "value", textContent: valueText(c, state.at[i]) });
  const step = (high - low) / 100;
  slider.addEventListener("input", (e) => {
    app.change(() => { state.at[i] = rounded(Number(slider.value), [low, high]); }, true, e);
    shown.textContent = valueText(c, state.at[i]);
  });
  // With step "any", arrow keys would move by 1 whatever the range is.
  slider.addEventListener("keydown", (e) => {
    const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[e.key];
    if (!way) return;
    e.preventDefault();
    slider.value = Number(slider.value) + way * step;
    slider.dispatchEvent(new Event("input"));
  });
  return make("label", {}, c.name + " ", slider, shown);
}

// ranges makes the fields of the axes' ranges. Empty fields take the range of the training data.
function ranges(app) {
  const { x, y } = app.run.columns;
  const { state } = app;
  const columns = [...state.axes.map((i) => x[i]), ...(state.axes.length === 1 ? [y[state.channel]] : [])];
  const shown = view(state, app.run);
  const rows = columns.filter((c) => !c.categories).map((c) => {
    const field = (k, name) => make("input", { type: "number", step: "any", ariaLabel: `${name} end of ${c.name}`, value: state.view[c.name]?.[k] ?? "",
      placeholder: String(rounded((c === columns[0] ? shown.x : shown.y)[k], c === columns[0] ? shown.x : shown.y)) });
    const [low, high] = [field(0, "lower"), field(1, "upper")];
    const change = (e) => app.change(() => {
      const ends = [low, high].map((f) => Number(f.value || f.placeholder));
      delete state.view[c.name];
      if ((low.value || high.value) && ends[0] < ends[1]) state.view[c.name] = ends;
    }, false, e);
    low.addEventListener("change", change);
    high.addEventListener("change", change);
    return make("div", { className: "range" }, label(c), low, high);
  });
  byId("ranges").querySelector("div").replaceChildren(...rows);
}

// show writes the state into the settings.
export function show(app) {
  const { state } = app;
  for (const box of byId("curve").querySelectorAll("input[type=checkbox]")) box.checked = state.show.includes(box.value);
  setValue(byId("quantiles"), state.quantiles.join(", "));
  setValue(byId("draws"), state.draws);
  const what = ["mean", "sd", ...new Set([...state.quantiles.map(String), ...(Number(state.map) ? [state.map] : [])])];
  if (state.axes.length === 2) options(byId("what"), what.map((w) => [w, Number(w) ? "quantile " + w : w]), state.map);
  byId("count").textContent = state.points.length;
  if (byId("table").open) table(app);
}

// table writes the points into the table. It keeps the fields, so that the focus stays.
function table(app) {
  const { x, y } = app.run.columns;
  const body = byId("table").querySelector("tbody");
  while (body.rows.length > app.state.points.length) body.lastChild.remove();
  while (body.rows.length < app.state.points.length) body.append(row(app, [...x, ...y], x.length));
  app.state.points.forEach((p, i) => {
    const fields = body.rows[i].querySelectorAll("input, select");
    [...p.x, ...p.y].forEach((v, k) => setValue(fields[k], v));
    body.rows[i].className = i === app.selected ? "selected" : "";
  });
}

function row(app, columns, inputs) {
  const line = make("tr");
  const cells = columns.map((c, k) => {
    const field = c.categories ? make("select") : make("input", { type: "number", step: "any" });
    if (c.categories) options(field, c.categories.map((n) => [n, n]), start(c));
    field.ariaLabel = c.name;
    field.addEventListener("focus", () => app.select(line.rowIndex - 1));
    field.addEventListener("change", (e) => {
      const v = c.categories ? valueAt(c, position(c, field.value)) : Number(field.value);
      if (field.value === "" || (!c.categories && !Number.isFinite(v))) return;
      const p = app.state.points[line.rowIndex - 1];
      app.change(() => { if (k < inputs) p.x[k] = v; else p.y[k - inputs] = v; }, false, e);
    });
    return make("td", {}, field);
  });
  const remove = make("button", { type: "button", textContent: "×", ariaLabel: "Delete this point" });
  remove.addEventListener("click", (e) => app.deletePoint(line.rowIndex - 1, e));
  line.append(...cells, make("td", {}, remove));
  return line;
}
