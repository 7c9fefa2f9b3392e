"""Vehicles of Project Chrono beside recordings of Chrono's own runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model, compile as compile_system
from ce_dynamics.dynamics.energy import momentum
from ce_dynamics.errors import SimulationError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.axles import axle_names, order_axles
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.pairing import FileChoice
from ce_dynamics.models.vehicles.chrono.recordings import ChronoRecording, RecordedInputs, rotation
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import PARKED
from ce_dynamics.simulation.options import Method, RunOptions
from ce_dynamics.simulation.results import Record, states_and_inputs
from ce_dynamics.simulation.right_hand_side import Inputs
from ce_dynamics.simulation.simulate import simulate_to_record

SIDES = {"L": "left", "R": "right"}
SETTLING = 5.0
"""Time in which vehicles come to rest [s]."""
STRAIGHT = 1.0, 1.98
"""Time in which vehicles roll straight ahead before they steer [s]."""
STEP = 2e-3
"""Fixed step of a run, halved where bushings yield [s]."""
STIFF: Method = "rosenbrock"
"""Method of vehicles that are too stiff for others."""
LOCKING = "minres"
"""Chrono's solver that, like its direct ones, takes clutches for equalities; its differentials have one."""
LOCK = "{kind: locked, stiffness: 1e5 N*m/rad, damping: 500 N*m*s/rad}"
"""A differential that is locked all but rigidly, for the wheels' inertia of some kg m²."""
TIMED_RUNS = 3
"""Runs of which the fastest counts."""
START_SPEED = 12.0
"""Speed of a model built to roll [m/s]; runs start at the speed of their recording."""


class ComparedVehicle:
    """A vehicle of recordings, read from Chrono's files (its folder ``data/vehicle``) and settled at rest.

    ``like_chrono`` copies ways of Chrono that no vehicle has, also that its solver MINRES takes differentials
    for locked.  With ``bushings`` joints yield.
    """

    def __init__(
        self,
        recording: ChronoRecording,
        vehicles: Path,
        like_chrono: bool,
        overrides: Sequence[str] = (),
        *,
        bushings: bool = False,
    ) -> None:
        self.method: Method
        self.method, self.step = (STIFF, 0.5 * STEP) if bushings else ("rk4", STEP)
        facts = recording.facts
        path = vehicles / facts["vehicle"]
        choice = FileChoice(
            engine=vehicles / facts["engine"] if facts.get("engine") else None,
            transmission=vehicles / facts["transmission"] if facts.get("transmission") else None,
            tyres=tuple(vehicles / name for name in facts["tires"]),
        )
        made = convert_vehicle(path, choice, like_chrono, bushings)
        parts = JsonObject.of(path).list_of_parts("Axles")
        self.axles = dict(zip(order_axles(parts), axle_names(len(parts)), strict=True))
        self.notes, self.lock = made.notes, made.lock
        with TemporaryDirectory() as folder:
            file = Path(folder) / f"{path.stem}.yaml"
            file.write_text(made.text, encoding="utf-8")
            for name in ("chrono_delay", "delay"):
                if f" {name}: " in made.text:
                    overrides = [f"tyre.{name}={facts['step']} s", *overrides]
            self.data = VehicleParameters.load(file, overrides)
            if like_chrono and facts.get("solver") == LOCKING:
                axles = [axle.name for axle in self.data.layout.axles if axle.corners[0] in self.data.driven]
                base, file = file.name, file.with_stem("locked")
                lines = [
                    f"base: {base}",
                    "axles:",
                    *(f"  {axle}: {{differential: {LOCK}}}" for axle in axles),
                ]
                file.write_text("\n".join(lines), encoding="utf-8")
                self.data = VehicleParameters.load(file, overrides)
            if recording.without_powertrain:
                self.data = VehicleParameters.load(file, [*overrides, *coasting(self.data)])
        self.model: Model = compile_system(build(self.data, speed=START_SPEED))
        self.start_height: float = facts["start_height"]

    @cached_property
    def settling(self) -> Record:
        """The run in which the vehicle falls from the height of its recordings and comes to rest, braked."""
        y0 = self.model.y0.copy()
        names = self.model.layout.y_names
        y0[[names.index(entry.name) for entry in self.model.layout.v]] = 0.0
        y0[names.index("chassis.z")] = self.start_height
        y0[[k for k, name in enumerate(names) if name.startswith("driveline.")]] = 0.0
        given = self.method, self.step
        found = self.run(PARKED, SETTLING, y0)
        self.method, self.step = given  # stops that a fall meets need no short steps of a drive
        return found

    @cached_property
    def rest(self) -> Floats:
        """State at rest with the brakes on."""
        states, _, _ = states_and_inputs(self.model, self.settling.dataset())
        return np.asarray(states[-1])

    def run(self, inputs: Inputs, duration: float, y0: Floats, interval: float = 0.02) -> Record:
        """Simulate; from then on in half of the steps where the chosen ones fail, or by ``rosenbrock``."""
        for name, step in ((self.method, self.step), (self.method, 0.5 * self.step), (STIFF, self.step)):
            options = RunOptions(duration=duration, method=name, step=step, interval=interval, y0=y0)
            try:
                found = simulate_to_record(self.model, inputs, options)
                self.method, self.step = name, step
                return found
            except SimulationError as error:
                failure = error
        raise failure

    @property
    def corners(self) -> Mapping[str, str]:
        """Names of corners by place in the recordings."""
        return {
            f"a{k}{letter}": f"{axle}_{side}"
            for k, axle in self.axles.items()
            for letter, side in SIDES.items()
        }

    def start(self, recording: ChronoRecording) -> Floats:
        """State at rest on the place of the recording's first row, thrown to its speed."""
        names, y = self.model.layout.y_names, self.rest.copy()
        values = {f"chassis.{name}": recording[name][0] for name in "xy"}
        values |= {f"chassis.v{axis}": v[0] for axis, v in zip("xyz", recording.velocity, strict=True)}
        for place, corner in self.corners.items():
            values[f"{corner}.wheel_rate"] = recording.wheel(place, "omega")[0]
        driven = [place for place, corner in self.corners.items() if corner in self.data.driven]
        turning = np.mean([recording.wheel(place, "omega")[0] for place in driven])
        values["driveline.shaft_speed"] = float(turning) / self.data.data.powertrain.axle_ratio
        if np.any(recording["gear"]):
            values["driveline.engine_speed"] = recording["engine_speed"][0]
        for k, name in enumerate(names):
            if name in values:
                y[k] = values[name]
            elif name.startswith("driveline."):
                y[k] = self.model.y0[k]
        return y


def coasting(data: VehicleParameters) -> list[str]:
    """Return the overrides that leave an engine without torque while its throttle is closed."""
    table: Any = data.data.powertrain
    zeros = ", ".join(["0"] * len(table.engine.closed_throttle.speed))
    return [f"powertrain.engine.closed_throttle.torque=({zeros}) N*m"]


@dataclass(frozen=True)
class Rest:
    """Differences at rest, ours less Chrono's.

    ``mass``, ``load`` and ``spring_force`` are relative: the worst wheel's part of the vehicle's load, by the
    tyres' deflections; the worst spring or damper, to the largest force.  ``com``, ``spring_length`` and
    ``spindle`` are in the axes of the chassis, of the worst one [m].

    ``moving`` is the vertical force of Chrono's tyres that its vehicle's weight does not balance, relative to
    the weight: by so much it is not at rest.  ``turning`` is the fastest wheel of Chrono's [rad/s].  Its
    simple brakes are torques against the motion, whose sign changes at every step: braked wheels turn to and
    fro, the vehicle creeps, and its springs carry the mean of forces that are recorded at every twentieth
    step.
    """

    TITLES: ClassVar = (
        "standing, or rolling straight ahead", "mass", "mass centre x, y, z, mm", "wheel load, %",
        "spring length, mm", "spring force, %", "spindle, mm", "imbalance of Chrono, %",
        "its fastest wheel, rad/s",
    )  # fmt: skip
    name: str
    mass: float
    com: tuple[float, ...]
    load: float
    spring_length: float
    spring_force: float
    spindle: float
    moving: float
    turning: float

    def row(self) -> str:
        com = ", ".join(f"{1e3 * value:.2f}" for value in self.com)
        parts = f"{1e2 * self.load:.3f}", f"{1e3 * self.spring_length:.3f}", f"{1e2 * self.spring_force:.2f}"
        ends = f"{1e3 * self.spindle:.3f}", f"{1e2 * self.moving:.3f}", f"{self.turning:.0e}"
        return f"| {' | '.join((self.name, f'{self.mass:.1e}', com, *parts, *ends))} |"


def compare_rest(subject: ComparedVehicle, recording: ChronoRecording, run: Record) -> Rest:
    """Compare means: over the last second at rest, else over `STRAIGHT`, as the vehicle rolls ahead."""
    model = subject.model
    first, end = (SETTLING - 1.0, SETTLING) if recording.is_rest else STRAIGHT
    last = (recording["t"] > first) & (recording["t"] <= end)
    times = np.asarray(run["time"].values)
    ours_last = (times > first) & (times <= end)

    def mean(name: str) -> float:
        return float(recording[name][last].mean())

    names = [str(name) for name in run["corner"].values]

    def own_channel(corner: str, name: str) -> float:
        return float(run[name].values[ours_last, names.index(corner)].mean())

    whole = momentum(model.instant(subject.rest, model.u0).outward)
    at = np.array([run[axis].values[ours_last].mean() for axis in "xyz"])
    q = np.array([run[f"chassis_q{axis}"].values[ours_last].mean() for axis in "wxyz"])
    R = rotation(q[:, None])[..., 0]
    mass = recording.fact("mass_sum_of_bodies")
    com: tuple[float, ...] = ()
    if recording.is_rest:  # Chrono's own sum over its subsystems, in the summary, leaves bodies out
        theirs = np.array([mean(f"com_{axis}") - mean(axis) for axis in "xyz"])
        attitude = rotation(np.array([[mean(f"q{k}")] for k in range(4)]))[..., 0]
        com = tuple(R.T @ (np.asarray(whole.com, dtype=float) - at) - attitude.T @ theirs)
    lengths, forces, spindles, carried = [], [], [], 0.0
    tyres_yield = all(np.any(recording.wheel(place, "deflection")) for place in subject.corners)
    pressed = "deflection" if tyres_yield else "Fz"
    loads = np.array(
        [
            (own_channel(corner, f"tyre_{pressed}"), recording.wheel(place, pressed)[last].mean())
            for place, corner in subject.corners.items()
        ]
    )
    loads /= loads.sum(axis=0)
    for place, corner in subject.corners.items():
        carried += float(recording.wheel(place, "FZ")[last].mean())
        spindle = [float(recording.wheel(place, axis)[last].mean()) for axis in "xyz"]
        mine = R.T @ (np.array([own_channel(corner, f"wheel_{axis}") for axis in "xyz"]) - at)
        spindles.append(float(np.linalg.norm(mine - spindle)))
        for column, part in springs(recording, place, run):
            lengths.append(own_channel(corner, f"{part}_length") - mean(f"{column}_length"))
            forces.append(
                (own_channel(corner, f"{part}_force") + mean(f"{column}_force"), mean(f"{column}_force"))
            )
    largest = max((abs(theirs) for _, theirs in forces), default=np.inf)
    return Rest(
        recording.name,
        float(whole.mass) / mass - 1.0,
        com,
        largest_magnitude(loads[:, 0] / loads[:, 1] - 1.0),
        largest_magnitude(lengths),
        largest_magnitude([difference for difference, _ in forces]) / largest,
        largest_magnitude(spindles),
        carried / (9.81 * mass) - 1.0,
        largest_magnitude(
            [float(np.abs(recording.wheel(place, "omega")[last]).max()) for place in subject.corners]
        ),
    )


def springs(recording: ChronoRecording, place: str, run: Record) -> Iterator[tuple[str, str]]:
    """Yield columns of a corner's spring and damper with our names of the part."""
    for name, part in (("Spring", "spring"), ("Shock", "damper")):
        column = f"{place}_tsda_{name}"
        if f"{column}_length" in recording.columns and f"{part}_length" in run:
            yield column, part


def largest_magnitude(values: Sequence[float] | Floats) -> float:
    """Return the largest magnitude; 0 of none."""
    return max((abs(value) for value in values), default=0.0)


class Agreement(NamedTuple):
    """A quantity of a run beside the recording's.

    ``rms`` of the difference is over the recording's largest magnitude, ``peak``; so is ``ratio`` of ours.
    """

    rms: float
    ratio: float
    peak: float


QUANTITIES = {
    "position": "position", "yaw_rate": "yaw rate", "ax": "acceleration ahead", "ay": "to the left",
    "roll": "roll", "pitch": "pitch", "speed": "speed", "Fx": "Fx", "Fy": "Fy", "Fz": "Fz",
    "wheel_rate": "wheel speed", "engine": "engine speed", "gear": "gear",
}  # fmt: skip


@dataclass(frozen=True)
class ComparedRun:
    """A run beside a recording: by quantity, of wheels the worst; with times of Chrono and ours."""

    TITLES: ClassVar = (
        *("manoeuvre", *QUANTITIES.values(), "wheels whose Fx alternates", "× real time"),
        *("Chrono's", "ours/Chrono's", "method"),
    )
    name: str
    agreement: Mapping[str, Agreement]
    alternating: int
    times_real_time: float
    chrono_times_real_time: float
    method: str

    def row(self) -> str:
        """Return a row of a table: root mean squares in per cent, ratios of the peaks in brackets."""
        found = self.agreement
        cells = (
            f"{1e2 * found[name].rms:.2f} ({found[name].ratio:.2f})" if name in found else ""
            for name in QUANTITIES
        )
        ours, theirs = self.times_real_time, self.chrono_times_real_time
        times = f"{self.alternating}", f"{ours:.0f}", f"{theirs:.2f}", f"{ours / theirs:.0f}"
        return f"| {' | '.join((self.name, *cells, *times, self.method))} |"


LATERAL = ("yaw_rate", "ay", "roll", "Fy")
"""Quantities that vanish in a recording without steering."""


def drive(subject: ComparedVehicle, recording: ChronoRecording) -> Record:
    """Drive by a recording's inputs to the last compared row; return the fastest of `TIMED_RUNS`."""
    law, y0 = RecordedInputs.of(recording, subject.lock), subject.start(recording)
    given, end = (subject.method, subject.step), float(recording["t"][recording.compared][-1])
    subject.run(law, end, y0, recording.interval)  # finds the code and steps it needs
    runs = [subject.run(law, end, y0, recording.interval) for _ in range(TIMED_RUNS)]
    subject.method, subject.step = given
    return min(runs, key=lambda run: float(run.attrs["processor_time_s"]))


def compare_run(subject: ComparedVehicle, recording: ChronoRecording, run: Record) -> ComparedRun:
    """Compare a run from `COMPARED_FROM` on; like Chrono's, its time is that of the steps alone."""
    driven = slice(len(run["time"].values))
    t, late = recording["t"][driven], recording.compared[driven]
    ahead, aside = (v[driven] for v in recording.heading_velocity)
    x, y, yaw, gears = (recording[name][driven] for name in ("x", "y", "yaw", "gear"))
    both: dict[str, list[tuple[Floats, Floats]]] = {}

    def add(name: str, ours: object, theirs: Floats) -> None:
        both.setdefault(name, []).append((np.asarray(ours, dtype=float), theirs[driven]))

    add("position", np.hypot(run["x"].values - x, run["y"].values - y), 0.0 * t)
    add("yaw_rate", run["yaw_rate"].values, recording.yaw_rate)
    turning = [np.gradient(np.unwrap(angle), t) for angle in (run["yaw"].values, yaw)]
    for name, along, across, sign in (("ax", "vx", "vy", -1.0), ("ay", "vy", "vx", 1.0)):
        own = np.gradient(run[along].values, t) + sign * np.asarray(run[across].values) * turning[0]
        v, other = (ahead, aside) if name == "ax" else (aside, ahead)
        add(name, own, np.gradient(v, t) + sign * other * turning[1])
    add("roll", run["roll"].values, recording["roll"])
    add("pitch", run["pitch"].values, recording["pitch"])
    add("speed", np.hypot(run["vx"].values, run["vy"].values), np.hypot(ahead, aside))
    names = list(np.asarray(run["corner"].values))
    alternating = [place for place in subject.corners if recording.is_alternating(place)]
    for place, corner in subject.corners.items():
        k = names.index(corner)
        acting = recording.force_on_wheel(place)
        for force in ("Fy", "Fz") if place in alternating else ("Fx", "Fy", "Fz"):
            add(force, run[f"tyre_{force}"].values[:, k], acting[force])
        add("wheel_rate", run["wheel_rate"].values[:, k], recording.wheel(place, "omega"))
    if "driveline_gear" in run and np.any(gears):
        gear = np.round(np.asarray(run["driveline_gear"].values))
        add("gear", gear, gears)
        steady = np.pad((gears[:-2] == gears[1:-1]) & (gears[1:-1] == gears[2:]), 1)
        same = steady & (gear == gears)  # not while they shift
        add("engine", same * run["driveline_engine_speed"].values, same * recording["engine_speed"][driven])
    straight = not np.any(recording["steering"])
    found: dict[str, Agreement] = {}
    for name, pairs in both.items():
        if straight and name in LATERAL:
            continue
        peak = max(float(np.abs(theirs[late]).max()) for _, theirs in pairs)
        if name == "position":
            peak = float(np.hypot(x, y)[late].max())
        if peak == 0.0:
            continue
        rms = max(float(np.sqrt(np.mean((ours - theirs)[late] ** 2))) for ours, theirs in pairs)
        own = max(float(np.abs(ours[late]).max()) for ours, _ in pairs)
        found[name] = Agreement(rms / peak, own / peak, peak)
    return ComparedRun(
        recording.name,
        found,
        len(alternating),
        float(t[-1]) / run.attrs["processor_time_s"],
        recording.fact("times_real_time_cpu"),
        run.attrs["method"],
    )
