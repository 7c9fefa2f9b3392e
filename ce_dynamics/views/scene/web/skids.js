// Marks that sliding tyres leave, and ribbons along a way in the colours of a quantity.

import { rangeOf } from "./dom.js";
import { away } from "./looks.js";

const LONGEST = 6000; // stretches of one wheel
const SLIDING = 0.75; // bounded slip above which a tyre marks the road

// A strip on the ground that grows: pairs of points across it, with a strength (and a colour) each.
class Strip {
  constructor(width, colour, opacity) {
    this.half = 0.5 * width;
    this.count = 0;
    this.positions = new Float32Array(12 * 3 * LONGEST / 2);
    this.colours = new Float32Array(12 * 4 * LONGEST / 2);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(this.colours, 4));
    const paint = new THREE.MeshBasicMaterial({ color: colour, vertexColors: true, transparent: true, opacity, depthWrite: false,
      polygonOffset: true, polygonOffsetFactor: -3, polygonOffsetUnits: -3, side: THREE.DoubleSide });
    this.mesh = new THREE.Mesh(geometry, paint);
    this.mesh.frustumCulled = false;
    geometry.setDrawRange(0, 0);
  }

  // A stretch from a to b (arrays of three), as strong at its ends as given; colours as [r, g, b].
  add(a, b, up, strengths, colours = [[1, 1, 1], [1, 1, 1]]) {
    if (this.count >= LONGEST) return;
    const way = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const across = [way[1] * up[2] - way[2] * up[1], way[2] * up[0] - way[0] * up[2], way[0] * up[1] - way[1] * up[0]];
    const size = Math.hypot(...across) || 1, side = across.map((x) => (x / size) * this.half);
    const corner = (p, sign) => p.map((x, k) => x + sign * side[k] + 0.012 * up[k]);
    const points = [corner(a, 1), corner(a, -1), corner(b, 1), corner(b, 1), corner(a, -1), corner(b, -1)], ends = [0, 0, 1, 1, 0, 1];
    points.forEach((point, k) => {
      this.positions.set(point, 18 * this.count + 3 * k);
      this.colours.set([...colours[ends[k]], strengths[ends[k]]], 24 * this.count + 4 * k);
    });
    this.count += 1;
    this.mesh.geometry.attributes.position.needsUpdate = this.mesh.geometry.attributes.color.needsUpdate = true;
    this.show(this.count);
  }

  show(count) {
    this.mesh.geometry.setDrawRange(0, 6 * Math.min(count, this.count));
  }

  clear() {
    this.count = 0;
    this.show(0);
  }
}

export class Skids {
  // wheels: {radius, width} each.
  constructor(scene, wheels) {
    this.strips = wheels.map(({ width }) => new Strip(0.8 * width, "#0c0c0d", 0.55));
    this.last = wheels.map(() => null);
    for (const strip of this.strips) scene.add(strip.mesh);
  }

  // Where the wheel k touches the ground, and its bounded slip; true if it left a mark.
  at(k, place, slip, up) {
    const strength = Math.min(Math.max((Math.abs(slip) - SLIDING) / (1 - SLIDING), 0), 1), before = this.last[k];
    const marked = before && (strength > 0 || before.strength > 0) && Math.hypot(...place.map((x, j) => x - before.place[j])) < 3;
    if (marked) this.strips[k].add(before.place, place, up, [before.strength, strength]);
    this.last[k] = { place, strength };
    return Boolean(marked);
  }

  clear() {
    for (const strip of this.strips) strip.clear();
    this.last.fill(null);
  }

  close() {
    for (const strip of this.strips) away(strip.mesh);
  }
}

// Dark blue over green to yellow, 0 to 1.
export function scale(s) {
  const stops = [[0.19, 0.1, 0.4], [0.16, 0.4, 0.6], [0.12, 0.62, 0.5], [0.5, 0.8, 0.25], [0.98, 0.9, 0.15]];
  const at = Math.min(Math.max(s, 0), 1) * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
  return stops[k].map((x, j) => x + (at - k) * (stops[k + 1][j] - x));
}

// A way in the colours of values; returns its mesh.
export function ribbon(points, values, up, width) {
  const strip = new Strip(width, "#ffffff", 0.85);
  const [low, high] = rangeOf(values), colour = (x) => scale((x - low) / (high - low || 1));
  const every = Math.max(1, Math.ceil(points.length / LONGEST));
  for (let k = every; k < points.length; k += every) if (Number.isFinite(values[k - every] + values[k])) strip.add(points[k - every], points[k], up, [1, 1], [colour(values[k - every]), colour(values[k])]);
  return { mesh: strip.mesh, low, high };
}
