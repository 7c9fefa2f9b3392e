"""Words of data files for trailers: the hitch of each, and the unit ahead of it.

::

    trailers:
      dolly: {hitch: pintle}
      semi: {hitch: fifth-wheel, behind: dolly}
    axles:
      dolly_axle: {suspension: leaf-spring, trailer: dolly}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.entries import Assignment
from ce_dynamics.models.vehicles.trailers.hitches import HITCHES

EXAMPLE = "trailers: {caravan: {hitch: ball}}"
MOST_TRAILERS = 4


@dataclass(frozen=True)
class TrailerLayout:
    """A trailer: its name, its hitch by name, and the trailer it is coupled to, if not to the vehicle."""

    name: str
    hitch: str
    behind: str | None = None


def trailers_of(words: Sequence[Assignment], label: str) -> tuple[TrailerLayout, ...]:
    """The trailers, each after what tows it.

    Raises
    ------
    DataError
        If one has no hitch, a word is unknown, or one is behind what is none, or behind itself.
    """
    said: dict[str, dict[str, str]] = {}
    for (_, name, *rest), entry in (word for word in words if word.key[0] == "trailers"):
        if len(rest) != 1 or rest[0] not in ("hitch", "behind") or not isinstance(entry.value, str):
            shown = checks.shown(".".join((name, *rest)))
            raise DataError(f"{entry.where}: trailers: {shown}: a trailer has hitch, behind; {EXAMPLE}")
        if rest[0] == "hitch" and entry.value not in HITCHES:
            raise DataError(
                f"{entry.where}: trailers.{name}.hitch: unknown {checks.shown(entry.value)}; "
                f"known are {', '.join(HITCHES)}"
            )
        said.setdefault(name, {})[rest[0]] = entry.value
    for name, chosen in said.items():
        if "hitch" not in chosen:
            raise DataError(f"{label}: trailers.{name}: no hitch is named; known are {', '.join(HITCHES)}")
        if chosen.get("behind", name) not in said or chosen.get("behind") == name:
            raise DataError(
                f"{label}: trailers.{name}.behind: {checks.shown(chosen['behind'])} is no other trailer; "
                "leave it out for one that the vehicle itself tows"
            )
    if len(said) > MOST_TRAILERS:
        raise DataError(f"{label}: trailers: {len(said)} of them; at most {MOST_TRAILERS} are allowed")
    return in_order([TrailerLayout(name, **chosen) for name, chosen in said.items()], label)


def in_order(trailers: list[TrailerLayout], label: str) -> tuple[TrailerLayout, ...]:
    """Each after what tows it."""
    placed: list[TrailerLayout] = []
    left = trailers
    while left:
        there = {None, *(one.name for one in placed)}
        ready = [one for one in left if one.behind in there]
        if not ready:
            names = " and ".join(one.name for one in left)
            raise DataError(
                f"{label}: trailers: {names} are behind one another; leave out 'behind' of the first"
            )
        placed += ready
        left = [one for one in left if one not in ready]
    return tuple(placed)
