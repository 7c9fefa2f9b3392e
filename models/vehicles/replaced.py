"""Layers of a vehicle's data without what a later layer replaces by another part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.layers import Groups
from ce_dynamics.models.data.quantities import XYZ, Quantity
from ce_dynamics.models.data.reading import Assignment, DataFile
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.layout import MECHANISMS, NONE, Layout, steerings_of
from ce_dynamics.models.vehicles.sections import Description
from ce_dynamics.models.vehicles.tyre_kinds import MAGIC_FORMULA


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
    for k, layer in enumerate(layers):
        taken |= {(section[0], section[1]): k for section in whole_sections(layer, groups, schema)}
    unsteering = set(MECHANISMS).difference(steerings_of(layout))
    unsteered = max((k for (_, part), k in taken.items() if part == "steering"), default=0)
    for k, layer in enumerate(layers):
        replaced = {part for part, first in since.items() if k < first}
        gone = {section for section, first in taken.items() if k < first}
        whole = whole_sections(layer, groups, schema)
        meant = [
            a
            for b in layer.assignments
            for a in still_meant(b, replaced, gone, groups, schema, whole)
            if a.key[:2] not in unled and (a.key[0] not in unsteering or k >= unsteered)
        ]
        others = {part for part, first in kinds.items() if k < first}
        kept.append([a for a in meant if not foreign(a, others, groups, schema)])
    return kept


def whole_sections(
    layer: DataFile, groups: Groups, schema: type[Description]
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the sections that a layer gives as a whole, each with the most specific key that covers it."""
    ranked = sorted((groups.expand(key, schema), key) for key in layer.whole)
    return {covered[:2]: key for (_, keys), key in ranked for covered in keys}


def kept_points(
    layers: Sequence[DataFile],
    meant: Sequence[Sequence[Assignment]],
    layout: Layout,
    groups: Groups,
    schema: type[Description],
) -> list[str]:
    """Return notes on points that a base leaves where they were although a later file changed their axle.

    Where hardpoints of corners change, these are the points of the axle's own section, such as those of an
    anti-roll bar; where `ON_STEERING` change, those of the steering mechanism, such as a rack's mass centre;
    where the suspension is another one, all points of axle and corners.

    Parameters
    ----------
    layers : sequence of DataFile
    meant : sequence of (sequence of Assignment)
        Their assignments, without what is replaced (`without_replaced`).
    """
    quantities = leaves(schema)
    points = [key for key, one in quantities.items() if one.components == XYZ and one.unit == "m"]
    given: dict[tuple[str, ...], tuple[object, int, str]] = {}
    changed: dict[tuple[str, ...], int] = {}
    for k, assignments in enumerate(meant):
        for a in assignments:
            for key in groups.expand(a.key, schema)[1]:
                if key in given and given[key][0] != a.entry.value:
                    changed[key] = k
                given[key] = a.entry.value, k, ".".join(a.key)
    suspensions: dict[str, tuple[object, int]] = {}
    for k, layer in enumerate(layers):
        for (_, name, choice), entry in layer.words_of("axles"):
            if choice == "suspension" and suspensions.get(name, (None, 0))[0] != entry.value:
                suspensions[name] = entry.value, k
    notes = []
    for axle in layout.axles:
        own = {key: k for key, k in changed.items() if key[0] in axle.corners and is_hardpoint(key, points)}
        moved = {key: k for key, k in own.items() if key[-1] not in TIE_ROD}
        led = {key: k for key, k in own.items() if key[-1] in ON_STEERING and axle.steering is not None}
        whole = {("axles", axle.name, "suspension"): suspensions[axle.name][1]}
        for sections, by in (
            ((axle.name, axle.corners[0]), whole),
            ((axle.name,), moved),
            ((axle.mechanism,), led),
        ):
            last = max(by.values(), default=0)
            kept = {
                given[key][2]: layers[given[key][1]].label
                for key in points
                if key[0] in sections and key in given and given[key][1] < last
            }
            if kept:
                what = dict.fromkeys(given[key][2] if key in given else ".".join(key) for key in by)
                bases = ", ".join(dict.fromkeys(kept.values()))
                notes.append(
                    f"{layers[last].label}: {', '.join(what)} changed; kept from {bases}: {', '.join(kept)}; "
                    "give these too if they move"
                )
                if by is whole:
                    break
    return notes


TIE_ROD = ("K", "L")
"""Ends of a corner's tie rod, which no anti-roll bar hangs on."""
ON_STEERING = ("origin", "L")
"""Points of corners with which a steering mechanism moves: the corner's origin, the tie rod's inner end."""


def is_hardpoint(key: tuple[str, ...], points: Sequence[tuple[str, ...]]) -> bool:
    """Return whether a number of a corner is a point of its linkage, not of a mass, a spring or a damper."""
    return key in points and key[-1] != "com" and not any(name.endswith(("spring", "damper")) for name in key)


def check_tyre_files(layers: Sequence[DataFile], groups: Groups, schema: type[Description]) -> None:
    """Refuse property files for some of the wheels where no file has a Magic Formula tyre for the others."""
    named = [key for layer in layers for key in layer.whole]
    if not named:
        return
    given = {a.key for layer in layers for a in layer.assignments if a.key[-1] == "version"}
    covered = {key[0] for given_key in given for key in groups.expand(given_key, schema)[1]}
    others = [member for member in groups.members if member not in covered]
    if others:
        raise DataError(
            f"{layers[-1].label}: {'.'.join(named[0])}.file makes the tyres {MAGIC_FORMULA}, but "
            f"{', '.join(others)} have no such tyre; name a file for these too"
        )


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
    """Return True if a part's new kind lacks the number that an assignment sets."""
    part = next((name for name in assignment.key[:2] if name in parts), None)
    if part is None:
        return False
    known = leaves(schema)
    _, keys = groups.expand(assignment.key, schema)
    return not any(could_be(known[key], assignment) if key in known else key[:-1] in known for key in keys)


def could_be(quantity: Quantity, assignment: Assignment) -> bool:
    """Return True if the new kind accepts this value.

    The new kind may need several numbers for the single number of the other.
    """
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
    whole: Mapping[tuple[str, ...], tuple[str, ...]],
) -> list[Assignment]:
    """The assignment, for those parts that are neither replaced nor gone nor given as a whole elsewhere."""
    if not replaced and not gone and not whole:
        return [assignment]
    _, keys = groups.expand(assignment.key, schema)
    own = assignment.key[:-1] if assignment.key[:-1] in whole.values() else None
    of_axles = (*CornerData.model_fields, "anti_roll_bar", "differential")
    kept = {"steering": ("actuator",)}
    left = [
        key
        for key in keys
        if key[:2] not in gone
        and (own is None or whole[key[:2]] == own)
        and (key[0] not in replaced or key[1] in kept.get(key[0], of_axles))
    ]
    return [assignment] if len(left) == len(keys) else [Assignment(key, assignment.entry) for key in left]
