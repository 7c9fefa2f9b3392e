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

    python docs/examples/cable_towing.py [robots|train|pendulum] [--animation]

simulates a scene, reports a set of tensions that is not unique, and writes plots and a page into the current
folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import itertools
import math
import sys
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
    Exact,
    GaussSeidel,
    InitialStateError,
    Kind,
    Problem,
    RigidBodies,
    RigidBody,
    Solver,
    Straight,
    Uniqueness,
    Weaving,
    evenly,
    uniqueness,
)
from ce_dynamics.contact.conditions import NONE, Integers
from ce_dynamics.contact.recorder import NEGLIGIBLE, Event, EventWatch
from ce_dynamics.contact.rigid import NO_BODY, RigidRows, RigidState, rotations
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.views.charts import Chart, Line, save_charts, table
from ce_dynamics.views.scene import Shape, Strand, Take, View, ball, block, plane, plate, rod
from ce_dynamics.views.scene.take import BodyPicture, TimeSeries, upwards

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


Friction = Literal["disc", "box"]


class TowingScene(NamedTuple):
    """A scene."""

    title: str
    towing: Towing
    duration: float  # [s]
    boxes: Mapping[str, tuple[float, float, float]]  # Edge lengths of the boxes that are drawn [m]
    top: bool = True  # Whether it is seen from above, or from the side


def box(mass: float, edges: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return principal moments of a homogeneous box [kg m²]."""
    a, b, c = edges
    return mass / 12.0 * (b * b + c * c), mass / 12.0 * (a * a + c * c), mass / 12.0 * (a * a + b * b)


def pendulum(friction: Friction = "disc") -> TowingScene:
    """Return a ball on a cable, thrown so that it flies slack, is caught, and swings."""
    edges = (0.2, 0.2, 0.2)
    ball = RigidBody("ball", 2.0, box(2.0, edges), position=(1.0, 0.0, 0.0), velocity=(-1.0, 0.0, 3.0))
    cable = Tow("cable", CableEnd("ball"), Straight((0.0, 0.0, 0.0)), length=1.2)
    return TowingScene("cable pendulum", Towing([ball], [cable]), 3.0, {"ball": edges}, top=False)


def corners(edges: tuple[float, float, float]) -> list[tuple[float, float, float]]:
    """Return lower corners of a box, from its centre."""
    a, b, c = (0.5 * edge for edge in edges)
    return [(i * a, j * b, -c) for i in (1.0, -1.0) for j in (1.0, -1.0)]


def robots(friction: Friction = "disc") -> TowingScene:
    """Return a crate towed by two position-controlled robots, each with two parallel cables."""
    edges = (0.8, 0.6, 0.4)
    mass = 60.0
    crate = RigidBody("crate", mass, box(mass, edges), position=(0.0, 0.0, 0.2))
    feet = [TowingFoot("crate", at, friction=0.4) for at in corners(edges)]
    cables = []
    for name, y, rate in (("left", 1.0, (0.6, 0.15, 0.0)), ("right", -1.0, (0.6, -0.05, 0.0))):
        side = 0.3 if y > 0.0 else -0.3
        robot = Weaving((2.0, y, 0.2), rate, across=(0, 1, 0), amplitude=0.2, frequency=0.4)
        length = float(np.hypot(2.0 - 0.4, y - side)) + 0.1
        # two cables side by side between the same points: their shares of the tension are not determined
        cables += [Tow(f"{name}_{k}", CableEnd("crate", (0.4, side, 0.0)), robot, length) for k in (1, 2)]
    return TowingScene(
        "crate towed by two robots", Towing([crate], cables, feet, friction=friction), 5.0, {"crate": edges}
    )


def train(friction: Friction = "disc") -> TowingScene:
    """Return a dynamic puller tows two sledges one behind the other; the cables go taut with a jerk each."""
    edges = (0.8, 0.6, 0.3)
    bodies, feet = [], []
    for name, mass, x in (("puller", 120.0, 0.0), ("sledge_1", 50.0, -1.5), ("sledge_2", 50.0, -3.0)):
        bodies.append(RigidBody(name, mass, box(mass, edges), position=(x, 0.0, 0.15)))
        feet += [TowingFoot(name, at, friction=0.3) for at in corners(edges)]
    cables = []
    for front, rear in (("puller", "sledge_1"), ("sledge_1", "sledge_2")):
        for side, y in (("left", 0.25), ("right", -0.25)):
            first, second = CableEnd(front, (-0.4, y, 0.0)), CableEnd(rear, (0.4, y, 0.0))
            cables.append(Tow(f"{rear}.{side}", first, second, length=0.9))

    def pull(t: float) -> tuple[float, float, float]:
        return (900.0, 60.0 * np.sin(2.0 * t), 0.0) if t < 2.5 else (0.0, 0.0, 0.0)

    towing = Towing(bodies, cables, feet, {"puller": pull}, friction=friction)
    return TowingScene("a puller and two sledges", towing, 4.0, {body.name: edges for body in bodies})


SCENES: Mapping[str, Callable[..., TowingScene]] = {"pendulum": pendulum, "robots": robots, "train": train}


HAND, ROBOT, BATTEN = 0.06, 0.2, 0.05
"""Radii of an end that moves as given and of the robot under it, thickness of the battens of crates [m]."""


def crate_shapes(edges: tuple[float, float, float]) -> list[Shape]:
    """Return a box of boards with battens along its edges."""
    found = [block(np.array(edges) - BATTEN, np.zeros(3)).paint("#b98d55")]
    for axis in range(3):
        along = np.full(3, BATTEN)
        along[axis] = edges[axis]
        for signs in itertools.product((-0.5, 0.5), repeat=2):
            at = np.insert(np.array(signs) * (np.delete(edges, axis) - BATTEN), axis, 0.0)
            found.append(block(along, at).paint("#8a6337"))
    return found


def end_shapes(height: float) -> list[Shape]:
    """Return the hook of a cable, on a round robot if it is at a height over the ground."""
    hook = ball(np.zeros(3), HAND).paint("#d98032")
    if height <= 2.0 * HAND:
        return [hook]
    turn = np.linspace(0.0, 2.0 * np.pi, 25)[:-1]
    around = ROBOT * np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1)
    low, high = np.array([0.0, 0.0, 0.02 - height]), np.array([0.0, 0.0, -0.4 * height])
    hull = plate([*(around + low), *(around + high)]).paint("#3d4750")
    band = plate([*(1.02 * around + 0.4 * low + 0.6 * high), *(1.02 * around + 0.25 * low + 0.75 * high)])
    return [hull, band.paint("#d98032"), rod(high, np.zeros(3), 0.03).paint("#9aa5ad"), hook]


def page(scene: TowingScene, run: TowingRun) -> View:
    """Return a run, with the tensions as arrows at the first ends."""
    towing = scene.towing
    bodies = [BodyPicture(name, crate_shapes(scene.boxes[name])) for name in towing.bodies.names]
    ends = [towing.ends(state, float(t)) for t, state in zip(run.t, run.states, strict=True)]
    places = [
        np.concatenate((state.r, state.quaternion[:, [1, 2, 3, 0]]), axis=1)[:, None] for state in run.states
    ]
    moving = np.concatenate(places, axis=1).swapaxes(0, 1)
    strands = []
    m = len(towing.cables)
    for k, cable in enumerate(towing.cables):
        if isinstance(cable.second, CableEnd):
            far, at = int(towing.second[k]), towing.at_second[k]
        else:
            far, at = len(bodies), np.zeros(3)
            way = np.zeros((len(run.t), 1, 7))
            way[:, 0, :3] = [end.b[k] for end in ends]
            bodies.append(
                BodyPicture(f"{cable.name} end", end_shapes(float(way[0, 0, 2]) if towing.feet else 0.0))
            )
            way[:, 0, 6] = 1.0
            moving = np.concatenate((moving, way), axis=1)
        near = int(towing.first[k])
        strands.append(Strand("cable", cable.name, near, towing.at_first[k], far, at, float(cable.length)))
    a, b = np.array([end.a for end in ends]), np.array([end.b for end in ends])
    span = np.linalg.norm(b - a, axis=2, keepdims=True)
    tension = run.force[:, :m, None] * (b - a) / np.maximum(span, 1e-12)
    series = [
        TimeSeries(f"tension of {cable.name}", "N", run.force[:, k]) for k, cable in enumerate(towing.cables)
    ]
    series += [
        TimeSeries(f"slack of {cable.name}", "m", run.psi[:, k]) for k, cable in enumerate(towing.cables)
    ]
    taken = Take(
        label="",
        bodies=bodies,
        t=run.t,
        places=moving,
        strands=strands,
        forces=[cable.name for cable in towing.cables],
        arrows=np.concatenate((a, tension), axis=2),
        scenery=[plane(np.zeros(3), (0.0, 0.0, 1.0))] if towing.feet else [],
        up=upwards(towing.bodies.gravity),
        weight=9.81 * float(np.sum(towing.bodies.mass)),
        series=[*series, TimeSeries("energy", "J", run.energy)],
    )
    return View([taken], scene.title, f"follow {bodies[0].name}" if towing.feet else "orbit")


def main() -> None:
    name, *_ = [argument for argument in sys.argv[1:] if argument in SCENES] or ["robots"]
    demonstrate(name, animation="--animation" in sys.argv)
    print()
    report()


def demonstrate(name: str, *, animation: bool) -> None:
    """Simulate a scene, print tables, draw it and write a page that plays it."""
    scene = SCENES[name]()
    run = simulate(scene.towing, duration=scene.duration, step=2e-3, solver=GaussSeidel(1e-9))
    print(f"{scene.title}, {scene.duration:g} s in {len(run.t) - 1} steps\n")
    heads = "cable", "taut [s]", "mean [N]", "largest [N]", "longest [m]", "events"
    print(table(heads, cables(scene, run)) + "\n")
    print(table(("quantity", "value", "unit"), summary(scene, run)) + "\n")
    save_charts(charts(scene, run), scene.title, f"cable_towing_{name}")
    view = page(scene, run)
    view.save(f"cable_towing_{name}.html")
    if animation:
        print(f"animation: {view.save(f'cable_towing_{name}.gif')}")


def cables(scene: TowingScene, run: TowingRun) -> list[tuple[str, float, float, float, float, str]]:
    """Return rows of the table of cables."""
    h = run.t[1] - run.t[0]
    rows = []
    for k, cable in enumerate(scene.towing.cables):
        force = run.force[1:, k]
        count = sum(event.row == cable.name for event in run.events)
        longest = float(cable.length - np.min(run.psi[:, k]))
        noticeable = NEGLIGIBLE * np.max(run.force[1:], axis=1)
        taut = h * int(np.count_nonzero(force > noticeable))
        rows.append((cable.name, taut, float(np.mean(force)), float(np.max(force)), longest, str(count)))
    return rows


def summary(scene: TowingScene, run: TowingRun) -> list[tuple[str, float | str, str]]:
    """Return figures of a run: label, value, unit."""
    h = float(run.t[1] - run.t[0])
    # the report needs states that are solved well below its own tolerance
    exact = GaussSeidel(1e-13, 200_000) if scene.towing.feet else Exact()
    report = tension_report(scene.towing, run.states[-1], float(run.t[-1]), h, exact)
    m = len(scene.towing.cables)
    free = [
        cable.name
        for k, cable in enumerate(scene.towing.cables)
        if report.highest[k] - report.lowest[k] > 1e-9 * (1.0 + abs(report.lowest[k]))
    ]
    return [
        ("energy at the start", float(run.energy[0]), "J"),
        ("energy at the end", float(run.energy[-1]), "J"),
        ("largest excess length", float(max(0.0, -np.min(run.psi[:, :m]))), "m"),
        ("sweeps per step, mean", float(np.mean(run.sweeps[1:])), ""),
        ("residual, largest", float(np.max(run.residual)), "m/s"),
        ("tensions not unique at the end", ", ".join(free) if free else "none", ""),
    ]


def charts(scene: TowingScene, run: TowingRun) -> list[Chart]:
    """Return tensions, slack and speeds over time."""
    cables, time = scene.towing.cables, "time [s]"
    typical = float(np.percentile(run.force[1:, : len(cables)], 99.0))
    tensions = [Line(cable.name, run.t, run.force[:, k], width=1.0) for k, cable in enumerate(cables)]
    slacks = [Line(cable.name, run.t, 1e3 * run.psi[:, k], width=1.0) for k, cable in enumerate(cables)]
    speeds = [
        Line(name, run.t, np.linalg.norm([state.v[k, :3] for state in run.states], axis=1))
        for k, name in enumerate(scene.towing.bodies.names)
    ]
    ends = 0.0, max(1.5 * typical, 1.0)
    return [
        Chart("Tensions", time, "tension [N] (jerks cut off)", tuple(tensions), covers=ends, within=ends),
        Chart("Slack", time, "slack ψ [mm]", tuple(slacks)),
        Chart("Speeds", time, "speed [m/s]", tuple(speeds)),
    ]


def report() -> None:
    """Report two robots that pull a crate with cables side by side: any share of the load moves it alike."""
    crate = RigidBody("crate", 2.0, (0.1, 0.1, 0.1))
    cables = [Tow(f"robot {n}", CableEnd("crate"), Straight((n, 0, 0)), float(n)) for n in (2, 3)]
    towing = Towing([crate], cables, gravity=(-9.81, 0.0, 0.0))
    h = 1e-3
    problem = towing.problem(towing.start, 0.0, h)
    solution = Exact().solve(problem)
    found = uniqueness(problem, solution)
    print(f"v⁺ unique: {found.w_unique}; tensions unique: {found.p_unique}")
    even = evenly(problem, solution) / h
    for k, cable in enumerate(cables):
        low, high = found.lowest[k] / h, found.highest[k] / h
        print(
            f"{cable.name}: {solution.p[k] / h:.2f} N found, {low:.2f} to {high:.2f} N possible,"
            f" {even[k]:.2f} N if shared evenly"
        )


if __name__ == "__main__":
    main()
