"""Interface of a linkage written as loop equations, for checks and Newton's method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ce_dynamics.kinematics.base import Cut, Joint
from ce_dynamics.kinematics.symbolic.algebra import Algebra, Expr


class LoopEquations(Protocol):
    """Equations that vanish where a loop is closed (`ce_dynamics.kinematics.symbolic.SymbolicLinkage`).

    Attributes
    ----------
    owner : str
        For messages.
    determines : tuple of str
        Bodies whose hinges are found.
    coordinates : mapping of Expr to (str, int)
        Body and place of each symbol.
    equations : sequence of Expr
    equation_names : sequence of str
    algebra : Algebra
        What evaluates them.
    """

    owner: str
    determines: tuple[str, ...]
    algebra: Algebra

    @property
    def coordinates(self) -> Mapping[Expr, tuple[str, int]]: ...
    @property
    def equations(self) -> Sequence[Expr]: ...
    @property
    def equation_names(self) -> Sequence[str]: ...
    def joints(self) -> tuple[Joint, ...]: ...
    def cuts(self) -> tuple[Cut, ...]: ...
    def residual_of(self, k: int) -> Any: ...
