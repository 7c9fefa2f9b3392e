"""The path-following driver on all shipped vehicles, on a folder of Chrono's, and on heavier and longer ones.

From 1 m/s to the fastest that each vehicle holds, on a dry and on a slippery road: the eigenvalues of the
model with its driver, and runs straight on and braking to rest.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning, SimulationError
from ce_dynamics.models.parts.manoeuvres.straight import Braking, StraightOn
from ce_dynamics.models.vehicles.case import Case, prepare
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.chrono_vehicles.fleet import vehicles

SPEEDS = 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0
"""[m/s]; those that a vehicle does not hold are left out."""
SLOW = 5.0
"""Speed up to which a vehicle in its first gear may go slower or faster than it is asked to [m/s]."""
ROADS = 0.8, 0.3
"""Friction coefficients."""
BESIDE = 0.05
"""Distance from the path at the start [m]."""
MOST = 0.5
"""Lateral acceleration of a calm run [m/s²]."""
DURATION = 6.0
"""Duration of runs [s]."""
FASTER = 10.0
"""[m/s] by which a driver lacks speed who uses full throttle."""
SETTLED = 1.0
"""Time after which a run that begins `BESIDE` its path is calm [s]."""
PEDAL, RISE = 0.4, 0.3
"""Brake pedal, and the time it takes [s].

In the first 0.3 s of an emergency persons reach moderate decelerations only, as this pedal's: K. W. Ising et
al., Proc. Hum. Factors Ergon. Soc. 56 (2012) 705-709.
"""
LOCKED, ROLLS = -0.5, 15.0 / 3.6
"""Slip of a wheel that locks, far beyond the peak of these tyres; the speed above which none may [m/s].

UN Regulations 13 and 13-H measure brakes without wheels that lock above 15 km/h: the driver eases the pedal.
"""
SAMPLE = 1.0, 5.0, 15.0, 30.0
"""Part of `SPEEDS`, for heavier vehicles [m/s]; they are driven on the dry road."""
CHANGES = (
    ("chassis.mass", 1.4),
    ("chassis.inertia.zz", 2.0),
)
"""Keys that make a vehicle heavier and slower to turn, with their factors."""
DIFFERENCE = 1e-6
COUNTING = "chassis.x", "chassis.qw"
"""Coordinates that only count up, or follow from the others; and the wheels' angles."""


class Found(NamedTuple):
    """Figures of one vehicle at a speed.

    ``growth`` [1/s] is that of the mode that grows most among those which the driver changes; ``ay`` the
    largest lateral acceleration straight on, ``braking`` that of braking to rest until a wheel locks [m/s²],
    with a brake of ``pedal``.  ``beside`` is the largest distance from the path straight on [m].  ``held`` is
    False of a speed above the vehicle's fastest, from which it slows down with full throttle.
    """

    growth: complex
    ay: float
    braking: float
    pedal: float
    beside: float
    held: bool

    @property
    def calm(self) -> bool:
        """Return True if it is stable and its acceleration small."""
        return self.growth.real < 0.0 and max(self.ay, self.braking) < MOST


def closed_loop(case: Case, closed: bool = True) -> NDArray[np.complex128]:
    """Eigenvalues of a model with its driver's steering, or with the steering held, by differences."""
    model, task = case.model, case.manoeuvre
    assert task is not None, "it is driven"
    control = model.control(task).bind()
    names = model.layout.y_names
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
    case = prepare(
        "straight", model=model, speed=speed, duration=DURATION, options={"friction": friction},
        overrides=overrides,
    )  # fmt: skip
    assert case.manoeuvre is not None, "it is driven"
    run = case.simulate_to_record(method="rk4")
    pedal, braking = brake(case, speed, friction)
    return Found(
        growth=complex(of_the_driver(case)[0]),
        ay=float(np.abs(run["ay"].values).max()),
        braking=braking,
        pedal=pedal,
        beside=float(np.abs(run["path_error"].values).max()),
        held=speed <= SLOW or can_accelerate(case, speed, friction),
    )


def can_accelerate(case: Case, speed: float, friction: float) -> bool:
    """Return True if the vehicle is faster in the end with full throttle."""
    assert case.manoeuvre is not None, "it is driven"
    faster = StraightOn(case.manoeuvre.driver, speed=speed + FASTER, friction=friction, duration=DURATION)
    vx = replace(case, manoeuvre=faster).simulate_to_record(method="rk4")["vx"].values
    return bool(vx[-1] > vx[0])


def brake(case: Case, speed: float, friction: float) -> tuple[float, float]:
    """Brake with half the pedal as often as a wheel locks; return the pedal and the largest |ay| [m/s²]."""
    assert case.manoeuvre is not None, "it is driven"
    pedal = PEDAL
    while True:
        options = {"friction": friction, "brake": pedal, "rise": RISE}
        braking = Braking(case.manoeuvre.driver, speed=speed, duration=DURATION, **options)
        run = replace(case, manoeuvre=braking).simulate_to_record(method="rk4")
        locks = (run["tyre_slip"].values < LOCKED).any(axis=1)
        if not (locks & (np.hypot(run["vx"].values, run["vy"].values) > ROLLS)).any():
            return pedal, float(np.abs(run["ay"].values)[~np.logical_or.accumulate(locks)].max())
        pedal *= 0.5


def heavier(model: str | Path) -> tuple[str, ...]:
    """Overrides that make a vehicle heavier and slower to turn."""
    from ce_dynamics.models.vehicles.description import VehicleParameters

    data = VehicleParameters.load(model, ()).data.chassis
    values = {"chassis.mass": (data.mass, "kg"), "chassis.inertia.zz": (data.inertia[2], "kg*m^2")}
    return tuple(f"{key}={factor * values[key][0]:.6g} {values[key][1]}" for key, factor in CHANGES)


class Trial(NamedTuple):
    """A vehicle on a road, by its name, and the speeds at which it is driven [m/s]."""

    name: str
    model: str | Path
    friction: float
    speeds: Sequence[float] = SPEEDS
    overrides: tuple[str, ...] = ()


def trials(folder: Path) -> Iterator[Trial]:
    models: list[str | Path] = [*SHIPPED, *vehicles(folder)]
    for model in models:
        for friction in ROADS:
            yield Trial(Path(model).stem, model, friction)
        yield Trial(f"{Path(model).stem}, heavier", model, ROADS[0], SAMPLE, heavier(model))


def main(folder: Path) -> None:
    """Print what is found, and end with 1 where a driver is not calm."""
    warnings.simplefilter("ignore", PhysicalityWarning)
    heads = (
        "vehicle", "friction", "m/s", "growth 1/s", "m/s² straight", "braking", "pedal", "m",
    )  # fmt: skip
    print(f"| {' | '.join(heads)} |\n" + "| --- " * len(heads) + "|")
    defects = 0
    runs: list[Found] = []
    fastest: dict[str | Path, float] = {}
    for trial in trials(folder):
        for speed in trial.speeds:
            if speed >= fastest.get(trial.model, np.inf):  # it did not hold that on the dry road
                break
            begin = f"| {trial.name} | {trial.friction} | {speed:g} |"
            try:
                found = driven(trial.model, speed, trial.friction, trial.overrides)
            except SimulationError as error:
                defects += 1
                print(f"{begin} DEFECT: {error} |", flush=True)
                continue
            except CeDynamicsError as error:  # it does not stand, or not at this speed
                print(f"{begin} refused: {error} |", flush=True)
                continue
            if not found.held:
                fastest.setdefault(trial.model, speed)
                break
            runs.append(found)
            defects += not found.calm
            figures = " | ".join(f"{figure:.3f}" for figure in found[:-1])
            print(f"{begin} {figures} |{' DEFECT' * (not found.calm)}", flush=True)
    if not runs:
        raise SystemExit("no vehicle was driven")
    growth, ay, braking = (
        max(each) for each in zip(*((one.growth.real, one.ay, one.braking) for one in runs), strict=True)
    )
    print(
        f"{len(runs)} speeds: the slowest mode grows by {growth:.3f} 1/s, straight on at most {ay:.3f} m/s²,"
        f" braking {braking:.3f} m/s²"
    )
    raise SystemExit(f"{defects} defects" if defects else 0)
