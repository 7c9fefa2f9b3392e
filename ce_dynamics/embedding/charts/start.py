"""Configuration and motion of a loop with several freedoms from those of some of its hinges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.algebra.newton import LONGEST_TURN, Polished, largest, polish
from ce_dynamics.embedding.charts.linkage import ChartLinkage
from ce_dynamics.embedding.closures.assembly import explain_open_loop
from ce_dynamics.embedding.closures.closure_errors import numerical_rank
from ce_dynamics.errors import AssemblyError, IndependentCoordinatesError
from ce_dynamics.mechanism.body import Body

SUBSTEP = 0.05  # of a given coordinate [rad, or sizes of the loop]
SMALLEST = (
    2.0**-12
)  # of a substep: where branches come nearer to each other than that, they are taken to cross
ITERATIONS = 30


def find_start(linkage: ChartLinkage, given: Mapping[Body, float], held: Sequence[Body]) -> Array:
    """Coordinates of all hinges with some as given, led there from the design pose with as little else moved.

    Parameters
    ----------
    linkage : ChartLinkage
    given : mapping of Body to float
        Coordinates of hinges with one coordinate.
    held : sequence of Body
        Hinges that stay as they are in the design pose.

    Raises
    ------
    AssemblyError
        If there is no such configuration.
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
    """Conditions on all scaled velocities: the closures', and one for each coordinate that is given."""
    _, Y = linkage.kernel(q, linkage.kernel.p0)
    return np.vstack((linkage.kernel.scale_columns(Y), velocity_rows(linkage, places)))


def is_beyond(before: Array, ahead: Array) -> bool:
    """Return True if a pose is on another branch than the one before, or behind a singular one.

    Square conditions change the sign of their determinant there.  With redundant rows, as planar loops have,
    Aᵀ(before) A(ahead) takes its place, which is near AᵀA > 0 for a small step on the same branch.
    """
    m = before.shape[1]
    if numerical_rank(before) < m:
        return False  # some hinges are not led: nothing tells branches apart
    return bool(np.linalg.slogdet(before.T @ ahead)[0] <= 0.0)


def close_with(linkage: ChartLinkage, q: Array, places: list[int], wanted: Array) -> Polished:
    """Coordinates that close the loop with some as wanted, and what stays open."""
    kernel, rows = linkage.kernel, velocity_rows(linkage, places)

    def equations(q: Array) -> tuple[Array, Array]:
        r, Y = kernel(q, kernel.p0)
        off = (q[places] - wanted) / linkage.scales[places]
        return np.concatenate((r, off)), np.vstack((kernel.scale_columns(Y), rows))

    return polish(
        equations, kernel.move, q, kernel.tolerance, iterations=ITERATIONS, rcond=1e-10, longest=LONGEST_TURN
    )


def moving_as(linkage: ChartLinkage, q: Array, given: Mapping[Body, float], held: Sequence[Body]) -> Array:
    """Velocities of all hinges with some as given, others at rest.

    Raises
    ------
    IndependentCoordinatesError
        If the loop cannot move like that, or if that does not tell how it moves.
    """
    kernel = linkage.kernel
    if not given:
        return np.zeros(linkage.loop.m)
    places = [coordinate_place(linkage, body) for body in (*given, *held)]
    _, Y = kernel(q, kernel.p0)
    A = np.vstack((kernel.scale_columns(Y), velocity_rows(linkage, places)))
    rates = np.array([*given.values(), *np.zeros(len(held))]) / linkage.scales[places]
    v = least_squares(A, np.concatenate((np.zeros(len(Y)), rates)), 1e-10)
    names = [body.name for body in (*given, *held)]
    if largest(A @ v - np.concatenate((np.zeros(len(Y)), rates))) > 1e-9 * max(1.0, largest(rates)):
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
    start = 0
    for other in linkage.loop.dependent:
        if other is body and body.inboard.n_q == 1:
            return start
        start += other.inboard.n_q
    usable = [other.name for other in linkage.loop.dependent if other.inboard.n_q == 1]
    raise IndependentCoordinatesError(
        f"body {body.name!r}: initial values of a loop that no hinge leads are given by hinges with one "
        f"coordinate; choose from {usable}"
    )


def velocity_rows(linkage: ChartLinkage, places: list[int]) -> Array:
    """Rows that pick the scaled velocities of hinges with one coordinate."""
    owners = {}
    q_start = v_start = 0
    for body in linkage.loop.dependent:
        owners[q_start] = v_start
        q_start, v_start = q_start + body.inboard.n_q, v_start + body.inboard.n_v
    return np.eye(linkage.loop.m)[[owners[place] for place in places]]
