"""Constraints that users write on points, directions and hinge coordinates of several bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, is_plain
from ce_dynamics.compiler.free_numbers import is_free
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import (
    ConstraintView,
    DesignView,
    FunctionCoordinate,
    residuals,
)
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge


@dataclass(frozen=True, eq=False)
class Written(CutEdge):
    """A cut edge made by a constraint that a user wrote.

    Attributes
    ----------
    name : str
    bodies : tuple of Body
        All bodies and frames that it uses.
    hinged : tuple of Body
        Bodies whose hinge coordinates it uses.
    function : callable
        Residuals (scalar or sequence) from a `ConstraintView`.
    rows : int
        How many.
    independent : tuple of str
        Bodies whose inboard hinges are to be independent.
    leading : tuple of FunctionCoordinate
        Further independent coordinates: components of hinges, functions of positions.
    """

    name: str
    bodies: tuple[Body, ...]
    hinged: tuple[Body, ...]
    function: Callable[[Any], Any]
    rows: int
    independent: tuple[str, ...]
    leading: tuple[FunctionCoordinate, ...] = ()

    kind: ClassVar[str] = "Written"
    counts_turns: ClassVar[bool] = True
    through_dead_centres: ClassVar[bool] = False

    @property
    def body_a(self) -> Body:
        """The first of the bodies."""
        return self.bodies[0]

    @property
    def body_b(self) -> Body:
        """The last of the bodies."""
        return self.bodies[-1]

    @property
    def tops(self) -> tuple[Body, ...]:
        """Bodies below which nothing needs to be known."""
        return (*self.bodies, *(body.carrier for body in self.hinged))

    def residual(self, view: ConstraintView) -> Array:
        """Return residuals (rows,)."""
        return residuals(self.function(view))


def read_constraint(
    name: str,
    bodies: Sequence[Body],
    function: Callable[[Any], Any],
    independent: Sequence[str],
    leading: Sequence[FunctionCoordinate] = (),
) -> Written:
    """Return a written constraint, tried in the design pose."""
    owner = f"constraint {name!r}"
    checks.function(owner, function, " of a view")
    if not bodies:
        raise ModelError(f"{owner}: name the bodies it looks at")
    view = DesignView(name, bodies)
    with checks.name_user_errors(f"function of {owner}"):
        answer = function(view)
    values = residuals(answer)
    if not len(values) or answer is None:
        raise ModelError(f"{owner} returns nothing; return the residuals that must vanish")
    if not is_free(values):
        values = checks.numbers(f"what {owner} returns", values)
    if not view.is_read:
        raise ModelError(
            f"{owner} returns {values.tolist()} without asking where anything is; compute what must vanish "
            "from see.point, see.direction or see.coordinate"
        )
    if is_plain(values) and not np.all(np.isfinite(values)):
        raise ModelError(f"{owner} is {values.tolist()} in the design pose; it must be finite there")
    return Written(
        name,
        tuple(bodies),
        tuple(view.hinged.values()),
        function,
        len(values),
        tuple(independent),
        tuple(leading),
    )
