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
from functools import lru_cache

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.reading import Assignment
from ce_dynamics.models.vehicles.sections import CornerData
from ce_dynamics.models.vehicles.suspensions.template import (
    CHASSIS,
    GRAPH,
    JOINTS,
    STEERING,
    Block,
    Joint,
    Part,
    Template,
)

SURROUNDINGS = (CHASSIS, STEERING)
EXAMPLE = "arm: {body: mirrored}, pivot: {revolute: chassis arm}, wheel: {carrier: arm}"
FORCES = ("spring", "damper", "torsion")
BODIES = ("mirrored", "single")
KINDS = ("body", *JOINTS, *FORCES, "carrier")
POINTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(JOINTS, ("at", "through")),
    "universal": ("at", "first", "second"),
    "spherical": ("at",),
    "fixed": ("at",),
    "distance": ("one", "other"),
}
"""Points of joints, which are listed with them."""


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


@lru_cache(maxsize=64)
def graph_template(items: tuple[Item, ...]) -> Template:
    """Return the template of a graph."""
    carriers = {item.name: item.between[0] for item in items if item.kind == "carrier"}
    found = [item for item in items if item.kind != "carrier"]
    single, mirrored = (block_of([item for item in found if item.single == once]) for once in (True, False))
    return Template(
        GRAPH,
        "Bodies, joints, distances and springs that the file lists",
        side=mirrored,
        axle=single,
        wheel=carriers["wheel"],
        bar=carriers.get("bar", ""),
        listed=True,
        order=tuple(item.name for item in found),
    )


def block_of(items: Sequence[Item]) -> Block:
    """Return the block of a template with items that are there equally often."""
    parts = [Part(item.name, item.kind, item.between) for item in items]
    joints = [item for item in items if item.kind in JOINTS]
    return Block(
        parts=tuple(parts),
        joints=tuple(
            Joint(
                item.name,
                item.kind,
                (item.between[0], item.between[1]),
                tuple(f"{item.name}.{point}" for point in POINTS[item.kind]),
            )
            for item in joints
        ),
    )


def check_joined(axle: str, items: Sequence[Item], steered: bool) -> None:
    """Refuse a graph that is joined to a steering that is not there, or to none that is."""
    if any(STEERING in item.between for item in items) != steered:
        missing = "is joined to the steering" if steered else "names a steering mechanism"
        raise DataError(f"axles.{axle}: the graph and its axle disagree: none of them {missing}")
