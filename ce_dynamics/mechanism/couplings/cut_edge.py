"""Cut edges, which close loops: their contract, and joints between two bodies."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate
from ce_dynamics.mechanism.hinges.conditions import Closure

if TYPE_CHECKING:
    from ce_dynamics.mechanism.couplings.components import FunctionCoordinate


class CutEdge:
    """A joint, a coupling or a written constraint between bodies that the tree connects already.

    1. ``name``: unique among the cut edges.
    2. `bodies`: the bodies that it constrains; ``body_a`` and ``body_b`` are the first and the last.
    3. ``rows``: how many scalar conditions these are; ``kind``: their type, for people.
    4. ``independent``, ``leading``: hinges and other coordinates that are to lead the loop.
    5. The remaining properties are those that an embedding needs.
    6. How a formulation reads residuals and reactions is registered there for the class (`singledispatch`):
       `one_closure`, `moving_residuals` of the embedding, `coupling_forces` of reactions,
       `residuals_of` of the augmented form.
    """

    name: str
    independent: tuple[str, ...]
    leading: tuple[FunctionCoordinate, ...]
    couples_hinges: ClassVar[bool] = False
    """True if the conditions are on coordinates of hinges alone, not on poses."""
    counts_turns: ClassVar[bool] = False
    """True if the edge distinguishes whole turns of hinges, which positions do not."""

    if TYPE_CHECKING:  # some have fields of these names

        @property
        def bodies(self) -> tuple[Body, ...]: ...
        @property
        def body_a(self) -> Body: ...
        @property
        def body_b(self) -> Body: ...
        @property
        def rows(self) -> int: ...
        @property
        def kind(self) -> str: ...
        @property
        def through_dead_centres(self) -> bool: ...

    @property
    def holonomic(self) -> bool:
        """True if its conditions are on positions."""
        return True

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        """Bodies and the design points at which it holds them, if it does."""
        return ()

    @property
    def tops(self) -> tuple[Body, ...]:
        """Bodies below which nothing needs to be known."""
        return self.bodies

    def with_leads(self, independent: tuple[str, ...]) -> CutEdge:
        """Return the same with other independent hinges."""
        result = copy.copy(self)
        object.__setattr__(result, "independent", independent)
        return result


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
