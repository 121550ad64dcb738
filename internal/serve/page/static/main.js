// Connects the parts of the page: events change the state; the state asks for predictions and is drawn.
import * as api from "./api.js";
import { layout, theme } from "./axes.js";
import * as curve from "./curve.js";
import { ranged } from "./columns.js";
import { byId, options } from "./dom.js";
import { asked, describeRequest, drawRequest, grid, nearest, request, view } from "./grid.js";
import * as map from "./map.js";
import * as panel from "./panel.js";
import { Surface } from "./points.js";
import { decode, encode, initial } from "./state.js";
import { question, summary } from "./summary.js";
import { wireFiles } from "./files.js";
import { spaced } from "./scale.js";

const rest = 180; // ms without a change, after which the finer drawing and the joint draws are asked for
const canvas = byId("canvas");

const app = {
  runs: [], run: null, state: null, layout: null,
  prediction: null, draws: null, selected: -1, colours: theme(),

  // change calls action, which changes the state, and brings the page up to date. moving says that more
  // changes of the same kind will follow at once, event is what caused the change.
  change(action, moving, event) {
    action();
    if (app.draws) app.draws.stale = true;
    refresh(moving, event?.timeStamp || performance.now());
  },

  // rebuild is change for an action that changes the axes, and so the settings.
  rebuild(action, event) {
    action();
    app.prediction = app.draws = app.surface.cross = null;
    panel.build(app);
    byId("table").open ||= app.state.axes.length === 2;
    refresh(false, event?.timeStamp || performance.now());
  },

  // newPoint returns a point at positions on the axes, whose other values are those of the sliders and
  // the medians of the prediction.
  newPoint(place) {
    const { y } = app.run.columns;
    const channels = app.prediction?.targets[nearest(app.prediction.grid, place)].channels;
    const k = app.prediction?.levels.indexOf(0.5);
    const middle = (c, i) => channels?.[i].quantiles[k] ?? ((c.low + c.high) / 2 || 0);
    return { x: [...app.state.at], y: y.map((c, i) => Number(middle(c, i).toPrecision(4))) };
  },

  deletePoint(i, event) {
    if (i < 0) return;
    const focused = byId("surface").contains(document.activeElement) || document.activeElement === byId("delete");
    app.change(() => app.state.points.splice(i, 1), false, event);
    app.select(Math.min(i, app.state.points.length - 1));
    if (focused) (byId("surface").children[app.selected] ?? byId("surface")).focus();
  },

  select(i) {
    app.selected = i;
    byId("delete").disabled = i < 0;
    panel.show(app);
  },

  outputRange() {
    return view({ ...app.state, axes: [0] }, app.run).y;
  },

  crossMoved() {
    paintSoon();
    tell();
  },

  // complain shows one line of what is wrong, or nothing.
  complain(text) {
    byId("error").textContent = text;
    byId("error").hidden = text === "";
  },
};

let resting, telling, writing;

// refresh draws what is known at once, and asks for the prediction.
function refresh(moving, since) {
  place();
  panel.show(app);
  paintSoon();
  ask({ moving: true, since });
  canvas.dataset.coarse = "yes"; // tests wait for the finer drawing
  clearTimeout(resting);
  resting = setTimeout(() => {
    ask({ moving: false });
    askDraws();
  }, moving ? rest : rest / 2);
  clearTimeout(writing);
  canvas.dataset.unsaved = "yes"; // tests wait for the address
  writing = setTimeout(() => {
    history.replaceState(null, "", "#" + encode(app.state, app.run));
    delete canvas.dataset.unsaved;
  }, 250);
}

// place finds the size of the drawing and puts the points' buttons there.
function place() {
  const { clientWidth: width, clientHeight: height } = byId("stage");
  app.layout = layout(width, height, view(app.state, app.run), app.state.axes.length === 2);
  app.surface.place();
}

// see keeps the range of the first prediction for an output whose range the server does not say. It
// returns whether it did.
function see(column, targets, levels, channel) {
  if (ranged(column) || column.seen) return false;
  const all = targets.flatMap((t) => [0.05, 0.95].map((q) => t.channels[channel].quantiles[levels.indexOf(q)]));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  column.seen = low < high ? [low, high] : [low - 1, high + 1];
  return true;
}

let painting = false;
let finest = null; // the state whose finer prediction the next drawing shows
let answered = []; // times of the events whose predictions the next drawing shows

// paintSoon draws with the browser's next frame.
function paintSoon() {
  if (painting) return;
  painting = true;
  requestAnimationFrame(() => {
    painting = false;
    paint();
    if (finest === app.state) delete canvas.dataset.coarse;
    if (answered.length === 0) return;
    // The page's own measure of what a user waits for, which tests and browsers' tools read.
    for (const start of answered.filter((t) => t)) performance.measure("event to drawing", { start });
    answered = [];
    canvas.dataset.drawn = Number(canvas.dataset.drawn ?? 0) + 1;
  });
}

// paint draws everything on the canvas of the page.
function paint() {
  const { clientWidth: width, clientHeight: height } = byId("stage");
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  drawOn(canvas, ratio, document.activeElement === byId("surface") ? app.surface.cross : null);
}

// drawOn draws everything on a canvas with ratio pixels for each CSS pixel.
function drawOn(target, ratio, cross) {
  const ctx = target.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = app.colours.background;
  ctx.fillRect(0, 0, target.width, target.height);
  const [x, y] = app.surface.columns();
  const scene = { ...app, columns: { x, y } };
  (app.state.axes.length === 2 ? map : curve).draw(ctx, scene);
  if (!cross) return;
  const [px, py] = [app.layout.x.to(cross[0]), app.layout.y.to(cross[1])];
  ctx.strokeStyle = app.colours.accent;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(px - 9, py); ctx.lineTo(px + 9, py);
  ctx.moveTo(px, py - 9); ctx.lineTo(px, py + 9);
  ctx.stroke();
}

const slow = 30; // ms
let wait = 0; // for an answer while something moves, in ms: a running mean

// ask asks for a prediction and draws it. While one is under way, the newest of the others waits. The
// next request does not wait for the drawing.
const ask = api.newestWins(async ({ moving, since }) => {
  const { run, state } = app;
  const g = grid(state, run, !moving ? "resting" : wait > slow ? "slow" : "moving");
  const levels = asked(state);
  try {
    const sent = performance.now();
    const answer = await api.predict(request(state, g));
    if (moving) wait += (performance.now() - sent - wait) / 4;
    if (app.run !== run || app.state !== state || g.kind !== (state.axes.length === 2 ? "map" : "curve") || g.channel !== state.channel) return;
    const first = answer.targets[0].channels[g.channel];
    app.prediction = { grid: g, targets: answer.targets, levels, density: !!first.density, modes: !!first.modes };
    app.complain("");
    if (see(run.columns.y[g.channel], answer.targets, levels, g.channel)) return refresh(false, since);
    answered.push(since);
    finest = moving ? null : state;
    paintSoon();
    tell();
  } catch (err) {
    fail(err);
  }
});

let drawing = null;

// askDraws asks for joint draws if they are shown. A newer call ends an older one.
async function askDraws() {
  drawing?.abort();
  const { state, run } = app;
  if (!state.show.includes("draws") || state.axes.length === 2) return;
  drawing = new AbortController();
  const g = grid(state, run, "moving");
  const few = g.steps ? g.columns.map((_, i) => i) : spaced(0, g.columns.length - 1, 49).map(Math.round);
  const part = { ...g, columns: few.map((i) => g.columns[i]), x: few.map((i) => g.x[i]) };
  try {
    const answer = await api.predict(drawRequest(state, part.x, state.draws, state.seed), drawing.signal);
    if (app.state !== state) return;
    app.draws = { grid: part, values: answer.draws, stale: false };
    paintSoon();
    canvas.dataset.draws = Number(canvas.dataset.draws ?? 0) + 1;
  } catch (err) {
    if (err.name !== "AbortError") fail(err);
  }
}

function fail(err) {
  if (!(err instanceof api.Refused)) throw err;
  delete canvas.dataset.coarse; // nothing finer comes
  const locked = err.status === 401;
  app.complain(locked ? "This server wants the token that it was started with." : err.message);
  byId("token-form").hidden = !locked;
  document.body.classList.toggle("locked", locked && !app.run);
}

let describing = null;

// tell says the prediction in words, with the server's warnings, when it rests, so that screen readers are not
// flooded. It asks for it at the cross, the selected point or the middle. A newer call ends an older one.
function tell() {
  clearTimeout(telling);
  describing?.abort();
  telling = setTimeout(async () => {
    if (!app.run) return;
    const { run, state, surface } = app;
    const place = surface.cross ?? surface.positions(state.points[app.selected] ?? { x: state.at, y: [0] });
    describing = new AbortController();
    try {
      const answer = await api.predict(describeRequest(state, run, place), describing.signal);
      if (app.state !== state) return;
      byId("summary").textContent = summary(run, state, answer.targets[0]);
      byId("warnings").textContent = answer.warnings.join("\n");
      byId("warnings").hidden = answer.warnings.length === 0;
    } catch (err) {
      if (err.name !== "AbortError") fail(err);
    }
  }, 400);
}

// open shows a state: that of the address, or the first one of a run.
function open(state) {
  app.run = app.runs.find((r) => r.name === state.run);
  app.state = state;
  app.selected = -1;
  byId("run").value = state.run;
  const { title, about } = question(app.run);
  byId("title").textContent = title;
  byId("about").textContent = about;
  document.title = `${title} · acqnp`;
  app.rebuild(() => {});
  app.select(-1);
}

// example draws a group from the model itself at a dozen targets, and takes that as the context.
async function example(event) {
  const g = grid({ ...app.state, points: [] }, app.run, "moving");
  const part = g.x.length / 12;
  const shift = (i) => Math.abs(Math.sin((i + 1) * 78.233 * (app.state.seed + 1))) * 0.8; // as if at random
  const x = Array.from({ length: Math.min(12, g.x.length) }, (_, i) => g.x[Math.floor(part < 1 ? i : (i + shift(i)) * part)]);
  try {
    const answer = await api.predict(drawRequest({ ...app.state, points: [] }, x, 1, app.state.seed));
    app.change(() => {
      app.state.others = [];
      app.state.points = x.map((v, i) => ({ x: v, y: answer.draws[0][i].map((c) => Number(c.toPrecision(4))) }));
      app.state.seed++;
    }, false, event);
    app.select(-1);
  } catch (err) {
    fail(err);
  }
}

async function begin() {
  try {
    app.runs = await api.model();
  } catch (err) {
    return fail(err);
  }
  byId("token-form").hidden = true;
  document.body.classList.remove("locked");
  app.complain("");
  options(byId("run"), app.runs.map((r) => [r.name, r.name]), app.runs[0].name);
  byId("run-label").hidden = app.runs.length < 2;
  open(decode(location.hash, app.runs));
}

app.surface = new Surface(byId("surface"), app);
panel.wire(app);
wireFiles(app, drawOn);
byId("run").addEventListener("change", (e) => open(initial(app.runs.find((r) => r.name === e.target.value))));
byId("example").addEventListener("click", example);
byId("clear").addEventListener("click", (e) => { app.change(() => { Object.assign(app.state, { points: [], others: [] }); }, false, e); app.select(-1); });
byId("delete").addEventListener("click", (e) => app.deletePoint(app.selected, e));
byId("surface").addEventListener("focus", () => app.run && paintSoon());
byId("surface").addEventListener("blur", () => app.run && paintSoon());
byId("token-form").addEventListener("submit", (e) => { e.preventDefault(); api.setToken(byId("token").value); begin(); });
addEventListener("hashchange", () => app.run && open(decode(location.hash, app.runs)));
new ResizeObserver(() => { if (app.run) { place(); paint(); } }).observe(byId("stage"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { app.colours = theme(); if (app.run) paintSoon(); });
begin();
