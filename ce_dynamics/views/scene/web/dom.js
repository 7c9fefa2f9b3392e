// What pages have in common: elements, sizes, what they tell scripts.

export const text = (id) => document.getElementById(id).textContent;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

// A panel over the picture that can be folded; it is where it hides the picture.
export const panelOf = (name, content) =>
  element("details", { class: "panel", open: window.innerWidth > 900 }, element("summary", {}, name), content);

// Numbers for people: as many digits after the point as asked for, and no zero with a sign.
export const fixed = (x, digits) => x.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "");

// The same with four digits in all; what is nothing but rounding beside 1 is zero.
export const rounded = (x) => (Math.abs(x) < 5e-7 ? "0" : x.toPrecision(4));

// The least of 1, 2 and 5 times powers of ten that is not below x > 0.
export function roundStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((part) => part * power).find((step) => step >= x);
}

// The least and the largest of lists of numbers, without those that are none; of nothing from Infinity to -Infinity.
export function rangeOf(...lists) {
  let low = Infinity, high = -Infinity;
  for (const values of lists) for (const x of values) if (x !== null && Number.isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x); }
  return [low, high];
}

// How much the bodies reach at the first instant, with what springs hang on, where their middle is, and how tall they are.
export function extent(takes) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const reached = (at, reach) => at.forEach((x, axis) => {
    low[axis] = Math.min(low[axis], x - reach);
    high[axis] = Math.max(high[axis], x + reach);
  });
  for (const { content, places } of takes) {
    for (const [body, ...at] of content.strands.flatMap(({ a, b }) => [a, b])) if (body < 0) reached(at, 0);
    content.bodies.forEach((body, k) => {
      const at = places.subarray(7 * k, 7 * k + 3);
      const points = body.shapes.filter((shape) => shape.kind !== "plane").flatMap((shape) => shape.points);
      const reach = points.map((point) => Math.hypot(...point)).reduce((a, b) => Math.max(a, b), 0);
      reached(at, reach);
    });
  }
  const size = Math.max(...high.map((x, k) => x - low[k]));
  const tall = high.reduce((sum, x, k) => sum + (x - low[k]) * Math.abs(takes[0].content.up?.[k] ?? 0), 0);
  return { size: size > 0 ? size : 1, middle: low.map((x, k) => 0.5 * (x + high[k])), low, tall };
}

const MARGIN = 100; // of the asphalt around what is driven [m]; a fifth of it around a known way

// What bodies stand on: what is given, or a plane below everything.
export function floorsOf(takes, middle, low, size) {
  const shapes = takes.flatMap((take) => take.scenery), { up } = takes[0];
  const floors = shapes.filter(({ kind }) => kind === "plane" || kind === "terrain");
  const ways = shapes.filter(({ kind, look }) => kind === "line" || look === "marking").flatMap(({ points }) => points);
  const ends = (axis, pick) => ways.reduce((end, point) => pick(end, point[axis]), middle[axis]);
  const paved = [[0, Math.min, -MARGIN], [1, Math.min, -MARGIN], [0, Math.max, MARGIN], [1, Math.max, MARGIN]]
    .map(([axis, pick, margin]) => ends(axis, pick) + (ways.length ? 0.2 : 2) * margin);
  if (floors.length) return floors.map((floor) => ({ ...floor, paved }));
  const below = up.map((x, k) => (Math.abs(x) > 0.5 ? (x > 0 ? low[k] : low[k] + size) : middle[k]));
  return [{ kind: "plane", points: [below, below.map((x, k) => x + up[k])] }];
}

// A file for the visitor: by its address, or its content.
export const downloaded = (name, href) => element("a", { href, download: name }).click();

export function saved(name, content) {
  const href = URL.createObjectURL(new Blob([content]));
  downloaded(name, href);
  URL.revokeObjectURL(href);
}

// True for a key that the element with the focus takes itself, or the browser.
export function isTaken({ target, key, ctrlKey, metaKey, altKey }) {
  const taking = key === " " ? "button, summary, input[type=checkbox]" : key.startsWith("Arrow") ? "input[type=range]:not(.time)" : "input[type=search]";
  return ctrlKey || metaKey || altKey || Boolean(target.matches?.(`input[type=search], select, ${taking}`));
}

// What was clicked gives the keys back to the page; what was reached by keys keeps them.
function returnKeys() {
  let pointed = false;
  window.addEventListener("pointerdown", () => { pointed = true; }, true);
  window.addEventListener("keydown", ({ repeat }) => { pointed &&= repeat; }, true);
  for (const [act, kinds] of [["click", "button, summary, input[type=checkbox]"], ["change", "select, input[type=range]"]]) {
    window.addEventListener(act, () => { if (pointed && document.activeElement.matches(kinds)) document.activeElement.blur(); });
  }
}

// Lets scripts and tests wait for window.ce.ready; says why where a page cannot be shown.
export function told(ready) {
  window.ce = { ready };
  returnKeys();
  ready.catch((error) => {
    const text = `This page cannot be shown: ${error.message}`;
    document.getElementById("stage").append(element("div", { class: "fault" }, text));
  });
}

const LINGER = 90; // frames, in which cameras that are drawn behind come to rest
const ACTS = ["pointerdown", "pointermove", "wheel", "keydown", "input", "change", "click", "resize", "webglcontextrestored"];

// Draws while something moves, and for some frames after somebody acted; a picture that stands costs nothing.
export class Frames {
  // draw: called with the time of a frame [ms], and true for the first one after a rest; moves: true where pictures differ.
  constructor(draw, moves) {
    Object.assign(this, { draw, moves, left: 0, drawn: 0 });
    const acted = ({ type, buttons }) => { if (type !== "pointermove" || buttons) this.wake(); };
    for (const act of ACTS) window.addEventListener(act, acted, { capture: true, passive: true });
    new ResizeObserver(() => this.wake()).observe(document.getElementById("stage"));
    this.wake();
  }

  wake() {
    if (!this.left) requestAnimationFrame((now) => this.#pass(now, true));
    this.left = LINGER;
  }

  #pass(now, first) {
    this.drawn += 1;
    this.draw(now, first);
    this.left = this.moves() ? LINGER : this.left - 1;
    if (this.left) requestAnimationFrame((next) => this.#pass(next, false));
  }
}

// The name of a curve in its colour; a click takes it away.
export const chip = (name, colour, away) =>
  element("button", { class: "chip", title: "take away", style: `color:${colour}`, onclick: away }, `${name} ×`);
