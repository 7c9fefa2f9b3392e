"""A wheel carrier on rods and ball joints, solved by SciPy from hardpoints alone: nothing of the library.

A wishbone is two rods.  The pose closes five distances and the height of the wheel; velocities follow from
the same conditions, differentiated by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]


class Pose(NamedTuple):
    """Of a carrier: rotation since the design, wheel centre."""

    R: Floats
    W: Floats


@dataclass
class RodCarrier:
    """A carrier with five rods; the last one steers."""

    on_carrier: Floats  # (5, 3)
    anchors: Floats  # (5, 3)
    W: Floats
    e: Floats
    side: int

    def solved(self, z: float) -> Pose:
        """The pose with the wheel centre lifted by z."""
        lengths = np.linalg.norm(self.on_carrier - self.anchors, axis=1)

        def gaps(x: Floats) -> Floats:
            points = self.placed(x, self.on_carrier)
            return np.append(np.linalg.norm(points - self.now, axis=1) - lengths, x[2] - z)

        x = np.zeros(6)
        for part in np.linspace(0.25, 1.0, 4):  # led there, lest another branch is found

            def part_of(x: Floats, part: float = part) -> Floats:
                gap = gaps(x)
                gap[5] = x[2] - part * z
                return gap

            x = fsolve(part_of, x, xtol=1e-10)
        for _ in range(3):  # the last digits
            J = np.array([(gaps(x + h) - gaps(x - h)) / 2e-6 for h in 1e-6 * np.eye(6)]).T
            x = x - np.linalg.solve(J, gaps(x))
        assert np.max(np.abs(gaps(x))) < 1e-14
        return Pose(Rotation.from_rotvec(x[3:]).as_matrix(), self.W + x[:3])

    now: Any = None
    """Where the anchors are, if the steering has moved them."""

    def __post_init__(self) -> None:
        self.now = self.anchors if self.now is None else self.now

    def steered(self, L: Floats) -> RodCarrier:
        """With the last rod's anchor at L."""
        return replace(self, now=np.vstack((self.anchors[:4], L)))

    def placed(self, x: Floats, points: Floats) -> Floats:
        """Points of the carrier at a pose in six numbers."""
        moved: Floats = self.W + x[:3] + Rotation.from_rotvec(x[3:]).apply(points - self.W)
        return moved

    def at(self, pose: Pose, point: Floats) -> Floats:
        """Where a point of the carrier is."""
        placed: Floats = pose.W + pose.R @ (point - self.W)
        return placed

    def twist(self, pose: Pose, vz: float = 1.0, dL: Floats | None = None) -> tuple[Floats, Floats]:
        """ω and v of the wheel centre, for its vertical velocity and the velocity of the last anchor."""
        points = np.array([self.at(pose, point) for point in self.on_carrier])
        n = points - self.now
        arms = points - pose.W
        rows = np.hstack((np.cross(arms, n), n))  # n·(ω × a + v) = (a × n)·ω + n·v
        right = np.zeros(6)
        right[4] = 0.0 if dL is None else n[4] @ dL
        right[5] = vz
        found = np.linalg.solve(np.vstack((rows, [0, 0, 0, 0, 0, 1])), right)
        return found[:3], found[3:]


def figures(rig: RodCarrier, pose: Pose, radius: float) -> dict[str, float]:
    """Figures of one wheel by constructions that are not those of the library."""
    side = rig.side
    e = pose.R @ rig.e
    heading = np.cross(e, [0, 0, 1])
    heading /= np.linalg.norm(heading)
    up = np.array([0, 0, 1]) - e[2] * e
    P = pose.W - radius * up / np.linalg.norm(up)
    w, v = rig.twist(pose)
    vP = v + np.cross(w, P - pose.W)
    # instant centres: the point of the plane with no velocity in it, as linear equations
    front = P[1:] + np.linalg.solve([[0, -w[0]], [w[0], 0]], -vP[1:])
    beside = P[[0, 2]] + np.linalg.solve([[0, w[1]], [-w[1], 0]], -vP[[0, 2]])
    found = {
        "steer_angle": np.arcsin(heading[1]),
        "toe_angle": -side * np.arcsin(heading[1]),
        "camber_angle": -side * np.arcsin(e[2]),
        "side_view_angle": np.arctan(-pose.R[0, 2] / pose.R[2, 2]),
        "front_view_angle": np.arctan(side * pose.R[1, 2] / pose.R[2, 2]),
        "wheel_centre_x": pose.W[0],
        "wheel_centre_y": pose.W[1],
        "wheel_centre_z": pose.W[2],
        "contact_x": P[0],
        "contact_y": P[1],
        "contact_z": P[2],
        "front_instant_centre_y": front[0],
        "front_instant_centre_z": front[1],
        "front_swing_arm_length": side * (P[1] - front[0]),
        "front_swing_arm_angle": np.arctan((front[1] - P[2]) / (side * (P[1] - front[0]))),
        "side_instant_centre_x": beside[0],
        "side_instant_centre_z": beside[1],
        "ride_caster": -w[1],
    }
    return {name: float(value) for name, value in found.items()}


def about_kingpin(rig: RodCarrier, pose: Pose, radius: float, D: Floats, F: Floats) -> dict[str, float]:
    """Figures of the steering axis through two points of the carrier."""
    D, F = rig.at(pose, D), rig.at(pose, F)
    k = F - D
    e = pose.R @ rig.e
    P = contact_of(pose, e, radius)
    found = {
        "caster_angle": np.arctan(-k[0] / k[2]),
        "kingpin_inclination": np.arctan(-rig.side * k[1] / k[2]),
    }
    for point, across, along in (
        (P, "scrub_radius", "caster_trail"),
        (pose.W, "kingpin_offset", "caster_offset"),
    ):
        # where the line D + λ k has the point's height, seen in axes of the wheel
        G = D + k * (point[2] - D[2]) / k[2]
        angle = np.arctan2(-e[0], e[1])
        turned = Rotation.from_euler("z", -angle).apply(point - G)
        found |= {across: rig.side * turned[1], along: -turned[0]}
    return {name: float(value) for name, value in found.items()}


def contact_of(pose: Pose, e: Floats, radius: float) -> Floats:
    """The lowest point of the wheel's circle, found by turning around it."""
    a = np.cross(e, [0, 0, 1])
    a /= np.linalg.norm(a)
    b = np.cross(e, a)
    angle = np.arctan2(b[2], a[2])  # height a_z cos + b_z sin is largest here
    lowest: Floats = pose.W - radius * (a * np.cos(angle) + b * np.sin(angle))
    return lowest


def heading_rate(e: Floats, de: Floats) -> float:
    """How fast the horizontal part of a direction turns about z: (e × ė)_z over its square."""
    return float((e[0] * de[1] - e[1] * de[0]) / (e[0] ** 2 + e[1] ** 2))
