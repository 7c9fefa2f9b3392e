"""Geometry that means to be exact: axes that are parallel or perpendicular, points and lines that meet.

Some loops move only because of such relations: a planar one because all of its axes are parallel, a spherical
one because they meet in a point.  Data have them up to their printed digits.  Taken literally such a loop is
locked, or its redundant conditions contradict each other as it moves; so hinges are moved, by less than a
tolerance, to where the relations hold to the last bit, if conditions of the loop are redundant then.  Others
stay as given.

A loop that then still cannot be assembled, or is locked, by less than the tolerance, is closed in the
least-squares sense: two balls on one axis, whose distance differs from body to body.  As many of its
conditions are kept as are independent there and close by; the others stay as open as the data have them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, cross
from ce_dynamics.algebra.dense import least_squares, singular_values_and_vectors
from ce_dynamics.compiler.free_numbers import is_free
from ce_dynamics.embedding.closures.assembly import independent_rows, least_open_poses, with_single_conditions
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.equal_loops import find_freedoms, known_loops, shape_of
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.closures.loop import EPSILON, Loop, rows_of
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.assumptions import ROUNDING, TOLERANCE, Assumption, Original
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure, joints_in
from ce_dynamics.mechanism.hinges import (
    Condition,
    Cylindrical,
    Distance,
    Hinge,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ce_dynamics.mechanism.hinges.conditions import Angle, InPart, InPlane, Separation
from ce_dynamics.mechanism.system import System

LINES = (Revolute, Cylindrical, Screw)
POINTS = (Spherical, Universal)
MAY_AGREE = (InPlane, Angle, Separation)  # conditions that may be left out where others imply them, nearly
SHALLOW = 0.05  # sine of the angle between two lines below which their intersection is not determined

Owner = Body | LoopClosure
Group = tuple[Sequence[Body], Sequence[CutEdge]]


@dataclass(eq=False)
class HingePlace:
    """Directions and point of a hinge, both of which may be moved."""

    owner: Owner
    hinge: Hinge  # hinge of the model, before any move
    directions: list[Array] = field(init=False)  # (3,)
    at: Array = field(init=False)  # (3,)

    def __post_init__(self) -> None:
        self.directions = [getattr(self.hinge, name) for name in self.hinge.directions]
        self.at = self.hinge.at

    @property
    def as_given(self) -> bool:
        """True if it was not moved at all."""
        return not self.rotation and not self.displacement

    @property
    def rotation(self) -> float:
        """By how much directions were turned [rad]."""
        given = [getattr(self.hinge, name) for name in self.hinge.directions]
        turns = [np.linalg.norm(a - b) for a, b in zip(self.directions, given, strict=True)]
        return float(max(turns, default=0.0))

    @property
    def displacement(self) -> float:
        """By how much the point was moved [m]."""
        return float(np.linalg.norm(self.at - self.hinge.at))

    def apply(self) -> Original:
        """Let its owner have the moved hinge; what the owner had."""
        attribute = "hinge" if isinstance(self.owner, Body) else "closure"
        original = Original(self.owner, attribute, self.hinge)
        object.__setattr__(self.owner, attribute, self.hinge.relocate(self.directions, self.at))
        return original


def settle(system: System, groups: Sequence[Group]) -> None:
    """Take the geometry of some sub-graphs, which share no body, as exact where their freedoms depend on it.

    ``system.assumptions`` list what was moved; embedding again begins with what the user gave.
    """
    give_back(system)
    for bodies, closures in groups:
        subgraph = Subgraph(bodies, closures)
        if known_loops().settled.find(subgraph.shape) is not None:
            continue
        before = len(system.assumptions)
        moved = subgraph.made_exact(system.tolerance)
        system.assumptions += subgraph.list_assumptions(moved, taken=True)
        system.originals += tuple(place.apply() for place in moved)
        parts = subgraph.independent_conditions(system.tolerance)
        for part in parts:
            system.assumptions += (Assumption(subgraph.name, part.edge.name, "conditions", part.off, True),)
            system.originals += (part.apply(),)
        if not moved and system.tolerance < TOLERANCE:
            system.assumptions += subgraph.list_assumptions(subgraph.made_exact(TOLERANCE), taken=False)
        if not moved and not parts and len(system.assumptions) == before:
            known_loops().settled.add(subgraph.shape, None)


def give_back(system: System) -> None:
    """Restore the geometry that the user gave."""
    for original in system.originals:
        original.restore()
    system.originals, system.assumptions = (), ()


class KeptConditions(NamedTuple):
    """Conditions of a closure that are kept, and by how much the others stay open [m or rad]."""

    edge: LoopClosure
    kept: tuple[Condition, ...]
    off: float

    def apply(self) -> Original:
        """Let the closure keep these alone; return what it had."""
        original = Original(self.edge, "closure", self.edge.closure)
        object.__setattr__(self.edge, "closure", InPart(self.edge.closure, self.kept))
        return original


class Subgraph:
    """Bodies and closures whose geometry may mean to be exact."""

    def __init__(self, bodies: Sequence[Body], closures: Sequence[CutEdge]) -> None:
        self.bodies, self.closures = tuple(sorted(bodies, key=lambda body: body.index)), closures
        self.size = Loop(bodies[0].carrier, self.bodies, tuple(closures), ()).size
        self.name = self.bodies[0].name
        self.shape = shape_of(self.bodies[0].carrier, self.bodies, closures)

    def places(self) -> list[HingePlace]:
        """Return the present places of hinges without free parameters; equal formulas stay equal anyway."""
        owned: list[tuple[Owner, object]] = [(body, body.inboard) for body in self.bodies]
        owned += [(edge, edge.closure) for edge in joints_in(self.closures)]
        return [
            HingePlace(owner, hinge)
            for owner, hinge in owned
            if isinstance(hinge, Hinge)
            and not any(is_free(getattr(hinge, name)) for name in (*hinge.directions, "at"))
        ]

    def made_exact(self, tolerance: float) -> list[HingePlace]:
        """Return hinges moved by at most a tolerance to make conditions redundant; none if none becomes so.

        Directions only, where points are not needed for as many.  Where as many are redundant as it is, but
        for rounding, all stays as it is.
        """
        if tolerance == 0.0:
            return []
        best: list[HingePlace] = []
        most = 0
        for with_points in (False, True):
            found = self.places()
            make_directions_exact(found, tolerance)
            if with_points:
                make_points_meet(found, tolerance * self.size)
            if all(place.as_given for place in found) or (
                with_points and not any(p.displacement for p in found)
            ):
                continue
            moved = [place for place in found if not place.as_given]
            redundant = self.redundant(moved)
            if redundant > most:
                best, most = moved, redundant
        return [] if best and self.redundant() >= most else best

    def redundant(self, moved: Sequence[HingePlace] = ()) -> int:
        """Count the conditions that others imply exactly, with hinges moved; −1 where they contradict."""
        with relocate_hinges(moved):
            try:
                return self._freedoms().redundant_exactly
            except AssemblyError:
                return -1

    def independent_conditions(self, tolerance: float) -> list[KeptConditions]:
        """Return closures that are to keep a part of their conditions, as the others agree to a tolerance.

        None where the loop can be closed, and moves, as it is.  A loop with a screw is left alone: its pitch
        may be as small as what data are off by.
        """
        hinges = [*(body.inboard for body in self.bodies), *(e.closure for e in joints_in(self.closures))]
        bound = sum(edge.rows for edge in self.closures) >= sum(body.inboard.n_v for body in self.bodies)
        open_ones = any(not isinstance(edge.closure, (Hinge, Distance)) for edge in joints_in(self.closures))
        if tolerance == 0.0 or not (bound or open_ones) or any(isinstance(h, Screw) for h in hinges):
            return []
        try:
            if not self._freedoms().held_within(tolerance):
                return []
        except AssemblyError:
            pass
        return drop_redundant(self.bodies, self.closures, tolerance)

    def mobility(self, moved: Sequence[HingePlace] = ()) -> tuple[int, int]:
        """Return freedoms, and hinges that cannot move, with some hinges moved."""
        with relocate_hinges(moved):
            freedoms = self._freedoms()
            return freedoms.number_nearby, len(freedoms.immobile)

    def _freedoms(self) -> Freedoms:
        """Return the freedoms of all hinges; prescribed hinges count as free."""
        return find_freedoms(self.bodies, self.closures, self.bodies)

    def list_assumptions(self, moved: Sequence[HingePlace], taken: bool) -> tuple[Assumption, ...]:
        """Return the assumptions on axes and points of hinges that are moved, or would be moved."""
        found = []
        for place in moved:
            if place.rotation > ROUNDING:
                found.append(Assumption(self.name, place.owner.name, "axis", place.rotation, taken))
            if place.displacement > ROUNDING * self.size:
                found.append(Assumption(self.name, place.owner.name, "point", place.displacement, taken))
        return tuple(found)


def drop_redundant(
    bodies: Sequence[Body], closures: Sequence[CutEdge], tolerance: float
) -> list[KeptConditions]:
    """Return the closures of which conditions agree with others to a tolerance, and what they are to keep."""
    loop = with_single_conditions(bodies, closures)
    if loop.has_free_geometry:
        return []
    kernel = LoopKernel(loop, ())
    near, far = least_open_poses(kernel, tolerance)
    conditions = [
        condition
        for edge in loop.closures
        for condition in (
            edge.closure.constraints if isinstance(edge, LoopClosure) else itertools.repeat(None, edge.rows)
        )
    ]
    sizes = np.array(
        [1.0 if condition is None or isinstance(condition, Angle) else loop.size for condition in conditions]
    )
    off = np.max([np.abs(kernel(q, kernel.p0)[0]) for q in near], axis=0, initial=0.0)
    if not near or np.any(off > tolerance * sizes):
        return []
    loose = np.array([isinstance(condition, MAY_AGREE) for condition in conditions])
    kept = independent_rows(
        [kernel.scale_columns(kernel(q, kernel.p0)[1]) for q in (*near, *far)], loose, tolerance
    )
    parts = []
    for (_, rows), given in zip(rows_of(loop.closures), closures, strict=True):
        mine = range(rows.start, rows.stop)
        left = [k for k in mine if not kept[k]]
        if left and isinstance(given, LoopClosure):
            own = tuple(c for k in mine if kept[k] and (c := conditions[k]) is not None)
            parts.append(KeptConditions(given, own, float(np.max(off[left]))))
    return parts


Member = tuple[HingePlace, int]  # a hinge and the number of one of its directions


@contextmanager
def relocate_hinges(moved: Sequence[HingePlace]) -> Iterator[None]:
    """Move hinges to other places within the block."""
    originals = [place.apply() for place in moved]
    try:
        yield
    finally:
        for original in originals:
            original.restore()


def make_directions_exact(places: Sequence[HingePlace], tolerance: float) -> None:
    """Turn directions that are parallel or perpendicular to within a tolerance to be exactly so.

    Of those that are parallel to one another the one that is least off from the others stays.  Directions
    to which more others are perpendicular stay before those to which fewer are, as does the normal of a plane
    before the many directions in it, and of these those that more hinges have.
    """
    clusters: list[list[Member]] = []
    for place in places:
        mine: list[list[Member]] = []  # the two axes of one hinge are never the same
        for k, direction in enumerate(place.directions):
            near = (
                cluster
                for cluster in clusters
                if angle_between_lines(direction, direction_of(cluster[0])) <= tolerance
                and not any(cluster is other for other in mine)
            )
            cluster = next(near, None)
            if cluster is None:
                cluster = []
                clusters.append(cluster)
            cluster.append((place, k))
            mine.append(cluster)
    settled: list[Array] = []
    across = [perpendiculars(cluster, clusters, tolerance) for cluster in clusters]
    for k in sorted(range(len(clusters)), key=lambda k: (across[k], len(clusters[k])), reverse=True):
        cluster = clusters[k]
        directions = np.array([direction_of(member) for member in cluster])
        off = np.sum([angle_between_lines(directions, other) for other in directions], axis=0)
        exact = perpendicular(directions[int(np.argmin(off))], settled, tolerance)
        settled.append(exact)
        for (place, k), direction in zip(cluster, directions, strict=True):
            place.directions[k] = exact if float(exact @ direction) > 0.0 else -exact


def direction_of(member: Member) -> Array:
    """Return the direction of a member of a cluster."""
    place, k = member
    return place.directions[k]


def perpendiculars(cluster: Sequence[Member], clusters: Sequence[Sequence[Member]], tolerance: float) -> int:
    """Return the number of clusters with directions nearly perpendicular to those of ``cluster``."""
    direction = direction_of(cluster[0])
    return sum(abs(float(direction @ direction_of(other[0]))) <= tolerance for other in clusters)


def angle_between_lines(a: Array, b: Array) -> Array:
    """Return the angle between lines, (..., 3), and another, to first order [rad]."""
    return np.asarray(np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1)))


def perpendicular(direction: Array, others: Sequence[Array], tolerance: float) -> Array:
    """Return the direction, turned to be perpendicular to those to which it nearly is (at most two)."""
    nearly = [other for other in others if 0.0 < abs(float(direction @ other)) <= tolerance]
    nearly += [other for other in others if float(direction @ other) == 0.0] if nearly else []
    if not nearly:
        return direction
    _, singular, Vt = singular_values_and_vectors(np.array(nearly))
    span = Vt[: int(np.sum(singular > SHALLOW))]
    if len(span) > 2:
        return direction
    for _ in range(2):  # once more for the rounding that the first leaves
        direction = direction - span.T @ (span @ direction)
    return np.asarray(direction / np.linalg.norm(direction))


def make_points_meet(places: Sequence[HingePlace], tolerance: float) -> None:
    """Move points and lines that meet to within a tolerance [m] so that they meet exactly."""
    lines = [place for place in places if isinstance(place.hinge, LINES)]
    points = [place for place in places if isinstance(place.hinge, POINTS)]
    waiting = [*points, *lines]
    for P in (*(place.at for place in points), *cross_lines(lines, tolerance)):
        here = [place for place in waiting if float(np.linalg.norm(offset_from_hinge(place, P))) <= tolerance]
        if len(here) < 2:
            continue
        for place in here:
            move(place, offset_from_hinge(place, P))
        waiting = [place for place in waiting if not any(place is other for other in here)]
    fixed = [place for place in lines if not any(place is other for other in waiting)]
    for place in [place for place in lines if any(place is other for other in waiting)]:
        for other in fixed:
            if angle_between_lines(place.directions[0], other.directions[0]) == 0.0:
                aside = offset_from_hinge(other, place.at)
                if float(np.linalg.norm(aside)) <= tolerance:
                    move(place, -aside)
                    break
        fixed.append(place)


def cross_lines(lines: Sequence[HingePlace], tolerance: float) -> Iterator[Array]:
    """Return points where two lines meet to within a tolerance."""
    for one, other in combinations(lines, 2):
        a, b = one.directions[0], other.directions[0]
        n = cross(a, b)
        sine = float(np.linalg.norm(n))
        if sine < SHALLOW:
            continue
        between = other.at - one.at
        if abs(float(between @ n)) <= tolerance * sine:
            # the points of the two lines that are nearest to each other
            along = least_squares(np.column_stack((a, -b)), between, rcond=None)
            yield 0.5 * (one.at + along[0] * a + other.at + along[1] * b)


def offset_from_hinge(place: HingePlace, P: Array) -> Array:
    """Return the vector from a hinge's point, or from the nearest one of its line, to P."""
    to = P - place.at
    if isinstance(place.hinge, LINES):
        to = to - place.directions[0] * float(place.directions[0] @ to)
    return np.asarray(to)


def move(place: HingePlace, by: Array) -> None:
    """Move a hinge's point, unless it is rounding only."""
    if float(np.linalg.norm(by)) > 8.0 * EPSILON * float(np.max(np.abs(place.at), initial=0.0)):
        place.at = place.at + by
