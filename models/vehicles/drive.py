"""Vehicles that people drive in their browser: steering and pedals, numbers under sliders, instruments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.parts.manoeuvres.following import DoubleLaneChange
from ce_dynamics.models.vehicles.case import Case, VehicleSetup, setup_of
from ce_dynamics.models.vehicles.driving import most_steering
from ce_dynamics.models.vehicles.pictures import (
    cameras_of,
    cones_of,
    instruments,
    lanes_of,
    length_behind,
    names_of_outputs,
    road_of,
    shapes_of,
    stripe,
    tyres_of,
)
from ce_dynamics.views.drive.machine import Circuit, Control, Gauge, Machine, Slider
from ce_dynamics.views.drive.page import LONGEST, SHORTEST, DrivePage
from ce_dynamics.views.scene.shapes import Shape
from ce_dynamics.views.scene.take import Camera

VEHICLES = ("hmmwv", "hmmwv-automatic", "sedan")
"""Driven where none is named."""
STANDING = "stand-still"
PROVING_GROUND = "proving-ground"
WAY = np.array([[-20.0, -20.0], [200.0, 20.0]])
"""Corners of the area in which uneven roads are drawn [m]."""
SKID_PAD, STRAIGHT = Circuit(70.0, 45.0, 20.0, 30.0), (-6.0, 9.0)
"""Measures of the proving ground: its circle, y of the edges of its straight [m]."""

SLIDERS: dict[str, tuple[float, float]] = {
    "road.friction": (0.1, 1.2),
    "front.spring.linear": (0.5, 2.0),
    "rear.spring.linear": (0.5, 2.0),
    "damper.coefficient": (0.3, 3.0),
    "front.K.z": (-0.03, 0.03),
    "front.F.y": (-0.03, 0.03),
}
"""Numbers under sliders, where a vehicle has them, and their ends: of friction itself, in parts of springs
and dampers, of hardpoints how far they are shifted [m]."""

CONTROLS = (
    Control(
        "steering",
        (("ArrowRight", "KeyD"), ("ArrowLeft", "KeyA")),
        rates=(1.2, 2.5),
        gamepad="axis -0",
        touch="-right x",
    ),
    Control("throttle", ((), ("ArrowUp", "KeyW")), rates=(1.5, 4.0), gamepad="button 7", touch="left y"),
    Control(
        "brake", ((), ("ArrowDown", "KeyS", "Space")), rates=(2.5, 6.0), gamepad="button 6", touch="-left y"
    ),
)
GAUGES = (
    Gauge("speed", "speed", "km/h", 3.6),
    Gauge("ax", "forward", "g", 1.0 / 9.81),
    Gauge("ay", "to the left", "g", 1.0 / 9.81),
    Gauge("yaw_rate", "yaw rate", "°/s", 180.0 / np.pi),
)


def drive_page(
    vehicles: Sequence[str | Path | VehicleSetup] = VEHICLES,
    *,
    manoeuvre: str | None = None,
    road: str | None = None,
    speed: float | str | None = None,
    overrides: Sequence[str] = (),
    tyres: Sequence[str] = (),
    sliders: Sequence[str] | None = None,
    steering: float | str = 1.0,
    step: float = 1e-3,
) -> DrivePage:
    """Return a page in which people drive vehicles; ``save(path)`` writes it.

    Vehicles to choose from are shipped ones by name, data files, or vehicles that were loaded; overrides and
    tyres are as of `VehicleSetup`, for those that are named; of tyre files also each by itself, to choose
    from.  The road is that of a manoeuvre, flat if None, or another one, as of `VehicleSetup`.  They start at
    a ``speed`` [m/s], or at rest.

    ``sliders`` are numbers of the data to change while driving, ``name`` or ``name=low:high``; friction,
    springs, dampers and two hardpoints if None.  Keys, gamepad and touch pads steer by a part of full lock,
    or up to an angle of the steering wheel with its unit, such as ``"270 deg"``.  ``step`` is that of the
    simulation [s].
    """
    checks.number("drive: step", step, at_least=SHORTEST, at_most=LONGEST, unit="s", error=DataError)
    checks.items("drive: vehicles", vehicles, error=DataError)
    for what, texts in (("overrides", overrides), ("tyres", tyres), ("sliders", sliders or ())):
        checks.texts(f"drive: {what}", texts, DataError)
    machines = []
    for vehicle in vehicles:
        for fitted in [(), *((tyre,) for tyre in tyres)]:
            setup = setup_of(vehicle, overrides=overrides, tyres=fitted, road=road)
            chosen = sliders_of(setup) if sliders is None else parse_sliders(setup, sliders)
            case = replace(setup, free=[slider.name for slider in chosen]).prepare(
                (STANDING if speed is None else "step-steer") if manoeuvre is None else manoeuvre,
                speed=speed,
                practice=False,
            )
            files = [Path(tyre.rpartition("=")[2]).stem for tyre in setup.tyres]
            label = ", ".join((Path(setup.model).stem, *files))
            most = most_steering("drive", steering, setup.data)
            machines.append(machine_of(case, label, chosen, most, road == PROVING_GROUND))
    return DrivePage(machines, "Drive" if road is None else f"Drive on {road}", step)


def machine_of(
    case: Case, label: str, sliders: Sequence[Slider] = (), steering: float = 1.0, proving: bool = False
) -> Machine:
    """Return a vehicle as it has settled, to be driven with the steering within a part of full lock.

    On a proving ground laps of the skid-pad are timed.
    """
    system = case.model.system
    outputs = {entry.name for entry in case.model.output_entries}
    extra = [Gauge("driveline.gear", "gear", "", digits=0)] if "driveline.gear" in outputs else []
    trailers = system.groups.get("trailer", ())
    extra += [Gauge(f"{name}.hitch_yaw", f"{name}'s hitch", "°", 180.0 / np.pi) for name in trailers]
    selector = [Slider("selector", -1.0, 1.0, 1.0)] if "selector" in system.inputs else []
    return Machine(
        label,
        case.model,
        case.y0,
        controls=(
            replace(CONTROLS[0], between=(-steering, steering), calm=("speed", calm_speed(system))),
            *CONTROLS[1:],
        ),
        sliders=[*selector, *sliders],
        gauges=[gauge for gauge in (*GAUGES, *extra) if gauge.output in outputs],
        forces=[tyre.name for tyre in tyres_of(system)],
        shapes=shapes_of(system, case.body_file),
        circuit=SKID_PAD if proving else None,
        scenery=[*road_of(system, WAY), *(marks_of_ground(case) if proving else ())],
        cameras=[chase_camera(system), *cameras_of(system)],
        camera="behind",
        instruments=instruments(case.model, names_of_outputs(case.model)),
    )


def calm_speed(system: System) -> float:
    """Return the speed at which full lock, a radius of two wheelbases, takes 1 g to the side [m/s]."""
    places = [float(nominal(tyre.centre)[0]) for tyre in tyres_of(system)]
    return math.sqrt(9.81 * 2.0 * (max(places) - min(places)))


def marks_of_ground(case: Case) -> Iterator[Shape]:
    """Yield marks of the straight, of the skid-pad and of a double lane change ahead, with its cones."""
    for side in STRAIGHT:
        yield stripe([(x, side, 0.0) for x in (-20.0, 240.0)])
    turn = np.linspace(0.0, 2.0 * np.pi, 97)
    for radius in (SKID_PAD.inner, SKID_PAD.outer):
        x, y = SKID_PAD.x + radius * np.cos(turn), SKID_PAD.y + radius * np.sin(turn)
        yield stripe(np.stack((x, y, 0.0 * turn), axis=1))
    if case.manoeuvre is not None:
        lanes = DoubleLaneChange(case.manoeuvre.driver, lead_in=20.0)
        road = tyres_of(case.model.system)[0].road
        yield from (*cones_of(lanes, road), *lanes_of(lanes, road))


def chase_camera(system: System) -> Camera:
    """Return a camera that is drawn behind the vehicle; high enough behind a train to look over it."""
    com = np.asarray(system.find("chassis").com, dtype=object)
    train = length_behind(system) if "trailer" in system.groups else 0.0
    back, up = (train + 6.5, 2.2 + 0.3 * train) if train else (7.5, 2.2)
    return Camera("behind", "chassis", com + (-back, 0.0, up), com + (2.0, 0.0, 0.2), steady=True)


def sliders_of(setup: VehicleSetup) -> list[Slider]:
    """Return the sliders of `SLIDERS` that the vehicle has, without those of parts with value 0."""
    found = []
    for name, (low, high) in SLIDERS.items():
        try:
            value = value_of(setup, name)
        except DataError:
            continue
        if name == "road.friction":
            found.append(Slider(name, low, max(high, value)))  # slicks have more
        elif low < 0.0:
            found.append(Slider(name, value + low, value + high))
        elif value:
            found.append(Slider(name, value * low, value * high))
    return found


def parse_sliders(setup: VehicleSetup, texts: Sequence[str]) -> list[Slider]:
    """Return sliders as a user names them; a tenth around the data's value where no ends are given."""
    found = []
    for text in texts:
        name, equals, ends = text.partition("=")
        value = value_of(setup, name)
        usual = sorted((0.9 * value, 1.1 * value))
        try:
            low, high = (float(end) for end in ends.split(":")) if equals else usual
        except ValueError:
            raise DataError(f"slider {text!r} is not of the form name=low:high, in SI units") from None
        if not equals and not value:
            raise DataError(f"slider {text!r}: the number is 0; give the ends as name=low:high, in SI units")
        if not -math.inf < low < high < math.inf:
            raise DataError(f"slider {text!r}: ends must be finite, the first below the second")
        found.append(Slider(name, low, high))
    return found


def value_of(setup: VehicleSetup, name: str) -> float:
    """Return the value of a number of a vehicle's data."""
    (parameter,) = replace(setup, free=[name]).data.free
    return float(parameter.value)
