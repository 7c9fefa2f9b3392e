// An axle as WebAssembly: poses of given travel by Newton's method, and figures in them.  Needs no page.

export class Axle {
  static async from(bytes, content) {
    const { instance } = await WebAssembly.instantiate(bytes);
    return new Axle(instance.exports, content);
  }

  constructor(exports, content) {
    this.exports = exports;
    this.content = content;
    for (const [name, length] of Object.entries(content.sizes)) {
      this[name] = new Float64Array(exports.memory.buffer, exports[name](), Math.max(length, 1));
    }
    this.values = content.start.slice(content.start.length - content.parameters.length);
  }

  // Values of the parameters; the answer is empty, or says why they are refused, and the old ones stay.
  set(values) {
    const before = this.values;
    this.values = values;
    this.c.set(this.#design());
    this.exports.decide();
    const bad = this.content.refusals.findIndex((_, k) => this.kept[k] === 0);
    const why = bad >= 0 ? this.content.refusals[bad] : this.#to(this.#design(), [0, 0]) ? "" : "the axle cannot be assembled in its design pose";
    if (why) this.values = before;
    return why;
  }

  #design() {
    const { start } = this.content;
    return [...start.slice(0, start.length - this.values.length), ...this.values];
  }

  home() {
    return this.#to(this.#design(), [0, 0]);
  }

  // Poses of travels (left, right) and parts of full lock, the nearest first; null where one is out of reach.
  solved(goals, locks) {
    const home = this.home(), found = goals.map(() => null);
    if (!home) return found;
    const size = goals.map(([a, b], k) => Math.hypot(Math.hypot(a, b), locks[k]));
    const first = size.indexOf(Math.min(...size));
    found[first] = this.led(home, goals[first], locks[first]);
    for (const way of [1, -1]) {
      for (let k = first + way; k >= 0 && k < goals.length && found[k - way]; k += way) {
        found[k] = this.led(found[k - way], goals[k], locks[k]);
      }
    }
    return found;
  }

  // From a pose to a travel and a part of full lock, in parts as long as Newton's method follows.
  led(c, goal, lock) {
    const { moved, steered, newton } = this.content, full = lock * this.content.lock;
    const s0 = steered ? c[moved] : 0;
    const far = Math.max(...this.travelOf(c).map((z, k) => Math.abs(goal[k] - z)));
    const longest = Math.min(1, newton.stride / Math.max(far, newton.stride));
    let z0 = null, done = 0, part = longest, here = c;
    for (;;) {
      const there = Math.min(1, done + part), ahead = [...here];
      if (steered) ahead[moved] = s0 + there * (full - s0);
      if (there < 1 && !z0) z0 = this.travelOf(c);
      const wanted = there === 1 || !z0 ? goal : z0.map((z, k) => z + there * (goal[k] - z));
      const found = this.#to(ahead, wanted);
      if (found && there === 1) return found;
      if (found) [done, here, part] = [there, found, Math.min(longest, 2 * part)];
      else if ((part *= 0.5) < newton.shortest * longest) return null;
    }
  }

  travelOf(c) {
    this.c.set(c);
    this.goal.fill(0);
    this.exports.newton();
    return [...this.travel];
  }

  #to(c, goal) {
    const { closed, iterations } = this.content.newton;
    this.goal.set(goal);
    this.c.set(c);
    let before = Infinity, first = null;
    for (let k = 0; k < iterations; ++k) {
      this.exports.newton();
      const size = Math.max(...this.gap.map(Math.abs));
      if (size < closed) return !first || sameBranch(c, first, this.ahead) ? [...this.ahead] : null;
      if (!(size < Math.max(0.5 * before, 1e-11))) return null;
      first ??= [...this.ahead];
      before = size;
      this.c.set(this.ahead);
    }
    return null;
  }

  // Figures in a pose, in the order of the quantities: one number, or left and right.
  read(c) {
    this.c.set(c);
    this.exports.read();
    let at = 0;
    return this.content.quantities.map(({ per_wheel: both }) => (both ? [this.figures[at++], this.figures[at++]] : [this.figures[at++]]));
  }

  // A sweep by its name: what it is over, and figures by pose; null where a pose is out of reach.
  sweep(kind) {
    const { kinds, poses, travel } = this.content, [left, right, lock] = kinds[kind].way;
    const last = kind === "steering" ? 1 : travel;
    const x = Array.from({ length: poses }, (_, k) => -last + (2 * last * k) / (poses - 1));
    const found = this.solved(x.map((s) => [left * s, right * s]), x.map((s) => lock * s));
    return { x, rows: found.map((c) => c && this.read(c)) };
  }

  picture(c) {
    this.c.set(c);
    this.exports.picture();
    return this.places;
  }

  shape() {
    this.c.set(this.#design());
    this.exports.shape();
    return this.points;
  }
}

// Whether a first step of Newton's method and what it came to are of one branch: beyond a fold more than twice as long.
function sameBranch(c, first, last) {
  let off = 0, step = 0;
  c.forEach((x, k) => ((off += (last[k] - first[k]) ** 2), (step += (first[k] - x) ** 2)));
  return off <= step + 1e-16;
}
