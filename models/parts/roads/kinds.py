"""Roads by name: what may be written for each, and how it is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.bump import BumpRoad
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import EDGE, Friction, FrictionPatch, SplitFriction
from ce_dynamics.models.parts.roads.iso8608 import BAND, RandomRoad
from ce_dynamics.models.parts.roads.kerb import KerbRoad
from ce_dynamics.models.parts.roads.planes import FlatRoad, InclinedRoad
from ce_dynamics.models.parts.roads.ramp import RampRoad

Values: TypeAlias = Mapping[str, Any]


class Word(NamedTuple):
    """One thing that may be said of a road.

    Attributes
    ----------
    name : str
    unit : str
        ``"1"`` for a plain number, empty for text.
    default : float or str or None
        None where it must be said.
    about : str
        One line for the help text.
    """

    name: str
    unit: str
    default: float | str | None
    about: str


class RoadKind(NamedTuple):
    """A road by name: what it is, what may be said of it, how it is made of friction and values."""

    about: str
    words: tuple[Word, ...]
    make: Callable[[float | Friction, Values], Road]


class FrictionKind(NamedTuple):
    """Friction by name: made of what lies around it and values."""

    about: str
    words: tuple[Word, ...]
    make: Callable[[float | Friction, Values], Friction]


TRACK = Word("track", "", "both", "both, left or right")

ROADS: dict[str, RoadKind] = {
    "flat": RoadKind("the plane z = 0", (), lambda mu, v: FlatRoad(mu)),
    "grade": RoadKind(
        "a plane uphill along x",
        (Word("grade", "1", None, "rise over run"),),
        lambda mu, v: InclinedRoad(mu, math.atan(v["grade"])),
    ),
    "bank": RoadKind(
        "a plane that is higher on the left",
        (Word("slope", "1", None, "rise over run, to the left"),),
        lambda mu, v: InclinedRoad(mu, 0.0, math.atan(v["slope"])),
    ),
    "ramp": RoadKind(
        "level, of one grade, level again",
        (
            Word("grade", "1", 0.1, "rise over run"),
            Word("position", "m", 10.0, "where it begins"),
            Word("length", "m", 20.0, "how long it is"),
            Word("rounding", "m", 1.0, "length over which the grade changes"),
        ),
        lambda mu, v: RampRoad(mu, **v),
    ),
    "bump": RoadKind(
        "a smooth bump across the road, or a dip",
        (
            Word("height", "m", 0.1, "negative for a dip"),
            Word("length", "m", 2.0, "along x"),
            Word("position", "m", 8.0, "where it begins"),
            TRACK,
        ),
        lambda mu, v: BumpRoad(mu, **v),
    ),
    "kerb": RoadKind(
        "a step up, and after a length down again",
        (
            Word("height", "m", 0.1, "negative for a step down"),
            Word("position", "m", 10.0, "where it begins"),
            Word("length", "m", 0.0, "to the end of the step down; 0 stays up"),
            Word("edge", "m", 0.05, "width of an edge"),
            TRACK,
        ),
        lambda mu, v: KerbRoad(mu, **v),
    ),
    "iso8608": RoadKind(
        "a random road of ISO 8608 under both tracks",
        (
            Word("class", "", "C", "A (very good) to H"),
            Word("seed", "1", 1.0, "of the random phases"),
            Word("track", "m", 1.6, "distance of the two tracks"),
            Word("start", "m", 5.0, "x up to which it is even"),
            Word("fade", "m", 10.0, "length over which roughness sets in"),
            Word("length", "m", 1000.0, "after which it repeats itself"),
            Word("shortest", "m", 1.0 / BAND[1], "wavelength"),
            Word("longest", "m", 1.0 / BAND[0], "wavelength"),
            Word("waviness", "1", 2.0, "exponent of the spectrum"),
        ),
        lambda mu, v: RandomRoad(mu, road_class=v["class"], **{k: x for k, x in v.items() if k != "class"}),
    ),
}
"""Roads of formulas by name; files are in `ce_dynamics.models.parts.roads.map_files`."""

FRICTIONS: dict[str, FrictionKind] = {
    "mu": FrictionKind(
        "another friction on the left than on the right",
        (
            Word("left", "1", None, "friction coefficient"),
            Word("right", "1", None, "friction coefficient"),
            Word("y", "m", 0.0, "where the left begins"),
            Word("edge", "m", EDGE, "width over which it changes"),
        ),
        lambda around, v: SplitFriction(**v),
    ),
    "patch": FrictionKind(
        "a rectangle of another friction",
        (
            Word("mu", "1", None, "friction coefficient"),
            Word("x0", "m", None, "from"),
            Word("x1", "m", None, "to"),
            Word("y0", "m", -1e4, "from"),
            Word("y1", "m", 1e4, "to"),
            Word("edge", "m", EDGE, "width over which it changes"),
        ),
        lambda around, v: FrictionPatch(v["mu"], (v["x0"], v["x1"]), (v["y0"], v["y1"]), around, v["edge"]),
    ),
}
"""Friction by name."""


def filled(owner: str, words: tuple[Word, ...], given: Values) -> dict[str, Any]:
    """All values, defaults where none are given.

    Raises
    ------
    DataError
        If something must be said and is not.
    """
    missing = [word.name for word in words if word.default is None and word.name not in given]
    if missing:
        raise DataError(f"{owner}: say {', '.join(missing)}, for example {owner}:{missing[0]}=0.5")
    return {word.name: given.get(word.name, word.default) for word in words}
