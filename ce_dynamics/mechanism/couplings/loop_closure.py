"""Loops: cut edges that are joints between two bodies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.hinges.conditions import Closure


@dataclass(frozen=True, eq=False)
class LoopClosure(CutEdge):
    """A cut edge: a hinge, or another closure, between two bodies that are connected already."""

    name: str
    body_a: Body
    body_b: Body
    closure: Closure
    independent: tuple[str, ...]
    through_dead_centres: bool = False
    leading: tuple[FunctionCoordinate, ...] = ()
    substeps: int | None = None

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The two bodies it joins."""
        return self.body_a, self.body_b

    @property
    def kind(self) -> str:
        """Type of the closure, for people."""
        return str(getattr(self.closure, "kind", type(self.closure).__name__))

    @property
    def rows(self) -> int:
        """Number of scalar conditions."""
        return sum(condition.rows for condition in self.closure.constraints)

    @property
    def holonomic(self) -> bool:
        return all(condition.holonomic for condition in self.closure.constraints)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.body_a, self.closure.at_parent), (self.body_b, self.closure.at_child)


def joints_in(edges: Iterable[CutEdge]) -> list[LoopClosure]:
    """Return the cut edges that are joints between two bodies."""
    return [edge for edge in edges if isinstance(edge, LoopClosure)]


def is_closure(value: object) -> bool:
    """Return True if something can close a loop: it has two ends and conditions on them."""
    return not isinstance(value, type) and all(
        hasattr(value, name) for name in ("at_parent", "at_child", "constraints")
    )
