// What Python packed: compressed text in letters, and arrays behind one another in one buffer.

export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export function arrayOf(buffer, place) {
  const size = place.shape.reduce((product, n) => product * n, 1);
  const kinds = { f4: Float32Array, f8: Float64Array, u1: Uint8Array };
  return new kinds[place.kind](buffer, place.at, size);
}

// Defines THREE.
export async function loadLibrary(text) {
  const element = document.createElement("script");
  element.textContent = new TextDecoder().decode(await unpacked(text));
  document.head.append(element);
}
