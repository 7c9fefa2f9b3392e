"""Campaign ``performance.classes [VEHICLE ...]``: shipped vehicles beside ranges of their class.

Acceleration, braking and cornering are measured by the tests of `ce_dynamics.models.handling`; ride
frequencies follow from the rig, a second roll gradient from statics, the top speed from a balance of forces.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.models import handling, kc
from ce_dynamics.models.handling.metrics.steady_state import LINEAR, steady_cornering
from ce_dynamics.models.handling.outcome import Outcome
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.performance.by_hand import G, top_speed


class Range(NamedTuple):
    """Published values of a class, and the key of their source in `SOURCES`."""

    low: float
    high: float
    source: str

    def has(self, value: float) -> bool:
        return self.low <= value <= self.high


SOURCES: Mapping[str, str] = {
    "tests": "road tests as car magazines publish them, 1990 to 2020, rounded outwards (estimate)",
    "R13-H": (
        "UN Regulation 13-H, annex 3: cars stop from 100 km/h within 0.1 v + 0.006 v² = 70 m, v in km/h; "
        "below, the shortest in road tests (estimate)"
    ),
    "R13": (
        "UN Regulation 13, annex 4, type-0 test: vans and trucks stop within 0.15 v + v²/130, v in km/h; "
        "below, 9.5 m/s²"
    ),
    "Milliken": (
        "Milliken and Milliken, Race Car Vehicle Dynamics, table of typical roll gradients: family cars 7 "
        "to 8.5, sport saloons 5 to 6, sports cars 3 to 4.2, racing cars 1.5"
    ),
    "laden": "those of cars times the ratio of the heights of mass centres (estimate)",
    "wide": (
        "from that of racing cars, for a track of more than twice the height of the mass centre, to that "
        "of cars (estimate)"
    ),
    "Bosch": (
        "Bosch Automotive Handbook: characteristic speed of cars 65 to 100 km/h, which is 2 to 5 deg/g; "
        "without elastic bushings and steering about half of it (estimate)"
    ),
    "stable": "no oversteer in the linear range, no more understeer than cars have (estimate)",
    "Gillespie": (
        "Gillespie, Fundamentals of Vehicle Dynamics, chapter on ride: cars 1 to 1.5 Hz, firm ones to 2 "
        "Hz, trucks to 3 Hz"
    ),
    "OptimumG": (
        "Giaraffa, Springs and Dampers (OptimumG): racing cars with little downforce 1.5 to 2.5 Hz, with "
        "much 3 to 5 Hz"
    ),
    "FSAE": (
        "results of Formula SAE and Formula Student: 75 m in 3.7 to 5.5 s, 1.2 to 1.6 g in the skid pad, "
        "110 to 160 km/h (estimate)"
    ),
    "AMG": (
        "AM General and US Army, M998 series: 105 km/h laden, 113 km/h at most; the civilian Hummer, of "
        "the same power per mass, reaches 80 km/h in 12 to 14 s, laden vehicles in up to 25 s"
    ),
    "Chrono": "the engine of 1300 N m is that of Project Chrono's program, which the vehicle's title names",
    "EU": (
        "Council Directive 92/6/EEC limits trucks to 90 km/h, which they have to reach on the level; "
        "unlimited they are geared for up to 140 km/h (estimate)"
    ),
    "towing": "100 km/h are the limit for cars with trailers in most of Europe, 130 km/h at most",
}


class VehicleClass(NamedTuple):
    """Ranges of a class."""

    sprint: tuple[float, Range]  # speed that is accelerated to from standing [km/h], time [s]
    top_speed: Range  # [km/h]
    stop: tuple[float, Range]  # speed [km/h], shortest distance without ABS, on the road of its file [m]
    roll_gradient: Range  # roll_gradient, understeer_gradient: [deg/g]
    understeer_gradient: Range
    ride_frequency: Range  # of every axle of the vehicle itself [Hz]


SALOON = VehicleClass(
    sprint=(100.0, Range(6.0, 13.0, "tests")),
    top_speed=Range(175.0, 250.0, "tests"),
    stop=(100.0, Range(33.0, 70.0, "R13-H")),
    roll_gradient=Range(4.0, 7.5, "Milliken"),
    understeer_gradient=Range(1.0, 5.0, "Bosch"),
    ride_frequency=Range(1.0, 1.6, "Gillespie"),
)
VAN = VehicleClass(
    sprint=(100.0, Range(10.0, 20.0, "tests")),
    top_speed=Range(140.0, 175.0, "tests"),
    stop=(80.0, Range(26.0, 61.2, "R13")),
    roll_gradient=Range(4.0, 9.0, "laden"),
    understeer_gradient=Range(1.0, 5.0, "Bosch"),
    ride_frequency=Range(1.2, 2.0, "Gillespie"),
)
TACTICAL = VehicleClass(
    sprint=(80.0, Range(12.0, 25.0, "AMG")),
    top_speed=Range(100.0, 120.0, "AMG"),
    stop=(80.0, Range(26.0, 61.2, "R13")),
    roll_gradient=Range(1.5, 7.0, "wide"),
    understeer_gradient=Range(0.3, 5.0, "stable"),
    ride_frequency=Range(1.5, 3.0, "Gillespie"),
)
CLASSES: Mapping[str, VehicleClass] = {
    "saloon": SALOON,
    "hatchback": SALOON._replace(
        sprint=(100.0, Range(7.5, 14.0, "tests")), top_speed=Range(165.0, 225.0, "tests")
    ),
    "electric saloon": SALOON._replace(top_speed=Range(150.0, 250.0, "tests")),
    "off-roader": VehicleClass(
        sprint=(100.0, Range(9.0, 16.0, "tests")),
        top_speed=Range(140.0, 180.0, "tests"),
        stop=(100.0, Range(36.0, 70.0, "R13-H")),
        roll_gradient=Range(4.0, 9.0, "laden"),
        understeer_gradient=Range(0.5, 5.0, "stable"),
        ride_frequency=Range(1.2, 2.0, "Gillespie"),
    ),
    "Formula Student car": VehicleClass(
        sprint=(100.0, Range(3.2, 5.0, "FSAE")),
        top_speed=Range(110.0, 160.0, "FSAE"),
        stop=(100.0, Range(25.0, 36.0, "FSAE")),
        roll_gradient=Range(0.5, 2.0, "Milliken"),
        understeer_gradient=Range(-0.5, 1.5, "stable"),
        ride_frequency=Range(1.5, 4.0, "OptimumG"),
    ),
    "van": VAN,
    "van with trailer": VAN._replace(
        sprint=(80.0, Range(12.0, 30.0, "tests")),
        top_speed=Range(100.0, 130.0, "towing"),
        understeer_gradient=Range(0.3, 5.0, "stable"),
    ),
    "truck": VehicleClass(
        sprint=(80.0, Range(20.0, 60.0, "tests")),
        top_speed=Range(90.0, 130.0, "EU"),
        stop=(60.0, Range(14.6, 36.7, "R13")),
        roll_gradient=Range(4.0, 9.0, "laden"),
        understeer_gradient=Range(0.3, 7.0, "stable"),
        ride_frequency=Range(1.2, 3.0, "Gillespie"),
    ),
    "light tactical vehicle": TACTICAL,
    "Project Chrono's HMMWV": TACTICAL._replace(
        sprint=(80.0, Range(0.0, math.inf, "Chrono")), top_speed=Range(0.0, math.inf, "Chrono")
    ),
}
CLASS_OF: Mapping[str, str] = {
    **dict.fromkeys(("hmmwv", "hmmwv-automatic", "hmmwv-hull", "hmmwv-assisted"), "light tactical vehicle"),
    "hmmwv-chrono": "Project Chrono's HMMWV",
    **dict.fromkeys(("sedan", "sedan-manual", "sedan-cvt", "sedan-column", "sedan-assisted"), "saloon"),
    "sedan-electric": "electric saloon", "hatchback": "hatchback", "off-roader": "off-roader",
    "formula-student": "Formula Student car", "truck": "truck", "van": "van",
    "van-trailer": "van with trailer",
}  # fmt: skip
READ = "wheel_force", "ride_rate", "roll_rate", "roll_rate_with_tyres", "roll_centre_height"
TRAVELS = np.linspace(-0.12, 0.12, 25)
"""Parallel wheel travel among which an axle's static one is looked for [m]."""
PEDALS = np.linspace(0.2, 1.0, 9)
"""One of them stops a vehicle without ABS in the shortest distance."""


class AxleAtRest(NamedTuple):
    """An axle under its static load."""

    place: float  # of the wheel centres along x [m]
    sprung: float  # mass on its springs [kg]
    ride_rate: float  # of a wheel, with its tyre [N/m]
    roll_rate: float  # roll_rate, tyre_roll_rate: Of springs and bars, and of the tyres [N m/rad]
    tyre_roll_rate: float
    roll_centre: float  # above the road [m]

    @property
    def frequency(self) -> float:
        """√(2 k/m)/2π of the mass on two wheels [Hz]."""
        return math.sqrt(2.0 * self.ride_rate / self.sprung) / (2.0 * math.pi)


class AtRest(NamedTuple):
    """A vehicle without its trailers at rest."""

    axles: list[AxleAtRest]
    # sprung, height, place: Mass on the springs [kg], height of its centre above the road and place along x
    # [m]
    sprung: float
    height: float
    place: float
    mass: float  # mass, whole_height: Mass of the vehicle [kg], height of its centre [m]
    whole_height: float

    @property
    def roll_gradient(self) -> float:
        """Return the roll gradient of springs under the sprung mass and of tyres under the whole [deg/g].

        φ = (m_s h_s/Σ K + m h/Σ K_t) (a_y + g φ).
        """
        ahead, behind = self.axles[0], self.axles[1:]
        x, z = (float(np.mean([getattr(axle, name) for axle in behind])) for name in ("place", "roll_centre"))
        axis = z + (ahead.roll_centre - z) * (self.place - x) / (ahead.place - x)
        c = self.sprung * (self.height - axis) / sum(axle.roll_rate for axle in self.axles)
        c += self.mass * self.whole_height / sum(axle.tyre_roll_rate for axle in self.axles)
        return math.degrees(c * G / (1.0 - c * G))


def at_rest(data: VehicleParameters) -> AtRest:
    """Return what the rig tells of the vehicle's own axles, each under its static load.

    Wheels, uprights and whole beams are unsprung, and so are arms and links: what a few kilograms of them add
    to the sprung mass changes frequencies by about 1 %.
    """
    system = build(data, ideal_joints=True)
    axles = data.layout.axles_of(None)
    towed = {c for axle in data.layout.axles if axle.trailer is not None for c in axle.corners}
    own = [b for b in system.bodies if not b.name.startswith((*data.trailers, *towed))]
    mass, centre = mass_centre(own)
    load, on_springs = mass_centre([b for b in own if b.name == "chassis" or b.name.startswith("steering")])
    places = [float(np.mean([float(nominal(data.corners[c].W[0])) for c in axle.corners])) for axle in axles]
    rear = float(np.mean(places[1:]))
    front = (float(on_springs[0]) - rear) / (places[0] - rear)
    shares = [front, *[(1.0 - front) / (len(axles) - 1)] * (len(axles) - 1)]
    found, road = [], []
    for axle, place, share in zip(axles, places, shares, strict=True):
        rig = kc.rig_of(data, axle.name)
        poses, travels = reached(rig)
        read = rig.read(poses, READ)
        rows = {name: each.mean(axis=1) if each.ndim == 2 else each for name, each in read.items()}
        travel = np.interp(0.5 * share * load * G, rows["wheel_force"], travels)
        at = {name: float(np.interp(travel, travels, row)) for name, row in rows.items()}
        springs, both = at["roll_rate"], at["roll_rate_with_tyres"]
        tyres = springs * both / (springs - both)
        found.append(
            AxleAtRest(place, share * load, at["ride_rate"], springs, tyres, at["roll_centre_height"])
        )
        radius = 0.5 * (rig.axle.left.loaded_radius + rig.axle.right.loaded_radius)
        wheels = [float(nominal(data.corners[c].W[2])) for c in axle.corners]
        road.append(float(np.mean(wheels)) + float(travel) - radius)
    level = float(np.mean(road))
    place, height = float(on_springs[0]), float(on_springs[2]) - level
    return AtRest(found, load, height, place, mass, float(centre[2]) - level)


def mass_centre(bodies: Sequence[Body]) -> tuple[float, Floats]:
    """Return mass [kg] and centre of mass in the design position [m]."""
    masses = np.array([float(nominal(body.mass)) for body in bodies])
    centres = np.array([nominal(body.com).astype(float) for body in bodies])
    return float(masses.sum()), masses @ centres / masses.sum()


def reached(rig: kc.KCRig) -> tuple[Floats, Floats]:
    """Return poses of `TRAVELS` and these, without those beyond the ends of the linkage."""
    poses, kept = [], []
    for travel in TRAVELS:
        try:
            poses.append(rig.solve_poses([[travel, travel]])[0])
        except AssemblyError:
            continue
        kept.append(travel)
    return np.array(poses), np.array(kept)


class Found(NamedTuple):
    """A field of `VehicleClass`, what was found of it [in the field's unit], and the range of the class."""

    field: str
    value: float
    within: Range

    def __str__(self) -> str:
        return f"{self.value:.3g}" if self.within.has(self.value) else f"**{self.value:.3g}**"


def by_statics(name: str) -> list[Found]:
    """Return what takes no run: ride frequencies, roll gradient, top speed."""
    data, asked = VehicleParameters.load(name), CLASSES[CLASS_OF[name]]
    rest = at_rest(data)
    return [
        *(Found("ride_frequency", axle.frequency, asked.ride_frequency) for axle in rest.axles),
        Found("roll_gradient", rest.roll_gradient, asked.roll_gradient),
        Found("top_speed", 3.6 * top_speed(data), asked.top_speed),
    ]


def by_tests(name: str) -> list[Found]:
    """Return what the handling tests measure; manual gearboxes, which no test shifts, do not sprint."""
    subject, asked = handling.vehicle(name), CLASSES[CLASS_OF[name]]
    found = []
    if subject.data.layout.powertrain != "manual":
        speed, within = asked.sprint
        sprint = handling.perform("acceleration", subject, duration=60.0)
        found.append(Found("sprint", value_of(sprint, f"time_to_{speed:g}"), within))
    speed, within = asked.stop
    stops = [handling.perform("braking", subject, speed=speed / 3.6, brake=pedal) for pedal in PEDALS]
    shortest = float(np.nanmin([value_of(stop, "distance") for stop in stops]))
    cornering = handling.perform("constant-speed", subject).runs[-1]
    linear = slice(int(np.argmax(cornering.ay > LINEAR[1])))  # beyond, some tip over and others spin
    steer, ay, speed_held, roll = (
        signal[linear] for signal in (cornering.steer, cornering.ay, cornering.speed, cornering.roll)
    )
    steady = steady_cornering(steer, ay, speed_held, subject.wheelbase, roll=roll)
    per_g = math.degrees(G)
    return [
        *found,
        Found("stop", shortest, within),
        Found("roll_gradient", steady.roll_gradient * per_g, asked.roll_gradient),
        Found("understeer_gradient", steady.understeer_gradient * per_g, asked.understeer_gradient),
    ]


def value_of(outcome: Outcome, key: str) -> float:
    """Return a figure; NaN where the test did not come so far."""
    return next((f.value for f in outcome.figures if f.key == key), math.nan)


HEADINGS: Mapping[str, str] = {
    "sprint": "acceleration, s", "top_speed": "top speed, km/h", "stop": "braking, m",
    "roll_gradient": "roll, deg/g", "understeer_gradient": "understeer, deg/g",
    "ride_frequency": "ride frequencies, Hz",
}  # fmt: skip
"""Columns of the table, by fields of `VehicleClass`."""


def main(names: list[str]) -> None:
    """Print a table of what was found, one of the classes, and the sources."""
    rule = "| --- " * (len(HEADINGS) + 1) + "|"
    print(f"| vehicle | {' | '.join(HEADINGS.values())} |\n{rule}")
    for name in names or list(SHIPPED):
        found = by_statics(name) + by_tests(name)
        cells = [", ".join(str(one) for one in found if one.field == field) for field in HEADINGS]
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)
    print(f"\n| class | {' | '.join(HEADINGS.values())} |\n{rule}")
    for title in dict.fromkeys(CLASS_OF[name] for name in names or SHIPPED):
        print(f"| {title} | {' | '.join(told(CLASSES[title]))} |")
    for key, text in SOURCES.items():
        print(f"\n{key}: {text}")


def told(one: VehicleClass) -> list[str]:
    """Return the ranges of a class in words, with sources."""
    words = []
    for entry in one:
        speed, within = ("", entry) if isinstance(entry, Range) else (f"{entry[0]:g} km/h: ", entry[1])
        span = f"{within.low:g} to {within.high:g}" if math.isfinite(within.high) else "any"
        words.append(f"{speed}{span} ({within.source})")
    return words


if __name__ == "__main__":
    main(sys.argv[1:])
