"""Compiled collision detection: shapes in the world, near pairs and their contact points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.machine import kernel
from ce_dynamics.contact.narrow_phase import COUNTS, KINDS, WIDTH, Meetings, frames, narrow_phase
from ce_dynamics.contact.shapes import HalfSpace
from ce_dynamics.simulation.integrators.kernels import call

PLANE = KINDS.index(HalfSpace)
POINTS = 64
"""More than two shapes can meet in."""


class ShapeArrays(NamedTuple):
    """Shapes as kernels see them.

    Attributes
    ----------
    kind, body : (n,) int arrays
    points, axes : (kinds,) int arrays
        Vectors of a shape of each kind that are points and directions.
    sizes : (kinds,) int array
    local, world : (n, WIDTH) arrays
        Numbers of each shape in the axes of its body and, once placed, in the world.
    middle, centre : (n, 3) arrays
        Of its bounding sphere, there and there.
    radius : (n,) array
    calls : (kinds, kinds, 2) int array
        Address and table of `narrow_phase`; 0 for kinds that do not meet.
    meet : (kinds, kinds) int array
        Points in which they may meet.
    x, y : arrays
        Input and output of all of these.
    frame : (2,) int array
        Address and table of `frames`.
    normal, tangents : (3,), (6,) arrays
        Its input and output.
    """

    kind: Integers
    body: Integers
    points: Integers
    axes: Integers
    sizes: Integers
    local: Floats
    world: Floats
    middle: Floats
    centre: Floats
    radius: Floats
    calls: Integers
    meet: Integers
    x: Floats
    y: Floats
    frame: Integers
    normal: Floats
    tangents: Floats


def room(count: int) -> Meetings:
    """For so many meetings."""
    whole = np.zeros((3, count), dtype=np.int64)
    return Meetings(whole[0], whole[1], np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count), whole[2])


def scene(
    kind: Integers, body: Integers, local: Floats, middle: Floats, radius: Floats
) -> tuple[ShapeArrays, tuple[object, ...]]:
    """Buffers and addresses, and what has to live as long as they are used."""
    kinds = len(KINDS)
    points, axes, sizes = np.array(COUNTS, dtype=np.int64).T.copy()
    calls, meet = np.zeros((kinds, kinds, 2), dtype=np.int64), np.zeros((kinds, kinds), dtype=np.int64)
    x, y = np.zeros(2 * WIDTH), np.zeros(10 * POINTS)
    alive: list[object] = []

    def table(ins: list[Floats], outs: list[Floats]) -> int:
        alive.append(np.array([part.ctypes.data for part in (*ins, *outs)], dtype=np.int64))
        return int(alive[-1].ctypes.data)  # type: ignore[attr-defined]

    own = {(int(i), int(b)) for i, b in zip(kind, body, strict=True)}
    for one, other in sorted({(i, k) for i, b in own for k, d in own if i <= k and (b != d)}):
        function = narrow_phase(one, other)
        alive.append(function)
        starts = np.cumsum([0, *(math.prod(shape) for shape in function.output_shapes.values())])
        calls[one, other] = (
            function.table_address,
            table([x, x[WIDTH:]], [y[start:] for start in starts[:-1]]),
        )
        meet[one, other] = function.output_shapes["psi"][0]
    normal, tangents = np.zeros(3), np.zeros(6)
    framed = frames()
    frame = np.array([framed.table_address, table([normal], [tangents, tangents[3:]])], dtype=np.int64)
    S = ShapeArrays(
        kind,
        body,
        points,
        axes,
        sizes,
        local,
        local.copy(),
        middle,
        middle.copy(),
        radius,
        calls,
        meet,
        x,
        y,
        frame,
        normal,
        tangents,
    )
    return S, (alive, framed)


@kernel
def into_world(R, r, local, at, world, point):  # type: ignore[no-untyped-def]
    """Three numbers of a body into the world."""
    for i in range(3):
        total = r[i] if point else 0.0
        for j in range(3):
            total += R[i, j] * local[at + j]
        world[at + i] = total


@kernel
def place(S, r, R):  # type: ignore[no-untyped-def]
    """Shapes and their bounding spheres into the world; what is at rest stays as it is."""
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
    """Gap of the bounding spheres of two shapes, or of one and a half-space."""
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
def meetings(S, r, R, pairs, margin, out):  # type: ignore[no-untyped-def]
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
        for j in range(3 * (S.points[a] + S.axes[a]) + S.sizes[a]):
            S.x[j] = S.world[one, j]
        for j in range(3 * (S.points[b] + S.axes[b]) + S.sizes[b]):
            S.x[WIDTH + j] = S.world[other, j]
        call(S.calls[a, b, 0], S.calls[a, b, 1])
        m = S.meet[a, b]
        for point in range(m):
            psi = S.y[9 * m + point]
            if not psi < margin:
                continue
            if count < len(out.psi):
                out.first[count], out.second[count] = S.body[one], S.body[other]
                out.psi[count] = psi
                out.key[count] = (i * shapes + k) * POINTS + point
                for j in range(3):
                    out.C[count, j] = 0.5 * (S.y[3 * point + j] + S.y[3 * m + 3 * point + j])
                    out.n[count, j] = S.y[6 * m + 3 * point + j]
            count += 1
    return count
