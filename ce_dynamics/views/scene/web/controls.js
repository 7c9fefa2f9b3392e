// What people press, push and touch, as values of inputs.

import { isTaken } from "./dom.js";

export class Controls {
  constructor(controls) {
    this.controls = controls.map((control) => ({ ...control, value: control.rest }));
    this.pressed = new Set();
    this.pads = { "left x": 0, "left y": 0, "right x": 0, "right y": 0 };
    this.known = new Set(controls.flatMap(({ keys }) => keys.flat()));
    this.listening = new AbortController();
    const { signal } = this.listening;
    window.addEventListener("keydown", (event) => this.#key(event, true), { signal });
    window.addEventListener("keyup", (event) => this.#key(event, false), { signal });
    window.addEventListener("blur", () => this.pressed.clear(), { signal });
  }

  close() {
    this.listening.abort();
  }

  #key(event, down) {
    if (!this.known.has(event.code) || (down && isTaken(event))) return;
    if (!down) { this.pressed.delete(event.code); return; } // a box that a space ticks is ticked now
    this.pressed.add(event.code);
    event.preventDefault();
  }

  rest() {
    this.pressed.clear();
    for (const control of this.controls) control.value = control.rest;
  }

  // A pad of the touch screen: where the finger is from the middle, -1 to 1 across and upwards.
  watch(pad, side) {
    const moved = (event) => {
      const { left, top, width, height } = pad.getBoundingClientRect();
      const limited = (x) => Math.min(Math.max(x, -1), 1);
      this.pads[`${side} x`] = limited((2 * (event.clientX - left)) / width - 1);
      this.pads[`${side} y`] = limited(1 - (2 * (event.clientY - top)) / height);
    };
    const { signal } = this.listening;
    const down = (event) => { pad.setPointerCapture(event.pointerId); moved(event); };
    pad.addEventListener("pointerdown", down, { signal });
    pad.addEventListener("pointermove", (event) => { if (event.buttons) moved(event); }, { signal });
    for (const name of ["pointerup", "pointercancel"]) {
      pad.addEventListener(name, () => { this.pads[`${side} x`] = this.pads[`${side} y`] = 0; }, { signal });
    }
  }

  // A gamepad shakes, 0 to 1, where the browser lets it.
  shake(strength) {
    const now = performance.now();
    if (!(strength > 0) || now < (this.quiet ?? 0)) return;
    this.quiet = now + SHAKEN;
    const effect = { duration: SHAKEN, strongMagnitude: Math.min(strength, 1), weakMagnitude: Math.min(strength, 1) };
    const { vibrationActuator, hapticActuators } = gamepadOf() ?? {};
    (vibrationActuator?.playEffect?.("dual-rumble", effect) ?? hapticActuators?.[0]?.pulse?.(effect.strongMagnitude, SHAKEN))?.catch(() => {});
  }

  // New values after a time, into u; read: the value of an output, for calm controls; ease: part of the others, 0 to 1.
  apply(u, passed, read = null, ease = 1) {
    const gamepad = gamepadOf();
    for (const control of this.controls) {
      const direct = analogue(control, gamepad, this.pads), part = gamepad || !read ? 1 : calmed(control, read);
      const [low, high] = control.between.map((end) => part * end);
      const [minus, plus] = control.keys.map((keys) => keys.some((key) => this.pressed.has(key)));
      if (direct !== 0) {
        control.value = direct > 0 ? direct * high : -direct * low;
      } else if (minus !== plus) {
        control.value += (plus ? 1 : -1) * control.rates[0] * passed;
      } else {
        const way = control.rest - control.value, most = control.rates[1] * passed;
        control.value += Math.min(Math.max(way, -most), most);
      }
      control.value = Math.min(Math.max(control.value, low), high);
      u[control.index] = control.calm ? control.value : control.rest + ease * (control.value - control.rest);
    }
  }
}

const SHAKEN = 100; // of a gamepad at a time [ms]

const gamepadOf = () => [...(navigator.getGamepads?.() ?? [])].find(Boolean);

// The part of its range that a control has now.
function calmed({ calm }, read) {
  if (!calm) return 1;
  const [output, value] = calm, now = Math.abs(read(output));
  return now > value ? (value / now) ** 2 : 1;
}

// What a gamepad or a touch pad says, -1 to 1; 0 where neither is used.
function analogue({ gamepad: where, touch }, gamepad, pads) {
  const DEAD = 0.06;
  let value = 0;
  if (touch) value = touch.startsWith("-") ? Math.max(-pads[touch.slice(1)], 0) : pads[touch];
  if (touch && !touch.startsWith("-") && touch.endsWith("y")) value = Math.max(value, 0);
  if (gamepad && where) {
    const [kind, number] = where.split(" "), k = Math.abs(Number(number));
    const raw = kind === "axis" ? (number.startsWith("-") ? -1 : 1) * (gamepad.axes[k] ?? 0) : gamepad.buttons[k]?.value ?? 0;
    if (Math.abs(raw) > DEAD) value = raw;
  }
  return value;
}
