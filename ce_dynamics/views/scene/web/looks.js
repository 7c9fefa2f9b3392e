// Materials by the look of a shape (the global THREE).

export const PALETTE = [
  "#3d7fb5", "#d98032", "#4f9d57", "#b8504c", "#8468ab", "#8a6a58", "#cf7fb0", "#7c8790", "#a7a43a", "#3aa5ad",
];

// Roughness, metalness; for lamps the share of their own light.
const LOOKS = {
  "": [0.55, 0.1], paint: [0.32, 0.25], glass: [0.06, 0.1], rubber: [0.92, 0], metal: [0.34, 0.75], disc: [0.4, 0.85],
  trim: [0.8, 0.05], marking: [0.75, 0], headlamp: [0.2, 0.1], brakelamp: [0.25, 0.1], cone: [0.6, 0],
};

// A vertex below the contact plane is moved onto it, and outwards along the wall of the tyre.
const FLATTENED = `
  vec4 rolling = modelMatrix * vec4(transformed, 1.0);
  float sunk = contact.w - dot(contact.xyz, rolling.xyz);
  if (sunk > 0.0) {
    vec3 wall = mat3(modelMatrix) * normal;
    wall -= dot(wall, contact.xyz) * contact.xyz;
    rolling.xyz += sunk * contact.xyz + 0.5 * sunk * wall;
    transformed = (inverse(modelMatrix) * rolling).xyz;
  }`;

// Grooves along and across the tread; uv.y runs from bead to bead.
const TREAD = `
  float across = vTread.y, tread = step(0.3, across) * step(across, 0.7);
  float grooves = smoothstep(0.006, 0.011, abs(fract(across * 11.0) - 0.5) / 11.0);
  float blocks = step(0.1, fract(vTread.x * 60.0 + 1.5 * abs(across - 0.5)));
  diffuseColor.rgb *= mix(1.0, 0.55 + 0.45 * min(grooves, max(blocks, step(abs(across - 0.5), 0.08))), tread);`;

// Plane (normal, distance from the origin) on which tyres become flat; far below where there is none.
export const CONTACT = { value: null };

export function contactPlane(point, normal) {
  CONTACT.value = planeOf(point, normal);
}

// Takes a mesh out of its scene, and what it holds out of the graphics card.
export function away(mesh) {
  mesh.removeFromParent();
  mesh.traverse(({ geometry, material: paint }) => { geometry?.dispose(); paint?.dispose(); });
}

export function material(colour, opacity = 1, look = "", open = true) {
  const [roughness, metalness] = LOOKS[look] ?? LOOKS[""];
  const made = new THREE.MeshStandardMaterial({
    color: colour, roughness, metalness, transparent: opacity < 1, opacity, depthWrite: opacity === 1,
    side: open ? THREE.DoubleSide : THREE.FrontSide,
  });
  if (look === "paint") made.shadowSide = THREE.DoubleSide; // one wall alone lets light through its wheel arches
  if (look === "headlamp") made.emissive.set("#fff6df").multiplyScalar(0.55);
  if (look === "marking") Object.assign(made, { polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 });
  if (look === "rubber") roll(made);
  return made;
}

// A plane of contact as its normal and distance from the origin.
export const planeOf = (point, normal) => new THREE.Vector4(...normal, normal.reduce((sum, x, k) => sum + x * point[k], 0));

// A tyre is flat on the plane of its own: at first that of all, then where its wheel is.
function roll(made) {
  const contact = { value: CONTACT.value?.clone() ?? new THREE.Vector4(0, 0, 1, -1e9) };
  made.userData.contact = contact;
  made.onBeforeCompile = (shader) => {
    shader.uniforms.contact = contact;
    shader.vertexShader = `uniform vec4 contact;\nvarying vec2 vTread;\n${shader.vertexShader}`
      .replace("#include <begin_vertex>", `#include <begin_vertex>\nvTread = uv;${FLATTENED}`);
    shader.fragmentShader = `varying vec2 vTread;\n${shader.fragmentShader}`.replace("#include <color_fragment>", `#include <color_fragment>${TREAD}`);
  };
}
