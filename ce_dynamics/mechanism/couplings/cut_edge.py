"""The contract of a cut edge: what closes a loop besides the hinges of the spanning tree."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, ClassVar

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.body import Body

if TYPE_CHECKING:
    from ce_dynamics.mechanism.couplings.components import FunctionCoordinate


class CutEdge:
    """A joint, a coupling or a written constraint between bodies that the tree connects already.

    1. ``name``: unique among the cut edges.
    2. `bodies`: what it sets conditions on; ``body_a`` and ``body_b`` are the first and the last.
    3. ``rows``: how many scalar conditions these are; ``kind``: their type, for people.
    4. ``independent``, ``leading``: hinges and other coordinates that are to lead the loop.
    5. The remaining properties say what of it matters to an embedding.
    6. How a formulation reads residuals and reactions is registered there for the class (`singledispatch`):
       `closure_residual`, `one_closure`, `moving_residuals` of the embedding, `coupling_forces` of reactions,
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
        """The same with other independent hinges."""
        result = copy.copy(self)
        object.__setattr__(result, "independent", independent)
        return result
