"""Bushings of a suspension: joints that give way, as data files write them and as built.

::

    axles:
      front:
        bushings:
          lower_front: {joint: lower_arm, at: "(0.2, 0.42, -0.27) m", z: {stiffness: 9 kN/mm}}
          tie_rod_ends: {joint: spindle steering, z: {stiffness: 20 kN/mm}}

Each is there on either side.  A joint is named by the body that it carries, by what closes it (a link), or by
the two bodies that it joins; several bushings may stand for one joint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import model_validator

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Damping, Numbers, ParameterQuantity, Point, Stiffness
from ce_dynamics.models.data.reading import Assignment
from ce_dynamics.models.data.schema import Curve, Section
from ce_dynamics.models.vehicles.springs import ForceCurve

EXAMPLE = "axles: {front: {bushings: {lower_front: {joint: lower_arm}}}}"
MODES = ("quasi-static", "dynamic")
"""Modes of bushings: on the rig alone, or also as the vehicle drives."""
ALONG, ABOUT = ("x", "y", "z"), ("about_x", "about_y", "about_z")


class AngleCurve(Curve):
    """Torque over angle."""

    angle: Annotated[Numbers, ParameterQuantity("rad", curve=True)]
    torque: Annotated[Numbers, ParameterQuantity("N*m", curve=True)]


class AxisData(Section):
    """Law of a bushing for one of its axes."""

    @model_validator(mode="after")
    def _pushes_back(self) -> AxisData:
        curve: Curve | None = getattr(self, "curve", None)
        if curve is not None:
            _, (name, load) = curve
            if load[-1] < load[0]:  # it pushes away from where it is made: a sign the other way round
                raise ValueError(
                    f"curve.{name} falls from {load[0]:g} to {load[-1]:g}; it must rise: swap the signs"
                )
        return self


class AlongData(AxisData):
    """Law of a bushing along one of its axes: a stiffness or a curve, and a damping."""

    stiffness: Stiffness | None = None
    curve: ForceCurve | None = None
    damping: Damping | None = None


class AboutData(AxisData):
    """Law of a bushing about one of its axes: a stiffness or a curve, and a damping."""

    stiffness: Annotated[float, ParameterQuantity("N*m/rad", at_least=0.0)] | None = None
    curve: AngleCurve | None = None
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)] | None = None


class BushingData(Section):
    """A bushing: its six laws in its own axes.

    z is the axis of the joint, or the line from ``at`` to ``through``; x is square to it and as near to the
    vertical as can be (forward, if z is vertical).  Of a joint without axis they are the vehicle's.
    """

    at: Point | None = None
    through: Point | None = None
    x: AlongData | None = None
    y: AlongData | None = None
    z: AlongData | None = None
    about_x: AboutData | None = None
    about_y: AboutData | None = None
    about_z: AboutData | None = None


@dataclass(frozen=True)
class BushingItem:
    """A bushing as the words of a file name it: the joint by one word or by two bodies; and where."""

    name: str
    joint: tuple[str, ...]
    where: str = field(default="", compare=False)

    @property
    def file(self) -> str:
        """Name of the data file at the start of messages, empty if unknown."""
        return f"{self.where.partition(':')[0]}: " if self.where else ""


def bushings_of(words: Sequence[Assignment], axles: Sequence[str], label: str) -> dict[str, Any]:
    """Return the bushings of each axle; a later file's entry of one replaces the earlier."""
    found: dict[str, dict[str, BushingItem]] = {}
    for key, entry in words:
        if key[0] != "bushings":
            continue
        where = f"{entry.where}: axles.{'.'.join((*key[1:2], key[0], *key[2:]))}"
        if len(key) != 4 or key[3] != "joint" or not isinstance(entry.value, str):
            raise DataError(f"{where}: a bushing has a name and names its joint; for example {EXAMPLE}")
        if key[1] not in axles:
            raise DataError(f"{where}: {checks.show(key[1])} is none of the axles {list(axles)}")
        joint = tuple(entry.value.split())
        if not 1 <= len(joint) <= 2:
            raise DataError(
                f"{where}: expected the name of a joint or of two bodies, found {checks.show(entry.value)}"
            )
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", key[2]):
            raise DataError(
                f"{where}: {checks.show(key[2])} is no name for a bushing; use lower-case letters, digits "
                "and _"
            )
        found.setdefault(key[1], {})[key[2]] = BushingItem(key[2], joint, entry.where)
    return {axle: tuple(items.values()) for axle, items in found.items()}


def bushing_fields(items: Sequence[BushingItem], section: type[Section], axle: str) -> dict[str, Any]:
    """Return fields of the section of a corner."""
    for item in items:
        if item.name in section.model_fields:
            raise DataError(
                f"axles.{axle}.bushings.{item.name}: {axle}.{item.name} is something else already; use "
                "another name"
            )
    return {item.name: (BushingData, ...) for item in items}
