"""Dampers whose force depends on their length as well as on its rate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import decided
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.models.parts.ramps import smooth_step
from ce_dynamics.models.parts.tabulated_force import Ramps


class DamperMap(SpringDamper):
    """A damper with a curve of force over speed at each of several lengths.

    Between two lengths the force goes over smoothly from one curve to the other; beyond the first and the
    last it is that of their curve.

    Parameters
    ----------
    *place
        As of `SpringDamper`: name, body, point, body, point.
    lengths : sequence of float
        Increasing [m].
    curves : sequence of Ramps
        Tension over rate at each [N over m/s].

    Raises
    ------
    DataError
        If there are not as many curves as lengths, at least two, or lengths do not increase.
    """

    def __init__(self, *place: Any, lengths: Sequence[float], curves: Sequence[Ramps]) -> None:
        super().__init__(*place, free_length=0.0)
        if len(lengths) != len(curves) or len(lengths) < 2:
            raise DataError(
                f"damper {self.name}: {len(lengths)} lengths and {len(curves)} curves must pair up"
            )
        if not all(decided(a < b, "its lengths must increase") for a, b in pairwise(lengths)):
            raise DataError(f"damper {self.name}: lengths {tuple(lengths)} must increase")
        self.lengths, self.curves = tuple(lengths), tuple(curves)

    def tension(self, extension: Scalar, rate: Scalar) -> Scalar:
        """At a length, which is the extension from nothing, and its rate."""
        forces = [curve.force(rate) for curve in self.curves]
        total = forces[0]
        for (shorter, longer), (before, after) in zip(pairwise(self.lengths), pairwise(forces), strict=True):
            total = total + (after - before) * smooth_step((extension - shorter) / (longer - shorter))
        return total
