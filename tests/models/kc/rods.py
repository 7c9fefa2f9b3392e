"""A wheel carrier on rods, ball joints and sliders, solved by SciPy from hardpoints: nothing of the library.

A wishbone is two rods, a strut is a slider.  The pose closes the distances of the rods, the two conditions
of a slider and the heights of the wheels; velocities follow from the same conditions, differentiated by hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])


class Pose(NamedTuple):
    """Rotation of a carrier since the design, and the place of the first wheel's centre."""

    R: Floats
    W: Floats


class Wheel(NamedTuple):
    """A wheel of the carrier in the design pose: centre, spin axis, side."""

    W: Floats
    e: Floats
    side: int


@dataclass
class RodCarrier:
    """A carrier with rods, the last of which steers, and sliders, for one wheel or both.

    ``sliders`` are points fixed on the chassis through which a line of the carrier passes: the point and the
    direction of the line, in the design pose.
    """

    on_carrier: Floats
    anchors: Floats
    wheels: Sequence[Wheel]
    sliders: Sequence[tuple[Floats, Floats]] = ()
    now: Floats = field(default_factory=lambda: np.zeros(0))
    """Places of the anchors, if the steering has moved them."""

    def __post_init__(self) -> None:
        if not len(self.now):
            self.now = self.anchors
        assert len(self.on_carrier) + 2 * len(self.sliders) + len(self.wheels) == 6

    @property
    def origin(self) -> Floats:
        return self.wheels[0].W

    def steered(self, L: Floats) -> "RodCarrier":
        return replace(self, now=np.vstack((self.anchors[:-1], L)))

    def gaps(self, x: Floats, heights: Floats) -> Floats:
        pose = Pose(Rotation.from_rotvec(x[3:]).as_matrix(), self.origin + x[:3])
        lengths = np.linalg.norm(self.on_carrier - self.anchors, axis=1)
        points = np.array([self.at(pose, point) for point in self.on_carrier])
        rods = np.linalg.norm(points - self.now, axis=1) - lengths
        beside = [
            normal @ pose.R.T @ (F - self.at(pose, F))
            for F, along in self.sliders
            for normal in across(along)
        ]
        lifted = [self.at(pose, wheel.W)[2] - wheel.W[2] for wheel in self.wheels]
        return np.concatenate((rods, beside, np.array(lifted) - heights))

    def solved(self, *heights: float, within: float = 1e-14) -> Pose:
        goal = np.array(heights)
        x = np.zeros(6)
        for part in np.linspace(0.25, 1.0, 4):  # led there, lest another branch is found
            x = root(self.gaps, x, (part * goal,), tol=1e-10).x
        for _ in range(3):  # the last digits
            J = np.array([(self.gaps(x + h, goal) - self.gaps(x - h, goal)) / 2e-6 for h in 1e-6 * np.eye(6)])
            x = x - np.linalg.solve(J.T, self.gaps(x, goal))
        assert np.max(np.abs(self.gaps(x, goal))) < within
        return Pose(Rotation.from_rotvec(x[3:]).as_matrix(), self.origin + x[:3])

    def fold_near(self, pose: Pose, height: float) -> float:
        """The height z_e at which the pose turns back: G(x, z_e) = 0 and G_x v = 0 for some v of length 1."""

        def rows(x: Floats, z: float) -> Floats:
            goal = np.array([z])
            return np.array(
                [(self.gaps(x + h, goal) - self.gaps(x - h, goal)) / 2e-5 for h in 1e-5 * np.eye(6)]
            ).T

        def fold(u: Floats) -> Floats:
            x, z, v = u[:6], float(u[6]), u[7:]
            return np.concatenate((self.gaps(x, np.array([z])), rows(x, z) @ v, [v @ v - 1.0]))

        x = np.concatenate((pose.W - self.origin, Rotation.from_matrix(pose.R).as_rotvec()))
        v = np.linalg.svd(rows(x, height))[2][-1]
        found = root(fold, np.concatenate((x, [height], v)), tol=1e-12)
        assert np.max(np.abs(found.fun)) < 1e-10, found.message
        return float(found.x[6])

    def at(self, pose: Pose, point: Floats) -> Floats:
        """Return the place of a point of the carrier."""
        placed: Floats = pose.W + pose.R @ (point - self.origin)
        return placed

    def twist(self, pose: Pose, vz: Sequence[float], dL: Floats | None = None) -> tuple[Floats, Floats]:
        """ω and v of the first wheel's centre, by the wheels' upward velocities and the last anchor's."""
        rows, right = [], []
        for k, (point, anchor) in enumerate(zip(self.on_carrier, self.now, strict=True)):
            r = self.at(pose, point)
            n, a = r - anchor, r - pose.W
            rows.append(np.concatenate((np.cross(a, n), n)))  # n·(v + ω × a) = (a × n)·ω + n·v
            right.append(n @ dL if dL is not None and k == len(self.now) - 1 else 0.0)
        for F, along in self.sliders:
            S = self.at(pose, F)  # the point of the carrier that was at F; its line passes F still
            for normal in across(along):
                n = pose.R @ normal
                # d/dt n·(F − S) = (ω × n)·(F − S) − n·(v + ω × (S − W))
                rows.append(np.concatenate((np.cross(n, F - S) - np.cross(S - pose.W, n), -n)))
                right.append(0.0)
        for wheel, velocity in zip(self.wheels, vz, strict=True):
            rows.append(np.concatenate((np.cross(self.at(pose, wheel.W) - pose.W, UP), UP)))
            right.append(velocity)
        found = np.linalg.solve(np.array(rows), np.array(right))
        return found[:3], found[3:]

    def velocity(self, pose: Pose, twist: tuple[Floats, Floats], r: Floats) -> Floats:
        w, v = twist
        found: Floats = v + np.cross(w, r - pose.W)
        return found


def across(direction: Floats) -> Floats:
    return np.asarray(np.linalg.svd(direction[np.newaxis])[2][1:])


def wheel_at(rig: RodCarrier, pose: Pose, k: int, radius: float) -> tuple[Floats, Floats, Floats]:
    """Centre, spin axis, contact centre of a wheel: the contact is the lowest point of its circle."""
    W, e = rig.at(pose, rig.wheels[k].W), pose.R @ rig.wheels[k].e
    a = np.cross(e, UP)
    a /= np.linalg.norm(a)
    b = np.cross(e, a)
    angle = np.arctan2(b[2], a[2])  # a cos + b sin is highest here
    return W, e, W - radius * (a * np.cos(angle) + b * np.sin(angle))


def figures(rig: RodCarrier, pose: Pose, radius: float, k: int = 0) -> dict[str, float]:
    """Figures of one wheel by constructions that are not those of the library."""
    side = rig.wheels[k].side
    W, e, P = wheel_at(rig, pose, k, radius)
    heading = np.cross(e, UP)
    heading /= np.linalg.norm(heading)
    own = [1.0 if j == k else 0.0 for j in range(len(rig.wheels))]
    alone, ride = rig.twist(pose, own), rig.twist(pose, [1.0] * len(own))
    v, u = rig.velocity(pose, alone, P), rig.velocity(pose, ride, P)
    # instant centres: the point of the plane with no velocity in it, as linear equations
    w_x, w_y = alone[0][0], ride[0][1]
    front = P[1:] + np.linalg.solve([[0, -w_x], [w_x, 0]], -v[1:])
    beside = P[[0, 2]] + np.linalg.solve([[0, w_y], [-w_y, 0]], -u[[0, 2]])
    found = {
        "steer_angle": np.arcsin(heading[1]), "toe_angle": -side * np.arcsin(heading[1]),
        "camber_angle": -side * np.arcsin(e[2]),
        "side_view_angle": np.arctan(-pose.R[0, 2] / pose.R[2, 2]),
        "front_view_angle": np.arctan(side * pose.R[1, 2] / pose.R[2, 2]), "wheel_centre_x": W[0],
        "wheel_centre_y": W[1], "wheel_centre_z": W[2], "contact_x": P[0], "contact_y": P[1],
        "contact_z": P[2], "front_instant_centre_y": front[0], "front_instant_centre_z": front[1],
        "front_swing_arm_length": side * (P[1] - front[0]),
        "front_swing_arm_angle": np.arctan((front[1] - P[2]) / (side * (P[1] - front[0]))),
        "side_instant_centre_x": beside[0], "side_instant_centre_z": beside[1], "ride_caster": -w_y,
        "ride_steer": -side * heading_rate(e, np.cross(ride[0], e)),
        "ride_camber": -side * np.cross(ride[0], e)[2] / np.sqrt(1.0 - e[2] ** 2),
    }  # fmt: skip
    return {name: float(value) for name, value in found.items()}


def about_kingpin(
    rig: RodCarrier, pose: Pose, radius: float, D: Floats, F: Floats, k: int = 0
) -> dict[str, float]:
    """Figures of the steering axis through two points where they are now."""
    W, e, P = wheel_at(rig, pose, k, radius)
    side, up = rig.wheels[k].side, F - D
    found = {
        "caster_angle": np.arctan(-up[0] / up[2]),
        "kingpin_inclination": np.arctan(-side * up[1] / up[2]),
    }
    for point, lateral, longitudinal in (
        (P, "scrub_radius", "caster_trail"),
        (W, "kingpin_offset", "caster_offset"),
    ):
        # where the line D + λ (F − D) has the point's height, seen in axes of the wheel
        G = D + up * (point[2] - D[2]) / up[2]
        turned = Rotation.from_euler("z", -np.arctan2(-e[0], e[1])).apply(point - G)
        found |= {lateral: side * turned[1], longitudinal: -turned[0]}
    return {name: float(value) for name, value in found.items()}


def heading_rate(e: Floats, de: Floats) -> float:
    """Return the rate of the horizontal part of a direction about z: (e × ė)_z over its square."""
    return float((e[0] * de[1] - e[1] * de[0]) / (e[0] ** 2 + e[1] ** 2))
