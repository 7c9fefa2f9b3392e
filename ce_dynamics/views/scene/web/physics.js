// A model as WebAssembly: its memory as arrays, steps, outputs, pictures.  Needs no page: Node.js runs it, too.

const NEAR = 1e-9; // periods: a sample that is late by no more counts as due

// How many samples of controllers lie before a time.
const samplesBefore = (t, period) => (period > 0 ? Math.ceil(t / period - NEAR) : 0);

export class Physics {
  static async from(bytes, machine) {
    const { instance } = await WebAssembly.instantiate(bytes);
    return new Physics(instance.exports, machine);
  }

  constructor(exports, { states, given, outputs, y0, u0, take, period, worn, refusals }) {
    Object.assign(this, { exports, period, worn, refusals, start: { y: y0, u: u0 } });
    const array = (name, length) => exports[name] && new Float64Array(exports.memory.buffer, exports[name](), length);
    const n = states.length;
    this.y = array("y", n);
    this.u = array("u", given.length);
    this.rate = array("y_dot", n);
    this.sampled = array("y_sampled", n);
    this.renewed = array("y_renewed", n);
    this.wear = array("wear", 1);
    this.kept = array("kept", refusals.length);
    this.outputs = array("outputs", outputs.length);
    this.places = array("places", 12 * (take?.bodies.length ?? 0));
    this.arrows = array("arrows", 6 * (take?.forces.length ?? 0));
    this.before = new Float64Array(n);
    this.from = new Float64Array(n);
    this.total = new Float64Array(n);
    this.reset();
  }

  reset() {
    this.y.set(this.start.y);
    this.u.set(this.start.u);
    this.made = 0;
  }

  // How many of n steps of length h went well.
  steps(n, h) {
    let done = 0;
    while (done < n && this.#advance(this.made * h, h)) { ++done; ++this.made; }
    return done;
  }

  // From t on for h, in one piece, or from sample to sample of controllers; false where a piece fails.
  #advance(t, h) {
    const { period } = this, begin = t, end = t + h, last = samplesBefore(end, period);
    let made = samplesBefore(t, period), between = true;
    while (between) {
      const due = made < last && made * period <= t + NEAR * period;
      if (due) ++made;
      between = made < last;
      const stop = between ? made * period : end;
      if (!this.#step(between || t !== begin ? stop - t : h, due)) return false;
      t = stop;
    }
    return true;
  }

  // A step of the classical Runge-Kutta method, operation by operation as ce_dynamics.views.drive.rerun makes it;
  // false, with the state as it was, where the result would not be finite.
  #step(h, due) {
    const { y, rate, before, from, total, exports } = this, n = y.length;
    before.set(y);
    if (due) { exports.sample(); y.set(this.sampled); }
    if (this.wear) { exports.renew(); if (this.wear[0] > this.worn) y.set(this.renewed); }
    from.set(y);
    exports.rate();
    for (let k = 0; k < n; ++k) { total[k] = rate[k]; y[k] = from[k] + 0.5 * h * rate[k]; }
    exports.rate();
    for (let k = 0; k < n; ++k) { total[k] += 2 * rate[k]; y[k] = from[k] + 0.5 * h * rate[k]; }
    exports.rate();
    for (let k = 0; k < n; ++k) { total[k] += 2 * rate[k]; y[k] = from[k] + h * rate[k]; }
    exports.rate();
    let finite = true;
    for (let k = 0; k < n; ++k) { y[k] = from[k] + (h / 6) * (total[k] + rate[k]); finite &&= Number.isFinite(y[k]); }
    if (!finite) y.set(before);
    return finite;
  }

  observe() {
    this.exports.observe();
    return this.outputs;
  }

  picture() {
    this.exports.picture();
  }

  points(length) {
    this.exports.shape();
    return new Float64Array(this.exports.memory.buffer, this.exports.points(), length);
  }

  // Why the values of the parameters cannot be used; empty if they can.
  refused() {
    if (!this.u.every(Number.isFinite)) return "an input or parameter is not finite";
    this.exports.decide();
    return this.refusals[this.kept.indexOf(0)] ?? "";
  }
}
