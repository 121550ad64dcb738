// The frame of a drawing: box, scales, ticks and labels. All lengths are CSS pixels.
import { dateText, label } from "./columns.js";
import { linear, tickText, ticks } from "./scale.js";

// theme reads the colours of style.css, which follow the system's light or dark setting.
export function theme() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  const names = ["background", "ink", "muted", "edge", "grid", "line", "mode", "draw", "point", "accent"];
  return { ...Object.fromEntries(names.map((n) => [n, of(n)])), shade: of("shade").split(" ").map(Number) };
}

export const font = "13px system-ui, sans-serif";

// layout returns the box of the drawing within width × height, and its scales.
export function layout(width, height, ranges, map) {
  const box = { left: width < 500 ? 54 : 64, top: 30, right: width - (map ? 74 : 14), bottom: height - 44 };
  return { box, x: linear(ranges.x, [box.left, box.right]), y: linear(ranges.y, [box.bottom, box.top]) };
}

// marks returns the ticks of an axis as [position, text].
function marks(column, [low, high], count) {
  if (column.categories) return column.categories.map((name, i) => [i, name]);
  const { values, by } = ticks(low, high, column.dates ? count * 0.55 : count);
  return values.map((v) => [v, column.dates ? dateText(column, v) : tickText(v, by)]);
}

// frame draws grid lines, ticks and the names of the axes.
export function frame(ctx, { box, x, y }, columns, colours) {
  ctx.font = font;
  ctx.lineWidth = 1;
  const across = marks(columns.x, x.domain, Math.max(3, (box.right - box.left) / 90));
  const up = marks(columns.y, y.domain, Math.max(3, (box.bottom - box.top) / 60));
  ctx.strokeStyle = colours.grid;
  ctx.beginPath();
  for (const [v] of across) line(ctx, x.to(v), box.top, x.to(v), box.bottom);
  for (const [v] of up) line(ctx, box.left, y.to(v), box.right, y.to(v));
  ctx.stroke();
  ctx.fillStyle = colours.muted;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const room = across.length > 1 ? x.to(across[1][0]) - x.to(across[0][0]) - 4 : box.right - box.left;
  for (const [v, text] of across) ctx.fillText(text, x.to(v), box.bottom + 6, room);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const [v, text] of up) ctx.fillText(text, box.left - 7, y.to(v), box.left - 28); // beside the name of the axis
  ctx.fillStyle = colours.ink;
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  ctx.fillText(label(columns.x), (box.left + box.right) / 2, box.bottom + 41);
  ctx.save();
  ctx.translate(13, (box.top + box.bottom) / 2);
  ctx.rotate(-Math.PI / 2);
  ctx.textBaseline = "middle";
  ctx.fillText(label(columns.y), 0, 0);
  ctx.restore();
}

// border draws the edge of the box.
export function border(ctx, { box }, colours) {
  ctx.strokeStyle = colours.edge;
  ctx.strokeRect(Math.round(box.left) + 0.5, Math.round(box.top) + 0.5, box.right - box.left, box.bottom - box.top);
}

function line(ctx, x1, y1, x2, y2) {
  ctx.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  ctx.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
}

// inside draws with everything outside the box cut off.
export function inside(ctx, { box }, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  ctx.clip();
  draw();
  ctx.restore();
}

// image returns an image with a pixel for each cell of a grid, cell (0, 0) at the bottom left.
// colour(i, j, out, at) writes red, green, blue and alpha to out at index at.
export function image({ columns, rows }, colour) {
  const small = new OffscreenCanvas(columns.length, rows.length);
  const pixels = new ImageData(columns.length, rows.length);
  for (let j = 0; j < rows.length; j++) {
    for (let i = 0; i < columns.length; i++) colour(i, j, pixels.data, 4 * ((rows.length - 1 - j) * columns.length + i));
  }
  small.getContext("2d").putImageData(pixels, 0, 0);
  return small;
}

// stretch draws a grid's image with each pixel centred on the position of its cell.
export function stretch(ctx, { x, y }, { columns, rows, steps }, small) {
  const [left, right] = edges(columns);
  const [bottom, top] = edges(rows);
  ctx.imageSmoothingEnabled = !steps;
  ctx.imageSmoothingQuality = "low"; // "high" is slow where no GPU draws
  ctx.drawImage(small, x.to(left), y.to(top), x.to(right) - x.to(left), y.to(bottom) - y.to(top));
}

function edges(positions) {
  const half = positions.length > 1 ? (positions[1] - positions[0]) / 2 : 0.5;
  return [positions[0] - half, positions[positions.length - 1] + half];
}

// legend writes what is drawn above the box, items {text, colour, kind}.
export function legend(ctx, { box }, items, colours) {
  ctx.font = font;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  let at = box.left;
  for (const { text, colour, kind } of items) {
    const mark = kind === "text" ? 0 : 23;
    const width = ctx.measureText(text).width + mark + 17;
    if (at + width > box.right + 14) break;
    ctx.fillStyle = ctx.strokeStyle = colour ?? colours.muted;
    ctx.lineWidth = 2;
    if (kind === "area") ctx.fillRect(at, 9, 18, 12);
    if (kind === "line" || kind === "dashed") {
      ctx.setLineDash(kind === "dashed" ? [5, 3] : []);
      ctx.beginPath();
      ctx.moveTo(at, 15);
      ctx.lineTo(at + 18, 15);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    if (kind === "dot") disc(ctx, at + 9, 15, 3);
    ctx.fillStyle = colours.muted;
    ctx.fillText(text, at + mark, 15);
    at += width;
  }
}

// disc draws a filled circle.
export function disc(ctx, x, y, radius) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}
