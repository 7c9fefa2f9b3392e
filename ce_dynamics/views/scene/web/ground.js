// Planes without end, and uneven roads: squares of two sizes in a studio, asphalt and grass outdoors.

import { roundStep } from "./dom.js";
import { material } from "./looks.js";

const PLACE = `
  varying vec2 at;
  varying vec3 there;
  uniform vec2 shift;`;

const SQUARES = `
  varying vec2 at;
  varying vec3 there;
  uniform float step_, contour, low;
  uniform vec3 line_colour, up;
  float lines(float square) {
    vec2 x = at / square, width = fwidth(x);
    vec2 near = abs(fract(x - 0.5) - 0.5) / max(width, 1e-6);
    float line = 1.0 - min(min(near.x, near.y), 1.0);
    return line * (1.0 - smoothstep(0.15, 0.6, max(width.x, width.y)));
  }
  float level(float height, float each) {
    float x = height / each - 0.5, width = max(fwidth(x), 1e-6); // flat ground lies between contours
    return (1.0 - min(abs(fract(x - 0.5) - 0.5) / width, 1.0)) * (1.0 - smoothstep(0.2, 0.7, width));
  }
  float hash(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }
  float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p), s = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), s.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), s.x), s.y);
  }
  float seen(float size) { return 1.0 - smoothstep(0.2, 0.8, length(fwidth(at)) / size); }`;

// colour: of the fragment; heights are drawn as contours and as a tint where a terrain has them.
const STUDIO = `
  diffuseColor.rgb = mix(diffuseColor.rgb, line_colour, max(0.55 * lines(step_), lines(10.0 * step_)));`;

const ASPHALT = `
  float grain = (noise(at * 90.0) - 0.5) * seen(0.012) + 0.7 * (noise(at * 28.0) - 0.5) * seen(0.05);
  float patches = noise(at * 0.35) * 0.5 + noise(at * 0.07) * 0.5;
  vec3 asphalt = vec3(0.15, 0.152, 0.155) * (0.82 + 0.36 * patches + 0.55 * grain);
  asphalt *= 1.0 - 0.35 * lines(20.0) - 0.12 * lines(5.0);
  float meadow = smoothstep(paved.z, paved.z + 2.0, length(max(abs(at - paved.xy) - paved_half, 0.0)) * (0.6 + noise(at * 0.5)));
  vec3 grass = vec3(0.13, 0.20, 0.06) * (0.65 + 0.35 * noise(at * 0.15) + 0.4 * noise(at * 1.7) * seen(0.6) + 0.35 * (noise(at * 14.0) - 0.5) * seen(0.1));
  diffuseColor.rgb = mix(asphalt, grass, meadow);`;

const HEIGHTS = `
  float height = dot(there, up) - low;
  vec3 tint = mix(vec3(0.9, 0.95, 1.0), vec3(1.5, 1.1, 0.65), clamp(height / (12.0 * contour), 0.0, 1.0));
  diffuseColor.rgb *= mix(vec3(1.0), tint, 0.65);
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.75), 0.28 * level(height, contour) + 0.35 * level(height, 5.0 * contour));`;

function floorMaterial({ look, paved }, step, opacity, shift, relief) {
  const asphalt = look === "asphalt";
  const made = new THREE.MeshStandardMaterial({ color: "#dde4e9", roughness: asphalt ? 0.95 : 0.9, metalness: 0, side: THREE.DoubleSide, transparent: opacity < 1, opacity });
  made.envMapIntensity = asphalt ? 0.45 : 0.75; // shadows on it are grey, not as blue as the sky
  const { low, contour, up } = relief ?? { low: 0, contour: 1, up: [0, 0, 1] };
  const [x0, y0, x1, y1] = paved ?? [-1e6, -1e6, 1e6, 1e6];
  made.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, {
      shift, step_: { value: step }, line_colour: { value: new THREE.Color("#9aa6af") }, up: { value: new THREE.Vector3(...up) },
      contour: { value: contour }, low: { value: low },
      paved: { value: new THREE.Vector3(0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5) }, paved_half: { value: new THREE.Vector2(0.5 * (x1 - x0), 0.5 * (y1 - y0)) },
    });
    shader.vertexShader = `${PLACE}\n${shader.vertexShader}`.replace("#include <begin_vertex>",
      "#include <begin_vertex>\nat = position.xy + shift;\nthere = (modelMatrix * vec4(position, 1.0)).xyz;");
    shader.fragmentShader = `${SQUARES}\nuniform vec3 paved;\nuniform vec2 paved_half;\n${shader.fragmentShader}`.replace("#include <color_fragment>",
      `#include <color_fragment>\n${asphalt ? ASPHALT : STUDIO}\n${relief ? HEIGHTS : ""}`);
  };
  made.customProgramCacheKey = () => `${asphalt} ${Boolean(relief)}`;
  return made;
}

// A plane: step of the fine squares; opacity below 1 for walls.
export function ground(shape, step, fog, opacity) {
  const [at, end] = shape.points, shift = { value: new THREE.Vector2() }, reach = shape.look === "asphalt" ? 3000 : 400 * step;
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(reach, reach), floorMaterial(shape, step, opacity, shift));
  fade(floor.material, 0.18 * reach, 0.48 * reach, fog);
  floor.receiveShadow = true;
  floor.material.depthWrite = false; // so large a face is imprecise in depth
  floor.renderOrder = -1; // before all else
  const origin = new THREE.Vector3(...at), normal = new THREE.Vector3(...end).sub(origin).normalize();
  floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  const back = floor.quaternion.clone().invert();

  // Follows the target of the camera; the squares stay.
  floor.userData.follow = (target) => {
    const seen = target.clone().sub(origin).applyQuaternion(back);
    shift.value.set(seen.x, seen.y);
    floor.position.set(seen.x, seen.y, 0).applyQuaternion(floor.quaternion).add(origin);
  };
  return floor;
}

// Colours go over into the horizon between two distances.
function fade(made, near, far, fog) {
  const before = made.onBeforeCompile;
  made.onBeforeCompile = (shader) => {
    before(shader);
    Object.assign(shader.uniforms, { fade_near: { value: near }, fade_far: { value: far }, fade_to: { value: new THREE.Color(fog) } });
    shader.fragmentShader = `uniform float fade_near, fade_far;\nuniform vec3 fade_to;\n${shader.fragmentShader}`.replace("#include <opaque_fragment>",
      "outgoingLight = mix(outgoingLight, fade_to, smoothstep(fade_near, fade_far, distance(there, cameraPosition)));\n#include <opaque_fragment>");
  };
}

const NOWHERE = [1e9, 1e9, 1e9, 1e9];

// Grass around terrains, below their lowest point.
export function meadow(terrains, step, fog) {
  const low = terrains.flatMap(({ points }) => points).reduce((least, point) => Math.min(least, point[2]), Infinity) - 0.2;
  const floor = ground({ points: [[0, 0, low], [0, 0, low + 1]], look: "asphalt", paved: NOWHERE }, step, fog, 1);
  floor.userData.level = low;
  return floor;
}

const TREE_COUNT = 150, TREE_BELT = [25, 260]; // how many, and between which distances from the asphalt [m]

// A number from 0 to 1 for each k, always the same.
const chance = (k) => { const x = Math.sin(12.9898 * k + 4.1) * 43758.5453; return x - Math.floor(x); };

// Trees on the grass around the asphalt, at the height of a plane across z; trunks and two storeys of leaves.
export function trees([x0, y0, x1, y1], z) {
  const group = new THREE.Group(), one = new THREE.Group(), [near, far] = TREE_BELT;
  const parts = [
    [new THREE.CylinderGeometry(0.09, 0.14, 0.9, 6).translate(0, 0.45, 0), "#4b3a2a"],
    [new THREE.SphereGeometry(0.52, 8, 6).scale(1, 0.9, 1).translate(0, 1.25, 0), "#31501f"],
    [new THREE.SphereGeometry(0.36, 7, 5).translate(0.1, 1.75, 0.05), "#3d6127"],
  ].map(([geometry, colour]) => new THREE.InstancedMesh(geometry.rotateX(Math.PI / 2), material(colour, 1, "trim"), TREE_COUNT));
  for (let k = 0; k < TREE_COUNT; ++k) {
    const away = near + (far - near) * chance(k) ** 1.7, along = chance(k + 0.3), side = Math.floor(4 * chance(k + 0.6));
    const x = side < 2 ? x0 - far + (x1 - x0 + 2 * far) * along : side === 2 ? x0 - away : x1 + away;
    const y = side < 2 ? (side === 0 ? y0 - away : y1 + away) : y0 - far + (y1 - y0 + 2 * far) * along;
    const inside = x > x0 - near && x < x1 + near && y > y0 - near && y < y1 + near, height = 3.2 + 3.8 * chance(k + 0.9);
    one.position.set(x, y, z);
    one.rotation.z = 6.3 * chance(k + 0.15);
    one.scale.set(height * (0.55 + 0.3 * chance(k + 0.45)), height * (0.55 + 0.3 * chance(k + 0.75)), 0.55 * height);
    if (inside) one.scale.set(0, 0, 0);
    one.updateMatrix();
    for (const many of parts) many.setMatrixAt(k, one.matrix);
  }
  for (const many of parts) many.frustumCulled = false;
  group.add(...parts);
  return group;
}

// The height of a terrain whose points are a grid, in the order of x, then y, at a place; null outside it.
export function heightsOfGrid(points) {
  const m = points.findIndex((point) => point[0] !== points[0][0]), n = points.length / m;
  if (m < 2 || n !== Math.floor(n)) return () => null;
  const xs = Array.from({ length: n }, (_, i) => points[i * m][0]), ys = points.slice(0, m).map((point) => point[1]);
  const cell = (places, x) => {
    let low = 0, high = places.length - 1;
    if (x < places[0] || x > places[high]) return null;
    while (high - low > 1) { const middle = (low + high) >> 1; if (places[middle] <= x) low = middle; else high = middle; }
    return [low, (x - places[low]) / (places[high] - places[low])];
  };
  return (x, y) => {
    const along = cell(xs, x), across = cell(ys, y);
    if (!along || !across) return null;
    const [[i, s], [j, r]] = [along, across], z = (k, l) => points[(i + k) * m + j + l][2];
    return (1 - s) * ((1 - r) * z(0, 0) + r * z(0, 1)) + s * ((1 - r) * z(1, 0) + r * z(1, 1));
  };
}

// Triangles with the same pattern, shaded, tinted and with contours by height.
export function terrain(shape, step, fog) {
  const { points, triangles = [] } = shape, up = [0, 0, 1];
  const heights = points.map((point) => point[2]), low = heights.reduce((a, b) => Math.min(a, b), Infinity);
  const range = heights.reduce((a, b) => Math.max(a, b), -Infinity) - low;
  const contour = roundStep(Math.max(range, 1e-3) / 12);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points.flat(), 3));
  geometry.setIndex(triangles.flat());
  geometry.computeVertexNormals();
  const mesh = new THREE.Mesh(geometry, floorMaterial(shape, step, 1, { value: new THREE.Vector2() }, { low, contour, up }));
  fade(mesh.material, 500, 1500, fog);
  mesh.receiveShadow = mesh.castShadow = true;
  mesh.userData.height = heightsOfGrid(points);
  return mesh;
}
