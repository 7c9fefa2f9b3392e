"""Axles of Chrono's JSON files against SciPy: ``python -m tests.models.kc.chrono_axles FOLDER VEHICLE AXLE``.

Hardpoints are read from the files' keys alone: a wishbone is two rods, every link one, and the wheel carrier
is where six lengths and the height of its wheel say.  Compared are the place of the wheel, toe, camber and
the length of the spring of double wishbones, over ±100 mm; axles are counted from 0.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import root
from scipy.spatial.transform import Rotation

from ce_dynamics.models import kc
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.kc.rods import Floats

WISHBONES = {"DoubleWishbone": ("Upper Control Arm", "Lower Control Arm"), "MultiLink": ("Upper Arm",)}
LINKS = {"DoubleWishbone": (), "MultiLink": ("Lateral", "Trailing Link")}
TRAVEL = np.linspace(-0.1, 0.1, 9)
AGREED = 1e-12
"""[m], [rad]: rods are closed to 1e-15 m."""


def content(path: Path) -> Any:
    return json.loads(re.sub(r"//.*|/\*(.|\n)*?\*/", "", path.read_text()))


class Side:
    def __init__(self, folder: Path, vehicle: str, axle: int, side: int) -> None:
        words = content(folder / vehicle)["Axles"][axle]
        self.words = content(folder / words["Suspension Input File"])
        self.location, self.side = np.array(words["Suspension Location"], dtype=float), side
        self.template = self.words["Template"]
        self.W = self.point("Spindle", "COM")
        chassis, upright = "Location Chassis", "Location Upright"
        self.rods = [
            (self.point(arm, f"{chassis} {end}"), self.point(arm, upright))
            for arm in WISHBONES[self.template]
            for end in ("Front", "Back")
        ]
        links = *LINKS[self.template], "Tierod"
        self.rods += [(self.point(link, chassis), self.point(link, upright)) for link in links]
        self.last = np.zeros(6)

    def point(self, part: str, key: str) -> Floats:
        at: Floats = (np.array(self.words[part][key]) + self.location) * (1.0, self.side, 1.0)
        return at

    def moved(self, x: Floats, p: Floats) -> Floats:
        """Return the place of a point of the carrier."""
        at: Floats = self.W + x[:3] + Rotation.from_rotvec(x[3:]).apply(p - self.W)
        return at

    def solved(self, z: float) -> Floats:
        """Shift of the wheel's centre and rotation vector, from the pose before."""

        def gaps(x: Floats) -> Floats:
            rods = [
                np.linalg.norm(self.moved(x, outer) - inner) - np.linalg.norm(outer - inner)
                for inner, outer in self.rods
            ]
            return np.array([*rods, x[2] - z])

        x = root(gaps, self.last, tol=1e-15).x
        for _ in range(3):
            J = np.array([(gaps(x + h) - gaps(x - h)) / 2e-6 for h in 1e-6 * np.eye(6)]).T
            x = x - np.linalg.solve(J, gaps(x))
        self.last = x
        return x

    def expected(self, z: float) -> dict[str, float]:
        x = self.solved(z)
        e = Rotation.from_rotvec(x[3:]).apply((0.0, 1.0, 0.0))
        found = {f"wheel_centre_{axis}": self.W[k] + x[k] for k, axis in enumerate("xyz")}
        found["camber_angle"] = -self.side * np.arcsin(e[2])
        found["toe_angle"] = self.side * np.arctan2(e[0], e[1])
        if self.template == "DoubleWishbone":
            found["spring_length"] = self.spring(x)
        return found

    def spring(self, x: Floats) -> float:
        """Its lower end turns with the lower arm, as far as the ball joint says."""
        A, B, U = (
            self.point("Lower Control Arm", f"Location {at}")
            for at in ("Chassis Front", "Chassis Back", "Upright")
        )
        axis = (B - A) / np.linalg.norm(B - A)
        before, now = (d - axis * (axis @ d) for d in (U - A, self.moved(x, U) - A))
        angle = np.arctan2(axis @ np.cross(before, now), before @ now)
        end = A + Rotation.from_rotvec(angle * axis).apply(self.point("Spring", "Location Arm") - A)
        return float(np.linalg.norm(end - self.point("Spring", "Location Chassis")))


def deviations(folder: Path, vehicle: str, axle: int) -> dict[str, float]:
    data = VehicleParameters.load(folder / vehicle)
    found = kc.rig_of(data, data.layout.axles[axle].name).sweep("parallel", TRAVEL)
    worst: dict[str, float] = {}
    for k, side in enumerate((1, -1)):
        one = Side(folder, vehicle, axle, side)
        middle = len(TRAVEL) // 2
        for way in (range(middle, len(TRAVEL)), range(middle, -1, -1)):
            one.last = np.zeros(6)
            for pose in way:
                for name, value in one.expected(TRAVEL[pose]).items():
                    off = abs(float(found[name].values[pose, k]) - value)
                    worst[name] = max(worst.get(name, 0.0), off)
    return worst


def main() -> None:
    """Print the deviations; the exit code is 1 if one is too large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("vehicle")
    parser.add_argument("axle", type=int)
    given = parser.parse_args()
    worst = deviations(given.folder, given.vehicle, given.axle)
    for name, off in worst.items():
        print(f"{name}: {off:.1e}")
    sys.exit(0 if max(worst.values()) < AGREED else 1)


if __name__ == "__main__":
    main()
