"""Aggregated bodies led by none of their hinges: by a path coordinate, or by coordinates on a chart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.charts.linkage import ChartLinkage
from ce_dynamics.embedding.charts.start import find_start, moving_as
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.path.linkage import PathLinkage
from ce_dynamics.embedding.path.start import path_position, path_rate
from ce_dynamics.errors import IndependentCoordinatesError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System

if TYPE_CHECKING:
    from ce_dynamics.embedding.aggregate import Aggregate


def along_path(S: Aggregate, N: int) -> Aggregate:
    """The same led by no hinge: by the position along the path of its configurations, or on a chart of them.

    Parameters
    ----------
    S : Aggregate
    N : int
        Its degrees of freedom.

    Raises
    ------
    IndependentCoordinatesError
        If it has no degree of freedom, or moves with something else.
    """
    others = {
        "its lack of freedom": N == 0,
        f"the prescribed motion of {[body.name for body in (*S.prescribed, *S.siblings)]}": bool(
            S.prescribed or S.siblings
        ),
        f"its linkages {[type(link).__name__ for link in S.linkages]}": bool(S.linkages),
    }
    for what, unfit in others.items():
        if unfit:
            raise IndependentCoordinatesError(
                f"the loop of {S.name!r} cannot be led through dead centres because of {what}; that takes "
                f"a degree of freedom and nothing else that moves the loop: leave through_dead_centres out"
            )
    linkage = path_linkage(S) if N == 1 else ChartLinkage(every_hinge(S))
    return replace(S, independent=(linkage.coordinate,), dependent=S.bodies, linkages=(linkage,))


def every_hinge(S: Aggregate) -> Loop:
    """The loop with all hinges dependent."""
    return Loop(S.parent, S.bodies, S.closures, S.bodies)


def path_linkage(S: Aggregate) -> PathLinkage:
    """The path of an aggregated body with one degree of freedom."""
    named = [body for body in S.bodies if any(body.name in loop.independent for loop in S.closures)]
    return PathLinkage(every_hinge(S), named[0] if named else None)


def path_of(S: Aggregate) -> PathLinkage | None:
    """The linkage of an aggregated body with a path coordinate."""
    return next((link for link in S.linkages if isinstance(link, PathLinkage)), None)


def chart_of(S: Aggregate) -> ChartLinkage | None:
    """The linkage of an aggregated body with coordinates on a chart."""
    return next((link for link in S.linkages if isinstance(link, ChartLinkage)), None)


def led_by_no_hinge(S: Aggregate) -> bool:
    """Return True if initial values may be given for any hinge."""
    return path_of(S) is not None or chart_of(S) is not None


def start_led_by_no_hinge(system: System, S: Aggregate) -> tuple[Array, Array]:
    """Initial coordinates and rates of what stands for the aggregated body's coordinates."""
    path, chart = path_of(S), chart_of(S)
    if path is not None:
        s, s_dot = start_on_path(system, S, path)
        return np.array((s,)), np.array((s_dot,))
    assert chart is not None
    return start_on_chart(system, S, chart)


def start_on_chart(system: System, S: Aggregate, linkage: ChartLinkage) -> tuple[Array, Array]:
    """Initial chart and rates, from the coordinates and rates of some hinges.

    Hinges that the user named independent and gave no initial value for stay where they are.
    """
    named = {name for loop in S.closures for name in loop.independent}

    def split_given(values: dict[str, Array]) -> tuple[dict[Body, float], list[Body]]:
        known = {body: float(values[body.name][0]) for body in S.bodies if body.name in values}
        others = [body for body in S.bodies if body.name in named and body not in known]
        return known, others[: max(S.N - len(known), 0)]

    q = find_start(linkage, *split_given(system.initial))
    v = moving_as(linkage, q, *split_given(system.initial_rates))
    return linkage.chart(q), linkage.rates(q, v)


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
