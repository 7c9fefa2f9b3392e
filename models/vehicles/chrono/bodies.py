"""Rigid bodies, wheels and brakes of Chrono's files, bushings between them, and numbers that files lack."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.models.vehicles.bodies import wheel_axes
from ce_dynamics.models.vehicles.bushing_data import ABOUT, ALONG
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

BUSHINGS = "bushings"
"""Key under which a suspension's numbers have the bushings of its axle."""
DATA = "Bushing Data"
RIGID = "bushings of beams, leaf springs and free graphs: their joints are rigid"
RIG_ONLY = (
    "bushings: they yield on the rig; as the vehicle drives their joints are rigid, "
    "'simulate-vehicle convert --bushings' lets them yield there, too"
)
TURNING = "rotational stiffness of the bushings of rods without a body of their own: left out"
MASSLESS = "bushings of rods without mass, which Chrono does not read either: rigid"
UNITS_ALONG, UNITS_ABOUT = ("N/m", "N*s/m"), ("N*m/rad", "N*m*s/rad")

Law = tuple[float, float]
"""A stiffness and a damping."""


def report_bushings(reading: Reading, part: JsonObject) -> None:
    """Name bushings that are not done."""
    for key in part.data:
        if key.startswith(DATA):
            part.has(key)
            reading.note(RIGID)


def make_bushing(
    reading: Reading, part: JsonObject, joint: str, at: Matrix, key: str = DATA, ball: bool = False
) -> Sections:
    """Return the bushing of a body's joint with the chassis, by its name.

    Diagonal in the axes of the joint: one stiffness along them, one about them, and ``DOF`` about those about
    which the joint turns, its z axis or, of a ball, all three.
    """
    if not part.has(key):
        return {}
    along, across, free = laws(part.part(key))
    about = dict.fromkeys(ABOUT, free if ball else across) | {ABOUT[2]: free}
    return write_bushing(reading, f"{joint}_bushing", joint, along, about, {"at": quantities(at, "m")})


def rod_with_body(reading: Reading, block: JsonObject, outer: Matrix, inner: Matrix) -> Sections:
    """Return a tie rod's bushings at its ball joint outside and at its universal joint inside.

    The same at both ends; the universal joint turns about the two axes square to the rod.
    """
    if not soft_ends(reading, block, (DATA,)):
        return {}
    along, across, free = laws(block.part(DATA))
    about = dict.fromkeys(ABOUT, free)
    ends: Sections = {"at": quantities(inner, "m"), "through": quantities(outer, "m")}
    about_inner = about | {ABOUT[2]: across}
    return {
        **write_bushing(reading, "tie_rod_outer_bushing", "tie_rod", along, about, {}),
        **write_bushing(reading, "tie_rod_bushing", "tie_rod steering", along, about_inner, ends),
    }


def rod_as_length(
    reading: Reading, block: JsonObject, joint: str, keys: tuple[str, str] = (DATA, DATA)
) -> Sections:
    """Return a rod of elastic length: the bushings at its ends in series, where balls let it turn freely."""
    ends = [laws(block.part(key)) for key in soft_ends(reading, block, keys)]
    if not ends:
        return {}
    if any(free != (0.0, 0.0) for _, _, free in ends):
        reading.note(TURNING)
    stiffness, damping = (combine_in_series([along[k] for along, _, _ in ends]) for k in (0, 1))
    return write_bushing(reading, f"{joint}_bushing", joint, (stiffness, damping), {}, {}, axes=ALONG[2:])


def soft_ends(reading: Reading, block: JsonObject, keys: Sequence[str]) -> list[str]:
    """Return the keys of a rod's bushings; none, with a note, for a rod without mass."""
    given = [key for key in keys if block.has(key)]
    if not given or block.has("Mass"):
        return given
    reading.note(MASSLESS)
    return []


def combine_in_series(values: list[float]) -> float:
    """Return the stiffness of springs in series, or the damping of dampers beside them in the same ratio."""
    return 0.0 if min(values) == 0.0 else 1.0 / sum(1.0 / value for value in values)


def laws(block: JsonObject) -> tuple[Law, Law, Law]:
    """Return laws along the axes, about those that the joint holds, and about those about which it turns."""
    free = block.part("DOF") if block.has("DOF") else JsonObject({}, block.path, block.name("DOF"))
    for unused in ("Stiffness Linear", "Damping Linear"):
        free.has(unused)  # which Chrono does not use

    def law(source: JsonObject, kind: str, default: float | None = None) -> Law:
        stiffness = source.number(f"Stiffness {kind}", default, least=0.0)
        return stiffness, source.number(f"Damping {kind}", default, least=0.0)

    return law(block, "Linear"), law(block, "Rotational"), law(free, "Rotational", 0.0)


def write_bushing(
    reading: Reading,
    name: str,
    joint: str,
    along: Law,
    about: dict[str, Law],
    places: Sections,
    axes: tuple[str, ...] = ALONG,
) -> Sections:
    """Return a bushing by its name; with dampings if it yields as the vehicle drives."""
    if not reading.elastic:
        reading.note(RIG_ONLY)

    def law(values: Law, units: tuple[str, str]) -> Sections:
        named = zip(("stiffness", "damping"), values, units, strict=True)
        return {
            key: quantity(value, unit) for key, value, unit in named if reading.elastic or key != "damping"
        }

    laws = {axis: law(along, UNITS_ALONG) for axis in axes}
    laws |= {axis: law(values, UNITS_ABOUT) for axis, values in about.items()}
    return {name: {"joint": joint, **places, **laws}}


Matrix = NDArray[np.float64]


def rotation(part: JsonObject, key: str) -> Matrix:
    """Return a quaternion (scalar first) as a matrix."""
    q = np.array(part.numbers(key, 4))
    length = float(np.linalg.norm(q))
    if not abs(length - 1.0) < 1e-3:
        raise part.key_error(key, f"a quaternion of length {length:g} is no rotation; its length must be 1")
    return rotation_from_quaternion(q / length)


def unit(part: JsonObject, key: str, v: Matrix) -> Matrix:
    """Return a direction; points that lie on one line or on each other have none."""
    length = float(np.linalg.norm(v))
    if not length > 1e-9:
        raise part.key_error(
            key, "its points lie on one line or on each other, so its axes are undefined; move one"
        )
    return np.asarray(v / length)


def arm_plane(part: JsonObject, key: str, front: Matrix, back: Matrix, outer: Matrix) -> Matrix:
    """Return axes of a control arm: z across its plane, x along its axis from back to front."""
    z = unit(part, key, cross(back - outer, front - outer))
    x = unit(part, key, front - back)
    return np.column_stack((x, cross(z, x), z))


def moments(part: JsonObject, products: str = "Products of Inertia") -> Matrix:
    """Return ``Moments of Inertia`` or ``Inertia``, with the products of inertia where they are given."""
    J = part.moments("Inertia" if part.has("Inertia") else "Moments of Inertia")
    if part.has(products):
        xy, xz, yz = part.numbers(products, 3)
        J = J + np.array([[0.0, xy, xz], [xy, 0.0, yz], [xz, yz, 0.0]])
        least, *_, largest = np.linalg.eigvalsh(J)
        if least < -1e-12 * largest:
            raise part.key_error(
                products,
                f"the smallest principal moment is {least:.4g}, negative; give smaller products",
            )
    return J


def rotate_inertia(J: Matrix, R: Matrix) -> Matrix:
    """Return an inertia in the axes R, in those of the vehicle."""
    return np.asarray(R @ J @ R.T)


DRIVER: Sections = {
    "preview_time": "0.8 s",
    "feedforward_time": "0.2 s",
    "aim_gain": "1",
    "throttle_gain": "1 s/m",
    "brake_gain": "0.3 s/m",
    "hold_throttle": "0.1",
    "brake_margin": "1 m/s",
}
HALF_SHAFT_WIND_UP = 0.02
"""[rad] of all half-shafts together at the engine's largest torque through the axle alone."""
HALF_SHAFT_TIME = 0.005
"""[s], their damping over their stiffness."""
RIGID_WIND_UP, RIGID_TIME = 0.002, 0.002
"""The same of half-shafts that hardly twist, as Chrono's, which are rigid."""


RADIUS = 0.02
"""[m] of a rod whose file has none."""
UNPHYSICAL = "chrono; unphysical as published"
"""Acknowledges an inertia that no real body can have: many of Chrono's examples are such."""


def body(part: JsonObject, com: Matrix | None = None, R: Matrix | None = None) -> Sections:
    """Return mass, centre of mass (the file's unless given) and inertia, in axes R if these are given."""
    J = moments(part)
    return {
        "mass": part.mass(),
        "com": quantities(part.vector("COM") if com is None else com, "m"),
        "inertia": inertia(J if R is None else rotate_inertia(J, R), UNPHYSICAL),
    }


def rod(reading: Reading, part: JsonObject, yields: bool = False) -> Sections:
    """Return a link as a uniform bar between its ends; its bushings are named unless it `yields`."""
    for key in ("Inertia", "COM"):
        part.has(key)
    if not yields:
        report_bushings(reading, part)
    reading.note("inertias and centres of mass of links between two joints: they are those of uniform bars")
    mass = part.number("Mass", least=0.0)
    return {"mass": quantity(mass, "kg"), "radius": quantity(part.positive("Radius", RADIUS), "m")}


def link(reading: Reading, part: JsonObject, outer: str, yields: bool = False) -> Sections:
    """Return a link from the chassis to a point that the file calls `outer`."""
    return {
        "chassis": part.point("Location Chassis"),
        "upright": part.point(outer),
        "rod": rod(reading, part, yields),
    }


def middle(a: Matrix, b: Matrix) -> Matrix:
    """Return the middle of two points."""
    return np.asarray(0.5 * (a + b))


WIND_UP = 0.1
"""[rad] of a brake at its full torque: its elasticity, of which Chrono's brakes have none."""
WIND_UP_TIME, APERIODIC = 0.005, 0.04
"""[s], damping over stiffness; as Chrono, whose locked wheels do not ring: 2 √(J/k) of 20 kg m², 5e4 N m."""
BRAKES = ("BrakeSimple", "BrakeShafts")


def rotor(part: JsonObject) -> Sections:
    """Return mass and inertia of what turns about the wheel's axis."""
    return {
        "mass": part.mass(),
        "inertia": inertia(part.moments("Inertia")),
    }


UNTURNED = ("RigidSuspension", "RigidPinnedAxle", "HendricksonPRIMAXX")
"""Templates whose files' camber and toe Chrono does not read."""


def lean(reading: Reading, suspension: JsonObject) -> Sections:
    """Return camber (top outwards) and toe (front inwards) of an axle's wheels, where they are not 0."""
    found: Sections = {}
    for ours, key in (("camber", "Camber Angle (deg)"), ("toe", "Toe Angle (deg)")):
        angle = suspension.number(key, 0.0)
        if not abs(angle) < STEEPEST:
            raise suspension.key_error(
                key, f"{angle:g} is no angle of a wheel; give less than {STEEPEST:g} degrees"
            )
        if angle and suspension.template in UNTURNED:
            reading.note(f"{key!r} of {suspension.template}, which Chrono does not read: 0")
        elif angle:
            found[ours] = quantity(angle, "deg")
    if found and reading.like_chrono:
        reading.note(
            "spindles of some beams, which Chrono lets wobble where camber or toe are given: they do not"
        )
    return found


def lean_axes(suspension: JsonObject) -> Matrix:
    """Return axes of the left knuckle of most steered beams, which are those of its wheel."""
    camber, toe = (math.radians(suspension.number(f"{name} Angle (deg)", 0.0)) for name in ("Camber", "Toe"))
    return np.eye(3) if suspension.template.startswith("SAE") else wheel_axes(camber, toe)


STEEPEST = 30.0
"""Camber or toe [deg] from which a file is mistaken."""


def wheel_files(reading: Reading, axle: JsonObject) -> tuple[JsonObject, float | None]:
    """Return the file of an axle's wheels, and how far apart they are where there are two on a side [m]."""
    spacing: float | None = None
    if axle.has("Wheel Separation"):
        spacing = axle.positive("Wheel Separation")
        keys = [
            f"{side} {place} Wheel Input File"
            for side in ("Left", "Right")
            for place in ("Inside", "Outside")
        ]
    else:
        keys = [f"{side} Wheel Input File" for side in ("Left", "Right")]
    files = [reading.path_of(axle, key) for key in keys]
    if len(set(files)) > 1:
        reading.note(f"wheels that differ within an axle: that of {files[0].name} is taken for all of them")
    return reading.open(files[0]), spacing


def brake(reading: Reading, axle: JsonObject, name: str) -> tuple[Sections, bool]:
    """Return the brake of each wheel of a named axle, and whether it reacts on the chassis."""
    if not axle.has("Left Brake Input File"):
        raise axle.key_error("Left Brake Input File", "it is missing; expected the name of a brake's file")
    files = [reading.path_of(axle, f"{side} Brake Input File") for side in ("Left", "Right")]
    part = reading.section(f"{name}.brake", reading.open(files[0]))
    if files[0] != files[1]:
        reading.note(f"brakes that differ within an axle: that of {files[0].name} is taken for both")
    if part.template not in BRAKES:
        raise part.wrong_kind(f"brake that can be read; known are {', '.join(BRAKES)}")
    on_shafts = part.template == "BrakeShafts"
    if on_shafts:
        part.has("Shaft Inertia")
        if not reading.like_chrono:
            reading.note("brakes on shafts, which react on the chassis: here on the carrier of the wheel")
    torque = part.positive("Maximum Torque")
    time = APERIODIC if reading.like_chrono else WIND_UP_TIME
    section: Sections = {
        "source": "chrono",
        "max_torque": quantity(torque, "N*m"),
        "stiffness": quantity(torque / WIND_UP, "N*m/rad", "assumed"),
        "damping": quantity(torque / WIND_UP * time, "N*m*s/rad", "assumed"),
    }
    return section, on_shafts and reading.like_chrono
