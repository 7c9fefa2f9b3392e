"""Layers of a vehicle's data without what a later layer replaces by another part."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.models.data.entries import Assignment
from ce_dynamics.models.data.groups import Groups
from ce_dynamics.models.data.reading import DataFile
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.layout import MECHANISMS, Layout
from ce_dynamics.models.vehicles.sections import Description


def without_replaced(
    layers: Sequence[DataFile], layout: Layout, groups: Groups, schema: type[Description]
) -> list[list[Assignment]]:
    """The assignments of all layers, without those of what a later layer replaces by another.

    Of an axle whose suspension changes, what every corner has (`CornerData`) and an anti-roll bar are kept,
    of a steering mechanism its actuator, of a powertrain what the new kind has as well.
    """
    chosen: dict[str, tuple[str, int]] = {}
    for k, layer in enumerate(layers):
        for (_, axle, choice), entry in layer.words_of("axles"):
            part = {"suspension": axle, "steering": "steering"}.get(choice)
            if part is not None and chosen.get(part, ("",))[0] != entry.value:
                chosen[part] = str(entry.value), k
    since = {part: chosen[axle.name][1] for axle in layout.axles for part in (axle.name, *axle.corners)}
    since["steering"] = chosen.get("steering", ("", 0))[1]
    powertrain = powertrain_since(layers)
    kept: list[list[Assignment]] = []
    unled = no_longer_leading(layers)
    for k, layer in enumerate(layers):
        replaced = {part for part, first in since.items() if k < first}
        meant = [
            a
            for b in layer.assignments
            for a in still_meant(b, replaced, groups, schema)
            if a.key[:2] not in unled
        ]
        kept.append(meant if k >= powertrain else [a for a in meant if not foreign(a, schema)])
    return kept


def no_longer_leading(layers: Sequence[DataFile]) -> set[tuple[str, str]]:
    """Actuators of steerings that a later layer replaces by a column, and the other way."""
    last: dict[tuple[str, str], int] = {}
    for k, layer in enumerate(layers):
        for assignment in layer.assignments:
            if assignment.key[0] in MECHANISMS and assignment.key[1:2] in (("actuator",), ("column",)):
                last[assignment.key[0], assignment.key[1]] = k
    other = {"actuator": "column", "column": "actuator"}
    return {(name, one) for (name, one), k in last.items() if last.get((name, other[one]), -1) > k}


def powertrain_since(layers: Sequence[DataFile]) -> int:
    """The number of the layer that chooses the kind of the powertrain, if an earlier one chose another."""
    chosen, first = "envelope", 0
    for k, layer in enumerate(layers):
        for (_, kind, *_), entry in layer.words_of("kinds"):
            if kind == "powertrain" and entry.value != chosen:
                chosen, first = str(entry.value), k
    return first


def foreign(assignment: Assignment, schema: type[Description]) -> bool:
    """Whether it is a number of another kind of powertrain."""
    return assignment.key[0] == "powertrain" and assignment.key not in leaves(schema)


def still_meant(
    assignment: Assignment, replaced: set[str], groups: Groups, schema: type[Description]
) -> list[Assignment]:
    """The assignment, for those parts that are not replaced."""
    if not replaced:
        return [assignment]
    _, keys = groups.expand(assignment.key, schema)
    of_axles = (*CornerData.model_fields, "anti_roll_bar", "differential")
    kept = {"steering": ("actuator",)}
    left = [key for key in keys if key[0] not in replaced or key[1] in kept.get(key[0], of_axles)]
    return [assignment] if len(left) == len(keys) else [Assignment(key, assignment.entry) for key in left]
