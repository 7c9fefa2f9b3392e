"""Speed of all vehicles of a folder of Chrono's data: instructions, time of an evaluation, real time.

They are settled and driven straight ahead, nothing else, so that the table takes minutes.  The shortest of
several times counts.
"""

import sys
import time
import warnings
from pathlib import Path

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from tests.benchmarks.timing import best_of, evaluation, machine
from tests.chrono_vehicles.fleet import SPEED, run, vehicles

DURATION = 2.0
"""[s], of the runs that are timed."""
RUNS, BATCHES = 4, 200
"""Numbers of runs and of evaluations; the shortest counts."""
BATCH = 1e-3
"""[s]: short enough to fall between two interruptions on a machine that does other work as well."""


def row(path: Path) -> str:
    """A line of the table; of a vehicle that does not stand, why."""
    data = VehicleParameters.load(path)
    model = ce.compile(build(data, speed=SPEED))
    axles, freedoms = len(data.corners) // 2, len(model.layout.v)
    instructions = model.trace_dynamics().n_instructions
    try:
        speed = f"{real_time(model, settle(model)):.0f}"
    except CeDynamicsError as error:
        speed = str(error)
    took = 1e6 * best_of(evaluation(model), BATCHES, BATCH)
    figures = f"{axles} | {freedoms} | {instructions:,} | {took:.2f} | {speed}"
    return f"| `{path.stem}` | {figures} |"


def real_time(model: Model, y0: Floats) -> float:
    """Return simulated seconds per second of processor time: RK4 with 1 ms, straight ahead."""
    run(model, y0, 0.1)  # compiles what a run needs
    spent = []
    for _ in range(RUNS):
        start = time.process_time()
        run(model, y0, DURATION, throttle=0.1)
        spent.append(time.process_time() - start)
    return DURATION / min(spent)


def main(folder: Path) -> None:
    warnings.simplefilter("ignore", PhysicalityWarning)
    print(", ".join(f"{what}: {said}" for what, said in machine().items()), file=sys.stderr)
    print("| vehicle | axles | degrees of freedom | instructions | µs | × real time |")
    print("| --- " * 6 + "|")
    for path in vehicles(folder):
        print(row(path), flush=True)
