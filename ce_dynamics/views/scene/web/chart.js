// A panel of curves over anything, with those from before in grey, and a cursor.

import { rangeOf } from "./dom.js";
import { stroke, ticks } from "./plot.js";

const EDGE = { left: 44, right: 14, top: 20, bottom: 16 };
const CURVES = ["#0b6fb8", "#d2691e", "#2e9e58"];

export class Chart {
  constructor(title, onMove) {
    this.title = title;
    this.canvas = document.createElement("canvas");
    this.canvas.title = title;
    this.still = document.createElement("canvas"); // all but the cursor
    const told = (event) => {
      if (!event.buttons || !this.range) return;
      const box = this.canvas.getBoundingClientRect(), width = box.width - EDGE.left - EDGE.right;
      const part = Math.min(Math.max((event.clientX - box.left - EDGE.left) / width, 0), 1);
      onMove(this.range[0] + part * (this.range[1] - this.range[0]));
    };
    this.canvas.addEventListener("pointerdown", told);
    this.canvas.addEventListener("pointermove", told);
  }

  // curves: {label, dashed, old, tint (of another vehicle), colour, x, values (null where there are none)}
  // bands: {colour, x, low, high}, what is wanted and how far off it may be; a bar where there is one x.
  set(curves, unit, least, bands = []) {
    Object.assign(this, { curves, unit, least, bands, range: [curves[0].x[0], curves[0].x.at(-1)], painted: null });
  }

  draw(now) {
    const { canvas, still } = this, ratio = window.devicePixelRatio || 1, { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !this.curves) return;
    const size = [width, height, ratio].join(), pen = canvas.getContext("2d");
    if (size === this.painted && now === this.now) return;
    if (size !== this.painted) {
      for (const one of [canvas, still]) [one.width, one.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      this.#paint(width, height, ratio);
    }
    Object.assign(this, { painted: size, now });
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(still, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = "#9aa5ad";
    pen.fillRect(this.across(now) - 0.5, this.top, 1, height - EDGE.bottom - this.top);
  }

  #paint(width, height, ratio) {
    const { curves, unit } = this, pen = this.still.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px system-ui, sans-serif";
    let [low, high] = rangeOf(...curves.map(({ values }) => values), ...this.bands.flatMap(({ low, high }) => [low, high]));
    const named = curves.filter(({ label, old, dashed }) => label && !old && !dashed), several = named.length > 1;
    const top = EDGE.top + (several ? 13 : 0); // names stand above the curves
    const widen = Math.max(0, this.least - (high - low)) / 2, room = 0.06 * Math.max(high - low, this.least);
    low -= widen + room;
    high += widen + room;
    const across = (x) => EDGE.left + ((x - this.range[0]) / (this.range[1] - this.range[0])) * (width - EDGE.left - EDGE.right);
    const down = (y) => height - EDGE.bottom - ((y - low) / (high - low)) * (height - top - EDGE.bottom);
    const line = (colour, ...points) => {
      pen.strokeStyle = colour;
      pen.beginPath();
      for (const [x, y] of points) pen.lineTo(x, y);
      pen.stroke();
    };
    pen.lineWidth = 1;
    pen.fillStyle = "#6b7883";
    pen.textAlign = "right";
    for (const y of ticks(low, high, 4)) {
      line("#e3e8ec", [EDGE.left, down(y)], [width - EDGE.right, down(y)]);
      pen.fillText(String(y), EDGE.left - 4, down(y) + 4);
    }
    pen.textAlign = "center";
    for (const x of ticks(...this.range, 4)) pen.fillText(String(x), across(x), height - 4);
    Object.assign(this, { across, top });
    for (const { colour, x, low, high } of this.bands) {
      const wide = x.length > 1 ? 0 : 3, way = (values, side) => values.map((y, k) => [across(x[k]) + side * wide, down(y)]);
      pen.fillStyle = `${CURVES[colour % CURVES.length]}40`;
      pen.beginPath();
      for (const side of wide ? [-1, 1] : [0]) {
        const there = [...way(low, side), ...way(high, side).reverse()];
        for (const [px, py] of side > 0 ? there.reverse() : there) pen.lineTo(px, py);
      }
      pen.fill();
    }
    for (const { old, tint, colour, dashed, x, values } of curves) {
      pen.strokeStyle = tint ? tint : old ? "#c3cad0" : CURVES[colour % CURVES.length];
      pen.lineWidth = old ? 1.2 : 1.7;
      pen.setLineDash(dashed ? [5, 3] : []);
      stroke(pen, values.length, (k) => [across(x[k]), values[k] === null ? NaN : down(values[k])]);
    }
    pen.setLineDash([]);
    pen.textAlign = "left";
    pen.fillStyle = "#22303c";
    pen.fillText(`${this.title}${unit === "1" ? "" : ` [${unit}]`}`, 6, 13, width - 12); // no wider than the panel
    let right = width - EDGE.right;
    pen.textAlign = "right";
    for (const { label, colour } of several ? named.reverse() : []) {
      pen.fillStyle = CURVES[colour % CURVES.length];
      pen.fillText(label, right, top - 5);
      right -= pen.measureText(label).width + 8;
    }
  }
}
