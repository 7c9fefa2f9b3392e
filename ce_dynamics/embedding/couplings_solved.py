"""Dependent hinges found from couplings in closed form, one after the other.

A coupling whose other coordinates are known gives the last one; linear couplings that share several unknown
ones are eliminated together.  Coordinates keep their whole turns, X_S of linear couplings is constant and
their bias zero.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.couplings.base import Coordinate, Coupled

logger = logging.getLogger(__name__)

EXACT = 1e-12  # relative error with which a combination of rows counts as one that leaves a single coordinate


@dataclass(frozen=True, eq=False)
class Solved:
    """One coordinate from one coupling."""

    edge: Coupled
    k: int

    @property
    def unknown(self) -> Coordinate:
        """Coordinate that the coupling determines."""
        return self.edge.coordinates[self.k]

    @property
    def edges(self) -> tuple[Coupled, ...]:
        """Couplings that then hold."""
        return (self.edge,)

    @property
    def linear(self) -> bool:
        """True if they are linear."""
        return self.edge.coupling.row() is not None

    def solve(self, motion: SubgraphMotion) -> None:
        """Set the hinge."""
        q = [
            None if k == self.k else motion.coordinate(body.name, number)
            for k, (body, number) in enumerate(self.edge.coordinates)
        ]
        set_hinge(motion, self.unknown, self.edge.coupling.solve(self.k, q))


@dataclass(frozen=True, eq=False)
class Eliminated:
    """One coordinate from a combination of linear couplings that leaves no other unknown."""

    unknown: Coordinate
    edges: tuple[Coupled, ...]
    known: tuple[Coordinate, ...]
    coefficients: Array  # (known,)
    constant: float
    linear: bool = True

    def solve(self, motion: SubgraphMotion) -> None:
        """Set the hinge."""
        total = self.constant
        for c, (body, k) in zip(self.coefficients, self.known, strict=True):
            total = total + c * motion.coordinate(body.name, k)
        set_hinge(motion, self.unknown, total)


def set_hinge(motion: SubgraphMotion, coordinate: Coordinate, value: object) -> None:
    """Let a hinge with one coordinate move as given."""
    hinge = coordinate.body.inboard
    q, J, drift, _, bias = ScalarMotion.of(value, motion.N).parts
    q_array = array((q,))
    X = array(J).reshape(1, motion.N)
    c = hinge.configuration(q_array)
    motion.set(coordinate.body.name, HingeMotion(c, X, array((drift,)), array((bias,)), q=q_array))


class CoupledHinges(Linkage):
    """Dependent hinges whose coordinates couplings give in closed form, one step after the other."""

    def __init__(self, steps: Sequence[Solved | Eliminated], redundant: Sequence[str] = ()) -> None:
        self.steps = tuple(steps)
        # closures and rows, as of `NumericLinkage`
        self.redundant = tuple((name, 0) for name in redundant)
        if redundant:
            logger.info("redundant couplings %s are dropped", list(redundant))
        self.determines = tuple(step.unknown.body.name for step in steps)
        self.closes = tuple(dict.fromkeys(edge.name for step in steps for edge in step.edges))

    def solve(self, motion: SubgraphMotion) -> None:
        for step in self.steps:
            step.solve(motion)


@dataclass(frozen=True, eq=False)
class CouplingPlan:
    """Steps by which couplings determine coordinates once some hinges are known."""

    steps: list[Solved | Eliminated]
    left: list[Coupled]  # couplings that were not needed or could not be used
    known: set[str]  # bodies whose hinges are known after all steps

    @property
    def complete(self) -> bool:
        """True if nothing is left but linear couplings of known coordinates, which linear ones imply."""
        return all(
            edge.coupling.row() is not None and all(c.body.name in self.known for c in edge.coordinates)
            for edge in self.left
        ) and (not self.left or all(step.linear for step in self.steps))


def plan_couplings(edges: Iterable[Coupled], known: Iterable[str]) -> CouplingPlan:
    """Find whatever couplings determine, given the bodies whose hinges are known."""
    plan = CouplingPlan([], list(edges), set(known))
    while True:
        step = next_solved(plan) or next_eliminated(plan)
        if step is None:
            return plan
        plan.steps.append(step)
        plan.known.add(step.unknown.body.name)
        if isinstance(step, Solved):
            plan.left.remove(step.edge)


def next_solved(plan: CouplingPlan) -> Solved | None:
    """Return a coupling with one unknown coordinate, for which it can be solved."""
    for edge in plan.left:
        number = len(edge.coordinates)
        unknown = [k for k, c in enumerate(edge.coordinates) if c.body.name not in plan.known]
        single = len(unknown) == 1 and edge.coordinates[unknown[0]].body.inboard.n_v == 1
        if single and edge.coupling.solves(unknown[0], number):
            return Solved(edge, unknown[0])
    return None


def next_eliminated(plan: CouplingPlan) -> Eliminated | None:
    """Return a combination of linear couplings in which all unknown coordinates but one cancel."""
    edges = [edge for edge in plan.left if edge.coupling.row() is not None]
    coordinates = list(dict.fromkeys(c for edge in edges for c in edge.coordinates))
    unknown = [c for c in coordinates if c.body.name not in plan.known]
    known = tuple(c for c in coordinates if c.body.name in plan.known)
    if not unknown:
        return None
    C, d = matrix(edges, coordinates)
    C_unknown = C[:, [coordinates.index(c) for c in unknown]]
    for k, coordinate in enumerate(unknown):
        if coordinate.body.inboard.n_v != 1:
            continue
        e = np.eye(len(unknown))[k]
        w = least_squares(C_unknown.T, e, rcond=EXACT)  # w C = e
        if np.max(np.abs(w @ C_unknown - e)) <= EXACT:
            coefficients = -w @ C[:, [coordinates.index(c) for c in known]]
            rounding = EXACT * np.max(np.abs(coefficients), initial=1.0)
            coefficients = np.where(np.abs(coefficients) <= rounding, 0.0, coefficients)
            used = tuple(edge for edge, weight in zip(edges, w, strict=True) if abs(weight) > EXACT)
            return Eliminated(coordinate, used, known, coefficients, float(w @ d))
    return None


def matrix(
    edges: Sequence[Coupled], coordinates: Sequence[Coordinate], number: Callable[[Any], float] = float
) -> tuple[Array, Array]:
    """Return linear couplings as C q = d; ``float`` refuses free parameters by name."""
    C, d = np.zeros((len(edges), len(coordinates))), np.zeros(len(edges))
    for i, edge in enumerate(edges):
        row = edge.coupling.row()
        assert row is not None
        coefficients, constant = row
        for c, coordinate in zip(coefficients, edge.coordinates, strict=True):
            C[i, coordinates.index(coordinate)] = number(c)
        d[i] = number(constant)
    return C, d


def find_implied(edges: Sequence[Coupled]) -> list[str]:
    """Return names of the linear couplings that those before them imply.

    With coefficients of free parameters they would contradict each other at other values, and are refused.
    """
    linear = [edge for edge in edges if edge.coupling.row() is not None]
    coordinates = list(dict.fromkeys(c for edge in linear for c in edge.coordinates))
    C, _ = matrix(linear, coordinates, nominal)
    ranks = [0] + [int(np.linalg.matrix_rank(C[: n + 1])) for n in range(len(linear))]
    names = [edge.name for n, edge in enumerate(linear) if ranks[n + 1] == ranks[n]]
    if names:
        matrix(linear, coordinates)
    return names
