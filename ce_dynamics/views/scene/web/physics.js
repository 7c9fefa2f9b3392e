// A model as WebAssembly: its memory as arrays, steps, outputs, pictures.  Needs no page: Node.js runs it, too.

export class Physics {
  static async from(bytes, machine) {
    const { instance } = await WebAssembly.instantiate(bytes);
    return new Physics(instance.exports, machine);
  }

  constructor(exports, { states, given, outputs, y0, u0, take }) {
    this.exports = exports;
    this.start = { y: y0, u: u0 };
    const array = (name, length) => new Float64Array(exports.memory.buffer, exports[name](), length);
    this.y = array("y", states.length);
    this.u = array("u", given.length);
    this.outputs = array("outputs", outputs.length);
    this.places = array("places", 12 * (take?.bodies.length ?? 0));
    this.arrows = array("arrows", 6 * (take?.forces.length ?? 0));
    this.reset();
  }

  reset() {
    this.y.set(this.start.y);
    this.u.set(this.start.u);
    this.made = 0;
  }

  // How many of n steps went well.
  steps(n, h) {
    const done = this.exports.steps(n, h, this.made);
    this.made += done;
    return done;
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
    const address = this.exports.refused();
    if (!address) return "";
    const bytes = new Uint8Array(this.exports.memory.buffer, address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }
}
