"""Contacts between many plain rigid bodies: which of them are near each other, where they meet, their motion.

Pairs are found with a tree over the middles of the shapes (SciPy's k-d tree); where they meet is computed by
the functions of `ce_dynamics.complementarity.shapes`, traced once and run on all pairs of a kind at a time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import MEANING, Op, arity
from ce_dynamics.complementarity.errors import InitialStateError
from ce_dynamics.complementarity.explanations import warn_of_remains
from ce_dynamics.complementarity.friction import checked_restitution
from ce_dynamics.complementarity.gauss_seidel import Solver
from ce_dynamics.complementarity.problem import Conditions, Integers, Kind, Solution
from ce_dynamics.complementarity.restitution import Impact, Touching, impacts
from ce_dynamics.complementarity.rigid import NO_BODY, RigidBodies, RigidRows, RigidState, rotations
from ce_dynamics.complementarity.shapes import Box, Capsule, HalfSpace, Placed, Shape, Sphere, frame, pair_of
from ce_dynamics.complementarity.solvers.chain import Chain
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.checked import finite_number

ALLOWED_OVERLAP = 1e-6
"""Of an initial state [m]."""
KINDS = (Sphere, Capsule, Box, HalfSpace)


@dataclass(frozen=True, eq=False)
class RigidShape:
    """A shape on a plain rigid body, or at rest.

    Parameters
    ----------
    body : str or None
        None for what is at rest.
    shape : Sphere, Capsule, Box or HalfSpace
        In body axes from the centre of mass; in world axes if at rest.
    """

    body: str | None
    shape: Shape


class Meetings(NamedTuple):
    """Points where shapes are near each other.

    Attributes
    ----------
    first, second : (m,) int arrays
        Bodies; -1 for what is at rest.
    C : (m, 3) array
        Where they meet, in the world.
    n : (m, 3) array
        From the second to the first.
    psi : (m,) array
        Gaps [m].
    key : (m,) int array
        Which shapes and which of their points: the same from step to step.
    """

    first: Integers
    second: Integers
    C: Floats
    n: Floats
    psi: Floats
    key: Integers


class RigidContacts:
    """Plain rigid bodies that touch each other.

    Parameters
    ----------
    bodies : RigidBodies
    shapes : sequence of RigidShape
        Any number on a body; shapes of one body do not touch each other, nor do those at rest.
    mu : float
        Friction coefficient of all contacts.
    restitution : float
        e of all contacts, 0 … 1.
    rest_speed : float
        Impacts slower than this do not bounce [m/s].

    Raises
    ------
    ModelError
        If a body is unknown, a half-space is not at rest, or a number is out of range.
    """

    def __init__(
        self,
        bodies: RigidBodies,
        shapes: Sequence[RigidShape],
        *,
        mu: float = 0.0,
        restitution: float = 0.0,
        rest_speed: float = 1e-2,
    ) -> None:
        owner = "rigid contacts"
        self.bodies, self.shapes = bodies, tuple(shapes)
        self.mu = finite_number(mu, owner, "mu", at_least=0.0)
        self.e = checked_restitution(restitution, owner)
        self.rest_speed = finite_number(rest_speed, owner, "rest_speed", at_least=0.0)
        numbers = {name: k for k, name in enumerate(bodies.names)}
        for one in shapes:
            if one.body is not None and one.body not in numbers:
                raise ModelError(f"{owner}: no body {one.body!r}; there are {bodies.names}")
            if one.body is not None and isinstance(one.shape, HalfSpace):
                raise ModelError(f"{owner}: a half-space on {one.body!r}; half-spaces must be at rest")
        self.body = np.array([NO_BODY if s.body is None else numbers[s.body] for s in shapes], dtype=np.int64)
        self.kind = np.array([KINDS.index(type(s.shape)) for s in shapes], dtype=np.int64)
        self.bounded = np.flatnonzero(self.kind != KINDS.index(HalfSpace))
        self.middle = np.array([np.mean(s.shape.points, axis=0) for s in shapes]).reshape(-1, 3)
        self.radius = np.array([bounding_radius(s.shape) for s in shapes])
        self._place = np.full(len(shapes), -1)
        self._data: dict[int, Floats] = {}
        for kind in range(len(KINDS)):
            members = np.flatnonzero(self.kind == kind)
            self._place[members] = np.arange(len(members))
            self._data[kind] = np.array([flat(shapes[int(k)].shape) for k in members], dtype=np.float64)
        self._narrow: dict[tuple[int, int], TracedFunction] = {}

    # Which are near, and where they meet

    def near(self, state: RigidState, margin: float) -> Integers:
        """Pairs of shapes whose bounding spheres come within a margin, (k, 2), sorted."""
        from scipy.spatial import cKDTree  # here, because most runs never ask

        middle = self._middles(state)
        movable = self.bounded
        pairs: list[Integers] = []
        if len(movable) > 1:
            reach = 2.0 * float(np.max(self.radius[movable])) + margin
            found = cKDTree(middle[movable]).query_pairs(reach, output_type="ndarray")
            pairs.append(movable[found].astype(np.int64))
        for plane in np.flatnonzero(self.kind == KINDS.index(HalfSpace)):
            space = self.shapes[plane].shape
            height = (middle[movable] - space.points[0]) @ space.axes[0]
            low = movable[height < self.radius[movable] + margin]
            pairs.append(np.stack((low, np.full(len(low), plane)), axis=1).astype(np.int64))
        both = np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)
        a, b = both.T
        apart = np.linalg.norm(middle[a] - middle[b], axis=1) - self.radius[a] - self.radius[b]
        infinite = self.kind[b] == KINDS.index(HalfSpace)
        kept = both[(self.body[a] != self.body[b]) & (infinite | (apart < margin))]
        # lower kinds first, as in the table of pairs
        swap = self.kind[kept[:, 0]] > self.kind[kept[:, 1]]
        kept[swap] = kept[swap][:, ::-1]
        return np.asarray(kept[np.lexsort(kept.T[::-1])], dtype=np.int64)

    def _middles(self, state: RigidState) -> Floats:
        return self._in_world(state, np.arange(len(self.shapes)), self.middle)

    def _in_world(self, state: RigidState, shapes: Integers, at: Floats, point: bool = True) -> Floats:
        """Points, or directions, of shapes in the world."""
        body = self.body[shapes]
        there = np.array(at, dtype=float)
        on = body >= 0
        R = rotations(state.quaternion[body[on]])
        there[on] = np.einsum("kij,kj->ki", R, there[on])
        if point:
            there[on] += state.r[body[on]]
        return there

    def meetings(self, state: RigidState, margin: float) -> Meetings:
        """Where shapes come within a margin of each other."""
        pairs = self.near(state, margin)
        parts: list[Meetings] = []
        kinds = self.kind[pairs]
        for one, other in sorted({(int(i), int(k)) for i, k in kinds}):
            chosen = pairs[(kinds[:, 0] == one) & (kinds[:, 1] == other)]
            parts.append(self._meet(state, chosen, one, other, margin))
        if not parts:
            nothing = np.zeros(0, dtype=np.int64)
            return Meetings(nothing, nothing, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), nothing)
        return Meetings(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _meet(self, state: RigidState, pairs: Integers, one: int, other: int, margin: float) -> Meetings:
        traced = self._traced(one, other)
        given = {
            "P": self._placed(state, pairs[:, 0], one),
            "Q": self._placed(state, pairs[:, 1], other),
        }
        found = over_all(traced, given)
        a, b, n, psi = (found[name] for name in ("a", "b", "n", "psi"))  # (pairs, points, 3), (pairs, points)
        pair, point = np.nonzero(psi < margin)
        C = 0.5 * (a[pair, point] + b[pair, point])
        first, second = self.body[pairs[pair]].T
        key = (pairs[pair, 0] * len(self.shapes) + pairs[pair, 1]) * 64 + point
        return Meetings(first, second, C, n[pair, point], psi[pair, point], key)

    def _placed(self, state: RigidState, shapes: Integers, kind: int) -> Floats:
        """Points, axes and sizes of shapes of one kind, a row each."""
        n_points, n_axes, _ = COUNTS[kind]
        data = self._data[kind][self._place[shapes]].copy()
        for k in range(n_points + n_axes):
            at = slice(3 * k, 3 * k + 3)
            data[:, at] = self._in_world(state, shapes, data[:, at], point=k < n_points)
        return np.asarray(data, dtype=np.float64)

    def _traced(self, one: int, other: int) -> TracedFunction:
        if (one, other) not in self._narrow:
            self._narrow[one, other] = narrow_phase(one, other)
        return self._narrow[one, other]

    # Rows

    def rows(self, meetings: Meetings, r: Floats) -> tuple[RigidRows, Conditions]:
        """Normal row and two friction rows of every meeting of bodies at r."""
        m = len(meetings.psi)
        axes = np.stack((meetings.n, *tangents(meetings.n)), axis=1)  # (m, 3 rows, 3)
        psi = np.zeros((m, 3))
        psi[:, 0] = meetings.psi

        def columns(body: Integers, sign: float) -> Floats:
            centre = np.where((body >= 0)[:, None], r[body], 0.0)
            lever = (meetings.C - centre)[:, None, :]
            J = sign * np.concatenate((axes, np.cross(lever, axes)), axis=2)
            return np.asarray(J.reshape(3 * m, 6))

        rows = RigidRows(
            np.repeat(meetings.first, 3),
            np.repeat(meetings.second, 3),
            columns(meetings.first, 1.0),
            columns(meetings.second, -1.0),
            psi.ravel(),
            np.zeros(3 * m),
        )
        normal = np.repeat(3 * np.arange(m), 3)
        normal[::3] = -1
        kinds = np.tile(np.array([Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2], dtype=np.int64), m)
        mu = np.where(normal >= 0, self.mu, 0.0)
        return rows, Conditions(kinds, normal.astype(np.int64), mu, np.zeros(3 * m), np.zeros(3 * m))

    def step(
        self, state: RigidState, h: float, solver: Solver, warm: tuple[Integers, Floats] | None = None
    ) -> tuple[RigidState, Meetings, Solution, float]:
        """State after a step, where bodies met, the solution and the work of the contacts."""
        spin = np.linalg.norm(state.v[:, 3:], axis=1)
        reach = np.zeros(len(state.r))
        moving = self.body >= 0
        size = self.radius[moving] + np.linalg.norm(self.middle[moving], axis=1)
        np.maximum.at(reach, self.body[moving], size)
        fastest = float(np.max(np.linalg.norm(state.v[:, :3], axis=1) + spin * reach, initial=0.0))
        margin = 2.0 * h * (fastest + h * float(np.linalg.norm(self.bodies.gravity)))
        meetings = self.meetings(state, margin)
        rows, conditions = self.rows(meetings, state.r)
        work, hit = 0.0, None
        if self.e > 0.0:
            hit = self._impacts(state, rows, conditions, h, solver)
            if hit is not None:
                state, work = state._replace(v=hit.v.reshape(-1, 6)), hit.work
        c = np.where(conditions.kind == Kind.UNILATERAL, rows.psi / h, 0.0)
        problem = self.bodies.problem(state, rows, conditions, h, c)
        solution = solver.solve(problem, started(meetings.key, warm))
        rate, after = velocity_of(rows, state.v), velocity_of(rows, solution.v.reshape(-1, 6))
        work += 0.5 * float(solution.p @ (rate + after))
        if hit is not None:
            solution = solution.behind(hit.p, hit.residual, hit.unresolved)
        return self.bodies.moved(state, solution.v, h), meetings, solution, work

    def _impacts(
        self, state: RigidState, rows: RigidRows, conditions: Conditions, h: float, solver: Solver
    ) -> Impact | None:
        """What rebounds at the start of a step."""
        if not np.any(velocity_of(rows, state.v)[::3] < -self.rest_speed):
            return None
        R = rotations(state.quaternion)
        predicted = velocity_of(rows, self.bodies.free_velocities(state, R, h))
        e = np.where(conditions.kind == Kind.UNILATERAL, self.e, 0.0)
        touching = Touching(*self.bodies.matrices(R, rows), rows.drift, rows.psi, conditions, e)
        return impacts(touching, state.v.ravel(), predicted, h, self.rest_speed, solver)

    def check_start(self, state: RigidState) -> None:
        """Refuse a state in which shapes overlap.

        Raises
        ------
        InitialStateError
            Naming the worst pair.
        """
        found = self.meetings(state, 0.0)
        if len(found.psi) and np.min(found.psi) < -ALLOWED_OVERLAP:
            k = int(np.argmin(found.psi))
            names = [
                "what is at rest" if b < 0 else repr(self.bodies.names[b])
                for b in (found.first[k], found.second[k])
            ]
            raise InitialStateError(
                f"rigid contacts: {names[0]} and {names[1]} overlap by {-found.psi[k]:.3g} m at the start;"
                " move them apart"
            )


class RigidRun(NamedTuple):
    """A run; arrays over the stored instants.

    Attributes
    ----------
    t : (n,) array
    states : list of RigidState
    energy, contact_work : (n,) arrays
        [J].
    contacts : (n,) int array
        Points where bodies pushed in the step that ends at an instant.
    unresolved : int
        Steps taken with more than the solver's tolerance left.
    residual_max : float
        [m/s].
    wall : float
        [s].
    """

    t: Floats
    states: list[RigidState]
    energy: Floats
    contact_work: Floats
    contacts: Integers
    unresolved: int
    residual_max: float
    wall: float


def simulate_rigid(
    contacts: RigidContacts,
    *,
    duration: float,
    step: float = 1e-3,
    solver: Solver | None = None,
    interval: float = 0.01,
    progress: Callable[[float], None] | None = None,
) -> RigidRun:
    """Advance plain rigid bodies with contacts.

    Parameters
    ----------
    contacts : RigidContacts
    duration, step, interval : float
        [s], as for `simulate_unilateral`.
    solver : Solver, optional
    progress : callable, optional
        Called with the time reached [s] after every stored instant.

    Raises
    ------
    InitialStateError
        If shapes overlap at the start.
    SimulationError
        If a step finds no solution or the run is interrupted; ``partial`` holds the run up to there.
    """
    for name, value in (("duration", duration), ("step", step), ("interval", interval)):
        checks.number(f"simulate_rigid: {name}", value, above=0.0)
    steps = max(1, math.ceil(duration / step * (1.0 - 1e-12)))
    h, every = duration / steps, max(1, round(interval * steps / duration))
    chosen = Chain() if solver is None else solver
    state, work, warm = contacts.bodies.start, 0.0, None
    contacts.check_start(state)
    stored: list[tuple[float, RigidState, float, float, int]] = []
    unresolved, residual, speed, began = 0, 0.0, 0.0, time.perf_counter()

    def run() -> RigidRun:
        t, states, energy, done, pushing = zip(*stored, strict=True)
        wall = time.perf_counter() - began
        arrays = (np.array(energy), np.array(done), np.array(pushing))
        return RigidRun(np.array(t), list(states), *arrays, unresolved, residual, wall)

    stored.append((0.0, state, contacts.bodies.energy(state), 0.0, 0))
    for k in range(steps):
        try:
            state, meetings, solution, gain = contacts.step(state, h, chosen, warm)
        except KeyboardInterrupt:
            raise SimulationError(f"interrupted at t = {k * h:.4g} s", run()) from None
        except (SimulationError, ModelError) as error:
            said = f"the step from t = {k * h:.4g} s found no solution: {error}"
            raise SimulationError(said, run()) from error
        warm, work = (meetings.key, solution.p), work + gain
        unresolved += not solution.converged
        residual = max(residual, solution.residual)
        speed = max(speed, float(np.max(np.abs(state.v[:, :3]), initial=0.0)))
        if (k + 1) % every == 0 or k + 1 == steps:
            pushing = int(np.count_nonzero(solution.p[::3] > 0.0))
            stored.append(((k + 1) * h, state, contacts.bodies.energy(state), work, pushing))
            if progress is not None:
                progress((k + 1) * h)
    warn_of_remains(unresolved, steps, residual, speed)
    return run()


# Shapes as numbers

COUNTS = ((1, 0, 1), (2, 0, 1), (1, 3, 3), (1, 1, 0))
"""Points, axes and sizes of a sphere, a capsule, a box, a half-space."""


def flat(shape: Shape) -> Floats:
    """Points, axes and sizes of a shape, one after the other."""
    return np.concatenate([*shape.points, *shape.axes, np.array(shape.sizes, dtype=float)])


def bounding_radius(shape: Shape) -> float:
    """Of the sphere around the mean of a shape's points that holds it; infinite for a half-space."""
    if isinstance(shape, HalfSpace):
        return math.inf
    if isinstance(shape, Box):
        return float(np.linalg.norm(shape.sizes))
    spread = float(np.linalg.norm(shape.points[0] - np.mean(shape.points, axis=0)))
    return spread + float(shape.sizes[0])


def unpacked(kind: int, data: Array) -> Placed:
    """A placed shape from its numbers."""
    n_points, n_axes, _ = COUNTS[kind]
    vectors = [data[3 * k : 3 * k + 3] for k in range(n_points + n_axes)]
    return Placed(vectors[:n_points], vectors[n_points:], list(data[3 * (n_points + n_axes) :]))


EXAMPLES: tuple[Shape, ...] = (Sphere(1.0), Capsule((0, 0, 0), (1, 0, 0), 1.0), Box((1, 1, 1)), HalfSpace())


def narrow_phase(one: int, other: int) -> TracedFunction:
    """Where two shapes of given kinds meet, as a function of their numbers."""
    pair = pair_of(EXAMPLES[one], EXAMPLES[other])

    def meet(P: Array, Q: Array) -> dict[str, Array]:
        found = pair(unpacked(one, P), unpacked(other, Q))
        m = len(found)
        return {
            "a": concatenate([x.a for x in found]).reshape(m, 3),
            "b": concatenate([x.b for x in found]).reshape(m, 3),
            "n": concatenate([x.n for x in found]).reshape(m, 3),
            "psi": array(x.psi for x in found),
        }

    sizes = {name: 3 * (COUNTS[k][0] + COUNTS[k][1]) + COUNTS[k][2] for name, k in (("P", one), ("Q", other))}
    return trace("narrow_phase", meet, sizes)


def over_all(traced: TracedFunction, inputs: dict[str, Floats]) -> dict[str, Floats]:
    """A traced function on many inputs at once: inputs (n, …), results (n, …)."""
    flat_inputs = [inputs[name] for name in traced.input_shapes]
    n = len(flat_inputs[0])
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for op, a, b, c in traced.instructions:
            count = arity(op)
            if count == 0:
                is_number = op == Op.CONST
                values.append(np.float64(traced.numbers[a]) if is_number else flat_inputs[a][:, b])
            else:
                values.append(MEANING[op](*(values[k] for k in (a, b, c)[:count])))
    return {
        name: np.stack([np.broadcast_to(values[k], (n,)) for k in nodes], axis=1).reshape(n, *shape)
        for (name, shape), nodes in zip(traced.output_shapes.items(), traced.outputs, strict=True)
    }


def tangents(n: Floats) -> tuple[Floats, Floats]:
    """The frames of `ce_dynamics.complementarity.shapes.frame` for many normals."""
    found = over_all(_traced_frames(), {"n": n})
    return found["t_1"], found["t_2"]


def _frames(n: Array) -> dict[str, Array]:
    t_1, t_2 = frame(n)
    return {"t_1": t_1, "t_2": t_2}


@lru_cache(maxsize=1)
def _traced_frames() -> TracedFunction:
    return trace("frames", _frames, {"n": 3})


def velocity_of(rows: RigidRows, v: Floats) -> Floats:
    """Gᵀ v."""
    total = np.zeros(len(rows.psi))
    for body, J in ((rows.body_a, rows.J_a), (rows.body_b, rows.J_b)):
        there = body >= 0
        total[there] += np.einsum("mi,mi->m", J[there], v[body[there]])
    return total


def started(key: Integers, warm: tuple[Integers, Floats] | None) -> Floats | None:
    """Impulses of the step before for the meetings that are still there."""
    if warm is None or not len(warm[0]):
        return None
    old, p = warm
    order = np.argsort(old, kind="stable")
    at = np.clip(np.searchsorted(old[order], key), 0, len(old) - 1)
    same = old[order][at] == key
    return np.where(same[:, None], p.reshape(-1, 3)[order][at], 0.0).ravel()
