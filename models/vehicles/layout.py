"""Layout of a vehicle: its axles with their suspensions and steering, its trailers and kinds of parts.

A data file defines the layout in its table ``axles``, from front to rear::

    axles:
      front: {suspension: {kind: double-wishbone, ...}, steering: {kind: pitman, ...}}
      rear: {suspension: {kind: double-wishbone, ...}, driven: false}

Every axle has two corners, ``front_left`` and ``front_right`` for instance, with the numbers of the
suspension's section.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.reading import Assignment
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.powertrain import POWERTRAINS
from ce_dynamics.models.powertrain.differentials import DIFFERENTIALS
from ce_dynamics.models.vehicles.bushing_data import (
    EXAMPLE as BUSHING_EXAMPLE,
    MODES,
    BushingItem,
    bushings_of,
)
from ce_dynamics.models.vehicles.sections import CornerData, VehicleDescription
from ce_dynamics.models.vehicles.steering.base import Rack, RotaryArm, Steering
from ce_dynamics.models.vehicles.steering.pitman import Pitman
from ce_dynamics.models.vehicles.suspensions.builder import AntiRollBarData
from ce_dynamics.models.vehicles.suspensions.suspension_graph import Item, graph_template, items_of
from ce_dynamics.models.vehicles.suspensions.template import (
    GEARS,
    GRAPH,
    SUSPENSIONS,
    Template,
    make_steered_sections,
    template_of,
)
from ce_dynamics.models.vehicles.trailers import (
    FOLDING,
    STRAIGHT,
    TrailerLayout,
    trailers_of,
)
from ce_dynamics.models.vehicles.tree import NO_PARTS, SIDES, Parts, long_name
from ce_dynamics.models.vehicles.tyre_kinds import TYRE_KINDS

STEERINGS: Mapping[str, type[Steering]] = {kind.template: kind for kind in (Pitman, Rack, RotaryArm)}
"""Steering mechanisms by the name that data files use."""
MECHANISMS = ("steering", "second_steering", "third_steering", "fourth_steering")
"""Sections of steering mechanisms; each carries the tie rods of the axles that name it."""
PHASES = ("with", "against")
"""Phases of a steered axle: with the driver's steering or, for rear axles, against it."""
BARS: Mapping[str, type[Section]] = {"torsion": AntiRollBarData}
"""Anti-roll bars by the name that data files use."""

AXES: Mapping[str, tuple[float, float, float]] = {
    "longitudinal": (-1.0, 0.0, 0.0),
    "longitudinal-reversed": (1.0, 0.0, 0.0),
    "transverse": (0.0, 1.0, 0.0),
    "transverse-reversed": (0.0, -1.0, 0.0),
}
"""About which engine and shafts turn forwards: clockwise as seen from the front, or as the wheels do."""
EXAMPLE = (
    "axles: {front: {suspension: {kind: rigid}, steering: {kind: rack}}, rear: {suspension: {kind: rigid}}}"
)
MOST_AXLES = 8


@dataclass(frozen=True)
class AxleLayout:
    """Layout of an axle: the names of its parts."""

    name: str
    suspension: str
    steering: str | None = None
    anti_roll_bar: str | None = None
    driven: str = "yes"
    steering_gear: str | None = None
    trailer: str | None = None
    differential: str | None = None
    final_drive: str | None = None
    braked: str = "yes"
    mechanism: str = "steering"
    phase: str = "with"
    graph: tuple[Item, ...] = ()
    bushings: tuple[BushingItem, ...] = ()

    @property
    def knuckles(self) -> bool:
        """True if a beam has knuckles: it is steered, or a gear holds them on the chassis."""
        return self.steering is not None or self.steering_gear is not None

    @property
    def template(self) -> Template:
        return graph_template(self.graph) if self.suspension == GRAPH else template_of(self.suspension)

    @property
    def gear(self) -> Template | None:
        """Steering gear of a beam with knuckles."""
        given = self.knuckles and self.template.is_beam
        return template_of(self.steering_gear or "toe-bar", "gears") if given else None

    @property
    def sections(self) -> tuple[type[CornerData], type[Section] | None]:
        """Sections of either corner, and of the axle as a whole."""
        template, owner = self.template, f"axles.{self.name}"
        if self.steering_gear is not None and not template.is_beam:
            if template.axle is None or template.listed:
                raise DataError(
                    f"{owner}: steering_gear has no effect on a {self.suspension} suspension; leave it out"
                )
        elif self.gear is not None:
            return make_steered_sections(template, self.gear)
        fixed = not template.listed and (template.axle is not None or "L" not in template.side.points)
        if self.knuckles and fixed:
            raise DataError(f"{owner}: a {self.suspension} suspension cannot be steered; leave steering out")
        return template.side_section, template.axle_section

    @property
    def corners(self) -> tuple[str, str]:
        left, right = (f"{self.name}_{side}" for side in SIDES)
        return left, right


@dataclass(frozen=True)
class VehicleLayout:
    """Layout of a vehicle: its axles from front to rear, kinds of parts, and trailers."""

    axles: tuple[AxleLayout, ...]
    powertrain: str = "envelope"
    tyre: str = "tmeasy"
    engine: str | None = None
    trailers: tuple[TrailerLayout, ...] = ()
    bushings: str = MODES[0]

    def axles_of(self, trailer: str | None) -> tuple[AxleLayout, ...]:
        """Return the axles of a trailer, or of the vehicle itself."""
        return tuple(axle for axle in self.axles if axle.trailer == trailer)

    @property
    def driven(self) -> tuple[AxleLayout, ...]:
        """Axles that the engine drives."""
        return tuple(axle for axle in self.axles if axle.driven == "yes")

    @property
    def steered(self) -> Mapping[str, tuple[AxleLayout, ...]]:
        """Axles that each steering mechanism steers, mechanisms in their order."""
        steered = [axle for axle in self.axles if axle.steering is not None]
        found = {name: tuple(axle for axle in steered if axle.mechanism == name) for name in MECHANISMS}
        return {name: axles for name, axles in found.items() if axles}

    @property
    def mechanisms(self) -> Mapping[str, str]:
        """Names of the steering mechanisms by axle."""
        return {axle.name: axle.mechanism for axle in self.axles}

    @property
    def parts(self) -> Parts:
        """Parts on which long names of numbers depend."""
        return Parts(
            axles=[axle.name for axle in self.axles],
            trailers=[trailer.name for trailer in self.trailers],
            steered={name: axles[0].name for name, axles in self.steered.items()},
            bushings={axle.name: [item.name for item in axle.bushings] for axle in self.axles},
        )

    @property
    def folding(self) -> tuple[str, ...]:
        """Names of the trailers that are halves of the vehicle: it steers by folding where they are."""
        return tuple(trailer.name for trailer in self.trailers if trailer.hitch in FOLDING)

    @property
    def halves(self) -> tuple[str, ...]:
        """Names of the rear chassis that belong to the vehicle: coupled where it folds or twists only."""
        found: list[str] = []
        for one in self.trailers:  # each after what is ahead of it
            if one.hitch in (*FOLDING, *STRAIGHT) and one.behind in (None, *found):
                found.append(one.name)
        return tuple(found)

    @property
    def own_axles(self) -> tuple[AxleLayout, ...]:
        """The axles of the vehicle, with those of its rear chassis but without those of trailers."""
        return tuple(axle for axle in self.axles if axle.trailer in (None, *self.halves))


def layout_of(words: Sequence[Assignment], label: str) -> VehicleLayout:
    """Return the layout that data files set; a later word about an axle replaces an earlier one."""
    for key, entry in words:
        if len(key) == 1 and key != ("base",):
            raise DataError(f"{entry.where}: {key[0]}: expected lines 'name: word'; for example {EXAMPLE}")
    trailers = trailers_of(words, label)
    for trailer in trailers:
        check_name(trailer.name, "trailer", label)
    kinds = kinds_of(words)
    axles = choices_of(words, [trailer.name for trailer in trailers], label)
    graphs = {
        name: items_of(words, name, label) for name, chosen in axles.items() if chosen["suspension"] == GRAPH
    }
    check_graph_words(words, axles)
    soft = bushings_of(words, list(axles), label)
    if "bushings" in kinds and not soft:
        raise DataError(f"{label}: bushings: there are none, so it has no effect; {BUSHING_EXAMPLE}")
    made = [
        AxleLayout(name, **chosen, graph=graphs.get(name, ()), bushings=soft.get(name, ()))
        for name, chosen in axles.items()
    ]
    layout = VehicleLayout(tuple(made), **kinds, trailers=trailers)
    check_trailers(layout, label)
    check_steering(layout, label)
    check_effects(layout, label)
    return layout


def kinds_of(words: Sequence[Assignment]) -> dict[str, str]:
    """Return the kinds that files choose for the whole vehicle."""
    kinds: dict[str, str] = {}
    for (_, kind, *rest), entry in (word for word in words if word.key[0] == "kinds"):
        checks.check_name(f"{entry.where}: kinds", ".".join((kind, *rest)), KINDS, "kind", DataError)
        kinds[kind] = entry.one_of(".".join(long_name(("kinds", kind), NO_PARTS)), KINDS[kind])
    return kinds


def choices_of(words: Sequence[Assignment], trailers: Sequence[str], label: str) -> dict[str, dict[str, str]]:
    """Return the kinds that files choose for each axle, from front to rear."""
    axles: dict[str, dict[str, str]] = {}
    for (_, axle, *rest), entry in (word for word in words if word.key[0] == "axles"):
        if len(rest) != 1 or rest[0] not in CHOICES or not isinstance(entry.value, str):
            shown = checks.show(".".join((axle, *rest)))
            raise DataError(
                f"{entry.where}: axles: {shown}: an axle has {', '.join(CHOICES)}, like; {EXAMPLE}"
            )
        check_name(axle, "axle", entry.where)
        chosen = axles.setdefault(axle, {})
        if entry.value == NONE and rest[0] in OPTIONAL:
            chosen.pop(rest[0], None)
        else:
            known = trailers if rest[0] == "trailer" else CHOICES[rest[0]]
            chosen[rest[0]] = entry.one_of(f"axles.{axle}.{rest[0]}", known)
    if not axles:
        raise DataError(f"{label}: what the vehicle is made of is missing; write for example {EXAMPLE}")
    if len(axles) > MOST_AXLES:
        raise DataError(f"{label}: axles: {len(axles)} of them; at most {MOST_AXLES} are allowed")
    for name, chosen in axles.items():
        if "suspension" not in chosen:
            raise DataError(
                f"{label}: axles.{name}: no suspension is named; known are {', '.join(SUSPENSIONS)}"
            )
        if "trailer" in chosen:
            chosen.setdefault("driven", "no")
    return axles


def check_graph_words(words: Sequence[Assignment], axles: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse items of a graph for an axle that is not there, or never had a graph."""
    for k, (key, entry) in enumerate(words):
        if key[0] != "graphs":
            continue
        axle = checks.check_name(f"{entry.where}: axles", key[1], axles, "axle", DataError)
        kind = axles[axle]["suspension"]
        chosen_since = any(later == ("axles", axle, "suspension") for later, _ in words[k:])
        if kind != GRAPH and not chosen_since:
            raise DataError(
                f"{entry.where}: axles.{axle}.suspension: {key[2]}: a {kind} suspension has no items, so it "
                f"has no effect; leave it out, or write kind: {GRAPH}"
            )


KINDS: Mapping[str, tuple[str, ...]] = {
    "powertrain": tuple(POWERTRAINS),
    "tyre": TYRE_KINDS,
    "engine": tuple(AXES),
    "bushings": MODES,
}
"""Choices for the whole vehicle."""
CHOICES: Mapping[str, tuple[str, ...]] = {
    "suspension": (*SUSPENSIONS, GRAPH),
    "steering": tuple(STEERINGS),
    "anti_roll_bar": tuple(BARS),
    "differential": tuple(DIFFERENTIALS),
    "final_drive": ("chassis", "axle"),
    "driven": ("yes", "no"),
    "braked": ("yes", "no", "inboard"),
    "steering_gear": tuple(GEARS),
    "trailer": (),
    "mechanism": MECHANISMS,
    "phase": PHASES,
}
"""Choices for an axle; for ``trailer`` the name of one of the file."""
NONE = "none"
OPTIONAL = ("steering", "anti_roll_bar", "differential", "final_drive", "steering_gear")
"""Choices that `NONE` takes back where a base has made them."""


def check_name(name: str, what: str, where: str) -> None:
    """Refuse the name of an axle or a trailer that cannot start a dotted key, or means something else."""
    taken = {*VehicleDescription.model_fields, *CornerData.model_fields, "spring", "damper"}
    sections = ("ground", *MECHANISMS)
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name) or name in taken or name in sections:
        article = "an" if what == "axle" else "a"
        raise DataError(
            f"{where}: {what}s: {checks.show(name)} is no name for {article} {what}; use lower-case "
            "letters, digits and _, for example front, and no name of a section"
        )
    if what == "axle" and name.endswith(tuple(f"_{side}" for side in SIDES)):
        raise DataError(f"{where}: axles: {name} reads like a corner; leave out the side")


def check_trailers(layout: VehicleLayout, label: str) -> None:
    """Refuse trailers without axles, and a vehicle of trailers alone."""
    if not layout.axles_of(None):
        remedy = "leave 'trailer' out of one, or name what tows them: base: [VEHICLE, TRAILER]"
        raise DataError(f"{label}: axles: all belong to trailers; {remedy}")
    for name in (trailer.name for trailer in layout.trailers):
        if not layout.axles_of(name):
            raise DataError(f"{label}: axles: none belongs to the trailer {name}; give one 'trailer: {name}'")
        if name in layout.mechanisms:
            raise DataError(f"{label}: trailers: {name} is the name of an axle; choose another one")


def check_steering(layout: VehicleLayout, label: str) -> None:
    """Refuse a vehicle that cannot be steered, or an axle by two mechanisms."""
    if all(axle.steering is None for axle in layout.axles) and not layout.folding:
        raise DataError(
            f"{label}: axles: none is steered; give one of them steering: {' or '.join(STEERINGS)}"
        )
    for expected, (name, axles) in zip(MECHANISMS, layout.steered.items(), strict=False):
        if name != expected:
            raise DataError(
                f"{label}: axles: no axle is steered by {expected}, but one is by {name}; name mechanisms in "
                "their order"
            )
        for word, problem in ALIKE.items():
            if len({getattr(axle, word) for axle in axles}) > 1:
                raise DataError(
                    f"{label}: axles: {' and '.join(axle.name for axle in axles)} are steered by one "
                    f"mechanism, but {problem}; give one of them another one, mechanism: {MECHANISMS[1]}"
                )


ALIKE = {
    "steering": "name different kinds",
    "trailer": "are not on the same body",
    "phase": "turn with the driver and against",
}
"""Choices in which the axles of a steering mechanism agree, and problems where they do not."""


def check_effects(layout: VehicleLayout, label: str) -> None:
    """Refuse a vehicle that nothing drives or brakes, and choices without effect."""
    for axle in layout.axles:
        for is_idle, state, words in (
            (axle.driven == "no", "driven", ("differential", "final_drive")),
            (axle.steering is None, "steered", ("mechanism", "phase")),
        ):
            given = [word for word in words if getattr(axle, word) != getattr(AxleLayout, word)]
            if is_idle and given:
                what = f"{label}: axles.{axle.name}: it is not {state}, so {given[0]}"
                raise DataError(f"{what} has no effect; leave it out")
    for word in ("driven", "braked"):
        if all(getattr(axle, word) == "no" for axle in layout.axles):
            raise DataError(f"{label}: axles: none is {word}; take '{word}: no' from one of them")
