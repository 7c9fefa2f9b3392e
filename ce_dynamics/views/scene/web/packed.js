// What Python packed: compressed text in letters, and arrays behind one another in one buffer.

export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export function arrayOf(buffer, place) {
  const size = place.shape.reduce((product, n) => product * n, 1);
  const kinds = { f4: Float32Array, f8: Float64Array, u4: Uint32Array, u1: Uint8Array };
  if (!place.kind.startsWith("f") || !size) return new kinds[place.kind](buffer, place.at, size);
  // Columns of floats lie behind one another, their first bytes before their second ones.
  const wide = Number(place.kind[1]), rows = place.shape[0], columns = size / rows;
  const bytes = new Uint8Array(buffer, place.at, wide * size), whole = new Uint8Array(wide * size);
  for (let byte = 0, from = 0; byte < wide; ++byte) {
    for (let column = 0; column < columns; ++column) {
      for (let row = 0; row < rows; ++row) whole[wide * (row * columns + column) + byte] = bytes[from++];
    }
  }
  return new kinds[place.kind](whole.buffer);
}

// Shapes of a take with their points in lists, where they were packed.
export function restore(take, buffer) {
  for (const shape of [...take.scenery, ...take.bodies.flatMap((body) => body.shapes)]) {
    if (Array.isArray(shape.points)) continue;
    for (const name of ["points", "triangles"]) {
      const values = arrayOf(buffer, shape[name]);
      shape[name] = Array.from({ length: values.length / 3 }, (_, k) => [...values.subarray(3 * k, 3 * k + 3)]);
    }
    shape.colour ||= undefined;
  }
  return take;
}

// Defines THREE.
export async function loadLibrary(text) {
  const element = document.createElement("script");
  element.textContent = new TextDecoder().decode(await unpacked(text));
  document.head.append(element);
}
