// Pictures and films of the page: PNG, WebM, and GIF by an encoder of its own.

const COLOURS = [7, 8, 4]; // levels of red, green, blue: 224 colours of a palette of 256
const SAME = 255; // place in the palette of pixels that stay as they were

// The picture with what lies over it, as wide as given; layers: canvases of the page, the lowest first.
function flat(layers, width, willReadFrequently = false) {
  const [first] = layers, part = width / first.clientWidth, place = first.getBoundingClientRect();
  const whole = document.createElement("canvas");
  [whole.width, whole.height] = [width, Math.round(part * first.clientHeight)];
  const pen = whole.getContext("2d", { willReadFrequently });
  const draw = () => {
    for (const layer of layers) {
      const { left, top, width: across, height: down } = layer.getBoundingClientRect();
      pen.drawImage(layer, part * (left - place.left), part * (top - place.top), part * across, part * down);
    }
    return pen;
  };
  return { whole, draw };
}

// The picture as it is drawn, as the URL of a PNG.
export function png(layers) {
  const { whole, draw } = flat(layers, layers[0].width);
  draw();
  return whole.toDataURL("image/png");
}

// Frames of times from..to at so many per second; step(t) draws one.  Answers with the bytes of a GIF.
export async function gif(layers, step, from, to, rate, width) {
  const { whole: { height }, draw } = flat(layers, width, true), parts = [header(width, height)];
  const frames = Math.max(1, Math.round((to - from) * rate)), before = new Uint8Array(width * height).fill(SAME);
  for (let k = 0; k < frames; ++k) {
    step(from + k / rate);
    parts.push(frame(draw().getImageData(0, 0, width, height).data, before, width, height, Math.round(100 / rate)));
    if (k % 5 === 4) await new Promise((go) => setTimeout(go)); // lets the page breathe
  }
  parts.push(Uint8Array.of(0x3b));
  return new Blob(parts, { type: "image/gif" });
}

// What is shown while a promise is pending, as a WebM.
export async function webm(layers, until) {
  const { whole, draw } = flat(layers, layers[0].width), parts = [];
  let pending = true;
  const copy = () => { draw(); if (pending) requestAnimationFrame(copy); };
  copy();
  const recorder = new MediaRecorder(whole.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((go) => (recorder.onstop = go));
  recorder.start();
  await until;
  pending = false;
  recorder.stop();
  await stopped;
  return new Blob(parts, { type: "video/webm" });
}

// Bytes as text of letters.
export function letters(buffer) {
  const bytes = new Uint8Array(buffer), parts = [];
  for (let k = 0; k < bytes.length; k += 0x6000) parts.push(btoa(String.fromCharCode(...bytes.subarray(k, k + 0x6000))));
  return parts.join("");
}

const short = (x) => [x & 255, x >> 8];

function header(width, height) {
  const palette = new Uint8Array(3 * 256), [R, G, B] = COLOURS;
  for (let k = 0; k < R * G * B; ++k) {
    const [r, g, b] = [Math.floor(k / (G * B)), Math.floor(k / B) % G, k % B];
    palette.set([(255 * r) / (R - 1), (255 * g) / (G - 1), (255 * b) / (B - 1)].map(Math.round), 3 * k);
  }
  const head = [..."GIF89a"].map((letter) => letter.charCodeAt(0));
  const forever = [0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((letter) => letter.charCodeAt(0)), 3, 1, 0, 0, 0];
  return Uint8Array.from([...head, ...short(width), ...short(height), 0xf7, 0, 0, ...palette, ...forever]);
}

const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map((x) => (x + 0.5) / 16 - 0.5);

// A frame over the one before, whose places in the palette are given and replaced; equal pixels are left out.
function frame(pixels, before, width, height, delay) {
  const [R, G, B] = COLOURS, indices = new Uint8Array(width * height);
  const level = (x, n, dither) => Math.min(Math.max(Math.round((x / 255) * (n - 1) + dither), 0), n - 1);
  for (let k = 0; k < indices.length; ++k) {
    const dither = BAYER[4 * (Math.floor(k / width) & 3) + ((k % width) & 3)];
    const [r, g, b] = [pixels[4 * k], pixels[4 * k + 1], pixels[4 * k + 2]];
    const index = (level(r, R, dither) * G + level(g, G, dither)) * B + level(b, B, dither);
    indices[k] = index === before[k] ? SAME : index;
    before[k] = index;
  }
  const control = [0x21, 0xf9, 4, 5, ...short(delay), SAME, 0, 0x2c, 0, 0, 0, 0, ...short(width), ...short(height), 0, 8];
  const data = packed(indices), out = new Uint8Array(control.length + data.length + Math.ceil(data.length / 255) + 1);
  out.set(control);
  let at = control.length;
  for (let k = 0; k < data.length; k += 255) {
    const block = data.subarray(k, k + 255);
    out[at++] = block.length;
    out.set(block, at);
    at += block.length;
  }
  return out;
}

// Lempel, Ziv and Welch's compression with codes of 9 to 12 bits, least significant first.
function packed(indices) {
  const clear = 256, end = 257, out = [];
  let codes = new Map(), next = 258, size = 9, bits = 0, filled = 0;
  const write = (code) => {
    bits |= code << filled;
    filled += size;
    while (filled >= 8) {
      out.push(bits & 255);
      bits >>>= 8;
      filled -= 8;
    }
  };
  write(clear);
  let prefix = indices[0];
  for (let k = 1; k < indices.length; ++k) {
    const key = (prefix << 8) | indices[k], known = codes.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    write(prefix);
    codes.set(key, next);
    if (next === 1 << size && size < 12) size += 1;
    next += 1;
    if (next === 4096) {
      write(clear);
      [codes, next, size] = [new Map(), 258, 9];
    }
    prefix = indices[k];
  }
  write(prefix);
  if (next === 1 << size && size < 12) size += 1;
  write(end);
  if (filled > 0) out.push(bits & 255);
  return Uint8Array.from(out);
}
