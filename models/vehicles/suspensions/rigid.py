"""Wheels on the chassis: no suspension at all."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.suspensions.graph import Graph
from ce_dynamics.models.vehicles.suspensions.linked import LinkedCorner


class RigidData(CornerData):
    """A corner whose wheel turns on the chassis."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RigidCorner(LinkedCorner):
    """A wheel on the chassis."""

    template = "rigid"
    section = RigidData

    def connect(self, graph: Graph) -> None:
        """Nothing."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """The chassis carries the wheel."""
        return chassis

    @property
    def drop_link_carrier(self) -> str:
        """None: a bar whose ends move with its middle does nothing."""
        axle = self.name.rpartition("_")[0]
        raise DataError(
            f"axles.{axle}: an anti-roll bar does nothing where wheels turn on the chassis; "
            "leave anti_roll_bar out, or choose a suspension"
        )
