"""The closure equations of a loop as a compiled function, for what is computed once when a model is built."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import PLAIN, Array
from ce_dynamics.algebra.newton import Polished, Rounding, polish
from ce_dynamics.compiler import Binding, compile_function, trace
from ce_dynamics.embedding.closures.loop import (
    Loop,
    advance_coordinates,
    coordinate_scales,
    has_own_velocities,
    held_at_design,
    moving,
    parts_of,
    stack_neutral,
    velocity_scales,
    with_unit_quaternions,
)
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import Hinge

_ALONE = threading.Lock()
"""Held while buffers are in use: charts are renewed in every thread that runs a model."""


class LoopKernel:
    """Residual r(q, p) and Jacobian Y over [dependent | parameter] velocities, on floats.

    Parameters are hinges that are given, independent or prescribed; siblings are held in the design pose.
    """

    def __init__(self, loop: Loop, siblings: tuple[Body, ...]) -> None:
        self.loop = loop
        self.parameters = loop.given
        self.size = loop.size
        self.tolerance = loop.tolerance  # residual that counts as closed
        # one unit of each velocity: 1 rad, or the size; a quaternion's rate is half the angular velocity
        self.column_scales = np.concatenate((loop.scales, velocity_scales(self.parameters, self.size)))
        self.coordinate_scales = coordinate_scales(loop.dependent, self.size)
        self.p0 = stack_neutral(self.parameters)
        held = held_at_design(siblings, loop.parent)

        def equations(q: Array, p: Array) -> Mapping[str, Array]:
            given = moving(self.parameters, p)
            rates = np.zeros(len(self.column_scales))
            errors = loop.errors(q, rates, given, held)
            Y = errors.Y
            # most entries of a large loop are constants, and code that writes them takes long to compile
            self._varying = np.array([not isinstance(entry, PLAIN) for entry in Y.flat], dtype=bool).reshape(
                Y.shape
            )
            self._Y = np.where(self._varying, np.nan, Y).astype(float)
            # rows that are not zero everywhere, as those across the plane of a planar loop are
            self.live = np.any(self._Y != 0.0, axis=1)
            return {"r": errors.residual, "Y": Y[self._varying]}

        sizes = {"q": len(loop.neutral()), "p": len(self.p0)}
        self._compiled = compile_function(trace(f"closures of {loop.name}", equations, sizes))

    def __call__(self, q: Array, p: Array) -> tuple[Array, Array]:
        """Return the residual (rows,) and Y (rows, m + parameters)."""
        bound = self._equations
        with _ALONE:
            bound.inputs["q"][:], bound.inputs["p"][:] = q, p
            bound.run()
            r, Y = bound.outputs["r"].copy(), self._Y.copy()
            Y[self._varying] = bound.outputs["Y"]
            return r, Y

    def advance(self, q: Array, step: Array) -> Array:
        """Return dependent coordinates after a small step of the dependent velocities, to first order."""
        bound = self._advance
        if bound is None:
            return q + step
        with _ALONE:
            bound.inputs["q"][:], bound.inputs["step"][:] = q, step
            bound.run()
            return bound.outputs["q"].copy()

    @cached_property
    def _equations(self) -> Binding:
        return self._compiled.bind()

    @cached_property
    def _advance(self) -> Binding | None:
        """Compiled step of coordinates whose rates are not the velocities; None if there are none."""
        loop = self.loop
        if not any(has_own_velocities(body.inboard) for body in loop.dependent):
            return None

        def advance(q: Array, step: Array) -> Mapping[str, Array]:
            return {"q": loop.advance(q, step)}

        sizes = {"q": len(loop.neutral()), "step": loop.m}
        # not fused, so that a step is the same to the last bit as it is on floats
        return compile_function(trace(f"steps of {loop.name}", advance, sizes), fused=False).bind()

    @cached_property
    def comes_round(self) -> Array:
        """Mask of dependent coordinates that are angles known by cosine and sine only, (n_q,) bool."""
        bodies = self.loop.dependent
        return np.array([comes_round(b.inboard, k) for b in bodies for k in range(b.inboard.n_q)], dtype=bool)

    @cached_property
    def quaternions(self) -> tuple[slice, ...]:
        """Slices of the quaternions in the dependent coordinates."""
        first = ((body.inboard.quaternion, at) for body, at, _ in parts_of(self.loop.dependent))
        return tuple(slice(at.start + k, at.stop) for k, at in first if k is not None)

    def scale_columns(self, Y: Array) -> Array:
        """Return Y per unit of each velocity (1 rad, or the loop's size)."""
        return np.asarray(Y * self.column_scales)

    def at(self, p: Array) -> Callable[[Array], tuple[Array, Array]]:
        """Return the equations of dependent coordinates at given parameters: residual and scaled Y₁."""

        def equations(q: Array) -> tuple[Array, Array]:
            r, Y = self(q, p)
            return r, self.scale_columns(Y)[:, : self.loop.m]

        return equations

    def newton(self, q: Array, p: Array, iterations: int = 12) -> Polished:
        """Return dependent coordinates at given parameters, from a near guess; by least squares."""
        stop = Rounding(gain=0.5, enough=0.01 * self.tolerance)
        return polish(self.at(p), self.move, q, self.tolerance, iterations=iterations, stop=stop)

    def move(self, q: Array, step: Array) -> Array:
        """Return dependent coordinates after a small scaled step, quaternions of unit length."""
        m = self.loop.m
        return with_unit_quaternions(self.loop.dependent, self.advance(q, step * self.column_scales[:m]))

    def move_parameters(self, p: Array, step: Array) -> Array:
        """Return parameters moved by a small step of their velocities."""
        return advance_coordinates(self.parameters, p, step)


def comes_round(hinge: Hinge, k: int = 0) -> bool:
    """Return True if a coordinate is an angle known by its cosine and sine only."""
    turned = hinge.neutral + 2.0 * math.pi * np.eye(hinge.n_q)[k]
    c, c_turned = hinge.configuration(hinge.neutral), hinge.configuration(turned)
    return hinge.coordinate_units[k] == "rad" and bool(np.allclose(c_turned, c, rtol=0.0, atol=1e-9))
