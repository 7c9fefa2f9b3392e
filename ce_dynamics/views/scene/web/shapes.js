// Shapes of Python as meshes of three.js (the global THREE).

export const PALETTE = [
  "#3d7fb5", "#d98032", "#4f9d57", "#b8504c", "#8468ab", "#8a6a58", "#cf7fb0", "#7c8790", "#a7a43a", "#3aa5ad",
];
const OPEN = new Set(["plate", "mesh", "wheel", "line"]); // both sides of whose faces are seen

export function material(colour, opacity = 1, side = THREE.DoubleSide) {
  return new THREE.MeshLambertMaterial({
    color: colour, transparent: opacity < 1, opacity, side, depthWrite: opacity === 1,
  });
}

// A unit cylinder, capsule or the like along y, laid from a to b.
export function laid(object, a, b) {
  const from = new THREE.Vector3(...a), way = new THREE.Vector3(...b).sub(from);
  object.position.copy(from).addScaledVector(way, 0.5);
  object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
  return object;
}

const distance = (a, b) => Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);

const MAKERS = {
  rod: ({ points: [a, b], radius }, paint) =>
    laid(new THREE.Mesh(new THREE.CapsuleGeometry(radius, distance(a, b), 4, 12), paint), a, b),

  ball({ points: [at], radius }, paint) {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(radius, 24, 16), paint);
    ball.position.set(...at);
    return ball;
  },

  block({ points: [at, ...ends] }, paint) {
    const half = ends.map((end) => new THREE.Vector3(...end).sub(new THREE.Vector3(...at)));
    const block = new THREE.Mesh(new THREE.BoxGeometry(...half.map((edge) => 2 * edge.length())), paint);
    block.setRotationFromMatrix(new THREE.Matrix4().makeBasis(...half.map((edge) => edge.normalize())));
    block.position.set(...at);
    return block;
  },

  wheel({ points: [a, b], radius }, paint) {
    const width = distance(a, b), group = laid(new THREE.Group(), a, b);
    const r = (part) => part * radius, h = (part) => part * 0.5 * width;
    const profile = [[0.62, -0.8], [0.9, -1], [0.98, -0.8], [1, -0.4], [1, 0.4], [0.98, 0.8], [0.9, 1], [0.62, 0.8]];
    const tyre = profile.map(([x, y]) => new THREE.Vector2(r(x), h(y)));
    group.add(new THREE.Mesh(new THREE.LatheGeometry(tyre, 48), material("#2b2f33")));
    group.add(new THREE.Mesh(new THREE.CylinderGeometry(r(0.62), r(0.62), 0.9 * width, 40, 1, true), paint));
    group.add(new THREE.Mesh(new THREE.CylinderGeometry(r(0.14), r(0.14), 0.6 * width, 20), paint));
    for (let k = 0; k < 5; ++k) {
      const spoke = new THREE.Mesh(new THREE.BoxGeometry(r(0.6), h(0.3), r(0.1)), paint);
      const angle = (2 * Math.PI * k) / 5;
      spoke.position.set(r(0.33) * Math.cos(angle), 0, r(0.33) * Math.sin(angle));
      spoke.rotation.y = -angle;
      group.add(spoke);
    }
    return group;
  },

  plate: (shape, paint) => surface(shape, paint),
  mesh: (shape, paint) => surface(shape, paint),

  line({ points }, paint) {
    const geometry = new THREE.BufferGeometry().setFromPoints(points.map((point) => new THREE.Vector3(...point)));
    return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: paint.color }));
  },
};

function surface({ points, triangles = [] }, paint) {
  const corners = triangles.flatMap((triangle) => triangle.flatMap((k) => points[k]));
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  return new THREE.Mesh(geometry, paint);
}

// Planes without end and terrains are the stage's; here they are nothing.
export function drawn(shape, colour, opacity = 1) {
  const maker = MAKERS[shape.kind], side = OPEN.has(shape.kind) ? THREE.DoubleSide : THREE.FrontSide;
  if (!maker) return new THREE.Group();
  return maker(shape, material(shape.colour ?? colour, (shape.opacity ?? 1) * opacity, side));
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
