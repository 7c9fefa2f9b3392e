// Curves over time, one panel for every unit, with a cursor; a click tells the time.

import { rangeOf, roundStep } from "./dom.js";
import { PALETTE } from "./looks.js";

const LEFT = 62, RIGHT = 12, TOP = 6, BOTTOM = 20;

export class Plot {
  constructor(canvas, onTime) {
    this.canvas = canvas;
    this.curves = [];
    const told = (event) => {
      if (event.buttons && this.range) onTime(this.#time(event.clientX - canvas.getBoundingClientRect().left));
    };
    canvas.addEventListener("pointerdown", told);
    canvas.addEventListener("pointermove", told);
  }

  // curve: {label, unit, t, values, dashed}
  set(curves) {
    const names = [...new Set(curves.map((curve) => curve.name))];
    this.curves = curves.map((curve) => ({ ...curve, colour: colourOf(names.indexOf(curve.name)) }));
    const ends = curves.flatMap((curve) => [curve.t[0], curve.t.at(-1)]);
    this.range = curves.length ? [Math.min(...ends), Math.max(...ends)] : null;
  }

  #time(x) {
    const [first, last] = this.range, width = this.canvas.clientWidth - LEFT - RIGHT;
    return Math.min(Math.max(first + ((x - LEFT) / width) * (last - first), first), last);
  }

  draw(now) {
    const { canvas } = this, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (!this.range) return;
    const units = [...new Set(this.curves.map((curve) => curve.unit))];
    const each = (height - BOTTOM) / units.length;
    const [first, last] = this.range;
    const across = (t) => LEFT + ((t - first) / (last - first || 1)) * (width - LEFT - RIGHT);
    units.forEach((unit, k) => this.#panel(pen, unit, TOP + k * each, each - 10, across, width));
    pen.strokeStyle = "#22303c";
    pen.beginPath();
    pen.moveTo(across(now), TOP);
    pen.lineTo(across(now), height - BOTTOM);
    pen.stroke();
    pen.fillStyle = "#6b7883";
    pen.textAlign = "center";
    for (const t of ticks(first, last, 8)) pen.fillText(`${t} s`, across(t), height - 6);
  }

  #panel(pen, unit, top, height, across, width) {
    const curves = this.curves.filter((curve) => curve.unit === unit);
    const [low, high] = rangeOf(...curves.map(({ values }) => values));
    const room = 0.06 * (high - low) || Math.max(Math.abs(high), 1) * 1e-6;
    const down = (x) => top + height - ((x - low + room) / (high - low + 2 * room)) * height;
    pen.font = "11px system-ui, sans-serif";
    pen.lineWidth = 1;
    for (const x of ticks(low, high, Math.max(2, height / 30))) {
      pen.strokeStyle = "#e3e8ec";
      pen.beginPath();
      pen.moveTo(LEFT, down(x));
      pen.lineTo(width - RIGHT, down(x));
      pen.stroke();
      pen.fillStyle = "#6b7883";
      pen.textAlign = "right";
      pen.fillText(String(x), LEFT - 5, down(x) + 4);
    }
    pen.textAlign = "left";
    pen.fillText(unit === "1" ? "" : unit, 4, top + 10);
    pen.lineWidth = 1.5;
    for (const { t, values, colour, dashed } of curves) {
      pen.strokeStyle = colour;
      pen.setLineDash(dashed ? [6, 4] : []);
      pen.beginPath();
      stroke(pen, values.length, (n) => [across(t[n]), down(values[n])]);
    }
    pen.setLineDash([]);
  }
}

// A line through n points, with gaps where one has no place.
export function stroke(pen, n, place) {
  let begun = false;
  pen.beginPath();
  for (let k = 0; k < n; ++k) {
    const [x, y] = place(k), there = Number.isFinite(x) && Number.isFinite(y);
    if (there && begun) pen.lineTo(x, y);
    else if (there) pen.moveTo(x, y);
    begun = there;
  }
  pen.stroke();
}

// Of the curves of the k-th name.
export const colourOf = (k) => PALETTE[k % PALETTE.length];

// About so many round numbers from low to high.
export function ticks(low, high, number) {
  const raw = (high - low) / number;
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  const step = roundStep(raw), found = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12); ++k) found.push(Number((k * step).toPrecision(10)));
  return found;
}
