"""Words of data files for a free graph of bodies, joints, distances and springs.

::

    axles:
      rear:
        suspension:
          kind: graph
          arm: {body: mirrored, mass: 8 kg, ...}
          pivot: {revolute: chassis arm, at: ..., through: ...}
          spring: {spring: chassis arm, ...}
          wheel: {carrier: arm}

Every item exists on both sides, given as for the left, unless it is single.  A body goes by its name; a
single item calls the sides of a mirrored body ``arm.left`` and ``arm.right``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import create_model

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import ParameterQuantity, Point
from ce_dynamics.models.data.reading import Assignment
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, RodData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData

SURROUNDINGS = ("chassis", "steering")
EXAMPLE = "arm: {body: mirrored}, pivot: {revolute: chassis arm}, wheel: {carrier: arm}"


class PointData(Section):
    """A joint at a point."""

    at: Point


class LineData(PointData):
    """A joint on the line from ``at`` through another point; or in the plane across that line."""

    through: Point


class CrossData(PointData):
    """A universal joint: an axis on the first body and one on the second, both from ``at``."""

    first: Point
    second: Point


class DistanceData(Section):
    """A rod between a point of the first body and one of the second; it has mass if ``rod`` is given."""

    one: Point
    other: Point
    rod: RodData | None = None


class TorsionData(Section):
    """Spring and damper on a revolute joint, on the angle of its second body relative to the first.

    The angle is positive about the direction from ``at`` through ``through`` of that joint, as on the left.
    """

    stiffness: Annotated[float, ParameterQuantity("N*m/rad", at_least=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]
    free_angle: Annotated[float, ParameterQuantity("rad")] = 0.0


JOINTS: Mapping[str, type[Section]] = {
    "revolute": LineData,
    "prismatic": LineData,
    "cylindrical": LineData,
    "universal": CrossData,
    "spherical": PointData,
    "fixed": PointData,
    "point-on-line": LineData,
    "point-on-plane": LineData,
    "distance": DistanceData,
}
"""Joints by the name that data files use, and their numbers."""
FORCES: Mapping[str, type[Section]] = {"spring": SpringData, "damper": DamperData}
BODIES = ("mirrored", "single")
KINDS = ("body", *JOINTS, *FORCES, "torsion", "carrier")


@dataclass(frozen=True)
class Item:
    """One item of a graph.

    Attributes
    ----------
    name, kind : str
    between : tuple of str
        The bodies it joins; the joint of a torsion spring; empty for bodies.
    single : bool
        Whether it is there once, not on either side.
    """

    name: str
    kind: str
    between: tuple[str, ...] = ()
    single: bool = False

    @property
    def section(self) -> type[Section] | None:
        """Its numbers."""
        if self.kind == "body":
            return BodyData
        if self.kind == "torsion":
            return TorsionData
        return JOINTS.get(self.kind) or FORCES.get(self.kind)


def items_of(words: Sequence[Assignment], axle: str, label: str) -> tuple[Item, ...]:
    """The items of an axle's graph; what a later file says of an item replaces what was said."""
    said: dict[str, dict[str, str]] = {}
    for key, entry in words:
        if key[0] != "graphs" or key[1:2] != (axle,):
            continue
        where = f"{entry.where}: axles.{axle}.suspension.{'.'.join(key[2:])}"
        if len(key) != 4 or not isinstance(entry.value, str) or key[3] not in (*KINDS, "single"):
            raise DataError(f"{where}: an item has one of {', '.join(KINDS)}, and may be single; {EXAMPLE}")
        taken = key[2] in CornerData.model_fields and key[3] != "carrier"  # which has no numbers
        if taken or not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", key[2]):
            raise DataError(f"{where}: {checks.show(key[2])} is no name for an item; use another word")
        said.setdefault(key[2], {})[key[3]] = entry.value
    items = [item_of(f"{label}: axles.{axle}.suspension.{name}", name, told) for name, told in said.items()]
    check_items(f"{label}: axles.{axle}.suspension", items)
    return tuple(items)


def item_of(owner: str, name: str, told: Mapping[str, str]) -> Item:
    """One item from its words."""
    kinds = [kind for kind in told if kind != "single"]
    if len(kinds) != 1:
        raise DataError(f"{owner}: say what it is once, by one of {', '.join(KINDS)}")
    (kind,) = kinds
    if kind in ("body", "carrier") and "single" in told:
        remedy = "write body: single" if kind == "body" else "leave it out"
        raise DataError(f"{owner}: single has no effect on a {kind}; {remedy}")
    if kind == "body":
        if told[kind] not in BODIES:
            raise DataError(f"{owner}: body: unknown {checks.show(told[kind])}; write mirrored or single")
        return Item(name, kind, (), told[kind] == "single")
    between = tuple(told[kind].split())
    count = 1 if kind in ("torsion", "carrier") else 2
    if len(between) != count:
        what = "one name" if count == 1 else "the names of two bodies"
        raise DataError(f"{owner}: {kind}: expected {what}, found {checks.show(told[kind])}")
    single = told.get("single", "no")
    if single not in ("yes", "no"):
        raise DataError(f"{owner}: single: unknown {checks.show(single)}; write yes or no")
    return Item(name, kind, between, single == "yes")


def check_items(owner: str, items: Sequence[Item]) -> None:
    """Refuse names of bodies and joints that are not there, and a graph that carries no wheel."""
    bodies = {item.name: item for item in items if item.kind == "body"}
    revolutes = [item.name for item in items if item.kind == "revolute"]
    for item in items:
        for name in item.between:
            if item.kind == "torsion":
                if name not in revolutes:
                    raise DataError(f"{owner}.{item.name}: no revolute joint {checks.show(name)}")
                continue
            plain, _, side = name.partition(".")
            known = plain in bodies or (plain in SURROUNDINGS and not side)
            if not known or side not in ("", "left", "right"):
                raise DataError(
                    f"{owner}.{item.name}: no body {checks.show(name)}; there are "
                    f"{', '.join((*SURROUNDINGS, *bodies))}"
                )
            if item.single and plain in bodies and not bodies[plain].single and not side:
                raise DataError(
                    f"{owner}.{item.name}: it is single and {plain} mirrored; name {plain}.left or "
                    f"{plain}.right"
                )
    carriers = [item.name for item in items if item.kind == "carrier"]
    if "wheel" not in carriers:
        raise DataError(f"{owner}: nothing carries the wheel; write wheel: {{carrier: BODY}}")


def sections(items: Sequence[Item], *, single: bool) -> dict[str, Any]:
    """Fields of what is there once, or on either side."""
    return {
        item.name: (item.section, ...) for item in items if item.section is not None and item.single == single
    }


def end_section(items: tuple[Item, ...]) -> type[CornerData]:
    """Return the section of each corner of a graph."""
    made: type[CornerData] = create_model(
        "GraphEndData", __base__=CornerData, **sections(items, single=False)
    )
    return made


def own_section(items: tuple[Item, ...]) -> type[Section] | None:
    """Return the section of a graph's single items, or None without any."""
    fields = sections(items, single=True)
    return create_model("GraphData", __base__=Section, **fields) if fields else None
