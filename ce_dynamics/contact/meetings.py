"""Near pairs and contact points of shapes on plain rigid bodies.

A tree over the centres of the shapes (SciPy's k-d tree) finds the pairs; compiled functions of `pairs`, over
shapes as numbers, find their points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.compiled_function import Binding
from ce_dynamics.contact.pairs import WITH_MANY_POINTS, pair_of
from ce_dynamics.contact.rigid import NO_BODY, RigidBodies, RigidState, rotations
from ce_dynamics.contact.shapes import (
    Box,
    Capsule,
    HalfSpace,
    PlacedShape,
    Shape,
    Sphere,
    check_shape,
    frame,
)
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.kernels import IntegerMatrix, Integers, Matrix, Vector, call, kernel

KINDS = (Sphere, Capsule, Box, HalfSpace)

COUNTS = ((1, 0, 1), (2, 0, 1), (1, 3, 3), (1, 1, 0))
"""Points, axes and sizes of a sphere, a capsule, a box, a half-space."""
WIDTH = max(3 * (points + axes) + sizes for points, axes, sizes in COUNTS)
"""Numbers of a shape at most."""


class Meetings(NamedTuple):
    """Points where shapes are near each other, (m,) each."""

    first: Integers  # bodies, -1 for what is at rest
    second: Integers
    C: Matrix  # (m, 3): where they meet, in the world
    n: Matrix  # (m, 3): from the second to the first
    psi: Vector  # gaps [m]
    key: Integers  # of shapes and their points: the same from step to step

    def take_first(self, count: int) -> Meetings:
        """Return copies of the first ones."""
        first, second, key = (part[:count].copy() for part in (self.first, self.second, self.key))
        C, n, psi = (part[:count].copy() for part in (self.C, self.n, self.psi))
        return Meetings(first, second, C, n, psi, key)


def flat(shape: Shape) -> Floats:
    """Return points, axes and sizes of a shape, one after the other."""
    return np.concatenate([*shape.points, *shape.axes, np.array(shape.sizes, dtype=float)])


def bounding_radius(shape: Shape) -> float:
    """Return the bounding radius of a shape about the mean of its points; infinite for a half-space."""
    if isinstance(shape, HalfSpace):
        return math.inf
    if isinstance(shape, Box):
        return float(np.linalg.norm(shape.sizes))
    spread = float(np.linalg.norm(shape.points[0] - np.mean(shape.points, axis=0)))
    return spread + float(shape.sizes[0])


def unpack_shape(kind: int, data: Array) -> PlacedShape:
    """Return a placed shape from its numbers."""
    n_points, n_axes, _ = COUNTS[kind]
    vectors = [data[3 * k : 3 * k + 3] for k in range(n_points + n_axes)]
    return PlacedShape(vectors[:n_points], vectors[n_points:], list(data[3 * (n_points + n_axes) :]))


EXAMPLES: tuple[Shape, ...] = (Sphere(1.0), Capsule((0, 0, 0), (1, 0, 0), 1.0), Box((1, 1, 1)), HalfSpace())


@cache
def narrow_phase(one: int, other: int) -> CompiledFunction:
    """Compile the function that returns the contact points of two kinds of shapes.

    The function maps P and Q, the numbers of the shapes, to a, b, n, (points, 3), and ψ, (points,).
    """
    pair = WITH_MANY_POINTS.get((KINDS[one], KINDS[other])) or pair_of(EXAMPLES[one], EXAMPLES[other])

    def meet(P: Array, Q: Array) -> dict[str, Array]:
        found = pair(unpack_shape(one, P), unpack_shape(other, Q))
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
    """Return the frame of a contact: n → t_1, t_2."""

    def frame_of_normal(n: Array) -> dict[str, Array]:
        t_1, t_2 = frame(n)
        return {"t_1": t_1, "t_2": t_2}

    return compile_function(trace("frames", frame_of_normal, {"n": 3}))


PLANE = KINDS.index(HalfSpace)
POINTS = 64
"""More than two shapes can meet in."""


class ShapeArrays(NamedTuple):
    """Shapes as kernels see them, (n,), and the functions that find their meetings, by kinds."""

    kind: Integers
    body: Integers
    points: Integers  # vectors of a shape of each kind that are points
    axes: Integers  # those that are directions
    local: Matrix  # numbers of each shape in the axes of its body, (n, WIDTH)
    world: Matrix  # and, once placed, in the world
    middle: Matrix  # of its bounding sphere, in the axes of its body
    centre: Matrix  # and in the world
    radius: Vector
    calls: IntegerMatrix  # address and table of `narrow_phase`, in turn; 0 for kinds that do not meet
    meet: IntegerMatrix  # points in which they may meet
    P: Vector  # numbers of two shapes, input of all of these
    Q: Vector
    a: Matrix  # output, see `Meeting`
    b: Matrix
    n: Matrix
    psi: Vector
    frame: Integers  # address and table of `frames`
    normal: Vector  # its input
    tangents: Vector  # its output


def make_room(count: int) -> Meetings:
    """Enlarge the arrays for a number of meetings."""
    whole = np.zeros((3, count), dtype=np.int64)
    return Meetings(whole[0], whole[1], np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count), whole[2])


@kernel
def into_world(R, r, local, at, world, point):  # type: ignore[no-untyped-def]
    """Transform three numbers of a body into the world."""
    for i in range(3):
        total = r[i] if point else 0.0
        for j in range(3):
            total += R[i, j] * local[at + j]
        world[at + i] = total


@kernel
def place(S, r, R):  # type: ignore[no-untyped-def]
    """Place shapes and their bounding spheres in the world; shapes at rest stay as they are."""
    for k in range(S.kind.size):
        body, kind = S.body[k], S.kind[k]
        if body < 0:
            continue
        into_world(R[body], r[body], S.middle[k], 0, S.centre[k], True)
        points = S.points[kind]
        for vector in range(points + S.axes[kind]):
            into_world(R[body], r[body], S.local[k], 3 * vector, S.world[k], vector < points)


@kernel
def span(S, i, k):  # type: ignore[no-untyped-def]
    """Return the gap of the bounding spheres of two shapes, or of one and a half-space."""
    if S.kind[k] == PLANE or S.kind[i] == PLANE:
        plane, ball = (k, i) if S.kind[k] == PLANE else (i, k)
        height = 0.0
        for j in range(3):
            height += S.world[plane, 3 + j] * (S.centre[ball, j] - S.world[plane, j])
        return height - S.radius[ball]
    total = 0.0
    for j in range(3):
        total += (S.centre[i, j] - S.centre[k, j]) ** 2
    return math.sqrt(total) - S.radius[i] - S.radius[k]


@kernel
def find_meetings(S, r, R, pairs, margin, out):  # type: ignore[no-untyped-def]
    """Return the number of contact points of given pairs with gaps below a margin [m].

    `out` takes as many of the points as there is room for.
    """
    place(S, r, R)
    count, shapes = 0, S.kind.size
    for row in range(len(pairs)):
        i, k = pairs[row, 0], pairs[row, 1]
        if not span(S, i, k) < margin:
            continue
        one, other = (i, k) if S.kind[i] <= S.kind[k] else (k, i)  # lower kinds first, as in the table
        a, b = S.kind[one], S.kind[other]
        for j in range(WIDTH):
            S.P[j], S.Q[j] = S.world[one, j], S.world[other, j]
        call(S.calls[a, 2 * b], S.calls[a, 2 * b + 1])
        for point in range(S.meet[a, b]):
            if not S.psi[point] < margin:
                continue
            if count < len(out.psi):
                out.first[count], out.second[count] = S.body[one], S.body[other]
                out.psi[count] = S.psi[point]
                out.key[count] = (i * shapes + k) * POINTS + point
                for j in range(3):
                    out.C[count, j] = 0.5 * (S.a[point, j] + S.b[point, j])
                    out.n[count, j] = S.n[point, j]
            count += 1
    return count


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

    def __post_init__(self) -> None:
        if self.body is not None:
            checks.name_of("RigidShape: body", self.body)
        check_shape(self.shape, "RigidShape: shape")


class RigidShapes:
    """Shapes on plain rigid bodies and at rest.

    Raises
    ------
    ModelError
        If a body is unknown or a half-space not at rest.
    """

    def __init__(self, bodies: RigidBodies, shapes: Sequence[RigidShape]) -> None:
        owner = "rigid contacts"
        shapes = checks.instances(f"{owner}: shapes", shapes, RigidShape, "a RigidShape")
        self.bodies, self.shapes = bodies, shapes
        numbers = {name: k for k, name in enumerate(bodies.names)}
        for one in shapes:
            if one.body is not None and one.body not in numbers:
                raise ModelError(f"{owner}: no body {one.body!r}; there are {bodies.names}")
            if one.body is not None and isinstance(one.shape, HalfSpace):
                raise ModelError(f"{owner}: a half-space on {one.body!r}; half-spaces must be at rest")
        self.body = np.array([NO_BODY if s.body is None else numbers[s.body] for s in shapes], dtype=np.int64)
        self.kind = np.array([KINDS.index(type(s.shape)) for s in shapes], dtype=np.int64)
        # body and kind of every shape, its middle in body axes, and the radius around that which holds it
        self.bounded = np.flatnonzero(self.kind != PLANE)
        self.middle = np.array([np.mean(s.shape.points, axis=0) for s in shapes]).reshape(-1, 3)
        self.radius = np.array([bounding_radius(s.shape) for s in shapes])
        self._bound: list[Binding] = []  # what the addresses of a scene are of
        self._local = np.zeros((len(shapes), WIDTH))
        for k, one in enumerate(shapes):
            numbers_of = flat(one.shape)
            self._local[k, : len(numbers_of)] = numbers_of

    @cached_property
    def scene(self) -> ShapeArrays:
        """Shapes in the form that kernels read."""
        points, axes, _ = np.array(COUNTS, dtype=np.int64).T.copy()
        calls, meet = np.zeros((len(KINDS), 2 * len(KINDS)), np.int64), np.zeros((len(KINDS),) * 2, np.int64)
        P, Q, psi = np.zeros(WIDTH), np.zeros(WIDTH), np.zeros(POINTS)
        a, b, n = np.zeros((3, POINTS, 3))
        buffers = {"P": P, "Q": Q, "a": a, "b": b, "n": n, "psi": psi}
        own = set(zip(self.kind.tolist(), self.body.tolist(), strict=True))
        for one, other in {(i, k) for i, body in own for k, beside in own if i <= k and body != beside}:
            function = narrow_phase(one, other)
            bound = function.bind(buffers)
            self._bound.append(bound)
            calls[one, 2 * other : 2 * other + 2] = bound.addresses
            meet[one, other] = function.output_shapes["psi"][0]
        normal, tangents = np.zeros(3), np.zeros(6)
        bound = frames().bind({"n": normal, "t_1": tangents[:3], "t_2": tangents[3:]})
        self._bound.append(bound)
        return ShapeArrays(
            self.kind, self.body, points, axes, self._local, self._local.copy(), self.middle,
            self.middle.copy(), self.radius, calls, meet, P, Q, a, b, n, psi,
            np.array(bound.addresses, dtype=np.int64), normal, tangents,
        )  # fmt: skip

    def find_near_pairs(self, state: RigidState, margin: float) -> Integers:
        """Return pairs (k, 2) of shapes with bounding spheres within a margin, sorted, lower index first."""
        from scipy.spatial import cKDTree  # here, because few runs need it

        middle, on, movable = self.middle.copy(), self.body >= 0, self.bounded
        R = rotations(state.quaternion[self.body[on]])
        middle[on] = state.r[self.body[on]] + np.einsum("kij,kj->ki", R, middle[on])
        pairs: list[Integers] = []
        if len(movable) > 1:
            reach = 2.0 * float(np.max(self.radius[movable])) + margin
            found = cKDTree(middle[movable]).query_pairs(reach, output_type="ndarray")
            pairs.append(movable[found].astype(np.int64))
        for plane in np.flatnonzero(self.kind == PLANE):
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

    def meetings(self, state: RigidState, margin: float) -> Meetings:
        """Return the contact points with gaps below a margin [m]."""
        pairs, R = self.find_near_pairs(state, margin), rotations(state.quaternion)
        count = 8 * len(pairs)
        while True:
            found = make_room(count)
            count = find_meetings(self.scene, state.r, R, pairs, margin, found)
            if count <= len(found.psi):
                return found.take_first(count)

    def reach(self, count: int) -> Floats:
        """Return the radius around each centre of mass that contains the body's shapes, (count,) [m]."""
        reach, moving = np.zeros(count), self.body >= 0
        size = self.radius[moving] + np.linalg.norm(self.middle[moving], axis=1)
        np.maximum.at(reach, self.body[moving], size)
        return reach
