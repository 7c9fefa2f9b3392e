"""Roads by name, and as people write them: ``iso8608:C,seed=3 + mu:left=0.3,right=0.8``, ``track.crg``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Option, parse_values, values_of
from ce_dynamics.models.parts.roads.contract import (
    EDGE,
    Friction,
    FrictionPatch,
    Road,
    SplitFriction,
    SumRoad,
)
from ce_dynamics.models.parts.roads.iso8608 import RandomRoad
from ce_dynamics.models.parts.roads.map_files import FILE_WORDS, is_map_file, read_map
from ce_dynamics.models.parts.roads.surfaces import (
    BumpRoad,
    FlatRoad,
    HillsRoad,
    InclinedRoad,
    KerbRoad,
    RampRoad,
)

Values: TypeAlias = Mapping[str, Any]


class RoadKind(NamedTuple):
    """Road or friction by name: description, options, and construction from friction and values."""

    about: str
    words: tuple[Option, ...]
    make: Callable[[float | Friction, Values], Any]

    @classmethod
    def of(cls, kind: type[Road], about: str) -> RoadKind:
        """Return the kind of a class, whose options go by their names but for ``road_``."""
        words = tuple(replace(one, name=one.name.removeprefix("road_")) for one in kind.options)
        return cls(about, words, lambda mu, v: kind(mu, *v.values()))


ROADS: dict[str, RoadKind] = {
    "flat": RoadKind("the plane z = 0", (), lambda mu, v: FlatRoad(mu)),
    "grade": RoadKind(
        "a plane uphill along x",
        (Option("grade", "1", None, "rise over run"),),
        lambda mu, v: InclinedRoad(mu, math.atan(v["grade"])),
    ),
    "bank": RoadKind(
        "a plane that is higher on the left",
        (Option("slope", "1", None, "rise over run, to the left"),),
        lambda mu, v: InclinedRoad(mu, 0.0, math.atan(v["slope"])),
    ),
    "ramp": RoadKind.of(RampRoad, "level, of one grade, level again"),
    "bump": RoadKind.of(BumpRoad, "a smooth bump across the road, or a dip"),
    "hills": RoadKind.of(HillsRoad, "a row of hills in a rectangle"),
    "kerb": RoadKind.of(KerbRoad, "a step up, and after a length down again"),
    "iso8608": RoadKind.of(RandomRoad, "a random road of ISO 8608 under both tracks"),
}
"""Roads of formulas by name; files are in `ce_dynamics.models.parts.roads.map_files`."""

FRICTIONS: dict[str, RoadKind] = {
    "mu": RoadKind(
        "another friction on the left than on the right",
        (
            Option("left", "1", None, "friction coefficient"),
            Option("right", "1", None, "friction coefficient"),
            Option("y", "m", 0.0, "where the left begins"),
            Option("edge", "m", EDGE, "width over which it changes"),
        ),
        lambda around, v: SplitFriction(**v),
    ),
    "patch": RoadKind(
        "a rectangle of another friction",
        (
            Option("mu", "1", None, "friction coefficient"),
            Option("x0", "m", None, "from"),
            Option("x1", "m", None, "to"),
            Option("y0", "m", -1e4, "from"),
            Option("y1", "m", 1e4, "to"),
            Option("edge", "m", EDGE, "width over which it changes"),
        ),
        lambda around, v: FrictionPatch(v["mu"], (v["x0"], v["x1"]), (v["y0"], v["y1"]), around, v["edge"]),
    ),
}
"""Friction by name."""


PLACES: Mapping[str, str] = {
    "proving-ground": "hills:height=4,x=50,y=-80,length=60,width=50 "
    "+ hills:height=0.06,x=10,y=-16,length=30,width=6,count=12 + patch:mu=0.25,x0=150,x1=220,y0=0,y1=5"
}
"""Roads that are made of others, by name."""


def road(text: str, friction: float = 0.8) -> Road:
    """Return a road from its description, and a default friction coefficient.

    Terms are joined by ``+``, each a name or a file, with options after a colon: ``NAME:VALUE``,
    ``NAME:WORD=VALUE,WORD=VALUE``.  Heights are added up; friction is that of a file that has it, or of
    ``mu``, and ``patch`` lies over it.  Numbers are in SI or have units.

    Examples
    --------
    >>> rough = road("grade:0.05 + iso8608:C,seed=3")
    >>> round(rough.height(-10.0, 0.0), 12)
    -0.5
    """
    terms = split_terms(text)
    # the layer below patches first, in any order of the terms
    frictions = sorted((term for term in terms if term[0] in FRICTIONS), key=lambda term: term[0] != "mu")
    roads = [make_road(name, given, friction) for name, given in terms if name not in FRICTIONS]
    everywhere = [name for name, _ in frictions if name == "mu"]
    everywhere += [part.title for part in roads if isinstance(part.given_friction, Friction)]
    if len(everywhere) > 1:
        raise DataError(
            f"road {checks.show(text)}: the friction of all of it is set {len(everywhere)} times, by "
            f"{', '.join(everywhere)}; leave all but one out, or lay patches over it"
        )
    mu = next((part.given_friction for part in roads if isinstance(part.given_friction, Friction)), friction)
    for name, given in frictions:
        kind = FRICTIONS[name]
        mu = kind.make(mu, values_of(name, kind.words, parse_words(name, kind.words, given)))
    if not roads:
        return FlatRoad(mu)
    return roads[0].with_friction(mu) if len(roads) == 1 else SumRoad(mu, roads)


def split_terms(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the terms of a description, see `split_term`."""
    checks.instance("road", text, str, "a text such as bump:height=0.1", DataError)
    whole = "+".join(PLACES.get(term.strip(), term) for term in text.split("+"))
    return [split_term(term.strip()) for term in whole.split("+")]


def check_road(text: str) -> None:
    """Refuse a description with unknown names, words or values; files are not opened."""
    for name, given in split_terms(text):
        if is_map_file(name):
            parse_words(name, FILE_WORDS, given)
        elif name in FRICTIONS:
            parse_words(name, FRICTIONS[name].words, given)
        else:
            make_road(name, given, 1.0)


def split_term(term: str) -> tuple[str, dict[str, Any]]:
    """Return the name and its options; values without a name are under the empty one."""
    name, colon, rest = term.partition(":")
    if len(name) == 1 and name.isalpha() and rest[:1] in ("\\", "/"):  # a drive of Windows
        name, colon, rest = term[:2] + rest.partition(":")[0], *rest.partition(":")[1:]
    given: dict[str, Any] = {}
    if colon:
        for part in rest.split(","):
            word, equals, value = part.partition("=")
            key, text = (word.strip(), value.strip()) if equals else ("", word.strip())
            if not text or key in given or (equals and not key) or (given and not key):
                raise DataError(
                    f"road {term!r}: {part!r} is not of the form word=value, or set twice; "
                    "for example bump:height=0.1,length=2"
                )
            given[key] = text
    return name.strip(), given


def make_road(name: str, given: dict[str, Any], friction: float | Friction) -> Road:
    """Return one road of a description."""
    if is_map_file(name):
        return read_map(name, friction, **parse_words(name, FILE_WORDS, given))
    if name not in ROADS:
        known = [*ROADS, *FRICTIONS, *PLACES]
        raise DataError(
            f"no road {checks.show(name)}{checks.known_are(name, known)}, and files .crg, .npy, .npz, .tif"
        )
    kind = ROADS[name]
    road: Road = kind.make(friction, values_of(name, kind.words, parse_words(name, kind.words, given)))
    return road


def parse_words(name: str, words: tuple[Option, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Return the given values in SI, by word; a value without a word belongs to the first word."""
    owner = f"road {name!r}"
    if "" in given:
        if not words:
            raise DataError(f"{owner} takes nothing, got {given['']!r}")
        if words[0].name in given:
            raise DataError(f"{owner}: {words[0].name} is given twice")
    return parse_values(owner, words, {key or words[0].name: text for key, text in given.items()})
