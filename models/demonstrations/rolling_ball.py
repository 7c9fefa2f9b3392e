"""A ball that rolls on a plane, in scenes with known solutions: the same ball in two formulations.

Every `BallScene` is built twice: *embedded*, with the rolling hinge (three quasi-velocities, no drift),
and *constrained*, as a free body with `BallRollingOnPlane` and its multipliers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, cos, sin
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.augmented.constrained_system import ConstrainedState, ConstrainedSystem
from ce_dynamics.augmented.rolling_ball import BallRollingOnPlane
from ce_dynamics.augmented.states import BodyState, observe_states
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.dynamics.reactions import reactions
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.drives import Motion, Prescribed
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.mechanism.hinges import Free, Hinge, Prismatic, Revolute
from ce_dynamics.mechanism.hinges.rolling import RollingOnPlane
from ce_dynamics.mechanism.system import System
from ce_dynamics.simulation.simulate import simulate

GRAVITY = 9.81
SOLID, HOLLOW = 2.0 / 5.0, 2.0 / 3.0
"""k of solid and hollow spheres."""


@dataclass(frozen=True)
class RollingBall:
    """A ball with its centre of mass in the middle and a moment of inertia k m r² about every axis."""

    mass: float = 1.0
    radius: float = 0.1
    k: float = SOLID

    def __post_init__(self) -> None:
        for name, unit in (("mass", "kg"), ("radius", "m"), ("k", "")):
            value = finite_number(getattr(self, name), "RollingBall", name)
            if value <= 0.0:
                raise ModelError(f"Ball: {name} {value:g} must be > 0 {unit}".rstrip())

    @property
    def moment(self) -> float:
        """About any axis through the centre [kg m²]."""
        return self.k * self.mass * self.radius**2


class TurningHinge(Motion):
    """A hinge that turns at a constant rate [rad/s]."""

    states = (StateDeclaration("angle", "rad"),)

    def __init__(self, rate: float) -> None:
        self.rate = finite_number(rate, "TurningHinge", "rate")

    def evaluate(self, x: Array, u: Mapping[str, Scalar]) -> Prescribed:
        return Prescribed(x[0], self.rate, 0.0, (self.rate,))


class Shaking(Motion):
    """A hinge that swings as amplitude × (1 − cos ωt), from rest."""

    states = (StateDeclaration("time", "s"),)

    def __init__(self, amplitude: float, omega: float) -> None:
        self.amplitude = finite_number(amplitude, "Shaking", "amplitude")
        self.omega = finite_number(omega, "Shaking", "omega")

    def evaluate(self, x: Array, u: Mapping[str, Scalar]) -> Prescribed:
        a, w, phase = self.amplitude, self.omega, self.omega * x[0]
        return Prescribed(a * (1.0 - cos(phase)), a * w * sin(phase), a * w * w * cos(phase), (1.0,))


@dataclass(frozen=True, eq=False)
class Plate:
    """The body that carries the plane, if that is not the ground."""

    hinge: Hinge
    mass: float = 1.0
    inertia: Sequence[float] = (0.1, 0.1, 0.2)
    motion: Motion | None = None  # Drives the hinge
    v: Sequence[float] | None = None  # Initial velocities of a hinge that is not driven


class Expected(NamedTuple):
    """Theoretical solution of a scene, as functions of time."""

    centre: Callable[[Floats], Floats]  # (n,) times [s] to the centre's positions (n, 3) [m]
    normal: float  # Normal force on the ball [N], signed
    friction: Callable[[Floats], Floats]  # (n,) times [s] to the magnitude of the friction (n,) [N]


@dataclass(frozen=True, eq=False)
class BallScene:
    """A ball on a plane."""

    title: str
    ball: RollingBall
    contact: Floats  # (3,): Contact point at the start (and in the design pose) [m]
    normal: Floats  # (3,): Unit normal of the plane in the design pose; the ball is on this side
    gravity: Floats
    w: Floats  # (3,): Initial angular velocity relative to the plane's body
    plate: Plate | None = None  # Carries the plane; None for the ground
    expected: Expected | None = None
    duration: float = 2.0  # [s]
    # Half the width with which the plane is drawn [m]; 0 hides it.  None for what the path needs
    half_width: float | None = None

    def __post_init__(self) -> None:
        for name in ("contact", "gravity", "w"):
            object.__setattr__(self, name, finite_vector(getattr(self, name), "BallScene", name))
        if self.half_width is not None and finite_number(self.half_width, "BallScene", "half_width") < 0.0:
            raise ModelError(f"Scene: half_width {self.half_width:g} must be >= 0 m (0 hides the plane)")

    @property
    def centre(self) -> Floats:
        """Centre of the ball at the start."""
        return self.contact + self.ball.radius * np.asarray(self.normal)

    def make_embedded(self) -> System:
        """Return the ball on a rolling hinge."""
        system, plane = self._carrier("embedded")
        self._add_ball(system, plane, RollingOnPlane(self.normal, self.centre, self.ball.radius))
        system.start("ball", v=self.w)
        return system

    def make_constrained(self) -> tuple[ConstrainedSystem, BallRollingOnPlane]:
        """Return a free ball with a rolling constraint."""
        system, plane = self._carrier("constrained")
        ball = self._add_ball(system, system.ground, Free(self.centre))
        rolling = BallRollingOnPlane(
            plane,
            self.normal,
            float(np.dot(self.normal, self.contact)),
            ball,
            self.centre,
            self.ball.radius,
            plane_display_half_width=1.0 if self.half_width is None else self.half_width,
        )
        return ConstrainedSystem(system, rolling), rolling

    def _carrier(self, formulation: str) -> tuple[System, Body]:
        system = System(gravity=self.gravity, name=f"{self.title} ({formulation})")
        if self.plate is None:
            return system, system.ground
        plate = self.plate
        body = system.add_body(
            "plate",
            mass=plate.mass,
            com=plate.hinge.at,
            inertia=plate.inertia,
            parent="ground",
            hinge=plate.hinge,
        )
        if plate.motion is not None:
            system.prescribe(body, plate.motion)
        elif plate.v is not None and formulation == "embedded":
            system.start(body, v=plate.v)
        return system, body

    def _add_ball(self, system: System, parent: Body, hinge: Hinge) -> Body:
        moments = (self.ball.moment,) * 3
        return system.add_body(
            "ball", mass=self.ball.mass, com=self.centre, inertia=moments, parent=parent, hinge=hinge
        )


@dataclass(frozen=True, eq=False)
class BallMotion:
    """A motion as either formulation computes it."""

    t: Floats  # (n,): [s]
    centre: Floats  # (n, 3): Of the ball [m]
    force: Floats  # (n, 3): Contact force on the ball, world axes [N]
    normal: Floats  # (n,): Its signed normal component [N]
    friction: Floats  # (n,): Size of the rest [N]
    energy: Floats  # (n,): Kinetic and gravitational [J]
    ball: list[BodyState]
    plate: list[BodyState]  # The plate's is that of the ground where there is none
    # (n,): Largest error of the contact in position [m] and velocity [m/s]; zero by construction when
    # embedded
    error: Floats


def run_embedded(scene: BallScene, t: Floats) -> BallMotion:
    """Integrate the O(N) equations and recover the contact force from the hinge's reaction."""
    model = Model(scene.make_embedded())
    interval = float(t[1] - t[0])
    data = simulate(model, duration=float(t[-1]), interval=interval, method="DOP853", rtol=1e-11, atol=1e-12)
    entries = (*model.layout.q, *model.layout.v, *model.layout.x)
    rows = np.stack([data[valid_name(entry.name)].values for entry in entries], axis=1)
    instants = [model.instant(y, model.u0) for y in rows]
    forces = [reactions(i.outward, i.loads, i.accelerations).hinges["ball"].force for i in instants]
    states = [observe_states(i.outward) for i in instants]
    energy = np.array([float(i.energy) for i in instants])
    return record(scene, data.time.values, states, np.array(forces), energy, np.zeros(len(rows)))


def run_constrained(scene: BallScene, t: Floats, alpha: float = 10.0, beta: float = 10.0) -> BallMotion:
    """Integrate the augmented equations with Baumgarte's terms."""
    system, rolling = scene.make_constrained()
    motion = system.simulate(start_of(scene, system), t, alpha=alpha, beta=beta, rtol=1e-10, atol=1e-11)
    errors = [[rolling.position_error(s), *rolling.velocity_error(s)] for s in motion.states]
    forces = np.array([rolling.contact_force(state) for state in motion.states])
    energy = np.array([state.energy for state in motion.states])
    states = [state.bodies for state in motion.states]
    return record(scene, motion.t, states, forces, energy, np.max(np.abs(errors), axis=1))


def start_of(scene: BallScene, system: ConstrainedSystem) -> ConstrainedState:
    """Return the scene's initial state in terms of the constrained system."""
    model = Model(scene.make_embedded())
    return system.default_state().with_motions(observe_states(model.instant(model.y0, model.u0).outward))


def record(
    scene: BallScene,
    t: Floats,
    states: Sequence[Mapping[str, BodyState]],
    force: Floats,
    energy: Floats,
    error: Floats,
) -> BallMotion:
    """Return the record of a motion, which has the same form for both formulations."""
    carrier = "ground" if scene.plate is None else "plate"
    plates = [state[carrier] for state in states]
    normals = np.array([plate.R @ scene.normal for plate in plates], dtype=float)
    normal = np.einsum("ij,ij->i", force, normals)
    friction = np.linalg.norm(force - normal[:, None] * normals, axis=1)
    balls = [state["ball"] for state in states]
    centre = np.array([ball.r for ball in balls], dtype=float)
    return BallMotion(t, centre, force, normal, friction, energy, balls, plates, error)


# Scenes


def incline(ball: RollingBall, slope: float = math.radians(20.0), across_speed: float = 0.5) -> BallScene:
    """Throw the ball across an incline (downwards is +x): a parabola with a = g sin β / (1 + k)."""
    return put_on_incline("incline", ball, slope, across_speed, 1.0)


def ceiling(ball: RollingBall, slope: float = math.radians(20.0)) -> BallScene:
    """Hold the ball below an incline by a bilateral contact only: the normal force is negative."""
    return put_on_incline("ceiling", ball, slope, 0.5, -1.0)


def put_on_incline(
    title: str, ball: RollingBall, slope: float, across_speed: float, side: float
) -> BallScene:
    """Put the ball on an incline (``side`` 1) or below it (−1)."""
    angle = finite_number(slope, title, "slope")
    if not 0.0 <= angle < math.pi / 2.0:
        raise ModelError(
            f"{title}: slope {math.degrees(angle):g} deg must be at least 0 and less than 90 deg"
        )
    n = side * np.array((math.sin(angle), 0.0, math.cos(angle)))
    down = np.array((math.cos(angle), 0.0, -math.sin(angle)))
    a = GRAVITY * math.sin(angle) / (1.0 + ball.k)
    v = np.array((0.0, finite_number(across_speed, title, "across_speed"), 0.0))

    def centre(t: Floats) -> Floats:
        return ball.radius * n + np.outer(t, v) + np.outer(0.5 * a * t**2, down)

    friction = ball.k * ball.mass * a
    expected = Expected(centre, ball.mass * GRAVITY * n[2], lambda t: np.full_like(t, friction))
    w = np.cross(n, v) / ball.radius  # v = ω × r n
    return BallScene(title, ball, np.zeros(3), n, np.array((0.0, 0.0, -GRAVITY)), w, expected=expected)


def turntable(
    ball: RollingBall, rate: float = 3.0, start: Sequence[float] = (0.4, 0.0), speed: float = 0.5
) -> BallScene:
    """Put the ball on a turntable: circles at k/(1 + k) of its rate, 2/7 for a solid ball, from any start."""
    omega = finite_number(rate, "turntable", "rate")
    speed = finite_number(speed, "turntable", "speed")
    if omega == 0.0:
        raise ModelError("turntable: rate 0 makes no turntable; give one such as 3 rad/s")
    x0 = checked("turntable: start", start, 2)
    n = np.array((0.0, 0.0, 1.0))
    contact, v = np.array((*x0, 0.0)), np.array((0.0, speed, 0.0))
    circling = ball.k / (1.0 + ball.k) * omega  # v̇ = k/(1 + k) Ω n × v
    middle = contact + ball.radius * n + np.cross(n, v) / circling

    def centre(t: Floats) -> Floats:
        spoke = -np.cross(n, v) / circling
        c, s = np.cos(circling * t), np.sin(circling * t)
        return np.asarray(middle + np.outer(c, spoke) + np.outer(s, np.cross(n, spoke)))

    friction = ball.mass * abs(circling) * abs(speed)
    expected = Expected(centre, ball.mass * GRAVITY, lambda t: np.full_like(t, friction))
    relative = v - omega * np.cross(n, contact)  # velocity of the centre as seen on the turntable
    w = np.cross(n, relative) / ball.radius
    plate = Plate(Revolute((0.0, 0.0, 1.0)), motion=TurningHinge(omega))
    duration = 2.0 * math.pi / abs(circling)
    gravity = np.array((0.0, 0.0, -GRAVITY))
    return BallScene("turntable", ball, contact, n, gravity, w, plate, expected, duration, 0.9)


def shake_tray(ball: RollingBall, amplitude: float = 0.3, omega: float = 5.0) -> BallScene:
    """Put the ball on a tray shaken along x: the ball moves k/(1 + k) of the tray's displacement."""
    n = np.array((0.0, 0.0, 1.0))
    motion = Shaking(amplitude, omega)
    share = ball.k / (1.0 + ball.k)

    def centre(t: Floats) -> Floats:
        way = share * motion.amplitude * (1.0 - np.cos(motion.omega * t))
        return np.outer(way, (1.0, 0.0, 0.0)) + ball.radius * n

    def friction(t: Floats) -> Floats:
        return ball.mass * share * np.abs(motion.amplitude * motion.omega**2 * np.cos(motion.omega * t))

    plate = Plate(Prismatic((1.0, 0.0, 0.0)), motion=motion)
    expected = Expected(centre, ball.mass * GRAVITY, friction)
    gravity = np.array((0.0, 0.0, -GRAVITY))
    return BallScene("shaken", ball, np.zeros(3), n, gravity, np.zeros(3), plate, expected, 3.0, 0.6)


def floating(ball: RollingBall) -> BallScene:
    """Put the ball on a plate floating in space: momentum, angular momentum and energy are conserved."""
    n = np.array((0.0, 0.0, 1.0))
    plate = Plate(Free(), 3.0, (0.25, 0.25, 0.5), v=(0.4, -0.2, 0.5, 0.0, 0.0, 0.0))
    contact, w = np.array((0.15, 0.0, 0.01)), np.array((1.0, 3.0, 2.0))
    return BallScene("floating", ball, contact, n, np.zeros(3), w, plate, duration=2.0, half_width=0.6)


SCENES: Mapping[str, Callable[[RollingBall], BallScene]] = {
    "incline": incline,
    "ceiling": ceiling,
    "turntable": turntable,
    "shaken": shake_tray,
    "floating": floating,
}


def momentum(scene: BallScene, record: BallMotion) -> Floats:
    """Return [angular about the world origin; linear] momentum of plate and ball at every instant, (n, 6)."""
    bodies: list[tuple[float, Any, list[BodyState]]] = [
        (scene.ball.mass, scene.ball.moment * np.eye(3), record.ball)
    ]
    if scene.plate is not None:
        bodies.append((scene.plate.mass, np.diag(scene.plate.inertia), record.plate))
    total = np.zeros((len(record.t), 6))
    for mass, inertia, states in bodies:
        for k, s in enumerate(states):
            spin = s.R @ (inertia @ (s.R.T @ s.w))
            total[k] += np.concatenate((spin + mass * np.cross(s.r, s.v), mass * s.v)).astype(float)
    return total
