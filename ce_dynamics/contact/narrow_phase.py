"""Shapes as numbers, and the functions of `pairs` over these numbers in machine code.

Near pairs and contact points of shapes on plain rigid bodies.

A tree over the centres of the shapes (SciPy's k-d tree) finds the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.pairs import WITH_MANY_POINTS, pair_of
from ce_dynamics.contact.rigid import NO_BODY, RigidBodies, RigidState, rotations
from ce_dynamics.contact.shapes import Box, Capsule, HalfSpace, Placed, Shape, Sphere, frame
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    from ce_dynamics.contact.meeting_kernels import Scene


KINDS = (Sphere, Capsule, Box, HalfSpace)

COUNTS = ((1, 0, 1), (2, 0, 1), (1, 3, 3), (1, 1, 0))
"""Points, axes and sizes of a sphere, a capsule, a box, a half-space."""
WIDTH = max(3 * (points + axes) + sizes for points, axes, sizes in COUNTS)
"""Numbers of a shape at most."""


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


def flat(shape: Shape) -> Floats:
    """Points, axes and sizes of a shape, one after the other."""
    return np.concatenate([*shape.points, *shape.axes, np.array(shape.sizes, dtype=float)])


def bounding_radius(shape: Shape) -> float:
    """Return the bounding radius of a shape about the mean of its points; infinite for a half-space."""
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


@cache
def narrow_phase(one: int, other: int) -> CompiledFunction:
    """Compile the function that returns the contact points of two kinds of shapes.

    The function maps P and Q, the numbers of the shapes, to a, b, n, (points, 3), and ψ, (points,).
    """
    pair = WITH_MANY_POINTS.get((KINDS[one], KINDS[other])) or pair_of(EXAMPLES[one], EXAMPLES[other])

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
    return compile_function(trace("narrow_phase", meet, sizes))


@cache
def frames() -> CompiledFunction:
    """The frame of a contact: n → t_1, t_2."""

    def of_normal(n: Array) -> dict[str, Array]:
        t_1, t_2 = frame(n)
        return {"t_1": t_1, "t_2": t_2}

    return compile_function(trace("frames", of_normal, {"n": 3}))


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
        self._local = np.zeros((len(shapes), WIDTH))
        for k, one in enumerate(shapes):
            numbers_of = flat(one.shape)
            self._local[k, : len(numbers_of)] = numbers_of

    @cached_property
    def scene(self) -> Scene:
        """Shapes in the form that kernels read."""
        from ce_dynamics.contact.meeting_kernels import scene  # here, because it loads Numba

        made, self._alive = scene(self.kind, self.body, self._local, self.middle, self.radius)
        return made

    def near(self, state: RigidState, margin: float) -> Integers:
        """Pairs of shapes whose bounding spheres come within a margin, (k, 2), sorted, the lower first."""
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
            pairs.append(np.sort(np.stack((low, np.full(len(low), plane)), axis=1)).astype(np.int64))
        both = np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)
        a, b = both.T
        apart = np.linalg.norm(middle[a] - middle[b], axis=1) - self.radius[a] - self.radius[b]
        infinite = np.isinf(self.radius[a]) | np.isinf(self.radius[b])
        kept = both[(self.body[a] != self.body[b]) & (infinite | (apart < margin))]
        return np.asarray(kept[np.lexsort(kept.T[::-1])], dtype=np.int64)

    def _middles(self, state: RigidState) -> Floats:
        middle, on = self.middle.copy(), self.body >= 0
        R = rotations(state.quaternion[self.body[on]])
        middle[on] = state.r[self.body[on]] + np.einsum("kij,kj->ki", R, middle[on])
        return middle

    def meetings(self, state: RigidState, margin: float) -> Meetings:
        """Return the contact points with gaps below a margin [m]."""
        from ce_dynamics.contact.meeting_kernels import meetings, room  # here, as they load Numba

        pairs, R = self.near(state, margin), rotations(state.quaternion)
        count = 8 * len(pairs)
        while True:
            found = room(count)
            count = meetings(self.scene, state.r, R, pairs, margin, found)
            if count <= len(found.psi):
                bodies, where = (
                    (found.first[:count], found.second[:count]),
                    (found.C[:count], found.n[:count]),
                )
                return Meetings(*bodies, *where, found.psi[:count], found.key[:count])

    def reach(self, count: int) -> Floats:
        """Return the radius around each centre of mass that contains the body's shapes, (count,) [m]."""
        reach, moving = np.zeros(count), self.body >= 0
        size = self.radius[moving] + np.linalg.norm(self.middle[moving], axis=1)
        np.maximum.at(reach, self.body[moving], size)
        return reach
