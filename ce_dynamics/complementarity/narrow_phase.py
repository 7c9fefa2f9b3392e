"""Where many shapes meet: shapes as numbers, and the functions of `pairs` in machine code."""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.loops import kernel
from ce_dynamics.complementarity.nearest import frame
from ce_dynamics.complementarity.pairs import WITH_MANY_POINTS, pair_of
from ce_dynamics.complementarity.shapes import Box, Capsule, HalfSpace, Placed, Shape, Sphere
from ce_dynamics.simulation.integrators.kernels import call

KINDS = (Sphere, Capsule, Box, HalfSpace)

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


@cache
def narrow_phase(one: int, other: int) -> OverAll:
    """Where two shapes of given kinds meet, as a function of their numbers P and Q."""
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
    return OverAll(compile_function(trace("narrow_phase", meet, sizes)))


@kernel
def each(calls, X, x, y, Y):  # type: ignore[no-untyped-def]
    """Row k of Y from row k of X, through the buffers x and y of a compiled function."""
    for k in range(X.shape[0]):
        x[:] = X[k]
        call(calls[0], calls[1])
        Y[k] = y


class OverAll:
    """A compiled function for many inputs: (n, …) in, (n, …) out.

    Parameters
    ----------
    function : CompiledFunction
    """

    def __init__(self, function: CompiledFunction) -> None:
        self._function = function
        self._shapes = dict(function.output_shapes)
        self._in = list(function.input_shapes)
        ins = [math.prod(shape) for shape in function.input_shapes.values()]
        outs = [math.prod(shape) for shape in self._shapes.values()]
        self._x, self._y = np.zeros(sum(ins)), np.zeros(sum(outs))
        self._ends = np.cumsum(outs)
        starts = [self._x[k:] for k in np.cumsum([0, *ins])[:-1]]
        starts += [self._y[k:] for k in np.cumsum([0, *outs])[:-1]]
        self._table = np.array([part.ctypes.data for part in starts], dtype=np.int64)
        self._calls = np.array([function.table_address, self._table.ctypes.data], dtype=np.int64)

    def __call__(self, **given: Floats) -> dict[str, Floats]:
        """Results of all inputs."""
        X = np.ascontiguousarray(np.concatenate([given[name] for name in self._in], axis=1), dtype=float)
        Y = np.empty((len(X), len(self._y)))
        each(self._calls, X, self._x, self._y, Y)
        parts = np.split(Y, self._ends[:-1], axis=1)
        return {
            name: part.reshape(len(X), *shape)
            for part, (name, shape) in zip(parts, self._shapes.items(), strict=True)
        }


def tangents(n: Floats) -> tuple[Floats, Floats]:
    """The frames of `ce_dynamics.complementarity.shapes.frame` for many normals."""
    found = _frames()(n=n)
    return found["t_1"], found["t_2"]


@lru_cache(maxsize=1)
def _frames() -> OverAll:
    def frames(n: Array) -> dict[str, Array]:
        t_1, t_2 = frame(n)
        return {"t_1": t_1, "t_2": t_2}

    return OverAll(compile_function(trace("frames", frames, {"n": 3})))
