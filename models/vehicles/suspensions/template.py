"""Templates of suspensions: YAML files that list parts, joints and closed forms, or the graph of a data file.

::

    title: An arm whose axis lies across the vehicle
    side:
      parts: {arm: body outer inner, spring: spring arm, damper: damper arm}
      joints: {arm: {revolute: chassis arm, ends: arm.inner arm.outer}}
    wheel: arm
    bar: arm

``side`` lists what is there on either side, as on the left; ``axle`` what is there once.  Both have

- ``points`` with what they are;
- ``parts`` with their kind (`PART_KINDS`; ``?`` where it may be left out): the names of further points of a
  body, the bodies that a spring joins (chassis and this one), the ends of a rod (else those of its joint);
- ``joints`` with the bodies they join and their points: ``at`` with ``along`` (x, y, z) or ``through``, or
  ``ends``.  A hinge carries its second body unless that is there already; all others close loops;
- ``closed_form``: formulas that solve some of these joints (`linkages.LINKAGES`).

The rest names bodies: of the ``wheel``, an anti-roll ``bar``, the ``kingpin``; ``lead`` the independent
coordinates; ``apart``, ``off_line``, ``on_axis``, ``ahead`` what points must satisfy.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import create_model, model_validator

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Length, ParameterQuantity, Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.powertrain.differentials import LockedData
from ce_dynamics.models.vehicles.bodies import AnySection, BodyData, RodData
from ce_dynamics.models.vehicles.sections import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.linkages import LINKAGES

CHASSIS, STEERING = "chassis", "steering"
"""Names of the surroundings: what carries the suspension, and what carries the inner ends of tie rods."""
FOLDER = Path(__file__).parent
SUSPENSIONS = tuple(sorted(path.stem for path in FOLDER.glob("templates/*.yaml")))
"""Names of the templates."""
GEARS = tuple(sorted(path.stem for path in FOLDER.glob("gears/*.yaml")))
"""Names of the steering gears of beams."""
GRAPH = "graph"
"""Name of the suspension whose bodies and joints data files list."""

TorsionDamping = Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]
BendingStiffness = Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]


class EveryAxleData(Section):
    """Data that any axle may have beside its suspension."""

    anti_roll_bar: BodyData
    differential: LockedData


class LinkData(Section):
    """A rod with a ball joint at each end; without a rod it has no mass."""

    chassis: Point
    upright: Point
    rod: RodData | None = None


class MassiveLinkData(LinkData):
    """A link that has mass, since it carries a spring: a rod, or a body on a universal joint of the chassis.

    From the joint, its axis on the chassis passes through ``first`` and that on the link through ``second``.
    They define how the link turns about its own line, which matters where a spring acts beside that.
    """

    body: BodyData | None = None
    first: Point | None = None
    second: Point | None = None

    @model_validator(mode="after")
    def _has_mass(self) -> MassiveLinkData:
        joint = [name for name in ("body", "first", "second") if getattr(self, name) is not None]
        if len(joint) + 3 * (self.rod is not None) != 3:
            raise ValueError("a link that carries a spring needs either rod, or body, first and second")
        return self


class ShockHalfData(RodData):
    """Half a shock absorber: a uniform cylinder that starts at its joint and points to the other joint."""

    length: Length


class ClampData(Section):
    """Elasticity of half a leaf spring at its clamp: about the horizontal and about the vertical.

    ``preload`` is the force with which the eye lifts the chassis in the design position.
    """

    bending: BendingStiffness
    bending_damping: TorsionDamping
    lateral: BendingStiffness
    lateral_damping: TorsionDamping
    preload: Annotated[float, ParameterQuantity("N")]


class PlaceData(Section):
    """A joint at a point."""

    at: Point


class LineData(PlaceData):
    """A joint on the line from ``at`` through another point; or in the plane across that line."""

    through: Point


class CrossData(PlaceData):
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
    damping: TorsionDamping
    free_angle: Annotated[float, ParameterQuantity("rad")] = 0.0


JOINTS: Mapping[str, type[Section]] = {
    "revolute": LineData,
    "prismatic": LineData,
    "cylindrical": LineData,
    "universal": CrossData,
    "spherical": PlaceData,
    "fixed": PlaceData,
    "point-on-line": LineData,
    "point-on-plane": LineData,
    "distance": DistanceData,
}
"""Joints, and their numbers where a data file lists them."""
PART_KINDS: Mapping[str, type[Section]] = {
    "body": BodyData,
    "points": Section,
    "rod": RodData,
    "link": LinkData,
    "massive-link": MassiveLinkData,
    "shock": ShockHalfData,
    "clamp": ClampData,
    "spring": SpringData,
    "damper": DamperData,
    "torsion": TorsionData,
}
"""Parts of templates, and their numbers."""


class TemplatePart(NamedTuple):
    """A part of a template: its kind, and what the words after that name."""

    name: str
    kind: str
    words: tuple[str, ...] = ()
    optional: bool = False

    @classmethod
    def of(cls, name: str, text: str) -> TemplatePart:
        """Return the part that a line of a template describes."""
        kind, *words = text.split()
        plain = kind.removesuffix("?")
        return cls(name, plain, tuple(words), kind != plain or plain in ("rod", "shock"))

    @property
    def choices(self) -> tuple[str, ...]:
        """Points of which exactly one is given."""
        return next((tuple(word.split("|")) for word in self.words if "|" in word), ())

    def field(self) -> tuple[Any, Any]:
        if self.kind == "number":
            return Annotated[float, ParameterQuantity(self.words[0], at_least=0.0)], ...
        section = PART_KINDS[self.kind] if self.kind in PART_KINDS else JOINTS[self.kind]
        if self.kind in ("body", "points") and self.words:
            fields: dict[str, Any] = {word: (Point, ...) for word in self.words if "|" not in word}
            fields |= dict.fromkeys(self.choices, (Point | None, None))
            one_end: dict[str, Any] = {"_one_end": self._one_end()} if self.choices else {}
            section = create_model(f"{self.name}_data", __base__=section, __validators__=one_end, **fields)
        return (section | None, None) if self.optional else (section, ...)

    def _one_end(self) -> Any:
        name, choices = self.name, self.choices

        def check(data: Any) -> Any:
            given = [choice for choice in choices if getattr(data, choice) is not None]
            if len(given) != 1:
                joined = " and ".join(given) or "nothing"
                raise ValueError(f"the rod joins the {name} to {joined}; give one of {', '.join(choices)}")
            return data

        return model_validator(mode="after")(check)


class TemplateJoint(NamedTuple):
    """A joint of a template: two bodies, and references to points."""

    name: str
    kind: str
    between: tuple[str, str]
    points: tuple[str, ...] = ()
    along: str = ""
    ends: bool = False
    rod: str = ""
    body: str = ""
    given: str = ""

    @classmethod
    def of(cls, name: str, words: Mapping[str, str]) -> TemplateJoint:
        """Return the joint that a line of a template describes."""
        (kind,) = set(words) - {"at", "along", "through", "ends", "rod", "body", "given"}
        one, other = words[kind].split()
        points = words.get("ends", f"{words.get('at', '')} {words.get('through', '')}").split()
        if kind == "link":
            points, kind = [f"{name}.upright", f"{name}.chassis"], "distance"
        others = {key: words[key] for key in ("along", "rod", "body", "given") if key in words}
        return cls(name, kind, (one, other), tuple(points), ends="ends" in words, **others)


@dataclass(frozen=True, eq=False)
class Block:
    """Points, parts and joints of a side or of the axle; the head of this module describes them."""

    points: Mapping[str, str] = field(default_factory=dict)
    mirrored: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[TemplatePart, ...] = ()
    joints: tuple[TemplateJoint, ...] = ()
    closed_form: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, tree: Mapping[str, Any]) -> Block:
        """Return the block that a section of a template describes."""
        return cls(
            tree.get("points", {}),
            tree.get("mirrored", {}),
            tuple(TemplatePart.of(name, text) for name, text in tree.get("parts", {}).items()),
            tuple(TemplateJoint.of(name, words) for name, words in tree.get("joints", {}).items()),
            tuple(tuple(line.split()) for line in tree.get("closed_form", ())),
        )

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of its section: the beam, points, other parts."""
        points = dict.fromkeys((*self.points, *self.mirrored), (Point, ...))
        fields = {part.name: part.field() for part in self.parts}
        return {name: field for name, field in fields.items() if name == "axle"} | points | fields

    def parts_of_kind(self, *kinds: str) -> Iterator[TemplatePart]:
        """Yield the parts of some kinds."""
        return (part for part in self.parts if part.kind in kinds)


@dataclass(frozen=True, eq=False)
class Template:
    """A suspension, or the steering gear of a beam, as its file describes it.

    ``side`` and ``axle`` are what is there on either side, and once; no axle where both sides are
    independent. ``wheel`` and ``bar`` name bodies that carry the wheel, and the drop link of an anti-roll
    bar; ``kingpin`` the bodies and points of the axis that a steered wheel turns about, below and above;
    ``lead`` bodies whose hinges are independent, or components such as ``axle.roll``.

    ``apart``, ``off_line``, ``on_axis`` and ``ahead`` are points that must not coincide, or lie on the line
    through two others; points of an axis, whose component along it is zero or that of another point; bodies
    with a front and a rear pivot.  ``remainder`` are bodies that are one part without another; ``torsion`` is
    the joint whose turn the numbers ``stiffness`` and ``damping`` resist; ``near`` the point whose side is
    called so; ``final_drive`` its place for a driven axle unless files give it, None where only the chassis
    can carry it. ``listed`` is True for the graph of a data file, whose tree and independent coordinates are
    found; ``order`` is all it lists.
    """

    name: str
    title: str = ""
    side: Block = Block()
    axle: Block | None = None
    wheel: str = CHASSIS
    bar: str = ""
    kingpin: tuple[tuple[str, ...], ...] = ()
    lead: tuple[str, ...] = ()
    apart: tuple[tuple[str, ...], ...] = ()
    off_line: tuple[tuple[str, ...], ...] = ()
    on_axis: tuple[tuple[str, ...], ...] = ()
    ahead: tuple[tuple[str, ...], ...] = ()
    remainder: Mapping[str, str] = field(default_factory=dict)
    torsion: str = ""
    near: str = ""
    final_drive: str | None = None
    listed: bool = False
    order: tuple[str, ...] = ()

    @functools.cached_property
    def single(self) -> frozenset[str]:
        """Names of what is there once."""
        block = self.axle or Block()
        return frozenset([*(part.name for part in block.parts), *(joint.name for joint in block.joints)])

    @property
    def is_beam(self) -> bool:
        """True if one body called ``axle`` carries both wheels, which a steering gear may turn on it."""
        return self.wheel == "axle"

    @functools.cached_property
    def side_section(self) -> type[CornerData]:
        return self.extend(CornerData, "side", self.side.fields)

    @functools.cached_property
    def axle_section(self) -> type[Section] | None:
        """Section of what is there once; None without any."""
        fields = {} if self.axle is None else self.axle.fields
        return self.extend(Section, "axle", fields) if fields else None

    def extend(self, base: type[AnySection], what: str, fields: Mapping[str, Any]) -> type[AnySection]:
        made: type[AnySection] = create_model(
            f"{self.name} {what}", __base__=base, __doc__=f"{self.title}.", **fields
        )
        return made


@functools.cache
def make_steered_sections(beam: Template, gear: Template) -> tuple[type[CornerData], type[Section]]:
    """Return the sections of either side and of the axle of a beam with a steering gear."""
    assert beam.axle_section is not None, "it has the beam"
    assert gear.axle_section is not None, "it has points in the middle"
    side = beam.extend(beam.side_section, "steered side", gear.side.fields)
    return side, beam.extend(beam.axle_section, "steered axle", {"steering_gear": (gear.axle_section, ...)})


def read_template(path: Path) -> Template:
    """Return the template of a file."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    tree: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), loader)
    for key in ("kingpin", "apart", "off_line", "on_axis", "ahead"):
        tree[key] = tuple(tuple(line.split()) for line in tree.get(key, ()))
    tree |= {"side": Block.of(tree["side"]), "lead": tuple(tree.get("lead", ()))}
    if "axle" in tree:
        tree["axle"] = Block.of(tree["axle"])
    check_words(path.name, [block for block in (tree.get("axle"), tree["side"]) if block is not None])
    return Template(path.stem, **tree)


def check_words(label: str, blocks: Sequence[Block]) -> None:
    """Refuse kinds of parts and joints that are unknown, and closed forms of joints that are not there."""
    kinds = {"part": (*PART_KINDS, "number"), "joint": (*JOINTS, "free", "leaf")}
    there = [joint.name for block in blocks for joint in block.joints]
    for block in blocks:
        for what, items in (("part", block.parts), ("joint", block.joints)):
            for item in items:
                owner = f"{label}: {item.name}"
                checks.check_name(owner, item.kind, kinds[what], f"kind of {what}", DataError)
        for form, *joints in block.closed_form:
            checks.check_name(label, form, LINKAGES, "closed form", DataError)
            for name in (name for name in joints if "." not in name):
                checks.check_name(f"{label}: closed_form {form}", name, there, "joint", DataError)


@functools.cache
def template_of(name: str, folder: str = "templates") -> Template:
    """Return the template of a suspension, or with the folder ``gears`` of a beam's steering gear."""
    return read_template(FOLDER / folder / f"{name}.yaml")
