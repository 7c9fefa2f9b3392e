// A vehicle in a picture: its instruments, skid marks, glowing brakes, and whether its body is seen through.

import { element } from "./dom.js";
import { Dust } from "./dust.js";
import { Hud } from "./hud.js";
import { Skids } from "./skids.js";

const SMOKING = 0.9; // bounded slip above which a tyre smokes

export class Vehicle {
  // read: the value of a quantity at this instant.
  constructor(stage, take, read) {
    const { instruments } = take.content;
    Object.assign(this, { stage, take, read, instruments });
    if (!instruments) return;
    this.hud = new Hud(stage.renderer.domElement.parentElement, instruments, read);
    this.skids = new Skids(stage.scene, instruments.wheels);
    this.dust = new Dust(stage.scene);
    this.bodies = instruments.wheels.map(({ body }) => take.content.bodies.findIndex(({ name }) => name === body));
    this.most = 1;
  }

  close() {
    this.hud?.close();
    this.skids?.close();
    this.dust?.close();
  }

  forget() {
    this.hud?.forget();
    this.skids?.clear();
    this.dust?.clear();
  }

  // The part of the picture, from below, that instruments cover; less where they cover only one side of it.
  covered() {
    if (!this.hud) return 0;
    const { offsetWidth, offsetHeight, parentElement: { clientWidth, clientHeight } } = this.hud.canvas;
    return (offsetWidth * offsetHeight) / (clientWidth * clientHeight);
  }

  // The point of the road under a wheel whose centre is given.
  foot(k, centre) {
    return centre.map((x, j) => x - this.instruments.wheels[k].radius * this.stage.up.getComponent(j));
  }

  // How much the tyre that slides most slides beyond its grip, 0 to 1.
  sliding() {
    const slips = (this.instruments?.wheels ?? []).map(({ slip }) => Math.abs((slip && this.read(slip)) || 0));
    return Math.max(0, ...slips.map((slip) => 4 * (slip - 0.75)));
  }

  // Dust where wheels roll on grass, smoke where tyres slide; every few hundredths of a second of a run.
  raise(now) {
    if (!this.instruments || !(this.read(this.instruments.speed) > 2) || Math.abs(now - (this.raised ?? -1)) < 0.03) return;
    this.raised = now;
    this.instruments.wheels.forEach(({ slip }, k) => {
      const place = this.foot(k, this.take.position(this.bodies[k]).toArray());
      if (this.stage.isGrass(place[0], place[1])) this.dust.add("dust", place);
      else if (slip && Math.abs(this.read(slip)) > SMOKING) this.dust.add("smoke", place);
    });
  }

  // Tyres are flat on the ground under them, where it is uneven.
  #press() {
    this.instruments.wheels.forEach(({ radius }, k) => {
      const plane = this.stage.under(this.take.position(this.bodies[k]), 0.3 * radius);
      if (plane) for (const { material } of this.take.bodies[this.bodies[k]].userData.meshes) material?.userData.contact?.value.copy(plane);
    });
  }

  draw(now) {
    if (!this.instruments) return;
    this.#press();
    if (now !== undefined) this.raise(now);
    this.dust.draw(now ?? 0);
    const torques = new Map(this.instruments.wheels.map(({ brake }, k) => [this.bodies[k], Math.abs(brake ? this.read(brake) ?? 0 : 0)]));
    this.most = Math.max(this.most, ...torques.values());
    for (const [body, torque] of torques) torques.set(body, torque / this.most);
    const pedal = this.instruments.brake ? this.read(this.instruments.brake) : 0;
    this.take.glow(pedal ?? 0, torques);
    this.hud.draw();
  }
}

// A choice of how bodywork is drawn, if there is any.
export function bodyChoice(takes) {
  const choice = element("select", { title: "bodywork", ariaLabel: "bodywork", onchange: () => takes().forEach((take) => take.showBody(choice.value)) },
    ...["solid", "translucent", "hidden"].map((how) => element("option", { value: how }, `body ${how}`)));
  return choice;
}
