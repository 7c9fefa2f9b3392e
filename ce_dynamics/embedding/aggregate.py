"""A system as a tree of aggregated bodies, their gearing, and errors that closures may have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, sqrt, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.embedding.closures.loop import Loop, parts_of, velocity_scales
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.inertia import PrincipalInertia, principal_inertia
from ce_dynamics.mechanism.system import System


@dataclass(frozen=True, eq=False)
class Aggregate:
    """An aggregated body S; an ordinary body is the case of one member and no closure."""

    parent: Body  # p, the body outside S that carries it
    bodies: tuple[Body, ...]  # S(S) in spanning-tree order
    closures: tuple[CutEdge, ...]  # cut edges inside S (or between S and p, or S and a sibling)
    # bodies by the role of their inboard hinge.  What stands for a coordinate that is no whole hinge is
    # independent too, but none of ``bodies``
    independent: tuple[Body, ...]
    prescribed: tuple[Body, ...]
    dependent: tuple[Body, ...]
    # bodies outside S, moving in a prescribed way relative to p, that closures of S attach to
    siblings: tuple[Body, ...]
    linkages: tuple[Linkage, ...]  # closed forms that find the dependent hinges
    # conditions that tie independent coordinates which are no whole hinges to the hinges
    leading: tuple[Written, ...] = ()

    @property
    def virtual(self) -> tuple[Body, ...]:
        """Virtual bodies of the independent coordinates that are not whole hinges."""
        return tuple(body for body in self.independent if body not in self.bodies)

    @property
    def name(self) -> str:
        """Name of the first body: the one that moves on p."""
        return self.bodies[0].name

    @property
    def loop(self) -> Loop:
        """S with its closures and dependent hinges."""
        return Loop(self.parent, self.bodies, self.closures, self.dependent)

    @property
    def N(self) -> int:
        """N(S), the number of independent rates."""
        return sum(body.inboard.n_v for body in self.independent)

    @cached_property
    def inertia(self) -> dict[str, PrincipalInertia]:
        """Inertia of every body about its centre of mass.

        That of a body which cannot turn on its carrier counts there: both turn alike, so that sums over S
        are the same, and there is one inertia less to turn.
        """
        inertia = {body.name: body.inertia for body in self.bodies}
        for body in reversed(self.bodies):
            if not body.inboard.turns and body.carrier.name in inertia:
                inertia[body.carrier.name] = inertia[body.carrier.name] + inertia[body.name]
                inertia[body.name] = zeros(3, 3)
        return {name: principal_inertia(total) for name, total in inertia.items()}

    def columns(self, body: Body) -> slice:
        """Return entries of θ̇(S) that belong to an independent hinge."""
        for other, _, part in parts_of(self.independent):
            if other is body:
                return part
        raise KeyError(body.name)


@dataclass(frozen=True, eq=False)
class Embedding:
    """A system as a tree of aggregated bodies, and where its coordinates are in q and v.

    ``aggregates`` are ordered from base to tip (and prescribed siblings before what closes against them);
    q and v hold the independent hinges in the order in which their bodies were added (a path coordinate in
    the place of the first body of its loop).
    """

    system: System
    aggregates: tuple[Aggregate, ...]
    q_of: dict[str, slice]
    v_of: dict[str, slice]
    owner: dict[str, Aggregate]

    @property
    def coordinates(self) -> dict[str, Body]:
        """Owners of the independent coordinates by name, in the order of q and v."""
        owners = [body for S in self.aggregates for body in S.independent]
        return {body.name: body for body in order_bodies(owners)}

    def places(self, S: Aggregate) -> list[int]:
        """Return places of θ̇(S) in v."""
        parts = (self.v_of[body.name] for body in S.independent)
        return [k for part in parts for k in range(part.start, part.stop)]

    def part_of(self, S: Aggregate, v: Array) -> Array:
        """Return the velocities, or accelerations, of S."""
        return array(v[k] for k in self.places(S))

    @property
    def n_q(self) -> int:
        """Number of independent coordinates."""
        return sum(s.stop - s.start for s in self.q_of.values())

    @property
    def n_v(self) -> int:
        """Number of independent velocities: the degrees of freedom."""
        return sum(s.stop - s.start for s in self.v_of.values())


def order_bodies(bodies: Iterable[Body]) -> list[Body]:
    """Return bodies in the order in which they were added."""
    return sorted(bodies, key=lambda body: body.index)


def slices(sizes: Iterable[tuple[str, int]]) -> dict[str, slice]:
    """Return consecutive slices of the given sizes."""
    result: dict[str, slice] = {}
    start = 0
    for name, size in sizes:
        result[name] = slice(start, start + size)
        start += size
    return result


CLOSED = 1e-9  # largest closure error, in sizes of the loop: rounding leaves 1e-15


def closure_limits(embedding: Embedding) -> Floats:
    """Return the largest error of every closure that counts as closed, in the order of `System.closures`."""
    sizes = {loop.name: S.loop.size for S in embedding.aggregates for loop in S.closures}
    return CLOSED * np.array([sizes[loop.name] for loop in embedding.system.closures])


def gearing(S: Aggregate, motion: SubgraphMotion) -> Scalar:
    """Return the Frobenius norm of the dependent rows of X_S, per radian or size of the loop.

    It grows without bound towards a configuration that the independent hinges cannot lead.  The largest
    singular value is at most this norm, which needs no iteration.
    """
    size = S.loop.size
    given = velocity_scales(S.independent, size)
    squared: Scalar = 0.0
    for body in S.dependent:
        X = motion.hinge_motions[body.name].X * given / velocity_scales([body], size)[:, None]
        for entry in X.flat:
            squared = squared + entry * entry
    return sqrt(squared)
