// What was driven: inputs from the start, so that anybody can drive it again; outputs for tables.

const EVERY = 10; // steps between two rows of the table

export class Recorder {
  constructor(machine, step) {
    this.machine = machine;
    this.step = step;
    this.clear();
  }

  clear() {
    this.steps = 0;
    this.changes = [];
    this.rows = [];
  }

  // Before steps are made.
  inputs(u) {
    const last = this.changes.at(-1);
    if (last && u.every((x, k) => x === last[k + 1])) return;
    if (last?.[0] === this.steps) this.changes.pop();
    this.changes.push([this.steps, ...u]);
  }

  // After each of the steps.
  observed(outputs, u) {
    if (this.steps % EVERY === 0) this.rows.push([this.steps * this.step, ...u, ...outputs]);
  }

  // As Python reads it; numbers keep their bits.
  recording(y) {
    const { label, y0 } = this.machine;
    return { machine: label, step: this.step, steps: this.steps, y0, inputs: this.changes, end: [...y] };
  }

  csv() {
    const named = ([name, unit]) => `"${name.replaceAll('"', '""')}${unit === "1" ? "" : ` [${unit}]`}"`;
    const head = ['"time [s]"', ...this.machine.given.map(named), ...this.machine.outputs.map(named)];
    return [head, ...this.rows].map((row) => row.join(",")).join("\n") + "\n";
  }
}

// How many steps there are until the inputs change again or a row is due, n at most.
export function until(recorder, n, changes = []) {
  const next = changes.find(([step]) => step > recorder.steps)?.[0] ?? Infinity;
  return Math.min(n, next - recorder.steps, EVERY - (recorder.steps % EVERY));
}
