// Plays runs: bodies at any time, interpolated between stored instants.

import { arrayOf, loadLibrary, restore, unpacked } from "./packed.js";
import { Cameras } from "./cameras.js";
import { Frames, chip, downloaded, element, extent, floorsOf, isTaken, saved, text, told } from "./dom.js";
import { Plot } from "./plot.js";
import { stageOf } from "./plan.js";
import { gif, letters, png, webm } from "./export.js";
import { ribbon } from "./skids.js";
import { away, material } from "./looks.js";
import { tube } from "./shapes.js";
import { Take } from "./take.js";
import { Values, pin } from "./values.js";
import { Vehicle, bodyChoice } from "./vehicle.js";

const TALL = 1.6; // from so many of its heights all of a scene is seen
const FILM = { rate: 12.5, width: 480, longest: 20 }; // of a GIF: frames a second, pixels across, seconds

// The last stored instant not after t, and how far t is on the way to the next.
function instant(times, t) {
  let low = 0, high = times.length - 1;
  if (t >= times[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  return [low, Math.max((t - times[low]) / (times[high] - times[low]), 0)];
}

class Player {
  constructor(content, buffer) {
    this.content = content;
    this.runs = content.takes.map((take) => ({
      content: restore(take, buffer),
      times: arrayOf(buffer, take.t),
      places: arrayOf(buffer, take.places),
      arrows: arrayOf(buffer, take.arrows),
      series: new Map(take.series.map((series) => [series.name, { ...series, values: arrayOf(buffer, series.values) }])),
    }));
    const { size, middle, low, tall } = extent(this.runs), first = content.takes[0];
    const floors = floorsOf(content.takes, middle, low, size);
    this.stage = stageOf(document.getElementById("stage"), first.up, size, floors, () => this.vehicle?.covered() ?? 0);
    for (const [k, run] of this.runs.entries()) {
      run.take = new Take(run.content, size, k);
      this.stage.scene.add(run.take.group);
    }
    this.vehicle = new Vehicle(this.stage, this.runs[0].take, (name) => this.value(name));
    this.marks = this.#skids();
    this.values = new Values(this.stage, this.runs[0].take);
    this.cameras = new Cameras(this.stage, this.runs[0].take);
    this.cameras.look(new THREE.Vector3(...middle), Math.max((this.stage.outdoors ? 1.6 : 1.2) * size, TALL * tall));
    this.ways = this.runs.flatMap((run) => run.content.traced.map((point) => this.#way(run, ...point)));
    this.start = Math.min(...this.runs.map(({ times }) => times[0]));
    this.end = Math.max(...this.runs.map(({ times }) => times.at(-1)));
    this.time = this.start;
    this.speed = 1;
    this.playing = false;
    this.labels = null;
    this.#interface();
    this.seek(this.start);
    this.camera(content.camera, true);
    this.frames = new Frames((now) => this.#advance(now), () => this.playing);
  }

  // Interface

  #interface() {
    const stage = document.getElementById("stage");
    const labels = this.content.takes.map((take) => take.label).filter(Boolean);
    stage.append(element("div", { class: "title" }, this.content.title, " ",
      (this.state = element("span", { class: "note" })), " ",
      element("span", { class: "note" }, labels.length > 1 ? `${labels[0]} (solid), ${labels.slice(1).join(", ")} (translucent)` : labels.join())));
    this.button = element("button", { title: "play or pause (space)", onclick: () => this.play(!this.playing) }, "▶");
    this.slider = element("input", { type: "range", class: "time", title: "time", min: this.start, max: this.end, step: "any", value: this.start,
      oninput: (event) => this.seek(Number(event.target.value)) });
    this.clock = element("span", { class: "clock" });
    const speeds = element("select", { title: "speed", onchange: (event) => (this.speed = Number(event.target.value)) },
      ...[0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10].map((x) => element("option", { value: x, selected: x === 1 }, `${x} ×`)));
    this.cameraChoice = element("select", { title: "camera", onchange: (event) => this.camera(event.target.value) },
      ...[...this.cameras.choices.keys()].map((name) => element("option", { value: name }, name)));
    this.boxes = {};
    const box = (name, title) => element("label", { title },
      (this.boxes[name] = element("input", { type: "checkbox", onchange: (event) => this.show(name, event.target.checked) })), name);
    const still = this.end === this.start;
    const bar = element("div", { class: "bar" },
      ...(still ? [] : [this.button, this.slider, this.clock, speeds]), this.cameraChoice,
      box("forces", "arrows at the bodies they act on"),
      element("input", { type: "range", class: "short", title: "length of the arrows", min: -2, max: 2, step: "any", value: 0,
        oninput: (event) => this.scaleForces(10 ** Number(event.target.value)) }),
      box("loops", "aggregated bodies by colour, hinges by their roles, cut edges"), box("names", "of the bodies"),
      ...(this.runs.some(({ take }) => take.hasBodywork) ? [(this.bodyChoice = bodyChoice(() => this.runs.map(({ take }) => take)))] : []),
      this.#exports(still));
    document.body.append(bar);
    if (this.runs.some((run) => run.series.size)) this.#plots(bar);
    window.addEventListener("keydown", (event) => {
      if (isTaken(event)) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === " ") this.play(!this.playing);
      if (step) this.seek(this.#neighbour(step));
      if (step || event.key === " ") event.preventDefault(); // the slider of time would go on by steps of its own
      if (event.code === "KeyC") this.camera(this.cameras.next());
    });
  }

  #plots(bar) {
    const names = [...new Set(this.runs.flatMap((run) => [...run.series.keys()]))];
    const list = element("datalist", { id: "names" }, ...names.map((name) => element("option", { value: name })));
    const search = element("input", { type: "search", placeholder: "plot a quantity …", onchange: () => {
      if (names.includes(search.value)) { this.plot([...this.plotted, search.value]); search.value = ""; }
    } });
    search.setAttribute("list", "names");
    bar.append(search, list);
    this.canvas = element("canvas");
    this.chips = element("div", { class: "chips" });
    const colours = element("input", { type: "search", placeholder: "colour the way by …", ariaLabel: "colour the way by a quantity", onchange: () => this.#coloured(colours.value) });
    colours.setAttribute("list", "names");
    this.scale = element("span", { class: "note" });
    bar.append(colours, this.scale);
    this.panel = element("div", { class: "plots", hidden: true }, this.chips, this.canvas);
    document.body.append(this.panel);
    this.plots = new Plot(this.canvas, (t) => this.seek(t));
    this.plotted = [];
  }

  // The way in the colours of a quantity, with their range beside its name; none without one.
  #coloured(name) {
    const range = this.trace(name), unit = this.runs[0].series.get(name)?.unit;
    this.scale.textContent = range ? `${range.map((x) => Number(x.toPrecision(3))).join(" (blue) to ")} (yellow) ${unit === "1" ? "" : unit}` : "";
  }

  #exports(still) {
    const choice = element("select", { title: "save a picture or film", ariaLabel: "save a picture or film", onchange: () => {
      const kind = choice.value;
      choice.value = "";
      choice.disabled = true; // one at a time
      this.state.textContent = `saving ${kind} …`;
      this.save(kind).then(() => "", (error) => `${kind} cannot be saved: ${error.message}`).then((note) => {
        this.state.textContent = note;
        choice.disabled = false;
      });
    } }, ...["save …", "PNG", ...(still ? [] : ["GIF", "WebM"])].map((kind, k) => element("option", { value: k ? kind : "" }, kind)));
    return choice;
  }

  // Marks of sliding tyres, and how many of each wheel there are at each instant.
  #skids() {
    const { instruments, skids, bodies } = this.vehicle, { times, places, series, content } = this.runs[0];
    if (!instruments || times.length < 2) return [];
    const slips = instruments.wheels.map(({ slip }) => series.get(slip)?.values);
    return Array.from(times, (_, n) => instruments.wheels.map((wheel, k) => {
      const here = 7 * (n * content.bodies.length + bodies[k]);
      if (slips[k]) skids.at(k, this.vehicle.foot(k, [...places.subarray(here, here + 3)]), slips[k][n], this.stage.up.toArray());
      return skids.strips[k].count;
    }));
  }

  // The way of a point of a body: faint as a whole, strong as far as the run is.
  #way({ take, times, places, content }, body, ...at) {
    const every = Math.ceil(times.length / 1500), r = 0.004 * this.stage.size, n = content.bodies.length;
    const points = [...times.keys()].filter((k) => k % every === 0).map((k) => new THREE.Vector3(...at)
      .applyQuaternion(new THREE.Quaternion().fromArray(places, 7 * (k * n + body) + 3)).add(new THREE.Vector3().fromArray(places, 7 * (k * n + body))));
    const { colour } = take.bodies[body].userData, dot = new THREE.Mesh(new THREE.SphereGeometry(2.5 * r, 16, 12), material(colour));
    dot.position.set(...at);
    take.bodies[body].add(dot);
    if (points.length < 2) return () => {};
    const passed = new THREE.Mesh(tube(points, r), material(colour)), whole = new THREE.Mesh(tube(points, 0.5 * r), material(colour, 0.35));
    this.stage.scene.add(passed, whole);
    const each = passed.geometry.index.count / (points.length - 1);
    return (k) => passed.geometry.setDrawRange(0, each * Math.floor(k / every));
  }

  // The next stored instant of any run, or the one before.
  #neighbour(step) {
    const near = this.runs.map(({ times }) => {
      const [k] = instant(times, this.time), here = Math.sign(times[k] - this.time);
      return here === step ? times[k] : times[k + (here ? Math.max(step, 0) : step)];
    }).filter((t) => step * (t - this.time) > 0);
    return near.reduce((a, b) => (step * (a - b) < 0 ? a : b), near[0] ?? this.time);
  }

  // What can be asked for

  // A quantity of the first run at this instant.
  value(name) {
    const { times, series } = this.runs[0], values = series.get(name)?.values;
    if (!values) return undefined;
    const [k, s] = instant(times, this.time);
    return s > 0 ? (1 - s) * values[k] + s * values[k + 1] : values[k];
  }

  // The way of a body in the colours of a quantity of the first run; none without a name.
  trace(quantity, body = this.runs[0].content.bodies.findIndex(({ name }) => name === "chassis")) {
    if (this.ribbon) away(this.ribbon.mesh);
    this.ribbon = null;
    const { times, places, content, series } = this.runs[0], values = series.get(quantity)?.values;
    if (!values) return null;
    const at = (n) => [...places.subarray(7 * (n * content.bodies.length + Math.max(body, 0)), 7 * (n * content.bodies.length + Math.max(body, 0)) + 3)];
    const up = this.stage.up.toArray(), low = this.vehicle.instruments ? Math.min(...this.vehicle.bodies.map((k) => places[7 * k + 2])) - this.vehicle.instruments.wheels[0].radius : null;
    const drop = low === null ? 0 : places[7 * Math.max(body, 0) + 2] - low;
    const points = Array.from(times, (_, n) => at(n).map((x, j) => x - drop * up[j]));
    this.ribbon = ribbon(points, values, up, 0.035 * this.stage.size);
    this.stage.scene.add(this.ribbon.mesh);
    return [this.ribbon.low, this.ribbon.high];
  }

  // A picture or film as a file for the visitor.
  async save(kind) {
    const name = this.content.title.replace(/[^\w-]+/g, "-");
    this.play(false);
    if (kind === "PNG") return downloaded(`${name}.png`, this.png());
    if (kind === "GIF") return saved(`${name}.gif`, await this.gif());
    if (kind !== "WebM") return undefined;
    this.seek(this.start);
    this.play(true);
    const ended = new Promise((go) => { this.ended = go; });
    return saved(`${name}.webm`, await webm(this.#layers(), ended));
  }

  #layers() {
    const { hud } = this.vehicle;
    return [this.stage.renderer.domElement, ...(hud ? [hud.canvas] : [])];
  }

  png() {
    this.draw();
    return png(this.#layers());
  }

  gif(from = this.start, to = Math.min(this.end, this.start + FILM.longest), width = FILM.width, rate = FILM.rate) {
    const draw = (t) => { this.seek(t); this.draw(); };
    return gif(this.#layers(), draw, from, to, rate, width);
  }

  play(on) {
    if (on && this.time >= this.end) this.seek(this.start);
    this.playing = on;
    if (!on) this.ended?.();
    this.before = null;
    this.button.textContent = on ? "❚❚" : "▶";
    this.frames?.wake();
  }

  camera(name, keep = false) {
    this.cameras.choose(name, keep);
    this.cameraChoice.value = name;
    this.frames?.wake();
  }

  show(name, on) {
    this.boxes[name].checked = on;
    if (name === "names") this.#names(on);
    for (const { take } of this.runs) {
      if (name === "forces") take.shown.forces = on;
      if (name === "loops") take.showLoops(on);
    }
    this.seek(this.time);
  }

  scaleForces(scale) {
    for (const { take } of this.runs) take.forceScale = scale;
    this.seek(this.time);
  }

  plot(names) {
    this.plotted = [...new Set(names)];
    this.plots.set(this.runs.flatMap((run, k) => this.plotted.filter((name) => run.series.has(name)).map((name) => run.series.get(name))
      .map((series) => ({ ...series, t: run.times, dashed: k > 0 }))));
    this.panel.hidden = !this.plotted.length;
    this.frames?.wake();
    this.chips.replaceChildren(...this.plotted.map((name) => {
      const colour = this.plots.curves.find((curve) => curve.name === name)?.colour;
      return chip(name, colour, () => this.plot(this.plotted.filter((other) => other !== name)));
    }));
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.start), this.end);
    for (const run of this.runs) this.#place(run);
    const [now] = instant(this.runs[0].times, this.time);
    for (const way of this.ways) way(now);
    this.marks[now]?.forEach((count, k) => this.vehicle.skids.strips[k].show(count));
    this.frames?.wake();
    this.slider.value = this.time;
    this.clock.textContent = `${this.time.toFixed(3)} / ${this.end.toFixed(2)} s`;
  }

  // Frames

  #place({ take, times, places, arrows, content }) {
    const [k, s] = instant(times, this.time), n = content.bodies.length, m = content.forces.length;
    const r = new THREE.Vector3(), turn = new THREE.Quaternion(), ahead = new THREE.Vector3(), then = new THREE.Quaternion();
    for (let body = 0; body < n; ++body) {
      const here = 7 * (k * n + body);
      r.fromArray(places, here);
      turn.fromArray(places, here + 3);
      if (s > 0) {
        r.lerp(ahead.fromArray(places, here + 7 * n), s);
        turn.slerp(then.fromArray(places, here + 7 * n + 3), s);
      }
      take.place(body, r, turn);
    }
    take.stretch(this.stage.up);
    for (let force = 0; force < m; ++force) {
      const here = 6 * (k * m + force), next = s > 0 ? here + 6 * m : here;
      take.push(force, ...[0, 1, 2, 3, 4, 5].map((j) => (1 - s) * arrows[here + j] + s * arrows[next + j]));
    }
  }

  #names(on) {
    for (const { tag } of this.labels ?? []) tag.remove();
    this.labels = on ? this.content.takes[0].bodies.map(({ name }, k) => {
      const tag = element("span", { class: "label" }, name);
      document.getElementById("stage").append(tag);
      return { tag, k };
    }) : null;
  }

  draw() {
    this.cameras.update();
    this.stage.render(this.runs[0].content.bodies.length ? this.runs[0].take.position(0) : undefined);
    this.vehicle.draw(this.time);
  }

  #advance(now) {
    if (this.playing) {
      const passed = this.before === null ? 0 : 0.001 * Math.min(now - this.before, 100);
      if (this.stage.keepUp(passed)) this.state.textContent = "picture coarser to keep up";
      this.before = now;
      this.seek(this.time + this.speed * passed);
      if (this.time >= this.end) this.play(false);
    }
    this.draw();
    for (const { tag, k } of this.labels ?? []) tag.hidden = !pin(this.stage, tag, this.runs[0].take.position(k));
    this.values.draw();
    this.plots?.draw(this.time);
  }
}

// window.ce is for scripts and tests: seek, play, camera, show, plot; place tells where a body is drawn.
async function begin() {
  await loadLibrary(text("library"));
  const player = new Player(JSON.parse(text("content")), await unpacked(text("packed")));
  const place = (run, body) => {
    const { take, content } = player.runs[run];
    return [...take.bodies[content.bodies.findIndex(({ name }) => name === body)].matrix.elements];
  };
  return Object.assign(player, { place, letters });
}

told(begin());
