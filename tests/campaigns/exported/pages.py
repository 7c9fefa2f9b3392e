"""Campaign ``exported.pages [VEHICLE ...] [--road ROAD] [--tyre FILE]``: vehicles driven in pages.

All shipped vehicles if none is named.  The physics of each page runs in Node.js, whose engine is Chromium's:
how fast, whether Python drives the recorded inputs again to the same bits, and where all bodies are then, by
the page and by the library.  Pages are below 2 MB.  Vehicles with sampled controllers roll at first, and are
braked in a bend on a wet road.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.vehicles.drive import drive_page
from ce_dynamics.models.vehicles.files import SHIPPED
from ce_dynamics.views.drive import rerun
from ce_dynamics.views.drive.machine import Machine
from ce_dynamics.views.drive.page import DrivePage, module
from tests.benchmarks.drive import measured
from tests.ce_dynamics.views.drive.test_drive import in_node, position, recording

LARGEST = 2e6
"""Bytes of a page."""
FASTEST = 10.0
"""Times real time that are wanted."""
DRIVE = """
const done = [];
for (const [steps, ...u] of JSON.parse(readFileSync("machine.json")).drive) {
  u.forEach((value, k) => { physics.u[k] = value; });
  done.push(physics.steps(steps, 1e-3));
}
physics.picture();
const answer = { done, y: [...physics.y], places: [...physics.places] };
"""
"""Steps with given inputs, again and again."""
PARTS = ((300, 0.0, 0.4, 0.0), (400, 0.3, 0.6, 0.0), (300, -0.2, 0.0, 0.0))
"""Milliseconds, steering, throttle and brake."""
BRAKED = ((300, 0.3, 0.6, 0.0), (400, 0.3, 0.0, 0.8), (300, -0.3, 0.0, 0.4))
"""Drives of vehicles with sampled controllers."""
ASSISTED = {"speed": 15.0, "overrides": ["road.friction=0.5"]}


def driven(page: DrivePage) -> str:
    """A page's only machine, in words."""
    (machine,) = page.machines
    size, model = len(page.html), machine.model
    names = [entry.name for entry in machine.interface.given]
    inputs: list[list[float]] = []
    drive: list[list[float]] = []
    for ms, *pedals in BRAKED if model.system.controllers else PARTS:
        u = np.array(model.u0)
        u[[names.index(name) for name in ("steering", "throttle", "brake")]] = pedals
        inputs.append([sum(int(part[0]) for part in drive), *u.tolist()])
        drive.append([ms, *u.tolist()])
    script = DRIVE.replace('JSON.parse(readFileSync("machine.json")).drive', repr(drive))
    with tempfile.TemporaryDirectory() as folder:
        found = in_node(machine, script, Path(folder))
    steps = sum(int(part[0]) for part in drive)
    if found["done"] != [part[0] for part in drive]:
        return f"WRONG: stopped after {found['done']} steps"
    again = rerun(machine, recording(machine, steps, inputs, found["y"]))
    off = apart(machine, again.states[-1], np.array(drive[-1][1:]), np.array(found["places"]))
    node = shutil.which("node")
    assert node is not None
    fast = 1000.0 / measured(node, machine, module(machine), 5)["step"]
    run = np.max(np.abs(again.states[-1] - simulated(machine, drive)))
    wrong = [
        *(["not the same bits"] if not again.same else []),
        *([f"{size / 1e6:.2f} MB"] if size > LARGEST else []),
        *([f"{fast:.1f} x real time"] if fast < FASTEST else []),
        *([f"bodies {off:.1e} m apart"] if off > 1e-9 else []),
        *([f"states {run:.1e} from those of a simulator"] if run > 1e-9 else []),
    ]
    said = f"{fast:5.1f} x real time, {size / 1e6:.2f} MB, same bits, bodies within {off:.0e} m"
    said += f", states within {run:.0e} of a simulator's{remembered(machine, again.states)}"
    return f"WRONG: {', '.join(wrong)}; {said}" if wrong else said


def simulated(machine: Machine, drive: Sequence[Sequence[float]]) -> Floats:
    """Return the end of the same inputs and steps by a simulator: the library's own integrator."""
    simulator = ce.Simulator(machine.model, method="rk4", step=1e-3, y0=machine.y0)
    names = [entry.name for entry in machine.interface.given]
    for ms, *u in drive:
        y = simulator.step(1e-3 * ms, **dict(zip(names, u, strict=True)))
    return y.copy()


def remembered(machine: Machine, states: Floats) -> str:
    """The largest number without unit that each sampled controller remembered on the way."""
    found: dict[str, float] = {}
    for k, entry in enumerate(machine.interface.states):
        if k not in machine.interface.continuous and entry.unit == "1" and not entry.name.endswith("samples"):
            owner = entry.name.partition(".")[0]
            found[owner] = max(found.get(owner, 0.0), float(np.abs(states[:, k]).max()))
    return "".join(f"; {owner} {most:.2f}" for owner, most in found.items())


def apart(machine: Machine, y: Floats, u: Floats, places: Floats) -> float:
    """Return the distance of chassis and wheels in the page from those of the uncompiled equations [m]."""
    names = [body.name for body in machine.take.bodies]
    seen = [name for name in names if name == "chassis" or name.endswith(".wheel")]
    assert len(seen) > 4, names
    return max(
        float(np.abs(places[12 * k : 12 * k + 3] - position(machine.model, name, y, u)).max())
        for k, name in enumerate(names)
        if name in seen
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each vehicle; how many are not as they should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign exported.pages")
    parser.add_argument("vehicles", nargs="*", default=list(SHIPPED))
    parser.add_argument("--road")
    parser.add_argument("--tyre", action="append", default=[])
    chosen = parser.parse_args(arguments)
    wrong = 0
    for vehicle in chosen.vehicles:
        began = time.perf_counter()
        try:
            about: dict[str, Any] = ASSISTED if vehicle.endswith("-assisted") else {}
            page = drive_page([vehicle], road=chosen.road, tyres=chosen.tyre, **about)
            if chosen.tyre:
                page = DrivePage(page.machines[1:2])
            said = driven(page)
        except CeDynamicsError as error:
            said = f"refused: {error}"
        wrong += said.startswith("WRONG")
        print(f"{vehicle:18} {said} ({time.perf_counter() - began:.0f} s)", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
