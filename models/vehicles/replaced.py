"""Layers of a vehicle's data without what a later layer replaces by another part."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.models.data.entries import Assignment
from ce_dynamics.models.data.groups import Groups
from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.reading import DataFile
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.layout import MECHANISMS, NONE, Layout, steerings_of
from ce_dynamics.models.vehicles.sections import Description


def without_replaced(
    layers: Sequence[DataFile], layout: Layout, groups: Groups, schema: type[Description]
) -> list[list[Assignment]]:
    """The assignments of all layers, without those of what a later layer replaces by another.

    Of an axle whose suspension changes, what every corner has (`CornerData`) and an anti-roll bar are kept,
    of a steering mechanism its actuator, of a powertrain and of tyres what the new kind has as well.
    """
    chosen: dict[str, tuple[str, int]] = {}
    for k, layer in enumerate(layers):
        for (_, axle, choice), entry in layer.words_of("axles"):
            part = {"suspension": axle, "steering": "steering"}.get(choice)
            if part is not None and entry.value != NONE and chosen.get(part, ("",))[0] != entry.value:
                chosen[part] = str(entry.value), k
    since = {part: chosen[axle.name][1] for axle in layout.axles for part in (axle.name, *axle.corners)}
    since["steering"] = chosen.get("steering", ("", 0))[1]
    kinds = {part: kind_since(layers, part, first) for part, first in FIRST_KINDS.items()}
    kept: list[list[Assignment]] = []
    unled, taken = no_longer_leading(layers), taken_since(layers, layout)
    unsteering = set(MECHANISMS).difference(steerings_of(layout))
    unsteered = max((k for (_, part), k in taken.items() if part == "steering"), default=0)
    for k, layer in enumerate(layers):
        replaced = {part for part, first in since.items() if k < first}
        gone = {section for section, first in taken.items() if k < first}
        meant = [
            a
            for b in layer.assignments
            for a in still_meant(b, replaced, gone, groups, schema)
            if a.key[:2] not in unled and (a.key[0] not in unsteering or k >= unsteered)
        ]
        others = {part for part, first in kinds.items() if k < first}
        kept.append([a for a in meant if not foreign(a, others, groups, schema)])
    return kept


def taken_since(layers: Sequence[DataFile], layout: Layout) -> dict[tuple[str, str], int]:
    """Sections of axles and corners that a layer takes away, by its number; ``braked: no`` takes a brake."""
    members = {axle.name: (axle.name, *axle.corners) for axle in layout.axles}
    found: dict[tuple[str, str], int] = {}
    for k, layer in enumerate(layers):
        for (_, axle, choice), entry in layer.words_of("axles"):
            section = {("braked", "no"): "brake"}.get((choice, str(entry.value)), choice)
            if section == "brake" or entry.value == NONE:
                found |= {(member, section): k for member in members[axle]}
    return found


def no_longer_leading(layers: Sequence[DataFile]) -> set[tuple[str, str]]:
    """Actuators of steerings that a later layer replaces by a column, and the other way."""
    last: dict[tuple[str, str], int] = {}
    for k, layer in enumerate(layers):
        for assignment in layer.assignments:
            if assignment.key[0] in MECHANISMS and assignment.key[1:2] in (("actuator",), ("column",)):
                last[assignment.key[0], assignment.key[1]] = k
    other = {"actuator": "column", "column": "actuator"}
    return {(name, one) for (name, one), k in last.items() if last.get((name, other[one]), -1) > k}


FIRST_KINDS = {"powertrain": "envelope", "tyre": "tmeasy"}
"""Of parts whose kinds have numbers of their own: what they are unless a file says another."""


def kind_since(layers: Sequence[DataFile], part: str, chosen: str) -> int:
    """The number of the layer that chooses the kind of a part, if an earlier one chose another."""
    first = 0
    for k, layer in enumerate(layers):
        for (_, kind, *_), entry in layer.words_of("kinds"):
            if kind == part and entry.value != chosen:
                chosen, first = str(entry.value), k
    return first


def foreign(assignment: Assignment, parts: set[str], groups: Groups, schema: type[Description]) -> bool:
    """Whether it is a number that one of these parts, of its new kind, has not."""
    part = next((name for name in assignment.key[:2] if name in parts), None)
    if part is None:
        return False
    known = leaves(schema)
    _, keys = groups.expand(assignment.key, schema)
    return not any(could_be(known[key], assignment) if key in known else key[:-1] in known for key in keys)


def could_be(quantity: Quantity, assignment: Assignment) -> bool:
    """Whether the new kind may have this value: it may ask for several numbers where the other has one."""
    try:
        quantity.parse(assignment.entry.value)
    except ValueError:
        return False
    return True


def still_meant(
    assignment: Assignment,
    replaced: set[str],
    gone: set[tuple[str, str]],
    groups: Groups,
    schema: type[Description],
) -> list[Assignment]:
    """The assignment, for those parts that are neither replaced nor gone."""
    if not replaced and not gone:
        return [assignment]
    _, keys = groups.expand(assignment.key, schema)
    of_axles = (*CornerData.model_fields, "anti_roll_bar", "differential")
    kept = {"steering": ("actuator",)}
    left = [
        key
        for key in keys
        if key[:2] not in gone and (key[0] not in replaced or key[1] in kept.get(key[0], of_axles))
    ]
    return [assignment] if len(left) == len(keys) else [Assignment(key, assignment.entry) for key in left]
