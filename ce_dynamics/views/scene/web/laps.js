// Laps of a circle: turns about its centre between two radii, from anywhere.

export class Laps {
  constructor(circuit) {
    this.circuit = circuit;
    this.best = null;
    this.clear();
  }

  clear() {
    Object.assign(this, { turned: 0, angle: null, begun: 0, last: null });
  }

  // Where the vehicle is at a time.
  at(x, y, t) {
    const { circuit } = this, dx = x - circuit.x, dy = y - circuit.y, r = Math.hypot(dx, dy), angle = Math.atan2(dy, dx);
    if (r < circuit.inner || r > circuit.outer) { this.angle = null; return; }
    if (this.angle === null) Object.assign(this, { turned: 0, begun: t });
    else {
      const before = this.turned;
      this.turned += Math.atan2(Math.sin(angle - this.angle), Math.cos(angle - this.angle));
      if (Math.abs(this.turned) >= 2 * Math.PI) {
        const end = t - (t - this.time) * (Math.abs(this.turned) - 2 * Math.PI) / Math.abs(this.turned - before);
        this.last = end - this.begun;
        this.best = Math.min(this.best ?? Infinity, this.last);
        Object.assign(this, { turned: this.turned - Math.sign(this.turned) * 2 * Math.PI, begun: end });
      }
    }
    Object.assign(this, { angle, time: t });
  }

  text(t) {
    const running = this.angle === null ? "" : `lap ${(t - this.begun).toFixed(1)} s`, last = this.last === null ? "" : `last ${this.last.toFixed(2)} s`;
    return [running, last, this.best === null ? "" : `best ${this.best.toFixed(2)} s`].filter(Boolean).join(", ");
  }
}
