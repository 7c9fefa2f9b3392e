"""``simulate-vehicle determinism``: one drive computed in every way, and hashes of its states."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics import vehicles
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.cli.messages import FAILED, OK
from ce_dynamics.cli.options import Determinism
from ce_dynamics.cli.progress import Display
from ce_dynamics.compiled.export.c_source import export_c
from ce_dynamics.compiled.export.fmu import export_fmu
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.code_levels import VARIABLE
from ce_dynamics.simulation.ensembles.arguments import HeldInputs
from ce_dynamics.simulation.ensembles.simulation import simulate_ensemble
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.results import quantity
from ce_dynamics.simulation.simulate import simulate
from ce_dynamics.views.drive.machine import Machine
from ce_dynamics.views.drive.page import machine_content, module
from ce_dynamics.views.scene.page import WEB, Packed

STEERING = 0.3, -0.3, 0.6, -0.6, 0.0
"""Steering input of each stretch [1]."""
STRETCH, INTERVAL, STEP = 2.0, 0.01, 1e-3
"""Length of a stretch, time between states that count, step of the Runge–Kutta method [s]."""
STORED = round(STRETCH / INTERVAL)
SUBSTEPS = round(INTERVAL / STEP)
NAME = "drive"

DRIVER = f"""#include "{NAME}.h"
#include <stdio.h>
#include <string.h>

int main(void)
{{
    static const double steering[] = {{%(steering)s}};
    double y[{NAME.upper()}_STATES], u[{NAME.upper()}_U], t;
    int j, k;

    memcpy(y, {NAME}_y0, sizeof y);
    memcpy(u, {NAME}_u0, sizeof u);
    fwrite(y, sizeof y, 1, stdout);
    for (j = 0; j < {len(STEERING)}; ++j)
        for (k = 0; k < {STORED}; ++k) {{
            u[%(place)d] = steering[j];
            t = 0.0;
            if ({NAME}_advance(y, u, &t, {INTERVAL}, {STEP}) != 0)
                return 1;
            fwrite(y, sizeof y, 1, stdout);
        }}
    return 0;
}}
"""
"""Program in C that writes the states as bytes."""

PAGE = f"""
import {{ readFileSync, writeFileSync }} from "node:fs";
import {{ Physics }} from "./physics.mjs";
const {{ machine, place, steering }} = JSON.parse(readFileSync("drive.json"));
const physics = await Physics.from(readFileSync("drive.wasm"), machine);
const rows = [...physics.y];
for (const value of steering)
  for (let k = 0; k < {STORED}; ++k) {{
    physics.u[place] = value;
    if (physics.steps({SUBSTEPS}, {STEP}) !== {SUBSTEPS}) throw new Error("a step fails");
    rows.push(...physics.y);
  }}
writeFileSync("states", new Uint8Array(Float64Array.from(rows).buffer));
"""
"""Script for Node.js that drives with the physics of a page."""

Way = Callable[[Model, Floats, Path], bytes]


def run(options: Determinism) -> int:
    """Print the hashes."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "portable"  # of processes started here, too
    try:
        return drive_all(options)
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


def drive_all(options: Determinism) -> int:
    """Print the hash of every way."""
    found: dict[str, str] = {}
    with Display() as display, tempfile.TemporaryDirectory(prefix="ce-dynamics-") as scratch:
        display.stage("preparing the model")
        case = vehicles.load(options.vehicle).prepare(speed=options.speed, practice=False)
        for way, (drive, needed) in WAYS.items():
            missing = [what for what in needed if not is_there(what)]
            display.stage(way)
            if missing:
                found[way] = f"skipped: {' and '.join(missing)} not found"
            else:
                found[way] = hashlib.sha256(drive(case.model, case.y0, Path(scratch))).hexdigest()
        if options.keep is not None:
            c_folder(case.model, case.y0, options.keep)
    for way, shown in found.items():
        print(f"{way:<16}{shown}")
    hashes = {shown for shown in found.values() if not shown.startswith("skipped")}
    return OK if len(hashes) == 1 else FAILED


def is_there(what: str) -> bool:
    """Return True if a program or a Python package is installed."""
    return shutil.which(what) is not None or importlib.util.find_spec(what) is not None


def states(model: Model, run: Any) -> Floats:
    """Return the states of a stored run, one row per instant."""
    entries = (*model.layout.q, *model.layout.v, *model.layout.x)
    return np.stack([quantity(run, entry.name).values for entry in entries], axis=-1)


def as_bytes(rows: Any) -> bytes:
    """Return states as little-endian doubles."""
    return np.asarray(rows, dtype="<f8").tobytes()


def run_in_stretches(model: Model, y0: Floats, _: Path) -> bytes:
    """Drive stretch by stretch with `simulate`."""
    rows = [np.array([y0])]
    for steering in STEERING:
        held = simulate(
            model,
            {"steering": steering},
            duration=STRETCH,
            y0=rows[-1][-1],
            method="rk4",
            step=STEP,
            interval=INTERVAL,
        )
        rows.append(states(model, held)[1:])
    return as_bytes(np.concatenate(rows))


def run_in_simulator(model: Model, y0: Floats, _: Path) -> bytes:
    """Drive from outside, interval by interval."""
    simulator = Simulator(model, method="rk4", step=STEP, y0=y0)
    rows = [y0]
    for steering in STEERING:
        rows += [simulator.step(INTERVAL, steering=steering).copy() for _ in range(STORED)]
    return as_bytes(rows)


def run_in_ensemble(model: Model, y0: Floats, _: Path, *, lanes: int, threads: int) -> bytes:
    """Drive among other runs, which steer less; the last one counts."""
    runs = 2 * lanes
    steering = np.linspace(0.5, 1.0, runs)[:, np.newaxis] * np.array(STEERING)
    controls = HeldInputs(STRETCH * np.arange(len(STEERING)), {"steering": steering})
    found = simulate_ensemble(
        model,
        np.repeat(y0[np.newaxis], runs, axis=0),
        controls=controls,
        duration=STRETCH * len(STEERING),
        interval=INTERVAL,
        step=STEP,
        lanes=lanes,
        threads=threads,
    )
    return as_bytes(states(model, found.isel(run=-1)))


def run_in_process(model: Model, y0: Floats, folder: Path) -> bytes:
    """Drive in another process, which gets the model pickled."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(run_in_simulator, model, y0, folder).result()


def steering_place(model: Model) -> int:
    """Return the place of the steering among inputs and parameters."""
    return [entry.name for entry in model.layout.u].index("steering")


def c_folder(model: Model, y0: Floats, folder: Path) -> list[str]:
    """Write the C source with its driver; return the C files."""
    export_c(model, folder, NAME, y0=y0)
    text = DRIVER % {"steering": ", ".join(map(repr, STEERING)), "place": steering_place(model)}
    (folder / "main.c").write_text(text, "utf-8")
    return [str(folder / f"{NAME}.c"), str(folder / "main.c")]


def run_in_c(model: Model, y0: Floats, folder: Path) -> bytes:
    """Drive in a program of C."""
    program = folder / "drive.exe"
    compiler = [sys.executable, "-m", "ziglang", "cc"]
    flags = ["-std=c99", "-O1", "-ffp-contract=off"]
    subprocess.run([*compiler, *flags, *c_folder(model, y0, folder), "-o", str(program), "-lm"], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True).stdout


def run_in_fmu(model: Model, y0: Floats, folder: Path, *, fmi: str) -> bytes:
    """Drive an FMU by co-simulation."""
    import fmpy  # here, because it is part of an extra
    from fmpy.fmi2 import FMU2Slave

    path = folder / f"drive-{fmi[0]}.fmu"
    export_fmu(model, path, fmi=fmi, platforms=[fmpy.platform_tuple], y0=y0, step=STEP)
    described = fmpy.read_model_description(str(path))
    number = {variable.name: variable.valueReference for variable in described.modelVariables}
    entries = (*model.layout.q, *model.layout.v, *model.layout.x)
    references = [number[entry.name] for entry in entries]
    unit = fmpy.instantiate_fmu(
        fmpy.extract(str(path), str(folder / f"fmu-{fmi[0]}")), described, "CoSimulation"
    )
    if isinstance(unit, FMU2Slave):
        unit.setupExperiment()
        get, put = unit.getReal, unit.setReal
    else:
        get, put = unit.getFloat64, unit.setFloat64
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    rows = [get(references)]
    for j, steering in enumerate(STEERING):
        put([number["steering"]], [steering])
        for k in range(STORED):
            unit.doStep(currentCommunicationPoint=(j * STORED + k) * INTERVAL, communicationStepSize=INTERVAL)
            rows.append(get(references))
    unit.terminate()
    unit.freeInstance()
    return as_bytes(rows)


def run_in_page(model: Model, y0: Floats, folder: Path) -> bytes:
    """Drive the WebAssembly of a page in Node.js."""
    machine = Machine(NAME, model, y0)
    content = machine_content(machine, Packed())
    about = {"machine": content, "place": steering_place(model), "steering": STEERING}
    (folder / "drive.json").write_text(json.dumps(about), "utf-8")
    (folder / "drive.wasm").write_bytes(module(machine))
    (folder / "physics.mjs").write_text((WEB / "physics.js").read_text("utf-8"), "utf-8")
    (folder / "drive.mjs").write_text(PAGE, "utf-8")
    subprocess.run(["node", "drive.mjs"], cwd=folder, check=True)
    return (folder / "states").read_bytes()


WAYS: dict[str, tuple[Way, tuple[str, ...]]] = {
    "single run": (run_in_stretches, ()),
    "simulator": (run_in_simulator, ()),
    "lanes": (partial(run_in_ensemble, lanes=8, threads=1), ()),
    "threads": (partial(run_in_ensemble, lanes=4, threads=2), ()),
    "process": (run_in_process, ()),
    "C": (run_in_c, ("ziglang",)),
    "FMU 2.0": (partial(run_in_fmu, fmi="2.0"), ("ziglang", "fmpy")),
    "FMU 3.0": (partial(run_in_fmu, fmi="3.0"), ("ziglang", "fmpy")),
    "WebAssembly": (run_in_page, ("node",)),
}
"""By name: the function that drives, and the programs and packages it needs."""
