"""Balance of a double wishbone with bushings from the keys of Chrono's files alone.

Arms, upright and tie rod are free bodies; ball joints and the wheel's height hold them by reactions that are
unknowns beside the displacements, and all equilibria and gaps vanish at once.  A bushing stores
½ Σ kᵢ dᵢ² + ½ Σ cᵢ φᵢ², d being the displacement of its centre and φ the rotation vector.
"""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tests.models.kc.rods import Floats

LOWER, UPPER, UPRIGHT, ROD = range(4)
SIZE = np.array([1e-3] * 24 + [1e3] * 8)
"""Sizes of displacements [m], [rad] and of reactions [N]."""
MOST = 40
"""Steps of Newton's method."""


def skew(v: Floats) -> Floats:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def torque_of(phi: Floats, moment: Floats) -> Floats:
    """J⁻ᵀ moment with φ̇ = J⁻¹ ω: J⁻¹ = 1 − [φ]/2 + (1 − θ/2 cot θ/2)/θ² [φ]²."""
    angle = float(np.linalg.norm(phi))
    part = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2 if angle > 1e-4 else 1.0 / 12.0
    inverse = np.eye(3) - 0.5 * skew(phi) + part * skew(phi) @ skew(phi)
    return np.asarray(inverse.T @ moment)


class BushedWishbones:
    """The left corner of an axle that nothing steers."""

    def __init__(self, words: dict[str, Any], location: Floats) -> None:
        def at(part: str, key: str) -> Floats:
            return np.asarray(np.array(words[part][key]) + location)

        upper, lower = "Upper Control Arm", "Lower Control Arm"
        ends = {
            arm: [at(arm, f"Location Chassis {end}") for end in ("Front", "Back")] for arm in (lower, upper)
        }
        self.balls = {LOWER: at(lower, "Location Upright"), UPPER: at(upper, "Location Upright")}
        self.W = at("Spindle", "COM")
        self.K, self.L = at("Tierod", "Location Upright"), at("Tierod", "Location Chassis")
        self.origins = [np.mean(ends[lower], axis=0), np.mean(ends[upper], axis=0), self.W, self.L]
        self.data = [words[part]["Bushing Data"] for part in (lower, upper, "Tierod")]
        self.axes = [ends[arm][0] - ends[arm][1] for arm in (lower, upper)] + [self.K - self.L]
        self.spring = at("Spring", "Location Chassis"), at("Spring", "Location Arm")
        self.u, self.J = np.zeros(len(SIZE)), np.zeros((0, 0))
        self.law = words["Spring"]["Spring Coefficient"], words["Spring"]["Free Length"]

    def left(self, x: Floats, travel: float, force: Floats, torque: Floats) -> Floats:
        """Forces and torques of the four bodies that are missing, and gaps."""
        poses = [(Rotation.from_rotvec(p[:3]), p[3:]) for p in x[:24].reshape(4, 6)]
        loads = np.zeros((4, 6))

        def moved(body: int, p: Floats) -> Floats:
            turn, shift = poses[body]
            return np.asarray(self.origins[body] + shift + turn.apply(p - self.origins[body]))

        def push(body: int, at: Floats, F: Floats) -> None:
            loads[body] += (*np.cross(at - self.origins[body] - poses[body][1], F), *F)

        for body, data, axis in zip((LOWER, UPPER, ROD), self.data, self.axes, strict=True):
            across, free = data["Stiffness Rotational"], data["DOF"]["Stiffness Rotational"]
            held, turning = (across, free) if body != ROD else (free, across)
            z = axis / np.linalg.norm(axis)
            turn, shift = poses[body]
            push(body, self.origins[body] + shift, -data["Stiffness Linear"] * shift)
            phi = turn.as_rotvec()
            loads[body, :3] -= torque_of(phi, held * phi + (turning - held) * z * (z @ phi))
        data = self.data[2]  # the ball joint between rod and upright: alike in all directions
        outside, inside = moved(UPRIGHT, self.K), moved(ROD, self.K)
        push(ROD, inside, data["Stiffness Linear"] * (outside - inside))
        push(UPRIGHT, inside, -data["Stiffness Linear"] * (outside - inside))
        twist = data["DOF"]["Stiffness Rotational"] * (poses[ROD][0] * poses[UPRIGHT][0].inv()).as_rotvec()
        loads[ROD, :3] -= twist
        loads[UPRIGHT, :3] += twist
        top, end = self.spring[0], moved(LOWER, self.spring[1])
        length = float(np.linalg.norm(end - top))
        push(LOWER, end, self.law[0] * (self.law[1] - length) * (end - top) / length)
        gaps = []
        for (body, ball), reaction in zip(self.balls.items(), (x[24:27], x[27:30]), strict=True):
            push(body, moved(body, ball), reaction)
            push(UPRIGHT, moved(UPRIGHT, ball), -reaction)
            gaps.append(moved(body, ball) - moved(UPRIGHT, ball))
        wheel = moved(UPRIGHT, self.W)
        push(UPRIGHT, wheel, force + (0.0, 0.0, x[30]))
        loads[UPRIGHT, :3] += torque
        gap = wheel[2] - self.W[2] - travel
        return np.concatenate((loads.ravel() / 1e3, *gaps, [gap], [x[31]]))

    def solved(self, travel: float, force: Floats, torque: Floats) -> tuple[Floats, Floats, float]:
        """The wheel's centre, its axis, the vertical force that holds it."""

        def scaled(u: Floats) -> Floats:
            return self.left(SIZE * u, travel, force, torque)

        # Newton's method with the Jacobian of an earlier point as long as that helps
        before = np.inf
        for _ in range(MOST):
            gaps = scaled(self.u)
            now = float(np.max(np.abs(gaps)))
            if now < 1e-11:
                break
            if not now < 0.1 * before or not len(self.J):
                ways = 1e-3 * np.eye(len(SIZE))
                self.J = np.array([(scaled(self.u + h) - scaled(self.u - h)) / 2e-3 for h in ways]).T
            before = now
            self.u = self.u - np.linalg.solve(self.J, gaps)
        assert now < 1e-11
        u = self.u
        x = SIZE * u
        turn = Rotation.from_rotvec(x[12:15])
        return self.W + x[15:18], turn.apply((0.0, 1.0, 0.0)), float(x[30])
