// A page in which people drive: physics in steps of equal length, drawn as often as the screen can.

import { arrayOf, loadLibrary, restore, unpacked } from "./packed.js";
import { Cameras } from "./cameras.js";
import { Controls } from "./controls.js";
import { Frames, chip, element, extent, fixed, floorsOf, isTaken, panelOf, saved, text, told } from "./dom.js";
import { Laps } from "./laps.js";
import { away } from "./looks.js";
import { Physics } from "./physics.js";
import { Plot, colourOf } from "./plot.js";
import { Recorder, until } from "./recorder.js";
import { stageOf } from "./plan.js";
import { Take } from "./take.js";
import { Values } from "./values.js";
import { Vehicle, bodyChoice } from "./vehicle.js";

const ASSISTS = { none: "as the pedals and keys are", calm: "keys steer at speed only as far as tyres can follow", full: "calm, and pedals ease where tyres slide" };

const assistChoice = (chosen) => {
  const choice = element("select", { title: ASSISTS.calm, ariaLabel: "help for the driver", onchange: () => {
    choice.title = ASSISTS[choice.value];
    chosen(choice.value);
  } }, ...Object.keys(ASSISTS).map((level) => element("option", { value: level, selected: level === "calm" }, `help: ${level}`)));
  return choice;
};

const LONGEST_FRAME = 0.05; // s; slower machines drive in slow motion

class Driver {
  static async of(content, buffer) {
    const driver = new Driver();
    Object.assign(driver, { content, buffer, speed: 1, paused: false, plotted: [], replaying: null, shown: new Set(["forces"]), assist: "calm" });
    driver.#frame();
    await driver.choose(content.machines[0].label);
    if (window.parent !== window) driver.#wait(); // beside a text, where keys go to a page only after a click
    driver.frames = new Frames((now, first) => driver.#pass(now, first), () => !driver.paused && !driver.fault);
    return driver;
  }

  // What never changes: the stage's surroundings.
  #frame() {
    const { machines, title } = this.content, stage = document.getElementById("stage");
    stage.append(element("div", { class: "title" }, title, " ", (this.note = element("span", { class: "note" }))));
    this.choice = element("select", { title: "machine", onchange: (event) => this.choose(event.target.value) },
      ...machines.map(({ label }) => element("option", { value: label }, label)));
    this.cameraChoice = element("select", { title: "camera", onchange: (event) => this.camera(event.target.value) });
    this.pauseButton = element("button", { title: "pause (P)", onclick: () => this.pause(!this.paused) }, "❚❚");
    const speeds = element("select", { title: "speed", onchange: (event) => (this.speed = Number(event.target.value)) },
      ...[0.1, 0.25, 0.5, 1].map((x) => element("option", { value: x, selected: x === 1 }, `${x} ×`)));
    const box = (name) => element("label", {}, element("input", { type: "checkbox", checked: this.shown.has(name),
      onchange: (event) => this.show(name, event.target.checked) }), name);
    this.replayButton = element("button", { title: "the same inputs from the start", onclick: () => this.replay() }, "replay");
    const buttons = [
      element("button", { title: "back to the start (R)", onclick: () => this.reset() }, "reset"), this.replayButton,
      element("button", { title: "for ce_dynamics.views.drive.rerun", onclick: () => saved("drive.json", JSON.stringify(this.recording())) }, "save inputs"),
      element("button", { title: "all quantities, every 10 steps", onclick: () => saved("drive.csv", this.csv()) }, "save CSV"),
    ];
    this.clock = element("span", { class: "clock" });
    this.search = element("input", { type: "search", placeholder: "plot a quantity …", onchange: () => {
      if (this.outputs.has(this.search.value)) this.plot([...this.plotted, this.search.value]);
      this.search.value = "";
    } });
    this.names = element("datalist", { id: "names" });
    this.search.setAttribute("list", "names");
    document.body.append(element("div", { class: "bar" }, this.choice, this.pauseButton, this.clock, speeds, this.cameraChoice,
      box("forces"), box("loops"), (this.assists = assistChoice((level) => (this.assist = level))), (this.bodies = bodyChoice(() => [this.take])), ...buttons, this.search, this.names));
    this.plotCanvas = element("canvas");
    this.plots = new Plot(this.plotCanvas, () => {});
    this.chips = element("div", { class: "chips" });
    this.plotPanel = element("div", { class: "plots", hidden: true }, this.chips, this.plotCanvas);
    document.body.append(this.plotPanel);
    this.panel = element("div");
    const pads = ["left", "right"].map((side) => element("div", {}, side === "left" ? "gas / brake" : "steer"));
    stage.append(panelOf("numbers", this.panel), element("div", { class: "pads" }, ...pads));
    this.pads = pads;
    window.addEventListener("keydown", (event) => {
      if (isTaken(event)) return;
      if (event.code === "KeyP") this.pause(!this.paused);
      if (event.code === "KeyR") this.reset();
      if (event.code === "KeyC") this.camera(this.cameras.next());
    });
  }

  // What can be asked for

  async choose(label) {
    const machine = this.content.machines.find((one) => one.label === label);
    const physics = await Physics.from(arrayOf(this.buffer, machine.module), machine);
    restore(machine.take, this.buffer);
    this.machine = machine;
    const places = (entries) => new Map(entries.map(([name], k) => [name, k]));
    Object.assign(this, { outputs: places(machine.outputs), given: places(machine.given) });
    this.physics = physics;
    this.recorder = new Recorder(machine, this.content.step);
    this.controls?.close();
    this.controls = new Controls(machine.controls);
    this.pads.forEach((pad, k) => this.controls.watch(pad, ["left", "right"][k]));
    const { size, middle, low } = extent([{ content: machine.take, places: arrayOf(this.buffer, machine.take.places) }]);
    const floors = floorsOf([machine.take], middle, low, size);
    if (this.stage) this.stage.furnish(floors);
    else this.stage = stageOf(document.getElementById("stage"), machine.take.up, size, floors, () => this.#padded());
    if (this.take) away(this.take.group);
    this.take = new Take(machine.take, size);
    this.stage.scene.add(this.take.group);
    this.vehicle?.close();
    this.vehicle = new Vehicle(this.stage, this.take, (name) => this.value(name));
    this.bodies.hidden = !this.take.hasBodywork;
    this.assists.hidden = !machine.controls.some(({ calm }) => calm);
    this.laps = machine.circuit && new Laps(machine.circuit);
    this.bodies.value = "solid";
    this.values?.close();
    this.values = new Values(this.stage, this.take);
    this.cameras = new Cameras(this.stage, this.take);
    this.cameras.look(new THREE.Vector3(...middle), 1.6 * size);
    this.cameraChoice.replaceChildren(...[...this.cameras.choices.keys()].map((name) => element("option", { value: name }, name)));
    this.names.replaceChildren(...machine.outputs.map(([name]) => element("option", { value: name })));
    this.#panel();
    for (const name of ["forces", "loops"]) this.show(name, this.shown.has(name));
    this.choice.value = label;
    this.plot([]);
    this.reset();
    this.camera(machine.camera);
  }

  reset() {
    this.replaying = null;
    this.replayButton.textContent = "replay";
    this.physics.reset();
    this.vehicle.forget();
    this.controls.rest();
    for (const { index, input } of this.sliders) {
      input.value = this.physics.u[index];
      input.dispatchEvent(new Event("input"));
    }
    this.recorder.clear();
    this.laps?.clear();
    this.fault = "";
    this.behind = 0;
    this.#dress();
    this.draw();
    this.frames?.wake();
  }

  // The part of the picture that pads cover from below, where it is narrow, or instruments: pads stand beside the vehicle in a wide one.
  #padded() {
    const { clientWidth, clientHeight } = document.getElementById("stage"), [pad] = this.pads;
    return pad.offsetParent && clientWidth < clientHeight ? 1 - (pad.offsetParent.offsetTop + pad.offsetTop) / clientHeight : this.vehicle?.covered() ?? 0;
  }

  // Stands until somebody clicks into the picture.
  #wait() {
    const hint = element("button", { class: "fault", onclick: () => { hint.remove(); this.pause(false); } },
      matchMedia("(pointer: coarse)").matches ? "tap, then drive with the two pads" : "click, then drive with the arrow keys or WASD");
    document.getElementById("stage").append(hint);
    this.pause(true);
  }

  pause(on) {
    this.paused = on;
    this.pauseButton.textContent = on ? "▶" : "❚❚";
    this.frames?.wake();
  }

  camera(name) {
    this.cameras.choose(name);
    this.cameraChoice.value = name;
    this.frames?.wake();
  }

  show(name, on) {
    if (on) this.shown.add(name); else this.shown.delete(name);
    if (name === "forces") this.take.shown.forces = on;
    if (name === "loops") this.take.showLoops(on);
    this.frames?.wake();
  }

  plot(names) {
    this.plotted = [...new Set(names)];
    this.plotPanel.hidden = !this.plotted.length;
    this.chips.replaceChildren(...this.plotted.map((name, k) =>
      chip(name, colourOf(k), () => this.plot(this.plotted.filter((other) => other !== name)))));
    this.frames?.wake();
  }

  // A parameter, or an input without a control; the answer is empty, or says why the value is refused.
  set(name, value) {
    const index = this.given.get(name), before = this.physics.u[index];
    this.physics.u[index] = value;
    const refusal = this.physics.refused();
    if (refusal) this.physics.u[index] = before;
    else this.#dress();
    this.sliders.find((slider) => slider.index === index)?.show(value, refusal);
    this.frames?.wake();
    return refusal;
  }

  recording() {
    return this.recorder.recording(this.physics.y);
  }

  csv() {
    return this.recorder.csv();
  }

  // The same inputs once more, from the start.
  replay() {
    const { inputs, steps, end } = this.recording();
    this.reset();
    this.replaying = { inputs, steps, end };
    this.replayButton.textContent = "replaying …";
    this.pause(false);
  }

  // n steps with the inputs as they are; how many went well.
  advance(n) {
    const { physics, recorder, replaying } = this;
    let left = replaying ? Math.min(n, replaying.steps - recorder.steps) : n;
    const wanted = left;
    while (left > 0 && !this.fault) {
      const now = replaying?.inputs.find(([step]) => step === recorder.steps);
      if (now) this.#recorded(now.slice(1));
      recorder.inputs(physics.u);
      const some = until(recorder, left, replaying?.inputs), done = physics.steps(some, this.content.step);
      recorder.steps += done;
      left -= done;
      const outputs = physics.observe(), [beyond] = this.machine.limits.filter(([place]) => outputs[place] < 0);
      recorder.observed(outputs, physics.u);
      this.#mark();
      if (beyond) this.fault = `${beyond[1]}: reset`;
      if (done < some) this.fault = "a loop cannot be assembled after this step, or a force is not finite: reset";
    }
    if (replaying && recorder.steps === replaying.steps) {
      this.same = replaying.end.every((x, k) => Object.is(x, physics.y[k]));
      this.replaying = null;
      this.replayButton.textContent = this.same ? "replayed: same bits" : "replayed: other bits";
      this.pause(true);
    }
    return wanted - left;
  }

  // Tyres that slide leave marks; places are those of the last picture.
  #mark() {
    const { instruments, skids, bodies } = this.vehicle, up = this.stage.up.toArray();
    instruments?.wheels.forEach(({ slip }, k) => {
      if (!slip || bodies[k] < 0) return;
      skids.at(k, this.vehicle.foot(k, this.take.position(bodies[k]).toArray()), this.value(slip), up);
    });
  }

  #recorded(u) {
    const dressed = this.machine.given.some((_, k) => k >= this.machine.inputs && u[k] !== this.physics.u[k]);
    this.physics.u.set(u);
    if (dressed) this.#dress();
  }

  // Frames

  #pass(now, first) {
    const frame = first ? 0 : 0.001 * (now - this.before), passed = Math.min(frame, LONGEST_FRAME) * this.speed;
    this.before = now;
    const coarse = this.stage.keepUp(frame), late = frame > LONGEST_FRAME && !this.paused;
    this.state = late ? "slow motion: this machine does not keep up" : coarse ? "picture coarser to keep up" : "";
    if (!this.paused && !this.fault) {
      if (!this.replaying) this.steer(passed / this.speed);
      this.behind += passed;
      const steps = Math.floor(this.behind / this.content.step);
      this.behind -= steps * this.content.step;
      this.advance(steps);
      this.laps?.at(...this.take.position(0).toArray().slice(0, 2), this.recorder.steps * this.content.step);
      this.controls.shake(this.vehicle.sliding());
    }
    this.draw();
    this.cameras.update();
    this.stage.render(this.take.bodies.length ? this.take.position(0) : undefined);
    this.vehicle.draw(this.recorder.steps * this.content.step);
    this.values.draw();
  }

  // New values of the inputs after a time; who is helped steers calmly, and with full help eases pedals where tyres slide.
  steer(passed) {
    const read = this.assist === "none" ? null : (name) => this.value(name);
    this.controls.apply(this.physics.u, passed, read, this.assist === "full" ? 1 - Math.min(this.vehicle.sliding(), 1) : 1);
  }

  // An output, an input or a parameter.
  value(name) {
    const k = this.outputs.get(name);
    return k === undefined ? this.physics.u[this.given.get(name)] : this.physics.outputs[k];
  }

  draw() {
    const { physics, take, recorder } = this;
    physics.picture();
    take.placeAll(physics.places);
    take.stretch(this.stage.up);
    for (const k of this.machine.arrows) take.push(k, ...physics.arrows.subarray(6 * k, 6 * k + 6));
    const outputs = physics.observe();
    for (const { index, factor, unit, digits, shown } of this.gauges) shown.textContent = `${fixed(factor * outputs[index], digits)} ${unit}`;
    for (const { index, bar } of this.bars) bar.value = physics.u[index];
    this.clock.textContent = `${(recorder.steps * this.content.step).toFixed(2)} s`;
    this.note.textContent = this.fault || [this.state, this.laps?.text(recorder.steps * this.content.step)].filter(Boolean).join(", ");
    if (this.plotted.length) this.#curves();
  }

  #curves() {
    const rows = this.recorder.rows.slice(-2000), first = 1 + this.machine.given.length;
    const t = rows.map((row) => row[0]);
    this.plots.set(rows.length < 2 ? [] : this.plotted.map((name) => {
      const k = this.outputs.get(name);
      return { name, unit: this.machine.outputs[k][1], t, values: rows.map((row) => row[first + k]) };
    }));
    this.plots.draw(t.at(-1));
  }

  #panel() {
    const { machine } = this, row = (...parts) => element("div", { class: "row" }, ...parts);
    this.gauges = machine.gauges.map((gauge) => ({ ...gauge, shown: element("b") }));
    this.bars = machine.controls.map((control) => ({ ...control,
      bar: element("meter", { min: control.between[0], max: control.between[1] }) }));
    this.sliders = machine.sliders.map(({ index, low, high, step }) => {
      const [name, unit] = machine.given[index], shown = element("span");
      const input = element("input", { type: "range", min: low, max: high, step: step || "any", title: name, oninput: () => this.set(name, Number(input.value)) });
      const show = (value, refusal) => {
        if (Number(input.value) !== value) input.value = value;
        input.setCustomValidity(refusal);
        shown.textContent = refusal || `${Number(this.physics.u[index].toPrecision(4))}${unit === "1" ? "" : ` ${unit}`}`;
      };
      return { index, name, input, shown, show };
    });
    this.panel.replaceChildren(
      ...this.gauges.map(({ label, shown }) => row(label, shown)),
      ...this.bars.map(({ name, keys, bar }) => row(`${name} (${keys.flat().map((key) => key.replace(/Arrow|Key/, "")).join(", ")})`, bar)),
      ...(this.sliders.length ? [element("h2", {}, "Numbers that act at once")] : []),
      ...this.sliders.map(({ name, input, shown }) => row(name, shown, input)));
  }

  // Shapes, springs and hinges where hardpoints are now.
  #dress() {
    const { bodies, strands, marks } = this.machine.take;
    const number = bodies.flatMap(({ shapes }) => shapes).reduce((n, { points }) => n + points.length, 2 * strands.length + marks.length);
    this.take.reshape(this.physics.points(3 * number));
  }
}

async function begin() {
  await loadLibrary(text("library"));
  return Driver.of(JSON.parse(text("content")), await unpacked(text("packed")));
}

told(begin());
