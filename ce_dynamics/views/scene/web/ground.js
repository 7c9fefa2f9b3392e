// Planes without end, and uneven roads: squares of two sizes, fading into the distance.

const VERTEX = `
  uniform vec2 shift;
  varying vec2 at;
  varying vec3 there;
  varying float bright;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    at = position.xy + shift;
    there = world.xyz;
    bright = 1.0 - 1.6 * (1.0 - abs(normal.z)) - 0.5 * normal.x;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const FRAGMENT = `
  varying vec2 at;
  varying vec3 there;
  varying float bright;
  uniform float step;
  uniform float opacity;
  uniform vec3 floor_colour, line_colour, far_colour;
  float lines(float square) {
    vec2 x = at / square, width = fwidth(x);
    vec2 near = abs(fract(x - 0.5) - 0.5) / max(width, 1e-6);
    float line = 1.0 - min(min(near.x, near.y), 1.0);
    return line * (1.0 - smoothstep(0.15, 0.6, max(width.x, width.y)));
  }
  void main() {
    float line = max(0.55 * lines(step), lines(10.0 * step));
    float away = distance(there, cameraPosition) / step;
    vec3 colour = bright * mix(floor_colour, line_colour, line);
    gl_FragColor = vec4(mix(colour, far_colour, smoothstep(60.0, 190.0, away)), opacity);
    #include <colorspace_fragment>
  }`;

function squares(step, sky, opacity, shift) {
  return new THREE.ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      shift, step: { value: step }, opacity: { value: opacity },
      floor_colour: { value: new THREE.Color("#dde4e9") },
      line_colour: { value: new THREE.Color("#9aa6af") },
      far_colour: { value: new THREE.Color(sky) },
    },
    side: THREE.DoubleSide, transparent: opacity < 1,
  });
}

// step: of the fine squares; opacity: below 1 for walls.
export function ground([at, end], step, sky, opacity) {
  const shift = { value: new THREE.Vector2() };
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(400 * step, 400 * step), squares(step, sky, opacity, shift));
  floor.material.depthWrite = false; // so large a face is imprecise in depth
  floor.renderOrder = -1; // before all else
  const origin = new THREE.Vector3(...at), normal = new THREE.Vector3(...end).sub(origin).normalize();
  floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  const back = floor.quaternion.clone().invert();

  // Goes where one looks; the squares stay.
  floor.userData.follow = (target) => {
    const seen = target.clone().sub(origin).applyQuaternion(back);
    shift.value.set(seen.x, seen.y);
    floor.position.set(seen.x, seen.y, 0).applyQuaternion(floor.quaternion).add(origin);
  };
  return floor;
}

// Triangles with the same squares, as seen from above.
export function terrain({ points, triangles = [] }, step, sky) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points.flat(), 3));
  geometry.setIndex(triangles.flat());
  geometry.computeVertexNormals();
  return new THREE.Mesh(geometry, squares(step, sky, 1, { value: new THREE.Vector2() }));
}
