"""Schema of the numbers of a vehicle with some layout, layers merged into one table of these, parts built.

A later layer replaces the values of earlier ones.  There is one more rule: a layer that replaces a part
by another one, or takes it away, drops those numbers of earlier layers that the new part does not have
(`Replacement`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import new_class
from typing import Any, ClassVar, NamedTuple

from pydantic import create_model

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import XYZ, ParameterQuantity
from ce_dynamics.models.data.reading import Assignment, DataFile, FileEntry, Key, Table
from ce_dynamics.models.data.schema import Groups, Section, expand_all, write_over
from ce_dynamics.models.powertrain import POWERTRAINS
from ce_dynamics.models.powertrain.differentials import DIFFERENTIALS
from ce_dynamics.models.vehicles.bodies import shift_points
from ce_dynamics.models.vehicles.bushing_data import BushingItem, bushing_fields
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.layout import BARS, MECHANISMS, NONE, STEERINGS, AxleLayout, VehicleLayout
from ce_dynamics.models.vehicles.sections import CornerData, VehicleDescription
from ce_dynamics.models.vehicles.steering.base import Steering
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle
from ce_dynamics.models.vehicles.suspensions.builder import AntiRollBarData
from ce_dynamics.models.vehicles.suspensions.suspension_graph import check_joined
from ce_dynamics.models.vehicles.trailers import Trailer, trailer_section
from ce_dynamics.models.vehicles.tyre_kinds import MAGIC_FORMULA, tyre_section

SHARED = frozenset({"wheel", "tyre", "brake", "ground_spring"})
"""Sections of corners that are listed once for all while these agree."""


@lru_cache(maxsize=64)
def schema_of(layout: VehicleLayout) -> type[VehicleDescription]:
    """Return the schema of the numbers of such a vehicle."""
    fields: dict[str, Any] = {"powertrain": (POWERTRAINS[layout.powertrain], ...)}
    for axle in layout.axles:
        side, own = axle.sections
        for corner in axle.corners:
            words = axle.bushings, axle.name, axle.braked != "no"
            fields[corner] = (corner_section(side, layout.tyre, *words), ...)
        parts: dict[str, Any] = {}
        if axle.anti_roll_bar is not None:
            parts = {"anti_roll_bar": (BARS[axle.anti_roll_bar], ...)}
        if axle.differential is not None:
            parts |= {"differential": (DIFFERENTIALS[axle.differential], ...)}
        if parts or own is not None:
            fields[axle.name] = (create_model("AxleDescription", __base__=own or Section, **parts), ...)
    for trailer in layout.trailers:
        fields[trailer.name] = (trailer_section(trailer.hitch), ...)
    for name, axles in layout.steered.items():
        fields[name] = (STEERINGS[str(axles[0].steering)].section, ...)
    schema: type[VehicleDescription] = create_model(
        "VehicleDescription", __base__=VehicleDescription, **fields
    )
    return schema


@lru_cache(maxsize=256)
def corner_section(
    section: type[CornerData],
    tyre: str,
    bushings: tuple[BushingItem, ...] = (),
    axle: str = "",
    braked: bool = True,
) -> type[CornerData]:
    """Return a suspension's section with the tyre of a kind and bushings; with a brake if it has one."""
    fields: dict[str, Any] = bushing_fields(bushings, section, axle)
    if not braked:
        section = without_brake(section)
    if tyre != "tmeasy":
        fields["tyre"] = (tyre_section(tyre), ...)
    if not fields:
        return section
    made: type[CornerData] = create_model(section.__name__, __base__=section, **fields)
    return made


def without_brake(section: type[CornerData]) -> type[CornerData]:
    """Return the section without the field ``brake``, so that numbers of all brakes do not apply to it."""
    none = {"__module__": __name__, "__annotations__": {"brake": ClassVar[None]}, "brake": None}
    return new_class(section.__name__, (section,), exec_body=lambda body: body.update(none))


@lru_cache(maxsize=64)
def groups_of(layout: VehicleLayout) -> Groups:
    """Return the corners, and which of them the name of an axle stands for."""
    return Groups(
        schema=schema_of(layout),
        members=tuple(corner for axle in layout.axles for corner in axle.corners),
        groups={axle.name: axle.corners for axle in layout.axles},
        shared=SHARED,
    )


def axle_of(axle: AxleLayout, data: VehicleDescription) -> BuiltAxle:
    """Return an axle with its suspension."""
    steered = axle.steering is not None
    if axle.template.listed:
        check_joined(axle.name, axle.graph, steered)
    own = None if axle.template.axle is None else getattr(data, axle.name, None)
    ends = {name: getattr(data, name) for name in axle.corners}
    return BuiltAxle.of(axle.name, axle.template, own, ends, steered=steered, gear=axle.gear)


def corners_of(axle: BuiltAxle, data: VehicleDescription) -> list[Corner]:
    """Return the corners of an axle."""
    return [Corner.of(side.name, getattr(data, side.name), axle) for side in axle.sides]


def bar_of(axle: AxleLayout, data: VehicleDescription, trailers: Mapping[str, Trailer]) -> AntiRollBarData:
    """Return the anti-roll bar of an axle, shifted from the origin of its trailer to that of the vehicle."""
    bar: AntiRollBarData = getattr(data, axle.name).anti_roll_bar
    bar.check(axle.name)
    return bar if axle.trailer is None else shift_points(bar, trailers[axle.trailer].at)


def steering_of(
    name: str, layout: VehicleLayout, data: VehicleDescription, corners: Mapping[str, Corner]
) -> Steering:
    """Return a steering mechanism, placed, knowing the corners that it steers."""
    axles = layout.steered[name]
    made = STEERINGS[str(axles[0].steering)].of(getattr(data, name))
    named = replace(made, name=name, phase=1 if axles[0].phase == "with" else -1)
    return named.aim([corners[corner] for axle in axles for corner in axle.corners])


FIRST_KINDS = {"powertrain": "envelope", "tyre": "tmeasy"}
"""Kinds that powertrain and tyres have unless a file names another."""


class Replacement(NamedTuple):
    """Sections that a layer replaces or takes away: numbers there that earlier ones give do not count.

    Names ``kept`` below these sections stay, and ``known`` numbers, which the new kind has as well.
    """

    since: int
    sections: Collection[Key]
    kept: Collection[str] = ()
    known: Mapping[Key, ParameterQuantity] = {}

    def is_covered(self, key: Key, entry: FileEntry) -> bool:
        """Return True if a number of an earlier layer does not count."""
        names = next((n for n in (1, 2) if key[:n] in self.sections and len(key) > n), 0)
        return names > 0 and key[names] not in self.kept and not self.fits(key, entry)

    def fits(self, key: Key, entry: FileEntry) -> bool:
        """Return True if the new kind has this number and accepts its value."""
        if key not in self.known:
            return key[:-1] in self.known  # a component
        try:
            self.known[key].parse(entry.value)
        except ValueError:  # it may need several numbers for the single number of the other
            return False
        return True


def merge_layers(
    layers: Sequence[DataFile], layout: VehicleLayout, groups: Groups
) -> tuple[Table, list[str]]:
    """Return the table of all layers, and notes on points that a base leaves where they were."""
    whole = [whole_sections(layer, groups) for layer in layers]
    rules = [*find_changed(layers, layout, groups), *find_taken(layers, layout)]
    rules += [Replacement(k, sections) for k, sections in enumerate(whole)]
    table: Table = {}
    given: dict[Key, int] = {}
    changed: dict[Key, int] = {}
    for k, layer in enumerate(layers):
        later = [rule for rule in rules if rule.since > k]
        counting = [
            (key, one)
            for key, one in expand_all(layer.assignments, groups)
            if is_effective(later, whole[k], key, one)
        ]
        before, table = table, write_over(table, counting, groups)
        new = [key for key, entry in table.items() if entry is not before.get(key)]
        changed |= {key: k for key in new if key in before and before[key].value != table[key].value}
        given |= dict.fromkeys(new, k)
    return table, note_kept_points(layers, given, changed, layout, groups)


def is_effective(
    later: Sequence[Replacement], whole: Mapping[Key, Key], key: Key, assignment: Assignment
) -> bool:
    """Return True for a number that no later layer drops, nor a more specific section of its own layer."""
    section = assignment.key[:-1]
    if section in whole.values() and whole[key[:2]] != section:
        return False
    return not any(rule.is_covered(key, assignment.entry) for rule in later)


def find_changed(layers: Sequence[DataFile], layout: VehicleLayout, groups: Groups) -> Iterator[Replacement]:
    """Yield the parts whose kind a layer changes, with the last such layer and the keys that stay.

    An axle keeps what every corner has (`CornerData`), an anti-roll bar and a differential; a steering
    mechanism its actuator; a powertrain and tyres the numbers that the new kind has as well.
    """
    common = (*CornerData.model_fields, "anti_roll_bar", "differential")
    for axle in layout.axles:
        since = last_change(layers, "axles", (axle.name, "suspension"))
        yield Replacement(since, [(name,) for name in (axle.name, *axle.corners)], common)
    yield Replacement(last_change(layers, "axles", ("steering",)), [MECHANISMS[:1]], ("actuator",))
    tyres = [(corner, "tyre") for axle in layout.axles for corner in axle.corners]
    for part, sections in (("powertrain", [("powertrain",)]), ("tyre", tyres)):
        since = last_change(layers, "kinds", (part,), FIRST_KINDS[part])
        yield Replacement(since, sections, known=groups.quantities)


def last_change(layers: Sequence[DataFile], table: str, word: Key, chosen: str = "") -> int:
    """Return the layer that last gives a word, named by the end of its key, another value; 0 if none does."""
    since = 0
    for k, layer in enumerate(layers):
        for key, entry in layer.words_of(table):
            if key[-len(word) :] == word and entry.value not in (chosen, NONE):
                chosen, since = str(entry.value), k
    return since


def find_taken(layers: Sequence[DataFile], layout: VehicleLayout) -> Iterator[Replacement]:
    """Yield the parts that layers take away.

    The word ``none`` takes a part, ``braked: no`` a brake; actuator and column of a steering exclude one
    another.
    """
    members = {axle.name: (axle.name, *axle.corners) for axle in layout.axles}
    unnamed = [(name,) for name in MECHANISMS if name not in layout.steered]
    for k, layer in enumerate(layers):
        for (_, axle, choice), entry in layer.words_of("axles"):
            if entry.value == NONE or (choice, entry.value) == ("braked", "no"):
                part = "brake" if choice == "braked" else choice
                yield Replacement(k, [(member, part) for member in members[axle]])
                if part == "steering":
                    yield Replacement(k, unnamed)
    for name in MECHANISMS:
        sections = (name, "actuator"), (name, "column")
        numbers = [(k, a.key[:2]) for k, layer in enumerate(layers) for a in layer.assignments]
        given = [max((k for k, section in numbers if section == one), default=0) for one in sections]
        if given[0] != given[1]:
            yield Replacement(max(given), [sections[given.index(min(given))]])


def whole_sections(layer: DataFile, groups: Groups) -> dict[Key, Key]:
    """Return the sections that a layer gives as a whole, each with the most specific key that covers it."""
    ranked = sorted((groups.expand(key), key) for key in layer.whole)
    return {covered[:2]: key for (_, keys), key in ranked for covered in keys}


def note_kept_points(
    layers: Sequence[DataFile],
    given: Mapping[Key, int],
    changed: Mapping[Key, int],
    layout: VehicleLayout,
    groups: Groups,
) -> list[str]:
    """Return notes on points that a base leaves where they were although a later file changed their axle.

    Where hardpoints of corners change, these are the points of the axle's own section, such as those of an
    anti-roll bar; where `ON_STEERING` change, those of the steering mechanism, such as a rack's mass centre;
    where the suspension is another one, all points of axle and corners.  ``given`` and ``changed`` hold, by
    key, the layer that last gave and that last changed a value.
    """
    points = [key for key, one in groups.quantities.items() if one.components == XYZ and one.unit == "m"]
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
            kept = [key for key in points if key[0] in sections and given.get(key, last) < last]
            if kept:
                what = dict.fromkeys(groups.general(key, [*by]) for key in by)
                bases = ", ".join(dict.fromkeys(layers[given[key]].label for key in kept))
                names = dict.fromkeys(groups.general(key, [*given]) for key in kept)
                notes.append(
                    f"{layers[last].label}: {', '.join(what)} changed; kept from {bases}: "
                    f"{', '.join(names)}; give these too if they move"
                )
                if by is whole:
                    break
    return notes


TIE_ROD = ("K", "L")
"""Ends of a corner's tie rod, which no anti-roll bar hangs on."""
ON_STEERING = ("origin", "L")
"""Points of corners with which a steering mechanism moves: the corner's origin, the tie rod's inner end."""


def is_hardpoint(key: tuple[str, ...], points: Sequence[tuple[str, ...]]) -> bool:
    """Return True if a number of a corner is a point of its linkage, not of a mass, spring or damper."""
    return key in points and key[-1] != "com" and not any(name.endswith(("spring", "damper")) for name in key)


def check_tyre_files(layers: Sequence[DataFile], groups: Groups) -> None:
    """Refuse property files for some of the wheels where no file has a Magic Formula tyre for the others."""
    named = [key for layer in layers for key in layer.whole]
    if not named:
        return
    given = {a.key for layer in layers for a in layer.assignments if a.key[-1] == "version"}
    covered = {key[0] for given_key in given for key in groups.expand(given_key)[1]}
    others = [member for member in groups.members if member not in covered]
    if others:
        raise DataError(
            f"{layers[-1].label}: {'.'.join(named[0])}.file makes the tyres {MAGIC_FORMULA}, but "
            f"{', '.join(others)} have no such tyre; name a file for these too"
        )
