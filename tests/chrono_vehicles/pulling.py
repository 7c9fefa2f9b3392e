"""Vehicles of Chrono's data that pull aside: how drag links turn their wheels, by the published points alone.

Where a drag link steers from one side, a beam that does not hang as it is designed turns its wheels.  From
the model comes only how the beam hangs; how far drag link, crank and tie rods then turn the knuckles follows
from the lengths of the rods between the points of the JSON file, one equation each, and is compared with the
model's knuckles.  With the yaw of the beams themselves that makes a circle, whose distance aside is compared
with a run.
"""

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.json_file import load
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from tests.chrono_vehicles.fleet import SPEED, run, vehicles

WAY = 100.0
"""[m] straight ahead, with steering and pedals at rest."""
MOST = np.radians(20.0)
"""[rad] within which the angles are looked for."""
MIRRORED = np.array([1.0, -1.0, 1.0])


Part = Mapping[str, Any]
"""A file as parsed."""


class Hanging(NamedTuple):
    """Place of a body on the chassis, over its design position: x ↦ R (x − a) + b, vehicle coordinates."""

    R: Floats
    a: Floats
    b: Floats

    def __call__(self, x: Floats) -> Floats:
        return np.asarray(self.R @ (x - self.a) + self.b)

    @property
    def yaw(self) -> float:
        """[rad]."""
        return float(np.arctan2(self.R[1, 0], self.R[0, 0]))


class Figures(NamedTuple):
    """Heave of the front beam [m], wheels' angles by hand and found [rad], aside by hand and found [m]."""

    heave: float
    by_hand: float
    of_the_model: float
    circle: float
    found: float


def turned(x: Floats, at: Floats, axis: Floats, angle: float) -> Floats:
    rotation = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis))
    return np.asarray(at + rotation.apply(x - at))


NOWHERE = Hanging(np.eye(3), np.zeros(3), np.zeros(3))
"""In its design position."""


def knuckles(part: Part, origin: Floats, hangs: Hanging) -> list[float]:
    """Angles about the kingpins [rad], positive to the left, at which rods keep their lengths."""

    def point(block: str, key: str) -> Floats:
        return np.asarray(origin + np.asarray(part[block][key], dtype=float))

    lower, upper = point("Knuckle", "Location Lower"), point("Knuckle", "Location Upper")
    if "Bellcrank" not in part:
        pulled, held = point("Knuckle", "Location Draglink"), point("Draglink", "Location Chassis")
        if on_the_right(part):
            lower, upper = lower * MIRRORED, upper * MIRRORED
        return [held_by(pulled, lower, upper - lower, held, hangs)]
    pivot, pulled, held = (
        point("Bellcrank", "Location Axle"), point("Draglink", "Location Bellcrank"),
        point("Draglink", "Location Steering"),
    )  # fmt: skip
    up = np.array([0.0, 0.0, 1.0])
    crank = held_by(pulled, pivot, up, held, hangs)
    inner, outer = point("Bellcrank", "Location Tierod"), point("Knuckle", "Location Tierod")
    found = []
    for side in (np.ones(3), MIRRORED):
        low, high, rod, end = (side * x for x in (lower, upper, outer, inner))
        found.append(held_by(rod, low, high - low, end, NOWHERE, turned(end, pivot, up, crank)))
    return found


def held_by(
    x: Floats, at: Floats, axis: Floats, end: Floats, hangs: Hanging, moved: Floats | None = None
) -> float:
    """Angle about an axis of the beam at which a rod from x to an end, moved or not, keeps its length."""
    there = end if moved is None else moved
    length = np.linalg.norm(x - end)

    def longer(angle: float) -> float:
        return float(np.linalg.norm(hangs(turned(x, at, axis, angle)) - there) - length)

    return float(brentq(longer, -MOST, MOST, xtol=1e-12))


def on_the_right(part: Part) -> bool:
    """Return True if the drag link pulls the right knuckle."""
    return bool(part["Knuckle"]["Location Draglink"][1] < 0.0)


def about(R: Floats) -> float:
    """Angle of a rotation, positive to the left [rad]."""
    turn = Rotation.from_matrix(R).as_rotvec()
    return float(np.copysign(np.linalg.norm(turn), turn[2]))


def pulls(path: Path, root: Path) -> Figures | None:
    """Measure the pull of a vehicle to one side; None if no drag link steers its front axle."""
    first = load(path)["Axles"][0]
    part = load(root / first["Suspension Input File"])
    if "Draglink" not in part or "Trackbar" in part:
        return None
    data = VehicleParameters.load(path)
    model = ce.compile(build(data, speed=SPEED))
    y = settle(model)
    design, now = model.poses(model.y0), model.poses(y)

    com = data.chassis.com

    def hanging(*names: str) -> Hanging:
        k = next(now.bodies.index(name) for name in names if name in now.bodies)
        c = now.bodies.index("chassis")
        a, b = (com + p.rotations[c].T @ (p.positions[k] - p.positions[c]) for p in (design, now))
        return Hanging(now.rotations[c].T @ now.rotations[k], a, b)

    front, rear = (
        hanging(f"{axle.name}.axle", f"{axle.name}.beam")
        for axle in (data.layout.axles[0], data.layout.axles[-1])
    )
    found = knuckles(part, np.asarray(first["Suspension Location"], dtype=float), front)
    theirs = [about(front.R.T @ hanging(f"{corner}.knuckle").R) for corner in data.layout.axles[0].corners]
    if len(found) == 1:
        theirs = [theirs[1 if on_the_right(part) else 0]]
    by_hand, of_the_model = float(np.mean(found)), float(np.mean(theirs))
    curvature = (by_hand + front.yaw - rear.yaw) / data.wheelbase
    straight = run(model, y, WAY / SPEED)
    x, aside = straight["x"].values, straight["y"].values
    gone = np.concatenate(([0.0], np.hypot(np.diff(x), np.diff(aside)).cumsum()))
    circle = (1.0 - np.cos(curvature * gone[-1])) / curvature
    heave = float((front(front.a) - front.a)[2])
    return Figures(heave, by_hand, of_the_model, float(circle), float(aside[-1]))


def rows(folder: Path) -> Iterator[str]:
    for path in vehicles(folder):
        try:
            f = pulls(path, folder)
        except CeDynamicsError as error:
            yield f"| `{path.stem}` | | | | | {error} |"
            continue
        if f is not None:
            angles = f"{np.degrees(f.by_hand):.3f} | {np.degrees(f.of_the_model):.3f}"
            yield f"| `{path.stem}` | {1e3 * f.heave:.1f} | {angles} | {f.circle:.1f} | {f.found:.1f} |"


def main(folder: Path) -> None:
    warnings.simplefilter("ignore", PhysicalityWarning)
    print(
        "| vehicle | front beam lies higher by, mm | wheels by hand, ° | model, ° | aside by hand, m | run |"
    )
    print("| --- " * 6 + "|")
    for row in rows(folder):
        print(row, flush=True)
