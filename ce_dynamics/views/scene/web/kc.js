// A page in which hardpoints are dragged: the curves of an axle and its linkage follow at once.

import { arrayOf, loadLibrary, restore, unpacked } from "./packed.js";
import { Axle } from "./axle.js";
import { Chart } from "./chart.js";
import { Frames, element, extent, fixed, floorsOf, panelOf, rounded, saved, text, told } from "./dom.js";
import { stageOf } from "./plan.js";
import { Take } from "./take.js";
import { Cameras } from "./cameras.js";
import { Values } from "./values.js";

const NEAR = 14; // px, to a point that is dragged
const tint = (k) => ["#8e44ad", "#c0392b", "#7f8c1a", "#16a085", "#d35489", "#795548", "#607d8b"][k % 7]; // of other vehicles
const millimetres = (x) => fixed(1e3 * x, 1);

class Page {
  static async of(content, buffer) {
    const page = new Page();
    restore(content.take, buffer);
    const axle = await Axle.from(arrayOf(buffer, content.module), content);
    Object.assign(page, { content, buffer, axle, kind: Object.keys(content.kinds)[0], now: 0, chosen: 0 });
    page.nominal = [...axle.values];
    page.#frame();
    page.#scene();
    page.old = page.#swept();
    page.#changed();
    page.choose(0);
    page.frames = new Frames(() => {
      page.cameras.update();
      page.stage.render();
      page.values.draw();
    }, () => false);
    return page;
  }

  #frame() {
    const { content } = this, stage = document.getElementById("stage");
    document.body.classList.add("kc");
    stage.append(element("div", { class: "title" }, content.title, " ", (this.note = element("span", { class: "note" }))),
      ...content.others.map(({ label }, k) => element("div", { class: "title other", style: `color: ${tint(k)}; top: ${2.6 + 1.5 * k}em` }, `— ${label}`)));
    this.charts = content.panels.map((panel) => {
      const chart = new Chart(panel.title, (x) => this.go(panel.sweep, panel.sweep === "steering" ? x / 100 : x / 1000));
      return { ...panel, chart };
    });
    document.body.append(element("div", { class: "charts" }, ...this.charts.map(({ chart }) => chart.canvas)));
    this.kindChoice = element("select", { title: "motion", onchange: (event) => this.go(event.target.value, 0) },
      ...Object.keys(content.kinds).map((kind) => element("option", { value: kind }, kind)));
    this.slider = element("input", { type: "range", class: "time", min: -1, max: 1, step: 0.005, value: 0, title: "pose",
      oninput: () => this.go(this.kind, Number(this.slider.value) * this.#last()) });
    this.clock = element("span", { class: "clock" });
    const back = element("button", { onclick: () => this.set(this.nominal) }, "back to the start");
    const forces = element("label", { title: "of springs, dampers and stops" }, element("input", { type: "checkbox", checked: true, onchange: (event) => {
      this.take.shown.forces = event.target.checked;
      this.#posed();
    } }), "forces");
    const print = element("button", { title: "or save as PDF", onclick: () => window.print() }, "print");
    window.addEventListener("beforeprint", () => { this.panel.parentElement.open = true; });
    const save = element("button", { onclick: () => saved("hardpoints.txt", this.overrides()) }, "save hardpoints");
    document.body.append(element("div", { class: "bar" }, this.kindChoice, this.slider, this.clock, forces, back, save, print));
    this.panel = element("div");
    stage.append(panelOf("hardpoint and figures", this.panel));
  }

  #scene() {
    const { content, axle } = this, places = arrayOf(this.buffer, content.take.places);
    const bodies = content.take.bodies.map((body, k) => ({ body, k })).filter(({ body }) => body.shapes.length);
    const seen = { content: { bodies: bodies.map(({ body }) => body), strands: [] }, places: Float32Array.from(bodies.flatMap(({ k }) => [...places.subarray(7 * k, 7 * k + 7)])) };
    const { size, middle, low } = extent([seen]);
    this.stage = stageOf(document.getElementById("stage"), content.take.up, size, floorsOf([content.take], middle, low, size));
    this.take = new Take(content.take, size);
    this.stage.scene.add(this.take.group);
    Object.assign(this.take, { forceScale: 0.4 }).shown.forces = true;
    this.values = new Values(this.stage, this.take);
    this.cameras = new Cameras(this.stage, this.take);
    this.cameras.look(new THREE.Vector3(...middle), 1.15 * size);
    this.balls = content.points.map(() => {
      const ball = new THREE.Mesh(new THREE.SphereGeometry(0.011 * size, 20, 14), new THREE.MeshStandardMaterial({ color: "#d23b33" }));
      ball.renderOrder = 1;
      ball.material.depthTest = false;
      this.stage.scene.add(ball);
      return ball;
    });
    const canvas = this.stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.#grasp(event));
    canvas.addEventListener("pointermove", (event) => this.#drag(event));
    window.addEventListener("pointerup", () => { this.grasped = null; this.stage.controls.enabled = true; });
  }

  // Dragging: in the plane of the screen

  #onScreen(at) {
    const { domElement } = this.stage.renderer, point = at.clone().project(this.stage.camera);
    return [0.5 * (1 + point.x) * domElement.clientWidth, 0.5 * (1 - point.y) * domElement.clientHeight];
  }

  #grasp(event) {
    const away = this.balls.map((ball) => {
      const [x, y] = this.#onScreen(ball.position);
      return Math.hypot(x - event.offsetX, y - event.offsetY);
    });
    const k = away.indexOf(Math.min(...away));
    if (away[k] > NEAR) return;
    this.choose(k);
    this.grasped = k;
    this.stage.controls.enabled = false;
  }

  #drag(event) {
    if (this.grasped === null || this.grasped === undefined) return;
    const { domElement } = this.stage.renderer, depth = this.balls[this.grasped].position.clone().project(this.stage.camera).z;
    const there = new THREE.Vector3((2 * event.offsetX) / domElement.clientWidth - 1, 1 - (2 * event.offsetY) / domElement.clientHeight, depth);
    this.movePoint(this.grasped, there.unproject(this.stage.camera).toArray());
  }

  // What can be asked for

  #places(k) {
    return ["x", "y", "z"].map((x) => this.content.parameters.indexOf(`${this.content.points[k].name}.${x}`));
  }

  at(k) {
    return this.#places(k).map((place, j) => this.content.points[k].at[j] + this.axle.values[place] - this.nominal[place]);
  }

  // A hardpoint to a place in vehicle coordinates, no farther than the sliders go.
  movePoint(k, to) {
    const values = [...this.axle.values], { reach } = this.content;
    this.#places(k).forEach((place, j) => {
      const by = Math.min(Math.max(to[j] - this.content.points[k].at[j], -reach), reach);
      values[place] = this.nominal[place] + by;
    });
    return this.set(values);
  }

  set(values) {
    const why = this.axle.set([...values]);
    this.note.textContent = why;
    if (!why) this.#changed();
    return why;
  }

  choose(k) {
    this.chosen = k;
    this.balls.forEach((ball, n) => ball.material.color.set(n === k ? "#e0a100" : "#d23b33"));
    const { points, reach } = this.content;
    const names = element("select", { title: "hardpoint", onchange: (event) => this.choose(Number(event.target.value)) },
      ...points.map(({ name }, n) => element("option", { value: n, selected: n === k }, name)));
    this.sliders = ["x", "y", "z"].map((x, j) => {
      const shown = element("span"), input = element("input", { type: "range", min: -reach, max: reach, step: 0.0005, title: x, oninput: () => {
        const to = this.at(k);
        to[j] = points[k].at[j] + Number(input.value);
        this.movePoint(k, to);
      } });
      return { input, shown, x };
    });
    this.table = element("div");
    this.frames?.wake();
    this.panel.replaceChildren(names, ...this.sliders.map(({ input, shown, x }) => element("div", { class: "row" }, `${x} from the start`, shown, input)), this.table);
    this.#told();
  }

  go(kind, value) {
    this.kind = kind;
    this.now = value;
    this.#posed();
  }

  overrides() {
    return this.content.parameters.map((name, k) => `${name}=${this.axle.values[k]}\n`).filter((_, k) => this.axle.values[k] !== this.nominal[k]).join("");
  }

  #last() {
    return this.kind === "steering" ? 1 : this.content.travel;
  }

  #swept() {
    return Object.fromEntries([...new Set(this.content.panels.map(({ sweep }) => sweep))].map((kind) => [kind, this.axle.sweep(kind)]));
  }

  #changed() {
    this.sweeps = this.#swept();
    this.#curves();
    this.take.reshape(this.axle.shape());
    this.balls.forEach((ball, k) => ball.position.set(...this.at(k)));
    this.#posed();
  }

  #curves() {
    const { content } = this, { quantities, least } = content;
    for (const { sweep, curves, chart } of this.charts) {
      const drawn = [];
      let unit = "1";
      Object.entries(curves).forEach(([name, label], colour) => {
        const n = quantities.findIndex((quantity) => quantity.name === name), { factor, per_wheel: both } = quantities[n];
        unit = quantities[n].unit;
        content.others.forEach(({ sweeps }, k) => {
          if (!(sweep in sweeps)) return;
          const { x, rows } = sweeps[sweep], scaled = x.map((s) => (sweep === "steering" ? 100 : 1000) * s);
          for (let side = both ? 1 : 0; side >= 0; --side) {
            const values = rows.map((row) => (row && row[n][side] !== null && row[n][side] !== undefined ? factor * row[n][side] : null));
            drawn.push({ label, old: true, tint: tint(k), colour, dashed: side === 1, x: scaled, values });
          }
        });
        for (const [from, old] of [[this.old, true], [this.sweeps, false]]) {
          if (!from) continue;
          const { x, rows } = from[sweep], scaled = x.map((s) => (sweep === "steering" ? 100 : 1000) * s);
          for (let side = both ? 1 : 0; side >= 0; --side) {
            drawn.push({ label, old, colour, dashed: side === 1, x: scaled, values: rows.map((row) => row && factor * row[n][side]) });
          }
        }
      });
      drawn.sort((a, b) => Number(b.old) - Number(a.old) || Number(Boolean(a.tint)) - Number(Boolean(b.tint)));
      const bands = content.targets.filter((target) => target.sweep === sweep && target.quantity in curves)
        .map(({ quantity, x, low, high }) => ({ colour: Object.keys(curves).indexOf(quantity), x, low, high }));
      chart.set(drawn, unit, least[unit] ?? 1e-3, bands);
    }
  }

  // Linkage and figures where the wheels are now.
  #posed() {
    const { axle, content, now, kind } = this, [left, right, lock] = content.kinds[kind].way;
    const home = axle.home(), c = home && axle.led(home, [left * now, right * now], lock * now);
    this.note.textContent = c ? "" : "out of reach";
    if (c) {
      this.row = axle.read(c);
      this.take.placeAll(axle.picture(c));
      this.take.stretch(this.stage.up);
      content.take.forces.forEach((_, k) => this.take.push(k, ...axle.arrows.subarray(6 * k, 6 * k + 6)));
    }
    for (const { sweep, chart } of this.charts) chart.draw(sweep === kind ? (kind === "steering" ? 100 : 1000) * now : 0);
    this.frames?.wake();
    this.kindChoice.value = kind;
    this.slider.value = now / this.#last();
    this.clock.textContent = kind === "steering" ? `${(100 * now).toFixed(0)} % of full lock` : `${millimetres(now)} mm`;
    this.#told();
  }

  #told() {
    if (!this.table || !this.row) return;
    const at = this.at(this.chosen);
    this.sliders.forEach(({ input, shown }, j) => {
      const by = at[j] - this.content.points[this.chosen].at[j];
      input.value = by;
      shown.textContent = `${millimetres(by)} mm`;
    });
    this.table.replaceChildren(...this.content.quantities.map(({ name, factor, unit, meaning }, n) =>
      element("div", { class: "row", title: meaning }, name.replaceAll("_", " "),
        element("b", {}, `${this.row[n].map((x) => (Number.isFinite(x) ? rounded(factor * x) : "–")).join(" | ")}${unit === "1" ? "" : ` ${unit}`}`))));
  }
}

async function begin() {
  await loadLibrary(text("library"));
  return Page.of(JSON.parse(text("content")), await unpacked(text("packed")));
}

told(begin());
