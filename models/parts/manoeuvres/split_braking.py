"""Braking with one side on ice (ISO 14512)."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.driver import Sensors
from ce_dynamics.models.parts.manoeuvres.base import Option
from ce_dynamics.models.parts.manoeuvres.straight import Braking
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import SplitFriction
from ce_dynamics.models.parts.roads.planes import FlatRoad

SLIPPERY = Option("slippery", "1", 0.2, "friction coefficient on the left", above=0.0, at_most=2.0)
CORRECTS = Option(
    "corrects",
    "1",
    1.0,
    "1: the driver keeps to the line; 0: the steering is held",
    at_least=0.0,
    at_most=1.0,
)


class SplitBraking(Braking):
    """Braking on a road that is slippery on its left, the steering corrected or held."""

    name = "split-braking"
    title = "braking with one side on slippery ground"
    options = (
        *Braking.options,
        SLIPPERY,
        CORRECTS,
    )

    def _road(self) -> Road:
        v = self.values
        if v["corrects"] not in (0.0, 1.0):
            raise DataError(
                f"{self.name}: corrects = {v['corrects']:g} must be 1 (keep to the line) or 0 (steering held)"
            )
        return FlatRoad(SplitFriction(left=v["slippery"], right=v["friction"]))

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        given = super().inputs(t, sensors)
        return {**given, "steering": self.values["corrects"] * given["steering"]}
