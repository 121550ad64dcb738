// The known points as buttons above the drawing: they take clicks, drags and keys.
import { position, valueAt, valueText } from "./columns.js";
import { make } from "./dom.js";
import { clamp, rounded } from "./scale.js";

// A Surface handles what happens on the plot. app has: state, run, layout (of axes.js), and
// change(action, moving, event), which calls action and draws; select(i) and deletePoint(i).
export class Surface {
  constructor(element, app) {
    this.element = element;
    this.app = app;
    this.cross = null; // [x, y] positions of the keyboard's cross
    this.added = 0; // when a click added a point, in ms
    element.addEventListener("click", (e) => this.click(e));
    element.addEventListener("keydown", (e) => this.key(e));
  }

  // place puts the buttons where their points are.
  place() {
    const { box, x, y } = this.app.layout;
    const { style } = this.element;
    Object.assign(style, { left: box.left + "px", top: box.top + "px", width: box.right - box.left + "px", height: box.bottom - box.top + "px" });
    this.element.setAttribute("aria-label", `Plot of ${this.columns().map((c) => c.name).join(" and ")}. Arrow keys move the cross, Enter adds a point.`);
    const { points } = this.app.state;
    while (this.element.children.length > points.length) this.element.lastChild.remove();
    while (this.element.children.length < points.length) this.element.append(this.button(this.element.children.length));
    points.forEach((p, i) => {
      const b = this.element.children[i];
      const [px, py] = this.positions(p);
      b.style.left = clamp(x.to(px), box.left, box.right) - box.left + "px";
      b.style.top = clamp(y.to(py), box.top, box.bottom) - box.top + "px";
      b.setAttribute("aria-label", `Point ${i + 1}: ${this.describe(p)}`);
    });
  }

  // columns returns the columns of the horizontal and the vertical axis.
  columns() {
    const { run, state } = this.app;
    const { x, y } = run.columns;
    return [x[state.axes[0]], state.axes.length === 2 ? x[state.axes[1]] : y[state.channel]];
  }

  // positions returns where a point lies on the two axes.
  positions(p) {
    const { state } = this.app;
    const [a, b] = this.columns();
    return [position(a, p.x[state.axes[0]]), state.axes.length === 2 ? position(b, p.x[state.axes[1]]) : p.y[state.channel]];
  }

  describe(p) {
    const { x, y } = this.app.run.columns;
    return [...p.x.map((v, i) => `${x[i].name} ${valueText(x[i], v)}`), ...p.y.map((v, k) => `${y[k].name} ${valueText(y[k], v)}`)].join(", ");
  }

  // moveTo moves a point to positions on the axes, within the plot.
  moveTo(p, [px, py]) {
    const { state, layout } = this.app;
    const [a, b] = this.columns();
    const fit = (c, v, domain) => (c.categories ? valueAt(c, v) : rounded(clamp(v, ...domain), domain));
    p.x[state.axes[0]] = fit(a, px, layout.x.domain);
    const v = fit(b, py, layout.y.domain);
    if (state.axes.length === 2) p.x[state.axes[1]] = v;
    else p.y[state.channel] = v;
  }

  // at returns the positions of a pointer event.
  at(e) {
    const r = this.element.getBoundingClientRect();
    const { box, x, y } = this.app.layout;
    return [x.from(e.clientX - r.left + box.left), y.from(e.clientY - r.top + box.top)];
  }

  click(e) {
    if (e.target !== this.element) return;
    this.added = e.timeStamp;
    this.add(this.at(e), e);
  }

  // add adds a point at positions on the axes. What the axes do not say comes from the sliders and
  // from the prediction.
  add(place, e) {
    const { app } = this;
    const p = app.newPoint(place);
    this.moveTo(p, place);
    app.change(() => app.state.points.push(p), false, e);
    app.select(app.state.points.length - 1);
  }

  key(e) {
    const i = Array.prototype.indexOf.call(this.element.children, e.target);
    if (e.ctrlKey || e.metaKey) return;
    if (i < 0 ? this.crossKey(e) : this.pointKey(e, i)) e.preventDefault();
  }

  // steps returns how far a key moves, in positions on the axes, or null.
  steps(e) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = ways[e.key];
    if (!way) return null;
    const share = e.shiftKey ? 0.05 : e.altKey ? 0.002 : 0.01;
    const size = (c, { domain }) => (c.categories ? 1 : (domain[1] - domain[0]) * share);
    const [a, b] = this.columns();
    return [way[0] * size(a, this.app.layout.x), way[1] * size(b, this.app.layout.y)];
  }

  crossKey(e) {
    const { layout } = this.app;
    const by = this.steps(e);
    if (by) {
      const [x, y] = this.cross ?? middle(layout);
      this.cross = [clamp(x + by[0], ...layout.x.domain), clamp(y + by[1], ...layout.y.domain)];
      this.app.crossMoved();
      return true;
    }
    if (e.key !== "Enter" && e.key !== " ") return false;
    this.add(this.cross ?? middle(layout), e);
    return true;
  }

  pointKey(e, i) {
    const { app } = this;
    if (e.key === "Delete" || e.key === "Backspace") {
      app.deletePoint(i, e);
      return true;
    }
    const p = app.state.points[i];
    const by = this.steps(e);
    if (by) {
      const [x, y] = this.positions(p);
      app.change(() => this.moveTo(p, [x + by[0], y + by[1]]), true, e);
      return true;
    }
    if (app.state.axes.length === 2 && (e.key === "PageUp" || e.key === "PageDown")) {
      const range = app.outputRange();
      const to = p.y[app.state.channel] + ((e.key === "PageUp" ? 1 : -1) * (range[1] - range[0])) / 50;
      app.change(() => { p.y[app.state.channel] = rounded(to, range); }, true, e);
      return true;
    }
    return false;
  }

  button(i) {
    const b = make("button", { type: "button" });
    const index = () => Array.prototype.indexOf.call(this.element.children, b);
    b.addEventListener("focus", () => this.app.select(index()));
    b.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      b.setPointerCapture(e.pointerId);
      b.focus();
    });
    b.addEventListener("pointermove", (e) => {
      if (!b.hasPointerCapture(e.pointerId)) return;
      const p = this.app.state.points[index()];
      this.app.change(() => this.moveTo(p, this.at(e)), true, e);
    });
    b.addEventListener("dblclick", (e) => {
      // The first of two clicks may have added this point.
      if (e.timeStamp - this.added > 600) this.app.deletePoint(index(), e);
    });
    b.addEventListener("contextmenu", (e) => {
      e.preventDefault();
      this.app.deletePoint(index(), e);
    });
    return b;
  }
}

const middle = ({ x, y }) => [(x.domain[0] + x.domain[1]) / 2, (y.domain[0] + y.domain[1]) / 2];
