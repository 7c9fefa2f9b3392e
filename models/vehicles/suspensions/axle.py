"""An axle with its suspension, in vehicle coordinates: points, bodies and joints of a template, placed.

A template and the numbers of a data file become points, bodies and springs of either side, and of what is
there once.  From these follow the joints (`BuiltAxle.joints`), and from the joints the bodies of a system,
what turns a steered wheel, and the axis that it turns about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.models.data.quantities import XYZ, ParameterQuantity
from ce_dynamics.models.data.schema import Section, fields_of
from ce_dynamics.models.vehicles.bodies import (
    BodyData,
    BodyParameters,
    Mirrored,
    RodData,
    Vector,
    body,
    remainder,
    rod,
    shift_points,
)
from ce_dynamics.models.vehicles.sections import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.linkages import PlacedJoint, unit_towards
from ce_dynamics.models.vehicles.suspensions.points import check_corner, check_points
from ce_dynamics.models.vehicles.suspensions.template import (
    CHASSIS,
    STEERING,
    Block,
    EveryAxleData,
    ShockHalfData,
    Template,
    TemplateJoint,
)

LOOPS = ("distance", "point-on-line")
"""Joints that carry no body."""
AXES = dict(zip("xyz", np.eye(3), strict=True))
MASSLESS = RodData(mass=0.0, radius=1e-3)
"""For a rod of a remainder that is not given."""


@dataclass(frozen=True, eq=False)
class Side(Mirrored):
    """One side of an axle, or what is there once; the name of a section precedes those of its points."""

    name: str
    points: Mapping[str, Vector]
    bodies: Mapping[str, BodyParameters]
    springs: Mapping[str, SpringData | DamperData]
    numbers: Mapping[str, Any]


def read(name: str, data: Section | None, origin: Vector, skipped: type[Section]) -> Side:
    """Return the fields of a section, points from an origin [m], without those that ``skipped`` has."""
    points: dict[str, Vector] = {}
    bodies: dict[str, BodyParameters] = {}
    springs: dict[str, SpringData | DamperData] = {}
    numbers: dict[str, Any] = {}
    for key, kind in {} if data is None else fields_of(type(data)).items():
        value = getattr(data, key)
        if value is None or key in skipped.model_fields:
            continue
        if isinstance(kind, ParameterQuantity):
            if kind.components == XYZ:
                points[key] = origin + np.array(value)
            else:
                numbers[key] = value
        elif isinstance(value, (SpringData, DamperData)):
            springs[key] = shift_points(value, origin)
        else:
            inner = read(key, value, origin, BodyData)
            points |= {f"{key}.{point}": place for point, place in inner.points.items()}
            numbers[key] = value
            if isinstance(value, BodyData):
                bodies[key] = body(value, origin)
            if "body" in inner.bodies:
                bodies[key] = inner.bodies["body"]
    return Side(name, points, bodies, springs, numbers)


class JointStep(NamedTuple):
    """A joint to be built, or several with the name of the closed form that solves them."""

    joints: tuple[PlacedJoint, ...]
    linkage: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class BuiltAxle:
    """An axle in vehicle coordinates, design position; ``gear`` steers a beam, ``middle`` is there once."""

    name: str
    template: Template
    gear: Template | None
    middle: Side
    sides: tuple[Side, Side]
    steered: bool
    cache: dict[str, Any] = field(default_factory=dict, init=False)
    """Results that are found once, by name."""

    @classmethod
    def of(
        cls,
        name: str,
        template: Template,
        own: Section | None,
        ends: Mapping[str, CornerData],
        *,
        steered: bool,
        gear: Template | None = None,
    ) -> BuiltAxle:
        """Return the axle called `name` from its own data and those of its left and right side."""
        for end, data in ends.items():
            raw = read(end, data, np.zeros(3), CornerData)
            check_corner(end, template, raw.points, raw.springs, data)
        origins = {end: np.array(data.origin) for end, data in ends.items()}
        first = next(iter(origins.values()))
        middle = read(name, own, first, EveryAxleData)
        held = read("", getattr(own, "steering_gear", None), first, EveryAxleData)
        if gear is not None:
            points = {key: r for key, r in middle.points.items() if not key.startswith("steering_gear.")}
            bodies, numbers = {**middle.bodies, **held.bodies}, {**middle.numbers, **held.numbers}
            middle = replace(middle, points={**points, **held.points}, bodies=bodies, numbers=numbers)
        mirrored = () if gear is None or gear.axle is None else gear.axle.mirrored
        moved = {key: held.points[key] for key in mirrored}
        sides = []
        for end, data in ends.items():
            made = read(end, data, origins[end], CornerData)
            made = replace(made, points={"W": origins[end] + np.array(data.W), **made.points, **moved})
            sides.append(replace(made.mirror(), name=end) if end.endswith("_right") else made)
        check_points(name, template, read(name, own, np.zeros(3), EveryAxleData).points)
        if gear is not None:
            check_points(f"{name}.steering_gear", gear, {key: r - first for key, r in held.points.items()})
        both = sides[0], sides[1]
        return cls(name=name, template=template, gear=gear, middle=middle, sides=both, steered=steered)

    # Meanings of the words of a template

    @property
    def blocks(self) -> Iterator[tuple[Block, Block]]:
        """Yield the blocks of the suspension and of its steering gear, for the axle and for a side."""
        for template in (self.template, self.gear):
            if template is not None:
                yield template.axle or Block(), template.side

    @property
    def is_joined(self) -> bool:
        """True if the two sides belong together."""
        return self.template.axle is not None

    @cached_property
    def mirrored_names(self) -> frozenset[str]:
        """Names of bodies that are there on either side."""
        found: set[str] = set()
        for _, side in self.blocks:
            found |= {part.name for part in side.parts} | {joint.body or joint.name for joint in side.joints}
            found |= {joint.between[1] for joint in side.joints if joint.kind != "distance"}
        alone = {part.name for once, _ in self.blocks for part in once.parts}
        return frozenset(found - alone)

    @cached_property
    def by_side(self) -> Mapping[str, Side]:
        """Sides by the words that follow the names of bodies and points."""
        left, right = self.sides
        found = {"left": left, "right": right}
        if self.gear is not None and self.gear.near:
            ahead = float(np.asarray(nominal(self.middle.points[self.gear.near]))[1]) >= 0.0
            found |= {"near": left, "far": right} if ahead else {"near": right, "far": left}
        return found

    def body(self, word: str, side: Side | None) -> str:
        """Return the full name of a body; ``chassis`` and ``steering`` stay as they are."""
        plain, _, which = word.partition(".")
        if plain in (CHASSIS, STEERING):
            return plain
        if which == "end":
            assert side is not None, "bodies with a choice are on a side"
            return f"{side.name}.{self.find_end(plain, side)}"
        if which:
            return f"{self.by_side[which].name}.{plain}"
        once = side is None or (self.is_joined and plain not in self.mirrored_names)
        return f"{self.name if once or side is None else side.name}.{plain}"

    def find_end(self, part: str, side: Side) -> str:
        """Return the point that is given of those of which a part has one."""
        choices = next(one.choices for _, block in self.blocks for one in block.parts if one.name == part)
        return next(name for name in choices if f"{part}.{name}" in side.points)

    def point(self, word: str, side: Side | None) -> Vector:
        head, _, which = word.rpartition(".")
        if which in self.by_side:
            return self.point(head, self.by_side[which])
        if which == "com":
            return (self.middle if side is None else side).bodies[head].com
        if side is not None:
            if which == "end":
                word = f"{head}.{self.find_end(head, side)}"
            word = word.replace("$side", "left" if side is self.sides[0] else "right")
            if head in side.springs:
                return np.asarray(getattr(side.springs[head], which))
            if word in side.points:
                return side.points[word]
        return self.middle.points[word]

    def place(self, joint: TemplateJoint, side: Side | None) -> PlacedJoint:
        owner = self.middle if side is None else side
        one, other = (self.body(word, side) for word in joint.between)
        words = [f"{joint.between[1]}.com" if word == "com" else word for word in joint.points]
        points = [self.point(word, side) for word in words]
        if len(points) == 2 and not joint.ends and joint.kind == "revolute" and not self.template.listed:
            points[1] = unit_towards(*points)
        if joint.kind == "distance" and f"{joint.name}.first" in owner.points:
            points += [owner.points[f"{joint.name}.{end}"] for end in ("first", "second")]
        label = joint.name if joint.kind == "distance" else ""
        if label and self.is_joined and side is not None:
            label = f"{side.name}.{label}"
        axis = AXES[joint.along] if joint.along else None
        inside = f"{owner.name}.{joint.body or joint.name}"
        return PlacedJoint(
            joint.name, owner.name, joint.kind, label, one, other, tuple(points), axis, joint.ends, inside
        )

    def list_in_order(self) -> Iterator[tuple[str, Side | None]]:
        """Yield the entries of a data file in their order, repeated ones included."""
        for name in self.template.order:
            yield from ((name, side) for side in ((None,) if name in self.template.single else self.sides))

    @cached_property
    def steps(self) -> tuple[JointStep, ...]:
        if self.template.listed:
            known = {joint.name: joint for side in (None, self.sides[0]) for joint in self.joints_of(side)}
            order = [(name, side) for name, side in self.list_in_order() if name in known]
            return tuple(JointStep((self.place(known[name], side),)) for name, side in order)
        found: list[JointStep] = []
        for once, each in self.blocks:
            steps = list(self._steps(once, None))
            loops = [one for one in steps if not one.linkage and one.joints[0].kind in LOOPS]
            found += [step for step in steps if step not in loops]
            found += [step for side in self.sides for step in self._steps(each, side)]
            found += loops
        return tuple(found)

    def _steps(self, block: Block, side: Side | None) -> Iterator[JointStep]:
        """Yield joints of a block that no closed form solves, then those that one does."""
        own = {word for line in block.closed_form for word in line[1:]}
        of_sides = {word for once, _ in self.blocks for line in once.closed_form for word in line[1:]}
        solved = {word.partition(".")[0] for word in own | {word for word in of_sides if "." in word}}
        free = [one for one in block.joints if one.name not in solved and self.is_given(one, side)]
        yield from (JointStep((self.place(one, side),)) for one in free if one.kind != "leaf")
        for kind, *words in block.closed_form:
            placed = []
            for word in words:
                name, _, which = word.partition(".")
                at = self.by_side[which] if which else side
                joint = next(one for one in self.joints_of(at) if one.name == name)
                if self.is_given(joint, at):
                    placed.append(self.place(joint, at))
            yield JointStep(tuple(placed), kind)
        yield from (JointStep((self.place(one, side),)) for one in free if one.kind == "leaf")

    def joints_of(self, side: Side | None) -> Iterator[TemplateJoint]:
        """Yield joints as templates describe them: those there once, or those of either side."""
        for once, each in self.blocks:
            yield from (once if side is None else each).joints

    def is_given(self, joint: TemplateJoint, side: Side | None) -> bool:
        """Return True unless a joint depends on a part that is left out."""
        owner = self.middle if side is None else side
        return not joint.given or joint.given in owner.numbers

    @cached_property
    def joints(self) -> tuple[PlacedJoint, ...]:
        """All joints in vehicle coordinates."""
        return tuple(joint for step in self.steps for joint in step.joints)

    # Bodies.

    @cached_property
    def parts(self) -> Mapping[str, BodyParameters]:
        """Bodies with mass by their full names."""
        found = {
            f"{owner.name}.{name}": part
            for owner in (self.middle, *self.sides)
            for name, part in owner.bodies.items()
        }
        for owner in self.sides:
            found |= self._own_rods(owner)
        both = (None, *self.sides)
        for joint, side in ((joint, one) for one in both for joint in self.joints_of(one)):
            if joint.kind != "distance" or not self.is_given(joint, side):
                continue
            own = (side or self.middle).numbers.get(joint.rod or joint.body or joint.name)
            data = own or self.middle.numbers.get(joint.rod)
            data = getattr(data, "rod", data)
            if isinstance(data, RodData) and not isinstance(data, BodyData):
                placed = self.place(joint, side)
                found[placed.body] = rod(data, *placed.points[:2])
        for owner in self.sides:
            for name, words in self.template.remainder.items():
                whole, part = words.split()
                bodies = found.pop(f"{owner.name}.{whole}"), found[f"{owner.name}.{part}"]
                found[f"{owner.name}.{name}"] = remainder(owner.name, whole, part, *bodies)
        return found

    def _own_rods(self, side: Side) -> Iterator[tuple[str, BodyParameters]]:
        """Yield rods that lie between points, not in a joint, and halves of a shock absorber."""
        for part in self.template.side.parts_of_kind("rod", "shock"):
            data = side.numbers.get(part.name)
            if not part.words or (data is None and part.kind == "shock"):
                continue
            start, end = (self.point(word, side) for word in part.words)
            if isinstance(data, ShockHalfData):
                end = start + data.length * ((end - start) / magnitude(end - start))
            yield f"{side.name}.{part.name}", rod(data or MASSLESS, start, end)

    def bodies(self, owner: str) -> tuple[BodyParameters, ...]:
        """Return the bodies of a corner, or those that are there once, without wheels."""
        return tuple(part for name, part in self.parts.items() if name.rpartition(".")[0] == owner)

    def side(self, corner: str) -> Side:
        return next(side for side in self.sides if side.name == corner)

    @property
    def _last(self) -> Template:
        return self.gear or self.template

    def find_carrier(self, corner: str) -> str:
        """Return the body that carries the wheel of a corner, or ``chassis``."""
        return self.body(self._last.wheel, self.side(corner))

    def find_drop_link_carrier(self, corner: str) -> str:
        """Return the body on which the drop link of an anti-roll bar hangs."""
        if not self.template.bar and not self.template.listed:
            raise DataError(
                f"axles.{self.name}: an anti-roll bar does nothing where wheels turn on the chassis; "
                "leave anti_roll_bar out, or choose a suspension"
            )
        return self.body(self.template.bar or self.template.wheel, self.side(corner))

    def housing(self) -> str | None:
        """Return the body that may carry a final drive: one that carries both wheels, if there is one."""
        if not self.is_joined:
            return None
        left, right = (self.body(self.template.wheel, side) for side in self.sides)
        return left if left == right != CHASSIS else None

    @property
    def final_drive(self) -> str:
        """Place of the final drive unless data files give it: the chassis, or an axle with a housing."""
        return self.template.final_drive or (CHASSIS if self.housing() is None else "axle")

    def find_kingpin(self, corner: str) -> tuple[tuple[str, Vector], tuple[str, Vector]] | None:
        """Return lower and upper point of a steering axis [m], each with the body it is fixed on, if any."""
        side, words = self.side(corner), self._last.kingpin
        for pin in self._last.side.joints:
            if pin.name == "kingpin" and not words:
                words = tuple((pin.between[1], point) for point in pin.points)
        if not words:
            return None
        lower, upper = ((self.body(one, side), self.point(point, side)) for one, point in words)
        return lower, upper
