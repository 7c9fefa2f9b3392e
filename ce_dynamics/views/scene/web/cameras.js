// Cameras: one that orbits, one that follows a body, and those that ride on one.

export class Cameras {
  constructor(stage, take) {
    this.stage = stage;
    this.take = take;
    this.last = null;
    this.choices = new Map([["orbit", { kind: "orbit" }]]);
    take.content.bodies.forEach((body, k) => this.choices.set(`follow ${body.name}`, { kind: "follow", body: k }));
    for (const camera of take.content.cameras) this.choices.set(camera.name, { kind: "ride", ...camera });
    this.chosen = this.choices.get("orbit");
  }

  // keep: where a camera that follows looks from and at, beside its body.
  choose(name, keep = false) {
    if (!this.choices.has(name)) throw new Error(`no camera ${name}`);
    const before = this.chosen;
    this.chosen = this.choices.get(name);
    this.last = keep && this.chosen.kind === "follow" ? this.take.position(this.chosen.body) : null;
    this.stage.controls.enabled = this.chosen.kind !== "ride";
    this.stage.camera.up.copy(this.stage.up);
    if (before.kind === "ride" && this.chosen.kind !== "ride") this.look(this.take.position(before.body), 2.5 * this.stage.size);
  }

  // The name of the camera after the chosen one.
  next() {
    const names = [...this.choices.keys()], now = names.findIndex((name) => this.choices.get(name) === this.chosen);
    return names[(now + 1) % names.length];
  }

  // From the front right, above; from further away where the picture is narrow, so that as much is seen across.
  look(at, near) {
    const { up, camera, controls } = this.stage, distance = near / Math.min(1, 0.8 * camera.aspect);
    const across = Math.abs(up.y) > 0.9 ? new THREE.Vector3(0.35, 0, 1) : new THREE.Vector3(0.55, -1, 0);
    const way = across.addScaledVector(up, (this.stage.outdoors ? 0.3 : 0.5) - across.dot(up)).normalize();
    controls.target.copy(at);
    camera.position.copy(at).addScaledVector(way, distance);
    controls.update();
  }

  update() {
    const { camera, controls } = this.stage, { kind, body, eye, target, steady } = this.chosen;
    if (kind === "ride") {
      const matrix = this.take.bodies[body].matrix, place = new THREE.Vector3(...eye).applyMatrix4(matrix);
      if (steady) {
        const here = this.take.position(body); // carried along, then drawn behind
        if (this.last) camera.position.add(here).sub(this.last).lerp(place, 0.06);
        else camera.position.copy(place);
        this.last = here;
      } else {
        camera.position.copy(place);
        camera.up.copy(this.stage.up).transformDirection(matrix);
      }
      controls.target.set(...target).applyMatrix4(matrix);
      camera.lookAt(controls.target);
      return;
    }
    if (kind === "follow") {
      const here = this.take.position(body);
      const moved = this.last ? here.clone().sub(this.last) : here.clone().sub(controls.target);
      camera.position.add(moved);
      controls.target.add(moved);
      this.last = here;
    }
    controls.update();
  }
}
