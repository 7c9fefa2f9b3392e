// The stage where a browser has no WebGL: outlines of bodies, from above outdoors and from the side in a studio.

import { Stage } from "./stage.js";

const MOST = 300; // points of a mesh that make its outline
const WIDE = 2.2; // of the picture, in sizes of the scene
const CONE = 0.2; // half the width of a cone [m]

export class Plan {
  constructor(element, up, size, scenery) {
    this.up = new THREE.Vector3(...up);
    this.size = size;
    this.canvas = document.createElement("canvas");
    this.renderer = { domElement: this.canvas };
    element.append(this.canvas);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.01 * size, 1000 * size);
    this.controls = { target: new THREE.Vector3(), enabled: true, update: () => {} };
    this.outdoors = scenery.some(({ look }) => look === "asphalt");
    this.right = new THREE.Vector3(1, 0, 0);
    this.ahead = this.outdoors ? new THREE.Vector3().crossVectors(this.up, this.right) : this.up;
    this.toEye = new THREE.Vector3().crossVectors(this.right, this.ahead);
  }

  furnish() {}

  keepUp() {
    return false;
  }

  under() {
    return null;
  }

  isGrass() {
    return false;
  }

  render(focus = this.controls.target) {
    const { canvas } = this, ratio = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
    [canvas.width, canvas.height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    pen.fillStyle = this.outdoors ? "#8b9096" : "#eef2f5";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const each = Math.min(canvas.width, canvas.height) / (WIDE * this.size), at = new THREE.Vector3();
    const flat = (point) => {
      at.copy(point).sub(focus);
      return [0.5 * canvas.width + each * at.dot(this.right), 0.5 * canvas.height - each * at.dot(this.ahead)];
    };
    this.scene.updateMatrixWorld(true);
    const outlines = [], matrix = new THREE.Matrix4();
    this.scene.traverseVisible((object) => {
      const points = object.geometry?.getAttribute("position"), { material } = object;
      if (!points?.count || !material?.color) return;
      const vertex = new THREE.Vector3(), corners = [], painted = object.userData.look === "marking";
      if (object.isInstancedMesh) { // cones
        for (let k = 0; k < object.count; ++k) {
          object.getMatrixAt(k, matrix);
          const [x, y] = flat(vertex.setFromMatrixPosition(matrix)), r = CONE * each;
          outlines.push({ corners: [[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]], height: vertex.dot(this.toEye), material });
        }
        return;
      }
      const step = painted ? 1 : Math.max(1, Math.floor(points.count / MOST));
      let height = -Infinity;
      for (let k = 0; k < points.count; k += step) {
        vertex.fromBufferAttribute(points, k).applyMatrix4(object.matrixWorld);
        height = Math.max(height, vertex.dot(this.toEye));
        corners.push(flat(vertex));
      }
      if (!corners.flat().every(Number.isFinite)) return;
      const triangles = painted ? corners.flatMap((_, k) => (k % 3 ? [] : [corners.slice(k, k + 3)])) : null;
      for (const ring of triangles ?? [object.isLine ? corners : hull(corners)]) outlines.push({ corners: ring, height, line: object.isLine, material });
    });
    outlines.sort((a, b) => a.height - b.height);
    for (const { corners, line, material } of outlines) {
      pen.beginPath();
      corners.forEach(([x, y]) => pen.lineTo(x, y));
      pen.globalAlpha = line ? 1 : 0.75 * material.opacity;
      pen.fillStyle = pen.strokeStyle = `#${material.color.getHexString()}`;
      if (line) pen.stroke();
      else pen.fill();
    }
    pen.globalAlpha = 1;
  }
}

// The convex hull of points in the plane, by Andrew's monotone chain.
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => list.reduce((chain, point) => {
    while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
    chain.push(point);
    return chain;
  }, []);
  return [...half(sorted).slice(0, -1), ...half(sorted.reverse()).slice(0, -1)];
}

// In three dimensions where the browser can draw them.
export function stageOf(element, up, size, scenery, covered) {
  const able = document.createElement("canvas").getContext("webgl2");
  const labelled = (stage) => {
    const { domElement } = stage.renderer;
    domElement.setAttribute("role", "img");
    domElement.setAttribute("aria-label", `${document.title}: drag to look around, C for the next camera`);
    return stage;
  };
  if (able) return labelled(new Stage(element, up, size, scenery, covered));
  element.append(Object.assign(document.createElement("div"), { className: "flat", textContent: "plan view: this browser has no WebGL" }));
  return labelled(new Plan(element, up, size, scenery));
}
