// The stage: renderer, sky, sun with shadows, ground; one unit is a metre.

import { ground, meadow, terrain, trees } from "./ground.js";
import { away, contactPlane, planeOf } from "./looks.js";

const SLOW_FRAME = 1 / 28, PATIENCE = 20; // [s], and how many such frames in a row
const COARSEST = 0.6; // pixels drawn per pixel of the screen

const SUN = [0.45, -0.55, 0.75]; // seen from the ground, up last
const MODES = {
  outdoors: { horizon: "#cfdde6", zenith: "#4d8fcb", below: "#7d8a6c", fog: "#cfdde6", sun: 4.2, sky: 1.0 },
  studio: { horizon: "#eef2f5", zenith: "#d5dfe8", below: "#dfe5ea", fog: "#eef2f5", sun: 1.9, sky: 0.75 },
};

const SKY_VERTEX = `
  varying vec3 way;
  void main() {
    way = position;
    vec4 at = projectionMatrix * mat4(mat3(viewMatrix)) * vec4(position, 1.0);
    gl_Position = at.xyww;
  }`;

const SKY_FRAGMENT = `
  varying vec3 way;
  uniform vec3 up, sun, horizon, zenith, below;
  uniform float hills;
  float noise(float x) { return sin(x * 3.0) + 0.6 * sin(x * 7.0 + 1.3) + 0.3 * sin(x * 19.0 + 0.7) + 0.12 * sin(x * 53.0); }
  void main() {
    vec3 d = normalize(way);
    float h = dot(d, up);
    vec3 across = normalize(d - h * up), side = normalize(cross(up, vec3(0.31, 0.77, 0.55)));
    float azimuth = atan(dot(across, side), dot(across, cross(up, side)));
    vec3 colour = mix(horizon, zenith, pow(smoothstep(-0.02, 1.0, h), 0.55));
    float near = max(dot(d, sun), 0.0);
    colour += hills * (vec3(1.0, 0.93, 0.78) * (0.25 * pow(near, 8.0) + 2.0 * smoothstep(0.9995, 0.9998, near)));
    float far = 0.022 + 0.008 * noise(azimuth), closer = 0.012 + 0.005 * noise(2.3 * azimuth + 2.0);
    colour = mix(colour, mix(horizon, vec3(0.42, 0.52, 0.55), 0.45), hills * smoothstep(far + 0.0015, far - 0.0015, h));
    colour = mix(colour, mix(horizon, vec3(0.30, 0.40, 0.30), 0.6), hills * smoothstep(closer + 0.0012, closer - 0.0012, h));
    colour = mix(colour, below, smoothstep(0.0, -0.03, h));
    gl_FragColor = vec4(colour, 1.0);
    #include <colorspace_fragment>
  }`;

export class Stage {
  // scenery: shapes of which planes and terrains are the stage's; outdoors where one of them looks like asphalt;
  // covered: the part of the picture, from below, that something stands on, 0 to 1.
  constructor(element, up, size, scenery, covered = () => 0) {
    this.up = new THREE.Vector3(...up);
    Object.assign(this, { size, covered });
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.quality(Math.min(window.devicePixelRatio, 2));
    element.append(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.01 * size, 1000 * size);
    this.camera.up.copy(this.up);
    this.outdoors = scenery.some(({ look }) => look === "asphalt");
    this.mode = MODES[this.outdoors ? "outdoors" : "studio"];
    this.#light();
    this.squares = 10 ** Math.round(Math.log10(size) - 0.9);
    this.grounds = [];
    this.furnish(scenery);
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    new ResizeObserver(() => this.#resized(element)).observe(element);
    this.#resized(element);
  }

  quality(ratio) {
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
  }

  // Watches the time of frames [s]; draws more coarsely where they take too long, at last without shadows.
  // True as soon as the picture is coarser than it could be.
  keepUp(passed) {
    this.slow = passed > SLOW_FRAME ? (this.slow ?? 0) + 1 : 0;
    if (this.slow < PATIENCE) return this.coarse ?? false;
    this.slow = 0;
    if (this.ratio > COARSEST) this.quality(Math.max(COARSEST, 0.7 * this.ratio));
    else this.sun.castShadow = false;
    return (this.coarse = true);
  }

  furnish(scenery) {
    for (const floor of this.grounds) away(floor);
    const [planes, reliefs] = ["plane", "terrain"].map((what) => scenery.filter(({ kind }) => kind === what)), { fog } = this.mode;
    this.grounds = planes.map((shape, k) => ground(shape, this.squares, fog, k > 0 ? 0.5 : 1));
    this.grounds.push(...reliefs.map((shape) => terrain(shape, this.squares, fog)));
    if (this.outdoors && !planes.length) this.grounds.push(meadow(reliefs, this.squares, fog));
    const [first] = planes, level = first ? Math.abs(first.points[1][2] - first.points[0][2] - 1) < 1e-6 : reliefs.length > 0;
    this.paved = scenery.find(({ paved }) => paved)?.paved ?? null;
    if (this.outdoors && level && this.paved) this.grounds.push(trees(this.paved, first?.points[0][2] ?? this.grounds.at(-1).userData.level));
    for (const floor of this.grounds) {
      if (floor.material) floor.material.envMap = this.scene.environment; // one of its own, whose strength the material sets
      this.scene.add(floor);
    }
    if (first) contactPlane(first.points[0], first.points[1].map((x, k) => x - first.points[0][k]));
    else contactPlane(this.up.toArray().map((x) => -1e9 * x), this.up.toArray());
  }

  // The plane of the ground under a place, where it is uneven; null where it is not.
  under({ x, y }, reach) {
    for (const { userData: { height } } of this.grounds) {
      const at = [[0, 0], [reach, 0], [-reach, 0], [0, reach], [0, -reach]].map(([dx, dy]) => height?.(x + dx, y + dy) ?? null);
      if (at.includes(null)) continue;
      const slope = [(at[2] - at[1]) / (2 * reach), (at[4] - at[3]) / (2 * reach), 1], size = Math.hypot(...slope);
      return planeOf([x, y, at[0]], slope.map((part) => part / size));
    }
    return null;
  }

  // True beside the asphalt.
  isGrass(x, y) {
    return this.outdoors && this.paved !== null && (x < this.paved[0] || y < this.paved[1] || x > this.paved[2] || y > this.paved[3]);
  }

  #light() {
    const { horizon, zenith, below, sun: bright, sky } = this.mode;
    const across = Math.abs(this.up.y) > 0.9 ? new THREE.Vector3(SUN[0], 0, -SUN[1]) : new THREE.Vector3(SUN[0], SUN[1], 0);
    this.sunlight = across.addScaledVector(this.up, SUN[2]).normalize();
    const colour = (x) => ({ value: new THREE.Color(x) });
    const dome = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 24), new THREE.ShaderMaterial({
      vertexShader: SKY_VERTEX, fragmentShader: SKY_FRAGMENT, side: THREE.BackSide, depthWrite: false,
      uniforms: { up: { value: this.up }, sun: { value: this.sunlight }, hills: { value: this.outdoors ? 1 : 0 },
        horizon: colour(horizon), zenith: colour(zenith), below: colour(below) },
    }));
    dome.frustumCulled = false;
    dome.renderOrder = -2;
    this.scene.add(dome);
    const maker = new THREE.PMREMGenerator(this.renderer), bare = new THREE.Scene();
    bare.add(dome.clone());
    this.scene.environment = maker.fromScene(bare).texture;
    this.scene.environmentIntensity = sky;
    maker.dispose();
    this.scene.add(new THREE.HemisphereLight("#ffffff", below, this.outdoors ? 0.9 : 0.5));
    const far = 1.6 * this.size;
    this.sun = new THREE.DirectionalLight("#fff4e2", bright);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    Object.assign(this.sun.shadow.camera, { left: -far, right: far, top: far, bottom: -far, near: 0.1 * far, far: 8 * far });
    this.sun.shadow.normalBias = 0.004 * this.size;
    this.sun.shadow.bias = -0.0004;
    this.scene.add(this.sun, this.sun.target);
  }

  #resized(element) {
    const { clientWidth: width, clientHeight: height } = element;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, 0, 0.5 * this.covered() * height, width, height); // the middle is that of the rest
  }

  // Shadows fall around a place, in steps of texels so that their edges do not swim.
  #shade(at) {
    const texel = (3.2 * this.size) / 2048, place = at.clone().divideScalar(texel).round().multiplyScalar(texel);
    this.sun.target.position.copy(place);
    this.sun.position.copy(place).addScaledVector(this.sunlight, 5 * this.size);
  }

  render(focus = this.controls.target) {
    for (const floor of this.grounds) floor.userData.follow?.(this.controls.target);
    this.#shade(focus);
    this.renderer.render(this.scene, this.camera);
  }
}
