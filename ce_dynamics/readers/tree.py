"""Helps the readers build a system: notes, independent coordinates, names taken, stops."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.variables import RESERVED, valid_name
from ce_dynamics.dynamics.energy import ENERGIES
from ce_dynamics.dynamics.state import join_name, rate_name
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.closures.leading import group_leads
from ce_dynamics.embedding.closures.precision import give_back, settle
from ce_dynamics.embedding.embed import driven_bodies, merge_groups
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.mechanism.body import Body, carries
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.frames import RIGHT_ANGLE, Gap


@contextmanager
def locate_errors(place: str) -> Iterator[None]:
    """Add the place in the file to errors of a description."""
    try:
        yield
    except DataError:
        raise
    except ModelError as error:
        raise DataError(f"{place}: {error}") from error


def gap_note(gap: Gap, place: str) -> list[str]:
    """Return a note on a loop that is open in the design pose; none if it is closed."""
    if gap.is_closed:
        return []
    if gap.angle >= RIGHT_ANGLE:
        raise DataError(
            f"{place}: its two frames are apart by {gap} in the zero pose; from 90 deg on it might close the "
            f"wrong way round: choose the zero pose, or one of the frames, so that they are nearer"
        )
    return [f"{place}: open by {gap} in the zero pose; it is assembled from there"]


def massless_tip(system: System, body: Body) -> bool:
    """Return True if a moving body and all bodies it carries have no mass, no inertia and no closure."""
    moved = [other for other in system.bodies if carries(body, other)]
    ends = [end for loop in system.closures for end in loop.bodies]
    light = all(other.mass == 0.0 and not other.inertia.any() for other in moved)
    return body.inboard.n_v > 0 and light and not any(end in moved for end in ends)


def choose_independent(system: System, chosen: Callable[[Collection[Body]], list[Body]]) -> None:
    """Name the independent coordinates of every aggregated body, as ``chosen`` picks them from its bodies.

    Where hinges with several coordinates are in its loops, and what is picked is too little, components of
    others lead beside it.
    """
    settle(system, merge_groups(system, set()))
    driven = driven_bodies(system)
    picked: dict[str, tuple[tuple[str, ...], tuple[FunctionCoordinate, ...]]] = {}
    for bodies, closures in merge_groups(system, driven):
        found = chosen(bodies)
        whole, others = [body for body in bodies if body in found], list[FunctionCoordinate]()
        if (
            whole
            and any(body.inboard.n_v > 1 for body in bodies)
            and not driven & {body.name for body in bodies}
        ):
            freedoms = Freedoms(bodies, closures, bodies)
            if sum(body.inboard.n_v for body in whole) < freedoms.number:
                whole, others = group_leads(freedoms.choice.with_components(wanted=whole) or whole)
        picked[closures[0].name] = tuple(body.name for body in bodies if body in whole), tuple(others)
    give_back(system)  # before closures are copied
    system.closures = [
        choose_leads(loop, *picked.get(loop.name, (loop.independent, loop.leading)))
        for loop in system.closures
    ]


def choose_leads(
    loop: CutEdge, independent: tuple[str, ...], leading: tuple[FunctionCoordinate, ...]
) -> CutEdge:
    """Return the closure with other independent hinges and coordinates."""
    result = loop.with_leads(independent)
    object.__setattr__(result, "leading", leading)
    return result


def taken_names(system: System) -> set[str]:
    """Return the names in results: coordinates, velocities, outputs, measurements, energies, reserved."""
    names = {*ENERGIES, *RESERVED, *system.outputs, *system.measurements}
    for body in system.bodies:
        hinge = body.inboard
        names |= {join_name(body.name, suffix) for suffix in hinge.coordinate_names}
        names |= {rate_name(body.name, suffix, hinge.coordinate_names) for suffix in hinge.velocity_names}
    return {valid_name(name) for name in names}


def check_stops(reader: str, given: object) -> tuple[float, float] | None:
    """Return stiffness and dissipation of stops, as a caller gives them."""
    if given is None:
        return None
    stiffness, dissipation = checks.vector(f"{reader}: stops", given, 2).tolist()
    return stiffness, dissipation
