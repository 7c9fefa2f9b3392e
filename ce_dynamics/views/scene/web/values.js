// Labels over the picture: forces in newtons at the tips of the longest arrows.

import { element } from "./dom.js";

const VALUES = 8; // arrows that show their force

// A force or moment for people: three digits, with its unit.
const force = (x, moment) => (x >= 9995 ? `${(x / 1000).toPrecision(3)} kN` : `${Number(x.toPrecision(3))} N`) + (moment ? " m" : "");

// Puts a label at a place of the scene; false if that is behind the camera.
export function pin(stage, tag, place) {
  const { clientWidth: width, clientHeight: height } = stage.renderer.domElement, at = place.project(stage.camera);
  tag.style.left = `${0.5 * width * (1 + at.x)}px`;
  tag.style.top = `${0.5 * height * (1 - at.y)}px`;
  return at.z <= 1;
}

export class Values {
  constructor(stage, take) {
    Object.assign(this, { stage, take });
    this.tags = Array.from({ length: VALUES }, () => element("span", { class: "label force", hidden: true }));
    document.getElementById("stage").append(...this.tags);
  }

  close() {
    for (const tag of this.tags) tag.remove();
  }

  draw() {
    const { arrows, shown } = this.take, tip = new THREE.Vector3();
    const most = shown.forces ? arrows.filter(({ visible }) => visible).sort((a, b) => b.userData.newtons - a.userData.newtons).slice(0, VALUES) : [];
    this.tags.forEach((tag, k) => {
      const arrow = most[k];
      tag.hidden = !arrow || !pin(this.stage, tag, tip.copy(arrow.userData.tip));
      if (arrow) tag.textContent = force(arrow.userData.newtons, arrow.userData.moment);
    });
  }
}
