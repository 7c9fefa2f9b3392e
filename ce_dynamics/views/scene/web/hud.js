// Instruments of a vehicle over the picture: speed, gear, pedals, steering wheel, g-g dot, loads and slip of tyres.

const INK = "#ffffff", SOFT = "rgba(255,255,255,0.55)", BACK = "rgba(14,20,26,0.62)";
const HEIGHT = 132, WIDTHS = { speed: 122, pedals: 44, wheel: 92, dot: 104, tyres: 112 };
const HIGH = 0.3; // part of the picture's height that instruments take at most
const TRACE = 60; // past places of the g-g dot
const FULL = 1.1; // g at the edge of the g-g circle

export class Hud {
  // instruments: names of quantities; read: the value of one at this instant.
  constructor(element, instruments, read) {
    this.instruments = instruments;
    this.read = (name) => (name ? read(name) : undefined);
    this.canvas = document.createElement("canvas");
    this.canvas.className = "hud";
    this.canvas.setAttribute("role", "img");
    element.append(this.canvas);
    this.past = [];
    this.parts = Object.keys(WIDTHS).filter((part) => part !== "tyres" || instruments.wheels.length);
    this.width = this.parts.reduce((sum, part) => sum + WIDTHS[part], 0) + 8;
  }

  close() {
    this.canvas.remove();
  }

  // Places of the g-g dot before a jump in time are no longer shown.
  forget() {
    this.past = [];
  }

  draw() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2), { canvas } = this;
    const { clientWidth, clientHeight } = canvas.parentElement, scale = Math.min(1, (clientWidth - 20) / this.width, (HIGH * clientHeight) / HEIGHT);
    const [width, height] = [Math.round(this.width * scale), Math.round(HEIGHT * scale)];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
    pen.clearRect(0, 0, this.width, HEIGHT);
    pen.fillStyle = BACK;
    pen.beginPath();
    pen.roundRect(0, 0, this.width, HEIGHT, 12);
    pen.fill();
    let left = 4;
    for (const part of this.parts) {
      pen.save();
      pen.translate(left, 0);
      this[`_${part}`](pen, WIDTHS[part]);
      pen.restore();
      left += WIDTHS[part];
    }
    this.#describe();
  }

  #describe() {
    const kmh = Math.round(3.6 * (this.read(this.instruments.speed) ?? 0));
    if (kmh === this.told) return;
    this.told = kmh;
    this.canvas.setAttribute("aria-label", `speed ${kmh} km/h`);
  }

  _speed(pen, width) {
    const kmh = 3.6 * (this.read(this.instruments.speed) ?? 0), x = width / 2, y = 70, r = 48;
    this.fastest = Math.max(this.fastest ?? 0, Math.abs(kmh));
    const top = [60, 120, 180, 240, 320].find((end) => end > this.fastest) ?? 400;
    const angle = (v) => Math.PI * (0.8 + 1.4 * Math.min(Math.abs(v) / top, 1));
    arc(pen, x, y, r, angle(0), angle(top), 7, "rgba(255,255,255,0.18)");
    arc(pen, x, y, r, angle(0), angle(kmh), 7, "#4dabf7");
    write(pen, String(Math.round(Math.abs(kmh))), x, y + 8, "600 30px system-ui, sans-serif", INK);
    write(pen, "km/h", x, y + 24, "11px system-ui, sans-serif", SOFT);
    const gear = this.read(this.instruments.gear);
    if (gear !== undefined) write(pen, gear < 0 ? "R" : gear === 0 ? "N" : String(Math.round(gear)), x, y + 46, "600 17px system-ui, sans-serif", "#ffd43b");
  }

  _pedals(pen, width) {
    const bars = [["brake", "#ff6b6b"], ["throttle", "#69db7c"]];
    bars.forEach(([name, colour], k) => {
      const value = Math.min(Math.max(this.read(this.instruments[name]) ?? 0, 0), 1), x = 6 + k * 18;
      pen.fillStyle = "rgba(255,255,255,0.16)";
      pen.fillRect(x, 20, 12, 84);
      pen.fillStyle = colour;
      pen.fillRect(x, 20 + 84 * (1 - value), 12, 84 * value);
      write(pen, name[0].toUpperCase(), x + 6, 118, "11px system-ui, sans-serif", SOFT);
    });
  }

  _wheel(pen, width) {
    const angle = this.read(this.instruments.steering_wheel) ?? 0, x = width / 2, y = 60;
    pen.save();
    pen.translate(x, y);
    pen.rotate(-angle); // positive to the left
    pen.strokeStyle = INK;
    pen.lineWidth = 6;
    pen.beginPath();
    pen.arc(0, 0, 32, 0, 2 * Math.PI);
    pen.stroke();
    pen.lineWidth = 5;
    for (const way of [0, Math.PI, Math.PI / 2]) {
      pen.beginPath();
      pen.moveTo(0, 0);
      pen.lineTo(31 * Math.cos(way), 31 * Math.sin(way));
      pen.stroke();
    }
    pen.fillStyle = "#ffd43b";
    pen.fillRect(-3, -36, 6, 8);
    pen.restore();
    write(pen, `${Math.round((angle * 180) / Math.PI)}°`, x, 118, "12px system-ui, sans-serif", INK);
  }

  _dot(pen, width) {
    const x = width / 2, y = 60, r = 42, g = 9.81;
    const now = [(this.read(this.instruments.ay) ?? 0) / g, (this.read(this.instruments.ax) ?? 0) / g];
    this.past.push(now);
    if (this.past.length > TRACE) this.past.shift();
    pen.strokeStyle = "rgba(255,255,255,0.3)";
    pen.lineWidth = 1;
    for (const part of [0.5 / FULL, 1 / FULL]) {
      pen.beginPath();
      pen.arc(x, y, r * part, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.beginPath();
    pen.moveTo(x - r, y);
    pen.lineTo(x + r, y);
    pen.moveTo(x, y - r);
    pen.lineTo(x, y + r);
    pen.stroke();
    const at = ([left, ahead]) => [x - (left / FULL) * r, y - (ahead / FULL) * r]; // pushed the other way than a body feels
    this.past.forEach((one, k) => dot(pen, ...at(one), 2, `rgba(255,212,59,${(0.5 * k) / this.past.length})`));
    dot(pen, ...at(now), 5, "#ffd43b");
    write(pen, `${Math.hypot(...now).toFixed(2)} g`, x, 118, "12px system-ui, sans-serif", INK);
  }

  // A bar for each tyre: as wide as it is loaded, green to red as it slides.
  _tyres(pen, width) {
    const { wheels } = this.instruments, xs = [...new Set(wheels.map(({ x }) => x))].sort((a, b) => b - a);
    const most = Math.max(...wheels.map(({ load }) => this.read(load) ?? 0), this.most ?? 1);
    this.most = most;
    const each = 96 / xs.length;
    for (const { x, y, load, slip } of wheels) {
      const row = xs.indexOf(x), loaded = (this.read(load) ?? 0) / most, sliding = Math.min(Math.abs(this.read(slip) ?? 0), 1);
      const middle = width / 2 - (y > 0 ? 26 : -26), down = 10 + each * row, high = each - 8;
      pen.fillStyle = "rgba(255,255,255,0.14)";
      pen.fillRect(middle - 18, down, 36, high);
      pen.fillStyle = `hsl(${Math.round(130 * (1 - sliding))} 80% 55%)`;
      const wide = 36 * Math.min(Math.max(loaded, 0), 1);
      pen.fillRect(middle - wide / 2, down, wide, high);
      if (high > 20) write(pen, `${((this.read(load) ?? 0) / 1000).toFixed(1)}`, middle, down + high / 2 + 4, "11px system-ui, sans-serif", "#0b1116");
    }
    write(pen, "load kN, slip", width / 2, 120, "10px system-ui, sans-serif", SOFT);
  }
}

function arc(pen, x, y, r, from, to, width, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.arc(x, y, r, from, to);
  pen.stroke();
}

function dot(pen, x, y, r, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fill();
}

function write(pen, text, x, y, font, colour) {
  pen.font = font;
  pen.fillStyle = colour;
  pen.textAlign = "center";
  pen.fillText(text, x, y);
}
