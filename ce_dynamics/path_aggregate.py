"""Aggregated bodies whose coordinate is the position along the path of their configurations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ce_dynamics.errors import IndependentCoordinatesError
from ce_dynamics.loops.path_linkage import PathLinkage
from ce_dynamics.loops.path_start import path_position, path_rate
from ce_dynamics.loops.trial import Loop
from ce_dynamics.system import System

if TYPE_CHECKING:
    from ce_dynamics.embedding import Aggregate


def along_path(S: Aggregate) -> Aggregate:
    """The same with the position along the path of its configurations as the coordinate.

    Raises
    ------
    IndependentCoordinatesError
        If it has not one degree of freedom, or moves with something else.
    """
    others = {
        f"its {S.N} degrees of freedom": S.N != 1,
        f"the prescribed motion of {[body.name for body in (*S.prescribed, *S.siblings)]}": bool(
            S.prescribed or S.siblings
        ),
        f"its linkages {[type(link).__name__ for link in S.linkages]}": bool(S.linkages),
    }
    for what, unfit in others.items():
        if unfit:
            raise IndependentCoordinatesError(
                f"the loop of {S.name!r} cannot be led through dead centres because of {what}; that takes "
                f"one degree of freedom and nothing else that moves the loop: leave through_dead_centres out"
            )
    linkage = path_linkage(S)
    return replace(S, independent=(linkage.coordinate,), dependent=S.bodies, linkages=(linkage,))


def path_linkage(S: Aggregate) -> PathLinkage:
    """The path of an aggregated body with one degree of freedom."""
    named = [body for body in S.bodies if any(body.name in loop.independent for loop in S.closures)]
    return PathLinkage(Loop(S.parent, S.bodies, S.closures, S.bodies), named[0] if named else None)


def path_of(S: Aggregate) -> PathLinkage | None:
    """The linkage of an aggregated body with a path coordinate."""
    return next((link for link in S.linkages if isinstance(link, PathLinkage)), None)


def start_on_path(system: System, S: Aggregate, linkage: PathLinkage) -> tuple[float, float]:
    """Initial path coordinate and rate, from one hinge's coordinate and one hinge's rate.

    Raises
    ------
    IndependentCoordinatesError
        If several hinges were given.
    """
    placed = [body for body in S.bodies if body.name in system.initial]
    moved = [body for body in S.bodies if body.name in system.initial_rates]
    for given, what in ((placed, "coordinates"), (moved, "rates")):
        if len(given) > 1:
            raise IndependentCoordinatesError(
                f"the loop of {S.name!r} has one degree of freedom, but initial {what} were given for "
                f"{[body.name for body in given]}; give those of one hinge"
            )
    s = s_dot = 0.0
    for body in placed:
        s = path_position(linkage, body, float(system.initial[body.name][0]))
    for body in moved:
        s_dot = path_rate(linkage, body, s, float(system.initial_rates[body.name][0]))
    return s, s_dot
