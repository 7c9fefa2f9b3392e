// Dust of wheels beside the road and smoke of tyres that slide: soft discs that grow, rise and fade.

import { away } from "./looks.js";

const PUFFS = 120, PUFF_LIFE = 1.6; // discs at a time, and how long each is seen [s]
const PUFF_COLOURS = { dust: [0.68, 0.58, 0.42], smoke: [0.82, 0.83, 0.85] };

const PUFF_VERTEX = `
  attribute vec3 centre;
  attribute vec4 look;
  varying vec2 corner;
  varying vec4 seen;
  void main() {
    corner = uv * 2.0 - 1.0;
    seen = vec4(look.rgb, 0.5 * (1.0 - look.a));
    vec4 at = viewMatrix * vec4(centre, 1.0);
    gl_Position = projectionMatrix * (at + vec4(corner * (0.3 + 1.8 * look.a), 0.0, 0.0));
  }`;

const PUFF_FRAGMENT = `
  varying vec2 corner;
  varying vec4 seen;
  void main() {
    gl_FragColor = vec4(seen.rgb, seen.a * smoothstep(1.0, 0.1, length(corner)));
  }`;

export class Dust {
  constructor(scene) {
    const geometry = new THREE.BufferGeometry(), corners = [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]];
    this.centres = new THREE.Float32BufferAttribute(new Float32Array(18 * PUFFS), 3);
    this.looks = new THREE.Float32BufferAttribute(new Float32Array(24 * PUFFS), 4);
    geometry.setAttribute("position", this.centres); // which the renderer asks for
    geometry.setAttribute("centre", this.centres);
    geometry.setAttribute("look", this.looks);
    geometry.setAttribute("uv", new THREE.Float32BufferAttribute(Array.from({ length: PUFFS }, () => corners).flat(2), 2));
    const paint = new THREE.ShaderMaterial({ vertexShader: PUFF_VERTEX, fragmentShader: PUFF_FRAGMENT, transparent: true, depthWrite: false });
    this.mesh = new THREE.Mesh(geometry, paint);
    this.mesh.frustumCulled = false;
    this.clear();
    scene.add(this.mesh);
  }

  close() {
    away(this.mesh);
  }

  clear() {
    this.puffs = [];
    this.draw(0);
  }

  // A disc of a kind of `PUFF_COLOURS` at a place; both age with the time of the model.
  add(kind, place) {
    if (this.puffs.length >= PUFFS) this.puffs.shift();
    this.puffs.push({ colour: PUFF_COLOURS[kind], place, born: this.now ?? 0 });
  }

  draw(now) {
    this.now = now;
    this.puffs = this.puffs.filter(({ born }) => now >= born && now - born < PUFF_LIFE);
    this.mesh.visible = this.puffs.length > 0;
    this.mesh.geometry.setDrawRange(0, 6 * this.puffs.length);
    this.puffs.forEach(({ colour, place: [x, y, z], born }, k) => {
      const age = (now - born) / PUFF_LIFE;
      for (let j = 0; j < 6; ++j) {
        this.centres.setXYZ(6 * k + j, x, y, z + 0.15 + 0.5 * age);
        this.looks.setXYZW(6 * k + j, ...colour, age);
      }
    });
    this.centres.needsUpdate = this.looks.needsUpdate = true;
  }
}
