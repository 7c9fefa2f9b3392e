// Shapes of Python as geometries, and bodies as one mesh for each material (the global THREE).

import { material } from "./looks.js";

const OPEN = new Set(["plate", "mesh"]); // both sides of whose faces are seen

const CLOSED = new Set(["paint", "glass"]); // but not from inside, so that one looks out of a cabin

export const SHADELESS = new Set(["marking", "glass", "headlamp", "brakelamp", "disc"]); // on what casts a shadow itself

// A unit cylinder, capsule or the like along y, laid from a to b.
export function lay(object, a, b) {
  const from = new THREE.Vector3(...a), way = new THREE.Vector3(...b).sub(from);
  object.position.copy(from).addScaledVector(way, 0.5);
  object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
  return object;
}

const distance = (a, b) => Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);

function laid(geometry, a, b) {
  const object = lay(new THREE.Group(), a, b);
  object.updateMatrix();
  return geometry.applyMatrix4(object.matrix);
}

// Each maker returns parts {geometry, look, colour}; the shape's own look and colour where a part names none.
const MAKERS = {
  rod: ({ points: [a, b], radius }) => [{ geometry: laid(new THREE.CapsuleGeometry(radius, distance(a, b), 4, 12), a, b) }],

  ball: ({ points: [at], radius }) => [{ geometry: new THREE.SphereGeometry(radius, 24, 16).translate(...at) }],

  block({ points: [at, ...ends] }) {
    const half = ends.map((end) => new THREE.Vector3(...end).sub(new THREE.Vector3(...at)));
    const box = new THREE.BoxGeometry(...half.map((edge) => 2 * edge.length()));
    return [{ geometry: box.applyMatrix4(new THREE.Matrix4().makeBasis(...half.map((edge) => edge.normalize())).setPosition(...at)) }];
  },

  wheel({ points: [a, b], radius }) {
    const width = distance(a, b), r = (part) => part * radius, h = (part) => 0.5 * part * width;
    const turned = (profile, n) => new THREE.LatheGeometry(profile.map(([x, y]) => new THREE.Vector2(r(x), h(y))), n);
    const rubber = turned([[0.64, -0.82], [0.7, -0.96], [0.82, -1], [0.92, -0.94], [0.975, -0.8], [0.995, -0.5], [1, -0.2],
      [1, 0.2], [0.995, 0.5], [0.975, 0.8], [0.92, 0.94], [0.82, 1], [0.7, 0.96], [0.64, 0.82]], 72);
    const rim = [turned([[0.66, 0.84], [0.63, 0.9], [0.6, 0.8], [0.57, 0.2], [0.57, -0.2], [0.6, -0.8], [0.63, -0.9], [0.66, -0.84]], 48)];
    for (const side of [1, -1]) rim.push(new THREE.CylinderGeometry(r(0.15), r(0.17), h(0.22), 24).translate(0, side * h(0.62), 0));
    for (let k = 0; k < 10; ++k) {
      const angle = (2 * Math.PI * (Math.floor(k / 2) + (k % 2 ? 0.06 : -0.06))) / 5;
      const spoke = new THREE.BoxGeometry(r(0.5), h(0.16), r(0.055)).translate(r(0.35), 0, 0);
      for (const side of [1, -1]) rim.push(spoke.clone().rotateZ(-side * 0.08).translate(0, side * h(0.6), 0).rotateY(angle));
    }
    const nuts = [0, 1, 2, 3, 4].flatMap((k) => [1, -1].map((side) => new THREE.CylinderGeometry(r(0.022), r(0.022), h(0.3), 8)
      .translate(r(0.09), side * h(0.66), 0).rotateY((2 * Math.PI * (k + 0.5)) / 5)));
    const disc = new THREE.CylinderGeometry(r(0.47), r(0.47), h(0.12), 48);
    return [
      { geometry: laid(rubber, a, b), look: "rubber", colour: "#1d1f21" },
      ...rim.map((part) => ({ geometry: laid(part, a, b), look: "metal" })),
      ...nuts.map((part) => ({ geometry: laid(part, a, b), look: "disc", colour: "#5b6066" })),
      { geometry: laid(disc, a, b), look: "disc", colour: "#5b6066" },
    ];
  },

  plate: (shape) => [{ geometry: surface(shape) }],
  mesh: (shape) => [{ geometry: surface(shape) }],
};

function surface({ points, triangles = [] }) {
  const corners = triangles.flatMap((triangle) => triangle.flatMap((k) => points[k]));
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(creased(corners), 3));
  return geometry;
}

const CREASE = 0.8; // cosine of the angle between faces above which their edge is sharp

// Normals of the corners of triangles: the mean of the faces that meet there without a sharp edge.
function creased(corners) {
  const faces = [], around = new Map(), normals = new Float32Array(corners.length);
  const key = (at) => `${Math.round(corners[at] * 1e5)},${Math.round(corners[at + 1] * 1e5)},${Math.round(corners[at + 2] * 1e5)}`;
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  for (let at = 0; at < corners.length; at += 9) {
    a.fromArray(corners, at); b.fromArray(corners, at + 3).sub(a); c.fromArray(corners, at + 6).sub(a);
    const area = new THREE.Vector3().crossVectors(b, c), face = { area, unit: area.clone().normalize() };
    faces.push(face);
    for (const corner of [at, at + 3, at + 6]) {
      const name = key(corner);
      if (!around.has(name)) around.set(name, []);
      around.get(name).push(face);
    }
  }
  for (let at = 0; at < corners.length; at += 3) {
    const own = faces[Math.floor(at / 9)].unit, sum = new THREE.Vector3();
    for (const { area, unit } of around.get(key(at))) if (unit.dot(own) > CREASE) sum.add(area);
    sum.normalize().toArray(normals, at);
  }
  return normals;
}

// Geometries as one: positions, normals and uv of all triangles.
function joined(geometries) {
  const plain = geometries.map((geometry) => (geometry.index ? geometry.toNonIndexed() : geometry));
  const whole = new THREE.BufferGeometry();
  for (const [name, size] of [["position", 3], ["normal", 3], ["uv", 2]]) {
    const arrays = plain.map((one) => one.getAttribute(name)?.array ?? new Float32Array((one.getAttribute("position").count) * size));
    const all = new Float32Array(arrays.reduce((n, array) => n + array.length, 0));
    arrays.reduce((at, array) => (all.set(array, at), at + array.length), 0);
    whole.setAttribute(name, new THREE.BufferAttribute(all, size));
  }
  return whole;
}

// Shapes that belong together as few meshes: one for each material.  Planes and terrains are the stage's.
export function meshes(shapes, colour, opacity = 1) {
  const groups = new Map(), found = [];
  for (const shape of shapes) {
    if (shape.kind === "line") found.push(line(shape, colour));
    if (shape.kind === "cones") found.push(cones(shape));
    for (const part of MAKERS[shape.kind]?.(shape) ?? []) {
      const look = part.look ?? shape.look ?? "", own = part.colour ?? shape.colour;
      const see = (shape.opacity ?? 1) * opacity, open = OPEN.has(shape.kind) && !CLOSED.has(look);
      const key = [look, own ?? "", see, open].join();
      if (!groups.has(key)) groups.set(key, { look, own, see, open, geometries: [] });
      groups.get(key).geometries.push(part.geometry);
    }
  }
  for (const { look, own, see, open, geometries } of groups.values()) {
    const mesh = new THREE.Mesh(joined(geometries), material(own ?? colour, see, look, open));
    Object.assign(mesh.userData, { look, own, see });
    mesh.castShadow = see > 0.5 && !SHADELESS.has(look);
    mesh.receiveShadow = look !== "glass";
    if (look === "rubber") mesh.frustumCulled = false; // its vertices move
    found.push(mesh);
  }
  return found;
}

function line({ points, colour: own }, colour) {
  const geometry = new THREE.BufferGeometry().setFromPoints(points.map((point) => new THREE.Vector3(...point)));
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: own ?? colour }));
}

// Traffic cones: pairs of a foot and a tip.
function cones({ points, radius }) {
  const n = points.length / 2, height = distance(points[0], points[1]), group = new THREE.Group();
  const parts = [
    [new THREE.CylinderGeometry(0.14 * radius, radius * 0.8, height, 20), 0.5 * height, "#e8590c"],
    [new THREE.CylinderGeometry(0.42 * radius, 0.56 * radius, 0.22 * height, 20, 1, true).scale(1.03, 1, 1.03), 0.57 * height, "#f8f9fa"],
    [new THREE.BoxGeometry(2.2 * radius, 0.06 * height, 2.2 * radius), 0.03 * height, "#d9480f"],
  ];
  for (const [geometry, up, colour] of parts) {
    const many = new THREE.InstancedMesh(geometry.translate(0, up, 0), material(colour, 1, "cone"), n);
    many.castShadow = many.receiveShadow = true;
    many.frustumCulled = false;
    const one = new THREE.Group();
    for (let k = 0; k < n; ++k) {
      const foot = new THREE.Vector3(...points[2 * k]);
      one.position.copy(foot);
      one.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...points[2 * k + 1]).sub(foot).normalize());
      one.updateMatrix();
      many.setMatrixAt(k, one.matrix);
    }
    group.add(many);
  }
  return group;
}

// Joints by the type of their hinge, about the origin: a pin between washers, a sleeve with corners or round, two pins
// that cross, a disc; a ball for all others.
const PARTS_OF_JOINTS = {
  revolute: (r, [axis]) => peg(r, 5 * r, axis),
  prismatic: (r, [axis]) => [about(new THREE.BoxGeometry(3.4 * r, 7 * r, 3.4 * r), axis)],
  cylindrical: (r, [axis]) => [about(new THREE.CylinderGeometry(1.9 * r, 1.9 * r, 7 * r, 24), axis)],
  universal: (r, axes) => axes.flatMap((axis) => peg(0.7 * r, 6 * r, axis)),
  planar: (r, [axis]) => [about(new THREE.CylinderGeometry(4 * r, 4 * r, r, 32), axis)],
};
PARTS_OF_JOINTS.screw = PARTS_OF_JOINTS.cylindrical;

const about = (geometry, axis) => laid(geometry, axis.map((x) => -0.5 * x), axis.map((x) => 0.5 * x));

const peg = (r, length, axis) => [about(new THREE.CylinderGeometry(r, r, length, 16), axis),
  ...[-0.4, 0.4].map((part) => about(new THREE.CylinderGeometry(1.9 * r, 1.9 * r, 0.7 * r, 20).translate(0, part * length, 0), axis))];

export const joint = (type, axes, r) => joined(PARTS_OF_JOINTS[type]?.(r, axes) ?? [new THREE.SphereGeometry(2.1 * r, 24, 16)]);

// A tube through points, with which its triangles grow.
export function tube(points, radius) {
  const last = points.length - 1;
  class Way extends THREE.Curve {
    getPoint(s) {
      const k = Math.min(Math.floor(s * last), last - 1);
      return points[k].clone().lerp(points[k + 1], s * last - k);
    }
    getPointAt(s) { return this.getPoint(s); }
    getTangentAt(s) { return this.getTangent(s); }
  }
  return new THREE.TubeGeometry(new Way(), last, radius, 6);
}

// A spring from (0, -½, 0) to (0, ½, 0) with the radius 1, for one that is so many radii long.
export function coil(slenderness, turns = 6) {
  class Helix extends THREE.Curve {
    getPoint(s) {
      const along = Math.min(Math.max((s - 0.08) / 0.84, 0), 1), angle = 2 * Math.PI * turns * along;
      const r = s < 0.08 || s > 0.92 ? 0 : 1;
      return new THREE.Vector3(r * Math.cos(angle), (s - 0.5) * slenderness, r * Math.sin(angle));
    }
  }
  return new THREE.TubeGeometry(new Helix(), 24 * turns, 0.13, 6).scale(1, 1 / slenderness, 1);
}
