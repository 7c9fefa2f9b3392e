"""Double wishbones beside the paper's: with arms that are mere rods, and with a rocker for the spring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import model_validator

from ce_dynamics.kinematics.double_wishbone import DoubleWishbone, DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, RodData, rod
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING, SuspensionGraph
from ce_dynamics.models.vehicles.suspensions.linked import HingedData, LinkedCorner

if TYPE_CHECKING:
    from typing_extensions import Self

ENDS = ("lower_arm", "upper_arm", "upright")


class PivotsData(Section):
    """The two chassis points of an arm without mass."""

    front_pivot: Point
    rear_pivot: Point


class WishbonesData(CornerData):
    """Letters as in the paper."""

    D: Point
    F: Point
    K: Point
    L: Point
    upright: BodyData
    tie_rod: RodData | None = None
    spring: SpringData
    damper: DamperData


class ReducedData(WishbonesData):
    """Both arms are pairs of rods without mass."""

    lower_arm: PivotsData
    upper_arm: PivotsData


class RockerData(BodyData):
    """A rocker that turns on the chassis about the line through ``pivot`` and ``shaft``.

    A push or pull rod joins its point ``rod`` to one of the arms or the upright, at the point of that name.
    """

    pivot: Point
    shaft: Point
    rod: Point
    lower_arm: Point | None = None
    upper_arm: Point | None = None
    upright: Point | None = None

    @model_validator(mode="after")
    def _one_end(self) -> RockerData:
        given = [name for name in ENDS if getattr(self, name) is not None]
        if len(given) != 1:
            joined = " and ".join(given) or "nothing"
            raise ValueError(f"the rod joins the rocker to {joined}; give one of {', '.join(ENDS)}")
        return self


class PushRodData(WishbonesData):
    """Spring and damper act between chassis and rocker."""

    lower_arm: HingedData
    upper_arm: HingedData
    rocker: RockerData
    push_rod: RodData | None = None


APART = (
    ("lower_arm.front_pivot", "lower_arm.rear_pivot"),
    ("upper_arm.front_pivot", "upper_arm.rear_pivot"),
    ("D", "F"),
    ("K", "L"),
)
OFF = (
    ("D", "lower_arm.front_pivot", "lower_arm.rear_pivot"),
    ("F", "upper_arm.front_pivot", "upper_arm.rear_pivot"),
    ("K", "D", "F"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class WishboneCorner(LinkedCorner):
    """Two wishbones, an upright and a tie rod."""

    rods = (("tie_rod", "K", "L"),)
    carrier = "upright"
    pins = (("upright", "D"), ("upright", "F"))

    def connect(self, graph: SuspensionGraph) -> None:
        """Arms and upright in closed form."""
        p = self.points
        points = DoubleWishbonePoints(
            A1=p["lower_arm.rear_pivot"],
            A2=p["lower_arm.front_pivot"],
            G1=p["upper_arm.rear_pivot"],
            G2=p["upper_arm.front_pivot"],
            **{letter: p[letter] for letter in "DFKL"},
        )
        bodies = DoubleWishboneBodies(
            lower_arm=graph.name("lower_arm"),
            upper_arm=graph.name("upper_arm"),
            upright_link=graph.name("upright_link"),
            spindle=graph.name("upright"),
            tie_rod=graph.name("tie_rod") if "tie_rod" in self.parts else None,
            chassis=graph.name(CHASSIS),
            steering=graph.name(STEERING),
        )
        graph.use(DoubleWishbone(points, bodies))


@dataclass(frozen=True, eq=False, kw_only=True)
class ReducedWishboneCorner(WishboneCorner):
    """A corner on wishbones of rods; spring and damper act on the upright."""

    template = "double-wishbone-reduced"
    section = ReducedData
    arm = bar = "upright"
    apart = APART
    off = OFF


@dataclass(frozen=True, eq=False, kw_only=True)
class PushRodCorner(WishboneCorner):
    """A corner on wishbones with a rocker, on which the spring, the damper and an anti-roll bar act."""

    template = "double-wishbone-push-rod"
    section = PushRodData
    arm = bar = "rocker"
    apart = (*APART, ("rocker.pivot", "rocker.shaft"))
    off = (*OFF, ("rocker.rod", "rocker.pivot", "rocker.shaft"))

    @classmethod
    def make_left(cls, data: Any, **common: Any) -> Self:
        """The left corner, with the rod between the points that the rocker names."""
        made = super().make_left(data, **common)
        if data.push_rod is None:
            return made
        ends = made.points["rocker.rod"], made.points[f"rocker.{made.end}"]
        return replace(made, parts={**made.parts, "push_rod": rod(data.push_rod, *ends)})

    @property
    def end(self) -> str:
        """Name of the arm or upright to which the rod joins the rocker."""
        return next(name for name in ENDS if f"rocker.{name}" in self.points)

    def connect(self, graph: SuspensionGraph) -> None:
        """The rocker follows the arm or upright, in closed form too."""
        super().connect(graph)
        p = self.points
        names = [graph.name(name) for name in ("rocker", CHASSIS, self.end)]
        push_rod = graph.name("push_rod") if "push_rod" in self.parts else None
        ends = p["rocker.pivot"], p["rocker.shaft"], p["rocker.rod"], p[f"rocker.{self.end}"]
        graph.use(SpindleTieRod(*ends, names[0], push_rod, names[1], names[2]))
