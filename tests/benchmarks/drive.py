"""Physics in a page: how fast WebAssembly steps vehicles in Node.js, whose engine is Chromium's."""

import gzip
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from ce_dynamics.models.vehicles.drive import VEHICLES, drive_page
from ce_dynamics.views.drive.machine import Machine
from ce_dynamics.views.drive.page import machine_content, module
from ce_dynamics.views.scene.page import WEB, Packed
from tests.benchmarks.report import Options, Result, Table, number

SCRIPT = """
import { readFileSync } from "node:fs";
import { Physics } from "./physics.mjs";
const machine = JSON.parse(readFileSync("machine.json"));
const physics = await Physics.from(readFileSync("machine.wasm"), machine);
const best = (times, run) => Math.min(...Array.from({ length: times }, () => {
    physics.reset();
    physics.u[1] = 0.5;
    physics.steps(200, 1e-3);
    const begin = performance.now();
    run();
    return performance.now() - begin;
}));
const bursts = 20;  // short, as another process may take the processor at any time
const step = bursts * best(bursts * machine.repeats, () => physics.steps(1000 / bursts, 1e-3));
const frame = best(bursts * machine.repeats, () => {
    physics.steps(16, 1e-3);
    physics.observe();
    physics.picture();
});
console.log(JSON.stringify({ step, frame }));
"""


def run(options: Options) -> Result:
    """Sizes and speeds of the shipped vehicles, with their sliders."""
    node = shutil.which("node")
    if node is None:
        return Result((Table("Physics in a page", ("what",), (("there is no Node.js",),)),), {})
    rows, data = [], {}
    for vehicle in VEHICLES[:1] if options.quick else VEHICLES:
        (machine,) = drive_page([vehicle], sliders=[] if options.quick else None).machines
        began = time.perf_counter()
        code = module(machine)
        compiling = time.perf_counter() - began
        found = measured(node, machine, code, 1 if options.quick else 5)
        size, packed = len(code) / 1e3, len(gzip.compress(code)) / 1e3
        factor = 1000.0 / found["step"]
        rows.append(
            (vehicle, *(number(x) for x in (size, packed, compiling, found["step"], factor, found["frame"])))
        )
        data[vehicle] = {**found, "bytes": len(code), "factor": factor}
    head = (
        "vehicle", "module, kB", "compressed, kB", "compiled in, s", "µs per step", "× real time",
        "ms per frame",
    )  # fmt: skip
    note = (
        "WebAssembly in Node.js, steps of 1 ms of the classical Runge–Kutta method, best of repeats; a frame "
        "is 16 steps, all outputs, and the places of all bodies and forces."
    )
    return Result((Table("Physics in a page", head, tuple(rows), (note,)),), data)


def measured(node: str, machine: Machine, code: bytes, repeats: int) -> dict[str, float]:
    """Milliseconds of a thousand steps, which is microseconds of one, and of a frame."""
    about = machine_content(machine, Packed()) | {"repeats": repeats}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "machine.json").write_text(json.dumps(about))
        (folder / "machine.wasm").write_bytes(code)
        (folder / "physics.mjs").write_text((WEB / "physics.js").read_text("utf-8"))
        (folder / "run.mjs").write_text(SCRIPT)
        done = subprocess.run([node, "run.mjs"], cwd=folder, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found
