"""Targets of searches for configurations, and the search among all hinges of some loops at once.

If targets of frames and coordinates determine as many independent coordinates (the pose of a
platform determines those of its legs), no loop needs to be differentiated: with the
coordinates z of the hinges that matter, dependent and independent ones,

    r(z) = 0,   goals(z) = 0

are as many equations as unknowns.  The closures r, with Y = ∂r/∂z, were compiled when the system was
embedded, and the goals are frames at the ends of open chains, for which floats are fast enough.  A
result counts only if the loops, assembled as usual for these independent coordinates, arrive there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.algebra.rotation import rotation_vector_of
from ce_dynamics.compiled.analysis.continuation import CLOSE, EvaluationBudget, newton
from ce_dynamics.compiled.analysis.coordinates import coordinate_owners
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.embedding.aggregate import slices
from ce_dynamics.embedding.closures.loop import advance_coordinates, parts_of, split, with_unit_quaternions
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, ancestors

ORTHONORMAL = 1e-9  # largest accepted error of R Rᵀ = 1 of a target orientation


class Goal(NamedTuple):
    """Target position r [m] and orientation R of a frame in the world; any orientation if R is None."""

    frame: Frame
    r: Floats
    R: Floats | None

    @property
    def conditions(self) -> int:
        """Number of conditions."""
        return 3 if self.R is None else 6

    @property
    def arm(self) -> Floats:
        """The frame's origin from the centre of mass of its body, in the design pose."""
        com: Floats = nominal(self.frame.body.com).astype(float)
        return self.frame.at - com

    def find_error(self, r: Floats, R: Floats) -> Floats:
        """Return rotation vector, if it matters, and displacement from the goal to a frame at r, R."""
        if self.R is None:
            return r - self.r
        return np.concatenate((rotation_vector_of(R @ self.R.T), r - self.r))

    def rows(self, J: Floats) -> Floats:
        """Return the rows of a frame's Jacobian that belong to `find_error`, to first order in the error."""
        return J if self.R is not None else J[3:]


def goal_of(target: object, wanted: object) -> Goal:
    """Return a checked target."""
    if isinstance(target, Point):
        return Goal(target.frame, checked(f"target of {target.frame.body.name!r}", wanted, 3), None)
    if not isinstance(target, Frame):
        raise ModelError(f"targets: {target!r} is neither model.point(...) nor model.frame(...)")
    owner = f"target of {target.body.name!r}"
    if not isinstance(wanted, (tuple, list)) or len(wanted) != 2:
        raise ModelError(f"{owner}: a frame takes a position (3,) and a rotation matrix (3, 3)")
    r, R = checked(owner, wanted[0], 3), np.asarray(wanted[1], dtype=np.float64)
    proper = R.shape == (3, 3) and np.allclose(R @ R.T, np.eye(3), atol=ORTHONORMAL, rtol=0.0)
    if not proper or np.linalg.det(R) < 0.0:
        raise ModelError(f"{owner}: {R.tolist()} is no rotation matrix")
    return Goal(target, r, R)


def labels_of(goal: Goal) -> tuple[str, ...]:
    """Return the names and units of the rows of a goal, for messages."""
    where = f"{goal.frame.body.name!r} at {goal.frame.at.tolist()}"
    position = tuple(f"{axis} of {where} [m]" for axis in "xyz")
    turns = tuple(f"rotation about {axis} of {where} [rad]" for axis in "xyz")
    return position if goal.R is None else (*turns, *position)


EVALUATIONS = 100  # after which the general search takes over; what is near takes less than ten
SAME = 1e-8  # rad or m between what was found and where a loop arrives: other branches lie farther away

Wanted = Mapping[tuple[Body, int], float]  # wanted values of coordinates by body and number


def found_in_loops(
    model: CompiledSystem, y: Floats, goals: Sequence[Goal], values: Mapping[int, float]
) -> Floats | None:
    """Return the state in which frames and coordinates meet their targets; None if the search fails.

    ``values`` are the targets of coordinates by their index.
    """
    places = [(body, k) for body in coordinate_owners(model) for k in range(body.inboard.n_q)]
    wanted = {places[k]: value for k, value in values.items()}
    hinges = hinges_of(model, goals, wanted)
    if hinges is None:
        return None
    q_of, q = model.embedding.q_of, model.layout.split(y)[0]
    coordinates = {body.name: q[q_of[body.name]] for body in hinges.independent}
    for linkage in hinges.linkages:
        start = follow_loop(linkage, coordinates)
        if start is None:
            return None
        coordinates |= start
    problem = InLoops(hinges, tuple(goals), wanted, EvaluationBudget(EVALUATIONS))
    z = np.concatenate([coordinates[body.name] for body in hinges.bodies])
    found = newton(problem, z)
    if found.size > CLOSE:
        return None
    coordinates = split(found.x, hinges.bodies)
    for linkage in hinges.linkages:
        arrived = follow_loop(linkage, coordinates)
        if arrived is None or any(np.any(np.abs(coordinates[n] - x) > SAME) for n, x in arrived.items()):
            return None
    result = y.copy()
    for body in hinges.independent:
        result[q_of[body.name]] = coordinates[body.name]
    return result


def follow_loop(linkage: NumericLinkage, coordinates: Mapping[str, Array]) -> dict[str, Array] | None:
    """Return dependent coordinates of a loop by body where it arrives; None where it does not."""
    q = linkage.continue_to(np.concatenate([coordinates[body.name] for body in linkage.parameters]))
    return None if q is None or not np.isfinite(q).all() else linkage.loop.split(q)


class Hinges(NamedTuple):
    """Hinges that affect the targets."""

    independent: tuple[Body, ...]
    # loops whose dependent hinges matter too; all that lead them are among the independent ones
    linkages: tuple[NumericLinkage, ...]

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All of them."""
        return (*self.independent, *(body for one in self.linkages for body in one.loop.dependent))


def hinges_of(model: CompiledSystem, goals: Sequence[Goal], wanted: Wanted) -> Hinges | None:
    """Return the hinges that affect the targets, for loops with as many coordinates as conditions."""
    bodies = {body for goal in goals for body in ancestors(goal.frame.body)[:-1]} | {
        body for body, _ in wanted
    }
    if model.layout.parameters or any(body.inboard.n_q != body.inboard.n_v for body, _ in wanted):
        return None
    solved = {
        name: linkage
        for S in model.embedding.aggregates
        for linkage in S.linkages
        for name in linkage.determines
    }
    linkages = dict.fromkeys(solved[body.name] for body in bodies if body.name in solved)
    loops = tuple(one for one in linkages if isinstance(one, NumericLinkage) and one.is_led_straight)
    leading = {body for body in bodies if body.name not in solved}
    leading |= {body for one in loops for body in one.parameters}
    if len(loops) < len(linkages) or not all(body.name in model.embedding.q_of for body in leading):
        return None
    conditions = sum(goal.conditions for goal in goals) + len(wanted)
    if sum(body.inboard.n_v for body in leading) != conditions:
        return None
    return Hinges(tuple(sorted(leading, key=lambda body: body.index)), loops)


class InLoops:
    """Closures and goals over the coordinates z of some hinges, as a problem of `newton`."""

    def __init__(
        self, hinges: Hinges, goals: tuple[Goal, ...], wanted: Wanted, effort: EvaluationBudget
    ) -> None:
        self.hinges, self.goals, self.wanted, self.effort = hinges, goals, wanted, effort
        self.columns = slices((body.name, body.inboard.n_v) for body in hinges.bodies)
        self.n_v = sum(body.inboard.n_v for body in hinges.bodies)

    def gap(self, y: Floats) -> Floats:
        """Return residuals of the closures, and errors of the goals."""
        self.effort.evaluating()
        coordinates = split(y, self.hinges.bodies)
        parts = [self._closures(one, coordinates)[0] for one in self.hinges.linkages]
        for goal in self.goals:
            motion, name = self._motion(goal, coordinates), goal.frame.body.name
            r = motion.parent.com + motion.point(name, goal.frame.at).r
            parts.append(goal.find_error(r.astype(np.float64), motion.body(name).R.astype(np.float64)))
        parts.append(
            np.array([coordinates[body.name][k] - value for (body, k), value in self.wanted.items()])
        )
        return np.concatenate(parts).astype(np.float64)

    def slope(self, y: Floats) -> Floats:
        """Return Y, and Jacobians, over the velocities of all hinges."""
        coordinates = split(y, self.hinges.bodies)
        rows = [np.zeros((0, self.n_v))]
        for one in self.hinges.linkages:
            Y = self._closures(one, coordinates)[1]
            rows.append(np.zeros((len(Y), self.n_v)))
            for body, _, part in parts_of((*one.loop.dependent, *one.parameters)):
                rows[-1][:, self.columns[body.name]] = Y[:, part]
        for goal in self.goals:
            motion, name = self._motion(goal, coordinates), goal.frame.body.name
            J = np.concatenate((motion.body(name).w, motion.point(name, goal.frame.at).J))
            rows.append(goal.rows(J.astype(np.float64)))
        for body, k in self.wanted:
            rows.append(np.zeros((1, self.n_v)))
            rows[-1][0, self.columns[body.name].start + k] = 1.0
        return np.concatenate(rows)

    def displace(self, y: Floats, step: Floats) -> Floats:
        """Return coordinates moved to first order, quaternions of unit length."""
        bodies = self.hinges.bodies
        moved = with_unit_quaternions(bodies, advance_coordinates(bodies, y, step))
        return np.asarray(moved, dtype=np.float64)

    def _closures(self, linkage: NumericLinkage, coordinates: Mapping[str, Array]) -> tuple[Array, Array]:
        """Return the residual, and Y over [dependent | parameters]."""
        q = np.concatenate([coordinates[body.name] for body in linkage.loop.dependent])
        p = np.concatenate([coordinates[body.name] for body in linkage.parameters])
        return linkage.kernel(q, p)

    def _motion(self, goal: Goal, coordinates: Mapping[str, Array]) -> SubgraphMotion:
        """Return the motion of the open chain that carries a frame."""
        bodies = ancestors(goal.frame.body)[-2::-1]  # from base to tip
        motion = SubgraphMotion(bodies[0].carrier, bodies, np.zeros(self.n_v))
        for body in bodies:
            q = coordinates.get(body.name, np.zeros(0))  # fixed bodies have none
            motion.independent(body.name, q, self.columns.get(body.name, slice(0, 0)))
        return motion
