"""Two free bodies joined by a ball and socket: the 15×15 system, its drift, and the same pair embedded.

`BodyPair.equations` is the source's system, entry by entry, with named blocks; `simulate` integrates it, with
Baumgarte's terms or without, when the joint drifts apart.  `BodyPair.make_constrained` is the same pair with
the library's `PointToPoint`, and `BodyPair.make_embedded` with a spherical hinge, where nothing can drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.arrays import skew
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotation_from_quaternion
from ce_dynamics.augmented.constrained_system import ConstrainedSystem, PointToPoint
from ce_dynamics.augmented.states import compute_accelerations
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import AssemblyError, ModelError, SimulationError
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.hinges import Free, Spherical
from ce_dynamics.mechanism.inertia import check_inertia
from ce_dynamics.mechanism.system import System
from ce_dynamics.simulation.simulate import simulate as simulate_embedded

UNKNOWNS = ("ẍ₁", "ω̇₁", "ẍ₂", "ω̇₂", "F")
"""Block columns."""
BLOCKS = (
    ("m₁", "0", "0", "0", "−1"),
    ("0", "I₁", "0", "0", "−c̃₁"),
    ("0", "0", "m₂", "0", "1"),
    ("0", "0", "0", "I₂", "c̃₂"),
    ("1", "−c̃₁", "−1", "c̃₂", "0"),
)
"""The matrix as it is printed; every entry stands for 3×3 numbers."""
RIGHT_HAND_SIDE = ("m₁ g", "−ω₁ × (I₁ ω₁)", "m₂ g", "−ω₂ × (I₂ ω₂)", "−ω₁ × (ω₁ × c₁) + ω₂ × (ω₂ × c₂)")
"""The right-hand side as it is printed."""
JOINED = 1e-9
"""Largest error of the joint in an initial state [m] and [m/s]."""


# The pair and its equations


@dataclass(frozen=True, eq=False)
class PairBody:
    """One of the two bodies."""

    mass: float  # [kg], positive
    inertia: Any  # About the centre of mass in body axes [kg m²], positive definite
    c: Any  # (3,): The joint from the centre of mass, in body axes [m]

    def __post_init__(self) -> None:
        mass = finite_number(self.mass, "PairBody", "mass")
        if mass <= 0.0:
            raise ModelError(f"RigidBody: mass {mass:g} must be > 0 kg; a free body needs mass")
        inertia = check_inertia(self.inertia, "PairBody")
        smallest = np.linalg.eigvalsh(inertia)[0]
        if smallest <= 0.0:
            raise ModelError(f"RigidBody: principal moment of inertia {smallest:g} must be > 0 kg m²")
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "c", finite_vector(self.c, "PairBody", "c"))


class PairSolution(NamedTuple):
    """Accelerations, and the force F on body 1 at the joint (body 2 feels −F), (3,) each, world axes."""

    x1_ddot: Floats
    w1_dot: Floats
    x2_ddot: Floats
    w2_dot: Floats
    force: Floats


class Equations(NamedTuple):
    """matrix (15, 15) · [ẍ₁, ω̇₁, ẍ₂, ω̇₂, F] = right_hand_side (15,), everything in world axes."""

    matrix: Floats
    right_hand_side: Floats

    def block(self, row: int, column: int) -> Floats:
        """Return the 3×3 numbers of a block of `BLOCKS`."""
        return self.matrix[3 * row : 3 * row + 3, 3 * column : 3 * column + 3]

    def solve(self) -> PairSolution:
        """Return the unknowns."""
        return PairSolution(*np.linalg.solve(self.matrix, self.right_hand_side).reshape(5, 3))


class PairState(NamedTuple):
    """Centres of mass [m], unit quaternions (w, x, y, z) body to world, velocities [m/s, rad/s]; world."""

    x1: Floats
    q1: Floats
    v1: Floats
    w1: Floats
    x2: Floats
    q2: Floats
    v2: Floats
    w2: Floats

    @property
    def vector(self) -> Floats:
        """All 26 numbers."""
        return np.concatenate(self)

    @classmethod
    def from_vector(cls, y: Floats) -> PairState:
        """Return the inverse of `vector`."""
        return cls(*np.split(y, np.cumsum((3, 4, 3, 3, 3, 4, 3))))

    @property
    def R1(self) -> Floats:
        """Axes of body 1 in the world."""
        return rotation_from_quaternion(normalise(self.q1))

    @property
    def R2(self) -> Floats:
        """Axes of body 2 in the world."""
        return rotation_from_quaternion(normalise(self.q2))


@dataclass(frozen=True, eq=False)
class BodyPair:
    """The source's system: two bodies, their common point and gravity [m/s²]."""

    body_1: PairBody
    body_2: PairBody
    gravity: Any = (0.0, 0.0, -9.81)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", finite_vector(self.gravity, "BodyPair", "gravity"))

    def state(
        self,
        *,
        x1: ArrayLike = (0.0, 0.0, 0.0),
        q1: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        q2: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        v1: ArrayLike = (0.0, 0.0, 0.0),
        w1: ArrayLike = (0.0, 0.0, 0.0),
        w2: ArrayLike = (0.0, 0.0, 0.0),
    ) -> PairState:
        """Return a state in which the joint holds: body 2 is put where it must be."""
        given = {"x1": x1, "v1": v1, "w1": w1, "w2": w2}
        x, v, wa, wb = (finite_vector(value, "Pair.state", name) for name, value in given.items())
        loose = PairState(x, unit_quaternion(q1, "q1"), v, wa, x, unit_quaternion(q2, "q2"), v, wb)
        position, velocity = self.errors(loose)
        return loose._replace(x2=x + position, v2=v + velocity)

    def levers(self, state: PairState) -> tuple[Floats, Floats]:
        """Return c₁ and c₂ in world axes."""
        return state.R1 @ self.body_1.c, state.R2 @ self.body_2.c

    def errors(self, state: PairState) -> tuple[Floats, Floats]:
        """Return (x₁ + c₁) − (x₂ + c₂) and its rate."""
        c1, c2 = self.levers(state)
        swing = np.cross(state.w1, c1) - np.cross(state.w2, c2)
        return state.x1 + c1 - state.x2 - c2, state.v1 - state.v2 + swing

    def equations(self, state: PairState, alpha: float = 0.0, beta: float = 0.0) -> Equations:
        """Return the 15×15 system of the source.

        With Baumgarte's parameters [1/s] its last row gets −2α × rate − β² × error; the source has none.
        """
        m1, m2 = self.body_1.mass * np.eye(3), self.body_2.mass * np.eye(3)
        I1 = state.R1 @ self.body_1.inertia @ state.R1.T
        I2 = state.R2 @ self.body_2.inertia @ state.R2.T
        c1, c2 = self.levers(state)
        w1, w2, g = state.w1, state.w2, self.gravity
        o, one = np.zeros((3, 3)), np.eye(3)
        matrix = np.block(
            [
                [m1, o, o, o, -one],
                [o, I1, o, o, -skew(c1)],
                [o, o, m2, o, one],
                [o, o, o, I2, skew(c2)],
                [one, -skew(c1), -one, skew(c2), o],
            ]
        )
        swing = -np.cross(w1, np.cross(w1, c1)) + np.cross(w2, np.cross(w2, c2))
        error, rate = self.errors(state)
        right = (
            m1 @ g,
            -np.cross(w1, I1 @ w1),
            m2 @ g,
            -np.cross(w2, I2 @ w2),
            swing - 2.0 * alpha * rate - beta**2 * error,
        )
        return Equations(matrix, np.concatenate(right))

    def energy(self, state: PairState) -> float:
        """Return kinetic and gravitational energy [J]."""
        total = 0.0
        for body, R, x, v, w in (
            (self.body_1, state.R1, state.x1, state.v1, state.w1),
            (self.body_2, state.R2, state.x2, state.v2, state.w2),
        ):
            spin = R.T @ w
            total += 0.5 * body.mass * v @ v + 0.5 * spin @ body.inertia @ spin - body.mass * self.gravity @ x
        return float(total)

    # The same pair in the library's terms.  Design pose: no rotation, centre of mass of body 1 at the origin.

    def make_constrained(self) -> tuple[ConstrainedSystem, PointToPoint]:
        """Make free bodies with the library's constraint."""
        system = System(gravity=self.gravity, name="pair")
        body_1, body_2 = (
            system.add_body(name, mass=b.mass, com=at, inertia=b.inertia, parent="ground", hinge=Free(at=at))
            for name, b, at in (("body 1", self.body_1, np.zeros(3)), ("body 2", self.body_2, self._com_2))
        )
        joint = PointToPoint("joint", body_1, body_2, at=self.body_1.c)
        return ConstrainedSystem(system, joint), joint

    def make_embedded(self) -> System:
        """Make body 1 free, body 2 on it by a spherical hinge: nine velocities, nothing to drift."""
        system = System(gravity=self.gravity, name="embedded pair")
        for name, b, at, parent, hinge in (
            ("body 1", self.body_1, np.zeros(3), "ground", Free()),
            ("body 2", self.body_2, self._com_2, "body 1", Spherical(self.body_1.c)),
        ):
            system.add_body(name, mass=b.mass, com=at, inertia=b.inertia, parent=parent, hinge=hinge)
        return system

    def make_embedded_state(self, state: PairState) -> tuple[Floats, Floats]:
        """Return Q and v of `make_embedded`."""
        relative = product(state.q1 * (1.0, -1.0, -1.0, -1.0), state.q2)  # q₁* ⊗ q₂
        q = np.concatenate((state.x1, state.q1, relative))
        return q, np.concatenate((state.w1, state.v1, state.R1.T @ (state.w2 - state.w1)))

    @property
    def _com_2(self) -> Floats:
        return np.asarray(self.body_1.c - self.body_2.c)


def product(a: Floats, b: Floats) -> Floats:
    """Return the quaternion product a ⊗ b."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array((scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))))


def unit_quaternion(value: ArrayLike, name: str) -> Floats:
    """Return a user's quaternion, made of unit length."""
    q = checked(name, value, 4)
    if not np.any(q):
        raise ModelError(f"{name} (0, 0, 0, 0) is no rotation; (1, 0, 0, 0) is none")
    return np.asarray(normalise(q))


def apart(pair: BodyPair, state: PairState) -> float:
    """Return the largest relative difference of accelerations by the 15×15 system and embedded."""
    a = pair.equations(state).solve()
    q, v = pair.make_embedded_state(state)
    b = compute_accelerations(embed(pair.make_embedded()), q, v, np.zeros(0), np.zeros(0))
    ours = np.concatenate((a.w1_dot, a.x1_ddot, a.w2_dot, a.x2_ddot))
    theirs = np.concatenate((b["body 1"], b["body 2"]))
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))


# Its motion, by the 15×15 system and embedded


@dataclass(frozen=True, eq=False)
class PairRun:
    """An integrated motion: times (n,) [s], states, and Baumgarte's parameters [1/s]."""

    pair: BodyPair
    t: Floats
    states: list[PairState]
    alpha: float = 0.0
    beta: float = 0.0

    @cached_property
    def drift(self) -> Floats:
        """Distance of the two points at every instant, (n,) [m]."""
        return np.array([np.linalg.norm(self.pair.errors(state)[0]) for state in self.states])

    @cached_property
    def force(self) -> Floats:
        """F on body 1 at every instant, (n, 3) [N]."""
        equations = (self.pair.equations(state, self.alpha, self.beta) for state in self.states)
        return np.array([system.solve().force for system in equations])

    @cached_property
    def energy(self) -> Floats:
        """At every instant, (n,) [J]."""
        return np.array([self.pair.energy(state) for state in self.states])


def simulate(
    pair: BodyPair,
    state: PairState,
    t_eval: ArrayLike,
    *,
    alpha: float = 0.0,
    beta: float = 0.0,
    rtol: float = 1e-6,
    atol: float = 1e-9,
) -> PairRun:
    """Integrate the 15×15 system by SciPy's RK45, from the first of the times.

    With ``alpha`` and ``beta`` zero, as in the source, the points drift apart.
    """
    times = np.asarray(t_eval, dtype=float)
    if times.ndim != 1 or len(times) < 2 or not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0.0):
        raise ModelError("t_eval must be at least two finite, increasing times; the first is the start")
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (np.isfinite(value) and value >= 0.0):
            raise ModelError(f"{name} {value!r} must be a finite number >= 0 1/s")
    y0 = checked("state", state.vector, 26)
    for error, what, unit in zip(pair.errors(state), ("are", "move"), ("m", "m/s"), strict=True):
        size = np.linalg.norm(error)
        if not size <= JOINED:
            raise AssemblyError(
                f"joint: the two points {what} {size:.3g} {unit} apart in the initial state; let `Pair.state`"
                " put body 2 where it must be"
            )

    def derivative(_: float, y: Floats) -> Floats:
        s = PairState.from_vector(y)
        a = pair.equations(s, alpha, beta).solve()
        q1_dot, q2_dot = quaternion_rate(s.q1, s.w1), quaternion_rate(s.q2, s.w2)
        return np.concatenate((s.v1, q1_dot, a.x1_ddot, a.w1_dot, s.v2, q2_dot, a.x2_ddot, a.w2_dot))

    solution = solve_ivp(derivative, (times[0], times[-1]), y0, t_eval=times, rtol=rtol, atol=atol)
    if not solution.success:
        raise SimulationError(f"RK45 stopped ({solution.message}) at t = {solution.t[-1]:.4g} s", solution)
    return PairRun(pair, solution.t, [PairState.from_vector(y) for y in solution.y.T], alpha, beta)


def run_embedded(pair: BodyPair, state: PairState, t: Floats, rtol: float = 1e-6) -> PairRun:
    """Return the same motion by the embedded system, whose joint cannot drift; RK45 as well."""
    model = Model(pair.make_embedded())
    y0 = np.concatenate(pair.make_embedded_state(state))
    how: dict[str, Any] = {"method": "RK45", "rtol": rtol, "atol": 1e-9, "interval": float(t[1] - t[0])}
    data = simulate_embedded(model, duration=float(t[-1]), y0=y0, **how)
    entries = (*model.layout.q, *model.layout.v)
    Y = np.stack([data[valid_name(entry.name)].values for entry in entries], axis=1)
    return PairRun(pair, data.time.values, [world_state(model, y) for y in Y])


def world_state(model: Model, y: Floats) -> PairState:
    """Return a state of the embedded system in absolute terms."""
    outward = model.instant(y, model.u0).outward
    parts: list[Floats] = []
    for name, quaternion in (("body 1", y[3:7]), ("body 2", product(y[3:7], y[7:11]))):
        place = outward.placement(model.system.find(name), model.system.ground)
        parts += [np.asarray(part, dtype=float) for part in (place.r, quaternion, place.v, place.w)]
    return PairState(*parts)


# The example


def example_pair() -> BodyPair:
    """Return two slender boxes, 1 m and 0.7 m long, joined end to end."""
    long = PairBody(2.0, (0.02, 0.17, 0.18), (0.5, 0.0, 0.0))
    short = PairBody(1.0, (0.01, 0.042, 0.045), (-0.35, 0.0, 0.0))
    return BodyPair(long, short)


def example_state(pair: BodyPair) -> PairState:
    """Return the pair thrown upwards, both bodies spinning."""
    return pair.state(v1=(1.0, 0.0, 6.0), w1=(0.5, 2.0, 4.0), w2=(8.0, -3.0, -2.0), q2=(0.9, 0.0, 0.3, 0.2))


def pendulum_pair(pair: BodyPair) -> tuple[ConstrainedSystem, PointToPoint, PointToPoint]:
    """Return the pair hung from the ground: its constraint to the free end of body 1, and the joint."""
    system, joint = pair.make_constrained()
    body_1 = system.system.find("body 1")
    hook = PointToPoint("hook", body_1, system.system.ground, at=-pair.body_1.c)
    return ConstrainedSystem(system.system, hook, joint), hook, joint
