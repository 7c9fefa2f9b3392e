"""Rigid bodies towed by massless, inextensible cables.

Body j has the centre of mass p_j; cable i of length L_i is tied to it at r_ij from there.  With d_i the
vector from one end of the cable to the other and ŵ_i = d_i / |d_i|,

    ψ_i = L_i − |d_i| ≥ 0,    G = [ŵ_1 … ; r_1 × ŵ_1 …],    M v̇ − G λ − g_app = 0,    0 ≤ λ ⊥ ψ ≥ 0,

and a step of length h solves for impulses p = h λ

    M v⁺ − G p − M v − p_app = 0,    0 ≤ p ⊥ ψ/h + Gᵀ v⁺ + ∂ψ/∂t ≥ 0,    u⁺ = u + V v⁺ h.

An end that a position-controlled robot holds moves on a given `CablePath`: no row in M, and ∂ψ/∂t ≠ 0.
A dynamic robot is a body like any other, with a given pull.  Feet are points of bodies that may stand and
slide on the plane z = 0; they are further rows of the same problem.

The source prints three slips: |d_i| ≤ L_j for L_i; 0 ≤ p ⊥ p ≥ 0 for 0 ≤ p ⊥ w ≥ 0; and the standard LCP
without ψ/h + ∂ψ/∂t, which belongs to its vector.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    CablePath,
    Chain,
    Conditions,
    InitialStateError,
    Kind,
    Problem,
    RigidBodies,
    RigidBody,
    Solver,
    Uniqueness,
    uniqueness,
)
from ce_dynamics.contact.conditions import NONE, Integers
from ce_dynamics.contact.recorder import Event, EventWatch
from ce_dynamics.contact.rigid import NO_BODY, RigidRows, RigidState, rotations
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.models.data.quantities import check_number

COINCIDENT = 1e-12
"""Length below which a cable has no direction; it is slack then [m]."""
ALLOWED_STRETCH = 1e-6
"""Allowed stretch of a cable in the initial state, and penetration of a foot into the ground [m]."""

Drive = Callable[[float], ArrayLike]
"""Force on a robot's centre of mass as a function of time, world axes [N]."""


class CableEnd(NamedTuple):
    """A cable's end on a body."""

    body: str
    at: ArrayLike = (0.0, 0.0, 0.0)  # From the body's centre of mass, body axes [m]


@dataclass(frozen=True)
class Tow:
    """A cable."""

    name: str
    first: CableEnd
    # Another body, or a point that moves as given (at rest: ``Straight(point)``)
    second: CableEnd | CablePath
    length: float  # L [m], positive


@dataclass(frozen=True)
class TowingFoot:
    """A point of a body that may touch the plane z = 0."""

    body: str
    at: ArrayLike  # From the body's centre of mass, body axes [m]
    friction: float = 0.0  # Μ, not negative


class CableEnds(NamedTuple):
    """Ends of the cables."""

    a: Floats  # (m, 3): World positions of the first and second ends [m]
    b: Floats  # (m, 3): World positions of the first and second ends [m]
    e_a: Floats  # (m, 3): Vectors from the centres of mass to the ends [m]
    e_b: Floats  # (m, 3): Vectors from the centres of mass to the ends [m]
    v_b: Floats  # (m, 3): Velocities of the ends with prescribed motion; zero for others [m/s]


class Towing:
    """Rigid bodies, cables, feet and drives.

    Friction of feet is a ``disc``, the length of its impulse at most μ p_n, or a ``box``: each of its
    components along x and y, a pyramid, whose states can be counted.
    """

    def __init__(
        self,
        bodies: Sequence[RigidBody],
        cables: Sequence[Tow],
        feet: Sequence[TowingFoot] = (),
        drives: Mapping[str, Drive] | None = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        friction: Literal["disc", "box"] = "disc",
    ) -> None:
        if friction not in ("disc", "box"):
            raise ModelError(f"cable towing: friction {friction!r} must be 'disc' or 'box'")
        self.friction = friction
        self.bodies = RigidBodies(bodies, gravity)
        self.cables, self.feet = tuple(cables), tuple(feet)
        self.drives = {self.bodies.index(name): drive for name, drive in (drives or {}).items()}
        for name in (names := [cable.name for cable in cables]):
            if names.count(name) > 1:
                raise ModelError(f"cable {name!r} exists twice; give every cable its own name")
        tied = [self._ends(cable) for cable in cables]
        lengths = (finite_number(c.length, f"cable {c.name!r}", "length", above=0.0) for c in cables)
        self.length = np.array(list(lengths))
        self.first = np.array([a for a, _, _, _ in tied], dtype=np.int64)
        self.second = np.array([b for _, b, _, _ in tied], dtype=np.int64)
        self.at_first = np.array([at for _, _, at, _ in tied]).reshape(-1, 3)
        self.at_second = np.array([at for _, _, _, at in tied]).reshape(-1, 3)
        self.standing = np.array([self.bodies.index(foot.body) for foot in feet], dtype=np.int64)
        self.at_foot = np.array([finite_vector(f.at, f"foot of {f.body!r}", "at") for f in feet]).reshape(
            -1, 3
        )
        self.conditions = self._conditions()

    def _ends(self, cable: Tow) -> tuple[int, int, Floats, Floats]:
        owner = f"cable {cable.name!r}"
        if not isinstance(cable.first, CableEnd):
            raise ModelError(f"{owner}: its first end {cable.first!r} must be tied to a body")
        a, at = self.bodies.index(cable.first.body), finite_vector(cable.first.at, owner, "at")
        if isinstance(cable.second, CableEnd):
            b = self.bodies.index(cable.second.body)
            if a == b:
                raise ModelError(f"{owner}: both ends are tied to body {cable.first.body!r}; name two bodies")
            return a, b, at, finite_vector(cable.second.at, owner, "at")
        if not (hasattr(cable.second, "position") and hasattr(cable.second, "velocity")):
            raise ModelError(
                f"{owner}: its second end {cable.second!r} is tied to nothing; give an End or a Path"
            )
        return a, NO_BODY, at, np.zeros(3)

    def _conditions(self) -> Conditions:
        m = len(self.cables)
        kinds, normal, mu = [Kind.UNILATERAL] * m, [NONE] * m, [0.0] * m
        for foot in self.feet:
            n = len(kinds)
            disc = self.friction == "disc"
            kinds += [Kind.UNILATERAL, *((Kind.DISC_1, Kind.DISC_2) if disc else (Kind.FRICTION,) * 2)]
            normal += [NONE, n, n]
            friction = finite_number(foot.friction, f"foot of {foot.body!r}", "friction")
            mu += [0.0, friction, friction]
        return Conditions.of(kinds, normal, mu)

    @property
    def row_names(self) -> tuple[str, ...]:
        """Cables, then feet."""
        feet = [f"{foot.body}.foot_{k}" for k, foot in enumerate(self.feet)]
        return (*(c.name for c in self.cables), *(f"{f}.{r}" for f in feet for r in ("normal", "x", "y")))

    @property
    def start(self) -> RigidState:
        """Initial state."""
        return self.bodies.start

    def ends(self, state: RigidState, t: float) -> CableEnds:
        """Return the ends of the cables at a state and a time [s]."""
        R = rotations(state.quaternion)
        e_a, e_b = levers(R, self.first, self.at_first), levers(R, self.second, self.at_second)
        a = state.r[self.first] + e_a
        b, v_b = np.zeros_like(a), np.zeros_like(a)
        for k, cable in enumerate(self.cables):
            if isinstance(cable.second, CableEnd):
                b[k] = state.r[self.second[k]] + e_b[k]
            else:
                b[k], v_b[k] = cable.second.position(t), cable.second.velocity(t)
        return CableEnds(a, b, e_a, e_b, v_b)

    def rows(self, state: RigidState, t: float) -> RigidRows:
        """Return Gᵀ, ψ and ∂ψ/∂t of cables and feet."""
        ends = self.ends(state, t)
        d = ends.b - ends.a
        span = np.linalg.norm(d, axis=1)
        w = d / np.where(span > COINCIDENT, span, 1.0)[:, None]
        J_a = np.hstack((w, np.cross(ends.e_a, w)))
        J_b = np.hstack((-w, np.cross(ends.e_b, -w)))
        drift = -np.sum(w * ends.v_b, axis=1)
        cables = RigidRows(self.first, self.second, J_a, J_b, self.length - span, drift)
        return stack_rows(cables, self._foot_rows(state))

    def _foot_rows(self, state: RigidState) -> RigidRows:
        n = len(self.feet)
        e = levers(rotations(state.quaternion), self.standing, self.at_foot)
        directions = np.eye(3)[[2, 0, 1]]
        J = np.concatenate(
            [np.hstack((np.tile(u, (n, 1)), np.cross(e, u))).reshape(n, 1, 6) for u in directions], axis=1
        ).reshape(3 * n, 6)
        psi = np.zeros((n, 3))
        psi[:, 0] = state.r[self.standing, 2] + e[:, 2]
        body: Integers = np.repeat(self.standing, 3)
        nothing = np.full(3 * n, NO_BODY, dtype=np.int64)
        return RigidRows(body, nothing, J, np.zeros((3 * n, 6)), psi.ravel(), np.zeros(3 * n))

    def forces(self, t: float) -> Floats:
        """Return given wrenches (n, 6) on the bodies."""
        f = np.zeros_like(self.start.v)
        for k, drive in self.drives.items():
            f[k, :3] += finite_vector(drive(t), f"drive of {self.bodies.names[k]!r}", "force")
        return f

    def problem(self, state: RigidState, t: float, h: float, rows: RigidRows | None = None) -> Problem:
        """Return the reduced problem (LCP) of a step, with sparse rows (those of `rows` if not given)."""
        rows = self.rows(state, t) if rows is None else rows
        c = rows.psi / h + rows.drift
        return self.bodies.problem(state, rows, self.conditions, h, c, self.forces(t))

    def check_start(self, state: RigidState, t: float = 0.0) -> None:
        """Refuse a state whose cables are stretched or whose feet are in the ground."""
        psi = self.rows(state, t).psi
        if len(psi) and np.min(psi) < -ALLOWED_STRETCH:
            k = int(np.argmin(psi))
            what = "is longer than it can be" if k < len(self.cables) else "is in the ground"
            raise InitialStateError(f"{self.row_names[k]} {what} by {-psi[k]:.6g} m at the start")


def levers(R: Floats, body: Integers, local: Floats) -> Floats:
    """Return body-fixed vectors (m, 3) of the given bodies in world axes; unchanged without a body."""
    e = np.array(local, dtype=float)
    tied = body >= 0
    e[tied] = np.einsum("mij,mj->mi", R[body[tied]], e[tied])
    return e


def stack_rows(one: RigidRows, other: RigidRows) -> RigidRows:
    """Return rows on top of each other."""
    return RigidRows(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


class TowingRun(NamedTuple):
    """A run; arrays over the n + 1 instants."""

    t: Floats
    states: list[RigidState]
    # Multipliers p/h of the step that ends at an instant [N]; first, of the step that begins there
    force: Floats
    psi: Floats  # Slack of cables and gaps of feet [m]
    energy: Floats  # [J]
    sweeps: Floats
    residual: Floats  # [m/s]
    events: list[Event]  # Cables that became taut (active) or slack, feet that touched or lifted


def simulate(
    towing: Towing,
    *,
    duration: float,
    step: float = 1e-3,
    solver: Solver | None = None,
    progress: Callable[[float], None] | None = None,
) -> TowingRun:
    """Advance the bodies by equal steps; errors hold the run up to there as ``partial``."""
    T = check_number("cable towing", "duration", duration, above=0.0)
    steps = max(1, math.ceil(T / check_number("cable towing", "step", step, above=0.0) * (1.0 - 1e-12)))
    h = T / steps
    state = towing.start
    towing.check_start(state)
    chosen = Chain() if solver is None else solver
    watch = EventWatch(towing.row_names, towing.conditions.kind == Kind.UNILATERAL)
    m = len(towing.row_names)
    rows, p = towing.rows(state, 0.0), np.zeros(m)
    stored = [TowingInstant(0.0, state, p, rows.psi, towing.bodies.energy(state), 0, 0.0)]
    try:
        for k in range(steps):
            solution = chosen.solve(problem_of(towing, state, k * h, h, rows), p)
            moved = towing.bodies.move(state, solution.v, h)
            if not all(np.all(np.isfinite(part)) for part in moved):
                raise SimulationError("the motion grows without bound; use a smaller step")
            t, p, state = (k + 1) * h, solution.p, moved
            rows, energy = towing.rows(state, t), towing.bodies.energy(state)
            stored.append(
                TowingInstant(t, state, p / h, rows.psi, energy, solution.sweeps, solution.residual)
            )
            watch.look(t, p)
            if progress is not None:
                progress(t)
    except KeyboardInterrupt:
        raise SimulationError(
            f"interrupted at t = {stored[-1].t:.4g} s", collect_run(stored, watch)
        ) from None
    except SimulationError as error:
        raise SimulationError(f"at t = {stored[-1].t:.4g} s: {error}", collect_run(stored, watch)) from error
    return collect_run(stored, watch)


def problem_of(towing: Towing, state: RigidState, t: float, h: float, rows: RigidRows) -> Problem:
    """Return the problem of a step in a run that has begun."""
    try:
        return towing.problem(state, t, h, rows)
    except ModelError as error:
        raise SimulationError(str(error)) from error


def tension_report(towing: Towing, state: RigidState, t: float, h: float, solver: Solver) -> Uniqueness:
    """Report the tensions, as impulses, that lead to the same motion in the step from a state."""
    problem = towing.problem(state, t, h)
    return uniqueness(problem, solver.solve(problem, None).require())


class TowingInstant(NamedTuple):
    """Stored values of an instant; see `TowingRun`."""

    t: float
    state: RigidState
    force: Floats
    psi: Floats
    energy: float
    sweeps: int
    residual: float


def collect_run(stored: Sequence[TowingInstant], watch: EventWatch) -> TowingRun:
    """Return the stored values as arrays; the first instant has the forces of the first step."""
    t, states, force, psi, energy, sweeps, residual = zip(*stored, strict=True)
    forces = np.array(force)
    forces[0] = forces[min(1, len(forces) - 1)]
    arrays = (forces, np.array(psi), np.array(energy), np.array(sweeps), np.array(residual))
    return TowingRun(np.array(t), list(states), *arrays, watch.events)
