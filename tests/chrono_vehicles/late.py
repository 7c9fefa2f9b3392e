"""Vehicles on tyres that push two steps late, as Chrono's do, beside recordings of Chrono's own runs.

From t to t + h Chrono's tyres push as the state at t − 2 h has it (`tests.models.tyres.test_chrono_order`).
Here forces and moments of tyres are kept as states, which stand still within Chrono's steps of length h.  All
else is integrated as Chrono does it, by Euler's method with positions of the new velocities.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.cli.compare import head
from ce_dynamics.compiled.model import compile as compile_system
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad
from ce_dynamics.models.vehicles import comparison
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.recordings import ChronoRecording, RecordedInputs, recordings
from ce_dynamics.models.vehicles.comparison import ComparedVehicle
from ce_dynamics.models.vehicles.tyre_kinds import model_of
from ce_dynamics.simulation.results import Record, record
from ce_dynamics.simulation.right_hand_side import RightHandSide

FORCES = {"Fx": "N", "Fy": "N", "Fz": "N", "Mx": "N*m", "My": "N*m", "Mz": "N*m"}
STEPS = 2
"""Number of steps by which forces are late."""


class LateTyre(TyreModel):
    """A tyre that pushes as its last states have it, whose rates are the differences from forces of now."""

    def __init__(self, tyre: TyreModel) -> None:
        self.tyre = tyre
        late = (StateDeclaration(f"late_{name}", unit) for name, unit in FORCES.items())
        self.states = (*tyre.states, *late)

    @property
    def unloaded_radius(self) -> float:
        return self.tyre.unloaded_radius

    @property
    def tread_width(self) -> float:
        return self.tyre.tread_width

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        n = len(self.tyre.states)
        now, late = self.tyre.evaluate(wheel, x[:n]), dict(zip(FORCES, x[n:], strict=True))
        changes = [getattr(now, name) - value for name, value in late.items()]
        return now._replace(**late, x_dot=(*now.x_dot, *changes))


def drive_late(subject: ComparedVehicle, recording: ChronoRecording) -> Record:
    """Return the run of a vehicle by a recording's inputs, on tyres that push late."""
    tyres = {name: LateTyre(model_of(one.tyre, one.side)) for name, one in subject.data.corners.items()}
    model = compile_system(build(subject.data, speed=comparison.START_SPEED, tyres=tyres))
    names = model.layout.y_names
    late = np.array(["late_" in name for name in names])
    positions = np.isin(names, [entry.name for entry in model.layout.q])
    known = dict(zip(subject.model.layout.y_names, subject.start(recording), strict=True))
    y = np.array([known.get(name, 0.0) for name in names])
    rhs = RightHandSide(model, RecordedInputs.of(recording, subject.lock))
    h, end = float(recording.facts["step"]), float(recording["t"][recording.compared][-1])
    every = round(recording.interval / h)
    y[late] = rhs(0.0, y)[late]
    rows, waiting = [y.copy()], [y[late]] * (STEPS - 1)
    for n in range(round(end / h)):
        rates = rhs(n * h, y)
        waiting.append(rates[late] + y[late])
        moved = y + h * rates
        moved[positions], moved[late] = y[positions], y[late]
        y = moved + h * positions * rhs(n * h, moved)
        y[late] = waiting.pop(0)
        if (n + 1) % every == 0:
            rows.append(y.copy())
    t, Y = recording.interval * np.arange(float(len(rows))), np.array(rows)
    about = {"method": f"{STEPS} steps late", "processor_time_s": np.inf}
    return record(model, t, Y, rhs.inputs_over(t, Y), about)


def main(folder: Path, data: Path, *names: str) -> None:
    """Print the rows of the comparison, on tyres that push at once and late, whose times mean nothing."""
    print(head(comparison.ComparedRun.TITLES))
    for recording in recordings(folder, names):
        if not recording.is_rest:
            subject = ComparedVehicle(recording, data, like_chrono=True)
            for run in (comparison.drive(subject, recording), drive_late(subject, recording)):
                print(comparison.compare_run(subject, recording, run).row(), flush=True)
