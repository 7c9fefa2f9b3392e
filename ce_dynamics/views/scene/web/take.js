// One run: its bodies and what belongs to them, placed at any time.

import { PALETTE, away, material } from "./looks.js";
import { SHADELESS, coil, joint, lay, meshes } from "./shapes.js";

const JOINT = "#b4bcc3", FORCE = "#c4271b", MOMENT = "#7a3fb0";
const MARKS = { independent: "#1f6fb4", dependent: "#9aa5ad", prescribed: "#2e9e58", cut: "#d23b33" };
const GHOST = 0.35;
const BODYWORK = new Set(["paint", "glass", "headlamp", "brakelamp", "trim"]);

export class Take {
  // size: of the scene; number: which of several takes, the first is solid.
  constructor(content, size, number = 0) {
    this.content = content;
    this.size = size;
    this.group = new THREE.Group();
    this.solid = number === 0;
    this.bodies = content.bodies.map((body, k) => this.#body(body, k));
    this.strands = content.strands.map((strand) => this.#strand(strand));
    this.marks = content.marks.map((mark) => this.#mark(mark));
    this.arrows = content.forces.map((name, k) => this.#arrow(name, content.moments.includes(k)));
    if (this.solid) for (const mesh of meshes(content.scenery, "#b9c2c9")) this.group.add(mesh);
    this.forceScale = 1;
    this.shown = { forces: false, loops: false, body: "solid" };
    this.showBody("solid");
    this.showLoops(false);
  }

  #body(body, k) {
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    group.userData = { name: body.name, colour: PALETTE[k % PALETTE.length] };
    this.group.add(group);
    this.dress(group, body.shapes);
    return group;
  }

  // Shapes anew, where hardpoints moved.
  dress(group, shapes) {
    for (const mesh of group.userData.meshes ?? []) away(mesh);
    group.userData.meshes = meshes(shapes, group.userData.colour, this.solid ? 1 : GHOST);
    for (const mesh of group.userData.meshes) group.add(mesh);
    if (this.shown) this.showBody(this.shown.body);
  }

  // All points of bodies, then ends of strands, then marks, one after the other, where hardpoints moved.
  reshape(points) {
    let at = 0;
    const next = () => [points[at++], points[at++], points[at++]];
    this.content.bodies.forEach((body, k) => {
      let moved = false;
      for (const shape of body.shapes) {
        shape.points = shape.points.map((before) => {
          const point = next();
          moved ||= Math.hypot(...point.map((x, j) => x - before[j])) > 1e-5;
          return point;
        });
      }
      if (moved) this.dress(this.bodies[k], body.shapes);
    });
    this.strands.forEach(({ userData: { strand } }) => {
      for (const end of [strand.a, strand.b]) end.splice(1, 3, ...next());
    });
    for (const mark of this.marks) mark.position.set(...next());
  }

  #strand(strand) {
    const radius = 0.022 * this.size;
    let object;
    if (strand.kind === "cable") {
      object = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, ROUND, ALONG, true), material("#8a5a1e", this.solid ? 1 : GHOST, "trim"));
      object.userData = { radius: 0.0035 * this.size };
      object.frustumCulled = false; // its vertices move
    } else {
      const spring = strand.kind === "spring"; // whose coil is made when it is first stretched
      const geometry = spring ? null : new THREE.CylinderGeometry(0.35, 0.35, 1, 14);
      object = new THREE.Mesh(geometry ?? new THREE.BufferGeometry(), material(spring ? "#b59b2b" : "#59646d", this.solid ? 1 : GHOST));
      object.userData = { radius, coiled: !spring };
    }
    object.userData.strand = strand;
    object.castShadow = true;
    this.group.add(object);
    return object;
  }

  #mark(mark) {
    const paint = material(JOINT, this.solid ? 1 : GHOST, "trim"), [body, ...at] = mark.at;
    const object = new THREE.Mesh(joint(mark.joint, mark.axes, 0.008 * this.size), paint);
    object.position.set(...at);
    object.userData.role = MARKS[mark.kind];
    (body < 0 ? this.group : this.bodies[body]).add(object);
    return object;
  }

  // A moment has two heads.  Bodies without bodywork hide no forces between them.
  #arrow(name, moment) {
    const r = 0.006 * this.size, group = new THREE.Group(), paint = material(moment ? MOMENT : FORCE, this.solid ? 1 : GHOST);
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(r, r, 1, 10).translate(0, 0.5, 0), paint);
    group.add(shaft);
    for (const high of moment ? [3 * r, 8 * r] : [3 * r]) group.add(new THREE.Mesh(new THREE.ConeGeometry(2.6 * r, 6 * r, 14).translate(0, high, 0), paint));
    paint.depthTest = this.hasBodywork;
    for (const part of group.children) part.renderOrder = 1;
    group.visible = false;
    group.userData = { name, moment };
    this.group.add(group);
    return group;
  }

  // A body by position and quaternion.
  place(k, position, quaternion) {
    this.bodies[k].matrix.compose(position, quaternion, ONE);
    this.bodies[k].matrixWorldNeedsUpdate = true;
  }

  // All bodies by twelve numbers each: position, and rotation matrix row by row.
  placeAll(numbers) {
    this.bodies.forEach((group, k) => {
      const [x, y, z, ...R] = numbers.subarray(12 * k, 12 * k + 12);
      group.matrix.set(R[0], R[1], R[2], x, R[3], R[4], R[5], y, R[6], R[7], R[8], z, 0, 0, 0, 1);
      group.matrixWorldNeedsUpdate = true;
    });
  }

  position(k) {
    return new THREE.Vector3().setFromMatrixPosition(this.bodies[k].matrix);
  }

  #world([body, ...at]) {
    const point = new THREE.Vector3(...at);
    return body < 0 ? point : point.applyMatrix4(this.bodies[body].matrix);
  }

  // What lies between bodies, once these are placed.
  stretch(up) {
    for (const object of this.strands) {
      const { strand, radius } = object.userData, a = this.#world(strand.a), b = this.#world(strand.b);
      if (strand.kind === "cable") {
        hang(object.geometry, a, b, strand.length, up, radius);
      } else {
        if (!object.userData.coiled) object.geometry = coil(a.distanceTo(b) / radius);
        object.userData.coiled = true;
        lay(object, a.toArray(), b.toArray());
        object.scale.set(radius, a.distanceTo(b), radius);
      }
    }
  }

  // Arrow k: where the force acts, and its components; moments on the wheels of a vehicle are not shown.
  push(k, x, y, z, fx, fy, fz) {
    const arrow = this.arrows[k], force = new THREE.Vector3(fx, fy, fz);
    const length = (force.length() / (this.content.weight || 1)) * this.size * this.forceScale;
    arrow.visible = this.shown.forces && length > 0.004 * this.size && !(arrow.userData.moment && this.hasBodywork);
    if (!arrow.visible) return;
    arrow.position.set(x, y, z);
    Object.assign(arrow.userData, { newtons: force.length(), tip: arrow.position.clone().addScaledVector(force, length / force.length()) });
    arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.normalize());
    arrow.children[0].scale.y = length;
    for (const head of arrow.children.slice(1)) head.position.y = length;
  }

  // Bodywork solid, seen through, or away.
  showBody(how) {
    const covers = how === "solid" && this.hasBodywork; // what is under a body casts no shadow of its own
    for (const strand of this.strands) strand.castShadow = !covers;
    for (const mesh of this.bodies.flatMap((group) => group.userData.meshes)) {
      const { look, see } = mesh.userData;
      if (mesh.isGroup) continue;
      mesh.castShadow = see > 0.5 && this.solid && !SHADELESS.has(look) && (!covers || look === "paint" || look === "rubber");
      if (!BODYWORK.has(look)) continue;
      mesh.visible = how !== "hidden";
      mesh.castShadow &&= how === "solid";
      const opacity = how === "solid" ? see : Math.min(see, look === "glass" ? 0.1 : 0.22);
      Object.assign(mesh.material, { opacity, transparent: opacity < 1, depthWrite: opacity === 1, needsUpdate: true });
    }
    this.shown.body = how;
  }

  // Lamps and discs glow as strongly as brakes work: the pedal, 0 to 1, and of each wheel's body its torque in parts of the most.
  glow(pedal, torques) {
    this.bodies.forEach((group, k) => {
      for (const mesh of group.userData.meshes) {
        if (mesh.userData.look === "brakelamp") mesh.material.emissive.set("#ff1a14").multiplyScalar(pedal > 0.02 ? 2.2 : 0.12);
        if (mesh.userData.look === "disc") mesh.material.emissive.set("#ff5a1f").multiplyScalar((torques.get(k) ?? 0) ** 2);
      }
    });
  }

  get hasBodywork() {
    return this.bodies.some((group) => group.userData.meshes.some(({ userData }) => userData.look === "paint"));
  }

  showLoops(on) {
    this.shown.loops = on;
    for (const mark of this.marks) {
      mark.visible = on || !this.hasBodywork;
      mark.material.color.set(on ? mark.userData.role : JOINT);
    }
    const owners = [...new Set(this.content.bodies.map((body) => body.aggregate).filter(Boolean))];
    this.bodies.forEach((group, k) => {
      const owner = this.content.bodies[k].aggregate;
      const colour = on ? (owner ? PALETTE[owners.indexOf(owner) % PALETTE.length] : "#aab3ba") : group.userData.colour;
      for (const { userData, material: paint } of group.userData.meshes) if (userData.see && !userData.own) paint.color.set(colour);
    });
  }
}

const ONE = { x: 1, y: 1, z: 1 };

const ROUND = 8, ALONG = 24; // sides and pieces of a cable

// A cable between a and b: straight if taut, else about a parabola of its length.
function hang(geometry, a, b, length, up, radius) {
  const { position, normal } = geometry.attributes, span = a.distanceTo(b), spare = Math.max(length - span, 0);
  const depth = Math.sqrt(0.375 * spare * Math.max(span, 0.67 * length)), way = b.clone().sub(a);
  const across = way.clone().cross(up), high = new THREE.Vector3();
  if (across.length() < 1e-6 * (span || 1)) across.set(up.y, up.z, up.x);
  high.crossVectors(across.normalize(), way.normalize());
  for (let k = 0; k < position.count; ++k) {
    const s = Math.floor(k / (ROUND + 1)) / ALONG, angle = (2 * Math.PI * (k % (ROUND + 1))) / ROUND;
    const out = across.clone().multiplyScalar(Math.cos(angle)).addScaledVector(high, Math.sin(angle));
    const at = a.clone().lerp(b, s).addScaledVector(up, -4 * depth * s * (1 - s)).addScaledVector(out, radius);
    position.setXYZ(k, at.x, at.y, at.z);
    normal.setXYZ(k, out.x, out.y, out.z);
  }
  position.needsUpdate = normal.needsUpdate = true;
}
