"""The pose that a loop with several parameters is led from: where it starts.

A straight line from the design pose to the start may cross a singular pose, beyond which there is another
branch, or leave what can be assembled.  Where it does, a way round is looked for: random parameters are
drawn, and from the nearest ones that were reached before the loop is followed towards them as far as its
branch goes, as rapidly exploring random trees do (LaValle, Planning Algorithms, 2006, section 5.5).  All of
this is done once, on numbers, when a system is embedded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import split, with_unit_quaternions

LONGEST = 0.1  # rad, or sizes of the loop, of one step
SHORTEST = 1e-3
FARTHEST = 0.25  # that a dependent coordinate may go in one step, else it may have left its branch
EXPLORED = 200  # random parameters
TOWARDS = 3  # every so many of them are the goal instead
LENGTHS = 2.0  # sizes of the loop that lengths are drawn from on either side
SEED = 20261122  # the same way is found every time


class Base(NamedTuple):
    """A pose of a loop in which it is closed."""

    p: Array  # (n_p,), coordinates of the parameters
    q: Array  # (n_q,), dependent coordinates


def base_at(
    kernel: LoopKernel, rows: Sequence[int], q0: Array, start: Mapping[str, Array], wraps: bool
) -> Base | None:
    """Return the start pose on the branch of the design pose; None if no path leads there.

    Y₁ is watched in some rows.  ``start`` has coordinates of parameters by body, where they are not of the
    design pose; ``wraps``: angles a turn apart are the same.
    """
    parts = split(kernel.p0, kernel.parameters)
    p = np.concatenate([np.zeros(0), *(start.get(name, part) for name, part in parts.items())])
    goals = sorted(
        turns_of(kernel, p) if wraps else [p], key=lambda goal: float(np.linalg.norm(goal - kernel.p0))
    )
    found = Exploration(kernel, rows, Base(kernel.p0, q0)).search_goals(goals)
    return None if found is None else Base(p, found)


def turns_of(kernel: LoopKernel, p: Array) -> Iterator[Array]:
    """Yield parameters with every angle as it is, and a turn farther either way."""
    turns = []
    for body in kernel.parameters:
        hinge = body.inboard
        angles = hinge.n_q == hinge.n_v
        for k in range(hinge.n_q):
            turned = np.zeros(hinge.n_q)
            turned[k] = 2.0 * np.pi
            same = angles and np.allclose(hinge.configuration(turned), hinge.configuration(0.0 * turned))
            turns.append((0.0, -2.0 * np.pi, 2.0 * np.pi) if same else (0.0,))
    for more in itertools.product(*turns):
        yield p + np.array(more)


class Exploration:
    """Poses that were reached from one, along one branch of a loop."""

    def __init__(self, kernel: LoopKernel, rows: Sequence[int], start: Base) -> None:
        self.kernel, self.rows = kernel, list(rows)
        self.reach = np.concatenate(
            [np.zeros(0), *(reach_of(kernel, body.name) for body in kernel.parameters)]
        )
        self.poses = [start]
        self._sign = self._determinant(self.poses[0])

    def search_goals(self, goals: Sequence[Array]) -> Array | None:
        """Return dependent coordinates at the first goal that a path leads to; None if there is none."""
        for goal in goals:
            found = self.towards(goal)
            if found is not None:
                return found
        rng = np.random.default_rng(SEED)
        middle = 0.5 * (self.kernel.p0 + goals[0])
        for k in range(EXPLORED):
            if k % TOWARDS == 0:
                found = self.towards(goals[(k // TOWARDS) % len(goals)])
                if found is not None:
                    return found
            else:
                p = middle + self.reach * rng.uniform(-1.0, 1.0, len(middle))
                self.towards(with_unit_quaternions(self.kernel.parameters, p))
        return None

    def towards(self, goal: Array) -> Array | None:
        """Follow the loop from the nearest pose towards a goal; dependent coordinates if it gets there."""
        apart = [float(np.linalg.norm((goal - pose.p) / self.reach)) for pose in self.poses]
        start = self.poses[int(np.argmin(apart))]
        end, done = self._followed(start, goal)
        if done > 0.0:
            self.poses.append(end)
        return end.q if done == 1.0 else None

    def _followed(self, start: Base, goal: Array) -> tuple[Base, float]:
        """Return the last pose on the straight way to a goal, and how much of the way that is."""
        far = float(np.max(np.abs(goal - start.p) / self.reach, initial=0.0)) * np.pi
        longest = LONGEST / max(far, LONGEST)
        here, before, done, part = start, start, 0.0, longest
        last = part
        while done < 1.0:
            there = min(1.0, done + part)
            p = with_unit_quaternions(self.kernel.parameters, start.p + there * (goal - start.p))
            ahead = here.q + (here.q - before.q) * ((there - done) / last)
            found = self._closed(p, ahead, here)
            if found is not None:
                before, here, last, done = here, found, there - done, there
                part = min(longest, 2.0 * part)
            elif part > SHORTEST * longest:
                part *= 0.25
            else:
                break
        return here, done

    def _closed(self, p: Array, guess: Array, last: Base) -> Base | None:
        """Return the pose at parameters p on the branch of the last one; None if none is found."""
        closed = self.kernel.newton(with_unit_quaternions(self.kernel.loop.dependent, guess), p)
        if closed.error > self.kernel.tolerance:
            return None
        moved = np.max(np.abs(closed.q - last.q) / self._scales, initial=0.0)
        there = Base(p, closed.q)
        if moved > FARTHEST or not self._determinant(there) * self._sign > 0.0:
            return None
        return there

    @property
    def _scales(self) -> Array:
        """Scale of each dependent coordinate, (n_q,): the size for lengths, otherwise 1."""
        dependent = self.kernel.loop.dependent
        units = [unit for body in dependent for unit in body.inboard.coordinate_units]
        return np.array([self.kernel.size if unit == "m" else 1.0 for unit in units])

    def _determinant(self, pose: Base) -> float:
        _, Y = self.kernel(pose.q, pose.p)
        return float(np.linalg.det(self.kernel.scale_columns(Y)[self.rows, : self.kernel.loop.m]))


def reach_of(kernel: LoopKernel, name: str) -> Array:
    """Return the half-width of the interval from which each coordinate of a parameter is drawn."""
    (hinge,) = (body.inboard for body in kernel.parameters if body.name == name)
    if hinge.n_q != hinge.n_v:
        return np.array([LENGTHS * kernel.size if unit == "m" else 1.0 for unit in hinge.coordinate_units])
    return np.array([LENGTHS * kernel.size if unit == "m" else np.pi for unit in hinge.coordinate_units])
