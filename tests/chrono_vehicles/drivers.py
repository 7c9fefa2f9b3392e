"""The path-following driver on all shipped vehicles, on a folder of Chrono's, and on heavier and longer ones.

From 1 m/s to the fastest that each vehicle holds, on a dry and on a slippery road: the eigenvalues of the
model with its driver, and runs straight on and braking to rest that begin `BESIDE` its path.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning, SimulationError
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.prepared import Case
from ce_dynamics.models.vehicles.shipped import SHIPPED
from tests.chrono_vehicles.fleet import vehicles

SPEEDS = 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0
"""[m/s]; those that a vehicle does not hold are left out."""
HELD = 0.9
"""Part of its speed that a vehicle has left after a run in which it holds it."""
SLOW = 5.0
"""Speed up to which a vehicle in its first gear may go slower or faster than it is asked to [m/s]."""
ROADS = 0.8, 0.3
"""Friction coefficients."""
BESIDE = 0.05
"""Distance from the path at the start [m]."""
MOST = 0.5
"""Lateral acceleration of a calm run [m/s²]."""
DURATION = 6.0
"""Of runs [s]."""
SETTLED = 1.0
"""Time in which a vehicle that its drag link pulls aside comes to its line, driven or not [s]."""
CHANGES = (
    ("chassis.mass", 1.4),
    ("chassis.inertia.zz", 2.0),
)
"""What makes a vehicle heavier and slower to turn: keys, and by how much."""
DIFFERENCE = 1e-6
COUNTING = "chassis.x", "chassis.qw"
"""Coordinates that only count up, or follow from the others; and the wheels' angles."""


class Found(NamedTuple):
    """Of one vehicle at a speed: the lateral mode that grows most [1/s], and what its runs did.

    ``growth`` is that of modes which the driver changes; ``ay`` the largest lateral acceleration straight on
    after `SETTLED` [m/s²], ``beside`` the largest distance from the path, of both runs, in their second half
    [m].
    """

    growth: complex
    ay: float
    beside: float
    speed: float


def closed_loop(case: Case, closed: bool = True) -> NDArray[np.complex128]:
    """Eigenvalues of a model with its driver's steering, or with the steering held, by differences."""
    model, task = case.model, case.manoeuvre
    assert task is not None, "it is driven"
    control = model.control(task).bind()
    names = [entry.name for entry in (*model.layout.q, *model.layout.v, *model.layout.x)]
    steering = [entry.name for entry in model.layout.u].index("steering")

    def driven(y: Floats) -> Floats:
        control.inputs["t"][0], control.inputs["y"][:] = 0.0, y
        control.run()
        return control.outputs["u"].copy()

    u0 = driven(case.y0)

    def rates(y: Floats) -> Floats:
        u = u0.copy()
        if closed:
            u[steering] = driven(y)[steering]
        return model.dynamics(y, u)[0].copy()

    kept = [k for k, name in enumerate(names) if name not in COUNTING and not name.endswith(".wheel")]
    A = np.empty((len(kept), len(kept)))
    for column, k in enumerate(kept):
        h = np.zeros(len(case.y0))
        h[k] = DIFFERENCE * max(1.0, abs(case.y0[k]))
        A[:, column] = ((rates(case.y0 + h) - rates(case.y0 - h)) / (2.0 * h[k]))[kept]
    return np.linalg.eigvals(A).astype(np.complex128)


def of_the_driver(case: Case) -> NDArray[np.complex128]:
    """Eigenvalues that the driver changes, those that grow most first.

    Those of the longitudinal motion are the same with the steering held, up to rounding of the differences:
    1e-16/1e-6 of stiffnesses around 1e4 per s² is 1e-6 of them, and 1e-3 is far from both.
    """
    own, held = closed_loop(case), closed_loop(case, closed=False)
    changed = [each for each in own if np.abs(each - held).min() > 1e-3 * max(1.0, abs(each))]
    return np.array(sorted(changed, key=lambda each: -each.real))


def beside(case: Case) -> Case:
    """The case with its vehicle `BESIDE` the path."""
    y0 = case.y0.copy()
    y0[[entry.name for entry in case.model.layout.q].index("chassis.y")] += BESIDE
    return Case(case.title, case.model, case.manoeuvre, y0, DURATION, case.attributes)


def driven(model: str | Path, speed: float, friction: float, overrides: Sequence[str] = ()) -> Found:
    """A vehicle with its driver at a speed."""
    options = {"friction": friction}
    ay, off, left = 0.0, 0.0, 0.0
    growth: complex = 0.0
    for name in ("straight", "braking"):
        case = prepare(name, model=model, speed=speed, options=options, overrides=overrides)
        run = beside(case).simulate_to_record(method="rk4")
        if name == "straight":  # wheels that lock as it brakes lead it aside, whoever drives
            growth = complex(of_the_driver(case)[0])
            ay = float(np.abs(run["ay"].values[run["time"].values > SETTLED]).max())
            left = float(run["vx"].values[-1])
        half = run["time"].values > 0.5 * DURATION
        off = max(off, float(np.abs(run["path_error"].values[half]).max()))
    return Found(growth, ay, off, left)


def heavier(model: str | Path) -> tuple[str, ...]:
    """Overrides that make a vehicle heavier and slower to turn."""
    from ce_dynamics.models.vehicles.case import load_parameters

    data = load_parameters(model, ()).data.chassis
    values = {"chassis.mass": (data.mass, "kg"), "chassis.inertia.zz": (data.inertia[2], "kg*m^2")}
    return tuple(f"{key}={factor * values[key][0]:.6g} {values[key][1]}" for key, factor in CHANGES)


def tried(folder: Path) -> Iterator[tuple[str, str | Path, tuple[str, ...]]]:
    """Names, models and overrides of all that is tried."""
    models: list[str | Path] = [*SHIPPED, *vehicles(folder)]
    for model in models:
        yield Path(model).stem, model, ()
        yield f"{Path(model).stem}, heavier", model, heavier(model)


def main(folder: Path) -> None:
    """Print what is found, and end with 1 where a driver is not calm."""
    warnings.simplefilter("ignore", PhysicalityWarning)
    print("| vehicle | friction | m/s | growth 1/s | m/s² | m beside |\n" + "| --- " * 6 + "|")
    defects = 0
    for name, model, overrides in tried(folder):
        for friction in ROADS:
            for speed in SPEEDS:
                try:
                    found = driven(model, speed, friction, overrides)
                except SimulationError as error:
                    defects += 1
                    print(f"| {name} | {friction} | {speed:g} | DEFECT: {error} |", flush=True)
                    continue
                except CeDynamicsError as error:  # it does not stand, or not at this speed
                    print(f"| {name} | {friction} | {speed:g} | refused: {error} |", flush=True)
                    continue
                if found.speed < HELD * speed and speed > SLOW:
                    break
                calm = found.growth.real < 0.0 and found.ay < MOST
                defects += not calm
                figures = f"{found.growth:.3f} | {found.ay:.3f} | {found.beside:.4f}"
                print(f"| {name} | {friction} | {speed:g} | {figures} |{' DEFECT' * (not calm)}", flush=True)
    raise SystemExit(f"{defects} defects" if defects else 0)
