"""Aggregated bodies that none of their hinges leads, on paths or charts; states in which systems start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.algebra.newton import Polished, largest_residual, limit_step, polish
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.charts import ChartLinkage
from ce_dynamics.embedding.closures.assembly import explain_open_loop
from ce_dynamics.embedding.closures.loop import Loop, numerical_rank, parts_of
from ce_dynamics.embedding.path.linkage import PathLinkage, path_position, path_rate, single_coordinates
from ce_dynamics.errors import AssemblyError, IndependentCoordinatesError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System

if TYPE_CHECKING:
    from ce_dynamics.embedding.aggregate import Aggregate


def lead_by_path(S: Aggregate, N: int) -> Aggregate:
    """Return the aggregated body with N freedoms, led along its path or on a chart of its configurations."""
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
    """Return the loop with all hinges dependent."""
    return replace(S.loop, dependent=S.bodies)


def path_linkage(S: Aggregate) -> PathLinkage:
    """Return the path of an aggregated body with one degree of freedom."""
    named = [body for body in S.bodies if any(body.name in loop.independent for loop in S.closures)]
    return PathLinkage(every_hinge(S), named[0] if named else None)


def path_of(S: Aggregate) -> PathLinkage | None:
    """Return the linkage of an aggregated body with a path coordinate."""
    return next((link for link in S.linkages if isinstance(link, PathLinkage)), None)


def chart_of(S: Aggregate) -> ChartLinkage | None:
    """Return the linkage of an aggregated body with coordinates on a chart."""
    return next((link for link in S.linkages if isinstance(link, ChartLinkage)), None)


def led_by_no_hinge(S: Aggregate) -> bool:
    """Return True if initial values may be given for any hinge."""
    return path_of(S) is not None or chart_of(S) is not None


def find_geared_loops(embedding: Embedding) -> tuple[Aggregate, ...]:
    """Return aggregated bodies with closures that some of their own hinges lead."""
    return tuple(
        S for S in embedding.aggregates if S.closures and S.N and S.dependent and not led_by_no_hinge(S)
    )


def start_led_by_no_hinge(system: System, S: Aggregate) -> tuple[Array, Array]:
    """Return the initial values and rates of the coordinates that stand for the aggregated body's."""
    path, chart = path_of(S), chart_of(S)
    if path is not None:
        s, s_dot = start_on_path(system, S, path)
        return np.array((s,)), np.array((s_dot,))
    assert chart is not None
    return start_on_chart(system, S, chart)


def start_on_chart(system: System, S: Aggregate, linkage: ChartLinkage) -> tuple[Array, Array]:
    """Return the initial chart and rates, from the coordinates and rates of some hinges.

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
    """Return the initial path coordinate and rate, from one hinge's coordinate and one hinge's rate."""
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


def neutral_state(embedding: Embedding) -> tuple[Array, Array]:
    """Return initial coordinates and velocities: the design pose at rest, or those of `System.start`."""
    system = embedding.system
    for name in dict.fromkeys((*system.initial, *system.initial_rates)):
        S = embedding.owner.get(name)
        if name not in embedding.q_of and not (S is not None and led_by_no_hinge(S)):
            what = f"coordinate {name!r}" if S is None else f"body {name!r}"
            which = "it" if S is None else "its hinge"
            raise IndependentCoordinatesError(
                f"{what}: initial values were given, but {which} is not independent; give "
                f"those of {list(embedding.q_of)}, or name it in independent=[...] of its closure"
            )
    q, v = np.zeros(embedding.n_q), np.zeros(embedding.n_v)
    for name, body in embedding.coordinates.items():
        q[embedding.q_of[name]] = system.initial.get(name, body.inboard.neutral)
        v[embedding.v_of[name]] = system.initial_rates.get(name, np.zeros(body.inboard.n_v))
    for S in embedding.aggregates:
        if led_by_no_hinge(S):
            (body,) = S.independent
            q[embedding.q_of[body.name]], v[embedding.v_of[body.name]] = start_led_by_no_hinge(system, S)
    return q, v


SUBSTEP = 0.05  # of a given coordinate [rad, or sizes of the loop]
SMALLEST = (
    2.0**-12
)  # of a substep: where branches come nearer to each other than that, they are taken to cross
ITERATIONS = 30


def find_start(linkage: ChartLinkage, given: Mapping[Body, float], held: Sequence[Body]) -> Array:
    """Find coordinates of all hinges with some given, led there from the design pose, moving the rest least.

    ``held`` are hinges that stay as they are in the design pose.
    """
    kernel, q = linkage.kernel, linkage.q0
    places = [coordinate_place(linkage, body) for body in (*given, *held)]
    start = q[places]
    target = np.array([*given.values(), *(q[place] for place in places[len(given) :])])
    span = np.max(np.abs(target - start) / linkage.scales[places], initial=0.0)
    longest = 1.0 / max(1, int(np.ceil(span / SUBSTEP)))
    done, part = 0.0, longest
    conditions = conditions_at(linkage, q, places)
    while done < 1.0:
        there = min(1.0, done + part)
        found, error = close_with(linkage, q, places, start + there * (target - start))
        ahead = conditions_at(linkage, found, places)
        if part > SMALLEST * longest and (error > kernel.tolerance or is_beyond(conditions, ahead)):
            part *= 0.5
            continue
        if error > kernel.tolerance:
            raise AssemblyError(
                f"{explain_open_loop(kernel, found)}; on the way to the initial coordinates "
                f"{ {body.name: value for body, value in given.items()} }, at {there:.0%} of it"
            )
        q, conditions, done, part = found, ahead, there, min(longest, 2.0 * part)
    return q


def conditions_at(linkage: ChartLinkage, q: Array, places: list[int]) -> Array:
    """Return conditions on all scaled velocities: the closures', and one for each given coordinate."""
    _, Y = linkage.kernel(q, linkage.kernel.p0)
    return np.vstack((linkage.kernel.scale_columns(Y), velocity_rows(linkage, places)))


def is_beyond(before: Array, ahead: Array) -> bool:
    """Return True if a pose is on another branch than the one before, or behind a singular one.

    Square conditions change the sign of their determinant there.  With redundant rows, as planar loops have,
    Aᵀ(before) A(ahead) takes its place, which is near AᵀA > 0 for a small step on the same branch.
    """
    m = before.shape[1]
    if numerical_rank(before) < m:
        return False  # some hinges are not led: branches cannot be distinguished
    return bool(np.linalg.slogdet(before.T @ ahead)[0] <= 0.0)


def close_with(linkage: ChartLinkage, q: Array, places: list[int], wanted: Array) -> Polished:
    """Return coordinates that close the loop with some as wanted, and what stays open."""
    kernel, rows = linkage.kernel, velocity_rows(linkage, places)

    def equations(q: Array) -> tuple[Array, Array]:
        r, Y = kernel(q, kernel.p0)
        off = (q[places] - wanted) / linkage.scales[places]
        return np.concatenate((r, off)), np.vstack((kernel.scale_columns(Y), rows))

    def move(q: Array, step: Array) -> Array:
        return kernel.move(q, limit_step(step))

    return polish(equations, move, q, kernel.tolerance, iterations=ITERATIONS, rcond=1e-10)


def moving_as(linkage: ChartLinkage, q: Array, given: Mapping[Body, float], held: Sequence[Body]) -> Array:
    """Return velocities of all hinges with some as given, others at rest."""
    kernel = linkage.kernel
    if not given:
        return np.zeros(linkage.loop.m)
    places = [coordinate_place(linkage, body) for body in (*given, *held)]
    _, Y = kernel(q, kernel.p0)
    A = np.vstack((kernel.scale_columns(Y), velocity_rows(linkage, places)))
    rates = np.array([*given.values(), *np.zeros(len(held))]) / linkage.scales[places]
    v = least_squares(A, np.concatenate((np.zeros(len(Y)), rates)), 1e-10)
    names = [body.name for body in (*given, *held)]
    if largest_residual(A @ v - np.concatenate((np.zeros(len(Y)), rates))) > 1e-9 * max(
        1.0, largest_residual(rates)
    ):
        raise IndependentCoordinatesError(
            f"the loop of {linkage.loop.name!r} cannot move with the initial rates of {names}; give those of "
            f"as many hinges as it has degrees of freedom, {linkage.coordinate.inboard.n_v}, in a "
            f"configuration in which these can move independently"
        )
    if numerical_rank(A) < linkage.loop.m:
        raise IndependentCoordinatesError(
            f"the loop of {linkage.loop.name!r}: the initial rates of {names} do not determine how it moves; "
            f"it has {linkage.coordinate.inboard.n_v} degrees of freedom, give the rates of as many hinges"
        )
    return np.asarray(v * kernel.column_scales)


def coordinate_place(linkage: ChartLinkage, body: Body) -> int:
    """Place of a hinge's only coordinate."""
    places = dict(single_coordinates(linkage.loop))
    if body in places:
        return places[body]
    usable = [other.name for other in places]
    raise IndependentCoordinatesError(
        f"body {body.name!r}: initial values of a loop that no hinge leads are given by hinges with one "
        f"coordinate; choose from {usable}"
    )


def velocity_rows(linkage: ChartLinkage, places: list[int]) -> Array:
    """Return rows that pick the scaled velocities of hinges with one coordinate."""
    owners = {at.start: part.start for _, at, part in parts_of(linkage.loop.dependent)}
    return np.eye(linkage.loop.m)[[owners[place] for place in places]]
