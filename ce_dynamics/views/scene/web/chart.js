// A panel of curves over anything, with those from before in grey, and a cursor.

import { ticks } from "./plot.js";

const EDGE = { left: 44, right: 14, top: 20, bottom: 16 };
const CURVES = ["#0b6fb8", "#d2691e", "#2e9e58"];

export class Chart {
  constructor(title, onMove) {
    this.title = title;
    this.canvas = document.createElement("canvas");
    this.canvas.title = title;
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
    Object.assign(this, { curves, unit, least, bands, range: [curves[0].x[0], curves[0].x.at(-1)] });
  }

  draw(now) {
    const { canvas, curves, unit } = this, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !curves) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px system-ui, sans-serif";
    const all = [...curves.map(({ values }) => values), ...this.bands.flatMap(({ low, high }) => [low, high])].flat().filter((x) => x !== null && Number.isFinite(x));
    let low = Math.min(...all), high = Math.max(...all);
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
    line("#9aa5ad", [across(now), top], [across(now), height - EDGE.bottom]);
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
      pen.beginPath();
      let begun = false;
      values.forEach((y, k) => {
        if (y === null || !Number.isFinite(y)) begun = false;
        else if (begun) pen.lineTo(across(x[k]), down(y));
        else { pen.moveTo(across(x[k]), down(y)); begun = true; }
      });
      pen.stroke();
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
