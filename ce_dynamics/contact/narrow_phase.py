"""Shapes as numbers, and the functions of `pairs` over these numbers in machine code."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.pairs import WITH_MANY_POINTS, pair_of
from ce_dynamics.contact.shapes import Box, Capsule, HalfSpace, PlacedShape, Shape, Sphere, frame

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


def unpack_shape(kind: int, data: Array) -> PlacedShape:
    """A placed shape from its numbers."""
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
    """The frame of a contact: n → t_1, t_2."""

    def of_normal(n: Array) -> dict[str, Array]:
        t_1, t_2 = frame(n)
        return {"t_1": t_1, "t_2": t_2}

    return compile_function(trace("frames", of_normal, {"n": 3}))
