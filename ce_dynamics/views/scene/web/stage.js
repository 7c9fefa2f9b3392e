// The stage: renderer, light, ground; one unit is a metre.

import { ground, terrain } from "./ground.js";

const SKY = "#eef2f5";

export class Stage {
  // scenery: shapes of which planes and terrains are the stage's.
  constructor(element, up, size, scenery) {
    this.up = new THREE.Vector3(...up);
    this.size = size;
    this.renderer = new THREE.WebGLRenderer({ antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    element.append(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.005 * size, 1000 * size);
    this.camera.up.copy(this.up);
    this.#light();
    this.squares = 10 ** Math.round(Math.log10(size) - 0.9);
    this.grounds = [];
    this.furnish(scenery);
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    new ResizeObserver(() => this.#resized(element)).observe(element);
    this.#resized(element);
  }

  furnish(scenery) {
    for (const floor of this.grounds) this.scene.remove(floor);
    const planes = scenery.filter(({ kind }) => kind === "plane");
    this.grounds = planes.map(({ points }, k) => ground(points, this.squares, SKY, k > 0 ? 0.5 : 1));
    this.grounds.push(...scenery.filter(({ kind }) => kind === "terrain").map((shape) => terrain(shape, this.squares, SKY)));
    for (const floor of this.grounds) this.scene.add(floor);
  }

  #light() {
    this.scene.background = new THREE.Color(SKY);
    const sky = new THREE.HemisphereLight("#ffffff", "#8d979e", 1.7);
    sky.position.copy(this.up);
    const sun = new THREE.DirectionalLight("#ffffff", 1.9);
    sun.position.set(0.4, -0.6, 0.3).add(this.up.clone().multiplyScalar(1.2));
    this.scene.add(sky, sun);
  }

  #resized(element) {
    const { clientWidth: width, clientHeight: height } = element;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render() {
    for (const floor of this.grounds) floor.userData.follow?.(this.controls.target);
    this.renderer.render(this.scene, this.camera);
  }
}
