"""Finds the coefficients of a Magic Formula tyre without effect on its behaviour on a vehicle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.tracing.function import trace
from ce_dynamics.compiler.tracing.inline import dependencies
from ce_dynamics.mechanism.parameters import Parameter, bind
from ce_dynamics.models.tyres.contract import WheelOnRoad
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.contact_mass import ContactMassTyre
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre, both_ways
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula

ALWAYS = ("UNLOADED_RADIUS", "WIDTH", "FNOMIN", "VERTICAL_STIFFNESS", "LCZ")
"""Size of the tyre, by which the road is looked at, and its stiffness."""
CONTACT = ("MC", "CX", "CY", "KX", "KY")
"""Coefficients of the contact's mass and its carcass, which a file has or lacks."""
BOUNDS = ("KPUMIN", "KPUMAX", "ALPMIN", "ALPMAX")
"""Bounds of slips; the wider one of either holds both ways."""
WHEEL = 11
"""Numbers that describe how a wheel is on the road."""


@lru_cache(maxsize=32)
def without_effect(c: Coefficients, names: frozenset[str], turn_slip: bool) -> frozenset[str]:
    """Return the named coefficients on which no force, moment or rate of a state depends.

    The formulas count, not the values.  A coefficient that is multiplied by another of the value 0 has an
    effect if the other is named as well.
    """
    heavy = c.MC > 0.0
    open_ones = sorted(names.difference(ALWAYS, CONTACT, BOUNDS))
    used = on_which(c, open_ones, heavy, turn_slip)
    if heavy and 0.0 in (c.CX, c.CY):  # then the carcass is what relaxation lengths make of it
        used |= on_which(c, open_ones, False, turn_slip)
    return names.difference(ALWAYS, BOUNDS, used, CONTACT if heavy else ())


def on_which(c: Coefficients, names: Sequence[str], heavy: bool, turn_slip: bool) -> set[str]:
    """Return the named coefficients on which a force, moment or rate of a state depends."""
    kind = ContactMassTyre if heavy else MagicFormulaTyre
    tyre: Any = kind(MagicFormula(c, "left", "left"), turn_slip=turn_slip)
    opened: dict[str, Any] = {name: Parameter(name, getattr(c, name)) for name in names}
    free = [*opened.values()]
    tyre.coefficients = both_ways(replace(c, **opened))
    tyre.pressure = tyre.coefficients.INFLPRES

    def answer(wheel: Array, x: Array, values: Array) -> dict[str, Array]:
        bind(free, values, (wheel,))
        found = tyre.evaluate(WheelOnRoad._make([*wheel[:8], tuple(wheel[8:]), None]), x)
        return {"answer": np.array([*found[:6], *found.x_dot], dtype=object)}

    first = WHEEL + len(tyre.states)
    traced = trace("answer", answer, {"wheel": WHEEL, "x": len(tyre.states), "values": len(free)})
    on = {place for entry in dependencies(traced)["answer"] for place in entry.on}
    return {name for k, name in enumerate(names, start=first) if k in on}
