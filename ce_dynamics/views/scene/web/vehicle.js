// A vehicle in a picture: its instruments, skid marks, glowing brakes, and whether its body is seen through.

import { element } from "./dom.js";
import { Hud } from "./hud.js";
import { Skids } from "./skids.js";

export class Vehicle {
  // read: the value of a quantity at this instant.
  constructor(stage, take, read) {
    const { instruments } = take.content;
    Object.assign(this, { stage, take, read, instruments });
    if (!instruments) return;
    this.hud = new Hud(stage.renderer.domElement.parentElement, instruments, read);
    this.skids = new Skids(stage.scene, instruments.wheels);
    this.bodies = instruments.wheels.map(({ body }) => take.content.bodies.findIndex(({ name }) => name === body));
    this.most = 1;
  }

  close() {
    this.hud?.close();
    this.skids?.close();
  }

  forget() {
    this.hud?.forget();
    this.skids?.clear();
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

  draw() {
    if (!this.instruments) return;
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
