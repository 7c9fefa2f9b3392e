"""Searches for a configuration among all hinges of some loops: their closures and the targets together.

If targets of frames and coordinates determine as many independent coordinates (the pose of a
platform determines those of its legs), no loop needs to be differentiated: with the
coordinates z of the hinges that matter, dependent and independent ones,

    r(z) = 0,   goals(z) = 0

are as many equations as unknowns.  The closures r, with Y = ∂r/∂z, were compiled when the system was
embedded, and the goals are frames at the ends of open chains, for which floats are fast enough.  What is
result counts only if the loops, assembled as usual for these independent coordinates, arrive there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.continuation import CLOSE, EvaluationBudget, newton
from ce_dynamics.compiled.analysis.coordinates import coordinate_owners
from ce_dynamics.compiled.analysis.goals import Goal
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.embedding.aggregate import slices
from ce_dynamics.embedding.closures.loop import advance_coordinates, split, with_unit_quaternions
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.mechanism.body import Body, ancestors

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
            Y, start = self._closures(one, coordinates)[1], 0
            rows.append(np.zeros((len(Y), self.n_v)))
            for body in (*one.loop.dependent, *one.parameters):
                rows[-1][:, self.columns[body.name]] = Y[:, start : start + body.inboard.n_v]
                start += body.inboard.n_v
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
