"""Which shapes on plain rigid bodies are near each other, and where they meet.

Pairs are found with a tree over the middles of the shapes (SciPy's k-d tree).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.narrow_phase import COUNTS, KINDS, bounding_radius, flat, narrow_phase
from ce_dynamics.complementarity.problem import Integers
from ce_dynamics.complementarity.rigid import NO_BODY, RigidBodies, RigidState, rotations
from ce_dynamics.complementarity.shapes import HalfSpace, Shape
from ce_dynamics.errors import ModelError


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


class RigidShapes:
    """Shapes on plain rigid bodies and at rest.

    Parameters
    ----------
    bodies : RigidBodies
    shapes : sequence of RigidShape

    Attributes
    ----------
    body, kind : (n,) int arrays
        Of every shape; -1 for what is at rest.
    middle : (n, 3) array
        In body axes.
    radius : (n,) array
        Of a sphere around the middle that holds the shape.

    Raises
    ------
    ModelError
        If a body is unknown or a half-space not at rest.
    """

    def __init__(self, bodies: RigidBodies, shapes: Sequence[RigidShape]) -> None:
        owner = "rigid contacts"
        self.shapes = tuple(shapes)
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
        P, Q = self._placed(state, pairs[:, 0], one), self._placed(state, pairs[:, 1], other)
        found = narrow_phase(one, other)(P=P, Q=Q)
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

    def reach(self, count: int) -> Floats:
        """How far the shapes of each body reach from its centre of mass."""
        reach, moving = np.zeros(count), self.body >= 0
        size = self.radius[moving] + np.linalg.norm(self.middle[moving], axis=1)
        np.maximum.at(reach, self.body[moving], size)
        return reach
