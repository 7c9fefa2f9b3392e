"""Two tyres side by side on one hub: each meets the road by itself, both turn with the same spin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ce_dynamics.algebra.arrays import Array, Scalar, minimum
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, Response
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.tyres.contract import TyreModel
from ce_dynamics.models.tyres.element import MARGIN, RoadTyre

SUMMED = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
"""Outputs of which a pair reports the sum, moments each about its own contact; of others the mean."""
PLACES = ("outer", "inner")


class TwinTyre(RoadTyre):
    """A pair of tyres of one model.

    Its states are those of both, called ``outer_...`` and ``inner_...``; beside what a single tyre reports,
    summed or as a mean, it reports the load of each.

    Parameters
    ----------
    name, wheel, carrier, centre, spin_axis, model, road, ground
        As of `RoadTyre`; the centre is the middle between both.
    outward : (3,) array_like
        From the centre to the middle of the outer tyre in the design pose [m].
    """

    def __init__(
        self,
        name: str,
        wheel: Body,
        carrier: Body,
        centre: object,
        spin_axis: object,
        model: TyreModel,
        road: Road,
        ground: Body,
        outward: object,
    ) -> None:
        super().__init__(name, wheel, carrier, centre, spin_axis, model, road, ground)
        out = finite_vector(outward, f"tyre {name}", "outward")
        common: tuple[Any, ...] = (spin_axis, model, road, ground)
        self.singles = tuple(
            RoadTyre(f"{name}.{place}", wheel, carrier, at, *common)
            for place, at in zip(PLACES, (self.centre + out, self.centre - out), strict=True)
        )
        self.states = tuple(
            state._replace(name=f"{place}_{state.name}") for place in PLACES for state in model.states
        )
        self.outputs = {**self.outputs, **{f"{place}_Fz": "N" for place in PLACES}}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return tuple(one for single in self.singles for one in single.attachments)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        n = len(self.model.states)
        outer, inner = (
            single.evaluate(observer, x[k * n : (k + 1) * n], u) for k, single in enumerate(self.singles)
        )
        outputs = {}
        for name, one in outer.outputs.items():
            other = inner.outputs[name]
            both = one + other
            outputs[name] = both if name in SUMMED else minimum(one, other) if name == MARGIN else 0.5 * both
        outputs |= {f"{place}_Fz": r.outputs["Fz"] for place, r in zip(PLACES, (outer, inner), strict=True)}
        return Response(
            loads=(*outer.loads, *inner.loads),
            x_dot=(*outer.x_dot, *inner.x_dot),
            outputs=outputs,
            potential=outer.potential + inner.potential,
        )


def single_tyres(element: ForceElement) -> tuple[RoadTyre, ...]:
    """Return the tyres of a force element, each by itself; none if it is no tyre."""
    if isinstance(element, TwinTyre):
        return element.singles
    return (element,) if isinstance(element, RoadTyre) else ()
