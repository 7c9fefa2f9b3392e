"""The same reactions for traced scalars: least squares written out, so that they can be differentiated.

The multipliers of least Σ λ² of Y₁ᵀ λ = e are λ = Y₁ (Y₁ᵀ Y₁)⁻¹ e, whether closures are redundant or not,
since Y₁ has full column rank wherever the independent hinges determine the others.

Where other coordinates lead than whole hinges (components, functions of positions, paths), no columns of Y
are those of Y₁.  Then λ = Y (Yᵀ Y + X Xᵀ)⁻¹ e over all hinges, with the columns X(S) of the motion that the
closures allow: Y X = 0 and Yᵀ λ = e make X Xᵀ (Yᵀ Y + X Xᵀ)⁻¹ e = 0, so that Yᵀ Y (…)⁻¹ e = e.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, concatenate
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.reactions import BackwardPass, Reaction, dependent_columns
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.parameters import Values


class AsTheyAre(Values):
    """Arrays of traced scalars stay what they are."""

    def __call__(self, value: Array) -> Array:
        return np.asarray(value)


class Transmitted(NamedTuple):
    """Spatial forces [torque; force] in world axes, about the points they act on.

    Attributes
    ----------
    hinges : dict of str to (6,) array
        By body, what its carrier transmits to it at its hinge point.
    closures : dict of str to (6,) array
        By closure, what it exerts on its second body at its closure point.
    """

    hinges: dict[str, Array]
    closures: dict[str, Array]


def trace_reactions(instant: Instant) -> Transmitted:
    """All reactions at an instant of traced scalars (or floats)."""
    found = TracedPass(instant).run()
    return Transmitted(
        {name: concatenate((one.torque, one.force)) for name, one in found.hinges.items()},
        {name: concatenate((one.torque, one.force)) for name, one in found.closures.items()},
    )


class TracedPass(BackwardPass):
    """The backward pass on traced scalars."""

    def __init__(self, instant: Instant) -> None:
        super().__init__(instant.outward, instant.loads, instant.accelerations, None, AsTheyAre())

    def _reaction(self, at: Array, f: Array, along: Array) -> Reaction:
        return Reaction(at, f[:3], f[3:], along)

    def _multipliers(self, S: Aggregate, free: list[Body], Y: Array, excess: Array) -> Array:
        led_by_hinges = not S.virtual
        if led_by_hinges:
            dependent = dependent_columns(S, free)
            Y, excess = Y[:, dependent], excess[dependent]
        normal = Y.T @ Y
        if not led_by_hinges:
            known = self.outward.motions[S.name].hinge_motions
            X = np.concatenate([known[body.name].X for body in free])
            normal = normal + X @ X.T
        lam: Array = Y @ LDL(normal).solve(excess)
        return lam

    def _residual(self, left: Array) -> float:
        return 0.0  # of whole systems: nobody asks
